// SPDX-License-Identifier: Apache-2.0
//===- PropagationGraph.h - the values and ops to place ---------*- C++ -*-===//
#ifndef FSDP_LIB_ANALYSIS_PROPAGATIONGRAPH_H
#define FSDP_LIB_ANALYSIS_PROPAGATIONGRAPH_H

#include "fsdp/Analysis/Phases.h"
#include "fsdp/Analysis/Propagation.h"
#include "fsdp/Analysis/Varying.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fsdp {

/// Fills a Propagation's nodes and values from a step.
class PropagationGraph {
public:
  PropagationGraph(const Step &step, Propagation &into);
  /// The axes that any placement names; fails where groups are incompatible.
  mlir::LogicalResult findAxes();
  void build();

private:
  using Node = Propagation::Node;
  using NodeKind = Propagation::NodeKind;

  bool collectModel(mlir::Block &block);
  void addArguments();
  void addBlock(mlir::Block &block);
  void addOp(mlir::Operation &op);
  void addFor(mlir::scf::ForOp loop);
  void addWhile(mlir::scf::WhileOp loop);
  void addIf(mlir::scf::IfOp branch);
  void addTerminator(mlir::Operation *terminator);
  int32_t addTie(mlir::ValueRange from, mlir::ValueRange to, AxisSet scalars);
  void addSink(mlir::Value value, mlir::Operation *user);
  void addPins(mlir::Operation &op);
  int32_t addNode(NodeKind kind, mlir::Operation *op);
  int32_t addValue(mlir::Value value, int32_t producer);
  void addUse(int32_t node, mlir::Value value);
  AxisSet getStars(mlir::Value value);
  AxisSet getSet(mlir::Attribute group);
  AxisSet getSet(mlir::ArrayAttr groups);

  const Step &step;
  Propagation &into;
  Phases phases;
  Varying varying;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Attribute, AxisSet> sets;
  llvm::DenseSet<mlir::Value> below;
  llvm::DenseSet<mlir::Value> sunk;
};

} // namespace fsdp

#endif // FSDP_LIB_ANALYSIS_PROPAGATIONGRAPH_H
