// SPDX-License-Identifier: Apache-2.0
//===- RelaxMath.cpp - what machine code may do to numbers ----------------===//
//
// Vector code needs two liberties that IEEE order does not give: sums may be
// formed in any order, which is what a sum over many elements promises anyway,
// and a product and a sum may be rounded once. exp, tanh, erf and log of f32
// become arithmetic within 2 ulp (test/Integration/math_accuracy.py measures
// them); libm would be called for one element at a time. From f64 to bf16 or f16
// is two steps, each rounded, for which there are instructions. All else is as
// written: NaN, infinity, signed zeros and denormals come out where IEEE says.
//
//   %1 = arith.addf %in, %out : f32        (the combiner of a reduction)
//   %2 = math.exp %x : f32
// becomes
//   %1 = arith.addf %in, %out fastmath<reassoc,contract> : f32
//   %2 = (arithmetic)
//
// The polynomials are minimax fits by Lawson's iteration in f64, weighted by
// the error of the function, with coefficients rounded to f32 one after the
// other. Their bounds count the fit alone. Each is the part behind terms that
// are exact, so that small arguments lose nothing.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

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
    getOperation().walk([](Operation *op) {
      if (auto narrow = dyn_cast<arith::TruncFOp>(op))
        narrowInSteps(narrow);
      else
        expand(op);
    });
    // Those that the line above made, too.
    getOperation().walk(
        [](arith::ArithFastMathInterface op) { allowContraction(op); });
  }

  static void allowReordering(linalg::LinalgOp op);
  static void allowContraction(arith::ArithFastMathInterface op);
  static void expand(Operation *op);
  static void narrowInSteps(arith::TruncFOp op);
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

/// A product that is added may be rounded with the sum. Conversions round where
/// they stand: with this flag, one there and back would go away.
void RelaxMathPass::allowContraction(arith::ArithFastMathInterface op) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    addFlags(op, arith::FastMathFlags::contract);
}

namespace {
/// Writes formulas on f32.
struct Formula : ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value number(float value) {
    return arith::ConstantOp::create(*this, getF32FloatAttr(value));
  }
  Value integer(int32_t value) {
    return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(*this, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }
  Value toBits(Value a) {
    return arith::BitcastOp::create(*this, getI32Type(), a);
  }
  Value fromBits(Value a) {
    return arith::BitcastOp::create(*this, getF32Type(), a);
  }
  /// `then` where a < b, else `other`; the latter where one is NaN.
  Value selectLess(Value a, Value b, Value then, Value other) {
    Value isLess =
        arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, a, b);
    return arith::SelectOp::create(*this, isLess, then, other);
  }
  /// c[0] + x (c[1] + x (c[2] + ...)).
  Value polynomial(Value x, ArrayRef<float> c) {
    Value sum = number(c.back());
    for (float next : llvm::reverse(c.drop_back()))
      sum = add(mul(sum, x), number(next));
    return sum;
  }

  std::pair<Value, Value> reducedExp(Value x);
  Value scale(Value x, Value exponent);
  Value exp(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value log(Value x);
};
} // namespace

/// e^r and n, where x = n ln 2 + r with |r| <= ln 2 / 2; |x| < 2^20. n comes in
/// the bits of a float's exponent.
std::pair<Value, Value> Formula::reducedExp(Value x) {
  // (e^r - 1 - r) / r^2; 2^-26 of e^r - 1.
  static const float c[] = {5.000000000e-01f, 1.666654348e-01f,
                            4.166643694e-02f, 8.366545662e-03f,
                            1.393786282e-03f};
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
  Value magic = number(0x1.8p23f);
  Value shifted = add(mul(x, number(0x1.715476p0f)), magic);
  Value n = sub(shifted, magic);
  // ln 2 in two parts; n times the first, which has 15 bits, is exact.
  Value r = sub(x, mul(n, number(0x1.62e4p-1f)));
  r = sub(r, mul(n, number(0x1.7f7d1cp-20f)));
  Value rest = add(mul(mul(r, r), polynomial(r, c)), r);
  Value exponent =
      arith::ShLIOp::create(*this, toBits(shifted), integer(23));
  return {add(rest, number(1.0f)), exponent};
}

/// x 2^n for results that are normal numbers; anything for NaN.
Value Formula::scale(Value x, Value exponent) {
  return fromBits(arith::AddIOp::create(*this, toBits(x), exponent));
}

/// e^x. Two factors, since 2^n may be neither normal nor finite where the
/// product is.
Value Formula::exp(Value x) {
  x = selectLess(x, number(-104.0f), number(-104.0f), x);
  x = selectLess(number(89.0f), x, number(89.0f), x);
  auto [power, exponent] = reducedExp(x);
  Value half = arith::AndIOp::create(
      *this, arith::ShRSIOp::create(*this, exponent, integer(1)),
      integer(0xff800000));
  Value other = arith::SubIOp::create(*this, exponent, half);
  Value one = number(1.0f);
  return mul(mul(power, scale(one, half)), scale(one, other));
}

