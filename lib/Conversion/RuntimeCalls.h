// SPDX-License-Identifier: Apache-2.0
//===- RuntimeCalls.h - calls of the runtime's C functions ------*- C++ -*-===//
//
// Builds calls of the functions of Runtime.h and what they take.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_LIB_CONVERSION_RUNTIMECALLS_H
#define FSDP_LIB_CONVERSION_RUNTIMECALLS_H

#include "fsdp/IR/Dialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace fsdp {

class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module) : module(module) {}

  /// Calls a function of the runtime, which is declared at its first call.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef name, mlir::ValueRange operands,
                   mlir::Type result = {});

  /// A C string that says where an op stands in the model: its name locations
  /// as words, for example "h.0.attn bwd".
  mlir::Value getLocation(mlir::OpBuilder &builder, mlir::Location loc);

  /// The address of integers in memory.
  mlir::Value getNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<int64_t> numbers);

  /// An integer constant.
  mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc,
                       int64_t value, mlir::Type type);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::GlobalOp> locations;
  std::map<std::vector<int64_t>, mlir::LLVM::GlobalOp> numbers;
};

} // namespace fsdp

#endif // FSDP_LIB_CONVERSION_RUNTIMECALLS_H
