// SPDX-License-Identifier: Apache-2.0
//===- LocalOps.h - an op on the pieces that one rank holds -----*- C++ -*-===//
#ifndef FSDP_LIB_TRANSFORMS_LOCALOPS_H
#define FSDP_LIB_TRANSFORMS_LOCALOPS_H

#include "fsdp/Analysis/PartitionRule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fsdp {

/// What the body of `op`, of this rule, reads from outside becomes `values`.
void replaceCaptured(mlir::Operation *op, const PartitionRule &rule,
                     mlir::ValueRange values);

/// How one rank runs an op. All splits are even.
struct LocalOp {
  /// One cut of a factor: of `blocks` equal blocks each is split over `groups`.
  struct Cut {
    int64_t blocks;
    llvm::SmallVector<mlir::Attribute> groups;
    int64_t ranks;
  };

  LocalOp(mlir::Operation *op, const PartitionRule &rule)
      : op(op), rule(rule) {}

  mlir::Operation *op;
  const PartitionRule &rule;
  /// As exported: the program changes under way.
  llvm::SmallVector<mlir::RankedTensorType> exported;
  /// Local operands, with what is captured behind them, and local types.
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  /// For each factor its cuts, in order of blocks.
  llvm::SmallVector<llvm::SmallVector<Cut, 1>> cuts;
  /// Extents of the leading dims that exported types do not show, and which of
  /// them each operand and result has, as sets.
  llvm::SmallVector<int64_t> stars;
  llvm::SmallVector<uint64_t> operandStars, resultStars;

  /// Builds it; returns what the results become.
  llvm::SmallVector<mlir::Value> build(mlir::OpBuilder &builder);

private:
  mlir::linalg::GenericOp addStars(mlir::OpBuilder &builder);
  llvm::SmallVector<mlir::Value> buildLinalg(mlir::OpBuilder &builder);
  void fixIndices(mlir::Operation *local);
  void fixLookups(mlir::Operation *local);
  mlir::Value buildSlice(mlir::OpBuilder &builder);
  mlir::Value buildScatter(mlir::OpBuilder &builder);
};

} // namespace fsdp

#endif // FSDP_LIB_TRANSFORMS_LOCALOPS_H
