// SPDX-License-Identifier: Apache-2.0
//===- VerifyResults.cpp - what the step returns --------------------------===//
//
// The loss, gradients, updated parameters and states, buffers and outputs are
// what their attributes say.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

/// True where result `index` is placed as its attributes say.
bool GradientChecks::checkPlaced(unsigned index, StringRef what,
                                 StringRef resultName) {
  Value value = step.getTerminator()->getOperand(index);
  const RankState &found = states.get(value);
  auto type = cast<RankedTensorType>(value.getType());
  auto sharding =
      function.getResultAttrOfType<ShardingAttr>(index, attr::sharding);
  auto storage =
      function.getResultAttrOfType<ShardingAttr>(index, attr::storage);
  ShardingAttr placed = storage ? storage : sharding;
  RankState wanted;
  if (placed && int64_t(placed.getDims().size()) == type.getRank())
    wanted = states.getPlaced(placed, type);
  if (found.isZero)
    return true;
  for (unsigned axis = 0; axis < states.getAxes().getAxes().size(); ++axis) {
    AxisState have = found.get(axis), want = wanted.get(axis);
    if (want.kind == AxisState::Any || have.matches(want) ||
        (states.getInexact(found) >> axis & 1) ||
        (want.kind == AxisState::Split && have.isPlain() &&
         (what == "output" || states.repeats(value, want.dim))))
      continue;
    AxisSet bit = AxisSet(1) << axis;
    InFlightDiagnostic diag = error(value.getLoc());
    diag << "expected the " << what << " '" << resultName << "' to be "
         << (want.isPlain() ? "equal" : "split as stored") << " on "
         << name(bit) << ", but got "
         << (have.kind == AxisState::Partial ? "the terms of a sum"
             : have.kind == AxisState::Split ? "another chunk"
             : have.isPlain()                ? "a value that is equal"
                                             : "one that differs");
    Value cause = states.getCause(value, bit);
    diag.attachNote(cause.getLoc()) << explain(cause, bit);
    return false;
  }
  return true;
}

/// True where something summed over ranks goes into a value, element by
/// element.
bool GradientChecks::isMadeOfSum(Value value) const {
  Operation *op = value.getDefiningOp();
  if (states.get(value).sum >= 0)
    return true;
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!op || (generic ? generic.getNumReductionLoops() != 0
                      : !op->hasTrait<OpTrait::Elementwise>()))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isMadeOfSum(operand); });
}

/// What `op` multiplies by a constant, element by element, and by what.
static std::optional<std::pair<Value, Rational>>
getConstantScale(Operation *op) {
  Operation *inner = op;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (generic.getNumReductionLoops() || generic.getNumResults() != 1)
      return std::nullopt;
    inner = generic.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  }
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(inner))
    return std::nullopt;
  for (unsigned side : {1, 0}) {
    APFloat number(0.0f);
    Value other = inner->getOperand(1 - side);
    if (!matchPattern(inner->getOperand(side), m_ConstantFloat(&number)) ||
        (side == 0 && isa<arith::DivFOp>(inner)))
      continue;
    bool isLossy;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &isLossy);
    std::optional<Rational> factor =
        Rational::fromFloat(number.convertToDouble());
    if (factor && isa<arith::DivFOp>(inner))
      factor = Rational(1) / *factor;
    if (auto argument = dyn_cast<BlockArgument>(other); argument && inner != op)
      other = op->getOperand(argument.getArgNumber());
    if (factor)
      return std::pair(other, *factor);
  }
  return std::nullopt;
}

