// SPDX-License-Identifier: Apache-2.0
//===- Gemm.h - a contraction as the runtime takes it -----------*- C++ -*-===//
#ifndef FSDP_LIB_CONVERSION_GEMM_H
#define FSDP_LIB_CONVERSION_GEMM_H

#include "fsdp/IR/Dialect.h"
#include "fsdp/Runtime/Runtime.h"
#include <optional>

namespace fsdp {

/// A product of matrices as fsdp_gemm takes it. Where the result's rows have
/// unit stride, it is the transposed product, and the operands are swapped.
struct Gemm {
  FsdpGemm shape;
  bool isSwapped;
};

/// What fsdp_gemm would be told of `op`, on buffers; nothing where it cannot
/// compute it: strides that are not known, or matrices without a dim of unit
/// stride.
std::optional<Gemm> getGemm(ContractOp op);

} // namespace fsdp

#endif // FSDP_LIB_CONVERSION_GEMM_H
