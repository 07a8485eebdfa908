// SPDX-License-Identifier: Apache-2.0
//===- PropagationSolver.cpp - decide one axis ----------------------------===//
#include "PropagationSolver.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace fsdp;

Propagation::Solver::Solver(Propagation &graph, unsigned axis)
    : graph(graph), axis(axis), extent(graph.getExtent(axis)),
      bit(AxisSet(1) << axis), wants(graph.values.size()),
      open(graph.values.size(), false) {
  for (Value &value : graph.values) {
    double size = value.bytes * (value.stars & bit ? extent : 1);
    for (unsigned other = 0; other < graph.getNumAxes(); ++other) {
      if (other == axis || !(graph.active >> other & 1))
        continue;
      double ranks = graph.getExtent(other);
      bool isStar = value.stars >> other & 1;
      bool isSplit = value.placements[other].kind == Placement::Split;
      // Mapped over an axis the exported type is the local one.
      if (isStar && !isSplit)
        size *= ranks;
      else if (!isStar && isSplit)
        size /= ranks;
    }
    bytes.push_back(size);
    value.placements[axis] = Placement();
    if (value.stars & bit)
      value.placements[axis] = Placement::split(Placement::star);
  }
}

/// Bytes to bring a value to where all its users want it.
double Propagation::Solver::getCost(int32_t id) const {
  const Value &value = graph.values[id];
  if (value.isFree || open[id])
    return 0;
  const Placement &from = value.placements[axis];
  // Users' splits win over bytes, as long as there is another way at all.
  double scale = value.kept & bit ? 1e3 : 1;
  scale *= bytes[id] / (value.bytes * (value.stars & bit ? extent : 1));
  if (auto *marker =
          value.producer >= 0 ? graph.nodes[value.producer].op : nullptr;
      marker && isa<LocalGradOp>(marker)) {
    // A sum is reduced into shards later; what is placed in another way than
    // the parameter is brought there.
    const Placement &to = graph.nodes[value.producer].own[axis];
    if (from.kind == Placement::Partial && to.kind == Placement::Replicated)
      return scale * graph.getBytes(value, from, Placement::split(0), axis);
    return scale * graph.getBytes(value, from, to, axis);
  }
  double sum = 0;
  for (const Want &want : wants[id]) {
    if (want.placement == from)
      continue;
    double one = graph.getBytes(value, from, want.placement, axis);
    // Others are cut of the whole.
    if (want.placement == Placement())
      return scale * one;
    sum += one;
  }
  return scale * sum;
}

/// Counts a node's wants in or out.
void Propagation::Solver::addWants(const Node &node, int32_t count) {
  for (auto [i, id] : llvm::enumerate(node.operands)) {
    if (id < 0 || graph.values[id].isFree)
      continue;
    Placement want = graph.getWant(node, i, axis, node.strategies[axis]);
    auto *it = llvm::find_if(
        wants[id], [&](const Want &other) { return other.placement == want; });
    if (it == wants[id].end()) {
      wants[id].push_back({want, count});
    } else if ((it->count += count) == 0) {
      wants[id].erase(it);
    }
  }
}

/// Gives a node whose wants are not counted a strategy.
void Propagation::Solver::assign(Node &node, const Strategy &strategy) {
  node.strategies[axis] = strategy;
  addWants(node, 1);
  for (auto [i, result] : llvm::enumerate(node.results))
    graph.values[result].placements[axis] =
        graph.getComing(node, i, axis, strategy);
}

/// What a strategy costs with all others as they are.
Cost Propagation::Solver::evaluate(Node &node, const Strategy &strategy) {
  Strategy before = node.strategies[axis];
  node.strategies[axis] = strategy;
  addWants(node, 1);
  Cost cost;
  for (auto [i, id] : llvm::enumerate(node.operands)) {
    if (id < 0)
      continue;
    if (!llvm::is_contained(ArrayRef(node.operands).take_front(i), id))
      cost.bytes += getCost(id);
    bool isSplit =
        graph.getWant(node, i, axis, strategy).kind == Placement::Split;
    cost.work += bytes[id] / (isSplit ? extent : 1);
  }
  for (auto [i, id] : llvm::enumerate(node.results)) {
    Value &value = graph.values[id];
    Placement saved = value.placements[axis];
    value.placements[axis] = graph.getComing(node, i, axis, strategy);
    cost.bytes += getCost(id);
    cost.work += bytes[id] /
                 (value.placements[axis].kind == Placement::Split ? extent : 1);
    value.placements[axis] = saved;
  }
  addWants(node, -1);
  node.strategies[axis] = before;
  return cost;
}

