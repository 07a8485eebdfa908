// SPDX-License-Identifier: Apache-2.0
//===- RankStates.h - what each value is on each axis -----------*- C++ -*-===//
//
// Abstract interpretation of the program that every rank runs. The boundary
// says how arguments are placed; from there each value is found to be, on each
// axis of the rank number,
//
//   equal        the same on all ranks that differ only there
//   split        chunks along a dimension of a value that is the same for all
//   partial      terms of a sum (max, min) that is the same for all
//   any          nothing is known: it may differ
//
// Integers are besides followed as `w + c * digit`, with the rank's own digit:
// that is how a lookup in a split table, a mask of this rank's rows and the
// position in the whole are recognised in plain arithmetic.
//
// Below a marker a value is a sum of c * grad(parameter) with rational c.
//
// One forward pass; loops run to a fixed point. Cost is that of the ops times
// the axes on which something is split, whatever the number of ranks. Nothing
// is reported here: what looks wrong is recorded, and passes decide.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_ANALYSIS_RANKSTATES_H
#define FSDP_ANALYSIS_RANKSTATES_H

#include "fsdp/Analysis/Rational.h"
#include "fsdp/IR/Dialect.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <memory>

namespace fsdp {

/// What a value is on one axis.
struct AxisState {
  enum Kind : uint8_t {
    Equal,
    Split,   ///< chunks along `dim`, each of `inner` rows
    Partial, ///< terms of a `reduction`
    OneHot,  ///< a condition that holds on one of the ranks, at each element
    Masked,  ///< a place in this rank's chunk, or what lies there; garbage on
             ///< ranks that do not hold it
    Blocked, ///< the local position in a dimension of blocks (in bodies only)
    Mixed,   ///< terms of a sum and what is no term, added
    Any
  };
  Kind kind = Equal;
  ReductionKind reduction = ReductionKind::Sum;
  /// Cut to what is valid of a chunk, as a bound of positions.
  bool isClamped = false;
  /// Of a split: the dimension, and how many other axes that split it in
  /// chunks of the same size stand behind this one.
  int8_t dim = 0;
  uint8_t order = 0;
  /// Of a split: local rows behind this rank's digit. The dimension's local
  /// size, but where it is split in blocks.
  int64_t inner = 0;
  /// Of a split: the digit may as well be that of another dimension, since
  /// there is but one row between the two; -1 for none.
  int8_t otherDim = -1;
  uint8_t otherOrder = 0;
  int64_t otherInner = 0;
  /// The value less this times the rank's digit is what `kind` says.
  int64_t coefficient = 0;

