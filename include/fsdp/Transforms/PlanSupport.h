// SPDX-License-Identifier: Apache-2.0
//===- PlanSupport.h - what the passes that read a plan share ---*- C++ -*-===//
#ifndef FSDP_TRANSFORMS_PLANSUPPORT_H
#define FSDP_TRANSFORMS_PLANSUPPORT_H

#include "fsdp/Analysis/Plan.h"
#include "fsdp/Analysis/Step.h"

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

/// The groups that an entry names for each dim, major to minor.
mlir::FailureOr<mlir::ArrayAttr> getPlanDims(mlir::ModuleOp module,
                                             const PlanSharding &entry);

/// Checks a placement that a plan asks for: what `verifySharding` says, and
/// that its groups divide the dims. `what` names the value, `loc` is the place
/// in the plan.
llvm::LogicalResult checkPlanSharding(mlir::ModuleOp module, mlir::Location loc,
                                      ShardingAttr sharding,
                                      llvm::ArrayRef<int64_t> shape,
                                      const llvm::Twine &what);

/// The names of a parameter: its own and those it is tied to.
llvm::SmallVector<llvm::StringRef> getAllNames(const Step &step,
                                               const Parameter &parameter);

/// The product of the groups in `list` as axes of `axes`.
AxisSet getProduct(const Axes &axes, mlir::SymbolTable &symbols,
                   mlir::ArrayAttr list);

inline llvm::SmallVector<mlir::Attribute>
toList(llvm::ArrayRef<mlir::FlatSymbolRefAttr> groups) {
  return llvm::SmallVector<mlir::Attribute>(groups.begin(), groups.end());
}

/// The axes of all groups in `lists` together, and each list as a set of them.
/// Fails where they do not go together; then `conflict`, if given, are two
/// groups that do not.
mlir::FailureOr<Axes>
getSets(int64_t ranks, mlir::SymbolTable &symbols,
        llvm::ArrayRef<llvm::SmallVector<mlir::Attribute>> lists,
        llvm::SmallVectorImpl<AxisSet> &sets,
        std::pair<mlir::Attribute, mlir::Attribute> *conflict = nullptr);

/// The smallest group that holds all of `groups`: their product, or the world
/// where they are not compatible.
ClassesAttr getJoin(mlir::ModuleOp module, mlir::ArrayAttr groups);

/// The groups along which a value varies as a placement may have them: as one,
/// since several may share axes.
mlir::ArrayAttr joinVarying(mlir::ModuleOp module,
                            llvm::ArrayRef<mlir::FlatSymbolRefAttr> groups);

} // namespace fsdp

#endif // FSDP_TRANSFORMS_PLANSUPPORT_H
