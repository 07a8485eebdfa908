// SPDX-License-Identifier: Apache-2.0
//===- RankGradients.cpp - sums of gradients ------------------------------===//
//
// From a marker on a value is followed as a sum of marked gradients with exact
// scales, through all that is linear; where it meets anything else it is used.
//
//===----------------------------------------------------------------------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

GradientSum fsdp::fold(GradientSum sum) {
  for (auto &[value, scale] : sum.terms)
    scale = (scale * sum.scales.back()).value_or(Rational(0));
  sum.scales = {Rational(1)};
  return sum;
}

int32_t RankInterpreter::addSum(GradientSum sum) {
  sums.push_back(std::move(sum));
  return sums.size() - 1;
}

int32_t
RankInterpreter::changeSum(int32_t sum,
                           function_ref<GradientSum(GradientSum)> change) {
  GradientSum changed = sums[sum];
  if (changed.pieces.empty())
    return addSum(change(changed));
  for (GradientSum::Piece &piece : changed.pieces)
    piece.sum = changeSum(piece.sum, change);
  return addSum(changed);
}

int32_t RankInterpreter::getOrCreateSum(const RankState &state, Value value) {
  if (state.sum >= 0)
    return state.sum;
  GradientSum sum;
  sum.terms = {{value, Rational(1)}};
  return addSum(sum);
}

int32_t RankStates::getParameter(const RankState &state) const {
  if (state.origin >= 0)
    return state.origin;
  const GradientSum *sum = getSum(state);
  if (!sum)
    return state.from;
  int32_t parameter = -1;
  if (!sum->pieces.empty())
    return -2;
  for (auto &[value, scale] : sum->terms) {
    auto marker = value.getDefiningOp<LocalGradOp>();
    auto it = marker ? parameters.find(marker.getParam()) : parameters.end();
    if (it == parameters.end())
      continue;
    int32_t next = it->second;
    parameter = parameter == -1 || parameter == next ? next : -2;
  }
  return parameter;
}

AxisSet RankInterpreter::getVarying(const RankState &state) const {
  func::FuncOp function = this->function;
  int32_t parameter = getParameter(state);
  auto sharding =
      parameter < 0
          ? ShardingAttr()
          : function.getArgAttrOfType<ShardingAttr>(parameter, attr::sharding);
  AxisSet set = 0;
  if (sharding)
    for (Attribute group : sharding.getVarying())
      set |= has(group) ? getSet(group) : 0;
  return set;
}

AxisSet RankInterpreter::getLossAxes() const {
  AxisSet set = 0;
  if (loss)
    for (Attribute group : loss.getGroups())
      set |= has(group) ? getSet(group) : 0;
  return set;
}

