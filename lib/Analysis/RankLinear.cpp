// SPDX-License-Identifier: Apache-2.0
//===- RankLinear.cpp - through which arithmetic sums go on ---------------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// A value as a linear form of the operands that are sums.
struct Linear {
  SmallVector<std::pair<unsigned, Rational>, 2> terms;
  bool isZero = false;
};
} // namespace

/// The simplest number that rounds to a constant.
static std::optional<Rational> getNumber(Value value) {
  APFloat number(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  unsigned bits =
      std::min(24u, llvm::APFloat::semanticsPrecision(number.getSemantics()));
  bool isLossy;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isLossy);
  return Rational::fromFloat(number.convertToDouble(), bits);
}

std::optional<Rational> fsdp::getFactor(Operation *op, unsigned at) {
  std::optional<Rational> number = getNumber(op->getOperand(1 - at));
  if (isa<arith::DivFOp>(op) && number)
    return at == 0 ? Rational(1) / *number : std::nullopt;
  return isa<arith::MulFOp>(op) ? number : std::nullopt;
}

/// `op` of `in`, of which at least one depends on a sum; nothing where that is
/// not linear. `isScalar` says which operands are one number for all elements.
static std::optional<Linear> getLinear(Operation *op, ArrayRef<Linear> in,
                                       function_ref<bool(unsigned)> isScalar) {
  auto isNone = [&](unsigned i) { return in[i].terms.empty(); };
  auto scaleBy = [&](unsigned i,
                     std::optional<Rational> factor) -> std::optional<Linear> {
    Linear result = in[i];
    for (auto &[operand, scale] : result.terms) {
      std::optional<Rational> next =
          factor ? scale * *factor : std::optional<Rational>();
      if (!next)
        return std::nullopt;
      scale = *next;
    }
    return result;
  };
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    Linear result;
    for (unsigned i : {0, 1}) {
      if (isNone(i) && !in[i].isZero)
        return std::nullopt;
      bool isMinus = i && isa<arith::SubFOp>(op);
      for (auto &[operand, scale] : in[i].terms)
        result.terms.push_back({operand, isMinus ? -scale : scale});
    }
    return result;
  }
  if (isa<arith::MulFOp>(op) && isNone(0) != isNone(1)) {
    unsigned at = isNone(0) ? 1 : 0;
    if (std::optional<Rational> factor = getNumber(op->getOperand(1 - at)))
      return scaleBy(at, factor);
    if (isScalar(1 - at))
      return in[at];
    return std::nullopt;
  }
  if (isa<arith::DivFOp>(op) && isNone(1)) {
    if (std::optional<Rational> divisor = getNumber(op->getOperand(1)))
      return scaleBy(0, Rational(1) / *divisor);
    if (isScalar(1))
      return in[0];
    return std::nullopt;
  }
  if (isa<arith::NegFOp>(op))
    return scaleBy(0, Rational(-1));
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return in[0];
  // Rows that are padding become zero.
  if (isa<arith::SelectOp>(op) && isNone(0) && in[2].isZero)
    return in[1];
  return std::nullopt;
}

