// SPDX-License-Identifier: Apache-2.0
//===- PlaceActivations.cpp - placements of what modules put out ----------===//
//
// `activations: [{match: "h.*.ln:out", dims: [[], [tp], []]}]` places what
// leaves the modules that match in forward. Modules are what locations say,
// loc("h.0.ln"("fwd")).
//
//   %y = linalg.generic ... -> tensor<8x16x32xf32> loc("h.0.ln"("fwd"))
// becomes
//   %y = linalg.generic ... {fsdp.sharding =
//       [#fsdp.sharding<[{}, {@tp}, {}]>]} -> tensor<8x16x32xf32>
//
// Exporters flatten [batch, time, dim] in front of a product. Where what leaves
// has another rank than the plan says, the value before or behind the reshape
// is placed instead.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Nearest.h"
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Analysis/Varying.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "llvm/ADT/MapVector.h"

namespace fsdp {
#define GEN_PASS_DEF_PLACEACTIVATIONSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct PlaceActivationsPass
    : public fsdp::impl::PlaceActivationsPassBase<PlaceActivationsPass> {
  using PlaceActivationsPassBase::PlaceActivationsPassBase;

  void runOnOperation() override {
    if (config.empty())
      return;
    FailureOr<Plan> plan = rereadPlan(config, &getContext());
    if (failed(plan))
      return signalPassFailure();
    if (plan->activations.empty())
      return;
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    collectModules(*step);
    Varying varying(*step);
    for (const PlanSharding &entry : plan->activations)
      if (failed(placeMatches(entry, varying)))
        return signalPassFailure();
  }

  void collectModules(const Step &step);
  LogicalResult placeMatches(const PlanSharding &entry, const Varying &varying);
  LogicalResult placeModule(const PlanSharding &entry, StringRef module,
                            ArrayAttr dims, const Varying &varying);
  SmallVector<Value> findLeaving(StringRef module);
  Value findOfRank(Value value, StringRef module, int64_t rank);
  LogicalResult place(const PlanSharding &entry, StringRef module, Value value,
                      ArrayAttr dims, const Varying &varying);

  /// The module path of each op of forward that has one, and all paths above
  /// them; "" is the root.
  llvm::MapVector<Operation *, StringRef> forward;
  SmallVector<StringRef> modules;
};
} // namespace

/// The module path that a location names, if any.
static std::optional<StringRef> getModulePath(Location loc) {
  std::optional<StringRef> path;
  loc->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name || getPhaseFromLoc(NameLoc::get(name.getName())))
      return WalkResult::advance();
    path = name.getName().getValue();
    if (*path == "<root>")
      path = "";
    return WalkResult::interrupt();
  });
  return path;
}

/// Whether `path` is `module` or below it.
static bool isInside(StringRef path, StringRef module) {
  return module.empty() || path == module ||
         (path.starts_with(module) && path[module.size()] == '.');
}

/// The ops of forward, by dataflow and by their location.
void PlaceActivationsPass::collectModules(const Step &step) {
  Phases phases(step);
  llvm::SetVector<StringRef> paths;
  step.getFunction().getBody().walk([&](Operation *op) {
    std::optional<StringRef> path = getModulePath(op->getLoc());
    if (!path || phases.get(op) != Phase::Forward ||
        getPhaseFromLoc(op->getLoc()).value_or(Phase::Forward) !=
            Phase::Forward)
      return;
    forward[op] = *path;
    for (StringRef at = *path; paths.insert(at) && !at.empty();)
      at = at.contains('.') ? at.rsplit('.').first : "";
  });
  modules = paths.takeVector();
}

/// Places what leaves every module that an entry matches.
LogicalResult PlaceActivationsPass::placeMatches(const PlanSharding &entry,
                                                 const Varying &varying) {
  FailureOr<ArrayAttr> dims = getPlanDims(getOperation(), entry);
  if (failed(dims))
    return failure();
  bool matched = false;
  for (StringRef module : modules)
    if (entry.match.value.match(module)) {
      matched = true;
      if (failed(placeModule(entry, module, *dims, varying)))
        return failure();
    }
  if (matched)
    return success();
  return emitError(entry.match.loc)
         << "expected a pattern that matches a module of forward, but got '"
         << entry.match.value.getPattern() << "'"
         << didYouMean(entry.match.value.getPattern(), modules);
}

