// SPDX-License-Identifier: Apache-2.0
//===- VerifyModel.cpp - collectives of the model, and all their types ----===//
#include "VerifyGradients.h"
#include "fsdp/Analysis/Phases.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace fsdp;

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// All ops, at any depth, that markers need.
static DenseSet<Operation *> getGradientPath(const Step &step) {
  DenseSet<Operation *> path;
  for (const Parameter &parameter : step.getParameters())
    for (LocalGradOp marker : parameter.markers)
      collectAncestors(marker->getBlock(), marker.getInput(), path,
                       [](Operation *op) { return isa<LocalGradOp>(op); });
  return path;
}

/// True where `op` or what it is nested in is on the path.
static bool isIn(const DenseSet<Operation *> &path, Operation *op) {
  while (op && !path.contains(op))
    op = op->getParentOp();
  return op != nullptr;
}

/// The results that are made of what `op` computes, if that is plain to see and
/// no marker is: most of what is no part of the model is near its end.
static std::optional<SmallVector<unsigned>> getResultsOf(Operation *op,
                                                         const Step &step) {
  SmallVector<unsigned> results;
  SmallVector<Operation *> left = {op};
  for (unsigned i = 0; i < left.size(); ++i) {
    if (left.size() > 32 || isa<LocalGradOp>(left[i]) ||
        left[i]->getBlock() != step.getTerminator()->getBlock())
      return std::nullopt;
    for (OpOperand &use : left[i]->getUses())
      if (use.getOwner() == step.getTerminator())
        results.push_back(use.getOperandNumber());
      else
        left.push_back(use.getOwner());
  }
  return results;
}

/// True where `op` needs a parameter, so that a gradient flows through it.
static bool isOfParameters(Operation *op, const Step &step) {
  bool isFound = false;
  auto look = [&](Operation *at) {
    for (Value operand : at->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == &step.getFunction().front())
        isFound |=
            !step.getArgRole(argument.getArgNumber(), attr::param).empty();
    return isFound;
  };
  DenseSet<Operation *> ops;
  if (!look(op))
    collectAncestors(op->getBlock(), op->getOperands(), ops, look);
  return isFound;
}

/// What joins values that differ has a counterpart in the other direction.
static LogicalResult checkCounterparts(const Step &step,
                                       const RankStates &states,
                                       ArrayRef<const RankEvent *> joins,
                                       ArrayRef<CollectiveOpInterface> all,
                                       const DenseSet<Operation *> &path) {
  // What each collective's transpose is: a sum and an exchange are their own, a
  // gather's is the sum that scatters.
  struct Count {
    SmallVector<Operation *> forward, backward;
  };
  std::map<std::pair<AxisSet, CollectiveKind>, Count> counts;
  Phases phases(step);
  for (const RankEvent *event : joins) {
    auto collective = cast<CollectiveOpInterface>(event->op);
    auto reduction = collective.getReductionKind();
    if (!isIn(path, event->op) ||
        (reduction && *reduction != ReductionKind::Sum))
      continue;
    bool isBackward = phases.get(event->op) == Phase::Backward;
    // Keyed by what stands in forward: a gather, an exchange, or a sum.
    CollectiveKind kind = collective.getKind();
    bool isExchange = kind == CollectiveKind::AllToAll;
    if (isExchange && !isBackward && !isOfParameters(event->op, step))
      continue;
    if (!isExchange)
      kind = (isBackward ? kind == CollectiveKind::ReduceScatter
                         : event->kind == RankEvent::GatherAny)
                 ? CollectiveKind::AllGather
                 : CollectiveKind::AllReduce;
    Count &count = counts[{event->axes, kind}];
    (isBackward ? count.backward : count.forward).push_back(event->op);
  }
  // Of all exchanges by their axes: how many forward and backward have.
  std::map<AxisSet, std::array<size_t, 2>> exchanges;
  for (CollectiveOpInterface op : all)
    if (op.getKind() == CollectiveKind::AllToAll &&
        states.has(op.getGroupRef()) && isIn(path, op))
      ++exchanges[states.getSet(op.getGroupRef())]
                 [phases.get(op) == Phase::Backward];
  for (auto &[key, count] : counts) {
    size_t forward = count.forward.size(), backward = count.backward.size();
    bool isLacking = true;
    // The counterpart of an exchange may be one of chunks that are known; what
    // backward alone exchanges is wrong where another one is missed.
    if (key.second == CollectiveKind::AllToAll) {
      forward = backward = isLacking = 0;
      for (auto &[set, found] : exchanges) {
        forward += set & key.first ? found[0] : 0;
        backward += set & key.first ? found[1] : 0;
        isLacking |= found[0] > found[1];
      }
    }
    // Backward may also compute forward again.
    bool isMissing = backward < count.forward.size();
    if (!isMissing && (forward || count.backward.empty() || !isLacking))
      continue;
    Operation *op = (isMissing ? count.forward : count.backward).front();
    std::string group =
        nameAxes(op->getParentOfType<ModuleOp>(), states, key.first);
    InFlightDiagnostic diag = op->emitError();
    diag << "expected a counterpart over " << group << " in "
         << (isMissing ? "backward" : "forward")
         << " of what joins values that differ on its ranks, but got none";
    diag.attachNote(step.getFunction().getLoc())
        << "the derivative of a sum over ranks is a sum over the same ranks";
    return diag;
  }
  return success();
}

