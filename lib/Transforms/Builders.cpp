// SPDX-License-Identifier: Apache-2.0
//===- Builders.cpp - small pieces of IR that several passes make ---------===//
#include "fsdp/Transforms/Builders.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace fsdp;

SmallVector<Value> fsdp::createElementwise(
    OpBuilder &builder, Location loc, ValueRange inputs,
    ArrayRef<int64_t> shape, TypeRange elementTypes,
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)> body) {
  MLIRContext *context = builder.getContext();
  unsigned rank = shape.size();
  SmallVector<Value> outputs;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  auto identity = AffineMap::getMultiDimIdentityMap(rank, context);
  for (Value input : inputs)
    maps.push_back(cast<ShapedType>(input.getType()).getRank() == 0 && rank
                       ? AffineMap::get(rank, 0, context)
                       : identity);
  for (Type element : elementTypes) {
    outputs.push_back(tensor::EmptyOp::create(builder, loc, shape, element));
    types.push_back(outputs.back().getType());
    maps.push_back(identity);
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, types, inputs, outputs, maps, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        linalg::YieldOp::create(
            nested, nestedLoc,
            body(nested, nestedLoc, arguments.take_front(inputs.size())));
      });
  return SmallVector<Value>(generic.getResults());
}

Value fsdp::createScalarCast(OpBuilder &builder, Location loc, Value value,
                             Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (to > from)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (to < from)
    return arith::TruncFOp::create(builder, loc, type, value);
  // f16 and bf16 do not convert directly.
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

Value fsdp::createCast(OpBuilder &builder, Location loc, Value value,
                       Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return createElementwise(
      builder, loc, value, type.getShape(), element,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        return SmallVector<Value>{
            createScalarCast(nested, nestedLoc, arguments[0], element)};
      })[0];
}

Value fsdp::createZero(OpBuilder &builder, Location loc,
                       RankedTensorType type) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
}

Value fsdp::createOffset(OpBuilder &builder, Location loc, int64_t extent,
                         ArrayRef<Attribute> groups) {
  Operation *from = builder.getBlock()->getParentOp();
  Value offset = arith::ConstantIndexOp::create(builder, loc, 0);
  for (Attribute attribute : groups) {
    auto group = cast<FlatSymbolRefAttr>(attribute);
    extent = llvm::divideCeil(extent, lookupClasses(from, group).getSize());
    Value index =
        RankIndexOp::create(builder, loc, builder.getIndexType(), group);
    Value chunk = arith::ConstantIndexOp::create(builder, loc, extent);
    offset = arith::AddIOp::create(
        builder, loc, offset,
        arith::MulIOp::create(builder, loc, index, chunk));
  }
  return offset;
}

Value fsdp::createValidRows(OpBuilder &builder, Location loc, int64_t extent,
                            ArrayRef<Attribute> groups) {
  Operation *from = builder.getBlock()->getParentOp();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  Value valid;
  for (Attribute group : groups) {
    int64_t size =
        lookupClasses(from, cast<FlatSymbolRefAttr>(group)).getSize();
    int64_t chunk = llvm::divideCeil(extent, size);
    if (valid || chunk * size != extent) {
      Value before = valid ? valid : constant(extent);
      Value rest = arith::SubIOp::create(
          builder, loc, before, createOffset(builder, loc, extent, group));
      valid = arith::MinSIOp::create(
          builder, loc, constant(chunk),
          arith::MaxSIOp::create(builder, loc, constant(0), rest));
    }
    extent = chunk;
  }
  return valid;
}

Value fsdp::createMask(OpBuilder &builder, Location loc, Value value,
                       ArrayRef<int64_t> shape, ShardingAttr sharding) {
  auto type = cast<RankedTensorType>(value.getType());
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    Value valid =
        createValidRows(builder, loc, shape[dim], sharding.getDimGroups(dim));
    if (!valid)
      continue;
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    value = createElementwise(
        builder, loc, value, type.getShape(), type.getElementType(),
        [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
          Value inside = arith::CmpIOp::create(
              nested, nestedLoc, arith::CmpIPredicate::slt,
              linalg::IndexOp::create(nested, nestedLoc, dim), valid);
          return SmallVector<Value>{arith::SelectOp::create(
              nested, nestedLoc, inside, arguments[0], zero)};
        })[0];
  }
  return value;
}

RankedTensorType fsdp::getLocalType(Operation *from, ArrayRef<int64_t> shape,
                                    Type element, ShardingAttr sharding) {
  return RankedTensorType::get(getLocalShape(from, shape, sharding), element);
}

void fsdp::note(Location loc, StringRef name, const Twine &text) {
  remark::analysis(loc, remark::RemarkOpts::name(name).category("fsdp"))
      << text.str();
}

void fsdp::eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
