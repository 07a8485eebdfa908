// SPDX-License-Identifier: Apache-2.0
//===- PartitionRule.cpp - which dims of an op split together -------------===//
#include "fsdp/Analysis/PartitionRule.h"
#include "LinalgRule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

/// Adds a factor and returns it.
static int64_t addFactor(PartitionRule &rule, int64_t extent) {
  rule.factors.push_back({extent, std::nullopt});
  return rule.factors.size() - 1;
}

/// A factor for each dimension of `type`.
static SmallVector<int64_t> addDims(PartitionRule &rule, Type type) {
  SmallVector<int64_t> dims;
  for (int64_t extent : cast<RankedTensorType>(type).getShape())
    dims.push_back(addFactor(rule, extent));
  return dims;
}

/// An op that passes its operands on, each for itself.
static PartitionRule getIdentityRule(Operation *op) {
  PartitionRule rule;
  for (Type type : op->getResultTypes())
    rule.operands.push_back(addDims(rule, type));
  rule.results = rule.operands;
  return rule;
}

/// An op that reads or writes single elements: all stays whole.
static PartitionRule getWholeRule(Operation *op) {
  PartitionRule rule;
  auto add = [](TypeRange types, SmallVectorImpl<SmallVector<int64_t>> &into) {
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      into.emplace_back(tensor ? tensor.getRank() : 0, PartitionRule::whole);
    }
  };
  add(op->getOperandTypes(), rule.operands);
  add(op->getResultTypes(), rule.results);
  return rule;
}

/// Ops that map whole tensors element by element.
static PartitionRule getElementwiseRule(Operation *op) {
  PartitionRule rule;
  SmallVector<int64_t> identity = addDims(rule, op->getResult(0).getType());
  for (Value operand : op->getOperands())
    rule.operands.push_back(isa<RankedTensorType>(operand.getType())
                                ? identity
                                : SmallVector<int64_t>());
  rule.results.assign(op->getNumResults(), identity);
  return rule;
}

/// A reshape: the wide side's dims are the factors, the narrow side's are
/// products of them.
static PartitionRule getReshapeRule(Operation *op,
                                    ArrayRef<ReassociationIndices> groups,
                                    RankedTensorType wide, bool expands) {
  PartitionRule rule;
  SmallVector<int64_t> wideDims = addDims(rule, wide), narrow;
  for (const ReassociationIndices &group : groups) {
    SmallVector<int64_t> parts;
    for (int64_t dim : group)
      if (wide.getDimSize(dim) != 1)
        parts.push_back(wideDims[dim]);
    narrow.push_back(parts.empty()       ? PartitionRule::whole
                     : parts.size() == 1 ? parts.front()
                                         : rule.addComposite(parts));
  }
  rule.operands.push_back(expands ? narrow : wideDims);
  // Dynamic output sizes of expand_shape are operands of no rank.
  rule.operands.resize(op->getNumOperands());
  rule.results.push_back(expands ? wideDims : narrow);
  return rule;
}

/// A dimension of which an equal part is taken (or that is put together from
/// equal parts): the parts are one factor, which stays whole, the place in a
/// part another. Sets `part` to the part's dimension, returns the whole's.
static int64_t addParts(PartitionRule &rule, int64_t extent, int64_t size,
                        int64_t &part) {
  part = addFactor(rule, size);
  if (size == extent)
    return part;
  int64_t parts = addFactor(rule, extent / size);
  rule.factors[parts].canSplit = false;
  return rule.addComposite({parts, part});
}

