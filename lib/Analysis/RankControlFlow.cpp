// SPDX-License-Identifier: Apache-2.0
//===- RankControlFlow.cpp - loops and branches -------------------------===//
#include "RankInterpreter.h"

using namespace mlir;
using namespace fsdp;

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