/// On the loss's axes each rank has the derivative of its own loss, a term of
/// the sum; elsewhere a gradient is what autograd made it.
void RankInterpreter::visitMarker(LocalGradOp op) {
  RankState state = get(op.getInput());
  auto it = parameters.find(op.getParam());
  if (it != parameters.end()) {
    unsigned index = it->second;
    auto sharding =
        function.getArgAttrOfType<ShardingAttr>(index, attr::sharding);
    auto shape =
        function.getArgAttrOfType<DenseI64ArrayAttr>(index, attr::globalShape);
    ArrayRef<int64_t> local = cast<ShapedType>(op.getType()).getShape();
    ArrayRef<int64_t> whole = shape ? shape.asArrayRef() : local;
    RankState wanted, placed = get(function.getArgument(index));
    // What the unit adds is no placement in compute.
    AxisSet stored = axes.getWorld();
    if (sharding)
      for (Attribute dim : sharding.getDims())
        for (Attribute group : cast<ArrayAttr>(dim))
          stored &= has(group) ? ~getSet(group) : axes.getWorld();
    if (sharding) {
      // Before the model is partitioned gradients are whole.
      bool isLocal =
          local == ArrayRef(getLocalShape(function, whole, sharding));
      wanted = getPlaced(
          isLocal ? sharding
                  : ShardingAttr::getReplicated(op.getContext(), whole.size())
                        .withVarying(sharding.getVarying()),
          op.getType());
    }
    AxisSet ofLoss = getLossAxes();
    // A chunk of the gradient was summed and scattered on its way.
    auto isChunk = [&](AxisState found) {
      if (found.kind != AxisState::Split)
        return false;
      int64_t rows = local[found.dim];
      for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
        if (AxisState at = state.get(axis);
            at.kind == AxisState::Split && at.dim == found.dim)
          rows *= axes.getAxes()[axis].extent;
      return rows >= whole[found.dim] && local[found.dim] < whole[found.dim];
    };
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
      AxisSet bit = AxisSet(1) << axis;
      AxisState found = state.get(axis), own = wanted.get(axis);
      bool isKnown = state.isZero || found.kind == AxisState::Equal ||
                     found.kind == AxisState::Split ||
                     found == AxisState::partial(ReductionKind::Sum);
      // Of a whole gradient of a split parameter as much is known.
      bool isSplit =
          placed.get(axis).kind == AxisState::Split && !(stored & bit);
      if (own.isPlain() && (ofLoss & bit) && !(isSplit && found.isPlain())) {
        if (!isChunk(found)) {
          state.set(axis, AxisState::partial(ReductionKind::Sum));
        }
      } else if (own.kind == AxisState::Any) {
        // Each rank's own, however it came about.
        state.set(axis, own);
      } else if (own.kind == AxisState::Split && found.isPlain() &&
                 (getBroadcast(op.getInput()) >> own.dim & 1)) {
        // The same along a dimension, so split along it as well, in the order
        // of the axes.
        own.order = 0;
        for (unsigned minor = axis + 1; minor < axes.getAxes().size(); ++minor)
          own.order += wanted.get(minor).kind == AxisState::Split &&
                       wanted.get(minor).dim == own.dim;
        state.set(axis, own);
      } else if (!isKnown) {
        report(own.isPlain() ? RankEvent::Drift : RankEvent::MarkedOther, op, 0,
               bit);
        state.set(axis, own);
      }
    }
  }
  state.isZero = false;
  state.isOfGradients = true;
  state.sum = -1;
  state.sum = getOrCreateSum(state, op.getResult());
  state.origin = -1;
  state.from = -1;
  states[op.getResult()] = state;
}

void RankInterpreter::visitScale(ScaleOp op) {
  RankState &state = states[op.getResult()];
  if (state.isZero)
    return;
  RankState input = get(op.getInput());
  state.isOfGradients = input.isOfGradients;
  state.from = input.from;
  if (input.isOfGradients && input.sum < 0 && input.from == -1)
    return report(RankEvent::ScaledOther, op, 0, axes.getWorld());
  std::optional<Rational> scale =
      Rational::get(op.getNumerator(), op.getDenominator());
  state.sum =
      changeSum(getOrCreateSum(input, op.getInput()), [&](GradientSum sum) {
        sum = fold(sum);
        for (auto &[value, factor] : sum.terms)
          factor = (factor * scale.value_or(Rational(0))).value_or(Rational(0));
        sum.isScaled = true;
        sum.last = op;
        return sum;
      });
}

//===----------------------------------------------------------------------===//
// What is linear
//===----------------------------------------------------------------------===//

namespace {
/// A value as a linear form of the operands that are sums.
struct Linear {
  SmallVector<std::pair<unsigned, Rational>, 2> terms;
  bool isZero = false;
};
} // namespace

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

void RankInterpreter::recordUses(
    Operation *op, ArrayRef<std::pair<unsigned, Rational>> scales) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    RankState state = get(operand);
    if (state.sum < 0)
      continue;
    if (!getSum(state)->pieces.empty()) {
      for (const GradientSum::Piece &piece : getSum(state)->pieces) {
        state.sum = piece.sum;
        events.push_back({RankEvent::Use, op, unsigned(i), 0, state});
      }
      continue;
    }
    GradientSum sum = *getSum(state);
    Rational before = sum.scales.back();
    for (auto [index, scale] : scales)
      if (index == i)
        sum.scales.push_back((before * scale).value_or(Rational(0)));
    if (sum.scales.size() > getSum(state)->scales.size())
      state.sum = addSum(sum);
    events.push_back({RankEvent::Use, op, unsigned(i), 0, state});
  }
}

void RankInterpreter::followCopy(Operation *op, Value source) {
  RankState from = get(source);
  RankState &state = states[op->getResult(0)];
  state.sum = from.sum;
  state.from = from.from;
  state.origin = from.origin;
  state.isOfGradients = from.isOfGradients;
}

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

