// SPDX-License-Identifier: Apache-2.0
//===- Relocate.cpp - a value in several placements -----------------------===//
//
// A reshard knows dims and groups. What a value has beside that is made dims
// around it: the leading dimension of what varies, and blocks,
//
//   %0 = tensor.expand_shape %x : tensor<4x6xf32> into tensor<1x4x6xf32>
//   %1 = fsdp.reshard %0 of [2, 4, 6]
//       from <[{@ep}, {}, {}]> to <[{}, {@ep}, {}]>
//
//===----------------------------------------------------------------------===//
#include "Relocate.h"
#include "fsdp/Transforms/Builders.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace fsdp;

RankedTensorType Versions::getType(int32_t id,
                                   const Placements &placements) const {
  const Propagation::Value &value = propagation.getValue(id);
  SmallVector<int64_t> shape;
  for (unsigned axis = 0; axis < placements.size(); ++axis)
    if (value.stars >> axis & 1 && !placements[axis].isSplit(Placement::star))
      shape.push_back(propagation.getExtent(axis));
  for (auto [dim, size] : llvm::enumerate(value.type.getShape())) {
    int64_t extent = size;
    for (unsigned axis = 0; axis < placements.size(); ++axis)
      if (placements[axis].isSplit(dim))
        extent /= propagation.getExtent(axis);
    shape.push_back(extent);
  }
  return RankedTensorType::get(shape, value.type.getElementType());
}

bool Versions::isKnown(int32_t id) const {
  const Propagation::Value &value = propagation.getValue(id);
  return value.isFree || versions.contains(id) ||
         // What is pinned comes from what is not.
         (value.producer >= 0 && propagation.getNodes()[value.producer].kind ==
                                     Propagation::NodeKind::Pin);
}

void Versions::setBase(int32_t id, Value value, const Placements &placements) {
  versions[id].assign({{value, placements, nullptr}});
}

/// True where what stands in `block` dominates the insertion point.
static bool isVisible(Block *block, OpBuilder &builder) {
  if (!block)
    return true;
  for (Block *at = builder.getInsertionBlock(); at;) {
    if (at == block)
      return true;
    Operation *parent = at->getParentOp();
    at = parent ? parent->getBlock() : nullptr;
  }
  return false;
}

Value Versions::get(OpBuilder &builder, int32_t id,
                    const Placements &placements) {
  const Propagation::Value &value = propagation.getValue(id);
  if (value.isFree) {
    // A start that is not zero counts on one rank.
    Placements plain = placements;
    bool isRead =
        !value.isZero && !value.value.getDefiningOp<tensor::EmptyOp>();
    for (Placement &placement : plain)
      if (isRead && placement.kind == Placement::Partial)
        placement = Placement();
    Location loc = value.value.getLoc();
    Value made = getFree(builder, id, getType(id, plain));
    if (!made)
      made = relocate(builder, loc, value.value, id,
                      propagation.getExported(id), plain);
    return relocate(builder, loc, made, id, plain, placements);
  }
  if (!versions.contains(id)) {
    const Propagation::Node &pin = propagation.getNodes()[value.producer];
    setBase(id, get(builder, pin.operands[0], value.placements),
            value.placements);
    versions[id].front().block = builder.getInsertionBlock();
  }
  for (const Version &version : versions[id])
    if (version.placements == placements && isVisible(version.block, builder))
      return version.value;
  // From what is whole a piece costs nothing.
  Version from = versions[id].front();
  for (const Version &version : versions[id])
    if (version.placements == propagation.getExported(id) &&
        isVisible(version.block, builder))
      from = version;
  OpBuilder::InsertionGuard guard(builder);
  // What is sent is sent once, in front of the loops that use it.
  Block *home = from.value.getParentBlock();
  if (Operation *loop = builder.getInsertionBlock() == home
                            ? nullptr
                            : home->findAncestorOpInBlock(
                                  *builder.getInsertionBlock()->getParentOp());
      loop && propagation.getBytes(value, from.placements, placements) > 0)
    builder.setInsertionPoint(loop);
  Value result = relocate(builder, value.value.getLoc(), from.value, id,
                          from.placements, placements);
  versions[id].push_back({result, placements, builder.getInsertionBlock()});
  return result;
}

