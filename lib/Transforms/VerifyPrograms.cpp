// SPDX-License-Identifier: Apache-2.0
//===- VerifyPrograms.cpp - one program per range of ranks ----------------===//
//
// Ranks of a range run one program. Where a class of some group has ranks of
// several programs, collective n of one is collective n of the others. Ranks of
// one kind (RankKinds.cpp) stand for all that do the same.
//
//===----------------------------------------------------------------------===//
#include "VerifyCollectives.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace fsdp;

/// More than any schedule has; a loop that runs longer is not unrolled.
static constexpr size_t maxEvents = 1 << 20;

/// A group's position, and a channel.
using Communicator = std::pair<unsigned, int64_t>;

namespace {
class Programs {
public:
  explicit Programs(ModuleOp module) : module(module) {}
  LogicalResult verify();

private:
  LogicalResult readRanges();
  void findKinds();
  FailureOr<SmallVector<ProgramEvent>> list(unsigned program, Region &region);
  LogicalResult match();
  LogicalResult compare(const RankKind &a, const RankKind &b,
                        ArrayRef<CollectiveOpInterface> ofA,
                        ArrayRef<CollectiveOpInterface> ofB);

  ModuleOp module;
  SmallVector<Program> programs;
  llvm::MapVector<Attribute, ClassesAttr> groups;
  SmallVector<RankKind> kinds;
  /// For each program the groups in whose classes it meets others.
  SmallVector<DenseSet<unsigned>> shared;
};
} // namespace

LogicalResult fsdp::verifyPrograms(ModuleOp module) {
  return Programs(module).verify();
}

LogicalResult Programs::verify() {
  if (failed(readRanges()))
    return failure();
  if (programs.size() < 2)
    return success();
  findKinds();
  for (auto [index, program] : llvm::enumerate(programs)) {
    FailureOr<SmallVector<ProgramEvent>> events =
        list(index, program.function.getBody());
    if (failed(events))
      return failure();
    program.events = std::move(*events);
  }
  if (failed(match()))
    return failure();
  return verifyOrder(programs, kinds);
}

/// Finds the programs, by their ranges; these are disjoint and cover the world.
LogicalResult Programs::readRanges() {
  for (auto function : module.getOps<func::FuncOp>())
    if (auto range = function->getAttrOfType<DenseI64ArrayAttr>(attr::ranks))
      programs.push_back({function, {range[0], range[1]}, {}});
  if (programs.empty())
    return success();
  WorldAttr world = getWorld(module);
  if (!world)
    return emitError(module.getLoc(), "expected '")
           << attr::world << "' beside functions with '" << attr::ranks << "'";
  llvm::sort(programs, [](const Program &a, const Program &b) {
    return a.ranks.first < b.ranks.first;
  });
  int64_t next = 0;
  func::FuncOp before = programs.front().function;
  auto complain = [&](func::FuncOp function, int64_t rank, StringRef got) {
    InFlightDiagnostic diag = function.emitOpError("expected '")
                              << attr::ranks
                              << "' to have every rank once, but got rank "
                              << rank << ' ' << got;
    if (before != function)
      diag.attachNote(before.getLoc()) << "the ranges below it end here";
    return diag;
  };
  for (const Program &program : programs) {
    if (program.ranks.first < next)
      return complain(program.function, program.ranks.first, "twice");
    if (program.ranks.first > next)
      return complain(program.function, next, "in no range");
    next = program.ranks.last + 1;
    before = program.function;
  }
  if (next < world.getRanks())
    return complain(before, next, "in no range");
  return success();
}

/// Finds the kinds of ranks, and which groups link which programs.
void Programs::findKinds() {
  SymbolTable symbols(module);
  for (Program &program : programs)
    program.function.walk([&](CollectiveOpInterface op) {
      if (!groups.contains(op.getGroupRef()))
        groups[op.getGroupRef()] = lookupClasses(symbols, op.getGroupRef());
    });
  kinds = findRankKinds(
      llvm::map_to_vector(programs, [](auto &p) { return p.ranks; }),
      llvm::map_to_vector(groups, [](auto &entry) { return entry.second; }));
  shared.resize(programs.size());
  for (unsigned group = 0; group < groups.size(); ++group) {
    std::map<unsigned, DenseSet<unsigned>> members;
    for (const RankKind &kind : kinds)
      members[kind.classes[group]].insert(kind.program);
    for (auto &[number, present] : members)
      if (present.size() > 1)
        for (unsigned program : present)
          shared[program].insert(group);
  }
}

//===----------------------------------------------------------------------===//
// What each program does
//===----------------------------------------------------------------------===//

