// SPDX-License-Identifier: Apache-2.0
//===- VerifyUses.cpp - a gradient is whole wherever it is used -----------===//
//
// All its terms, once, with the scale that the loss gives.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fsdp;

/// The scale that the loss gives to every gradient; nothing where a count that
/// is known at run time only is part of it.
std::optional<Rational> GradientChecks::getWanted(const Parameter &parameter) {
  auto unit = function.getArgAttrOfType<FlatSymbolRefAttr>(parameter.argument,
                                                           attr::unit);
  auto [it, isNew] = ofUnits.try_emplace(unit);
  if (isNew)
    it->second = computeWanted(unit);
  return it->second;
}

std::optional<Rational>
GradientChecks::computeWanted(FlatSymbolRefAttr unitName) {
  auto module = function->getParentOfType<ModuleOp>();
  Rational wanted(1);
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
            if (states.isOrdered(group))
              return false;
            ClassesAttr classes = lookupClasses(function, group);
            return classes && classes.getSize() > 1;
          }))
        return true;
  return false;
}

void GradientChecks::check(const Parameter &parameter, Value value,
                           const RankState &state, Location loc,
                           bool isScaleFixed, AxisSet declared) {
  if (reported.contains(parameter.name) || state.isZero ||
      isElsewhere(parameter))
    return;
  AxisSet partial = 0, mixed = 0;
  for (unsigned axis = 0; axis < states.getAxes().getAxes().size(); ++axis) {
    if (states.getInexact(state) >> axis & 1)
      continue;
    if (state.get(axis).kind == AxisState::Partial)
      partial |= AxisSet(1) << axis;
    if (state.get(axis).kind == AxisState::Mixed)
      mixed |= AxisSet(1) << axis;
  }
  const GradientSum *sum = states.getSum(state);
  auto sharding = function.getArgAttrOfType<ShardingAttr>(parameter.argument,
                                                          attr::sharding);
  AxisSet varying = sharding ? states.getSets(sharding.getVarying()) : 0;
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
  } else if (AxisSet unknown = (state.getAny() | mixed) & ~varying &
                               ~states.getInexact(state)) {
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

/// True where `value` has the chunks of a group that does not go with those
/// that are followed: they are no chunks of these.
static bool isScatteredElsewhere(const RankStates &states, Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<ScaleOp, AllReduceOp>(op) && op->getNumOperands() == 1)
    op = op->getOperand(0).getDefiningOp();
  auto scatter = dyn_cast_if_present<ReduceScatterOp>(op);
  return scatter && !states.isOrdered(scatter.getGroupRef());
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
    bool isWhole = wanted.kind == AxisState::Split && found.isPlain();
    if (found.matches(wanted) || wanted.kind == AxisState::Any ||
        (isWhole && states.repeats(value, wanted.dim)))
      continue;
    bool isElsewhere = isWhole && isScatteredElsewhere(states, value);
    if (!isElsewhere && (states.getInexact(have) >> axis & 1))
      continue;
    InFlightDiagnostic diag = error(loc);
    diag << "expected the gradient of '" << parameter.name << "' to be "
         << (wanted.isPlain() ? "equal" : "split as it is stored") << " on "
         << name(AxisSet(1) << axis) << ", but got "
         << (found.isPlain() && !isElsewhere ? "the same on all ranks"
                                             : "other chunks");
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
