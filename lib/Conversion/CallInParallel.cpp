// SPDX-License-Identifier: Apache-2.0
//===- CallInParallel.cpp - kernels on the threads of a rank --------------===//
//
// The runtime calls a kernel that takes a range once on each thread. All other
// arguments go through memory.
//
//   llvm.call @kernel(%a, %b, %c0, %c64)
// becomes
//   llvm.store %a, %context[0]
//   llvm.store %b, %context[1]
//   llvm.call @fsdp_parallel(%rank, %c64, @kernel_range, %context)
//   llvm.func @kernel_range(%context, %begin, %end) {
//     %a = llvm.load %context[0]
//     %b = llvm.load %context[1]
//     llvm.call @kernel(%a, %b, %begin, %end)
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "fsdp/Conversion/Passes.h"

namespace fsdp {
#define GEN_PASS_DEF_CALLINPARALLELPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct CallInParallelPass
    : public fsdp::impl::CallInParallelPassBase<CallInParallelPass> {
  using CallInParallelPassBase::CallInParallelPassBase;

  void runOnOperation() override {
    runtime.emplace(getOperation());
    contexts.clear();
    llvm::StringMap<LLVM::LLVMFuncOp> ranges;
    for (auto function :
         llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (auto extent = function->getAttrOfType<IntegerAttr>(attr::parallel))
        ranges[function.getSymName()] = makeRange(function);
    SmallVector<LLVM::CallOp> calls;
    getOperation().walk([&](LLVM::CallOp call) {
      auto range = call.getCallee() ? ranges.lookup(*call.getCallee())
                                    : LLVM::LLVMFuncOp();
      if (range && !range->isAncestor(call))
        calls.push_back(call);
    });
    for (LLVM::CallOp call : calls)
      callRange(call, ranges.lookup(*call.getCallee()));
  }

  LLVM::LLVMFuncOp makeRange(LLVM::LLVMFuncOp kernel);
  void callRange(LLVM::CallOp call, LLVM::LLVMFuncOp range);

  std::optional<RuntimeCalls> runtime;
  /// Where each function that calls kernels puts their arguments.
  DenseMap<Operation *, LLVM::AllocaOp> contexts;
};
} // namespace

/// The address of argument `index` in memory; each has eight bytes.
static Value getSlot(OpBuilder &builder, Location loc, Value context,
                     unsigned index) {
  return LLVM::GEPOp::create(builder, loc, context.getType(),
                             builder.getI64Type(), context,
                             ArrayRef<LLVM::GEPArg>{int32_t(index)});
}

/// A function that takes the arguments of `kernel` from memory.
LLVM::LLVMFuncOp CallInParallelPass::makeRange(LLVM::LLVMFuncOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i64 = builder.getI64Type();
  auto range = LLVM::LLVMFuncOp::create(
      builder, loc, (kernel.getSymName() + "_range").str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                  {pointer, i64, i64}));
  Block *body = range.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  SmallVector<Value> arguments;
  for (auto [i, type] :
       llvm::enumerate(kernel.getArgumentTypes().drop_back(2)))
    arguments.push_back(LLVM::LoadOp::create(
        builder, loc, type, getSlot(builder, loc, body->getArgument(0), i)));
  arguments.push_back(body->getArgument(1));
  arguments.push_back(body->getArgument(2));
  LLVM::CallOp::create(builder, loc, kernel, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return range;
}

/// Hands a call to the runtime.
void CallInParallelPass::callRange(LLVM::CallOp call, LLVM::LLVMFuncOp range) {
  auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
  Location loc = call.getLoc();
  ValueRange arguments = call.getArgOperands().drop_back(2);
  LLVM::AllocaOp &context = contexts[function];
  OpBuilder builder(&getContext());
  if (!context) {
    builder.setInsertionPointToStart(&function.getBody().front());
    context = LLVM::AllocaOp::create(
        builder, loc, function.getArgument(0).getType(), builder.getI64Type(),
        runtime->constant(builder, loc, 0, builder.getI64Type()));
  }
  auto size = context.getArraySize().getDefiningOp<LLVM::ConstantOp>();
  if (int64_t known = cast<IntegerAttr>(size.getValue()).getInt();
      known < int64_t(arguments.size()))
    size.setValueAttr(builder.getI64IntegerAttr(arguments.size()));
  builder.setInsertionPoint(call);
  for (auto [i, argument] : llvm::enumerate(arguments))
    LLVM::StoreOp::create(builder, loc, argument,
                          getSlot(builder, loc, context, i));
  Value body = LLVM::AddressOfOp::create(builder, loc, range);
  runtime->call(builder, loc, "fsdp_parallel",
                {function.getArgument(0), call.getArgOperands().back(), body,
                 context});
  call.erase();
}
