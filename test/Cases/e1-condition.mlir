// SPDX-License-Identifier: Apache-2.0
// E1: a collective under a condition of a rank's own data: a router that skips
// its exchange where no token of the rank's batch is for another rank. The right
// program asks all ranks first, or exchanges in both branches.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  func.func @step(
      %tokens: tensor<8x4xf32> {fsdp.input = "tokens", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      // expected-note @+1 {{the ranks begin to differ here}}
      %sent: tensor<i32> {fsdp.input = "sent", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<8x4xf32> {fsdp.output = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>}) {
    %c0 = arith.constant 0 : i32
    %n = tensor.extract %sent[] : tensor<i32>
    %any = arith.cmpi ne, %n, %c0 : i32
    // expected-note @+1 {{it is decided here}}
    %y = scf.if %any -> tensor<8x4xf32> {
      // expected-error @+1 {{'fsdp.all_to_all' op expected the condition that it runs under to be equal on all ranks of @ep, but got one that differs}}
      %0 = fsdp.all_to_all %tokens over @ep split 0 concat 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %0 : tensor<8x4xf32>
    } else {
      scf.yield %tokens : tensor<8x4xf32>
    }
    return %y : tensor<8x4xf32>
  }
}

// -----

// Right: the largest number of any rank decides.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  func.func @step(
      %tokens: tensor<8x4xf32> {fsdp.input = "tokens", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %sent: tensor<i32> {fsdp.input = "sent", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<8x4xf32> {fsdp.output = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>}) {
    %c0 = arith.constant 0 : i32
    %most = fsdp.all_reduce max %sent over @ep : (tensor<i32>) -> tensor<i32>
    %n = tensor.extract %most[] : tensor<i32>
    %any = arith.cmpi ne, %n, %c0 : i32
    %y = scf.if %any -> tensor<8x4xf32> {
      %0 = fsdp.all_to_all %tokens over @ep split 0 concat 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %0 : tensor<8x4xf32>
    } else {
      scf.yield %tokens : tensor<8x4xf32>
    }
    return %y : tensor<8x4xf32>
  }
}

// -----

// Right: the same exchange in both branches.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  func.func @step(
      %tokens: tensor<8x4xf32> {fsdp.input = "tokens", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %sent: tensor<i32> {fsdp.input = "sent", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<8x4xf32> {fsdp.output = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>}) {
    %c0 = arith.constant 0 : i32
    %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
    %n = tensor.extract %sent[] : tensor<i32>
    %any = arith.cmpi ne, %n, %c0 : i32
    %y = scf.if %any -> tensor<8x4xf32> {
      %0 = fsdp.all_to_all %tokens over @ep split 0 concat 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %0 : tensor<8x4xf32>
    } else {
      %0 = fsdp.all_to_all %zeros over @ep split 0 concat 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %tokens : tensor<8x4xf32>
    }
    return %y : tensor<8x4xf32>
  }
}
