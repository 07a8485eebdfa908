// SPDX-License-Identifier: Apache-2.0
//===- VerifyCollectives.cpp - no rank can hang in a collective -----------===//
//
// A collective hangs where a member does not come, comes for another one, or
// comes in another order. All ranks run one program, so the first two can only
// come from control flow, which is checked here. What is in flight together is
// checked in VerifyInFlight.cpp, several programs in VerifyPrograms.cpp.
//
//===----------------------------------------------------------------------===//
#include "VerifyCollectives.h"
#include "fsdp/Analysis/RankStates.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fsdp {
#define GEN_PASS_DEF_VERIFYCOLLECTIVESPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct VerifyCollectivesPass
    : public fsdp::impl::VerifyCollectivesPassBase<VerifyCollectivesPass> {
  using VerifyCollectivesPassBase::VerifyCollectivesPassBase;

  void runOnOperation() override {
    // Nothing changes, so nothing need be verified behind this pass.
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    SmallVector<Communication> functions = findCommunication(module);
    if (failed(checkGroups(module, functions)))
      return signalPassFailure();
    // All that a collective runs under is then in one place.
    FailureOr<OwningOpRef<ModuleOp>> inlined =
        inlineCollectives(module, functions);
    if (failed(inlined))
      return signalPassFailure();
    if (*inlined) {
      module = **inlined;
      functions = findCommunication(module);
    }
    bool valid = true;
    for (const Communication &found : functions)
      valid &= succeeded(checkControlFlow(found)) &&
               (!found.isAsync || succeeded(verifyInFlight(found.function)));
    if (!valid || failed(verifyPrograms(module)))
      return signalPassFailure();
  }

  LogicalResult checkGroups(ModuleOp module, ArrayRef<Communication> functions);
  LogicalResult checkControlFlow(const Communication &found);
};

/// One function's control flow around its collectives.
class ControlFlow {
public:
  explicit ControlFlow(func::FuncOp function) : function(function) {}
  /// Checks all that `op` runs under.
  LogicalResult check(CollectiveOpInterface op);

private:
  LogicalResult checkRegion(CollectiveOpInterface op, Region &region);
  LogicalResult checkDeciding(CollectiveOpInterface op, Operation *control,
                              ValueRange deciding, StringRef what);
  const RankStates *getStates(FlatSymbolRefAttr group);
  std::optional<std::pair<Operation *, Operation *>>
  compareBranches(Operation *branch, const RankStates &states,
                  AxisSet differing);
  void list(Region &region, const RankStates &states, AxisSet differing,
            SmallVectorImpl<std::pair<std::string, Operation *>> &sequence);

  func::FuncOp function;
  /// By families of compatible groups, made where they are first needed: most
  /// collectives run under no condition.
  SmallVector<std::unique_ptr<RankStates>> families;
  /// Of branches whose condition differs, where their sequences first do.
  DenseMap<std::pair<Operation *, const RankStates *>,
           std::optional<std::pair<Operation *, Operation *>>>
      compared;
};
} // namespace

/// There is a world, groups are resolved, and channels are numbers of one.
LogicalResult
VerifyCollectivesPass::checkGroups(ModuleOp module,
                                   ArrayRef<Communication> functions) {
  SymbolTable symbols(module);
  for (const Communication &found : functions)
    for (CollectiveOpInterface op : found.collectives) {
      if (!getWorld(module))
        return op->emitOpError("expected a module with '")
               << attr::world << "'";
      if (!lookupClasses(symbols, op.getGroupRef()))
        return op->emitOpError("expected a resolved process group");
      if (getChannel(op) < 0)
        return op->emitOpError("expected a channel of at least 0, but got ")
               << getChannel(op);
    }
  return success();
}

/// Reports the first collective that control flow keeps some ranks from.
LogicalResult
VerifyCollectivesPass::checkControlFlow(const Communication &found) {
  ControlFlow control(found.function);
  for (CollectiveOpInterface op : found.collectives)
    if (failed(control.check(op)))
      return failure();
  return success();
}

/// Checks the regions around `op`, inside out.
LogicalResult ControlFlow::check(CollectiveOpInterface op) {
  for (Region *region = op->getParentRegion();;
       region = region->getParentRegion()) {
    if (failed(checkRegion(op, *region)))
      return failure();
    if (region == &function.getBody())
      return success();
  }
}

/// What decides how often the body of a loop runs; nothing where it is a
/// constant.
static SmallVector<Value> getTripCount(scf::ForOp loop) {
  if (loop.getStaticTripCount())
    return {};
  return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
}

