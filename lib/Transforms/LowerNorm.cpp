// SPDX-License-Identifier: Apache-2.0
//===- LowerNorm.cpp - the global norm as local sums and all-reduces ------===//
//
// Each gradient's squares are summed where they are, then over the groups along
// which it is split or varies. Gradients with the same groups share one
// all-reduce; a replicated gradient is in every rank's sum already.
//
//   %n = fsdp.global_norm %a, %b {shardings = [<[{@n}]>, <[{}]>]}
// becomes
//   %0 = linalg.generic (sum of squares of %a)
//   %1 = fsdp.all_reduce sum %0 over @n
//   %2 = linalg.generic (sum of squares of %b)
//   %n = sqrt(%1 + %2)
//
//===----------------------------------------------------------------------===//
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/MapVector.h"

namespace fsdp {
#define GEN_PASS_DEF_LOWERNORMPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

static Value createSquares(OpBuilder &builder, Location loc, Value value);
static Value createSum(OpBuilder &builder, Location loc, ValueRange values);

namespace {
struct LowerNormPass : public fsdp::impl::LowerNormPassBase<LowerNormPass> {
  void runOnOperation() override {
    SmallVector<GlobalNormOp> norms;
    getOperation().walk([&](GlobalNormOp norm) { norms.push_back(norm); });
    for (GlobalNormOp norm : norms)
      lower(norm);
  }

  void lower(GlobalNormOp norm);
  ClassesAttr getGroupOf(ShardingAttr sharding, SymbolTable &symbols);
};
} // namespace

void LowerNormPass::lower(GlobalNormOp norm) {
  OpBuilder builder(norm);
  Location loc = norm.getLoc();
  SymbolTable symbols(getOperation());
  // Sums by the group that they are still to be added over.
  llvm::MapVector<Attribute, SmallVector<Value>> sums;
  for (auto [input, sharding] :
       llvm::zip_equal(norm.getInputs(), norm.getShardings()))
    sums[getGroupOf(cast<ShardingAttr>(sharding), symbols)].push_back(
        createSquares(builder, loc, input));
  SmallVector<Value> totals;
  for (auto &[group, values] : sums) {
    Value sum = createSum(builder, loc, values);
    if (cast<ClassesAttr>(group).getSize() > 1) {
      FlatSymbolRefAttr name =
          getOrCreateGroup(getOperation(), cast<ClassesAttr>(group), "norm");
      sum = AllReduceOp::create(builder, loc, TypeRange(sum.getType()), sum,
                                name.getValue(), ReductionKind::Sum)
                .getResult(0);
    }
    totals.push_back(sum);
  }
  Value total = createSum(builder, loc, totals);
  Type element = cast<ShapedType>(norm.getType()).getElementType();
  Value result = createElementwise(
      builder, loc, total, {}, element,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        return SmallVector<Value>{createScalarCast(
            nested, nestedLoc,
            math::SqrtOp::create(nested, nestedLoc, arguments[0]), element)};
      })[0];
  norm.replaceAllUsesWith(result);
  norm.erase();
}

/// The group along which a gradient's elements are spread.
ClassesAttr LowerNormPass::getGroupOf(ShardingAttr sharding,
                                      SymbolTable &symbols) {
  SmallVector<ClassesAttr> groups;
  for (FlatSymbolRefAttr group : sharding.getGroups())
    groups.push_back(lookupClasses(symbols, group));
  // The verifier of the norm has seen these groups together.
  Axes axes = *Axes::get(getWorld(getOperation()).getRanks(), groups);
  AxisSet set = 0;
  for (ClassesAttr group : groups)
    set |= axes.getSet(group);
  return axes.getGroup(&getContext(), set);
}

/// The sum of squares of all elements, at least in f32.
static Value createSquares(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = builder.getF32Type();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value empty =
      tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(), element);
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  MLIRContext *context = builder.getContext();
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps = {
      AffineMap::getMultiDimIdentityMap(rank, context),
      AffineMap::get(rank, 0, context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), value, init, maps, iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
               Value wide =
                   createScalarCast(nested, nestedLoc, arguments[0], element);
               Value square =
                   arith::MulFOp::create(nested, nestedLoc, wide, wide);
               Value sum = arith::AddFOp::create(nested, nestedLoc,
                                                 arguments[1], square);
               linalg::YieldOp::create(nested, nestedLoc, sum);
             })
      .getResult(0);
}

/// The sum of scalars, in the widest of their types.
static Value createSum(OpBuilder &builder, Location loc, ValueRange values) {
  Type element;
  for (Value value : values) {
    Type own = cast<ShapedType>(value.getType()).getElementType();
    if (!element ||
        own.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
      element = own;
  }
  return createElementwise(
      builder, loc, values, {}, element,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        Value sum;
        for (Value argument : arguments) {
          Value term = createScalarCast(nested, nestedLoc, argument, element);
          sum = sum ? arith::AddFOp::create(nested, nestedLoc, sum, term)
                          .getResult()
                    : term;
        }
        return SmallVector<Value>{sum};
      })[0];
}
