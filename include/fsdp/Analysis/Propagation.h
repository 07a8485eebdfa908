// SPDX-License-Identifier: Apache-2.0
//===- Propagation.h - the placement of every value of a model --*- C++ -*-===//
//
// Decides, for forward and backward, along which factor each op is split on
// each axis: what users wrote on parameters, inputs and activations stays, the
// rest is chosen so that least bytes are sent.
//
// How
// ---
// Axes are decided one after the other. On one axis an op has few choices (its
// *strategy*): run whole, split a factor, pass a partial sum on, or, where
// values vary, run mapped over the axis. A strategy says what placement each
// operand is wanted in and each result comes in; an edge costs the bytes of the
// reshard between the two, and reshards of one value to one placement are
// shared. One pass in program order makes a first choice from the operands
// alone; then passes in both directions give each op the strategy that is best
// with its neighbours' as they are, until nothing changes. Every change lowers
// (bytes, work), so this ends; candidates come from the neighbours only, so it
// is linear in the number of edges.
//
// What varies along an axis has there a leading dimension that no type shows,
// written `star`: value r on rank r is chunk r of it. Being mapped over the
// axis is being split along star. An op may as well leave star whole and split
// another dimension: that is how experts sharded over ranks work on tokens
// that vary over the same ranks, and moving the split from star to the experts'
// dimension is an all-to-all.
//
// A dimension can be split in *blocks*: of each of `blocks` equal blocks every
// rank has its chunk. That is what remains of a split dimension when others
// are merged in front of it.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_ANALYSIS_PROPAGATION_H
#define FSDP_ANALYSIS_PROPAGATION_H

#include "fsdp/Analysis/PartitionRule.h"
#include "fsdp/Analysis/Step.h"

#include <memory>

namespace fsdp {
class Phases;

/// What a value is on one axis.
struct Placement {
  enum Kind : uint8_t { Replicated, Split, Partial };
  /// In a dimension's place: the dimension that no type shows.
  static constexpr int8_t star = -1;

  Kind kind = Replicated;
  int8_t dim = 0;                               // of Split
  ReductionKind reduction = ReductionKind::Sum; // of Partial
  int64_t blocks = 1;                           // of Split

  static Placement split(int64_t dim, int64_t blocks = 1) {
    return {Split, int8_t(dim), ReductionKind::Sum, blocks};
  }
  static Placement partial(ReductionKind reduction) {
    return {Partial, 0, reduction, 1};
  }
  bool operator==(const Placement &other) const {
    return kind == other.kind && dim == other.dim &&
           reduction == other.reduction && blocks == other.blocks;
  }
  bool operator!=(const Placement &other) const { return !(*this == other); }
  bool isSplit(int64_t along) const { return kind == Split && dim == along; }
};

/// One placement per axis.
using Placements = llvm::SmallVector<Placement, 4>;

/// How an op runs on one axis.
struct Strategy {
  enum Kind : uint8_t { Whole, Mapped, Factor, Linear };
  Kind kind = Whole;
  int32_t factor = 0; // of Factor
  int64_t blocks = 1; // of Factor
  uint64_t mask = 0;  // of Linear: the operands that come partial
  bool operator==(const Strategy &other) const {
    return kind == other.kind && factor == other.factor &&
           blocks == other.blocks && mask == other.mask;
  }
};

class Propagation {
public:
  /// A tensor of the model.
  struct Value {
    mlir::Value value;
    /// As exported, and its bytes.
    mlir::RankedTensorType type;
    double bytes = 0;
    /// On which axes it varies, as a set.
    AxisSet stars = 0;
    /// On which axes it is (made of nothing but) a parameter that the user
    /// split there: it is not gathered if there is another way.
    AxisSet kept = 0;
    /// The same wherever it stands: moving it costs nothing.
    bool isFree = false;
    /// A free zero, which is a partial sum as well.
    bool isZero = false;
    int32_t producer = -1;
    llvm::SmallVector<int32_t, 2> users;
    /// What it comes in, per axis.
    Placements placements;
  };

  enum class NodeKind : uint8_t {
    Op,     ///< An op of the model.
    Source, ///< An argument, placed as the boundary says.
    Tie,    ///< Values that are one in different iterations or branches.
    Pin,    ///< What a user wrote on an activation.
    Sink    ///< A use outside of the model, which wants the exported type.
  };

