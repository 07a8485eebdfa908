// SPDX-License-Identifier: Apache-2.0
//===- Propagation.cpp - the placement of every value of a model ----------===//
#include "fsdp/Analysis/Propagation.h"
#include "PropagationGraph.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// Work that ranks do, and before that bytes that they send.
struct Cost {
  double bytes = 0, work = 0;
  bool operator<(const Cost &other) const {
    // Sums of bytes differ in their last bits by order.
    double margin = 1e-9 * (bytes + other.bytes);
    if (bytes < other.bytes - margin || bytes > other.bytes + margin)
      return bytes < other.bytes;
    return work < other.work * (1 - 1e-9);
  }
};
} // namespace

/// Decides one axis.
class Propagation::Solver {
public:
  Solver(Propagation &graph, unsigned axis);
  void run();

private:
  struct Want {
    Placement placement;
    int32_t count;
  };

  bool seed(Node &node);
  Strategy getFixed(const Node &pin) const;
  bool improve(int32_t id);
  bool isLink(const Node &node) const;
  Node *getLink(int32_t id) const;
  Node *getNext(int32_t id) const;
  void set(Node &node, const Strategy &strategy,
           SmallVectorImpl<std::pair<Node *, Strategy>> &log);
  bool improveChain(int32_t id);
  bool hasStar(const Node &node) const;
  bool canShowStar(const Node &node) const;
  bool canRun(const Node &node, const Strategy &strategy) const;
  void collectCandidates(const Node &node,
                         SmallVectorImpl<Strategy> &candidates) const;
  void addLinear(const Node &node, SmallVectorImpl<Strategy> &candidates) const;
  Cost evaluate(Node &node, const Strategy &strategy);
  double getCost(int32_t value) const;
  void addWants(const Node &node, int32_t count);

  Propagation &graph;
  unsigned axis;
  int64_t extent;
  AxisSet bit;
  /// By value: what its users want (those decided), and its bytes with all
  /// axes that are decided taken into account.
  std::vector<SmallVector<Want, 2>> wants;
  std::vector<double> bytes;
  /// In the first pass, what loops carry and nobody has placed.
  std::vector<bool> open;
};

//===----------------------------------------------------------------------===//
// Factors and dims
//===----------------------------------------------------------------------===//

/// Where factor `factor` in `blocks` blocks lies in `dims`, or nothing.
static std::optional<Placement> findFactor(const PartitionRule &rule,
                                           ArrayRef<int64_t> dims,
                                           int64_t factor, int64_t blocks) {
  for (auto [dim, entry] : llvm::enumerate(dims)) {
    int64_t before = 1;
    for (int64_t part : rule.getFactors(entry)) {
      if (part == factor)
        return Placement::split(dim, before * blocks);
      before *= rule.factors[part].extent;
    }
  }
  return std::nullopt;
}

/// The factor along which a dimension that is split in `blocks` blocks over
/// `ranks` ranks is split, as a strategy; nothing where there is none, and then
/// `uneven` says whether one would but for its size.
static std::optional<Strategy> findStrategy(const PartitionRule &rule,
                                            int64_t dim, int64_t blocks,
                                            int64_t ranks, bool *uneven) {
  int64_t before = 1;
  for (int64_t part : rule.getFactors(dim)) {
    int64_t size = rule.factors[part].extent;
    if (blocks % before == 0) {
      int64_t own = blocks / before;
      if (own < size) {
        bool fits = size % own == 0 && size / own % ranks == 0;
        // Parts that an op takes or joins are no matter of size.
        if (!fits && uneven && rule.factors[part].canSplit)
          *uneven = true;
        if (!fits)
          return std::nullopt;
        return Strategy{Strategy::Factor, int32_t(part), own, 0};
      }
    }
    before *= size;
  }
  return std::nullopt;
}

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

