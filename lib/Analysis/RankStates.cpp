// SPDX-License-Identifier: Apache-2.0
//===- RankStates.cpp - what a value is on each axis --------------------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fsdp;

void RankState::set(unsigned axis, AxisState state) {
  AxisSet bit = AxisSet(1) << axis;
  unsigned at = llvm::popcount(special & (bit - 1));
  different &= ~bit;
  if (special & bit)
    list.erase(list.begin() + at);
  special &= ~bit;
  if (state.kind == AxisState::Any) {
    different |= bit;
  } else if (!state.isPlain()) {
    special |= bit;
    list.insert(list.begin() + at, state);
  }
}

int64_t fsdp::getStride(const RankState &state, unsigned axis,
                        const Axes &axes) {
  AxisState own = state.get(axis);
  int64_t stride = own.inner;
  for (auto [i, other] : llvm::enumerate(axes.getAxes())) {
    AxisState at = state.get(i);
    if (i != axis && at.kind == AxisState::Split && at.dim == own.dim &&
        (at.inner < own.inner ||
         (at.inner == own.inner && at.order < own.order)))
      stride *= other.extent;
  }
  return stride;
}

std::optional<int64_t> fsdp::getInteger(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(64))
    return number.getSExtValue();
  return std::nullopt;
}

const RankState &RankStates::get(Value value) const {
  static const RankState equal;
  auto it = states.find(value);
  return it == states.end() ? equal : it->second;
}

AxisSet RankStates::getSet(Attribute group) const {
  auto it = sets.find(group);
  if (it == sets.end())
    return axes.getWorld();
  AxisSet set = 0;
  for (unsigned axis : it->second)
    set |= AxisSet(1) << axis;
  return set;
}

AxisSet RankStates::getDiffering(Value value) const {
  const RankState &state = get(value);
  return state.isZero ? 0 : state.getAny() | state.getSpecial();
}

Value RankStates::getCause(Value value, AxisSet wanted) const {
  DenseSet<Value> seen;
  // What is not known, or a term, is followed to where it became so.
  auto getSetOf = [&](const RankState &state, auto... kinds) {
    AxisSet set = 0;
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      if (((state.get(axis).kind == kinds) || ...))
        set |= AxisSet(1) << axis;
    return set;
  };
  AxisState::Kind kind = AxisState::Equal;
  for (AxisState::Kind other :
       {AxisState::Partial, AxisState::Any, AxisState::Mixed})
    if (getSetOf(get(value), other) & wanted)
      kind = other;
  auto differs = [&](Value other) {
    const RankState &state = get(other);
    AxisSet own = kind == AxisState::Equal ? getDiffering(other)
                  : kind == AxisState::Any
                      ? getSetOf(state, AxisState::Any, AxisState::Mixed)
                      : getSetOf(state, kind);
    return (own & wanted) && !state.isZero && !seen.contains(other);
  };
  while (seen.insert(value).second) {
    SmallVector<Value> operands;
    if (auto loop = value.getDefiningOp<scf::ForOp>()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      operands = {loop.getYieldedValues()[index], loop.getInitArgs()[index]};
    } else if (Operation *def = value.getDefiningOp()) {
      llvm::append_range(operands, def->getOperands());
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(def->getRegions(), captured);
      llvm::append_range(operands, captured);
    } else if (auto around = dyn_cast<scf::ForOp>(
                   value.getParentBlock()->getParentOp())) {
      auto argument = cast<BlockArgument>(value);
      if (OpOperand *init = around.getTiedLoopInit(argument))
        operands = {init->get(),
                    around.getTiedLoopYieldedValue(argument)->get()};
    }
    auto next = llvm::find_if(operands, differs);
    if (next != operands.end())
      value = *next;
  }
  return value;
}

RankState RankStates::getPlaced(ShardingAttr sharding, Type type) const {
  RankState state;
  auto shape = cast<ShapedType>(type).getShape();
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    unsigned order = 0;
    for (Attribute group : llvm::reverse(sharding.getDimGroups(dim)))
      if (auto it = sets.find(group); it != sets.end())
        for (unsigned axis : llvm::reverse(it->second))
          state.set(axis, isOrdered(group)
                              ? AxisState::split(dim, shape[dim], order++)
                              : AxisState::any());
  }
  for (Attribute group : sharding.getPartial())
    if (auto it = sets.find(group); it != sets.end())
      for (unsigned axis : it->second)
        state.set(axis, AxisState::partial(sharding.getReduction()));
  for (Attribute group : sharding.getVarying())
    if (auto it = sets.find(group); it != sets.end())
      for (unsigned axis : it->second)
        state.set(axis, AxisState::any());
  return state;
}

/// What may be said of either: of a split, what both ways to say it share.
static AxisState joinAxis(AxisState a, AxisState b) {
  if (a == b) {
    std::optional<AxisState> own = a.getOther(), its = b.getOther();
    return own && its && *own == *its ? a : a.with(std::nullopt);
  }
  auto isMixed = [](const AxisState &state) {
    return state.kind == AxisState::Mixed;
  };
  auto isOdd = [](const AxisState &state) {
    return !state.isPlain() && state.kind != AxisState::Partial &&
           state.kind != AxisState::Mixed;
  };
  if ((isMixed(a) || isMixed(b)) && !isOdd(a) && !isOdd(b))
    return AxisState::ofKind(AxisState::Mixed);
  for (std::optional<AxisState> one : {std::optional(a), a.getOther()})
    for (std::optional<AxisState> other : {std::optional(b), b.getOther()})
      if (one && other && *one == *other) {
        return one->with(std::nullopt);
      }
  return AxisState::any();
}

bool RankInterpreter::isSame(int32_t a, int32_t b) const {
  if (a < 0 || b < 0 || a == b)
    return a == b;
  const GradientSum &one = sums[a], &other = sums[b];
  return one.terms == other.terms && one.scales == other.scales &&
         one.reduced == other.reduced &&
         one.bucket.period == other.bucket.period &&
         llvm::equal(one.bucket.pieces, other.bucket.pieces,
                     [&](const Bucket::Piece &p, const Bucket::Piece &q) {
                       return p.offset == q.offset && p.size == q.size &&
                              isSame(p.content, q.content);
                     });
}

RankState RankInterpreter::join(const RankState &a, const RankState &b) const {
  if (a.isZero)
    return b;
  if (b.isZero || a == b)
    return a;
  RankState state = a;
  AxisSet odd = a.getAny() | a.getSpecial() | b.getAny() | b.getSpecial();
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (odd >> axis & 1)
      state.set(axis, joinAxis(a.get(axis), b.get(axis)));
  state.guessed = a.guessed | b.guessed;
  state.isOfGradients = a.isOfGradients || b.isOfGradients;
  if (!isSame(a.sum, b.sum))
    state.sum = -1;
  state.from = a.from == b.from || b.from == -1 ? a.from
               : a.from == -1                   ? b.from
                                                : -2;
  state.origin = a.origin == b.origin ? a.origin : -1;
  return state;
}
