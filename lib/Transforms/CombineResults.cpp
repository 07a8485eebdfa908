// SPDX-License-Identifier: Apache-2.0
//===- CombineResults.cpp - loss, buffers and seeds over the ranks --------===//
//
// What the step returns for all ranks is combined over them: the loss as it
// declares, buffers updated from a per-rank batch as the plan says. Random
// numbers differ per rank while the next seed stays common.
//
//   return %loss {fsdp.loss = #fsdp.loss<mean = [@world]>}
// becomes, for 8 ranks,
//   %0 = fsdp.all_reduce sum %loss over @world
//   %1 = fsdp.scale %0 by 1 over 8
//   return %1
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Analysis/Varying.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
    Varying varying(*step);
    func::FuncOp function = step->getFunction();
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      StringRef updated = step->getResultRole(i, attr::updated);
      if (auto loss = function.getResultAttrOfType<LossAttr>(i, attr::loss)) {
        combineLoss(*step, i, loss);
      } else if (!updated.empty() && !step->lookup(updated)) {
        if (failed(combineBuffer(*step, varying, i)))
          return signalPassFailure();
      }
    }
    separateSeeds(*step);
  }

  void combineLoss(const Step &step, unsigned result, LossAttr loss);
  LogicalResult combineBuffer(const Step &step, const Varying &varying,
                              unsigned result);
  void separateSeeds(const Step &step);
  void separate(Value seed, OpOperand *next, FlatSymbolRefAttr world);
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

/// Each rank draws with seed + rank; the next seed comes from the common one.
void CombineResultsPass::separateSeeds(const Step &step) {
  func::FuncOp function = step.getFunction();
  int64_t ranks = getWorld(getOperation()).getRanks();
  int result = step.findResult(attr::updatedSeed);
  int argument = step.findArg(attr::seed);
  if (argument < 0 || ranks == 1)
    return;
  FlatSymbolRefAttr world = getOrCreateGroup(
      getOperation(), getClasses(&getContext(), ranks, {{1, ranks}}), "world");
  Value seed = function.getArgument(argument);
  Operation *terminator = step.getTerminator();
  // With micro-batches the seed is carried by their loop and used in it.
  if (result >= 0) {
    auto carried = dyn_cast<OpResult>(terminator->getOperand(result));
    auto loop =
        carried ? dyn_cast<scf::ForOp>(carried.getOwner()) : scf::ForOp();
    if (loop && loop.getTiedLoopInit(carried)->get() == seed) {
      BlockArgument own = loop.getTiedLoopRegionIterArg(carried);
      return separate(own, loop.getTiedLoopYieldedValue(own), world);
    }
  }
  separate(seed, result < 0 ? nullptr : &terminator->getOpOperand(result),
           world);
}

/// In the block of `seed`: all its uses get this rank's seed but for those that
/// compute `next`, which are made again for the common one.
void CombineResultsPass::separate(Value seed, OpOperand *next,
                                  FlatSymbolRefAttr world) {
  Block *block = seed.getParentBlock();
  auto type = cast<RankedTensorType>(seed.getType());
  Location loc = seed.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  Value rank = arith::IndexCastOp::create(
      builder, loc, type.getElementType(),
      RankIndexOp::create(builder, loc, builder.getIndexType(), world));
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
