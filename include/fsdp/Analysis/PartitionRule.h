// SPDX-License-Identifier: Apache-2.0
//===- PartitionRule.h - which dims of an op split together -----*- C++ -*-===//
//
// An op is partitioned along *factors*: the loops of a linalg op, the dims of
// an elementwise op, the names of an `fsdp.rule`. A rule says which factor each
// dimension of each operand and result runs along, and what splitting a factor
// does to the results. It is the one table of ops that propagation and
// rewriting share: a new op is a new row here.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_ANALYSIS_PARTITIONRULE_H
#define FSDP_ANALYSIS_PARTITIONRULE_H

#include "fsdp/IR/Dialect.h"

namespace fsdp {

struct PartitionRule {
  /// In a dimension's place: it runs along no factor and stays whole.
  static constexpr int64_t whole = -1;

  struct Factor {
    int64_t extent;
    /// Set for a reduction: splitting it leaves the results partial. A factor
    /// that is reduced in another way cannot be split.
    std::optional<ReductionKind> reduction;
    bool canSplit = true;
  };
  llvm::SmallVector<Factor> factors;
  /// For each operand (result), the factor of each dimension.
  llvm::SmallVector<llvm::SmallVector<int64_t>> operands, results;
};

/// The rule of `op`, or nothing where it can only run whole.
std::optional<PartitionRule> getPartitionRule(mlir::Operation *op);

} // namespace fsdp

#endif // FSDP_ANALYSIS_PARTITIONRULE_H
