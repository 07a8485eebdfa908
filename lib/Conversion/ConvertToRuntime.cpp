// SPDX-License-Identifier: Apache-2.0
//===- ConvertToRuntime.cpp - collectives as calls of the runtime ---------===//
//
// The last fsdp ops go away: what is left calls the C functions of Runtime.h.
//
//   %token = fsdp.start_all_gather ins(%w : memref<2x4xf32>)
//       outs(%d : memref<8x4xf32>) {group = @node, dim = 0 : i64}
//   fsdp.wait %token holding %w : memref<2x4xf32>
// becomes, with %rank as the new first argument,
//   %token = llvm.call @fsdp_open(%rank, %kind, %group, %channel, %dtype,
//                                 %reduction, %root_or_shift, %location)
//   llvm.call @fsdp_add(%rank, %token, %w_pointer, %d_pointer, %outer, %inner)
//   llvm.call @fsdp_start(%rank, %token)
//   llvm.call @fsdp_wait(%rank, %token)
//
//===----------------------------------------------------------------------===//
#include "Gemm.h"
#include "RuntimeCalls.h"
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fsdp {
#define GEN_PASS_DEF_CONVERTTORUNTIMEPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// What buffer-results-to-out-params leaves on an argument that was a result.
static constexpr StringLiteral resultAttrName = "bufferize.result";

namespace {
struct ConvertToRuntimePass
    : public fsdp::impl::ConvertToRuntimePassBase<ConvertToRuntimePass> {
  using ConvertToRuntimePassBase::ConvertToRuntimePassBase;

  void runOnOperation() override {
    runtime.emplace(getOperation());
    numberGroups();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isPublic() && !function.isExternal())
        addRank(function);
      if (failed(convert(function)))
        return signalPassFailure();
    }
    for (Operation &op : llvm::make_early_inc_range(getOperation().getOps()))
      if (isa<ProcessGroupOp, UnitOp>(op))
        op.erase();
  }

  void numberGroups();
  void addRank(func::FuncOp function);
  LogicalResult convert(func::FuncOp function);
  LogicalResult convertStart(CollectiveOpInterface op, Value rank);
  LogicalResult convertContract(ContractOp op, Value rank);

  std::optional<RuntimeCalls> runtime;
  llvm::StringMap<int64_t> groups;
};
} // namespace

/// Groups are known to the runtime by the order of their declarations.
void ConvertToRuntimePass::numberGroups() {
  groups.clear();
  for (auto [id, group] :
       llvm::enumerate(getOperation().getOps<ProcessGroupOp>()))
    groups[group.getSymName()] = id;
}

/// Adds the handle, and records how many arguments and results there are.
void ConvertToRuntimePass::addRank(func::FuncOp function) {
  OpBuilder builder(function);
  int64_t results = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    results += !!function.getArgAttr(i, resultAttrName);
  int64_t arguments =
      function.getNumArguments() - results - function->hasAttr(attr::arena);
  function->setAttr(attr::entry,
                    builder.getDenseI64ArrayAttr({arguments, results}));
  (void)function.insertArgument(0, LLVM::LLVMPointerType::get(&getContext()),
                                {}, function.getLoc());
}

/// Converts all ops of a function.
LogicalResult ConvertToRuntimePass::convert(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<CollectiveOpInterface, WaitOp, RankIndexOp, ContractOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (!function.isPublic())
      return op->emitOpError("expected to be in a public function: inline "
                             "calls first");
    OpBuilder builder(op);
    Value rank = function.getArgument(0);
    Type i64 = builder.getI64Type();
    LogicalResult converted =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case([&](CollectiveOpInterface start) {
              return convertStart(start, rank);
            })
            .Case([&](WaitOp wait) {
              // Its token is an integer by now.
              runtime->call(builder, op->getLoc(), "fsdp_wait",
                            {rank, wait->getOperand(0)});
              return success();
            })
            .Case([&](RankIndexOp index) -> LogicalResult {
              Value group = runtime->constant(
                  builder, op->getLoc(), groups.lookup(index.getGroup()), i64);
              Value result = runtime->call(
                  builder, op->getLoc(), "fsdp_rank_index", {rank, group}, i64);
              index.replaceAllUsesWith(
                  arith::IndexCastOp::create(builder, op->getLoc(),
                                             builder.getIndexType(), result)
                      .getResult());
              return success();
            })
            .Case([&](ContractOp contract) {
              return convertContract(contract, rank);
            });
    if (failed(converted))
      return failure();
    op->erase();
  }
  return success();
}

/// The runtime's name for an element type, or nothing.
static std::optional<int64_t> getDtype(Type type) {
  return llvm::TypeSwitch<Type, std::optional<int64_t>>(type)
      .Case([](Float16Type) { return FSDP_F16; })
      .Case([](BFloat16Type) { return FSDP_BF16; })
      .Case([](Float32Type) { return FSDP_F32; })
      .Case([](Float64Type) { return FSDP_F64; })
      .Case([](IntegerType integer) -> std::optional<int64_t> {
        switch (integer.getWidth()) {
        case 1:
        case 8:
          return FSDP_I8;
        case 32:
          return FSDP_I32;
        case 64:
          return FSDP_I64;
        default:
          return std::nullopt;
        }
      })
      .Default([](Type) { return std::nullopt; });
}

