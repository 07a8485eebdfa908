// SPDX-License-Identifier: Apache-2.0
//===- RankElements.cpp - arithmetic and bodies, one axis at a time -------===//
//
// On one axis an op runs along at most one split loop. In its body an element
// is then "equal" if it is what the whole would have at that place, whichever
// rank holds it, and the loop's own index is off by the rank's chunks.
//
//===----------------------------------------------------------------------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static bool isPartial(const Element &element, ReductionKind kind) {
  return element.isZero ? kind == ReductionKind::Sum
                        : element.state.kind == AxisState::Partial &&
                              element.state.reduction == kind;
}

/// Sums, differences and multiples of `w + c * digit`.
static std::optional<AxisState> addMultiples(Operation *op,
                                             ArrayRef<Element> in) {
  auto is = [](const Element &e) { return e.state.kind == AxisState::Equal; };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return in[0].state;
  if (op->getNumOperands() != 2 || !is(in[0]) || !is(in[1]))
    return std::nullopt;
  AxisState state;
  int64_t a = in[0].state.coefficient, b = in[1].state.coefficient;
  if (isa<arith::AddIOp>(op)) {
    state.coefficient = a + b;
  } else if (isa<arith::SubIOp>(op)) {
    state.coefficient = a - b;
  } else if (isa<arith::MulIOp>(op)) {
    std::optional<int64_t> left = getInteger(op->getOperand(0)),
                           right = getInteger(op->getOperand(1));
    if ((a && !right) || (b && !left))
      return std::nullopt;
    state.coefficient = a ? a * *right : b * *left;
  } else if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    // Between bounds that are equal: what is valid of this rank's chunk.
    state.coefficient = a ? a : b;
    state.isClamped = true;
  } else {
    return std::nullopt;
  }
  return state;
}

/// A comparison that holds on one rank: of a place with this rank's chunk, of
/// the digit with a number. Or of two that are off alike.
static std::optional<AxisState> compare(arith::CmpIOp op,
                                        ArrayRef<Element> in) {
  const AxisState &a = in[0].state, &b = in[1].state;
  if (a.kind != AxisState::Equal || b.kind != AxisState::Equal)
    return std::nullopt;
  // Bounds of a chunk's chunk are off by less than its place is.
  if (a.coefficient == b.coefficient || a.isClamped || b.isClamped)
    return AxisState();
  AxisState state;
  state.kind = AxisState::OneHot;
  std::optional<int64_t> right = getInteger(op.getRhs());
  if (b.coefficient || !right)
    return std::nullopt;
  if (op.getPredicate() == arith::CmpIPredicate::eq)
    return state;
  if (op.getPredicate() == arith::CmpIPredicate::ult && *right > 0 &&
      std::abs(a.coefficient) >= *right)
    return state;
  return std::nullopt;
}

/// A choice between what ranks hold and nothing makes terms of a sum.
static AxisState choose(ArrayRef<Element> in) {
  const Element &condition = in[0], &a = in[1], &b = in[2];
  if (condition.state.kind == AxisState::Equal) {
    for (ReductionKind kind :
         {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min})
      if (isPartial(a, kind) && isPartial(b, kind))
        return AxisState::partial(kind);
    if (a.state == b.state)
      return a.state;
  }
  if (condition.state.kind == AxisState::OneHot && b.isZero) {
    if (a.state.kind == AxisState::Equal && a.state.coefficient) {
      AxisState place = a.state;
      place.kind = AxisState::Masked;
      return place;
    }
    if (a.state.kind == AxisState::Equal || a.state.kind == AxisState::Masked)
      return AxisState::partial(ReductionKind::Sum);
  }
  return AxisState::any();
}

