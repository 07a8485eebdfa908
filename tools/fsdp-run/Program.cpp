// SPDX-License-Identifier: Apache-2.0
//===- Program.cpp - a compiled step and its boundary ---------------------===//
#include "Program.h"
#include "fsdp/Conversion/Passes.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <chrono>

using namespace mlir;
using namespace fsdp;
using namespace fsdp::run;

Tensor Port::shard(const Tensor &whole, int64_t rank) const {
  Tensor part = whole;
  if (whole.shape != global)
    return part;
  for (auto [dim, list] : llvm::enumerate(storage))
    for (ClassesAttr group : list)
      part = part.slice(dim, group.getIndexOf(rank), group.getSize());
  return part;
}

SmallVector<int64_t> Port::getCoordinates(int64_t rank) const {
  SmallVector<int64_t> coordinates;
  for (ClassesAttr group : varying)
    coordinates.push_back(group.getIndexOf(rank));
  return coordinates;
}

Instances::Instances(ArrayRef<Port> ports, int64_t ranks) {
  std::map<std::vector<int64_t>, int64_t> seen;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    std::vector<int64_t> at;
    for (const Port &port : ports)
      llvm::append_range(at, port.getCoordinates(rank));
    auto [it, isNew] = seen.insert({at, first.size()});
    if (isNew)
      first.push_back(rank);
    of.push_back(it->second);
  }
}

/// The dtype of elements of type `type`.
static Dtype getDtype(Type type) {
  if (type.isF16())
    return Dtype::F16;
  if (type.isBF16())
    return Dtype::BF16;
  if (type.isF32())
    return Dtype::F32;
  if (type.isF64())
    return Dtype::F64;
  if (type.isInteger(1))
    return Dtype::I1;
  if (type.isInteger(8))
    return Dtype::I8;
  return type.isInteger(32) ? Dtype::I32 : Dtype::I64;
}

/// True for element types that a file and a rank's buffers can have.
static bool hasDtype(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         llvm::is_contained({1, 8, 32, 64}, type.isInteger()
                                                ? type.getIntOrFloatBitWidth()
                                                : 0);
}

/// One port from a type and the attributes beside it.
static Port readPort(Operation *from, Type type, DictionaryAttr attributes) {
  Port port;
  auto tensor = cast<RankedTensorType>(type);
  port.dtype = getDtype(tensor.getElementType());
  port.local.assign(tensor.getShape().begin(), tensor.getShape().end());
  port.global = port.local;
  if (!attributes)
    return port;
  for (StringRef role :
       {attr::param, attr::buffer, attr::input, attr::state, attr::hyper,
        attr::seed, attr::loss, attr::grad, attr::updated, attr::updatedState,
        attr::updatedSeed, attr::output})
    if (Attribute value = attributes.get(role)) {
      port.role = role.drop_front(StringRef("fsdp.").size()).str();
      if (auto name = dyn_cast<StringAttr>(value))
        port.name = name.str();
    }
  port.frozen = attributes.contains(attr::frozen);
  if (auto dim = attributes.getAs<IntegerAttr>(attr::batchDim))
    port.batchDim = dim.getInt();
  if (auto value = attributes.getAs<FloatAttr>(attr::value))
    port.value = value.getValueAsDouble();
  if (auto symbol = attributes.getAs<FlatSymbolRefAttr>(attr::unit))
    if (auto factor = SymbolTable::lookupNearestSymbolFrom<UnitOp>(from, symbol)
                          .getGradientDivideFactor())
      port.divideFactor = factor->convertToDouble();
  if (auto shape = attributes.getAs<DenseI64ArrayAttr>(attr::globalShape))
    port.global.assign(shape.asArrayRef().begin(), shape.asArrayRef().end());
  if (auto storage = attributes.getAs<ShardingAttr>(attr::storage))
    for (unsigned dim = 0; dim < storage.getDims().size(); ++dim) {
      SmallVector<ClassesAttr> list;
      for (Attribute group : storage.getDimGroups(dim))
        list.push_back(lookupClasses(from, cast<FlatSymbolRefAttr>(group)));
      port.storage.push_back(list);
    }
  if (auto sharding = attributes.getAs<ShardingAttr>(attr::sharding))
    for (Attribute group : sharding.getVarying())
      port.varying.push_back(
          lookupClasses(from, cast<FlatSymbolRefAttr>(group)));
  return port;
}

