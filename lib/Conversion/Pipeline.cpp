// SPDX-License-Identifier: Apache-2.0
//===- Pipeline.cpp - from a sharded step to the LLVM dialect -------------===//
//
// Tensors, then buffers, then kernels and calls, then the LLVM dialect. The
// order matters most around outlining: all that is known about the step as a
// whole (who may overwrite what, which buffer lives how long) is decided while
// it is one function; all that costs per op is done behind it, once for each
// distinct kernel.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fsdp;

/// Tensors: leaves upstream ops, and starts and waits.
static void buildTensorPipeline(OpPassManager &manager,
                                const CodegenOptions &options) {
  // First, while arguments are tensors with roles.
  manager.addPass(createRecordBoundaryPass());
  // Calls would hide buffers from the arena and collectives from their rank.
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  // Gives collectives the destinations that bufferization needs.
  manager.addPass(createMakeAsyncPass());
  // Behind it nothing asks any more what a slice or a scale means.
  manager.addPass(createLowerLocalPass());
  // Elementwise arith and math on tensors have no bufferization of their own.
  manager.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  // What follows is about speed. Barriers are still there, so nothing that is
  // computed twice on purpose becomes one.
  manager.addPass(createNarrowIntermediatesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Dims of one row stand between ops that could be merged.
  manager.addPass(createFoldUnitDimsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Before fusion, which would take products apart.
  if (options.library)
    manager.addPass(createFormContractionsPass());
  manager.addPass(createFuseElementwisePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // While results have roles.
  if (options.inPlace)
    manager.addPass(createUpdateInPlacePass());
  // Last, since the passes above share empties, and no CSE may follow.
  manager.addPass(createPrepareBufferizationPass());
}

/// Buffers: leaves kernels, calls of them, and collectives on views of one
/// arena.
static void buildBufferPipeline(OpPassManager &manager) {
  // Lets ops write straight into the tensors they are inserted into.
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // What is not a view of anything is contiguous: constants, new tensors. Where
  // both branches of a condition are, so is its result.
  bufferize.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Before results become arguments.
  manager.addPass(createDropInPlaceResultsPass());
  // The host owns results. Right behind bufferization: canonicalization could
  // make two results one value.
  bufferization::BufferResultsToOutParamsPassOptions results;
  results.addResultAttribute = true;
  results.hoistStaticAllocs = true;
  results.modifyPublicFunctions = true;
  manager.addPass(bufferization::createBufferResultsToOutParamsPass(results));
  // Folds casts, loops that carry a buffer, and copies onto themselves, so
  // that equal ops look equal.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Scatters become loops that can be kernels.
  manager.addPass(createLowerScatterPass());
  // Some become loops that can be kernels; the others stay ops, so that the
  // arena sees what they use.
  manager.addPass(createLowerContractionsPass());
  // Before the arena: who may alias whom is plain while buffers are distinct.
  manager.addPass(createOutlineKernelsPass());
  manager.addPass(createPlanArenaPass());
  manager.addPass(createConvertToRuntimePass());
  // All arguments are known now: the rank, the step's own, results, the arena.
  manager.addPass(createMakeEntryPass());
}

/// Kernels: from linalg to loops that LLVM vectorizes.
static void buildKernelPipeline(OpPassManager &manager,
                                const CodegenOptions &options) {
  // Reductions can be told from other ops only before they are loops.
  manager.addPass(createRelaxMathPass());
  manager.addPass(createOrderLoopsPass());
  // Knows which loops are parallel, which those in scf are not told apart by.
  if (options.threads)
    manager.addPass(createSplitKernelsPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerAffinePass());
  // bf16 and f16 are computed in f32 and rounded after each op, as the target
  // does, with no call of a compiler library.
  math::MathExtendToSupportedTypesOptions extend;
  functions.addPass(math::createMathExtendToSupportedTypes(extend));
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16", "f16"};
  emulate.targetTypeStr = "f32";
  functions.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  functions.addPass(arith::createArithExpandOpsPass(expand));
  // There is no rsqrt in libm.
  math::MathExpandOpsPassOptions expandMath;
  expandMath.opMnemonics = {"rsqrt"};
  functions.addPass(math::createMathExpandOpsPass(expandMath));
  // Views become a base, an offset and strides, which LLVM can fold.
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createSCFToControlFlowPass());
}

/// The LLVM dialect.
static void buildLLVMPipeline(OpPassManager &manager,
                              const CodegenOptions &options) {
  // What LLVM has an intrinsic for first, the rest from libm.
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertComplexToLLVMPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  // Shapes are static: a pointer is all of a buffer.
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(functions));
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  // Takes the descriptors apart that were built for each view.
  manager.addPass(createCanonicalizerPass());
  if (options.threads)
    manager.addPass(createCallInParallelPass());
}

void fsdp::buildLowerToLLVMPipeline(OpPassManager &manager,
                                    const CodegenOptions &options) {
  buildTensorPipeline(manager, options);
  buildBufferPipeline(manager);
  buildKernelPipeline(manager, options);
  buildLLVMPipeline(manager, options);
}

void fsdp::registerCodegenPipeline() {
  PassPipelineRegistration<CodegenOptions>(
      "fsdp-codegen",
      "Lower a sharded step to the LLVM dialect, with an entry point for each "
      "public function.",
      buildLowerToLLVMPipeline);
}
