// SPDX-License-Identifier: Apache-2.0
//===- RankCollectives.cpp - what moves between ranks ---------------------===//
//
// A collective over several axes is one over each, minor to major where it
// joins chunks and major to minor where it cuts. What it does to values that
// are not what it is for is recorded.
//
//===----------------------------------------------------------------------===//
#include "RankInterpreter.h"

using namespace mlir;
using namespace fsdp;

void RankInterpreter::report(RankEvent::Kind kind, Operation *op,
                             unsigned operand, AxisSet axes) {
  bool dependsOnReading =
      kind == RankEvent::SumOfEqual || kind == RankEvent::SumOfSplit ||
      kind == RankEvent::SumOfMixed || kind == RankEvent::GatherEqual ||
      kind == RankEvent::GatherOther || kind == RankEvent::GatherPartial;
  RankState state = get(op->getOperand(operand));
  if (dependsOnReading && isAmbiguous(op->getOperand(operand), axes))
    state.guessed |= axes;
  inexact |= state.guessed & axes;
  events.push_back({kind, op, operand, axes, state});
}

void RankInterpreter::reduce(RankState &state, Operation *op, unsigned operand,
                             ArrayRef<unsigned> group, ReductionKind kind) {
  bool isSum = kind == ReductionKind::Sum;
  AxisSet over = 0, equal = 0;
  for (unsigned axis : group) {
    AxisSet bit = AxisSet(1) << axis;
    over |= bit;
    AxisState own = state.get(axis);
    switch (own.kind) {
    case AxisState::Partial:
      if (own.reduction != kind)
        report(RankEvent::OtherSum, op, operand, bit);
      break;
    case AxisState::Equal:
      if (!own.isPlain())
        report(RankEvent::SumOfAny, op, operand, bit);
      else if (isSum && isAmbiguous(op->getOperand(operand), bit))
        inexact |= bit;
      else if (isSum && state.sum >= 0 && getParameter(state) != -1)
        // The scale may take it into account.
        state.sum = changeSum(state.sum, [&](GradientSum sum) {
          sum = fold(sum);
          Rational size(axes.getAxes()[axis].extent);
          for (auto &[value, factor] : sum.terms)
            factor = (factor * size).value_or(Rational(0));
          sum.counted = op;
          return sum;
        });
      else if (isSum && !state.isZero)
        equal |= bit;
      break;
    case AxisState::Split:
      // As the parameter says, whatever else may be read in another way.
      if (const GradientSum *sum = getSum(state))
        wrong |= sum->chunks & bit;
      report(RankEvent::SumOfSplit, op, operand, bit);
      break;
    case AxisState::Mixed:
      report(isSum ? RankEvent::SumOfMixed : RankEvent::SumOfAny, op, operand,
             bit);
      break;
    default:
      report(RankEvent::SumOfAny, op, operand, bit);
    }
    state.set(axis, AxisState());
  }
  // A norm may divide by the number of replicas.
  bool isCounted = equal && op->getNumResults() == op->getNumOperands() &&
                   state.isOfGradients &&
                   isDivided(op->getResult(operand), axes.getSize(equal));
  for (unsigned axis = 0; equal && !isCounted && axis < axes.getAxes().size();
       ++axis)
    if (equal >> axis & 1)
      report(RankEvent::SumOfEqual, op, operand, AxisSet(1) << axis);
  // Terms of a sum over other axes are no terms of their maximum.
  AxisSet others = state.getSpecial() & ~over;
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (others >> axis & 1 && !state.isZero &&
        state.get(axis).kind == AxisState::Partial &&
        state.get(axis).reduction != kind)
      state.set(axis, AxisState::any());
}

