// SPDX-License-Identifier: Apache-2.0
//===- Varying.h - along which groups a value differs -----------*- C++ -*-===//
//
// Forward dataflow over the step: a value varies along the groups of the
// arguments that it depends on. Behind a marker a gradient varies as its
// parameter does. One set of groups per value, kept as a bit mask.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_ANALYSIS_VARYING_H
#define FSDP_ANALYSIS_VARYING_H

#include "fsdp/Analysis/Step.h"

namespace fsdp {

class Varying {
public:
  explicit Varying(const Step &step);
  /// The groups along which `value`, of the step's body, differs.
  llvm::SmallVector<mlir::FlatSymbolRefAttr> get(mlir::Value value) const;

private:
  uint64_t getMask(mlir::ArrayAttr groups);
  bool visit(mlir::Block &block);
  bool keepBuffers(const Step &step);

  llvm::SmallVector<mlir::FlatSymbolRefAttr> groups;
  llvm::DenseMap<mlir::Value, uint64_t> masks;
  llvm::StringMap<uint64_t> ofParameter;
};

} // namespace fsdp

#endif // FSDP_ANALYSIS_VARYING_H
