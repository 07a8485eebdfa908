// SPDX-License-Identifier: Apache-2.0
//===- Contract.cpp - fsdp.contract ---------------------------------------===//
#include "fsdp/IR/Dialect.h"

using namespace mlir;
using namespace fsdp;

SmallVector<int64_t> ContractOp::getLoopRanges() {
  SmallVector<AffineMap> maps(
      getIndexingMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<int64_t> ranges(maps[0].getNumDims(), ShapedType::kDynamic);
  for (auto [map, operand] : llvm::zip(maps, getOperands()))
    for (auto [expr, size] :
         llvm::zip(map.getResults(),
                   cast<ShapedType>(operand.getType()).getShape()))
      ranges[cast<AffineDimExpr>(expr).getPosition()] = size;
  return ranges;
}

LogicalResult ContractOp::verify() {
  if (isa<TensorType>(getDestination().getType()) !=
      static_cast<bool>(getResult()))
    return emitOpError("expected a result exactly on tensors");
  SmallVector<AffineMap> maps(
      getIndexingMaps().getAsValueRange<AffineMapAttr>());
  if (maps.size() != 3)
    return emitOpError("expected one map for each operand, but got ")
           << maps.size();
  SmallVector<int64_t> ranges(maps[0].getNumDims(), ShapedType::kDynamic);
  SmallVector<unsigned> uses(ranges.size(), 0);
  for (auto [map, operand] : llvm::zip_equal(maps, getOperands())) {
    auto type = cast<ShapedType>(operand.getType());
    if (!map.isProjectedPermutation() || map.getNumDims() != ranges.size() ||
        map.getNumResults() != type.getRank())
      return emitOpError("expected a map that permutes some of the ")
             << ranges.size() << " dims into " << type.getRank()
             << " subscripts, but got "
             << AffineMapAttr::get(map);
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (ShapedType::isStatic(ranges[dim]) && ranges[dim] != size)
        return emitOpError("expected dim ")
               << dim << " to have one length, but got " << ranges[dim]
               << " and " << size;
      ranges[dim] = size;
      ++uses[dim];
    }
    if (!isa<FloatType>(type.getElementType()))
      return emitOpError("expected elements that are floats, but got ") << type;
  }
  for (auto [dim, count] : llvm::enumerate(uses))
    if (count < 2)
      return emitOpError("expected every dim in two operands at least, but got "
                         "dim ")
             << dim << " in " << count;
  return success();
}

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isDestination = operand.get() == getDestination();
    if (!isDestination || getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
    if (isDestination)
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}
