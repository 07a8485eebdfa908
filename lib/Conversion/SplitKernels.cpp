// SPDX-License-Identifier: Apache-2.0
//===- SplitKernels.cpp - kernels that threads share ----------------------===//
//
// A kernel that does enough work for it takes the range of one of its parallel
// loops as arguments. Sums over rows split their columns, so that every sum is
// formed by one thread and in one order, however many threads there are.
//
//   func.func private @kernel(%a: memref<64x8xf32>, %b: memref<64x8xf32>) {
//     linalg.exp ins(%a) outs(%b)
// becomes
//   func.func private @kernel(%a: ..., %b: ..., %begin: index, %end: index)
//       attributes {fsdp.parallel = 64} {
//     scf.for %i = %begin to %end step %c1 {
//       scf.for %j = %c0 to %c8 step %c1 {
//
// Calls of it pass the whole range, until fsdp-call-in-parallel.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fsdp {
#define GEN_PASS_DEF_SPLITKERNELSPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// Positions of a loop nest below which waking threads costs more than it
/// saves.
static constexpr int64_t leastWork = 1 << 15;

namespace {
struct SplitKernelsPass
    : public fsdp::impl::SplitKernelsPassBase<SplitKernelsPass> {
  using SplitKernelsPassBase::SplitKernelsPassBase;

  void runOnOperation() override {
    llvm::SmallDenseMap<StringRef, int64_t> extents;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (int64_t extent = split(kernel))
        extents[kernel.getSymName()] = extent;
    getOperation().walk([&](func::CallOp call) {
      if (int64_t extent = extents.lookup(call.getCallee()))
        passRange(call, extent);
    });
  }

  static int64_t split(func::FuncOp kernel);
  static void passRange(func::CallOp call, int64_t extent);
};
} // namespace

/// The one op that `kernel` computes, if it is worth splitting.
static linalg::LinalgOp getOp(func::FuncOp kernel) {
  if (kernel.isPublic() || kernel.isExternal())
    return {};
  auto ops = llvm::to_vector(kernel.getOps<linalg::LinalgOp>());
  if (ops.size() != 1)
    return {};
  SmallVector<int64_t> ranges = ops[0].getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic) ||
      llvm::product_of(ranges) < leastWork)
    return {};
  return ops[0];
}

/// Gives `kernel` a range, and returns how long the whole is; 0 where it stays
/// as it is.
int64_t SplitKernelsPass::split(func::FuncOp kernel) {
  linalg::LinalgOp op = getOp(kernel);
  if (!op)
    return 0;
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  unsigned loop = 0;
  while (loop < loops.size() && (loops[loop] != utils::IteratorType::parallel ||
                                 ranges[loop] == 1))
    ++loop;
  if (loop == loops.size())
    return 0;
  IRRewriter rewriter(op);
  FailureOr<linalg::LinalgLoops> made = linalg::linalgOpToLoops(rewriter, op);
  if (failed(made))
    return 0;
  auto split = cast<scf::ForOp>((*made)[loop]);
  rewriter.eraseOp(op);
  unsigned arguments = kernel.getNumArguments();
  Type index = rewriter.getIndexType();
  for (unsigned i = 0; i < 2; ++i)
    (void)kernel.insertArgument(arguments + i, index, {}, kernel.getLoc());
  split.setLowerBound(kernel.getArgument(arguments));
  split.setUpperBound(kernel.getArgument(arguments + 1));
  kernel->setAttr(attr::parallel, rewriter.getI64IntegerAttr(ranges[loop]));
  return ranges[loop];
}

/// Passes all of the range.
void SplitKernelsPass::passRange(func::CallOp call, int64_t extent) {
  OpBuilder builder(call);
  Value begin = arith::ConstantIndexOp::create(builder, call.getLoc(), 0);
  Value end = arith::ConstantIndexOp::create(builder, call.getLoc(), extent);
  call.getOperandsMutable().append({begin, end});
}
