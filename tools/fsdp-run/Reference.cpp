// SPDX-License-Identifier: Apache-2.0
//===- Reference.cpp - what N ranks should compute ------------------------===//
#include "Reference.h"
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Analysis/Step.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/IntEqClasses.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace fsdp;
using namespace fsdp::run;

Reference::~Reference() {
  for (FsdpJob *job : {modelJob, optimizerJob})
    if (job)
      fsdp_job_destroy(job);
}

llvm::Expected<std::unique_ptr<Reference>> Reference::create(ModuleOp module,
                                                             int64_t ranks) {
  std::unique_ptr<Reference> reference(new Reference());
  reference->ranks = ranks;
  reference->readPlacements(module);
  if (failed(reference->split(module)))
    return llvm::createStringError("the reference could not be built");
  for (auto [program, job, source] :
       {std::tie(reference->model, reference->modelJob, reference->modelModule),
        std::tie(reference->optimizer, reference->optimizerJob,
                 reference->optimizerModule)}) {
    llvm::Expected<std::unique_ptr<Program>> compiled =
        Program::create(std::move(source));
    if (!compiled)
      return compiled.takeError();
    program = std::move(*compiled);
    // One rank: no collective is left to wait for.
    llvm::Expected<FsdpJob *> created = program->createJob(1, 60);
    if (!created)
      return created.takeError();
    job = *created;
  }
  return reference;
}

/// Ports, and the ranks that the loss joins.
void Reference::readPlacements(ModuleOp module) {
  Step step = *Step::get(module);
  std::tie(arguments, results) = readPorts(step.getFunction());
  llvm::IntEqClasses joined(ranks);
  int loss = step.findResult(attr::loss);
  if (loss >= 0) {
    auto combine =
        cast<LossAttr>(step.getFunction().getResultAttr(loss, attr::loss));
    mean = combine.getMean();
    for (auto group : combine.getGroups().getAsRange<FlatSymbolRefAttr>()) {
      ClassesAttr classes = lookupClasses(step.getFunction(), group);
      for (int64_t rank = 0; rank < ranks; ++rank)
        for (int64_t other : classes.getClassOf(rank))
          joined.join(rank, other);
    }
  }
  lossRanks.resize(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (int64_t other = 0; other < ranks; ++other)
      if (joined.findLeader(rank) == joined.findLeader(other))
        lossRanks[rank].push_back(other);
  if (auto accumulate = module->getAttrOfType<AccumulateAttr>(attr::accumulate))
    accumulateMean = accumulate.getMean();
  if (auto how = module->getAttrOfType<StringAttr>(attr::buffers))
    buffers = how.str();
}

/// Erases what no result needs, groups and units.
static void simplify(ModuleOp module) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*module.getBody())))
    if (isa<ProcessGroupOp, UnitOp>(op))
      op.erase();
  for (auto function : module.getOps<func::FuncOp>()) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    // The pieces have no placements.
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
  }
}

/// Makes the terminator return `values`.
static void setResults(func::FuncOp function, ArrayRef<Value> values) {
  Operation *terminator = function.front().getTerminator();
  terminator->setOperands(values);
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(value.getType());
  function.removeResAttrsAttr();
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(), types));
}

/// Cuts the step at its markers: the model returns marked gradients behind the
/// results that need none, the optimizer takes reduced ones and norms behind
/// its arguments.
LogicalResult Reference::split(ModuleOp module) {
  modelModule = module.clone();
  optimizerModule = module.clone();
  FailureOr<Step> above = Step::get(*modelModule);
  FailureOr<Step> under = Step::get(*optimizerModule);
  if (failed(above) || failed(under))
    return failure();

  // Which results come from below a marker.
  DenseSet<Value> below;
  for (Operation &op : under->getFunction().front()) {
    bool isBelow = isa<LocalGradOp>(op);
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        isBelow |= below.contains(operand);
    });
    if (isBelow)
      below.insert(op.result_begin(), op.result_end());
  }
  SmallVector<Value> modelResults, optimizerResults;
  for (auto [mine, other] :
       llvm::zip_equal(under->getTerminator()->getOperands(),
                       above->getTerminator()->getOperands())) {
    unsigned index = sources.size();
    StringRef role = results[index].role;
    bool isUpdate = below.contains(mine) || role == "updated_state" ||
                    (role == "updated" && under->lookup(results[index].name));
    if (isUpdate) {
      sources.push_back({false, unsigned(optimizerResults.size())});
      optimizerResults.push_back(mine);
    } else {
      // Constants and arguments but inputs are the same for all batches.
      auto argument = dyn_cast<BlockArgument>(other);
      bool ofBatch = argument
                         ? arguments[argument.getArgNumber()].role == "input"
                         : !isFree(other.getDefiningOp());
      sources.push_back({true, unsigned(modelResults.size()), ofBatch});
      modelResults.push_back(other);
    }
  }

  func::FuncOp function = under->getFunction();
  DenseMap<Value, unsigned> markerOf;
  for (auto [mine, other] :
       llvm::zip_equal(above->getParameters(), under->getParameters())) {
    if (mine.markers.empty())
      continue;
    if (mine.markers.size() > 1)
      return LocalGradOp(other.markers[1])
                 .emitOpError("expected one marker of parameter '")
             << mine.name << "'";
    LocalGradOp marker = other.markers[0];
    modelResults.push_back(LocalGradOp(mine.markers[0]).getInput());
    Value argument =
        function.front().addArgument(marker.getType(), marker.getLoc());
    marker.replaceAllUsesWith(argument);
    for (Value &result : optimizerResults)
      if (result == marker)
        result = argument;
    markerOf[argument] = markers.size();
    markers.push_back(mine.argument);
    marker.erase();
  }
  SmallVector<GlobalNormOp> normOps;
  function.walk([&](GlobalNormOp norm) { normOps.push_back(norm); });
  for (GlobalNormOp norm : normOps) {
    std::vector<unsigned> operands;
    for (Value input : norm.getInputs())
      operands.push_back(markerOf.lookup(input));
    norms.push_back(operands);
    Value argument =
        function.front().addArgument(norm.getType(), norm.getLoc());
    norm.replaceAllUsesWith(argument);
    for (Value &result : optimizerResults)
      if (result == norm)
        result = argument;
    norm.erase();
  }
  setResults(above->getFunction(), modelResults);
  setResults(function, optimizerResults);
  simplify(*modelModule);
  simplify(*optimizerModule);
  return failure(failed(verify(*modelModule)) ||
                 failed(verify(*optimizerModule)));
}

