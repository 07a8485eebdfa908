// SPDX-License-Identifier: Apache-2.0
//===- LinalgRule.cpp - the partition rule of linalg ops ------------------===//
#include "LinalgRule.h"
#include "fsdp/Analysis/Phases.h"
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
  return reduction != ReductionKind::Sum || isZero(init);
}

/// True where `value` is computed, in its block, of one of `arguments`.
static bool dependsOn(Value value, ArrayRef<BlockArgument> arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return llvm::is_contained(arguments, argument);
  Operation *def = value.getDefiningOp();
  return def->getBlock() == arguments.front().getOwner() &&
         llvm::any_of(def->getOperands(), [&](Value operand) {
           return dependsOn(operand, arguments);
         });
}

/// How the one result that anybody uses is reduced (the maximum, of a maximum
/// with its place), if by one op with what it holds so far.
static std::optional<ReductionKind> matchReduction(linalg::LinalgOp op,
                                                   int64_t &result) {
  SmallVector<int64_t> used;
  for (OpResult value : op->getResults())
    if (!value.use_empty() || op->getNumResults() == 1)
      used.push_back(value.getResultNumber());
  if (used.size() != 1)
    return std::nullopt;
  result = used.front();
  ArrayRef<BlockArgument> outs = op.getRegionOutputArgs();
  Operation *combiner = op->getRegion(0)
                            .front()
                            .getTerminator()
                            ->getOperand(result)
                            .getDefiningOp();
  std::optional<ReductionKind> reduction = getReduction(combiner);
  if (!reduction || combiner->getNumOperands() != 2)
    return std::nullopt;
  for (unsigned side : {0, 1})
    if (combiner->getOperand(side) == outs[result] &&
        !dependsOn(combiner->getOperand(1 - side), outs))
      return reduction;
  return std::nullopt;
}

/// The loops, and how each is reduced.
static void addLoops(linalg::LinalgOp op, PartitionRule &rule) {
  std::optional<ReductionKind> reduction;
  int64_t result = 0;
  if (op.getNumReductionLoops())
    reduction = matchReduction(op, result);
  for (auto [extent, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    PartitionRule::Factor factor{extent, std::nullopt};
    if (iterator == utils::IteratorType::reduction) {
      factor.reduction = reduction;
      factor.canSplit =
          reduction && isNeutral(op.getDpsInits()[result], *reduction);
      factor.needsStart = reduction == ReductionKind::Sum && !factor.canSplit;
    }
    rule.factors.push_back(factor);
  }
  // Windows such as a convolution's only have a shape to give.
  for (Operation &inner : op->getRegion(0).front())
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      rule.factors[index.getDim()].isIndexed = true;
  for (int64_t i = 0; i < op.getNumDpsInits(); ++i)
    rule.starts |= uint64_t(1) << (op.getNumDpsInputs() + i);
}

/// What runs along loops, from the indexing maps.
static void addOperands(linalg::LinalgOp op, PartitionRule &rule) {
  for (AffineMap map : op.getIndexingMapsArray()) {
    SmallVector<int64_t> dims;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      dims.push_back(dim ? int64_t(dim.getPosition()) : PartitionRule::whole);
      // A loop that also runs in a sum of loops (a convolution's window) or
      // over an operand at another place cannot be cut without a halo.
      if (!dim)
        expr.walk([&](AffineExpr part) {
          if (auto inner = dyn_cast<AffineDimExpr>(part)) {
            rule.factors[inner.getPosition()].canSplit = false;
            rule.factors[inner.getPosition()].needsStart = false;
          }
        });
    }
    // A diagonal would lose what lies off it.
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim != PartitionRule::whole &&
          llvm::is_contained(ArrayRef(dims).take_front(i), dim))
        rule.factors[dim].canSplit = rule.factors[dim].needsStart = false;
    rule.operands.push_back(dims);
  }
  for (int64_t i = op.getNumDpsInputs(), e = rule.operands.size(); i < e; ++i)
    rule.results.push_back(rule.operands[i]);
}

