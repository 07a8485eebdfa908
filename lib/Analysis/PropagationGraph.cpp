// SPDX-License-Identifier: Apache-2.0
//===- PropagationGraph.cpp - the values and ops to place -----------------===//
#include "PropagationGraph.h"
#include "PropagationSolver.h"

using namespace mlir;
using namespace fsdp;

PropagationGraph::PropagationGraph(const Step &step, Propagation &into)
    : step(step), into(into), phases(step), varying(step),
      symbols(step.getFunction()->getParentOfType<ModuleOp>()) {}

AxisSet PropagationGraph::getSet(Attribute group) {
  auto [it, isNew] = sets.try_emplace(group, 0);
  if (isNew)
    it->second = into.axes.getSet(lookupClasses(symbols, group));
  return it->second;
}

AxisSet PropagationGraph::getSet(ArrayAttr groups) {
  AxisSet set = 0;
  for (Attribute group : groups)
    set |= getSet(group);
  return set;
}

LogicalResult PropagationGraph::findAxes() {
  func::FuncOp function = step.getFunction();
  SmallVector<ShardingAttr> arguments, results, pins;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(step.getArgSharding(i));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    results.push_back(step.getResultSharding(i));
  function.walk([&](Operation *op) {
    if (auto list = op->getAttrOfType<ArrayAttr>(attr::sharding))
      llvm::append_range(pins, list.getAsRange<ShardingAttr>());
  });
  llvm::SetVector<Attribute> names;
  bool isSplit = false;
  for (ShardingAttr sharding :
       llvm::concat<ShardingAttr>(arguments, results, pins)) {
    names.insert_range(sharding.getGroups());
    for (Attribute dim : sharding.getDims())
      isSplit |= !cast<ArrayAttr>(dim).empty();
  }
  LossAttr loss = step.getLoss();
  if (loss)
    names.insert_range(loss.getGroups());
  if (!isSplit)
    return success();
  SmallVector<ClassesAttr> classes;
  for (Attribute name : names) {
    classes.push_back(lookupClasses(symbols, name));
    if (!classes.back())
      return emitError(function.getLoc(),
                       "expected resolved process groups, but got ")
             << name;
  }
  std::pair<unsigned, unsigned> conflict;
  FailureOr<Axes> axes = Axes::get(
      getWorld(cast<ModuleOp>(symbols.getOp())).getRanks(), classes, &conflict);
  if (failed(axes)) {
    InFlightDiagnostic diag =
        emitError(function.getLoc(),
                  "expected compatible groups in the placements of one step, "
                  "but got ")
        << names[conflict.first] << " and " << names[conflict.second];
    for (unsigned which : {conflict.first, conflict.second})
      diag.attachNote(
          symbols.lookup(cast<FlatSymbolRefAttr>(names[which]).getValue())
              ->getLoc())
          << names[which] << " is declared here";
    return diag;
  }
  into.axes = *axes;
  if (loss)
    into.lossAxes = getSet(loss.getGroups());
  // What only ever varies needs no decision.
  for (ShardingAttr sharding : llvm::concat<ShardingAttr>(arguments, pins))
    for (Attribute dim : sharding.getDims())
      into.active |= getSet(cast<ArrayAttr>(dim));
  return success();
}

AxisSet PropagationGraph::getStars(Value value) {
  AxisSet set = 0;
  for (FlatSymbolRefAttr group : varying.get(value))
    set |= getSet(group);
  return set;
}

void PropagationGraph::build() {
  Block &block = step.getFunction().front();
  collectModel(block);
  addArguments();
  addBlock(block);
}

