// SPDX-License-Identifier: Apache-2.0
//===- RankLoops.cpp - along which loop an op is split --------------------===//
#include "RankInterpreter.h"

using namespace mlir;
using namespace fsdp;

/// The loops that a split dimension may be said to run along: its own, or that
/// of a dimension of one row beside it.
static SmallVector<LoopSplit> getLoops(const RankState &state, unsigned axis,
                                       AffineMap map, ArrayRef<int64_t> shape,
                                       const Axes &axes) {
  SmallVector<LoopSplit> loops;
  AxisState split = state.get(axis);
  bool isGuess = false;
  auto add = [&](int64_t dim, int64_t inner, int64_t stride) {
    if (auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim)))
      loops.push_back(
          {expr.getPosition(), inner, split.order, stride, isGuess});
  };
  int64_t dim = split.dim;
  add(dim, split.inner, getStride(state, axis, axes));
  if (split.otherDim >= 0)
    add(split.otherDim, split.otherInner, split.otherInner);
  isGuess = true;
  if (split.inner == shape[dim])
    for (int64_t before = dim - 1; before >= 0 && shape[before] == 1; --before)
      add(before, 1, 1);
  for (int64_t behind = dim + 1;
       behind < int64_t(shape.size()) && shape[behind - 1] == 1; ++behind)
    add(behind, shape[behind], shape[behind]);
  return loops;
}

SmallVector<LoopSplit> RankInterpreter::findSplits(ArrayRef<AffineMap> maps,
                                                   ValueRange operands,
                                                   unsigned axis,
                                                   bool &isMixed) {
  SmallVector<LoopSplit> common;
  bool isFirst = true;
  for (auto [map, operand] : llvm::zip(maps, operands)) {
    const RankState &state = get(operand);
    if (state.isZero || state.get(axis).kind != AxisState::Split)
      continue;
    SmallVector<LoopSplit> loops = getLoops(
        state, axis, map, cast<ShapedType>(operand.getType()).getShape(), axes);
    if (isFirst)
      common = loops;
    else
      llvm::erase_if(common, [&](const LoopSplit &have) {
        return llvm::none_of(loops, [&](const LoopSplit &other) {
          return have.loop == other.loop && have.inner == other.inner &&
                 have.order == other.order;
        });
      });
    isFirst = false;
  }
  // A loop that also runs in a window cannot be split.
  llvm::erase_if(common, [&](const LoopSplit &have) {
    return llvm::any_of(maps, [&](AffineMap map) {
      return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
        return !isa<AffineDimExpr>(expr) && expr.isFunctionOfDim(have.loop);
      });
    });
  });
  isMixed = !isFirst && common.empty();
  return common;
}

Element RankInterpreter::getElement(Value value, AffineMap map, unsigned axis,
                                    LoopSplit split) {
  const RankState &state = get(value);
  Element element{state.get(axis), state.isZero};
  if (state.isZero) {
    element.state = AxisState();
    return element;
  }
  if (split.loop < 0) {
    if (element.state.kind == AxisState::Split)
      element.state = AxisState::any();
    return element;
  }
  bool isAlong = map && map.isFunctionOfDim(split.loop);
  if (element.state.kind == AxisState::Split) {
    AxisState aligned;
    aligned.coefficient = element.state.coefficient;
    element.state = isAlong ? aligned : AxisState::any();
  } else if (element.state.kind != AxisState::Equal) {
    element.state = AxisState::any();
  } else if (isAlong) {
    // The same piece on every rank is no piece of a whole.
    uint32_t dims = getUniform(value);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(split.loop) && !(dims >> dim & 1))
        element.state = AxisState::any();
  }
  return element;
}
