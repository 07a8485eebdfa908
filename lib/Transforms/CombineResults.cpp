// SPDX-License-Identifier: Apache-2.0
//===- CombineResults.cpp - loss, buffers and seeds over the ranks --------===//
//
// What the step returns for all ranks is combined over them: the loss as it
// declares, buffers updated from a per-rank batch as the plan says. Ranks with
// batches of their own draw their own random numbers; the next seed stays
// common.
//
//   return %loss {fsdp.loss = #fsdp.loss<mean = [@world]>}
// becomes, for 8 ranks,
//   %0 = fsdp.all_reduce sum %loss over @world
//   %1 = fsdp.scale %0 by 1 over 8
//   return %1
//
// A loss over a count is divided by the count of all ranks and micro-batches.
// So are gradients, behind their reduction, by `fsdp-shard-storage`: the count
// is made where all of them are still to come.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Analysis/Varying.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "fsdp/Transforms/Storage.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace fsdp {
#define GEN_PASS_DEF_COMBINERESULTSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct CombineResultsPass
    : public fsdp::impl::CombineResultsPassBase<CombineResultsPass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    if (!getWorld(getOperation())) {
      emitError(getOperation().getLoc(), "expected '") << attr::world << "'";
      return signalPassFailure();
    }
    Varying varying(*step);
    func::FuncOp function = step->getFunction();
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      StringRef updated = step->getResultRole(i, attr::updated);
      if (auto loss = function.getResultAttrOfType<LossAttr>(i, attr::loss)) {
        combineLoss(*step, i, loss);
        if (loss.getDivideBy() && failed(divideLoss(*step, i, loss)))
          return signalPassFailure();
      } else if (!updated.empty() && !step->lookup(updated)) {
        if (failed(combineBuffer(*step, varying, i)))
          return signalPassFailure();
      }
    }
    separateSeeds(*step);
  }

  void combineLoss(const Step &step, unsigned result, LossAttr loss);
  LogicalResult divideLoss(const Step &step, unsigned result, LossAttr loss);
  Value addCounts(OpBuilder &builder, Value count, FloatType element,
                  LossAttr loss);
  LogicalResult combineBuffer(const Step &step, const Varying &varying,
                              unsigned result);
  void separateSeeds(const Step &step);
  void separate(Value seed, OpOperand *next, FlatSymbolRefAttr group);
};
} // namespace

/// The sum over a group, over `divisor`.
static Value createSum(OpBuilder &builder, Location loc, Value value,
                       FlatSymbolRefAttr group, int64_t divisor) {
  auto scale = [&]() {
    if (divisor != 1)
      value = ScaleOp::create(builder, loc, value, 1, divisor);
  };
  // f16 overflows where the sum does though the mean would not.
  bool scaleFirst = cast<ShapedType>(value.getType()).getElementType().isF16();
  if (scaleFirst)
    scale();
  value = AllReduceOp::create(builder, loc, TypeRange(value.getType()), value,
                              group.getValue(), ReductionKind::Sum)
              .getResult(0);
  if (!scaleFirst)
    scale();
  return value;
}

void CombineResultsPass::combineLoss(const Step &step, unsigned result,
                                     LossAttr loss) {
  ClassesAttr classes = getJoin(getOperation(), loss.getGroups());
  if (classes.getSize() == 1)
    return;
  FlatSymbolRefAttr group = getOrCreateGroup(getOperation(), classes, "loss");
  Operation *terminator = step.getTerminator();
  OpBuilder builder(terminator);
  Value value = terminator->getOperand(result);
  Location loc = value.getLoc();
  value = createSum(builder, loc, value, group,
                    loss.getMean() ? classes.getSize() : 1);
  terminator->setOperand(result, value);
}

/// The sum of all elements of `value`, numbers of any kind, as a scalar.
static Value createTotal(OpBuilder &builder, Location loc, Value value,
                         FloatType element) {
  auto type = cast<RankedTensorType>(value.getType());
  Value zero = createZero(builder, loc, RankedTensorType::get({}, element));
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps = {
      AffineMap::getMultiDimIdentityMap(type.getRank(), context),
      AffineMap::get(type.getRank(), 0, context)};
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, zero.getType(), value, zero, maps, loops,
             [&](OpBuilder &nested, Location at, ValueRange arguments) {
               Value number =
                   isa<FloatType>(type.getElementType())
                       ? createScalarCast(nested, at, arguments[0], element)
                       : arith::SIToFPOp::create(nested, at, element,
                                                 arguments[0]);
               Value sum =
                   arith::AddFOp::create(nested, at, arguments[1], number);
               linalg::YieldOp::create(nested, at, sum);
             })
      .getResult(0);
}

