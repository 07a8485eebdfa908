// SPDX-License-Identifier: Apache-2.0
// E4: an expert that only some ranks' tokens reach. Reducing its gradient only
// where there is one leaves the others out; right is to reduce zeros there.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "expert.w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      // expected-note @+1 {{the ranks begin to differ here}}
      %used: tensor<i1> {fsdp.input = "used", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<4xf32> {fsdp.grad = "expert.w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zeros = arith.constant dense<0.0> : tensor<4xf32>
    %is_used = tensor.extract %used[] : tensor<i1>
    // expected-note @+1 {{it is decided here}}
    %grad = scf.if %is_used -> tensor<4xf32> {
      %g = fsdp.local_grad %x of "expert.w" : tensor<4xf32>
      // expected-error @+1 {{'fsdp.all_reduce' op expected the condition that it runs under to be equal on all ranks of @world, but got one that differs}}
      %0 = fsdp.all_reduce sum %g over @world : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    } else {
      scf.yield %zeros : tensor<4xf32>
    }
    return %grad : tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "expert.w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %used: tensor<i1> {fsdp.input = "used", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<4xf32> {fsdp.grad = "expert.w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zeros = arith.constant dense<0.0> : tensor<4xf32>
    %is_used = tensor.extract %used[] : tensor<i1>
    %local = scf.if %is_used -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      scf.yield %zeros : tensor<4xf32>
    }
    %g = fsdp.local_grad %local of "expert.w" : tensor<4xf32>
    %grad = fsdp.all_reduce sum %g over @world : (tensor<4xf32>) -> tensor<4xf32>
    return %grad : tensor<4xf32>
  }
}
