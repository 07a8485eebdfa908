//===- Plan.cpp - The keys of a plan file ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// One function per mapping of the plan: a table of its keys, then the checks
// that concern several of them. PlanReader.h has the readers of single values.
//
//===----------------------------------------------------------------------===//

#include "fsdp/Analysis/Plan.h"
#include "PlanReader.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace fsdp;
using namespace fsdp::yaml;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The entry of `node` with this key, or null.
static const Node *find(const Node &node, StringRef key) {
  auto it = llvm::find_if(node.items, [&](auto &i) { return i.key == key; });
  return it == node.items.end() ? nullptr : &*it;
}

/// Fails unless exactly one of two keys is in a mapping.
static LogicalResult checkOneOf(const Node &node, StringRef a, StringRef b) {
  const Node *first = find(node, a), *second = find(node, b);
  if (!first == !second)
    return emitError(node.loc) << (first ? "both '" : "missing '") << a
                               << (first ? "' and '" : "' or '") << b
                               << "' in '" << node.key << "'";
  return success();
}

/// Reads a list of globs on paths.
static FailureOr<std::vector<Located<PathGlob>>> readGlobs(const Node &node) {
  return readList(node, "a list of globs", readGlob);
}

/// Reads a number > 0.
static FailureOr<Located<double>> readPositiveNumber(const Node &node) {
  return readNumber(node, "a positive number", [](double d) { return d > 0; });
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
// Groups and the world
//===----------------------------------------------------------------------===//

/// Reads one class of ranks.
static FailureOr<std::vector<int64_t>> readClass(const Node &node) {
  if (node.kind != Node::List || node.items.empty())
    return expected(node, "a list of ranks");
  return readList(node, "", [](const Node &item) -> FailureOr<int64_t> {
    FailureOr<Located<int64_t>> rank = readInteger(item, /*least=*/0);
    return failed(rank) ? FailureOr<int64_t>() : rank->value;
  });
}

/// Reads a spelling, null, a list of classes, or the only class.
static FailureOr<GroupSpec> readGroup(const Node &node) {
  GroupSpec group;
  group.loc = node.loc;
  auto isScalar = [](const Node &i) { return i.kind == Node::Scalar; };
  LogicalResult result = success();
  if (node.kind != Node::List) {
    auto spelling = readString(node, "a process group");
    result = LogicalResult(spelling);
    if (succeeded(result))
      group.spelling = node.isNull() ? "world" : spelling->value;
  } else if (llvm::any_of(node.items, isScalar) || node.items.empty()) {
    result = store(group.classes.emplace_back(), readClass(node));
  } else {
    result = store(group.classes, readList(node, "", readClass));
  }
  return failed(result) ? FailureOr<GroupSpec>() : group;
}

/// Reads groups by name; unlike a unit's, they are no place for lists of ranks.
static FailureOr<std::vector<GroupSpec>> readGroups(const Node &node) {
  auto readName = [](const Node &item) -> FailureOr<GroupSpec> {
    if (item.kind != Node::List && !item.isNatural())
      return readGroup(item);
    return emitError(item.loc)
           << "expected the name of a process group for '" << item.key
           << "'; lists of ranks get a name in 'process_groups'";
  };
  return readList(node, "a list of process groups", readName);
}

/// Reads how many ranks there are, all in all and per node.
static FailureOr<PlanWorld> readWorld(const Node &node) {
  PlanWorld world;
  world.loc = node.loc;
  if (failed(readMapping(
          node, {{"ranks", into(world.ranks, readPositive), /*required=*/true},
                 {"ranks_per_node", into(world.ranksPerNode, readPositive)}})))
    return failure();
  return world;
}

/// Reads groups by name; whether a name is a spelling too is not asked here.
static FailureOr<std::vector<PlanGroup>> readProcessGroups(const Node &node) {
  if (node.kind != Node::Mapping)
    return expected(node, "a mapping of names to groups");
  std::vector<PlanGroup> groups;
  for (const Node &item : node.items) {
    PlanGroup &group = groups.emplace_back();
    group.name = {item.key, item.keyLoc};
    if (failed(store(group.spec, readGroup(item))))
      return failure();
  }
  return groups;
}

/// Reads sizes by name, as torchtitan has them: one may be -1, "the rest".
static FailureOr<std::vector<PlanMeshDim>> readMesh(const Node &node) {
  if (node.kind != Node::Mapping || node.items.empty())
    return expected(node, "a mapping of names to sizes");
  std::vector<PlanMeshDim> mesh;
  const Node *rest = nullptr;
  for (const Node &item : node.items) {
    PlanMeshDim &dim = mesh.emplace_back();
    dim.name = {item.key, item.keyLoc};
    bool isRest = item.kind == Node::Scalar && item.text == "-1";
    if (isRest && rest)
      return emitError(item.loc)
             << "only one size can be -1, and '" << rest->key << "' is";
    if (isRest)
      rest = &item;
    else if (failed(store(dim.size, readPositive(item))))
      return failure();
  }
  return mesh;
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
// Units
//===----------------------------------------------------------------------===//

/// Keys of Composer's fsdp_config that a compiler makes pointless, and why.
static constexpr std::pair<StringLiteral, StringLiteral> pointlessKeys[] = {
    {"limit_all_gathers", "the compiler places gathers"},
    {"forward_prefetch", "the compiler places gathers"},
    {"forward_prefetch_limit", "the compiler places gathers"},
    {"backward_prefetch", "the compiler places gathers"},
    {"backward_prefetch_limit", "the compiler places gathers"},
    {"sync_module_states", "all ranks start from the same state anyway"},
    {"use_orig_params", "parameters keep their names and shapes anyway"},
    {"flatten_parameters", "parameters keep their names and shapes anyway"},
    {"keep_low_precision_grads", "a gradient has the type its use asks for"},
    {"activation_checkpointing_reentrant", "there is no autograd to re-enter"},
    {"te_checkpoint_wrapper", "the graph has no Transformer Engine modules"},
    {"te_shard_fp8_weight", "the graph has no Transformer Engine modules"},
    {"state_dict_type", "fsdp-run writes no checkpoints"},
    {"sharded_ckpt_prefix_dir", "fsdp-run writes no checkpoints"},
    {"load_monolith_rank0_only", "fsdp-run reads no checkpoints"},
    {"load_planner", "fsdp-run has no checkpoint planner"},
    {"save_planner", "fsdp-run has no checkpoint planner"},
    {"verbose", "decisions are remarks"},
};

/// Emits the remark that goes with a key that changes nothing.
static LogicalResult ignore(const Node &node, StringRef why) {
  emitRemark(node.keyLoc) << "'" << node.key << "' changes nothing: " << why;
  return success();
}

/// Reads `cpu_offload` and its like, which must be off.
static LogicalResult readOffload(const Node &node) {
  FailureOr<Located<bool>> on = readBool(node);
  if (failed(on))
    return failure();
  if (on->value)
    return emitError(node.loc)
           << "expected '" << node.key << "' to be off, but got true";
  return ignore(node, "nothing is offloaded");
}

/// Reads a unit's group, or a pair [shard, replicate].
static FailureOr<PlanProcessGroup> readProcessGroup(const Node &node) {
  PlanProcessGroup group;
  group.loc = node.loc;
  // A pair has a name in it, or a list of lists.
  auto isRanks = [](const Node &item) {
    return item.isNatural() ||
           (item.kind == Node::List &&
            llvm::all_of(item.items, [](auto &i) { return i.isNatural(); }));
  };
  if (node.kind != Node::List || llvm::all_of(node.items, isRanks)) {
    if (failed(store(group.shard, readGroup(node))))
      return failure();
    return group;
  }
  if (node.items.size() != 2)
    return emitError(node.loc)
           << "expected a pair [shard, replicate] for '" << node.key
           << "', but got a list of " << node.items.size();
  if (failed(store(group.shard, readGroup(node.items[0]))) ||
      failed(store(group.replicate, readGroup(node.items[1]))))
    return failure();
  return group;
}

/// Reads a dtype as MLIR or torch spells it; null leaves it as stored.
static FailureOr<Located<DType>> readDType(const Node &node) {
  static constexpr std::pair<StringLiteral, DType> spellings[] = {
      {"f16", DType::F16},     {"bf16", DType::BF16},
      {"f32", DType::F32},     {"f64", DType::F64},
      {"float16", DType::F16}, {"half", DType::F16},
      {"fp16", DType::F16},    {"bfloat16", DType::BF16},
      {"float32", DType::F32}, {"float", DType::F32},
      {"fp32", DType::F32},    {"float64", DType::F64},
      {"double", DType::F64},
  };
  if (node.isNull())
    return Located<DType>{DType::AsStored, node.loc};
  StringRef name = node.text;
  name.consume_front("torch.");
  for (auto [spelling, type] : spellings)
    if (node.kind == Node::Scalar && name == spelling)
      return Located<DType>{type, node.loc};
  return expected(node, "one of 'f16', 'bf16', 'f32', 'f64', a torch dtype or "
                        "null");
}

/// A key of a dtype.
static Key dtypeKey(StringRef name, std::optional<Located<DType>> &slot) {
  return {name, intoOnce(slot, readDType)};
}

/// Reads FSDP2's MixedPrecisionPolicy.
static FailureOr<PlanMixedPrecision> readPolicy(const Node &node) {
  PlanMixedPrecision mp;
  mp.loc = node.loc;
  auto output = [&mp](const Node &n) -> LogicalResult {
    if (failed(intoOnce(mp.output, readDType)(n)))
      return failure();
    return ignore(n, "what a module puts out has the type that the exported "
                     "graph gives it");
  };
  if (failed(readMapping(node, {dtypeKey("param", mp.param),
                                dtypeKey("reduce", mp.reduce),
                                {"output", output},
                                dtypeKey("param_dtype", mp.param),
                                dtypeKey("reduce_dtype", mp.reduce),
                                {"output_dtype", output}})))
    return failure();
  return mp;
}

/// Reads Composer's mixed_precision; its autocast precision is bf16 here.
static FailureOr<PlanMixedPrecision> readComposerPrecision(const Node &node) {
  PlanMixedPrecision mp;
  mp.loc = node.loc;
  if (node.kind == Node::Mapping) {
    auto lowGrads = [](const Node &n) {
      return ignore(n, "a gradient has the type its use asks for");
    };
    auto buffer = [&mp](const Node &n) -> LogicalResult {
      if (failed(intoOnce(mp.buffer, readDType)(n)))
        return failure();
      return ignore(n, "buffers keep the type that the exported graph gives "
                       "them");
    };
    if (failed(readMapping(node, {dtypeKey("param_dtype", mp.param),
                                  dtypeKey("reduce_dtype", mp.reduce),
                                  {"buffer_dtype", buffer},
                                  {"keep_low_precision_grads", lowGrads}})))
      return failure();
    return mp;
  }
  static constexpr DType meanings[][2] = {{DType::BF16, DType::BF16},
                                          {DType::BF16, DType::F32},
                                          {DType::AsStored, DType::AsStored}};
  FailureOr<size_t> word = readWord(node, {"PURE", "DEFAULT", "FULL"});
  if (failed(word))
    return failure();
  mp.param = mp.buffer = Located<DType>{meanings[*word][0], node.loc};
  mp.reduce = Located<DType>{meanings[*word][1], node.loc};
  return mp;
}

/// Reads true, false, or how many ranks to reshard to (1 keeps all).
static FailureOr<Located<PlanReshard>> readReshard(const Node &node) {
  if (node.isNatural()) {
    FailureOr<Located<int64_t>> size = readPositive(node);
    if (failed(size))
      return failure();
    PlanReshard reshard{/*enabled=*/size->value != 1, std::nullopt};
    if (reshard.enabled)
      reshard.size = size->value;
    return Located<PlanReshard>{reshard, node.loc};
  }
  FailureOr<Located<bool>> enabled =
      readBool(node, "true, false or a positive integer");
  if (failed(enabled))
    return failure();
  return Located<PlanReshard>{{enabled->value, std::nullopt}, node.loc};
}

/// Reads a strategy of FSDP1.
static FailureOr<Located<ShardingStrategy>> readStrategy(const Node &node) {
  return readEnum<ShardingStrategy>(node,
                                    {"FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD",
                                     "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2"});
}

/// The keys of `defaults` and of a unit.
static SmallVector<Key> getSettingKeys(UnitSettings &settings) {
  SmallVector<Key> keys = {
      {"process_group", intoOnce(settings.processGroup, readProcessGroup)},
      {"sharding_strategy", intoOnce(settings.shardingStrategy, readStrategy)},
      {"reshard_after_forward",
       intoOnce(settings.reshardAfterForward, readReshard)},
      {"mp_policy", intoOnce(settings.mixedPrecision, readPolicy)},
      {"mixed_precision",
       intoOnce(settings.mixedPrecision, readComposerPrecision)},
      {"gradient_divide_factor",
       intoOnce(settings.gradientDivideFactor, readPositiveNumber)},
      {"cpu_offload", readOffload},
      {"activation_cpu_offload", readOffload}};
  for (const auto &entry : pointlessKeys)
    keys.push_back({entry.first, [&entry](const Node &node) {
                      return ignore(node, entry.second);
                    }});
  return keys;
}

/// A strategy of FSDP1 says when to reshard; the newer key must agree.
static LogicalResult checkReshard(const UnitSettings &settings) {
  if (!settings.shardingStrategy || !settings.reshardAfterForward)
    return success();
  ShardingStrategy strategy = settings.shardingStrategy->value;
  bool reshards = strategy == ShardingStrategy::FullShard ||
                  strategy == ShardingStrategy::HybridShard;
  if (strategy != ShardingStrategy::NoShard &&
      reshards == settings.reshardAfterForward->value.enabled)
    return success();
  InFlightDiagnostic diag = emitError(settings.reshardAfterForward->loc);
  diag << "'reshard_after_forward' contradicts 'sharding_strategy'";
  diag.attachNote(settings.shardingStrategy->loc)
      << (strategy == ShardingStrategy::NoShard ? "which does not shard"
          : reshards                            ? "which means true"
                                                : "which means false");
  return diag;
}

/// Reads an entry of `units`, with its settings inline or below `settings`.
static FailureOr<PlanUnit> readUnit(const Node &node) {
  PlanUnit unit;
  unit.loc = node.loc;
  SmallVector<Key> settingKeys = getSettingKeys(unit.settings);
  auto readClassName = [](const Node &n) {
    return readString(n, "the class of a module");
  };
  SmallVector<Key> keys = {{"match", into(unit.match, readGlob)},
                           {"class", into(unit.moduleClass, readClassName)},
                           {"settings", [&](const Node &n) {
                              unit.wrapped = !n.items.empty();
                              return readMapping(n, settingKeys);
                            }}};
  keys.append(settingKeys);
  if (failed(readMapping(node, keys)) ||
      failed(checkOneOf(node, "match", "class")) ||
      failed(checkReshard(unit.settings)))
    return failure();
  const Node *settings = find(node, "settings");
  if (settings && node.items.size() > 2)
    return emitError(settings->keyLoc)
           << "an entry has its settings in 'settings' or beside it, not both";
  return unit;
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