/// The numbers that a module computes and that forward uses elsewhere.
SmallVector<Value> PlaceActivationsPass::findLeaving(StringRef module) {
  // What has no place may be anywhere; a value that a loop yields stays where
  // the loop is.
  auto isElsewhere = [&](Operation *user) {
    if (isa<func::ReturnOp>(user))
      return true;
    if (user->hasTrait<OpTrait::IsTerminator>())
      user = user->getParentOp();
    auto it = forward.find(user);
    return it != forward.end() && !isInside(it->second, module);
  };
  SmallVector<Value> leaving;
  for (auto &[op, path] : forward) {
    if (isFree(op) || !isInside(path, module))
      continue;
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (type && isa<FloatType>(type.getElementType()) &&
          llvm::any_of(result.getUsers(), isElsewhere))
        leaving.push_back(result);
    }
  }
  return leaving;
}

/// `value`, or what it is reshaped from in its module or to behind it, that has
/// `rank` dims.
Value PlaceActivationsPass::findOfRank(Value value, StringRef module,
                                       int64_t rank) {
  auto hasRank = [&](Value v) {
    return cast<RankedTensorType>(v.getType()).getRank() == rank;
  };
  auto isReshape = [](Operation *op) {
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
  };
  auto isOfModule = [&](Operation *op) {
    auto it = forward.find(op);
    return it != forward.end() && isInside(it->second, module);
  };
  for (Value at = value; isOfModule(at.getDefiningOp());) {
    if (hasRank(at))
      return at;
    if (!isReshape(at.getDefiningOp()))
      break;
    at = at.getDefiningOp()->getOperand(0);
  }
  for (Operation *user : value.getUsers())
    if (isReshape(user) && forward.contains(user) &&
        hasRank(user->getResult(0)))
      return user->getResult(0);
  return {};
}

/// Places what leaves one module.
LogicalResult PlaceActivationsPass::placeModule(const PlanSharding &entry,
                                                StringRef module,
                                                ArrayAttr dims,
                                                const Varying &varying) {
  llvm::SetVector<Value> outputs;
  llvm::SetVector<int64_t> ranks;
  for (Value value : findLeaving(module)) {
    ranks.insert(cast<RankedTensorType>(value.getType()).getRank());
    if (Value found = findOfRank(value, module, dims.size()))
      outputs.insert(found);
  }
  if (outputs.empty()) {
    InFlightDiagnostic diag = emitError(entry.loc)
                              << "expected an output of " << dims.size()
                              << " dims of module '" << module << "', but got ";
    if (ranks.empty())
      return diag << "none";
    return diag << "ones of " << ranks.getArrayRef();
  }
  for (Value output : outputs)
    if (failed(place(entry, module, output, dims, varying)))
      return failure();
  return success();
}

/// Checks the placement of one value and writes it on its op.
LogicalResult PlaceActivationsPass::place(const PlanSharding &entry,
                                          StringRef module, Value value,
                                          ArrayAttr dims,
                                          const Varying &varying) {
  auto what = ("the output of module '" + module + "'").str();
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  ShardingAttr sharding = ShardingAttr::get(dims);
  if (failed(
          checkPlanSharding(getOperation(), entry.loc, sharding, shape, what)))
    return failure();
  // One by one: those of a value may overlap.
  for (FlatSymbolRefAttr group : varying.get(value))
    if (failed(checkPlanSharding(
            getOperation(), entry.loc,
            sharding.withVarying(ArrayAttr::get(&getContext(), group)), shape,
            what)))
      return failure();
  Operation *op = value.getDefiningOp();
  SmallVector<Attribute> shardings;
  if (auto before = op->getAttrOfType<ArrayAttr>(attr::sharding))
    llvm::append_range(shardings, before);
  else
    for (Type type : op->getResultTypes())
      shardings.push_back(ShardingAttr::getReplicated(
          &getContext(),
          isa<ShapedType>(type) ? cast<ShapedType>(type).getRank() : 0));
  shardings[cast<OpResult>(value).getResultNumber()] = sharding;
  op->setAttr(attr::sharding, ArrayAttr::get(&getContext(), shardings));
  return success();
}
