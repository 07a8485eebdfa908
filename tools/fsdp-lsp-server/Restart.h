// SPDX-License-Identifier: Apache-2.0
//===- Restart.h - a server that outlives its crashes -----------*- C++ -*-===//
#ifndef FSDP_TOOLS_LSP_RESTART_H
#define FSDP_TOOLS_LSP_RESTART_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fsdp {

/// Runs `serve`, a language server on standard input and output, in a process
/// of its own, and starts it again with all open documents where it crashes.
int serveAndRestart(llvm::function_ref<int()> serve);

} // namespace fsdp

#endif // FSDP_TOOLS_LSP_RESTART_H
