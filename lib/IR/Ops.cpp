// SPDX-License-Identifier: Apache-2.0
//===- Ops.cpp - verifiers and folders of the ops -------------------------===//
//
// Shapes are checked once groups are resolved; before that only that the
// symbols are process groups.
//
//===----------------------------------------------------------------------===//
#include "fsdp/IR/Dialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace fsdp;

#include "fsdp/IR/FsdpInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "fsdp/IR/FsdpOps.cpp.inc"

void FsdpDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "fsdp/IR/FsdpOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

LogicalResult ProcessGroupOp::verify() {
  if (!isa<StringAttr, ArrayAttr, ClassesAttr>(getValue()))
    return emitOpError("expected a spelling, a list of classes or "
                       "#fsdp.classes, but got ")
           << getValue();
  WorldAttr world = getWorld(cast<ModuleOp>((*this)->getParentOp()));
  std::string error;
  if (world && !resolveGroup(getValue(), world, error))
    return emitOpError(error);
  return success();
}

LogicalResult UnitOp::verify() {
  for (TypeAttr dtype :
       {getParamDtypeAttr(), getReduceDtypeAttr(), getOutputDtypeAttr()})
    if (dtype && !isa<FloatType>(dtype.getValue()))
      return emitOpError("expected a floating-point type to compute and reduce "
                         "in, but got ")
             << dtype;
  Attribute reshard = getReshardAfterForward();
  auto word = dyn_cast<StringAttr>(reshard);
  if (isa<BoolAttr>(reshard) || (word && word == "auto"))
    return success();
  if (getReshardSize().value_or(0) < 1)
    return emitOpError("expected reshard_after_forward to be true, false, "
                       "\"auto\" or a positive size, but got ")
           << reshard;
  return success();
}

bool UnitOp::reshards() {
  auto enabled = dyn_cast<BoolAttr>(getReshardAfterForward());
  return !enabled || enabled.getValue();
}

std::optional<int64_t> UnitOp::getReshardSize() {
  // A bool attribute is an integer attribute too.
  auto size = dyn_cast<IntegerAttr>(getReshardAfterForward());
  if (!size || isa<BoolAttr>(size))
    return std::nullopt;
  return size.getValue().trySExtValue();
}

/// Checks that `group` is a process group; sets `size` where it is resolved.
static LogicalResult verifyGroup(Operation *op, SymbolTableCollection &symbols,
                                 FlatSymbolRefAttr group, int64_t *size) {
  auto declared = symbols.lookupNearestSymbolFrom<ProcessGroupOp>(op, group);
  if (!declared)
    return op->emitOpError("expected ") << group << " to be a process group";
  if (size && declared.getClasses())
    *size = declared.getClasses().getSize();
  return success();
}

LogicalResult UnitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyGroup(*this, symbols, getShardAttr(), nullptr)) ||
      (getReplicateAttr() &&
       failed(verifyGroup(*this, symbols, getReplicateAttr(), nullptr))))
    return failure();
  ClassesAttr shard =
      symbols.lookupNearestSymbolFrom<ProcessGroupOp>(*this, getShardAttr())
          .getClasses();
  std::optional<int64_t> size = getReshardSize();
  if (!shard || !size || *size == shard.getSize() ||
      getMinorGroup(shard, *size))
    return success();
  return emitOpError("expected reshard_after_forward to cut the unit's group ")
         << getShardAttr() << " of " << shard.getSize()
         << " ranks into neighbours evenly, but got " << *size;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// The shape that a collective of `size` ranks makes of `shape`.
