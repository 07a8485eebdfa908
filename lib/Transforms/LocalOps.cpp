// SPDX-License-Identifier: Apache-2.0
//===- LocalOps.cpp - an op on the pieces that one rank holds -------------===//
//
// Most ops are cloned with local types. What names positions is corrected:
// linalg.index counts from this rank's offset, a lookup in a dimension that is
// split reads and writes what this rank holds, slices shrink with their source.
// A dimension that exported types do not show becomes a leading one.
//
//===----------------------------------------------------------------------===//
#include "LocalOps.h"
#include "fsdp/Transforms/Builders.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace fsdp;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// This rank's position among those of all groups, major to minor.
static Value createPosition(OpBuilder &builder, Location loc, Operation *from,
                            ArrayRef<Attribute> groups) {
  Value position;
  for (Attribute attribute : groups) {
    auto group = cast<FlatSymbolRefAttr>(attribute);
    Value own =
        RankIndexOp::create(builder, loc, builder.getIndexType(), group);
    if (position) {
      Value size =
          createIndex(builder, loc, lookupClasses(from, group).getSize());
      position = arith::MulIOp::create(builder, loc, position, size);
      own = arith::AddIOp::create(builder, loc, position, own);
    }
    position = own;
  }
  return position;
}

void fsdp::replaceCaptured(Operation *op, const PartitionRule &rule,
                           ValueRange values) {
  for (auto [tensor, value] : llvm::zip_equal(rule.captured, values))
    Value(tensor).replaceUsesWithIf(value, [&](OpOperand &use) {
      return op->isProperAncestor(use.getOwner());
    });
}

/// Reassociation groups behind `count` leading dims.
static SmallVector<ReassociationIndices>
shift(ArrayRef<ReassociationIndices> groups, int64_t count) {
  SmallVector<ReassociationIndices> result;
  for (int64_t dim = 0; dim < count; ++dim)
    result.push_back({dim});
  for (const ReassociationIndices &group : groups) {
    result.emplace_back();
    for (int64_t dim : group)
      result.back().push_back(dim + count);
  }
  return result;
}