/// The dims of a slice of `whole`: where it takes all, or an equal part.
static void addSlice(PartitionRule &rule, RankedTensorType whole,
                     RankedTensorType part,
                     OffsetSizeAndStrideOpInterface slice,
                     const llvm::SmallBitVector &dropped, bool equalParts,
                     SmallVectorImpl<int64_t> &wholeDims,
                     SmallVectorImpl<int64_t> &partDims) {
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    int64_t extent = whole.getDimSize(dim), own = PartitionRule::whole;
    int64_t size = dropped[dim] ? 1 : part.getDimSize(partDims.size());
    std::optional<int64_t> offset =
        getConstantIntValue(slice.getMixedOffsets()[dim]);
    bool isDense = getConstantIntValue(slice.getMixedStrides()[dim]) == 1 &&
                   offset && *offset % size == 0 && extent % size == 0;
    if (isDense && (size == extent || (equalParts && size > 1)))
      wholeDims.push_back(addParts(rule, extent, size, own));
    else
      wholeDims.push_back(PartitionRule::whole);
    if (!dropped[dim])
      partDims.push_back(own);
  }
}

static PartitionRule getRule(tensor::ExtractSliceOp op) {
  PartitionRule rule;
  SmallVector<int64_t> wholeDims, partDims;
  addSlice(rule, op.getSourceType(), op.getResultType(), op,
           op.getDroppedDims(), true, wholeDims, partDims);
  rule.operands.push_back(wholeDims);
  rule.operands.resize(op->getNumOperands());
  rule.results.push_back(partDims);
  return rule;
}

static PartitionRule getRule(tensor::InsertSliceOp op) {
  PartitionRule rule;
  SmallVector<int64_t> wholeDims, partDims;
  addSlice(rule, op.getDestType(), op.getSourceType(), op, op.getDroppedDims(),
           false, wholeDims, partDims);
  rule.operands = {partDims, wholeDims};
  rule.operands.resize(op->getNumOperands());
  rule.results.push_back(wholeDims);
  return rule;
}

/// Along the dimension that is concatenated, equal parts keep their place.
static PartitionRule getRule(tensor::ConcatOp op) {
  PartitionRule rule;
  RankedTensorType type = op.getResultType();
  SmallVector<int64_t> wholeDims = addDims(rule, type), partDims = wholeDims;
  int64_t dim = op.getDim();
  int64_t size =
      cast<RankedTensorType>(op.getInputs()[0].getType()).getDimSize(dim);
  bool isEven = llvm::all_of(op.getInputs().getTypes(), [&](Type part) {
    return cast<RankedTensorType>(part).getDimSize(dim) == size;
  });
  wholeDims[dim] = partDims[dim] = PartitionRule::whole;
  if (isEven && size > 0)
    wholeDims[dim] = addParts(rule, type.getDimSize(dim), size, partDims[dim]);
  rule.operands.assign(op->getNumOperands(), partDims);
  rule.results.push_back(wholeDims);
  return rule;
}

static PartitionRule getRule(tensor::PadOp op) {
  PartitionRule rule;
  SmallVector<int64_t> dims = addDims(rule, op.getResultType());
  for (auto [dim, low, high] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad()))
    if (getConstantIntValue(low) != 0 || getConstantIntValue(high) != 0)
      dims[dim] = PartitionRule::whole;
  rule.operands.push_back(dims);
  rule.operands.resize(op->getNumOperands());
  rule.results.push_back(dims);
  return rule;
}

/// True where a scatter adds its updates to what is there.
static bool isAdding(ScatterOp op) {
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  Operation *add = yield.getValue().getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) &&
         llvm::all_of(body.getArguments(), [&](BlockArgument argument) {
           return llvm::is_contained(add->getOperands(), argument);
         });
}

/// Updates, the window's dims, and the dims that the indices name.
static PartitionRule getRule(ScatterOp op) {
  PartitionRule rule;
  auto updates = cast<RankedTensorType>(op.getUpdates().getType());
  auto into = cast<RankedTensorType>(op.getDestination().getType());
  bool adds = isAdding(op);
  int64_t count = addFactor(rule, updates.getDimSize(0));
  rule.factors[count].reduction = ReductionKind::Sum;
  rule.factors[count].canSplit = false;
  rule.factors[count].needsStart = adds;
  int64_t shift = into.getRank() - (updates.getRank() - 1);
  SmallVector<int64_t> updateDims = {count}, intoDims;
  for (int64_t dim = 0; dim < into.getRank(); ++dim) {
    int64_t extent = into.getDimSize(dim), window = 1;
    if (dim >= shift)
      window = updates.getDimSize(dim - shift + 1);
    bool isNamed = llvm::is_contained(op.getDimensionMap(), dim);
    int64_t factor = addFactor(rule, extent);
    rule.factors[factor].isLookup = isNamed;
    rule.factors[factor].canSplit =
        isNamed ? adds && window == 1 : window == extent;
    intoDims.push_back(factor);
    if (dim >= shift)
      updateDims.push_back(isNamed ? PartitionRule::whole : factor);
  }
  rule.operands = {updateDims, {count, PartitionRule::whole}, intoDims};
  rule.results.push_back(intoDims);
  rule.starts = 1 << 2;
  return rule;
}

