// SPDX-License-Identifier: Apache-2.0
// GShard's mixture of experts: two all-to-alls forward and two backward per layer,
// whether the groups of tokens are one batch over the ranks or each rank has its
// own, and however the products were exported.
// RUN: split-file %s %t
// RUN: fsdp-opt %S/../Inputs/parallel/moe.mlir --fsdp-compile=config=%t/global.yaml | FileCheck %s --check-prefix=GLOBAL --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/parallel/moe_torch.mlir --fsdp-compile=config=%t/global.yaml | FileCheck %s --check-prefix=COUNT --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/parallel/moe.mlir --fsdp-compile=config=%t/rank.yaml | FileCheck %s --check-prefix=COUNT --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/parallel/moe_torch.mlir --fsdp-compile=config=%t/rank.yaml | FileCheck %s --check-prefix=COUNT --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// Tokens over eight ranks, experts over four of them.
// RUN: fsdp-opt %S/../Inputs/parallel/moe.mlir --fsdp-compile=config=%t/both.yaml | FileCheck %s --check-prefix=BOTH --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-run %S/../Inputs/parallel/moe.mlir --config=%t/global.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/moe_torch.mlir --config=%t/global.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/moe_torch.mlir --config=%t/rank.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/moe.mlir --config=%t/both.yaml --verify=f64 --quiet

// The exported one: two layers, a batch per rank.
// RUN: fsdp-opt %S/../Inputs/A4_moe_stacked.mlir --allow-unregistered-dialect --fsdp-compile=config=%t/stacked.yaml | FileCheck %s --check-prefix=STACKED --implicit-check-not=fsdp.all_to_all --implicit-check-not='fsdp.all_gather'
// RUN: fsdp-run %S/../Inputs/A4_moe_stacked.mlir --config=%t/stacked.yaml --verify=f64 --quiet

// Two groups of tokens on each rank, routed each by itself; then two experts on
// each, which see all groups; and back.
// GLOBAL: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2x3x16xf32>)
// GLOBAL: fsdp.all_to_all %{{.*}} over @ep split 0 concat 1 : (tensor<8x2x3x16xf32>) -> tensor<2x8x3x16xf32>
// GLOBAL: outs(%{{.*}} : tensor<2x8x3x48xf32>)
// GLOBAL: outs(%{{.*}} : tensor<2x8x3x16xf32>)
// GLOBAL: fsdp.all_to_all %{{.*}} over @ep split 1 concat 0 : (tensor<2x8x3x16xf32>) -> tensor<8x2x3x16xf32>
// GLOBAL: fsdp.all_to_all %{{.*}} over @ep split 0 concat 1 : (tensor<8x2x3x16xf32>) -> tensor<2x8x3x16xf32>
// Experts have seen all tokens: their gradients are whole.
// GLOBAL: fsdp.local_grad %{{.*}} of "moe.experts.w2" : tensor<2x48x16xf32>
// GLOBAL: fsdp.local_grad %{{.*}} of "moe.experts.w1" : tensor<2x16x48xf32>
// GLOBAL: fsdp.all_to_all %{{.*}} over @ep split 1 concat 0 : (tensor<2x8x3x16xf32>) -> tensor<8x2x3x16xf32>
// The router's and the projection's are sums over the groups, as the loss is.
// GLOBAL: fsdp.all_reduce{{ +}}sum %{{.*}} over @ep : (tensor<16x8xf32>)
// GLOBAL: fsdp.all_reduce{{ +}}sum %{{.*}} over @ep : (tensor<16x16xf32>)
// GLOBAL: fsdp.all_reduce{{ +}}sum %{{.*}} over @ep : (tensor<f32>)
// GLOBAL: return

// COUNT-COUNT-3: fsdp.all_to_all
// COUNT: fsdp.local_grad %{{.*}} of "moe.experts.w2"
// COUNT: fsdp.local_grad %{{.*}} of "moe.experts.w1"
// COUNT: fsdp.all_to_all
// COUNT-COUNT-3: fsdp.all_reduce
// COUNT: return

// BOTH-COUNT-3: fsdp.all_to_all %{{.*}} over @ep
// Two ranks have the same experts and other tokens.
// BOTH: %[[G:.*]] = fsdp.local_grad %{{.*}} of "moe.experts.w2" : tensor<2x48x16xf32>
// BOTH: fsdp.all_reduce{{ +}}sum %[[G]] over @dp : (tensor<2x48x16xf32>)
// BOTH: fsdp.all_reduce{{ +}}sum %{{.*}} over @dp : (tensor<2x16x48xf32>)
// BOTH: fsdp.all_to_all %{{.*}} over @ep
// BOTH-COUNT-3: fsdp.all_reduce{{ +}}sum %{{.*}} over @world
// BOTH: return

// STACKED-COUNT-4: fsdp.all_to_all
// STACKED: fsdp.local_grad %{{.*}} of "transformer.ln_f.weight"
// STACKED-COUNT-4: fsdp.all_to_all
// STACKED: fsdp.local_grad %{{.*}} of "transformer.wte.weight"
// STACKED: return

//--- global.yaml
world: {ranks: 4}
mesh: {ep: 4}
batch: global
process_group: self
shardings: [{match: "moe.experts.*", dims: [[ep], [], []]}]

//--- rank.yaml
world: {ranks: 4}
mesh: {ep: 4}
process_group: self
shardings: [{match: "moe.experts.*", dims: [[ep], [], []]}]

//--- both.yaml
world: {ranks: 8}
mesh: {dp: 2, ep: 4}
process_groups: {world: world}
batch: global
process_group: self
shardings: [{match: "moe.experts.*", dims: [[ep], [], []]}]

//--- stacked.yaml
world: {ranks: 4}
mesh: {ep: 4}
process_group: self
shardings: [{match: "transformer.h.*.ffn.w*", dims: [[ep], [], []]}]
