// SPDX-License-Identifier: Apache-2.0
//===- Storage.cpp - how a unit's parameter is kept -----------------------===//
//
// The gradient's axes: on the loss's axes a parameter that is replicated has a
// partial gradient, one that varies or is sharded has its own; where nothing
// varies, the reshard behind the marker says how it was computed. The wanted
// gradient is the sum over the partial axes times 1/|loss axes|, or over a
// count, whatever the unit. The unit's group says which of the partial axes end
// up split.
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

Value fsdp::createDivision(OpBuilder &builder, Location loc, Value value,
                           Value divisor) {
  auto type = cast<ShapedType>(value.getType());
  Type element = type.getElementType(),
       wide = cast<ShapedType>(divisor.getType()).getElementType();
  if (element.getIntOrFloatBitWidth() > wide.getIntOrFloatBitWidth())
    wide = element;
  return createElementwise(
      builder, loc, {value, divisor}, type.getShape(), element,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        Value quotient = arith::DivFOp::create(
            nested, nestedLoc,
            createScalarCast(nested, nestedLoc, arguments[0], wide),
            createScalarCast(nested, nestedLoc, arguments[1], wide));
        return SmallVector<Value>{
            createScalarCast(nested, nestedLoc, quotient, element)};
      })[0];
}

Value Storage::scale(OpBuilder &builder, Location loc, Value value) const {
  if (divisor)
    return createDivision(builder, loc, value, divisor);
  if (numerator == denominator)
    return value;
  return ScaleOp::create(builder, loc, value, numerator, denominator);
}

Location Storage::getLoc(StringRef what) const {
  return NameLoc::get(StringAttr::get(context, name),
                      NameLoc::get(StringAttr::get(context, what)));
}

StorageRules::StorageRules(ModuleOp module, const Step &step)
    : module(module), step(step), loss(step.getLoss()), symbols(module) {
  if (loss && getWorld(module))
    lossGroup = getJoin(module, loss.getGroups());
}

LogicalResult StorageRules::findDivisor() {
  if (!loss || !loss.getDivideBy())
    return success();
  auto isScalar = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.getRank() &&
           isa<FloatType>(tensor.getElementType());
  };
  for (Operation &op : step.getFunction().front())
    if (op.removeAttr(divisorAttr) &&
        llvm::all_of(op.getResultTypes(), isScalar))
      for (Value result : op.getResults())
        divisor = result;
  if (divisor)
    return success();
  return emitError(step.getFunction().getLoc())
         << "expected a loss over " << loss.getDivideBy()
         << " to be combined first, by fsdp-combine-results";
}

/// The axes of lists of groups that meet on one value, and each list as a set;
/// an error at `op` where they do not go together.
static FailureOr<Axes> getSetsOf(Operation *op, StringRef parameter,
                                 SymbolTable &symbols,
                                 ArrayRef<SmallVector<Attribute>> lists,
                                 SmallVectorImpl<AxisSet> &sets) {
  std::pair<Attribute, Attribute> conflict;
  FailureOr<Axes> axes =
      getSets(getWorld(op->getParentOfType<ModuleOp>()).getRanks(), symbols,
              lists, sets, &conflict);
  if (failed(axes))
    return op->emitOpError("expected compatible groups for parameter '")
           << parameter << "', but got " << conflict.first << " and "
           << conflict.second;
  return axes;
}

