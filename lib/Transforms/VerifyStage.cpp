// SPDX-License-Identifier: Apache-2.0
//===- VerifyStage.cpp - what a stage promises ----------------------------===//
//
// One table says which dialects and fsdp ops each stage may contain; below it
// the facts that hold at a stage. A pipeline runs this after each section, so
// that a pass can rely on the stage instead of checking again.
//
//===----------------------------------------------------------------------===//
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
          (*wanted >= Annotated && failed(checkPlacements(*step))))
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
