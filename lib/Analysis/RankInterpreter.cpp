// SPDX-License-Identifier: Apache-2.0
//===- RankInterpreter.cpp - blocks, loops, branches ----------------------===//
#include "RankInterpreter.h"
#include "fsdp/Analysis/PartitionRule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fsdp;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

void RankState::set(unsigned axis, AxisState state) {
  AxisSet bit = AxisSet(1) << axis;
  unsigned at = llvm::popcount(special & (bit - 1));
  different &= ~bit;
  if (special & bit)
    list.erase(list.begin() + at);
  special &= ~bit;
  if (state.kind == AxisState::Any) {
    different |= bit;
  } else if (!state.isPlain()) {
    special |= bit;
    list.insert(list.begin() + at, state);
  }
}

int64_t fsdp::getStride(const RankState &state, unsigned axis,
                        const Axes &axes) {
  AxisState own = state.get(axis);
  int64_t stride = own.inner;
  for (auto [i, other] : llvm::enumerate(axes.getAxes())) {
    AxisState at = state.get(i);
    if (i != axis && at.kind == AxisState::Split && at.dim == own.dim &&
        (at.inner < own.inner ||
         (at.inner == own.inner && at.order < own.order)))
      stride *= other.extent;
  }
  return stride;
}

std::optional<int64_t> fsdp::getInteger(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(64))
    return number.getSExtValue();
  return std::nullopt;
}

const RankState &RankStates::get(Value value) const {
  static const RankState equal;
  auto it = states.find(value);
  return it == states.end() ? equal : it->second;
}

AxisSet RankStates::getSet(Attribute group) const {
  auto it = sets.find(group);
  if (it == sets.end())
    return axes.getWorld();
  AxisSet set = 0;
  for (unsigned axis : it->second)
    set |= AxisSet(1) << axis;
  return set;
}

AxisSet RankStates::getDiffering(Value value) const {
  const RankState &state = get(value);
  return state.isZero ? 0 : state.getAny() | state.getSpecial();
}

Value RankStates::getCause(Value value, AxisSet wanted) const {
  DenseSet<Value> seen;
  // What is not known, or a term, is followed to where it became so.
  auto getSetOf = [&](const RankState &state, auto... kinds) {
    AxisSet set = 0;
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      if (((state.get(axis).kind == kinds) || ...))
        set |= AxisSet(1) << axis;
    return set;
  };
  AxisState::Kind kind = AxisState::Equal;
  for (AxisState::Kind other :
       {AxisState::Partial, AxisState::Any, AxisState::Mixed})
    if (getSetOf(get(value), other) & wanted)
      kind = other;
  auto differs = [&](Value other) {
    const RankState &state = get(other);
    AxisSet own = kind == AxisState::Equal ? getDiffering(other)
                  : kind == AxisState::Any
                      ? getSetOf(state, AxisState::Any, AxisState::Mixed)
                      : getSetOf(state, kind);
    return (own & wanted) && !state.isZero && !seen.contains(other);
  };
  while (seen.insert(value).second) {
    SmallVector<Value> operands;
    if (auto loop = value.getDefiningOp<scf::ForOp>()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      operands = {loop.getYieldedValues()[index], loop.getInitArgs()[index]};
    } else if (Operation *def = value.getDefiningOp()) {
      llvm::append_range(operands, def->getOperands());
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(def->getRegions(), captured);
      llvm::append_range(operands, captured);
    } else if (auto around = dyn_cast<scf::ForOp>(
                   value.getParentBlock()->getParentOp())) {
      auto argument = cast<BlockArgument>(value);
      if (OpOperand *init = around.getTiedLoopInit(argument))
        operands = {init->get(),
                    around.getTiedLoopYieldedValue(argument)->get()};
    }
    auto next = llvm::find_if(operands, differs);
    if (next != operands.end())
      value = *next;
  }
  return value;
}