SmallVector<Value> LocalOp::build(OpBuilder &builder) {
  Location loc = op->getLoc();
  int64_t leading = llvm::popcount(operandStars.empty() ? 0 : operandStars[0]);
  if (isa<linalg::LinalgOp>(op))
    return buildLinalg(builder);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return {tensor::ExpandShapeOp::create(
        builder, loc, types[0], operands[0],
        shift(expand.getReassociationIndices(), leading))};
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return {tensor::CollapseShapeOp::create(
        builder, loc, types[0], operands[0],
        shift(collapse.getReassociationIndices(), leading))};
  if (isa<OffsetSizeAndStrideOpInterface>(op))
    return {buildSlice(builder)};
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return {tensor::ConcatOp::create(builder, loc, types[0],
                                     concat.getDim() + leading, operands)};
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    SmallVector<OpFoldResult> zeros(leading, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> low(zeros), high(zeros);
    llvm::append_range(low, pad.getMixedLowPad());
    llvm::append_range(high, pad.getMixedHighPad());
    if (Value constant = pad.getConstantPaddingValue())
      return {tensor::PadOp::create(builder, loc, types[0], operands[0], low,
                                    high, constant)};
  }
  if (isa<ScatterOp>(op))
    return {buildScatter(builder)};
  Operation *local = builder.clone(*op);
  local->setOperands(ArrayRef(operands).take_front(op->getNumOperands()));
  for (auto [result, type] : llvm::zip_equal(local->getResults(), types))
    result.setType(type);
  return SmallVector<Value>(local->getResults());
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

SmallVector<Value> LocalOp::buildLinalg(OpBuilder &builder) {
  bool hasStar = llvm::any_of(operandStars, [](uint64_t set) { return set; });
  Operation *local;
  if (hasStar) {
    local = addStars(builder);
  } else {
    local = builder.clone(*op);
    local->setOperands(ArrayRef(operands).take_front(op->getNumOperands()));
    for (auto [result, type] : llvm::zip_equal(local->getResults(), types))
      result.setType(type);
  }
  replaceCaptured(local, rule,
                  ArrayRef(operands).drop_front(op->getNumOperands()));
  fixIndices(local);
  fixLookups(local);
  return SmallVector<Value>(local->getResults());
}

/// The same op with further parallel loops in front.
linalg::GenericOp LocalOp::addStars(OpBuilder &builder) {
  Location loc = op->getLoc();
  MLIRContext *context = builder.getContext();
  Operation *copy = builder.clone(*op);
  // Maps of named ops follow from the types, which may have changed under way.
  OpBuilder front(copy);
  for (auto [operand, type] : llvm::zip(copy->getOpOperands(), exported))
    if (type && operand.get().getType() != type)
      operand.set(tensor::EmptyOp::create(front, loc, type.getShape(),
                                          type.getElementType()));
  IRRewriter rewriter(copy);
  auto generic = dyn_cast<linalg::GenericOp>(copy);
  if (!generic)
    generic =
        *linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(copy));
  int64_t count = stars.size(), loops = generic.getNumLoops();
  SmallVector<AffineMap> maps;
  for (auto [i, map] : llvm::enumerate(generic.getIndexingMapsArray())) {
    int64_t init = int64_t(i) - generic.getNumDpsInputs();
    uint64_t set = init >= 0 ? resultStars[init] : operandStars[i];
    SmallVector<AffineExpr> exprs;
    for (int64_t star = 0; star < count; ++star)
      if (set >> star & 1)
        exprs.push_back(getAffineDimExpr(star, context));
    AffineMap shifted = map.shiftDims(count);
    llvm::append_range(exprs, shifted.getResults());
    maps.push_back(AffineMap::get(count + loops, 0, exprs, context));
  }
  SmallVector<utils::IteratorType> iterators(count,
                                             utils::IteratorType::parallel);
  llvm::append_range(iterators, generic.getIteratorTypesArray());
  SmallVector<Value> inputs, inits;
  for (auto [i, value] :
       llvm::enumerate(ArrayRef(operands).take_front(op->getNumOperands()))) {
    int64_t init = int64_t(i) - generic.getNumDpsInputs();
    if (init < 0) {
      inputs.push_back(value);
      continue;
    }
    auto type = cast<RankedTensorType>(types[init]);
    Value start = value;
    if (start.getType() != type) {
      // What each position of star starts from is the same.
      Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                            type.getElementType());
      SmallVector<int64_t> added;
      for (int64_t dim = 0, e = llvm::popcount(resultStars[init]); dim < e;
           ++dim)
        added.push_back(dim);
      start = linalg::BroadcastOp::create(builder, loc, value, empty, added)
                  ->getResult(0);
    }
    inits.push_back(start);
  }
  auto result = linalg::GenericOp::create(builder, loc, TypeRange(types),
                                          inputs, inits, maps, iterators);
  result.getRegion().takeBody(generic.getRegion());
  for (auto index :
       llvm::to_vector(result.getBody()->getOps<linalg::IndexOp>()))
    index.setDim(index.getDim() + count);
  generic.erase();
  return result;
}

/// linalg.index says the position in the whole.
void LocalOp::fixIndices(Operation *local) {
  OpBuilder builder(local);
  Location loc = op->getLoc();
  Block &body = local->getRegion(0).front();
  for (auto index : llvm::to_vector(body.getOps<linalg::IndexOp>())) {
    int64_t factor = int64_t(index.getDim()) - int64_t(stars.size());
    if (factor < 0 || cuts[factor].empty())
      continue;
    // Digit by digit, minor to major: the dimension is blocks of pieces, of
    // each of which this rank has one.
    OpBuilder inner(index->getNextNode());
    int64_t stride = 1, extent = rule.factors[factor].extent;
    Value rest = index, global;
    SmallPtrSet<Operation *, 8> made;
    auto keep = [&](Value value) {
      made.insert(value.getDefiningOp());
      return value;
    };
    ArrayRef<Cut> list = cuts[factor];
    for (size_t i = list.size(); i > 0; --i) {
      const Cut &cut = list[i - 1];
      int64_t size = extent / cut.blocks, chunk = size / cut.ranks;
      Value digit = rest;
      if (cut.blocks > 1) {
        Value length = createIndex(builder, loc, chunk);
        digit = keep(arith::RemUIOp::create(inner, loc, rest, length));
        rest = keep(arith::DivUIOp::create(inner, loc, rest, length));
      }
      Value offset = arith::MulIOp::create(
          builder, loc, createPosition(builder, loc, op, cut.groups),
          createIndex(builder, loc, chunk));
      digit = keep(arith::AddIOp::create(inner, loc, digit, offset));
      if (stride > 1)
        digit = keep(arith::MulIOp::create(inner, loc, digit,
                                           createIndex(builder, loc, stride)));
      global = global ? keep(arith::AddIOp::create(inner, loc, global, digit))
                      : digit;
      stride *= size;
      extent = cut.blocks;
    }
    if (list.front().blocks > 1)
      global = keep(arith::AddIOp::create(
          inner, loc, global,
          keep(arith::MulIOp::create(inner, loc, rest,
                                     createIndex(builder, loc, stride)))));
    index.getResult().replaceUsesWithIf(global, [&](OpOperand &use) {
      if (made.contains(use.getOwner()))
        return false;
      // What is read along this loop is split with it.
      auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
      if (!extract || use.getOperandNumber() == 0)
        return true;
      for (auto [i, tensor] : llvm::enumerate(rule.captured))
        if (operands[op->getNumOperands() + i] == extract.getTensor())
          return rule.operands[op->getNumOperands() + i]
                              [use.getOperandNumber() - 1] != factor;
      return true;
    });
  }
}

