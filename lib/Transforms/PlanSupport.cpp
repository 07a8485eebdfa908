// SPDX-License-Identifier: Apache-2.0
//===- PlanSupport.cpp - what the passes that read a plan share -----------===//
#include "fsdp/Transforms/PlanSupport.h"

using namespace mlir;
using namespace fsdp;

FailureOr<Plan> fsdp::rereadPlan(StringRef path, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  return readPlan(path, context);
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

FailureOr<FlatSymbolRefAttr> fsdp::declarePlanGroup(ModuleOp module,
                                                    StringRef name,
                                                    const GroupSpec &spec) {
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
