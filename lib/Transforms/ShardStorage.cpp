// SPDX-License-Identifier: Apache-2.0
//===- ShardStorage.cpp - store parameters and gradients as shards --------===//
//
// Decides where every parameter, gradient, state and update is kept, and puts
// `fsdp.reshard` on the borders: from storage to compute in front of the first
// use, from the marker's partial sum to storage behind it, from the optimizer's
// whole tensors to storage at the results. The program is right from here on;
// the passes behind make it cheap.
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
    for (const Parameter &parameter : step->getParameters()) {
      FailureOr<Storage> storage = rules.get(parameter);
      if (failed(storage))
        return signalPassFailure();
      for (LocalGradOp marker : parameter.markers)
        reduceGradient(*storage, marker);
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
  void reduceGradient(const Storage &storage, LocalGradOp marker);
  Value reduceAccumulated(const Storage &storage, LocalGradOp marker);
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

/// Reshards `value` in front of the first of `uses`, through the unit's
/// parameter dtype if `narrow`, and makes them use the result.
static void gatherFor(const Storage &storage, Value value,
                      ArrayRef<OpOperand *> uses, Location loc, bool narrow) {
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
  Type element = cast<ShapedType>(value.getType()).getElementType();
  Value full = value;
  // A wider type would send more bytes to no effect.
  if (narrow && storage.paramType &&
      storage.paramType.getIntOrFloatBitWidth() <=
          element.getIntOrFloatBitWidth())
    full = createCast(builder, loc, full, storage.paramType);
  full = storage.reshard(builder, loc, full, storage.stored, storage.compute);
  full = createCast(builder, loc, full, element);
  for (OpOperand *use : uses)
    use->set(full);
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
  SmallVector<OpOperand *> compute, update;
  for (OpOperand &use : argument.getUses()) {
    bool isUpdate = phases.get(use.getOwner()) == Phase::Optimizer ||
                    use.getOwner() == step.getTerminator();
    (isUpdate ? update : compute).push_back(&use);
  }
  argument.setType(
      storage.getType(function, storage.stored, type.getElementType()));
  gatherFor(storage, argument, compute, storage.getLoc("gather"), isParameter);
  gatherFor(storage, argument, update, storage.getLoc("update"), false);
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
                             storage.compute, storage.stored));
}

/// Behind the marker: cast, reduce to the shard, scale, cast back.
void ShardStoragePass::reduceGradient(const Storage &storage,
                                      LocalGradOp marker) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(marker);
  Location loc = storage.getLoc("reduce");
  auto type = cast<RankedTensorType>(marker.getType());
  Value users = marker;
  Value reduced;
  bool isUnused = isZero(marker.getInput());
  bool inLoop = isa<scf::ForOp>(marker->getParentOp());
  if (isUnused)
    note(loc, "unused",
         "parameter '" + storage.name +
             "' is never used; its gradient is zero and nothing is sent");
  if (isUnused && !inLoop) {
    reduced = createZero(
        builder, loc,
        storage.getType(marker, storage.stored, type.getElementType()));
  } else {
    Type reduceType =
        storage.reduceType ? storage.reduceType : type.getElementType();
    // f16 overflows where the sum does though the mean would not.
    bool scaleFirst = reduceType.isF16();
    if (inLoop) {
      users = reduceAccumulated(storage, marker);
      builder.setInsertionPointAfterValue(users);
      reduced = users; // Scaled in the loop if it must be.
    } else {
      reduced = createCast(builder, loc, marker, reduceType);
      if (scaleFirst)
        reduced = storage.scale(builder, loc, reduced);
    }
    ShardingAttr from = inLoop ? storage.storedPartial : storage.partial;
    Value sum =
        isUnused ? reduced
                 : storage.reshard(builder, loc, reduced, from, storage.stored);
    reduced = scaleFirst ? sum : storage.scale(builder, loc, sum);
    reduced = createCast(builder, loc, reduced, type.getElementType());
  }
  Value whole = storage.reshard(builder, storage.getLoc("update"), reduced,
                                storage.stored, storage.compute);
  // Everything below the marker but what was made here.
  SmallPtrSet<Operation *, 8> made;
  for (Operation *op = whole.getDefiningOp(); op;) {
    made.insert(op);
    Value next = op->getNumOperands() ? op->getOperand(0) : Value();
    op = next && next != users ? next.getDefiningOp() : nullptr;
  }
  users.replaceUsesWithIf(
      whole, [&](OpOperand &use) { return !made.contains(use.getOwner()); });
}

/// In a loop over micro-batches: each is reduced to the shard and added up
/// there; what is left to be summed over replicas waits for the last one.
/// Returns the loop's result, the sum of shards in the reduction's dtype.
Value ShardStoragePass::reduceAccumulated(const Storage &storage,
                                          LocalGradOp marker) {
  auto loop = cast<scf::ForOp>(marker->getParentOp());
  auto add = cast<arith::AddFOp>(*marker->user_begin());
  auto carried = cast<BlockArgument>(add.getLhs());
  unsigned index = carried.getArgNumber() - loop.getNumInductionVars();
  auto type = cast<RankedTensorType>(marker.getType());
  Type element =
      storage.reduceType ? storage.reduceType : type.getElementType();
  Location loc = storage.getLoc("reduce");

  OpBuilder builder(add);
  Value reduced;
  if (isZero(marker.getInput())) {
    reduced = createZero(builder, loc,
                         storage.getType(loop, storage.storedPartial, element));
  } else {
    reduced = createCast(builder, loc, marker, element);
    if (element.isF16())
      reduced = storage.scale(builder, loc, reduced);
    reduced = storage.reshard(builder, loc, reduced, storage.partial,
                              storage.storedPartial);
  }
  carried.setType(reduced.getType());
  Value sum = arith::AddFOp::create(builder, add.getLoc(), carried, reduced);
  add.replaceAllUsesWith(sum);
  add.erase();
  builder.setInsertionPoint(loop);
  loop.getInitArgsMutable()[index].set(
      createZero(builder, loc, cast<RankedTensorType>(reduced.getType())));
  Value result = loop.getResult(index);
  result.setType(reduced.getType());
  return result;
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
      function.setArgAttr(i, attr::globalShape,
                          shapeOf(function.getArgumentTypes()[i]));
      function.setArgAttr(i, attr::storage, step.getArgSharding(i));
    }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, attr::storage)) {
      function.setResultAttr(i, attr::globalShape,
                             shapeOf(function.getResultTypes()[i]));
      function.setResultAttr(i, attr::storage, step.getResultSharding(i));
    }
}
