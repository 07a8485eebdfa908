// SPDX-License-Identifier: Apache-2.0
//===- PrepareBufferization.cpp - make bufferization copy little ----------===//
//
// one-shot-bufferize copies where a tensor is read after its buffer would be
// overwritten. Exporters share one fill, one empty or one splat constant among
// hundreds of users, each of which would then copy it. And what must be copied
// is easier to say on tensors than to repair on buffers. From here on there
// are no roles and placements any more.
//
//   %c = arith.constant dense<0.0> : tensor<4xf32>
//   %0 = linalg.add ins(...) outs(%c : tensor<4xf32>)
//   %1 = linalg.sub ins(...) outs(%c : tensor<4xf32>)
//   return %0, %0
// becomes
//   %e0 = tensor.empty() : tensor<4xf32>
//   %c0 = linalg.fill ins(%zero) outs(%e0)
//   %0 = linalg.add ins(...) outs(%c0)
//   (the same for %1)
//   %copy = bufferization.alloc_tensor() copy(%0)
//   return %0, %copy
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fsdp {
#define GEN_PASS_DEF_PREPAREBUFFERIZATIONPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// Of one row there is no stride. With one, a subview cannot tell which of
/// several dims of one row is dropped.
template <typename SliceOp> static void dropStrides(SliceOp op) {
  SmallVector<int64_t> strides(op.getStaticStrides());
  for (auto [size, stride] : llvm::zip_equal(op.getStaticSizes(), strides))
    if (size == 1 && !ShapedType::isDynamic(stride))
      stride = 1;
  op.setStaticStrides(strides);
}

namespace {
struct PrepareBufferizationPass
    : public fsdp::impl::PrepareBufferizationPassBase<
          PrepareBufferizationPass> {
  using PrepareBufferizationPassBase::PrepareBufferizationPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkCalls()))
      return signalPassFailure();
    // First, since what they hold apart may be returned twice.
    forEach<OptimizationBarrierOp>([](OptimizationBarrierOp op) {
      op->replaceAllUsesWith(op.getInputs());
      op.erase();
    });
    for (auto function : module.getOps<func::FuncOp>()) {
      dropFacts(function);
      protectArguments(function);
      separateResults(function);
    }
    forEach<tensor::ExtractSliceOp>(dropStrides<tensor::ExtractSliceOp>);
    forEach<tensor::InsertSliceOp>(dropStrides<tensor::InsertSliceOp>);
    forEach<arith::ConstantOp>([&](arith::ConstantOp op) { splatToFill(op); });
    forEach<linalg::FillOp>([&](linalg::FillOp op) { giveEachUseItsOwn(op); });
    forEach<tensor::EmptyOp>(
        [&](tensor::EmptyOp op) { giveEachUseItsOwn(op); });
    module.walk([&](scf::ForOp loop) {
      keepCarriedBuffers(loop.getRegionIterArgs(),
                         loop.getBody()->getTerminator());
    });
    module.walk([&](scf::WhileOp loop) {
      keepCarriedBuffers(loop.getBeforeArguments(), loop.getConditionOp());
      keepCarriedBuffers(loop.getAfterArguments(), loop.getYieldOp());
    });
  }

  /// Calls `action` on ops that it may erase.
  template <typename OpT> void forEach(function_ref<void(OpT)> action) {
    SmallVector<OpT> ops;
    getOperation().walk([&](OpT op) { ops.push_back(op); });
    llvm::for_each(ops, action);
  }

  LogicalResult checkCalls();
  void dropFacts(func::FuncOp function);
  void protectArguments(func::FuncOp function);
  void separateResults(func::FuncOp function);
  void keepCarriedBuffers(ValueRange carried, Operation *terminator);
  void splatToFill(arith::ConstantOp op);
  void giveEachUseItsOwn(Operation *op);
};
} // namespace

