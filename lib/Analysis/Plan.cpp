//===- Plan.cpp - The keys of a plan file ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// One function per mapping of the plan: a table of its keys, then the checks
// that concern several of them. PlanGroups.cpp and PlanUnits.cpp have those of
// groups and units, PlanReader.h the readers of single values.
//
//===----------------------------------------------------------------------===//

#include "PlanKeys.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace fsdp;
using namespace fsdp::yaml;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Reads a list of globs on paths.
static FailureOr<std::vector<Located<PathGlob>>> readGlobs(const Node &node) {
  return readList(node, "a list of globs", readGlob);
}

/// Reads a number >= 0.
static FailureOr<Located<double>> readNonNegative(const Node &node) {
  return readNumber(node, "a non-negative number",
                    [](double d) { return d >= 0; });
}
/// Reads a decay rate.
static FailureOr<Located<double>> readDecay(const Node &node) {
  return readNumber(node, "a number in [0, 1)",
                    [](double d) { return d >= 0 && d < 1; });
}

//===----------------------------------------------------------------------===//
// Step
//===----------------------------------------------------------------------===//

/// Reads one word, or groups for each of them.
static FailureOr<PlanBatch> readBatch(const Node &node) {
  PlanBatch batch;
  batch.loc = node.loc;
  batch.kind = PlanBatch::Mixed;
  if (node.kind != Node::Mapping) {
    FailureOr<size_t> word = readWord(node, {"per_rank", "global"});
    if (failed(word))
      return failure();
    batch.kind = *word == 0 ? PlanBatch::PerRank : PlanBatch::Global;
    return batch;
  }
  if (node.items.empty())
    return emitError(node.loc) << "missing 'per_rank' or 'global' in 'batch'";
  if (failed(readMapping(node, {{"per_rank", into(batch.perRank, readGroups)},
                                {"global", into(batch.global, readGroups)}})))
    return failure();
  return batch;
}

/// Reads over which groups the loss is averaged or summed.
static FailureOr<PlanLoss> readLoss(const Node &node) {
  PlanLoss loss;
  loss.loc = node.loc;
  auto readOutput = [](const Node &n) {
    return readString(n, "the name of an output");
  };
  if (failed(readMapping(node,
                         {{"mean", into(loss.groups, readGroups)},
                          {"sum", into(loss.groups, readGroups)},
                          {"divide_by", into(loss.divideBy, readOutput)}})) ||
      failed(checkOneOf(node, "mean", "sum")))
    return failure();
  const Node *mean = find(node, "mean");
  loss.combine =
      mean ? Located<Reduction>{Reduction::Mean, mean->keyLoc}
           : Located<Reduction>{Reduction::Sum, find(node, "sum")->keyLoc};
  if (mean && loss.divideBy)
    return emitError(loss.divideBy->loc)
           << "'divide_by' divides a sum; 'mean' has its divisor already";
  return loss;
}

/// Reads how many micro-batches there are, and what becomes of them.
static FailureOr<PlanAccumulate> readAccumulate(const Node &node) {
  PlanAccumulate accumulate;
  accumulate.loc = node.loc;
  accumulate.reduce = {Reduction::Mean, node.loc};
  auto readReduction = [](const Node &n) {
    return readEnum<Reduction>(n, {"mean", "sum"});
  };
  if (failed(readMapping(
          node,
          {{"steps", into(accumulate.steps, readPositive), /*required=*/true},
           {"reduce", into(accumulate.reduce, readReduction)}})))
    return failure();
  return accumulate;
}

/// Reads globs; Composer's switch is understood only where it is off.
static FailureOr<std::vector<Located<PathGlob>>>
readActivationCheckpointing(const Node &node) {
  if (node.kind == Node::Scalar && node.text == "true")
    return expected(node, "a list of globs on modules");
  if (node.kind == Node::Scalar && node.text == "false")
    return std::vector<Located<PathGlob>>();
  return readGlobs(node);
}

//===----------------------------------------------------------------------===//
// Shardings and the optimizer
//===----------------------------------------------------------------------===//

/// Reads one list of groups per dim.
static FailureOr<std::vector<std::vector<GroupSpec>>>
readDims(const Node &node) {
  if (node.kind != Node::List)
    return expected(node, "a list of process groups per dim");
  return readList(node, "", readGroups);
}

/// Reads the pattern of an activation: a glob on modules, then ":out".
static FailureOr<Located<PathGlob>> readOutputGlob(const Node &node) {
  StringRef glob = node.text;
  if (!glob.consume_back(":out"))
    return expected(node, "a glob on modules that ends in ':out'");
  Node module = node;
  module.text = glob.str();
  return readGlob(module);
}

/// Reads `match`, `dims` and the extra keys, which can stand for `dims`.
static FailureOr<PlanSharding>
readPlacement(const Node &node, ArrayRef<Key> extraKeys,
              FailureOr<Located<PathGlob>> (*readMatch)(const Node &)) {
  std::optional<Located<PathGlob>> match;
  std::optional<std::vector<std::vector<GroupSpec>>> dims;
  SmallVector<Key> keys = {
      {"match", into(match, readMatch), /*required=*/true},
      {"dims", into(dims, readDims), /*required=*/extraKeys.empty()}};
  llvm::append_range(keys, extraKeys);
  if (failed(readMapping(node, keys)))
    return failure();
  return PlanSharding{std::move(*match), std::move(dims), {}, node.loc};
}

/// Reads an entry of `activations`.
static FailureOr<PlanSharding> readActivation(const Node &node) {
  return readPlacement(node, {}, readOutputGlob);
}

