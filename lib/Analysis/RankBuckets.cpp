// SPDX-License-Identifier: Apache-2.0
//===- RankBuckets.cpp - several values in one tensor ---------------------===//
//
// Gradients (or shards of parameters) that are sent together lie one behind the
// other along a dimension, often once for each rank's chunk. Where they lie is
// followed through reshapes, slices and collectives, until each is taken out.
//
//===----------------------------------------------------------------------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

/// How many elements one step along a dimension is worth.
static int64_t getStep(ArrayRef<int64_t> shape, int64_t dim) {
  return ShapedType::getNumElements(shape.drop_front(dim + 1));
}

/// True where all pieces are whole blocks of `block` elements.
static bool areBlocks(const Bucket &bucket, int64_t block) {
  return bucket.period % block == 0 &&
         llvm::all_of(bucket.pieces, [&](const Bucket::Piece &piece) {
           return piece.offset % block == 0 && piece.size % block == 0;
         });
}

/// The same pieces where each block has become a larger or smaller one.
static Bucket rescale(Bucket bucket, int64_t before, int64_t behind) {
  for (Bucket::Piece &piece : bucket.pieces) {
    piece.offset = piece.offset / before * behind;
    piece.size = piece.size / before * behind;
  }
  bucket.period = bucket.period / before * behind;
  return bucket;
}

/// `size` elements from `offset` on, of every `bucket.period`: one piece, or
/// several whole ones.
static std::optional<Bucket> take(const Bucket &bucket, int64_t offset,
                                  int64_t size) {
  Bucket taken;
  taken.period = size;
  for (const Bucket::Piece &piece : bucket.pieces) {
    int64_t end = piece.offset + piece.size;
    // A piece may be padded.
    if (piece.offset == offset && size <= piece.size)
      return Bucket{{{0, size, piece.content}}, 0};
    if (piece.offset >= offset && end <= offset + size)
      taken.pieces.push_back(
          {piece.offset - offset, piece.size, piece.content});
    else if (piece.offset < offset + size && offset < end)
      return std::nullopt;
  }
  return taken.pieces.empty() ? std::nullopt : std::optional(taken);
}

/// A slice of each piece, or of all elements some whole pieces.
static std::optional<Bucket> slice(tensor::ExtractSliceOp op, Bucket bucket) {
  SmallVector<int64_t> shape(op.getSourceType().getShape());
  bool isCut = bucket.period > ShapedType::getNumElements(shape);
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    std::optional<int64_t> offset =
                               getConstantIntValue(op.getMixedOffsets()[dim]),
                           size = getConstantIntValue(op.getMixedSizes()[dim]);
    if (size == shape[dim])
      continue;
    int64_t step = getStep(shape, dim), row = shape[dim] * step;
    if (!size || !*size || isCut)
      return std::nullopt;
    shape[dim] = *size;
    int64_t next = *size * step;
    if (areBlocks(bucket, row)) {
      bucket = rescale(bucket, row, next);
      continue;
    }
    if (!offset || row % bucket.period ||
        !isConstantIntValue(op.getMixedStrides()[dim], 1))
      return std::nullopt;
    if (*offset * step % bucket.period == 0 && next % bucket.period == 0)
      continue;
    std::optional<Bucket> taken;
    if (bucket.period == row)
      taken = take(bucket, *offset * step, next);
    if (!taken || !taken->period)
      return taken;
    bucket = *taken;
  }
  return bucket;
}

std::optional<Bucket> fsdp::moveBucket(Operation *op, const Bucket &bucket) {
  // The order of elements stays.
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return bucket;
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice(extract, bucket);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return moveBucket(linalgOp, 0, 0, bucket);
  auto pad = dyn_cast<tensor::PadOp>(op);
  if (!pad)
    return std::nullopt;
  Bucket result = bucket;
  SmallVector<int64_t> shape(pad.getSourceType().getShape());
  for (auto [dim, rows] : llvm::enumerate(pad.getResultType().getShape())) {
    int64_t step = getStep(shape, dim), row = shape[dim] * step;
    if (rows == shape[dim])
      continue;
    shape[dim] = rows;
    if (areBlocks(result, row))
      result = rescale(result, row, rows * step);
    else if (result.period == row &&
             isConstantIntValue(pad.getMixedLowPad()[dim], 0))
      result.period = rows * step;
    else
      return std::nullopt;
  }
  return result;
}

std::optional<Bucket> fsdp::moveBucket(linalg::LinalgOp op, unsigned operand,
                                       unsigned result, const Bucket &bucket) {
  AffineMap from = op.getIndexingMapsArray()[operand],
            to = op.getIndexingMapsArray()[op.getNumDpsInputs() + result];
  if (from == to)
    return bucket;
  ArrayRef<int64_t> shape = op.getShape(&op->getOpOperand(operand)),
                    behind = op.getShape(op.getDpsInitOperand(result));
  // The inner dims stay, and the pieces are within them.
  int64_t inner = 1;
  for (int64_t i = 1;
       i <= std::min<int64_t>(shape.size(), behind.size()) &&
       from.getResult(shape.size() - i) == to.getResult(behind.size() - i);
       ++i)
    inner *= shape[shape.size() - i];
  if (inner % bucket.period == 0)
    return bucket;
  // The pieces lie along one dimension, which may move.
  for (auto [dim, expr] : llvm::enumerate(from.getResults())) {
    int64_t step = getStep(shape, dim);
    if (bucket.period != shape[dim] * step || !areBlocks(bucket, step))
      continue;
    if (auto moved = to.getResultPosition(expr))
      return rescale(bucket, step, getStep(behind, *moved));
  }
  return std::nullopt;
}

