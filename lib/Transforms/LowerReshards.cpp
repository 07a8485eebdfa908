// SPDX-License-Identifier: Apache-2.0
//===- LowerReshards.cpp - fsdp.reshard to collectives --------------------===//
//
// The only place that chooses collectives. Dimension by dimension, the groups
// that source and target share in front stay; further ones of the source are
// gathered; further ones of the target are cut, where the value is a sum over
// them by a reduce-scatter, else by a slice. Sums that no dimension takes up
// are all-reduced last, when the value is smallest.
//
//   %r = fsdp.reshard %m of [5] from <[{}], partial = {@world}> to <[{@node}]>
// becomes
//   %0 = tensor.pad %m to 8 rows
//   %1 = fsdp.reduce_scatter sum %0 over @node dim 0
//   %r = fsdp.all_reduce sum %1 over @across
//
//===----------------------------------------------------------------------===//
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fsdp {
#define GEN_PASS_DEF_LOWERRESHARDSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
/// One reshard on its way.
class ReshardLowering {
public:
  ReshardLowering(ModuleOp module, ReshardOp reshard);
  LogicalResult run();

private:
  LogicalResult findAxes();
  void gather(int64_t dim, ArrayRef<Attribute> groups, size_t kept);
  void cut(int64_t dim, ArrayRef<Attribute> groups, size_t kept);
  void cutOver(int64_t dim, ArrayRef<unsigned> order, bool isSum);
  void reduceRest();
  void resize(int64_t dim, int64_t extent);

  ClassesAttr getClassesOf(Attribute group) const {
    return lookupClasses(reshard, cast<FlatSymbolRefAttr>(group));
  }
  int64_t getExtent(int64_t dim, ArrayRef<Attribute> groups);
  FlatSymbolRefAttr getGroup(ArrayRef<unsigned> order);

  ModuleOp module;
  ReshardOp reshard;
  OpBuilder builder;
  Location loc;
  Axes axes;
  Value value;
  /// Axes over which the value is still a sum.
  AxisSet partial = 0;
};

struct LowerReshardsPass
    : public fsdp::impl::LowerReshardsPassBase<LowerReshardsPass> {
  void runOnOperation() override {
    SmallVector<ReshardOp> reshards;
    getOperation().walk([&](ReshardOp op) { reshards.push_back(op); });
    for (ReshardOp reshard : reshards)
      if (failed(ReshardLowering(getOperation(), reshard).run()))
        return signalPassFailure();
  }
};
} // namespace

ReshardLowering::ReshardLowering(ModuleOp module, ReshardOp reshard)
    : module(module), reshard(reshard), builder(reshard), loc(reshard.getLoc()),
      value(reshard.getInput()) {}

/// The axes of source and target together.
LogicalResult ReshardLowering::findAxes() {
  SmallVector<ClassesAttr> groups;
  for (ShardingAttr sharding : {reshard.getSource(), reshard.getTarget()})
    for (FlatSymbolRefAttr group : sharding.getGroups()) {
      groups.push_back(lookupClasses(reshard, group));
      if (!groups.back())
        return reshard.emitOpError("expected resolved process groups, but got ")
               << group;
    }
  FailureOr<Axes> found =
      Axes::get(groups.empty() ? 1 : groups[0].getRanks(), groups);
  if (failed(found))
    return reshard.emitOpError("expected compatible groups in source and "
                               "target");
  axes = *found;
  return success();
}

LogicalResult ReshardLowering::run() {
  if (failed(findAxes()))
    return failure();
  ShardingAttr source = reshard.getSource(), target = reshard.getTarget();
  for (Attribute group : source.getPartial())
    partial |= axes.getSet(getClassesOf(group));
  for (Attribute group : target.getPartial()) {
    AxisSet kept = axes.getSet(getClassesOf(group));
    if (kept & ~partial)
      return reshard.emitOpError("expected a target that is partial only where "
                                 "the source is");
    partial &= ~kept;
  }
  // All dims are gathered before one is cut: where a group moves from one dim
  // to another, ranks would else mix chunks of one with chunks of the other.
  auto countShared = [&](int64_t dim) {
    ArrayRef<Attribute> from = source.getDimGroups(dim);
    ArrayRef<Attribute> to = target.getDimGroups(dim);
    size_t shared = 0;
    while (shared < std::min(from.size(), to.size()) &&
           from[shared] == to[shared])
      ++shared;
    return shared;
  };
  int64_t rank = reshard.getShape().size();
  for (int64_t dim = 0; dim < rank; ++dim)
    gather(dim, source.getDimGroups(dim), countShared(dim));
  for (int64_t dim = 0; dim < rank; ++dim)
    cut(dim, target.getDimGroups(dim), countShared(dim));
  reduceRest();
  reshard.replaceAllUsesWith(value);
  reshard.erase();
  return success();
}

