// SPDX-License-Identifier: Apache-2.0
//===- Runner.cpp - run a step on N ranks, and check it -------------------===//
//
// One pass over the command: compile the sharded step (and the reference),
// give every rank its data, run the steps, compare, report.
//
//===----------------------------------------------------------------------===//
#include "Runner.h"
#include "Products.h"
#include "Safetensors.h"
#include "fsdp/Analysis/Step.h"
#include "fsdp/Pipelines/Pipelines.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <numeric>

using namespace mlir;
using namespace fsdp;
using namespace fsdp::run;

namespace {
class Runner {
public:
  Runner(const RunOptions &options, MLIRContext &context)
      : options(options), context(context) {}
  ~Runner() {
    if (job)
      fsdp_job_destroy(job);
  }
  llvm::Error compile();
  llvm::Error load();
  llvm::Error runStep(int64_t step);
  llvm::Error report();

private:
  void say(const llvm::Twine &text) const {
    if (!options.quiet)
      llvm::errs() << text << "\n";
  }
  llvm::Expected<OwningOpRef<ModuleOp>> shard(ModuleOp module);
  llvm::Expected<OwningOpRef<ModuleOp>> takeSharded(ModuleOp module);
  llvm::Error setRanks(ModuleOp module);
  llvm::Error takeBoundary();
  llvm::Error createReference();
  void setInputs(int64_t step);
  void carry(std::vector<std::vector<Tensor>> &state, ArrayRef<Port> results,
             std::vector<std::vector<Tensor>> &values);
  void compare(ArrayRef<Port> ports,
               const std::vector<std::vector<Tensor>> &got,
               const std::vector<std::vector<Tensor>> &want);
  llvm::Error compareExpected(const std::vector<std::vector<Tensor>> &got);
  llvm::Error writeResults(const std::vector<std::vector<Tensor>> &got) const;

  const RunOptions &options;
  MLIRContext &context;
  int64_t ranks = 1, microBatches = 1;
  PlanOptions plan;
  /// The step before it was sharded; null for one that was sharded already.
  OwningOpRef<ModuleOp> imported;
  std::unique_ptr<Program> program;
  std::unique_ptr<Reference> reference;
  FsdpJob *job = nullptr;
  Data data;
  /// Whole arguments by instance (without inputs' leading dim), what the
  /// sharded step gets of them by rank, and the inputs by instance and
  /// micro-batch.
  std::vector<Port> ports;
  std::vector<Dtype> fileDtypes;
  Instances instances;
  std::vector<std::vector<Tensor>> wholes, locals;
  std::vector<std::vector<std::vector<Tensor>>> inputs;
  /// The worst error and where.
  double worst = 0;
  std::string where;
  size_t compared = 0;
  /// Gradients that the exported step returns.
  size_t gradients = 0;
  /// Milliseconds of each step.
  std::vector<double> times;
  bool narrow = false;
};
} // namespace

/// Runs `build` on a copy of `module`.
static llvm::Expected<OwningOpRef<ModuleOp>>
transform(ModuleOp module, function_ref<void(OpPassManager &)> build) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager manager(module.getContext());
  build(manager);
  if (failed(manager.run(*copy)))
    return llvm::createStringError("the step could not be compiled");
  return copy;
}

