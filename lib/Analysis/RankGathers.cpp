// SPDX-License-Identifier: Apache-2.0
//===- RankGathers.cpp - what becomes of what a gather joins --------------===//
//
// Whether a gather is right may only show behind it: it may bring the terms of
// a sum that is done here, or the chunks of several values, one rank's behind
// the other's.
//
//===----------------------------------------------------------------------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

/// The shape of a tensor.
static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// True where all sizes are known, and there is something.
static bool hasElements(Value value) {
  return !ShapedType::isDynamicShape(getShape(value)) &&
         ShapedType::getNumElements(getShape(value));
}

/// The number of elements of all rows of a dimension, and of one.
static std::pair<int64_t, int64_t> getRow(Value value, int64_t dim) {
  int64_t step =
      ShapedType::getNumElements(getShape(value).drop_front(dim + 1));
  return {getShape(value)[dim] * step, step};
}

/// True for a cast of a whole tensor.
static bool isCast(Operation *op) {
  if (isa<arith::TruncFOp, arith::ExtFOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumDpsInputs() == 1 &&
         generic.getNumResults() == 1 && !generic.getNumReductionLoops() &&
         llvm::all_of(*generic.getBody(), [](Operation &inner) {
           return isa<arith::TruncFOp, arith::ExtFOp, linalg::YieldOp>(inner);
         });
}

/// True for what moves elements and computes nothing.
static bool isMove(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, linalg::TransposeOp>(op);
}

/// Calls `visit` with each use of `value`, also of what a wait makes of it;
/// false as soon as it says so.
static bool forUses(Value value, function_ref<bool(OpOperand &)> visit) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    auto wait = dyn_cast<WaitOp>(use.getOwner());
    if (!wait)
      return visit(use);
    for (auto [result, pending] :
         llvm::zip_equal(wait.getResults(), wait.getPending()))
      if (pending == value && !forUses(result, visit))
        return false;
    return true;
  });
}

/// True where each piece is taken out of `value`, or all ranks' chunks of each
/// are brought together. Sets `isTorn` where parts of several are taken.
static bool areTakenOut(Value value, const Bucket &bucket, bool &isTorn) {
  return forUses(value, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::TruncFOp, arith::ExtFOp>(user))
      return areTakenOut(user->getResult(0), bucket, isTorn);
    if (!isMove(user) && !isCast(user))
      return false;
    std::optional<Bucket> moved = moveBucket(user, bucket);
    // Of all ranks' chunks.
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(user)) {
      isTorn |=
          !moved && extract.hasUnitStride() &&
          llvm::none_of(extract.getStaticOffsets(), ShapedType::isDynamic);
      for (auto [dim, rows] : llvm::enumerate(getShape(value)))
        if (!isConstantIntValue(extract.getMixedSizes()[dim], rows) &&
            bucket.period != getRow(value, dim).first)
          return false;
    }
    if (!moved || !moved->period)
      return moved.has_value();
    bool isOrdered = moved->period ==
                     ShapedType::getNumElements(getShape(user->getResult(0)));
    return isOrdered || areTakenOut(user->getResult(0), *moved, isTorn);
  });
}

