// SPDX-License-Identifier: Apache-2.0
//===- Accumulate.cpp - loop forward and backward over micro-batches ------===//
//
// One step over several micro-batches: the model is the body of a loop, marked
// gradients and the loss are added up in it, the optimizer runs once behind.
//
//   func.func @step(%w, %x: tensor<8x4xf32> {fsdp.input = "x"}) {
//     %g = ...
//     %m = fsdp.local_grad %g of "w"
//     ... optimizer on %m ...
// becomes, for two micro-batches averaged,
//   func.func @step(%w, %x: tensor<2x8x4xf32> {fsdp.input = "x"}) {
//     %sum = scf.for %i = 0 to 2 iter_args(%acc = 0) {
//       %xi = tensor.extract_slice %x[%i, ...]
//       %g = ...
//       %m = fsdp.local_grad %g of "w"
//       %next = arith.addf %acc, %m
//       scf.yield %next
//     }
//     %mean = fsdp.scale %sum by 1 over 2
//     ... optimizer on %mean ...
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Analysis/Varying.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fsdp {
#define GEN_PASS_DEF_ACCUMULATEPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
/// How a value leaves the loop.
enum class Carry { Add, Stack, Replace };

/// One value that the loop carries.
struct Carried {
  Carry how;
  /// What the body computes.
  Value value;
  /// The argument that a replaced value starts from.
  Value start = {};
  /// The result of the step that it is; a gradient is used by all that use it.
  int result = -1;
};

struct AccumulatePass : public fsdp::impl::AccumulatePassBase<AccumulatePass> {
  void runOnOperation() override {
    accumulate =
        getOperation()->getAttrOfType<AccumulateAttr>(attr::accumulate);
    if (!accumulate || accumulate.getSteps() == 1)
      return;
    FailureOr<Step> found = Step::get(getOperation());
    if (failed(found))
      return signalPassFailure();
    Phases phases(*found);
    SmallVector<Operation *> model = collectModel(*found, phases);
    if (failed(checkCut(*found, phases)))
      return signalPassFailure();
    SmallVector<Carried> carried = collectCarried(*found, phases);
    buildLoop(*found, model, carried);
  }

  SmallVector<Operation *> collectModel(const Step &step, const Phases &phases);
  LogicalResult checkCut(const Step &step, const Phases &phases);
  SmallVector<Carried> collectCarried(const Step &step, const Phases &phases);
  void buildLoop(const Step &step, ArrayRef<Operation *> model,
                 ArrayRef<Carried> carried);
  Value sliceInput(OpBuilder &builder, const Step &step, unsigned index,
                   RankedTensorType type, Value iteration);
  void widenInputs(const Step &step);
  void placeOutputs(const Step &step);

  AccumulateAttr accumulate;
};
} // namespace

static bool isModel(const Phases &phases, Operation *op) {
  return isa<LocalGradOp>(op) ||
         (!isFree(op) && phases.get(op) != Phase::Optimizer);
}

/// Forward, backward and markers, in order, with the constants among them.
SmallVector<Operation *> AccumulatePass::collectModel(const Step &step,
                                                      const Phases &phases) {
  SmallVector<Operation *> model;
  for (Operation &op : step.getFunction().front())
    if (isFree(&op) || isModel(phases, &op))
      model.push_back(&op);
  return model;
}

/// True for inputs and what the model computes, but for marked gradients.
static bool isOfOneBatch(const Step &step, const Phases &phases, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return bool(
        step.getFunction().getArgAttr(argument.getArgNumber(), attr::input));
  Operation *def = value.getDefiningOp();
  return !isFree(def) && !isa<LocalGradOp>(def) && isModel(phases, def);
}

/// Of the model, the optimizer may use marked gradients only.
LogicalResult AccumulatePass::checkCut(const Step &step, const Phases &phases) {
  for (Operation &op : step.getFunction().front()) {
    if (isFree(&op) || isModel(phases, &op) || &op == step.getTerminator())
      continue;
    SetVector<Value> used(op.operand_begin(), op.operand_end());
    for (Region &region : op.getRegions())
      getUsedValuesDefinedAbove(region, used);
    for (Value value : used) {
      if (!isOfOneBatch(step, phases, value))
        continue;
      InFlightDiagnostic diag =
          op.emitError("expected the optimizer to use gradients only where "
                       "micro-batches are accumulated");
      diag.attachNote(value.getLoc()) << "this value is of one micro-batch";
      return diag;
    }
  }
  return success();
}

