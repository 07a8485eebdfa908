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
        failed(place(plan, *step)) || failed(declareLoss(plan, *step)))
      return signalPassFailure();
    declareModuleFacts(plan);
  }

  LogicalResult rejectLater(const Plan &plan);
  LogicalResult declareWorld(const Plan &plan);
  LogicalResult declareGroups(const Plan &plan);
  LogicalResult place(const Plan &plan, const Step &step);
  LogicalResult placeMatches(const PlanSharding &entry, const Step &step);
  LogicalResult placeInput(const Plan &plan, const Step &step, unsigned index);
  ArrayAttr getRest(ArrayAttr groups, ShardingAttr sharding);
  LogicalResult declareLoss(const Plan &plan, const Step &step);
  void declareModuleFacts(const Plan &plan);
};
} // namespace

/// Rejects the key that needs the scheduler.
LogicalResult ReadPlanPass::rejectLater(const Plan &plan) {
  if (plan.activationCheckpointing.empty())
    return success();
  return emitError(plan.activationCheckpointing.front().loc)
         << "expected no 'activation_checkpointing': it needs the scheduler, "
            "which this version does not have";
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
  std::vector<PlanGroup> groups = plan.processGroups;
  llvm::append_range(groups, plan.mesh);
  for (const PlanGroup &group : groups) {
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

/// The groups over which the batch is per rank, or global. Without a word on
/// it every rank of the world has its own.
static std::vector<GroupSpec> getBatch(const Plan &plan, PlanBatch::Kind kind) {
  if (plan.batch && plan.batch->kind == PlanBatch::Mixed)
    return kind == PlanBatch::PerRank ? plan.batch->perRank
                                      : plan.batch->global;
  if ((plan.batch ? plan.batch->kind : PlanBatch::PerRank) != kind)
    return {};
  return {GroupSpec{"world", {}, plan.batch ? plan.batch->loc : plan.loc}};
}

/// `shardings` first, since the batch takes what they leave.
LogicalResult ReadPlanPass::place(const Plan &plan, const Step &step) {
  func::FuncOp function = step.getFunction();
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, attr::input) &&
        !function.getArgAttr(i, attr::sharding))
      inputs.push_back(i);
  for (const PlanSharding &entry : plan.shardings)
    if (failed(placeMatches(entry, step)))
      return failure();
  for (unsigned input : inputs)
    if (failed(placeInput(plan, step, input)))
      return failure();
  return success();
}

/// `shardings: [{match: ..., dims: [...]}]`, or `varying` instead of `dims`.
LogicalResult ReadPlanPass::placeMatches(const PlanSharding &entry,
                                         const Step &step) {
  func::FuncOp function = step.getFunction();
  SmallVector<std::pair<unsigned, SmallVector<StringRef>>> candidates;
  for (const Parameter &parameter : step.getParameters())
    candidates.push_back({parameter.argument, getAllNames(step, parameter)});
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (StringRef name = step.getArgRole(i, attr::input); !name.empty())
      candidates.push_back({i, {name}});
  FailureOr<ArrayAttr> groups =
      entry.dims ? getPlanDims(getOperation(), entry)
                 : getPlanGroups(getOperation(), entry.varying);
  if (failed(groups))
    return failure();
  SmallVector<StringRef> known;
  bool matched = false;
  for (auto &[argument, names] : candidates) {
    known.append(names);
    if (llvm::none_of(names, [&](StringRef name) {
          return entry.match.value.match(name);
        }))
      continue;
    matched = true;
    ShardingAttr sharding = step.getArgSharding(argument);
    sharding =
        entry.dims ? sharding.withDims(*groups) : sharding.withVarying(*groups);
    auto type = cast<ShapedType>(function.getArgumentTypes()[argument]);
    bool isInput = bool(function.getArgAttr(argument, attr::input));
    if (failed(checkPlanSharding(
            getOperation(), entry.loc, sharding, type.getShape(),
            Twine(isInput ? "input '" : "parameter '") + names[0] + "'")))
      return failure();
    function.setArgAttr(argument, attr::sharding, sharding);
  }
  if (matched)
    return success();
  return emitError(entry.match.loc)
         << "expected a pattern that matches a parameter or input, but got '"
         << entry.match.value.getPattern() << "'"
         << didYouMean(entry.match.value.getPattern(), known);
}

