// SPDX-License-Identifier: Apache-2.0
//===- RankInterpreter.cpp - blocks and their ops -------------------------===//
#include "RankInterpreter.h"
#include "fsdp/Analysis/PartitionRule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

//===----------------------------------------------------------------------===//
// Set up
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<RankStates>> RankStates::run(func::FuncOp function,
                                                       unsigned family) {
  auto interpreter = std::make_unique<RankInterpreter>();
  if (failed(interpreter->init(function, family)))
    return failure();
  interpreter->visit(function.front());
  return std::unique_ptr<RankStates>(std::move(interpreter));
}

LogicalResult RankInterpreter::init(func::FuncOp root, unsigned family) {
  function = root;
  auto module = function->getParentOfType<ModuleOp>();
  WorldAttr world = getWorld(module);
  SmallVector<Member> members =
      getFamily(module, world ? world.getRanks() : 1, family);
  if (members.empty() && family)
    return failure();
  SmallVector<ClassesAttr> classes;
  for (const Member &member : members)
    classes.push_back(member.classes);
  FailureOr<Axes> found = Axes::get(world ? world.getRanks() : 1, classes);
  if (failed(found))
    return failure();
  axes = *found;
  // A list that is a member itself is ordered.
  for (bool isOrdered : {true, false})
    for (Member &member : members) {
      auto name = FlatSymbolRefAttr::get(member.group.getSymNameAttr());
      if (member.isOrdered != isOrdered || sets.contains(name))
        continue;
      if (!isOrdered)
        unordered.insert(name);
      auto &order = sets[name];
      for (unsigned axis : axes.getAxes(member.classes))
        if (axes.getAxes()[axis].extent > 1)
          order.push_back(axis);
    }
  auto stage = module->getAttrOfType<StringAttr>(attr::stage);
  isPerRank = !stage || (stage != "imported" && stage != "annotated");
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto attribute = function.getResultAttrOfType<LossAttr>(i, attr::loss))
      loss = attribute;
  visitArguments();
  return success();
}

/// An argument is placed as its type says: as stored, as in compute, or whole.
void RankInterpreter::visitArguments() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (auto name = function.getArgAttrOfType<StringAttr>(index, attr::param))
      parameters[name.getValue()] = index;
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto sharding =
        function.getArgAttrOfType<ShardingAttr>(index, attr::sharding);
    auto storage =
        function.getArgAttrOfType<ShardingAttr>(index, attr::storage);
    if (!type || (!sharding && !storage))
      continue;
    auto shape =
        function.getArgAttrOfType<DenseI64ArrayAttr>(index, attr::globalShape);
    auto isLocal = [&](ShardingAttr placed) {
      if (!placed || int64_t(placed.getDims().size()) != type.getRank())
        return false;
      return shape ? type.getShape() ==
                         ArrayRef(getLocalShape(function, shape, placed))
                   : isPerRank;
    };
    RankState state;
    if (isLocal(storage))
      state = getPlaced(storage, type);
    else if (isLocal(sharding))
      state = getPlaced(sharding, type);
    else if (sharding)
      state = getPlaced(
          ShardingAttr::getReplicated(type.getContext(), type.getRank())
              .withVarying(sharding.getVarying()),
          type);
    if (function.getArgAttr(index, attr::param))
      state.origin = index;
    // From the second step on, what ranks keep is their own.
    auto kept =
        function->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
            attr::buffers);
    if (function.getArgAttr(index, attr::buffer) && kept && kept == "local")
      for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
        if (getLossAxes() >> axis & 1)
          state.set(axis, AxisState::any());
    states[argument] = state;
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void RankInterpreter::visit(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      visit(&op);
}

void RankInterpreter::setResults(Operation *op, RankState state) {
  for (Value result : op->getResults())
    states[result] = state;
}

/// True where it is known what `op`, of our own dialect, does.
bool RankInterpreter::visitOwn(Operation *op) {
  if (auto index = dyn_cast<RankIndexOp>(op)) {
    visitRankIndex(index);
  } else if (auto marker = dyn_cast<LocalGradOp>(op)) {
    visitMarker(marker);
  } else if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
    visitCollective(collective);
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    visitSlice(slice);
  } else if (auto reshard = dyn_cast<ReshardOp>(op)) {
    visitReshard(reshard);
  } else if (isa<GlobalNormOp>(op)) {
    recordUses(op);
  } else if (auto wait = dyn_cast<WaitOp>(op)) {
    for (auto [result, pending] :
         llvm::zip_equal(wait.getResults(), wait.getPending()))
      assign(result, get(pending));
  } else if (isa<OptimizationBarrierOp>(op)) {
    for (auto [result, operand] :
         llvm::zip_equal(op->getResults(), op->getOperands()))
      assign(result, get(operand));
  } else {
    return false;
  }
  return true;
}

