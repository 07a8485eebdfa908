// SPDX-License-Identifier: Apache-2.0
//===- ReferenceSplit.cpp - the unsharded step in two pieces --------------===//
//
// The model, which runs per instance and micro-batch, and the optimizer.
// Between them, at the markers, the reference combines gradients by itself.
//
//===----------------------------------------------------------------------===//
#include "Reference.h"
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Analysis/Step.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace fsdp;
using namespace fsdp::run;

/// Erases what no result needs, groups and units.
static void simplify(ModuleOp module) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*module.getBody())))
    if (isa<ProcessGroupOp, UnitOp>(op))
      op.erase();
  for (auto function : module.getOps<func::FuncOp>()) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    // The pieces have no placements.
    function.walk([](Operation *op) { op->removeAttr(attr::sharding); });
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
  }
}

/// Makes the terminator return `values`.
static void setResults(func::FuncOp function, ArrayRef<Value> values) {
  Operation *terminator = function.front().getTerminator();
  terminator->setOperands(values);
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(value.getType());
  function.removeResAttrsAttr();
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(), types));
}

/// Cuts the step at its markers: the model returns marked gradients behind the
/// results that need none, the optimizer takes reduced ones and norms behind
/// its arguments.
LogicalResult Reference::split(ModuleOp module) {
  modelModule = module.clone();
  optimizerModule = module.clone();
  FailureOr<Step> above = Step::get(*modelModule);
  FailureOr<Step> under = Step::get(*optimizerModule);
  if (failed(above) || failed(under))
    return failure();

  // Which results come from below a marker.
  DenseSet<Value> below;
  for (Operation &op : under->getFunction().front()) {
    bool isBelow = isa<LocalGradOp>(op);
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        isBelow |= below.contains(operand);
    });
    if (isBelow)
      below.insert(op.result_begin(), op.result_end());
  }
  SmallVector<Value> modelResults, optimizerResults;
  for (auto [mine, other] :
       llvm::zip_equal(under->getTerminator()->getOperands(),
                       above->getTerminator()->getOperands())) {
    unsigned index = sources.size();
    StringRef role = results[index].role;
    bool isUpdate = below.contains(mine) || role == "updated_state" ||
                    (role == "updated" && under->lookup(results[index].name));
    if (isUpdate) {
      sources.push_back({false, unsigned(optimizerResults.size())});
      optimizerResults.push_back(mine);
    } else {
      // Constants and arguments but inputs are the same for all batches, or,
      // as buffers that move on, those of the last; but what divides the loss
      // is one number per batch.
      auto argument = dyn_cast<BlockArgument>(other);
      StringRef from =
          argument ? StringRef(arguments[argument.getArgNumber()].role) : "";
      bool ofBatch = argument ? from == "input" ||
                                    (from == "buffer" && int(index) == count)
                              : !isFree(other.getDefiningOp());
      sources.push_back({true, unsigned(modelResults.size()), ofBatch});
      modelResults.push_back(other);
    }
  }

  func::FuncOp function = under->getFunction();
  DenseMap<Value, unsigned> markerOf;
  for (auto [mine, other] :
       llvm::zip_equal(above->getParameters(), under->getParameters())) {
    if (mine.markers.empty())
      continue;
    if (mine.markers.size() > 1)
      return LocalGradOp(other.markers[1])
                 .emitOpError("expected one marker of parameter '")
             << mine.name << "'";
    LocalGradOp marker = other.markers[0];
    modelResults.push_back(LocalGradOp(mine.markers[0]).getInput());
    Value argument =
        function.front().addArgument(marker.getType(), marker.getLoc());
    marker.replaceAllUsesWith(argument);
    for (Value &result : optimizerResults)
      if (result == marker)
        result = argument;
    markerOf[argument] = markers.size();
    markers.push_back(mine.argument);
    marker.erase();
  }
  SmallVector<GlobalNormOp> normOps;
  function.walk([&](GlobalNormOp norm) { normOps.push_back(norm); });
  for (GlobalNormOp norm : normOps) {
    std::vector<unsigned> operands;
    for (Value input : norm.getInputs())
      operands.push_back(markerOf.lookup(input));
    norms.push_back(operands);
    Value argument =
        function.front().addArgument(norm.getType(), norm.getLoc());
    norm.replaceAllUsesWith(argument);
    for (Value &result : optimizerResults)
      if (result == norm)
        result = argument;
    norm.erase();
  }
  setResults(above->getFunction(), modelResults);
  setResults(function, optimizerResults);
  simplify(*modelModule);
  simplify(*optimizerModule);
  return failure(failed(verify(*modelModule)) ||
                 failed(verify(*optimizerModule)));
}