llvm::Error Runner::compile() {
  context.allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(options.model, &context);
  if (!module)
    return llvm::createStringError("could not read " + options.model);
  for (auto function : module->getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      gradients += bool(function.getResultAttr(i, attr::grad));
  say("compiling " + options.model);
  auto stage = (*module)->getAttrOfType<StringAttr>(attr::stage);
  auto sharded = stage && stage.getValue() == "sharded" ? takeSharded(*module)
                                                        : shard(*module);
  if (!sharded)
    return sharded.takeError();
  auto compiled = Program::create(std::move(*sharded), options.machine,
                                  options.threadsPerRank > 1, /*inPlace=*/true);
  if (!compiled)
    return compiled.takeError();
  program = std::move(*compiled);
  for (const Port &port : program->getArguments())
    narrow |= isFloat(port.dtype) && byteSize(port.dtype) < 4;
  if (llvm::Error error = imported ? createReference() : takeBoundary())
    return error;
  auto created = program->createJob(ranks, options.timeout);
  if (!created)
    return created.takeError();
  job = *created;
  if (fsdp_job_set_threads(job, options.threadsPerRank) != FSDP_OK)
    return llvm::createStringError(fsdp_job_error(job));
  const Jit &code = program->getCode();
  say("kernels: " + llvm::Twine(code.kernels) +
      (options.machine.cache.empty()
           ? ""
           : ", of which the cache had " + llvm::Twine(code.cached)));
  say("arena of a rank: " + llvm::Twine(program->getArenaBytes()) + " bytes");
  return llvm::Error::success();
}

/// A step that is sharded already: nothing is left of the unsharded one that it
/// could be compared with.
llvm::Expected<OwningOpRef<ModuleOp>> Runner::takeSharded(ModuleOp module) {
  if (!options.config.empty() || options.ranks || options.ranksPerNode ||
      options.verify)
    return llvm::createStringError(
        "expected neither --config, --ranks, --ranks-per-node nor --verify "
        "with a step that is sharded already");
  if (failed(Step::get(module)))
    return llvm::createStringError("the step could not be read");
  if (!getWorld(module))
    return llvm::createStringError("expected a step with 'fsdp.world'");
  for (auto group : module.getOps<ProcessGroupOp>())
    if (!group.getClasses())
      return llvm::createStringError("expected group @" + group.getSymName() +
                                     " to be resolved");
  if (llvm::Error error = setRanks(module))
    return error;
  return OwningOpRef<ModuleOp>(module.clone());
}

/// The boundary of a step that was sharded already is that of its arguments.
llvm::Error Runner::takeBoundary() {
  ports = program->getArguments();
  for (const Port &port : ports) {
    if (port.storage.size() > port.global.size())
      return llvm::createStringError("expected " + port.role + " '" +
                                     port.name + "' to have the dimensions " +
                                     "that its storage has");
    fileDtypes.push_back(port.dtype);
  }
  instances = Instances(ports, ranks);
  return llvm::Error::success();
}

/// The number of ranks, each of which is a thread with an arena of its own.
llvm::Error Runner::setRanks(ModuleOp module) {
  ranks = getWorld(module).getRanks();
  if (constexpr int64_t most = 4096; ranks > most)
    return llvm::createStringError("expected at most " + llvm::Twine(most) +
                                   " ranks to run, but got " +
                                   llvm::Twine(ranks));
  return llvm::Error::success();
}

/// The step as exported, sharded by the plan.
llvm::Expected<OwningOpRef<ModuleOp>> Runner::shard(ModuleOp module) {
  plan.config = options.config;
  plan.ranks = options.ranks;
  plan.ranksPerNode = options.ranksPerNode;
  if (options.config.empty() && !options.ranks)
    plan.ranks = 1;
  auto read = transform(module, buildImportPipeline);
  if (!read)
    return read.takeError();
  imported = std::move(*read);
  // A file's values have the dtypes of the step as it was exported.
  for (const Port &port : readPorts(Step::get(*imported)->getFunction()).first)
    fileDtypes.push_back(port.dtype);
  auto annotated = transform(*imported, [&](OpPassManager &manager) {
    if (options.wide)
      manager.addPass(createWidenPass());
    buildAnnotatePipeline(manager, plan);
  });
  if (!annotated)
    return annotated.takeError();
  if (llvm::Error error = setRanks(**annotated))
    return error;
  if (auto accumulate =
          (**annotated)->getAttrOfType<AccumulateAttr>(attr::accumulate))
    microBatches = accumulate.getSteps();
  for (auto unit : (**annotated).getOps<UnitOp>())
    for (std::optional<Type> type :
         {unit.getParamDtype(), unit.getReduceDtype()})
      narrow |= type && type->getIntOrFloatBitWidth() < 32;
  return transform(**annotated, [&](OpPassManager &manager) {
    buildShardPipeline(manager, options.check);
  });
}

/// The boundary of the unsharded step, and the reference where it is asked for.
llvm::Error Runner::createReference() {
  // Its warnings have been given.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Error &&
                   diagnostic.getSeverity() != DiagnosticSeverity::Note);
  });
  auto whole = transform(*imported, [&](OpPassManager &manager) {
    if (options.wide)
      manager.addPass(createWidenPass());
    buildReferencePipeline(manager, plan);
  });
  if (!whole)
    return whole.takeError();
  ports = readPorts(Step::get(**whole)->getFunction()).first;
  instances = Instances(ports, ranks);
  if (!options.verify)
    return llvm::Error::success();
  auto built = Reference::create(**whole, instances);
  if (!built)
    return built.takeError();
  reference = std::move(*built);
  return llvm::Error::success();
}

