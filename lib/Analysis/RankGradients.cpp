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
  if (changed.bucket.pieces.empty())
    return addSum(change(changed));
  for (Bucket::Piece &piece : changed.bucket.pieces)
    piece.content = changeSum(piece.content, change);
  return addSum(changed);
}

/// True for what a loop has summed so far, and nothing else.
static bool isCarried(const GradientSum &sum) {
  return llvm::all_of(sum.terms, [](auto &term) {
    auto argument = dyn_cast<BlockArgument>(term.first);
    return argument && isa<scf::ForOp>(argument.getOwner()->getParentOp());
  });
}

int32_t RankInterpreter::addSums(ArrayRef<std::pair<int32_t, Rational>> terms) {
  // What a loop has so far of a bucket has the same pieces.
  Bucket first;
  for (auto [position, factor] : terms)
    if (first.pieces.empty())
      first = sums[position].bucket;
  GradientSum sum;
  sum.isAccumulated = first.pieces.empty();
  for (auto [position, factor] : terms) {
    GradientSum part = fold(sums[position]);
    const Bucket &own = part.bucket;
    if (own.pieces.empty() && !first.pieces.empty() && isCarried(part))
      continue;
    if (own.pieces.size() != first.pieces.size() || own.period != first.period)
      return -1;
    for (auto &[value, scale] : part.terms) {
      Rational added = (scale * factor).value_or(Rational(0));
      Value key = value;
      auto it = llvm::find_if(sum.terms,
                              [&](auto &term) { return term.first == key; });
      if (it == sum.terms.end())
        sum.terms.push_back({value, added});
      else
        it->second = (it->second + added).value_or(Rational(0));
    }
    sum.isScaled |= part.isScaled;
    sum.isAccumulated &= part.isAccumulated;
    sum.isLast |= part.isLast;
    sum.reduced |= part.reduced;
    sum.chunks |= part.chunks;
    sum.last = part.last ? part.last : sum.last;
    sum.counted = part.counted ? part.counted : sum.counted;
  }
  // Buckets are added piece by piece.
  sum.bucket = first;
  for (auto [i, piece] : llvm::enumerate(sum.bucket.pieces)) {
    SmallVector<std::pair<int32_t, Rational>> parts;
    for (auto [position, factor] : terms) {
      const Bucket &own = sums[position].bucket;
      bool isWhole = own.pieces.empty();
      if (!isWhole && (own.pieces[i].offset != piece.offset ||
                       own.pieces[i].size != piece.size))
        return -1;
      parts.push_back({isWhole ? position : own.pieces[i].content, factor});
    }
    piece.content = addSums(parts);
    if (piece.content < 0)
      return -1;
  }
  return addSum(sum);
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
  if (!sum->bucket.pieces.empty())
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
  func::FuncOp step = function;
  int32_t parameter = getParameter(state);
  auto sharding =
      parameter < 0
          ? ShardingAttr()
          : step.getArgAttrOfType<ShardingAttr>(parameter, attr::sharding);
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
  AxisSet chunks = 0;
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
      if (own.kind == AxisState::Split)
        chunks |= bit;
      bool isKnown = state.isZero || found.kind == AxisState::Equal ||
                     found.kind == AxisState::Split ||
                     found == AxisState::partial(ReductionKind::Sum);
      // Of a whole gradient of a split parameter as much is known.
      bool isSplit =
          placed.get(axis).kind == AxisState::Split && !(stored & bit);
      if (own.isPlain() && (ofLoss & bit) && !(isSplit && found.isPlain())) {
        if (!isChunk(found)) {
          state.set(axis, AxisState::partial(ReductionKind::Sum));
          state.guessed &= ~bit;
        }
      } else if (own.kind == AxisState::Any) {
        // Each rank's own, however it came about.
        state.set(axis, own);
        state.guessed &= ~bit;
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
        drifted.insert(op);
        state.set(axis, own);
      }
    }
  }
  state.isZero = false;
  state.isOfGradients = true;
  state.sum = -1;
  state.sum = getOrCreateSum(state, op.getResult());
  sums[state.sum].chunks = chunks;
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
  if (divided.contains(op))
    return;
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

void RankInterpreter::recordUses(
    Operation *op, ArrayRef<std::pair<unsigned, Rational>> scales) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    RankState state = get(operand);
    if (state.sum < 0)
      continue;
    // Of a bucket each piece is used.
    SmallVector<int32_t> pieces = {state.sum};
    for (size_t next = 0; next < pieces.size(); ++next) {
      const GradientSum &bucket = sums[pieces[next]];
      for (const Bucket::Piece &piece : bucket.bucket.pieces)
        pieces.push_back(piece.content);
      state.sum = pieces[next];
      if (pieces.size() > 1 && bucket.bucket.pieces.empty())
        events.push_back({RankEvent::Use, op, unsigned(i), 0, state});
    }
    if (pieces.size() > 1)
      continue;
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
  if (source == op->getOperand(0))
    moveSum(state,
            [&](const Bucket &bucket) { return moveBucket(op, bucket); });
}
