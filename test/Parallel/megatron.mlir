// SPDX-License-Identifier: Apache-2.0
// Megatron's split of feed-forward and attention, from the weights alone: one
// all-reduce forward and one backward per half block, and nothing else.
// RUN: split-file %s %t
// RUN: fsdp-opt %S/../Inputs/parallel/mlp.mlir --fsdp-compile=config=%t/mlp.yaml | FileCheck %s --check-prefix=MLP --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/parallel/attention.mlir --fsdp-compile=config=%t/attention.yaml | FileCheck %s --check-prefix=ATTENTION --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-run %S/../Inputs/parallel/mlp.mlir --config=%t/mlp.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/attention.mlir --config=%t/attention.yaml --verify=f64 --quiet

// Exported Llama: grouped heads, rotary embedding. Two layers of two half blocks.
// RUN: fsdp-opt %S/../Inputs/A3_hf_llama.mlir --fsdp-compile=config=%t/llama.yaml | FileCheck %s --check-prefix=LLAMA --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-run %S/../Inputs/A3_hf_llama.mlir --config=%t/llama.yaml --verify=f64 --quiet
// And the peers' GPT with weights as [in, out], four layers.
// RUN: fsdp-opt %S/../Inputs/P1_peer_tiny.mlir --allow-unregistered-dialect --fsdp-compile=config=%t/peer.yaml | FileCheck %s --check-prefix=PEER --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'

// Columns, the nonlinearity on what a rank has, rows, the sum.
// MLP: linalg.matmul {{.*}} -> tensor<32x16xf32>
// MLP: linalg.matmul {{.*}} -> tensor<32x12xf32>
// MLP: outs(%{{.*}} : tensor<4x8x12xf32>)
// MLP: math.tanh
// MLP: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<32x12xf32>, tensor<12x16xf32>) {{.*}} -> tensor<32x16xf32>
// MLP: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// MLP: linalg.matmul {{.*}} -> tensor<32x12xf32>
// MLP: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// The gradient of the columns' input is a sum, those of the weights are pieces.
// MLP: fsdp.local_grad %{{.*}} of "h.1.fc2.bias" : tensor<16xf32>
// MLP: fsdp.local_grad %{{.*}} of "h.1.fc2.weight" : tensor<16x12xf32>
// MLP: fsdp.local_grad %{{.*}} of "h.1.fc1.bias" : tensor<12xf32>
// MLP: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// MLP: fsdp.local_grad %{{.*}} of "h.1.ln.weight"
// MLP: fsdp.local_grad %{{.*}} of "h.0.fc2.weight" : tensor<16x12xf32>
// MLP: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// MLP: fsdp.local_grad %{{.*}} of "first.weight"
// MLP: return

// One of four heads on each rank.
// ATTENTION: linalg.batch_matmul {{.*}} -> tensor<4x8x8xf32>
// ATTENTION: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<32x4xf32>, tensor<4x16xf32>)
// ATTENTION: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// ATTENTION: fsdp.local_grad %{{.*}} of "h.0.o.weight" : tensor<16x4xf32>
// The gradients by way of q, k and v are added first.
// ATTENTION: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// ATTENTION: return

// LLAMA-COUNT-4: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<8x16x32xf32>)
// LLAMA: fsdp.local_grad %{{.*}} of "model.layers.1.mlp.down_proj.weight" : tensor<32x32xf32>
// LLAMA-COUNT-4: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<8x16x32xf32>)
// LLAMA: return

// PEER-COUNT-8: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<16x128x256xf32>)
// PEER: fsdp.local_grad %{{.*}} of "h.3.w2" : tensor<256x256xf32>
// PEER-COUNT-8: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<16x128x256xf32>)
// PEER: return

//--- mlp.yaml
world: {ranks: 4}
mesh: {tp: 4}
batch: {global: []}
process_group: self
shardings:
  - {match: "h.*.fc1.weight", dims: [[tp], []]}
  - {match: "h.*.fc1.bias", dims: [[tp]]}
  - {match: "h.*.fc2.weight", dims: [[], [tp]]}

//--- attention.yaml
world: {ranks: 4}
mesh: {tp: 4}
batch: {global: []}
process_group: self
shardings:
  - {match: "h.*.{q,k,v}.weight", dims: [[tp], []]}
  - {match: "h.*.o.weight", dims: [[], [tp]]}

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

//--- peer.yaml
world: {ranks: 4}
mesh: {tp: 4}
batch: {global: []}
process_group: self
shardings:
  - {match: "h.*.wqkv", dims: [[], [tp]]}
  - {match: "h.*.bqkv", dims: [[tp]]}
  - {match: "h.*.wo", dims: [[tp], []]}
  - {match: "h.*.w1", dims: [[], [tp]]}
  - {match: "h.*.b1", dims: [[tp]]}
  - {match: "h.*.w2", dims: [[tp], []]}
