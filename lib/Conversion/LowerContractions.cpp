// SPDX-License-Identifier: Apache-2.0
//===- LowerContractions.cpp - products that the library does not take ----===//
//
// Whether a library takes a product depends on where its operands lie, which is
// known on buffers only. What it does not take becomes loops again.
//
//   fsdp.contract ins(%a, %b) outs(%c) [...]
// becomes, where no dim of %a has unit stride,
//   linalg.fill ins(%zero) outs(%c)
//   linalg.generic {...} ins(%a, %b) outs(%c)
//
//===----------------------------------------------------------------------===//
#include "Gemm.h"
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fsdp {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct LowerContractionsPass
    : public fsdp::impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;

  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation().walk([&](ContractOp op) {
      if (!getGemm(op))
        ops.push_back(op);
    });
    llvm::for_each(ops, lower);
  }

  static void lower(ContractOp op);
};
} // namespace

/// Widens `value` to `type`, or rounds it.
static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  return from > to ? arith::TruncFOp::create(builder, loc, type, value) : value;
}

/// A sum of products, in the result's type.
void LowerContractionsPass::lower(ContractOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value result = op.getDestination();
  Type type = getElementTypeOrSelf(result.getType());
  if (!op.getAccumulate()) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    linalg::FillOp::create(builder, loc, zero, result);
  }
  SmallVector<AffineMap> maps(
      op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<utils::IteratorType> loops;
  for (unsigned dim = 0; dim < maps[2].getNumDims(); ++dim)
    loops.push_back(maps[2].isFunctionOfDim(dim)
                        ? utils::IteratorType::parallel
                        : utils::IteratorType::reduction);
  linalg::GenericOp::create(
      builder, loc, ValueRange{op.getLhs(), op.getRhs()}, result, maps, loops,
      [&](OpBuilder &body, Location where, ValueRange elements) {
        Value lhs = convert(body, where, elements[0], type);
        Value rhs = convert(body, where, elements[1], type);
        Value product = arith::MulFOp::create(body, where, lhs, rhs);
        linalg::YieldOp::create(
            body, where,
            arith::AddFOp::create(body, where, elements[2], product)
                .getResult());
      });
  op.erase();
}
