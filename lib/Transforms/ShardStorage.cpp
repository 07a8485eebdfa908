// SPDX-License-Identifier: Apache-2.0
//===- ShardStorage.cpp - store parameters and gradients as shards --------===//
//
// Decides where every parameter, gradient, state and update is kept, and puts
// `fsdp.reshard` on the borders: from storage to compute in front of the first
// use, from the marker's partial sum to storage behind it, from the optimizer's
// whole tensors to storage at the results. The program is right from here on;
// the passes behind make it cheap. Where compute is partitioned, the model's
// own reshards of a parameter, and the one behind its marker, start and end at
// storage instead.
//
//   func.func @step(%w: tensor<8x4xf32>) -> tensor<8x4xf32> {
//     ... use %w ...
//     %m = fsdp.local_grad %g of "w"
//     return %m
// becomes, for a unit over @node (4 of 8 ranks) and a mean over @world,
//   func.func @step(%w: tensor<2x4xf32>) -> tensor<2x4xf32> {
//     %full = fsdp.reshard %w of [8, 4] from <[{@node}, {}]> to <[{}, {}]>
//     ... use %full ...
//     %m = fsdp.local_grad %g of "w"
//     %r = fsdp.reshard %m of [8, 4] from <[{}, {}], partial = {@world}>
//              to <[{@node}, {}]>
//     %s = fsdp.scale %r by 1 over 8
//     return %s
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/Storage.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace fsdp {
#define GEN_PASS_DEF_SHARDSTORAGEPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct ShardStoragePass
    : public fsdp::impl::ShardStoragePassBase<ShardStoragePass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    Phases phases(*step);
    StorageRules rules(getOperation(), *step);
    if (failed(rules.findDivisor()))
      return signalPassFailure();
    for (const Parameter &parameter : step->getParameters()) {
      FailureOr<Storage> storage = rules.get(parameter);
      if (failed(storage))
        return signalPassFailure();
      for (LocalGradOp marker : parameter.markers)
        if (failed(reduceGradient(rules, *storage, marker)))
          return signalPassFailure();
      shardArgument(*step, phases, *storage, parameter.argument, true);
      for (unsigned state : parameter.states)
        shardArgument(*step, phases, *storage, state, false);
      for (int result : {parameter.grad, parameter.updated})
        if (result >= 0)
          shardResult(*step, *storage, result);
      for (unsigned result : parameter.updatedStates)
        shardResult(*step, *storage, result);
    }
    recordShapes(*step);
  }

  void shardArgument(const Step &step, const Phases &phases,
                     const Storage &storage, unsigned argument,
                     bool isParameter);
  void shardResult(const Step &step, const Storage &storage, unsigned result);
  LogicalResult reduceGradient(StorageRules &rules, const Storage &storage,
                               LocalGradOp marker);
  void recordShapes(const Step &step);
};
} // namespace

/// True where an argument or result has the parameter's shape, and so is
/// stored as the parameter is; a step counter is not.
static bool isStoredAlike(const Storage &storage, Type type) {
  return cast<ShapedType>(type).getShape() == ArrayRef<int64_t>(storage.shape);
}

/// Sets what the boundary says of a stored value.
static NamedAttrList describe(const Storage &storage, DictionaryAttr attributes,
                              MLIRContext *context) {
  NamedAttrList list(attributes);
  list.set(attr::globalShape, DenseI64ArrayAttr::get(context, storage.shape));
  list.set(attr::storage, storage.stored);
  return list;
}

