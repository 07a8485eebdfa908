//===- Jit.cpp - Machine code for a lowered step --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "fsdp/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace fsdp::run;

void fsdp::run::registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

/// Runs LLVM's standard pipeline for the machine of `target`.
static void optimize(Module &module, TargetMachine &target) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
  tuning.LoopInterleaving = true;
  PassBuilder builder(&target, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

/// A copy of `module` that defines only the entry points, or all but them.
/// Each half keeps its own constants.
static std::unique_ptr<Module> takeHalf(const Module &module, bool entries) {
  ValueToValueMapTy map;
  return CloneModule(module, map, [&](const GlobalValue *value) {
    return !isa<Function>(value) ||
           value->getName().starts_with(fsdp::entryPrefix) == entries;
  });
}

/// Adds the machine code of `module`. A step is one long list of calls: where
/// it is not optimized, time is linear in its length.
static Error addModule(orc::LLJIT &engine, Module &module,
                       orc::JITTargetMachineBuilder machine, bool isOptimized) {
  machine.setCodeGenOptLevel(isOptimized ? CodeGenOptLevel::Default
                                         : CodeGenOptLevel::None);
  auto target = machine.createTargetMachine();
  if (!target)
    return target.takeError();
  module.setDataLayout((*target)->createDataLayout());
  module.setTargetTriple((*target)->getTargetTriple());
  if (isOptimized)
    optimize(module, **target);
  auto object = orc::SimpleCompiler(**target)(module);
  if (!object)
    return object.takeError();
  return engine.addObjectFile(std::move(*object));
}

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

Expected<std::unique_ptr<Jit>> Jit::create(mlir::ModuleOp module,
                                           bool isOptimized) {
  if (InitializeNativeTarget() || InitializeNativeTargetAsmPrinter())
    return createStringError("expected LLVM to generate code for this machine");
  auto context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> translated =
      mlir::translateModuleToLLVMIR(module, *context, "step");
  if (!translated)
    return createStringError("expected a module in the LLVM dialect");

  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  auto engine =
      orc::LLJITBuilder().setJITTargetMachineBuilder(*machine).create();
  if (!engine)
    return engine.takeError();
  if (Error error = defineRuntime(**engine))
    return error;
  for (bool entries : {false, true})
    if (Error error = addModule(**engine, *takeHalf(*translated, entries),
                                *machine, isOptimized && !entries))
      return error;
  return std::unique_ptr<Jit>(new Jit(std::move(*engine)));
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
  return CompiledStep{address->toPtr<decltype(CompiledStep::function)>(),
                      arena.getInt()};
}
