// SPDX-License-Identifier: Apache-2.0
//===- Partition.h - rewrite one op to local shapes -------------*- C++ -*-===//
//
// The core that all partitioning shares: given how an op's factors are split,
// it puts reshards in front of the operands and behind the results and a copy
// of local shape between them. Whoever decides placements calls it; reshards
// that meet cancel.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_TRANSFORMS_PARTITION_H
#define FSDP_TRANSFORMS_PARTITION_H

#include "fsdp/Analysis/PartitionRule.h"

namespace fsdp {

/// The groups that split each factor, major to minor.
using FactorGroups = llvm::SmallVector<llvm::SmallVector<mlir::Attribute>>;

/// Replaces `op`, whose operands and results are whole, by a local copy split
/// along `factors` between reshards. The rule is the op's.
void partition(mlir::Operation *op, const PartitionRule &rule,
               const FactorGroups &factors);

/// `value`, which is whole, placed by `sharding`: what a reshard from there
/// brought it from, a smaller constant, or a reshard.
mlir::Value getPlaced(mlir::OpBuilder &builder, mlir::Value value,
                      ShardingAttr sharding);

} // namespace fsdp

#endif // FSDP_TRANSFORMS_PARTITION_H