/// The loss is combined over just its axes, with its scale.
LogicalResult GradientChecks::checkLoss(unsigned index) {
  if (!checkPlaced(index, "loss", "loss") || !loss)
    return success(isValid);
  Value value = step.getTerminator()->getOperand(index);
  if (states.get(value).isOfGradients) {
    error(value.getLoc()) << "expected the loss, but got what gradients make";
    return failure();
  }
  const GradientSum *sum = states.getSum(states.get(value));
  AxisSet wanted = 0;
  bool haveAll = true;
  for (Attribute group : loss.getGroups()) {
    haveAll &= states.has(group);
    wanted |= states.getSet(group);
  }
  if (!haveAll || loss.getDivideBy() || states.get(value).isZero)
    return success();
  if (!sum && wanted && states.getAxes().getSize(wanted) > 1 &&
      !isMadeOfSum(value)) {
    error(value.getLoc()) << "expected the loss to be summed over "
                          << name(wanted);
    return failure();
  }
  if (!sum || sum->terms.size() != 1)
    return success();
  // Terms of a sum within the model are reduced with it.
  if (wanted & ~sum->reduced) {
    error(value.getLoc()) << "expected the loss to be combined over "
                          << name(wanted & ~sum->reduced);
    return failure();
  }
  Rational scale(1);
  if (loss.getMean())
    scale = *Rational::get(1, states.getAxes().getSize(wanted));
  auto accumulate =
      function->getParentOfType<ModuleOp>()->getAttrOfType<AccumulateAttr>(
          attr::accumulate);
  if (accumulate && accumulate.getMean())
    scale = *(scale / Rational(accumulate.getSteps()));
  ArrayRef<Rational> factors = sum->scales;
  if (sum->isScaled)
    factors = factors.take_front(1);
  Rational own = sum->terms.front().second;
  bool isRight = llvm::any_of(
      factors, [&](Rational factor) { return own * factor == scale; });
  // Arithmetic in front of the sum may be part of the loss, or of the mean.
  Value before = sum->terms.front().first;
  for (Rational factor(1); !isRight && !sum->isScaled && before;) {
    Operation *op = before.getDefiningOp();
    before = {};
    std::optional<std::pair<Value, Rational>> scaled =
        op ? getConstantScale(op) : std::nullopt;
    if (!scaled)
      break;
    factor = (factor * scaled->second).value_or(Rational(0));
    before = scaled->first;
    isRight = llvm::any_of(factors, [&](Rational behind) {
      return own * behind == scale / factor;
    });
  }
  if (!isRight) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << scale << ", but got " << own;
    error(sum->last ? sum->last->getLoc() : value.getLoc())
        << "expected the loss to be scaled by " << text;
  }
  return success(isValid);
}

/// The buffers that `value` is made of, element by element.
static void collectBuffers(Value value, func::FuncOp function,
                           llvm::StringSet<> &buffers,
                           DenseSet<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto name = argument.getOwner() == &function.front()
                    ? function.getArgAttrOfType<StringAttr>(
                          argument.getArgNumber(), attr::buffer)
                    : StringAttr();
    if (name)
      buffers.insert(name.getValue());
    return;
  }
  Operation *op = value.getDefiningOp();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool isElementwise = linalgOp ? !linalgOp.getNumReductionLoops()
                                : op->hasTrait<OpTrait::Elementwise>();
  if (seen.insert(op).second && isElementwise)
    for (Value operand : op->getOperands())
      collectBuffers(operand, function, buffers, seen);
}

/// A buffer that ranks combine is their mean, unless the module says otherwise.
void GradientChecks::checkBuffer(unsigned index) {
  StringRef buffer = step.getResultRole(index, attr::updated);
  if (!checkPlaced(index, "updated buffer", buffer))
    return;
  Value value = step.getTerminator()->getOperand(index);
  auto scale = value.getDefiningOp<ScaleOp>();
  auto scaled = scale ? scale.getInput().getDefiningOp<CollectiveOpInterface>()
                      : CollectiveOpInterface();
  if (scaled && scaled.getReductionKind().value_or(ReductionKind::Sum) !=
                    ReductionKind::Sum) {
    error(value.getLoc()) << "expected the updated buffer '" << buffer
                          << "' to be scaled behind a sum, but got "
                          << stringifyReductionKind(*scaled.getReductionKind());
    return;
  }
  const GradientSum *sum = states.getSum(states.get(value));
  // What ranks combine is the buffer's own next value.
  llvm::StringSet<> buffers;
  DenseSet<Operation *> seen;
  if (sum && sum->reduced && sum->terms.size() == 1)
    collectBuffers(sum->terms.front().first, function, buffers, seen);
  if (!buffers.empty() && !buffers.contains(buffer)) {
    error(value.getLoc()) << "expected the updated buffer '" << buffer
                          << "', but got that of '" << buffers.begin()->getKey()
                          << "'";
    return;
  }
  auto mode = function->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
      attr::buffers);
  if (!sum || !sum->reduced || sum->terms.size() != 1 ||
      (mode && mode != "mean"))
    return;
  Rational wanted = *Rational::get(1, states.getAxes().getSize(sum->reduced));
  Rational own = sum->terms.front().second;
  ArrayRef<Rational> factors = sum->scales;
  if (sum->isScaled)
    factors = factors.take_front(1);
  if (llvm::any_of(factors,
                   [&](Rational factor) { return own * factor == wanted; }))
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << wanted << ", but got " << own;
  error(value.getLoc()) << "expected the updated buffer '" << buffer
                        << "' to be scaled by " << text;
}

