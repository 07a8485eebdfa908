// SPDX-License-Identifier: Apache-2.0
//===- MakeAsync.cpp - a start and a wait for each collective -------------===//
//
// A blocking collective has no destination and no duration. This pass gives it
// both: an empty tensor to write to, a start, and a wait right behind it.
//
//   %0 = fsdp.all_gather %w over @node dim 0 : ...
// becomes
//   %d = tensor.empty() : tensor<8x4xf32>
//   %token, %pending = fsdp.start_all_gather ins(%w : ...) outs(%d : ...)
//       {group = @node, dim = 0 : i64} -> tensor<8x4xf32>
//   %0 = fsdp.wait %token, %pending : tensor<8x4xf32> holding %w : ...
//
// The runtime's all-to-all moves leading blocks. So the split dimension
// becomes [n, b] with n moved to the front, and of what is received the block
// index moves to just before the concatenated dimension and is merged into it:
//
//   8x3 -split 0-> [2x4]x3 -> start -> [2]x4x3 -concat 1-> 4x[2x3] -> 4x6
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fsdp {
#define GEN_PASS_DEF_MAKEASYNCPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct MakeAsyncPass : public fsdp::impl::MakeAsyncPassBase<MakeAsyncPass> {
  using MakeAsyncPassBase::MakeAsyncPassBase;

  void runOnOperation() override {
    SmallVector<CollectiveOpInterface> collectives;
    getOperation().walk([&](CollectiveOpInterface op) {
      if (op.isBlocking())
        collectives.push_back(op);
    });
    for (CollectiveOpInterface op : collectives)
      if (failed(makeAsync(op)))
        return signalPassFailure();
  }

  LogicalResult makeAsync(CollectiveOpInterface op);
};
} // namespace

/// Swaps dimension `from` to position `to`, the others keeping their order.
static Value moveDim(OpBuilder &builder, Location loc, Value value,
                     int64_t from, int64_t to) {
  if (from == to)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, empty, permutation)
      ->getResult(0);
}

/// The reassociation that merges dimensions `dim` and `dim` + 1 of `rank` + 1.
static SmallVector<ReassociationIndices> mergeDims(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    if (i == dim)
      groups.push_back({i, i + 1});
    else
      groups.push_back({i < dim ? i : i + 1});
  return groups;
}

/// Brings the block index of an all-to-all's operand to the front.
static Value splitBlocks(OpBuilder &builder, AllToAllOp op, Value input,
                         int64_t size) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t dim = op.getSplitDim();
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= size;
  shape.insert(shape.begin() + dim, size);
  Value expanded =
      tensor::ExpandShapeOp::create(builder, op.getLoc(), type.clone(shape),
                                    input, mergeDims(type.getRank(), dim));
  return moveDim(builder, op.getLoc(), expanded, dim, 0);
}

/// Merges the leading block index of what was received into `concat_dim`.
static Value concatBlocks(OpBuilder &builder, AllToAllOp op, Value received,
                          Type type) {
  int64_t dim = op.getConcatDim();
  Value moved = moveDim(builder, op.getLoc(), received, 0, dim);
  return tensor::CollapseShapeOp::create(
      builder, op.getLoc(), cast<RankedTensorType>(type), moved,
      mergeDims(cast<RankedTensorType>(type).getRank(), dim));
}

/// Creates the start of the same name, with the inherent attributes of `op`.
static Operation *createStart(OpBuilder &builder, CollectiveOpInterface op,
                              ValueRange sources, ValueRange destinations) {
  OperationState state(op.getLoc(),
                       "fsdp.start_" + stringifyEnum(op.getKind()).str());
  NamedAttrList attributes(
      cast<DictionaryAttr>(op->getPropertiesAsAttribute()));
  attributes.set("operandSegmentSizes",
                 builder.getDenseI32ArrayAttr(
                     {int32_t(sources.size()), int32_t(sources.size())}));
  if (isa<AllToAllOp>(op))
    for (StringRef dim : {"split_dim", "concat_dim"})
      attributes.set(dim, builder.getI64IntegerAttr(0));
  state.addAttributes(attributes);
  state.addOperands(sources);
  state.addOperands(destinations);
  state.addTypes(TokenType::get(builder.getContext()));
  state.addTypes(destinations.getTypes());
  return builder.create(state);
}

/// Replaces one blocking collective.
LogicalResult MakeAsyncPass::makeAsync(CollectiveOpInterface op) {
  OpBuilder builder(op);
  ClassesAttr classes = lookupClasses(op, op.getGroupRef());
  if (!classes)
    return op->emitOpError("expected a resolved process group");
  auto allToAll = dyn_cast<AllToAllOp>(op.getOperation());
  SmallVector<Value> sources, destinations;
  for (auto [source, type] :
       llvm::zip_equal(op.getSources(), op->getResultTypes())) {
    Value sent = source;
    Type wanted = type;
    if (allToAll) {
      sent = splitBlocks(builder, allToAll, source, classes.getSize());
      wanted = sent.getType();
    }
    auto tensor = cast<RankedTensorType>(wanted);
    sources.push_back(sent);
    destinations.push_back(tensor::EmptyOp::create(
        builder, op.getLoc(), tensor.getShape(), tensor.getElementType()));
  }
  Operation *start = createStart(builder, op, sources, destinations);
  auto wait = WaitOp::create(builder, op.getLoc(), start->getResult(0),
                             start->getResults().drop_front(), sources);
  for (auto [result, received] :
       llvm::zip_equal(op->getResults(), wait.getResults())) {
    Value value = received;
    if (allToAll)
      value = concatBlocks(builder, allToAll, received, result.getType());
    result.replaceAllUsesWith(value);
  }
  op->erase();
  return success();
}
