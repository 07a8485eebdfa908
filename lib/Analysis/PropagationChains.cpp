// SPDX-License-Identifier: Apache-2.0
//===- PropagationChains.cpp - ops that move together ---------------------===//
//
// A transpose or a reshape can run before or after a reshard alike. One by one
// none of a row of them is better elsewhere, all together they may be.
//
//===----------------------------------------------------------------------===//
#include "PropagationSolver.h"

using namespace mlir;
using namespace fsdp;

/// True where all that a node does is to pass one value on: a transpose, a
/// reshape, a cast, a marker.
bool Propagation::Solver::isLink(const Node &node) const {
  unsigned passed = llvm::count_if(node.operands, [&](int32_t operand) {
    return operand >= 0 && !graph.values[operand].isFree;
  });
  return node.kind == NodeKind::Op && passed == 1 && node.results.size() == 1;
}

/// The link in front of `id`, if it has one user.
Propagation::Node *Propagation::Solver::getLink(int32_t id) const {
  if (id < 0 || graph.values[id].producer < 0 ||
      graph.values[id].users.size() != 1)
    return nullptr;
  Node &node = graph.nodes[graph.values[id].producer];
  return isLink(node) ? &node : nullptr;
}

/// The link that is the one user of `id`.
Propagation::Node *Propagation::Solver::getNext(int32_t id) const {
  if (graph.values[id].users.size() != 1)
    return nullptr;
  Node &node = graph.nodes[graph.values[id].users.front()];
  return isLink(node) ? &node : nullptr;
}

/// Gives a node a strategy, and records what it was.
void Propagation::Solver::set(
    Node &node, const Strategy &strategy,
    SmallVectorImpl<std::pair<Node *, Strategy>> &log) {
  log.push_back({&node, node.strategies[axis]});
  addWants(node, -1);
  node.strategies[axis] = strategy;
  addWants(node, 1);
  for (auto [i, result] : llvm::enumerate(node.results))
    graph.values[result].placements[axis] =
        graph.getComing(node, i, axis, strategy);
}

/// Tries each strategy of a node together with those of the links in front of
/// it that go with it: one by one none of them would be better.
bool Propagation::Solver::improveChain(int32_t id) {
  Node &node = graph.nodes[id];
  auto sends = [&](int32_t value) { return value >= 0 && getCost(value) > 0; };
  if (node.kind != NodeKind::Op ||
      (llvm::none_of(node.operands, [&](int32_t id) { return getLink(id); }) &&
       llvm::none_of(node.results, [&](int32_t id) { return getNext(id); })) ||
      (llvm::none_of(node.operands, sends) &&
       llvm::none_of(node.results, sends)))
    return false;
  SmallVector<Strategy, 6> candidates;
  collectCandidates(node, candidates);
  for (const Strategy &candidate : candidates) {
    if (candidate.kind == Strategy::Linear)
      continue;
    llvm::SmallSetVector<int32_t, 8> touched;
    SmallVector<std::pair<Node *, Strategy>> log,
        planned = {{&node, candidate}};
    // Has a link take `operand` in another placement, if it can.
    auto plan = [&](Node &link, int32_t operand, const Placement &placement) {
      if (!isLink(link) || llvm::any_of(planned, [&](auto &other) {
            return other.first == &link;
          }))
        return;
      std::optional<Strategy> wanted;
      auto *where = llvm::find(link.operands, operand);
      if (placement == Placement())
        wanted = Strategy{Strategy::Whole};
      else if (placement.isSplit(Placement::star))
        wanted = Strategy{Strategy::Mapped};
      else if (placement.kind == Placement::Split && placement.dim >= 0)
        wanted = findStrategy(
            *link.rule,
            link.rule->operands[where - link.operands.begin()][placement.dim],
            placement.blocks, extent, nullptr);
      if (wanted && canRun(link, *wanted) &&
          !(wanted->kind == Strategy::Whole &&
            graph.values[operand].stars & bit))
        planned.push_back({&link, *wanted});
    };
    for (size_t i = 0; i < planned.size() && i < 16; ++i) {
      auto [at, strategy] = planned[i];
      touched.insert(at->operands.begin(), at->operands.end());
      touched.insert(at->results.begin(), at->results.end());
      for (auto [index, operand] : llvm::enumerate(at->operands)) {
        Node *link = getLink(operand);
        if (!link)
          continue;
        Placement want = graph.getWant(*at, index, axis, strategy);
        std::optional<Strategy> wanted;
        if (want == Placement() && !(graph.values[operand].stars & bit))
          wanted = Strategy{Strategy::Whole};
        else if (want.isSplit(Placement::star))
          wanted = Strategy{Strategy::Mapped};
        else if (want.kind == Placement::Split)
          wanted = findStrategy(*link->rule, link->rule->results[0][want.dim],
                                want.blocks, extent, nullptr);
        if (wanted && canRun(*link, *wanted))
          planned.push_back({link, *wanted});
      }
      // Others that only look at the same value, and look elsewhere now.
      if (isLink(*at))
        for (auto [index, operand] : llvm::enumerate(at->operands)) {
          if (operand < 0 || graph.values[operand].users.size() < 2)
            continue;
          Placement want = graph.getWant(*at, index, axis, strategy);
          for (int32_t user : graph.values[operand].users)
            plan(graph.nodes[user], operand, want);
        }
      // And those behind it.
      for (auto [index, result] : llvm::enumerate(at->results))
        if (Node *link = getNext(result))
          plan(*link, result, graph.getComing(*at, index, axis, strategy));
    }
    touched.remove(-1);
    auto getSum = [&]() {
      Cost cost;
      for (int32_t value : touched)
        cost.bytes += getCost(value);
      return cost;
    };
    Cost before = getSum();
    for (auto [at, strategy] : planned)
      set(*at, strategy, log);
    if (getSum() < before)
      return true;
    SmallVector<std::pair<Node *, Strategy>> undone;
    for (auto [at, strategy] : llvm::reverse(log))
      set(*at, strategy, undone);
  }
  return false;
}
