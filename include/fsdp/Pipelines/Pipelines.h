// SPDX-License-Identifier: Apache-2.0
//===- Pipelines.h - the sections of the compiler ---------------*- C++ -*-===//
#ifndef FSDP_PIPELINES_PIPELINES_H
#define FSDP_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace fsdp {

/// Options of the sections that read a plan.
struct PlanOptions : public mlir::PassPipelineOptions<PlanOptions> {
  Option<std::string> config{
      *this, "config",
      llvm::cl::desc("the plan file; without one, attributes count")};
  Option<int64_t> ranks{
      *this, "ranks",
      llvm::cl::desc("number of ranks; overrides the plan's world")};
  Option<int64_t> ranksPerNode{
      *this, "ranks-per-node",
      llvm::cl::desc("ranks of one node; overrides the plan's world")};
};

/// Options of all sections together.
struct CompileOptions : PlanOptions {
  Option<bool> verify{
      *this, "verify",
      llvm::cl::desc("check gradients and collectives of what comes out"),
      llvm::cl::init(true)};
};

/// Options of the check.
struct VerifyOptions : mlir::PassPipelineOptions<VerifyOptions> {
  Option<bool> verdict{*this, "verdict",
                       llvm::cl::desc("print the table of parameters"),
                       llvm::cl::init(false)};
  Option<std::string> json{
      *this, "json",
      llvm::cl::desc("also write the verdict as JSON to this file")};
};

/// Gradients are reduced right, and no rank can hang; on IR of any stage.
void buildVerifyPipeline(mlir::OpPassManager &manager,
                         const VerifyOptions &options = {});
/// To stage imported: only ops we know, every gradient marked.
void buildImportPipeline(mlir::OpPassManager &manager);
/// To stage annotated, but for the loop over micro-batches: what one rank would
/// run on one micro-batch, with the optimizer, unsharded. The reference.
void buildReferencePipeline(mlir::OpPassManager &manager,
                            const PlanOptions &options);
/// To stage annotated: groups, units, placements, optimizer, micro-batches.
void buildAnnotatePipeline(mlir::OpPassManager &manager,
                           const PlanOptions &options);
/// To stage sharded: per-rank shapes, every collective explicit; what comes out
/// is verified, unless told not to.
void buildShardPipeline(mlir::OpPassManager &manager, bool verify = true);

/// Registers them as fsdp-import, fsdp-annotate, fsdp-shard, fsdp-compile and
/// fsdp-verify.
void registerPipelines();

} // namespace fsdp

#endif // FSDP_PIPELINES_PIPELINES_H
