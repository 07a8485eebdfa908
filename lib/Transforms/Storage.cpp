// SPDX-License-Identifier: Apache-2.0
//===- Storage.cpp - how a unit's parameter is kept -----------------------===//
//
// The gradient's axes: on the loss's axes a parameter that is replicated has a
// partial gradient, one that varies or is sharded has its own. The wanted
// gradient is the sum over the partial axes times 1/|loss axes|, whatever the
// unit. The unit's group says which of the partial axes end up split.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Transforms/Storage.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/PlanSupport.h"

#include <cmath>

using namespace mlir;
using namespace fsdp;

RankedTensorType Storage::getType(Operation *from, ShardingAttr sharding,
                                  Type element) const {
  return getLocalType(from, shape, element, sharding);
}

Value Storage::reshard(OpBuilder &builder, Location loc, Value value,
                       ShardingAttr from, ShardingAttr to) const {
  if (from == to)
    return value;
  Operation *scope = builder.getBlock()->getParentOp();
  Type element = cast<ShapedType>(value.getType()).getElementType();
  return ReshardOp::create(builder, loc, getType(scope, to, element), value,
                           shape, from, to);
}

Value Storage::scale(OpBuilder &builder, Location loc, Value value) const {
  if (numerator == denominator)
    return value;
  return ScaleOp::create(builder, loc, value, numerator, denominator);
}

Location Storage::getLoc(StringRef what) const {
  return NameLoc::get(StringAttr::get(context, name),
                      NameLoc::get(StringAttr::get(context, what)));
}

StorageRules::StorageRules(ModuleOp module, const Step &step)
    : module(module), step(step), symbols(module) {
  func::FuncOp function = step.getFunction();
  int index = step.findResult(attr::loss);
  if (index >= 0)
    loss = function.getResultAttrOfType<LossAttr>(index, attr::loss);
}

FlatSymbolRefAttr StorageRules::getGroup(const Axes &axes, AxisSet set,
                                         StringRef hint) {
  FlatSymbolRefAttr group =
      getOrCreateGroup(module, axes.getGroup(module.getContext(), set), hint);
  if (!symbols.lookup(group.getValue()))
    symbols = SymbolTable(module);
  return group;
}

/// A factor such as 8 or 0.5 as a rational; false where it is none of few bits.
static bool getRational(double factor, int64_t &numerator,
                        int64_t &denominator) {
  for (numerator = 1; numerator <= (1 << 20); numerator *= 2) {
    double scaled = factor * double(numerator);
    if (scaled >= 1 && scaled < 9e15 && std::floor(scaled) == scaled) {
      denominator = int64_t(scaled);
      return true;
    }
  }
  return false;
}

FailureOr<Storage> StorageRules::get(const Parameter &parameter) {
  func::FuncOp function = step.getFunction();
  MLIRContext *context = module.getContext();
  auto type =
      cast<RankedTensorType>(function.getArgumentTypes()[parameter.argument]);
  auto unit = symbols.lookup<UnitOp>(
      function
          .getArgAttrOfType<FlatSymbolRefAttr>(parameter.argument, attr::unit)
          .getValue());
  Storage storage;
  storage.context = context;
  storage.name = parameter.name.str();
  storage.shape.assign(type.getShape().begin(), type.getShape().end());
  storage.compute = step.getArgSharding(parameter.argument);
  if (auto param = unit.getParamDtype())
    storage.paramType = *param;
  if (auto reduce = unit.getReduceDtype())
    storage.reduceType = *reduce;
  if (!isa<FloatType>(type.getElementType()))
    storage.paramType = storage.reduceType = {};

  SmallVector<ClassesAttr> groups;
  for (FlatSymbolRefAttr group : storage.compute.getGroups())
    groups.push_back(lookupClasses(symbols, group));
  size_t own = groups.size();
  groups.push_back(lookupClasses(symbols, unit.getShardAttr()));
  if (loss)
    for (Attribute group : loss.getGroups())
      groups.push_back(lookupClasses(symbols, group));
  FailureOr<Axes> axes = Axes::get(getWorld(module).getRanks(), groups);
  if (failed(axes))
    return unit.emitOpError("expected compatible groups for parameter '")
           << parameter.name << "'";
  AxisSet placed = 0, lossSet = 0;
  for (auto [i, classes] : llvm::enumerate(groups))
    if (i < own)
      placed |= axes->getSet(classes);
    else if (i > own)
      lossSet |= axes->getSet(classes);
  AxisSet partial = lossSet & ~placed;
  AxisSet shard = axes->getSet(groups[own]);
  // A scalar has no dimension to split.
  if (storage.shape.empty() || groups[own].getSize() == 1)
    shard = 0;

  SmallVector<Attribute> dims(storage.compute.getDims().getValue());
  if (shard) {
    SmallVector<Attribute> first(storage.compute.getDimGroups(0));
    first.push_back(unit.getShardAttr());
    dims[0] = ArrayAttr::get(context, first);
  }
  auto place = [&](ArrayRef<Attribute> dimGroups, AxisSet sum) {
    SmallVector<Attribute> sums;
    if (axes->getSize(sum) > 1)
      sums.push_back(
          getGroup(*axes, sum, sum == lossSet ? "loss" : "replicas"));
    return ShardingAttr::get(context, ArrayAttr::get(context, dimGroups),
                             ReductionKind::Sum, ArrayAttr::get(context, sums),
                             storage.compute.getVarying());
  };
  storage.stored = place(dims, 0);
  storage.partial = place(storage.compute.getDims().getValue(), partial);
  storage.storedPartial = place(dims, partial & ~shard);
  if (loss && loss.getMean())
    storage.denominator = axes->getSize(lossSet);
  if (auto factor = unit.getGradientDivideFactor())
    if (!getRational(factor->convertToDouble(), storage.numerator,
                     storage.denominator))
      return unit.emitOpError("expected gradient_divide_factor to be a "
                              "fraction of few bits, but got ")
             << factor->convertToDouble();
  return storage;
}
