// SPDX-License-Identifier: Apache-2.0
//===- ProgramOrder.cpp - programs that wait for each other in a circle ---===//
//
// A collective of a class is one node, whoever runs it; the order in which each
// kind of ranks runs them makes the edges. A cycle is a hang.
//
//===----------------------------------------------------------------------===//
#include "VerifyCollectives.h"

#include <map>

using namespace mlir;
using namespace fsdp;

/// A group's position, and a channel.
using Communicator = std::pair<unsigned, int64_t>;

namespace {
class Order {
public:
  Order(ArrayRef<Program> programs, ArrayRef<RankKind> kinds)
      : programs(programs), kinds(kinds) {}
  void addEdges(unsigned kind);
  LogicalResult findCycle();

private:
  LogicalResult report(ArrayRef<std::pair<unsigned, unsigned>> cycle);
  unsigned addNode() {
    edges.emplace_back();
    return edges.size() - 1;
  }

  ArrayRef<Program> programs;
  ArrayRef<RankKind> kinds;
  /// What a node leads to, by the order of which kind. There are nodes for
  /// collectives, and one for each time that a rank has waited.
  struct Edge {
    unsigned to, kind;
  };
  std::vector<SmallVector<Edge, 2>> edges;
  /// The nodes of collectives, by communicator, class and number.
  std::map<std::tuple<Communicator, unsigned, unsigned>, unsigned> nodes;
  /// The collective that a kind runs at a node.
  DenseMap<std::pair<unsigned, unsigned>, CollectiveOpInterface> ops;
};
} // namespace

LogicalResult fsdp::verifyOrder(ArrayRef<Program> programs,
                                ArrayRef<RankKind> kinds) {
  Order order(programs, kinds);
  for (unsigned kind = 0; kind < kinds.size(); ++kind)
    order.addEdges(kind);
  return order.findCycle();
}

/// Adds the order in which ranks of one kind run their program: a collective
/// begins behind those that the rank has waited for and the one before it on
/// its channel.
void Order::addEdges(unsigned index) {
  const RankKind &kind = kinds[index];
  std::map<Communicator, unsigned> counts;
  DenseMap<int64_t, unsigned> onChannel;
  DenseMap<Operation *, unsigned> running;
  unsigned waited = addNode();
  for (ProgramEvent event : programs[kind.program].events) {
    if (!event.isWait) {
      Communicator communicator(event.group, getChannel(event.op));
      auto [it, isNew] = nodes.try_emplace(
          {communicator, kind.classes[event.group], counts[communicator]++},
          edges.size());
      if (isNew)
        addNode();
      unsigned node = running[event.op] = it->second;
      ops[{node, index}] = event.op;
      edges[waited].push_back({node, index});
      auto [last, isFirst] = onChannel.try_emplace(communicator.second, node);
      if (!isFirst)
        edges[std::exchange(last->second, node)].push_back({node, index});
      if (!event.op.isBlocking())
        continue;
    }
    unsigned next = addNode();
    edges[waited].push_back({next, index});
    edges[running[event.op]].push_back({next, index});
    waited = next;
  }
}

/// Looks for a cycle, depth first.
LogicalResult Order::findCycle() {
  enum State : char { New, OnPath, Done };
  std::vector<State> states(edges.size(), New);
  for (unsigned root = 0; root < edges.size(); ++root) {
    // Nodes, and the edge by which each is left.
    SmallVector<std::pair<unsigned, unsigned>> path;
    auto enter = [&](unsigned node) {
      states[node] = OnPath;
      path.push_back({node, 0});
    };
    if (states[root] == New)
      enter(root);
    while (!path.empty()) {
      auto &[node, edge] = path.back();
      if (edge == edges[node].size()) {
        states[node] = Done;
        path.pop_back();
        if (!path.empty())
          ++path.back().second;
        continue;
      }
      unsigned to = edges[node][edge].to;
      if (states[to] == OnPath)
        return report(ArrayRef(
            llvm::find_if(path, [&](auto at) { return at.first == to; }),
            path.end()));
      if (states[to] == New)
        enter(to);
      else
        ++edge;
    }
  }
  return success();
}

/// Says which rank runs what before what, all around a cycle of nodes and the
/// edges by which they are left.
LogicalResult Order::report(ArrayRef<std::pair<unsigned, unsigned>> cycle) {
  auto kindAt = [&](size_t i) {
    auto [node, edge] = cycle[i % cycle.size()];
    return edges[node][edge].kind;
  };
  // Where another rank's order goes on: there both run the collective.
  SmallVector<size_t> turns;
  for (size_t i = 0; i < cycle.size(); ++i)
    if (kindAt(i) != kindAt(i + cycle.size() - 1))
      turns.push_back(i);
  auto opAt = [&](size_t turn, unsigned kind) {
    return ops.lookup({cycle[turns[turn % turns.size()]].first, kind});
  };
  InFlightDiagnostic diag =
      opAt(0, kindAt(turns[0]))
          ->emitOpError("expected one order of collectives on all ranks, but "
                        "got a cycle");
  for (size_t i = 0; i < turns.size(); ++i) {
    unsigned index = kindAt(turns[i]);
    CollectiveOpInterface before = opAt(i, index), after = opAt(i + 1, index);
    RankRange range = programs[kinds[index].program].ranks;
    diag.attachNote(before->getLoc())
        << "rank " << kinds[index].rank << " of ranks " << range.first << " to "
        << range.last << " first runs " << describe(before);
    diag.attachNote(after->getLoc()) << "and then " << describe(after);
  }
  return diag;
}
