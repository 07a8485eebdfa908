// SPDX-License-Identifier: Apache-2.0
//===- RankUniform.cpp - dims along which nothing changes -----------------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

uint32_t RankInterpreter::getUniform(Value value) {
  uint32_t dims = getBroadcast(value);
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t dim = 0; dim < type.getRank() && dim < 32; ++dim)
      if (type.getDimSize(dim) == 1)
        dims |= uint32_t(1) << dim;
  return dims;
}

uint32_t RankInterpreter::getBroadcast(Value value) {
  auto it = uniform.find(value);
  if (it != uniform.end())
    return it->second;
  uint32_t dims = computeBroadcast(value);
  return uniform[value] = dims;
}

uint32_t RankInterpreter::computeBroadcast(Value value) {
  Operation *op = value.getDefiningOp();
  constexpr uint32_t all = ~uint32_t(0);
  if (!op)
    return 0;
  if (DenseElementsAttr elements; matchPattern(op, m_Constant(&elements)))
    return elements.isSplat() ? all : 0;
  if (isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp>(op))
    return all;
  if (isa<ScaleOp, LocalGradOp>(op) || op->hasTrait<OpTrait::Elementwise>()) {
    uint32_t dims = all;
    for (Value operand : op->getOperands())
      dims &= getBroadcast(operand);
    return dims;
  }
  if (auto slice = dyn_cast<SliceOp>(op))
    return getBroadcast(slice.getInput());
  // Rows that ranks join need not be the same.
  if (auto collective = dyn_cast<CollectiveOpInterface>(op);
      collective && collective.isBlocking()) {
    uint32_t dims = getBroadcast(
        collective.getSources()[cast<OpResult>(value).getResultNumber()]);
    if (auto gather = dyn_cast<AllGatherOp>(op))
      dims &= ~(uint32_t(1) << gather.getDim());
    if (auto exchange = dyn_cast<AllToAllOp>(op))
      dims &= ~(uint32_t(1) << exchange.getConcatDim());
    return dims;
  }
  auto fold = [&](Value source, ArrayRef<ReassociationIndices> groups,
                  bool isExpand) {
    uint32_t from = getBroadcast(source), dims = 0;
    for (auto [one, group] : llvm::enumerate(groups)) {
      bool isWhole = llvm::all_of(
          group, [&](int64_t dim) { return isExpand || (from >> dim & 1); });
      if (!isExpand && isWhole)
        dims |= uint32_t(1) << one;
      if (isExpand && (from >> one & 1))
        for (int64_t dim : group)
          dims |= uint32_t(1) << dim;
    }
    return dims;
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return fold(expand.getSrc(), expand.getReassociationIndices(), true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return fold(collapse.getSrc(), collapse.getReassociationIndices(), false);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics())
    return 0;
  uint64_t changing = 0;
  Block &body = op->getRegion(0).front();
  for (auto index : body.getOps<linalg::IndexOp>())
    changing |= uint64_t(1) << index.getDim();
  for (auto [argument, map, operand] :
       llvm::zip(body.getArguments(), linalgOp.getIndexingMapsArray(),
                 op->getOperands())) {
    if (argument.use_empty())
      continue;
    uint32_t own = getBroadcast(operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!(own >> dim & 1))
        expr.walk([&](AffineExpr part) {
          if (auto loop = dyn_cast<AffineDimExpr>(part))
            changing |= uint64_t(1) << loop.getPosition();
        });
  }
  uint32_t dims = 0;
  AffineMap map = linalgOp.getIndexingMapMatchingResult(cast<OpResult>(value));
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || !(changing >> loop.getPosition() & 1))
      dims |= uint32_t(1) << dim;
  }
  return dims;
}

bool RankInterpreter::sumsBroadcast(linalg::LinalgOp op) {
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (type != utils::IteratorType::reduction)
      continue;
    bool isUniform = true;
    for (OpOperand *operand : op.getDpsInputOperands())
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(operand).getResults()))
        isUniform &= !expr.isFunctionOfDim(loop) ||
                     (getUniform(operand->get()) >> dim & 1);
    if (isUniform)
      return true;
  }
  return false;
}

/// True where what `value` is can be said in another way: each rank may have
/// summed its rows of what is the same in all, or have rows of what is.
bool RankInterpreter::isAmbiguous(Value value, AxisSet axis) {
  while (Operation *op = value.getDefiningOp()) {
    if (drifted.contains(op))
      return false;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && linalgOp.getNumReductionLoops())
      return sumsBroadcast(linalgOp) || getBroadcast(value);
    // One tensor that is made into this one.
    Value next;
    bool isOne = true;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !get(operand).isZero) {
        isOne &= !next;
        next = operand;
      }
    if (!isOne)
      return false;
    auto collective = dyn_cast<CollectiveOpInterface>(op);
    if (!next || (collective && (getSet(collective.getGroupRef()) & axis)))
      return false;
    value = next;
  }
  return false;
}
