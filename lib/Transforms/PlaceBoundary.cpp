// SPDX-License-Identifier: Apache-2.0
//===- PlaceBoundary.cpp - placements of all arguments and results --------===//
//
// After this every argument and result says how it is placed, and the plan is
// known to make sense: the loss varies over exactly the axes that it is
// combined over, and no storage is split over an axis on which ranks hold
// different things (slices of different tensors would be mixed).
//
//   func.func @step(%w: tensor<8xf32> {fsdp.param = "w"}) ->
//       (tensor<8xf32> {fsdp.grad = "w"})
// becomes
//   func.func @step(%w: ... {fsdp.sharding = #fsdp.sharding<[{}]>}) ->
//       (tensor<8xf32> {fsdp.grad = "w", fsdp.sharding = ...})
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Nearest.h"
#include "fsdp/Analysis/Varying.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"

namespace fsdp {
#define GEN_PASS_DEF_PLACEBOUNDARYPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct PlaceBoundaryPass
    : public fsdp::impl::PlaceBoundaryPassBase<PlaceBoundaryPass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    placeArguments(*step);
    Varying varying(*step);
    placeResults(*step, varying);
    if (failed(checkLoss(*step, varying)) ||
        failed(checkGradients(*step, varying)) ||
        failed(checkUpdates(*step, varying)) || failed(checkStorage(*step)))
      return signalPassFailure();
  }

  void placeArguments(const Step &step);
  void placeResults(const Step &step, const Varying &varying);
  LogicalResult checkLoss(const Step &step, const Varying &varying);
  LogicalResult checkDivisor(const Step &step, LossAttr loss);
  bool isWithin(SymbolTable &symbols, ArrayRef<FlatSymbolRefAttr> found,
                ArrayRef<Attribute> allowed);
  LogicalResult checkGradients(const Step &step, const Varying &varying);
  LogicalResult checkUpdates(const Step &step, const Varying &varying);
  LogicalResult checkStorage(const Step &step);
  LogicalResult checkUnit(const Step &step, const Parameter &parameter,
                          SymbolTable &symbols);
};
} // namespace

/// States are placed as their parameter, the rest as it says or replicated.
void PlaceBoundaryPass::placeArguments(const Step &step) {
  func::FuncOp function = step.getFunction();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, attr::sharding) &&
        step.getArgRole(i, attr::state).empty())
      function.setArgAttr(i, attr::sharding, step.getArgSharding(i));
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (function.getArgAttr(i, attr::sharding))
      continue;
    ShardingAttr sharding = step.getArgSharding(i);
    const Parameter *parameter =
        step.lookup(getStateParam(step.getArgRole(i, attr::state)));
    if (parameter) {
      auto of = function.getArgAttrOfType<ShardingAttr>(parameter->argument,
                                                        attr::sharding);
      bool sameShape =
          cast<ShapedType>(function.getArgumentTypes()[i]).getShape() ==
          cast<ShapedType>(function.getArgumentTypes()[parameter->argument])
              .getShape();
      sharding = sameShape ? of : sharding.withVarying(of.getVarying());
    }
    function.setArgAttr(i, attr::sharding, sharding);
  }
}

void PlaceBoundaryPass::placeResults(const Step &step, const Varying &varying) {
  func::FuncOp function = step.getFunction();
  auto buffers = getOperation()->getAttrOfType<StringAttr>(attr::buffers);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (function.getResultAttr(i, attr::sharding))
      continue;
    ShardingAttr sharding = step.getResultSharding(i);
    StringRef name = step.getResultRole(i, attr::grad);
    if (name.empty())
      name = step.getResultRole(i, attr::updated);
    const Parameter *parameter = step.lookup(name);
    StringRef state = step.getResultRole(i, attr::updatedState);
    int argument = parameter        ? int(parameter->argument)
                   : !state.empty() ? step.findArg(attr::state, state)
                                    : -1;
    bool isLocalBuffer =
        !parameter && !name.empty() && buffers && buffers.getValue() == "local";
    if (argument >= 0) {
      sharding = step.getArgSharding(argument);
    } else if (function.getResultAttr(i, attr::output) || isLocalBuffer) {
      sharding = sharding.withVarying(joinVarying(
          getOperation(), varying.get(step.getTerminator()->getOperand(i))));
    }
    function.setResultAttr(i, attr::sharding, sharding);
  }
}

