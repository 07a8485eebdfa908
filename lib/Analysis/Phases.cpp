// SPDX-License-Identifier: Apache-2.0
//===- Phases.cpp - forward, backward, optimizer --------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fsdp;

void fsdp::collectAncestors(Block *block, ValueRange roots,
                            DenseSet<Operation *> &ops,
                            function_ref<bool(Operation *)> stop) {
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Operation *def = worklist.pop_back_val().getDefiningOp();
    Operation *op = def ? block->findAncestorOpInBlock(*def) : nullptr;
    if (!op || (stop && stop(op)) || !ops.insert(op).second)
      continue;
    worklist.append(op->operand_begin(), op->operand_end());
    for (Region &region : op->getRegions()) {
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(region, captured);
      worklist.append(captured.begin(), captured.end());
    }
  }
}

/// The loop over micro-batches that holds the markers, or null.
static scf::ForOp getAccumulationLoop(const Step &step) {
  for (const Parameter &parameter : step.getParameters())
    for (LocalGradOp marker : parameter.markers)
      return dyn_cast<scf::ForOp>(marker->getParentOp());
  return {};
}

Phases::Phases(const Step &step) {
  func::FuncOp function = step.getFunction();
  Operation *terminator = step.getTerminator();
  scf::ForOp loop = getAccumulationLoop(step);
  Block *block = loop ? loop.getBody() : &function.front();
  auto isMarker = [](Operation *op) { return isa<LocalGradOp>(op); };

  DenseSet<Operation *> needMarkers;
  SmallVector<Value> markers;
  for (const Parameter &parameter : step.getParameters())
    for (LocalGradOp marker : parameter.markers)
      markers.push_back(marker.getInput());

  // Results of forward: all but what a gradient flows into.
  SmallVector<Value> roots;
  if (loop) {
    for (Value yielded : loop.getBody()->getTerminator()->getOperands())
      roots.push_back(yielded);
  } else {
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      StringRef updated = step.getResultRole(i, attr::updated);
      bool isBuffer = !updated.empty() && !step.lookup(updated);
      if (function.getResultAttr(i, attr::loss) ||
          function.getResultAttr(i, attr::output) ||
          function.getResultAttr(i, attr::updatedSeed) || isBuffer)
        roots.push_back(terminator->getOperand(i));
    }
  }
  for (Value root : roots) {
    bool meetsMarker = false;
    DenseSet<Operation *> ops;
    // Outputs of the optimizer (a gradient norm) come from markers.
    collectAncestors(block, root, ops, [&](Operation *op) {
      meetsMarker |= isMarker(op);
      return isMarker(op) || forward.contains(op);
    });
    if (!meetsMarker)
      forward.insert(ops.begin(), ops.end());
  }
  collectAncestors(block, markers, backward,
                   [&](Operation *op) { return forward.contains(op); });
  if (loop)
    forward.insert(loop);
}

Phase Phases::get(Operation *op) const {
  for (Operation *at = op; at; at = at->getParentOp()) {
    if (backward.contains(at))
      return Phase::Backward;
    if (forward.contains(at))
      return Phase::Forward;
    if (isa<func::FuncOp>(at->getParentOp()))
      break;
  }
  return Phase::Optimizer;
}

std::optional<Phase> fsdp::getPhaseFromLoc(Location loc) {
  std::optional<Phase> phase;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part)) {
      StringRef text = name.getName().getValue();
      if (text == "fwd")
        phase = Phase::Forward;
      else if (text == "bwd")
        phase = Phase::Backward;
      else if (text == "opt")
        phase = Phase::Optimizer;
    }
    return WalkResult::advance();
  });
  return phase;
}

bool fsdp::isFree(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return matchPattern(fill.value(), m_Constant()) &&
           fill.output().getDefiningOp<tensor::EmptyOp>();
  return false;
}

bool fsdp::isZero(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.value();
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}
