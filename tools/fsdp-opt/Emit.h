// SPDX-License-Identifier: Apache-2.0
//===- Emit.h - files from a lowered step -----------------------*- C++ -*-===//
#ifndef FSDP_OPT_EMIT_H
#define FSDP_OPT_EMIT_H

#include "mlir/Pass/Pass.h"

namespace fsdp {

enum class Emit { Text, Object, Shared };

struct EmitOptions {
  Emit kind;
  /// The file; its header lies beside it, with the extension .h.
  std::string output;
  /// As MachineCodeOptions::cache.
  std::string cache;
};

/// A pass that writes a module in the LLVM dialect as machine code.
std::unique_ptr<mlir::Pass> createEmitPass(EmitOptions options);

} // namespace fsdp

#endif // FSDP_OPT_EMIT_H