void RankInterpreter::gather(RankState &state, int64_t &extent, Operation *op,
                             unsigned operand, ArrayRef<unsigned> group,
                             int64_t dim) {
  for (unsigned axis : llvm::reverse(group)) {
    AxisSet bit = AxisSet(1) << axis;
    AxisState own = state.get(axis);
    int64_t size = axes.getAxes()[axis].extent;
    if (std::optional<AxisState> other = own.getOther();
        other && own.dim != dim && other->dim == dim)
      own = *other;
    // Over dims of one row a digit moves freely.
    ArrayRef<int64_t> shape =
        cast<ShapedType>(op->getOperand(operand).getType()).getShape();
    if (own.kind == AxisState::Split && own.dim != dim &&
        own.inner == shape[own.dim] &&
        llvm::all_of(shape.slice(std::min<int64_t>(own.dim, dim),
                                 std::abs(own.dim - dim)),
                     [](int64_t rows) { return rows == 1; }))
      own = AxisState::split(dim, extent, own.order);
    bool isRight =
        own.kind == AxisState::Split && own.dim == dim && own.inner == extent;
    if (own.kind == AxisState::Partial || own.kind == AxisState::Mixed)
      report(RankEvent::GatherPartial, op, operand, bit);
    else if (own.isPlain() && !state.isZero) {
      // What is the same along a dimension is split along it as well.
      if (!(getBroadcast(op->getOperand(operand)) >> dim & 1))
        report(RankEvent::GatherEqual, op, operand, bit);
    } else if (own.kind == AxisState::Any)
      report(RankEvent::GatherAny, op, operand, bit);
    else if (!isRight && !state.isZero)
      report(RankEvent::GatherOther, op, operand, bit);
    state.set(axis, AxisState());
    // Digits in front of what is now a local one stay in front of it.
    AxisSet special = state.getSpecial();
    for (unsigned other = 0; other < axes.getAxes().size(); ++other) {
      AxisState at = state.get(other);
      if (!(special >> other & 1) || at.kind != AxisState::Split)
        continue;
      auto move = [&](AxisState moved) {
        // Behind it, digits of other ranks stay where they are: blocks.
        if (moved.dim != dim || moved.inner != extent ||
            (isRight && moved.order < own.order))
          return moved;
        moved.inner = extent * size;
        moved.order -= isRight ? own.order + 1 : 0;
        return moved;
      };
      std::optional<AxisState> swapped = at.getOther();
      if (swapped)
        swapped = move(*swapped);
      state.set(other, move(at).with(swapped));
    }
    extent *= size;
  }
}

void RankInterpreter::cut(RankState &state, int64_t &extent, Operation *op,
                          unsigned operand, ArrayRef<unsigned> group,
                          int64_t dim) {
  for (unsigned axis : group) {
    AxisSet bit = AxisSet(1) << axis;
    AxisState own = state.get(axis);
    int64_t rows = llvm::divideCeil(extent, axes.getAxes()[axis].extent);
    if (own.kind == AxisState::Partial)
      report(RankEvent::SlicePartial, op, operand, bit);
    else if (own.kind == AxisState::Split)
      report(RankEvent::SliceOther, op, operand, bit);
    unsigned order = 0;
    AxisSet special = state.getSpecial();
    bool isScrambled = false;
    for (unsigned other = 0; other < axes.getAxes().size(); ++other) {
      AxisState at = state.get(other);
      if (!(special >> other & 1) || other == axis ||
          at.kind != AxisState::Split)
        continue;
      // In front of the new digit, or in blocks behind it.
      auto move = [&](AxisState moved) -> std::optional<AxisState> {
        if (moved.dim != dim)
          return moved;
        if (moved.inner != extent)
          return rows % moved.inner ? std::optional<AxisState>() : moved;
        moved.inner = rows;
        ++moved.order;
        return moved;
      };
      order += at.dim == dim && at.inner != extent && at.inner == rows;
      std::optional<AxisState> moved = move(at), swapped = at.getOther();
      if (swapped)
        swapped = move(*swapped);
      if (!moved)
        std::swap(moved, swapped);
      isScrambled |= !moved;
      if (moved)
        state.set(other, moved->with(swapped));
    }
    bool isKnown = own.isPlain() || own.kind == AxisState::Partial ||
                   own.kind == AxisState::Split;
    state.set(axis, isKnown && !isScrambled ? AxisState::split(dim, rows, order)
                                            : AxisState::any());
    extent = rows;
  }
}

