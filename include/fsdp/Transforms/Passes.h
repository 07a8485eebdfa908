// SPDX-License-Identifier: Apache-2.0
//===- Passes.h - declarations of the passes of Transforms ----*- C++ -*-===//
#ifndef FSDP_TRANSFORMS_PASSES_H
#define FSDP_TRANSFORMS_PASSES_H

#include "fsdp/IR/Dialect.h"
#include "mlir/Pass/Pass.h"

namespace fsdp {
#define GEN_PASS_DECL
#include "fsdp/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

#endif // FSDP_TRANSFORMS_PASSES_H
