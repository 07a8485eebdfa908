// SPDX-License-Identifier: Apache-2.0
//===- fsdp-opt.cpp - the pass driver -------------------------------------===//
//
// Registers everything and hands over to MLIR's driver.
//
//===----------------------------------------------------------------------===//
#include "fsdp/InitAll.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  fsdp::registerAll(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "shards training steps over named process groups\n",
      registry));
}
