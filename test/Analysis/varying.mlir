// SPDX-License-Identifier: Apache-2.0
// Along which groups a value differs, seen through the placements of outputs.
// RUN: fsdp-opt %s --fsdp-place-boundary | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @ep = #fsdp.classes<[4, 2] from [8]>
  fsdp.process_group @edp = #fsdp.classes<[2, 4] from [4, 2] T(1, 0)>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  fsdp.unit @experts {shard = @edp, reshard_after_forward = true}
  // Of nothing that differs, and of one and of both groups that differ.
  // CHECK: fsdp.output = "w", fsdp.sharding = #fsdp.sharding<[{}]>}
  // CHECK-SAME: fsdp.output = "e", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}
  // CHECK-SAME: fsdp.output = "both", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}
  // What a region captures counts, and the condition that picks a value.
  // CHECK-SAME: fsdp.output = "captured", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}
  // CHECK-SAME: fsdp.output = "chosen", fsdp.sharding = #fsdp.sharding<[{}], varying = {@edp}>}
  // Behind the marker only the parameter counts.
  // CHECK-SAME: fsdp.output = "gw", fsdp.sharding = #fsdp.sharding<[{}]>}
  // CHECK-SAME: fsdp.output = "ge", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}
  // A loop that runs differently often.
  // CHECK-SAME: fsdp.output = "looped", fsdp.sharding = #fsdp.sharding<[{}], varying = {@edp}>}
  func.func @step(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u},
                  %e: tensor<4xf32> {fsdp.param = "e", fsdp.unit = @experts,
                      fsdp.sharding = #fsdp.sharding<[{} ], varying = {@ep}>},
                  %c: tensor<i1> {fsdp.input = "c", fsdp.sharding = #fsdp.sharding<[], varying = {@edp}>})
      -> (tensor<4xf32> {fsdp.output = "w"}, tensor<4xf32> {fsdp.output = "e"},
          tensor<4xf32> {fsdp.output = "both"}, tensor<4xf32> {fsdp.output = "captured"},
          tensor<4xf32> {fsdp.output = "chosen"}, tensor<4xf32> {fsdp.output = "gw"},
          tensor<4xf32> {fsdp.output = "ge"}, tensor<4xf32> {fsdp.output = "looped"},
          tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@edp]>}) {
    %loss = arith.uitofp %c : tensor<i1> to tensor<f32>
    %0 = arith.addf %w, %w : tensor<4xf32>
    %1 = arith.addf %w, %e : tensor<4xf32>
    %cond = tensor.extract %c[] : tensor<i1>
    %2 = scf.if %cond -> tensor<4xf32> {
      scf.yield %w : tensor<4xf32>
    } else {
      scf.yield %e : tensor<4xf32>
    }
    %3 = tensor.generate {
    ^bb0(%i: index):
      %9 = tensor.extract %e[%i] : tensor<4xf32>
      tensor.yield %9 : f32
    } : tensor<4xf32>
    %4 = scf.if %cond -> tensor<4xf32> {
      scf.yield %w : tensor<4xf32>
    } else {
      scf.yield %0 : tensor<4xf32>
    }
    %5 = fsdp.local_grad %4 of "w" : tensor<4xf32>
    %6 = fsdp.local_grad %2 of "e" : tensor<4xf32>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = arith.index_castui %cond : i1 to index
    %7 = scf.for %i = %zero to %n step %one iter_args(%a = %w) -> tensor<4xf32> {
      %9 = arith.addf %a, %a : tensor<4xf32>
      scf.yield %9 : tensor<4xf32>
    }
    return %0, %1, %2, %3, %4, %5, %6, %7, %loss : tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
}
