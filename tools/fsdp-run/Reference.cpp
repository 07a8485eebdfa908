// SPDX-License-Identifier: Apache-2.0
//===- Reference.cpp - what N ranks should compute ------------------------===//
#include "Reference.h"
#include "fsdp/Analysis/Step.h"
#include "llvm/ADT/SetVector.h"

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

llvm::Expected<std::unique_ptr<Reference>>
Reference::create(ModuleOp module, const Instances &instances) {
  std::unique_ptr<Reference> reference(new Reference());
  reference->instances = instances;
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

/// By instance, the place of its batch among those that differ: in the order of
/// ranks, or of the group that is a list.
static std::vector<int64_t> getSeedIndices(ArrayRef<Port> inputs,
                                           const Instances &instances) {
  llvm::SetVector<ClassesAttr> groups;
  for (const Port &input : inputs)
    groups.insert_range(input.varying);
  Instances batches(inputs, instances.of.size());
  std::vector<int64_t> indices;
  for (int64_t rank : instances.first)
    indices.push_back(groups.size() == 1 && groups[0].isExplicit()
                          ? groups[0].getIndexOf(rank)
                          : batches.of[rank]);
  return indices;
}

/// Ports, seeds, and the ranks that the loss joins.
void Reference::readPlacements(ModuleOp module) {
  Step step = *Step::get(module);
  std::tie(arguments, results) = readPorts(step.getFunction());
  int64_t ranks = instances.of.size();
  std::vector<Port> inputs;
  llvm::copy_if(arguments, std::back_inserter(inputs),
                [](const Port &port) { return port.role == "input"; });
  seedIndex = getSeedIndices(inputs, instances);
  joined.grow(ranks);
  int loss = step.findResult(attr::loss);
  if (loss >= 0) {
    auto combine =
        cast<LossAttr>(step.getFunction().getResultAttr(loss, attr::loss));
    mean = combine.getMean();
    if (StringAttr name = combine.getDivideBy())
      count = step.findResult(attr::output, name);
    for (auto group : combine.getGroups().getAsRange<FlatSymbolRefAttr>()) {
      ClassesAttr classes = lookupClasses(step.getFunction(), group);
      for (int64_t rank = 0; rank < ranks; ++rank)
        for (int64_t other : classes.getClassOf(rank))
          joined.join(rank, other);
    }
  }
  for (int64_t rank = 0; rank < ranks; ++rank)
    lossRanks[joined.findLeader(rank)].push_back(rank);
  if (auto accumulate = module->getAttrOfType<AccumulateAttr>(attr::accumulate))
    accumulateMean = accumulate.getMean();
  if (auto how = module->getAttrOfType<StringAttr>(attr::buffers))
    buffers = how.str();
}

/// The ranks whose losses are combined with that of `rank`: one per place along
/// the loss's groups.
ArrayRef<int64_t> Reference::getLossRanks(int64_t rank) const {
  return lossRanks.at(joined.findLeader(rank));
}

/// What the sum over the loss's ranks and all micro-batches is multiplied by.
double Reference::getLossScale(const std::vector<ModelResults> &models,
                               int64_t rank, double steps) const {
  ArrayRef<int64_t> ranks = getLossRanks(rank);
  if (count >= 0) {
    double total = 0;
    for (int64_t other : ranks)
      total += models[instances.of[other]].count;
    return 1.0 / total;
  }
  return (mean ? 1.0 / double(ranks.size()) : 1.0) /
         (accumulateMean ? steps : 1.0);
}

/// The wanted gradients of one rank, from the marked ones of all.
std::vector<Tensor> Reference::reduce(const std::vector<ModelResults> &models,
                                      int64_t rank, double steps) const {
  std::vector<Tensor> reduced;
  for (auto [i, argument] : llvm::enumerate(markers)) {
    const Port &port = arguments[argument];
    double scale = getLossScale(models, rank, steps);
    if (port.divideFactor)
      scale = 1.0 / *port.divideFactor / (accumulateMean ? steps : 1.0);
    // In f64, so that the reference is the better of the two.
    Tensor sum(Dtype::F64, models[instances.of[rank]].gradients[i].shape);
    for (int64_t other : getLossRanks(rank))
      if (port.getCoordinates(other) == port.getCoordinates(rank))
        sum.accumulate(models[instances.of[other]].gradients[i]);
    Tensor scaled(Dtype::F64, sum.shape);
    scaled.accumulate(sum, scale);
    reduced.push_back(
        scaled.cast(optimizer->getArguments()[arguments.size() + i].dtype));
  }
  return reduced;
}

/// The norm over all distinct gradients; a parameter that is split in compute
/// is whole here.
Tensor Reference::getNorm(const std::vector<std::vector<Tensor>> &reduced,
                          const std::vector<unsigned> &operands) const {
  double squares = 0;
  for (unsigned marker : operands) {
    std::set<std::vector<int64_t>> seen;
    for (auto [rank, own] : llvm::zip_equal(instances.first, reduced)) {
      SmallVector<int64_t> at = arguments[markers[marker]].getCoordinates(rank);
      if (!seen.insert(std::vector<int64_t>(at.begin(), at.end())).second)
        continue;
      const Tensor &gradient = own[marker];
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

/// Forward and backward of one instance over its micro-batches. `values` are
/// its arguments; buffers in it move on from batch to batch, and so does the
/// seed, which is the ranks' common one.
llvm::Error Reference::runModel(int64_t instance, std::vector<Tensor> values,
                                const std::vector<std::vector<Tensor>> &batches,
                                ModelResults &into) {
  int64_t steps = batches.size();
  for (int64_t step = 0; step < steps; ++step) {
    size_t nextInput = 0;
    std::vector<Tensor> passed = values;
    for (auto [i, port] : llvm::enumerate(arguments)) {
      if (port.role == "input")
        passed[i] = batches[step][nextInput++];
      // Ranks with batches of their own draw numbers of their own.
      if (port.role == "seed")
        for (int64_t j = 0; j < passed[i].numElements(); ++j)
          passed[i].setInt(j, values[i].getInt(j) + seedIndex[instance]);
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
      if (int(i) == count)
        into.count += value.get(0);
      if (port.role == "updated_seed") {
        // The next seed comes from the common one, which the first draws with.
        if (seeds.size() == size_t(step))
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
  std::vector<Tensor *> pointers;
  for (const Tensor &value : values) // Nothing is updated in place.
    pointers.push_back(const_cast<Tensor *>(&value));
  if (llvm::Error error = program.run(job, {pointers}))
    return error;
  return program.outputs.front();
}

/// What the ranks combine: the loss, and buffers updated from their batches.
/// A mean over all ranks is the one over those that differ.
void Reference::combine(std::vector<std::vector<Tensor>> &outputs,
                        const std::vector<ModelResults> &models,
                        double steps) const {
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, instances.of.size()));
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
    for (const std::vector<Tensor> &own : outputs)
      before.push_back(own[i]);
    for (auto [rank, own] : llvm::zip_equal(instances.first, outputs)) {
      if (isBuffer && buffers == "rank0") {
        own[i] = before[0];
        continue;
      }
      ArrayRef<int64_t> over = isBuffer ? ArrayRef(all) : getLossRanks(rank);
      Tensor sum(Dtype::F64, own[i].shape);
      for (int64_t other : over)
        sum.accumulate(before[instances.of[other]]);
      Tensor scaled(Dtype::F64, sum.shape);
      scaled.accumulate(sum, isBuffer ? 1.0 / double(over.size())
                                      : getLossScale(models, rank, steps));
      own[i] = scaled.cast(own[i].dtype);
    }
  }
}

llvm::Expected<std::vector<std::vector<Tensor>>>
Reference::run(const std::vector<std::vector<Tensor>> &wholes,
               const std::vector<std::vector<std::vector<Tensor>>> &inputs) {
  double steps = double(inputs[0].size());
  seeds.clear();
  std::vector<ModelResults> models(wholes.size());
  std::vector<std::vector<Tensor>> reduced, outputs(wholes.size());
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, models.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(seedIndex[a], a) < std::pair(seedIndex[b], b);
  });
  for (int64_t i : order)
    if (llvm::Error error = runModel(i, wholes[i], inputs[i], models[i]))
      return error;
  for (int64_t rank : instances.first)
    reduced.push_back(reduce(models, rank, steps));
  std::vector<Tensor> normValues;
  size_t firstNorm = arguments.size() + markers.size();
  for (auto [i, operands] : llvm::enumerate(norms))
    normValues.push_back(
        getNorm(reduced, operands)
            .cast(optimizer->getArguments()[firstNorm + i].dtype));

  // The optimizer, once per instance: they may hold different parameters.
  for (size_t instance = 0; instance < wholes.size(); ++instance) {
    std::vector<Tensor> values = wholes[instance];
    size_t nextInput = 0;
    for (auto [i, port] : llvm::enumerate(arguments))
      if (port.role == "input")
        values[i] = inputs[instance][0][nextInput++];
    llvm::append_range(values, reduced[instance]);
    llvm::append_range(values, normValues);
    auto updated = call(*optimizer, optimizerJob, values);
    if (!updated)
      return updated.takeError();
    for (const Source &source : sources)
      outputs[instance].push_back(source.fromModel
                                      ? models[instance].model[source.index]
                                      : (*updated)[source.index]);
  }
  combine(outputs, models, steps);
  return outputs;
}