/// x + x^3 P(x^2) for small x, else 1 - 2 / (e^2|x| + 1), which is 1 from 9.02
/// on.
Value Formula::tanh(Value x) {
  // (tanh(x) / x - 1) / x^2 by x^2 up to 0.55; 2^-29 of tanh(x).
  static const float c[] = {-3.333331645e-01f, 1.333254427e-01f,
                            -5.384754762e-02f, 2.105071396e-02f,
                            -6.242848933e-03f};
  Value square = mul(x, x);
  Value near = add(mul(mul(square, polynomial(square, c)), x), x);
  Value size = math::AbsFOp::create(*this, x);
  Value bounded = selectLess(number(10.0f), size, number(10.0f), size);
  auto [power, exponent] = reducedExp(add(bounded, bounded));
  Value quotient = arith::DivFOp::create(
      *this, number(2.0f), add(scale(power, exponent), number(1.0f)));
  Value far = sub(number(1.0f), quotient);
  // Of both, since -0 + 0 is not -0.
  return math::CopySignOp::create(
      *this, selectLess(number(0.55f), size, far, near), x);
}

/// x + x P(x^2) for small x, else 1 - e^Q(|x|), which is 1 from 3.92 on.
Value Formula::erf(Value x) {
  // erf(x) / x - 1 by x^2 up to 7/8; 2^-26 of erf(x).
  static const float small[] = {1.283791512e-01f,  -3.761250675e-01f,
                                1.128196046e-01f,  -2.677204274e-02f,
                                5.001375917e-03f,  -6.033660029e-04f};
  // 1 + log(1 - erf(x)) / x from 7/8 to 4; 2^-28 of 1 - erf(x).
  static const float large[] = {-1.285224706e-01f, -6.356912851e-01f,
                                -1.052969322e-01f, 2.291213162e-02f,
                                -3.221769352e-03f, 2.148001076e-04f};
  Value near = add(mul(polynomial(mul(x, x), small), x), x);
  Value size = math::AbsFOp::create(*this, x);
  Value bounded = selectLess(number(4.0f), size, number(4.0f), size);
  Value power = sub(mul(polynomial(bounded, large), bounded), bounded);
  auto [reduced, exponent] = reducedExp(power);
  Value far = math::CopySignOp::create(
      *this, sub(number(1.0f), scale(reduced, exponent)), x);
  return selectLess(number(0.875f), size, far, near);
}

/// n ln 2 + log m, where x = 2^n m with m in 2/3 to 4/3.
Value Formula::log(Value x) {
  // (log(1 + f) - f) / f^2; 2^-27 of log(1 + f).
  static const float c[] = {-5.000000000e-01f, 3.333321512e-01f,
                            -2.499980479e-01f, 2.001042962e-01f,
                            -1.668024808e-01f, 1.400566697e-01f,
                            -1.218688414e-01f, 1.398496032e-01f,
                            -1.288226247e-01f};
  Value zero = number(0.0f), infinity = number(INFINITY);
  Value least = number(0x1p-126f);
  Value normal = selectLess(x, least, mul(x, number(0x1p23f)), x);
  Value shift = selectLess(x, least, number(-23.0f), zero);
  Value bits = toBits(normal);
  Value exponent = arith::AndIOp::create(
      *this, arith::SubIOp::create(*this, bits, toBits(number(0x1.555556p-1f))),
      integer(0xff800000));
  Value m = fromBits(arith::SubIOp::create(*this, bits, exponent));
  Value n = arith::SIToFPOp::create(
      *this, getF32Type(),
      arith::ShRSIOp::create(*this, exponent, integer(23)));
  n = add(n, shift);
  Value f = sub(m, number(1.0f));
  Value rest = mul(mul(f, f), polynomial(f, c));
  // n times the first part of ln 2 is exact.
  rest = add(add(mul(n, number(0x1.7f7d1cp-20f)), rest), f);
  Value result = add(mul(n, number(0x1.62e4p-1f)), rest);
  result = selectLess(x, infinity, result, x);
  // Not below zero only, since NaN is not either.
  Value negative = selectLess(x, zero, number(NAN), result);
  Value isZero =
      arith::CmpFOp::create(*this, arith::CmpFPredicate::OEQ, x, zero);
  return arith::SelectOp::create(*this, isZero, number(-INFINITY), negative);
}

/// Replaces a function of a single f32, or of a narrower float.
void RelaxMathPass::expand(Operation *op) {
  if (!isa<math::ExpOp, math::TanhOp, math::ErfOp, math::LogOp>(op))
    return;
  Type type = op->getOperand(0).getType();
  if (!type.isF32() && !type.isBF16() && !type.isF16())
    return;
  Formula formula(op->getLoc(), op);
  Value x = op->getOperand(0);
  if (!type.isF32())
    x = arith::ExtFOp::create(formula, formula.getF32Type(), x);
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case<math::ExpOp>([&](auto) { return formula.exp(x); })
          .Case<math::TanhOp>([&](auto) { return formula.tanh(x); })
          .Case<math::ErfOp>([&](auto) { return formula.erf(x); })
          .Case<math::LogOp>([&](auto) { return formula.log(x); });
  if (!type.isF32())
    result = arith::TruncFOp::create(formula, type, result);
  op->replaceAllUsesWith(ValueRange(result));
  op->erase();
}

/// Narrows f64 to a half by way of f32. Compilers' libraries round once, but the
/// JIT links none.
void RelaxMathPass::narrowInSteps(arith::TruncFOp op) {
  if (!op.getIn().getType().isF64() ||
      op.getType().getIntOrFloatBitWidth() > 16)
    return;
  OpBuilder builder(op);
  op.getInMutable().assign(arith::TruncFOp::create(
      builder, op.getLoc(), builder.getF32Type(), op.getIn()));
}