//===----------------------------------------------------------------------===//
// Solver
//===----------------------------------------------------------------------===//

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
      const Placement &placement = value.placements[other];
      // Mapped over an axis the exported type is the local one.
      if (isStar && !placement.isSplit(Placement::star) &&
          placement.kind != Placement::Split)
        size *= ranks;
      else if (!isStar && placement.kind == Placement::Split)
        size /= ranks;
    }
    bytes.push_back(size);
    value.placements[axis] = Placement();
    if (value.stars & bit)
      value.placements[axis] = Placement::split(Placement::star);
  }
}

Placement Propagation::getWant(const Node &node, unsigned operand, unsigned axis,
                               const Strategy &strategy) const {
  if (node.kind == NodeKind::Sink)
    return node.own[axis];
  int32_t id = node.operands[operand];
  switch (strategy.kind) {
  case Strategy::Whole:
    return {};
  case Strategy::Mapped:
    return id >= 0 && values[id].stars >> axis & 1
               ? Placement::split(Placement::star)
               : Placement();
  case Strategy::Linear:
    return strategy.mask >> operand & 1 ? Placement::partial(ReductionKind::Sum)
                                        : Placement();
  case Strategy::Factor:
    break;
  }
  if (auto split = findFactor(*node.rule, node.rule->operands[operand],
                              strategy.factor, strategy.blocks))
    return *split;
  bool isSum =
      node.rule->factors[strategy.factor].reduction == ReductionKind::Sum &&
      !findFactor(*node.rule, node.rule->results[0], strategy.factor, 1);
  return isSum && node.rule->starts >> operand & 1
             ? Placement::partial(ReductionKind::Sum)
             : Placement();
}

Placement Propagation::getComing(const Node &node, unsigned result,
                                 unsigned axis, const Strategy &strategy) const {
  switch (strategy.kind) {
  case Strategy::Whole:
    return node.kind == NodeKind::Source ? node.own[axis] : Placement();
  case Strategy::Mapped:
    // The marker alone takes star away: its result is the sum over it.
    return values[node.results[result]].stars >> axis & 1
               ? Placement::split(Placement::star)
               : Placement::partial(ReductionKind::Sum);
  case Strategy::Linear:
    return Placement::partial(ReductionKind::Sum);
  case Strategy::Factor:
    break;
  }
  if (auto split = findFactor(*node.rule, node.rule->results[result],
                              strategy.factor, strategy.blocks))
    return *split;
  return Placement::partial(*node.rule->factors[strategy.factor].reduction);
}

