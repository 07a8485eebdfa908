// SPDX-License-Identifier: Apache-2.0
//===- Program.h - a compiled step and its boundary -------------*- C++ -*-===//
//
// What fsdp-run knows of a function: machine code, and for every argument and
// result what it is, its global shape and how it is placed. All of it comes
// from the attributes on the function.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_RUN_PROGRAM_H
#define FSDP_RUN_PROGRAM_H

#include "Jit.h"
#include "Tensor.h"
#include "fsdp/IR/Dialect.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace fsdp::run {

/// One argument or result.
struct Port {
  /// The role without "fsdp.": "param", "grad", ...; and its value.
  std::string role, name;
  Dtype dtype;
  /// The shape of the whole value, and of what one rank passes.
  llvm::SmallVector<int64_t> global, local;
  /// Per dimension the groups that split its storage, major to minor.
  llvm::SmallVector<llvm::SmallVector<ClassesAttr>> storage;
  /// The groups along which it differs.
  llvm::SmallVector<ClassesAttr> varying;
  int64_t batchDim = -1;
  std::optional<double> value;
  /// What its unit says gradients are divided by, instead of the mean.
  std::optional<double> divideFactor;
  bool frozen = false;

  /// The part of a whole value that `rank` stores. What has another shape (a
  /// file may say anything) cannot be cut and stays as it is.
  Tensor shard(const Tensor &whole, int64_t rank) const;
  /// Where `rank` stands in the groups along which the value differs; equal
  /// for ranks that hold the same value.
  llvm::SmallVector<int64_t> getCoordinates(int64_t rank) const;
};

/// Ranks by what they hold: those that stand at the same place along every
/// group along which one of some ports differs share an instance of the
/// unsharded step. Instances are numbered by their first ranks.
struct Instances {
  Instances() = default;
  Instances(llvm::ArrayRef<Port> ports, int64_t ranks);

  /// By rank, its instance; by instance, its first rank.
  std::vector<int64_t> of, first;
};

/// A function with its boundary, compiled.
class Program {
public:
  /// Lowers and compiles the public function of `module`; consumes it. The
  /// time-consuming part of a run. `hasThreads`
  /// lets a rank have several threads, `inPlace` lets it update its
  /// arguments.
  static llvm::Expected<std::unique_ptr<Program>>
  create(mlir::OwningOpRef<mlir::ModuleOp> module,
         const MachineCodeOptions &machine = {}, bool hasThreads = false,
         bool inPlace = false);

  const Jit &getCode() const { return *jit; }

  llvm::ArrayRef<Port> getArguments() const { return arguments; }
  llvm::ArrayRef<Port> getResults() const { return results; }
  int64_t getArenaBytes() const { return step.arenaBytes; }
  /// The process groups by name, in the order in which they were declared.
  llvm::ArrayRef<std::pair<std::string, ClassesAttr>> getGroups() const {
    return groups;
  }

  /// Runs on all ranks of `job`: one list of arguments per rank, in the local
  /// shapes. Leaves one list of results per rank in `outputs`. An argument in
  /// whose place a result is computed is left with any values.
  llvm::Error run(FsdpJob *job,
                  const std::vector<std::vector<Tensor *>> &inputs);

  /// The results of the last run. The next run writes into the same memory, or
  /// into what was put in its place.
  std::vector<std::vector<Tensor>> outputs;
  /// How long the last run took.
  double seconds = 0;

  /// A job with this program's groups.
  llvm::Expected<FsdpJob *> createJob(int64_t ranks, double timeout) const;

private:
  std::vector<Port> arguments, results;
  llvm::SmallVector<std::pair<std::string, ClassesAttr>> groups;
  CompiledStep step{};
  std::unique_ptr<Jit> jit;
  /// One for each rank, made at the first run.
  std::vector<std::vector<char, AlignedAllocator<char>>> arenas;
};

/// The boundary of the function with roles, arguments then results.
std::pair<std::vector<Port>, std::vector<Port>>
readPorts(mlir::func::FuncOp function);

} // namespace fsdp::run

#endif // FSDP_RUN_PROGRAM_H
