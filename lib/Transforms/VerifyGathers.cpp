// SPDX-License-Identifier: Apache-2.0
//===- VerifyGathers.cpp - shards are gathered as they are stored ---------===//
//
// A gather joins digits of the rank number. Those that a parameter is stored
// over stand at its argument, major to minor, and a gather of what is plainly
// its shard must join the last ones. No chunk has to be read for that, so that
// it also holds where one row may be read in several ways.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// A digit of a group that splits a dimension, or all of a group without any.
struct Part {
  Axis digit;
  ClassesAttr list;
  Attribute group;
};

/// A shard of a parameter, and what is left to be gathered of it.
struct Shard {
  unsigned argument;
  /// By dimension, major to minor.
  SmallVector<SmallVector<Part, 2>> dims;
  /// Its dims are no longer those that it is stored by.
  bool isReshaped = false;
};

class Gathers {
public:
  explicit Gathers(const Step &step)
      : step(step), function(step.getFunction()) {}
  LogicalResult check(CollectiveOpInterface op);

private:
  SmallVector<Shard> trace(Value value);
  SmallVector<Shard> traceArgument(unsigned index);
  SmallVector<Shard> traceOp(OpResult result);
  void append(SmallVectorImpl<Part> &parts, Attribute group);
  bool join(Shard &shard, CollectiveOpInterface gather);

  const Step &step;
  func::FuncOp function;
  DenseMap<Value, SmallVector<Shard>> traced;
};
} // namespace

LogicalResult fsdp::verifyGathers(const Step &step,
                                  ArrayRef<CollectiveOpInterface> collectives) {
  Gathers gathers(step);
  for (CollectiveOpInterface op : collectives)
    if (op.getKind() == CollectiveKind::AllGather && failed(gathers.check(op)))
      return failure();
  return success();
}

/// The digits of `classes`, major to minor.
static SmallVector<Axis> readDigits(ClassesAttr classes) {
  SmallVector<Axis> digits;
  for (size_t i = 0; i < classes.getDigits().size(); i += 2)
    digits.push_back({classes.getDigits()[i], classes.getDigits()[i + 1]});
  return digits;
}

/// Splits what `parts` split over `group` as well.
void Gathers::append(SmallVectorImpl<Part> &parts, Attribute group) {
  ClassesAttr classes = lookupClasses(function, cast<FlatSymbolRefAttr>(group));
  if (!classes || classes.getSize() == 1)
    return;
  if (classes.isExplicit())
    parts.push_back({{}, classes, group});
  for (Axis digit : readDigits(classes))
    parts.push_back({digit, {}, group});
}

/// Takes the last digits off `parts`, if they are those of `classes`.
static bool take(SmallVectorImpl<Part> &parts, ClassesAttr classes) {
  if (classes.isExplicit()) {
    bool isLast = !parts.empty() && parts.back().list == classes;
    if (isLast)
      parts.pop_back();
    return isLast;
  }
  SmallVector<Axis> digits = readDigits(classes);
  while (!digits.empty()) {
    Axis &wanted = digits.back();
    if (parts.empty() || parts.back().list ||
        parts.back().digit.stride != wanted.stride)
      return false;
    Axis &have = parts.back().digit;
    int64_t extent = std::min(have.extent, wanted.extent);
    if (std::max(have.extent, wanted.extent) % extent)
      return false;
    for (Axis *digit : {&have, &wanted})
      *digit = {digit->stride * extent, digit->extent / extent};
    if (have.extent == 1)
      parts.pop_back();
    if (wanted.extent == 1)
      digits.pop_back();
  }
  return true;
}

/// Takes off what `gather` joins; false where it joins something else. Once
/// reshaped, a shard may be joined along any dimension.
bool Gathers::join(Shard &shard, CollectiveOpInterface gather) {
  ClassesAttr classes = lookupClasses(function, gather.getGroupRef());
  int64_t dim = gather->getAttrOfType<IntegerAttr>("dim").getInt();
  if (!classes || classes.getSize() == 1)
    return true;
  for (auto [i, parts] : llvm::enumerate(shard.dims)) {
    SmallVector<Part, 2> left = parts;
    if ((!shard.isReshaped && int64_t(i) != dim) || !take(left, classes))
      continue;
    parts = left;
    return true;
  }
  return false;
}

