// SPDX-License-Identifier: Apache-2.0
// Storage in pieces beside compute in pieces: each along groups of its own, and
// what one adds to the other is nothing.
// RUN: split-file %s %t
// RUN: fsdp-opt %S/../Inputs/parallel/mlp.mlir --fsdp-compile=config=%t/hsdp.yaml | FileCheck %s --check-prefix=HSDP --implicit-check-not='fsdp.{{all_to_all|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/parallel/mlp.mlir --fsdp-compile=config=%t/tensor.yaml | FileCheck %s --check-prefix=TENSOR --implicit-check-not='fsdp.{{all_to_all|broadcast|permute|all_reduce}}'
// RUN: fsdp-opt %S/../Inputs/parallel/mlp.mlir --fsdp-compile=config=%t/sequence.yaml | FileCheck %s --check-prefix=SEQUENCE --implicit-check-not='over @tp dim 0'
// RUN: fsdp-opt %S/../Inputs/parallel/moe.mlir --fsdp-compile=config=%t/experts.yaml | FileCheck %s --check-prefix=EXPERTS --implicit-check-not='fsdp.all_to_all'
// RUN: fsdp-run %S/../Inputs/parallel/mlp.mlir --config=%t/hsdp.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/mlp.mlir --config=%t/tensor.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/mlp.mlir --config=%t/sequence.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/moe.mlir --config=%t/experts.yaml --verify=f64 --quiet

// Pieces inside a node, copies across: the piece alone goes across.
// HSDP: fsdp.all_gather %{{.*}} over @node dim 0{{.*}} : (tensor<12x16xf32>) -> tensor<48x16xf32>
// HSDP: %[[G:.*]] = fsdp.local_grad %{{.*}} of "h.1.fc1.weight" : tensor<48x16xf32>
// HSDP: %[[P:.*]] = fsdp.reduce_scatter{{ +}}sum %[[G]] over @node dim 0 : (tensor<48x16xf32>) -> tensor<12x16xf32>
// HSDP: %[[S:.*]] = fsdp.all_reduce{{ +}}sum %[[P]] over @local_rank_across_nodes : (tensor<12x16xf32>)
// HSDP: fsdp.scale %[[S]] by 1 over 8

// A quarter of the columns is what a rank of tp computes with; of that it stores
// half. Only along dp it is gathered, and only along tp activations are summed.
// TENSOR: %[[W:[a-z0-9]+]]: tensor<6x16xf32> {fsdp.global_shape = array<i64: 48, 16>, fsdp.param = "h.0.fc1.weight", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}, {}]>
// TENSOR: fsdp.all_gather %[[W]] over @dp dim 0{{.*}} : (tensor<6x16xf32>) -> tensor<12x16xf32>
// TENSOR: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// TENSOR: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// TENSOR: %[[G:.*]] = fsdp.local_grad %{{.*}} of "h.1.fc1.weight" : tensor<12x16xf32>
// TENSOR: fsdp.reduce_scatter{{ +}}sum %[[G]] over @dp dim 0 : (tensor<12x16xf32>) -> tensor<6x16xf32>
// TENSOR: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// TENSOR: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// TENSOR: fsdp.all_reduce{{ +}}sum %{{.*}} over @dp : (tensor<f32>)
// TENSOR: return

// With a part of the sequence the norm's weight is summed over both: over tp
// the piece that is stored.
// SEQUENCE-COUNT-2: fsdp.reduce_scatter{{ +}}sum %{{.*}} over @tp dim 1 : (tensor<4x8x16xf32>)
// SEQUENCE: %[[G:.*]] = fsdp.local_grad %{{.*}} of "h.1.ln.weight" : tensor<16xf32>
// SEQUENCE: %[[P:.*]] = fsdp.reduce_scatter{{ +}}sum %[[G]] over @dp dim 0 : (tensor<16xf32>) -> tensor<8xf32>
// SEQUENCE: fsdp.all_reduce{{ +}}sum %[[P]] over @tp : (tensor<8xf32>)
// SEQUENCE: return

// Experts are stored in pieces over the ranks that hold the same ones, the rest
// over all. Their gradients have the whole world's scale.
// EXPERTS: fsdp.all_gather %{{.*}} over @world dim 0{{.*}} : (tensor<2x16xf32>) -> tensor<16x16xf32>
// EXPERTS: fsdp.all_to_all %{{.*}} over @ep
// EXPERTS: fsdp.all_gather %{{.*}} over @edp dim 0{{.*}} : (tensor<1x16x48xf32>) -> tensor<2x16x48xf32>
// EXPERTS: fsdp.all_to_all %{{.*}} over @ep
// EXPERTS: fsdp.all_to_all %{{.*}} over @ep
// EXPERTS: %[[G:.*]] = fsdp.local_grad %{{.*}} of "moe.experts.w2" : tensor<2x48x16xf32>
// EXPERTS: %[[P:.*]] = fsdp.reduce_scatter{{ +}}sum %[[G]] over @edp dim 0 : (tensor<2x48x16xf32>) -> tensor<1x48x16xf32>
// EXPERTS: fsdp.scale %{{.*}} by 1 over 8 : tensor<1x48x16xf32>
// EXPERTS: fsdp.all_to_all %{{.*}} over @ep
// EXPERTS: return

//--- hsdp.yaml
world: {ranks: 8, ranks_per_node: 4}
defaults: {sharding_strategy: HYBRID_SHARD}
units: [{match: "h.*"}]

//--- tensor.yaml
world: {ranks: 8, ranks_per_node: 4}
mesh: {dp: 2, tp: 4}
batch: {per_rank: [dp]}
process_group: dp
units: [{match: "h.*"}]
shardings:
  - {match: "h.*.fc1.weight", dims: [[tp], []]}
  - {match: "h.*.fc1.bias", dims: [[tp]]}
  - {match: "h.*.fc2.weight", dims: [[], [tp]]}

//--- sequence.yaml
world: {ranks: 8, ranks_per_node: 4}
mesh: {dp: 2, tp: 4}
batch: {per_rank: [dp]}
process_group: dp
units: [{match: "h.*"}]
shardings:
  - {match: "h.*.fc1.weight", dims: [[tp], []]}
  - {match: "h.*.fc1.bias", dims: [[tp]]}
  - {match: "h.*.fc2.weight", dims: [[], [tp]]}
activations:
  - {match: "h.*.ln:out", dims: [[], [tp], []]}

//--- experts.yaml
world: {ranks: 8, ranks_per_node: 4}
mesh: {edp: 2, ep: 4}
units:
  - match: moe
  - match: moe.experts
    process_group: edp
shardings: [{match: "moe.experts.*", dims: [[ep], [], []]}]
