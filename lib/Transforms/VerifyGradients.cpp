// SPDX-License-Identifier: Apache-2.0
//===- VerifyGradients.cpp - every gradient is summed once, with its scale ===//
//
// Interprets the step (see RankStates.h), then asks of what came out what the
// boundary says: the loss, gradients, updated parameters and states, outputs
// are placed as their attributes say; wherever a gradient is used all its terms
// are in it, once, with the scale that the loss gives; and each collective got
// what it is for.
//
// What is unknown is no error by itself, only where something is asked of it.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ToolOutputFile.h"

namespace fsdp {
#define GEN_PASS_DEF_VERIFYGRADIENTSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct VerifyGradientsPass
    : public fsdp::impl::VerifyGradientsPassBase<VerifyGradientsPass> {
  using VerifyGradientsPassBase::VerifyGradientsPassBase;

  void runOnOperation() override {
    // Nothing changes, so nothing has to be verified again behind it.
    markAllAnalysesPreserved();
    if (!Step::exists(getOperation()))
      return;
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    // Gradients that nobody marked are marked where they are first summed, in
    // a copy.
    OwningOpRef<ModuleOp> marked = markGradients(*step);
    if (marked)
      step = Step::get(*marked);
    Verdict result;
    bool isValid = true;
    for (unsigned family = 0;; ++family) {
      auto states = RankStates::run(step->getFunction(), family);
      if (failed(states))
        break;
      isValid &= succeeded(check(*step, **states, result, family));
    }
    if (!isValid)
      return signalPassFailure();
    if (verdict)
      result.print(llvm::errs());
    if (!json.empty() && failed(writeJson(result)))
      return signalPassFailure();
  }

  LogicalResult check(const Step &step, RankStates &states, Verdict &result,
                      unsigned family);
  LogicalResult writeJson(const Verdict &result);
};

/// The checks in terms of one family of process groups.
class GradientChecks {
public:
  GradientChecks(const Step &step, RankStates &states, Verdict &verdict)
      : step(step), function(step.getFunction()), states(states),
        verdict(verdict), loss(step.getLoss()) {}

  LogicalResult checkStorage();
  LogicalResult checkCollectives();
  LogicalResult checkUses();
  LogicalResult checkResults();
  void addAssumptions();

private:
  void check(const Parameter &parameter, Value value, const RankState &state,
             Location loc, bool isScaleFixed, AxisSet declared = 0);
  bool checkGradientPlaced(const Parameter &parameter, Value value,
                           Location loc);
  LogicalResult checkSum(const Parameter &parameter, const GradientSum &sum,
                         Location loc);
  bool isElsewhere(const Parameter &parameter);
  LogicalResult checkTrips(const Parameter &parameter, LocalGradOp marker);
  bool checkPlaced(unsigned index, StringRef what, StringRef name);
  LogicalResult checkLoss(unsigned index);
  bool isMadeOfSum(Value value) const;
  void checkBuffer(unsigned index);
  void checkParameter(unsigned index, const Parameter &parameter,
                      StringRef role);
  void addRow(const Parameter &parameter, const GradientSum *sum);
  std::optional<Rational> getWanted(const Parameter &parameter);
  std::string explain(Value cause, AxisSet axes) const;
  std::string name(AxisSet axes) const {
    return nameAxes(function->getParentOfType<ModuleOp>(), states, axes);
  }
  InFlightDiagnostic error(Location loc) {
    isValid = false;
    return emitError(loc);
  }

  const Step &step;
  func::FuncOp function;
  RankStates &states;
  Verdict &verdict;
  LossAttr loss;
  llvm::StringSet<> reported, shown;
  bool isValid = true;
};
} // namespace

