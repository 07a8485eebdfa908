// SPDX-License-Identifier: Apache-2.0
//===- AssignUnits.cpp - declare units, give every parameter an owner -----===//
//
// A unit is what FSDP calls a wrapped module: parameters gathered and freed
// together. Ownership as in auto-wrap: children first, a unit owns what no
// unit below it owns, the rest belongs to the root.
//
//   units: [{match: "h.*", sharding_strategy: SHARD_GRAD_OP}]
// becomes
//   fsdp.unit @h.0 {shard = @world, reshard_after_forward = false}
//   fsdp.unit @root {shard = @world, reshard_after_forward = true}
//   func.func @step(%0: ... {fsdp.param = "h.0.w", fsdp.unit = @h.0},
//                   %1: ... {fsdp.param = "head.w", fsdp.unit = @root})
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Nearest.h"
#include "fsdp/Analysis/Step.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace fsdp {
#define GEN_PASS_DEF_ASSIGNUNITSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
/// Paths of wrapped modules (or parameters) and their settings; "" is the root.
using Units = std::map<std::string, UnitSettings, std::less<>>;

struct AssignUnitsPass
    : public fsdp::impl::AssignUnitsPassBase<AssignUnitsPass> {
  using AssignUnitsPassBase::AssignUnitsPassBase;

  void runOnOperation() override {
    if (!getWorld(getOperation())) {
      emitError(getOperation().getLoc(), "expected '")
          << attr::world << "' before units are assigned";
      return signalPassFailure();
    }
    Plan plan{};
    plan.loc = FileLineColLoc::get(&getContext(), "-", 1, 1);
    if (!config.empty()) {
      FailureOr<Plan> read = rereadPlan(config, &getContext());
      if (failed(read))
        return signalPassFailure();
      plan = std::move(*read);
    }
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    collectNames(*step);
    FailureOr<Units> units = wrap(plan);
    if (failed(units) || failed(own(plan, *step, *units)))
      return signalPassFailure();
  }

  void collectNames(const Step &step);
  FailureOr<Units> wrap(const Plan &plan);
  FailureOr<SmallVector<std::string>> match(const PlanUnit &entry);
  LogicalResult own(const Plan &plan, const Step &step, const Units &units);
  FailureOr<FlatSymbolRefAttr> getUnit(const Plan &plan, StringRef path,
                                       const UnitSettings &settings);
  FailureOr<FlatSymbolRefAttr> getIgnoredUnit(const Plan &plan);
  void noteWhole(FlatSymbolRefAttr symbol);

  /// All parameter names and aliases, and all module paths above them.
  SmallVector<std::string> parameters, modules;
  llvm::StringMap<FlatSymbolRefAttr> declared;
  DenseSet<Attribute> noted;
};
} // namespace

/// The path without its last component, "" for one component.
static StringRef getParent(StringRef path) {
  size_t dot = path.rfind('.');
  return dot == StringRef::npos ? StringRef() : path.take_front(dot);
}

void AssignUnitsPass::collectNames(const Step &step) {
  llvm::StringSet<> seen;
  for (const Parameter &parameter : step.getParameters())
    for (StringRef name : getAllNames(step, parameter)) {
      parameters.push_back(name.str());
      for (StringRef path = getParent(name);
           !path.empty() && seen.insert(path).second; path = getParent(path))
        modules.push_back(path.str());
    }
}

/// Later settings win, key by key; of strategy and reshard_after_forward the
/// one that comes later counts.
static void merge(UnitSettings &into, const UnitSettings &from) {
  if (from.processGroup)
    into.processGroup = from.processGroup;
  if (from.shardingStrategy) {
    into.shardingStrategy = from.shardingStrategy;
    into.reshardAfterForward = std::nullopt;
  }
  if (from.reshardAfterForward)
    into.reshardAfterForward = from.reshardAfterForward;
  if (from.mixedPrecision) {
    if (!into.mixedPrecision)
      into.mixedPrecision = from.mixedPrecision;
    auto mergeKey = [&](auto member) {
      if ((*from.mixedPrecision).*member)
        (*into.mixedPrecision).*member = (*from.mixedPrecision).*member;
    };
    mergeKey(&PlanMixedPrecision::param);
    mergeKey(&PlanMixedPrecision::reduce);
    mergeKey(&PlanMixedPrecision::output);
  }
  if (from.gradientDivideFactor)
    into.gradientDivideFactor = from.gradientDivideFactor;
}