Value Versions::getFree(OpBuilder &builder, int32_t id, RankedTensorType type) {
  Value whole = propagation.getValue(id).value;
  if (type == whole.getType())
    return whole;
  Operation *op = whole.getDefiningOp();
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return arith::ConstantOp::create(builder, loc, splat.resizeSplat(type));
    return {}; // Of other constants a piece is cut.
  }
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return linalg::FillOp::create(builder, loc, fill.value(), empty)
        .getResult(0);
  return empty;
}

/// A value with all that is split as dims of their own.
struct Versions::View {
  SmallVector<int64_t> shape;
  SmallVector<SmallVector<Attribute>> source, target;
  SmallVector<int64_t> sourceShape, targetShape;
  /// For each dim of the source's (target's) type, its dims here.
  SmallVector<ReassociationIndices> sourceDims, targetDims;
};

Value Versions::relocate(OpBuilder &builder, Location loc, Value value,
                         int32_t id, const Placements &from,
                         const Placements &to) {
  if (from == to)
    return value;
  const Propagation::Value &info = propagation.getValue(id);
  // A reshard has one kind of sums. Of several, those of the first one go
  // first, and what becomes a sum of another kind is whole in between.
  Placements middle = from;
  std::optional<ReductionKind> kind;
  auto isSum = [](const Placement &placement) {
    return placement.kind == Placement::Partial;
  };
  for (unsigned axis = 0; axis < from.size(); ++axis)
    if (isSum(from[axis]) && from[axis] != to[axis]) {
      if (!kind)
        kind = from[axis].reduction;
      if (*kind == from[axis].reduction)
        middle[axis] = isSum(to[axis]) ? Placement() : to[axis];
    }
  bool isMixed = false;
  for (unsigned axis = 0; axis < from.size(); ++axis)
    if (from[axis] != to[axis])
      isMixed |= (isSum(from[axis]) && middle[axis] != to[axis]) ||
                 (isSum(to[axis]) && kind && *kind != to[axis].reduction);
  if (isMixed)
    return relocate(builder, loc,
                    relocate(builder, loc, value, id, from, middle), id, middle,
                    to);

  View view;
  auto addDim = [&](int64_t extent, ArrayRef<unsigned> source,
                    ArrayRef<unsigned> target) {
    view.shape.push_back(extent);
    for (auto [axes, groups, shape] :
         {std::tuple(source, &view.source, &view.sourceShape),
          std::tuple(target, &view.target, &view.targetShape)}) {
      groups->push_back(propagation.getGroups(axes, module));
      int64_t local = extent;
      for (unsigned axis : axes) {
        if (local % propagation.getExtent(axis))
          return false;
        local /= propagation.getExtent(axis);
      }
      shape->push_back(local);
    }
    return true;
  };
  // Leading dims that one of the types does not have go with the next dim.
  SmallVector<int64_t> openSource, openTarget;
  for (unsigned axis = 0; axis < from.size(); ++axis) {
    bool inSource = !from[axis].isSplit(Placement::star);
    bool inTarget = !to[axis].isSplit(Placement::star);
    if (!(info.stars >> axis & 1) || (!inSource && !inTarget))
      continue;
    int64_t dim = view.shape.size();
    addDim(propagation.getExtent(axis),
           inSource ? ArrayRef<unsigned>() : ArrayRef(axis),
           inTarget ? ArrayRef<unsigned>() : ArrayRef(axis));
    for (auto [has, open, dims] :
         {std::tuple(inSource, &openSource, &view.sourceDims),
          std::tuple(inTarget, &openTarget, &view.targetDims)}) {
      open->push_back(dim);
      if (!has)
        continue;
      dims->emplace_back(open->begin(), open->end());
      open->clear();
    }
  }
  for (auto [dim, extent] : llvm::enumerate(info.type.getShape())) {
    SmallVector<unsigned> source = propagation.getSplits(from, dim);
    SmallVector<unsigned> target = propagation.getSplits(to, dim);
    SmallVector<int64_t> cuts = {1};
    for (auto [axes, placements] :
         {std::tuple(&source, &from), std::tuple(&target, &to)})
      for (unsigned axis : *axes)
        cuts.push_back((*placements)[axis].blocks);
    llvm::sort(cuts);
    cuts.erase(llvm::unique(cuts), cuts.end());
    bool fits = true;
    for (auto [i, cut] : llvm::enumerate(cuts)) {
      int64_t end = i + 1 < cuts.size() ? cuts[i + 1] : extent;
      SmallVector<unsigned> here[2];
      for (auto [side, axes, placements] :
           {std::tuple(0, &source, &from), std::tuple(1, &target, &to)})
        for (unsigned axis : *axes)
          if ((*placements)[axis].blocks == cut)
            here[side].push_back(axis);
      fits = fits && end % cut == 0;
      int64_t at = view.shape.size();
      fits = fits && addDim(end / cut, here[0], here[1]);
      for (auto [open, dims] : {std::tuple(&openSource, &view.sourceDims),
                                std::tuple(&openTarget, &view.targetDims)}) {
        if (i == 0) {
          dims->emplace_back(open->begin(), open->end());
          open->clear();
        }
        dims->back().push_back(at);
      }
      if (!fits)
        break;
    }
    if (!fits) {
      // Gather what is split there, then cut it in the other way.
      Placements whole = from;
      for (unsigned axis : source)
        whole[axis] = Placement();
      return relocate(builder, loc,
                      relocate(builder, loc, value, id, from, whole), id, whole,
                      to);
    }
  }
  for (auto [open, dims] : {std::tuple(&openSource, &view.sourceDims),
                            std::tuple(&openTarget, &view.targetDims)})
    for (int64_t dim : *open) {
      if (dims->empty())
        dims->emplace_back();
      dims->back().push_back(dim);
    }

  auto isRank = [](Value of, size_t rank) {
    return cast<RankedTensorType>(of.getType()).getRank() == int64_t(rank);
  };
  Type element = info.type.getElementType();
  if (!isRank(value, view.shape.size())) {
    if (isRank(value, 0))
      view.sourceDims.clear();
    value = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(view.sourceShape, element), value,
        view.sourceDims);
  }
  auto describe = [&](ArrayRef<SmallVector<Attribute>> dims,
                      const Placements &placements) {
    MLIRContext *context = module.getContext();
    SmallVector<Attribute> lists;
    for (const SmallVector<Attribute> &groups : dims)
      lists.push_back(ArrayAttr::get(context, groups));
    SmallVector<unsigned> sums;
    ReductionKind reduction = kind.value_or(ReductionKind::Sum);
    for (unsigned axis = 0; axis < placements.size(); ++axis)
      if (placements[axis].kind == Placement::Partial) {
        sums.push_back(axis);
        if (!kind)
          reduction = placements[axis].reduction;
      }
    return ShardingAttr::get(
        context, ArrayAttr::get(context, lists), reduction,
        ArrayAttr::get(context, propagation.getGroups(sums, module)),
        ArrayAttr::get(context, {}));
  };
  double bytes = propagation.getBytes(info, from, to);
  ShardingAttr source = describe(view.source, from);
  ShardingAttr target = describe(view.target, to);
  value = ReshardOp::create(builder, loc,
                            RankedTensorType::get(view.targetShape, element),
                            value, view.shape, source, target);
  // What becomes of a gradient is the shard section's.
  Operation *def = info.value.getDefiningOp();
  if (bytes > 0 && !isa_and_nonnull<LocalGradOp>(def) &&
      module.getContext()->getRemarkEngine()) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "reshards " << info.type << " from " << source << " to " << target
        << ", at most " << int64_t(bytes) << " bytes sent by a rank";
    note(loc, "reshard", text);
  }
  RankedTensorType wanted = getType(id, to);
  if (value.getType() != wanted) {
    if (wanted.getRank() == 0)
      view.targetDims.clear();
    value = tensor::CollapseShapeOp::create(builder, loc, wanted, value,
                                            view.targetDims);
  }
  return value;
}
