// SPDX-License-Identifier: Apache-2.0
//===- VerifyStage.cpp - what a stage promises ----------------------------===//
//
// One table says which dialects and fsdp ops each stage may contain; below it
// the facts that hold at a stage. A pipeline runs this after each section, so
// that a pass can rely on the stage instead of checking again.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fsdp {
#define GEN_PASS_DEF_VERIFYSTAGEPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
enum Stage : unsigned {
  Imported = 1,
  Annotated = 2,
  Sharded = 4,
  Lowered = 8,
};
struct OpRow {
  StringLiteral name;
  unsigned stages;
};
} // namespace

/// The fsdp ops that each stage may contain.
static constexpr OpRow fsdpOps[] = {
    {"fsdp.process_group", Imported | Annotated | Sharded},
    {"fsdp.unit", Imported | Annotated | Sharded},
    {"fsdp.local_grad", Imported | Annotated | Sharded},
    {"fsdp.scatter", Imported | Annotated | Sharded},
    {"fsdp.yield", Imported | Annotated | Sharded},
    {"fsdp.optimization_barrier", Imported | Annotated | Sharded},
    {"fsdp.global_norm", Annotated},
    {"fsdp.scale", Annotated | Sharded},
    {"fsdp.slice", Sharded},
    {"fsdp.rank_index", Sharded},
    {"fsdp.all_gather", Imported | Annotated | Sharded},
    {"fsdp.reduce_scatter", Imported | Annotated | Sharded},
    {"fsdp.all_reduce", Imported | Annotated | Sharded},
    {"fsdp.all_to_all", Imported | Annotated | Sharded},
    {"fsdp.broadcast", Imported | Annotated | Sharded},
    {"fsdp.permute", Imported | Annotated | Sharded},
};

/// The upstream dialects that each stage may contain.
static constexpr OpRow dialects[] = {
    {"builtin", Imported | Annotated | Sharded | Lowered},
    {"func", Imported | Annotated | Sharded},
    {"linalg", Imported | Annotated | Sharded},
    {"tensor", Imported | Annotated | Sharded},
    {"arith", Imported | Annotated | Sharded},
    {"math", Imported | Annotated | Sharded},
    {"scf", Imported | Annotated | Sharded},
    {"complex", Imported | Annotated | Sharded},
    {"llvm", Lowered},
};

/// The stage of that name, or nothing.
static std::optional<Stage> parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("imported", Imported)
      .Case("annotated", Annotated)
      .Case("sharded", Sharded)
      .Case("lowered", Lowered)
      .Default(std::nullopt);
}

namespace {
struct VerifyStagePass
    : public fsdp::impl::VerifyStagePassBase<VerifyStagePass> {
  using VerifyStagePassBase::VerifyStagePassBase;

  void runOnOperation() override {
    std::optional<Stage> wanted = parseStage(stage);
    if (!wanted) {
      emitError(getOperation().getLoc(),
                "expected a stage to be imported, annotated, "
                "sharded or lowered, but got '")
          << stage << "'";
      return signalPassFailure();
    }
    if (failed(checkOps(*wanted)))
      return signalPassFailure();
    if (*wanted != Lowered) {
      FailureOr<Step> step = Step::get(getOperation());
      if (failed(step) || failed(checkRoles(*step, *wanted)) ||
          (*wanted >= Annotated && failed(checkPlacements(*step))) ||
          (*wanted >= Sharded && failed(checkShards(*step))))
        return signalPassFailure();
    }
    getOperation()->setAttr(attr::stage, StringAttr::get(&getContext(), stage));
    if (isLast)
      note(getOperation().getLoc(), "stage",
           "compiled to stage '" + stage +
               "'; scheduling does not exist in this version");
  }

  LogicalResult checkOps(Stage wanted);
  LogicalResult checkRoles(const Step &step, Stage wanted);
  LogicalResult checkPlacements(const Step &step);
  LogicalResult checkShards(const Step &step);
};
} // namespace

