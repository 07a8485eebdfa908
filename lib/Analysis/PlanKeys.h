//===- PlanKeys.h - The keys of a plan file ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// What Plan.cpp, PlanGroups.cpp and PlanUnits.cpp have for one another.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_LIB_ANALYSIS_PLANKEYS_H
#define FSDP_LIB_ANALYSIS_PLANKEYS_H

#include "PlanReader.h"

namespace fsdp::yaml {

/// Reads a spelling, null, a list of classes, or the only class.
mlir::FailureOr<GroupSpec> readGroup(const Node &node);

/// Reads groups by name; unlike a unit's, they are no place for lists of ranks.
mlir::FailureOr<std::vector<GroupSpec>> readGroups(const Node &node);

/// Reads how many ranks there are, all in all and per node.
mlir::FailureOr<PlanWorld> readWorld(const Node &node);

/// Reads groups by name; whether a name is a spelling too is not asked here.
mlir::FailureOr<std::vector<PlanGroup>> readProcessGroups(const Node &node);

/// Reads one mesh, or a list of several views of the same ranks.
mlir::FailureOr<std::vector<PlanGroup>> readMesh(const Node &node);

/// Reads a number > 0.
mlir::FailureOr<Located<double>> readPositiveNumber(const Node &node);

/// The keys of `defaults` and of a unit.
llvm::SmallVector<Key> getSettingKeys(UnitSettings &settings);

/// A strategy of FSDP1 says when to reshard; the newer key must agree.
llvm::LogicalResult checkReshard(const UnitSettings &settings);

/// Reads an entry of `units`, with its settings inline or below `settings`.
mlir::FailureOr<PlanUnit> readUnit(const Node &node);

} // namespace fsdp::yaml

#endif // FSDP_LIB_ANALYSIS_PLANKEYS_H
