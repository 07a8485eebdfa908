// SPDX-License-Identifier: Apache-2.0
// A plan in IR: world, groups, units, placements and the optimizer, still on
// whole tensors.
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-import --fsdp-annotate=config=%S/Inputs/plan.yaml | FileCheck %s
// RUN: not fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-import --fsdp-annotate 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-import --fsdp-annotate=ranks=2 | FileCheck %s --check-prefix=DEFAULTS

// CHECK: module attributes {fsdp.stage = "annotated", fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>}
// CHECK-DAG: fsdp.process_group @world
// CHECK-DAG: fsdp.process_group @node
// CHECK-DAG: fsdp.process_group @local_rank_across_nodes
// CHECK-DAG: fsdp.unit @h.0 {replicate = @local_rank_across_nodes, reshard_after_forward = true, shard = @node}
// CHECK-DAG: fsdp.unit @h.1 {replicate = @local_rank_across_nodes, reshard_after_forward = false, shard = @node}
// CHECK-DAG: fsdp.unit @root {reshard_after_forward = true, shard = @world}
// CHECK: tensor<6x4xf32> {fsdp.param = "h.0.w", fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.unit = @h.0}
// CHECK-SAME: fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>
// CHECK-SAME: fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>
// CHECK-SAME: fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>
// CHECK-SAME: fsdp.updated = "h.0.w"
// CHECK-SAME: fsdp.updated_state = "momentum_buffer:h.0.w"
// CHECK-NOT: fsdp.grad
// CHECK: fsdp.global_norm

// NOWHERE: error: expected 'fsdp.world' before units are assigned

// DEFAULTS: fsdp.world<ranks = 2, ranks_per_node = 2>
// DEFAULTS: fsdp.unit @root
// DEFAULTS: fsdp.grad = "h.0.w"
