// SPDX-License-Identifier: Apache-2.0
//===- ReshardMoves.cpp - the cheapest way between placements -------------===//
//
// Dijkstra's algorithm on placements. Only axes that source or target name
// move, so a search sees tens of placements; what source and target share in
// front of a dimension stays.
//
// An axis may also rest where neither side has it, if nothing is padded there:
// [{@a, @b}] to [{@b, @a}] on a matrix goes by way of the other dimension in
// three all-to-alls.
//
// Bytes are counted as if every split were even. Otherwise moves would change
// with each size, and a reduce-scatter of 5 rows over 4 ranks would go by way
// of two other collectives to save the padding.
//
//===----------------------------------------------------------------------===//
#include "ReshardMoves.h"

#include <map>
#include <queue>

using namespace mlir;
using namespace fsdp;

/// Above this number of axes none rests on its way: there would be too many
/// placements.
static constexpr int mostRestingAxes = 4;

namespace {
class Search {
public:
  explicit Search(const ReshardProblem &problem);
  SmallVector<Move> run();

private:
  /// What is sent, collectives, axes moved, moves, elements afterwards: what is
  /// less comes first, in this order. The first in parts of the whole value.
  using Cost = std::array<int64_t, 5>;
  struct Node {
    Cost cost = {};
    const AxisPlacement *before = nullptr;
    Move move;
    bool isDone = false;
  };

  int64_t getSize(ArrayRef<unsigned> axes) const;
  int64_t getExtent(const AxisPlacement &at, int64_t dim) const;
  int64_t getElements(const AxisPlacement &at) const;
  bool isRun(ArrayRef<Split> splits) const;
  int64_t countFinal(const AxisPlacement &at, int64_t dim) const;
  std::optional<AxisPlacement> push(AxisPlacement to, int64_t dim,
                                    ArrayRef<unsigned> order) const;

  void expand(const AxisPlacement &from);
  void popFrom(const AxisPlacement &from, int64_t dim);
  void pushTo(const AxisPlacement &from, int64_t dim, AxisSet set, bool isSum);
  int64_t getSent(Move::Kind kind, AxisSet splitBefore, AxisSet splitAfter,
                  int64_t size) const;
  void add(const AxisPlacement &from, Move move, AxisPlacement to);

  const ReshardProblem &problem;
  AxisSet movable = 0;
  bool mayRest;
  std::map<AxisPlacement, Node> nodes;
  /// Cost, order of arrival, place in `nodes`.
  using Entry = std::tuple<Cost, int64_t, const AxisPlacement *>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  int64_t arrived = 0;
};
} // namespace

/// The axes in `set`, major to minor.
static SmallVector<unsigned, 2> getMembers(AxisSet set) {
  SmallVector<unsigned, 2> members;
  for (unsigned axis = 0; set >> axis; ++axis)
    if (set >> axis & 1)
      members.push_back(axis);
  return members;
}

/// The axes that split a dimension.
static AxisSet getSplitAxes(const AxisPlacement &at) {
  AxisSet set = 0;
  for (const Splits &splits : at.dims)
    for (const Split &split : splits)
      set |= AxisSet(1) << split.axis;
  return set;
}

Search::Search(const ReshardProblem &problem) : problem(problem) {
  for (const AxisPlacement *side : {&problem.source, &problem.target})
    movable |= side->partial | getSplitAxes(*side);
  // A sum that is wanted later is left alone.
  movable &= ~(problem.source.partial & problem.target.partial);
  mayRest = llvm::popcount(movable) <= mostRestingAxes;
}

/// How many ranks `axes` have together.
int64_t Search::getSize(ArrayRef<unsigned> axes) const {
  int64_t size = 1;
  for (unsigned axis : axes)
    size *= problem.axes.getAxes()[axis].extent;
  return size;
}

/// The rows of `dim` that one rank has.
int64_t Search::getExtent(const AxisPlacement &at, int64_t dim) const {
  const Splits &splits = at.dims[dim];
  return splits.empty() ? problem.shape[dim]
                        : splits.back().extent / getSize(splits.back().axis);
}

