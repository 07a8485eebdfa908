//===- PlanUnits.cpp - Units of a plan ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The settings of `defaults` and of `units`, in Composer's and FSDP2's
// spelling.
//
//===----------------------------------------------------------------------===//

#include "PlanKeys.h"

using namespace mlir;
using namespace fsdp;
using namespace fsdp::yaml;

FailureOr<Located<double>> yaml::readPositiveNumber(const Node &node) {
  return readNumber(node, "a positive number", [](double d) { return d > 0; });
}

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
  if (node.kind == Node::Scalar && node.text == "auto")
    return Located<PlanReshard>{{true, std::nullopt, true}, node.loc};
  FailureOr<Located<bool>> enabled =
      readBool(node, "true, false, auto or a positive integer");
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

SmallVector<Key> yaml::getSettingKeys(UnitSettings &settings) {
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

LogicalResult yaml::checkReshard(const UnitSettings &settings) {
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

FailureOr<PlanUnit> yaml::readUnit(const Node &node) {
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