  static AxisState any() { return ofKind(Any); }
  static AxisState ofKind(Kind kind) {
    AxisState state;
    state.kind = kind;
    return state;
  }
  static AxisState partial(ReductionKind reduction) {
    AxisState state;
    state.kind = Partial;
    state.reduction = reduction;
    return state;
  }
  static AxisState split(int64_t dim, int64_t inner, unsigned order = 0) {
    AxisState state;
    state.kind = Split;
    state.dim = dim;
    state.inner = inner;
    state.order = order;
    return state;
  }
  /// The same split, said of the other dimension.
  std::optional<AxisState> getOther() const {
    if (kind != Split || otherDim < 0)
      return std::nullopt;
    AxisState state = *this;
    std::swap(state.dim, state.otherDim);
    std::swap(state.inner, state.otherInner);
    std::swap(state.order, state.otherOrder);
    return state;
  }
  /// The same split, that may be said as `other` as well.
  AxisState with(std::optional<AxisState> other) const {
    AxisState state = *this;
    state.otherDim = -1;
    if (other && other->kind == Split && !(*other == state)) {
      state.otherDim = other->dim;
      state.otherInner = other->inner;
      state.otherOrder = other->order;
    }
    return state;
  }
  /// True where both may be said of one value.
  bool matches(const AxisState &other) const {
    std::optional<AxisState> own = getOther(), its = other.getOther();
    return *this == other || (own && *own == other) || (its && *this == *its) ||
           (own && its && *own == *its);
  }
  /// The same on all ranks, and no multiple of the digit off.
  bool isPlain() const { return kind == Equal && !coefficient && !isClamped; }
  /// The other dimension does not count.
  bool operator==(const AxisState &other) const {
    return kind == other.kind && reduction == other.reduction &&
           isClamped == other.isClamped && dim == other.dim &&
           order == other.order && inner == other.inner &&
           coefficient == other.coefficient;
  }
  bool operator!=(const AxisState &other) const { return !(*this == other); }
};

/// Elements, in row-major order, that are each part of a value of their own.
struct Bucket {
  struct Piece {
    int64_t offset, size;
    int32_t content;
  };
  llvm::SmallVector<Piece, 0> pieces;
  /// After so many elements the same pieces come again: the next rank's chunks.
  /// More than there are where each rank has some of the whole. Zero where all
  /// is the first piece.
  int64_t period = 0;
};

/// A value that is a sum of what was marked (or, of a loss or a buffer, of what
/// each rank had), each with a scale.
struct GradientSum {
  /// Pieces that are each a sum, as a position; nothing else then counts.
  Bucket bucket;
  /// Markers, or a value that was scaled or summed without one; behind the
  /// last op of synchronisation.
  llvm::SmallVector<std::pair<mlir::Value, Rational>, 1> terms;
  /// By what arithmetic has multiplied the whole since, step by step: it may
  /// be part of the scale, or of the optimizer.
  llvm::SmallVector<Rational, 1> scales = {Rational(1)};
  /// An `fsdp.scale` is part of it, so that what comes behind is not.
  bool isScaled = false;
  /// Summed over all iterations of a loop, or what the last one left.
  bool isAccumulated = false, isLast = false;
  /// Summed over these axes; of a parameter that is split on these, so that
  /// each rank has the gradient of another chunk.
  AxisSet reduced = 0, chunks = 0;
  /// The last collective or scale, and one that summed what was equal.
  mlir::Operation *last = nullptr, *counted = nullptr;
};

/// What a value is on all axes.
class RankState {
public:
  AxisState get(unsigned axis) const {
    AxisSet bit = AxisSet(1) << axis;
    if (different & bit)
      return AxisState::any();
    return special & bit ? list[llvm::popcount(special & (bit - 1))]
                         : AxisState();
  }
  void set(unsigned axis, AxisState state);
  /// The axes of state `Any`.
  AxisSet getAny() const { return different; }
  /// The axes of a state other than equal and `Any`.
  AxisSet getSpecial() const { return special; }
  bool operator==(const RankState &other) const {
    return different == other.different && special == other.special &&
           list == other.list && isZero == other.isZero &&
           guessed == other.guessed && isOfGradients == other.isOfGradients &&
           sum == other.sum;
  }

