// SPDX-License-Identifier: Apache-2.0
//===- PlanSupport.cpp - what the passes that read a plan share -----------===//
#include "fsdp/Transforms/PlanSupport.h"

using namespace mlir;
using namespace fsdp;

FailureOr<Plan> fsdp::rereadPlan(StringRef path, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  FailureOr<Plan> plan = readPlan(path, context);
  if (failed(plan))
    return failure();
  // Equal groups have become one since, under one of their names: say what they
  // are instead.
  auto resolve = [&](UnitSettings &settings) {
    if (!settings.processGroup)
      return;
    std::optional<GroupSpec> &replicate = settings.processGroup->replicate;
    for (const PlanGroup &group : plan->processGroups)
      for (GroupSpec *spec :
           {&settings.processGroup->shard, replicate ? &*replicate : nullptr})
        if (spec && spec->spelling == group.name.value) {
          spec->spelling = group.spec.spelling;
          spec->classes = group.spec.classes;
        }
  };
  resolve(plan->defaults);
  for (PlanUnit &unit : plan->units)
    resolve(unit.settings);
  return plan;
}

/// The attribute form of what a plan says for a group.
static Attribute getSpelling(MLIRContext *context, const GroupSpec &spec) {
  if (!spec.spelling.empty())
    return StringAttr::get(context, spec.spelling);
  Builder builder(context);
  SmallVector<Attribute> classes;
  for (const std::vector<int64_t> &members : spec.classes)
    classes.push_back(builder.getI64ArrayAttr(members));
  return builder.getArrayAttr(classes);
}

FailureOr<FlatSymbolRefAttr>
fsdp::declarePlanGroup(ModuleOp module, StringRef name, const GroupSpec &spec) {
  Attribute spelling = getSpelling(module.getContext(), spec);
  std::string error;
  ClassesAttr classes = resolveGroup(spelling, getWorld(module), error);
  if (!classes)
    return emitError(spec.loc) << error;
  Operation *last = nullptr;
  for (auto group : module.getOps<ProcessGroupOp>())
    last = group;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  if (last)
    builder.setInsertionPointAfter(last);
  auto group =
      ProcessGroupOp::create(builder, spec.loc, name, classes, spelling);
  SymbolTable symbols(module);
  return FlatSymbolRefAttr::get(module.getContext(), symbols.insert(group));
}

FailureOr<FlatSymbolRefAttr> fsdp::getPlanGroup(ModuleOp module,
                                                const GroupSpec &spec) {
  MLIRContext *context = module.getContext();
  if (!spec.spelling.empty() &&
      SymbolTable(module).lookup<ProcessGroupOp>(spec.spelling))
    return FlatSymbolRefAttr::get(context, spec.spelling);
  Attribute spelling = getSpelling(context, spec);
  std::string error;
  ClassesAttr classes = resolveGroup(spelling, getWorld(module), error);
  for (auto group : module.getOps<ProcessGroupOp>())
    if (classes && group.getClasses() == classes)
      return FlatSymbolRefAttr::get(group);
  return declarePlanGroup(
      module, spec.spelling.empty() ? "group" : spec.spelling, spec);
}

FailureOr<ArrayAttr> fsdp::getPlanGroups(ModuleOp module,
                                         ArrayRef<GroupSpec> specs) {
  SmallVector<Attribute> groups;
  for (const GroupSpec &spec : specs) {
    FailureOr<FlatSymbolRefAttr> group = getPlanGroup(module, spec);
    if (failed(group))
      return failure();
    groups.push_back(*group);
  }
  return ArrayAttr::get(module.getContext(), groups);
}

AxisSet fsdp::getProduct(const Axes &axes, SymbolTable &symbols,
                         ArrayAttr list) {
  AxisSet set = 0;
  for (Attribute group : list)
    set |= axes.getSet(lookupClasses(symbols, group));
  return set;
}

ClassesAttr fsdp::getJoin(ModuleOp module, ArrayAttr groups) {
  SymbolTable symbols(module);
  SmallVector<ClassesAttr> classes;
  for (Attribute group : groups)
    classes.push_back(lookupClasses(symbols, group));
  int64_t ranks = getWorld(module).getRanks();
  FailureOr<Axes> axes = Axes::get(ranks, classes);
  if (failed(axes))
    return getClasses(module.getContext(), ranks, {{1, ranks}});
  return axes->getGroup(module.getContext(),
                        getProduct(*axes, symbols, groups));
}