/// Gives a node its best strategy; true where that is another one.
bool Propagation::Solver::improve(int32_t id) {
  Node &node = graph.nodes[id];
  if (node.kind == NodeKind::Source || node.kind == NodeKind::Sink)
    return false;
  Strategy before = node.strategies[axis];
  SmallVector<Strategy, 6> candidates;
  if (node.kind == NodeKind::Pin && node.fixed & bit) {
    candidates.push_back(getStrategy(node.own[axis]));
  } else {
    collectCandidates(node, candidates);
  }
  addWants(node, -1);
  Strategy best = before;
  bool isKnown = llvm::is_contained(candidates, before);
  Cost least = isKnown ? evaluate(node, before) : Cost();
  for (const Strategy &candidate : candidates) {
    if (isKnown && candidate == before)
      continue;
    Cost cost = evaluate(node, candidate);
    if (isKnown && !(cost < least))
      continue;
    best = candidate;
    least = cost;
    isKnown = true;
  }
  assign(node, best);
  return !(best == before);
}

/// What users pin holds upwards as well, up to contractions: the ops that make
/// a pinned activation would else be decided before it is seen.
bool Propagation::Solver::seed(Node &node) {
  if (node.kind == NodeKind::Source || node.kind == NodeKind::Sink)
    return false;
  SmallVector<Strategy, 6> candidates;
  bool isPin = node.kind == NodeKind::Pin && node.fixed & bit;
  const Placement &own = node.own[axis];
  if (isPin) {
    candidates.push_back(getStrategy(own));
  } else if (isa_and_nonnull<LocalGradOp>(node.op) &&
             own.kind == Placement::Split && own.dim >= 0) {
    // A gradient is best made where its parameter is.
    if (!canRun(node, getStrategy(own)))
      return false;
    candidates.push_back(getStrategy(own));
  } else {
    bool isWanted = llvm::any_of(node.results, [&](int32_t id) {
      return llvm::any_of(wants[id], [](const Want &want) {
        return want.placement.kind == Placement::Split &&
               want.placement.dim >= 0;
      });
    });
    auto linalgOp = dyn_cast_if_present<linalg::LinalgOp>(node.op);
    bool isContraction = linalgOp && linalgOp.getNumReductionLoops() &&
                         linalgOp.getNumDpsInputs() > 1;
    if (!isWanted || isContraction)
      return false;
    collectCandidates(node, candidates);
    llvm::erase_if(candidates, [](const Strategy &strategy) {
      return strategy.kind != Strategy::Factor;
    });
    if (candidates.empty())
      return false;
  }
  assign(node, candidates.front());
  return true;
}

void Propagation::Solver::run() {
  // Everything starts as exported, then is decided from operands on.
  for (Node &node : graph.nodes) {
    node.strategies[axis] = Strategy{
        graph.hasStar(node, axis) ? Strategy::Mapped : Strategy::Whole};
    if (node.kind == NodeKind::Source)
      for (int32_t result : node.results)
        graph.values[result].placements[axis] = node.own[axis];
  }
  std::vector<bool> isSeeded(graph.nodes.size());
  for (size_t i = graph.nodes.size(); i > 0; --i)
    isSeeded[i - 1] = seed(graph.nodes[i - 1]);
  SmallVector<std::pair<size_t, size_t>> ends;
  auto close = [&](size_t tie) {
    for (int32_t result : graph.nodes[tie].results)
      open[result] = false;
    addWants(graph.nodes[tie], 1);
    improve(tie);
  };
  // In the first pass nobody else behind has said what it wants.
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    // What a loop starts from nothing is as its body makes it.
    for (; !ends.empty() && ends.back().first <= i; ends.pop_back())
      close(ends.back().second);
    Node &node = graph.nodes[i];
    if (!isSeeded[i] && node.end > int32_t(i) && node.operands.front() >= 0 &&
        graph.values[node.operands.front()].isFree) {
      ends.push_back({node.end, i});
      for (int32_t result : node.results)
        open[result] = true;
      continue;
    }
    if (!isSeeded[i])
      addWants(node, 1);
    improve(i);
  }
  for (; !ends.empty(); ends.pop_back())
    close(ends.back().second);
  // Alternating directions; a few suffice, the bound is for safety.
  for (unsigned sweep = 0; sweep < 12; ++sweep) {
    bool changed = false;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      changed |= improve(sweep % 2 ? i : graph.nodes.size() - 1 - i);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      changed |= improveChain(i);
    if (!changed)
      break;
  }
}