/// The count of all ranks and micro-batches.
Value CombineResultsPass::addCounts(OpBuilder &builder, Value count,
                                    FloatType element, LossAttr loss) {
  Location loc = count.getLoc();
  Value total = createTotal(builder, loc, count, element);
  // Losses and gradients are averaged over micro-batches or added, and so are
  // counts: all that is counted in a step weighs the same. An output that is
  // equal for all micro-batches is not stacked.
  auto accumulate =
      getOperation()->getAttrOfType<AccumulateAttr>(attr::accumulate);
  int64_t steps = accumulate ? accumulate.getSteps() : 1;
  bool isStacked = cast<ShapedType>(count.getType()).getRank();
  if (isStacked && accumulate.getMean())
    total = ScaleOp::create(builder, loc, total, 1, steps);
  else if (!isStacked && steps > 1 && !accumulate.getMean())
    total = ScaleOp::create(builder, loc, total, steps, 1);
  ClassesAttr classes = getJoin(getOperation(), loss.getGroups());
  if (classes.getSize() == 1)
    return total;
  return createSum(builder, loc, total,
                   getOrCreateGroup(getOperation(), classes, "loss"), 1);
}

/// Where in the step's block all gradients are still to come: in front of the
/// first marker, or behind the loop that it is in.
static Operation *findFirstGradient(const Step &step) {
  Operation *first = step.getTerminator();
  for (const Parameter &parameter : step.getParameters())
    for (LocalGradOp marker : parameter.markers) {
      Operation *at = first->getBlock()->findAncestorOpInBlock(*marker);
      if (at != marker)
        at = at->getNextNode();
      if (at->isBeforeInBlock(first))
        first = at;
    }
  return first;
}

LogicalResult CombineResultsPass::divideLoss(const Step &step, unsigned result,
                                             LossAttr loss) {
  Operation *terminator = step.getTerminator();
  auto error = [&]() { return emitError(step.getFunction().getLoc()); };
  int output = step.findResult(attr::output, loss.getDivideBy());
  if (output < 0)
    return error() << "expected an output " << loss.getDivideBy()
                   << ", which the loss is divided by, but got none";
  Value count = terminator->getOperand(output);
  auto type = cast<RankedTensorType>(count.getType());
  auto accumulate =
      getOperation()->getAttrOfType<AccumulateAttr>(attr::accumulate);
  bool isStacked = accumulate && accumulate.getSteps() > 1 &&
                   type.getShape() == ArrayRef(accumulate.getSteps());
  if ((type.getRank() && !isStacked) || !type.getElementType().isIntOrFloat() ||
      type.getElementType().isInteger(1))
    return error() << "expected the output " << loss.getDivideBy()
                   << ", which the loss is divided by, to be one number per "
                      "batch, but got "
                   << type;

  // What the count needs may stand behind the first gradient.
  Operation *first = findFirstGradient(step);
  Block *block = first->getBlock();
  DenseSet<Operation *> needed;
  collectAncestors(block, count, needed, {});
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(first->getIterator(), block->end()))) {
    if (!needed.contains(&op))
      continue;
    if (isa<LocalGradOp>(op))
      return op.emitOpError("expected no gradient in the output ")
             << loss.getDivideBy() << ", which the loss is divided by";
    op.moveBefore(first);
  }
  Value sum = terminator->getOperand(result);
  auto element =
      cast<FloatType>(cast<ShapedType>(sum.getType()).getElementType());
  OpBuilder builder(first);
  if (element.getWidth() < 32)
    element = builder.getF32Type();
  Value total = addCounts(builder, count, element, loss);
  total.getDefiningOp()->setAttr(divisorAttr, builder.getUnitAttr());
  builder.setInsertionPoint(terminator);
  terminator->setOperand(result,
                         createDivision(builder, sum.getLoc(), sum, total));
  return success();
}