/// The wanted gradients of one rank, from the marked ones of all.
std::vector<Tensor>
Reference::reduce(const std::vector<std::vector<Tensor>> &gradients,
                  int64_t rank, double steps) const {
  std::vector<Tensor> reduced;
  for (auto [i, argument] : llvm::enumerate(markers)) {
    const Port &port = arguments[argument];
    double scale = port.divideFactor ? 1.0 / *port.divideFactor
                   : mean            ? 1.0 / double(lossRanks[rank].size())
                                     : 1.0;
    if (accumulateMean)
      scale /= steps;
    // In f64, so that the reference is the better of the two.
    Tensor sum(Dtype::F64, gradients[rank][i].shape);
    for (int64_t other : lossRanks[rank])
      if (port.getCoordinates(other) == port.getCoordinates(rank))
        sum.accumulate(gradients[other][i]);
    Tensor scaled(Dtype::F64, sum.shape);
    scaled.accumulate(sum, scale);
    reduced.push_back(
        scaled.cast(optimizer->getArguments()[arguments.size() + i].dtype));
  }
  return reduced;
}

/// The norm over all distinct gradients.
Tensor Reference::getNorm(const std::vector<std::vector<Tensor>> &reduced,
                          const std::vector<unsigned> &operands) const {
  double squares = 0;
  for (unsigned marker : operands) {
    std::set<std::vector<int64_t>> seen;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      SmallVector<int64_t> at = arguments[markers[marker]].getCoordinates(rank);
      if (!seen.insert(std::vector<int64_t>(at.begin(), at.end())).second)
        continue;
      const Tensor &gradient = reduced[rank][marker];
      for (int64_t i = 0; i < gradient.numElements(); ++i)
        squares += gradient.get(i) * gradient.get(i);
    }
  }
  Tensor norm(Dtype::F64, {});
  norm.set(0, std::sqrt(squares));
  return norm;
}

/// Adds a leading dimension of `count` to a shape.
static SmallVector<int64_t> stack(ArrayRef<int64_t> shape, int64_t count) {
  SmallVector<int64_t> result = {count};
  result.append(shape.begin(), shape.end());
  return result;
}

/// Forward and backward of one rank over its micro-batches. `values` are its
/// arguments; buffers in it move on from batch to batch, and so does the seed,
/// which is the ranks' common one.
llvm::Error Reference::runModel(int64_t rank, std::vector<Tensor> values,
                                const std::vector<std::vector<Tensor>> &batches,
                                RankResults &into) {
  int64_t steps = batches.size();
  for (int64_t step = 0; step < steps; ++step) {
    size_t nextInput = 0;
    std::vector<Tensor> passed = values;
    for (auto [i, port] : llvm::enumerate(arguments)) {
      if (port.role == "input")
        passed[i] = batches[step][nextInput++];
      // Each rank draws with seed + rank.
      if (port.role == "seed")
        for (int64_t j = 0; j < passed[i].numElements(); ++j)
          passed[i].setInt(j, values[i].getInt(j) + rank);
    }
    llvm::Expected<std::vector<Tensor>> got = call(*model, modelJob, passed);
    if (!got)
      return got.takeError();
    for (auto [i, source] : llvm::enumerate(sources)) {
      if (!source.fromModel)
        continue;
      Tensor value = (*got)[source.index];
      const Port &port = results[i];
      if (step == 0)
        into.model.push_back(Tensor());
      Tensor &whole = into.model[source.index];
      if (port.role == "updated_seed") {
        // The next seed comes from the common one, which rank 0 draws with.
        if (rank == 0)
          seeds.push_back(value);
        whole = seeds[step];
      } else if (port.role == "updated") {
        whole = value;
      } else if (port.role == "loss") {
        if (step == 0)
          whole = Tensor(value.dtype, value.shape);
        whole.accumulate(value);
      } else if (steps == 1 || !source.ofBatch) {
        whole = value;
      } else {
        if (step == 0)
          whole = Tensor(value.dtype, stack(value.shape, steps));
        std::copy(value.bytes.begin(), value.bytes.end(),
                  whole.bytes.begin() + step * value.bytes.size());
      }
      for (auto [j, argument] : llvm::enumerate(arguments))
        if ((port.role == "updated" && argument.role == "buffer" &&
             argument.name == port.name) ||
            (port.role == "updated_seed" && argument.role == "seed"))
          values[j] = whole;
    }
    size_t first = got->size() - markers.size();
    for (size_t i = first; i < got->size(); ++i) {
      if (step == 0)
        into.gradients.emplace_back(Dtype::F64, (*got)[i].shape);
      into.gradients[i - first].accumulate((*got)[i]);
    }
  }
  return llvm::Error::success();
}

