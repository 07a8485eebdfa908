// SPDX-License-Identifier: Apache-2.0
//===- InitAll.h - register all dialects, passes, pipelines -----*- C++ -*-===//
#ifndef FSDP_INITALL_H
#define FSDP_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fsdp {

/// Registers the fsdp dialect, the upstream dialects and interfaces that the
/// pipelines use, and all passes and pipelines.
void registerAll(mlir::DialectRegistry &registry);

/// Registers dialects and interfaces only, for tools that build pipelines.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace fsdp

#endif // FSDP_INITALL_H