LogicalResult CombineResultsPass::combineBuffer(const Step &step,
                                                const Varying &varying,
                                                unsigned result) {
  Operation *terminator = step.getTerminator();
  Value value = terminator->getOperand(result);
  SmallVector<Attribute> groups;
  for (FlatSymbolRefAttr group : varying.get(value))
    groups.push_back(group);
  auto how = getOperation()->getAttrOfType<StringAttr>(attr::buffers);
  if (groups.empty() || (how && how.getValue() == "local"))
    return success();
  ClassesAttr classes =
      getJoin(getOperation(), ArrayAttr::get(&getContext(), groups));
  if (classes.getSize() == 1)
    return success();
  FlatSymbolRefAttr group =
      getOrCreateGroup(getOperation(), classes, "buffers");
  OpBuilder builder(terminator);
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  if (how && how.getValue() == "rank0") {
    value = BroadcastOp::create(builder, loc, TypeRange(type), value,
                                group.getValue(), 0)
                .getResult(0);
  } else if (!isa<FloatType>(type.getElementType())) {
    return emitError(loc) << "expected a buffer of integers to be equal on all "
                             "ranks, but got '"
                          << step.getResultRole(result, attr::updated)
                          << "', which depends on the batch; say 'buffers: "
                             "rank0' or 'local'";
  } else {
    value = createSum(builder, loc, value, group, classes.getSize());
  }
  terminator->setOperand(result, value);
  return success();
}

/// Ranks with batches of their own draw with the seed + their index among
/// these; the next seed comes from the common one.
void CombineResultsPass::separateSeeds(const Step &step) {
  func::FuncOp function = step.getFunction();
  int result = step.findResult(attr::updatedSeed);
  int argument = step.findArg(attr::seed);
  if (argument < 0)
    return;
  llvm::SetVector<Attribute> groups;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, attr::input))
      groups.insert_range(step.getArgSharding(i).getVarying());
  ClassesAttr classes = getJoin(
      getOperation(), ArrayAttr::get(&getContext(), groups.getArrayRef()));
  if (classes.getSize() == 1)
    return;
  FlatSymbolRefAttr group = getOrCreateGroup(getOperation(), classes, "batch");
  Value seed = function.getArgument(argument);
  Operation *terminator = step.getTerminator();
  // With micro-batches the seed is carried by their loop and used in it.
  if (result >= 0) {
    auto carried = dyn_cast<OpResult>(terminator->getOperand(result));
    auto loop =
        carried ? dyn_cast<scf::ForOp>(carried.getOwner()) : scf::ForOp();
    if (loop && loop.getTiedLoopInit(carried)->get() == seed) {
      BlockArgument own = loop.getTiedLoopRegionIterArg(carried);
      return separate(own, loop.getTiedLoopYieldedValue(own), group);
    }
  }
  separate(seed, result < 0 ? nullptr : &terminator->getOpOperand(result),
           group);
}

/// In the block of `seed`: all its uses get this rank's seed but for those that
/// compute `next`, which are made again for the common one.
void CombineResultsPass::separate(Value seed, OpOperand *next,
                                  FlatSymbolRefAttr group) {
  Block *block = seed.getParentBlock();
  auto type = cast<RankedTensorType>(seed.getType());
  Location loc = seed.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  Value rank = arith::IndexCastOp::create(
      builder, loc, type.getElementType(),
      RankIndexOp::create(builder, loc, builder.getIndexType(), group));
  Value own = createElementwise(
      builder, loc, seed, type.getShape(), type.getElementType(),
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        return SmallVector<Value>{
            arith::AddIOp::create(nested, nestedLoc, arguments[0], rank)};
      })[0];
  seed.replaceAllUsesExcept(own, own.getDefiningOp());
  if (!next)
    return;
  DenseSet<Operation *> ops;
  collectAncestors(block, next->get(), ops,
                   [&](Operation *op) { return op == own.getDefiningOp(); });
  IRMapping mapping;
  mapping.map(own, seed);
  builder.setInsertionPoint(next->getOwner());
  for (Operation &op : llvm::make_early_inc_range(*block))
    if (ops.contains(&op))
      builder.clone(op, mapping);
  next->set(mapping.lookupOrDefault(next->get()));
}
