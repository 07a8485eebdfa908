// SPDX-License-Identifier: Apache-2.0
//===- fsdp-opt.cpp - the pass driver -------------------------------------===//
#include "Emit.h"
#include "fsdp/InitAll.h"
#include "fsdp/Target/MachineCode.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;
using fsdp::Emit;

static cl::opt<Emit> emitKind(
    "emit",
    cl::desc("what to write to -o behind --fsdp-codegen; machine code is for "
             "this machine, and its C header lies beside it"),
    cl::values(clEnumValN(Emit::Text, "text", "the module"),
               clEnumValN(Emit::Object, "object", "an object file"),
               clEnumValN(Emit::Shared, "shared", "a shared library")),
    cl::init(Emit::Text));
static cl::opt<std::string>
    cache("cache", cl::desc("with --emit: keep compiled kernels in this folder"),
          cl::value_desc("DIR"));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  fsdp::registerAll(registry);
  fsdp::registerTranslations(registry);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "shards training steps over named process groups\n",
      registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  // Exporters' own ops come in generic form; import maps or rejects them.
  config.allowUnregisteredDialects(true);
  bool isText = emitKind == Emit::Text;
  std::string error;
  if (!isText && output == "-")
    error = "expected -o FILE with --emit";
  auto source =
      error.empty() ? mlir::openInputFile(input, &error) : nullptr;
  auto target = source ? mlir::openOutputFile(isText ? output : "-", &error)
                       : nullptr;
  if (!target) {
    llvm::errs() << "error: " << error << "\n";
    return 1;
  }
  llvm::raw_null_ostream nowhere;
  if (!isText) {
    auto asGiven = config;
    config.setPassPipelineSetupFn([=, file = output](mlir::PassManager &passes) {
      if (mlir::failed(asGiven.setupPassPipeline(passes)))
        return mlir::failure();
      passes.addPass(fsdp::createEmitPass({emitKind, file, cache}));
      return mlir::success();
    });
  }
  if (mlir::failed(mlir::MlirOptMain(
          isText ? static_cast<llvm::raw_ostream &>(target->os()) : nowhere,
          std::move(source), registry, config)))
    return 1;
  target->keep();
  return 0;
}
