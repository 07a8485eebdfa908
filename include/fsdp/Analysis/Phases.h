// SPDX-License-Identifier: Apache-2.0
//===- Phases.h - forward, backward, optimizer ------------------*- C++ -*-===//
//
// The phase of every op, from the dataflow alone: forward is what the loss,
// the outputs and the updates of buffers need without any gradient; backward
// is what the markers need beyond that; the rest is the optimizer. Locations
// are read only where there are no markers yet.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_ANALYSIS_PHASES_H
#define FSDP_ANALYSIS_PHASES_H

#include "fsdp/Analysis/Step.h"
#include "llvm/ADT/DenseSet.h"

namespace fsdp {

enum class Phase { Forward, Backward, Optimizer };

/// The phases of the ops in the step function's body. Ops in regions have the
/// phase of the op in whose region they are; the body of a loop over
/// micro-batches is looked into instead.
class Phases {
public:
  explicit Phases(const Step &step);
  Phase get(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Operation *> forward, backward;
};

/// The ops of `block` that the values in `roots` need, in `ops`. Does not go
/// beyond `block`, nor through ops in `stop`.
void collectAncestors(mlir::Block *block, mlir::ValueRange roots,
                      llvm::DenseSet<mlir::Operation *> &ops,
                      llvm::function_ref<bool(mlir::Operation *)> stop);

/// The phase that an exporter wrote into a location, `loc("h.0"("bwd"))`.
std::optional<Phase> getPhaseFromLoc(mlir::Location loc);

/// True for ops whose value is the same wherever they stand: constants,
/// empties, fills with constants. They belong to no phase.
bool isFree(mlir::Operation *op);

/// True for a splat constant, or a fill, of zero.
bool isZero(mlir::Value value);

} // namespace fsdp

#endif // FSDP_ANALYSIS_PHASES_H
