// SPDX-License-Identifier: Apache-2.0
//===- ImplyMarkers.cpp - where autograd ends, if nobody says so ----------===//
//
// A gradient that is a result is followed back through what synchronises it:
// collectives, scales, casts, additions. In front of the first of the ops that
// ranks do together it is what autograd made.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

/// True for what may stand between the ops that synchronise.
static bool isBetween(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return !generic.getNumReductionLoops() &&
           llvm::all_of(*generic.getBody(), [](Operation &inner) {
             return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                        arith::DivFOp, arith::ExtFOp, arith::TruncFOp,
                        arith::NegFOp, arith::ConstantOp, linalg::YieldOp>(
                 inner);
           });
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::ExtFOp, arith::TruncFOp, arith::NegFOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::PadOp, OptimizationBarrierOp>(op);
}

/// Marks what reaches `use` in front of the first op of synchronisation; false
/// where there is none.
static bool markBehind(OpOperand &use, StringAttr name,
                       DenseMap<Value, Value> &made) {
  Operation *op = use.get().getDefiningOp();
  if (!op)
    return false;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(use.get()).getResultNumber();
    bool isMarked = false;
    for (Region &region : branch->getRegions())
      isMarked |= markBehind(
          region.front().getTerminator()->getOpOperand(index), name, made);
    return isMarked;
  }
  bool isSync = isa<CollectiveOpInterface, ScaleOp, SliceOp>(op);
  if (!isSync && !isBetween(op))
    return false;
  SmallVector<OpOperand *> operands;
  if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
    if (!collective.isBlocking())
      return false;
    operands = {&op->getOpOperand(cast<OpResult>(use.get()).getResultNumber())};
  } else {
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(&operand);
  }
  bool isMarked = false;
  for (OpOperand *operand : operands)
    isMarked |= markBehind(*operand, name, made);
  if (isMarked || !isSync)
    return isMarked;
  // Branches that do the same share a marker.
  OpOperand &first = *operands.front();
  Value &marker = made[first.get()];
  if (!marker) {
    OpBuilder builder(op);
    builder.setInsertionPointAfterValue(first.get());
    marker = LocalGradOp::create(builder, first.get().getLoc(),
                                 first.get().getType(), first.get(), name);
  }
  first.set(marker);
  return true;
}

OwningOpRef<ModuleOp> fsdp::markGradients(const Step &step) {
  auto isUnmarked = [&](const Parameter &parameter) {
    return parameter.grad >= 0 && parameter.markers.empty() &&
           !step.getFunction().getArgAttr(parameter.argument, attr::frozen);
  };
  if (llvm::none_of(step.getParameters(), isUnmarked))
    return {};
  OwningOpRef<ModuleOp> copy(
      step.getFunction()->getParentOfType<ModuleOp>().clone());
  FailureOr<Step> own = Step::get(*copy);
  if (failed(own))
    return {};
  for (const Parameter &parameter : own->getParameters()) {
    if (!isUnmarked(parameter))
      continue;
    OpOperand &result = own->getTerminator()->getOpOperand(parameter.grad);
    auto name = StringAttr::get(copy->getContext(), parameter.name);
    // A constant is the gradient of what is not used.
    DenseMap<Value, Value> made;
    if (matchPattern(result.get(), m_Constant()) ||
        markBehind(result, name, made))
      continue;
    OpBuilder builder(own->getTerminator());
    result.set(LocalGradOp::create(builder, result.get().getLoc(),
                                   result.get().getType(), result.get(), name));
  }
  return copy;
}
