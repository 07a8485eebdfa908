// SPDX-License-Identifier: Apache-2.0
//===- FuseElementwise.cpp - few passes over memory -----------------------===//
//
// An exported step has one op per arithmetic operation, each of which reads and
// writes whole tensors. Ops that compute element by element are merged into
// the ops that read them, reductions included.
//
//   %0 = linalg.generic (x - mean)
//   %1 = linalg.generic (%0 * %0)
//   %2 = linalg.generic (sum of %1 along rows)
// becomes
//   %2 = linalg.generic (sum of (x - mean)^2 along rows)
//
// What several ops read is computed again in each where that is cheaper than
// memory: a few operations on at most one large operand.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fsdp {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct FuseElementwisePass
    : public fsdp::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    generalize();
    if (failed(fuse()))
      signalPassFailure();
  }

  void generalize();
  LogicalResult fuse();
};
} // namespace

/// Transposes, copies and elementwise named ops become ones that can be fused.
void FuseElementwisePass::generalize() {
  SmallVector<linalg::LinalgOp> ops;
  getOperation().walk([&](linalg::LinalgOp op) {
    bool isMap = op.getNumLoops() == op.getNumParallelLoops() &&
                 op.hasPureTensorSemantics() &&
                 llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
                   return map.isProjectedPermutation(/*allowZero=*/true);
                 });
    if (isMap && !isa<linalg::GenericOp, linalg::FillOp>(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

/// Whether computing an element of `op` again costs more than reading it.
static bool isExpensive(linalg::GenericOp op) {
  Block::BlockArgListType arguments = op.getBody()->getArguments();
  if (llvm::range_size(op.getBody()->without_terminator()) > 5 ||
      llvm::any_of(*op.getBody(), [](Operation &inner) {
        return isa<math::MathDialect>(inner.getDialect()) ||
               isa<tensor::ExtractOp>(inner);
      }))
    return true;
  int64_t size = cast<ShapedType>(op->getResult(0).getType()).getNumElements();
  return llvm::count_if(op.getDpsInputs(), [&](Value input) {
           auto type = dyn_cast<ShapedType>(input.getType());
           return type && type.getNumElements() * 4 >= size;
         }) > 1 ||
         arguments.empty();
}

/// Whether the op that `operand` comes from is merged into the one that reads
/// it.
static bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!producer)
    return false;
  // Every result would have to be written by each op that it is merged into.
  if (producer->getNumResults() != 1)
    return false;
  return producer->hasOneUse() || producer.getNumDpsInputs() == 0 ||
         !isExpensive(producer);
}

/// Merges until nothing is left to merge.
LogicalResult FuseElementwisePass::fuse() {
  MLIRContext *context = &getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [](OpOperand *operand) {
        Operation *producer = operand->get().getDefiningOp();
        return producer && producer->hasOneUse();
      });
  tensor::populateFoldTensorEmptyPatterns(patterns);
  linalg::populateConstantFoldLinalgOperations(
      patterns, [](OpOperand *) { return true; });
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(
      getOperation(), std::move(patterns),
      GreedyRewriteConfig().setUseTopDownTraversal(true));
}