SmallVector<Shard> Gathers::traceArgument(unsigned index) {
  auto storage = function.getArgAttrOfType<ShardingAttr>(index, attr::storage);
  auto shape =
      function.getArgAttrOfType<DenseI64ArrayAttr>(index, attr::globalShape);
  auto type = dyn_cast<RankedTensorType>(function.getArgument(index).getType());
  if (!function.getArgAttr(index, attr::param) || !storage || !shape || !type ||
      type.getShape() !=
          ArrayRef<int64_t>(getLocalShape(function, shape, storage)))
    return {};
  Shard shard{index, {}};
  for (Attribute dim : storage.getDims()) {
    auto &parts = shard.dims.emplace_back();
    for (Attribute group : cast<ArrayAttr>(dim))
      append(parts, group);
  }
  return {shard};
}

/// The shards that `value` is made of, as far as it is plain to see.
SmallVector<Shard> Gathers::trace(Value value) {
  auto it = traced.find(value);
  if (it != traced.end())
    return it->second;
  SmallVector<Shard> shards;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    shards = traceOp(cast<OpResult>(value));
  else if (argument.getOwner() == &function.front())
    shards = traceArgument(argument.getArgNumber());
  return traced[value] = shards;
}

/// True where `op` rounds what it is given, in parts or as a whole.
static bool isCast(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return isa<arith::TruncFOp, arith::ExtFOp>(op) ||
         (generic && generic.getNumDpsInputs() == 1 &&
          !generic.getNumReductionLoops() &&
          llvm::all_of(*generic.getBody(), [](Operation &inner) {
            return isa<arith::TruncFOp, arith::ExtFOp, linalg::YieldOp>(inner);
          }));
}

SmallVector<Shard> Gathers::traceOp(OpResult result) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto wait = dyn_cast<WaitOp>(op))
    return trace(wait.getPending()[index]);
  if (isa<OptimizationBarrierOp>(op))
    return trace(op->getOperand(index));
  if (auto gather = dyn_cast<CollectiveOpInterface>(op)) {
    unsigned source = index - !gather.isBlocking();
    if (gather.getKind() != CollectiveKind::AllGather ||
        source >= gather.getSources().size())
      return {};
    SmallVector<Shard> shards = trace(gather.getSources()[source]);
    for (Shard &shard : shards)
      join(shard, gather);
    return shards;
  }
  bool isReshape =
      isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, linalg::TransposeOp>(
          op);
  ValueRange sources;
  if (isReshape || isCast(op) || isa<tensor::PadOp, tensor::ExtractSliceOp>(op))
    sources = op->getOperands().take_front();
  else if (isa<tensor::ConcatOp>(op))
    sources = op->getOperands();
  else if (isa<tensor::InsertSliceOp>(op))
    sources = op->getOperands().take_front(2);
  SmallVector<Shard> shards;
  for (Value source : sources)
    for (Shard shard : trace(source)) {
      shard.isReshaped |=
          isReshape || cast<ShapedType>(source.getType()).getRank() !=
                           cast<ShapedType>(result.getType()).getRank();
      shards.push_back(shard);
    }
  // One of several, or who knows where of it.
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && (shards.size() > 1 ||
                ShapedType::isDynamicShape(slice.getStaticOffsets())))
    return {};
  return shards;
}

/// The dimension that rather is gathered: one that the group splits, `dim`, or
/// another one; -1 where none is split.
static int64_t findDim(const Shard &shard, ClassesAttr classes, int64_t dim) {
  int64_t any = -1;
  for (auto [i, parts] : llvm::enumerate(shard.dims)) {
    SmallVector<Part, 2> left = parts;
    if (take(left, classes))
      return i;
    if (!parts.empty() && (any < 0 || int64_t(i) == dim))
      any = i;
  }
  return any;
}

LogicalResult Gathers::check(CollectiveOpInterface op) {
  for (Value source : op.getSources())
    for (Shard shard : trace(source)) {
      if (join(shard, op))
        continue;
      int64_t dim = op->getAttrOfType<IntegerAttr>("dim").getInt();
      int64_t at =
          findDim(shard, lookupClasses(function, op.getGroupRef()), dim);
      // Of what is whole already the interpreter says more.
      if (at < 0)
        continue;
      InFlightDiagnostic diag = op->emitError("expected the shards of '")
                                << step.getArgRole(shard.argument, attr::param)
                                << "' to be gathered over "
                                << shard.dims[at].back().group;
      if (at != dim && !shard.isReshaped)
        diag << " along dimension " << at;
      diag << ", as they are stored, but got " << op.getGroupRef();
      if (at != dim && !shard.isReshaped)
        diag << " along dimension " << dim;
      diag.attachNote(function.getArgument(shard.argument).getLoc())
          << "its storage is "
          << function.getArgAttr(shard.argument, attr::storage);
      return diag;
    }
  return success();
}
