// SPDX-License-Identifier: Apache-2.0
//===- Pipelines.cpp - the sections of the compiler -----------------------===//
//
// Read from top to bottom: what runs, and why there.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Pipelines/Pipelines.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fsdp;

/// Adds the check of a stage.
static void addStage(OpPassManager &manager, StringRef stage,
                     bool isLast = false) {
  manager.addPass(
      createVerifyStagePass(VerifyStagePassOptions{stage.str(), isLast}));
}

/// Options of a pass that reads the plan.
template <typename PassOptions>
static PassOptions forPass(const PlanOptions &options) {
  PassOptions result;
  result.config = options.config;
  result.ranks = options.ranks;
  result.ranksPerNode = options.ranksPerNode;
  return result;
}

void fsdp::buildImportPipeline(OpPassManager &manager) {
  // First, so that every later pass knows the ops it meets.
  manager.addPass(createLegalizeForeignPass());
  // Exporters outline helpers; analyses look at one body.
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
  // Needs the loads and stores in that body.
  manager.addPass(createLegalizeSeedsPass());
  // Last: the graph's dataflow is now complete.
  manager.addPass(createMarkGradientsPass());
  addStage(manager, "imported");
}

void fsdp::buildReferencePipeline(OpPassManager &manager,
                                  const PlanOptions &options) {
  // World and groups first: all placements are in their terms.
  manager.addPass(createReadPlanPass(forPass<ReadPlanPassOptions>(options)));
  // Groups written by hand, and equal ones made one.
  manager.addPass(createResolveGroupsPass());
  manager.addPass(
      createAssignUnitsPass(forPass<AssignUnitsPassOptions>(options)));
  // Before the boundary is placed, since it adds to it.
  manager.addPass(
      createInsertOptimizerPass(forPass<InsertOptimizerPassOptions>(options)));
  // Needs units, to check their storage.
  manager.addPass(createPlaceBoundaryPass());
}

void fsdp::buildAnnotatePipeline(OpPassManager &manager,
                                 const PlanOptions &options) {
  buildReferencePipeline(manager, options);
  // Changes no value, so the reference needs none of it. In front of the loop,
  // where locations and phases are those of the exported step.
  manager.addPass(createPlaceActivationsPass(
      forPass<PlaceActivationsPassOptions>(options)));
  // Behind the optimizer, which stays outside of the loop.
  manager.addPass(createAccumulatePass());
  addStage(manager, "annotated");
}

void fsdp::buildVerifyPipeline(OpPassManager &manager,
                               const VerifyOptions &options) {
  // First, since numbers of a step that hangs say nothing.
  manager.addPass(createVerifyCollectivesPass());
  manager.addPass(createVerifyGradientsPass(
      VerifyGradientsPassOptions{options.verdict, options.json}));
}

void fsdp::buildShardPipeline(OpPassManager &manager, bool verify) {
  // First what one rank computes; what each stores is decided in its terms.
  manager.addPass(createPartitionPass());
  if (verify)
    buildVerifyPipeline(manager);
  // Needs the loss and buffers as ranks compute them.
  manager.addPass(createCombineResultsPass());
  // Decides storage; right from here on, but everything is gathered.
  manager.addPass(createShardStoragePass());
  // Takes the optimizer's gathers away again.
  manager.addPass(createPartitionUpdatesPass());
  // Phases are clear only once the optimizer's uses are gone.
  manager.addPass(createReshardAfterForwardPass());
  // Knows placements, which are gone behind the next pass.
  manager.addPass(createLowerNormPass());
  manager.addPass(createLowerReshardsPass());
  addStage(manager, "sharded", /*isLast=*/true);
  // Behind the stage, which says that gradients are now summed.
  if (verify)
    buildVerifyPipeline(manager);
}

void fsdp::registerPipelines() {
  PassPipelineRegistration<>("fsdp-import",
                             "legalise an exported step and mark its gradients",
                             buildImportPipeline);
  PassPipelineRegistration<PlanOptions>(
      "fsdp-annotate",
      "declare groups, units, placements and the optimizer from a plan",
      buildAnnotatePipeline);
  PassPipelineRegistration<>(
      "fsdp-shard", "store shards and make every collective explicit",
      [](OpPassManager &manager) { buildShardPipeline(manager); });
  PassPipelineRegistration<VerifyOptions>(
      "fsdp-verify", "check that gradients are reduced right and nothing hangs",
      buildVerifyPipeline);
  PassPipelineRegistration<CompileOptions>(
      "fsdp-compile", "all sections, from an exported step on",
      [](OpPassManager &manager, const CompileOptions &options) {
        buildImportPipeline(manager);
        buildAnnotatePipeline(manager, options);
        buildShardPipeline(manager, options.verify);
      });
}