RankState RankStates::getPlaced(ShardingAttr sharding, Type type) const {
  RankState state;
  auto shape = cast<ShapedType>(type).getShape();
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    unsigned order = 0;
    for (Attribute group : llvm::reverse(sharding.getDimGroups(dim)))
      if (auto it = sets.find(group); it != sets.end())
        for (unsigned axis : llvm::reverse(it->second))
          state.set(axis, isOrdered(group)
                              ? AxisState::split(dim, shape[dim], order++)
                              : AxisState::any());
  }
  for (Attribute group : sharding.getPartial())
    if (auto it = sets.find(group); it != sets.end())
      for (unsigned axis : it->second)
        state.set(axis, AxisState::partial(sharding.getReduction()));
  for (Attribute group : sharding.getVarying())
    if (auto it = sets.find(group); it != sets.end())
      for (unsigned axis : it->second)
        state.set(axis, AxisState::any());
  return state;
}

/// What may be said of either: of a split, what both ways to say it share.
static AxisState joinAxis(AxisState a, AxisState b) {
  if (a == b) {
    std::optional<AxisState> own = a.getOther(), its = b.getOther();
    return own && its && *own == *its ? a : a.with(std::nullopt);
  }
  auto isMixed = [](const AxisState &state) {
    return state.kind == AxisState::Mixed;
  };
  auto isOdd = [](const AxisState &state) {
    return !state.isPlain() && state.kind != AxisState::Partial &&
           state.kind != AxisState::Mixed;
  };
  if ((isMixed(a) || isMixed(b)) && !isOdd(a) && !isOdd(b))
    return AxisState::ofKind(AxisState::Mixed);
  for (std::optional<AxisState> one : {std::optional(a), a.getOther()})
    for (std::optional<AxisState> other : {std::optional(b), b.getOther()})
      if (one && other && *one == *other) {
        return one->with(std::nullopt);
      }
  return AxisState::any();
}

bool RankInterpreter::isSame(int32_t a, int32_t b) const {
  if (a < 0 || b < 0 || a == b)
    return a == b;
  const GradientSum &one = sums[a], &other = sums[b];
  return one.terms == other.terms && one.scales == other.scales &&
         one.reduced == other.reduced &&
         one.bucket.period == other.bucket.period &&
         llvm::equal(one.bucket.pieces, other.bucket.pieces,
                     [&](const Bucket::Piece &p, const Bucket::Piece &q) {
                       return p.offset == q.offset && p.size == q.size &&
                              isSame(p.content, q.content);
                     });
}

