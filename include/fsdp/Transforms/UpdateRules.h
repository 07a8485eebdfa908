// SPDX-License-Identifier: Apache-2.0
//===- UpdateRules.h - what an optimizer does to one element ----*- C++ -*-===//
//
// The arithmetic of the optimizers that a plan can name, on scalars. A new
// optimizer is a new rule here and a new kind in Plan.h.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_TRANSFORMS_UPDATERULES_H
#define FSDP_TRANSFORMS_UPDATERULES_H

#include "fsdp/Analysis/Plan.h"
#include "mlir/IR/Builders.h"

namespace fsdp {

/// One element's numbers, all of one floating-point type.
struct UpdateInputs {
  mlir::Value parameter, gradient;
  /// In the order of `getStateNames`.
  llvm::SmallVector<mlir::Value> states;
  mlir::Value lr;
  /// What the gradient is multiplied by; null without clipping.
  mlir::Value clip;
  /// 1 - beta^step; null for optimizers without.
  mlir::Value correction1, correction2;
  double decay = 0;
};

/// The names of the optimizer's states, as PyTorch has them.
llvm::SmallVector<llvm::StringRef>
getStateNames(const PlanOptimizer &optimizer);

/// The new parameter, then the new states.
/// Sources: torch.optim.SGD; torch.optim.AdamW (decoupled decay, Loshchilov and
/// Hutter, arXiv 1711.05101).
llvm::SmallVector<mlir::Value> createUpdate(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            const PlanOptimizer &optimizer,
                                            UpdateInputs inputs);

} // namespace fsdp

#endif // FSDP_TRANSFORMS_UPDATERULES_H
