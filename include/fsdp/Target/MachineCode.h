// SPDX-License-Identifier: Apache-2.0
//===- MachineCode.h - object code for a lowered step -----------*- C++ -*-===//
//
// Kernels are optimized for this machine, each in a module of its own, so that
// a kernel that has been compiled once, for any step, can be taken from a cache.
// The step itself is a list of calls and is only translated.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_TARGET_MACHINECODE_H
#define FSDP_TARGET_MACHINECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fsdp {

struct MachineCodeOptions {
  /// Without it compilation takes a quarter of the time, and code is slow.
  bool optimize = true;
  /// A folder of kernels by the hash of their code and of the machine that they
  /// are for; none if empty. It may be deleted at any time.
  std::string cache;
};

/// Objects that are to be linked together, with the runtime.
struct MachineCode {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  int64_t kernels = 0, cached = 0;
};

/// Registers what translating a module to LLVM IR needs.
void registerTranslations(mlir::DialectRegistry &registry);

/// Object code of `module`, which must be in the LLVM dialect (see
/// buildLowerToLLVMPipeline). Functions whose names begin with `entryPrefix`
/// are visible to others. Errors: a module that cannot be translated; a cache
/// that cannot be written.
llvm::Expected<MachineCode> generateCode(mlir::ModuleOp module,
                                         const MachineCodeOptions &options);

/// The C header of the entry points of `module`, which is as for generateCode:
/// arguments, results, arena and groups of each.
void writeHeader(mlir::ModuleOp module, llvm::raw_ostream &stream);

} // namespace fsdp

#endif // FSDP_TARGET_MACHINECODE_H