/// The axes that the loss is combined over are those that it varies over.
LogicalResult PlaceBoundaryPass::checkLoss(const Step &step,
                                           const Varying &varying) {
  func::FuncOp function = step.getFunction();
  int index = step.findResult(attr::loss);
  if (index < 0) {
    for (const Parameter &parameter : step.getParameters())
      for (LocalGradOp marker : parameter.markers)
        if (!varying.get(marker.getInput()).empty())
          return marker.emitOpError(
                     "expected a loss, which says how gradients "
                     "of ranks are combined, but got no result '")
                 << attr::loss << "'";
    return success();
  }
  auto loss = dyn_cast<LossAttr>(function.getResultAttr(index, attr::loss));
  if (!loss)
    return emitError(function.getLoc(), "expected '")
           << attr::loss
           << "' to say how the loss is combined, #fsdp.loss<mean = [...]>";
  if (failed(checkDivisor(step, loss)))
    return failure();
  Value value = step.getTerminator()->getOperand(index);
  SymbolTable symbols(getOperation());
  SmallVector<AxisSet> sets;
  FailureOr<Axes> axes =
      getSets(getWorld(getOperation()).getRanks(), symbols,
              {toList(varying.get(value)),
               SmallVector<Attribute>(loss.getGroups().getValue())},
              sets);
  if (failed(axes))
    return emitError(function.getLoc(),
                     "expected compatible groups at the loss, but "
                     "it varies over other groups than it combines");
  AxisSet foundSet = sets[0], wantedSet = sets[1];
  auto name = [&](AxisSet set) -> Attribute {
    return axes->getGroup(&getContext(), set);
  };
  if (AxisSet extra = wantedSet & ~foundSet)
    return emitError(value.getLoc())
           << "expected the loss to vary over the groups that it is combined "
              "over, but got a loss that is equal on the ranks of "
           << name(extra);
  if (AxisSet missing = foundSet & ~wantedSet)
    return emitError(value.getLoc())
           << "expected the loss to be combined over all groups that it "
              "varies over, but got none for "
           << name(missing);
  return success();
}

/// What divides the loss is an output of one number.
LogicalResult PlaceBoundaryPass::checkDivisor(const Step &step, LossAttr loss) {
  StringAttr name = loss.getDivideBy();
  if (!name)
    return success();
  func::FuncOp function = step.getFunction();
  int index = step.findResult(attr::output, name);
  if (index < 0) {
    SmallVector<StringRef> known;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (StringRef output = step.getResultRole(i, attr::output);
          !output.empty())
        known.push_back(output);
    return emitError(function.getLoc(), "expected an output ")
           << name << " that divides the loss, but got none"
           << didYouMean(name, known);
  }
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[index]);
  if (type && type.getRank() == 0)
    return success();
  return emitError(function.getLoc(), "expected output ")
         << name << ", which divides the loss, to be a scalar, but got "
         << function.getResultTypes()[index];
}

/// True where all axes of `found` are among those of `allowed`.
bool PlaceBoundaryPass::isWithin(SymbolTable &symbols,
                                 ArrayRef<FlatSymbolRefAttr> found,
                                 ArrayRef<Attribute> allowed) {
  SmallVector<AxisSet> sets;
  return succeeded(getSets(getWorld(getOperation()).getRanks(), symbols,
                           {toList(found), llvm::to_vector(allowed)}, sets)) &&
         !(sets[0] & ~sets[1]);
}

/// Where ranks hold the same parameter, and the loss is not combined over them,
/// they have the same gradient: else replicas drift.
LogicalResult PlaceBoundaryPass::checkGradients(const Step &step,
                                                const Varying &varying) {
  func::FuncOp function = step.getFunction();
  LossAttr loss = step.getLoss();
  if (!loss)
    return success(); // Checked with the loss.
  SymbolTable symbols(getOperation());
  for (const Parameter &parameter : step.getParameters())
    for (LocalGradOp marker : parameter.markers) {
      SmallVector<Attribute> allowed(loss.getGroups().getValue());
      llvm::append_range(allowed,
                         step.getArgSharding(parameter.argument).getVarying());
      SmallVector<FlatSymbolRefAttr> found = varying.get(marker.getInput());
      // All that varies is within the loss where that is the world.
      if (found.empty() || isWithin(symbols, found, allowed))
        continue;
      InFlightDiagnostic diag =
          emitError(marker.getLoc())
          << "expected the gradient of parameter '" << parameter.name
          << "' to vary only over groups that the loss is combined over, but "
             "got one that differs along "
          << found.front();
      diag.attachNote(function.getLoc()) << "the loss is " << loss;
      return diag;
    }
  return success();
}

