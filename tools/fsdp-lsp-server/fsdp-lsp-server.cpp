// SPDX-License-Identifier: Apache-2.0
//===- fsdp-lsp-server.cpp - diagnostics while typing ---------------------===//
//
// Upstream's language server with our dialects, and with our checks beside its
// own: what `fsdp-opt --fsdp-verify` says of a file, and `--fsdp-verify-stage`
// of the stage that it names, is also said in the editor.
//
// The server parses and verifies; it has no place to run passes. But the
// verifier ends with symbol uses: once all that a file holds is verified, it
// asks each op at the top level whether the symbols in it are used well. Here a
// module answers, by running the checks on a copy of itself.
//
//===----------------------------------------------------------------------===//
#include "Restart.h"
#include "fsdp/Analysis/Step.h"
#include "fsdp/InitAll.h"
#include "fsdp/Pipelines/Pipelines.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <set>

using namespace mlir;
using namespace fsdp;

/// Runs passes on a copy, since checks may record what they found.
static void run(ModuleOp module, function_ref<void(OpPassManager &)> build) {
  OwningOpRef<ModuleOp> copy = module.clone();
  auto manager = PassManager::on<ModuleOp>(module.getContext());
  manager.enableVerifier(false); // We are in it.
  build(manager);
  // What is wrong has been said, to the document's diagnostics.
  (void)manager.run(*copy);
}

/// Runs each check, whatever the others find; what two find is said once.
static void check(ModuleOp module) {
  std::set<std::pair<const void *, std::string>> said;
  ScopedDiagnosticHandler once(module.getContext(), [&](Diagnostic &diag) {
    const void *place = diag.getLocation().getAsOpaquePointer();
    bool isNew = said.insert({place, diag.str()}).second;
    // fsdp-opt adds this note too; the server shows one place only.
    if (auto call = diag.getLocation()->findInstanceOf<CallSiteLoc>())
      diag.attachNote(call.getCaller()) << "called from";
    return success(!isNew);
  });
  // A step that is not there yet is no error while typing.
  auto stage = module->getAttrOfType<StringAttr>(attr::stage);
  if (stage && (stage == "lowered" || Step::exists(module)))
    run(module, [&](OpPassManager &manager) {
      VerifyStagePassOptions options;
      options.stage = stage.str();
      manager.addPass(createVerifyStagePass(options));
    });
  run(module, [](OpPassManager &manager) { buildVerifyPipeline(manager); });
}

namespace {
struct CheckedModule
    : public SymbolUserOpInterface::ExternalModel<CheckedModule, ModuleOp> {
  /// Never fails: the server would forget what it knows about the document.
  LogicalResult verifySymbolUses(Operation *op, SymbolTableCollection &) const {
    // The parser wraps a document in a module; passes see what is in that.
    if (!op->getParentOp()->getParentOp())
      check(cast<ModuleOp>(op));
    return success();
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
    ModuleOp::attachInterface<CheckedModule>(*context);
  });
  auto serve = [&]() -> int {
    return failed(MlirLspServerMain(argc, argv, registry));
  };
  // Options are for tests and for finding errors: there one process is better.
  return argc > 1 ? serve() : serveAndRestart(serve);
}
