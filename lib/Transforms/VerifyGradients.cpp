// SPDX-License-Identifier: Apache-2.0
//===- VerifyGradients.cpp - every gradient is summed once, with its scale ===//
//
// Interprets the step (see RankStates.h), then asks of what came out what the
// boundary says: the loss, gradients, updated parameters and states, outputs
// are placed as their attributes say (VerifyResults.cpp); wherever a gradient
// is used all its terms are in it, once, with the scale that the loss gives
// (VerifyUses.cpp); and each collective got what it is for (VerifyEvents.cpp).
//
// What is unknown is no error by itself, only where something is asked of it.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "VerifyCollectives.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

namespace fsdp {
#define GEN_PASS_DEF_VERIFYGRADIENTSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct VerifyGradientsPass
    : public fsdp::impl::VerifyGradientsPassBase<VerifyGradientsPass> {
  using VerifyGradientsPassBase::VerifyGradientsPassBase;

  void runOnOperation() override {
    // Nothing changes, so nothing has to be verified again behind it.
    markAllAnalysesPreserved();
    if (!Step::exists(getOperation()))
      return;
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    // Gradients that nobody marked are marked where they are first summed, in
    // a copy.
    OwningOpRef<ModuleOp> marked = markGradients(*step);
    if (marked)
      step = Step::get(*marked);
    Verdict result, *wanted = verdict || !json.empty() ? &result : nullptr;
    // Before a step is sharded nothing is summed.
    auto stage = getOperation()->getAttrOfType<StringAttr>(attr::stage);
    isSharded = !stage || (stage != "imported" && stage != "annotated");
    found = findCommunication(step->getFunction());
    if (isSharded && failed(verifyGathers(*step, found.collectives)))
      return signalPassFailure();
    bool isValid = true;
    for (unsigned family = 0;; ++family) {
      auto states = RankStates::run(step->getFunction(), family);
      if (failed(states))
        break;
      isValid &= succeeded(check(*step, **states, family, wanted));
    }
    if (!isValid)
      return signalPassFailure();
    if (verdict)
      result.print(llvm::errs());
    if (!json.empty() && failed(writeJson(result)))
      return signalPassFailure();
  }

  LogicalResult check(const Step &step, RankStates &states, unsigned family,
                      Verdict *wanted);
  LogicalResult writeJson(const Verdict &result);

  Communication found{};
  bool isSharded = true;
};
} // namespace

LogicalResult VerifyGradientsPass::check(const Step &step, RankStates &states,
                                         unsigned family, Verdict *wanted) {
  GradientChecks checks(step, states, wanted);
  // A wrong collective explains what it leads to.
  if (failed(checks.checkStorage()) || failed(checks.checkCollectives()) ||
      failed(verifyModelCollectives(step, states, found.collectives)))
    return failure();
  if (!isSharded)
    return success();
  if (failed(verifyShards(step)) || failed(checks.checkUses()) ||
      failed(checks.checkResults()) ||
      failed(verifyTypes(step, states, found.collectives)))
    return failure();
  remarkBytes(step, states, found.collectives);
  if (!family && wanted)
    checks.addAssumptions();
  return success();
}

LogicalResult VerifyGradientsPass::writeJson(const Verdict &result) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(json, &message);
  if (!file)
    return emitError(getOperation().getLoc()) << message;
  result.writeJson(file->os());
  file->keep();
  return success();
}
