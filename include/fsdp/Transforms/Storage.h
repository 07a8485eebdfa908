// SPDX-License-Identifier: Apache-2.0
//===- Storage.h - how a unit's parameter is kept ---------------*- C++ -*-===//
//
// The one place that derives, from a parameter's compute placement, its unit
// and the loss, where it is stored and how its gradient is reduced and scaled.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_TRANSFORMS_STORAGE_H
#define FSDP_TRANSFORMS_STORAGE_H

#include "fsdp/Analysis/Step.h"

namespace fsdp {

/// On the op whose result, a scalar, divides the loss and with it all
/// gradients; `fsdp-shard-storage` takes it away.
constexpr llvm::StringLiteral divisorAttr = "fsdp.divisor";

/// `value` over a scalar, computed in the wider of their types.
mlir::Value createDivision(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, mlir::Value divisor);

/// The placements of one parameter. All shapes are global.
struct Storage {
  std::string name;
  llvm::SmallVector<int64_t> shape;
  /// What a plan says of it in compute, how it is kept, and how it is where
  /// nothing splits it; all three vary alike.
  ShardingAttr compute, stored, whole;
  /// What a gradient is multiplied by, or a scalar that divides it instead.
  int64_t numerator = 1, denominator = 1;
  mlir::Value divisor;
  /// The unit's dtypes; null for the parameter's own.
  mlir::Type paramType, reduceType;
  mlir::MLIRContext *context = nullptr;

  /// The local type under `sharding`.
  mlir::RankedTensorType getType(mlir::Operation *from, ShardingAttr sharding,
                                 mlir::Type element) const;
  /// A reshard of `value`, or `value` where there is nothing to do.
  mlir::Value reshard(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, ShardingAttr from,
                      ShardingAttr to) const;
  /// The gradient's scale, or `value` where it is one.
  mlir::Value scale(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value) const;
  /// loc("name"("what")).
  mlir::Location getLoc(llvm::StringRef what) const;
};

/// One marked gradient.
struct Gradient {
  /// What the optimizer uses of it: the marker, or a reshard of it to whole.
  mlir::Value whole;
  /// As marked; the same once reduced to the shard, where only the sum over
  /// replicas is left.
  ShardingAttr marked, reduced;
};

/// Derives storages; makes process groups where a derived one has no name yet.
class StorageRules {
public:
  StorageRules(mlir::ModuleOp module, const Step &step);
  /// Finds what divides a loss that a count divides.
  llvm::LogicalResult findDivisor();
  mlir::FailureOr<Storage> get(const Parameter &parameter);
  mlir::FailureOr<Gradient> getGradient(const Storage &storage,
                                        LocalGradOp marker);

private:
  /// The placement of dims that is a sum over the axes in `sum`, by a group
  /// named after `hint` where it has no name.
  ShardingAttr place(const Axes &axes, ShardingAttr dims, AxisSet sum,
                     llvm::StringRef hint);

  mlir::ModuleOp module;
  const Step &step;
  LossAttr loss;
  ClassesAttr lossGroup;
  mlir::Value divisor;
  mlir::SymbolTable symbols;
};

} // namespace fsdp

#endif // FSDP_TRANSFORMS_STORAGE_H
