// SPDX-License-Identifier: Apache-2.0
//===- Step.h - the step function and its roles -----------------*- C++ -*-===//
//
// One place that finds the step function and reads the roles of its arguments
// and results, so that no pass does it again.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_ANALYSIS_STEP_H
#define FSDP_ANALYSIS_STEP_H

#include "fsdp/IR/Dialect.h"
#include "llvm/ADT/StringMap.h"

namespace fsdp {

/// A parameter and everything that goes with it. Positions are indices of
/// arguments and results of the step function, -1 where there is none.
struct Parameter {
  llvm::StringRef name;
  unsigned argument;
  int updated = -1;
  int grad = -1;
  llvm::SmallVector<unsigned, 2> states;
  llvm::SmallVector<unsigned, 2> updatedStates;
  llvm::SmallVector<LocalGradOp, 1> markers;
};

/// The step function of a module: the one public function with roles.
class Step {
public:
  /// Finds it; fails with a diagnostic where there is none, or more than one.
  static mlir::FailureOr<Step> get(mlir::ModuleOp module);
  /// True where there is one to find.
  static bool exists(mlir::ModuleOp module);

  mlir::func::FuncOp getFunction() const { return function; }
  mlir::Operation *getTerminator() const {
    return getFunction().front().getTerminator();
  }
  llvm::ArrayRef<Parameter> getParameters() const { return parameters; }
  /// The parameter of that name (not an alias), or null.
  const Parameter *lookup(llvm::StringRef name) const;

  /// The string of role `role` of argument `index`, or an empty one.
  llvm::StringRef getArgRole(unsigned index, llvm::StringRef role) const;
  llvm::StringRef getResultRole(unsigned index, llvm::StringRef role) const;
  /// The position of the result that has `role` (with `name`, if given), or -1.
  int findResult(llvm::StringRef role, llvm::StringRef name = {}) const;
  int findArg(llvm::StringRef role, llvm::StringRef name = {}) const;
  /// How the loss is combined; null where there is none, or as exported.
  LossAttr getLoss() const;

  /// The placement of an argument or result, replicated where it has none.
  ShardingAttr getArgSharding(unsigned index) const;
  ShardingAttr getResultSharding(unsigned index) const;

private:
  mlir::func::FuncOp function;
  llvm::SmallVector<Parameter> parameters;
  llvm::StringMap<unsigned> byName;
};

} // namespace fsdp

#endif // FSDP_ANALYSIS_STEP_H