/// Ranks that hold the same parameter or state update it alike.
LogicalResult PlaceBoundaryPass::checkUpdates(const Step &step,
                                              const Varying &varying) {
  func::FuncOp function = step.getFunction();
  SymbolTable symbols(getOperation());
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    StringRef name = step.getResultRole(i, attr::updated);
    StringRef state = step.getResultRole(i, attr::updatedState);
    if (state.empty() && !step.lookup(name))
      continue; // No update, or one of a buffer, which the plan combines.
    Value value = step.getTerminator()->getOperand(i);
    SmallVector<FlatSymbolRefAttr> found = varying.get(value);
    SmallVector<Attribute> varies(
        step.getResultSharding(i).getVarying().getValue());
    if (isWithin(symbols, found, varies))
      continue;
    InFlightDiagnostic diag =
        emitError(value.getLoc())
        << "expected '" << (state.empty() ? name : state)
        << "' to be updated alike on ranks that hold the same value, but got "
           "an update that differs along "
        << found.front();
    diag.attachNote(function.getLoc())
        << "an update may use gradients, but no input and nothing that is "
           "computed of one rank's batch";
    return diag;
  }
  return success();
}

LogicalResult PlaceBoundaryPass::checkStorage(const Step &step) {
  SymbolTable symbols(getOperation());
  for (const Parameter &parameter : step.getParameters())
    if (failed(checkUnit(step, parameter, symbols)))
      return failure();
  return success();
}

/// Storage of one parameter: its unit's group against its own placement, and
/// the replicate group that the unit names against the one that follows.
LogicalResult PlaceBoundaryPass::checkUnit(const Step &step,
                                           const Parameter &parameter,
                                           SymbolTable &symbols) {
  func::FuncOp function = step.getFunction();
  auto symbol = function.getArgAttrOfType<FlatSymbolRefAttr>(parameter.argument,
                                                             attr::unit);
  if (!symbol)
    return emitError(function.getLoc(), "expected a unit for parameter '")
           << parameter.name << "'";
  auto unit = symbols.lookup<UnitOp>(symbol.getValue());
  ShardingAttr sharding = step.getArgSharding(parameter.argument);
  LossAttr loss = step.getLoss();
  SmallVector<Attribute> shard = {unit.getShardAttr()}, replicate, combined,
                         batch;
  if (loss)
    llvm::append_range(combined, loss.getGroups());
  if (unit.getReplicateAttr()) {
    replicate.push_back(unit.getReplicateAttr());
    // Of a global batch the loss says nothing, but its gradients are summed
    // too.
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, attr::input))
        for (Attribute dim : step.getArgSharding(i).getDims())
          llvm::append_range(batch, cast<ArrayAttr>(dim));
  }
  enum { Placed, Shard, Replicate, Loss, Batch };
  SmallVector<AxisSet> sets;
  std::pair<Attribute, Attribute> conflict;
  FailureOr<Axes> axes =
      getSets(getWorld(getOperation()).getRanks(), symbols,
              {toList(sharding.getGroups()), shard, replicate, combined, batch},
              sets, &conflict);
  if (failed(axes)) {
    InFlightDiagnostic diag =
        unit.emitOpError("expected compatible groups for parameter '")
        << parameter.name << "', but got " << conflict.first << " and "
        << conflict.second;
    diag.attachNote(function.getLoc()) << "the parameter is here";
    return diag;
  }
  auto describe = [&](AxisSet set) -> std::string {
    ClassesAttr classes = axes->getGroup(&getContext(), set);
    if (FlatSymbolRefAttr group = findGroup(getOperation(), classes))
      return ("@" + group.getValue()).str();
    std::string text;
    llvm::raw_string_ostream(text) << classes;
    return text;
  };
  // A scalar is stored whole, whatever the unit's group is.
  bool isScalar = sharding.getDims().empty();
  if ((sets[Placed] & sets[Shard]) && !isScalar) {
    InFlightDiagnostic diag =
        unit.emitOpError("expected storage of parameter '")
        << parameter.name << "' to be split over ranks that hold the same "
        << "value, but got " << unit.getShardAttr()
        << ", along which it differs; use its complement "
        << describe(axes->getWorld() & ~sets[Placed]);
    diag.attachNote(function.getLoc())
        << "the parameter's placement is " << sharding;
    return diag;
  }
  if (unit.getReplicateAttr() && step.findResult(attr::loss) >= 0) {
    AxisSet taken = sets[Placed] | sets[Shard], named = sets[Replicate];
    AxisSet least = sets[Loss] & ~taken;
    AxisSet most = (sets[Loss] | sets[Batch]) & ~taken;
    if ((least & ~named) || (named & ~most))
      return unit.emitOpError("expected the replicate group of parameter '")
             << parameter.name << "' to be " << describe(most) << ", but got "
             << unit.getReplicateAttr();
  }
  return success();
}