/// The paths that an entry means: modules, or where it names none, parameters.
FailureOr<SmallVector<std::string>>
AssignUnitsPass::match(const PlanUnit &entry) {
  SmallVector<std::string> found;
  if (entry.moduleClass) {
    SmallVector<StringRef> known;
    if (auto classes =
            getOperation()->getAttrOfType<DictionaryAttr>(attr::modules))
      for (NamedAttribute module : classes)
        if (auto name = dyn_cast<StringAttr>(module.getValue())) {
          known.push_back(name.getValue());
          if (name.getValue() == entry.moduleClass->value)
            found.push_back(module.getName().str());
        }
    if (found.empty())
      return emitError(entry.moduleClass->loc)
             << "expected the class of a module, but got '"
             << entry.moduleClass->value << "'"
             << (known.empty() ? std::string("; the module has no '") +
                                     attr::modules.str() + "'"
                               : didYouMean(entry.moduleClass->value, known));
    return found;
  }
  const PathGlob &glob = entry.match->value;
  for (const SmallVector<std::string> *paths : {&modules, &parameters}) {
    for (const std::string &path : *paths)
      if (glob.match(path))
        found.push_back(path);
    if (!found.empty())
      return found;
  }
  if (glob.match(""))
    return SmallVector<std::string>{""};
  SmallVector<StringRef> known(modules.begin(), modules.end());
  known.append(parameters.begin(), parameters.end());
  return emitError(entry.match->loc)
         << "expected a pattern that matches a module or parameter, but got '"
         << glob.getPattern() << "'" << didYouMean(glob.getPattern(), known);
}

/// Applies the entries in order.
FailureOr<Units> AssignUnitsPass::wrap(const Plan &plan) {
  Units units;
  units[""] = plan.defaults;
  for (const PlanUnit &entry : plan.units) {
    FailureOr<SmallVector<std::string>> paths = match(entry);
    if (failed(paths))
      return failure();
    for (const std::string &path : *paths) {
      if (!entry.wrapped) {
        if (!path.empty())
          units.erase(path);
        continue;
      }
      auto [it, isNew] = units.try_emplace(path, plan.defaults);
      merge(it->second, entry.settings);
    }
  }
  return units;
}

/// The deepest unit on the way from `name` up to the root.
static StringRef getOwner(const Units &units, StringRef name) {
  for (StringRef path = name; !path.empty(); path = getParent(path))
    if (auto it = units.find(path); it != units.end())
      return it->first;
  return "";
}

/// Gives every parameter its unit.
LogicalResult AssignUnitsPass::own(const Plan &plan, const Step &step,
                                   const Units &units) {
  func::FuncOp function = step.getFunction();
  SmallVector<bool> ignoredUsed(plan.ignored.size(), false);
  for (const Parameter &parameter : step.getParameters()) {
    if (function.getArgAttr(parameter.argument, attr::unit))
      continue; // Written by hand.
    SmallVector<StringRef> names = getAllNames(step, parameter);
    bool ignored = false;
    for (auto [i, glob] : llvm::enumerate(plan.ignored))
      for (StringRef name : names)
        for (StringRef path = name; !path.empty(); path = getParent(path))
          if (glob.value.match(path))
            ignored = ignoredUsed[i] = true;

    // A tied parameter belongs to the unit that holds all its uses.
    StringRef owner = getOwner(units, names.front());
    for (StringRef name : ArrayRef(names).drop_front())
      while (!owner.empty() && name != owner &&
             !(name.starts_with(owner) && name[owner.size()] == '.'))
        owner = getOwner(units, getParent(owner));
    FailureOr<FlatSymbolRefAttr> unit =
        ignored ? getIgnoredUnit(plan)
                : getUnit(plan, owner, units.find(owner)->second);
    if (failed(unit))
      return failure();
    function.setArgAttr(parameter.argument, attr::unit, *unit);
    if (!ignored && units.find(owner)->second.processGroup &&
        !function.getArgAttr(parameter.argument, attr::frozen) &&
        step.getArgSharding(parameter.argument).getVarying().empty())
      noteWhole(*unit);
  }
  for (auto [used, glob] : llvm::zip_equal(ignoredUsed, plan.ignored)) {
    SmallVector<StringRef> known(modules.begin(), modules.end());
    known.append(parameters.begin(), parameters.end());
    if (!used)
      return emitError(glob.loc)
             << "expected a pattern that matches a module or parameter, but "
                "got '"
             << glob.value.getPattern() << "'"
             << didYouMean(glob.value.getPattern(), known);
  }
  return success();
}

/// Whoever asks for a group of one rank may think that this makes parameters
/// differ; says once per unit that it does not.
void AssignUnitsPass::noteWhole(FlatSymbolRefAttr symbol) {
  auto unit = SymbolTable(getOperation()).lookup<UnitOp>(symbol.getValue());
  if (lookupClasses(unit, unit.getShardAttr()).getSize() == 1 &&
      noted.insert(symbol).second)
    note(unit.getLoc(), "unit",
         "parameters of unit '" + unit.getSymName() +
             "' are stored whole on every rank and their gradients are "
             "combined over the loss's groups; if they differ from rank to "
             "rank, say so with 'shardings: [{match: ..., varying: [group]}]'");
}