/// Ops through which terms pass.
static std::optional<AxisState> passTerms(Operation *op, ArrayRef<Element> in) {
  auto areAll = [&](ReductionKind kind) {
    return llvm::all_of(in,
                        [&](const Element &e) { return isPartial(e, kind); });
  };
  AxisState sum = AxisState::partial(ReductionKind::Sum);
  // What is no term is one on every rank, once added to some.
  AxisState mixed = AxisState::ofKind(AxisState::Mixed);
  auto isTermOrMixed = [&](const Element &e) {
    return isPartial(e, ReductionKind::Sum) || e.state == mixed ||
           e.state.isPlain();
  };
  auto isEqual = [&](unsigned i) { return in[i].state.isPlain(); };
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op) &&
      llvm::all_of(in, isTermOrMixed))
    return areAll(ReductionKind::Sum) ? sum : mixed;
  if (isa<ScaleOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp>(op) &&
      in[0].state == mixed)
    return mixed;
  if (isa<arith::MulFOp, arith::MulIOp>(op) &&
      ((isPartial(in[0], ReductionKind::Sum) && isEqual(1)) ||
       (isPartial(in[1], ReductionKind::Sum) && isEqual(0))))
    return sum;
  if (isa<arith::DivFOp>(op) && isPartial(in[0], ReductionKind::Sum) &&
      isEqual(1))
    return sum;
  if (isa<ScaleOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
          arith::SIToFPOp>(op) &&
      areAll(ReductionKind::Sum))
    return sum;
  for (auto [kind, isKind] :
       {std::pair(ReductionKind::Max,
                  isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op)),
        {ReductionKind::Min,
         isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op)}})
    if (isKind && llvm::all_of(in, [&](const Element &e) {
          return isPartial(e, kind) || e.state.isPlain();
        }))
      return AxisState::partial(kind);
  // They are monotone.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
      in[0].state.kind == AxisState::Partial)
    return in[0].state;
  return std::nullopt;
}

Element RankInterpreter::evaluate(Operation *op, ArrayRef<Element> in,
                                  unsigned axis) {
  Element result;
  result.isZero =
      matchPattern(op, m_AnyZeroFloat()) || matchPattern(op, m_Zero());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return evaluateExtract(extract, in.drop_front(), axis);
  if (llvm::all_of(in, [](const Element &e) { return e.state.isPlain(); })) {
    result.isZero |=
        !in.empty() &&
        isa<arith::MulFOp, arith::ExtFOp, arith::TruncFOp, ScaleOp,
            arith::NegFOp>(op) &&
        llvm::any_of(in, [](const Element &e) { return e.isZero; });
    result.isZero |=
        isa<arith::AddFOp, arith::SubFOp>(op) &&
        llvm::all_of(in, [](const Element &e) { return e.isZero; });
    return result;
  }
  // The two digits of a place in blocks.
  if (in[0].state.kind == AxisState::Blocked &&
      isa<arith::RemUIOp, arith::DivUIOp>(op) &&
      getInteger(op->getOperand(1)) == in[0].state.inner) {
    if (isa<arith::RemUIOp>(op))
      result.state.coefficient = in[0].state.coefficient;
    return result;
  }
  if (isa<arith::AndIOp>(op) && in.size() == 2)
    for (unsigned i : {0, 1})
      if (in[i].state.kind == AxisState::OneHot && in[1 - i].state.isPlain())
        return in[i];
  std::optional<AxisState> state = addMultiples(op, in);
  if (auto cmp = dyn_cast<arith::CmpIOp>(op); cmp && !state)
    state = compare(cmp, in);
  if (isa<arith::SelectOp>(op))
    state = choose(in);
  if (!state)
    state = passTerms(op, in);
  // What is made of terms in another way is no term, whatever is added up.
  auto isOfTerms = [](const Element &e) {
    return e.state.kind == AxisState::Partial ||
           e.state.kind == AxisState::Mixed;
  };
  auto isAny = [](const Element &e) { return e.state.kind == AxisState::Any; };
  if (!state && llvm::any_of(in, isOfTerms) && llvm::none_of(in, isAny))
    state = AxisState::ofKind(AxisState::Mixed);
  result.state = state.value_or(AxisState::any());
  return result;
}

/// A read of a tensor: right where the place is that of this rank's chunk.
Element RankInterpreter::evaluateExtract(tensor::ExtractOp op,
                                         ArrayRef<Element> indices,
                                         unsigned axis) {
  Element result;
  const RankState &tensor = get(op.getTensor());
  AxisState state = tensor.get(axis);
  bool isMasked = false, isEqual = true;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t wanted = state.kind == AxisState::Split && int64_t(dim) == state.dim
                         ? -getStride(tensor, axis, axes)
                         : 0;
    isEqual &= index.state.coefficient == wanted;
    isMasked |= index.state.kind == AxisState::Masked;
    isEqual &= index.state.kind == AxisState::Equal ||
               index.state.kind == AxisState::Masked;
  }
  if (tensor.isZero) {
    result.isZero = true;
  } else if (!isEqual || state.kind == AxisState::Any) {
    result.state = AxisState::any();
  } else if (isMasked) {
    result.state.kind = AxisState::Masked;
  } else if (state.kind != AxisState::Split) {
    result.state = state;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Along which loop
//===----------------------------------------------------------------------===//

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
    uint32_t uniform = getUniform(value);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(split.loop) && !(uniform >> dim & 1))
        element.state = AxisState::any();
  }
  return element;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The reduction that `yielded` does with what the result holds so far, and the
