//===- Plan.h - The plan file -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// What a plan file says, key by key, checked as far as it can be without a
// model and a world. Nothing is resolved here: groups keep their spelling, and
// settings that are absent stay absent, so that later entries can merge over
// earlier ones. Every value keeps its place for `plan.yaml:12:5` diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_ANALYSIS_PLAN_H
#define FSDP_ANALYSIS_PLAN_H

#include "fsdp/Analysis/PathGlob.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fsdp {

/// A value and where the plan says it. A default has the place of the mapping
/// that lacks the key.
template <typename T> struct Located {
  T value;
  mlir::FileLineColLoc loc;
};

//===----------------------------------------------------------------------===//
// Groups and the world
//===----------------------------------------------------------------------===//

/// A group as written: a name or spelling ("edp", "set4"), its classes, or a
/// dimension of a mesh. `null` and `None` are read as the spelling "world".
struct GroupSpec {
  std::string spelling;                      // empty for the other two
  std::vector<std::vector<int64_t>> classes; // unchecked, none of them empty
  mlir::FileLineColLoc loc;
  std::vector<int64_t> mesh = {}; // its sizes, most major first; -1: the rest
  unsigned meshDim = 0;           // which of them
};

struct PlanGroup {
  Located<std::string> name;
  GroupSpec spec;
};

struct PlanWorld {
  Located<int64_t> ranks;
  std::optional<Located<int64_t>> ranksPerNode;
  mlir::FileLineColLoc loc;
};

//===----------------------------------------------------------------------===//
// Step
//===----------------------------------------------------------------------===//

enum class Reduction { Mean, Sum };

/// The groups over which the batch is per rank, and over which it is global.
/// `per_rank` and `global` alone mean the whole world and list no group.
struct PlanBatch {
  enum Kind { PerRank, Global, Mixed } kind;
  std::vector<GroupSpec> perRank, global;
  mlir::FileLineColLoc loc;
};

struct PlanLoss {
  Located<Reduction> combine;
  std::vector<GroupSpec> groups;
  std::optional<Located<std::string>> divideBy; // only beside Sum
  mlir::FileLineColLoc loc;
};

struct PlanAccumulate {
  Located<int64_t> steps;
  Located<Reduction> reduce; // default: mean
  mlir::FileLineColLoc loc;
};

enum class BufferUpdate { Mean, Local, Rank0 };

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

enum class ShardingStrategy {
  FullShard,
  ShardGradOp,
  NoShard,
  HybridShard,
  HybridShardZero2
};

enum class DType { AsStored, F16, BF16, F32, F64 };

/// `mp_policy` (param, reduce, output), or Composer's `mixed_precision` (param,
/// reduce, buffer).
struct PlanMixedPrecision {
  std::optional<Located<DType>> param, reduce, output, buffer;
  mlir::FileLineColLoc loc;
};

struct PlanReshard {
  bool enabled;                // false also if the plan says 1
  std::optional<int64_t> size; // ranks to reshard to (>= 2); absent: all
  bool isAuto = false;         // the first two of backward are kept
};

struct PlanProcessGroup {
  GroupSpec shard;
  std::optional<GroupSpec> replicate; // only if the plan gives a pair
  mlir::FileLineColLoc loc;
};

/// What one entry sets; what is absent is not set.
struct UnitSettings {
  std::optional<PlanProcessGroup> processGroup;
  std::optional<Located<ShardingStrategy>> shardingStrategy;
  std::optional<Located<PlanReshard>> reshardAfterForward;
  std::optional<PlanMixedPrecision> mixedPrecision;
  std::optional<Located<double>> gradientDivideFactor; // > 0
};

/// An entry of `units`: exactly one of `match` and `moduleClass` is there.
struct PlanUnit {
  std::optional<Located<PathGlob>> match;
  std::optional<Located<std::string>> moduleClass;
  bool wrapped = true; // false: `settings: {}`
  UnitSettings settings;
  mlir::FileLineColLoc loc;
};

//===----------------------------------------------------------------------===//
// Shardings and the optimizer
//===----------------------------------------------------------------------===//

/// An entry of `shardings` (exactly one of `dims` and `varying`), or of
/// `activations` (`dims` only; `match` is without its ":out").
struct PlanSharding {
  Located<PathGlob> match;
  std::optional<std::vector<std::vector<GroupSpec>>> dims; // major to minor
  std::vector<GroupSpec> varying;
  mlir::FileLineColLoc loc;
};

/// What is absent does not belong to this optimizer, or is switched off.
struct PlanOptimizer {
  enum Kind { SGD, Momentum, AdamW };
  Located<Kind> kind;
  Located<double> lr;                                    // >= 0
  Located<double> weightDecay;                           // >= 0
  std::optional<Located<double>> momentum, beta1, beta2; // in [0, 1)
  std::optional<Located<double>> eps, clipNorm;          // > 0
  std::vector<Located<PathGlob>> noDecay;
  std::optional<Located<int64_t>> noDecayBelowNdim; // >= 1
  mlir::FileLineColLoc loc;
};

struct Plan {
  std::optional<PlanWorld> world;
  std::vector<PlanGroup> processGroups, mesh;
  std::optional<PlanBatch> batch;
  std::optional<PlanLoss> loss;
  std::optional<PlanAccumulate> accumulate;
  std::optional<Located<BufferUpdate>> buffers;
  UnitSettings defaults;
  std::vector<PlanUnit> units; // in order; later ones merge over earlier ones
  std::vector<PlanSharding> shardings, activations;
  std::optional<PlanOptimizer> optimizer;
  std::vector<Located<PathGlob>> activationCheckpointing, ignored;
  mlir::FileLineColLoc loc;
};

/// Reads a plan; a bad one gives exactly one error, at its place.
mlir::FailureOr<Plan> readPlan(llvm::StringRef path, mlir::MLIRContext *ctx);

/// The same from memory; the buffer's name is the file of all locations.
mlir::FailureOr<Plan> readPlan(llvm::MemoryBufferRef buffer,
                               mlir::MLIRContext *ctx);

} // namespace fsdp

#endif // FSDP_ANALYSIS_PLAN_H