/// True for what is made of a buffer, element by element: an average of
/// parameters is no parameter.
bool RankInterpreter::isOfBuffer(Value value) const {
  func::FuncOp step = function;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &step.front() &&
           step.getArgAttr(argument.getArgNumber(), attr::buffer);
  Operation *op = value.getDefiningOp();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  bool isElementwise = generic ? !generic.getNumReductionLoops()
                               : op->hasTrait<OpTrait::Elementwise>();
  return (isElementwise || isa<ScaleOp, SliceOp, tensor::ExtractSliceOp,
                               tensor::PadOp, CollectiveOpInterface>(op)) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isOfBuffer(operand); });
}

/// What a group does that is not followed: it is checked where it has axes;
/// here it does what it is for, but on what is split over groups that do not go
/// with it.
void RankInterpreter::passUnfollowed(RankState &state, Operation *op,
                                     unsigned operand, bool isReduction) {
  AxisSet odd = state.getAny() | state.getSpecial();
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (state.get(axis).kind == AxisState::Split)
      report(RankEvent::Incompatible, op, operand, AxisSet(1) << axis);
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (odd >> axis & 1 &&
        (isReduction || state.get(axis).kind == AxisState::Any)) {
      state.set(axis, AxisState());
      // It may be a part of the sum only.
      if (isReduction)
        state.guessed |= AxisSet(1) << axis;
    }
}

/// What a collective over axes makes of one source, whose terms it sums if so
/// said.
void RankInterpreter::pass(RankState &state, CollectiveOpInterface collective,
                           unsigned operand, ArrayRef<unsigned> group,
                           bool isSum) {
  Operation *op = collective;
  auto getDim = [&](StringRef attribute) {
    auto dim = op->getAttrOfType<IntegerAttr>(attribute);
    return dim ? dim.getInt() : 0;
  };
  int64_t dim = getDim("dim"), split = getDim("split_dim"),
          concat = getDim("concat_dim");
  ReductionKind kind =
      collective.getReductionKind().value_or(ReductionKind::Sum);
  unsigned skip = collective.isBlocking() ? 0 : 1;
  Value source = op->getOperand(operand);
  bool isParameters = state.sum >= 0 ||
                      (state.from >= 0 && !isOfBuffer(source)) ||
                      collective.getKind() == CollectiveKind::Broadcast;
  AxisSet varying = getVarying(state) & getSet(collective.getGroupRef());
  if (AxisSet odd = isParameters ? varying : 0)
    report(RankEvent::Distinct, op, operand, odd);
  ArrayRef<int64_t> shape = cast<ShapedType>(source.getType()).getShape();
  int64_t extent = shape.empty() ? 1 : shape[dim];
  switch (collective.getKind()) {
  case CollectiveKind::AllReduce:
    reduce(state, op, operand, group, kind);
    break;
  case CollectiveKind::ReduceScatter:
    reduce(state, op, operand, group, kind);
    cut(state, extent, op, operand, group, dim);
    break;
  case CollectiveKind::AllGather:
    if (isSum)
      reduce(state, op, operand, group, kind);
    else {
      if (op->getNumResults() > skip)
        joinPieces(state, op, operand, op->getResult(skip + operand), group,
                   dim);
      gather(state, extent, op, operand, group, dim);
    }
    break;
  case CollectiveKind::AllToAll:
    extent = shape[concat];
    if (isSum)
      reduce(state, op, operand, group, kind);
    else
      gather(state, extent, op, operand, group, concat);
    extent = split == concat ? extent : shape[split];
    cut(state, extent, op, operand, group, split);
    // Once the ranks' terms are summed, nothing is left of a dim of them.
    if (isSum && split == concat && extent == 1 &&
        split + 1 < int64_t(shape.size()))
      for (unsigned axis : group)
        state.set(axis, AxisState::split(split + 1, shape[split + 1],
                                         state.get(axis).order));
    break;
  case CollectiveKind::Broadcast:
    for (unsigned axis : group) {
      if (state.get(axis).kind == AxisState::Partial)
        report(RankEvent::BroadcastSplit, op, operand, AxisSet(1) << axis);
      state.set(axis, AxisState());
    }
    break;
  case CollectiveKind::Permute:
    for (unsigned axis : group)
      if (!state.get(axis).isPlain() &&
          state.get(axis).kind != AxisState::Partial)
        state.set(axis, AxisState::any());
    break;
  }
}

