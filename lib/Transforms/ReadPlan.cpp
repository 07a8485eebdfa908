// SPDX-License-Identifier: Apache-2.0
//===- ReadPlan.cpp - declare what a plan file says -----------------------===//
//
// World, process groups, the loss and the placements of inputs and parameters
// go into the IR, where every later pass finds them; what is written there by
// hand stays. Units and the optimizer are read by passes of their own.
//
//   world: {ranks: 8, ranks_per_node: 4}
//   process_groups: {ep: set4}
// becomes
//   module attributes {fsdp.world = #fsdp.world<ranks = 8, ...>} {
//     fsdp.process_group @ep = "set4"
//     func.func @step(%x: ... {fsdp.input = "x",
//         fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
//         -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>})
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Nearest.h"
#include "fsdp/Analysis/Step.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"

namespace fsdp {
#define GEN_PASS_DEF_READPLANPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct ReadPlanPass : public fsdp::impl::ReadPlanPassBase<ReadPlanPass> {
  using ReadPlanPassBase::ReadPlanPassBase;

  void runOnOperation() override {
    Plan plan{};
    plan.loc = FileLineColLoc::get(&getContext(), "plan", 1, 1);
    if (!config.empty()) {
      FailureOr<Plan> read = readPlan(config, &getContext());
      if (failed(read) || failed(rejectLater(*read)))
        return signalPassFailure();
      plan = std::move(*read);
    }
    if (failed(declareWorld(plan)))
      return signalPassFailure();
    // Without a plan its defaults hold where nothing is written.
    if (!getWorld(getOperation()))
      return;
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step) || failed(declareGroups(plan)) ||
        failed(placeInputs(plan, *step)) ||
        failed(placeParameters(plan, *step)) ||
        failed(declareLoss(plan, *step)))
      return signalPassFailure();
    declareModuleFacts(plan);
  }

  LogicalResult rejectLater(const Plan &plan);
  LogicalResult declareWorld(const Plan &plan);
  LogicalResult declareGroups(const Plan &plan);
  LogicalResult placeInputs(const Plan &plan, const Step &step);
  LogicalResult placeParameters(const Plan &plan, const Step &step);
  LogicalResult declareLoss(const Plan &plan, const Step &step);
  void declareModuleFacts(const Plan &plan);
};
} // namespace

/// Rejects keys that need propagation through the model, or the scheduler.
LogicalResult ReadPlanPass::rejectLater(const Plan &plan) {
  auto reject = [](Location loc, StringRef what, StringRef needs) {
    return emitError(loc) << "expected no " << what << ": it needs " << needs
                          << ", which this version does not have";
  };
  StringRef partitioner = "the partitioning of compute";
  if (!plan.mesh.empty())
    return reject(plan.mesh.front().name.loc, "'mesh'", partitioner);
  if (plan.batch && plan.batch->kind != PlanBatch::PerRank)
    return reject(plan.batch->loc, "global batch", partitioner);
  for (const PlanSharding &sharding : plan.shardings)
    if (sharding.dims)
      return reject(sharding.loc, "'dims' in 'shardings'", partitioner);
  if (!plan.activations.empty())
    return reject(plan.activations.front().loc, "'activations'", partitioner);
  if (plan.loss && plan.loss->divideBy)
    return reject(plan.loss->divideBy->loc, "'divide_by'", partitioner);
  if (!plan.activationCheckpointing.empty())
    return reject(plan.activationCheckpointing.front().loc,
                  "'activation_checkpointing'", "the scheduler");
  return success();
}

/// Options win over the plan, the plan over what is there.
LogicalResult ReadPlanPass::declareWorld(const Plan &plan) {
  int64_t worldRanks = ranks, perNode = ranksPerNode;
  WorldAttr world = getWorld(getOperation());
  if (!worldRanks)
    worldRanks = plan.world ? plan.world->ranks.value
                 : world    ? world.getRanks()
                            : 0;
  if (!perNode)
    perNode = plan.world && plan.world->ranksPerNode
                  ? plan.world->ranksPerNode->value
              : world && !ranks ? world.getRanksPerNode()
                                : worldRanks;
  if (!worldRanks)
    return config.empty() ? success()
                          : emitError(plan.loc)
                                << "expected 'world' in the plan, or the "
                                   "option 'ranks'";
  world = WorldAttr::getChecked(
      [&]() { return emitError(getOperation().getLoc()); }, &getContext(),
      worldRanks, perNode);
  if (!world)
    return failure();
  getOperation()->setAttr(attr::world, world);
  return success();
}