/// The elements that one rank has.
int64_t Search::getElements(const AxisPlacement &at) const {
  int64_t elements = 1;
  for (size_t dim = 0; dim < at.dims.size(); ++dim)
    elements *= getExtent(at, dim);
  return elements;
}

/// True where one collective can do all of `splits`: nothing is padded between
/// them.
bool Search::isRun(ArrayRef<Split> splits) const {
  for (size_t i = 1; i < splits.size(); ++i)
    if (!problem.canJoin ||
        splits[i].extent != splits[i - 1].extent / getSize(splits[i - 1].axis))
      return false;
  return true;
}

/// How many leading splits of `dim` are those of the target.
int64_t Search::countFinal(const AxisPlacement &at, int64_t dim) const {
  ArrayRef<Split> have = at.dims[dim], want = problem.target.dims[dim];
  return std::mismatch(have.begin(), have.end(), want.begin(), want.end())
             .first -
         have.begin();
}

/// `to` with further splits of `dim`, as the target has them or without
/// padding; nothing where neither can be.
std::optional<AxisPlacement> Search::push(AxisPlacement to, int64_t dim,
                                          ArrayRef<unsigned> order) const {
  Splits &splits = to.dims[dim];
  int64_t extent = getExtent(to, dim);
  ArrayRef<Split> want = problem.target.dims[dim];
  bool isWanted = countFinal(to, dim) == int64_t(splits.size()) &&
                  want.size() >= splits.size() + order.size();
  if (isWanted) {
    want = want.slice(splits.size(), order.size());
    isWanted = isRun(want) &&
               llvm::equal(order, want, [](unsigned axis, const Split &split) {
                 return axis == split.axis;
               });
  }
  if (isWanted)
    extent = want.front().extent;
  else if (!mayRest || extent % getSize(order))
    return std::nullopt;
  for (unsigned axis : order) {
    splits.push_back({axis, extent});
    extent /= getSize(axis);
  }
  return to;
}

/// All moves from one placement.
void Search::expand(const AxisPlacement &from) {
  AxisSet replicated = movable & ~(from.partial | getSplitAxes(from));
  AxisSet sums = from.partial & ~problem.target.partial;
  for (AxisSet set = sums; set; set = (set - 1) & sums) {
    AxisPlacement to = from;
    to.partial &= ~set;
    add(from, {Move::AllReduce, getMembers(set)}, std::move(to));
  }
  if (AxisSet set = replicated & problem.target.partial) {
    AxisPlacement to = from;
    to.partial |= set;
    add(from, {Move::Mask, getMembers(set)}, std::move(to));
  }
  for (size_t dim = 0; dim < from.dims.size(); ++dim) {
    popFrom(from, dim);
    pushTo(from, dim, replicated, /*isSum=*/false);
    pushTo(from, dim, sums, /*isSum=*/true);
  }
}

/// Moves that end the last splits of `dim`.
void Search::popFrom(const AxisPlacement &from, int64_t dim) {
  const Splits &splits = from.dims[dim];
  size_t most = splits.size() - countFinal(from, dim);
  for (size_t count = 1; count <= most; ++count) {
    ArrayRef<Split> run = ArrayRef(splits).take_back(count);
    if (!isRun(run))
      return;
    Move move;
    move.kind = Move::Gather;
    move.gathered = dim;
    AxisSet set = 0;
    for (const Split &split : run) {
      move.axes.push_back(split.axis);
      set |= AxisSet(1) << split.axis;
    }
    AxisPlacement popped = from;
    popped.dims[dim].pop_back_n(count);
    move.kept = getExtent(popped, dim);
    add(from, move, popped);
    if (problem.isSum && !(set & ~problem.target.partial)) {
      AxisPlacement to = popped;
      to.partial |= set;
      move.kind = Move::Embed;
      add(from, move, std::move(to));
    }
    for (size_t other = 0; other < from.dims.size(); ++other) {
      if (int64_t(other) == dim)
        continue;
      move.kind = Move::AllToAll;
      move.split = other;
      if (auto to = push(popped, other, move.axes))
        add(from, move, std::move(*to));
    }
  }
}