double Propagation::getBytes(const Value &value, const Placement &from,
                             const Placement &to, unsigned axis) const {
  double size = value.bytes * (value.stars >> axis & 1 ? getExtent(axis) : 1);
  double ranks = getExtent(axis), part = (ranks - 1) / ranks * size;
  if (value.isFree || from == to || from.kind == Placement::Replicated)
    return 0;
  if (from.kind == Placement::Split)
    return to.kind == Placement::Split && to.dim != from.dim ? part / ranks
                                                             : part;
  return to.kind == Placement::Split ? part : 2 * part;
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
  if (auto *marker = value.producer >= 0 ? graph.nodes[value.producer].op
                                         : nullptr;
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
    bool isSplit = graph.getWant(node, i, axis, strategy).kind == Placement::Split;
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

/// Passing a partial sum on: to one user only, where nothing grows.
void Propagation::Solver::addLinear(
    const Node &node, SmallVectorImpl<Strategy> &candidates) const {
  uint64_t mask = 0;
  double in = 0, out = 0;
  bool isPartial = false;
  for (auto [i, id] : llvm::enumerate(node.operands)) {
    if (id < 0 || i >= 64)
      continue;
    const Value &value = graph.values[id];
    bool startsAtZero = open[id] && graph.values[graph.nodes[value.producer]
                                                     .operands.front()]
                                        .isZero;
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
  if (!isPartial || out > in)
    return;
  uint64_t all = (uint64_t(1) << node.operands.size()) - 1;
  bool isLinearNode = node.kind == NodeKind::Op
                          ? isLinear(node.op, *node.rule, mask)
                          : mask == all;
  if (isLinearNode)
    candidates.push_back({Strategy::Linear, 0, 1, mask});
}

/// True where anything that a node uses varies on the axis.
bool Propagation::Solver::hasStar(const Node &node) const {
  return llvm::any_of(node.operands, [&](int32_t id) {
    return id >= 0 && graph.values[id].stars & bit;
  });
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

/// True where a node may be split like this beside its other splits.
bool Propagation::Solver::canRun(const Node &node,
                                 const Strategy &strategy) const {
  if (strategy.kind != Strategy::Factor)
    return true;
  if (hasStar(node) && !canShowStar(node))
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
      splits.push_back(
          {node.strategies[other].blocks, graph.getExtent(other)});
  bool isPlain = llvm::all_of(splits, [](auto s) { return s.first == 1; });
  return isNested(factor.extent, splits) && (isPlain || !factor.isLookup);
}

void Propagation::Solver::collectCandidates(
    const Node &node, SmallVectorImpl<Strategy> &candidates) const {
  bool isStarred = hasStar(node);
  // What has scalars that vary, and the gradient of what varies, is mapped.
  bool isMarker = isa_and_nonnull<LocalGradOp>(node.op);
  if (node.scalarStars & bit ||
      (isMarker && node.own[axis].isSplit(Placement::star))) {
    candidates.push_back({Strategy::Mapped});
    return;
  }
  // Where each rank of the loss has the same gradient, each has it whole.
  if (isMarker && !isStarred && graph.lossAxes & bit &&
      node.own[axis] == Placement()) {
    candidates.push_back({Strategy::Whole});
    return;
  }
  // What varies is not gathered: every rank would do the work of all.
  candidates.push_back(
      Strategy{isStarred ? Strategy::Mapped : Strategy::Whole});
  auto suggest = [&](ArrayRef<int64_t> dims, const Placement &placement) {
    if (placement.kind != Placement::Split || placement.dim < 0)
      return;
    std::optional<Strategy> found =
        findStrategy(*node.rule, dims[placement.dim], placement.blocks, extent,
                     nullptr);
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
  // A marker sums over star, and over axes of the loss on which the parameter
  // is replicated it is left to the shard section.
  if (isStarred && isMarker && node.own[axis] == Placement())
    candidates.assign({Strategy{Strategy::Mapped}});
  addLinear(node, candidates);
}

/// Gives a node its best strategy; true where that is another one.
bool Propagation::Solver::improve(int32_t id) {
  Node &node = graph.nodes[id];
  if (node.kind == NodeKind::Source || node.kind == NodeKind::Sink)
    return false;
  Strategy before = node.strategies[axis];
  SmallVector<Strategy, 6> candidates;
  if (node.kind == NodeKind::Pin && node.fixed & bit) {
    candidates.push_back(getFixed(node));
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
  node.strategies[axis] = best;
  addWants(node, 1);
  for (auto [i, result] : llvm::enumerate(node.results))
    graph.values[result].placements[axis] = graph.getComing(node, i, axis, best);
  return !(best == before);
}

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
void Propagation::Solver::set(Node &node, const Strategy &strategy,
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
    SmallVector<std::pair<Node *, Strategy>> log, planned = {{&node, candidate}};
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
        else if (want.kind == Placement::Split && want.dim >= 0)
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

/// What users pin holds upwards as well, up to contractions: the ops that make
/// a pinned activation would else be decided before it is seen.
bool Propagation::Solver::seed(Node &node) {
  if (node.kind == NodeKind::Source || node.kind == NodeKind::Sink)
    return false;
  SmallVector<Strategy, 6> candidates;
  bool isPin = node.kind == NodeKind::Pin && node.fixed & bit;
  const Placement &own = node.own[axis];
  if (isPin) {
    candidates.push_back(getFixed(node));
  } else if (isa_and_nonnull<LocalGradOp>(node.op) &&
             own.kind == Placement::Split && own.dim >= 0) {
    // A gradient is best made where its parameter is.
    Strategy split{Strategy::Factor, own.dim, own.blocks, 0};
    if (!canRun(node, split))
      return false;
    candidates.push_back(split);
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
  node.strategies[axis] = candidates.front();
  addWants(node, 1);
  for (auto [i, result] : llvm::enumerate(node.results))
    graph.values[result].placements[axis] =
        graph.getComing(node, i, axis, node.strategies[axis]);
  return true;
}

/// The strategy that a user's pin says.
Strategy Propagation::Solver::getFixed(const Node &pin) const {
  const Placement &own = pin.own[axis];
  if (own.isSplit(Placement::star))
    return {Strategy::Mapped};
  if (own.kind == Placement::Split)
    return {Strategy::Factor, own.dim, own.blocks, 0};
  return {};
}

void Propagation::Solver::run() {
  // Everything starts as exported, then is decided from operands on.
  for (Node &node : graph.nodes) {
    node.strategies[axis] =
        Strategy{hasStar(node) ? Strategy::Mapped : Strategy::Whole};
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
    improve(tie);
  };
  // In the first pass nobody else behind has said what it wants.
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    // What a loop starts from nothing is as its body makes it.
    for (; !ends.empty() && ends.back().first <= i; ends.pop_back())
      close(ends.back().second);
    Node &node = graph.nodes[i];
    if (!isSeeded[i])
      addWants(node, 1);
    if (node.kind == NodeKind::Tie && node.end > int32_t(i) &&
        node.operands.front() >= 0 &&
        graph.values[node.operands.front()].isFree) {
      ends.push_back({node.end, i});
      for (int32_t result : node.results)
        open[result] = true;
    }
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

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<Propagation>> Propagation::run(const Step &step) {
  auto result = std::make_unique<Propagation>();
  PropagationGraph graph(step, *result);
  if (failed(graph.findAxes()))
    return failure();
  if (!result->active)
    return result;
  graph.build();
  for (unsigned axis = 0; axis < result->getNumAxes(); ++axis)
    if (result->active >> axis & 1)
      Solver(*result, axis).run();
    else
      for (Node &node : result->nodes)
        node.strategies[axis].kind = Strategy::Mapped;
  if (failed(result->reportUnsplit()))
    return failure();
  return result;
}

int32_t Propagation::lookup(mlir::Value value) const {
  auto it = ids.find(value);
  return it == ids.end() ? -1 : it->second;
}

const Propagation::Node *Propagation::lookup(Operation *op) const {
  auto it = nodeOf.find(op);
  return it == nodeOf.end() ? nullptr : &nodes[it->second];
}

Placements Propagation::getWanted(const Node &node, unsigned index) const {
  Placements result;
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    result.push_back(getWant(node, index, axis, node.strategies[axis]));
  return result;
}

Placements Propagation::getExported(int32_t id) const {
  Placements result(getNumAxes());
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    if (values[id].stars >> axis & 1)
      result[axis] = Placement::split(Placement::star);
  return result;
}

Placements Propagation::getPlacements(ShardingAttr sharding, Operation *from,
                                      AxisSet stars) const {
  Placements result(getNumAxes());
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    if (stars >> axis & 1)
      result[axis] = Placement::split(Placement::star);
  for (unsigned dim = 0; dim < sharding.getDims().size(); ++dim)
    for (Attribute group : sharding.getDimGroups(dim)) {
      ClassesAttr classes = lookupClasses(from, cast<FlatSymbolRefAttr>(group));
      for (unsigned axis : axes.getAxes(classes))
        result[axis] = Placement::split(dim);
    }
  return result;
}

SmallVector<Attribute> Propagation::getGroups(ArrayRef<unsigned> order,
                                              ModuleOp module) const {
  SmallVector<Attribute> groups;
  MLIRContext *context = module.getContext();
  while (!order.empty()) {
    // The longest run that has a name.
    FlatSymbolRefAttr found;
    size_t length = order.size();
    for (; length > 1 && !found; --length) {
      ClassesAttr classes = axes.getGroup(context, order.take_front(length));
      for (auto group : module.getOps<ProcessGroupOp>())
        if (group.getClasses() == classes)
          found = FlatSymbolRefAttr::get(group);
      if (found)
        break;
    }
    if (!found)
      found = getOrCreateGroup(
          module, axes.getGroup(context, order.take_front(1)), "axis");
    groups.push_back(found);
    order = order.drop_front(length);
  }
  return groups;
}

SmallVector<unsigned> Propagation::getSplits(const Placements &placements,
                                             int64_t dim) const {
  SmallVector<unsigned> order;
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    if (placements[axis].isSplit(dim))
      order.push_back(axis);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tuple(placements[a].blocks, a) <
           std::tuple(placements[b].blocks, b);
  });
  return order;
}

ShardingAttr Propagation::getSharding(const Placements &placements,
                                      int64_t rank, ModuleOp module) const {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(
        ArrayAttr::get(context, getGroups(getSplits(placements, dim), module)));
  SmallVector<unsigned> partial, varying;
  ReductionKind reduction = ReductionKind::Sum;
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    if (placements[axis].kind == Placement::Partial) {
      partial.push_back(axis);
      reduction = placements[axis].reduction;
    } else if (placements[axis].isSplit(Placement::star)) {
      varying.push_back(axis);
    }
  return ShardingAttr::get(context, ArrayAttr::get(context, dims), reduction,
                           ArrayAttr::get(context, getGroups(partial, module)),
                           ArrayAttr::get(context, getGroups(varying, module)));
}

/// What cannot be split where its operands are: dims that do not divide, and
/// ops that have no rule.
LogicalResult Propagation::reportUnsplit() const {
  for (const Node &node : nodes) {
    if (node.kind != NodeKind::Op && node.kind != NodeKind::Sink)
      continue;
    for (auto [i, id] : llvm::enumerate(node.operands)) {
      if (id < 0 || values[id].isFree || !node.op ||
          node.op->hasTrait<OpTrait::IsTerminator>() ||
          !model.contains(node.op) || isa<scf::ForOp, scf::WhileOp, tensor::ExtractOp>(node.op))
        continue;
      for (unsigned axis = 0; axis < getNumAxes(); ++axis) {
        const Placement &placement = values[id].placements[axis];
        if (placement.kind != Placement::Split || placement.dim < 0 ||
            getWant(node, i, axis, node.strategies[axis]).kind ==
                Placement::Split)
          continue;
        bool uneven = false;
        if (node.kind == NodeKind::Op)
          findStrategy(*node.rule, node.rule->operands[i][placement.dim],
                       placement.blocks, getExtent(axis), &uneven);
        if (node.kind == NodeKind::Op && !uneven)
          continue;
        auto module = node.op->getParentOfType<ModuleOp>();
        InFlightDiagnostic diag = node.op->emitOpError();
        if (uneven)
          diag << "expected dimension " << int(placement.dim) << " of operand "
               << i << " to be divided evenly by the "
               << getExtent(axis) << " ranks of ";
        else
          diag << "expected a partitioning rule, since operand " << i
               << " is split in dimension " << int(placement.dim) << " over ";
        diag << getGroups(axis, module)[0] << ", but got ";
        if (uneven)
          diag << values[id].value.getType() << ", whose pieces do not";
        else
          diag << "none; give the op one as '" << attr::rule << "'";
        diag.attachNote(values[id].value.getLoc()) << "the operand is here";
        return diag;
      }
    }
  }
  return success();
}
