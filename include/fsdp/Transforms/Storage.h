// SPDX-License-Identifier: Apache-2.0
//===- Storage.h - how a unit's parameter is kept ---------------*- C++ -*-===//
//
// The one place that derives, from a parameter's compute placement, its unit
// and the loss, where it is stored and how its gradient is reduced.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_TRANSFORMS_STORAGE_H
#define FSDP_TRANSFORMS_STORAGE_H

#include "fsdp/Analysis/Step.h"

namespace fsdp {

/// The placements of one parameter. All shapes are global.
struct Storage {
  std::string name;
  llvm::SmallVector<int64_t> shape;
  /// How ops want it, how it is kept.
  ShardingAttr compute, stored;
  /// Its marked gradient; the same once reduced to the shard, where only the
  /// sum over replicas is left.
  ShardingAttr partial, storedPartial;
  /// What a gradient is multiplied by.
  int64_t numerator = 1, denominator = 1;
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

/// Derives storages; makes process groups where a derived one has no name yet.
class StorageRules {
public:
  StorageRules(mlir::ModuleOp module, const Step &step);
  mlir::FailureOr<Storage> get(const Parameter &parameter);

private:
  /// The group along which the axes in `set` run, by name.
  mlir::FlatSymbolRefAttr getGroup(const Axes &axes, AxisSet set,
                                   llvm::StringRef hint);

  mlir::ModuleOp module;
  const Step &step;
  LossAttr loss;
  mlir::SymbolTable symbols;
};

} // namespace fsdp

#endif // FSDP_TRANSFORMS_STORAGE_H
