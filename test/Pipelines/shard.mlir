// SPDX-License-Identifier: Apache-2.0
// The annotated step, sharded: shards at the border, every collective explicit,
// the optimizer on shards.
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-import --fsdp-annotate=config=%S/Inputs/plan.yaml --fsdp-shard | FileCheck %s

// Six rows over the four ranks of a node are two each, over the world one.
// CHECK: fsdp.stage = "sharded"
// CHECK: func.func @step(%[[W0:[a-z0-9]*]]: tensor<2x4xf32> {fsdp.global_shape = array<i64: 6, 4>, fsdp.param = "h.0.w"
// CHECK-SAME: %[[W1:[a-z0-9]*]]: tensor<2x4xf32> {{{[^%]*}}fsdp.param = "h.1.w"
// CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<1x4xf32> {{{[^%]*}}fsdp.frozen
// CHECK-SAME: %[[M0:[a-z0-9]*]]: tensor<2x4xf32> {{{[^%]*}}fsdp.state = "momentum_buffer:h.0.w"
// CHECK-NOT: fsdp.reshard
// Each unit where forward needs it.
// CHECK: fsdp.all_gather %[[S]] over @world
// CHECK: fsdp.all_gather %[[W0]] over @node
// CHECK: math.tanh
// CHECK: fsdp.all_gather %[[W1]] over @node
// CHECK: linalg.reduce
// The gradient of h.1 first, in backward's order; inside the node, then the
// shard across; scaled by all ranks of the loss.
// CHECK: fsdp.local_grad %{{.*}} of "h.1.w"
// CHECK: fsdp.reduce_scatter {{ ?}}sum %{{.*}} over @node
// CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @local_rank_across_nodes : (tensor<2x4xf32>)
// CHECK: fsdp.scale %{{.*}} by 1 over 8 : tensor<2x4xf32>
// Only h.0 is gathered again.
// CHECK: fsdp.all_gather %[[W0]] over @node
// CHECK-NOT: fsdp.all_gather
// CHECK: fsdp.local_grad %{{.*}} of "h.0.w"
// CHECK: fsdp.reduce_scatter
// CHECK: fsdp.all_reduce
// The norm: both gradients are split over the node, so one sum goes over it.
// CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @node : (tensor<f32>)
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} ins(%[[W0]], %{{.*}}, %[[M0]], %
// The loss.
// CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @world : (tensor<f32>)
// CHECK: return
