// SPDX-License-Identifier: Apache-2.0
// Sequence parallel: Megatron's split, and between the products every rank has its
// part of the sequence, which the plan says on the norms' outputs. Each all-reduce
// is an all-gather and a reduce-scatter, once each per half block and direction.
// What is left are sums for the parameters that all ranks have.
// RUN: split-file %s %t
// RUN: fsdp-opt %S/../Inputs/parallel/mlp.mlir --fsdp-compile=config=%t/mlp.yaml | FileCheck %s --check-prefix=MLP --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/parallel/attention.mlir --fsdp-compile=config=%t/attention.yaml | FileCheck %s --check-prefix=ATTENTION --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/A3_hf_llama.mlir --fsdp-compile=config=%t/llama.yaml | FileCheck %s --check-prefix=LLAMA
// RUN: fsdp-run %S/../Inputs/parallel/mlp.mlir --config=%t/mlp.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/attention.mlir --config=%t/attention.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/A3_hf_llama.mlir --config=%t/llama.yaml --verify=f64 --quiet

// MLP: fsdp.all_gather %{{.*}} over @tp dim 1{{.*}} : (tensor<4x2x16xf32>) -> tensor<4x8x16xf32>
// MLP: linalg.matmul {{.*}} -> tensor<32x12xf32>
// MLP: linalg.matmul {{.*}} -> tensor<32x16xf32>
// MLP: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<4x8x16xf32>) -> tensor<4x2x16xf32>
// MLP: math.rsqrt
// MLP: outs(%{{.*}} : tensor<4x2x16xf32>)
// MLP: fsdp.all_gather %{{.*}} over @tp dim 1{{.*}} : (tensor<4x2x16xf32>) -> tensor<4x8x16xf32>
// MLP: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<4x8x16xf32>) -> tensor<4x2x16xf32>
// Backward: gathered once for both of a product's gradients. The forward's
// gathered input is used again. A norm's weight has seen a part of the sequence.
// MLP: fsdp.all_gather %{{.*}} over @tp dim 1{{.*}} : (tensor<4x2x16xf32>) -> tensor<4x8x16xf32>
// MLP: fsdp.local_grad %{{.*}} of "h.1.fc2.weight" : tensor<16x12xf32>
// MLP: fsdp.local_grad %{{.*}} of "h.1.fc1.bias" : tensor<12xf32>
// MLP: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<4x8x16xf32>) -> tensor<4x2x16xf32>
// MLP: %[[BIAS:.*]] = fsdp.local_grad %{{.*}} of "h.1.ln.bias" : tensor<16xf32>
// MLP: fsdp.all_reduce{{ +}}sum %[[BIAS]] over @tp : (tensor<16xf32>)
// MLP: %[[WEIGHT:.*]] = fsdp.local_grad %{{.*}} of "h.1.ln.weight" : tensor<16xf32>
// MLP: fsdp.all_reduce{{ +}}sum %[[WEIGHT]] over @tp : (tensor<16xf32>)
// MLP: fsdp.all_gather %{{.*}} over @tp dim 1{{.*}} : (tensor<4x2x16xf32>) -> tensor<4x8x16xf32>
// MLP: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<4x8x16xf32>) -> tensor<4x2x16xf32>
// MLP-COUNT-2: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<16xf32>)
// The projection in front of the blocks, and the loss.
// MLP: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<16xf32>)
// MLP: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<16x16xf32>)
// MLP: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<f32>)
// MLP: return

// Gathered once for q, k and v.
// ATTENTION: fsdp.all_gather %{{.*}} over @tp dim 1{{.*}} : (tensor<4x2x16xf32>) -> tensor<4x8x16xf32>
// ATTENTION: linalg.batch_matmul {{.*}} -> tensor<4x8x8xf32>
// ATTENTION: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<4x8x16xf32>) -> tensor<4x2x16xf32>
// ATTENTION: fsdp.all_gather %{{.*}} over @tp dim 1{{.*}} : (tensor<4x2x16xf32>) -> tensor<4x8x16xf32>
// ATTENTION: fsdp.local_grad %{{.*}} of "h.0.o.weight" : tensor<16x4xf32>
// ATTENTION: fsdp.local_grad %{{.*}} of "h.0.v.weight" : tensor<4x16xf32>
// ATTENTION: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<4x8x16xf32>) -> tensor<4x2x16xf32>
// ATTENTION-COUNT-3: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<16xf32>)
// ATTENTION: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<16x16xf32>)
// ATTENTION: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<f32>)
// ATTENTION: return

// Four half blocks forward, and backward; no activation is all-reduced.
// LLAMA-NOT: fsdp.all_reduce{{.*}}x16x32xf32
// LLAMA-COUNT-4: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<8x16x32xf32>) -> tensor<8x8x32xf32>
// LLAMA-NOT: fsdp.{{all_reduce.*x16x32xf32|all_gather.*dim 0|all_to_all}}
// LLAMA: fsdp.local_grad %{{.*}} of "model.layers.1.mlp.down_proj.weight" : tensor<32x32xf32>
// LLAMA-NOT: fsdp.{{all_reduce.*x16x32xf32|all_gather.*dim 0|all_to_all}}
// LLAMA-COUNT-4: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<8x16x32xf32>) -> tensor<8x8x32xf32>
// LLAMA-NOT: fsdp.reduce_scatter
// LLAMA: return

//--- mlp.yaml
world: {ranks: 4}
mesh: {tp: 4}
batch: {global: []}
process_group: self
shardings:
  - {match: "h.*.fc1.weight", dims: [[tp], []]}
  - {match: "h.*.fc1.bias", dims: [[tp]]}
  - {match: "h.*.fc2.weight", dims: [[], [tp]]}
activations:
  - {match: "h.*.ln:out", dims: [[], [tp], []]}

//--- attention.yaml
world: {ranks: 4}
mesh: {tp: 4}
batch: {global: []}
process_group: self
shardings:
  - {match: "h.*.{q,k,v}.weight", dims: [[tp], []]}
  - {match: "h.*.o.weight", dims: [[], [tp]]}
activations:
  - {match: "h.*.ln:out", dims: [[], [tp], []]}

//--- llama.yaml
world: {ranks: 2}
mesh: {tp: 2}
batch: {global: []}
process_group: self
shardings:
  - {match: "model.layers.*.self_attn.{q,k,v}_proj.weight", dims: [[tp], []]}
  - {match: "model.layers.*.self_attn.o_proj.weight", dims: [[], [tp]]}
  - {match: "model.layers.*.mlp.{gate,up}_proj.weight", dims: [[tp], []]}
  - {match: "model.layers.*.mlp.down_proj.weight", dims: [[], [tp]]}
activations:
  - {match: "model.layers.*.{input_layernorm,post_attention_layernorm}:out", dims: [[], [tp], []]}
  - {match: "model.norm:out", dims: [[], [tp], []]}
