// SPDX-License-Identifier: Apache-2.0
//===- PlanSupport.h - what the passes that read a plan share ---*- C++ -*-===//
#ifndef FSDP_TRANSFORMS_PLANSUPPORT_H
#define FSDP_TRANSFORMS_PLANSUPPORT_H

#include "fsdp/Analysis/Plan.h"
#include "fsdp/IR/Dialect.h"

namespace fsdp {

/// Reads the plan again without its remarks, which `fsdp-read-plan` has given.
mlir::FailureOr<Plan> rereadPlan(llvm::StringRef path,
                                 mlir::MLIRContext *context);

/// Declares a process group of that name (made unique) and what `spec` says.
/// Fails with an error at the plan's place.
mlir::FailureOr<mlir::FlatSymbolRefAttr>
declarePlanGroup(mlir::ModuleOp module, llvm::StringRef name,
                 const GroupSpec &spec);

/// The process group that a plan refers to: one that is declared, or the one of
/// a spelling or list, declared here. Fails with an error at the plan's place.
mlir::FailureOr<mlir::FlatSymbolRefAttr> getPlanGroup(mlir::ModuleOp module,
                                                      const GroupSpec &spec);

/// The same for a list.
mlir::FailureOr<mlir::ArrayAttr> getPlanGroups(mlir::ModuleOp module,
                                               llvm::ArrayRef<GroupSpec> specs);

/// The product of the groups in `list` as axes of `axes`.
AxisSet getProduct(const Axes &axes, mlir::SymbolTable &symbols,
                   mlir::ArrayAttr list);

/// The smallest group that holds all of `groups`: their product, or the world
/// where they are not compatible.
ClassesAttr getJoin(mlir::ModuleOp module, mlir::ArrayAttr groups);

} // namespace fsdp

#endif // FSDP_TRANSFORMS_PLANSUPPORT_H