/// Gradients that are one behind the other in a tensor, and their places again.
void RankInterpreter::followBucket(Operation *op) {
  RankState &state = states[op->getResult(0)];
  GradientSum bucket;
  auto add = [&](int64_t offset, int64_t size, int32_t sum) {
    bucket.pieces.push_back({offset, size, sum});
  };
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    bucket.dim = concat.getDim();
    int64_t offset = 0;
    for (Value input : concat.getInputs()) {
      int64_t size =
          cast<RankedTensorType>(input.getType()).getDimSize(bucket.dim);
      if (get(input).sum < 0 && !get(input).isZero)
        return recordUses(op);
      if (get(input).sum >= 0)
        add(offset, size, get(input).sum);
      offset += size;
    }
    if (!bucket.pieces.empty())
      state.sum = addSum(bucket);
    return;
  }
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  auto type = insert ? insert.getDestType()
                     : cast<tensor::ExtractSliceOp>(op).getSourceType();
  // The one dimension of which not all is taken.
  int64_t dim = -1;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!isConstantIntValue(slice.getMixedSizes()[i], type.getDimSize(i)))
      dim = dim < 0 ? i : type.getRank();
  std::optional<int64_t> offset, size;
  if (dim >= 0 && dim < type.getRank()) {
    offset = getConstantIntValue(slice.getMixedOffsets()[dim]);
    size = getConstantIntValue(slice.getMixedSizes()[dim]);
  }
  if (insert) {
    const RankState &source = get(insert.getSource()),
                    &dest = get(insert.getDest());
    const GradientSum *before = getSum(dest);
    if (!offset || !size || (before && before->pieces.empty()) ||
        (before && before->dim != dim) || (!before && !dest.isZero) ||
        source.sum < 0)
      return recordUses(op);
    if (before)
      bucket.pieces = before->pieces;
    bucket.dim = dim;
    add(*offset, *size, source.sum);
    state.sum = addSum(bucket);
    return;
  }
  Value source = cast<tensor::ExtractSliceOp>(op).getSource();
  const GradientSum *from = getSum(get(source));
  if (!from || from->pieces.empty()) {
    followCopy(op, source);
    return;
  }
  for (const GradientSum::Piece &piece : from->pieces)
    if (offset == piece.offset && size == piece.size && dim == from->dim)
      state.sum = piece.sum;
}

void RankInterpreter::followSums(Operation *op) {
  if (!op->getNumResults() || !isa<TensorType>(op->getResult(0).getType()))
    return;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::PadOp>(op))
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
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp>(op))
    return followBucket(op);
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
      for (auto [result, form] : llvm::zip_equal(op->getResults(), *forms)) {
        GradientSum sum;
        bool isBucket = llvm::any_of(form.terms, [&](auto &term) {
          return !getSum(get(op->getOperand(term.first)))->pieces.empty();
        });
        if (form.terms.size() == 1) {
          auto [operand, by] = form.terms.front();
          Rational factor = by;
          states[result].sum = changeSum(
              get(op->getOperand(operand)).sum, [&](GradientSum changed) {
                if (factor != Rational(1))
                  changed.scales.push_back(
                      (changed.scales.back() * factor).value_or(Rational(0)));
                return changed;
              });
          continue;
        }
        if (isBucket) {
          recordUses(op);
          continue;
        }
        {
          sum.isAccumulated = true;
          for (auto [operand, factor] : form.terms) {
            GradientSum part = fold(*getSum(get(op->getOperand(operand))));
            for (auto &[value, scale] : part.terms) {
              Rational own = (scale * factor).value_or(Rational(0));
              auto it = llvm::find_if(
                  sum.terms, [&](auto &term) { return term.first == value; });
              if (it == sum.terms.end())
                sum.terms.push_back({value, own});
              else
                it->second = (it->second + own).value_or(Rational(0));
            }
            sum.isScaled |= part.isScaled;
            sum.isAccumulated &= part.isAccumulated;
            sum.isLast |= part.isLast;
            sum.reduced |= part.reduced;
            sum.last = part.last ? part.last : sum.last;
            sum.counted = part.counted ? part.counted : sum.counted;
          }
        }
        states[result].sum = addSum(sum);
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
