// SPDX-License-Identifier: Apache-2.0
//===- BuildMoves.cpp - ops that change a placement -----------------------===//
//
// Each move is a collective or a local op between two local ones: padding in
// front of a split, a cut behind a gather.
//
//===----------------------------------------------------------------------===//
#include "ReshardMoves.h"
#include "fsdp/Transforms/Builders.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// A value on its way.
struct MoveBuilder {
  void build(ModuleOp module, const Axes &axes, const Move &move,
             ReductionKind reduction);
  void mask(FlatSymbolRefAttr group);
  void embed(FlatSymbolRefAttr group, int64_t dim, int64_t size);
  void resize(int64_t dim, int64_t extent);
  Value getZero();

  RankedTensorType getType() const {
    return cast<RankedTensorType>(value.getType());
  }
  /// The type of the value with `extent` rows in `dim`.
  RankedTensorType getType(int64_t dim, int64_t extent) const {
    SmallVector<int64_t> shape(getType().getShape());
    shape[dim] = extent;
    return getType().clone(shape);
  }

  OpBuilder &builder;
  Location loc;
  Value value;
};
} // namespace

Value fsdp::buildMoves(ModuleOp module, OpBuilder &builder, Location loc,
                       Value value, ArrayRef<Move> moves, const Axes &axes,
                       ReductionKind reduction) {
  MoveBuilder moved = {builder, loc, value};
  for (const Move &move : moves)
    moved.build(module, axes, move, reduction);
  return moved.value;
}

/// The ops of one move.
void MoveBuilder::build(ModuleOp module, const Axes &axes, const Move &move,
                        ReductionKind reduction) {
  ClassesAttr classes = axes.getGroup(module.getContext(), move.axes);
  FlatSymbolRefAttr symbol = getOrCreateGroup(module, classes, "ranks");
  StringRef group = symbol.getValue();
  int64_t size = classes.getSize();
  if (move.split >= 0)
    resize(move.split, move.padded);
  RankedTensorType type = getType();
  if (move.split >= 0)
    type = getType(move.split, move.padded / size);
  switch (move.kind) {
  case Move::Gather:
    type = getType(move.gathered, type.getDimSize(move.gathered) * size);
    value = AllGatherOp::create(builder, loc, TypeRange(type), value, group,
                                move.gathered)
                .getResult(0);
    break;
  case Move::Slice:
    value = SliceOp::create(builder, loc, type, value, group, move.split);
    break;
  case Move::ReduceScatter:
    value = ReduceScatterOp::create(builder, loc, TypeRange(type), value, group,
                                    move.split, reduction)
                .getResult(0);
    break;
  case Move::AllReduce:
    value = AllReduceOp::create(builder, loc, TypeRange(type), value, group,
                                reduction)
                .getResult(0);
    break;
  case Move::AllToAll: {
    SmallVector<int64_t> shape(type.getShape());
    shape[move.gathered] *= size;
    value = AllToAllOp::create(builder, loc, TypeRange(type.clone(shape)),
                               value, group, move.split, move.gathered)
                .getResult(0);
    break;
  }
  case Move::Mask:
    // The maximum of equal values is what they are.
    if (reduction == ReductionKind::Sum)
      mask(symbol);
    break;
  case Move::Embed:
    embed(symbol, move.gathered, size);
    break;
  }
  if (move.gathered >= 0)
    resize(move.gathered, move.kept);
}

/// A scalar zero.
Value MoveBuilder::getZero() {
  Type type = getType().getElementType();
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Attribute part = builder.getZeroAttr(complex.getElementType());
    return complex::ConstantOp::create(builder, loc, type,
                                       builder.getArrayAttr({part, part}));
  }
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// Zeros on all ranks of a class but the first.
void MoveBuilder::mask(FlatSymbolRefAttr group) {
  Value index =
      RankIndexOp::create(builder, loc, builder.getIndexType(), group);
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value keep = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     index, first);
  Value zero = getZero();
  value = createElementwise(
      builder, loc, value, getType().getShape(), getType().getElementType(),
      [&](OpBuilder &nested, Location where, ValueRange elements) {
        return SmallVector<Value>{
            arith::SelectOp::create(nested, where, keep, elements[0], zero)};
      })[0];
}

/// The rank's part at its place among zeros.
void MoveBuilder::embed(FlatSymbolRefAttr group, int64_t dim, int64_t size) {
  RankedTensorType part = getType();
  int64_t chunk = part.getDimSize(dim);
  RankedTensorType type = getType(dim, chunk * size);
  Value zeros = tensor::SplatOp::create(builder, loc, type, getZero());
  Value index =
      RankIndexOp::create(builder, loc, builder.getIndexType(), group);
  Value rows = arith::ConstantIndexOp::create(builder, loc, chunk);
  SmallVector<OpFoldResult> offsets(part.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(part.getRank(), builder.getIndexAttr(1));
  offsets[dim] = arith::MulIOp::create(builder, loc, index, rows).getResult();
  value = tensor::InsertSliceOp::create(
      builder, loc, value, zeros, offsets,
      getAsIndexOpFoldResult(builder.getContext(), part.getShape()), ones);
}

/// Pads dimension `dim` with zeros, or cuts it, to `extent`.
void MoveBuilder::resize(int64_t dim, int64_t extent) {
  int64_t rows = getType().getDimSize(dim);
  if (rows == extent)
    return;
  RankedTensorType type = getType(dim, extent);
  SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0));
  if (rows < extent) {
    SmallVector<OpFoldResult> high(zeros);
    high[dim] = builder.getIndexAttr(extent - rows);
    value = tensor::PadOp::create(builder, loc, type, value, zeros, high,
                                  getZero());
    return;
  }
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  value = tensor::ExtractSliceOp::create(
      builder, loc, type, value, zeros,
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()), ones);
}
