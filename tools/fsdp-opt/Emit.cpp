// SPDX-License-Identifier: Apache-2.0
//===- Emit.cpp - files from a lowered step -------------------------------===//
#include "Emit.h"
#include "fsdp/Target/MachineCode.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// The last pass: everything before it is what the command line says.
struct EmitPass : public PassWrapper<EmitPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitPass)
  explicit EmitPass(EmitOptions options) : options(std::move(options)) {}

  void runOnOperation() override {
    if (llvm::Error error = emit()) {
      emitError(getOperation().getLoc(), llvm::toString(std::move(error)));
      signalPassFailure();
    }
  }

  llvm::Error emit();
  llvm::Error link(const MachineCode &code);

  EmitOptions options;
};
} // namespace

/// Writes the code and its header.
llvm::Error EmitPass::emit() {
  MachineCodeOptions machine;
  machine.cache = options.cache;
  auto code = generateCode(getOperation(), machine);
  if (!code)
    return code.takeError();
  if (llvm::Error error = link(*code))
    return error;
  SmallString<128> header(options.output);
  llvm::sys::path::replace_extension(header, ".h");
  std::error_code failed;
  llvm::raw_fd_ostream stream(header, failed);
  if (failed)
    return llvm::createStringError("could not write " + header + ": " +
                                   failed.message());
  writeHeader(getOperation(), stream);
  return llvm::Error::success();
}

/// Joins the objects into one file, by the system's compiler driver.
llvm::Error EmitPass::link(const MachineCode &code) {
  auto driver = llvm::sys::findProgramByName("cc");
  if (!driver)
    return llvm::createStringError(
        "expected a C compiler 'cc' to link with, but found none");
  std::vector<std::string> arguments = {*driver, "-o", options.output};
  if (options.kind == Emit::Shared)
    arguments.push_back("-shared");
  else
    llvm::append_values(arguments, std::string("-r"), std::string("-nostdlib"));
  std::vector<std::unique_ptr<llvm::FileRemover>> files;
  for (const std::unique_ptr<llvm::MemoryBuffer> &object : code.objects) {
    SmallString<128> path;
    int descriptor;
    if (std::error_code failed = llvm::sys::fs::createTemporaryFile(
            "fsdp", "o", descriptor, path))
      return llvm::createStringError("could not write an object: " +
                                     failed.message());
    files.push_back(std::make_unique<llvm::FileRemover>(path));
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true)
        << object->getBuffer();
    arguments.push_back(std::string(path));
  }
  SmallVector<StringRef> words(arguments.begin(), arguments.end());
  std::string error;
  if (llvm::sys::ExecuteAndWait(*driver, words, std::nullopt, {}, 0, 0, &error))
    return llvm::createStringError("could not link " + options.output + " " +
                                   error);
  return llvm::Error::success();
}

std::unique_ptr<Pass> fsdp::createEmitPass(EmitOptions options) {
  return std::make_unique<EmitPass>(std::move(options));
}
