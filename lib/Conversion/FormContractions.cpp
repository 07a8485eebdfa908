// SPDX-License-Identifier: Apache-2.0
//===- FormContractions.cpp - products that a library computes ------------===//
//
// Matrix products, with batches or without, become one op that fusion leaves
// alone and that reads its operands where they lie: reshapes and transposes
// around a product are folded into its subscripts, and an accumulator of zeros
// is not filled first.
//
//   %t = linalg.transpose ins(%b : tensor<5x8xf32>) ... permutation = [1, 0]
//   %0 = linalg.fill ins(%zero) outs(%e : tensor<4x5xf32>)
//   %1 = linalg.matmul ins(%a, %t) outs(%0)
// becomes
//   %1 = fsdp.contract ins(%a, %b) outs(%e)
//       [(m, n, k) -> (m, k), (m, n, k) -> (n, k), (m, n, k) -> (m, n)]
//
// Only f32 and bf16: no library takes the rest. A product without rows or
// without columns is a reduction, which fuses instead.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fsdp {
#define GEN_PASS_DEF_FORMCONTRACTIONSPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// Whether a library computes `op`.
static bool isContraction(Operation *op) {
  auto product = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!product || !product.hasPureTensorSemantics() ||
      product.getNumDpsInputs() != 2 || product.getNumDpsInits() != 1 ||
      !linalg::isaContractionOpInterface(product))
    return false;
  auto dims = linalg::inferContractionDims(product);
  if (failed(dims) || dims->m.empty() || dims->n.empty())
    return false;
  Type lhs = getElementTypeOrSelf(op->getOperand(0));
  Type result = getElementTypeOrSelf(op->getResult(0));
  return lhs == getElementTypeOrSelf(op->getOperand(1)) &&
         ((lhs.isF32() && result.isF32()) ||
          (lhs.isBF16() && (result.isF32() || result.isBF16())));
}

/// Whether `init` is zero everywhere.
static bool isZero(Value init) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      init.getDefiningOp()))
    init = init.getDefiningOp()->getOperand(0);
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat());
}

/// The permutation by which `op` transposes; empty if it does something else.
static SmallVector<int64_t> getPermutation(Operation *op) {
  if (auto transpose = dyn_cast_or_null<linalg::TransposeOp>(op))
    return SmallVector<int64_t>(transpose.getPermutation());
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  auto permutation = generic ? linalg::isaTransposeOpInterface(generic)
                             : std::nullopt;
  return permutation.value_or(SmallVector<int64_t>());
}

namespace {
/// A product of a transpose reads what was transposed.
struct ReadBeforeTranspose : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isContraction(op))
      return failure();
    for (unsigned i = 0; i < 2; ++i) {
      Operation *transpose = op->getOperand(i).getDefiningOp();
      SmallVector<int64_t> permutation = getPermutation(transpose);
      if (permutation.empty())
        continue;
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      SmallVector<AffineExpr> exprs(permutation.size());
      for (auto [to, from] : llvm::enumerate(permutation))
        exprs[from] = maps[i].getResult(to);
      maps[i] =
          AffineMap::get(maps[i].getNumDims(), 0, exprs, op.getContext());
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(i, transpose->getOperand(0));
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return failure();
  }
};

/// A product that only its transpose is read of is computed transposed.
struct WriteBehindTranspose : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp transpose,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> permutation = getPermutation(transpose);
    auto op = permutation.empty()
                  ? linalg::GenericOp()
                  : transpose->getOperand(0).getDefiningOp<linalg::GenericOp>();
    if (!op || !isContraction(op) || !op->hasOneUse() ||
        !isZero(op.getDpsInits()[0]))
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<AffineExpr> exprs;
    for (int64_t from : permutation)
      exprs.push_back(maps[2].getResult(from));
    maps[2] = AffineMap::get(maps[2].getNumDims(), 0, exprs, op.getContext());
    auto type = cast<RankedTensorType>(transpose->getResult(0).getType());
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(type.getElementType()));
    Value init = linalg::FillOp::create(rewriter, op.getLoc(), zero, empty)
                     .getResult(0);
    auto product = linalg::GenericOp::create(
        rewriter, op.getLoc(), TypeRange(type), op.getInputs(),
        ValueRange(init), maps, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), product.getRegion(),
                                product.getRegion().begin());
    rewriter.replaceOp(transpose, product);
    rewriter.eraseOp(op);
    return success();
  }
};

/// A slice of a transpose is a transpose of a slice.
struct SliceBeforeTranspose : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto transpose = slice.getSource().getDefiningOp<linalg::TransposeOp>();
    if (!transpose ||
        slice.getType().getRank() != slice.getSourceType().getRank())
      return failure();
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    auto permute = [&](SmallVector<OpFoldResult> values) {
      SmallVector<OpFoldResult> before(values.size());
      for (auto [to, from] : llvm::enumerate(permutation))
        before[from] = values[to];
      return before;
    };
    Location loc = slice.getLoc();
    Value part = tensor::ExtractSliceOp::create(
        rewriter, loc, transpose.getInput(), permute(slice.getMixedOffsets()),
        permute(slice.getMixedSizes()), permute(slice.getMixedStrides()));
    Value empty = tensor::EmptyOp::create(rewriter, loc, slice.getMixedSizes(),
                                          slice.getType().getElementType());
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(slice, part, empty,
                                                     permutation);
    return success();
  }
};

struct FormContractionsPass
    : public fsdp::impl::FormContractionsPassBase<FormContractionsPass> {
  using FormContractionsPassBase::FormContractionsPassBase;

  void runOnOperation() override {
    if (failed(foldAround()))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isContraction(op))
        products.push_back(op);
    });
    for (linalg::LinalgOp op : products)
      form(op);
  }

  LogicalResult foldAround();
  void form(linalg::LinalgOp op);
};
} // namespace

/// Lets products read and write what lies on the other side of transposes and
/// reshapes.
LogicalResult FormContractionsPass::foldAround() {
  SmallVector<linalg::LinalgOp> named;
  getOperation().walk([&](linalg::LinalgOp op) {
    if (isContraction(op) && !isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return failure();
  }
  RewritePatternSet patterns(&getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [](OpOperand *operand) {
        Operation *producer = operand->get().getDefiningOp();
        return isContraction(operand->getOwner()) ||
               (isContraction(producer) && producer->hasOneUse());
      });
  // Transposes first: a reshape in between hides them.
  patterns.add<SliceBeforeTranspose, ReadBeforeTranspose, WriteBehindTranspose>(
      &getContext(), /*benefit=*/2);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
  return applyPatternsGreedily(
      getOperation(), std::move(patterns),
      GreedyRewriteConfig().setUseTopDownTraversal(true));
}

/// Replaces a product.
void FormContractionsPass::form(linalg::LinalgOp op) {
  OpBuilder builder(op);
  Value init = op.getDpsInits()[0];
  bool accumulates = !isZero(init);
  auto type = cast<RankedTensorType>(init.getType());
  if (!accumulates)
    init = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                   type.getElementType());
  auto contract = ContractOp::create(
      builder, op.getLoc(), type, op->getOperand(0), op->getOperand(1), init,
      op.getIndexingMaps(), accumulates);
  op->replaceAllUsesWith(contract);
  op->erase();
}
