// SPDX-License-Identifier: Apache-2.0
// Ownership: children first, a unit owns what no unit below it owns, the rest is
// the root's; tied parameters belong to the unit that holds all their uses.
// RUN: split-file %s %t
// RUN: fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/nested.yaml | FileCheck %s --check-prefix=NESTED
// RUN: fsdp-opt %t/step.mlir --fsdp-assign-units | FileCheck %s --check-prefix=ROOT
// RUN: fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/strategies.yaml 2>%t/log --remarks-filter='.*' | FileCheck %s --check-prefix=STRATEGIES
// RUN: FileCheck %s --check-prefix=REMARK < %t/log
// RUN: fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/merge.yaml 2>&1 | FileCheck %s --check-prefix=MERGE
// RUN: fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/self.yaml --remarks-filter='.*' 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: fsdp-opt %t/class.mlir --fsdp-assign-units=config=%t/class.yaml | FileCheck %s --check-prefix=CLASS
// RUN: fsdp-opt %t/class.mlir --fsdp-read-plan=config=%t/equal.yaml --fsdp-resolve-groups --fsdp-assign-units=config=%t/equal.yaml | FileCheck %s --check-prefix=EQUAL
// RUN: fsdp-opt %t/hand.mlir --fsdp-assign-units=config=%t/hand.yaml | FileCheck %s --check-prefix=HAND

// `m.h.*` wraps the two blocks, `m.h.*.ffn` something in them; the head is tied
// to the embedding, which is a unit of its own but does not hold both uses, as `m`
// does; `m.h.1` is unwrapped again.
// NESTED-DAG: fsdp.unit @m.h.0 {reshard_after_forward = true, shard = @world}
// NESTED-DAG: fsdp.unit @m.h.0.ffn
// NESTED-DAG: fsdp.unit @m.h.1.ffn
// NESTED-DAG: fsdp.unit @m {
// NESTED-DAG: fsdp.unit @root
// NESTED-NOT: fsdp.unit @m.{{h.1|wte}} {
// NESTED: fsdp.param = "m.h.0.attn.w", fsdp.unit = @m.h.0}
// NESTED-SAME: fsdp.param = "m.h.0.ffn.w", fsdp.unit = @m.h.0.ffn}
// NESTED-SAME: fsdp.param = "m.h.1.attn.w", fsdp.unit = @m}
// NESTED-SAME: fsdp.param = "m.h.1.ffn.w", fsdp.unit = @m.h.1.ffn}
// NESTED-SAME: fsdp.aliases = ["m.head.w"], fsdp.param = "m.wte.w", fsdp.unit = @m}
// NESTED-SAME: fsdp.param = "norm.w", fsdp.unit = @root}

// Without a plan, and without units.
// ROOT: fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
// ROOT: fsdp.unit @root {reshard_after_forward = true, shard = @world}
// ROOT-NOT: fsdp.unit @
// ROOT: fsdp.param = "m.h.0.attn.w", fsdp.unit = @root}
// ROOT-SAME: fsdp.param = "norm.w", fsdp.unit = @root}

// What each strategy means. The ignored parameter is stored whole, and is told
// by its alias.
// STRATEGIES-DAG: fsdp.unit @m.h.0.attn {reshard_after_forward = false, shard = @world}
// STRATEGIES-DAG: fsdp.unit @m.h.0.ffn {reshard_after_forward = false, shard = @self}
// STRATEGIES-DAG: fsdp.unit @m.h.1.attn {replicate = @local_rank_across_nodes, reshard_after_forward = true, shard = @node}
// STRATEGIES-DAG: fsdp.unit @m.h.1.ffn {replicate = @local_rank_across_nodes, reshard_after_forward = false, shard = @node}
// STRATEGIES-DAG: fsdp.unit @ignored {param_dtype = bf16, reduce_dtype = f32, reshard_after_forward = false, shard = @self}
// STRATEGIES-DAG: fsdp.unit @root {param_dtype = bf16, reduce_dtype = f32, reshard_after_forward = 2 : i64, shard = @world}
// STRATEGIES: fsdp.param = "m.wte.w", fsdp.unit = @ignored}

// REMARK: strategies.yaml:7:11: remark: [Analysis] ignored
// REMARK-SAME: ignored parameters are stored whole; their gradients are still combined, or replicas would drift

