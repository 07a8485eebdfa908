// SPDX-License-Identifier: Apache-2.0
//===- Runner.h - run a step on N ranks, and check it -----------*- C++ -*-===//
#ifndef FSDP_RUN_RUNNER_H
#define FSDP_RUN_RUNNER_H

#include "Data.h"
#include "Program.h"
#include "Reference.h"

namespace fsdp::run {

/// What the command line says.
struct RunOptions {
  std::string model, config, data, traffic, results;
  int64_t ranks = 0, ranksPerNode = 0, steps = 1, threadsPerRank = 1;
  uint64_t seed = 0;
  double timeout = 120, tolerance = 0;
  bool verify = false, wide = false, quiet = false, sameBatch = false;
  bool check = true, time = false;
  MachineCodeOptions machine;
};

/// Compiles, runs and reports; an error is the one line that the user sees.
llvm::Error run(const RunOptions &options, mlir::MLIRContext &context);

} // namespace fsdp::run

#endif // FSDP_RUN_RUNNER_H
