// SPDX-License-Identifier: Apache-2.0
//===- Dialect.h - the fsdp dialect -----------------------------*- C++ -*-===//
//
// The one header for attributes, types, interfaces and ops, with the names of
// the discardable attributes ("roles") and helpers to read them.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_IR_DIALECT_H
#define FSDP_IR_DIALECT_H

#include "fsdp/IR/Axes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fsdp/IR/FsdpDialect.h.inc"
#include "fsdp/IR/FsdpEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "fsdp/IR/FsdpAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "fsdp/IR/FsdpTypes.h.inc"

namespace fsdp::detail {
/// Bytes of all buffers of these types.
int64_t payloadBytes(mlir::TypeRange types);
/// Bytes that one rank sends over a ring of `size` ranks.
int64_t wireBytes(CollectiveKind kind, int64_t payload, int64_t size);
} // namespace fsdp::detail

#include "fsdp/IR/FsdpInterfaces.h.inc"
#define GET_OP_CLASSES
#include "fsdp/IR/FsdpOps.h.inc"

namespace fsdp {

/// Names of discardable attributes; FsdpDialect.td says what each means.
namespace attr {
// Arguments.
constexpr llvm::StringLiteral param = "fsdp.param";
constexpr llvm::StringLiteral frozen = "fsdp.frozen";
constexpr llvm::StringLiteral aliases = "fsdp.aliases";
constexpr llvm::StringLiteral unit = "fsdp.unit";
constexpr llvm::StringLiteral buffer = "fsdp.buffer";
constexpr llvm::StringLiteral input = "fsdp.input";
constexpr llvm::StringLiteral batchDim = "fsdp.batch_dim";
constexpr llvm::StringLiteral state = "fsdp.state";
constexpr llvm::StringLiteral hyper = "fsdp.hyper";
constexpr llvm::StringLiteral value = "fsdp.value";
constexpr llvm::StringLiteral seed = "fsdp.seed";
// Results.
constexpr llvm::StringLiteral loss = "fsdp.loss";
constexpr llvm::StringLiteral grad = "fsdp.grad";
constexpr llvm::StringLiteral updated = "fsdp.updated";
constexpr llvm::StringLiteral updatedState = "fsdp.updated_state";
constexpr llvm::StringLiteral updatedSeed = "fsdp.updated_seed";
constexpr llvm::StringLiteral output = "fsdp.output";
// Arguments and results.
constexpr llvm::StringLiteral globalShape = "fsdp.global_shape";
constexpr llvm::StringLiteral sharding = "fsdp.sharding";
constexpr llvm::StringLiteral storage = "fsdp.storage";
// The module.
constexpr llvm::StringLiteral world = "fsdp.world";
constexpr llvm::StringLiteral stage = "fsdp.stage";
constexpr llvm::StringLiteral modules = "fsdp.modules";
constexpr llvm::StringLiteral accumulate = "fsdp.accumulate";
constexpr llvm::StringLiteral buffers = "fsdp.buffers";
// Functions.
constexpr llvm::StringLiteral ranks = "fsdp.ranks";
// Ops.
constexpr llvm::StringLiteral blocks = "fsdp.blocks";
constexpr llvm::StringLiteral rule = "fsdp.rule";
constexpr llvm::StringLiteral phase = "fsdp.phase";
} // namespace attr

/// The parameter that a state or an updated state belongs to: what follows
/// the first ':', or nothing for a state of the whole optimizer ("step").
llvm::StringRef getStateParam(llvm::StringRef role);

/// The module's world, or null.
WorldAttr getWorld(mlir::ModuleOp module);

/// The resolved classes of `group`, looked up from `from`; null where the
/// symbol is not a resolved process group.
ClassesAttr lookupClasses(mlir::Operation *from, mlir::FlatSymbolRefAttr group);
ClassesAttr lookupClasses(mlir::SymbolTable &symbols, mlir::Attribute group);

/// The first process group of `module` with these classes, or null.
mlir::FlatSymbolRefAttr findGroup(mlir::ModuleOp module, ClassesAttr classes);

/// The process group of `module` with these classes, made (named after `hint`)
/// where there is none.
mlir::FlatSymbolRefAttr getOrCreateGroup(mlir::ModuleOp module,
                                         ClassesAttr classes,
                                         llvm::StringRef hint);

/// The axes that split dimension `dim`, major to minor.
llvm::SmallVector<unsigned> getDimAxes(const Axes &axes, mlir::Operation *from,
                                       ShardingAttr sharding, int64_t dim);

/// The local shape of a value of `shape` placed by `sharding`: every dimension
/// is ceil(dim / product of the sizes of its groups).
llvm::SmallVector<int64_t> getLocalShape(mlir::Operation *from,
                                         llvm::ArrayRef<int64_t> shape,
                                         ShardingAttr sharding);

/// Checks the constraints that `#fsdp.sharding` lists against a value of
/// `rank` dims (any rank if negative).
llvm::LogicalResult
verifySharding(mlir::Operation *from, ShardingAttr sharding, int64_t rank,
               llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fsdp

#endif // FSDP_IR_DIALECT_H
