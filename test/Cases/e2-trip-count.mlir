// SPDX-License-Identifier: Apache-2.0
// E2: ranks with batches of unequal length loop over different numbers of
// micro-batches, each with a reduction. Right: the number is the same for all.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      // expected-note @+1 {{the ranks begin to differ here}}
      %micro_batches: tensor<index> {fsdp.input = "micro_batches", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.extract %micro_batches[] : tensor<index>
    // expected-note @+1 {{it is decided here}}
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{'fsdp.all_reduce' op expected the trip count of its loop to be equal on all ranks of @world, but got one that differs}}
      %0 = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %micro_batches: tensor<index> {fsdp.input = "micro_batches", fsdp.sharding = #fsdp.sharding<[]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.extract %micro_batches[] : tensor<index>
    scf.for %i = %c0 to %n step %c1 {
      %0 = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
}