/// Checks what decides whether and how often `region`, with `op` in it, runs.
LogicalResult ControlFlow::checkRegion(CollectiveOpInterface op,
                                       Region &region) {
  // The entry block has no predecessors: it runs once.
  if (region.findAncestorBlockInRegion(*op->getBlock()) != &region.front())
    return op->emitOpError("expected structured control flow around a "
                           "collective, but got a branch between blocks");
  return llvm::TypeSwitch<Operation *, LogicalResult>(region.getParentOp())
      .Case<func::FuncOp, scf::ExecuteRegionOp>(
          [](Operation *) { return success(); })
      .Case<scf::IfOp, scf::IndexSwitchOp>([&](Operation *branch) {
        return checkDeciding(op, branch, branch->getOperand(0),
                             "the condition that it runs under");
      })
      .Case([&](scf::ForOp loop) {
        return checkDeciding(op, loop, getTripCount(loop),
                             "the trip count of its loop");
      })
      .Case([&](scf::WhileOp loop) {
        return checkDeciding(op, loop, loop.getConditionOp().getCondition(),
                             "the trip count of its loop");
      })
      .Default([&](Operation *other) {
        InFlightDiagnostic diag =
            op->emitOpError("expected a collective to run in a fixed order, "
                            "but got one inside of '")
            << other->getName() << "'";
        diag.attachNote(other->getLoc()) << "which gives none";
        return diag;
      });
}

/// What values are along `group`, or along all ranks where no family has it.
const RankStates *ControlFlow::getStates(FlatSymbolRefAttr group) {
  for (unsigned i = 0;; ++i) {
    if (i == families.size()) {
      FailureOr<std::unique_ptr<RankStates>> made =
          RankStates::run(function, i);
      if (failed(made))
        return families.front().get();
      families.push_back(std::move(*made));
    }
    if (families[i]->has(group))
      return families[i].get();
  }
}

/// Checks that `deciding`, by which `control` decides whether or how often `op`
/// runs, are equal on all ranks of its group.
LogicalResult ControlFlow::checkDeciding(CollectiveOpInterface op,
                                         Operation *control,
                                         ValueRange deciding, StringRef what) {
  if (deciding.empty())
    return success();
  const RankStates *states = getStates(op.getGroupRef());
  AxisSet group = states->getSet(op.getGroupRef());
  for (Value value : deciding) {
    AxisSet differing = states->getDiffering(value) & group;
    if (!differing)
      continue;
    std::optional<std::pair<Operation *, Operation *>> first;
    if (isa<scf::IfOp, scf::IndexSwitchOp>(control)) {
      auto [it, isNew] = compared.try_emplace({control, states});
      if (isNew)
        it->second =
            compareBranches(control, *states, states->getDiffering(value));
      if (!(first = it->second))
        continue;
    }
    InFlightDiagnostic diag = op->emitOpError("expected ")
                              << what << " to be equal on all ranks of "
                              << op.getGroupRef()
                              << ", but got one that differs";
    diag.attachNote(control->getLoc()) << "it is decided here";
    Value cause = states->getCause(value, differing);
    diag.attachNote(cause.getLoc()) << "the ranks begin to differ here";
    for (Operation *other :
         {first ? first->first : nullptr, first ? first->second : nullptr})
      if (other && other != op)
        diag.attachNote(other->getLoc())
            << "here the branches have different collectives";
    return diag;
  }
  return success();
}

/// The first two collectives in which two branches of an op differ, of those
/// over groups along which its condition does; null for what is not there.
/// Others only meet ranks that take the same branch.
std::optional<std::pair<Operation *, Operation *>>
ControlFlow::compareBranches(Operation *branch, const RankStates &states,
                             AxisSet differing) {
  using Sequence = SmallVector<std::pair<std::string, Operation *>>;
  Sequence first;
  list(branch->getRegion(0), states, differing, first);
  for (Region &region : branch->getRegions().drop_front()) {
    Sequence other;
    list(region, states, differing, other);
    for (size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
      Operation *here = i < first.size() ? first[i].second : nullptr;
      Operation *there = i < other.size() ? other[i].second : nullptr;
      if (!here || !there || first[i].first != other[i].first)
        return std::make_pair(here, there);
    }
  }
  return std::nullopt;
}

/// Lists the collectives of `region` over groups with an axis of `differing`,
/// and what decides how often each runs.
void ControlFlow::list(
    Region &region, const RankStates &states, AxisSet differing,
    SmallVectorImpl<std::pair<std::string, Operation *>> &sequence) {
  for (Operation &op : region.getOps()) {
    if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
      if (states.getSet(collective.getGroupRef()) & differing)
        sequence.push_back({describe(collective), &op});
      continue;
    }
    size_t before = sequence.size();
    for (Region &inner : op.getRegions()) {
      sequence.push_back({"region", &op});
      list(inner, states, differing, sequence);
    }
    if (sequence.size() == before + op.getNumRegions()) {
      sequence.resize(before); // Nothing in there.
      continue;
    }
    // Equal where its kind is and the same values or constants decide.
    std::string text = op.getName().getStringRef().str();
    llvm::raw_string_ostream os(text);
    auto loop = dyn_cast<scf::ForOp>(op);
    if (auto count = loop ? loop.getStaticTripCount() : std::nullopt)
      os << ' ' << *count;
    else if (isa<scf::WhileOp>(op))
      os << ' ' << &op;
    else
      for (Value value :
           loop ? getTripCount(loop) : llvm::to_vector(op.getOperands()))
        os << ' ' << value.getAsOpaquePointer();
    sequence[before].first = text;
    sequence.push_back({"end", &op});
  }
}
