// SPDX-License-Identifier: Apache-2.0
//===- MarkGradients.cpp - put fsdp.local_grad where autograd ends --------===//
//
// Everything above a marker is the model, everything below it synchronisation
// and the optimizer. A gradient result is marked itself. With an optimizer in
// the graph the marked value is where backward's value enters it:
//
//   %g = ... loc("h.0"("bwd"))
//   %m = linalg.generic ins(%g, %exp_avg) ... loc("h.0"("opt"))
// becomes
//   %g = ...
//   %marked = fsdp.local_grad %g of "h.0.weight"
//   %m = linalg.generic ins(%marked, %exp_avg) ...
//
// The optimizer is what locations say; in a graph without them, what depends on
// optimizer states and what lies between a gradient and that: (1-b1)*g, a clip
// by the norm of all gradients.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Transforms/Passes.h"

namespace fsdp {
#define GEN_PASS_DEF_MARKGRADIENTSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
/// Finds the gradients in a step that already has its optimizer.
class OptimizerBoundary {
public:
  explicit OptimizerBoundary(const Step &step);
  /// The value that enters the optimizer as the gradient of `parameter`; null
  /// where the update needs no data; fails where it cannot be told.
  FailureOr<Value> find(const Parameter &parameter) const;
  /// With all gradients known, what lies between them and the updates.
  void complete(ValueRange gradients);
  /// The ops of the optimizer that the update of `parameter` needs.
  DenseSet<Operation *> getUpdate(const Parameter &parameter) const;

private:
  bool isData(Value value) const;
  bool isClipped(Operation *op, Value gradient) const;
  SmallVector<Value> getUpdated(const Parameter &parameter) const;

  const Step &step;
  Block &block;
  bool hasPhases;
  DenseSet<Operation *> optimizer;
  /// Values that depend on an input.
  DenseSet<Value> data;
};

struct MarkGradientsPass
    : public fsdp::impl::MarkGradientsPassBase<MarkGradientsPass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    OptimizerBoundary boundary(*step);
    SmallVector<const Parameter *> parameters;
    SmallVector<Value> gradients;
    for (const Parameter &parameter : step->getParameters()) {
      if (!parameter.markers.empty())
        continue;
      FailureOr<Value> gradient = Value();
      if (parameter.grad >= 0)
        gradient = step->getTerminator()->getOperand(parameter.grad);
      else if (parameter.updated >= 0)
        gradient = boundary.find(parameter);
      if (failed(gradient))
        return signalPassFailure();
      if (!*gradient) {
        step->getFunction().setArgAttr(parameter.argument, attr::frozen,
                                       UnitAttr::get(&getContext()));
        continue;
      }
      parameters.push_back(&parameter);
      gradients.push_back(*gradient);
    }
    boundary.complete(gradients);
    for (auto [parameter, gradient] : llvm::zip_equal(parameters, gradients))
      mark(*step, boundary, *parameter, gradient);
  }

  void mark(const Step &step, const OptimizerBoundary &boundary,
            const Parameter &parameter, Value gradient);
};
} // namespace

/// Inserts the marker and moves the uses below it: results, and the optimizer.
/// Where parameters share a gradient each has the uses of its own update.
void MarkGradientsPass::mark(const Step &step,
                             const OptimizerBoundary &boundary,
                             const Parameter &parameter, Value gradient) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(gradient);
  auto marker =
      LocalGradOp::create(builder, gradient.getLoc(), gradient, parameter.name);
  if (parameter.grad >= 0) {
    step.getTerminator()->setOperand(parameter.grad, marker);
    return;
  }
  DenseSet<Operation *> update = boundary.getUpdate(parameter);
  gradient.replaceUsesWithIf(marker, [&](OpOperand &use) {
    if (use.getOwner() == step.getTerminator())
      return int(use.getOperandNumber()) == parameter.updated ||
             llvm::is_contained(parameter.updatedStates,
                                use.getOperandNumber());
    return update.contains(
        step.getFunction().front().findAncestorOpInBlock(*use.getOwner()));
  });
}

OptimizerBoundary::OptimizerBoundary(const Step &theStep)
    : step(theStep), block(*step.getTerminator()->getBlock()) {
  func::FuncOp function = step.getFunction();
  DenseSet<Value> states;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (function.getArgAttr(i, attr::input))
      data.insert(function.getArgument(i));
    if (function.getArgAttr(i, attr::state))
      states.insert(function.getArgument(i));
  }
  hasPhases = llvm::any_of(block, [](Operation &op) {
    return getPhaseFromLoc(op.getLoc()) == Phase::Optimizer;
  });
  for (Operation &op : block) {
    bool onData = false, onStates = false;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        onData |= data.contains(operand);
        onStates |= states.contains(operand);
      }
    });
    if (onData)
      data.insert(op.result_begin(), op.result_end());
    if (onStates)
      states.insert(op.result_begin(), op.result_end());
    if (isFree(&op) || &op == step.getTerminator())
      continue;
    if (hasPhases ? getPhaseFromLoc(op.getLoc()) == Phase::Optimizer : onStates)
      optimizer.insert(&op);
  }
}

