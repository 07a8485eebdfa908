// SPDX-License-Identifier: Apache-2.0
//===- PropagationChoices.cpp - the strategies of one op ------------------===//
#include "PropagationSolver.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace fsdp;

/// True where splits of a dimension of `extent` nest: all in order of blocks,
/// each whole blocks of the one before.
static bool isNested(int64_t extent,
                     SmallVectorImpl<std::pair<int64_t, int64_t>> &splits) {
  llvm::sort(splits);
  int64_t chunks = 1, last = 1;
  for (auto [blocks, ranks] : splits) {
    if (blocks != last && blocks % chunks)
      return false;
    chunks = (blocks == last ? chunks : blocks) * ranks;
    last = blocks;
  }
  return extent % chunks == 0;
}

/// True where nothing but links, and what loops carry, is in front of a marker.
bool Propagation::Solver::endsInMarker(const Node &node) const {
  const Node *at = &node;
  for (unsigned length = 0; length < 8; ++length) {
    const Node *next = nullptr;
    for (int32_t id : at->results)
      for (int32_t user : graph.values[id].users) {
        const Node &other = graph.nodes[user];
        if (&other == &node || &other == at)
          continue;
        if (other.kind != NodeKind::Tie && !isLink(other))
          return false;
        next = &other;
      }
    if (!next)
      return false;
    if (isa_and_nonnull<LocalGradOp>(next->op))
      return true;
    at = next;
  }
  return false;
}

/// Passing a partial sum on: to one user only, where nothing grows.
void Propagation::Solver::addLinear(
    const Node &node, SmallVectorImpl<Strategy> &candidates) const {
  if (graph.hasStar(node, axis) && !canShowStar(node))
    return;
  uint64_t mask = 0;
  double in = 0, out = 0;
  bool isPartial = false;
  for (auto [i, id] : llvm::enumerate(node.operands)) {
    if (id < 0 || i >= 64)
      continue;
    const Value &value = graph.values[id];
    bool startsAtZero =
        open[id] &&
        graph.values[graph.nodes[value.producer].operands.front()].isZero;
    if (value.isZero || startsAtZero) {
      mask |= uint64_t(1) << i;
    } else if (value.placements[axis] ==
               Placement::partial(ReductionKind::Sum)) {
      if (value.users.size() > 1)
        return;
      mask |= uint64_t(1) << i;
      in = std::max(in, bytes[id]);
      isPartial = true;
    }
  }
  for (int32_t id : node.results)
    out = std::max(out, bytes[id]);
  // Unless all that is left to do is to sum a gradient.
  if (!isPartial || (out > in && !endsInMarker(node)))
    return;
  uint64_t all = (uint64_t(1) << node.operands.size()) - 1;
  bool isLinearNode = node.kind == NodeKind::Op
                          ? isLinear(node.op, *node.rule, mask)
                          : mask == all;
  if (isLinearNode)
    candidates.push_back({Strategy::Linear, 0, 1, mask});
}

/// True for nodes that can be given a dimension that no type shows.
bool Propagation::Solver::canShowStar(const Node &node) const {
  if (node.op && isa<linalg::LinalgOp>(node.op))
    return node.rule->captured.empty();
  bool isMixed = llvm::any_of(node.operands, [&](int32_t id) {
    return id >= 0 && !(graph.values[id].stars & bit);
  });
  return !isMixed &&
         (!node.op || node.op->hasTrait<OpTrait::Elementwise>() ||
          isa<LocalGradOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
              tensor::ExtractSliceOp, tensor::ConcatOp, tensor::PadOp>(
              node.op));
}

/// The one way in which a node can run, if there is but one.
std::optional<Strategy> Propagation::Solver::getOnly(const Node &node) const {
  // What has scalars that vary, and the gradient of what varies, is mapped.
  bool isMarker = isa_and_nonnull<LocalGradOp>(node.op);
  if (node.scalarStars & bit ||
      (isMarker && node.own[axis].isSplit(Placement::star)))
    return Strategy{Strategy::Mapped};
  // Where each rank of the loss has the same gradient, each has it whole.
  if (isMarker && !graph.hasStar(node, axis) && graph.lossAxes & bit &&
      node.own[axis] == Placement())
    return Strategy{Strategy::Whole};
  return std::nullopt;
}

/// True where a node may run like this, split beside its other splits.
bool Propagation::Solver::canRun(const Node &node,
                                 const Strategy &strategy) const {
  if (auto only = getOnly(node))
    return strategy == *only;
  if (strategy.kind != Strategy::Factor)
    return true;
  bool isStarred = graph.hasStar(node, axis);
  // A marker sums over star, and over axes of the loss on which the parameter
  // is replicated it is left to the shard section.
  if (isStarred &&
      (!canShowStar(node) || (isa_and_nonnull<LocalGradOp>(node.op) &&
                              node.own[axis] == Placement())))
    return false;
  for (auto [i, id] : llvm::enumerate(node.operands))
    if (id >= 0 && graph.values[id].stars & bit &&
        !findFactor(*node.rule, node.rule->operands[i], strategy.factor, 1))
      return false;
  const PartitionRule::Factor &factor = node.rule->factors[strategy.factor];
  if (!factor.canSplit && !factor.needsStart)
    return false;
  SmallVector<std::pair<int64_t, int64_t>> splits = {{strategy.blocks, extent}};
  for (unsigned other = 0; other < graph.getNumAxes(); ++other)
    if (other != axis && graph.active >> other & 1 &&
        node.strategies[other].kind == Strategy::Factor &&
        node.strategies[other].factor == strategy.factor)
      splits.push_back({node.strategies[other].blocks, graph.getExtent(other)});
  bool isPlain = llvm::all_of(splits, [](auto s) { return s.first == 1; });
  return isNested(factor.extent, splits) && (isPlain || !factor.isLookup);
}

void Propagation::Solver::collectCandidates(
    const Node &node, SmallVectorImpl<Strategy> &candidates) const {
  if (auto only = getOnly(node)) {
    candidates.push_back(*only);
    return;
  }
  bool isStarred = graph.hasStar(node, axis);
  // What varies is not gathered: every rank would do the work of all.
  candidates.push_back(
      Strategy{isStarred ? Strategy::Mapped : Strategy::Whole});
  auto suggest = [&](ArrayRef<int64_t> dims, const Placement &placement) {
    if (placement.kind != Placement::Split || placement.dim < 0)
      return;
    std::optional<Strategy> found = findStrategy(
        *node.rule, dims[placement.dim], placement.blocks, extent, nullptr);
    if (!found || llvm::is_contained(candidates, *found))
      return;
    if (canRun(node, *found))
      candidates.push_back(*found);
  };
  for (auto [i, id] : llvm::enumerate(node.operands)) {
    if (id < 0)
      continue;
    suggest(node.rule->operands[i], graph.values[id].placements[axis]);
    // Where others want it anyway.
    for (const Want &want : wants[id])
      suggest(node.rule->operands[i], want.placement);
  }
  for (auto [i, id] : llvm::enumerate(node.results))
    for (const Want &want : wants[id])
      suggest(node.rule->results[i], want.placement);
  addLinear(node, candidates);
}