  struct Node {
    NodeKind kind;
    mlir::Operation *op = nullptr;
    std::shared_ptr<PartitionRule> rule;
    llvm::SmallVector<int32_t, 3> operands;
    llvm::SmallVector<int32_t, 1> results;
    /// Of a loop's tie: the first node behind the body.
    int32_t end = -1;
    /// Uses something that varies and is no tensor: can only run mapped there.
    AxisSet scalarStars = 0;
    /// Per axis.
    llvm::SmallVector<Strategy, 4> strategies;
    /// A source's, a sink's or a pin's own placement, a marker's parameter's; a
    /// pin holds on the axes of `fixed`.
    Placements own;
    AxisSet fixed = 0;
  };

  /// Decides placements for a step whose boundary is placed. Fails, with a
  /// diagnostic, where groups are incompatible or an op cannot be split.
  static mlir::FailureOr<std::unique_ptr<Propagation>> run(const Step &step);

  const Axes &getAxes() const { return axes; }
  size_t getNumAxes() const { return axes.getAxes().size(); }
  int64_t getExtent(unsigned axis) const { return axes.getAxes()[axis].extent; }
  /// The axes that the loss is combined over.
  AxisSet getLossAxes() const { return lossAxes; }
  /// The axes on which anything is split at all.
  AxisSet getActive() const { return active; }
  llvm::ArrayRef<Node> getNodes() const { return nodes; }
  const Value &getValue(int32_t id) const { return values[id]; }
  /// The id under which uses see a value, or -1 where it is not of the model.
  int32_t lookup(mlir::Value value) const;
  /// The node of an op of the model, or null.
  const Node *lookup(mlir::Operation *op) const;
  /// True for ops of forward and backward that are not below a marker.
  bool isModel(mlir::Operation *op) const { return model.contains(op); }
  /// The placement that an op wants operand `index` in.
  Placements getWanted(const Node &node, unsigned index) const;
  /// The placements of a value as it is exported: varying, else replicated.
  Placements getExported(int32_t id) const {
    return getMapped(values[id].stars);
  }
  /// True where anything that a node uses varies on the axis.
  bool hasStar(const Node &node, unsigned axis) const;
  /// The placements that `sharding` says of a value that varies on `stars`;
  /// several groups on one dimension are taken in the order of the axes.
  /// `blocks` are those of each group on a dimension, one where there are none.
  Placements getPlacements(ShardingAttr sharding, mlir::Operation *from,
                           AxisSet stars,
                           llvm::ArrayRef<int64_t> blocks = {}) const;
  /// The sharding in the words of groups, made where they have no name.
  /// Adds the blocks of each group on a dimension to `blocks`, if given.
  ShardingAttr
  getSharding(const Placements &placements, int64_t rank, mlir::ModuleOp module,
              llvm::SmallVectorImpl<int64_t> *blocks = nullptr) const;
  /// The groups that run over these axes, major to minor.
  llvm::SmallVector<mlir::Attribute> getGroups(llvm::ArrayRef<unsigned> order,
                                               mlir::ModuleOp module) const;
  /// The axes along which `dim` is split, major to minor.
  llvm::SmallVector<unsigned> getSplits(const Placements &placements,
                                        int64_t dim) const;
  /// Bytes that one rank sends to bring `value` from one placement to another
  /// on `axis`.
  double getBytes(const Value &value, const Placement &from,
                  const Placement &to, unsigned axis) const;
  /// The same on all axes together.
  double getBytes(const Value &value, const Placements &from,
                  const Placements &to) const;

private:
  friend class PropagationGraph;
  class Solver;
  Placements getMapped(AxisSet stars) const;
  Placement getWant(const Node &node, unsigned operand, unsigned axis,
                    const Strategy &strategy) const;
  Placement getComing(const Node &node, unsigned result, unsigned axis,
                      const Strategy &strategy) const;
  mlir::InFlightDiagnostic reportUnsplit(const Node &node, unsigned index,
                                         unsigned axis, bool uneven) const;
  mlir::LogicalResult checkSplits() const;

  Axes axes;
  AxisSet active = 0, lossAxes = 0;
  std::vector<Node> nodes;
  std::vector<Value> values;
  llvm::DenseMap<mlir::Value, int32_t> ids;
  llvm::DenseMap<mlir::Operation *, int32_t> nodeOf;
  llvm::DenseSet<mlir::Operation *> model;
};

} // namespace fsdp

#endif // FSDP_ANALYSIS_PROPAGATION_H