/// Ops of forward and backward; what depends on a marker is below it. True
/// where a value that a loop carries turned out to be below.
bool PropagationGraph::collectModel(Block &block) {
  bool grows = false;
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    bool isBelow = false;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto mark = [&]() {
        bool changed = false;
        Operation *yield = loop.getBody()->getTerminator();
        for (auto [yielded, argument, result] :
             llvm::zip_equal(yield->getOperands(), loop.getRegionIterArgs(),
                             loop.getResults()))
          if (below.contains(yielded)) {
            changed |= below.insert(argument).second;
            below.insert(result);
          }
        return changed;
      };
      do
        grows |= collectModel(*loop.getBody());
      while (mark());
      if (phases.get(&op) != Phase::Optimizer)
        into.model.insert(&op);
      continue;
    }
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        isBelow |= below.contains(operand);
    });
    if (isBelow || isa<LocalGradOp>(op))
      below.insert(op.result_begin(), op.result_end());
    bool isModel = !isBelow && (isFree(&op) || isa<LocalGradOp>(op) ||
                                phases.get(&op) != Phase::Optimizer);
    op.walk([&](Operation *nested) {
      if (isModel)
        into.model.insert(nested);
      else
        into.model.erase(nested);
    });
  }
  return grows;
}

int32_t PropagationGraph::addNode(NodeKind kind, Operation *op) {
  int32_t id = into.nodes.size();
  Node &node = into.nodes.emplace_back();
  node.kind = kind;
  node.op = op;
  node.strategies.resize(into.getNumAxes());
  node.own.resize(into.getNumAxes());
  return id;
}

int32_t PropagationGraph::addValue(Value value, int32_t producer) {
  int32_t id = into.values.size();
  Propagation::Value &added = into.values.emplace_back();
  added.value = value;
  added.type = cast<RankedTensorType>(value.getType());
  added.bytes = double(added.type.getNumElements()) *
                llvm::divideCeil(added.type.getElementTypeBitWidth(), 8);
  added.stars = getStars(value);
  added.producer = producer;
  into.ids[value] = id;
  added.placements = into.getExported(id);
  if (producer >= 0)
    into.nodes[producer].results.push_back(id);
  return id;
}

/// Makes `value` the node's next operand.
void PropagationGraph::addUse(int32_t node, Value value) {
  int32_t id = into.lookup(value);
  into.nodes[node].operands.push_back(id);
  if (id >= 0 && !into.values[id].isFree)
    into.values[id].users.push_back(node);
}

static bool isTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

/// Arguments come as the boundary says.
void PropagationGraph::addArguments() {
  func::FuncOp function = step.getFunction();
  for (BlockArgument argument : function.getArguments()) {
    if (!isTensor(argument))
      continue;
    int32_t node = addNode(NodeKind::Source, nullptr);
    int32_t id = addValue(argument, node);
    Node &source = into.nodes[node];
    source.own =
        into.getPlacements(step.getArgSharding(argument.getArgNumber()),
                           function, into.values[id].stars);
    if (function.getArgAttr(argument.getArgNumber(), attr::param))
      for (auto [axis, placement] : llvm::enumerate(source.own))
        if (placement.kind == Placement::Split && placement.dim >= 0)
          into.values[id].kept |= AxisSet(1) << axis;
  }
}

void PropagationGraph::addBlock(Block &block) {
  for (Operation &op : block)
    addOp(op);
}

