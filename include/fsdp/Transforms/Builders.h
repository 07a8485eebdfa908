// SPDX-License-Identifier: Apache-2.0
//===- Builders.h - small pieces of IR that several passes make -*- C++ -*-===//
#ifndef FSDP_TRANSFORMS_BUILDERS_H
#define FSDP_TRANSFORMS_BUILDERS_H

#include "fsdp/Analysis/Phases.h"

namespace fsdp {

/// An elementwise linalg.generic: `inputs` of rank 0 are broadcast, the others
/// and all results have the shape of `shape`. `body` gets the elements of the
/// inputs and returns those of the results.
llvm::SmallVector<mlir::Value>
createElementwise(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::ValueRange inputs, llvm::ArrayRef<int64_t> shape,
                  mlir::TypeRange elementTypes,
                  llvm::function_ref<llvm::SmallVector<mlir::Value>(
                      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                      body);

/// `value` with floating-point elements of type `element`; `value` itself where
/// that is what it has.
mlir::Value createCast(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::Type element);

/// A scalar cast between floating-point types.
mlir::Value createScalarCast(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, mlir::Type type);

/// A splat constant of zeros.
mlir::Value createZero(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::RankedTensorType type);

/// Where this rank's chunk of a dimension of `extent` begins: chunks of chunks,
/// group by group, major to minor, each ceil(extent / size) long.
mlir::Value createOffset(mlir::OpBuilder &builder, mlir::Location loc,
                         int64_t extent,
                         llvm::ArrayRef<mlir::Attribute> groups);

/// How many rows of that chunk are not padding; null where none ever is.
mlir::Value createValidRows(mlir::OpBuilder &builder, mlir::Location loc,
                            int64_t extent,
                            llvm::ArrayRef<mlir::Attribute> groups);

/// `value`, the local part of a value of `shape` placed by `sharding`, with
/// zeros in all elements that are padding; itself where there is none.
mlir::Value createMask(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, llvm::ArrayRef<int64_t> shape,
                       ShardingAttr sharding);

/// The local type of a value of `shape` placed by `sharding`.
mlir::RankedTensorType getLocalType(mlir::Operation *from,
                                    llvm::ArrayRef<int64_t> shape,
                                    mlir::Type element, ShardingAttr sharding);

/// A remark of category "fsdp" that says `text`.
void note(mlir::Location loc, llvm::StringRef name, const llvm::Twine &text);

/// Erases ops without effects whose results nobody uses, last to first.
void eraseDeadOps(mlir::Block &block);

} // namespace fsdp

#endif // FSDP_TRANSFORMS_BUILDERS_H
