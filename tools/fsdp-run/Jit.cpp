//===- Jit.cpp - Machine code for a lowered step --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "fsdp/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace llvm;
using namespace fsdp::run;

/// The runtime is linked into this executable, whose symbols are not exported:
/// compiled code gets their addresses from here.
static Error defineRuntime(orc::LLJIT &engine) {
  orc::MangleAndInterner mangle(engine.getExecutionSession(),
                                engine.getDataLayout());
  orc::SymbolMap symbols;
  auto define = [&](StringRef name, auto *function) {
    symbols[mangle(name)] = {orc::ExecutorAddr::fromPtr(function),
                             JITSymbolFlags::Exported |
                                 JITSymbolFlags::Callable};
  };
  define("fsdp_open", &fsdp_open);
  define("fsdp_add", &fsdp_add);
  define("fsdp_start", &fsdp_start);
  define("fsdp_wait", &fsdp_wait);
  define("fsdp_rank_index", &fsdp_rank_index);
  define("fsdp_gemm", &fsdp_gemm);
  define("fsdp_parallel", &fsdp_parallel);
  return engine.getMainJITDylib().define(orc::absoluteSymbols(symbols));
}

Jit::Jit(std::unique_ptr<orc::LLJIT> owned) : engine(std::move(owned)) {}
Jit::~Jit() = default;

Expected<std::unique_ptr<Jit>>
Jit::create(mlir::ModuleOp module, const MachineCodeOptions &options) {
  auto code = generateCode(module, options);
  if (!code)
    return code.takeError();
  auto engine = orc::LLJITBuilder().create();
  if (!engine)
    return engine.takeError();
  if (Error error = defineRuntime(**engine))
    return error;
  for (std::unique_ptr<MemoryBuffer> &object : code->objects)
    if (Error error = (*engine)->addObjectFile(std::move(object)))
      return error;
  auto jit = std::unique_ptr<Jit>(new Jit(std::move(*engine)));
  jit->kernels = code->kernels;
  jit->cached = code->cached;
  return jit;
}

Expected<CompiledStep> Jit::lookup(mlir::ModuleOp module,
                                   StringRef name) const {
  std::string entry = (entryPrefix + name).str();
  auto function = module.lookupSymbol<mlir::LLVM::LLVMFuncOp>(entry);
  auto arena = function
                   ? function->getAttrOfType<mlir::IntegerAttr>(attr::arena)
                   : mlir::IntegerAttr();
  if (!arena)
    return createStringError("expected a step '" + name +
                             "' in the compiled module");
  auto address = engine->lookup(entry);
  if (!address)
    return address.takeError();
  CompiledStep step{address->toPtr<decltype(CompiledStep::function)>(),
                    arena.getInt(),
                    {}};
  for (auto port : function->getAttrOfType<mlir::ArrayAttr>(attr::results)
                       .getAsRange<mlir::DictionaryAttr>()) {
    auto place = port.getAs<mlir::IntegerAttr>("in_place");
    step.inPlace.push_back(place ? place.getInt() : -1);
  }
  return step;
}