/// The linear forms that the body of `op` yields, if all are. Adds what single
/// operands are multiplied by on the way to `scales`.
static std::optional<SmallVector<Linear>>
getBodyForms(linalg::LinalgOp op, function_ref<bool(unsigned)> isSum,
             function_ref<bool(unsigned)> isScalar,
             function_ref<bool(unsigned)> isZero,
             SmallVectorImpl<std::pair<unsigned, Rational>> *scales) {
  Block &body = op->getRegion(0).front();
  llvm::SmallDenseMap<Value, Linear, 8> forms;
  llvm::SmallDenseMap<Value, bool, 8> scalars;
  bool isLinear = true;
  for (BlockArgument argument : body.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (isSum(i))
      forms[argument].terms = {{i, Rational(1)}};
    forms[argument].isZero = isZero(i);
    scalars[argument] = isScalar(i);
  }
  auto lookup = [&](Value value) {
    auto it = forms.find(value);
    if (it != forms.end())
      return it->second;
    return Linear{{}, matchPattern(value, m_AnyZeroFloat())};
  };
  for (Operation &inner : body.without_terminator()) {
    SmallVector<Linear, 3> in;
    bool depends = false, areScalars = true;
    for (Value operand : inner.getOperands()) {
      in.push_back(lookup(operand));
      depends |= !in.back().terms.empty();
      auto it = scalars.find(operand);
      areScalars &= it == scalars.end() || it->second;
    }
    areScalars &= !isa<linalg::IndexOp, tensor::ExtractOp>(inner);
    for (Value result : inner.getResults())
      scalars[result] = areScalars;
    Linear form;
    form.isZero = matchPattern(&inner, m_AnyZeroFloat());
    if (depends) {
      auto found = getLinear(&inner, in, [&](unsigned i) {
        auto it = scalars.find(inner.getOperand(i));
        return it == scalars.end() || it->second;
      });
      if (!found) {
        // Used here; what else is made of the sums may still be linear.
        isLinear = false;
        continue;
      }
      form = *found;
      if (scales && form.terms.size() == 1)
        scales->push_back(form.terms.front());
    }
    for (Value result : inner.getResults())
      forms[result] = form;
  }
  if (!isLinear)
    return std::nullopt;
  SmallVector<Linear> results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    results.push_back(lookup(yielded));
    if (results.back().terms.empty())
      return std::nullopt;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// What is equal and what is not, both made of gradients: a norm would count
/// the former once per rank.
static bool isAddition(Operation *op) {
  if (isa<arith::AddFOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() == 0 &&
         llvm::all_of(*generic.getBody(), [](Operation &inner) {
           return isa<arith::AddFOp, linalg::YieldOp>(inner);
         });
}

void RankInterpreter::followSums(Operation *op) {
  if (!op->getNumResults() || !isa<TensorType>(op->getResult(0).getType()))
    return;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::PadOp,
          tensor::ExtractSliceOp>(op) ||
      localSums.contains(op))
    return followCopy(op, op->getOperand(0));
  bool haveSums = false, haveFrom = false, haveOrigin = false;
  bool areOfGradients = false, areAll = true;
  for (Value operand : op->getOperands()) {
    const RankState &state = get(operand);
    haveSums |= state.sum >= 0;
    haveFrom |= state.from != -1;
    haveOrigin |= state.origin >= 0;
    areOfGradients |= state.isOfGradients;
    areAll &= state.isOfGradients || state.isZero;
  }
  if (!areOfGradients && !haveSums && !haveFrom && !haveOrigin)
    return;
  for (Value result : op->getResults())
    states[result].isOfGradients = areOfGradients;
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return followConcat(concat);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return followInsert(insert);
  if (areOfGradients && areAll && isAddition(op)) {
    AxisSet equal = 0, any = 0;
    for (Value operand : op->getOperands())
      if (const RankState &state = get(operand); !state.isZero) {
        any |= state.getAny();
        equal |= ~(state.getAny() | state.getSpecial());
      }
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      if (any & equal & (AxisSet(1) << axis))
        states[op->getResult(0)].set(axis, AxisState::ofKind(AxisState::Mixed));
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool isElementwise = linalgOp ? !linalgOp.getNumReductionLoops()
                                : op->hasTrait<OpTrait::Elementwise>();
  int64_t rank = cast<ShapedType>(op->getResult(0).getType()).getRank();
  auto isTensor = [&](unsigned i) {
    auto type = dyn_cast<ShapedType>(op->getOperand(i).getType());
    return type && type.getRank() == rank &&
           isa<FloatType>(type.getElementType());
  };
  auto isSum = [&](unsigned i) { return get(op->getOperand(i)).sum >= 0; };
  auto isZero = [&](unsigned i) { return get(op->getOperand(i)).isZero; };
  auto isScalar = [&](unsigned i) {
    auto type = dyn_cast<RankedTensorType>(op->getOperand(i).getType());
    uint32_t all = type ? (uint32_t(1) << type.getRank()) - 1 : 0;
    return !type || type.getNumElements() == 1 ||
           (getUniform(op->getOperand(i)) & all) == all;
  };
  // A factor that clips, or takes a loss's scale away.
  for (unsigned i = 0; haveSums && i < op->getNumOperands(); ++i)
    if (isScalar(i) && !isSum(i) && !isTensor(i) &&
        getDiffering(op->getOperand(i)))
      report(RankEvent::Factor, op, i, getDiffering(op->getOperand(i)));
  // A cast is a copy of a parameter as well.
  if (haveOrigin && isElementwise &&
      (isa<arith::TruncFOp, arith::ExtFOp>(op) ||
       (linalgOp && linalgOp.getNumDpsInputs() == 1 &&
        llvm::all_of(op->getRegion(0).front(), [](Operation &inner) {
          return isa<arith::TruncFOp, arith::ExtFOp, linalg::YieldOp>(inner);
        }))))
    states[op->getResult(0)].origin = get(op->getOperand(0)).origin;
  SmallVector<std::pair<unsigned, Rational>> scales;
  if (haveSums && isElementwise) {
    std::optional<SmallVector<Linear>> forms;
    if (linalgOp) {
      forms = getBodyForms(linalgOp, isSum, isScalar, isZero, &scales);
    } else {
      SmallVector<Linear> in;
      for (unsigned i = 0; i < op->getNumOperands(); ++i) {
        in.push_back({{}, isZero(i)});
        if (isSum(i))
          in.back().terms = {{i, Rational(1)}};
      }
      if (std::optional<Linear> form = getLinear(op, in, isScalar))
        forms = SmallVector<Linear>{*form};
    }
    if (forms) {
      for (auto [index, form] : llvm::enumerate(*forms)) {
        RankState &state = states[op->getResult(index)];
        unsigned first = form.terms.front().first;
        if (form.terms.size() == 1) {
          Rational factor = form.terms.front().second;
          state.sum = changeSum(
              get(op->getOperand(first)).sum, [&](GradientSum changed) {
                // What was subtracted so far has its sign back.
                if (factor == Rational(-1) &&
                    llvm::all_of(changed.terms, [](auto &term) {
                      return term.second.isNegative();
                    }))
                  for (auto &[value, scale] : changed.terms)
                    scale = -scale;
                else if (factor != Rational(1))
                  changed.scales.push_back(
                      (changed.scales.back() * factor).value_or(Rational(0)));
                return changed;
              });
        } else {
          SmallVector<std::pair<int32_t, Rational>> terms;
          for (auto [operand, factor] : form.terms)
            terms.push_back({get(op->getOperand(operand)).sum, factor});
          state.sum = addSums(terms);
          if (state.sum < 0)
            recordUses(op);
        }
        if (linalgOp)
          moveSum(state, [&, i = unsigned(index)](const Bucket &bucket) {
            return moveBucket(linalgOp, first, i, bucket);
          });
      }
      return;
    }
  }
  if (haveSums)
    recordUses(op, scales);
  if (!isElementwise)
    return;
  // Element by element, of whose gradient: what is one is not outvoted by what
  // was made of others before (a factor that clips).
  int32_t from = -1;
  for (bool wantsSums : {true, false}) {
    for (unsigned i = 0; i < op->getNumOperands() && from != -2; ++i) {
      if (!isTensor(i) || isSum(i) != wantsSums || (!wantsSums && haveSums))
        continue;
      RankState state = get(op->getOperand(i));
      state.origin = -1;
      int32_t own = getParameter(state);
      if (own != -1)
        from = from == -1 || from == own ? own : -2;
    }
  }
  for (Value result : op->getResults())
    states[result].from = from;
}
