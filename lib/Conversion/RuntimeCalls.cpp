// SPDX-License-Identifier: Apache-2.0
//===- RuntimeCalls.cpp - calls of the runtime's C functions --------------===//
#include "RuntimeCalls.h"

using namespace mlir;
using namespace fsdp;

Value RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name,
                         ValueRange operands, Type result) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    Type type = LLVM::LLVMFunctionType::get(
        result ? result : LLVM::LLVMVoidType::get(module.getContext()),
        llvm::to_vector(operands.getTypes()));
    function = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  }
  auto made = LLVM::CallOp::create(builder, loc, function, operands);
  return result ? made.getResult() : Value();
}

/// A name location as words: `loc("h.0.attn"("bwd"))` is "h.0.attn bwd".
static std::string printLocation(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    std::string rest = printLocation(name.getChildLoc());
    return name.getName().str() + (rest.empty() ? "" : " ") + rest;
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return printLocation(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return printLocation(fused.getLocations().front());
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  return "";
}

Value RuntimeCalls::getLocation(OpBuilder &builder, Location loc) {
  std::string text = printLocation(loc);
  LLVM::GlobalOp &global = locations[text];
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    StringRef bytes(text.c_str(), text.size() + 1);
    global = LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "fsdp_location_" + std::to_string(locations.size() - 1),
        builder.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::getNumbers(OpBuilder &builder, Location loc,
                               ArrayRef<int64_t> values) {
  LLVM::GlobalOp &global = numbers[values.vec()];
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI64Type(), values.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "fsdp_numbers_" + std::to_string(numbers.size() - 1),
        builder.getI64TensorAttr(values));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::constant(OpBuilder &builder, Location loc, int64_t value,
                             Type type) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}