static FailureOr<SmallVector<int64_t>>
getCollectiveShape(Operation *op, ArrayRef<int64_t> shape, int64_t size) {
  auto dimOf = [&](StringRef name) {
    return op->getAttrOfType<IntegerAttr>(name).getInt();
  };
  auto divide = [&](SmallVector<int64_t> &dims, int64_t dim) -> LogicalResult {
    if (dims[dim] % size)
      return op->emitOpError("expected dim ")
             << dim << " to divide by the size " << size
             << " of its group, but got " << dims[dim];
    dims[dim] /= size;
    return success();
  };
  // By kind: another op may have a discardable attribute of the same name.
  CollectiveKind kind = cast<CollectiveOpInterface>(op).getKind();
  SmallVector<StringRef> dimNames;
  if (kind == CollectiveKind::AllGather ||
      kind == CollectiveKind::ReduceScatter)
    dimNames = {"dim"};
  else if (kind == CollectiveKind::AllToAll)
    dimNames = {"split_dim", "concat_dim"};
  for (StringRef name : dimNames)
    if (dimOf(name) < 0 || dimOf(name) >= int64_t(shape.size()))
      return op->emitOpError("expected ")
             << name << " to be below the rank " << shape.size() << ", but got "
             << dimOf(name);
  SmallVector<int64_t> result(shape);
  switch (kind) {
  case CollectiveKind::AllGather:
    result[dimOf("dim")] *= size;
    return result;
  case CollectiveKind::ReduceScatter:
    if (failed(divide(result, dimOf("dim"))))
      return failure();
    return result;
  case CollectiveKind::AllToAll:
    if (failed(divide(result, dimOf("split_dim"))))
      return failure();
    result[dimOf("concat_dim")] *= size;
    return result;
  case CollectiveKind::Broadcast:
    if (dimOf("root") < 0 || dimOf("root") >= size)
      return op->emitOpError("expected root to be below the size ")
             << size << " of its group, but got " << dimOf("root");
    return result;
  case CollectiveKind::AllReduce:
  case CollectiveKind::Permute:
    return result;
  }
  llvm_unreachable("unknown collective");
}

/// Checks the bucket of a collective: sources against destinations.
static LogicalResult verifyBucket(Operation *op, TypeRange sources,
                                  TypeRange destinations) {
  if (sources.empty())
    return op->emitOpError("expected at least one operand");
  if (sources.size() != destinations.size())
    return op->emitOpError("expected one result per operand, but got ")
           << destinations.size() << " for " << sources.size();
  for (auto [source, destination] : llvm::zip_equal(sources, destinations)) {
    Type element = cast<ShapedType>(source).getElementType();
    if (element != cast<ShapedType>(destination).getElementType() ||
        element != cast<ShapedType>(sources.front()).getElementType())
      return op->emitOpError(
          "expected one element type in all operands and results");
  }
  return success();
}

/// Checks group and shapes of a collective.
static LogicalResult verifyCollective(Operation *op,
                                      SymbolTableCollection &symbols,
                                      TypeRange sources,
                                      TypeRange destinations) {
  int64_t size = 0;
  if (failed(verifyGroup(op, symbols,
                         cast<CollectiveOpInterface>(op).getGroupRef(), &size)))
    return failure();
  if (!size)
    return success();
  for (auto [source, destination] : llvm::zip_equal(sources, destinations)) {
    FailureOr<SmallVector<int64_t>> want =
        getCollectiveShape(op, cast<ShapedType>(source).getShape(), size);
    if (failed(want))
      return failure();
    if (ArrayRef<int64_t>(*want) != cast<ShapedType>(destination).getShape()) {
      InFlightDiagnostic diag = op->emitOpError("expected a result of shape [");
      llvm::interleaveComma(*want, diag);
      return diag << "] over a group of " << size << ", but got "
                  << destination;
    }
  }
  return success();
}

#define FSDP_BLOCKING(OP)                                                      \
  LogicalResult OP::verify() {                                                 \
    return verifyBucket(*this, getInputs().getTypes(), getResultTypes());      \
  }                                                                            \
  LogicalResult OP::verifySymbolUses(SymbolTableCollection &symbols) {         \
    return verifyCollective(*this, symbols, getInputs().getTypes(),            \
                            getResultTypes());                                 \
  }
FSDP_BLOCKING(AllGatherOp)
FSDP_BLOCKING(ReduceScatterOp)
FSDP_BLOCKING(AllReduceOp)
FSDP_BLOCKING(AllToAllOp)
FSDP_BLOCKING(BroadcastOp)
FSDP_BLOCKING(PermuteOp)
#undef FSDP_BLOCKING

/// Checks what all start ops share: destinations, pending values, their users.
static LogicalResult verifyStart(Operation *op, ValueRange outputs,
                                 ValueRange pending) {
  SmallVector<Type> tensors;
  for (Value output : outputs)
    if (isa<TensorType>(output.getType()))
      tensors.push_back(output.getType());
  if (TypeRange(tensors) != pending.getTypes())
    return op->emitOpError("expected a pending value for each destination "
                           "tensor");
  for (Value value : pending)
    for (Operation *user : value.getUsers())
      if (!isa<WaitOp>(user)) {
        InFlightDiagnostic diag =
            op->emitOpError("expected only fsdp.wait to use a pending value");
        diag.attachNote(user->getLoc()) << "used here";
        return diag;
      }
  return success();
}

