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

/// How a link runs where a value of it along `dims` is placed like that, if it
/// can; what varies cannot be whole.
std::optional<Strategy>
Propagation::Solver::findFor(const Node &link, ArrayRef<int64_t> dims,
                             bool isStarred, const Placement &placement) const {
  std::optional<Strategy> found;
  if (placement == Placement() && !isStarred)
    found = Strategy{Strategy::Whole};
  else if (placement.isSplit(Placement::star))
    found = Strategy{Strategy::Mapped};
  else if (placement.kind == Placement::Split)
    found = findStrategy(*link.rule, dims[placement.dim], placement.blocks,
                         extent, nullptr);
  return found && canRun(link, *found) ? found : std::nullopt;
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
    SmallVector<std::pair<Node *, Strategy>> planned = {{&node, candidate}};
    // Has a link take `operand` in another placement, if it can.
    auto plan = [&](Node &link, int32_t operand, const Placement &placement) {
      if (!isLink(link) || llvm::any_of(planned, [&](auto &other) {
            return other.first == &link;
          }))
        return;
      auto index = llvm::find(link.operands, operand) - link.operands.begin();
      if (auto wanted = findFor(link, link.rule->operands[index],
                                graph.values[operand].stars & bit, placement))
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
        if (auto wanted = findFor(*link, link->rule->results[0],
                                  graph.values[operand].stars & bit,
                                  graph.getWant(*at, index, axis, strategy)))
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
    // Leaves in `planned` what was, to go back to.
    auto swap = [&](std::pair<Node *, Strategy> &planned) {
      Strategy before = planned.first->strategies[axis];
      addWants(*planned.first, -1);
      assign(*planned.first, planned.second);
      planned.second = before;
    };
    Cost before = getSum();
    llvm::for_each(planned, swap);
    if (getSum() < before)
      return true;
    llvm::for_each(llvm::reverse(planned), swap);
  }
  return false;
}