SmallVector<Carried> AccumulatePass::collectCarried(const Step &step,
                                                    const Phases &phases) {
  func::FuncOp function = step.getFunction();
  Operation *terminator = step.getTerminator();
  SmallVector<Carried> carried;
  for (const Parameter &parameter : step.getParameters())
    for (LocalGradOp marker : parameter.markers)
      carried.push_back({Carry::Add, marker});
  DenseSet<Value> moving;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    Value value = terminator->getOperand(i);
    Operation *def = value.getDefiningOp();
    if (def && !isFree(def) && (isa<LocalGradOp>(def) || !isModel(phases, def)))
      continue;
    // Updates and losses count for each batch, whatever they are.
    StringRef updated = step.getResultRole(i, attr::updated);
    Value start;
    if (function.getResultAttr(i, attr::updatedSeed))
      start = function.getArgument(step.findArg(attr::seed));
    else if (!updated.empty() && !step.lookup(updated))
      start = function.getArgument(step.findArg(attr::buffer, updated));
    if (start && start != value)
      moving.insert(start);
    if (function.getResultAttr(i, attr::loss))
      carried.push_back({Carry::Add, value, Value(), int(i)});
    else if (start && start != value)
      carried.push_back({Carry::Replace, value, start, int(i)});
    else if (!start && def && !isFree(def))
      carried.push_back({Carry::Stack, value, Value(), int(i)});
  }
  // Of what moves on, an output says what the last batch has; what divides the
  // loss is one number per batch.
  LossAttr loss = step.getLoss();
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto argument = dyn_cast<BlockArgument>(terminator->getOperand(i));
    auto name = function.getResultAttrOfType<StringAttr>(i, attr::output);
    if (!argument || !name)
      continue;
    if (loss && loss.getDivideBy() == name &&
        function.getArgAttr(argument.getArgNumber(), attr::buffer))
      carried.push_back({Carry::Stack, argument, Value(), int(i)});
    else if (moving.contains(argument))
      carried.push_back({Carry::Replace, argument, argument, int(i)});
  }
  return carried;
}

/// The micro-batch of an input in one iteration.
Value AccumulatePass::sliceInput(OpBuilder &builder, const Step &step,
                                 unsigned index, RankedTensorType type,
                                 Value iteration) {
  SmallVector<OpFoldResult> offsets(type.getRank() + 1,
                                    builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(1)};
  SmallVector<OpFoldResult> ones(type.getRank() + 1, builder.getIndexAttr(1));
  offsets[0] = iteration;
  for (int64_t size : type.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  return tensor::ExtractSliceOp::create(
      builder, step.getFunction().getLoc(), type,
      step.getFunction().getArgument(index), offsets, sizes, ones);
}

void AccumulatePass::buildLoop(const Step &step, ArrayRef<Operation *> model,
                               ArrayRef<Carried> carried) {
  func::FuncOp function = step.getFunction();
  Location loc = function.getLoc();
  int64_t steps = accumulate.getSteps();
  SmallPtrSet<Operation *, 16> inModel(model.begin(), model.end());
  // The loop stands where the optimizer begins; arguments only come before.
  OpBuilder builder(&*llvm::find_if(
      function.front(), [&](Operation &op) { return !inModel.contains(&op); }));
  SmallVector<Value> starts;
  for (const Carried &entry : carried) {
    auto type = cast<RankedTensorType>(entry.value.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (entry.how == Carry::Stack)
      shape.insert(shape.begin(), steps);
    starts.push_back(entry.how == Carry::Replace
                         ? entry.start
                         : createZero(builder, loc, type.clone(shape)));
  }
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(builder, loc, index(0), index(steps), index(1),
                                 starts);
  if (carried.empty())
    loop.getBody()->getTerminator()->erase();
  auto body = OpBuilder::atBlockBegin(loop.getBody());
  IRMapping mapping;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, attr::input))
      mapping.map(
          function.getArgument(i),
          sliceInput(body, step, i,
                     cast<RankedTensorType>(function.getArgument(i).getType()),
                     loop.getInductionVar()));
  for (auto [entry, argument] :
       llvm::zip_equal(carried, loop.getRegionIterArgs()))
    if (entry.how == Carry::Replace && entry.value != entry.start)
      mapping.map(entry.start, argument);
  for (Operation *op : model)
    body.clone(*op, mapping);

  SmallVector<Value> next;
  for (auto [entry, argument] :
       llvm::zip_equal(carried, loop.getRegionIterArgs())) {
    Value value = mapping.lookupOrDefault(entry.value);
    auto type = cast<RankedTensorType>(value.getType());
    if (entry.how == Carry::Add) {
      value = arith::AddFOp::create(body, value.getLoc(), argument, value);
    } else if (entry.how == Carry::Stack) {
      SmallVector<OpFoldResult> offsets(type.getRank() + 1,
                                        body.getIndexAttr(0));
      SmallVector<OpFoldResult> sizes = {body.getIndexAttr(1)};
      SmallVector<OpFoldResult> ones(type.getRank() + 1, body.getIndexAttr(1));
      offsets[0] = loop.getInductionVar();
      for (int64_t size : type.getShape())
        sizes.push_back(body.getIndexAttr(size));
      value = tensor::InsertSliceOp::create(body, value.getLoc(), value,
                                            argument, offsets, sizes, ones);
    }
    next.push_back(value);
  }
  scf::YieldOp::create(body, loc, next);

  builder.setInsertionPointAfter(loop);
  for (auto [entry, result] : llvm::zip_equal(carried, loop.getResults())) {
    Value value = result;
    if (entry.how == Carry::Add && accumulate.getMean())
      value = ScaleOp::create(builder, loc, value, 1, steps);
    if (entry.result >= 0) {
      step.getTerminator()->setOperand(entry.result, value);
      continue;
    }
    Value marker = entry.value;
    marker.replaceUsesWithIf(value, [&](OpOperand &use) {
      return !inModel.contains(use.getOwner()) &&
             !loop->isAncestor(use.getOwner());
    });
  }
  for (Operation *op : llvm::reverse(model))
    if (op->use_empty())
      op->erase();
  widenInputs(step);
  placeOutputs(step);
}

