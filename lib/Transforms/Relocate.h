// SPDX-License-Identifier: Apache-2.0
//===- Relocate.h - a value in several placements ---------------*- C++ -*-===//
#ifndef FSDP_LIB_TRANSFORMS_RELOCATE_H
#define FSDP_LIB_TRANSFORMS_RELOCATE_H

#include "fsdp/Analysis/Propagation.h"

namespace fsdp {

/// The values of the partitioned program that stand for one of the exported
/// one: as it comes, and resharded to where it is wanted.
class Versions {
public:
  Versions(const Propagation &propagation, mlir::ModuleOp module)
      : propagation(propagation), module(module) {}

  /// The local type of value `id` under `placements`.
  mlir::RankedTensorType getType(int32_t id,
                                 const Placements &placements) const;
  bool isKnown(int32_t id) const;
  void setBase(int32_t id, mlir::Value value, const Placements &placements);
  /// The value in `placements` for an op at the insertion point.
  mlir::Value get(mlir::OpBuilder &builder, int32_t id,
                  const Placements &placements);
  /// A free value, a constant or a start, in another shape.
  mlir::Value getFree(mlir::OpBuilder &builder, int32_t id,
                      mlir::RankedTensorType type);
  /// `value`, which comes in `from`, in `to`.
  mlir::Value relocate(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, int32_t id, const Placements &from,
                       const Placements &to);

private:
  struct Version {
    mlir::Value value;
    Placements placements;
    mlir::Block *block;
  };
  struct View;

  const Propagation &propagation;
  mlir::ModuleOp module;
  llvm::DenseMap<int32_t, llvm::SmallVector<Version, 2>> versions;
};

} // namespace fsdp

#endif // FSDP_LIB_TRANSFORMS_RELOCATE_H