/// Without locations (1-b1)*g and the norm of a clip depend on no state: the
/// optimizer is what updates need and neither backward nor the loss does.
void OptimizerBoundary::complete(ValueRange gradients) {
  if (hasPhases)
    return;
  DenseSet<Operation *> model, needed;
  collectAncestors(&block, gradients, model, nullptr);
  SmallVector<Value> results;
  for (unsigned i = 0; i < step.getTerminator()->getNumOperands(); ++i) {
    StringRef updated = step.getResultRole(i, attr::updated);
    func::FuncOp function = step.getFunction();
    if (function.getResultAttr(i, attr::loss) ||
        function.getResultAttr(i, attr::updatedSeed) ||
        (!updated.empty() && !step.lookup(updated)))
      results.push_back(step.getTerminator()->getOperand(i));
  }
  collectAncestors(&block, results, model, nullptr);
  for (const Parameter &parameter : step.getParameters())
    collectAncestors(&block, getUpdated(parameter), needed,
                     [&](Operation *op) { return model.contains(op); });
  optimizer.insert(needed.begin(), needed.end());
}

DenseSet<Operation *>
OptimizerBoundary::getUpdate(const Parameter &parameter) const {
  DenseSet<Operation *> ops;
  collectAncestors(&block, getUpdated(parameter), ops,
                   [&](Operation *op) { return !optimizer.contains(op); });
  return ops;
}

/// What the step returns for a parameter and its states.
SmallVector<Value>
OptimizerBoundary::getUpdated(const Parameter &parameter) const {
  SmallVector<Value> values;
  for (unsigned result : parameter.updatedStates)
    values.push_back(step.getTerminator()->getOperand(result));
  if (parameter.updated >= 0)
    values.push_back(step.getTerminator()->getOperand(parameter.updated));
  return values;
}

/// True where a value depends on an input of the step.
bool OptimizerBoundary::isData(Value value) const {
  return data.contains(value);
}

FailureOr<Value> OptimizerBoundary::find(const Parameter &parameter) const {
  func::FuncOp function = step.getFunction();
  Type type = function.getArgumentTypes()[parameter.argument];
  auto shape = cast<ShapedType>(type).getShape();
  auto isLike = [&](Value value) {
    auto shaped = dyn_cast<RankedTensorType>(value.getType());
    return shaped && shaped.getShape() == shape && isData(value);
  };

  // Where data of the parameter's shape flows into the optimizer, going up
  // from the results through values of that shape: a global norm mixes the
  // gradients of all, but as a scalar.
  SetVector<Value> entries;
  SmallVector<Value> worklist = getUpdated(parameter);
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isLike(value) || !seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (op && optimizer.contains(op))
      worklist.append(op->operand_begin(), op->operand_end());
    else
      entries.insert(value);
  }

  Value updated = step.getTerminator()->getOperand(parameter.updated);
  if (entries.contains(updated))
    return emitError(updated.getLoc())
           << "expected locations or states to say where the optimizer of "
              "parameter '"
           << parameter.name << "' begins, but got neither";

  // Several entries, such as (1-b1)*g and (1-b2)*g*g, come from one value: go
  // up from the last of them until one is left.
  while (entries.size() > 1) {
    Value last = *llvm::max_element(entries, [](Value a, Value b) {
      Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
      return y && (!x || x->isBeforeInBlock(y));
    });
    entries.remove(last);
    bool found = false;
    if (Operation *op = last.getDefiningOp())
      for (Value operand : op->getOperands())
        if (isLike(operand)) {
          entries.insert(operand);
          found = true;
        }
    if (!found) {
      InFlightDiagnostic diag =
          emitError(function.getLoc(), "expected one gradient of parameter '")
          << parameter.name << "' to enter the optimizer, but got several";
      diag.attachNote(last.getLoc()) << "one is here";
      diag.attachNote(entries.front().getLoc()) << "another is here";
      return diag;
    }
  }
  if (entries.empty())
    return Value();

  // Where nothing says that a clip belongs to the optimizer: go up through it.
  Value gradient = entries.front();
  while (Operation *op = gradient.getDefiningOp()) {
    SetVector<Value> like;
    for (Value operand : op->getOperands())
      if (isLike(operand))
        like.insert(operand);
    if (hasPhases || like.size() != 1 || !isClipped(op, like.front()))
      break;
    gradient = like.front();
  }
  return gradient;
}

/// True where `op` scales `gradient` by a scalar that depends on it, such as
/// its norm. Backward never does.
bool OptimizerBoundary::isClipped(Operation *op, Value gradient) const {
  Operation *def = gradient.getDefiningOp();
  if (!def)
    return false;
  DenseSet<Operation *> ops;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<ShapedType>(operand.getType());
        operand != gradient && isData(operand) &&
        (!type || type.getNumElements() == 1))
      collectAncestors(&block, operand, ops, [&](Operation *other) {
        return other->isBeforeInBlock(def);
      });
  return ops.contains(def);
}