/// Tensors that the body reads at places of its own choice: along a loop where
/// the index is one, else by lookup.
static bool addCaptured(linalg::LinalgOp op, PartitionRule &rule) {
  Region &region = op->getRegion(0);
  bool isKnown = true;
  llvm::SmallMapVector<Value, SmallVector<tensor::ExtractOp, 1>, 2> reads;
  for (Operation &inner : region.front()) {
    isKnown &= inner.getNumRegions() == 0;
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    for (Value operand : inner.getOperands())
      if (isa<TensorType>(operand.getType())) {
        isKnown &= extract && !region.isAncestor(operand.getParentRegion());
        if (extract)
          reads[operand].push_back(extract);
      }
  }
  if (!isKnown)
    return false;
  for (auto &[tensor, extracts] : reads) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      auto loopOf = [&](tensor::ExtractOp extract) {
        auto index = extract.getIndices()[dim].getDefiningOp<linalg::IndexOp>();
        return index ? int64_t(index.getDim()) : PartitionRule::whole;
      };
      int64_t loop = loopOf(extracts[0]);
      if (!llvm::all_of(extracts, [&](tensor::ExtractOp extract) {
            return loopOf(extract) == loop;
          }))
        loop = PartitionRule::whole;
      if (loop != PartitionRule::whole &&
          rule.factors[loop].extent != type.getDimSize(dim))
        loop = PartitionRule::whole;
      if (loop == PartitionRule::whole && extracts.size() == 1) {
        PartitionRule::Factor factor{type.getDimSize(dim), ReductionKind::Sum};
        factor.isLookup = true;
        loop = rule.factors.size();
        rule.factors.push_back(factor);
      }
      dims.push_back(loop);
    }
    rule.captured.push_back(tensor);
    rule.operands.push_back(dims);
  }
  // What a rank does not hold counts as zero: right only where that is passed
  // on as zero.
  for (auto [i, tensor] : llvm::enumerate(rule.captured)) {
    uint64_t mask = uint64_t(1) << (op->getNumOperands() + i);
    bool passes = isLinearBody(op, rule, mask) && !op.getNumReductionLoops();
    for (int64_t factor : rule.operands[op->getNumOperands() + i])
      if (factor != PartitionRule::whole && rule.factors[factor].isLookup)
        rule.factors[factor].canSplit = passes;
  }
  return true;
}

std::optional<PartitionRule> fsdp::getLinalgRule(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape() ||
      op->getNumOperands() > 32)
    return std::nullopt;
  PartitionRule rule;
  addLoops(op, rule);
  addOperands(op, rule);
  if (!addCaptured(op, rule))
    return std::nullopt;
  return rule;
}

namespace {
/// A value of a body as a function of the operands in question.
enum class Degree { None, Zero, Linear, Other };
} // namespace

/// The degree of what `op` computes from values of these degrees.
static Degree getDegree(Operation &op, ArrayRef<Degree> operands) {
  auto is = [&](Degree degree) {
    return [degree](Degree other) { return other == degree; };
  };
  if (matchPattern(&op, m_AnyZeroFloat()) || matchPattern(&op, m_Zero()))
    return Degree::Zero;
  if (llvm::all_of(operands, is(Degree::None)))
    return Degree::None;
  auto isHomogeneous = [](Degree degree) {
    return degree == Degree::Linear || degree == Degree::Zero;
  };
  if (isa<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp>(op) &&
      llvm::all_of(operands, isHomogeneous))
    return Degree::Linear;
  if (isa<arith::MulFOp, arith::MulIOp>(op) &&
      llvm::count_if(operands, is(Degree::Linear)) == 1 &&
      llvm::none_of(operands, is(Degree::Other)))
    return Degree::Linear;
  if (isa<arith::DivFOp>(op) && operands[0] == Degree::Linear &&
      operands[1] == Degree::None)
    return Degree::Linear;
  if (isa<arith::NegFOp, arith::ExtFOp, arith::TruncFOp>(op))
    return operands[0];
  if (isa<arith::SelectOp>(op) && operands[0] == Degree::None &&
      llvm::all_of(operands.drop_front(), isHomogeneous))
    return Degree::Linear;
  return Degree::Other;
}

bool fsdp::isLinearBody(linalg::LinalgOp op, const PartitionRule &rule,
                        uint64_t mask) {
  Block &body = op->getRegion(0).front();
  DenseMap<Value, Degree> degrees;
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    degrees[argument] = mask >> i & 1 ? Degree::Linear : Degree::None;
  for (auto [i, tensor] : llvm::enumerate(rule.captured))
    if (mask >> (op->getNumOperands() + i) & 1)
      degrees[tensor] = Degree::Linear;
  for (Operation &inner : body) {
    SmallVector<Degree, 4> operands;
    for (Value operand : inner.getOperands()) {
      auto it = degrees.find(operand);
      bool isZero =
          it == degrees.end() && (matchPattern(operand, m_AnyZeroFloat()) ||
                                  matchPattern(operand, m_Zero()));
      operands.push_back(it != degrees.end() ? it->second
                         : isZero            ? Degree::Zero
                                             : Degree::None);
    }
    if (isa<linalg::YieldOp>(inner))
      return llvm::all_of(operands, [](Degree degree) {
        return degree == Degree::Linear || degree == Degree::Zero;
      });
    Degree degree = isa<tensor::ExtractOp>(inner) &&
                            operands[0] == Degree::Linear &&
                            llvm::all_of(ArrayRef(operands).drop_front(),
                                         [](Degree index) {
                                           return index != Degree::Linear &&
                                                  index != Degree::Other;
                                         })
                        ? Degree::Linear
                        : getDegree(inner, operands);
    for (Value result : inner.getResults())
      degrees[result] = degree;
  }
  return false;
}
