//===- Gemm.h - Products of matrices ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_LIB_RUNTIME_GEMM_H
#define FSDP_LIB_RUNTIME_GEMM_H

#include "fsdp/Runtime/Runtime.h"

#include <cstring>
#include <string>

namespace fsdp::rt {

/// Orders products by their bytes: all fields are integers, without padding.
struct GemmOrder {
  bool operator()(const FsdpGemm &a, const FsdpGemm &b) const {
    return std::memcmp(&a, &b, sizeof(FsdpGemm)) < 0;
  }
};

/// Computes a product; see fsdp_gemm. Returns what went wrong, or "".
std::string multiply(const FsdpGemm &gemm, const void *lhs, const void *rhs,
                     void *result);

} // namespace fsdp::rt

#endif // FSDP_LIB_RUNTIME_GEMM_H