void PropagationGraph::addOp(Operation &op) {
  if (op.hasTrait<OpTrait::IsTerminator>()) {
    if (isa<func::ReturnOp>(op))
      addTerminator(&op);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && into.model.contains(&op))
    return addFor(loop);
  bool isModel = into.model.contains(&op);
  if (auto loop = dyn_cast<scf::WhileOp>(op); loop && isModel)
    return addWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && isModel)
    return addIf(branch);
  if (isFree(&op)) {
    for (Value result : op.getResults())
      if (isTensor(result)) {
        int32_t id = addValue(result, -1);
        into.values[id].isFree = true;
        into.values[id].isZero = isZero(result);
      }
    return;
  }
  std::optional<PartitionRule> rule;
  if (isModel)
    rule = getPartitionRule(&op);
  if (!rule) {
    // Runs as exported; what it yields is as exported.
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        addSink(operand, &op);
    });
    if (!isModel)
      return;
    for (Value result : op.getResults())
      if (isTensor(result)) {
        int32_t node = addNode(NodeKind::Source, &op);
        int32_t id = addValue(result, node);
        into.nodes[node].own = into.getExported(id);
      }
    return;
  }
  int32_t node = addNode(NodeKind::Op, &op);
  into.nodeOf[&op] = node;
  AxisSet scalars = 0;
  op.walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!isTensor(operand) &&
          !op.isAncestor(operand.getParentRegion()->getParentOp()))
        scalars |= getStars(operand);
  });
  for (Value operand : op.getOperands())
    addUse(node, operand);
  for (Value captured : rule->captured)
    addUse(node, captured);
  AxisSet kept = 0;
  bool isOther = false;
  for (int32_t id : into.nodes[node].operands)
    if (id >= 0 && !into.values[id].isFree) {
      isOther |= !into.values[id].kept;
      kept |= into.values[id].kept;
    }
  for (Value result : op.getResults())
    into.values[addValue(result, node)].kept = isOther ? 0 : kept;
  into.nodes[node].scalarStars = scalars;
  into.nodes[node].rule = std::make_shared<PartitionRule>(std::move(*rule));
  if (auto marker = dyn_cast<LocalGradOp>(op)) {
    const Parameter *parameter = step.lookup(marker.getParam());
    if (parameter) {
      int32_t of =
          into.lookup(step.getFunction().getArgument(parameter->argument));
      into.nodes[node].own = into.nodes[into.values[of].producer].own;
    }
  }
  addPins(op);
}

/// What users wrote on an op's results: uses see the value behind it.
void PropagationGraph::addPins(Operation &op) {
  auto pins = op.getAttrOfType<ArrayAttr>(attr::sharding);
  auto blocks = op.getAttrOfType<ArrayAttr>(attr::blocks);
  if (!pins)
    return;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    auto pin = cast<ShardingAttr>(pins[i]);
    ArrayRef<int64_t> counts;
    if (blocks)
      counts = cast<DenseI64ArrayAttr>(blocks[i]);
    // Sums are reduced where it costs least; what is not named is free.
    AxisSet fixed = getSet(pin.getVarying());
    size_t groups = 0;
    for (unsigned dim = 0; dim < pin.getDims().size(); ++dim) {
      fixed |= getSet(cast<ArrayAttr>(pin.getDims()[dim]));
      groups += pin.getDimGroups(dim).size();
    }
    if (!(fixed & into.active))
      continue;
    int32_t node = addTie(result, result, 0);
    Node &added = into.nodes[node];
    added.kind = NodeKind::Pin;
    added.own = into.getPlacements(
        pin, &op, into.values[into.lookup(result)].stars,
        counts.size() == groups ? counts : ArrayRef<int64_t>());
    added.fixed = fixed & into.active;
    // Known to all axes from the start.
    for (unsigned axis = 0; axis < into.getNumAxes(); ++axis)
      if (added.fixed >> axis & 1)
        added.strategies[axis] = getStrategy(added.own[axis]);
  }
}

/// Values of one placement: what `from` become `to`.
int32_t PropagationGraph::addTie(ValueRange from, ValueRange to,
                                 AxisSet scalars) {
  int32_t node = addNode(NodeKind::Tie, nullptr);
  for (Value value : from)
    addUse(node, value);
  for (Value value : to)
    addValue(value, node);
  auto rule = std::make_shared<PartitionRule>();
  SmallVector<int64_t> dims;
  for (int64_t extent : cast<RankedTensorType>(to[0].getType()).getShape()) {
    dims.push_back(rule->factors.size());
    rule->factors.push_back({extent, std::nullopt});
  }
  // What a loop yields is added behind its body.
  rule->operands.assign(from.size() + 1, dims);
  rule->results.assign(to.size(), dims);
  into.nodes[node].rule = std::move(rule);
  into.nodes[node].scalarStars = scalars;
  return node;
}

