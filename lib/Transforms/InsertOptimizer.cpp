// SPDX-License-Identifier: Apache-2.0
//===- InsertOptimizer.cpp - append the plan's optimizer, unsharded -------===//
//
// The optimizer is written on whole tensors, as the framework defines it; that
// it runs on shards is sharding's business. The rules are in UpdateRules.h;
// clipping is torch.nn.utils.clip_grad_norm_.
//
//   return %loss, %g {fsdp.grad = "w"}
// becomes, for sgd,
//   %w1 = linalg.generic ins(%w, %g, %lr) { w - lr * g }
//   return %loss, %w1 {fsdp.updated = "w"}
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Step.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "fsdp/Transforms/UpdateRules.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fsdp {
#define GEN_PASS_DEF_INSERTOPTIMIZERPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct InsertOptimizerPass
    : public fsdp::impl::InsertOptimizerPassBase<InsertOptimizerPass> {
  using InsertOptimizerPassBase::InsertOptimizerPassBase;

  void runOnOperation() override {
    if (config.empty())
      return;
    FailureOr<Plan> plan = rereadPlan(config, &getContext());
    if (failed(plan))
      return signalPassFailure();
    if (!plan->optimizer)
      return;
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step) || failed(check(*step, *plan->optimizer)))
      return signalPassFailure();
    insert(*step, *plan->optimizer);
  }

  LogicalResult check(const Step &step, const PlanOptimizer &optimizer);
  void insert(const Step &step, const PlanOptimizer &optimizer);
};

/// The new arguments and results of a step under construction.
class Updates {
public:
  Updates(const Step &step, const PlanOptimizer &optimizer);
  void update(const Parameter &parameter);
  void finish();

private:
  Value addArgument(StringRef role, StringRef name, RankedTensorType type,
                    std::optional<double> value = std::nullopt);
  void addResult(StringRef role, StringRef name, Value value);
  Value createClip();
  Value createCorrection(Value count, double beta);
  double getDecay(const Parameter &parameter, int64_t rank) const;

  const Step &step;
  const PlanOptimizer &optimizer;
  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  /// Scalars that all updates share; null where the optimizer has none.
  Value lr, clip, correction1, correction2;
  Type scalarElement;
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> resultAttributes;
};
} // namespace

/// The graph must be one of gradients.
LogicalResult InsertOptimizerPass::check(const Step &step,
                                         const PlanOptimizer &optimizer) {
  bool hasGradient = false;
  for (const Parameter &parameter : step.getParameters()) {
    if (parameter.updated >= 0) {
      InFlightDiagnostic diag =
          emitError(optimizer.loc)
          << "expected no 'optimizer' for a step that has one";
      diag.attachNote(
          step.getTerminator()->getOperand(parameter.updated).getLoc())
          << "parameter '" << parameter.name << "' is updated here";
      return diag;
    }
    hasGradient |= parameter.grad >= 0;
  }
  if (!hasGradient)
    return emitError(optimizer.loc) << "expected gradients for 'optimizer' to "
                                       "use, but the step has none";
  return success();
}

void InsertOptimizerPass::insert(const Step &step,
                                 const PlanOptimizer &optimizer) {
  Updates updates(step, optimizer);
  for (const Parameter &parameter : step.getParameters())
    if (parameter.grad >= 0)
      updates.update(parameter);
  updates.finish();
}

Updates::Updates(const Step &step, const PlanOptimizer &optimizer)
    : step(step), optimizer(optimizer), function(step.getFunction()),
      builder(step.getTerminator()),
      loc(NameLoc::get(
          StringAttr::get(builder.getContext(), "optimizer"),
          NameLoc::get(StringAttr::get(builder.getContext(), "opt")))) {
  // What stays: everything but the gradients.
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, attr::grad)) {
      results.push_back(step.getTerminator()->getOperand(i));
      resultAttributes.push_back(function.getResultAttrDict(i));
    }
  // Scalars are as wide as the widest parameter, and f32 at least.
  scalarElement = builder.getF32Type();
  for (const Parameter &parameter : step.getParameters())
    if (getElementTypeOrSelf(function.getArgumentTypes()[parameter.argument])
            .isF64())
      scalarElement = builder.getF64Type();
  auto scalar = RankedTensorType::get({}, scalarElement);
  lr = addArgument(attr::hyper, "lr", scalar, optimizer.lr.value);
  if (optimizer.kind.value == PlanOptimizer::AdamW) {
    Value count = addArgument(attr::hyper, "step",
                              RankedTensorType::get({}, builder.getI64Type()));
    correction1 = createCorrection(count, optimizer.beta1->value);
    correction2 = createCorrection(count, optimizer.beta2->value);
  }
  if (optimizer.clipNorm)
    clip = createClip();
}

/// Adds an argument of a role, replicated.
Value Updates::addArgument(StringRef role, StringRef name,
                           RankedTensorType type, std::optional<double> value) {
  NamedAttrList attributes;
  attributes.set(role, builder.getStringAttr(name));
  if (value)
    attributes.set(attr::value, builder.getF64FloatAttr(*value));
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(
      index, type, attributes.getDictionary(builder.getContext()), loc);
  return function.getArgument(index);
}