/// The part of `groups` on which `sharding` says nothing yet.
ArrayAttr ReadPlanPass::getRest(ArrayAttr groups, ShardingAttr sharding) {
  SymbolTable symbols(getOperation());
  SmallVector<ClassesAttr> all;
  for (Attribute group : groups)
    all.push_back(lookupClasses(symbols, group));
  for (Attribute group : sharding.getGroups())
    all.push_back(lookupClasses(symbols, group));
  if (sharding.isReplicated() || llvm::is_contained(all, nullptr))
    return groups;
  FailureOr<Axes> axes = Axes::get(getWorld(getOperation()).getRanks(), all);
  if (failed(axes))
    return groups; // The check of the placement names them.
  AxisSet taken = 0;
  for (ClassesAttr classes : ArrayRef(all).drop_front(groups.size()))
    taken |= axes->getSet(classes);
  SmallVector<Attribute> rest;
  for (auto [group, classes] : llvm::zip_first(groups, all)) {
    AxisSet set = axes->getSet(classes);
    if (!(set & taken))
      rest.push_back(group);
    else if (set & ~taken)
      rest.push_back(getOrCreateGroup(
          getOperation(), axes->getGroup(&getContext(), set & ~taken),
          "batch"));
  }
  return ArrayAttr::get(&getContext(), rest);
}

/// The batch of one input: it varies where the batch is per rank, and its
/// batch dim is split where that is global.
LogicalResult ReadPlanPass::placeInput(const Plan &plan, const Step &step,
                                       unsigned index) {
  func::FuncOp function = step.getFunction();
  ShardingAttr sharding = step.getArgSharding(index);
  FailureOr<ArrayAttr> perRank = getPlanGroups(
                           getOperation(), getBatch(plan, PlanBatch::PerRank)),
                       global = getPlanGroups(
                           getOperation(), getBatch(plan, PlanBatch::Global));
  if (failed(perRank) || failed(global))
    return failure();
  SmallVector<Attribute> varying(sharding.getVarying().begin(),
                                 sharding.getVarying().end());
  llvm::append_range(varying, getRest(*perRank, sharding));
  SmallVector<Attribute> dims(sharding.getDims().begin(),
                              sharding.getDims().end());
  auto batchDim = function.getArgAttrOfType<IntegerAttr>(index, attr::batchDim);
  if (batchDim) {
    SmallVector<Attribute> groups(getRest(*global, sharding).getValue());
    llvm::append_range(groups, sharding.getDimGroups(batchDim.getInt()));
    dims[batchDim.getInt()] = ArrayAttr::get(&getContext(), groups);
  }
  Builder builder(&getContext());
  sharding = sharding.withDims(builder.getArrayAttr(dims))
                 .withVarying(builder.getArrayAttr(varying));
  auto type = cast<ShapedType>(function.getArgumentTypes()[index]);
  function.setArgAttr(index, attr::sharding, sharding);
  return checkPlanSharding(
      getOperation(), plan.batch ? plan.batch->loc : plan.loc, sharding,
      type.getShape(), "input '" + step.getArgRole(index, attr::input) + "'");
}

/// The loss is the mean over what has batches of its own, unless the plan says
/// otherwise.
LogicalResult ReadPlanPass::declareLoss(const Plan &plan, const Step &step) {
  func::FuncOp function = step.getFunction();
  int index = step.findResult(attr::loss);
  if (index < 0 || isa<LossAttr>(function.getResultAttr(index, attr::loss)))
    return success();
  FailureOr<ArrayAttr> groups = getPlanGroups(
      getOperation(),
      plan.loss ? plan.loss->groups : getBatch(plan, PlanBatch::PerRank));
  if (failed(groups))
    return failure();
  bool mean = !plan.loss || plan.loss->combine.value == Reduction::Mean;
  StringAttr divideBy;
  if (plan.loss && plan.loss->divideBy)
    divideBy = StringAttr::get(&getContext(), plan.loss->divideBy->value);
  function.setResultAttr(index, attr::loss,
                         LossAttr::get(&getContext(), mean, *groups, divideBy));
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