std::optional<Bucket> fsdp::resizeBucket(Bucket bucket, ArrayRef<int64_t> shape,
                                         int64_t dim, int64_t rows) {
  int64_t step = getStep(shape, dim), before = shape[dim] * step,
          behind = rows * step, all = ShapedType::getNumElements(shape);
  bool isCut = bucket.period > all;
  if (before == behind)
    return bucket;
  // Each piece by itself.
  if (!isCut && areBlocks(bucket, before))
    return rescale(bucket, before, behind);
  // All ranks' chunks, or some of them.
  if (!isCut && (behind < before ? behind : before) % bucket.period == 0)
    return bucket;
  if (before != all)
    return std::nullopt;
  if (behind < before)
    return isCut || bucket.period == before ? std::optional(bucket)
                                            : std::nullopt;
  // Joined again; there may be padding behind.
  if (!isCut)
    return std::nullopt;
  bucket.period = std::max(bucket.period, behind);
  return bucket;
}

std::optional<Bucket> fsdp::moveBucket(CollectiveOpInterface op, unsigned i,
                                       const Bucket &bucket) {
  auto getDim = [&](StringRef attribute) {
    auto dim = op->getAttrOfType<IntegerAttr>(attribute);
    return dim ? dim.getInt() : 0;
  };
  ClassesAttr classes = lookupClasses(op, op.getGroupRef());
  int64_t ranks = classes ? classes.getSize() : 1;
  SmallVector<int64_t> shape(
      cast<ShapedType>(op.getSources()[i].getType()).getShape());
  int64_t dim = getDim("dim"), split = getDim("split_dim"),
          concat = getDim("concat_dim");
  switch (op.getKind()) {
  case CollectiveKind::AllGather:
    return resizeBucket(bucket, shape, dim, shape[dim] * ranks);
  case CollectiveKind::ReduceScatter:
    return resizeBucket(bucket, shape, dim,
                        llvm::divideCeil(shape[dim], ranks));
  case CollectiveKind::AllToAll: {
    int64_t rows = llvm::divideCeil(shape[split], ranks);
    std::optional<Bucket> cut = resizeBucket(bucket, shape, split, rows);
    shape[split] = rows;
    // What is no chunk of each piece cannot be put together in another way.
    if (!cut || cut->period > ShapedType::getNumElements(shape))
      return std::nullopt;
    return resizeBucket(*cut, shape, concat, shape[concat] * ranks);
  }
  default:
    return bucket;
  }
}

//===----------------------------------------------------------------------===//
// Of gradients
//===----------------------------------------------------------------------===//

void RankInterpreter::moveSum(
    RankState &state,
    function_ref<std::optional<Bucket>(const Bucket &)> move) {
  const GradientSum *sum = getSum(state);
  if (!sum || sum->bucket.pieces.empty())
    return;
  std::optional<Bucket> moved = move(sum->bucket);
  if (!moved) {
    state.sum = -1;
  } else if (!moved->period) {
    state.sum = moved->pieces.front().content;
  } else {
    GradientSum next = *sum;
    next.bucket = *moved;
    state.sum = addSum(next);
  }
}

void RankInterpreter::followConcat(tensor::ConcatOp op) {
  GradientSum sum;
  Bucket &bucket = sum.bucket;
  int64_t dim = op.getDim();
  auto type = cast<RankedTensorType>(op.getType());
  if (!type.hasStaticShape() || !type.getNumElements())
    return recordUses(op);
  for (Value input : op.getInputs()) {
    auto shape = cast<RankedTensorType>(input.getType()).getShape();
    int64_t size = shape[dim] * getStep(shape, dim);
    const GradientSum *own = getSum(get(input));
    if (!own && !get(input).isZero)
      return recordUses(op);
    if (own && own->bucket.period == size)
      for (Bucket::Piece piece : own->bucket.pieces)
        bucket.pieces.push_back(
            {bucket.period + piece.offset, piece.size, piece.content});
    else if (own)
      bucket.pieces.push_back({bucket.period, size, get(input).sum});
    bucket.period += size;
  }
  if (!bucket.pieces.empty())
    states[op.getResult()].sum = addSum(sum);
}

void RankInterpreter::followInsert(tensor::InsertSliceOp op) {
  ArrayRef<int64_t> shape = op.getDestType().getShape();
  // The one dimension of which not all is taken.
  int64_t dim = -1;
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    if (!isConstantIntValue(op.getMixedSizes()[i], shape[i]))
      dim = dim < 0 ? i : e;
  if (dim < 0 && op.getDestType() == op.getSourceType())
    return followCopy(op, op.getSource());
  if (dim < 0 || dim == int64_t(shape.size()) ||
      !op.getDestType().hasStaticShape() || !op.getDestType().getNumElements())
    return recordUses(op);
  int64_t step = getStep(shape, dim);
  std::optional<int64_t> offset =
                             getConstantIntValue(op.getMixedOffsets()[dim]),
                         size = getConstantIntValue(op.getMixedSizes()[dim]);
  const RankState &source = get(op.getSource()), &dest = get(op.getDest());
  GradientSum sum;
  Bucket &bucket = sum.bucket;
  if (const GradientSum *before = getSum(dest))
    bucket = before->bucket;
  if (!offset || !size || source.sum < 0 ||
      (bucket.pieces.empty() ? !dest.isZero
                             : bucket.period != shape[dim] * step))
    return recordUses(op);
  Bucket::Piece added{*offset * step, *size * step, source.sum};
  // What was there before is no more.
  llvm::erase_if(bucket.pieces, [&](const Bucket::Piece &piece) {
    return piece.offset < added.offset + added.size &&
           added.offset < piece.offset + piece.size;
  });
  bucket.period = shape[dim] * step;
  bucket.pieces.push_back(added);
  states[op.getResult()].sum = addSum(sum);
}