/// True where a marker has as many copies of one term as a split parameter's
/// ranks sum for the loss: the loss divides by them, the gradient has just one.
static bool countsCopies(ScaleOp scale, const Step &step,
                         const RankStates &states, AxisSet ofLoss) {
  const RankState &state = states.get(scale.getInput());
  AxisSet same = ofLoss & ~state.getAny();
  for (unsigned axis = 0; axis < states.getAxes().getAxes().size(); ++axis)
    if (state.get(axis).kind == AxisState::Partial)
      same &= ~(AxisSet(1) << axis);
  return scale.getDenominator() == 1 &&
         llvm::all_of(scale->getUsers(), [&](Operation *user) {
           auto marker = dyn_cast<LocalGradOp>(user);
           auto parameter = marker ? step.lookup(marker.getParam()) : nullptr;
           if (!parameter)
             return false;
           AxisSet split = 0;
           for (Attribute dim :
                step.getArgSharding(parameter->argument).getDims())
             split |= states.getSets(cast<ArrayAttr>(dim));
           return states.getAxes().getSize(split & same) ==
                  int64_t(scale.getNumerator());
         });
}

LogicalResult
fsdp::verifyModelCollectives(const Step &step, const RankStates &states,
                             ArrayRef<CollectiveOpInterface> collectives) {
  LossAttr loss = step.getLoss();
  AxisSet ofLoss = loss ? states.getSets(loss.getGroups()) : 0;
  // Most models have none of these.
  SmallVector<const RankEvent *> joins, scaled;
  for (const RankEvent &event : states.getEvents()) {
    // Elsewhere values do not vary, they are only not known.
    if ((event.kind == RankEvent::SumOfAny ||
         event.kind == RankEvent::GatherAny) &&
        (event.axes & ofLoss) && !(event.axes & states.getInexact()) &&
        !getResultsOf(event.op, step))
      joins.push_back(&event);
    if (event.kind != RankEvent::Use || !states.getSum(event.state)->isScaled)
      continue;
    auto isAny = [&](auto is) {
      return llvm::any_of(states.getSum(event.state)->terms,
                          [&](auto &term) { return is(term.first); });
    };
    if (isAny([](Value value) { return value.getDefiningOp<LocalGradOp>(); }))
      continue;
    // The loss may need what no gradient does.
    if (isAny([&](Value value) { return states.get(value).origin >= 0; }))
      scaled.push_back(&event);
  }
  SmallVector<ScaleOp> above;
  step.getFunction().walk([&](ScaleOp scale) {
    if (!states.get(scale.getInput()).isOfGradients &&
        !getResultsOf(scale, step))
      above.push_back(scale);
  });
  if (joins.empty() && scaled.empty() && above.empty())
    return success();
  DenseSet<Operation *> path = getGradientPath(step);
  if (!joins.empty() &&
      failed(checkCounterparts(step, states, joins, collectives, path)))
    return failure();
  // Scales are synchronisation; a model's own are arithmetic.
  for (ScaleOp scale : above)
    if (isIn(path, scale) && !countsCopies(scale, step, states, ofLoss)) {
      InFlightDiagnostic diag =
          scale.emitError("expected no scale in what the model computes");
      for (Operation *user : scale->getUsers())
        diag.attachNote(user->getLoc()) << "which goes on here";
      return diag;
    }
  std::optional<Phases> phases;
  for (const RankEvent *event : scaled) {
    if (!phases)
      phases.emplace(step);
    if (phases->get(event->op) == Phase::Optimizer)
      continue;
    InFlightDiagnostic diag = states.getSum(event->state)->last->emitError()
                              << "expected no scale in what the model computes";
    diag.attachNote(event->op->getLoc()) << "which goes on here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

/// True where `op` only rounds to a narrower type, or widens.
template <typename Cast> static bool isCast(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return isa_and_nonnull<Cast>(op) ||
         (generic && generic.getNumDpsInputs() == 1 &&
          generic.getNumReductionLoops() == 0 &&
          llvm::all_of(*generic.getBody(), [](Operation &inner) {
            return isa<Cast, linalg::YieldOp>(inner);
          }));
}

/// True for a cast between dtypes, and for what pads or cuts in front of a
/// collective.
static bool isOnTheWay(Operation *op) {
  return isa<tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ConcatOp>(
             op) ||
         isCast<arith::TruncFOp>(op) || isCast<arith::ExtFOp>(op);
}

LogicalResult fsdp::verifyShards(const Step &step) {
  func::FuncOp function = step.getFunction();
  // Not needed where it is plain that an op is the optimizer's.
  std::optional<Phases> phases;
  auto isOptimizer = [&](Operation *op) {
    auto results = phases ? std::nullopt : getResultsOf(op, step);
    if (results && llvm::all_of(*results, [&](unsigned i) {
          return function.getResultAttr(i, attr::updatedState) ||
                 step.lookup(step.getResultRole(i, attr::updated));
        }))
      return true;
    if (!phases)
      phases.emplace(step);
    return phases->get(op) == Phase::Optimizer;
  };
  for (const Parameter &parameter : step.getParameters()) {
    unsigned index = parameter.argument;
    auto storage =
        function.getArgAttrOfType<ShardingAttr>(index, attr::storage);
    auto shape =
        function.getArgAttrOfType<DenseI64ArrayAttr>(index, attr::globalShape);
    ShardingAttr compute = step.getArgSharding(index);
    // Groups of one rank split nothing.
    if (!storage || storage.getDims() == compute.getDims() || !shape ||
        getLocalShape(function, shape, storage) ==
            getLocalShape(function, shape, compute))
      continue;
    SmallVector<Value> shards = {function.getArgument(index)};
    while (!shards.empty())
      for (Operation *user : shards.pop_back_val().getUsers()) {
        // Compute may want the shard cut further.
        if (isa<CollectiveOpInterface, SliceOp>(user) ||
            user == step.getTerminator() || isOptimizer(user))
          continue;
        if (isOnTheWay(user)) {
          shards.push_back(user->getResult(0));
          continue;
        }
        InFlightDiagnostic diag =
            user->emitError("expected the full parameter '")
            << parameter.name << "'";
        if (Attribute unit = function.getArgAttr(index, attr::unit))
          diag << ", gathered for unit " << unit;
        diag << ", but got the shard that a rank stores";
        diag.attachNote(function.getArgument(index).getLoc())
            << "its storage is " << storage;
        return diag;
      }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult fsdp::verifyTypes(const Step &step, const RankStates &states,
                                ArrayRef<CollectiveOpInterface> collectives) {
  func::FuncOp function = step.getFunction();
  auto module = function->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  // A gather may say whose shards it joins.
  auto checkName = [&](Operation *op) -> LogicalResult {
    auto name = op->getAttrOfType<StringAttr>(attr::param);
    int64_t origin = name ? states.get(op->getOperand(0)).origin : -1;
    if (origin < 0 || step.getArgRole(origin, attr::param) == name.getValue())
      return success();
    InFlightDiagnostic diag = op->emitError()
                              << "expected shards of " << name
                              << ", but got those of '"
                              << step.getArgRole(origin, attr::param) << "'";
    diag.attachNote(function.getArgument(origin).getLoc()) << "which is here";
    return diag;
  };
  auto getUnit = [&](unsigned argument) {
    auto name =
        function.getArgAttrOfType<FlatSymbolRefAttr>(argument, attr::unit);
    return name ? symbols.lookup<UnitOp>(name.getValue()) : UnitOp();
  };
  for (CollectiveOpInterface op : collectives) {
    if (failed(checkName(op)))
      return failure();
    for (auto [i, source] : llvm::enumerate(op.getSources())) {
      Type type = getElementTypeOrSelf(source.getType());
      if (!isa<FloatType>(type) || !op.isBlocking())
        continue;
      const RankState &state = states.get(source);
      Type wanted;
      std::string what;
      if (const GradientSum *sum = states.getSum(state);
          sum && op.getReductionKind())
        for (auto &[value, scale] : sum->terms)
          if (auto marker = value.getDefiningOp<LocalGradOp>()) {
            const Parameter *parameter = step.lookup(marker.getParam());
            UnitOp unit = getUnit(parameter->argument);
            wanted = unit && unit.getReduceDtype()
                         ? *unit.getReduceDtype()
                         : getElementTypeOrSelf(marker.getType());
            what =
                "the gradient of '" + parameter->name.str() + "' to be reduced";
          }
      if (!wanted && state.origin >= 0 &&
          op.getKind() == CollectiveKind::AllGather) {
        UnitOp unit = getUnit(state.origin);
        Type own =
            getElementTypeOrSelf(function.getArgument(state.origin).getType());
        wanted = unit && unit.getParamDtype() && isa<FloatType>(own)
                     ? *unit.getParamDtype()
                     : own;
        what = "'" + step.getArgRole(state.origin, attr::param).str() +
               "' to be gathered";
      }
      bool isNarrowed =
          !wanted && isCast<arith::TruncFOp>(source.getDefiningOp()) &&
          !op->getResult(i).use_empty() &&
          llvm::all_of(op->getResult(i).getUsers(), isCast<arith::ExtFOp>);
      if (isNarrowed) {
        wanted = getElementTypeOrSelf(
            source.getDefiningOp()->getOperand(0).getType());
        what = "the value to be sent";
      }
      if (!wanted || wanted == type)
        continue;
      InFlightDiagnostic diag = op->emitError()
                                << "expected " << what << " in " << wanted
                                << ", but got " << type;
      if (state.origin >= 0)
        diag.attachNote(function.getArgument(state.origin).getLoc())
            << "it is stored here";
      return failure();
    }
  }
  // What adds gradients does so in the type that units ask for.
  auto units = module.getOps<UnitOp>();
  if (llvm::none_of(units, [](UnitOp unit) { return unit.getReduceDtype(); }))
    return success();
  WalkResult walked = function.walk([&](Operation *op) {
    if (op->getNumResults() != 1 || isa<CollectiveOpInterface>(op))
      return WalkResult::advance();
    const GradientSum *sum = states.getSum(states.get(op->getResult(0)));
    unsigned terms = llvm::count_if(op->getOperands(), [&](Value operand) {
      return states.get(operand).sum >= 0;
    });
    if (!sum || terms < 2)
      return WalkResult::advance();
    for (auto &[value, scale] : sum->terms)
      if (auto marker = value.getDefiningOp<LocalGradOp>()) {
        UnitOp unit = getUnit(step.lookup(marker.getParam())->argument);
        Type type = getElementTypeOrSelf(op->getResult(0).getType());
        if (unit && unit.getReduceDtype() && *unit.getReduceDtype() != type &&
            type.getIntOrFloatBitWidth() <
                unit.getReduceDtype()->getIntOrFloatBitWidth()) {
          op->emitError() << "expected gradients of '" << marker.getParam()
                          << "' to be added in " << *unit.getReduceDtype()
                          << ", but got " << type;
          return WalkResult::interrupt();
        }
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
