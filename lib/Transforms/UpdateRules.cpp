// SPDX-License-Identifier: Apache-2.0
//===- UpdateRules.cpp - what an optimizer does to one element ------------===//
#include "fsdp/Transforms/UpdateRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// Scalar arithmetic that reads like the formula.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value constant(double number) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, number));
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value mul(double a, Value b) { return mul(constant(a), b); }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
};
} // namespace

SmallVector<StringRef> fsdp::getStateNames(const PlanOptimizer &optimizer) {
  switch (optimizer.kind.value) {
  case PlanOptimizer::SGD:
    return {};
  case PlanOptimizer::Momentum:
    return {"momentum_buffer"};
  case PlanOptimizer::AdamW:
    return {"exp_avg", "exp_avg_sq"};
  }
  llvm_unreachable("unknown optimizer");
}

/// w -= lr * g, with g += decay * w, and behind momentum b = mu * b + g.
static SmallVector<Value> createSGD(Arithmetic a,
                                    const PlanOptimizer &optimizer,
                                    const UpdateInputs &in) {
  Value gradient = in.gradient;
  if (in.decay != 0)
    gradient = a.add(gradient, a.mul(in.decay, in.parameter));
  if (in.states.empty())
    return {a.sub(in.parameter, a.mul(in.lr, gradient))};
  Value buffer =
      a.add(a.mul(optimizer.momentum->value, in.states[0]), gradient);
  return {a.sub(in.parameter, a.mul(in.lr, buffer)), buffer};
}

/// m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2;
/// w = (1 - lr decay) w - lr/c1 * m / (sqrt(v)/sqrt(c2) + eps).
static SmallVector<Value> createAdamW(Arithmetic a,
                                      const PlanOptimizer &optimizer,
                                      const UpdateInputs &in) {
  double beta1 = optimizer.beta1->value, beta2 = optimizer.beta2->value;
  Value parameter = in.parameter;
  if (in.decay != 0)
    parameter = a.mul(parameter,
                      a.sub(a.constant(1), a.mul(in.lr, a.constant(in.decay))));
  Value m = a.add(a.mul(beta1, in.states[0]), a.mul(1 - beta1, in.gradient));
  Value v = a.add(a.mul(beta2, in.states[1]),
                  a.mul(a.mul(1 - beta2, in.gradient), in.gradient));
  Value denominator = a.add(a.div(a.sqrt(v), a.sqrt(in.correction2)),
                            a.constant(optimizer.eps->value));
  Value change = a.mul(a.div(in.lr, in.correction1), a.div(m, denominator));
  return {a.sub(parameter, change), m, v};
}

SmallVector<Value> fsdp::createUpdate(OpBuilder &builder, Location loc,
                                      const PlanOptimizer &optimizer,
                                      UpdateInputs inputs) {
  Arithmetic arithmetic{builder, loc, inputs.parameter.getType()};
  if (inputs.clip)
    inputs.gradient = arithmetic.mul(inputs.gradient, inputs.clip);
  return optimizer.kind.value == PlanOptimizer::AdamW
             ? createAdamW(arithmetic, optimizer, inputs)
             : createSGD(arithmetic, optimizer, inputs);
}