/// Moves that split `dim` along axes of `set`, over which the value is a sum or
/// replicated: along any of them, or along several that the target wants next.
void Search::pushTo(const AxisPlacement &from, int64_t dim, AxisSet set,
                    bool isSum) {
  SmallVector<SmallVector<unsigned, 2>> orders;
  for (unsigned axis : getMembers(set))
    orders.push_back({axis});
  SmallVector<unsigned, 2> next;
  for (const Split &split :
       ArrayRef(problem.target.dims[dim]).drop_front(countFinal(from, dim))) {
    if (!(set >> split.axis & 1))
      break;
    next.push_back(split.axis);
    if (next.size() > 1)
      orders.push_back(next);
  }
  for (ArrayRef<unsigned> order : orders) {
    std::optional<AxisPlacement> to = push(from, dim, order);
    if (!to)
      continue;
    Move move;
    move.kind = isSum ? Move::ReduceScatter : Move::Slice;
    move.axes.assign(order.begin(), order.end());
    move.split = dim;
    if (isSum)
      for (unsigned axis : order)
        to->partial &= ~(AxisSet(1) << axis);
    add(from, move, std::move(*to));
  }
}

/// What one rank sends, in parts of 1/W^2 of the whole value: (k-1)/k of the
/// larger side for k ranks, twice for an all-reduce.
int64_t Search::getSent(Move::Kind kind, AxisSet splitBefore,
                        AxisSet splitAfter, int64_t size) const {
  if (kind == Move::Slice || kind == Move::Mask || kind == Move::Embed)
    return 0;
  int64_t ranks = problem.axes.getSize(problem.axes.getWorld());
  int64_t parts = std::min(problem.axes.getSize(splitBefore),
                           problem.axes.getSize(splitAfter));
  int64_t once = (size - 1) * (ranks / parts) * (ranks / size);
  return kind == Move::AllReduce ? 2 * once : once;
}

/// Notes that `to` can be reached, unless there was a cheaper way.
void Search::add(const AxisPlacement &from, Move move, AxisPlacement to) {
  if (move.split >= 0) {
    ArrayRef<Split> splits = to.dims[move.split];
    move.padded = splits.take_back(move.axes.size()).front().extent;
  }
  int64_t sent = getSent(move.kind, getSplitAxes(from), getSplitAxes(to),
                         getSize(move.axes));
  Cost cost = nodes.at(from).cost;
  cost[0] += sent;
  cost[1] += sent > 0;
  cost[2] += move.axes.size();
  ++cost[3];
  cost[4] += getElements(to);
  auto [it, isNew] = nodes.try_emplace(std::move(to));
  if (!isNew && it->second.cost <= cost)
    return;
  it->second = {cost, &nodes.find(from)->first, std::move(move)};
  queue.push({cost, ++arrived, &it->first});
}

SmallVector<Move> Search::run() {
  nodes[problem.source];
  queue.push({Cost{}, 0, &nodes.begin()->first});
  const AxisPlacement *at = nullptr;
  while (true) {
    at = std::get<2>(queue.top());
    queue.pop();
    if (!(*at < problem.target) && !(problem.target < *at))
      break;
    Node &node = nodes.at(*at);
    if (!std::exchange(node.isDone, true))
      expand(*at);
  }
  SmallVector<Move> moves;
  for (const Node *node = &nodes.at(*at); node->before;
       node = &nodes.at(*node->before))
    moves.push_back(node->move);
  std::reverse(moves.begin(), moves.end());
  return moves;
}

SmallVector<Move> fsdp::findMoves(const ReshardProblem &problem) {
  return Search(problem).run();
}