std::pair<std::vector<Port>, std::vector<Port>>
fsdp::run::readPorts(func::FuncOp function) {
  std::pair<std::vector<Port>, std::vector<Port>> ports;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    ports.first.push_back(readPort(function, function.getArgumentTypes()[i],
                                   function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    ports.second.push_back(readPort(function, function.getResultTypes()[i],
                                    function.getResultAttrDict(i)));
  return ports;
}

llvm::Expected<std::unique_ptr<Program>>
Program::create(OwningOpRef<ModuleOp> module,
                const MachineCodeOptions &machine, bool hasThreads,
                bool inPlace) {
  auto program = std::make_unique<Program>();
  std::string name;
  for (auto function : module->getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration()) {
      name = function.getSymName().str();
      for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                                function.getResultTypes())) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (!tensor || !tensor.hasStaticShape() ||
            !hasDtype(tensor.getElementType()))
          return llvm::createStringError(
              "expected arguments and results to be static tensors of f16, "
              "bf16, f32, f64, i1, i8, i32 or i64");
      }
      std::tie(program->arguments, program->results) = readPorts(function);
    }
  for (auto group : module->getOps<ProcessGroupOp>())
    program->groups.push_back({group.getSymName().str(), group.getClasses()});

  PassManager manager(module->getContext());
  CodegenOptions codegen;
  codegen.library = fsdp_has_gemm();
  codegen.threads = hasThreads;
  codegen.inPlace = inPlace;
  buildLowerToLLVMPipeline(manager, codegen);
  manager.addPass(createVerifyStagePass(VerifyStagePassOptions{"lowered"}));
  if (failed(manager.run(*module)))
    return llvm::createStringError("the step could not be lowered");
  llvm::Expected<std::unique_ptr<Jit>> jit = Jit::create(*module, machine);
  if (!jit)
    return jit.takeError();
  llvm::Expected<CompiledStep> step = (*jit)->lookup(*module, name);
  if (!step)
    return step.takeError();
  program->jit = std::move(*jit);
  program->step = *step;
  return program;
}

llvm::Expected<FsdpJob *> Program::createJob(int64_t ranks,
                                             double timeout) const {
  FsdpJob *job = fsdp_job_create_threads(ranks, timeout);
  if (!job)
    return llvm::createStringError("could not create a job of " +
                                   llvm::Twine(ranks) + " ranks");
  for (const auto &[name, classes] : groups) {
    std::vector<int64_t> table;
    std::vector<bool> seen(ranks, false);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      if (seen[rank])
        continue;
      for (int64_t member : classes.getClassOf(rank)) {
        table.push_back(member);
        seen[member] = true;
      }
    }
    if (fsdp_job_add_group(job, name.c_str(), classes.getClasses(),
                           classes.getSize(), /*channels=*/1,
                           table.data()) < 0) {
      std::string error = fsdp_job_error(job);
      fsdp_job_destroy(job);
      return llvm::createStringError(error);
    }
  }
  return job;
}

namespace {
/// What one rank's thread needs.
struct RankCall {
  CompiledStep step;
  std::vector<void *> arguments, results;
  void *arena;
};
} // namespace

/// Runs the step of one rank.
static void runRank(FsdpRank *rank, void *user) {
  auto *call = static_cast<RankCall *>(user);
  call->step.function(rank, call->arguments.data(), call->results.data(),
                      call->arena);
}

llvm::Error
Program::run(FsdpJob *job, const std::vector<std::vector<Tensor *>> &inputs) {
  outputs.resize(inputs.size());
  arenas.resize(inputs.size());
  std::vector<RankCall> calls(inputs.size());
  std::vector<void *> users;
  for (size_t rank = 0; rank < inputs.size(); ++rank) {
    calls[rank].step = step;
    for (auto [port, tensor] : llvm::zip_equal(arguments, inputs[rank])) {
      if (tensor->shape != port.local || tensor->dtype != port.dtype)
        return llvm::createStringError(
            "expected " + describe(port.dtype, port.local) + " for " +
            port.role + " '" + port.name + "', but got " +
            describe(tensor->dtype, tensor->shape));
      calls[rank].arguments.push_back(tensor->bytes.data());
    }
    // What is computed in place needs no buffer of its own.
    if (outputs[rank].empty())
      for (auto [port, place] : llvm::zip_equal(results, step.inPlace))
        outputs[rank].push_back(place < 0 ? Tensor(port.dtype, port.local)
                                          : Tensor());
    arenas[rank].resize(std::max<int64_t>(step.arenaBytes, 64));
    calls[rank].arena = arenas[rank].data();
    for (Tensor &output : outputs[rank])
      calls[rank].results.push_back(output.bytes.data());
    users.push_back(&calls[rank]);
  }
  auto start = std::chrono::steady_clock::now();
  int32_t status = fsdp_job_run(job, runRank, users.data());
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                          start)
                .count();
  if (status != FSDP_OK)
    return llvm::createStringError(fsdp_job_error(job));
  for (size_t rank = 0; rank < inputs.size(); ++rank)
    for (auto [output, place] : llvm::zip_equal(outputs[rank], step.inPlace))
      if (place >= 0)
        std::swap(output, *inputs[rank][place]);
  return llvm::Error::success();
}
