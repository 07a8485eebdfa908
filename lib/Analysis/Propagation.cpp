// SPDX-License-Identifier: Apache-2.0
//===- Propagation.cpp - the placement of every value of a model ----------===//
#include "PropagationGraph.h"
#include "PropagationSolver.h"

using namespace mlir;
using namespace fsdp;

std::optional<Placement> fsdp::findFactor(const PartitionRule &rule,
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

std::optional<Strategy> fsdp::findStrategy(const PartitionRule &rule,
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

Strategy fsdp::getStrategy(const Placement &placement) {
  if (placement.isSplit(Placement::star))
    return {Strategy::Mapped};
  if (placement.kind == Placement::Split)
    return {Strategy::Factor, placement.dim, placement.blocks, 0};
  return {};
}

Placement Propagation::getWant(const Node &node, unsigned operand,
                               unsigned axis, const Strategy &strategy) const {
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
                                 unsigned axis,
                                 const Strategy &strategy) const {
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

double Propagation::getBytes(const Value &value, const Placements &from,
                             const Placements &to) const {
  double bytes = 0;
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    bytes += getBytes(value, from[axis], to[axis], axis);
  return bytes;
}

bool Propagation::hasStar(const Node &node, unsigned axis) const {
  return llvm::any_of(node.operands, [&](int32_t id) {
    return id >= 0 && values[id].stars >> axis & 1;
  });
}

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
  if (failed(result->checkSplits()))
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

Placements Propagation::getMapped(AxisSet stars) const {
  Placements result(getNumAxes());
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    if (stars >> axis & 1)
      result[axis] = Placement::split(Placement::star);
  return result;
}

Placements Propagation::getPlacements(ShardingAttr sharding, Operation *from,
                                      AxisSet stars,
                                      ArrayRef<int64_t> blocks) const {
  Placements result = getMapped(stars);
  for (unsigned dim = 0; dim < sharding.getDims().size(); ++dim)
    for (Attribute group : sharding.getDimGroups(dim)) {
      ClassesAttr classes = lookupClasses(from, cast<FlatSymbolRefAttr>(group));
      int64_t count = blocks.empty() ? 1 : blocks.consume_front();
      for (unsigned axis : axes.getAxes(classes))
        result[axis] = Placement::split(dim, count);
    }
  return result;
}

SmallVector<Attribute> Propagation::getGroups(ArrayRef<unsigned> order,
                                              ModuleOp module) const {
  SmallVector<Attribute> groups;
  MLIRContext *context = module.getContext();
  while (!order.empty()) {
    // The longest run that has a name.
    size_t length = order.size();
    FlatSymbolRefAttr found;
    while (!found && length > 1) {
      found =
          findGroup(module, axes.getGroup(context, order.take_front(length)));
      length -= !found;
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
                                      int64_t rank, ModuleOp module,
                                      SmallVectorImpl<int64_t> *blocks) const {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> dims;
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<unsigned> order = getSplits(placements, dim);
    SmallVector<Attribute> groups;
    // A group has one number of blocks.
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() &&
             placements[order[end]].blocks == placements[order[begin]].blocks)
        ++end;
      for (Attribute group :
           getGroups(ArrayRef(order).slice(begin, end - begin), module)) {
        groups.push_back(group);
        if (blocks)
          blocks->push_back(placements[order[begin]].blocks);
      }
    }
    dims.push_back(ArrayAttr::get(context, groups));
  }
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

/// Says that operand `index` of a node cannot stay split on `axis`: for its
/// size, or since the op has no rule.
InFlightDiagnostic Propagation::reportUnsplit(const Node &node, unsigned index,
                                              unsigned axis,
                                              bool uneven) const {
  const Value &value = values[node.operands[index]];
  int dim = value.placements[axis].dim;
  Attribute group = getGroups(axis, node.op->getParentOfType<ModuleOp>())[0];
  InFlightDiagnostic diag = node.op->emitOpError();
  if (uneven)
    diag << "expected dimension " << dim << " of operand " << index
         << " to be divided evenly by the " << getExtent(axis) << " ranks of "
         << group << ", but got " << value.value.getType()
         << ", whose pieces do not";
  else
    diag << "expected a partitioning rule, since operand " << index
         << " is split in dimension " << dim << " over " << group
         << ", but got none; give the op one as '" << attr::rule << "'";
  diag.attachNote(value.value.getLoc()) << "the operand is here";
  return diag;
}

/// Whether everything is split that its operands are: dims that do not divide,
/// and ops that have no rule, are errors.
LogicalResult Propagation::checkSplits() const {
  for (const Node &node : nodes) {
    bool isOp = node.kind == NodeKind::Op;
    if ((!isOp && node.kind != NodeKind::Sink) || !node.op ||
        node.op->hasTrait<OpTrait::IsTerminator>() ||
        !model.contains(node.op) ||
        isa<scf::ForOp, scf::WhileOp, tensor::ExtractOp>(node.op))
      continue;
    for (auto [i, id] : llvm::enumerate(node.operands)) {
      if (id < 0 || values[id].isFree)
        continue;
      for (unsigned axis = 0; axis < getNumAxes(); ++axis) {
        const Placement &placement = values[id].placements[axis];
        if (placement.kind != Placement::Split || placement.dim < 0 ||
            getWant(node, i, axis, node.strategies[axis]).kind ==
                Placement::Split)
          continue;
        bool uneven = false;
        if (isOp)
          findStrategy(*node.rule, node.rule->operands[i][placement.dim],
                       placement.blocks, getExtent(axis), &uneven);
        if (!isOp || uneven)
          return reportUnsplit(node, i, axis, uneven);
      }
    }
  }
  return success();
}