/// Reshards `value` from storage to `target` in front of the first of `uses`,
/// through the unit's parameter dtype if `narrow`, and makes them use the
/// result.
static void gatherFor(const Storage &storage, Value value, ShardingAttr target,
                      ArrayRef<OpOperand *> uses, StringRef what, bool narrow) {
  if (uses.empty())
    return;
  // In the loop over micro-batches where all uses are there: a unit is
  // gathered for each of them.
  Block *block = uses.front()->getOwner()->getBlock();
  auto inBlock = [&](OpOperand *use) {
    return block->findAncestorOpInBlock(*use->getOwner());
  };
  while (!llvm::all_of(uses, inBlock) ||
         !isa<func::FuncOp, scf::ForOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  Operation *first = inBlock(uses.front());
  for (OpOperand *use : uses)
    if (inBlock(use)->isBeforeInBlock(first))
      first = inBlock(use);

  OpBuilder builder(first);
  Location loc = storage.getLoc(what);
  Type element = cast<ShapedType>(value.getType()).getElementType();
  // A wider type would send more bytes to no effect.
  if (narrow && storage.paramType &&
      storage.paramType.getIntOrFloatBitWidth() <=
          element.getIntOrFloatBitWidth())
    value = createCast(builder, loc, value, storage.paramType);
  value = storage.reshard(builder, loc, value, storage.stored, target);
  if (auto gather = value.getDefiningOp<ReshardOp>())
    gather->setAttr(attr::param, builder.getStringAttr(storage.name));
  value = createCast(builder, loc, value, element);
  for (OpOperand *use : uses)
    use->set(value);
}

/// True where dims are split over the same axes in the same order, whatever
/// groups say so.
static bool isSamePlacement(const Step &step, ShardingAttr a, ShardingAttr b) {
  SmallVector<ClassesAttr> groups;
  for (ShardingAttr sharding : {a, b})
    for (FlatSymbolRefAttr group : sharding.getGroups())
      groups.push_back(lookupClasses(step.getFunction(), group));
  FailureOr<Axes> axes =
      Axes::get(groups.empty() ? 1 : groups[0].getRanks(), groups);
  if (failed(axes) || !a.getPartial().empty() || !b.getPartial().empty())
    return false;
  for (int64_t dim = 0, e = a.getDims().size(); dim < e; ++dim)
    if (getDimAxes(*axes, step.getFunction(), a, dim) !=
        getDimAxes(*axes, step.getFunction(), b, dim))
      return false;
  return true;
}

void ShardStoragePass::shardArgument(const Step &step, const Phases &phases,
                                     const Storage &storage, unsigned index,
                                     bool isParameter) {
  func::FuncOp function = step.getFunction();
  BlockArgument argument = function.getArgument(index);
  auto type = cast<RankedTensorType>(argument.getType());
  if (!isStoredAlike(storage, type))
    return;
  function.setArgAttrs(
      index, describe(storage, function.getArgAttrDict(index), &getContext()));
  // Uses in the model by the placement that they want.
  llvm::MapVector<ShardingAttr, SmallVector<OpOperand *>> compute;
  SmallVector<OpOperand *> update;
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    auto reshard = dyn_cast<ReshardOp>(user);
    if (phases.get(user) == Phase::Optimizer || user == step.getTerminator())
      update.push_back(&use);
    else if (reshard && reshard.getSource().isReplicated() &&
             reshard.getTarget().getPartial().empty())
      for (OpOperand &next : reshard->getUses())
        compute[isSamePlacement(step, reshard.getTarget(), storage.stored)
                    ? storage.stored
                    : reshard.getTarget().withVarying(
                          storage.whole.getVarying())]
            .push_back(&next);
    else
      compute[storage.whole].push_back(&use);
  }
  // An op that takes the shard as it is gets nothing that says so.
  if (compute.contains(storage.stored))
    function.setArgAttr(index, attr::sharding, storage.stored);
  argument.setType(
      storage.getType(function, storage.stored, type.getElementType()));
  for (auto &[target, uses] : compute)
    gatherFor(storage, argument, target, uses, "gather", isParameter);
  gatherFor(storage, argument, storage.whole, update, "update", false);
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
    if (isa<ReshardOp>(user) && user->use_empty())
      user->erase();
}

void ShardStoragePass::shardResult(const Step &step, const Storage &storage,
                                   unsigned index) {
  func::FuncOp function = step.getFunction();
  Value value = step.getTerminator()->getOperand(index);
  if (!isStoredAlike(storage, value.getType()))
    return;
  function.setResultAttrs(
      index,
      describe(storage, function.getResultAttrDict(index), &getContext()));
  OpBuilder builder(step.getTerminator());
  step.getTerminator()->setOperand(
      index, storage.reshard(builder, storage.getLoc("store"), value,
                             storage.whole, storage.stored));
}

/// The loop's result in which a marked gradient, as `whole`, is added up from
/// zero; null where it goes anywhere else.
static OpResult findAccumulated(scf::ForOp loop, Value whole) {
  auto add = whole.hasOneUse() ? dyn_cast<arith::AddFOp>(*whole.user_begin())
                               : arith::AddFOp();
  if (!add || !add->hasOneUse() || !isa<func::FuncOp>(loop->getParentOp()))
    return {};
  auto carried = dyn_cast<BlockArgument>(add.getLhs() == whole ? add.getRhs()
                                                               : add.getLhs());
  if (!carried || carried.getOwner() != loop.getBody() ||
      !carried.hasOneUse() ||
      loop.getTiedLoopYieldedValue(carried) != &*add->use_begin() ||
      !isZero(loop.getTiedLoopInit(carried)->get()))
    return {};
  return loop.getTiedLoopResult(carried);
}