/// Inputs gain the leading dimension; stacked outputs have theirs already.
void AccumulatePass::widenInputs(const Step &step) {
  func::FuncOp function = step.getFunction();
  Builder builder(&getContext());
  auto none = builder.getArrayAttr({});
  auto prepend = [&](ShardingAttr sharding) {
    SmallVector<Attribute> dims = {none};
    llvm::append_range(dims, sharding.getDims());
    return ShardingAttr::get(&getContext(), builder.getArrayAttr(dims),
                             sharding.getReduction(), sharding.getPartial(),
                             sharding.getVarying());
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!function.getArgAttr(i, attr::input))
      continue;
    ShardingAttr sharding = prepend(step.getArgSharding(i));
    auto type = cast<RankedTensorType>(function.getArgument(i).getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), accumulate.getSteps());
    function.getArgument(i).setType(type.clone(shape));
    function.setArgAttr(i, attr::sharding, sharding);
    if (auto dim = function.getArgAttrOfType<IntegerAttr>(i, attr::batchDim))
      function.setArgAttr(i, attr::batchDim,
                          builder.getI64IntegerAttr(dim.getInt() + 1));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto type =
        cast<RankedTensorType>(step.getTerminator()->getOperand(i).getType());
    ShardingAttr sharding = step.getResultSharding(i);
    if (int64_t(sharding.getDims().size()) + 1 == type.getRank())
      function.setResultAttr(i, attr::sharding, prepend(sharding));
  }
  SmallVector<DictionaryAttr> arguments, results;
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
  function.setFunctionType(
      FunctionType::get(&getContext(), function.front().getArgumentTypes(),
                        step.getTerminator()->getOperandTypes()));
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

/// Buffers that batches update differ from the second one on, and so do outputs
/// that are made of them; those of the boundary were placed before.
void AccumulatePass::placeOutputs(const Step &step) {
  func::FuncOp function = step.getFunction();
  auto how = getOperation()->getAttrOfType<StringAttr>(attr::buffers);
  bool isLocal = how && how.getValue() == "local";
  Varying varying(step);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    StringRef updated = step.getResultRole(i, attr::updated);
    bool isBuffer = !updated.empty() && !step.lookup(updated);
    auto groups = varying.get(step.getTerminator()->getOperand(i));
    if (!groups.empty() &&
        (function.getResultAttr(i, attr::output) || (isLocal && isBuffer)))
      function.setResultAttr(i, attr::sharding,
                             step.getResultSharding(i).withVarying(
                                 joinVarying(getOperation(), groups)));
  }
}