/// The place in this rank's chunk, or 0, and whether it is in there.
static std::pair<Value, Value> toLocal(OpBuilder &builder, Location loc,
                                       Value index, Value offset,
                                       int64_t chunk) {
  Value own = arith::SubIOp::create(builder, loc, index, offset);
  Type type = index.getType();
  // One comparison, unsigned, for both ends.
  Value size = arith::ConstantOp::create(builder, loc,
                                         builder.getIntegerAttr(type, chunk));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, own, size);
  return {arith::SelectOp::create(builder, loc, inside, own, zero), inside};
}

/// Reads of a dimension that is split: what others hold is zero here.
void LocalOp::fixLookups(Operation *local) {
  OpBuilder builder(local);
  Location loc = op->getLoc();
  for (auto [i, tensor] : llvm::enumerate(rule.captured))
    for (auto [dim, factor] :
         llvm::enumerate(rule.operands[op->getNumOperands() + i])) {
      if (factor < 0 || !rule.factors[factor].isLookup || cuts[factor].empty())
        continue;
      const Cut &cut = cuts[factor].front();
      int64_t chunk = rule.factors[factor].extent / cut.ranks;
      Value offset = arith::MulIOp::create(
          builder, loc, createPosition(builder, loc, op, cut.groups),
          createIndex(builder, loc, chunk));
      Value mine = operands[op->getNumOperands() + i];
      for (auto extract : llvm::to_vector(
               local->getRegion(0).front().getOps<tensor::ExtractOp>())) {
        if (extract.getTensor() != mine)
          continue;
        OpBuilder inner(extract);
        auto [own, inside] =
            toLocal(inner, loc, extract.getIndices()[dim], offset, chunk);
        extract.getIndicesMutable()[dim].set(own);
        inner.setInsertionPointAfter(extract);
        Value zero = arith::ConstantOp::create(
            inner, loc, inner.getZeroAttr(extract.getType()));
        auto select =
            arith::SelectOp::create(inner, loc, inside, extract, zero);
        extract.getResult().replaceAllUsesExcept(select, select);
      }
    }
}

//===----------------------------------------------------------------------===//
// Slices and scatter
//===----------------------------------------------------------------------===//