/// value that comes in.
static std::optional<std::pair<ReductionKind, Value>>
matchReduction(Value yielded, BlockArgument out) {
  Operation *op = yielded.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<ReductionKind> kind;
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    kind = ReductionKind::Sum;
  else if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op))
    kind = ReductionKind::Max;
  else if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op))
    kind = ReductionKind::Min;
  for (unsigned side : {0, 1})
    if (kind && op->getOperand(side) == out)
      return std::pair(*kind, op->getOperand(1 - side));
  return std::nullopt;
}

SmallVector<Element> RankInterpreter::evaluateBody(linalg::LinalgOp op,
                                                   unsigned axis,
                                                   LoopSplit split) {
  Block &body = op->getRegion(0).front();
  llvm::SmallDenseMap<Value, Element, 16> env;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [argument, map, operand] :
       llvm::zip(body.getArguments(), maps, op->getOperands()))
    env[argument] = getElement(operand, map, axis, split);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto lookup = [&](Value value) {
    auto it = env.find(value);
    if (it != env.end())
      return it->second;
    const RankState &state = get(value);
    return Element{state.get(axis), state.isZero ||
                                        matchPattern(value, m_AnyZeroFloat()) ||
                                        matchPattern(value, m_Zero())};
  };
  for (Operation &inner : body.without_terminator()) {
    Element element;
    SmallVector<Element, 4> in;
    for (Value operand : inner.getOperands())
      in.push_back(lookup(operand));
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (int64_t(index.getDim()) == split.loop) {
        element.state.coefficient = -split.stride;
        if (split.inner != extents[split.loop]) {
          element.state.kind = AxisState::Blocked;
          element.state.inner = split.inner;
        }
      }
    } else {
      element = evaluate(&inner, in, axis);
    }
    for (Value result : inner.getResults())
      env[result] = element;
  }
  SmallVector<Element> results;
  bool isReduced = split.loop >= 0 && op.getIteratorTypesArray()[split.loop] ==
                                          utils::IteratorType::reduction;
  for (auto [i, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    if (!isReduced) {
      results.push_back(lookup(yielded));
      continue;
    }
    BlockArgument out = op.getRegionOutputArgs()[i];
    auto reduction = matchReduction(yielded, out);
    Element in = reduction ? lookup(reduction->second) : Element();
    const RankState &init = get(op.getDpsInits()[i]);
    AxisState start = init.get(axis);
    Element result{AxisState::any()};
    // A sum that starts from something counts it on every rank.
    if (reduction && in.state.isPlain() &&
        (reduction->first == ReductionKind::Sum
             ? init.isZero || start == AxisState::partial(ReductionKind::Sum)
             : start.isPlain() ||
                   start == AxisState::partial(reduction->first)))
      result.state = AxisState::partial(reduction->first);
    else if (reduction && in.state.isPlain() && start.isPlain())
      result.state = AxisState::ofKind(AxisState::Mixed);
    results.push_back(result);
  }
  return results;
}

