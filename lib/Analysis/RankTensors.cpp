// SPDX-License-Identifier: Apache-2.0
//===- RankTensors.cpp - reshapes, slices, concat, pad, scatter -----------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

/// How an axis splits a dimension of which `size` local rows from `offset` on
/// are taken; nothing where those are no chunks.
static std::optional<int64_t> cutInner(int64_t inner, int64_t extent,
                                       int64_t offset, int64_t size) {
  if (inner == extent)
    return size;
  if (offset % inner == 0 && size % inner == 0)
    return inner;
  if (offset / inner == (offset + size - 1) / inner)
    return size;
  return std::nullopt;
}

/// Calls `move` for each axis on which `state` is split, and sets what it
/// returns; nothing for what cannot be said.
static RankState
moveSplits(RankState state, const Axes &axes,
           function_ref<std::optional<AxisState>(AxisState)> move) {
  AxisSet special = state.getSpecial();
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
    if (!(special >> axis & 1))
      continue;
    AxisState own = state.get(axis);
    if (own.kind != AxisState::Split)
      continue;
    // Each way to say it moves by itself.
    std::optional<AxisState> moved, other;
    if (std::optional<AxisState> swapped = own.getOther())
      other = move(*swapped);
    moved = move(own.with(std::nullopt));
    if (!moved)
      std::swap(moved, other);
    if (moved && moved->otherDim < 0)
      moved = moved->with(other);
    state.set(axis, moved.value_or(AxisState::any()));
  }
  return state;
}

bool RankInterpreter::visitTensor(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    visitReshape(op, expand.getSrc(), expand.getReassociationIndices(), true);
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    visitReshape(op, collapse.getSrc(), collapse.getReassociationIndices(),
                 false);
  } else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    visitExtractSlice(extract);
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    visitInsertSlice(insert);
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    visitConcat(concat);
  } else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    visitPad(pad);
  } else if (isa<tensor::EmptyOp>(op)) {
    RankState state;
    state.isZero = true;
    setResults(op, state);
  } else if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
    RankState state;
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
      SmallVector<Element, 2> indices;
      for (Value index : read.getIndices())
        indices.push_back({get(index).get(axis)});
      Element element = evaluateExtract(read, indices, axis);
      // One element of a chunk is another one elsewhere.
      if (get(read.getTensor()).get(axis).kind == AxisState::Split)
        element.state = AxisState::any();
      state.set(axis, element.state);
    }
    setResults(op, state);
  } else if (isa<tensor::SplatOp, tensor::FromElementsOp>(op) &&
             llvm::all_of(op->getOperands(), [&](Value operand) {
               return operand == op->getOperand(0);
             })) {
    setResults(op, get(op->getOperand(0)));
  } else {
    return false;
  }
  return true;
}

/// The digit of a rank goes where its chunk goes.
void RankInterpreter::visitReshape(Operation *op, Value source,
                                   ArrayRef<ReassociationIndices> groups,
                                   bool isExpand) {
  auto from = cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  setResults(op,
             moveSplits(get(source), axes,
                        [&](AxisState state) -> std::optional<AxisState> {
                          if (isExpand) {
                            int64_t inner = state.inner;
                            ArrayRef<int64_t> parts = groups[state.dim];
                            for (size_t i = parts.size(); i > 0; --i) {
                              int64_t extent = to.getDimSize(parts[i - 1]);
                              bool isLast =
                                  i == 1 || (inner <= extent &&
                                             (extent > 1 || state.inner == 1));
                              if (isLast) {
                                if (inner > extent || extent % inner)
                                  return std::nullopt;
                                state.dim = parts[i - 1];
                                state.inner = inner;
                                // In front of one row a chunk is likelier to be
                                // that row.
                                if (inner == extent && i > 1 &&
                                    to.getDimSize(parts[i - 2]) == 1) {
                                  AxisState row = state;
                                  row.dim = parts[i - 2];
                                  row.inner = 1;
                                  return row.with(state);
                                }
                                return state;
                              }
                              if (inner % extent)
                                return std::nullopt;
                              inner /= extent;
                            }
                            return std::nullopt;
                          }
                          for (auto [one, parts] : llvm::enumerate(groups)) {
                            if (!llvm::is_contained(parts, state.dim))
                              continue;
                            for (int64_t part : llvm::reverse(parts)) {
                              if (part == state.dim)
                                break;
                              state.inner *= from.getDimSize(part);
                            }
                            state.dim = one;
                            return state;
                          }
                          return std::nullopt;
                        }));
}