LogicalResult VerifyGradientsPass::check(const Step &step, RankStates &states,
                                         Verdict &result, unsigned family) {
  GradientChecks checks(step, states, result);
  // Before a step is sharded nothing is summed.
  auto stage = getOperation()->getAttrOfType<StringAttr>(attr::stage);
  bool isSharded = !stage || (stage != "imported" && stage != "annotated");
  // A wrong collective explains what it leads to.
  if (failed(checks.checkStorage()) || failed(checks.checkCollectives()) ||
      failed(verifyModelCollectives(step, states)))
    return failure();
  if (!isSharded)
    return success();
  if (failed(verifyShards(step)) || failed(checks.checkUses()) ||
      failed(checks.checkResults()) || failed(verifyTypes(step, states)))
    return failure();
  if (!family)
    checks.addAssumptions();
  return success();
}

LogicalResult VerifyGradientsPass::writeJson(const Verdict &result) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(json, &message);
  if (!file)
    return emitError(getOperation().getLoc()) << message;
  result.writeJson(file->os());
  file->keep();
  return success();
}

/// A unit splits the storage of what is equal there, never of what differs.
LogicalResult GradientChecks::checkStorage() {
  for (const Parameter &parameter : step.getParameters()) {
    auto storage = function.getArgAttrOfType<ShardingAttr>(parameter.argument,
                                                           attr::storage);
    if (!storage)
      continue;
    ShardingAttr compute = step.getArgSharding(parameter.argument);
    AxisSet varying = 0, stored = 0;
    for (Attribute group : compute.getVarying())
      varying |= states.has(group) ? states.getSet(group) : 0;
    for (Attribute dim : storage.getDims())
      for (Attribute group : cast<ArrayAttr>(dim))
        stored |= states.has(group) ? states.getSet(group) : 0;
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

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

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
    std::string text = describe(event, name(event.axes), states);
    // A count that divides the loss may be the same on all ranks.
    if (event.kind == RankEvent::SumOfEqual && loss && loss.getDivideBy() &&
        !event.state.isOfGradients)
      continue;
    if (text.empty() || (event.axes & states.getInexact()) ||
        !seen.insert({event.op, event.operand}).second)
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

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// The scale that the loss gives to every gradient; nothing where a count that
/// is known at run time only is part of it.
std::optional<Rational> GradientChecks::getWanted(const Parameter &parameter) {
  auto module = function->getParentOfType<ModuleOp>();
  Rational wanted(1);
  auto unitName = function.getArgAttrOfType<FlatSymbolRefAttr>(
      parameter.argument, attr::unit);
  auto unit =
      unitName ? SymbolTable::lookupNearestSymbolFrom<UnitOp>(module, unitName)
               : UnitOp();
  if (unit && unit.getGradientDivideFactor()) {
    std::optional<Rational> factor =
        Rational::fromFloat(unit.getGradientDivideFactor()->convertToDouble());
    return factor ? Rational(1) / *factor : std::nullopt;
  }
  // The counts of all micro-batches divide, not their number.
  if (loss && loss.getDivideBy() && module->hasAttr(attr::accumulate))
    return std::nullopt;
  if (loss && loss.getMean()) {
    int64_t ranks = 1;
    for (Attribute group : loss.getGroups())
      if (ClassesAttr classes =
              lookupClasses(function, cast<FlatSymbolRefAttr>(group)))
        ranks *= classes.getSize();
    AxisSet set = 0;
    bool haveAll = true;
    for (Attribute group : loss.getGroups()) {
      haveAll &= states.has(group);
      set |= states.getSet(group);
    }
    // Groups of a mean may overlap.
    wanted = *Rational::get(1, haveAll ? states.getAxes().getSize(set) : ranks);
  }
  auto accumulate = module->getAttrOfType<AccumulateAttr>(attr::accumulate);
  if (accumulate && accumulate.getMean())
    return wanted / Rational(accumulate.getSteps());
  return wanted;
}

/// All markers of the parameter, each once, with one scale.
LogicalResult GradientChecks::checkSum(const Parameter &parameter,
                                       const GradientSum &sum, Location loc) {
  std::optional<Rational> wanted = getWanted(parameter);
  // Multiplied by a count and divided by another one, it is no known sum.
  if (loss && loss.getDivideBy() && llvm::none_of(sum.terms, [](auto &term) {
        return term.first.template getDefiningOp<LocalGradOp>();
      }))
    return success();
  for (auto &[value, scale] : sum.terms)
    if (auto marker = value.getDefiningOp<LocalGradOp>();
        marker && marker.getParam() != parameter.name) {
      InFlightDiagnostic diag =
          error(loc) << "expected the gradient of '" << parameter.name
                     << "', but got that of '" << marker.getParam() << "'";
      diag.attachNote(marker.getLoc()) << "which is marked here";
      return diag;
    }
  for (LocalGradOp marker : parameter.markers) {
    auto term = llvm::find_if(
        sum.terms, [&](auto &t) { return t.first == marker.getResult(); });
    if (term == sum.terms.end()) {
      InFlightDiagnostic diag = error(loc) << "expected all gradients of '"
                                           << parameter.name << "', but got "
                                           << sum.terms.size() << " of "
                                           << parameter.markers.size();
      diag.attachNote(marker.getLoc()) << "this one is missing";
      return diag;
    }
    bool isInLoop = !isa<func::FuncOp>(marker->getParentOp());
    if (isInLoop && (!sum.isAccumulated || sum.isLast)) {
      InFlightDiagnostic diag =
          error(loc) << "expected the sum of all iterations' gradients of '"
                     << parameter.name << "', but got the last one's";
      diag.attachNote(marker.getLoc()) << "which are marked here";
      return diag;
    }
    ArrayRef<Rational> scales = sum.scales;
    if (sum.isScaled)
      scales = scales.take_front(1);
    // Where chunks of one row may have been read wrongly so may sums.
    bool isRight = !wanted || (sum.counted && states.getInexact()) ||
                   llvm::any_of(scales, [&](Rational factor) {
      return term->second * factor == *wanted;
    });
    if (!isRight) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << *wanted << ", but got " << term->second;
      Operation *at = sum.counted ? sum.counted : sum.last;
      InFlightDiagnostic diag = error(at ? at->getLoc() : loc)
                                << "expected the gradient of '"
                                << parameter.name << "' to be scaled by "
                                << text;
      if (sum.counted)
        diag << ", since a value that is equal on ranks is summed over them";
      diag.attachNote(loc) << "it is used here";
      return diag;
    }
    if (failed(checkTrips(parameter, marker)))
      return failure();
  }
  return success();
}

/// A loop that holds a marker runs once for every micro-batch.
LogicalResult GradientChecks::checkTrips(const Parameter &parameter,
                                         LocalGradOp marker) {
  auto loop = dyn_cast<scf::ForOp>(marker->getParentOp());
  auto accumulate =
      function->getParentOfType<ModuleOp>()->getAttrOfType<AccumulateAttr>(
          attr::accumulate);
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
  if (!accumulate || !trips || trips->getSExtValue() == accumulate.getSteps())
    return success();
  InFlightDiagnostic diag = error(loop.getLoc())
                            << "expected " << accumulate.getSteps()
                            << " micro-batches, but got "
                            << trips->getSExtValue();
  diag.attachNote(marker.getLoc())
      << "the gradient of '" << parameter.name << "' is marked here";
  return diag;
}

/// True where a value is neither equal, split nor a term on one of `axes`.
static bool isUnknown(const RankState &state, AxisSet axes) {
  for (; axes; axes &= axes - 1)
    if (AxisState own = state.get(llvm::countr_zero(axes));
        own.kind == AxisState::Any || own.kind == AxisState::Mixed)
      return true;
  return false;
}

/// True for a parameter that is placed over groups of another family, in whose
/// terms it is checked.
bool GradientChecks::isElsewhere(const Parameter &parameter) {
  for (StringRef name : {attr::sharding, attr::storage})
    if (auto placed =
            function.getArgAttrOfType<ShardingAttr>(parameter.argument, name))
      if (llvm::any_of(placed.getGroups(), [&](FlatSymbolRefAttr group) {
            ClassesAttr classes = lookupClasses(function, group);
            return !states.has(group) && classes && classes.getSize() > 1;
          }))
        return true;
  return false;
}

/// Reports, once a parameter, what is wrong with its gradient where it is used.
void GradientChecks::check(const Parameter &parameter, Value value,
                           const RankState &state, Location loc,
                           bool isScaleFixed, AxisSet declared) {
  if (reported.contains(parameter.name) || state.isZero ||
      isElsewhere(parameter))
    return;
  AxisSet partial = 0, mixed = 0;
  for (unsigned axis = 0; axis < states.getAxes().getAxes().size(); ++axis) {
    if (states.getInexact() >> axis & 1)
      continue;
    if (state.get(axis).kind == AxisState::Partial)
      partial |= AxisSet(1) << axis;
    if (state.get(axis).kind == AxisState::Mixed)
      mixed |= AxisSet(1) << axis;
  }
  const GradientSum *sum = states.getSum(state);
  auto sharding = function.getArgAttrOfType<ShardingAttr>(parameter.argument,
                                                          attr::sharding);
  AxisSet varying = 0;
  if (sharding)
    for (Attribute group : sharding.getVarying())
      varying |= states.has(group) ? states.getSet(group) : 0;
  partial &= ~declared;
  if (partial) {
    std::string over = name(partial);
    InFlightDiagnostic diag =
        error(loc) << "expected the gradient of '" << parameter.name
                   << "' to be summed over " << over
                   << " before it is used, but got the terms of the ranks";
    if (!parameter.markers.empty())
      diag.attachNote(LocalGradOp(parameter.markers.front()).getLoc())
          << "marked here; 'fsdp.all_reduce sum' over " << over
          << ", or 'fsdp.reduce_scatter', is missing";
    reported.insert(parameter.name);
  } else if (AxisSet unknown =
                 (state.getAny() | mixed) & ~varying & ~states.getInexact()) {
    // Back along the gradient, to what made it so.
    Value cause = value;
    for (bool isFirst = false; !isFirst;) {
      isFirst = true;
      if (Operation *op = cause.getDefiningOp())
        for (Value operand : op->getOperands())
          if (const RankState &own = states.get(operand);
              own.sum >= 0 && isUnknown(own, unknown)) {
            cause = operand;
            isFirst = false;
            break;
          }
    }
    InFlightDiagnostic diag = error(cause.getLoc())
                              << "expected the gradient of '" << parameter.name
                              << "' to be summed over " << name(unknown)
                              << ", but here it meets what is not";
    diag.attachNote(loc) << "it is used here";
    if (sum && sum->last)
      diag.attachNote(sum->last->getLoc()) << "synchronised last here";
    reported.insert(parameter.name);
  } else if (isScaleFixed &&
             (!checkGradientPlaced(parameter, value, loc) ||
              (sum && failed(checkSum(parameter, *sum, loc))))) {
    reported.insert(parameter.name);
  }
}

/// True where a gradient of the parameter's own type is placed as it is.
bool GradientChecks::checkGradientPlaced(const Parameter &parameter,
                                         Value value, Location loc) {
  Value argument = function.getArgument(parameter.argument);
  auto getShape = [](Value of) {
    return cast<ShapedType>(of.getType()).getShape();
  };
  if (getShape(argument) != getShape(value))
    return true;
  const RankState &have = states.get(value), &want = states.get(argument);
  for (unsigned axis = 0; axis < states.getAxes().getAxes().size(); ++axis) {
    AxisState found = have.get(axis), wanted = want.get(axis);
    if (found.matches(wanted) || wanted.kind == AxisState::Any ||
        (states.getInexact() >> axis & 1) ||
        (wanted.kind == AxisState::Split && found.isPlain() &&
         states.repeats(value, wanted.dim)))
      continue;
    InFlightDiagnostic diag = error(loc);
    diag << "expected the gradient of '" << parameter.name << "' to be "
         << (wanted.isPlain() ? "equal" : "split as it is stored") << " on "
         << name(AxisSet(1) << axis) << ", but got "
         << (found.isPlain() ? "the same on all ranks" : "other chunks");
    if (const GradientSum *sum = states.getSum(have); sum && sum->last)
      diag.attachNote(sum->last->getLoc()) << "synchronised last here";
    return false;
  }
  return true;
}

/// Wherever a gradient meets something that is none.
LogicalResult GradientChecks::checkUses() {
  for (const RankEvent &event : states.getEvents()) {
    if (event.kind != RankEvent::Use)
      continue;
    const GradientSum *sum = states.getSum(event.state);
    const Parameter *parameter = nullptr;
    for (auto &[value, scale] : sum->terms)
      if (auto marker = value.getDefiningOp<LocalGradOp>())
        parameter = step.lookup(marker.getParam());
    if (!parameter)
      continue;
    // A norm takes all gradients at whatever scale they have.
    bool isUpdate = event.op->getNumResults() &&
                    states.get(event.op->getResult(0)).from != -1;
    check(*parameter, event.op->getOperand(event.operand), event.state,
          event.op->getLoc(), isUpdate);
  }
  return success(isValid);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

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
        (states.getInexact() >> axis & 1) ||
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

/// A buffer that ranks combine is their mean, unless the module says otherwise.
void GradientChecks::checkBuffer(unsigned index) {
  StringRef buffer = step.getResultRole(index, attr::updated);
  if (!checkPlaced(index, "updated buffer", buffer))
    return;
  Value value = step.getTerminator()->getOperand(index);
  const GradientSum *sum = states.getSum(states.get(value));
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
    AxisSet declared = 0;
    for (Attribute group : step.getResultSharding(index).getPartial())
      declared |= states.has(group) ? states.getSet(group) : 0;
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

//===----------------------------------------------------------------------===//
// Verdict
//===----------------------------------------------------------------------===//

template <typename T> static std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Where something stands in a file, else by which names.
static std::string printLoc(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return file.getFilename().str() + ":" + std::to_string(file.getLine());
  std::string text = print(loc);
  StringRef names = text;
  return names.consume_front("loc(") && names.consume_back(")") ? names.str()
                                                                : text;
}

void GradientChecks::addRow(const Parameter &parameter,
                            const GradientSum *sum) {
  if (!shown.insert(parameter.name).second)
    return;
  auto storage = function.getArgAttrOfType<ShardingAttr>(parameter.argument,
                                                         attr::storage);
  ShardingAttr placed =
      storage ? storage : step.getArgSharding(parameter.argument);
  VerdictRow row{parameter.name.str(), print(placed), "-", "-", "-"};
  if (sum) {
    row.reduced = sum->reduced ? name(sum->reduced) : "nothing";
    for (auto &[value, scale] : sum->terms)
      if (value.getDefiningOp<LocalGradOp>())
        row.scale = print(scale);
    if (sum->last)
      row.where = printLoc(sum->last->getLoc());
  }
  verdict.rows.push_back(row);
}

void GradientChecks::addAssumptions() {
  unsigned equal = 0, markers = 0, opaque = 0;
  for (BlockArgument argument : function.getArguments())
    equal += !states.getDiffering(argument);
  for (const Parameter &parameter : step.getParameters())
    markers += parameter.markers.size();
  function.walk([&](Operation *op) { opaque += op->hasAttr(attr::rule); });
  auto add = [&](unsigned count, StringRef text) {
    if (count)
      verdict.assumptions.push_back(std::to_string(count) + " " + text.str());
  };
  add(equal, "arguments that are replicated are equal on all ranks");
  add(markers, "marked gradients are the derivatives of the rank's loss");
  add(opaque, "opaque ops do what their rule says");
  if (AxisSet inexact = states.getInexact())
    verdict.assumptions.push_back(
        "nothing is wrong on " + name(inexact) +
        ", where chunks of one row can be read in more than one way");
}