/// An opaque op with a rule of its own: factors by name.
static std::optional<PartitionRule> getRule(Operation *op, RuleAttr attribute) {
  PartitionRule rule;
  llvm::StringMap<int64_t> byName;
  auto read = [&](ArrayAttr lists, TypeRange types,
                  SmallVectorImpl<SmallVector<int64_t>> &into) {
    if (lists.size() != types.size())
      return false;
    for (auto [list, type] :
         llvm::zip_equal(lists.getAsRange<ArrayAttr>(), types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      SmallVector<int64_t> &dims = into.emplace_back();
      if (!tensor)
        continue;
      if (tensor.getRank() != int64_t(list.size()))
        return false;
      for (auto [dim, name] : llvm::enumerate(list.getAsRange<StringAttr>())) {
        auto [it, isNew] = byName.try_emplace(name.getValue(), 0);
        if (isNew)
          it->second = addFactor(rule, tensor.getDimSize(dim));
        dims.push_back(it->second);
      }
    }
    return true;
  };
  if (!read(attribute.getOperands(), op->getOperandTypes(), rule.operands) ||
      !read(attribute.getResults(), op->getResultTypes(), rule.results))
    return std::nullopt;
  // What happens along a factor that a result lacks is not said.
  for (int64_t i = 0, e = rule.factors.size(); i < e; ++i)
    rule.factors[i].canSplit = llvm::all_of(
        rule.results, [&](auto &dims) { return llvm::is_contained(dims, i); });
  return rule;
}

std::optional<PartitionRule> fsdp::getPartitionRule(Operation *op) {
  if (!llvm::all_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      }))
    return std::nullopt;
  if (auto attribute = op->getAttrOfType<RuleAttr>(attr::rule))
    return getRule(op, attribute);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getLinalgRule(linalgOp);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return getReshapeRule(op, expand.getReassociationIndices(),
                          expand.getResultType(), true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return getReshapeRule(op, collapse.getReassociationIndices(),
                          collapse.getSrcType(), false);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return getRule(slice);
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return getRule(slice);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return getRule(concat);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return getRule(pad);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return getRule(scatter);
  if (isa<tensor::InsertOp, tensor::FromElementsOp>(op))
    return getWholeRule(op);
  if (isa<OptimizationBarrierOp>(op))
    return getIdentityRule(op);
  if (op->getNumResults() == 1 &&
      (OpTrait::hasElementwiseMappableTraits(op) ||
       isa<ScaleOp, LocalGradOp, tensor::CastOp, tensor::SplatOp>(op)))
    return getElementwiseRule(op);
  return std::nullopt;
}

bool fsdp::isLinear(Operation *op, const PartitionRule &rule, uint64_t mask) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return isLinearBody(linalgOp, rule, mask);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, ScaleOp, LocalGradOp>(op))
    return mask == 1;
  if (isa<tensor::InsertSliceOp, arith::AddFOp, arith::SubFOp>(op))
    return mask == 3;
  if (isa<tensor::ConcatOp>(op))
    return mask == (uint64_t(1) << op->getNumOperands()) - 1;
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return mask == 1 && pad.getConstantPaddingValue() &&
           matchPattern(pad.getConstantPaddingValue(), m_AnyZeroFloat());
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return mask == 5 && isAdding(scatter);
  return false;
}
