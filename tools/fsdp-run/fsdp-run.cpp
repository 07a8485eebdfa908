// SPDX-License-Identifier: Apache-2.0
//===- fsdp-run.cpp - run an exported step on N ranks ---------------------===//
//
// fsdp-run MODEL.mlir --config=plan.yaml --ranks=8 --verify
//
//===----------------------------------------------------------------------===//
#include "Jit.h"
#include "Runner.h"
#include "fsdp/InitAll.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cl = llvm::cl;

static cl::OptionCategory category("fsdp-run options");
static cl::opt<std::string> model(cl::Positional, cl::Required,
                                  cl::desc("MODEL.mlir"), cl::cat(category));
static cl::opt<std::string> config("config", cl::desc("the plan file"),
                                   cl::value_desc("plan.yaml"),
                                   cl::cat(category));
static cl::opt<int64_t> ranks("ranks",
                              cl::desc("number of ranks; overrides the plan"),
                              cl::init(0), cl::cat(category));
static cl::opt<int64_t>
    ranksPerNode("ranks-per-node",
                 cl::desc("ranks of one node; overrides the plan"), cl::init(0),
                 cl::cat(category));
static cl::opt<int64_t>
    threadsPerRank("threads-per-rank",
                   cl::desc("threads that compute for each rank"), cl::init(1),
                   cl::cat(category));
static cl::opt<int64_t> steps("steps", cl::desc("how many steps to run"),
                              cl::init(1), cl::cat(category));
static cl::opt<std::string>
    data("data",
         cl::desc("values of the arguments: one batch for all ranks, or one "
                  "per rank along a leading dimension. Without it values come "
                  "from MODEL.safetensors or MODEL.json, or are generated, and "
                  "every step, and every rank unless the batch is global, gets "
                  "a batch of its own"),
         cl::value_desc("X.safetensors"), cl::cat(category));
enum class Verify { No, Yes, F64 };
static cl::opt<Verify> verify(
    "verify", cl::ValueOptional,
    cl::desc("compare every result of every rank with the unsharded step on "
             "the same data"),
    cl::values(clEnumValN(Verify::Yes, "", "in the step's own dtypes"),
               clEnumValN(Verify::F64, "f64", "with everything in f64")),
    cl::init(Verify::No), cl::cat(category));
static cl::opt<double> tolerance(
    "tolerance",
    cl::desc("largest error max|a-b| / max(max|b|, 1e-6); by default "
             "1e-5, 2e-2 where a dtype is narrower than f32, 1e-9 in f64"),
    cl::init(0), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("seed of generated values"),
                              cl::init(0), cl::cat(category));
static cl::opt<double>
    timeout("timeout",
            cl::desc("seconds that a collective may wait for a rank"),
            cl::init(120), cl::cat(category));
static cl::opt<std::string>
    traffic("traffic", cl::desc("write bytes sent and memory planned as JSON"),
            cl::value_desc("traffic.json"), cl::cat(category));
static cl::opt<std::string>
    results("results",
            cl::desc("write every rank's results of the last step as stored: "
                     "rank0.out0, ..., and what out0, ... are as metadata"),
            cl::value_desc("r.safetensors"), cl::cat(category));
static cl::opt<bool>
    unchecked("unchecked",
              cl::desc("run a step also where the static check rejects it"),
              cl::cat(category));
static cl::opt<bool>
    unoptimized("unoptimized",
                cl::desc("compile in a quarter of the time, to slow code"),
                cl::cat(category));
static cl::opt<std::string>
    cache("cache",
          cl::desc("keep compiled kernels in this folder, for this and other "
                   "models"),
          cl::value_desc("DIR"), cl::cat(category));
static cl::opt<bool> timed("time",
                           cl::desc("print how long steps take, from the "
                                    "second on"),
                           cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("no progress on standard error"),
                           cl::cat(category));

int main(int argc, char **argv) {
#ifdef __GLIBC__
  // Tensors that are freed go back to the system; glibc would keep what is
  // below 32 MB once one was, half as much again as the arenas take.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "runs an exported training step on N ranks; one "
                              "at stage sharded runs as it is\n");
  for (auto [option, value] : {std::pair<cl::Option *, double>(&ranks, ranks),
                               {&ranksPerNode, ranksPerNode},
                               {&threadsPerRank, threadsPerRank},
                               {&steps, steps},
                               {&tolerance, tolerance},
                               {&timeout, timeout}})
    if (option->getNumOccurrences() && !(value > 0)) {
      llvm::errs() << "error: expected a positive number for --"
                   << option->ArgStr << ", but got "
                   << llvm::format("%g", value) << "\n";
      return 1;
    }

  mlir::DialectRegistry registry;
  fsdp::registerAllDialects(registry);
  fsdp::registerTranslations(registry);
  mlir::MLIRContext context(registry);
  // A user's error is a line, not the whole step.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);

  fsdp::run::RunOptions options;
  options.model = model;
  options.config = config;
  options.data = data;
  options.traffic = traffic;
  options.results = results;
  options.ranks = ranks;
  options.ranksPerNode = ranksPerNode;
  options.threadsPerRank = threadsPerRank;
  options.steps = steps;
  options.seed = seed;
  options.timeout = timeout;
  options.tolerance = tolerance;
  options.verify = verify != Verify::No;
  options.wide = verify == Verify::F64;
  options.quiet = quiet;
  options.time = timed;
  options.check = !unchecked;
  options.machine.optimize = !unoptimized;
  options.machine.cache = cache;
  options.sameBatch = !data.empty();
  if (llvm::Error error = fsdp::run::run(options, context)) {
    llvm::outs().flush(); // What ran comes before what failed.
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
