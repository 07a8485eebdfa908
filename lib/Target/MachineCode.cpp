// SPDX-License-Identifier: Apache-2.0
//===- MachineCode.cpp - object code for a lowered step -------------------===//
#include "fsdp/Target/MachineCode.h"
#include "fsdp/Conversion/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace fsdp;

void fsdp::registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

namespace {
class Generator {
public:
  Generator(const MachineCodeOptions &options,
            orc::JITTargetMachineBuilder machine)
      : options(options), machine(std::move(machine)) {}

  Expected<MachineCode> run(Module &module);

private:
  Error addKernel(Function &kernel);
  Expected<std::unique_ptr<MemoryBuffer>> compile(Module &module,
                                                  bool isOptimized);
  std::string getPath(StringRef hash) const;

  const MachineCodeOptions &options;
  orc::JITTargetMachineBuilder machine;
  MachineCode code;
};
} // namespace

/// Whether `function` is a loop nest of its own: its definition calls no other.
static bool isKernel(const Function &function) {
  if (function.isDeclaration() ||
      function.getName().starts_with(entryPrefix))
    return false;
  return none_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->getCalledFunction() &&
           !call->getCalledFunction()->isDeclaration();
  });
}

/// A copy of `module` in which only what `keep` holds is defined. Each copy has
/// its own constants.
static std::unique_ptr<Module>
take(const Module &module, function_ref<bool(const Function &)> keep) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> part =
      CloneModule(module, map, [&](const GlobalValue *value) {
        auto *function = dyn_cast<Function>(value);
        return !function || keep(*function);
      });
  for (Function &function : make_early_inc_range(*part))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  for (GlobalVariable &variable : make_early_inc_range(part->globals()))
    if (variable.hasLocalLinkage() && variable.use_empty())
      variable.eraseFromParent();
  return part;
}

/// Runs LLVM's standard pipeline for the machine of `target`.
static void optimize(Module &module, TargetMachine &target) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

Expected<MachineCode> Generator::run(Module &module) {
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (isKernel(function))
      kernels.push_back(&function);
  for (Function *kernel : kernels)
    if (Error error = addKernel(*kernel))
      return error;
  SmallPtrSet<const Function *, 32> compiled(kernels.begin(), kernels.end());
  std::unique_ptr<Module> rest = take(module, [&](const Function &function) {
    return !compiled.contains(&function);
  });
  auto object = compile(*rest, /*isOptimized=*/false);
  if (!object)
    return object.takeError();
  code.objects.push_back(std::move(*object));
  return std::move(code);
}

/// What a kernel's code depends on, and hence its name.
static std::string getHash(const Module &module, const TargetMachine &target,
                           bool isOptimized) {
  std::string text;
  raw_string_ostream stream(text);
  stream << LLVM_VERSION_STRING << "\n"
         << target.getTargetTriple().str() << "\n"
         << target.getTargetCPU() << "\n"
         << target.getTargetFeatureString() << "\n"
         << isOptimized << "\n";
  module.print(stream, nullptr);
  return toHex(SHA1::hash(arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

std::string Generator::getPath(StringRef hash) const {
  SmallString<128> path(options.cache);
  sys::path::append(path, hash + ".o");
  return std::string(path);
}

/// Compiles a kernel, or takes it from the cache. Its name becomes that of its
/// code, in `module` as well.
Error Generator::addKernel(Function &kernel) {
  ++code.kernels;
  // Seen by the step, which is in another object, and by no other library. Two
  // steps in one program may share it.
  kernel.setLinkage(GlobalValue::WeakODRLinkage);
  kernel.setVisibility(GlobalValue::HiddenVisibility);
  kernel.setName("fsdp_kernel");
  std::unique_ptr<Module> module =
      take(*kernel.getParent(),
           [&](const Function &function) { return &function == &kernel; });
  auto target = machine.createTargetMachine();
  if (!target)
    return target.takeError();
  std::string hash = getHash(*module, **target, options.optimize);
  kernel.setName("fsdp_kernel_" + hash);
  module->getFunction("fsdp_kernel")->setName(kernel.getName());
  if (!options.cache.empty())
    if (auto known = MemoryBuffer::getFile(getPath(hash))) {
      ++code.cached;
      code.objects.push_back(std::move(*known));
      return Error::success();
    }
  auto object = compile(*module, options.optimize);
  if (!object)
    return object.takeError();
  if (!options.cache.empty()) {
    if (std::error_code error = sys::fs::create_directories(options.cache))
      return createStringError("could not make the cache " + options.cache +
                               ": " + error.message());
    // Others may write the same file at the same time.
    if (Error error = writeToOutput(getPath(hash), [&](raw_ostream &stream) {
          stream << (*object)->getBuffer();
          return Error::success();
        }))
      return error;
  }
  code.objects.push_back(std::move(*object));
  return Error::success();
}

/// An object of `module`. Where it is not optimized, time is linear in its
/// length.
Expected<std::unique_ptr<MemoryBuffer>>
Generator::compile(Module &module, bool isOptimized) {
  machine.setCodeGenOptLevel(isOptimized ? CodeGenOptLevel::Aggressive
                                         : CodeGenOptLevel::None);
  auto target = machine.createTargetMachine();
  if (!target)
    return target.takeError();
  module.setDataLayout((*target)->createDataLayout());
  module.setTargetTriple((*target)->getTargetTriple());
  if (isOptimized)
    optimize(module, **target);
  return orc::SimpleCompiler(**target)(module);
}

Expected<MachineCode> fsdp::generateCode(mlir::ModuleOp module,
                                         const MachineCodeOptions &options) {
  if (InitializeNativeTarget() || InitializeNativeTargetAsmPrinter())
    return createStringError("expected LLVM to generate code for this machine");
  LLVMContext context;
  std::unique_ptr<Module> translated =
      mlir::translateModuleToLLVMIR(module, context, "step");
  if (!translated)
    return createStringError("expected a module in the LLVM dialect");
  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  // Objects may be linked into a shared library.
  machine->setRelocationModel(Reloc::PIC_);
  return Generator(options, std::move(*machine)).run(*translated);
}