/// Every op is in the table's row of its name or dialect.
LogicalResult VerifyStagePass::checkOps(Stage wanted) {
  WalkResult walked = getOperation().walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    StringRef dialect = op->getName().getDialectNamespace();
    auto allows = [&](ArrayRef<OpRow> rows, StringRef key) {
      auto row =
          llvm::find_if(rows, [&](const OpRow &r) { return r.name == key; });
      return row != rows.end() && (row->stages & wanted);
    };
    // A foreign op that says how to partition it may stay until it is lowered.
    if (allows(dialects, dialect) || allows(fsdpOps, name) ||
        (op->hasAttr(attr::rule) && wanted != Lowered))
      return WalkResult::advance();
    op->emitError("expected no '") << name << "' at stage '" << stage << "'";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Every argument and result has a role, and every parameter that gets a
/// gradient or an update has a marker; once sharded, an unused one has none.
LogicalResult VerifyStagePass::checkRoles(const Step &step, Stage wanted) {
  func::FuncOp function = step.getFunction();
  auto hasAny = [](DictionaryAttr attributes, ArrayRef<StringRef> roles) {
    return attributes && llvm::any_of(roles, [&](StringRef role) {
             return attributes.contains(role);
           });
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!hasAny(function.getArgAttrDict(i),
                {attr::param, attr::buffer, attr::input, attr::state,
                 attr::hyper, attr::seed}))
      return emitError(function.getLoc(), "expected a role on argument ") << i;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!hasAny(function.getResultAttrDict(i),
                {attr::loss, attr::grad, attr::updated, attr::updatedState,
                 attr::updatedSeed, attr::output}))
      return emitError(function.getLoc(), "expected a role on result ") << i;
  for (const Parameter &parameter : step.getParameters())
    if ((parameter.grad >= 0 || parameter.updated >= 0) &&
        parameter.markers.empty() && wanted < Sharded &&
        !function.getArgAttr(parameter.argument, attr::frozen))
      return emitError(function.getLoc(),
                       "expected a marked gradient of parameter '")
             << parameter.name << "'";
  return success();
}

/// True for an elementwise cast between dtypes, and for what pads or cuts in
/// front of a collective.
static bool isOnTheWay(Operation *op) {
  if (isa<tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumDpsInputs() == 1 &&
         generic->getNumResults() == 1 && !generic.getNumReductionLoops() &&
         llvm::all_of(*generic.getBody(), [](Operation &inner) {
           return isa<arith::TruncFOp, arith::ExtFOp, linalg::YieldOp>(inner);
         });
}

/// Groups are resolved, every parameter has a unit, every boundary value a
/// placement.
LogicalResult VerifyStagePass::checkPlacements(const Step &step) {
  func::FuncOp function = step.getFunction();
  if (!getWorld(getOperation()))
    return emitError(getOperation().getLoc(), "expected '")
           << attr::world << "'";
  for (auto group : getOperation().getOps<ProcessGroupOp>())
    if (!group.getClasses())
      return group.emitOpError("expected a resolved process group");
  for (const Parameter &parameter : step.getParameters())
    if (!function.getArgAttr(parameter.argument, attr::unit))
      return emitError(function.getLoc(), "expected a unit for parameter '")
             << parameter.name << "'";
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, attr::sharding))
      return emitError(function.getLoc(), "expected a placement of argument ")
             << i;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, attr::sharding))
      return emitError(function.getLoc(), "expected a placement of result ")
             << i;
  return success();
}

/// What forward and backward use of a split parameter is gathered; where the
/// shard is what they want, it is the parameter's placement in compute.
LogicalResult VerifyStagePass::checkShards(const Step &step) {
  func::FuncOp function = step.getFunction();
  Phases phases(step);
  for (const Parameter &parameter : step.getParameters()) {
    unsigned index = parameter.argument;
    auto storage =
        function.getArgAttrOfType<ShardingAttr>(index, attr::storage);
    if (!storage || storage.getDims() == step.getArgSharding(index).getDims())
      continue;
    SmallVector<Value> shards = {function.getArgument(index)};
    while (!shards.empty())
      for (Operation *user : shards.pop_back_val().getUsers()) {
        // Compute may want the shard cut further.
        if (isa<CollectiveOpInterface, SliceOp>(user) ||
            user == step.getTerminator() ||
            phases.get(user) == Phase::Optimizer)
          continue;
        if (isOnTheWay(user)) {
          shards.push_back(user->getResult(0));
          continue;
        }
        InFlightDiagnostic diag =
            user->emitError("expected the full parameter '")
            << parameter.name << "', gathered for unit "
            << function.getArgAttr(index, attr::unit)
            << ", but got the shard that a rank stores";
        diag.attachNote(function.getArgument(index).getLoc())
            << "its storage is " << storage;
        return diag;
      }
  }
  return success();
}