/// Offsets and sizes shrink as the dimension does; whole dims stay.
Value LocalOp::buildSlice(OpBuilder &builder) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  unsigned side = insert ? 1 : 0;
  int64_t leading = llvm::popcount(operandStars[side]);
  RankedTensorType before = exported[side];
  auto after = cast<RankedTensorType>(operands[side].getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (int64_t dim = 0; dim < leading; ++dim) {
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(builder.getIndexAttr(after.getDimSize(dim)));
    strides.push_back(builder.getIndexAttr(1));
  }
  for (int64_t dim = 0; dim < before.getRank(); ++dim) {
    int64_t ratio = before.getDimSize(dim) / after.getDimSize(dim + leading);
    auto shrink = [&](OpFoldResult value) -> OpFoldResult {
      std::optional<int64_t> number = getConstantIntValue(value);
      return ratio == 1 || !number
                 ? value
                 : OpFoldResult(builder.getIndexAttr(*number / ratio));
    };
    offsets.push_back(shrink(slice.getMixedOffsets()[dim]));
    sizes.push_back(shrink(slice.getMixedSizes()[dim]));
    // Of one row there is no stride, and code generation cannot tell which of
    // several dims of one row is dropped if there is one.
    strides.push_back(getConstantIntValue(sizes.back()) == 1
                          ? builder.getIndexAttr(1)
                          : slice.getMixedStrides()[dim]);
  }
  if (insert)
    return tensor::InsertSliceOp::create(builder, op->getLoc(), operands[0],
                                         operands[1], offsets, sizes, strides);
  return tensor::ExtractSliceOp::create(builder, op->getLoc(),
                                        cast<RankedTensorType>(types[0]),
                                        operands[0], offsets, sizes, strides);
}

/// Updates of rows that this rank does not hold become zeros, for row 0.
Value LocalOp::buildScatter(OpBuilder &builder) {
  auto scatter = cast<ScatterOp>(op);
  Location loc = op->getLoc();
  Value updates = operands[0], indices = operands[1];
  auto indexType = cast<RankedTensorType>(indices.getType());
  auto updateType = cast<RankedTensorType>(updates.getType());
  MLIRContext *context = builder.getContext();
  for (auto [column, dim] : llvm::enumerate(scatter.getDimensionMap())) {
    int64_t factor = rule.operands[2][dim];
    if (cuts[factor].empty())
      continue;
    const Cut &cut = cuts[factor].front();
    int64_t chunk = rule.factors[factor].extent / cut.ranks;
    Value offset = arith::IndexCastOp::create(
        builder, loc, indexType.getElementType(),
        arith::MulIOp::create(builder, loc,
                              createPosition(builder, loc, op, cut.groups),
                              createIndex(builder, loc, chunk)));
    // The updates first: they read the indices as they were.
    int64_t rank = updateType.getRank();
    SmallVector<AffineMap> maps = {
        AffineMap::getMultiDimIdentityMap(rank, context),
        AffineMap::get(rank, 0, getAffineDimExpr(0, context), context),
        AffineMap::getMultiDimIdentityMap(rank, context)};
    SmallVector<OpFoldResult> offsets = {builder.getIndexAttr(0),
                                         builder.getIndexAttr(column)};
    SmallVector<OpFoldResult> sizes = {
        builder.getIndexAttr(indexType.getDimSize(0)), builder.getIndexAttr(1)};
    SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
    auto columnType = RankedTensorType::get({indexType.getDimSize(0)},
                                            indexType.getElementType());
    Value names = tensor::ExtractSliceOp::create(builder, loc, columnType,
                                                 indices, offsets, sizes, ones);
    Value empty = tensor::EmptyOp::create(builder, loc, updateType.getShape(),
                                          updateType.getElementType());
    SmallVector<utils::IteratorType> parallel(rank,
                                              utils::IteratorType::parallel);
    updates =
        linalg::GenericOp::create(
            builder, loc, TypeRange(updateType), ValueRange{updates, names},
            ValueRange(empty), maps, parallel,
            [&](OpBuilder &inner, Location at, ValueRange arguments) {
              Value inside =
                  toLocal(inner, at, arguments[1], offset, chunk).second;
              Value zero = arith::ConstantOp::create(
                  inner, at, inner.getZeroAttr(updateType.getElementType()));
              linalg::YieldOp::create(
                  inner, at,
                  Value(arith::SelectOp::create(inner, at, inside, arguments[0],
                                                zero)));
            })
            .getResult(0);
    Value own = createElementwise(
        builder, loc, names, columnType.getShape(), columnType.getElementType(),
        [&](OpBuilder &inner, Location at, ValueRange arguments) {
          return SmallVector<Value>{
              toLocal(inner, at, arguments[0], offset, chunk).first};
        })[0];
    indices = tensor::InsertSliceOp::create(builder, loc, own, indices, offsets,
                                            sizes, ones);
  }
  Operation *local = builder.clone(*op);
  local->setOperands({updates, indices, operands[2]});
  local->getResult(0).setType(types[0]);
  return local->getResult(0);
}
