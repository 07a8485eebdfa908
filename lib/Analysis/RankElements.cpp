// SPDX-License-Identifier: Apache-2.0
//===- RankElements.cpp - arithmetic on scalars, one axis at a time -------===//
#include "RankInterpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fsdp;

static bool isPartial(const Element &element, ReductionKind kind) {
  return element.isZero ? kind == ReductionKind::Sum
                        : element.state.kind == AxisState::Partial &&
                              element.state.reduction == kind;
}

/// Sums, differences and multiples of `w + c * digit`.
static std::optional<AxisState> addMultiples(Operation *op,
                                             ArrayRef<Element> in) {
  auto is = [](const Element &e) { return e.state.kind == AxisState::Equal; };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return in[0].state;
  if (op->getNumOperands() != 2 || !is(in[0]) || !is(in[1]))
    return std::nullopt;
  AxisState state;
  int64_t a = in[0].state.coefficient, b = in[1].state.coefficient;
  // Generators of random numbers wrap around; they are no places.
  bool wraps = false;
  if (isa<arith::AddIOp>(op)) {
    wraps = llvm::AddOverflow(a, b, state.coefficient);
  } else if (isa<arith::SubIOp>(op)) {
    wraps = llvm::SubOverflow(a, b, state.coefficient);
  } else if (isa<arith::MulIOp>(op)) {
    std::optional<int64_t> factor = getInteger(op->getOperand(a ? 1 : 0));
    if ((a || b) && !factor)
      return std::nullopt;
    wraps = llvm::MulOverflow(a ? a : b, factor.value_or(0), state.coefficient);
  } else if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    // Between bounds that are equal: what is valid of this rank's chunk.
    state.coefficient = a ? a : b;
    state.isClamped = true;
  } else {
    return std::nullopt;
  }
  if (wraps)
    return std::nullopt;
  return state;
}

/// A comparison that holds on one rank: of a place with this rank's chunk, of
/// the digit with a number. Or of two that are off alike.
static std::optional<AxisState> compare(arith::CmpIOp op,
                                        ArrayRef<Element> in) {
  const AxisState &a = in[0].state, &b = in[1].state;
  if (a.kind != AxisState::Equal || b.kind != AxisState::Equal)
    return std::nullopt;
  // Bounds of a chunk's chunk are off by less than its place is.
  if (a.coefficient == b.coefficient || a.isClamped || b.isClamped)
    return AxisState();
  AxisState state;
  state.kind = AxisState::OneHot;
  std::optional<int64_t> right = getInteger(op.getRhs());
  if (b.coefficient || !right)
    return std::nullopt;
  if (op.getPredicate() == arith::CmpIPredicate::eq)
    return state;
  if (op.getPredicate() == arith::CmpIPredicate::ult && *right > 0 &&
      std::abs(a.coefficient) >= *right)
    return state;
  return std::nullopt;
}

/// A choice between what ranks hold and nothing makes terms of a sum.
static AxisState choose(ArrayRef<Element> in) {
  const Element &condition = in[0], &a = in[1], &b = in[2];
  if (condition.state.kind == AxisState::Equal) {
    for (ReductionKind kind :
         {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min})
      if (isPartial(a, kind) && isPartial(b, kind))
        return AxisState::partial(kind);
    if (a.state == b.state)
      return a.state;
  }
  if (condition.state.kind == AxisState::OneHot && b.isZero) {
    if (a.state.kind == AxisState::Equal && a.state.coefficient) {
      AxisState place = a.state;
      place.kind = AxisState::Masked;
      return place;
    }
    if (a.state.kind == AxisState::Equal || a.state.kind == AxisState::Masked)
      return AxisState::partial(ReductionKind::Sum);
  }
  return AxisState::any();
}

