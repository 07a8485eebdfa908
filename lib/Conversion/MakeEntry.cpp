// SPDX-License-Identifier: Apache-2.0
//===- MakeEntry.cpp - one calling convention for every step --------------===//
//
// A host calls every compiled step in the same way, however many arguments and
// results it has: with arrays of pointers. This also keeps upstream's
// conversion of functions from being quadratic: it renumbers the function for
// each argument that it converts.
//
//   func.func @f(%rank: !llvm.ptr, %x: memref<4xf32>, %out: memref<4xf32>,
//                %arena: memref<128xi8>) attributes {fsdp.arena = 128 : i64}
// becomes
//   func.func @fsdp_entry_f(%rank: !llvm.ptr, %args: !llvm.ptr,
//                           %results: !llvm.ptr, %arena: !llvm.ptr)
//       attributes {fsdp.arena = 128 : i64} {
//     %x_pointer = llvm.load %args[0]
//     %x = (a descriptor of memref<4xf32> at %x_pointer)
//     %out_pointer = llvm.load %results[0]
//
// The arena must be aligned to 64 bytes. No two buffers overlap.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fsdp {
#define GEN_PASS_DEF_MAKEENTRYPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct MakeEntryPass : public fsdp::impl::MakeEntryPassBase<MakeEntryPass> {
  using MakeEntryPassBase::MakeEntryPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(attr::entry) && failed(makeEntry(function)))
        return signalPassFailure();
  }

  LogicalResult makeEntry(func::FuncOp function);
};
} // namespace

/// Loads entry `index` of an array of pointers.
static Value loadPointer(OpBuilder &builder, Location loc, Value array,
                         int64_t index) {
  Type pointer = array.getType();
  Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, array,
                                   ArrayRef<LLVM::GEPArg>{int32_t(index)});
  return LLVM::LoadOp::create(builder, loc, pointer, slot);
}

/// What lies at `pointer`, as a value of `type`; scalars are loaded.
static Value getAt(OpBuilder &builder, Location loc, Value pointer, Type type,
                   const LLVMTypeConverter &converter) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer) {
    Value scalar = LLVM::LoadOp::create(builder, loc,
                                        converter.convertType(type), pointer);
    return UnrealizedConversionCastOp::create(builder, loc, type, scalar)
        .getResult(0);
  }
  Value descriptor = MemRefDescriptor::fromStaticShape(builder, loc, converter,
                                                       buffer, pointer);
  return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
      .getResult(0);
}

/// Where the result that argument `index`, behind the rank's handle, stands for
/// is among all results, those in place included.
static int64_t getSlot(func::FuncOp function, int64_t index, int64_t first) {
  auto number =
      function.getArgAttrOfType<IntegerAttr>(index + 1, attr::resultIndex);
  return number ? number.getInt() : index - first;
}

/// Replaces all arguments but the rank's handle by three arrays.
LogicalResult MakeEntryPass::makeEntry(func::FuncOp function) {
  Location loc = function.getLoc();
  if (function.getNumResults() || !function->hasAttr(attr::arena))
    return emitError(function.getLoc(),
                     "expected a step that returns tensors only and "
                     "has an arena");
  for (Type type : function.getArgumentTypes())
    if (auto buffer = dyn_cast<MemRefType>(type))
      if (!buffer.hasStaticShape() || !buffer.getLayout().isIdentity())
        return emitError(function.getLoc(),
                         "expected static shapes and plain layouts, "
                         "but got ")
               << type;
  ArrayRef<int64_t> counts =
      cast<DenseI64ArrayAttr>(function->getAttr(attr::entry)).asArrayRef();
  LLVMTypeConverter converter(&getContext());
  Block &body = function.front();
  auto builder = OpBuilder::atBlockBegin(&body);
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  SmallVector<BlockArgument> old(body.getArguments().drop_front());
  SmallVector<Value> arrays;
  for (int64_t i = 0; i < 3; ++i)
    arrays.push_back(body.addArgument(pointer, loc));
  for (auto [index, argument] : llvm::enumerate(old)) {
    int64_t i = index;
    Value at = arrays[2];
    if (i < counts[0])
      at = loadPointer(builder, loc, arrays[0], i);
    else if (i < counts[0] + counts[1])
      at = loadPointer(builder, loc, arrays[1], getSlot(function, i, counts[0]));
    argument.replaceAllUsesWith(
        getAt(builder, loc, at, argument.getType(), converter));
  }
  body.eraseArguments(1, old.size());
  function.setArgAttrsAttr({});
  function.setFunctionType(
      FunctionType::get(&getContext(), body.getArgumentTypes(), {}));
  function.setName((entryPrefix + function.getName()).str());
  function->removeAttr(attr::entry);
  return success();
}