RankState RankInterpreter::join(const RankState &a, const RankState &b) const {
  if (a.isZero)
    return b;
  if (b.isZero || a == b)
    return a;
  RankState state = a;
  AxisSet odd = a.getAny() | a.getSpecial() | b.getAny() | b.getSpecial();
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (odd >> axis & 1)
      state.set(axis, joinAxis(a.get(axis), b.get(axis)));
  state.guessed = a.guessed | b.guessed;
  state.isOfGradients = a.isOfGradients || b.isOfGradients;
  if (!isSame(a.sum, b.sum))
    state.sum = -1;
  state.from = a.from == b.from || b.from == -1 ? a.from
               : a.from == -1                   ? b.from
                                                : -2;
  state.origin = a.origin == b.origin ? a.origin : -1;
  return state;
}

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

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void RankInterpreter::visitFor(scf::ForOp loop) {
  AxisSet bounds = getDiffering(loop.getLowerBound()) |
                   getDiffering(loop.getUpperBound()) |
                   getDiffering(loop.getStep());
  Block *body = loop.getBody();
  RankState position;
  for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
    if (bounds >> axis & 1)
      position.set(axis, AxisState::any());
  states[loop.getInductionVar()] = position;
  bool isAccumulation = !body->getOps<LocalGradOp>().empty();
  size_t reported = events.size();
  SmallVector<RankState> carried;
  SmallVector<uint32_t> evenly;
  for (Value init : loop.getInitArgs()) {
    carried.push_back(get(init));
    evenly.push_back(getUniform(init));
  }
  // What still changes after some rounds is not known.
  constexpr unsigned rounds = 8;
  unsigned round = 0;
  for (bool isStable = false; !isStable; ++round) {
    events.resize(reported);
    uniform.clear();
    for (auto [argument, state, dims] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried, evenly)) {
      uniform[argument] = dims;
      RankState &own = states[argument] = state;
      // A sum over micro-batches: what it holds so far is a term of its own.
      own.sum = -1;
      if (isAccumulation)
        own.sum = getOrCreateSum(own, argument);
    }
    visit(*body);
    isStable = true;
    for (auto [state, dims, yielded] : llvm::zip_equal(
             carried, evenly, body->getTerminator()->getOperands())) {
      RankState next = state;
      // What is the same along a dimension is split along it as well.
      for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
        if (AxisState at = get(yielded).get(axis);
            at.kind == AxisState::Split && state.get(axis).isPlain() &&
            (dims >> at.dim & 1))
          next.set(axis, at);
      next = join(next, get(yielded));
      isStable &= (dims & getUniform(yielded)) == dims;
      dims &= getUniform(yielded);
      next.sum = state.sum;
      next.from = -1;
      next.origin = state.origin;
      if (round >= rounds)
        for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
          if (next.get(axis) != state.get(axis))
            next.set(axis, AxisState::any());
      isStable &= next == state;
      state = next;
    }
  }
  for (auto [result, state, argument, yielded] :
       llvm::zip_equal(loop.getResults(), carried, loop.getRegionIterArgs(),
                       body->getTerminator()->getOperands())) {
    RankState &own = states[result] = state;
    own.sum = -1;
    if (get(yielded).sum >= 0 && isAccumulation) {
      bool isEmpty = false;
      Value before = argument;
      int32_t sum = changeSum(get(yielded).sum, [&](GradientSum whole) {
        auto rest = llvm::find_if(
            whole.terms, [&](auto &term) { return term.first == before; });
        bool adds = rest != whole.terms.end() && rest->second == Rational(1);
        if (rest != whole.terms.end())
          whole.terms.erase(rest);
        whole.isAccumulated = adds;
        whole.isLast = !adds;
        isEmpty |= whole.terms.empty();
        return whole;
      });
      own.sum = isEmpty ? -1 : sum;
    }
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      if (bounds >> axis & 1)
        own.set(axis, AxisState::any());
  }
}

/// What a condition that differs chooses differs, but for terms: some ranks
/// may well contribute zero.
void RankInterpreter::visitIf(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    if (!region.empty())
      visit(region.front());
  if (!branch.getNumResults())
    return;
  AxisSet differing = getDiffering(branch.getCondition());
  AxisSet chosen = get(branch.getCondition()).guessed;
  for (auto [result, a, b] :
       llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(),
                       branch.elseYield().getOperands())) {
    RankState state = join(get(a), get(b));
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      if (differing >> axis & 1 && state.get(axis).kind != AxisState::Partial &&
          !state.isZero)
        state.set(axis, AxisState::any());
    state.guessed |= chosen;
    states[result] = state;
  }
}

void RankInterpreter::visitWhile(scf::WhileOp loop) {
  size_t reported = events.size();
  SmallVector<RankState> carried;
  for (Value init : loop.getInits())
    carried.push_back(get(init));
  auto condition = loop.getConditionOp();
  for (bool isStable = false; !isStable;) {
    events.resize(reported);
    for (auto [argument, state] :
         llvm::zip_equal(loop.getBeforeArguments(), carried))
      states[argument] = state;
    visit(*loop.getBeforeBody());
    for (auto [argument, value] :
         llvm::zip_equal(loop.getAfterArguments(), condition.getArgs()))
      assign(argument, get(value));
    visit(*loop.getAfterBody());
    isStable = true;
    for (auto [state, yielded] :
         llvm::zip_equal(carried, loop.getYieldOp().getOperands())) {
      RankState next = join(state, get(yielded));
      next.sum = -1;
      isStable &= next == state;
      state = next;
    }
  }
  AxisSet differing = getDiffering(condition.getCondition());
  for (auto [result, value] :
       llvm::zip_equal(loop.getResults(), condition.getArgs())) {
    RankState state = get(value);
    for (unsigned axis = 0; axis < axes.getAxes().size(); ++axis)
      if (differing >> axis & 1)
        state.set(axis, AxisState::any());
    states[result] = state;
  }
}
