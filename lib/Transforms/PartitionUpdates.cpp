// SPDX-License-Identifier: Apache-2.0
//===- PartitionUpdates.cpp - run the optimizer on shards -----------------===//
//
// After sharding the optimizer still works on whole tensors: gradients and
// states are gathered in front of it and its results cut behind. Moving those
// reshards down, op by op, leaves an optimizer on shards and nothing to gather:
//
//   %g = fsdp.reshard %gs from <[{@n}, {}]> to <[{}, {}]>
//   %m = fsdp.reshard %ms from <[{@n}, {}]> to <[{}, {}]>
//   %0 = linalg.generic ins(%g, %m : tensor<8x4xf32>, ...)
//   %1 = fsdp.reshard %0 from <[{}, {}]> to <[{@n}, {}]>
// becomes
//   %1 = linalg.generic ins(%gs, %ms : tensor<2x4xf32>, ...)
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Partition.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fsdp {
#define GEN_PASS_DEF_PARTITIONUPDATESPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

static void placeNorm(const Step &step, GlobalNormOp norm);
static bool partitionUpdate(const Step &step, Operation *op);
static void cancel(const Step &step);

namespace {
struct PartitionUpdatesPass
    : public fsdp::impl::PartitionUpdatesPassBase<PartitionUpdatesPass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    Phases phases(*step);
    Block &block = step->getFunction().front();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (phases.get(&op) != Phase::Optimizer || isFree(&op) ||
          isa<ReshardOp, LocalGradOp, CollectiveOpInterface>(op) ||
          op.hasTrait<OpTrait::IsTerminator>())
        continue;
      if (auto norm = dyn_cast<GlobalNormOp>(op))
        placeNorm(*step, norm);
      else if (!partitionUpdate(*step, &op))
        note(op.getLoc(), "whole",
             "'" + op.getName().getStringRef() +
                 "' runs on whole tensors, which are gathered for it");
    }
    cancel(*step);
    eraseDeadOps(block);
  }
};
} // namespace

/// The reshard that gathers a stored value for the optimizer, or null. The one
/// that reduces a gradient stays in front: moved down, it would be one for each
/// of the optimizer's results.
static ReshardOp getGather(const Step &step, Value value) {
  auto reshard = value.getDefiningOp<ReshardOp>();
  if (!reshard || !reshard.getSource().getPartial().empty())
    return {};
  Operation *op = reshard.getInput().getDefiningOp();
  while (op && !isa<ReshardOp, LocalGradOp>(op) && op->getNumOperands())
    op = op->getOperand(0).getDefiningOp();
  auto marker = dyn_cast_if_present<LocalGradOp>(op);
  if (!marker)
    return reshard;
  // From how the parameter is stored: the reduction had nothing to do.
  const Parameter *parameter = step.lookup(marker.getParam());
  auto stored = parameter ? step.getFunction().getArgAttrOfType<ShardingAttr>(
                                parameter->argument, attr::storage)
                          : ShardingAttr();
  return stored && !stored.isReplicated() &&
                 stored.getDims() == reshard.getSource().getDims()
             ? reshard
             : ReshardOp();
}

/// The norm takes shards as they are: reshards in front of it say how they are
/// split. Others are whole, whatever the model does with the parameter. What
/// varies only the norm itself says: an op split on the way does not.
static void placeNorm(const Step &step, GlobalNormOp norm) {
  SmallVector<Attribute> shardings;
  for (auto [operand, sharding] :
       llvm::zip_equal(norm.getInputsMutable(), norm.getShardings())) {
    auto rank = cast<ShapedType>(operand.get().getType()).getRank();
    auto placed = ShardingAttr::getReplicated(norm.getContext(), rank);
    if (ReshardOp gather = getGather(step, operand.get())) {
      placed = gather.getSource();
      operand.set(gather.getInput());
    }
    shardings.push_back(
        placed.withVarying(cast<ShardingAttr>(sharding).getVarying()));
  }
  norm.setShardingsAttr(ArrayAttr::get(norm.getContext(), shardings));
}

/// True where factors are split along `groups` already, or along groups that
/// share ranks with them in another way: no value is placed on both.
static bool isUsed(Operation *op, const FactorGroups &factors,
                   ArrayRef<Attribute> groups) {
  SmallVector<ClassesAttr> classes;
  auto add = [&](ArrayRef<Attribute> names) {
    for (Attribute name : names)
      classes.push_back(lookupClasses(op, cast<FlatSymbolRefAttr>(name)));
  };
  add(groups);
  for (ArrayRef<Attribute> used : factors)
    add(used);
  FailureOr<Axes> axes = Axes::get(classes.front().getRanks(), classes);
  if (failed(axes))
    return true;
  AxisSet mine = 0, other = 0;
  for (auto [i, group] : llvm::enumerate(classes))
    (i < groups.size() ? mine : other) |= axes->getSet(group);
  return mine & other;
}

/// Splits an op along the dims in which its operands were split before they
/// were gathered. False where operands were, but the op cannot be.
static bool partitionUpdate(const Step &step, Operation *op) {
  std::optional<PartitionRule> rule;
  FactorGroups factors;
  bool isSplit = false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    ReshardOp reshard = getGather(step, operand);
    if (!reshard)
      continue;
    if (!rule) {
      rule = getPartitionRule(op);
      // Chunks of slices would mix with padding.
      if (!rule || !rule->captured.empty() ||
          isa<OffsetSizeAndStrideOpInterface, tensor::ConcatOp, tensor::PadOp,
              ScatterOp>(op))
        return false;
      factors.resize(rule->factors.size());
    }
    for (auto [dim, factor] : llvm::enumerate(rule->operands[i])) {
      ArrayRef<Attribute> groups = reshard.getSource().getDimGroups(dim);
      if (groups.empty() || !reshard.getTarget().getDimGroups(dim).empty())
        continue;
      bool isPart =
          llvm::any_of(rule->composites, [part = factor](auto &parts) {
            return llvm::is_contained(parts, part);
          });
      if (factor < 0 || isPart || !rule->factors[factor].canSplit)
        return false;
      // The first operand decides; others are resharded to it.
      if (factors[factor].empty() && !isUsed(op, factors, groups)) {
        factors[factor].assign(groups.begin(), groups.end());
        isSplit = true;
      }
    }
  }
  if (isSplit)
    partition(op, *rule, factors);
  return true;
}

/// At the results: a value that was split, gathered, and is to be split again
/// is returned as it was, with its padding zeroed.
static void cancel(const Step &step) {
  Operation *terminator = step.getTerminator();
  OpBuilder builder(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto store = operand.get().getDefiningOp<ReshardOp>();
    auto gather =
        store ? store.getInput().getDefiningOp<ReshardOp>() : ReshardOp();
    if (!gather ||
        gather.getSource().getDims() != store.getTarget().getDims() ||
        !gather.getSource().getPartial().empty())
      continue;
    Value value = gather.getInput();
    // What was reduced to a shard has zeros there already; what an op computed
    // of shards may not.
    Operation *op = value.getDefiningOp();
    if (op && !isa<ScaleOp>(op) && getPartitionRule(op))
      value = createMask(builder, store.getLoc(), value, store.getShape(),
                         store.getTarget());
    operand.set(value);
  }
}
