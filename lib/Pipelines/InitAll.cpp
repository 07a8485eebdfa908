// SPDX-License-Identifier: Apache-2.0
//===- InitAll.cpp - register all dialects, passes, pipelines -------------===//
#include "fsdp/InitAll.h"
#include "fsdp/Conversion/Passes.h"
#include "fsdp/Pipelines/Pipelines.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void fsdp::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<FsdpDialect>();
  registerBufferizationModels(registry);
}

void fsdp::registerAll(mlir::DialectRegistry &registry) {
  fsdp::registerAllDialects(registry);
  mlir::registerAllPasses();
  registerFsdpTransformsPasses();
  registerFsdpConversionPasses();
  registerPipelines();
  registerCodegenPipeline();
}
