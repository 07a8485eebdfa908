// SPDX-License-Identifier: Apache-2.0
// A Llama as torch exports it, Megatron's split of the weights and nothing else
// said: columns, heads and rows follow from the graph. Backward is the mirror.
// RUN: split-file %s %t
// RUN: fsdp-opt %S/../Inputs/A3_hf_llama.mlir --fsdp-import --fsdp-annotate=config=%t/plan.yaml --fsdp-propagate --mlir-print-local-scope --mlir-print-debuginfo > %t/out
// RUN: FileCheck %s < %t/out
// RUN: FileCheck %s --check-prefix=BACK < %t/out

// What goes into a block is the same on all ranks.
// CHECK: tensor.collapse_shape {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {}]>]} {{.*}} loc("model.layers.0.self_attn.q_proj"("fwd"))
// CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]} {{.*}} loc("model.layers.0.self_attn.q_proj"("fwd"))
// Four heads of eight, of which a rank has two; of k and v it has one of two.
// CHECK: tensor.expand_shape {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {}, {@tp}, {}]>]} : tensor<128x32xf32> into tensor<8x16x4x8xf32>
// CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]} {{.*}} loc("model.layers.0.self_attn.k_proj"("fwd"))
// CHECK: tensor.expand_shape {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {}, {@tp}, {}]>]} : tensor<128x16xf32> into tensor<8x16x2x8xf32>
// Scores of a head are on the rank of the head.
// CHECK: linalg.batch_matmul {{.*}} tensor<32x16x16xf32>
// CHECK: tensor.expand_shape {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {}, {}]>]} : tensor<32x16x16xf32> into tensor<8x4x16x16xf32>
// Rows: a sum, which ends at the residual connection.
// CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {}], partial = {@tp}>]} {{.*}} loc("model.layers.0.self_attn.o_proj"("fwd"))
// CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]} {{.*}} loc("model.layers.0.mlp.gate_proj"("fwd"))
// CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]} {{.*}} loc("model.layers.0.mlp.up_proj"("fwd"))
// CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {}], partial = {@tp}>]} {{.*}} loc("model.layers.0.mlp.down_proj"("fwd"))

// BACK: fsdp.local_grad {{.*}} of "model.layers.0.mlp.down_proj.weight" {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]}
// BACK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {}], partial = {@tp}>]} {{.*}} loc("model.layers.0.mlp.{{up|gate}}_proj"("bwd"))
// BACK: fsdp.local_grad {{.*}} of "model.layers.0.post_attention_layernorm.weight" {fsdp.sharding = [#fsdp.sharding<[{}]>]}
// BACK: fsdp.local_grad {{.*}} of "model.layers.0.self_attn.o_proj.weight" {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]}

//--- plan.yaml
world: {ranks: 2}
mesh: {tp: 2}
batch: {global: []}
shardings:
  - {match: "model.layers.*.self_attn.{q,k,v}_proj.weight", dims: [[tp], []]}
  - {match: "model.layers.*.self_attn.o_proj.weight", dims: [[], [tp]]}
  - {match: "model.layers.*.mlp.{gate,up}_proj.weight", dims: [[tp], []]}
  - {match: "model.layers.*.mlp.down_proj.weight", dims: [[], [tp]]}
defaults: {process_group: self}