LogicalResult ReadPlanPass::declareGroups(const Plan &plan) {
  for (const PlanGroup &group : plan.processGroups) {
    SymbolTable symbols(getOperation());
    if (Operation *other = symbols.lookup(group.name.value)) {
      InFlightDiagnostic diag =
          emitError(group.name.loc)
          << "expected a name that is not taken, but got '" << group.name.value
          << "'";
      diag.attachNote(other->getLoc()) << "it is declared here";
      return diag;
    }
    if (failed(declarePlanGroup(getOperation(), group.name.value, group.spec)))
      return failure();
  }
  return success();
}

/// A per-rank batch: inputs vary over the world.
LogicalResult ReadPlanPass::placeInputs(const Plan &plan, const Step &step) {
  func::FuncOp function = step.getFunction();
  GroupSpec world{"world", {}, plan.loc};
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!function.getArgAttr(i, attr::input) ||
        function.getArgAttr(i, attr::sharding))
      continue;
    FailureOr<FlatSymbolRefAttr> group = getPlanGroup(getOperation(), world);
    if (failed(group))
      return failure();
    ShardingAttr sharding = step.getArgSharding(i);
    function.setArgAttr(
        i, attr::sharding,
        ShardingAttr::get(&getContext(), sharding.getDims(), ReductionKind::Sum,
                          sharding.getPartial(),
                          ArrayAttr::get(&getContext(), {*group})));
  }
  return success();
}

/// `shardings: [{match: ..., varying: [...]}]`.
LogicalResult ReadPlanPass::placeParameters(const Plan &plan,
                                            const Step &step) {
  func::FuncOp function = step.getFunction();
  for (const PlanSharding &entry : plan.shardings) {
    FailureOr<ArrayAttr> groups = getPlanGroups(getOperation(), entry.varying);
    if (failed(groups))
      return failure();
    SmallVector<StringRef> names;
    bool matched = false;
    for (const Parameter &parameter : step.getParameters()) {
      names.push_back(parameter.name);
      if (!entry.match.value.match(parameter.name))
        continue;
      matched = true;
      ShardingAttr sharding = step.getArgSharding(parameter.argument);
      function.setArgAttr(parameter.argument, attr::sharding,
                          ShardingAttr::get(&getContext(), sharding.getDims(),
                                            ReductionKind::Sum,
                                            sharding.getPartial(), *groups));
    }
    if (!matched)
      return emitError(entry.match.loc)
             << "expected a pattern that matches a parameter, but got '"
             << entry.match.value.getPattern() << "'"
             << didYouMean(entry.match.value.getPattern(), names);
  }
  return success();
}

/// The loss is the mean over the world unless the plan says otherwise.
LogicalResult ReadPlanPass::declareLoss(const Plan &plan, const Step &step) {
  func::FuncOp function = step.getFunction();
  int index = step.findResult(attr::loss);
  if (index < 0 || isa<LossAttr>(function.getResultAttr(index, attr::loss)))
    return success();
  SmallVector<GroupSpec> specs = {{"world", {}, plan.loc}};
  if (plan.loss)
    specs.assign(plan.loss->groups.begin(), plan.loss->groups.end());
  FailureOr<ArrayAttr> groups = getPlanGroups(getOperation(), specs);
  if (failed(groups))
    return failure();
  bool mean = !plan.loss || plan.loss->combine.value == Reduction::Mean;
  function.setResultAttr(
      index, attr::loss,
      LossAttr::get(&getContext(), mean, *groups, StringAttr()));
  return success();
}

/// What the module carries for later passes.
void ReadPlanPass::declareModuleFacts(const Plan &plan) {
  if (plan.accumulate)
    getOperation()->setAttr(
        attr::accumulate,
        AccumulateAttr::get(&getContext(), plan.accumulate->steps.value,
                            plan.accumulate->reduce.value == Reduction::Mean));
  if (plan.buffers) {
    StringRef name = plan.buffers->value == BufferUpdate::Mean    ? "mean"
                     : plan.buffers->value == BufferUpdate::Local ? "local"
                                                                  : "rank0";
    getOperation()->setAttr(attr::buffers,
                            StringAttr::get(&getContext(), name));
  }
}
