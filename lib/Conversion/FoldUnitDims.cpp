// SPDX-License-Identifier: Apache-2.0
//===- FoldUnitDims.cpp - drop loops of one round -------------------------===//
//
// Dims of one row stand between ops that could be merged, and make equal
// kernels look different. Upstream's patterns drop them, with loops of one
// round. Where an operand is read at a sum of loops they would turn `d0 * 2 +
// d1` into `d1`, which must span the operand, though a convolution may leave
// out its last rows. Such loops stay.
//
//   linalg.generic {(d0, d1) -> (d0, d1)} ins(%0 : tensor<1x8xf32>) ...
// becomes
//   %1 = tensor.collapse_shape %0 [[0, 1]]
//   linalg.generic {(d0) -> (d0)} ins(%1 : tensor<8xf32>) ...
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace fsdp {
#define GEN_PASS_DEF_FOLDUNITDIMSPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// The dims that upstream may drop.
static SmallVector<unsigned> getDroppable(Operation *op) {
  SmallVector<unsigned> dims = linalg::ControlDropUnitDims().controlFn(op);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    llvm::erase_if(dims, [&](unsigned dim) {
      return llvm::any_of(linalgOp.getIndexingMapsArray(), [&](AffineMap map) {
        return llvm::any_of(map.getResults(), [&](AffineExpr result) {
          return !isa<AffineDimExpr>(result) && result.isFunctionOfDim(dim);
        });
      });
    });
  return dims;
}

namespace {
struct FoldUnitDimsPass
    : public fsdp::impl::FoldUnitDimsPassBase<FoldUnitDimsPass> {
  using FoldUnitDimsPassBase::FoldUnitDimsPassBase;

  void runOnOperation() override {
    linalg::ControlDropUnitDims control;
    control.controlFn = getDroppable;
    // One visit drops all of an op's; what is left is to be merged.
    RewritePatternSet drop(&getContext()), merge(&getContext());
    linalg::populateFoldUnitExtentDimsPatterns(drop, control);
    walkAndApplyPatterns(getOperation(), std::move(drop));
    linalg::populateMoveInitOperandsToInputPattern(merge);
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(merge, control);
    if (failed(applyPatternsGreedily(getOperation(), std::move(merge))))
      signalPassFailure();
  }
};
} // namespace
