// SPDX-License-Identifier: Apache-2.0
//===- PartitionRule.cpp - which dims of an op split together -------------===//
#include "fsdp/Analysis/PartitionRule.h"
#include "fsdp/Analysis/Phases.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

/// The reduction that `combiner` does, if a partial result can stand for it.
static std::optional<ReductionKind> getReduction(Operation *combiner) {
  if (isa_and_nonnull<arith::AddFOp, arith::AddIOp>(combiner))
    return ReductionKind::Sum;
  if (isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          combiner))
    return ReductionKind::Max;
  if (isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          combiner))
    return ReductionKind::Min;
  return std::nullopt;
}

/// True where `init` adds nothing to a reduction, however often it is counted:
/// any value for max and min, zero for a sum.
static bool isNeutral(Value init, ReductionKind reduction) {
  if (reduction != ReductionKind::Sum)
    return true;
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.value();
  return matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero());
}

/// True where the body reads elements of a tensor at places of its own choice,
/// which need not be on this rank.
static bool readsAnywhere(linalg::LinalgOp op) {
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return region
        .walk([](tensor::ExtractOp extract) {
          return extract.getIndices().empty() ? WalkResult::advance()
                                              : WalkResult::interrupt();
        })
        .wasInterrupted();
  });
}

/// The loops of a linalg op are its factors.
static std::optional<PartitionRule> getLinalgRule(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape() || readsAnywhere(op))
    return std::nullopt;
  PartitionRule rule;
  for (auto [extent, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    PartitionRule::Factor factor{extent, std::nullopt, true};
    if (iterator == utils::IteratorType::reduction) {
      factor.canSplit = false;
      SmallVector<Operation *> combiners;
      if (op.getNumDpsInits() == 1 &&
          matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
          combiners.size() == 1) {
        factor.reduction = getReduction(combiners.front());
        factor.canSplit = factor.reduction &&
                          isNeutral(op.getDpsInits()[0], *factor.reduction);
      }
    }
    rule.factors.push_back(factor);
  }
  SmallVector<bool> readAtOffset(rule.factors.size(), false);
  for (AffineMap map : op.getIndexingMapsArray()) {
    SmallVector<int64_t> dims;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      dims.push_back(dim ? int64_t(dim.getPosition()) : PartitionRule::whole);
      // A loop that also runs in a sum of loops (a convolution's window) or
      // over an operand at another place cannot be cut without a halo.
      if (!dim)
        expr.walk([&](AffineExpr part) {
          if (auto inner = dyn_cast<AffineDimExpr>(part))
            readAtOffset[inner.getPosition()] = true;
        });
    }
    rule.operands.push_back(dims);
  }
  for (auto [factor, offset] : llvm::zip_equal(rule.factors, readAtOffset))
    factor.canSplit &= !offset;
  for (int64_t i = op.getNumDpsInputs(), e = rule.operands.size(); i < e; ++i)
    rule.results.push_back(rule.operands[i]);
  return rule;
}

/// Ops that map whole tensors element by element.
static std::optional<PartitionRule> getElementwiseRule(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  PartitionRule rule;
  for (int64_t extent : type.getShape())
    rule.factors.push_back({extent, std::nullopt, true});
  auto identity = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  for (Value operand : op->getOperands())
    rule.operands.push_back(isa<RankedTensorType>(operand.getType())
                                ? identity
                                : SmallVector<int64_t>());
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    rule.results.push_back(identity);
  return rule;
}

/// A reshape: the leading dim of each group keeps its factor where the others
/// of the group are 1, which is what adding and dropping unit dims is.
static std::optional<PartitionRule>
getReshapeRule(Operation *op, ArrayRef<ReassociationIndices> groups,
               RankedTensorType wide, bool expands) {
  PartitionRule rule;
  SmallVector<int64_t> wideDims(wide.getRank(), PartitionRule::whole), narrow;
  for (const ReassociationIndices &group : groups) {
    int64_t only = PartitionRule::whole;
    unsigned count = 0;
    for (int64_t dim : group)
      if (wide.getDimSize(dim) != 1) {
        only = dim;
        ++count;
      }
    if (count != 1) {
      narrow.push_back(PartitionRule::whole);
      continue;
    }
    wideDims[only] = rule.factors.size();
    narrow.push_back(rule.factors.size());
    rule.factors.push_back({wide.getDimSize(only), std::nullopt, true});
  }
  rule.operands.push_back(expands ? narrow : wideDims);
  // Dynamic output sizes of expand_shape are operands of no rank.
  rule.operands.resize(op->getNumOperands());
  rule.results.push_back(expands ? wideDims : narrow);
  return rule;
}

std::optional<PartitionRule> fsdp::getPartitionRule(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getLinalgRule(linalgOp);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return getReshapeRule(op, expand.getReassociationIndices(),
                          expand.getResultType(), true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return getReshapeRule(op, collapse.getReassociationIndices(),
                          collapse.getSrcType(), false);
  if (op->getNumResults() == 1 &&
      (OpTrait::hasElementwiseMappableTraits(op) || isa<ScaleOp>(op)))
    return getElementwiseRule(op);
  return std::nullopt;
}
