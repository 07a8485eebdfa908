// SPDX-License-Identifier: Apache-2.0
//===- VerifyEvents.cpp - each collective gets what it is for -------------===//
//
// What the interpreter recorded on its way, as errors; and the storage that
// units choose.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"

using namespace mlir;
using namespace fsdp;

/// A unit splits the storage of what is equal there, never of what differs.
LogicalResult GradientChecks::checkStorage() {
  for (const Parameter &parameter : step.getParameters()) {
    auto storage = function.getArgAttrOfType<ShardingAttr>(parameter.argument,
                                                           attr::storage);
    if (!storage)
      continue;
    ShardingAttr compute = step.getArgSharding(parameter.argument);
    AxisSet varying = states.getSets(compute.getVarying()), stored = 0;
    for (Attribute dim : storage.getDims())
      stored |= states.getSets(cast<ArrayAttr>(dim));
    if (!(varying & stored))
      continue;
    AxisSet rest = states.getAxes().getWorld() & ~varying;
    InFlightDiagnostic diag =
        error(function.getArgument(parameter.argument).getLoc())
        << "expected the storage of '" << parameter.name
        << "' to be split where it is equal, but it differs on "
        << name(varying & stored);
    if (rest)
      diag << "; " << name(rest) << " would be right";
  }
  return success(isValid);
}

/// What is wrong with an operand, as the end of a sentence; nothing where only
/// what follows from it can be wrong.
static std::string describe(const RankEvent &event, StringRef group,
                            const RankStates &states) {
  std::string over = (" on " + group).str();
  auto size = std::to_string(states.getAxes().getSize(event.axes));
  switch (event.kind) {
  case RankEvent::SumOfEqual:
    return "expected terms of a sum" + over +
           ", but got a value that is equal on its ranks, which would be "
           "counted " +
           size + " times";
  case RankEvent::SumOfSplit:
    return "expected terms of a sum" + over +
           ", but got different chunks of one value";
  case RankEvent::SumOfMixed:
    return "expected terms of a sum" + over +
           ", but got what is none: terms to which something equal was added, "
           "or "
           "to which something was done that is not linear";
  case RankEvent::Distinct:
    return "expected ranks that hold the same parameter" + over +
           ", but each holds another one";
  case RankEvent::Incompatible:
    return "expected a group that goes with those that the value is split over"
           ", but got one that does not" +
           over;
  case RankEvent::ScaledOther:
    return "expected a gradient, a loss or a buffer to be scaled, but got what "
           "was made of gradients";
  case RankEvent::Factor:
    return "expected a gradient to be multiplied by a number that is equal" +
           over + ", but got one that differs";
  case RankEvent::OtherSum:
    return "expected terms of this reduction" + over +
           ", but got those of another one";
  case RankEvent::GatherEqual:
    return "expected chunks of one value" + over +
           ", but got a value that is equal on its ranks";
  case RankEvent::GatherOther:
    return "expected the chunks" + over +
           " to be those of this dimension, in this order, but they are not";
  case RankEvent::GatherPartial:
    return "expected chunks of one value" + over +
           ", but got terms of a sum that is not done";
  case RankEvent::SlicePartial:
    return "expected a whole value" + over +
           ", but got terms of a sum, of which the other ranks' would be lost";
  case RankEvent::SliceOther:
    return "expected a whole value" + over + ", but got a chunk of one";
  case RankEvent::BroadcastSplit:
    return "expected a value that may be equal" + over +
           ", but got one of which each rank has its own part";
  case RankEvent::Drift:
    return "expected a gradient that is equal or a sum" + over +
           ", as parameter and loss are equal there, but got one that differs: "
           "replicas would drift";
  case RankEvent::MarkedOther:
    return "expected a gradient that is placed as its parameter" + over +
           ", but got one that differs in another way";
  default:
    return {};
  }
}

/// What happens at the value at which something began.
std::string GradientChecks::explain(Value cause, AxisSet axes) const {
  Operation *op = cause.getDefiningOp();
  AxisSet partial = 0;
  if (op && !isa<LocalGradOp>(op))
    for (Value operand : op->getOperands())
      for (unsigned axis = 0; axis < states.getAxes().getAxes().size(); ++axis)
        if (axes >> axis & 1 && !states.get(operand).isZero &&
            states.get(operand).get(axis).kind == AxisState::Partial)
          partial |= AxisSet(1) << axis;
  for (Value result : op ? op->getResults() : ResultRange(nullptr, 0))
    for (unsigned axis = 0; axis < states.getAxes().getAxes().size(); ++axis)
      if (states.get(result).get(axis).kind == AxisState::Partial)
        partial &= ~(AxisSet(1) << axis);
  if (partial)
    return "here terms of a sum over " + name(partial) +
           " meet what is none: the sum is not done";
  return "the value comes from here";
}

LogicalResult GradientChecks::checkCollectives() {
  DenseSet<std::pair<Operation *, unsigned>> seen;
  for (const RankEvent &event : states.getEvents()) {
    // A count that divides the loss may be the same on all ranks.
    if (event.kind == RankEvent::Use ||
        (event.axes & states.getInexact(event.state)) ||
        (event.kind == RankEvent::SumOfEqual && loss && loss.getDivideBy() &&
         !event.state.isOfGradients))
      continue;
    std::string text = describe(event, name(event.axes), states);
    if (text.empty() || !seen.insert({event.op, event.operand}).second)
      continue;
    InFlightDiagnostic diag = error(event.op->getLoc());
    if (auto marker = dyn_cast<LocalGradOp>(event.op))
      diag << "gradient of '" << marker.getParam() << "': ";
    else
      diag << "'" << event.op->getName() << "': ";
    diag << text;
    if (event.kind == RankEvent::Distinct) {
      int64_t held = states.getParameter(event.state);
      if (held >= 0)
        diag.attachNote(function.getArgument(held).getLoc())
            << "it is placed here";
      continue;
    }
    Value operand = event.op->getOperand(event.operand);
    Value cause = states.getCause(operand, event.axes);
    diag.attachNote(cause.getLoc()) << explain(cause, event.axes);
  }
  return success(isValid);
}
