// SPDX-License-Identifier: Apache-2.0
//===- RelaxMath.cpp - what machine code may do to numbers ----------------===//
//
// Vector code needs two liberties that IEEE order does not give: sums may be
// formed in any order, which is what a sum over many elements promises anyway,
// and a product and a sum may be rounded once. exp, tanh, erf and log of f32
// become polynomials within 2 ulp. All else is as written: NaN and infinity
// come out where IEEE says.
//
//   %1 = arith.addf %in, %out : f32        (the combiner of a reduction)
//   %2 = math.exp %x : f32
// becomes
//   %1 = arith.addf %in, %out fastmath<reassoc,contract> : f32
//   %2 = (arithmetic)
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fsdp {
#define GEN_PASS_DEF_RELAXMATHPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct RelaxMathPass : public fsdp::impl::RelaxMathPassBase<RelaxMathPass> {
  using RelaxMathPassBase::RelaxMathPassBase;

  void runOnOperation() override {
    getOperation().walk([](linalg::LinalgOp op) { allowReordering(op); });
    getOperation().walk(
        [](arith::ArithFastMathInterface op) { allowContraction(op); });
    if (failed(approximate()))
      signalPassFailure();
  }

  static void allowReordering(linalg::LinalgOp op);
  static void allowContraction(arith::ArithFastMathInterface op);
  LogicalResult approximate();
};
} // namespace

/// Adds to the flags of `op`.
static void addFlags(arith::ArithFastMathInterface op,
                     arith::FastMathFlags flags) {
  if (arith::FastMathFlagsAttr known = op.getFastMathFlagsAttr())
    flags = flags | known.getValue();
  op->setAttr(op.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

/// The ops that combine with an accumulator may do so in any order.
void RelaxMathPass::allowReordering(linalg::LinalgOp op) {
  if (!op.getNumReductionLoops())
    return;
  for (BlockArgument accumulator : op.getRegionOutputArgs())
    for (Operation *user : accumulator.getUsers())
      if (isa<arith::AddFOp, arith::MulFOp>(user))
        addFlags(cast<arith::ArithFastMathInterface>(user),
                 arith::FastMathFlags::reassoc);
}

/// A product that is added may be rounded with the sum.
void RelaxMathPass::allowContraction(arith::ArithFastMathInterface op) {
  addFlags(op, arith::FastMathFlags::contract);
}

/// Functions of f32 that libm would compute one at a time.
LogicalResult RelaxMathPass::approximate() {
  RewritePatternSet patterns(&getContext());
  auto isApproximated = [](StringRef name) {
    return llvm::is_contained({math::ExpOp::getOperationName(),
                               math::TanhOp::getOperationName(),
                               math::ErfOp::getOperationName(),
                               math::LogOp::getOperationName()},
                              name);
  };
  populateMathPolynomialApproximationPatterns(patterns, isApproximated);
  return applyPatternsGreedily(getOperation(), std::move(patterns));
}
