// SPDX-License-Identifier: Apache-2.0
//===- LowerLocal.cpp - ops that send nothing -----------------------------===//
//
// Slices, scales and markers mean something to partitioning,
// verification and scheduling; for code they are plain tensor ops or nothing.
//
//   %0 = fsdp.slice %w over @node dim 0 : tensor<5x3xf32> to tensor<2x3xf32>
//   %1 = fsdp.scale %0 by 1 over 8 : tensor<2x3xf32>
//   %2 = fsdp.local_grad %1 of "w" : tensor<2x3xf32>
// becomes, on classes of 4 ranks,
//   %p = tensor.pad %w low[0, 0] high[3, 0] {...} : ... to tensor<8x3xf32>
//   %i = fsdp.rank_index @node
//   %o = arith.muli %i, %c2 : index
//   %0 = tensor.extract_slice %p[%o, 0] [2, 3] [1, 1] : ...
//   %2 = linalg.generic {... arith.mulf %in, 1.250000e-01 ...} ins(%0 : ...)
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fsdp {
#define GEN_PASS_DEF_LOWERLOCALPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct LowerLocalPass : public fsdp::impl::LowerLocalPassBase<LowerLocalPass> {
  using LowerLocalPassBase::LowerLocalPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<SliceOp, ScaleOp, LocalGradOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      auto lowered =
          llvm::TypeSwitch<Operation *, FailureOr<SmallVector<Value>>>(op)
              .Case([&](SliceOp slice) { return lowerSlice(slice); })
              .Case([&](ScaleOp scale) { return lowerScale(scale); })
              .Default([](Operation *identity) {
                return SmallVector<Value>(identity->getOperands());
              });
      if (failed(lowered))
        return signalPassFailure();
      op->replaceAllUsesWith(*lowered);
      op->erase();
    }
  }

  FailureOr<SmallVector<Value>> lowerSlice(SliceOp op);
  FailureOr<SmallVector<Value>> lowerScale(ScaleOp op);
};
} // namespace

/// A tensor with zeros behind `dim`, `extent` long there.
static Value padTo(OpBuilder &builder, Location loc, Value value, int64_t dim,
                   int64_t extent) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (shape[dim] == extent)
    return value;
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> high = low;
  high[dim] = builder.getIndexAttr(extent - shape[dim]);
  shape[dim] = extent;
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(builder, loc, type.clone(shape), value, low,
                               high, zero);
}

/// A slice becomes an extract_slice at the rank's chunk.
FailureOr<SmallVector<Value>> LowerLocalPass::lowerSlice(SliceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  ClassesAttr classes = lookupClasses(op, op.getGroupAttr());
  if (!classes)
    return op.emitOpError("expected a resolved process group");
  int64_t dim = op.getDim();
  auto type = cast<RankedTensorType>(op.getType());
  int64_t chunk = type.getDimSize(dim);
  Value padded =
      padTo(builder, loc, op.getInput(), dim, chunk * classes.getSize());
  Value index = RankIndexOp::create(builder, loc, op.getGroupAttr());
  Value length = arith::ConstantIndexOp::create(builder, loc, chunk);
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = arith::MulIOp::create(builder, loc, index, length).getResult();
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(op.getContext(), type.getShape());
  Value slice = tensor::ExtractSliceOp::create(builder, loc, type, padded,
                                               offsets, sizes, strides);
  return SmallVector<Value>{slice};
}

/// A scale becomes a product with the quotient, rounded once.
FailureOr<SmallVector<Value>> LowerLocalPass::lowerScale(ScaleOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  double quotient = static_cast<double>(int64_t(op.getNumerator())) /
                    static_cast<double>(int64_t(op.getDenominator()));
  Value factor = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(type.getElementType(), quotient));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, op.getInput(), empty, maps, loops,
      [&](OpBuilder &body, Location where, ValueRange elements) {
        Value product = arith::MulFOp::create(body, where, elements[0], factor);
        linalg::YieldOp::create(body, where, product);
      });
  return SmallVector<Value>{generic.getResult(0)};
}
