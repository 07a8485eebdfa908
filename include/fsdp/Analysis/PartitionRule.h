// SPDX-License-Identifier: Apache-2.0
//===- PartitionRule.h - which dims of an op split together -----*- C++ -*-===//
//
// An op is partitioned along *factors*: the loops of a linalg op, the dims of
// an elementwise op, the pieces that a reshape regroups, the names of an
// `fsdp.rule`. A rule says which factors each dimension of each operand and
// result runs along, and what splitting a factor does to the results. It is the
// one table of ops that propagation and rewriting share: a new op is a new row
// here.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_ANALYSIS_PARTITIONRULE_H
#define FSDP_ANALYSIS_PARTITIONRULE_H

#include "fsdp/IR/Dialect.h"

namespace fsdp {

struct PartitionRule {
  /// In a dimension's place: it runs along no factor and stays whole. Below it
  /// are positions in `composites`, see `getFactors`.
  static constexpr int64_t whole = -1;

  struct Factor {
    int64_t extent;
    /// Set for a reduction: splitting it leaves the results partial. A factor
    /// that is reduced in another way cannot be split.
    std::optional<ReductionKind> reduction;
    bool canSplit = true;
    /// A dimension that is read or written at places that the data name: each
    /// rank does those that it holds, and the results are a sum (reads), or
    /// keep the dimension (writes).
    bool isLookup = false;
    /// The op reads its own position along it (linalg.index).
    bool isIndexed = false;
    /// A sum that could be split but for where it starts from, which an
    /// operand of `starts` says.
    bool needsStart = false;
  };
  llvm::SmallVector<Factor> factors;
  /// For each operand (result), the factor of each dimension. Behind the op's
  /// own operands come `captured`.
  llvm::SmallVector<llvm::SmallVector<int64_t>> operands, results;
  /// Dimensions that are a product of factors, major to minor.
  llvm::SmallVector<llvm::SmallVector<int64_t>> composites;
  /// Tensors that the body reads from outside.
  llvm::SmallVector<mlir::Value> captured;
  /// Operands that results start from: to be counted once where a sum is split.
  uint64_t starts = 0;

  /// The factors that a dimension of `operands` or `results` runs along.
  llvm::ArrayRef<int64_t> getFactors(const int64_t &dim) const {
    if (dim == whole)
      return {};
    return dim < whole ? llvm::ArrayRef<int64_t>(composites[whole - 1 - dim])
                       : llvm::ArrayRef<int64_t>(dim);
  }
  /// A dimension along the product of `parts`.
  int64_t addComposite(llvm::ArrayRef<int64_t> parts) {
    composites.emplace_back(parts.begin(), parts.end());
    return whole - int64_t(composites.size());
  }
};

/// The rule of `op`, or nothing where it can only run whole.
std::optional<PartitionRule> getPartitionRule(mlir::Operation *op);

/// True where the results are a homogeneous linear function of the operands in
/// `mask` (positions as in a rule, with what is captured) taken together, so
/// that partial sums may pass.
bool isLinear(mlir::Operation *op, const PartitionRule &rule, uint64_t mask);

} // namespace fsdp

#endif // FSDP_ANALYSIS_PARTITIONRULE_H