/// The groups that split dims.
static SmallVector<Attribute> getDimGroups(ShardingAttr sharding) {
  SmallVector<Attribute> groups;
  for (Attribute dim : sharding.getDims())
    llvm::append_range(groups, cast<ArrayAttr>(dim));
  return groups;
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
  auto symbol = function.getArgAttrOfType<FlatSymbolRefAttr>(parameter.argument,
                                                             attr::unit);
  if (!symbol)
    return emitError(function.getLoc(), "expected a unit for parameter '")
           << parameter.name << "'";
  auto unit = symbols.lookup<UnitOp>(symbol.getValue());
  Storage storage;
  storage.context = context;
  storage.name = parameter.name.str();
  storage.shape.assign(type.getShape().begin(), type.getShape().end());
  storage.compute = step.getArgSharding(parameter.argument);
  storage.whole = ShardingAttr::getReplicated(context, type.getRank())
                      .withVarying(storage.compute.getVarying());
  if (auto param = unit.getParamDtype())
    storage.paramType = *param;
  if (auto reduce = unit.getReduceDtype())
    storage.reduceType = *reduce;
  if (!isa<FloatType>(type.getElementType()))
    storage.paramType = storage.reduceType = {};

  SmallVector<AxisSet> sets;
  FailureOr<Axes> axes =
      getSetsOf(unit, parameter.name, symbols,
                {toList(storage.compute.getGroups()),
                 {unit.getShardAttr()},
                 loss ? SmallVector<Attribute>(loss.getGroups().getValue())
                      : SmallVector<Attribute>()},
                sets);
  if (failed(axes))
    return failure();
  // A scalar has no dimension to split.
  storage.stored = storage.compute;
  if (!storage.shape.empty() && axes->getSize(sets[1]) > 1) {
    SmallVector<Attribute> dims(storage.compute.getDims().getValue());
    SmallVector<Attribute> first(storage.compute.getDimGroups(0));
    first.push_back(unit.getShardAttr());
    dims[0] = ArrayAttr::get(context, first);
    storage.stored = storage.compute.withDims(ArrayAttr::get(context, dims));
  }

  storage.divisor = divisor;
  if (loss && loss.getMean())
    storage.denominator = lossGroup.getSize();
  if (auto factor = unit.getGradientDivideFactor()) {
    if (divisor)
      return unit.emitOpError("expected no gradient_divide_factor beside a "
                              "loss that is divided by ")
             << loss.getDivideBy();
    if (!getRational(factor->convertToDouble(), storage.numerator,
                     storage.denominator))
      return unit.emitOpError("expected gradient_divide_factor to be a "
                              "fraction of few bits, but got ")
             << factor->convertToDouble();
  }
  return storage;
}

ShardingAttr StorageRules::place(const Axes &axes, ShardingAttr dims,
                                 AxisSet sum, StringRef hint) {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> sums;
  if (axes.getSize(sum) > 1) {
    ClassesAttr group = axes.getGroup(context, sum);
    FlatSymbolRefAttr name =
        getOrCreateGroup(module, group, group == lossGroup ? "loss" : hint);
    if (!symbols.lookup(name.getValue()))
      symbols = SymbolTable(module);
    sums.push_back(name);
  }
  return ShardingAttr::get(context, dims.getDims(), ReductionKind::Sum,
                           ArrayAttr::get(context, sums), dims.getVarying());
}

FailureOr<Gradient> StorageRules::getGradient(const Storage &storage,
                                              LocalGradOp marker) {
  Gradient gradient{marker, {}, {}};
  ShardingAttr from = storage.whole;
  if (marker->hasOneUse())
    if (auto whole = dyn_cast<ReshardOp>(*marker->user_begin());
        whole && whole.getTarget().isReplicated()) {
      gradient.whole = whole;
      from = whole.getSource().withVarying(storage.whole.getVarying());
    }
  if (from.getReduction() != ReductionKind::Sum)
    return marker.emitOpError("expected a gradient that is a sum, but got ")
           << from;
  enum { Own, Stored, Loss, Split, Partial };
  SmallVector<AxisSet> sets;
  FailureOr<Axes> axes = getSetsOf(
      marker, storage.name, symbols,
      {toList(storage.compute.getGroups()), getDimGroups(storage.stored),
       loss ? SmallVector<Attribute>(loss.getGroups().getValue())
            : SmallVector<Attribute>(),
       getDimGroups(from),
       SmallVector<Attribute>(from.getPartial().getValue())},
      sets);
  if (failed(axes))
    return failure();
  AxisSet sum = sets[Partial] | (sets[Loss] & ~sets[Own] & ~sets[Split]);
  gradient.marked =
      place(*axes, from, sum, sets[Partial] ? "gradient" : "replicas");
  gradient.reduced =
      place(*axes, storage.stored, sum & ~sets[Stored], "replicas");
  return gradient;
}