/// A gradient, or what an update made of it.
void GradientChecks::checkParameter(unsigned index, const Parameter &parameter,
                                    StringRef role) {
  if (reported.contains(parameter.name) || isElsewhere(parameter))
    return;
  Value value = step.getTerminator()->getOperand(index);
  const RankState &state = states.get(value);
  auto isPart = [&](LocalGradOp marker) {
    return state.sum >= 0 || state.from != -1 ||
           states.get(marker.getInput()).isZero;
  };
  if (role == attr::grad && !parameter.markers.empty() &&
      llvm::none_of(parameter.markers, isPart)) {
    InFlightDiagnostic diag = error(value.getLoc())
                              << "expected the gradient of '" << parameter.name
                              << "', but got what it is no part of";
    diag.attachNote(LocalGradOp(parameter.markers.front()).getLoc())
        << "it is marked here";
    reported.insert(parameter.name);
    return;
  }
  if (state.sum >= 0) {
    // A result may say that it is a term.
    AxisSet declared =
        states.getSets(step.getResultSharding(index).getPartial());
    check(parameter, value, state, value.getLoc(), role == attr::grad,
          declared);
  }
  if (reported.contains(parameter.name))
    return;
  int64_t other = state.from;
  if (role != attr::grad && state.sum < 0 && other != -1 &&
      other != int64_t(parameter.argument)) {
    InFlightDiagnostic diag = error(value.getLoc())
                              << "expected '" << parameter.name
                              << "' to be updated by its gradient";
    if (other >= 0)
      diag << ", but got that of '" << step.getArgRole(other, attr::param)
           << "'";
    else
      diag << ", but got those of several parameters";
    reported.insert(parameter.name);
    return;
  }
  if (!checkPlaced(index,
                   role == attr::grad           ? "gradient"
                   : role == attr::updatedState ? "updated state"
                                                : "updated parameter",
                   parameter.name))
    reported.insert(parameter.name);
}

LogicalResult GradientChecks::checkResults() {
  llvm::StringMap<const GradientSum *> used;
  for (const RankEvent &event : states.getEvents())
    if (event.kind == RankEvent::Use)
      for (auto &[value, scale] : states.getSum(event.state)->terms)
        if (auto marker = value.getDefiningOp<LocalGradOp>())
          used.try_emplace(marker.getParam(), states.getSum(event.state));
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (function.getResultAttr(i, attr::loss)) {
      if (failed(checkLoss(i)))
        return failure();
      continue;
    }
    bool isParameter = false;
    for (StringRef role : {attr::grad, attr::updated, attr::updatedState}) {
      if (!function.getResultAttr(i, role))
        continue;
      StringRef text = step.getResultRole(i, role);
      const Parameter *parameter =
          step.lookup(role == attr::updatedState ? getStateParam(text) : text);
      if (!parameter)
        continue;
      isParameter = true;
      checkParameter(i, *parameter, role);
      const RankState &state = states.get(step.getTerminator()->getOperand(i));
      const GradientSum *sum = states.getSum(state);
      if (role != attr::updatedState)
        addRow(*parameter, sum ? sum : used.lookup(parameter->name));
    }
    if (isParameter)
      continue;
    if (function.getResultAttr(i, attr::updated))
      checkBuffer(i);
    else
      checkPlaced(i, "output", step.getResultRole(i, attr::output));
  }
  return success(isValid);
}
