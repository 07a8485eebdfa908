// SPDX-License-Identifier: Apache-2.0
//===- RankLinalg.cpp - bodies, along the loop that is split --------------===//
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

std::optional<std::pair<ReductionKind, Value>>
fsdp::matchReduction(Value yielded, BlockArgument out) {
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
  auto getRank = [&](const LoopSplit &split) {
    return std::pair(split.isGuess, op.getIteratorTypesArray()[split.loop] !=
                                        utils::IteratorType::parallel);
  };
  // There are a few; std::stable_sort would ask for a buffer.
  for (auto it = splits.begin(); it != splits.end(); ++it)
    std::rotate(std::upper_bound(splits.begin(), it, *it,
                                 [&](const LoopSplit &a, const LoopSplit &b) {
                                   return getRank(a) < getRank(b);
                                 }),
                it, it + 1);
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
      guessed |= AxisSet(1) << axis;
    right.push_back(split);
  }
  if (!right.empty() && right.front().isGuess)
    guessed |= AxisSet(1) << axis;
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
  for (auto [result, state] : llvm::zip_equal(op->getResults(), results)) {
    addShares(op, state);
    states[result] = state;
  }
}

/// The number that `value` is a constant fraction of something equal by, seen
/// through what copies it.
static std::optional<Rational> getShare(Value value) {
  while (true) {
    Operation *op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && isa<linalg::LinalgOp>(argument.getOwner()->getParentOp()))
      value = argument.getOwner()->getParentOp()->getOperand(
          argument.getArgNumber());
    else if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
             generic && !generic.getNumReductionLoops() &&
             generic.getNumResults() == 1)
      value = generic.getBody()->getTerminator()->getOperand(0);
    else if (isa_and_nonnull<linalg::BroadcastOp, linalg::TransposeOp,
                             tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                             arith::ExtFOp, arith::TruncFOp>(op))
      value = op->getOperand(0);
    else if (auto scale = dyn_cast_or_null<ScaleOp>(op))
      return Rational::get(scale.getNumerator(), scale.getDenominator());
    else if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op)) {
      std::optional<Rational> factor = getFactor(op, 0);
      return factor ? factor : getFactor(op, 1);
    } else
      return std::nullopt;
  }
}

void RankInterpreter::addShares(Operation *op, RankState &result) {
  AxisSet mixed = 0;
  AxisSet special = result.getSpecial();
  for (unsigned axis = 0; special && axis < axes.getAxes().size(); ++axis)
    if (result.get(axis).kind == AxisState::Mixed)
      mixed |= AxisSet(1) << axis;
  if (!mixed || op->getNumResults() != 1)
    return;
  Operation *add = op;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && !linalgOp.getNumReductionLoops())
    add = linalgOp.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp>(add))
    return;
  auto getSource = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && add != op ? op->getOperand(argument.getArgNumber())
                                 : value;
  };
  AxisState sum = AxisState::partial(ReductionKind::Sum);
  for (unsigned side : {0, 1}) {
    Value terms = getSource(add->getOperand(side));
    bool areTerms = true;
    for (Value operand : op->getOperands())
      for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
        const RankState &state = get(operand);
        bool isTerm = operand == terms && (mixed >> axis & 1);
        areTerms &= isTerm ? state.get(axis) == sum
                           : state.isZero || state.get(axis) != sum;
        areTerms &= state.get(axis).kind != AxisState::Mixed;
      }
    std::optional<Rational> share = getShare(add->getOperand(1 - side));
    if (areTerms && share == Rational::get(1, axes.getSize(mixed)))
      for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
        if (mixed >> axis & 1)
          result.set(axis, sum);
  }
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
  addShares(op, result);
  setResults(op, result);
}