/// True where the sizes and offsets are those of whole dims, but in `dims`.
static bool isWhole(OffsetSizeAndStrideOpInterface op, ArrayRef<int64_t> shape,
                    int64_t dim) {
  return isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
         isConstantIntValue(op.getMixedSizes()[dim], shape[dim]);
}

static bool hasUnitStride(OffsetSizeAndStrideOpInterface op, int64_t dim) {
  return isConstantIntValue(op.getMixedStrides()[dim], 1);
}

/// The position of dimension `dim` without those that `dropped` names; that of
/// the next one for a dropped one of one row.
static int64_t getKeptDim(int64_t dim, const llvm::SmallBitVector &dropped) {
  int64_t kept = 0;
  for (int64_t i = 0; i < dim; ++i)
    kept += !dropped.test(i);
  return kept;
}

void RankInterpreter::visitExtractSlice(tensor::ExtractSliceOp op) {
  ArrayRef<int64_t> shape = op.getSourceType().getShape();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  RankState result = moveSplits(
      get(op.getSource()), axes,
      [&](AxisState state) -> std::optional<AxisState> {
        int64_t dim = state.dim;
        if (!isWhole(op, shape, dim)) {
          std::optional<int64_t> offset = getConstantIntValue(offsets[dim]),
                                 size = getConstantIntValue(
                                     op.getMixedSizes()[dim]);
          if (!offset || !size || !hasUnitStride(op, dim))
            return std::nullopt;
          std::optional<int64_t> inner =
              cutInner(state.inner, shape[dim], *offset, *size);
          if (!inner)
            return std::nullopt;
          state.inner = *inner;
        }
        state.dim = getKeptDim(dim, dropped);
        if (dropped.test(dim)) {
          if (state.dim >= op.getType().getRank())
            return std::nullopt;
          state.inner = op.getType().getDimSize(state.dim);
        }
        return state;
      });
  // A chunk cut at this rank's place.
  const RankState &source = get(op.getSource());
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    auto value = dyn_cast<Value>(offset);
    if (!value)
      continue;
    const RankState &place = get(value);
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
      if (!((place.getAny() | place.getSpecial()) >> axis & 1))
        continue;
      std::optional<int64_t> size =
          getConstantIntValue(op.getMixedSizes()[dim]);
      AxisState at = place.get(axis);
      if (size && at.kind == AxisState::Equal && !at.isClamped &&
          source.get(axis).isPlain() && !dropped.test(dim) &&
          at.coefficient >= *size && at.coefficient % *size == 0)
        result.set(axis, AxisState::split(getKeptDim(dim, dropped), *size,
                                          at.coefficient == *size ? 0 : 1));
      else
        result.set(axis, AxisState::any());
    }
  }
  setResults(op, result);
}

