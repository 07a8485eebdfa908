// SPDX-License-Identifier: Apache-2.0
//===- Dialect.cpp - the fsdp dialect, roles and their checks -------------===//
//
// Registration, the helpers of Dialect.h, and the checks of the discardable
// attributes on functions and on the module.
//
//===----------------------------------------------------------------------===//
#include "fsdp/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fsdp;

#include "fsdp/IR/FsdpDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "fsdp/IR/FsdpTypes.cpp.inc"

void FsdpDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
}

void FsdpDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "fsdp/IR/FsdpTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

StringRef fsdp::getStateParam(StringRef role) { return role.split(':').second; }

WorldAttr fsdp::getWorld(ModuleOp module) {
  return module->getAttrOfType<WorldAttr>(attr::world);
}

ClassesAttr fsdp::lookupClasses(Operation *from, FlatSymbolRefAttr group) {
  auto op = SymbolTable::lookupNearestSymbolFrom<ProcessGroupOp>(from, group);
  return op ? op.getClasses() : ClassesAttr();
}

ClassesAttr fsdp::lookupClasses(SymbolTable &symbols, Attribute group) {
  auto op =
      symbols.lookup<ProcessGroupOp>(cast<FlatSymbolRefAttr>(group).getValue());
  return op ? op.getClasses() : ClassesAttr();
}

FlatSymbolRefAttr fsdp::findGroup(ModuleOp module, ClassesAttr classes) {
  for (auto group : module.getOps<ProcessGroupOp>())
    if (group.getClasses() == classes)
      return FlatSymbolRefAttr::get(group);
  return {};
}

FlatSymbolRefAttr fsdp::getOrCreateGroup(ModuleOp module, ClassesAttr classes,
                                         StringRef hint) {
  if (FlatSymbolRefAttr found = findGroup(module, classes))
    return found;
  Operation *last = nullptr;
  for (auto group : module.getOps<ProcessGroupOp>())
    last = group;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  if (last)
    builder.setInsertionPointAfter(last);
  auto group = ProcessGroupOp::create(builder, module.getLoc(), hint, classes,
                                      Attribute());
  SymbolTable symbols(module);
  return FlatSymbolRefAttr::get(module.getContext(), symbols.insert(group));
}

SmallVector<unsigned> fsdp::getDimAxes(const Axes &axes, Operation *from,
                                       ShardingAttr sharding, int64_t dim) {
  SmallVector<unsigned> order;
  for (Attribute group : sharding.getDimGroups(dim))
    llvm::append_range(order, axes.getAxes(lookupClasses(
                                  from, cast<FlatSymbolRefAttr>(group))));
  return order;
}

SmallVector<int64_t> fsdp::getLocalShape(Operation *from,
                                         ArrayRef<int64_t> shape,
                                         ShardingAttr sharding) {
  SmallVector<int64_t> local(shape);
  for (auto [dim, extent] : llvm::enumerate(local)) {
    int64_t size = 1;
    for (Attribute group : sharding.getDimGroups(dim))
      if (auto classes = lookupClasses(from, cast<FlatSymbolRefAttr>(group)))
        size *= classes.getSize();
    extent = llvm::divideCeil(extent, size);
  }
  return local;
}

LogicalResult
fsdp::verifySharding(Operation *from, ShardingAttr sharding, int64_t rank,
                     function_ref<InFlightDiagnostic()> emitError) {
  if (rank >= 0 && int64_t(sharding.getDims().size()) != rank)
    return emitError() << "expected a sharding of " << rank
                       << " dimensions, but got one of "
                       << sharding.getDims().size();
  SmallVector<FlatSymbolRefAttr> names = sharding.getGroups();
  SmallVector<ClassesAttr> groups;
  for (FlatSymbolRefAttr name : names) {
    auto op = SymbolTable::lookupNearestSymbolFrom<ProcessGroupOp>(from, name);
    if (!op)
      return emitError() << "expected " << name << " to be a process group";
    if (op.getClasses())
      groups.push_back(op.getClasses());
  }
  // Before groups are resolved there is nothing to compare.
  if (groups.empty() || groups.size() != names.size())
    return success();
  std::pair<unsigned, unsigned> conflict;
  FailureOr<Axes> axes = Axes::get(groups[0].getRanks(), groups, &conflict);
  if (failed(axes))
    return emitError() << "expected compatible groups on one value, but got "
                       << names[conflict.first] << " and "
                       << names[conflict.second];
  AxisSet used = 0;
  for (auto [name, group] : llvm::zip_equal(names, groups)) {
    AxisSet set = axes->getSet(group);
    if (used & set)
      return emitError() << "expected each axis once in a sharding, but got "
                         << name << " sharing ranks with an earlier group";
    used |= set;
  }
  return success();
}

