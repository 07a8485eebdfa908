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
  auto resolve = [&](GroupSpec &spec) {
    for (const std::vector<PlanGroup> *groups :
         {&plan->processGroups, &plan->mesh})
      for (const PlanGroup &group : *groups)
        if (spec.spelling == group.name.value) {
          FileLineColLoc loc = spec.loc;
          spec = group.spec;
          spec.loc = loc;
          return;
        }
  };
  auto resolveUnit = [&](UnitSettings &settings) {
    if (!settings.processGroup)
      return;
    resolve(settings.processGroup->shard);
    if (settings.processGroup->replicate)
      resolve(*settings.processGroup->replicate);
  };
  resolveUnit(plan->defaults);
  for (PlanUnit &unit : plan->units)
    resolveUnit(unit.settings);
  for (PlanSharding &activation : plan->activations)
    for (std::vector<GroupSpec> &dim : *activation.dims)
      llvm::for_each(dim, resolve);
  return plan;
}

/// A dimension of a mesh as a digit of the rank number. On failure returns null
/// and says why in `error`.
static ClassesAttr resolveMesh(MLIRContext *context, const GroupSpec &spec,
                               int64_t ranks, std::string &error) {
  int64_t known = 1;
  bool hasRest = llvm::is_contained(spec.mesh, -1);
  for (int64_t size : spec.mesh)
    if (size > 0 && known <= ranks)
      known *= size; // Both are below 2^31.
  if (hasRest ? ranks % known : known != ranks) {
    std::string sizes;
    llvm::raw_string_ostream stream(sizes);
    llvm::interleave(spec.mesh, stream, " x ");
    error = "expected the sizes of a mesh to multiply to " +
            std::to_string(ranks) + " ranks, but got " + sizes;
    return {};
  }
  int64_t stride = 1, extent = 1;
  for (int64_t size :
       llvm::reverse(ArrayRef(spec.mesh).drop_front(spec.meshDim))) {
    stride *= extent;
    extent = size > 0 ? size : ranks / known;
  }
  return getClasses(context, ranks, {{stride, extent}});
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

/// The classes of what a plan says, which is then in `spelling`. On failure
/// returns null and says why in `error`.
static ClassesAttr resolveSpec(ModuleOp module, const GroupSpec &spec,
                               Attribute &spelling, std::string &error) {
  WorldAttr world = getWorld(module);
  if (!spec.mesh.empty())
    return resolveMesh(module.getContext(), spec, world.getRanks(), error);
  spelling = getSpelling(module.getContext(), spec);
  return resolveGroup(spelling, world, error);
}

FailureOr<FlatSymbolRefAttr>
fsdp::declarePlanGroup(ModuleOp module, StringRef name, const GroupSpec &spec) {
  Attribute spelling;
  std::string error;
  ClassesAttr classes = resolveSpec(module, spec, spelling, error);
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
  Attribute spelling;
  std::string error;
  ClassesAttr classes = resolveSpec(module, spec, spelling, error);
  if (classes)
    if (FlatSymbolRefAttr group = findGroup(module, classes))
      return group;
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

FailureOr<ArrayAttr> fsdp::getPlanDims(ModuleOp module,
                                       const PlanSharding &entry) {
  SmallVector<Attribute> dims;
  for (const std::vector<GroupSpec> &specs : *entry.dims) {
    FailureOr<ArrayAttr> groups = getPlanGroups(module, specs);
    if (failed(groups))
      return failure();
    dims.push_back(*groups);
  }
  return ArrayAttr::get(module.getContext(), dims);
}

/// The classes of a group that may be written by hand and not be resolved yet;
/// null where it is wrong, which `fsdp-resolve-groups` reports.
static ClassesAttr resolveNow(ModuleOp module, Attribute name) {
  SymbolTable symbols(module);
  auto symbol = cast<FlatSymbolRefAttr>(name).getValue();
  auto group = symbols.lookup<ProcessGroupOp>(symbol);
  std::string error;
  return resolveGroup(group.getValue(), getWorld(module), error);
}

LogicalResult fsdp::checkPlanSharding(ModuleOp module, Location loc,
                                      ShardingAttr sharding,
                                      ArrayRef<int64_t> shape,
                                      const Twine &what) {
  auto diagnose = [&]() {
    InFlightDiagnostic diag = emitError(loc);
    diag << what << ": ";
    return diag;
  };
  if (failed(verifySharding(module, sharding, shape.size(), diagnose)))
    return failure();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    ArrayRef<Attribute> groups = sharding.getDimGroups(dim);
    int64_t ranks = 1;
    for (Attribute group : groups)
      if (ClassesAttr classes = resolveNow(module, group))
        ranks *= classes.getSize();
    if (size % ranks == 0)
      continue;
    return emitError(loc) << "expected dim " << dim << " of " << what
                          << " to divide evenly over " << groups
                          << ", but got size " << size << " and " << ranks
                          << " ranks";
  }
  return success();
}

SmallVector<StringRef> fsdp::getAllNames(const Step &step,
                                         const Parameter &parameter) {
  SmallVector<StringRef> names = {parameter.name};
  func::FuncOp function = step.getFunction();
  if (auto aliases = function.getArgAttrOfType<ArrayAttr>(parameter.argument,
                                                          attr::aliases))
    for (auto alias : aliases.getAsRange<StringAttr>())
      names.push_back(alias.getValue());
  return names;
}

AxisSet fsdp::getProduct(const Axes &axes, SymbolTable &symbols,
                         ArrayAttr list) {
  AxisSet set = 0;
  for (Attribute group : list)
    set |= axes.getSet(lookupClasses(symbols, group));
  return set;
}

FailureOr<Axes> fsdp::getSets(int64_t ranks, SymbolTable &symbols,
                              ArrayRef<SmallVector<Attribute>> lists,
                              SmallVectorImpl<AxisSet> &sets,
                              std::pair<Attribute, Attribute> *conflict) {
  SmallVector<Attribute> names;
  SmallVector<ClassesAttr> groups;
  for (const SmallVector<Attribute> &list : lists)
    for (Attribute name : list) {
      names.push_back(name);
      groups.push_back(lookupClasses(symbols, name));
    }
  std::pair<unsigned, unsigned> positions;
  FailureOr<Axes> axes = Axes::get(ranks, groups, &positions);
  if (failed(axes)) {
    if (conflict)
      *conflict = {names[positions.first], names[positions.second]};
    return failure();
  }
  ArrayRef<ClassesAttr> rest = groups;
  for (const SmallVector<Attribute> &list : lists) {
    AxisSet &set = sets.emplace_back(0);
    for (ClassesAttr classes : rest.take_front(list.size()))
      set |= axes->getSet(classes);
    rest = rest.drop_front(list.size());
  }
  return axes;
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

ArrayAttr fsdp::joinVarying(ModuleOp module,
                            ArrayRef<FlatSymbolRefAttr> groups) {
  auto list = ArrayAttr::get(module.getContext(), toList(groups));
  if (groups.size() < 2)
    return list;
  return ArrayAttr::get(
      module.getContext(),
      getOrCreateGroup(module, getJoin(module, list), "varying"));
}