void Updates::addResult(StringRef role, StringRef name, Value value) {
  results.push_back(value);
  resultAttributes.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr(role, builder.getStringAttr(name))));
}

/// min(1, clip_norm / (norm + 1e-6)), with the norm as an output.
Value Updates::createClip() {
  SmallVector<Value> gradients;
  SmallVector<Attribute> shardings;
  for (const Parameter &parameter : step.getParameters())
    if (parameter.grad >= 0) {
      gradients.push_back(step.getTerminator()->getOperand(parameter.grad));
      shardings.push_back(step.getArgSharding(parameter.argument));
    }
  auto scalar = RankedTensorType::get({}, scalarElement);
  Value norm = GlobalNormOp::create(builder, loc, scalar, gradients,
                                    builder.getArrayAttr(shardings));
  addResult(attr::output, "grad_norm", norm);
  return createElementwise(
      builder, loc, norm, {}, scalarElement,
      [&](OpBuilder &nested, Location at, ValueRange arguments) {
        auto constant = [&](double number) -> Value {
          return arith::ConstantOp::create(
              nested, at, nested.getFloatAttr(scalarElement, number));
        };
        Value sum =
            arith::AddFOp::create(nested, at, arguments[0], constant(1e-6));
        Value factor = arith::DivFOp::create(
            nested, at, constant(optimizer.clipNorm->value), sum);
        return SmallVector<Value>{
            arith::MinimumFOp::create(nested, at, factor, constant(1.0))};
      })[0];
}

/// 1 - beta^step, in f64: at step 1 the difference is small.
Value Updates::createCorrection(Value count, double beta) {
  return createElementwise(
      builder, loc, count, {}, scalarElement,
      [&](OpBuilder &nested, Location at, ValueRange arguments) {
        Type f64 = nested.getF64Type();
        auto constant = [&](double number) -> Value {
          return arith::ConstantOp::create(nested, at,
                                           nested.getF64FloatAttr(number));
        };
        Value exponent = arith::SIToFPOp::create(nested, at, f64, arguments[0]);
        Value power =
            math::PowFOp::create(nested, at, constant(beta), exponent);
        Value rest = arith::SubFOp::create(nested, at, constant(1.0), power);
        return SmallVector<Value>{
            createScalarCast(nested, at, rest, scalarElement)};
      })[0];
}

/// The weight decay of a parameter, by the plan's exceptions.
double Updates::getDecay(const Parameter &parameter, int64_t rank) const {
  if (optimizer.noDecayBelowNdim && rank < optimizer.noDecayBelowNdim->value)
    return 0;
  for (const Located<PathGlob> &glob : optimizer.noDecay)
    if (glob.value.match(parameter.name))
      return 0;
  return optimizer.weightDecay.value;
}

/// One fused elementwise op per parameter: in f32, or f64 for f64 parameters.
void Updates::update(const Parameter &parameter) {
  Value value = function.getArgument(parameter.argument);
  Value gradient = step.getTerminator()->getOperand(parameter.grad);
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  Type wide = element.isF64() ? element : Type(builder.getF32Type());
  double decay = getDecay(parameter, type.getRank());

  SmallVector<StringRef> stateNames = getStateNames(optimizer);
  SmallVector<Value> inputs = {value, gradient};
  for (StringRef state : stateNames)
    inputs.push_back(
        addArgument(attr::state, (state + ":" + parameter.name).str(), type));
  for (Value scalar : {lr, clip, correction1, correction2})
    if (scalar)
      inputs.push_back(scalar);

  SmallVector<Type> elements(1 + stateNames.size(), element);
  SmallVector<Value> updated = createElementwise(
      builder, loc, inputs, type.getShape(), elements,
      [&](OpBuilder &nested, Location at, ValueRange arguments) {
        auto next = arguments.begin();
        auto take = [&]() {
          return createScalarCast(nested, at, *next++, wide);
        };
        UpdateInputs in;
        in.decay = decay;
        in.parameter = take();
        in.gradient = take();
        for (size_t i = 0; i < stateNames.size(); ++i)
          in.states.push_back(take());
        for (auto [scalar, slot] : {std::pair(lr, &in.lr),
                                    {clip, &in.clip},
                                    {correction1, &in.correction1},
                                    {correction2, &in.correction2}})
          if (scalar)
            *slot = take();
        SmallVector<Value> out = createUpdate(nested, at, optimizer, in);
        for (Value &result : out)
          result = createScalarCast(nested, at, result, element);
        return out;
      });
  addResult(attr::updated, parameter.name, updated[0]);
  for (auto [state, result] :
       llvm::zip_equal(stateNames, ArrayRef(updated).drop_front()))
    addResult(attr::updatedState, (state + ":" + parameter.name).str(), result);
}

/// Puts the new results in place.
void Updates::finish() {
  step.getTerminator()->setOperands(results);
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(result.getType());
  // Attributes are positional: rebuild them with the type.
  SmallVector<DictionaryAttr> argumentAttributes;
  function.getAllArgAttrs(argumentAttributes);
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getArgumentTypes(), types));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(resultAttributes);
}