void PropagationGraph::addFor(scf::ForOp loop) {
  AxisSet bounds = getStars(loop.getLowerBound()) |
                   getStars(loop.getUpperBound()) | getStars(loop.getStep());
  SmallVector<int32_t> ties;
  for (auto [init, argument, result] : llvm::zip_equal(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    bool isBelow = below.contains(argument) || !isTensor(argument);
    if (isBelow)
      addSink(init, loop);
    ties.push_back(isBelow ? -1 : addTie(init, argument, bounds));
  }
  addBlock(*loop.getBody());
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [tie, yielded, result] :
       llvm::zip_equal(ties, yield->getOperands(), loop.getResults()))
    if (tie < 0) {
      addSink(yielded, yield);
    } else {
      addUse(tie, yielded);
      into.nodes[tie].end = into.nodes.size();
      addValue(result, tie);
      PartitionRule &rule = *into.nodes[tie].rule;
      rule.results.push_back(rule.results[0]);
    }
}

void PropagationGraph::addWhile(scf::WhileOp loop) {
  SmallVector<int32_t> ties;
  for (auto [init, argument] :
       llvm::zip_equal(loop.getInits(), loop.getBeforeArguments())) {
    ties.push_back(isTensor(argument) ? addTie(init, argument, 0) : -1);
    if (ties.back() < 0)
      addSink(init, loop);
  }
  addBlock(*loop.getBeforeBody());
  scf::ConditionOp condition = loop.getConditionOp();
  AxisSet scalars = getStars(condition.getCondition());
  for (int32_t tie : ties)
    if (tie >= 0)
      into.nodes[tie].scalarStars = scalars;
  for (auto [passed, argument, result] : llvm::zip_equal(
           condition.getArgs(), loop.getAfterArguments(), loop.getResults()))
    if (isTensor(argument))
      addTie(passed, {argument, result}, scalars);
    else
      addSink(passed, condition);
  addBlock(*loop.getAfterBody());
  for (auto [tie, yielded] :
       llvm::zip_equal(ties, loop.getYieldOp()->getOperands()))
    if (tie >= 0)
      addUse(tie, yielded);
}

void PropagationGraph::addIf(scf::IfOp branch) {
  addBlock(*branch.thenBlock());
  if (!branch.elseBlock())
    return;
  addBlock(*branch.elseBlock());
  AxisSet scalars = getStars(branch.getCondition());
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    SmallVector<Value> from = {branch.thenYield().getOperand(i),
                               branch.elseYield().getOperand(i)};
    if (isTensor(result))
      addTie(from, result, scalars);
  }
}

/// A use that wants what was exported, `user`'s if an op of the model.
void PropagationGraph::addSink(Value value, Operation *user) {
  int32_t id = into.lookup(value);
  if (id < 0 || into.values[id].isFree)
    return;
  // The optimizer has parameters as they are stored.
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && !into.model.contains(user) &&
      argument.getOwner()->isEntryBlock() &&
      isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
      step.getFunction().getArgAttr(argument.getArgNumber(), attr::param))
    return;
  int32_t node = addNode(NodeKind::Sink, user);
  into.nodes[node].own = into.getExported(id);
  addUse(node, value);
}

/// Results that the boundary places, and updates, which the optimizer owns;
/// outputs stay as they come, summed.
void PropagationGraph::addTerminator(Operation *terminator) {
  func::FuncOp function = step.getFunction();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    bool isFreeOutput =
        function.getResultAttr(i, attr::output) &&
        llvm::all_of(step.getResultSharding(i).getDims(), [](Attribute dim) {
          return cast<ArrayAttr>(dim).empty();
        });
    if (below.contains(value) || isFreeOutput)
      continue;
    addSink(value, terminator);
    if (function.getResultAttr(i, attr::output) && into.lookup(value) >= 0)
      into.nodes.back().own =
          into.getPlacements(step.getResultSharding(i), function,
                             into.values[into.lookup(value)].stars);
  }
}