/// The element type that a plan's dtype names; null to keep the stored one.
static TypeAttr getDType(MLIRContext *context,
                         const std::optional<Located<DType>> &dtype) {
  if (!dtype)
    return {};
  Builder builder(context);
  switch (dtype->value) {
  case DType::AsStored:
    return {};
  case DType::F16:
    return TypeAttr::get(builder.getF16Type());
  case DType::BF16:
    return TypeAttr::get(builder.getBF16Type());
  case DType::F32:
    return TypeAttr::get(builder.getF32Type());
  case DType::F64:
    return TypeAttr::get(builder.getF64Type());
  }
  llvm_unreachable("unknown dtype");
}

/// Declares the unit of `path` on first use.
FailureOr<FlatSymbolRefAttr>
AssignUnitsPass::getUnit(const Plan &plan, StringRef path,
                         const UnitSettings &settings) {
  auto [it, isNew] = declared.try_emplace(path);
  if (!isNew)
    return it->second;
  auto strategy = settings.shardingStrategy ? settings.shardingStrategy->value
                                            : ShardingStrategy::FullShard;
  bool hybrid = strategy == ShardingStrategy::HybridShard ||
                strategy == ShardingStrategy::HybridShardZero2;
  Location loc =
      settings.shardingStrategy ? settings.shardingStrategy->loc : plan.loc;
  PlanProcessGroup group{GroupSpec{hybrid ? "node" : "world", {}, plan.loc},
                         std::nullopt, plan.loc};
  if (hybrid)
    group.replicate = GroupSpec{"local_rank_across_nodes", {}, plan.loc};
  if (settings.processGroup) {
    group = *settings.processGroup;
    loc = group.loc;
  }
  if (strategy == ShardingStrategy::NoShard)
    group = {GroupSpec{"self", {}, plan.loc}, std::nullopt, plan.loc};
  FailureOr<FlatSymbolRefAttr> shard =
      getPlanGroup(getOperation(), group.shard);
  FailureOr<FlatSymbolRefAttr> replicate = FlatSymbolRefAttr();
  if (succeeded(shard) && group.replicate)
    replicate = getPlanGroup(getOperation(), *group.replicate);
  if (failed(shard) || failed(replicate))
    return failure();

  Builder builder(&getContext());
  Attribute reshard =
      builder.getBoolAttr(strategy == ShardingStrategy::FullShard ||
                          strategy == ShardingStrategy::HybridShard);
  if (settings.reshardAfterForward) {
    const PlanReshard &wanted = settings.reshardAfterForward->value;
    reshard = wanted.isAuto ? Attribute(builder.getStringAttr("auto"))
              : wanted.size ? Attribute(builder.getI64IntegerAttr(*wanted.size))
                            : builder.getBoolAttr(wanted.enabled);
  }
  PlanMixedPrecision precision = settings.mixedPrecision.value_or(
      PlanMixedPrecision{{}, {}, {}, {}, plan.loc});
  FloatAttr divide;
  if (settings.gradientDivideFactor) {
    divide = builder.getF64FloatAttr(settings.gradientDivideFactor->value);
    emitWarning(settings.gradientDivideFactor->loc)
        << "'gradient_divide_factor' overrides the scale that the loss asks "
           "for";
  }
  auto unitBuilder = OpBuilder::atBlockBegin(getOperation().getBody());
  for (Operation &op : *getOperation().getBody())
    if (isa<ProcessGroupOp, UnitOp>(op))
      unitBuilder.setInsertionPointAfter(&op);
  auto unit = UnitOp::create(
      unitBuilder, loc,
      StringAttr::get(&getContext(), path.empty() ? "root" : path), *shard,
      *replicate, reshard, getDType(&getContext(), precision.param),
      getDType(&getContext(), precision.reduce),
      getDType(&getContext(), precision.output), divide);
  it->second = FlatSymbolRefAttr::get(&getContext(),
                                      SymbolTable(getOperation()).insert(unit));
  return it->second;
}

/// The unit of ignored parameters: stored whole, gradients combined.
FailureOr<FlatSymbolRefAttr> AssignUnitsPass::getIgnoredUnit(const Plan &plan) {
  UnitSettings settings = plan.defaults;
  settings.processGroup = std::nullopt;
  settings.shardingStrategy = Located<ShardingStrategy>{
      ShardingStrategy::NoShard, plan.ignored.front().loc};
  settings.reshardAfterForward = std::nullopt;
  if (!declared.contains("ignored"))
    note(plan.ignored.front().loc, "ignored",
         "ignored parameters are stored whole; their gradients are still "
         "combined, or replicas would drift");
  return getUnit(plan, "ignored", settings);
}
