// SPDX-License-Identifier: Apache-2.0
// A module that holds what a stage promises is marked with it.
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-verify-stage=stage=imported | FileCheck %s --check-prefix=IMPORTED
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-verify-stage=stage=annotated | FileCheck %s --check-prefix=ANNOTATED
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-verify-stage=stage=sharded | FileCheck %s --check-prefix=SHARDED
// RUN: not fsdp-opt %s --allow-unregistered-dialect --fsdp-verify-stage=stage=lowered 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: not fsdp-opt %s --allow-unregistered-dialect --fsdp-verify-stage=stage=done 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: not fsdp-opt %s --allow-unregistered-dialect --fsdp-verify-stage 2>&1 | FileCheck %s --check-prefix=NONE

// IMPORTED: fsdp.stage = "imported"
// ANNOTATED: fsdp.stage = "annotated"
// SHARDED: fsdp.stage = "sharded"
// LOWERED: error: expected no 'fsdp.unit' at stage 'lowered'
// DONE: error: expected a stage to be imported, annotated, sharded or lowered, but got 'done'
// NONE: error: expected a stage to be imported, annotated, sharded or lowered, but got ''
module attributes {fsdp.world = #fsdp.world<ranks = 1, ranks_per_node = 1>} {
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  fsdp.process_group @world = #fsdp.classes<[1, 1] from [1]>
  func.func @step(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{} ]>},
                  %f: tensor<4xf32> {fsdp.param = "f", fsdp.frozen, fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{} ]>})
      -> (tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{} ]>},
          tensor<4xf32> {fsdp.updated = "f", fsdp.sharding = #fsdp.sharding<[{} ]>}) {
    // A foreign op that says how it is partitioned may stay.
    %0 = "test.opaque"(%w) {fsdp.rule = #fsdp.rule<([i]) -> [i]>} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = fsdp.local_grad %0 of "w" : tensor<4xf32>
    return %1, %f : tensor<4xf32>, tensor<4xf32>
  }
}
