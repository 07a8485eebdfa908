// SPDX-License-Identifier: Apache-2.0
//===- ReshardMoves.h - the cheapest way between placements -----*- C++ -*-===//
//
// A change of placement is a sequence of moves, each one collective or less.
// Every move is right by itself, whatever comes before and behind it; so which
// ones to take is a question of cost only, and a search for the shortest path
// answers it.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_LIB_TRANSFORMS_RESHARDMOVES_H
#define FSDP_LIB_TRANSFORMS_RESHARDMOVES_H

#include "fsdp/IR/Dialect.h"

namespace fsdp {

/// A dimension is padded to `extent` rows, and the ranks along `axis` have
/// equal parts of them.
struct Split {
  unsigned axis;
  int64_t extent;
  bool operator==(const Split &other) const {
    return axis == other.axis && extent == other.extent;
  }
  bool operator<(const Split &other) const {
    return std::tie(axis, extent) < std::tie(other.axis, other.extent);
  }
};
using Splits = llvm::SmallVector<Split, 2>;

/// A placement axis by axis: how each dimension is split, major to minor, and
/// over what the value is a sum (maximum, minimum).
struct AxisPlacement {
  llvm::SmallVector<Splits> dims;
  AxisSet partial = 0;
  bool operator<(const AxisPlacement &other) const {
    return std::tie(partial, dims) < std::tie(other.partial, other.dims);
  }
};

struct Move {
  enum Kind {
    /// The last splits of `gathered` end; the dimension is cut to `kept` rows.
    Gather,
    /// `split`, padded to `padded` rows, is split: of a replicated value, of a
    /// partial one.
    Slice,
    ReduceScatter,
    AllReduce,
    /// `split` is split as `gathered` was.
    AllToAll,
    /// A replicated value becomes partial: all ranks but the first have zeros.
    Mask,
    /// A split one does: each rank has its part, and zeros around it.
    Embed,
  };
  Kind kind;
  /// Major to minor.
  llvm::SmallVector<unsigned, 2> axes;
  int64_t gathered = -1, split = -1;
  int64_t kept = 0, padded = 0;
};

/// What the search has to know.
struct ReshardProblem {
  const Axes &axes;
  /// The whole value.
  llvm::ArrayRef<int64_t> shape;
  AxisPlacement source, target;
  /// Partial values are sums.
  bool isSum;
  /// A group may run over several axes in any order. It may not where one of
  /// them has no digits.
  bool canJoin;
};

/// The moves that send the fewest bytes, padding left aside; of these the
/// fewest collectives over the fewest axes.
llvm::SmallVector<Move> findMoves(const ReshardProblem &problem);

/// Builds them: `value` as it is placed afterwards. `reduction` is that of all
/// partial values.
mlir::Value buildMoves(mlir::ModuleOp module, mlir::OpBuilder &builder,
                       mlir::Location loc, mlir::Value value,
                       llvm::ArrayRef<Move> moves, const Axes &axes,
                       ReductionKind reduction);

} // namespace fsdp

#endif // FSDP_LIB_TRANSFORMS_RESHARDMOVES_H
