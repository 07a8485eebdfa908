// SPDX-License-Identifier: Apache-2.0
//===- Reference.h - what N ranks should compute ----------------*- C++ -*-===//
//
// The unsharded step, run on one rank: forward and backward once per instance
// (ranks with the same data and the same varying parameters) and micro-batch;
// for every parameter the sum of the marked gradients over those of the loss's
// ranks that hold the same value, times 1/|loss axes| or over a count; then
// clip and optimizer. Who holds the same value is found here by comparing ranks
// one by one, apart from the compiler's rules.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_RUN_REFERENCE_H
#define FSDP_RUN_REFERENCE_H

#include "Program.h"
#include "llvm/ADT/IntEqClasses.h"

namespace fsdp::run {

class Reference {
public:
  /// `module` is what the reference pipeline made, `instances` are those of all
  /// its arguments.
  static llvm::Expected<std::unique_ptr<Reference>>
  create(mlir::ModuleOp module, const Instances &instances);
  ~Reference();

  /// One step. `arguments[instance]` are whole values in the order of the
  /// module's arguments, without those of inputs;
  /// `inputs[instance][microbatch]` are the inputs in order. Returns whole
  /// results, per instance, in the order of the module's results (inputs'
  /// leading dimension stacked in outputs).
  llvm::Expected<std::vector<std::vector<Tensor>>>
  run(const std::vector<std::vector<Tensor>> &arguments,
      const std::vector<std::vector<std::vector<Tensor>>> &inputs);

  llvm::ArrayRef<Port> getArguments() const { return arguments; }
  llvm::ArrayRef<Port> getResults() const { return results; }

private:
  /// What the model computes in one instance: results; marked gradients and
  /// what the loss is divided by, summed over micro-batches in f64.
  struct ModelResults {
    std::vector<Tensor> model, gradients;
    double count = 0;
  };

  Reference() = default;
  mlir::LogicalResult split(mlir::ModuleOp module);
  void readPlacements(mlir::ModuleOp module);
  llvm::ArrayRef<int64_t> getLossRanks(int64_t rank) const;
  llvm::Error runModel(int64_t instance, std::vector<Tensor> values,
                       const std::vector<std::vector<Tensor>> &batches,
                       ModelResults &into);
  static llvm::Expected<std::vector<Tensor>>
  call(Program &program, FsdpJob *job, const std::vector<Tensor> &values);
  double getLossScale(const std::vector<ModelResults> &models, int64_t rank,
                      double steps) const;
  void combine(std::vector<std::vector<Tensor>> &outputs,
               const std::vector<ModelResults> &models, double steps) const;
  std::vector<Tensor> reduce(const std::vector<ModelResults> &models,
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
  Instances instances;
  /// By instance, what its random numbers are shifted by.
  std::vector<int64_t> seedIndex;
  bool mean = true;
  /// The output that the loss is divided by, or -1.
  int count = -1;
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
  /// The ranks whose losses are combined, by the first of them.
  std::map<int64_t, std::vector<int64_t>> lossRanks;
  llvm::IntEqClasses joined;
  /// The common seed after each micro-batch.
  std::vector<Tensor> seeds;
  /// The modules, kept until they are compiled.
  mlir::OwningOpRef<mlir::ModuleOp> modelModule, optimizerModule;
};

} // namespace fsdp::run

#endif // FSDP_RUN_REFERENCE_H
