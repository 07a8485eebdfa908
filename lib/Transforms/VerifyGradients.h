// SPDX-License-Identifier: Apache-2.0
//===- VerifyGradients.h - what fsdp-verify-gradients shows -----*- C++ -*-===//
#ifndef FSDP_LIB_TRANSFORMS_VERIFYGRADIENTS_H
#define FSDP_LIB_TRANSFORMS_VERIFYGRADIENTS_H

#include "fsdp/Analysis/RankStates.h"
#include "fsdp/Analysis/Step.h"

namespace fsdp {

/// What is shown of one parameter.
struct VerdictRow {
  std::string parameter, placement, reduced, scale, where;
};

struct Verdict {
  std::vector<VerdictRow> rows;
  std::vector<std::string> assumptions;
  /// Aligned columns, then the assumptions.
  void print(llvm::raw_ostream &os) const;
  /// The same as JSON: `parameters` and `assumptions`.
  void writeJson(llvm::raw_ostream &os) const;
};

/// Names the process groups that together are `axes`: one of just these, or
/// the fewest that cover them, or how many ranks.
std::string nameAxes(mlir::ModuleOp module, const RankStates &states,
                     AxisSet axes);

/// A copy of the module in which each gradient that is a result and has no
/// marker is marked at the first op of synchronisation; null if there is none.
mlir::OwningOpRef<mlir::ModuleOp> markGradients(const Step &step);

/// Whether the model itself, above the markers, uses collectives for what they
/// are for. Reports what is wrong.
mlir::LogicalResult verifyModelCollectives(const Step &step,
                                           const RankStates &states);

/// Whether what forward and backward use of a split parameter is gathered;
/// where the shard is what they want, it is the parameter's placement in
/// compute.
mlir::LogicalResult verifyShards(const Step &step);

/// Whether collectives run in the types that units ask for. Reports what is
/// wrong.
mlir::LogicalResult verifyTypes(const Step &step, const RankStates &states);

} // namespace fsdp

#endif // FSDP_LIB_TRANSFORMS_VERIFYGRADIENTS_H
