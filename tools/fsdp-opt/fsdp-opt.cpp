// SPDX-License-Identifier: Apache-2.0
//===- fsdp-opt.cpp - the pass driver -------------------------------------===//
#include "fsdp/InitAll.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  fsdp::registerAll(registry);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "shards training steps over named process groups\n",
      registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  // Exporters' own ops come in generic form; import maps or rejects them.
  config.allowUnregisteredDialects(true);
  std::string error;
  auto source = mlir::openInputFile(input, &error);
  auto target = source ? mlir::openOutputFile(output, &error) : nullptr;
  if (!target) {
    llvm::errs() << "error: " << error << "\n";
    return 1;
  }
  if (mlir::failed(
          mlir::MlirOptMain(target->os(), std::move(source), registry, config)))
    return 1;
  target->keep();
  return 0;
}
