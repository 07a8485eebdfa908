// SPDX-License-Identifier: Apache-2.0
//===- Widen.cpp - a step in f64 ------------------------------------------===//
//
// For checking: rounding hides small errors, and an optimizer that divides by
// the size of a gradient blows rounding up where a gradient is zero in exact
// arithmetic. In f64 both the sharded and the unsharded step are close to it.
//
//   %0 = linalg.generic ins(%x : tensor<4xbf16>) outs(%y : tensor<4xf32>) {
//     %1 = arith.extf %in : bf16 to f32
// becomes
//   %0 = linalg.generic ins(%x : tensor<4xf64>) outs(%y : tensor<4xf64>) {
//
//===----------------------------------------------------------------------===//
#include "fsdp/Transforms/Passes.h"

namespace fsdp {
#define GEN_PASS_DEF_WIDENPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

static void addReplacements(AttrTypeReplacer &replacer, Builder builder);

namespace {
struct WidenPass : public fsdp::impl::WidenPassBase<WidenPass> {
  void runOnOperation() override {
    WalkResult walked = getOperation().walk([](Operation *op) {
      if (!isa<arith::BitcastOp, tensor::BitcastOp>(op))
        return WalkResult::advance();
      op->emitOpError("expected no bit patterns of numbers in a step that is "
                      "to run in f64");
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    AttrTypeReplacer replacer;
    addReplacements(replacer, Builder(&getContext()));
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    // Casts between what are now equal types.
    getOperation().walk([](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
        return;
      op->replaceAllUsesWith(ValueRange(op->getOperand(0)));
      op->erase();
    });
  }
};
} // namespace

/// Floating-point types and constants to f64; what holds a type is rebuilt.
static void addReplacements(AttrTypeReplacer &replacer, Builder builder) {
  Type f64 = builder.getF64Type();
  auto convert = [](APFloat value) {
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  };
  replacer.addReplacement(
      [f64](FloatType) -> std::optional<Type> { return f64; });
  replacer.addReplacement(
      [=](FloatAttr attribute)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        return std::pair<Attribute, WalkResult>(
            FloatAttr::get(f64, convert(attribute.getValue())),
            WalkResult::skip());
      });
  replacer.addReplacement(
      [=](DenseElementsAttr attribute)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        Attribute wide = attribute;
        if (isa<FloatType>(attribute.getElementType()))
          wide = cast<DenseFPElementsAttr>(attribute).mapValues(
              f64, [&](const APFloat &value) {
                return convert(value).bitcastToAPInt();
              });
        return std::pair<Attribute, WalkResult>(wide, WalkResult::skip());
      });
}