// Later entries merge over earlier ones, key by key, and say more than defaults;
// settings are not inherited by units below.
// MERGE: warning: 'gradient_divide_factor' overrides the scale that the loss asks for
// MERGE-DAG: fsdp.unit @m.h.0 {gradient_divide_factor = 4.000000e+00 : f64, output_dtype = f32, param_dtype = f16, reduce_dtype = f16, reshard_after_forward = false, shard = @node}
// MERGE-DAG: fsdp.unit @m.h.0.ffn {param_dtype = bf16, reshard_after_forward = true, shard = @world}
// MERGE-DAG: fsdp.unit @m.h.1 {output_dtype = f32, param_dtype = f16, reshard_after_forward = true, shard = @node}
// A pattern that names no module may name a parameter.
// MERGE-DAG: fsdp.unit @norm.w {param_dtype = bf16, reshard_after_forward = "auto", shard = @world}

// SELF: self.yaml:2:35: remark: [Analysis] unit
// SELF-SAME: parameters of unit 'm.h.0' are stored whole on every rank and their gradients are combined over the loss's groups; if they differ from rank to rank, say so with 'shardings: [{match: ..., varying: [group]}]'

// Classes come from the map that the exporter leaves.
// CLASS: fsdp.param = "m.h.0.w", fsdp.unit = @m.h.0}
// CLASS-SAME: fsdp.param = "m.h.1.ffn.w", fsdp.unit = @root}

// The plan may use any name of a group, though equal groups are one in the IR.
// EQUAL: fsdp.process_group @a
// EQUAL-NOT: fsdp.process_group @b
// EQUAL: fsdp.unit @m.h.0 {replicate = @a, reshard_after_forward = true, shard = @a}

// HAND: fsdp.unit @mine
// HAND: fsdp.param = "m.h.0.w", fsdp.unit = @mine}
// HAND-SAME: fsdp.param = "m.h.1.ffn.w", fsdp.unit = @m.h.1.ffn}

//--- nested.yaml
units:
  - match: "m"
  - match: "m.h.*"
  - match: "m.h.*.ffn"
  - match: m.wte
  - {match: m.h.1, settings: {}}
//--- hand.yaml
units:
  - match: "m.h.*"
  - match: "m.h.*.ffn"
//--- strategies.yaml
defaults: {mp_policy: {param: bf16, reduce: f32}, reshard_after_forward: 2}
units:
  - {match: m.h.0.attn, sharding_strategy: SHARD_GRAD_OP, mp_policy: {param: null, reduce: null}}
  - {match: m.h.0.ffn, sharding_strategy: NO_SHARD, mp_policy: {param: null, reduce: null}}
  - {match: m.h.1.attn, sharding_strategy: HYBRID_SHARD, mp_policy: {param: null, reduce: null}}
  - {match: m.h.1.ffn, sharding_strategy: _HYBRID_SHARD_ZERO2, mp_policy: {param: null, reduce: null}}
ignored: [m.head]
//--- merge.yaml
defaults: {mp_policy: {param: bf16}}
units:
  - {match: "m.h.*", process_group: node, mp_policy: {param: f16, output: f32}}
  - {match: m.h.0, sharding_strategy: SHARD_GRAD_OP, mp_policy: {reduce: f16}, gradient_divide_factor: 4}
  - match: m.h.0.ffn
  - {match: norm.w, reshard_after_forward: auto}
//--- self.yaml
units:
  - {match: m.h.0, process_group: self}
//--- class.yaml
units:
  - class: Block
//--- equal.yaml
world: {ranks: 8}
process_groups: {a: set2, b: [[0, 1], [2, 3], [4, 5], [6, 7]]}
units:
  - {match: m.h.0, process_group: [b, a]}
//--- step.mlir
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @step(%0: tensor<4xf32> {fsdp.param = "m.h.0.attn.w"},
                  %1: tensor<4xf32> {fsdp.param = "m.h.0.ffn.w"},
                  %2: tensor<4xf32> {fsdp.param = "m.h.1.attn.w"},
                  %3: tensor<4xf32> {fsdp.param = "m.h.1.ffn.w"},
                  %4: tensor<4xf32> {fsdp.param = "m.wte.w", fsdp.aliases = ["m.head.w"]},
                  %5: tensor<4xf32> {fsdp.param = "norm.w"}) {
    return
  }
}
//--- hand.mlir
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = "node"
  fsdp.unit @mine {shard = @node, reshard_after_forward = true}
  func.func @step(%0: tensor<4xf32> {fsdp.param = "m.h.0.w", fsdp.unit = @mine},
                  %1: tensor<4xf32> {fsdp.param = "m.h.1.ffn.w"}) {
    return
  }
}
//--- class.mlir
module attributes {fsdp.modules = {m.h.0 = "Block", m.h.1.ffn = "MLP"},
                   fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @step(%0: tensor<4xf32> {fsdp.param = "m.h.0.w"},
                  %1: tensor<4xf32> {fsdp.param = "m.h.1.ffn.w"}) {
    return
  }
}
