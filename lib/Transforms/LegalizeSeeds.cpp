// SPDX-License-Identifier: Apache-2.0
//===- LegalizeSeeds.cpp - a global seed to an argument and a result ------===//
//
// torch-mlir keeps the state of its random numbers in a module-level variable.
// A step must be a function of its arguments, so that it can run on many ranks
// and be compared: the variable becomes an argument and what is stored last a
// result.
//
//   ml_program.global private mutable @seed(dense<0> : tensor<i64>)
//   func.func @step(...) { %s = ml_program.global_load @seed ...
// becomes
//   func.func @step(..., %s: tensor<i64> {fsdp.seed})
//       -> (..., tensor<i64> {fsdp.updated_seed})
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Step.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

namespace fsdp {
#define GEN_PASS_DEF_LEGALIZESEEDSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

static LogicalResult legalize(ml_program::GlobalOp global, const Step &step);

namespace {
struct LegalizeSeedsPass
    : public fsdp::impl::LegalizeSeedsPassBase<LegalizeSeedsPass> {
  void runOnOperation() override {
    auto globals = getOperation().getOps<ml_program::GlobalOp>();
    for (ml_program::GlobalOp global : llvm::make_early_inc_range(globals)) {
      FailureOr<Step> step = Step::get(getOperation());
      if (failed(step) || failed(legalize(global, *step)))
        return signalPassFailure();
    }
  }
};
} // namespace

/// Threads the variable through the step's body, in program order.
static LogicalResult legalize(ml_program::GlobalOp global, const Step &step) {
  auto type = dyn_cast<RankedTensorType>(global.getType());
  if (!global.isPrivate() || !global.getIsMutable() || !type ||
      !type.getElementType().isInteger())
    return global.emitOpError("expected a private mutable tensor of integers "
                              "(a random seed)");
  func::FuncOp function = step.getFunction();
  auto uses = SymbolTable::getSymbolUses(global, global->getParentOp());
  for (SymbolTable::SymbolUse use : *uses)
    if (use.getUser()->getBlock() != &function.front())
      return use.getUser()->emitOpError("expected a random seed to be used in "
                                        "the body of the step only");

  MLIRContext *context = global.getContext();
  auto role = [&](StringRef name) {
    return DictionaryAttr::get(
        context,
        NamedAttribute(StringAttr::get(context, name), UnitAttr::get(context)));
  };
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(index, type, role(attr::seed),
                                     global.getLoc())))
    return failure();
  Value current = function.getArgument(index);
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op)) {
      if (load.getGlobal().getLeafReference() != global.getSymNameAttr())
        continue;
      load.replaceAllUsesWith(current);
      load.erase();
    } else if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
      if (store.getGlobal().getLeafReference() != global.getSymNameAttr())
        continue;
      current = store.getValue();
      store.erase();
    }
  }
  if (failed(function.insertResult(function.getNumResults(), type,
                                   role(attr::updatedSeed))))
    return failure();
  Operation *terminator = step.getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), current);
  global.erase();
  return success();
}