/// Reads an entry of `shardings`.
static FailureOr<PlanSharding> readSharding(const Node &node) {
  std::vector<GroupSpec> varying;
  auto readVarying = [](const Node &n) -> FailureOr<std::vector<GroupSpec>> {
    if (n.kind == Node::List && n.items.empty())
      return emitError(n.loc) << "expected a process group for 'varying'";
    return readGroups(n);
  };
  FailureOr<PlanSharding> sharding =
      readPlacement(node, {{"varying", into(varying, readVarying)}}, readGlob);
  if (failed(sharding) || failed(checkOneOf(node, "dims", "varying")))
    return failure();
  sharding->varying = std::move(varying);
  return sharding;
}

/// Reads the name of an optimizer.
static FailureOr<Located<PlanOptimizer::Kind>> readKind(const Node &node) {
  return readEnum<PlanOptimizer::Kind>(node, {"sgd", "momentum", "adamw"});
}

/// Reads an optimizer; torch's defaults fill in what it leaves open.
static FailureOr<PlanOptimizer> readOptimizer(const Node &node) {
  PlanOptimizer optimizer;
  optimizer.loc = node.loc;
  std::optional<Located<double>> lr, weightDecay;
  std::vector<Located<double>> betas;
  auto readBetas =
      [](const Node &n) -> FailureOr<std::vector<Located<double>>> {
    if (n.kind != Node::List || n.items.size() != 2)
      return emitError(n.loc) << "expected two numbers for 'betas'";
    return readList(n, "", readDecay);
  };
  if (failed(readMapping(
          node, {{"name", into(optimizer.kind, readKind), /*required=*/true},
                 {"lr", into(lr, readNonNegative)},
                 {"weight_decay", into(weightDecay, readNonNegative)},
                 {"momentum", into(optimizer.momentum, readDecay)},
                 {"betas", into(betas, readBetas)},
                 {"eps", into(optimizer.eps, readPositiveNumber)},
                 {"clip_norm", into(optimizer.clipNorm, readPositiveNumber)},
                 {"no_decay", into(optimizer.noDecay, readGlobs)},
                 {"no_decay_below_ndim",
                  into(optimizer.noDecayBelowNdim, readPositive)}})))
    return failure();

  bool isAdamW = optimizer.kind.value == PlanOptimizer::AdamW;
  bool isMomentum = optimizer.kind.value == PlanOptimizer::Momentum;
  StringRef name = find(node, "name")->text;
  for (const Node &item : node.items)
    if (!llvm::StringSwitch<bool>(item.key)
             .Case("momentum", isMomentum)
             .Cases({"betas", "eps"}, isAdamW)
             .Default(true))
      return emitError(item.keyLoc)
             << "optimizer '" << name << "' has no '" << item.key << "'";
  if (isMomentum && !optimizer.momentum)
    return emitError(node.loc) << "optimizer 'momentum' needs 'momentum'";
  if (!isAdamW && !lr)
    return emitError(node.loc) << "optimizer '" << name << "' needs 'lr'";

  auto orDefault = [&](std::optional<Located<double>> value, double other) {
    return value.value_or(Located<double>{other, node.loc});
  };
  optimizer.lr = orDefault(lr, 1e-3);
  optimizer.weightDecay = orDefault(weightDecay, isAdamW ? 1e-2 : 0);
  if (isAdamW) {
    if (betas.empty())
      betas = {{0.9, node.loc}, {0.999, node.loc}};
    optimizer.beta1 = betas[0];
    optimizer.beta2 = betas[1];
    optimizer.eps = orDefault(optimizer.eps, 1e-8);
  }
  return optimizer;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// The keys of the plan itself; settings at the top are those of `defaults`.
static SmallVector<Key> getPlanKeys(Plan &plan) {
  auto entries = [](auto &slot, auto read) {
    return into(slot, [read](const Node &node) {
      return readList(node, "a list of entries", read);
    });
  };
  auto readBuffers = [](const Node &n) {
    return readEnum<BufferUpdate>(n, {"mean", "local", "rank0"});
  };
  SmallVector<Key> settingKeys = getSettingKeys(plan.defaults);
  SmallVector<Key> keys = {
      {"world", into(plan.world, readWorld)},
      {"process_groups", into(plan.processGroups, readProcessGroups)},
      {"mesh", into(plan.mesh, readMesh)},
      {"batch", into(plan.batch, readBatch)},
      {"loss", into(plan.loss, readLoss)},
      {"accumulate", into(plan.accumulate, readAccumulate)},
      {"buffers", into(plan.buffers, readBuffers)},
      {"defaults",
       [settingKeys](const Node &n) { return readMapping(n, settingKeys); }},
      {"units", entries(plan.units, readUnit)},
      {"shardings", entries(plan.shardings, readSharding)},
      {"activations", entries(plan.activations, readActivation)},
      {"optimizer", into(plan.optimizer, readOptimizer)},
      {"activation_checkpointing",
       into(plan.activationCheckpointing, readActivationCheckpointing)},
      {"ignored", into(plan.ignored, readGlobs)}};
  keys.append(settingKeys);
  return keys;
}

FailureOr<Plan> fsdp::readPlan(llvm::MemoryBufferRef buffer, MLIRContext *ctx) {
  FailureOr<Node> root = parse(buffer, ctx);
  if (failed(root))
    return failure();
  Plan plan;
  plan.loc = root->loc;
  if (failed(readMapping(*root, getPlanKeys(plan))) ||
      failed(checkReshard(plan.defaults)))
    return failure();
  return plan;
}

FailureOr<Plan> fsdp::readPlan(StringRef path, MLIRContext *ctx) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError(UnknownLoc::get(ctx))
           << "cannot read plan '" << path
           << "': " << file.getError().message();
  return readPlan((*file)->getMemBufferRef(), ctx);
}