void RankInterpreter::visitRankIndex(RankIndexOp op) {
  RankState state;
  int64_t weight = 1;
  if (auto it = sets.find(op.getGroupAttr()); isOrdered(op.getGroupAttr())) {
    for (unsigned axis : llvm::reverse(it->second)) {
      AxisState digit;
      digit.coefficient = weight;
      state.set(axis, digit);
      weight *= axes.getAxes()[axis].extent;
    }
  } else {
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      state.set(axis, AxisState::any());
  }
  setResults(op, state);
}

void RankInterpreter::visit(Operation *op) {
  if (matchPattern(op, m_Constant())) {
    RankState state;
    state.isZero =
        matchPattern(op, m_AnyZeroFloat()) || matchPattern(op, m_Zero());
    return setResults(op, state);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  // Interfaces are looked up where they can be only.
  bool isOwn = isa_and_present<FsdpDialect>(op->getDialect());
  if (isOwn && visitOwn(op))
    return;
  linalg::LinalgOp linalgOp;
  if (isa_and_present<linalg::LinalgDialect>(op->getDialect()))
    linalgOp = dyn_cast<linalg::LinalgOp>(op);
  auto scatter = dyn_cast<ScatterOp>(op);
  if (linalgOp && linalgOp.hasPureTensorSemantics())
    visitLinalg(linalgOp);
  else if (scatter && scatter.getResult())
    visitScatter(scatter);
  else if (op->hasAttr(attr::rule))
    visitRule(op);
  else if (!visitTensor(op)) {
    bool isArithmetic = isa<ScaleOp>(op) ||
                        op->hasTrait<OpTrait::Elementwise>() ||
                        isa_and_present<arith::ArithDialect>(op->getDialect());
    if (isArithmetic && !op->getNumRegions())
      visitElementwise(op);
    else
      visitUnknown(op);
  }
  // One look at the operands says whether there is more to do.
  AxisSet before = 0, behind = 0;
  bool isOfParameters = false;
  for (Value operand : op->getOperands()) {
    const RankState &state = get(operand);
    before |= state.getAny();
    isOfParameters |= state.isOfGradients || state.sum >= 0 ||
                      state.from != -1 || state.origin >= 0;
  }
  for (Value result : op->getResults())
    behind |= get(result).getAny();
  if (AxisSet fresh = behind & ~before)
    findInexact(op, fresh);
  setGuessed(op);
  if (auto scale = dyn_cast<ScaleOp>(op))
    visitScale(scale);
  else if (isOfParameters)
    followSums(op);
}

void RankInterpreter::findInexact(Operation *op, AxisSet fresh) {
  for (Value operand : op->getOperands())
    for (AxisSet left = fresh; left; left &= left - 1) {
      unsigned axis = llvm::countr_zero(left);
      if (AxisState own = get(operand).get(axis);
          own.kind == AxisState::Split && own.inner == 1)
        guessed |= AxisSet(1) << axis;
    }
}

void RankInterpreter::setGuessed(Operation *op) {
  inexact |= guessed;
  AxisSet all = std::exchange(guessed, 0);
  if (!inexact)
    return;
  auto add = [&](Operation *user) {
    for (Value operand : user->getOperands())
      if (const RankState &state = get(operand); !state.isZero)
        all |= state.guessed;
  };
  add(op);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      add(&inner);
  for (Value result : op->getResults())
    states[result].guessed = all;
}

void RankInterpreter::visitUnknown(Operation *op) {
  AxisSet differing = 0;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      differing |= getDiffering(operand);
  });
  RankState state;
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (differing >> axis & 1)
      state.set(axis, AxisState::any());
  setResults(op, state);
  op->walk([&](Operation *inner) {
    if (inner != op)
      setResults(inner, state);
  });
}

/// An opaque op that says how its dims relate: split along one factor, or not.
void RankInterpreter::visitRule(Operation *op) {
  std::optional<PartitionRule> rule = getPartitionRule(op);
  if (!rule || !rule->captured.empty())
    return visitUnknown(op);
  SmallVector<RankState> results(op->getNumResults());
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis) {
    int64_t factor = -1;
    bool isSplit = false, isMixed = false;
    AxisState split;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      AxisState state = get(operand).get(axis);
      if (state.isPlain())
        continue;
      if (state.kind != AxisState::Split) {
        isMixed = true;
        continue;
      }
      int64_t at = rule->operands[i][state.dim];
      isMixed |= at < 0 || (isSplit && at != factor);
      isSplit = true;
      factor = at;
      split = state;
    }
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      isMixed |= isSplit && get(operand).get(axis).isPlain() &&
                 llvm::is_contained(rule->operands[i], factor);
    for (auto [i, state] : llvm::enumerate(results)) {
      auto dim = llvm::find(rule->results[i], factor);
      if (isMixed || (isSplit && dim == rule->results[i].end()))
        state.set(axis, AxisState::any());
      else if (isSplit)
        state.set(axis, AxisState::split(dim - rule->results[i].begin(),
                                         split.inner, split.order));
    }
  }
  for (auto [result, state] : llvm::zip_equal(op->getResults(), results))
    states[result] = state;
}