/// In the loop over micro-batches, makes `sum` add up `value`, of another
/// placement and dtype.
static void accumulate(scf::ForOp loop, OpResult sum, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  BlockArgument carried = loop.getTiedLoopRegionIterArg(sum);
  carried.setType(type);
  sum.setType(type);
  OpOperand *yielded = loop.getTiedLoopYieldedValue(carried);
  Operation *add = yielded->get().getDefiningOp();
  OpBuilder builder(add);
  yielded->set(arith::AddFOp::create(builder, add->getLoc(), carried, value));
  add->erase();
  builder.setInsertionPoint(loop);
  loop.getTiedLoopInit(sum)->set(createZero(builder, loop.getLoc(), type));
}

/// Behind the marker: cast, reduce to the shard, scale, cast back. In a loop
/// over micro-batches each is reduced to the shard and added up there; what is
/// left to be summed over replicas waits for the last one.
LogicalResult ShardStoragePass::reduceGradient(StorageRules &rules,
                                               const Storage &storage,
                                               LocalGradOp marker) {
  FailureOr<Gradient> gradient = rules.getGradient(storage, marker);
  if (failed(gradient))
    return failure();
  Location loc = storage.getLoc("reduce");
  Value used = gradient->whole;
  auto loop = dyn_cast<scf::ForOp>(marker->getParentOp());
  OpResult sum = loop ? findAccumulated(loop, used) : OpResult();
  if (loop && !sum)
    return marker.emitOpError("expected a gradient in a loop to be added up "
                              "there from zero, and nothing else");
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : (sum ? Value(sum) : used).getUses())
    uses.push_back(&use);

  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(marker);
  Type element = cast<ShapedType>(marker.getType()).getElementType();
  Type reduceType = storage.reduceType ? storage.reduceType : element;
  // f16 overflows where the sum does though the mean would not. What divides
  // is known behind the loop only.
  bool scaleFirst = reduceType.isF16() && !(loop && storage.divisor);
  Value value;
  if (isZero(marker.getInput())) {
    note(loc, "unused",
         "parameter '" + storage.name +
             "' is never used; its gradient is zero and nothing is sent");
    value = createZero(
        builder, loc,
        storage.getType(marker, storage.stored, loop ? reduceType : element));
    gradient->reduced = storage.stored;
    scaleFirst = true;
  } else {
    value = createCast(builder, loc, marker, reduceType);
    if (scaleFirst)
      value = storage.scale(builder, loc, value);
    value = storage.reshard(builder, loc, value, gradient->marked,
                            loop ? gradient->reduced : storage.stored);
  }
  if (loop) {
    accumulate(loop, sum, value);
    value = sum;
    builder.setInsertionPointAfter(loop);
    if (storage.divisor &&
        loop->isBeforeInBlock(storage.divisor.getDefiningOp()))
      builder.setInsertionPointAfterValue(storage.divisor);
    value =
        storage.reshard(builder, loc, value, gradient->reduced, storage.stored);
  }
  if (!scaleFirst)
    value = storage.scale(builder, loc, value);
  value = createCast(builder, loc, value, element);
  value = storage.reshard(builder, storage.getLoc("update"), value,
                          storage.stored, storage.whole);
  for (OpOperand *use : uses)
    use->set(value);
  if (used != marker)
    used.getDefiningOp()->erase();
  return success();
}

/// The function's type follows its block and terminator; what is not stored by
/// a unit is stored as it is computed with.
void ShardStoragePass::recordShapes(const Step &step) {
  func::FuncOp function = step.getFunction();
  function.setFunctionType(
      FunctionType::get(&getContext(), function.front().getArgumentTypes(),
                        step.getTerminator()->getOperandTypes()));
  auto shapeOf = [&](Type type) {
    return DenseI64ArrayAttr::get(&getContext(),
                                  cast<ShapedType>(type).getShape());
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, attr::storage)) {
      if (!function.getArgAttr(i, attr::globalShape))
        function.setArgAttr(i, attr::globalShape,
                            shapeOf(function.getArgumentTypes()[i]));
      function.setArgAttr(i, attr::storage, step.getArgSharding(i));
    }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, attr::storage)) {
      if (!function.getResultAttr(i, attr::globalShape))
        function.setResultAttr(i, attr::globalShape,
                               shapeOf(function.getResultTypes()[i]));
      function.setResultAttr(i, attr::storage, step.getResultSharding(i));
    }
}