void RankInterpreter::visitInsertSlice(tensor::InsertSliceOp op) {
  const RankState &source = get(op.getSource()), &dest = get(op.getDest());
  ArrayRef<int64_t> shape = op.getDestType().getShape(),
                    small = op.getSourceType().getShape();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  bool isAll = true;
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim)
    isAll &= isWhole(op, shape, dim);
  // The destination's dimension of each of the source's.
  SmallVector<int64_t> dims;
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim)
    if (!dropped.test(dim))
      dims.push_back(dim);
  RankState result;
  result.isZero = source.isZero && (isAll || dest.isZero);
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
    AxisState a = source.isZero ? AxisState() : source.get(axis);
    AxisState b = dest.isZero ? AxisState() : dest.get(axis);
    AxisState state = AxisState::any(), place;
    int64_t placed = -1;
    bool isStatic = true;
    for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets()))
      if (auto value = dyn_cast<Value>(offset);
          value && !get(value).get(axis).isPlain()) {
        isStatic = placed < 0;
        placed = dim;
        place = get(value).get(axis);
      }
    if (a.kind == AxisState::Split) {
      int64_t dim = dims[a.dim], extent = small[a.dim];
      std::optional<int64_t> offset =
          getConstantIntValue(op.getMixedOffsets()[dim]);
      if (placed == dim && isStatic) {
        // Each rank's chunk at its place, with zeros around it.
        if (dest.isZero && a.inner == extent && hasUnitStride(op, dim) &&
            place.kind == AxisState::Equal &&
            place.coefficient == getStride(source, axis, axes))
          state = AxisState::partial(ReductionKind::Sum);
      } else if (auto other = dyn_cast<Value>(op.getMixedOffsets()[dim]);
                 other && dest.isZero && a.inner == extent) {
        // Of the chunks of chunks, other ranks' are around it.
        unsigned order = a.order;
        for (unsigned inner = 0; inner < axes.getAxes().size(); ++inner)
          if (AxisState at = source.get(inner);
              !get(other).get(inner).isPlain() && at.kind == AxisState::Split &&
              at.dim == a.dim && at.order < a.order)
            --order;
        state = AxisState::split(dim, shape[dim], order);
      } else if (placed < 0 && offset && hasUnitStride(op, dim) &&
                 *offset % a.inner == 0 && shape[dim] % a.inner == 0) {
        AxisState moved = AxisState::split(dim, a.inner, a.order);
        if (dest.isZero || b.matches(moved))
          state = moved;
      }
    } else if (placed < 0) {
      if (isAll || (a == b && b.kind != AxisState::Split))
        state = a;
      else if (b.kind == AxisState::Split && a.isPlain()) {
        // Zeros, or what is the same along the dimension, fit in every chunk.
        auto at = llvm::find(dims, int64_t(b.dim));
        bool isUniform =
            source.isZero ||
            (at != dims.end() &&
             (getUniform(op.getSource()) >> (at - dims.begin()) & 1));
        if (isUniform && isWhole(op, shape, b.dim))
          state = b;
      } else if ((a.kind == AxisState::Partial && dest.isZero &&
                  a.reduction == ReductionKind::Sum) ||
                 (a.kind == AxisState::Masked && b.isPlain())) {
        state = a;
      } else if (b.kind == AxisState::Partial && source.isZero) {
        state = b;
      }
    }
    if (result.isZero)
      state = AxisState();
    result.set(axis, state);
  }
  setResults(op, result);
}

/// Chunks of several tensors one behind the other are one dimension in blocks.
void RankInterpreter::visitConcat(tensor::ConcatOp op) {
  RankState result;
  int64_t along = op.getDim();
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
    std::optional<AxisState> state;
    bool isSame = true, haveZeros = false;
    for (Value input : op.getInputs()) {
      const RankState &own = get(input);
      if (own.isZero) {
        haveZeros = true;
        continue;
      }
      AxisState next = own.get(axis);
      isSame &= !state || next.matches(*state);
      if (state && !(next == *state) && next.getOther() &&
          *next.getOther() == *state)
        continue;
      state = next;
    }
    if (!state)
      continue;
    if (haveZeros && (state->kind == AxisState::Split && state->dim == along))
      isSame = false;
    if (haveZeros && state->kind == AxisState::Partial &&
        state->reduction != ReductionKind::Sum)
      isSame = false;
    result.set(axis, isSame && state->kind != AxisState::Masked
                         ? *state
                         : AxisState::any());
  }
  setResults(op, result);
}