void RankInterpreter::visitCollective(CollectiveOpInterface collective) {
  Operation *op = collective;
  FlatSymbolRefAttr name = collective.getGroupRef();
  auto it = sets.find(name);
  // A sum over the world has no order.
  ClassesAttr classes = lookupClasses(op, name);
  if (it == sets.end() && classes && classes.getClasses() == 1 &&
      collective.getKind() == CollectiveKind::AllReduce) {
    SmallVector<unsigned, 2> all;
    for (auto [i, axis] : llvm::enumerate(axes.getAxes()))
      if (axis.extent > 1)
        all.push_back(i);
    it = sets.try_emplace(name, all).first;
    unordered.insert(name);
  }
  if (collective.getKind() != CollectiveKind::AllReduce && !isOrdered(name))
    it = sets.end();
  ReductionKind kind =
      collective.getReductionKind().value_or(ReductionKind::Sum);
  // A started one returns its token first.
  unsigned skip = collective.isBlocking() ? 0 : 1;
  size_t reported = events.size();
  for (auto [i, source] : llvm::enumerate(collective.getSources())) {
    RankState state = get(source);
    // Without markers, terms within the model are no part of a sum over ranks,
    // unless the loss is combined there.
    AxisSet summed = getSet(name);
    if (getParameter(state) == -1)
      summed &= state.getAny() | getLossAxes();
    bool isSum = it != sets.end() && op->getNumResults() > skip &&
                 sendsTerms(collective, i, it->second);
    bool isReduction = isSum || collective.getReductionKind();
    if (it == sets.end()) {
      passUnfollowed(state, op, i, isReduction);
    } else {
      pass(state, collective, i, it->second, isSum);
      if (isReduction && kind != ReductionKind::Sum)
        state.sum = -1;
      else if (isReduction && state.sum < 0 && !state.isZero &&
               state.from == -1 && !state.isOfGradients && summed)
        state.sum = getOrCreateSum(state, source);
    }
    // Whatever it was: it is now equal, or a chunk of what is.
    CollectiveKind done = collective.getKind();
    if (it != sets.end() && done != CollectiveKind::AllToAll &&
        done != CollectiveKind::Permute)
      state.guessed &= ~getSet(name);
    if (state.sum >= 0) {
      moveSum(state, [&, operand = unsigned(i)](const Bucket &bucket) {
        return moveBucket(collective, operand, bucket);
      });
      if (state.sum >= 0)
        state.sum = changeSum(state.sum, [&](GradientSum sum) {
          sum = fold(sum);
          sum.last = op;
          if (isReduction)
            sum.reduced |= summed;
          return sum;
        });
    }
    if (collective.isBlocking() || op->getNumResults() > skip)
      states[op->getResult(skip + i)] = state;
    if (collective.getKind() == CollectiveKind::AllGather &&
        op->getNumResults() > skip && events.size() == reported)
      checkWhole(op->getResult(skip + i));
  }
}

void RankInterpreter::visitSlice(SliceOp op) {
  RankState state = get(op.getInput());
  if (auto it = sets.find(op.getGroupAttr()); isOrdered(op.getGroupAttr())) {
    int64_t extent = op.getInput().getType().getDimSize(op.getDim());
    if (AxisSet odd = getVarying(state) & getSet(op.getGroupAttr()))
      report(RankEvent::Distinct, op, 0, odd);
    cut(state, extent, op, 0, it->second, op.getDim());
    moveSum(state, [&](const Bucket &bucket) {
      return resizeBucket(bucket, op.getInput().getType().getShape(),
                          op.getDim(), extent);
    });
  }
  states[op.getResult()] = state;
}

/// What a reshard says that it gives; what it says that it takes is not
/// compared, since it is made by who knows.
void RankInterpreter::visitReshard(ReshardOp op) {
  RankState before = getPlaced(op.getSource(), op.getInput().getType());
  RankState behind = getPlaced(op.getTarget(), op.getType());
  RankState state = get(op.getInput());
  AxisSet named = before.getAny() | before.getSpecial() | behind.getAny() |
                  behind.getSpecial();
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (named >> axis & 1)
      state.set(axis, behind.get(axis));
  states[op.getResult()] = state;
}