void RankInterpreter::setLinalg(linalg::LinalgOp op, unsigned axis,
                                MutableArrayRef<RankState> results) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool isMixed = false;
  SmallVector<LoopSplit> splits =
      findSplits(maps, op->getOperands(), axis, isMixed);
  auto isKnown = [](ArrayRef<Element> elements) {
    return llvm::none_of(elements, [](const Element &e) {
      return e.state.kind == AxisState::Any || e.state.coefficient;
    });
  };
  // Positions in the whole, counted from this rank's.
  if (splits.empty() && !isMixed &&
      !isKnown(evaluateBody(op, axis, LoopSplit()))) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    op->getRegion(0).walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (int64_t stride = std::abs(get(operand).get(axis).coefficient))
          for (auto index :
               op->getRegion(0).front().getOps<linalg::IndexOp>()) {
            int64_t loop = index.getDim(), extent = extents[loop];
            if (stride % extent == 0)
              splits.push_back({loop, extent, stride != extent, stride});
          }
      // A chunk that is read at the loop's own position.
      auto extract = dyn_cast<tensor::ExtractOp>(inner);
      if (!extract)
        return;
      const RankState &tensor = get(extract.getTensor());
      AxisState own = tensor.get(axis);
      if (own.kind != AxisState::Split)
        return;
      if (auto index =
              extract.getIndices()[own.dim].getDefiningOp<linalg::IndexOp>();
          index && extents[index.getDim()] ==
                       extract.getTensor().getType().getDimSize(own.dim))
        splits.push_back({int64_t(index.getDim()), own.inner, own.order,
                          getStride(tensor, axis, axes)});
    });
  }
  // Where both would do, a digit is rather one of the result's.
  llvm::stable_sort(splits, [&](const LoopSplit &a, const LoopSplit &b) {
    auto isReduced = [&](const LoopSplit &split) {
      return op.getIteratorTypesArray()[split.loop] !=
             utils::IteratorType::parallel;
    };
    return std::pair(a.isGuess, isReduced(a)) <
           std::pair(b.isGuess, isReduced(b));
  });
  SmallVector<Element> elements;
  SmallVector<LoopSplit> right;
  for (const LoopSplit &split : splits) {
    SmallVector<Element> tried = evaluateBody(op, axis, split);
    if (!isKnown(tried) && llvm::any_of(tried, [](const Element &e) {
          return e.state.kind == AxisState::Any;
        }))
      continue;
    if (right.empty())
      elements = tried;
    else if (op.getIteratorTypesArray()[split.loop] !=
             op.getIteratorTypesArray()[right.front().loop])
      inexact |= AxisSet(1) << axis;
    right.push_back(split);
  }
  if (!right.empty() && right.front().isGuess)
    inexact |= AxisSet(1) << axis;
  LoopSplit split = right.empty() ? LoopSplit() : right.front();
  if (right.empty())
    elements = evaluateBody(op, axis, split);
  bool isParallel = split.loop >= 0 && op.getIteratorTypesArray()[split.loop] ==
                                           utils::IteratorType::parallel;
  for (auto [i, element] : llvm::enumerate(elements)) {
    AxisState state = element.state;
    // Terms go on, if what comes in may be this rank's rows.
    AxisState sum = AxisState::partial(ReductionKind::Sum);
    if (state.kind == AxisState::Mixed && !isMixed &&
        get(op.getDpsInits()[i]).get(axis) == sum && sumsBroadcast(op))
      state = sum;
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
    auto getDim = [&](const LoopSplit &along) {
      return map.getResultPosition(
          getAffineDimExpr(along.loop, op->getContext()));
    };
    if (isParallel && state.kind == AxisState::Equal) {
      int64_t offset = state.coefficient;
      std::optional<unsigned> dim = getDim(split);
      state = dim ? AxisState::split(*dim, split.inner, split.order)
                  : AxisState::any();
      state.coefficient = offset;
      std::optional<unsigned> other;
      if (right.size() > 1 && right[1].loop != split.loop)
        other = getDim(right[1]);
      if (dim && other && !right[1].isGuess)
        state = state.with(
            AxisState::split(*other, right[1].inner, right[1].order));
    } else if (isParallel || isMixed) {
      state = AxisState::any();
    }
    results[i].set(axis, state);
  }
}

void RankInterpreter::visitLinalg(linalg::LinalgOp op) {
  AxisSet any = 0, special = 0;
  bool isZero = false;
  auto add = [&](Value value) {
    const RankState &state = get(value);
    if (state.isZero)
      return;
    any |= state.getAny();
    special |= state.getSpecial();
  };
  for (Value operand : op->getOperands())
    add(operand);
  for (Operation &inner : op->getRegion(0).front())
    for (Value operand : inner.getOperands())
      add(operand);
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    isZero = get(fill.value()).isZero;
  // A sum of the squares of zeros.
  if (!isZero && op.getNumDpsInputs() && op->getNumResults() == 1 &&
      llvm::all_of(op->getOperands(),
                   [&](Value operand) { return get(operand).isZero; }))
    isZero = evaluateBody(op, 0, LoopSplit()).front().isZero;
  SmallVector<RankState> results(op->getNumResults());
  for (auto [i, state] : llvm::enumerate(results)) {
    state.isZero = isZero;
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      if (any >> axis & 1)
        state.set(axis, AxisState::any());
  }
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (special >> axis & 1)
      setLinalg(op, axis, results);
  for (auto [result, state] : llvm::zip_equal(op->getResults(), results))
    states[result] = state;
}

