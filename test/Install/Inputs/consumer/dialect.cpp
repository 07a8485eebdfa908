// SPDX-License-Identifier: Apache-2.0
// Resolves a process group with the installed library.
#include "fsdp/IR/Dialect.h"

int main() {
  mlir::MLIRContext context;
  context.loadDialect<fsdp::FsdpDialect>();
  std::string error;
  fsdp::ClassesAttr classes =
      fsdp::resolveGroup(mlir::StringAttr::get(&context, "mod4"),
                         fsdp::WorldAttr::get(&context, 8, 4), error);
  if (!classes)
    return 1;
  llvm::outs() << "mod4 of 8: " << classes << "\n";
  return 0;
}