/// `outer` and `inner` of a buffer, as Runtime.h lays them out.
static std::pair<int64_t, int64_t> getBlocks(CollectiveOpInterface op,
                                             MemRefType source,
                                             MemRefType destination,
                                             int64_t size) {
  // The side with one block per outer index.
  MemRefType blocks =
      op.getKind() == CollectiveKind::ReduceScatter ? destination : source;
  if (auto dim = op->getAttrOfType<IntegerAttr>("dim")) {
    ArrayRef<int64_t> shape = blocks.getShape();
    return {llvm::product_of(shape.take_front(dim.getInt())),
            llvm::product_of(shape.drop_front(dim.getInt()))};
  }
  int64_t elements = source.getNumElements();
  return {1, op.getKind() == CollectiveKind::AllToAll ? elements / size
                                                      : elements};
}

/// The address of a buffer's first element.
static Value getPointer(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  if (!type.getLayout().isIdentity()) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    Value width = arith::ConstantIndexOp::create(
        builder, loc, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    Value bytes =
        arith::MulIOp::create(builder, loc, metadata.getOffset(), width);
    address = arith::AddIOp::create(builder, loc, address, bytes);
  }
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), integer);
}

/// Opens a bucket, adds its buffers and starts it.
LogicalResult ConvertToRuntimePass::convertStart(CollectiveOpInterface op,
                                                 Value rank) {
  Location loc = op.getLoc();
  auto isBuffer = [](Value value) { return isa<MemRefType>(value.getType()); };
  if (op.isBlocking() || !llvm::all_of(op->getOperands(), isBuffer))
    return op->emitOpError("expected a started collective on buffers: run "
                           "fsdp-make-async and one-shot-bufferize first");
  ClassesAttr classes = lookupClasses(op, op.getGroupRef());
  if (!classes)
    return op->emitOpError("expected a resolved process group");
  Type element =
      cast<MemRefType>(op.getSources().front().getType()).getElementType();
  std::optional<int64_t> dtype = getDtype(element);
  if (!dtype)
    return op->emitOpError("expected elements that the runtime knows (f16, "
                           "bf16, f32, f64, i1, i8, i32, i64), but got ")
           << element;
  std::optional<ReductionKind> reduction = op.getReductionKind();
  // It is a byte to the runtime, and two trues would be 2.
  if (reduction == ReductionKind::Sum && element.isInteger(1))
    return op->emitOpError("expected a sum of numbers, but got ") << element;
  if (auto allToAll = dyn_cast<StartAllToAllOp>(op.getOperation()))
    if (allToAll.getSplitDim() || allToAll.getConcatDim())
      return op->emitOpError("expected leading blocks (split_dim = 0, "
                             "concat_dim = 0)");
  OpBuilder builder(op);
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto getInteger = [&](StringRef name) -> int64_t {
    auto attribute = op->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  Value token = runtime->call(
      builder, loc, "fsdp_open",
      {rank, runtime->constant(builder, loc, int64_t(op.getKind()), i32),
       runtime->constant(builder, loc,
                         groups.lookup(op.getGroupRef().getValue()), i64),
       runtime->constant(builder, loc, getInteger("channel"), i64),
       runtime->constant(builder, loc, *dtype, i32),
       runtime->constant(builder, loc,
                         reduction ? int64_t(*reduction) : FSDP_NONE, i32),
       runtime->constant(builder, loc, getInteger("root") + getInteger("shift"),
                         i64),
       runtime->getLocation(builder, loc)},
      i64);
  // The operands of a start are its sources, then its destinations.
  ValueRange destinations =
      op->getOperands().drop_front(op.getSources().size());
  for (auto [source, destination] :
       llvm::zip_equal(op.getSources(), destinations)) {
    auto [outer, inner] =
        getBlocks(op, cast<MemRefType>(source.getType()),
                  cast<MemRefType>(destination.getType()), classes.getSize());
    runtime->call(builder, loc, "fsdp_add",
                  {rank, token, getPointer(builder, loc, source),
                   getPointer(builder, loc, destination),
                   runtime->constant(builder, loc, outer, i64),
                   runtime->constant(builder, loc, inner, i64)});
  }
  runtime->call(builder, loc, "fsdp_start", {rank, token});
  op->getResult(0).replaceAllUsesWith(token);
  return success();
}

/// Calls the library. What the product looks like is a constant of the module.
LogicalResult ConvertToRuntimePass::convertContract(ContractOp op, Value rank) {
  std::optional<Gemm> gemm = getGemm(op);
  if (!gemm)
    return op->emitOpError("expected a product that the runtime takes: run "
                           "one-shot-bufferize and fsdp-lower-contractions "
                           "first");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  ArrayRef<int64_t> fields(reinterpret_cast<int64_t *>(&gemm->shape),
                           sizeof(FsdpGemm) / sizeof(int64_t));
  Value lhs = getPointer(builder, loc, op.getLhs());
  Value rhs = getPointer(builder, loc, op.getRhs());
  if (gemm->isSwapped)
    std::swap(lhs, rhs);
  runtime->call(builder, loc, "fsdp_gemm",
                {rank, runtime->getNumbers(builder, loc, fields), lhs, rhs,
                 getPointer(builder, loc, op.getDestination())});
  return success();
}