/// Arithmetic on scalars or whole tensors: every dimension is a loop.
void RankInterpreter::visitElementwise(Operation *op) {
  RankState result;
  AxisSet any = 0, special = 0;
  bool isZero = op->getNumOperands();
  for (Value operand : op->getOperands()) {
    const RankState &state = get(operand);
    isZero &= state.isZero;
    if (state.isZero)
      continue;
    any |= state.getAny();
    special |= state.getSpecial();
  }
  result.isZero =
      isZero && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::ExtFOp,
                    arith::TruncFOp, arith::NegFOp, ScaleOp>(op);
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    maps.push_back(AffineMap::getMultiDimIdentityMap(type ? type.getRank() : 0,
                                                     op->getContext()));
  }
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
    if (!((any | special) >> axis & 1))
      continue;
    bool isMixed = false;
    SmallVector<LoopSplit> splits =
        findSplits(maps, op->getOperands(), axis, isMixed);
    if (splits.empty())
      splits.push_back(LoopSplit());
    AxisState state;
    LoopSplit split;
    for (const LoopSplit &tried : splits) {
      split = tried;
      SmallVector<Element, 3> in;
      for (auto [operand, map] : llvm::zip_equal(op->getOperands(), maps))
        in.push_back(getElement(operand, map, axis, split));
      state = evaluate(op, in, axis).state;
      if (state.kind != AxisState::Any)
        break;
    }
    if (isMixed || (split.loop >= 0 && state.kind != AxisState::Equal)) {
      state = AxisState::any();
    } else if (split.loop >= 0) {
      int64_t offset = state.coefficient;
      state = AxisState::split(split.loop, split.inner, split.order);
      state.coefficient = offset;
    }
    result.set(axis, state);
  }
  setResults(op, result);
}

//===----------------------------------------------------------------------===//
// Dims along which nothing changes
//===----------------------------------------------------------------------===//

uint32_t RankInterpreter::getUniform(Value value) {
  uint32_t dims = getBroadcast(value);
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t dim = 0; dim < type.getRank() && dim < 32; ++dim)
      if (type.getDimSize(dim) == 1)
        dims |= uint32_t(1) << dim;
  return dims;
}

uint32_t RankInterpreter::getBroadcast(Value value) {
  auto it = uniform.find(value);
  if (it != uniform.end())
    return it->second;
  uint32_t dims = computeBroadcast(value);
  return uniform[value] = dims;
}

uint32_t RankInterpreter::computeBroadcast(Value value) {
  Operation *op = value.getDefiningOp();
  constexpr uint32_t all = ~uint32_t(0);
  if (!op)
    return 0;
  if (DenseElementsAttr elements; matchPattern(op, m_Constant(&elements)))
    return elements.isSplat() ? all : 0;
  if (isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp>(op))
    return all;
  if (isa<ScaleOp, LocalGradOp>(op) || op->hasTrait<OpTrait::Elementwise>()) {
    uint32_t dims = all;
    for (Value operand : op->getOperands())
      dims &= getBroadcast(operand);
    return dims;
  }
  if (auto slice = dyn_cast<SliceOp>(op))
    return getBroadcast(slice.getInput());
  // Rows that ranks join need not be the same.
  if (auto collective = dyn_cast<CollectiveOpInterface>(op);
      collective && collective.isBlocking()) {
    uint32_t dims = getBroadcast(
        collective.getSources()[cast<OpResult>(value).getResultNumber()]);
    if (auto gather = dyn_cast<AllGatherOp>(op))
      dims &= ~(uint32_t(1) << gather.getDim());
    if (auto exchange = dyn_cast<AllToAllOp>(op))
      dims &= ~(uint32_t(1) << exchange.getConcatDim());
    return dims;
  }
  auto fold = [&](Value source, ArrayRef<ReassociationIndices> groups,
                  bool isExpand) {
    uint32_t from = getBroadcast(source), dims = 0;
    for (auto [one, group] : llvm::enumerate(groups)) {
      bool isWhole = llvm::all_of(
          group, [&](int64_t dim) { return isExpand || (from >> dim & 1); });
      if (!isExpand && isWhole)
        dims |= uint32_t(1) << one;
      if (isExpand && (from >> one & 1))
        for (int64_t dim : group)
          dims |= uint32_t(1) << dim;
    }
    return dims;
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return fold(expand.getSrc(), expand.getReassociationIndices(), true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return fold(collapse.getSrc(), collapse.getReassociationIndices(), false);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics())
    return 0;
  uint64_t changing = 0;
  Block &body = op->getRegion(0).front();
  for (auto index : body.getOps<linalg::IndexOp>())
    changing |= uint64_t(1) << index.getDim();
  for (auto [argument, map, operand] :
       llvm::zip(body.getArguments(), linalgOp.getIndexingMapsArray(),
                 op->getOperands())) {
    if (argument.use_empty())
      continue;
    uint32_t own = getBroadcast(operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!(own >> dim & 1))
        expr.walk([&](AffineExpr part) {
          if (auto loop = dyn_cast<AffineDimExpr>(part))
            changing |= uint64_t(1) << loop.getPosition();
        });
  }
  uint32_t dims = 0;
  AffineMap map = linalgOp.getIndexingMapMatchingResult(cast<OpResult>(value));
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || !(changing >> loop.getPosition() & 1))
      dims |= uint32_t(1) << dim;
  }
  return dims;
}
