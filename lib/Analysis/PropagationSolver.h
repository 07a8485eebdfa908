// SPDX-License-Identifier: Apache-2.0
//===- PropagationSolver.h - decide one axis --------------------*- C++ -*-===//
#ifndef FSDP_LIB_ANALYSIS_PROPAGATIONSOLVER_H
#define FSDP_LIB_ANALYSIS_PROPAGATIONSOLVER_H

#include "fsdp/Analysis/Propagation.h"

namespace fsdp {

/// Where factor `factor` in `blocks` blocks lies in `dims`, or nothing.
std::optional<Placement> findFactor(const PartitionRule &rule,
                                    llvm::ArrayRef<int64_t> dims,
                                    int64_t factor, int64_t blocks);

/// The factor along which a dimension that is split in `blocks` blocks over
/// `ranks` ranks is split, as a strategy; nothing where there is none, and then
/// `uneven` says whether one would but for its size.
std::optional<Strategy> findStrategy(const PartitionRule &rule, int64_t dim,
                                     int64_t blocks, int64_t ranks,
                                     bool *uneven);

/// The strategy of a node without factors of its own that keeps `placement`.
Strategy getStrategy(const Placement &placement);

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
  bool improve(int32_t id);
  bool isLink(const Node &node) const;
  Node *getLink(int32_t id) const;
  Node *getNext(int32_t id) const;
  std::optional<Strategy> findFor(const Node &link,
                                  llvm::ArrayRef<int64_t> dims, bool isStarred,
                                  const Placement &placement) const;
  bool improveChain(int32_t id);
  bool endsInMarker(const Node &node) const;
  bool canShowStar(const Node &node) const;
  std::optional<Strategy> getOnly(const Node &node) const;
  bool canRun(const Node &node, const Strategy &strategy) const;
  void collectCandidates(const Node &node,
                         llvm::SmallVectorImpl<Strategy> &candidates) const;
  void addLinear(const Node &node,
                 llvm::SmallVectorImpl<Strategy> &candidates) const;
  void assign(Node &node, const Strategy &strategy);
  Cost evaluate(Node &node, const Strategy &strategy);
  double getCost(int32_t value) const;
  void addWants(const Node &node, int32_t count);

  Propagation &graph;
  unsigned axis;
  int64_t extent;
  AxisSet bit;
  /// By value: what its users want (those decided), and its bytes with all
  /// axes that are decided taken into account.
  std::vector<llvm::SmallVector<Want, 2>> wants;
  std::vector<double> bytes;
  /// In the first pass, what loops carry and nobody has placed.
  std::vector<bool> open;
};

} // namespace fsdp

#endif // FSDP_LIB_ANALYSIS_PROPAGATIONSOLVER_H