void RankInterpreter::joinPieces(RankState &state, Operation *op,
                                 unsigned operand, Value result,
                                 ArrayRef<unsigned> group, int64_t dim) {
  Value source = op->getOperand(operand);
  // Whole chunks are no bucket.
  if (!hasElements(source))
    return;
  int64_t rows = getShape(source)[dim], step = getRow(source, dim).second;
  if (llvm::all_of(group, [&](unsigned axis) {
        AxisState own = state.get(axis);
        return own.kind != AxisState::Any &&
               (own.kind != AxisState::Split || own.inner == rows);
      }))
    return;
  Value made = source;
  while (made.getDefiningOp() && isCast(made.getDefiningOp()))
    made = made.getDefiningOp()->getOperand(0);
  Bucket bucket;
  bucket.period = rows * step;
  SmallVector<Value> inputs;
  auto add = [&](Value input, int64_t offset) {
    bucket.pieces.push_back(
        {offset * step, getShape(input)[dim] * step, int32_t(inputs.size())});
    inputs.push_back(input);
  };
  if (auto concat = made.getDefiningOp<tensor::ConcatOp>()) {
    int64_t offset = 0;
    for (Value input : concat.getInputs()) {
      add(input, offset);
      offset += getShape(input)[dim];
    }
    if (int64_t(concat.getDim()) != dim)
      return;
  }
  while (auto insert = made.getDefiningOp<tensor::InsertSliceOp>()) {
    std::optional<int64_t> offset =
        getConstantIntValue(insert.getMixedOffsets()[dim]);
    auto shape = llvm::to_vector(insert.getDestType().getShape());
    ArrayRef<int64_t> own = insert.getSourceType().getShape();
    if (own.size() == shape.size())
      shape[dim] = own[dim];
    if (!offset || own != ArrayRef(shape))
      return;
    add(insert.getSource(), *offset);
    made = insert.getDest();
    if (!made.getDefiningOp<tensor::InsertSliceOp>() && !get(made).isZero)
      return;
  }
  // What all ranks have of each is the whole, said of it as a chunk of theirs.
  RankState whole;
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
    std::optional<AxisState> common;
    for (Value input : inputs) {
      AxisState own = get(input).get(axis);
      if (own.kind == AxisState::Split && own.dim == dim)
        own = own.inner == getShape(input)[dim]
                  ? AxisState::split(dim, rows, own.order)
                  : AxisState::any();
      common = !common || *common == own ? own : AxisState::any();
    }
    whole.set(axis, common.value_or(AxisState::any()));
  }
  for (auto [order, axis] : llvm::enumerate(llvm::reverse(group)))
    if (AxisState own = whole.get(axis);
        own.kind != AxisState::Split || own.dim != dim || own.order != order)
      return;
  bool isTorn = false;
  if (!areTakenOut(result, bucket, isTorn)) {
    AxisSet set = 0;
    for (unsigned axis : group)
      set |= AxisSet(1) << axis;
    if (isTorn)
      report(RankEvent::GatherOther, op, operand, set);
    return;
  }
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    state.set(axis, whole.get(axis));
}

/// True for zeros, also where the interpreter has not been yet.
static bool isZero(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.value();
  return matchPattern(value, m_AnyZeroFloat());
}

bool RankInterpreter::areSummed(Value value, const Bucket &bucket) {
  return !value.use_empty() && forUses(value, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::TruncFOp, arith::ExtFOp>(user))
      return areSummed(user->getResult(0), bucket);
    if (isMove(user) || isCast(user)) {
      std::optional<Bucket> moved = moveBucket(user, bucket);
      return moved && moved->period && areSummed(user->getResult(0), *moved);
    }
    auto sum = dyn_cast<linalg::LinalgOp>(user);
    if (!sum || sum.getNumDpsInputs() != 1 || user->getNumResults() != 1 ||
        sum.getNumReductionLoops() != 1 || &use != sum.getDpsInputOperand(0) ||
        !isZero(sum.getDpsInits()[0]))
      return false;
    // All rows of a dimension, one of each rank.
    bool isWhole = false;
    for (auto [dim, expr] :
         llvm::enumerate(sum.getMatchingIndexingMap(&use).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      auto [row, step] = getRow(use.get(), dim);
      isWhole |= loop && row == bucket.period &&
                 int64_t(bucket.pieces.size()) * step == row &&
                 sum.getIteratorTypesArray()[loop.getPosition()] ==
                     utils::IteratorType::reduction;
    }
    auto reduction =
        matchReduction(sum.getBlock()->getTerminator()->getOperand(0),
                       sum.getRegionOutputArgs()[0]);
    if (!isWhole || !reduction || reduction->first != ReductionKind::Sum)
      return false;
    Value in = reduction->second;
    if (auto cast = in.getDefiningOp<arith::ExtFOp>())
      in = cast.getIn();
    if (in != sum.getRegionInputArgs()[0])
      return false;
    localSums.insert(user);
    return true;
  });
}

