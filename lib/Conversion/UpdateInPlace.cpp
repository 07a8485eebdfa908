// SPDX-License-Identifier: Apache-2.0
//===- UpdateInPlace.cpp - new values where the old ones were -------------===//
//
// A step returns updated parameters, states and buffers beside the ones that it
// was given. The caller wants only the new ones, so they are written over the
// old: bufferization sees to it that nothing reads an old value behind that,
// or copies it.
//
//   func.func @step(%w: tensor<4xf32> {fsdp.param = "w"})
//       -> (tensor<4xf32> {fsdp.updated = "w"}) {
//     return %new
// becomes
//   func.func @step(%w: tensor<4xf32> {..., step.in_place}) ... {
//     %0 = bufferization.materialize_in_destination %new in %w
//     return %0
//
// Results keep their number in `step.result`; fsdp-drop-in-place-results takes
// away those that are in place.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace fsdp {
#define GEN_PASS_DEF_UPDATEINPLACEPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct UpdateInPlacePass
    : public fsdp::impl::UpdateInPlacePassBase<UpdateInPlacePass> {
  using UpdateInPlacePassBase::UpdateInPlacePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        update(function);
  }

  static void update(func::FuncOp function);
};
} // namespace

/// The argument that a result is the next value of; -1 if there is none.
static int getUpdated(func::FuncOp function, unsigned result) {
  static constexpr std::pair<StringRef, StringRef> pairs[] = {
      {attr::updated, attr::param},
      {attr::updated, attr::buffer},
      {attr::updatedState, attr::state}};
  for (auto [after, before] : pairs)
    if (auto name = function.getResultAttrOfType<StringAttr>(result, after))
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (function.getArgAttr(i, before) == name &&
            function.getArgumentTypes()[i] ==
                function.getResultTypes()[result])
          return i;
  return -1;
}

/// Whether a loop or a condition may take `value`, or a part of it, for a buffer
/// of its own: with two such for one argument, bufferization has no way out.
static bool entersRegion(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::CastOp>(user))
      return entersRegion(user->getResult(0));
    return !isa<func::ReturnOp>(user) &&
           isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(
               user);
  });
}

/// Writes each result over the argument that it replaces.
void UpdateInPlacePass::update(func::FuncOp function) {
  Operation *end = function.front().getTerminator();
  OpBuilder builder(end);
  llvm::SmallDenseSet<int> taken;
  for (OpOperand &operand : end->getOpOperands()) {
    unsigned result = operand.getOperandNumber();
    function.setResultAttr(result, attr::resultIndex,
                           builder.getI64IntegerAttr(result));
    int argument = getUpdated(function, result);
    if (argument < 0 || !taken.insert(argument).second ||
        operand.get() == function.getArgument(argument) ||
        entersRegion(function.getArgument(argument)))
      continue;
    operand.set(bufferization::MaterializeInDestinationOp::create(
                    builder, end->getLoc(), operand.get().getType(),
                    operand.get(), function.getArgument(argument))
                    .getResult());
    function.setArgAttr(argument, attr::inPlace, builder.getUnitAttr());
  }
}