/// Nothing is known about the buffers of a call that could not be inlined.
LogicalResult PrepareBufferizationPass::checkCalls() {
  WalkResult walked = getOperation().walk([](func::CallOp call) {
    call.emitOpError("expected a callee that can be inlined: a private "
                     "function that has a body and does not call itself");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Roles and placements are facts about tensors; upstream passes would carry
/// them along to where they are wrong.
void PrepareBufferizationPass::dropFacts(func::FuncOp function) {
  auto isFact = [](NamedAttribute attribute) {
    return isa_and_nonnull<FsdpDialect>(attribute.getNameDialect());
  };
  auto keepOthers = [&](DictionaryAttr attributes) {
    return attributes ? llvm::to_vector(llvm::make_filter_range(
                            attributes, std::not_fn(isFact)))
                      : SmallVector<NamedAttribute>();
  };
  function.getBody().walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrDictionary())
      if (isFact(attribute))
        op->removeDiscardableAttr(attribute.getName());
  });
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttrs(i, keepOthers(function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttrs(i, keepOthers(function.getResultAttrDict(i)));
}

/// Bufferization must not write to the caller's inputs, but for those that are
/// to be updated.
void PrepareBufferizationPass::protectArguments(func::FuncOp function) {
  StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
  for (BlockArgument argument : function.getArguments())
    if (isa<TensorType>(argument.getType()))
      function.setArgAttr(
          argument.getArgNumber(), writable,
          BoolAttr::get(
              &getContext(),
              !!function.getArgAttr(argument.getArgNumber(), attr::inPlace)));
}

/// What the tensor of `operand` may be, or lie in: block arguments and new
/// tensors.
static SetVector<Value> getOrigins(OpOperand &operand) {
  bufferization::BufferizationOptions options;
  bufferization::AnalysisState state(options);
  return state.findValueInReverseUseDefChain(
      &operand, [](Value value) { return isa<BlockArgument>(value); });
}

/// Makes `operand` a copy that is made in front of `op`.
static void copyInFrontOf(Operation *op, OpOperand &operand) {
  OpBuilder builder(op);
  operand.set(bufferization::AllocTensorOp::create(
      builder, operand.getOwner()->getLoc(),
      cast<RankedTensorType>(operand.get().getType()), ValueRange(),
      operand.get()));
}

/// Whether the tensor of `operand` may lie in an argument other than `own` that
/// is updated in place.
static bool isOfUpdated(OpOperand &operand, func::FuncOp function,
                        Value own = {}) {
  return llvm::any_of(getOrigins(operand), [&](Value origin) {
    auto argument = dyn_cast<BlockArgument>(origin);
    return argument && argument != own &&
           argument.getOwner() == &function.front() &&
           function.getArgAttr(argument.getArgNumber(), attr::inPlace);
  });
}

/// A value that is returned again is returned as a copy. What an update at the
/// end would overwrite is copied in front of all of them.
void PrepareBufferizationPass::separateResults(func::FuncOp function) {
  using Update = bufferization::MaterializeInDestinationOp;
  function.walk([&](func::ReturnOp op) {
    SmallVector<Update> updates;
    for (Value value : op->getOperands())
      if (auto update = value.getDefiningOp<Update>())
        updates.push_back(update);
    llvm::SmallDenseSet<Value> seen;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      bool isAgain = !seen.insert(value).second;
      if (!updates.empty() && !value.getDefiningOp<Update>() &&
          isOfUpdated(operand, function))
        copyInFrontOf(updates.front(), operand);
      else if (isAgain)
        copyInFrontOf(op, operand);
    }
    for (Update update : updates)
      if (isOfUpdated(update.getSourceMutable(), function, update.getDest()))
        copyInFrontOf(updates.front(), update.getSourceMutable());
  });
}

/// The operand in whose buffer `result` is computed, if bufferization will do
/// so: all that reads the operand comes before, or reads just the element that
/// is written.
static Value getWrittenInPlace(OpResult result) {
  Operation *op = result.getOwner();
  Value operand;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    operand = loop.getInitArgs()[result.getResultNumber()];
  else if (auto insert = dyn_cast<tensor::InsertOp>(op))
    operand = insert.getDest();
  else if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    operand = isa<CollectiveOpInterface>(op)
                  ? Value()
                  : dps.getTiedOpOperand(result)->get();
  if (!operand)
    return {};
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool isElementwise =
      linalgOp && llvm::all_of(linalgOp.getIndexingMapsArray(),
                               [](AffineMap map) { return map.isIdentity(); });
  int64_t uses = 0;
  for (Operation *user : operand.getUsers()) {
    uses += user == op;
    if (user != op &&
        (user->getBlock() != op->getBlock() || !user->isBeforeInBlock(op)))
      return {};
  }
  return uses == 1 || isElementwise ? operand : Value();
}

/// Whether the tensor of `operand` is new in this iteration: not what may be
/// either of two tensors, nor what came in or is part of it.
static bool isNew(OpOperand &operand) {
  SetVector<Value> origins = getOrigins(operand);
  return llvm::all_of(origins, [&](Value origin) {
    Operation *op = origin.getDefiningOp();
    return op && (origins.size() == 1 ||
                  (isa<tensor::EmptyOp>(op) &&
                   operand.getOwner()->getParentOp()->isAncestor(op)));
  });
}

/// Makes `operand` a copy. What a condition chooses is copied in its branches,
/// where bufferization sees what each of them reads.
static void insertCopy(OpOperand &operand) {
  if (Operation *op = operand.get().getDefiningOp();
      isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp>(op)) {
    unsigned index = cast<OpResult>(operand.get()).getResultNumber();
    for (Region &region : op->getRegions())
      insertCopy(region.front().getTerminator()->getOpOperand(index));
    return;
  }
  copyInFrontOf(operand.getOwner(), operand);
}

/// A loop writes the tensors that it carries into the buffers that came in.
/// `terminator` hands them to the next iteration, or to the other region.
void PrepareBufferizationPass::keepCarriedBuffers(ValueRange carried,
                                                  Operation *terminator) {
  OpBuilder builder(terminator);
  Location loc = terminator->getLoc();
  MutableArrayRef<OpOperand> operands = terminator->getOpOperands();
  if (isa<scf::ConditionOp>(terminator))
    operands = operands.drop_front();
  SmallVector<std::pair<OpOperand *, Value>> moved;
  for (auto [operand, argument] : llvm::zip(operands, carried)) {
    Value value = operand.get();
    if (!isa<RankedTensorType>(value.getType()) ||
        value.getType() != argument.getType())
      continue;
    while (value && value != argument) {
      auto result = dyn_cast<OpResult>(value);
      value = result ? getWrittenInPlace(result) : Value();
    }
    if (value)
      continue;
    moved.push_back({&operand, argument});
    // Before the loop writes to any buffer that it carries.
    if (!isNew(operand))
      insertCopy(operand);
  }
  for (auto [operand, argument] : moved)
    operand->set(bufferization::MaterializeInDestinationOp::create(
                     builder, loc, argument.getType(), operand->get(), argument)
                     .getResult());
}

/// A constant that is one value everywhere becomes a fill: memory of its own,
/// instead of a global of the whole size.
void PrepareBufferizationPass::splatToFill(arith::ConstantOp op) {
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!splat || !type || type.getRank() == 0)
    return;
  OpBuilder builder(op);
  Value scalar = arith::ConstantOp::create(
      builder, op.getLoc(), cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                        type.getElementType());
  op.replaceAllUsesWith(
      linalg::FillOp::create(builder, op.getLoc(), scalar, empty).getResult(0));
  op.erase();
}

/// Clones `op` in front of each of its uses.
void PrepareBufferizationPass::giveEachUseItsOwn(Operation *op) {
  OpBuilder builder(op);
  SmallVector<OpOperand *> uses(
      llvm::make_pointer_range(op->getResult(0).getUses()));
  for (OpOperand *use : uses) {
    builder.setInsertionPoint(use->getOwner());
    use->set(builder.clone(*op)->getResult(0));
  }
  op->erase();
}
