// SPDX-License-Identifier: Apache-2.0
//===- Passes.h - declarations of the passes of Conversion ----*- C++ -*-===//
#ifndef FSDP_CONVERSION_PASSES_H
#define FSDP_CONVERSION_PASSES_H

#include "fsdp/IR/Dialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace fsdp {
#define GEN_PASS_DECL
#include "fsdp/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "fsdp/Conversion/Passes.h.inc"

namespace attr {
/// On a function: the bytes of its arena.
constexpr llvm::StringLiteral arena = "fsdp.arena";
/// On a function: its groups, arguments and results, as they were before
/// bufferization (see `fsdp-record-boundary`).
constexpr llvm::StringLiteral groups = "fsdp.groups";
constexpr llvm::StringLiteral arguments = "fsdp.arguments";
constexpr llvm::StringLiteral results = "fsdp.results";
/// On an argument: a result is to be computed in its place; on a result, and
/// on the argument that it becomes: which of the step's results it is. Of no
/// dialect, so that they outlive those that know it.
constexpr llvm::StringLiteral inPlace = "step.in_place";
constexpr llvm::StringLiteral resultIndex = "step.result";
/// On a kernel: the length of the range that its last two arguments are of.
constexpr llvm::StringLiteral parallel = "fsdp.parallel";
/// On a function: how many of its arguments are arguments of the step, and
/// how many are results; between the passes of the code generation only.
constexpr llvm::StringLiteral entry = "fsdp.entry";
} // namespace attr

/// What the names of entry points begin with (see `fsdp-make-entry`).
constexpr llvm::StringLiteral entryPrefix = "fsdp_entry_";

/// Lets one-shot-bufferize handle the ops of the dialect that reach it.
void registerBufferizationModels(mlir::DialectRegistry &registry);

/// What machine code can rely on.
struct CodegenOptions : mlir::PassPipelineOptions<CodegenOptions> {
  Option<bool> library{
      *this, "library",
      llvm::cl::desc("the runtime computes matrix products (fsdp_has_gemm)"),
      llvm::cl::init(true)};
  Option<bool> inPlace{
      *this, "in-place",
      llvm::cl::desc("updated parameters, states and buffers are written over "
                     "the old ones"),
      llvm::cl::init(true)};
  Option<bool> threads{
      *this, "threads",
      llvm::cl::desc("a rank may have several threads (fsdp_job_set_threads)"),
      llvm::cl::init(false)};
};

/// From stage sharded (or a step for one rank without groups) to the LLVM
/// dialect: for each public function NAME an entry point
/// `void fsdp_entry_NAME(FsdpRank *, void **args, void **results, void *arena)`
/// with the size of its arena in `fsdp.arena`.
void buildLowerToLLVMPipeline(mlir::OpPassManager &manager,
                              const CodegenOptions &options);

/// Registers the above as `fsdp-codegen`.
void registerCodegenPipeline();

} // namespace fsdp

#endif // FSDP_CONVERSION_PASSES_H
