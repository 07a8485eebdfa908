// SPDX-License-Identifier: Apache-2.0
//===- LowerReshards.cpp - fsdp.reshard to collectives --------------------===//
//
// The only place that makes collectives of placements. Which ones is found by
// the search in ReshardMoves.cpp; BuildMoves.cpp makes ops of each move.
//
//   %r = fsdp.reshard %m of [5] from <[{}], partial = {@world}> to <[{@node}]>
// becomes
//   %0 = tensor.pad %m to 8 rows
//   %1 = fsdp.reduce_scatter sum %0 over @node dim 0
//   %r = fsdp.all_reduce sum %1 over @across
//
// Groups without digits may be no axes of one search: the value then goes by
// way of what both sides share, or, where ranks only stand in another order
// that is a rotation, by one permute.
//
//===----------------------------------------------------------------------===//
#include "ReshardMoves.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
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
  ReshardLowering(ModuleOp module, ReshardOp reshard)
      : module(module), reshard(reshard), builder(reshard),
        loc(reshard.getLoc()), value(reshard.getInput()) {}
  LogicalResult run();

private:
  bool haveAxes(ShardingAttr from, ShardingAttr to);
  bool canMeet(ShardingAttr from, ShardingAttr to);
  bool rotate(ShardingAttr from, ShardingAttr to);
  ShardingAttr getShared(ShardingAttr from, ShardingAttr to);
  void lower(ShardingAttr from, ShardingAttr to);
  AxisPlacement getPlacement(ShardingAttr sharding);

  ClassesAttr getClassesOf(Attribute group) const {
    return lookupClasses(reshard, cast<FlatSymbolRefAttr>(group));
  }
  SmallVector<ClassesAttr> getClassesOf(ShardingAttr from, ShardingAttr to) {
    SmallVector<ClassesAttr> classes;
    for (ShardingAttr sharding : {from, to})
      for (FlatSymbolRefAttr group : sharding.getGroups())
        classes.push_back(getClassesOf(group));
    return classes;
  }

  ModuleOp module;
  ReshardOp reshard;
  OpBuilder builder;
  Location loc;
  Axes axes;
  /// False where one of `axes` has no digits.
  bool haveDigits = true;
  Value value;
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

LogicalResult ReshardLowering::run() {
  ShardingAttr source = reshard.getSource(), target = reshard.getTarget();
  for (ShardingAttr sharding : {source, target})
    for (FlatSymbolRefAttr group : sharding.getGroups())
      if (!getClassesOf(group))
        return reshard.emitOpError("expected resolved process groups, but got ")
               << group;
  // A sum of maxima is no maximum of sums.
  bool isMixed = source.getReduction() != target.getReduction() &&
                 !source.getPartial().empty() && !target.getPartial().empty();
  if (!canMeet(source, target))
    return reshard.emitOpError("expected compatible groups in source and "
                               "target");
  Operation *before = reshard->getPrevNode();
  if (llvm::is_contained(reshard.getShape(), 0)) {
    value =
        tensor::EmptyOp::create(builder, loc, reshard.getType(), ValueRange());
  } else if (!isMixed && haveAxes(source, target)) {
    lower(source, target);
  } else if (isMixed || !rotate(source, target)) {
    ShardingAttr shared = getShared(source, target);
    lower(source, shared);
    lower(shared, target);
  }
  // What is gathered is still that parameter.
  if (Attribute name = reshard->getAttr(attr::param))
    for (Operation *op = reshard->getPrevNode(); op != before;
         op = op->getPrevNode())
      if (isa<AllGatherOp>(op))
        op->setAttr(attr::param, name);
  reshard.replaceAllUsesWith(value);
  reshard.erase();
  return success();
}

/// Finds the axes of two placements. False where there are none, or where they
/// do not say in which order a dimension is split: by a group without digits
/// and by the whole world.
bool ReshardLowering::haveAxes(ShardingAttr from, ShardingAttr to) {
  SmallVector<ClassesAttr> groups = getClassesOf(from, to);
  FailureOr<Axes> found =
      Axes::get(groups.empty() ? 1 : groups[0].getRanks(), groups);
  if (failed(found))
    return false;
  axes = *found;
  haveDigits = llvm::none_of(
      groups, [](ClassesAttr group) { return group.isExplicit(); });
  return haveDigits ||
         llvm::none_of(ArrayRef{from, to}, [&](ShardingAttr side) {
           return llvm::any_of(side.getDims(), [&](Attribute list) {
             return llvm::any_of(cast<ArrayAttr>(list), [&](Attribute name) {
               ClassesAttr group = getClassesOf(name);
               return !group.isExplicit() && group.getClasses() == 1;
             });
           });
         });
}

