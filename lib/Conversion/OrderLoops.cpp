// SPDX-License-Identifier: Apache-2.0
//===- OrderLoops.cpp - contractions that LLVM can vectorize --------------===//
//
// The loops of an op are nested as its iterators are listed, with reductions
// innermost: each addition waits for the one before, and reordering them would
// change the result. With a parallel loop innermost, every step is independent
// and each sum is still formed in the same order.
//
//   for m, n, k: C[m, n] += A[m, k] * B[k, n]
// becomes
//   for m, k, n: C[m, n] += A[m, k] * B[k, n]
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace fsdp {
#define GEN_PASS_DEF_ORDERLOOPSPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// The parallel loop that walks the output by unit stride, if every input is
/// walked the same way or does not move with it.
static std::optional<unsigned> findUnitStrideLoop(linalg::LinalgOp op) {
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (output.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(output.getResults().back());
  if (!last || op.getStaticLoopRanges()[last.getPosition()] == 1)
    return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() &&
        llvm::any_of(map.getResults().drop_back(), [&](AffineExpr expr) {
          return expr.isFunctionOfDim(last.getPosition());
        }))
      return std::nullopt;
  }
  return last.getPosition();
}

namespace {
struct OrderLoopsPass : public fsdp::impl::OrderLoopsPassBase<OrderLoopsPass> {
  using OrderLoopsPassBase::OrderLoopsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.getNumReductionLoops() && op.getNumDpsInits() == 1)
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      if (std::optional<unsigned> innermost = findUnitStrideLoop(op))
        moveInnermost(op, *innermost);
  }

  void moveInnermost(linalg::LinalgOp op, unsigned innermost);
};
} // namespace

/// Nests the loops: other parallel ones, then reductions, then `innermost`.
void OrderLoopsPass::moveInnermost(linalg::LinalgOp op, unsigned innermost) {
  SmallVector<unsigned> order;
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  for (auto kind :
       {utils::IteratorType::parallel, utils::IteratorType::reduction})
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (loop != innermost && loops[loop] == kind)
        order.push_back(loop);
  order.push_back(innermost);

  IRRewriter rewriter(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return;
    generic = *made;
    rewriter.setInsertionPoint(generic);
  }
  (void)linalg::interchangeGenericOp(rewriter, generic, order);
}