bool RankInterpreter::sumsTerms(Value result, int64_t dim, int64_t rows) {
  Bucket bucket;
  if (!hasElements(result))
    return false;
  auto [row, step] = getRow(result, dim);
  bucket.period = row;
  for (int64_t offset = 0; offset < row; offset += rows * step)
    bucket.pieces.push_back({offset, rows * step, 0});
  return areSummed(result, bucket);
}

/// True where a collective brings the terms of all ranks to be summed here.
bool RankInterpreter::sendsTerms(CollectiveOpInterface op, unsigned i,
                                 ArrayRef<unsigned> group) {
  bool isExchange = op.getKind() == CollectiveKind::AllToAll;
  if (!isExchange && op.getKind() != CollectiveKind::AllGather)
    return false;
  Value source = op.getSources()[i];
  if (llvm::none_of(group, [&](unsigned axis) {
        AxisState own = get(source).get(axis);
        return own == AxisState::partial(ReductionKind::Sum);
      }))
    return false;
  auto getDim = [&](StringRef attribute) {
    return op->getAttrOfType<IntegerAttr>(attribute).getInt();
  };
  int64_t dim = getDim(isExchange ? "concat_dim" : "dim");
  int64_t rows = cast<ShapedType>(source.getType()).getDimSize(dim);
  if (isExchange && getDim("split_dim") == dim)
    rows /= lookupClasses(op, op.getGroupRef()).getSize();
  Value result = op->getResult(op.isBlocking() ? i : i + 1);
  return rows && sumsTerms(result, dim, rows);
}

/// Calls `visit` with what uses `value` for more than to move or cast it.
static void forFinalUses(Value value, function_ref<void(OpOperand &)> visit) {
  forUses(value, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isMove(user) || isCast(user) || isa<OptimizationBarrierOp>(user))
      for (Value result : user->getResults())
        forFinalUses(result, visit);
    else
      visit(use);
    return true;
  });
}

void RankInterpreter::checkWhole(Value gathered) {
  const RankState &state = get(gathered);
  if (state.origin < 0 || !state.getSpecial())
    return;
  auto getSplit = [&](StringRef name) {
    AxisSet set = 0;
    if (auto placed =
            function.getArgAttrOfType<ShardingAttr>(state.origin, name))
      for (Attribute dim : placed.getDims())
        for (Attribute group : cast<ArrayAttr>(dim))
          set |= has(group) ? getSet(group) : 0;
    return set;
  };
  AxisSet missing = 0;
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (state.get(axis).kind == AxisState::Split)
      missing |= AxisSet(1) << axis;
  missing &= getSplit(attr::storage) & ~getSplit(attr::sharding);
  if (!missing)
    return;
  DenseSet<Operation *> seen;
  forFinalUses(gathered, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (seen.insert(user).second &&
        !isa<CollectiveOpInterface, SliceOp>(user) &&
        !user->hasTrait<OpTrait::IsTerminator>())
      report(RankEvent::SliceOther, user, use.getOperandNumber(), missing);
  });
}

bool RankInterpreter::isDivided(Value value, int64_t count) {
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.user_begin();
  std::optional<Rational> factor;
  if (auto scale = dyn_cast<ScaleOp>(user))
    factor = Rational::get(scale.getNumerator(), scale.getDenominator());
  else if (isa<arith::MulFOp, arith::DivFOp>(user))
    factor = getFactor(user, value.use_begin()->getOperandNumber());
  if (!factor || *factor != *Rational::get(1, count))
    return false;
  divided.insert(user);
  return true;
}
