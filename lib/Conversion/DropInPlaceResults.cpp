// SPDX-License-Identifier: Apache-2.0
//===- DropInPlaceResults.cpp - results that are arguments by now ---------===//
//
// A buffer that was computed in an argument's place is not returned: the caller
// has it. What was to be in place but could not be is returned as before.
//
//   func.func @step(%w: memref<4xf32> {step.in_place}) -> (memref<4xf32> {step.result = 0}) {
//     linalg.add ins(%w, %w) outs(%w)
//     return %w
// becomes
//   func.func @step(%w: memref<4xf32>) attributes {
//       fsdp.results = [{in_place = 0, ...}]} {
//     linalg.add ins(%w, %w) outs(%w)
//     return
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fsdp {
#define GEN_PASS_DEF_DROPINPLACERESULTSPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct DropInPlaceResultsPass
    : public fsdp::impl::DropInPlaceResultsPassBase<DropInPlaceResultsPass> {
  using DropInPlaceResultsPassBase::DropInPlaceResultsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(attr::results))
        drop(function);
  }

  static void drop(func::FuncOp function);
};
} // namespace

/// The argument to be updated that `value` is; null if it is none.
static BlockArgument getReplaced(func::FuncOp function, Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.front())
    return {};
  return function.getArgAttr(argument.getArgNumber(), attr::inPlace)
             ? argument
             : BlockArgument();
}

/// Takes the results away and writes down which arguments they are.
void DropInPlaceResultsPass::drop(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> ports(
      function->getAttrOfType<ArrayAttr>(attr::results).getValue());
  Operation *end = function.front().getTerminator();
  llvm::BitVector dropped(end->getNumOperands());
  for (OpOperand &operand : end->getOpOperands()) {
    unsigned result = operand.getOperandNumber();
    auto index =
        function.getResultAttrOfType<IntegerAttr>(result, attr::resultIndex);
    BlockArgument argument = getReplaced(function, operand.get());
    if (!index || !argument)
      continue;
    NamedAttrList port(cast<DictionaryAttr>(ports[index.getInt()]));
    port.set("in_place", builder.getI64IntegerAttr(argument.getArgNumber()));
    ports[index.getInt()] = port.getDictionary(function.getContext());
    dropped.set(result);
  }
  function->setAttr(attr::results, builder.getArrayAttr(ports));
  end->eraseOperands(dropped);
  (void)function.eraseResults(dropped);
}
