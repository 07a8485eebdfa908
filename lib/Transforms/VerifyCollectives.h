// SPDX-License-Identifier: Apache-2.0
//===- VerifyCollectives.h - parts of fsdp-verify-collectives ---*- C++ -*-===//
#ifndef FSDP_LIB_TRANSFORMS_VERIFYCOLLECTIVES_H
#define FSDP_LIB_TRANSFORMS_VERIFYCOLLECTIVES_H

#include "fsdp/IR/Dialect.h"

namespace fsdp {

/// The channel of a collective: the stream that it is started on. A blocking
/// one is made a start on channel 0.
int64_t getChannel(CollectiveOpInterface op);

/// What members of a communicator must agree on, as text: kind, reduction,
/// root, shape, dtype, and the communicator itself.
std::string describe(CollectiveOpInterface op);

/// What one walk of a function finds. Walks are most of what checking costs.
struct Communication {
  mlir::func::FuncOp function;
  llvm::SmallVector<CollectiveOpInterface> collectives;
  llvm::SmallVector<mlir::func::CallOp> calls;
  /// Some are started, or waited for.
  bool isAsync;
};
Communication findCommunication(mlir::func::FuncOp function);
llvm::SmallVector<Communication> findCommunication(mlir::ModuleOp module);

/// A copy of the module, that has these functions, in which those with
/// collectives, and those that return something to them, are inlined; null
/// where there are no calls of any.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
inlineCollectives(mlir::ModuleOp module,
                  llvm::ArrayRef<Communication> functions);

/// Checks starts and waits of `function`: that they pair, that nothing touches
/// a buffer in flight, and that what is in flight together is ordered.
mlir::LogicalResult verifyInFlight(mlir::func::FuncOp function);

/// Checks the functions with `fsdp.ranks` against each other, on each
/// communicator and in their order.
mlir::LogicalResult verifyPrograms(mlir::ModuleOp module);

/// A range of ranks, both ends included.
struct RankRange {
  int64_t first, last;
};

/// One rank for all that run one program and meet the same kinds in each of
/// their classes: what one of them does, and when, all do.
struct RankKind {
  int64_t rank;
  unsigned program;
  /// For each group a number for its class; kinds that meet share it.
  llvm::SmallVector<unsigned> classes;
};

/// Finds the kinds of ranks in programs of these ranges, which are sorted and
/// cover the world, as far as `groups` tell them apart. Costs no more for more
/// ranks, but where a group is a list or groups are incompatible.
llvm::SmallVector<RankKind> findRankKinds(llvm::ArrayRef<RankRange> programs,
                                          llvm::ArrayRef<ClassesAttr> groups);

/// A collective over a group in whose classes programs meet, or its wait.
struct ProgramEvent {
  CollectiveOpInterface op;
  unsigned group; // Its position, as in `RankKind::classes`.
  bool isWait;
};

/// What the ranks of a range run, in order; loops are unrolled.
struct Program {
  mlir::func::FuncOp function;
  RankRange ranks;
  llvm::SmallVector<ProgramEvent> events;
};

/// Checks that programs that agree on each communicator do not wait for each
/// other in a circle.
mlir::LogicalResult verifyOrder(llvm::ArrayRef<Program> programs,
                                llvm::ArrayRef<RankKind> kinds);

} // namespace fsdp

#endif // FSDP_LIB_TRANSFORMS_VERIFYCOLLECTIVES_H
