//===- Jit.h - Machine code for a lowered step ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Takes a module in the LLVM dialect (see buildLowerToLLVMPipeline) and gives
// back its entry points as functions of this process.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_RUN_JIT_H
#define FSDP_RUN_JIT_H

#include "fsdp/Runtime/Runtime.h"
#include "fsdp/Target/MachineCode.h"

#include <cstdint>
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace fsdp::run {

/// A compiled step. `arguments` and `results` point to contiguous row-major
/// buffers, in order, no two of which overlap; arguments are not written, but
/// for those in whose place a result is computed (`inPlace`, -1 for the others).
/// `arena` has `arenaBytes` bytes and is aligned to 64; it holds nothing
/// between calls. Ranks may run the function at the same time, each with an
/// arena and results of its own.
struct CompiledStep {
  void (*function)(FsdpRank *rank, void **arguments, void **results,
                   void *arena);
  int64_t arenaBytes;
  /// By result.
  std::vector<int64_t> inPlace;
};

/// Owns machine code; what it has looked up is valid as long as it lives.
class Jit {
public:
  /// Compiles `module`, which must be in the LLVM dialect.
  static llvm::Expected<std::unique_ptr<Jit>>
  create(mlir::ModuleOp module, const MachineCodeOptions &options);
  ~Jit();

  /// The entry point of the public function `name` of `module`, which must be
  /// the module that this was created from.
  llvm::Expected<CompiledStep> lookup(mlir::ModuleOp module,
                                      llvm::StringRef name) const;

  /// How many kernels it has, and how many of them came from the cache.
  int64_t kernels = 0, cached = 0;

private:
  explicit Jit(std::unique_ptr<llvm::orc::LLJIT> engine);
  std::unique_ptr<llvm::orc::LLJIT> engine;
};

} // namespace fsdp::run

#endif // FSDP_RUN_JIT_H