/// The memory effects of a start: reads its sources, writes its destinations;
/// on tensors a resource-less effect keeps it from being merged or dropped.
static void getStartEffects(
    Operation *op, MutableOperandRange inputs, MutableOperandRange outputs,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : inputs)
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  for (OpOperand &operand : outputs)
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SideEffects::DefaultResource::get());
}

#define FSDP_START(OP)                                                         \
  LogicalResult OP::verify() {                                                 \
    if (failed(verifyBucket(*this, getInputs().getTypes(),                     \
                            getOutputs().getTypes())))                         \
      return failure();                                                        \
    return verifyStart(*this, getOutputs(), getPending());                     \
  }                                                                            \
  LogicalResult OP::verifySymbolUses(SymbolTableCollection &symbols) {         \
    return verifyCollective(*this, symbols, getInputs().getTypes(),            \
                            getOutputs().getTypes());                          \
  }                                                                            \
  void OP::getEffects(                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    getStartEffects(*this, getInputsMutable(), getOutputsMutable(), effects);  \
  }
FSDP_START(StartAllGatherOp)
FSDP_START(StartReduceScatterOp)
FSDP_START(StartAllReduceOp)
FSDP_START(StartAllToAllOp)
FSDP_START(StartBroadcastOp)
FSDP_START(StartPermuteOp)
#undef FSDP_START

LogicalResult WaitOp::verify() {
  Operation *start = getToken().getDefiningOp();
  for (Value value : getPending())
    if (!start || value.getDefiningOp() != start) {
      InFlightDiagnostic diag =
          emitOpError("expected pending values of the token's start");
      if (start)
        diag.attachNote(start->getLoc()) << "the token is from here";
      return diag;
    }
  return success();
}

void WaitOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(),
                       SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SideEffects::DefaultResource::get());
}

//===----------------------------------------------------------------------===//
// Local ops
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  auto input = cast<ShapedType>(getInput().getType());
  auto dim = static_cast<int64_t>(getDim()); // The accessor is unsigned.
  if (dim < 0 || dim >= input.getRank())
    return emitOpError("expected dim to be below the rank ")
           << input.getRank() << ", but got " << dim;
  return success();
}

LogicalResult SliceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  int64_t size = 0;
  if (failed(verifyGroup(*this, symbols, getGroupAttr(), &size)))
    return failure();
  auto input = cast<RankedTensorType>(getInput().getType());
  SmallVector<int64_t> shape(input.getShape());
  if (!size)
    return success();
  shape[getDim()] = llvm::divideCeil(shape[getDim()], size);
  if (getType() != input.clone(shape))
    return emitOpError("expected a result of type ")
           << input.clone(shape) << " over a group of " << size << ", but got "
           << getType();
  return success();
}

LogicalResult RankIndexOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, symbols, getGroupAttr(), nullptr);
}

LogicalResult ScaleOp::verify() {
  if (static_cast<int64_t>(getDenominator()) <= 0)
    return emitOpError("expected a positive denominator, but got ")
           << static_cast<int64_t>(getDenominator());
  if (!isa<FloatType>(cast<ShapedType>(getType()).getElementType()))
    return emitOpError("expected floating-point elements, but got ")
           << getType();
  return success();
}

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return getNumerator() == getDenominator() ? getInput() : Value();
}

LogicalResult GlobalNormOp::verify() {
  if (getInputs().size() != getShardings().size())
    return emitOpError("expected one sharding per operand, but got ")
           << getShardings().size() << " for " << getInputs().size();
  if (cast<ShapedType>(getType()).getRank() != 0)
    return emitOpError("expected a scalar result, but got ") << getType();
  return success();
}

LogicalResult GlobalNormOp::verifySymbolUses(SymbolTableCollection &) {
  for (auto [input, sharding] : llvm::zip_equal(getInputs(), getShardings())) {
    auto placement = dyn_cast<ShardingAttr>(sharding);
    if (!placement)
      return emitOpError("expected shardings to be #fsdp.sharding, but got ")
             << sharding;
    if (!placement.getPartial().empty())
      return emitOpError("expected no partial operand: the norm of a sum is "
                         "not the sum of norms");
    if (failed(verifySharding(*this, placement,
                              cast<ShapedType>(input.getType()).getRank(),
                              [&]() { return emitOpError(); })))
      return failure();
  }
  return success();
}