/// How often the collectives of the regions of `op`, listed in `inner`, run one
/// after the other; more than there may be where that is not known. Of branches
/// with equal collectives the first stands for all.
static size_t getTimes(Operation *op,
                       ArrayRef<SmallVector<ProgramEvent>> inner) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (std::optional<APInt> count = loop.getStaticTripCount())
      return count->getLimitedValue(maxEvents + 1);
  auto isSame = [](const ProgramEvent &a, const ProgramEvent &b) {
    return a.isWait == b.isWait && describe(a.op) == describe(b.op);
  };
  if (isa<scf::ExecuteRegionOp>(op) ||
      (isa<scf::IfOp, scf::IndexSwitchOp>(op) &&
       llvm::all_of(inner, [&](ArrayRef<ProgramEvent> other) {
         return llvm::equal(inner.front(), other, isSame);
       })))
    return 1;
  return maxEvents + 1;
}

/// The collectives and waits of `region` that other programs take part in.
FailureOr<SmallVector<ProgramEvent>> Programs::list(unsigned program,
                                                    Region &region) {
  SmallVector<ProgramEvent> events;
  for (Operation &op : region.getOps()) {
    auto collective = dyn_cast<CollectiveOpInterface>(op);
    auto wait = dyn_cast<WaitOp>(op);
    if (wait)
      collective = cast<CollectiveOpInterface>(wait.getToken().getDefiningOp());
    if (collective) {
      unsigned group = groups.find(collective.getGroupRef()) - groups.begin();
      if (shared[program].contains(group))
        events.push_back({collective, group, bool(wait)});
      continue;
    }
    SmallVector<SmallVector<ProgramEvent>> inner;
    for (Region &nested : op.getRegions()) {
      FailureOr<SmallVector<ProgramEvent>> listed = list(program, nested);
      if (failed(listed))
        return failure();
      inner.push_back(std::move(*listed));
    }
    auto some =
        llvm::find_if(inner, [](const auto &list) { return !list.empty(); });
    if (some == inner.end())
      continue;
    size_t times = getTimes(&op, inner);
    if (times > maxEvents || events.size() + some->size() * times > maxEvents) {
      InFlightDiagnostic diag =
          op.emitOpError("expected a constant number of collectives with other "
                         "programs, at most ")
          << maxEvents << ", but got a condition or a trip count that makes it "
          << "another";
      diag.attachNote(some->front().op->getLoc()) << "one is here";
      return diag;
    }
    for (size_t i = 0; i < times; ++i)
      llvm::append_range(events, inner.front());
  }
  return events;
}

/// Programs that meet in a class have equal sequences on each communicator.
LogicalResult Programs::match() {
  SmallVector<std::map<Communicator, SmallVector<CollectiveOpInterface>>>
      sequences(programs.size());
  for (auto [program, sequence] : llvm::zip_equal(programs, sequences))
    for (const ProgramEvent &event : program.events)
      if (!event.isWait)
        sequence[{event.group, getChannel(event.op)}].push_back(event.op);
  for (unsigned group = 0; group < groups.size(); ++group) {
    DenseMap<unsigned, const RankKind *> first;
    DenseSet<std::pair<unsigned, unsigned>> compared;
    for (const RankKind &kind : kinds) {
      const RankKind &other =
          *first.try_emplace(kind.classes[group], &kind).first->second;
      if (kind.program == other.program ||
          !compared.insert({other.program, kind.program}).second)
        continue;
      SetVector<Communicator> communicators;
      for (unsigned program : {other.program, kind.program})
        for (auto &[communicator, sequence] : sequences[program])
          if (communicator.first == group)
            communicators.insert(communicator);
      for (Communicator communicator : communicators)
        if (failed(compare(other, kind, sequences[other.program][communicator],
                           sequences[kind.program][communicator])))
          return failure();
    }
  }
  return success();
}

/// Compares what two ranks of a class run on one communicator.
LogicalResult Programs::compare(const RankKind &a, const RankKind &b,
                                ArrayRef<CollectiveOpInterface> ofA,
                                ArrayRef<CollectiveOpInterface> ofB) {
  for (auto [first, second] : llvm::zip(ofA, ofB)) {
    std::string wanted = describe(first), found = describe(second);
    if (wanted == found)
      continue;
    CollectiveOpInterface(second)
            ->emitOpError("expected ")
            .append(wanted, ", as rank ", a.rank, " runs with rank ", b.rank,
                    ", but got ", found)
            .attachNote(CollectiveOpInterface(first)->getLoc())
        << "rank " << a.rank << " runs this";
    return failure();
  }
  if (ofA.size() == ofB.size())
    return success();
  const RankKind &longer = ofA.size() > ofB.size() ? a : b;
  const RankKind &shorter = ofA.size() > ofB.size() ? b : a;
  CollectiveOpInterface extra =
      ofA.size() > ofB.size() ? ofA[ofB.size()] : ofB[ofA.size()];
  extra->emitOpError("expected rank ")
          .append(shorter.rank, " to take part, as rank ", longer.rank,
                  " does, but got a program without it")
          .attachNote(programs[shorter.program].function.getLoc())
      << "the program";
  return failure();
}