int64_t fsdp::detail::payloadBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types) {
    auto shaped = cast<ShapedType>(type);
    bytes += shaped.getNumElements() *
             llvm::divideCeil(shaped.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

int64_t fsdp::detail::wireBytes(CollectiveKind kind, int64_t payload,
                                int64_t size) {
  if (size == 1)
    return 0;
  switch (kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    return llvm::divideCeil((size - 1) * payload, size);
  case CollectiveKind::AllReduce:
    return llvm::divideCeil(2 * (size - 1) * payload, size);
  case CollectiveKind::Broadcast:
  case CollectiveKind::Permute:
    return payload;
  }
  llvm_unreachable("unknown collective");
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

namespace {
enum class Expect {
  Number,
  String,
  Unit,
  Integer,
  Strings,
  Shape,
  Sharding,
  Symbol,
  Loss
};
struct Role {
  StringLiteral name;
  Expect expect;
  bool onArgument, onResult;
  /// True for what says what an argument or result *is*: at most one each.
  bool isRole;
};
} // namespace

static constexpr Role roles[] = {
    {attr::param, Expect::String, true, false, true},
    {attr::buffer, Expect::String, true, false, true},
    {attr::input, Expect::String, true, false, true},
    {attr::state, Expect::String, true, false, true},
    {attr::hyper, Expect::String, true, false, true},
    {attr::seed, Expect::Unit, true, false, true},
    {attr::value, Expect::Number, true, false, false},
    {attr::loss, Expect::Loss, false, true, true},
    {attr::grad, Expect::String, false, true, true},
    {attr::updated, Expect::String, false, true, true},
    {attr::updatedState, Expect::String, false, true, true},
    {attr::updatedSeed, Expect::Unit, false, true, true},
    {attr::output, Expect::String, false, true, true},
    {attr::frozen, Expect::Unit, true, false, false},
    {attr::aliases, Expect::Strings, true, false, false},
    {attr::unit, Expect::Symbol, true, false, false},
    {attr::batchDim, Expect::Integer, true, false, false},
    {attr::globalShape, Expect::Shape, true, true, false},
    {attr::sharding, Expect::Sharding, true, true, false},
    {attr::storage, Expect::Sharding, true, true, false},
};

/// What a role's value must be, or an empty string where it is that.
static StringRef describeMismatch(Attribute value, Expect expect) {
  switch (expect) {
  case Expect::Number:
    return isa<FloatAttr>(value) ? "" : "a number";
  case Expect::String:
    return isa<StringAttr>(value) ? "" : "a string";
  case Expect::Unit:
    return isa<UnitAttr>(value) ? "" : "a unit attribute";
  case Expect::Integer:
    return isa<IntegerAttr>(value) ? "" : "an integer";
  case Expect::Strings:
    return isa<ArrayAttr>(value) && llvm::all_of(cast<ArrayAttr>(value),
                                                 llvm::IsaPred<StringAttr>)
               ? ""
               : "a list of strings";
  case Expect::Shape:
    return isa<DenseI64ArrayAttr>(value) ? "" : "an array of i64";
  case Expect::Sharding:
    return isa<ShardingAttr>(value) ? "" : "#fsdp.sharding";
  case Expect::Symbol:
    return isa<FlatSymbolRefAttr>(value) ? "" : "the symbol of a unit";
  case Expect::Loss:
    return isa<UnitAttr, LossAttr>(value) ? ""
                                          : "a unit attribute or #fsdp.loss";
  }
  llvm_unreachable("unknown expectation");
}

/// Checks one `fsdp.*` attribute of an argument or result of `op`.
static LogicalResult verifyRole(Operation *op, Type type, NamedAttribute named,
                                bool isArgument, DictionaryAttr siblings) {
  const Role *role = llvm::find_if(roles, [&](const Role &r) {
    return r.name == named.getName().getValue();
  });
  StringRef place = isArgument ? "an argument" : "a result";
  if (role == std::end(roles) ||
      !(isArgument ? role->onArgument : role->onResult))
    return op->emitOpError()
           << "expected a role that " << place << " can have, but got '"
           << named.getName().getValue() << "'";
  if (StringRef want = describeMismatch(named.getValue(), role->expect);
      !want.empty())
    return op->emitOpError() << "expected '" << role->name << "' to be " << want
                             << ", but got " << named.getValue();
  if (role->isRole)
    for (NamedAttribute other : siblings)
      for (const Role &r : roles)
        if (r.isRole && r.name == other.getName().getValue() &&
            other.getName() != named.getName())
          return op->emitOpError()
                 << "expected one role for " << place << ", but got '"
                 << role->name << "' and '" << r.name << "'";
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (role->name == attr::batchDim && shaped) {
    auto dim = cast<IntegerAttr>(named.getValue()).getValue().trySExtValue();
    if (!dim || *dim < 0 || *dim >= shaped.getRank())
      return op->emitOpError()
             << "expected '" << role->name << "' to be below the rank "
             << shaped.getRank() << ", but got " << named.getValue();
  }
  if (role->expect == Expect::Sharding && shaped)
    return verifySharding(op, cast<ShardingAttr>(named.getValue()),
                          shaped.getRank(),
                          [&]() { return op->emitOpError(); });
  if (role->expect == Expect::Symbol &&
      !SymbolTable::lookupNearestSymbolFrom<UnitOp>(
          op, cast<FlatSymbolRefAttr>(named.getValue())))
    return op->emitOpError()
           << "expected " << named.getValue() << " to be a unit";
  if (auto loss = dyn_cast<LossAttr>(named.getValue()))
    for (auto group : loss.getGroups().getAsRange<FlatSymbolRefAttr>())
      if (!SymbolTable::lookupNearestSymbolFrom<ProcessGroupOp>(op, group))
        return op->emitOpError()
               << "expected " << group << " of the loss to be a process group";
  return success();
}

LogicalResult FsdpDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned regionIndex,
                                                    unsigned argIndex,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyRole(op, function.getArgumentTypes()[argIndex], attribute, true,
                    function.getArgAttrDict(argIndex));
}

LogicalResult
FsdpDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                         unsigned resultIndex,
                                         NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyRole(op, function.getResultTypes()[resultIndex], attribute,
                    false, function.getResultAttrDict(resultIndex));
}

LogicalResult FsdpDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  Attribute value = attribute.getValue();
  bool onModule = isa<ModuleOp>(op);
  if (name == attr::sharding) {
    auto shardings = dyn_cast<ArrayAttr>(value);
    if (!shardings || shardings.size() != op->getNumResults() ||
        !llvm::all_of(shardings, llvm::IsaPred<ShardingAttr>))
      return op->emitOpError("expected one #fsdp.sharding per result in '")
             << name << "'";
    for (auto [sharding, type] :
         llvm::zip_equal(shardings, op->getResultTypes())) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (failed(verifySharding(op, cast<ShardingAttr>(sharding),
                                !shaped            ? 0
                                : shaped.hasRank() ? shaped.getRank()
                                                   : -1,
                                [&]() { return op->emitOpError(); })))
        return failure();
    }
    return success();
  }
  if (name == attr::blocks) {
    auto lists = dyn_cast<ArrayAttr>(value);
    auto isCounts = [](Attribute list) {
      auto counts = dyn_cast<DenseI64ArrayAttr>(list);
      return counts && llvm::all_of(counts.asArrayRef(),
                                    [](int64_t count) { return count > 0; });
    };
    if (!lists || lists.size() != op->getNumResults() ||
        !llvm::all_of(lists, isCounts))
      return op->emitOpError("expected one array of positive numbers per "
                             "result in '")
             << name << "'";
    return success();
  }
  if (name == attr::ranks) {
    auto range = dyn_cast<DenseI64ArrayAttr>(value);
    auto module = op->getParentOfType<ModuleOp>();
    WorldAttr world = module ? getWorld(module) : WorldAttr();
    if (isa<FunctionOpInterface>(op) && range && range.size() == 2 &&
        range[0] >= 0 && range[0] <= range[1] &&
        (!world || range[1] < world.getRanks()))
      return success();
    return op->emitOpError("expected '")
           << name
           << "' on a function, to be the first and the last of its ranks, but "
              "got "
           << value;
  }
  if (name == attr::rule) {
    auto rule = dyn_cast<RuleAttr>(value);
    if (!rule || rule.getOperands().size() != op->getNumOperands() ||
        rule.getResults().size() != op->getNumResults())
      return op->emitOpError("expected '")
             << name
             << "' to be #fsdp.rule with one list per operand and "
                "result";
    auto matches = [](TypeRange types, ArrayAttr lists) {
      return llvm::all_of(llvm::zip_equal(types, lists), [](auto pair) {
        auto shaped = dyn_cast<ShapedType>(std::get<0>(pair));
        return !shaped || !shaped.hasRank() ||
               shaped.getRank() ==
                   int64_t(cast<ArrayAttr>(std::get<1>(pair)).size());
      });
    };
    if (!matches(op->getOperandTypes(), rule.getOperands()) ||
        !matches(op->getResultTypes(), rule.getResults()))
      return op->emitOpError("expected '")
             << name << "' to name one factor per dimension";
    return success();
  }
  StringRef want;
  if (name == attr::world)
    want = isa<WorldAttr>(value) ? "" : "#fsdp.world";
  else if (name == attr::accumulate)
    want = isa<AccumulateAttr>(value) ? "" : "#fsdp.accumulate";
  else if (name == attr::stage || name == attr::buffers)
    want = isa<StringAttr>(value) ? "" : "a string";
  else if (name == attr::modules)
    want = isa<DictionaryAttr>(value) ? "" : "a dictionary";
  else if (onModule)
    return op->emitOpError("expected an attribute of the fsdp dialect that a "
                           "module can have, but got '")
           << name << "'";
  else
    return success(); // Roles sit on arguments; foreign ops keep what they
                      // have.
  if (!onModule)
    return op->emitOpError("expected '") << name << "' on a module only";
  if (!want.empty())
    return op->emitOpError("expected '")
           << name << "' to be " << want << ", but got " << value;
  return success();
}