/// Ops through which terms pass.
static std::optional<AxisState> passTerms(Operation *op, ArrayRef<Element> in) {
  auto areAll = [&](ReductionKind kind) {
    return llvm::all_of(in,
                        [&](const Element &e) { return isPartial(e, kind); });
  };
  AxisState sum = AxisState::partial(ReductionKind::Sum);
  // What is no term is one on every rank, once added to some.
  AxisState mixed = AxisState::ofKind(AxisState::Mixed);
  auto isTermOrMixed = [&](const Element &e) {
    return isPartial(e, ReductionKind::Sum) || e.state == mixed ||
           e.state.isPlain();
  };
  auto isEqual = [&](unsigned i) { return in[i].state.isPlain(); };
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op) &&
      llvm::all_of(in, isTermOrMixed))
    return areAll(ReductionKind::Sum) ? sum : mixed;
  if (isa<ScaleOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp>(op) &&
      in[0].state == mixed)
    return mixed;
  if (isa<arith::MulFOp, arith::MulIOp>(op) &&
      ((isPartial(in[0], ReductionKind::Sum) && isEqual(1)) ||
       (isPartial(in[1], ReductionKind::Sum) && isEqual(0))))
    return sum;
  if (isa<arith::DivFOp>(op) && isPartial(in[0], ReductionKind::Sum) &&
      isEqual(1))
    return sum;
  if (isa<ScaleOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
          arith::SIToFPOp>(op) &&
      areAll(ReductionKind::Sum))
    return sum;
  for (auto [kind, isKind] :
       {std::pair(ReductionKind::Max,
                  isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op)),
        {ReductionKind::Min,
         isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op)}})
    if (isKind && llvm::all_of(in, [&, same = kind](const Element &e) {
          return isPartial(e, same) || e.state.isPlain();
        }))
      return AxisState::partial(kind);
  // They are monotone.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
      in[0].state.kind == AxisState::Partial)
    return in[0].state;
  return std::nullopt;
}

Element RankInterpreter::evaluate(Operation *op, ArrayRef<Element> in,
                                  unsigned axis) {
  Element result;
  result.isZero =
      matchPattern(op, m_AnyZeroFloat()) || matchPattern(op, m_Zero());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return evaluateExtract(extract, in.drop_front(), axis);
  if (llvm::all_of(in, [](const Element &e) { return e.state.isPlain(); })) {
    result.isZero |=
        !in.empty() &&
        isa<arith::MulFOp, arith::ExtFOp, arith::TruncFOp, ScaleOp,
            arith::NegFOp>(op) &&
        llvm::any_of(in, [](const Element &e) { return e.isZero; });
    result.isZero |=
        isa<arith::AddFOp, arith::SubFOp>(op) &&
        llvm::all_of(in, [](const Element &e) { return e.isZero; });
    return result;
  }
  // The two digits of a place in blocks.
  if (in[0].state.kind == AxisState::Blocked &&
      isa<arith::RemUIOp, arith::DivUIOp>(op) &&
      getInteger(op->getOperand(1)) == in[0].state.inner) {
    if (isa<arith::RemUIOp>(op))
      result.state.coefficient = in[0].state.coefficient;
    return result;
  }
  if (isa<arith::AndIOp>(op) && in.size() == 2)
    for (unsigned i : {0, 1})
      if (in[i].state.kind == AxisState::OneHot && in[1 - i].state.isPlain())
        return in[i];
  std::optional<AxisState> state = addMultiples(op, in);
  if (auto cmp = dyn_cast<arith::CmpIOp>(op); cmp && !state)
    state = compare(cmp, in);
  if (isa<arith::SelectOp>(op))
    state = choose(in);
  if (!state)
    state = passTerms(op, in);
  // What is made of terms in another way is no term, whatever is added up.
  auto isOfTerms = [](const Element &e) {
    return e.state.kind == AxisState::Partial ||
           e.state.kind == AxisState::Mixed;
  };
  auto isAny = [](const Element &e) { return e.state.kind == AxisState::Any; };
  if (!state && llvm::any_of(in, isOfTerms) && llvm::none_of(in, isAny))
    state = AxisState::ofKind(AxisState::Mixed);
  result.state = state.value_or(AxisState::any());
  return result;
}

/// A read of a tensor: right where the place is that of this rank's chunk.
Element RankInterpreter::evaluateExtract(tensor::ExtractOp op,
                                         ArrayRef<Element> indices,
                                         unsigned axis) {
  Element result;
  const RankState &tensor = get(op.getTensor());
  AxisState state = tensor.get(axis);
  bool isMasked = false, isEqual = true;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t wanted = state.kind == AxisState::Split && int64_t(dim) == state.dim
                         ? -getStride(tensor, axis, axes)
                         : 0;
    isEqual &= index.state.coefficient == wanted;
    isMasked |= index.state.kind == AxisState::Masked;
    isEqual &= index.state.kind == AxisState::Equal ||
               index.state.kind == AxisState::Masked;
  }
  if (tensor.isZero) {
    result.isZero = true;
  } else if (!isEqual || state.kind == AxisState::Any) {
    result.state = AxisState::any();
  } else if (isMasked) {
    result.state.kind = AxisState::Masked;
  } else if (state.kind != AxisState::Split) {
    result.state = state;
  }
  return result;
}