FlatSymbolRefAttr ReshardLowering::getGroup(ArrayRef<unsigned> order) {
  return getOrCreateGroup(module, axes.getGroup(module.getContext(), order),
                          "ranks");
}

/// Pads dimension `dim` with zeros, or cuts it, to `extent`.
void ReshardLowering::resize(int64_t dim, int64_t extent) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (shape[dim] == extent)
    return;
  SmallVector<OpFoldResult> zeros(shape.size(), builder.getIndexAttr(0));
  if (shape[dim] < extent) {
    SmallVector<OpFoldResult> high(zeros);
    high[dim] = builder.getIndexAttr(extent - shape[dim]);
    shape[dim] = extent;
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    value = tensor::PadOp::create(builder, loc, type.clone(shape), value, zeros,
                                  high, zero);
    return;
  }
  shape[dim] = extent;
  SmallVector<OpFoldResult> sizes, ones(shape.size(), builder.getIndexAttr(1));
  for (int64_t size : shape)
    sizes.push_back(builder.getIndexAttr(size));
  value = tensor::ExtractSliceOp::create(builder, loc, type.clone(shape), value,
                                         zeros, sizes, ones);
}

/// The extent of dimension `dim` of one chunk after splitting along `groups`.
int64_t ReshardLowering::getExtent(int64_t dim, ArrayRef<Attribute> groups) {
  int64_t extent = reshard.getShape()[dim];
  for (Attribute group : groups)
    extent = llvm::divideCeil(extent, getClassesOf(group).getSize());
  return extent;
}

/// Gathers the groups of `groups` from the last down to `kept` of them, and
/// cuts the padding of the chunks of each.
void ReshardLowering::gather(int64_t dim, ArrayRef<Attribute> groups,
                             size_t kept) {
  for (; groups.size() > kept; groups = groups.drop_back()) {
    ClassesAttr classes = getClassesOf(groups.back());
    if (classes.getSize() > 1) {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[dim] *= classes.getSize();
      value =
          AllGatherOp::create(builder, loc, TypeRange(type.clone(shape)), value,
                              getGroup(axes.getAxes(classes)).getValue(), dim)
              .getResult(0);
    }
    resize(dim, getExtent(dim, groups.drop_back()));
  }
}

/// Cuts along the groups behind the first `kept`, one after the other; within
/// one, runs of axes with a sum and runs without, major to minor.
void ReshardLowering::cut(int64_t dim, ArrayRef<Attribute> groups,
                          size_t kept) {
  for (size_t i = kept; i < groups.size(); ++i) {
    ClassesAttr classes = getClassesOf(groups[i]);
    if (classes.getSize() == 1)
      continue;
    int64_t chunk = getExtent(dim, groups.take_front(i + 1));
    resize(dim, chunk * classes.getSize());
    SmallVector<unsigned> order = axes.getAxes(classes);
    auto isSum = [&](unsigned axis) { return partial >> axis & 1; };
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin + 1;
      while (end < order.size() && isSum(order[end]) == isSum(order[begin]))
        ++end;
      cutOver(dim, ArrayRef(order).slice(begin, end - begin),
              isSum(order[begin]));
      begin = end;
    }
  }
}

/// One reduce-scatter or slice.
void ReshardLowering::cutOver(int64_t dim, ArrayRef<unsigned> order,
                              bool isSum) {
  AxisSet set = 0;
  for (unsigned axis : order)
    set |= AxisSet(1) << axis;
  int64_t size = axes.getSize(set);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= size;
  StringRef group = getGroup(order).getValue();
  if (!isSum) {
    value = SliceOp::create(builder, loc, type.clone(shape), value, group, dim);
    return;
  }
  value =
      ReduceScatterOp::create(builder, loc, TypeRange(type.clone(shape)), value,
                              group, dim, reshard.getSource().getReduction())
          .getResult(0);
  partial &= ~set;
}

/// The sums that are left, over replicas of what has been cut.
void ReshardLowering::reduceRest() {
  if (axes.getSize(partial) == 1)
    return;
  SmallVector<unsigned> order;
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (partial >> axis & 1)
      order.push_back(axis);
  value = AllReduceOp::create(builder, loc, TypeRange(value.getType()), value,
                              getGroup(order).getValue(),
                              reshard.getSource().getReduction())
              .getResult(0);
}