  /// All elements are zero, or nobody reads them.
  bool isZero = false;
  /// The axes on which this follows from one of several ways to read a chunk.
  AxisSet guessed = 0;
  /// Made of gradients, in whatever way.
  bool isOfGradients = false;
  /// A sum of gradients, as a position; -1 for none.
  int32_t sum = -1;
  /// Made, element by element, of the gradient of this parameter's position;
  /// -1 for none, -2 for several.
  int32_t from = -1;
  /// A copy (shard, cast, reshape) of this argument; -1 for none.
  int32_t origin = -1;

private:
  AxisSet different = 0, special = 0;
  llvm::SmallVector<AxisState, 1> list;
};

/// Something that cannot be right, or is for passes to judge.
struct RankEvent {
  enum Kind {
    SumOfEqual,     ///< equal values are summed
    SumOfSplit,     ///< different chunks of one value are summed
    OtherSum,       ///< a partial value is reduced in another way
    SumOfMixed,     ///< what is no term is summed with terms
    SumOfAny,       ///< values of which nothing is known are summed
    Distinct,       ///< ranks that hold different parameters exchange them
    Incompatible,   ///< chunks over groups that do not go with this one
    ScaledOther,    ///< what is made of gradients is scaled, and is no gradient
    Factor,         ///< a gradient is multiplied by a number that differs
    GatherEqual,    ///< equal values are gathered
    GatherAny,      ///< values of which nothing is known are gathered
    GatherOther,    ///< the chunks are not those of this dimension and order
    GatherPartial,  ///< terms are gathered
    SlicePartial,   ///< of a term one chunk is kept
    SliceOther,     ///< of a chunk as if it were the whole
    BroadcastSplit, ///< one rank's chunk is given to others
    Drift,          ///< marked, of an equal parameter and loss, yet it differs
    MarkedOther,    ///< marked, and not placed as its parameter
    Use             ///< a gradient meets something that is none
  };
  Kind kind;
  mlir::Operation *op;
  unsigned operand;
  AxisSet axes;
  /// Of a use: what the operand is.
  RankState state;
};

class RankStates {
public:
  /// Interprets `function`, in terms of the first process groups that are
  /// compatible, from the `family`-th on; fails where there is no such family.
  static mlir::FailureOr<std::unique_ptr<RankStates>>
  run(mlir::func::FuncOp function, unsigned family = 0);
  virtual ~RankStates() = default;

  const Axes &getAxes() const { return axes; }
  /// True where `group` has axes here; others are trusted.
  bool has(mlir::Attribute group) const { return sets.contains(group); }
  /// True where besides the order of its ranks is that of the axes.
  bool isOrdered(mlir::Attribute group) const {
    return has(group) && !unordered.contains(group);
  }
  /// The axes of a process group; all where it has none here.
  AxisSet getSet(mlir::Attribute group) const;
  /// The axes of those of `groups` that have axes here.
  template <typename Groups> AxisSet getSets(const Groups &groups) const {
    AxisSet all = 0;
    for (mlir::Attribute group : groups)
      all |= has(group) ? getSet(group) : 0;
    return all;
  }
  /// The axes on which `value` is not known to be equal on all ranks.
  AxisSet getDiffering(mlir::Value value) const;
  /// Where that begins: the value (an argument, a rank index, the result of an
  /// op of equal operands) at which ranks begin to differ on one of `axes`.
  mlir::Value getCause(mlir::Value value, AxisSet axes) const;
  /// True where all rows of a value along `dim` are the same.
  virtual bool repeats(mlir::Value value, int64_t dim) = 0;
  /// What is known of a value.
  const RankState &get(mlir::Value value) const;
  const GradientSum *getSum(const RankState &state) const {
    return state.sum < 0 ? nullptr : &sums[state.sum];
  }
  /// The position of the parameter that a value is, or is made of gradients of;
  /// -1 for none, -2 for several.
  int32_t getParameter(const RankState &state) const;
  /// The axes on which a chunk of one row was read as that of one dimension and
  /// may be that of another, or rows that are the same as those of one rank:
  /// what seems wrong there may be right, unless something is that however it
  /// is read.
  AxisSet getInexact() const { return inexact & ~wrong; }
  /// Those of them on which that is what `state` says.
  AxisSet getInexact(const RankState &state) const {
    return state.guessed & ~wrong;
  }
  llvm::ArrayRef<RankEvent> getEvents() const { return events; }
  /// The state that `sharding` says of a value of local type `type`.
  RankState getPlaced(ShardingAttr sharding, mlir::Type type) const;

protected:
  RankStates() = default;
  Axes axes;
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<unsigned, 2>> sets;
  /// Those of which only sums are known here: nothing is split over them.
  llvm::DenseSet<mlir::Attribute> unordered;
  llvm::DenseMap<mlir::Value, RankState> states;
  std::deque<GradientSum> sums;
  std::vector<RankEvent> events;
  AxisSet inexact = 0, wrong = 0;
  /// The arguments that are parameters.
  llvm::StringMap<unsigned> parameters;
};

} // namespace fsdp

#endif // FSDP_ANALYSIS_RANKSTATES_H