/// Calls a piece on the one rank that it runs on.
llvm::Expected<std::vector<Tensor>>
Reference::call(Program &program, FsdpJob *job,
                const std::vector<Tensor> &values) {
  std::vector<const Tensor *> pointers;
  for (const Tensor &value : values)
    pointers.push_back(&value);
  auto ran = program.run(job, {pointers});
  if (!ran)
    return ran.takeError();
  return std::move(ran->front());
}

/// What the ranks combine: the loss, and buffers updated from their batches.
void Reference::combine(std::vector<std::vector<Tensor>> &outputs,
                        double steps) const {
  std::vector<int64_t> all;
  for (int64_t rank = 0; rank < ranks; ++rank)
    all.push_back(rank);
  for (size_t i = 0; i < results.size(); ++i) {
    const Port &port = results[i];
    bool isBuffer =
        port.role == "updated" && buffers != "local" &&
        (isFloat(port.dtype) || buffers == "rank0") &&
        llvm::any_of(arguments, [&](const Port &argument) {
          return argument.role == "buffer" && argument.name == port.name;
        });
    if (port.role != "loss" && !isBuffer)
      continue;
    std::vector<Tensor> before;
    for (int64_t rank = 0; rank < ranks; ++rank)
      before.push_back(outputs[rank][i]);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      if (isBuffer && buffers == "rank0") {
        outputs[rank][i] = before[0];
        continue;
      }
      const std::vector<int64_t> &over = isBuffer ? all : lossRanks[rank];
      Tensor sum(Dtype::F64, before[rank].shape);
      for (int64_t other : over)
        sum.accumulate(before[other]);
      double scale = isBuffer || mean ? 1.0 / double(over.size()) : 1.0;
      if (!isBuffer && accumulateMean)
        scale /= steps;
      Tensor scaled(Dtype::F64, sum.shape);
      scaled.accumulate(sum, scale);
      outputs[rank][i] = scaled.cast(before[rank].dtype);
    }
  }
}

llvm::Expected<std::vector<std::vector<Tensor>>>
Reference::run(const std::vector<std::vector<Tensor>> &wholes,
               const std::vector<std::vector<std::vector<Tensor>>> &inputs) {
  double steps = double(inputs[0].size());
  seeds.clear();
  std::vector<RankResults> byRank(ranks);
  std::vector<std::vector<Tensor>> gradients, reduced, outputs(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (llvm::Error error =
            runModel(rank, wholes[rank], inputs[rank], byRank[rank]))
      return error;
    gradients.push_back(std::move(byRank[rank].gradients));
  }
  for (int64_t rank = 0; rank < ranks; ++rank)
    reduced.push_back(reduce(gradients, rank, steps));
  std::vector<Tensor> normValues;
  size_t firstNorm = arguments.size() + markers.size();
  for (auto [i, operands] : llvm::enumerate(norms))
    normValues.push_back(
        getNorm(reduced, operands)
            .cast(optimizer->getArguments()[firstNorm + i].dtype));

  // The optimizer, once per rank: ranks may hold different parameters.
  for (int64_t rank = 0; rank < ranks; ++rank) {
    std::vector<Tensor> values = wholes[rank];
    size_t nextInput = 0;
    for (auto [i, port] : llvm::enumerate(arguments))
      if (port.role == "input")
        values[i] = inputs[rank][0][nextInput++];
    values.insert(values.end(), reduced[rank].begin(), reduced[rank].end());
    values.insert(values.end(), normValues.begin(), normValues.end());
    auto updated = call(*optimizer, optimizerJob, values);
    if (!updated)
      return updated.takeError();
    for (const Source &source : sources)
      outputs[rank].push_back(source.fromModel
                                  ? byRank[rank].model[source.index]
                                  : (*updated)[source.index]);
  }
  combine(outputs, steps);
  return outputs;
}