/// Padding of chunks is padding in blocks; terms take zeros only.
void RankInterpreter::visitPad(tensor::PadOp op) {
  Value constant = op.getConstantPaddingValue();
  if (!constant || getDiffering(constant))
    return visitUnknown(op);
  bool isZero = matchPattern(constant, m_AnyZeroFloat()) ||
                matchPattern(constant, m_Zero());
  ArrayRef<int64_t> before = op.getSourceType().getShape(),
                    behind = op.getResultType().getShape();
  RankState state = moveSplits(get(op.getSource()), axes,
                               [&](AxisState own) -> std::optional<AxisState> {
                                 if (before[own.dim] == behind[own.dim])
                                   return own;
                                 if (own.inner != before[own.dim])
                                   return std::nullopt;
                                 own.inner = behind[own.dim];
                                 return own;
                               });
  AxisSet special = state.getSpecial();
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (special >> axis & 1 && state.get(axis).kind != AxisState::Split &&
        !(isZero && state.get(axis).kind == AxisState::Partial))
      state.set(axis, AxisState::any());
  state.isZero &= isZero;
  setResults(op, state);
}

/// Updates are added where their indices say: split with them they are terms;
/// of places in this rank's chunk, with zeros elsewhere, they are the chunk.
void RankInterpreter::visitScatter(ScatterOp op) {
  const RankState &updates = get(op.getUpdates()),
                  &indices = get(op.getIndices()),
                  &dest = get(op.getDestination());
  auto updateType = cast<ShapedType>(op.getUpdates().getType());
  auto type = cast<ShapedType>(op.getDestination().getType());
  Block &body = op.getBody().front();
  Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
  bool isSum = isa_and_nonnull<arith::AddFOp, arith::AddIOp>(combiner);
  RankState result;
  AxisSet captured = 0;
  for (Operation &inner : body)
    for (Value operand : inner.getOperands())
      captured |= getDiffering(operand);
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
    AxisState u = updates.isZero ? AxisState() : updates.get(axis),
              i = indices.get(axis),
              d = dest.isZero ? AxisState() : dest.get(axis);
    AxisState state = AxisState::any();
    bool isNeutral = dest.isZero || d == AxisState::partial(ReductionKind::Sum);
    if (captured >> axis & 1) {
    } else if (u.isPlain() && i.isPlain() && d.isPlain()) {
      state = AxisState();
    } else if (u.kind == AxisState::Partial && i.isPlain() && isSum &&
               isNeutral && u.reduction == ReductionKind::Sum) {
      state = u;
    } else if (u.kind == AxisState::Partial && isSum &&
               i.kind == AxisState::Masked) {
      // Along the dimension whose chunks the places were compared with.
      for (int64_t dim : op.getDimensionMap())
        if (std::abs(i.coefficient) % type.getDimSize(dim) == 0) {
          unsigned order = std::abs(i.coefficient) != type.getDimSize(dim);
          AxisState split = AxisState::split(dim, type.getDimSize(dim), order);
          if (dest.isZero || d.kind == AxisState::Split)
            state = d.kind == AxisState::Split ? d : split;
        }
    } else if (u.kind == AxisState::Split && u.dim == 0 && isSum && isNeutral &&
               (i == u || (i.kind == AxisState::Split && i.dim == 0 &&
                           i.inner == u.inner && i.order == u.order))) {
      state = AxisState::partial(ReductionKind::Sum);
    } else if (u.kind == AxisState::Split && u.dim > 0 && i.isPlain()) {
      // A window's dims line up with the destination's last ones.
      int64_t dim = u.dim + type.getRank() - updateType.getRank();
      AxisState split = AxisState::split(dim, u.inner, u.order);
      if (!llvm::is_contained(op.getDimensionMap(), dim) &&
          (dest.isZero || d == split))
        state = split;
    } else if (d.kind == AxisState::Split && updates.isZero && i.isPlain() &&
               !llvm::is_contained(op.getDimensionMap(), int64_t(d.dim))) {
      state = d;
    }
    result.set(axis, state);
  }
  setResults(op, result);
}
