// SPDX-License-Identifier: Apache-2.0
//===- LinalgRule.h - the partition rule of linalg ops ----------*- C++ -*-===//
#ifndef FSDP_LIB_ANALYSIS_LINALGRULE_H
#define FSDP_LIB_ANALYSIS_LINALGRULE_H

#include "fsdp/Analysis/PartitionRule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fsdp {

/// The loops of a linalg op are its factors.
std::optional<PartitionRule> getLinalgRule(mlir::linalg::LinalgOp op);

/// `isLinear` of an op with a body.
bool isLinearBody(mlir::linalg::LinalgOp op, const PartitionRule &rule,
                  uint64_t mask);

} // namespace fsdp

#endif // FSDP_LIB_ANALYSIS_LINALGRULE_H
