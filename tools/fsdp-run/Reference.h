// SPDX-License-Identifier: Apache-2.0
//===- Reference.h - what N ranks should compute ----------------*- C++ -*-===//
//
// The unsharded step, run on one rank: forward and backward once per rank and
// micro-batch on that rank's data and its own varying parameters; for every
// parameter the sum of the marked gradients over the ranks that hold the same
// value, times 1/|loss axes|; then clip and optimizer. Who holds the same value
// is found here by comparing ranks one by one, apart from the compiler's rules.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_RUN_REFERENCE_H
#define FSDP_RUN_REFERENCE_H

#include "Program.h"

namespace fsdp::run {

class Reference {
public:
  /// `module` is what the reference pipeline made.
  static llvm::Expected<std::unique_ptr<Reference>>
  create(mlir::ModuleOp module, int64_t ranks);
  ~Reference();

  /// One step. `arguments[rank]` are whole values in the order of the module's
  /// arguments, without those of inputs; `inputs[rank][microbatch]` are the
  /// inputs in order. Returns whole results, per rank, in the order of the
  /// module's results (inputs' leading dimension stacked in outputs).
  llvm::Expected<std::vector<std::vector<Tensor>>>
  run(const std::vector<std::vector<Tensor>> &arguments,
      const std::vector<std::vector<std::vector<Tensor>>> &inputs);

  llvm::ArrayRef<Port> getArguments() const { return arguments; }
  llvm::ArrayRef<Port> getResults() const { return results; }

private:
  /// What the model computes on one rank: results, marked gradients summed
  /// over micro-batches in f64.
  struct RankResults {
    std::vector<Tensor> model, gradients;
  };

  Reference() = default;
  mlir::LogicalResult split(mlir::ModuleOp module);
  void readPlacements(mlir::ModuleOp module);
  llvm::Error runModel(int64_t rank, std::vector<Tensor> values,
                       const std::vector<std::vector<Tensor>> &batches,
                       RankResults &into);
  static llvm::Expected<std::vector<Tensor>>
  call(Program &program, FsdpJob *job, const std::vector<Tensor> &values);
  void combine(std::vector<std::vector<Tensor>> &outputs, double steps) const;
  std::vector<Tensor> reduce(const std::vector<std::vector<Tensor>> &gradients,
                             int64_t rank, double steps) const;
  Tensor getNorm(const std::vector<std::vector<Tensor>> &reduced,
                 const std::vector<unsigned> &operands) const;

  /// A result of the step: where it comes from.
  struct Source {
    bool fromModel;
    unsigned index;
    /// False for an output that is the same for all micro-batches.
    bool ofBatch = true;
  };
  int64_t ranks = 1;
  bool mean = true;
  bool accumulateMean = true;
  std::string buffers = "mean";
  std::vector<Port> arguments, results;
  llvm::SmallVector<Source> sources;
  std::unique_ptr<Program> model, optimizer;
  FsdpJob *modelJob = nullptr, *optimizerJob = nullptr;
  /// Per marker: the argument of its parameter.
  llvm::SmallVector<unsigned> markers;
  /// Per norm: the markers of its operands.
  std::vector<std::vector<unsigned>> norms;
  /// Which ranks the loss of each rank is combined with.
  std::vector<std::vector<int64_t>> lossRanks;
  /// The common seed after each micro-batch.
  std::vector<Tensor> seeds;
  /// The modules, kept until they are compiled.
  mlir::OwningOpRef<mlir::ModuleOp> modelModule, optimizerModule;
};

} // namespace fsdp::run

#endif // FSDP_RUN_REFERENCE_H