/// Gives every instance and rank its values at step 0.
llvm::Error Runner::load() {
  std::vector<Argument> arguments;
  for (auto [i, port] : llvm::enumerate(ports))
    arguments.push_back(
        {port.role == "param" && port.frozen ? "frozen" : port.role, port.name,
         i < fileDtypes.size() ? fileDtypes[i] : port.dtype, port.global});
  auto loaded =
      loadData(options.model, options.data, arguments, ranks, options.seed);
  if (!loaded)
    return loaded.takeError();
  data = std::move(*loaded);
  say("values: " + (data.path.empty() ? "generated" : data.path));
  wholes.resize(instances.first.size());
  for (auto [whole, first] : llvm::zip_equal(wholes, instances.first))
    for (auto [i, port] : llvm::enumerate(ports)) {
      // Of ranks that see the same input the first one's counts.
      Instances own(port, port.role == "input" ? ranks : 0);
      int64_t rank = own.of.empty() ? first : own.first[own.of[first]];
      Tensor value =
          onRank(data.arguments[i], arguments[i], rank).cast(port.dtype);
      // A file with one value per rank says itself what ranks hold.
      if (!port.varying.empty() &&
          data.arguments[i].shape == arguments[i].shape &&
          (port.role == "param" || port.role == "buffer")) {
        int64_t index = 0;
        for (auto [group, at] :
             llvm::zip_equal(port.varying, port.getCoordinates(rank)))
          index = index * group.getSize() + at;
        value = perVaryingIndex(value, index);
      }
      if (port.role == "hyper" && port.value)
        value.set(0, *port.value);
      whole.push_back(std::move(value));
    }
  locals.resize(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (auto [port, whole] :
         llvm::zip_equal(program->getArguments(), wholes[instances.of[rank]]))
      locals[rank].push_back(port.role == "input" ? Tensor()
                                                  : port.shard(whole, rank));
  // Batches are cut again for each step; the rest only a reference needs whole.
  data.arguments.clear();
  for (auto [i, port] : llvm::enumerate(ports))
    if (!reference && port.role != "input" && port.role != "hyper")
      for (std::vector<Tensor> &whole : wholes)
        whole[i] = Tensor();
  return llvm::Error::success();
}

/// This step's batches. With values from `--data` all ranks and steps see the
/// batch of the file, else each step has its own, and so have ranks along the
/// groups along which an input varies.
void Runner::setInputs(int64_t step) {
  inputs.assign(wholes.size(), std::vector<std::vector<Tensor>>(microBatches));
  for (auto [i, port] : llvm::enumerate(ports)) {
    if (port.role == "hyper" && port.name == "step") {
      for (auto *values : {&wholes, &locals})
        for (std::vector<Tensor> &own : *values)
          own[i].setInt(0, step + 1);
    }
    if (port.role != "input")
      continue;
    Instances batches(port, ranks);
    std::vector<Tensor> stacked;
    for (auto [instance, first] : llvm::enumerate(instances.first)) {
      std::vector<Tensor> rows(microBatches, wholes[instance][i]);
      for (auto [micro, row] : llvm::enumerate(rows)) {
        if (!options.sameBatch && !row.shape.empty())
          // An input that names no batch dimension differs all the same.
          row = perRank(row, batches.of[first], step * microBatches + micro,
                        std::max<int64_t>(port.batchDim, 0));
        inputs[instance][micro].push_back(row);
      }
      stacked.push_back(microBatches == 1 ? rows[0] : Tensor::stack(rows));
    }
    for (int64_t rank = 0; rank < ranks; ++rank)
      locals[rank][i] =
          program->getArguments()[i].shard(stacked[instances.of[rank]], rank);
  }
}

/// The argument that a result is the next value of, or -1.
static int getNext(ArrayRef<Port> arguments, const Port &result) {
  for (auto [i, port] : llvm::enumerate(arguments))
    if ((result.role == "updated" && result.name == port.name &&
         (port.role == "param" || port.role == "buffer")) ||
        (result.role == "updated_state" && result.name == port.name &&
         port.role == "state") ||
        (result.role == "updated_seed" && port.role == "seed"))
      return i;
  return -1;
}

/// Makes updated values the arguments of the next step, which in turn leave
/// their memory to it.
void Runner::carry(std::vector<std::vector<Tensor>> &state,
                   ArrayRef<Port> results,
                   std::vector<std::vector<Tensor>> &values) {
  for (auto [i, port] : llvm::enumerate(results))
    if (int next = getNext(ports, port); next >= 0)
      for (auto [own, value] : llvm::zip_equal(state, values))
        std::swap(own[next], value[i]);
}

/// Holds every rank's results against its part of the reference's.
void Runner::compare(ArrayRef<Port> results,
                     const std::vector<std::vector<Tensor>> &got,
                     const std::vector<std::vector<Tensor>> &want) {
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (auto [i, port] : llvm::enumerate(results)) {
      const Tensor &whole = want[instances.of[rank]][i];
      // A shard may be all rounding noise (of a key's bias, say).
      double e = error(got[rank][i], port.shard(whole, rank), largest(whole));
      ++compared;
      if (!(e <= worst)) {
        worst = e;
        where =
            port.role + " '" + port.name + "' on rank " + std::to_string(rank);
      }
    }
}

/// With one batch for all, every rank must reproduce the framework's numbers.
llvm::Error
Runner::compareExpected(const std::vector<std::vector<Tensor>> &got) {
  ArrayRef<Port> results = program->getResults();
  size_t left = llvm::count_if(
      results, [](const Port &port) { return port.role == "grad"; });
  if (data.results.size() != results.size() || left != gradients)
    return llvm::Error::success(); // A plan changed what the step returns.
  double far = 0;
  std::string at;
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (auto [i, port] : llvm::enumerate(results)) {
      Tensor whole = data.results[i];
      if (microBatches > 1 && port.role == "output" &&
          whole.shape.size() < port.global.size())
        whole = Tensor::stack(std::vector<Tensor>(microBatches, whole));
      double e = error(got[rank][i], port.shard(whole, rank), largest(whole));
      if (!(e <= far)) {
        far = e;
        at = port.role + " '" + port.name + "' on rank " + std::to_string(rank);
      }
    }
  double limit = options.tolerance > 0 ? options.tolerance
                 : narrow              ? 3e-2
                                       : 1e-4;
  llvm::outs() << "expected: worst error " << llvm::format("%.2e", far)
               << (at.empty() ? "" : " at ") << at << ", limit "
               << llvm::format("%.0e", limit) << "\n";
  if (!(far <= limit))
    return llvm::createStringError(
        "expected the framework's numbers, but got other ones at " + at);
  return llvm::Error::success();
}

/// Every rank's results as it stores them.
llvm::Error Runner::writeResults(
    const std::vector<std::vector<Tensor>> &got) const {
  Safetensors file;
  for (auto [i, port] : llvm::enumerate(program->getResults())) {
    std::string name = "out" + std::to_string(i);
    file.metadata[name] = port.role + " " + port.name;
    for (int64_t rank = 0; rank < ranks; ++rank)
      file.tensors["rank" + std::to_string(rank) + "." + name] =
          got[rank][i];
  }
  return writeSafetensors(options.results, file);
}

llvm::Error Runner::runStep(int64_t step) {
  setInputs(step);
  std::vector<std::vector<Tensor *>> pointers(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (Tensor &value : locals[rank])
      pointers[rank].push_back(&value);
  if (llvm::Error error = program->run(job, pointers))
    return error;
  std::vector<std::vector<Tensor>> &got = program->outputs;
  times.push_back(program->seconds * 1e3);
  // The first step touches memory, and makes code, for the first time.
  if (step == 0)
    fsdp_job_reset_products(job);

  llvm::outs() << "step " << step + 1;
  for (auto [i, port] : llvm::enumerate(program->getResults()))
    if (port.role == "loss" || port.name == "grad_norm")
      llvm::outs() << " " << (port.role == "loss" ? "loss" : "grad_norm") << " "
                   << llvm::format("%.9g", got[0][i].get(0));
  llvm::outs() << "\n";
  if (step == 0 && options.sameBatch && !data.results.empty())
    if (llvm::Error error = compareExpected(got))
      return error;
  if (reference) {
    auto want = reference->run(wholes, inputs);
    if (!want)
      return want.takeError();
    compare(program->getResults(), got, *want);
    carry(wholes, program->getResults(), *want);
  }
  if (!options.results.empty() && step + 1 == options.steps)
    if (llvm::Error error = writeResults(got))
      return error;
  carry(locals, program->getResults(), got);
  return llvm::Error::success();
}

/// What was sent, as JSON: one entry per group, kind and dtype of rank 0.
static llvm::json::Array getTraffic(FsdpJob *job, const Program &program) {
  static constexpr const char *kinds[] = {"all_gather", "reduce_scatter",
                                          "all_reduce", "all_to_all",
                                          "broadcast",  "permute"};
  static constexpr const char *dtypes[] = {"f16", "bf16", "f32", "f64",
                                           "i8",  "i32",  "i64"};
  llvm::json::Array entries;
  for (int64_t i = 0; i < fsdp_rank_traffic_count(job, 0); ++i) {
    FsdpTraffic traffic;
    fsdp_rank_traffic(job, 0, i, &traffic);
    entries.push_back(
        llvm::json::Object{{"group", program.getGroups()[traffic.group].first},
                           {"kind", kinds[traffic.kind]},
                           {"dtype", dtypes[traffic.dtype]},
                           {"calls", traffic.calls},
                           {"buffers", traffic.buffers},
                           {"payload_bytes", traffic.payload_bytes},
                           {"wire_bytes", traffic.wire_bytes}});
  }
  return entries;
}

llvm::Error Runner::report() {
  if (options.time && times.size() > 1) {
    std::vector<double> sorted(times.begin() + 1, times.end());
    llvm::sort(sorted);
    llvm::outs() << "time of a step: minimum "
                 << llvm::format("%.2f", sorted.front()) << " ms, median "
                 << llvm::format("%.2f", sorted[sorted.size() / 2])
                 << " ms of " << sorted.size() << "\n";
    reportProducts(job, options.threadsPerRank,
                   std::accumulate(sorted.begin(), sorted.end(), 0.0) * 1e-3);
  }
  if (!options.traffic.empty()) {
    std::error_code code;
    llvm::raw_fd_ostream file(options.traffic, code);
    if (code)
      return llvm::createStringError("could not write " + options.traffic +
                                     ": " + code.message());
    llvm::json::Object sent{{"ranks", ranks},
                            {"arena_bytes", program->getArenaBytes()},
                            {"traffic", getTraffic(job, *program)}};
    file << llvm::json::Value(std::move(sent)) << "\n";
  }
  if (!reference)
    return llvm::Error::success();
  double limit = options.tolerance > 0 ? options.tolerance
                 : options.wide        ? 1e-9
                 : narrow              ? 2e-2
                                       : 1e-5;
  llvm::outs() << "verify: " << compared << " results of " << ranks
               << (ranks == 1 ? " rank" : " ranks") << ", worst error "
               << llvm::format("%.2e", worst) << (where.empty() ? "" : " at ")
               << where << ", limit " << llvm::format("%.0e", limit) << "\n";
  if (!(worst <= limit))
    return llvm::createStringError(
        "expected the numbers of the unsharded step, but got other ones at " +
        where);
  return llvm::Error::success();
}

llvm::Error fsdp::run::run(const RunOptions &options, MLIRContext &context) {
  Runner runner(options, context);
  if (llvm::Error error = runner.compile())
    return error;
  if (llvm::Error error = runner.load())
    return error;
  for (int64_t step = 0; step < options.steps; ++step)
    if (llvm::Error error = runner.runStep(step))
      return error;
  return runner.report();
}