/// True where the groups are compatible, or would be if all ranks stood in the
/// order of their numbers in their classes.
bool ReshardLowering::canMeet(ShardingAttr from, ShardingAttr to) {
  SmallVector<ClassesAttr> groups = getClassesOf(from, to);
  if (groups.empty() || succeeded(Axes::get(groups.front().getRanks(), groups)))
    return true;
  for (ClassesAttr &group : groups) {
    if (!group.isExplicit())
      continue;
    SmallVector<int64_t> table(group.getTable());
    for (size_t i = 0; i < table.size(); i += group.getSize())
      std::sort(&table[i], &table[i] + group.getSize());
    group = getClassesFromTable(module.getContext(), group.getRanks(),
                                group.getSize(), table);
  }
  return succeeded(Axes::get(groups.front().getRanks(), groups));
}

/// One permute, where one group makes way for one of the same classes, in each
/// of which all ranks have moved on by the same number.
bool ReshardLowering::rotate(ShardingAttr from, ShardingAttr to) {
  if (from.getPartial() != to.getPartial())
    return false;
  Attribute before, after;
  for (size_t dim = 0; dim < reshard.getShape().size(); ++dim) {
    ArrayRef<Attribute> have = from.getDimGroups(dim),
                        want = to.getDimGroups(dim);
    if (have.size() != want.size())
      return false;
    for (auto [old, now] : llvm::zip_equal(have, want)) {
      if (old == now)
        continue;
      if (before)
        return false;
      before = old;
      after = now;
    }
  }
  if (!before)
    return false;
  ClassesAttr old = getClassesOf(before), now = getClassesOf(after);
  auto getShift = [&](int64_t rank) {
    return (old.getIndexOf(rank) - now.getIndexOf(rank) + old.getSize()) %
           old.getSize();
  };
  if (old.getSize() != now.getSize())
    return false;
  for (int64_t rank = 0; rank < old.getRanks(); ++rank) {
    SmallVector<int64_t> members = old.getClassOf(rank);
    SmallVector<int64_t> others = now.getClassOf(rank);
    if (getShift(rank) != getShift(0) ||
        !std::is_permutation(members.begin(), members.end(), others.begin()))
      return false;
  }
  value =
      PermuteOp::create(builder, loc, TypeRange(value.getType()), value,
                        cast<FlatSymbolRefAttr>(before).getValue(), getShift(0))
          .getResult(0);
  return true;
}

/// What two placements have in common: leading groups of each dimension, and
/// sums. Each side alone has axes, and so has each side with this.
ShardingAttr ReshardLowering::getShared(ShardingAttr from, ShardingAttr to) {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> dims, partial;
  for (size_t dim = 0; dim < reshard.getShape().size(); ++dim) {
    ArrayRef<Attribute> have = from.getDimGroups(dim),
                        want = to.getDimGroups(dim);
    auto end =
        std::mismatch(have.begin(), have.end(), want.begin(), want.end());
    dims.push_back(ArrayAttr::get(context, ArrayRef(have.begin(), end.first)));
  }
  if (from.getReduction() == to.getReduction())
    for (Attribute group : from.getPartial())
      if (llvm::is_contained(to.getPartial(), group))
        partial.push_back(group);
  return ShardingAttr::get(context, ArrayAttr::get(context, dims),
                           from.getReduction(),
                           ArrayAttr::get(context, partial), from.getVarying());
}

/// A placement in terms of `axes`.
AxisPlacement ReshardLowering::getPlacement(ShardingAttr sharding) {
  AxisPlacement placement;
  for (auto [dim, rows] : llvm::enumerate(reshard.getShape())) {
    Splits &splits = placement.dims.emplace_back();
    int64_t chunk = rows;
    for (Attribute group : sharding.getDimGroups(dim)) {
      ClassesAttr classes = getClassesOf(group);
      chunk = llvm::divideCeil(chunk, classes.getSize());
      int64_t extent = chunk * classes.getSize();
      for (unsigned axis : axes.getAxes(classes)) {
        if (axes.getAxes()[axis].extent == 1)
          continue;
        splits.push_back({axis, extent});
        extent /= axes.getAxes()[axis].extent;
      }
    }
  }
  for (Attribute group : sharding.getPartial())
    placement.partial |= axes.getSet(getClassesOf(group));
  for (auto [i, axis] : llvm::enumerate(axes.getAxes()))
    if (axis.extent == 1)
      placement.partial &= ~(AxisSet(1) << i);
  return placement;
}

/// Takes the value from one placement to another.
void ReshardLowering::lower(ShardingAttr from, ShardingAttr to) {
  haveAxes(from, to);
  ReductionKind reduction =
      (from.getPartial().empty() ? to : from).getReduction();
  SmallVector<Move> moves =
      findMoves({axes, reshard.getShape(), getPlacement(from), getPlacement(to),
                 reduction == ReductionKind::Sum, haveDigits});
  value = buildMoves(module, builder, loc, value, moves, axes, reduction);
}
