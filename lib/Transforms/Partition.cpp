// SPDX-License-Identifier: Apache-2.0
//===- Partition.cpp - rewrite one op to local shapes ---------------------===//
//
//   %full = fsdp.reshard %shard of [8, 4] from <[{@n}, {}]> to <[{}, {}]>
//   %0 = linalg.generic ins(%full : tensor<8x4xf32>) ...
// becomes, with the op's first loop split over @n,
//   %local = linalg.generic ins(%shard : tensor<2x4xf32>) ...
//   %0 = fsdp.reshard %local of [8, 4] from <[{@n}, {}]> to <[{}, {}]>
//
// Chunks are ceil(extent / ranks) long; what a loop does on padding is cut off
// when the result is gathered, and kept out of reductions here.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Transforms/Partition.h"
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Transforms/Builders.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace fsdp;

/// The sharding of a value whose dims run along `dims`; `partial` are groups
/// that split factors it does not have.
static ShardingAttr getSharding(MLIRContext *context, ArrayRef<int64_t> dims,
                                const FactorGroups &factors,
                                ReductionKind reduction,
                                ArrayRef<Attribute> partial) {
  SmallVector<Attribute> groups;
  for (int64_t factor : dims)
    groups.push_back(ArrayAttr::get(
        context, factor < 0 ? ArrayRef<Attribute>()
                            : ArrayRef<Attribute>(factors[factor])));
  auto none = ArrayAttr::get(context, {});
  return ShardingAttr::get(context, ArrayAttr::get(context, groups), reduction,
                           ArrayAttr::get(context, partial), none);
}

Value fsdp::getPlaced(OpBuilder &builder, Value value, ShardingAttr sharding) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || sharding.isReplicated())
    return value;
  auto before = value.getDefiningOp<ReshardOp>();
  // Partitioning does not change what varies.
  if (before &&
      before.getSource().withVarying(builder.getArrayAttr({})) == sharding)
    return before.getInput();
  Operation *scope = builder.getBlock()->getParentOp();
  RankedTensorType local =
      getLocalType(scope, type.getShape(), type.getElementType(), sharding);
  Operation *op = value.getDefiningOp();
  if (op && sharding.getPartial().empty() && isFree(op)) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(builder, op->getLoc(),
                                         splat.resizeSplat(local));
    } else {
      Value empty = tensor::EmptyOp::create(
          builder, op->getLoc(), local.getShape(), local.getElementType());
      if (auto fill = dyn_cast<linalg::FillOp>(op))
        return linalg::FillOp::create(builder, op->getLoc(), fill.value(),
                                      empty)
            .getResult(0);
      return empty;
    }
  }
  return ReshardOp::create(
      builder, value.getLoc(), local, value, type.getShape(),
      ShardingAttr::getReplicated(builder.getContext(), type.getRank()),
      sharding);
}

/// A named op has no room in its body: where a reduction runs over padding, it
/// becomes a linalg.generic.
static linalg::LinalgOp makeRoom(linalg::LinalgOp op, const PartitionRule &rule,
                                 const FactorGroups &factors) {
  bool isPadded = false;
  for (auto [info, groups] : llvm::zip_equal(rule.factors, factors)) {
    int64_t ranks = 1;
    for (Attribute group : groups)
      ranks *= lookupClasses(op, cast<FlatSymbolRefAttr>(group)).getSize();
    isPadded |= info.reduction && info.extent % ranks;
  }
  if (!isPadded || isa<linalg::GenericOp, linalg::ReduceOp>(op))
    return op;
  IRRewriter rewriter(op);
  return *linalg::generalizeNamedOp(rewriter, op);
}

/// In the body of a local linalg op: indices count from this rank's offset,
/// and a reduction skips iterations that are padding.
static void fixBody(linalg::LinalgOp op, const PartitionRule &rule,
                    const FactorGroups &factors) {
  OpBuilder outer(op);
  Location loc = op.getLoc();
  Block &body = op->getRegion(0).front();
  for (auto index : llvm::to_vector(body.getOps<linalg::IndexOp>())) {
    int64_t factor = index.getDim();
    if (factors[factor].empty())
      continue;
    Value offset =
        createOffset(outer, loc, rule.factors[factor].extent, factors[factor]);
    OpBuilder inner(index->getNextNode());
    auto global = arith::AddIOp::create(inner, loc, index, offset);
    index.getResult().replaceAllUsesExcept(global, global);
  }
  for (auto [factor, info] : llvm::enumerate(rule.factors)) {
    if (!info.reduction)
      continue;
    Value valid = createValidRows(outer, loc, info.extent, factors[factor]);
    if (!valid)
      continue;
    Operation *yield = body.getTerminator();
    OpBuilder inner(yield);
    Value inside = arith::CmpIOp::create(
        inner, loc, arith::CmpIPredicate::slt,
        linalg::IndexOp::create(inner, loc, factor), valid);
    yield->setOperand(0, arith::SelectOp::create(inner, loc, inside,
                                                 yield->getOperand(0),
                                                 op.getRegionOutputArgs()[0]));
  }
}

/// The local copy of a reshape; others are cloned with new result types.
static Operation *cloneLocal(OpBuilder &builder, Operation *op,
                             ValueRange operands, TypeRange types) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(builder, op->getLoc(), types[0],
                                         operands[0],
                                         expand.getReassociationIndices());
  // What the body reads from outside stays as it is.
  Operation *local = builder.clone(*op);
  local->setOperands(operands);
  for (auto [result, type] : llvm::zip_equal(local->getResults(), types))
    result.setType(type);
  return local;
}

void fsdp::partition(Operation *op, const PartitionRule &rule,
                     const FactorGroups &factors) {
  MLIRContext *context = op->getContext();
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (auto [operand, dims] : llvm::zip_equal(op->getOperands(), rule.operands))
    operands.push_back(
        getPlaced(builder, operand,
                  getSharding(context, dims, factors, ReductionKind::Sum, {})));

  ReductionKind reduction = ReductionKind::Sum;
  SmallVector<Attribute> partial;
  for (auto [factor, groups] : llvm::zip_equal(rule.factors, factors))
    if (factor.reduction && !groups.empty()) {
      reduction = *factor.reduction;
      partial.append(groups);
    }
  SmallVector<ShardingAttr> shardings;
  SmallVector<Type> types;
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), rule.results)) {
    auto type = cast<RankedTensorType>(result.getType());
    shardings.push_back(
        getSharding(context, dims, factors, reduction, partial));
    types.push_back(getLocalType(op, type.getShape(), type.getElementType(),
                                 shardings.back()));
  }
  Operation *local = cloneLocal(builder, op, operands, types);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(local)) {
    linalgOp = makeRoom(linalgOp, rule, factors);
    fixBody(linalgOp, rule, factors);
    local = linalgOp;
  }
  for (auto [result, mine, sharding] :
       llvm::zip_equal(op->getResults(), local->getResults(), shardings)) {
    auto type = cast<RankedTensorType>(result.getType());
    result.replaceAllUsesWith(ReshardOp::create(
        builder, op->getLoc(), type, mine, type.getShape(), sharding,
        ShardingAttr::getReplicated(context, type.getRank())));
  }
  op->erase();
}