LogicalResult ReshardOp::verify() {
  for (int64_t dim : getShape())
    if (dim < 0)
      return emitOpError("expected a shape without negative dims, but got ")
             << dim;
  if (getSource().getVarying() != getTarget().getVarying())
    return emitOpError("expected the value to vary over the same groups "
                       "before and after");
  auto input = cast<RankedTensorType>(getInput().getType());
  if (input.getElementType() !=
      cast<RankedTensorType>(getType()).getElementType())
    return emitOpError("expected one element type before and after");
  for (ShardingAttr sharding : {getSource(), getTarget()})
    if (input.getElementType().isInteger(1) && !sharding.getPartial().empty() &&
        sharding.getReduction() == ReductionKind::Sum)
      return emitOpError("expected a sum of numbers, but got ") << input;
  return success();
}

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &) {
  auto check = [&](ShardingAttr sharding, Type type,
                   StringRef what) -> LogicalResult {
    if (failed(verifySharding(*this, sharding, getShape().size(),
                              [&]() { return emitOpError(); })))
      return failure();
    for (FlatSymbolRefAttr group : sharding.getGroups())
      if (!lookupClasses(*this, group))
        return success();
    SmallVector<int64_t> local = getLocalShape(*this, getShape(), sharding);
    if (ArrayRef<int64_t>(local) == cast<ShapedType>(type).getShape())
      return success();
    InFlightDiagnostic diag = emitOpError("expected the ");
    diag << what << " to have the local shape [";
    llvm::interleaveComma(local, diag);
    return diag << "], but got " << type;
  };
  if (failed(check(getSource(), getInput().getType(), "operand")))
    return failure();
  return check(getTarget(), getType(), "result");
}

OpFoldResult ReshardOp::fold(FoldAdaptor) {
  // Types may differ while groups are not resolved.
  if (getSource() == getTarget() && getInput().getType() == getType())
    return getInput();
  // There and back: nothing was lost unless a sum was done on the way.
  auto before = getInput().getDefiningOp<ReshardOp>();
  if (before && before.getSource() == getTarget() &&
      before.getTarget() == getSource() && before.getShape() == getShape() &&
      before.getInput().getType() == getType() &&
      before.getSource().getPartial().empty())
    return before.getInput();
  return {};
}

LogicalResult ScatterOp::verify() {
  auto updates = cast<ShapedType>(getUpdates().getType());
  auto indices = cast<ShapedType>(getIndices().getType());
  auto destination = cast<ShapedType>(getDestination().getType());
  if (indices.getRank() != 2 || !indices.getElementType().isInteger())
    return emitOpError("expected integer indices of shape [N, k], but got ")
           << indices;
  if (updates.getRank() < 1 || updates.getDimSize(0) != indices.getDimSize(0))
    return emitOpError("expected as many updates as indices, but got ")
           << updates << " for " << indices;
  if (updates.getRank() - 1 > destination.getRank())
    return emitOpError("expected updates of at most the destination's rank "
                       "and one, but got ")
           << updates << " for " << destination;
  if (int64_t(getDimensionMap().size()) != indices.getDimSize(1))
    return emitOpError("expected one entry of dims per index, but got ")
           << getDimensionMap().size() << " for " << indices.getDimSize(1);
  for (int64_t dim : getDimensionMap())
    if (dim < 0 || dim >= destination.getRank())
      return emitOpError("expected dims to be below the destination's rank ")
             << destination.getRank() << ", but got " << dim;
  int64_t offset = destination.getRank() - (updates.getRank() - 1);
  for (int64_t i = 1; i < updates.getRank(); ++i)
    if (updates.getDimSize(i) > destination.getDimSize(offset + i - 1))
      return emitOpError("expected updates to fit the destination, but got ")
             << updates << " for " << destination;
  Type element = destination.getElementType();
  Block &block = getBody().front();
  if (updates.getElementType() != element || block.getNumArguments() != 2 ||
      llvm::any_of(block.getArgumentTypes(),
                   [&](Type type) { return type != element; }))
    return emitOpError("expected one element type in updates, destination and "
                       "the body's two arguments");
  if (isa<TensorType>(getDestination().getType()) !=
      static_cast<bool>(getResult()))
    return emitOpError("expected a result exactly on tensors");
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValue().getType() != element)
    return emitOpError("expected the body to yield an element of type ")
           << element;
  return success();
}

void ScatterOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand,
                         SideEffects::DefaultResource::get());
    if (operand.get() == getDestination())
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}
