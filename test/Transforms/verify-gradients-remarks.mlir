// SPDX-License-Identifier: Apache-2.0
// Remarks on gradients that are right, of which more bytes are sent than need
// be; and what gets none.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-gradients

// Two legs of the whole gradient, with arithmetic in between.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
          tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    // expected-remark @+1 {{bytes lost: the gradient of 'w' is all-reduced over @node and @across and then sliced over @node: 32 bytes, 2(n-1)/n of 24 with n = 3, and 24 bytes, 2(n-1)/n of 24 with n = 2}}
    %a = fsdp.all_reduce sum %m over @node : (tensor<6xf32>) -> tensor<6xf32>
    %two = arith.constant dense<2.0> : tensor<6xf32>
    %half = arith.divf %a, %two : tensor<6xf32>
    %b = fsdp.all_reduce sum %half over @across : (tensor<6xf32>) -> tensor<6xf32>
    %c = fsdp.scale %b by 2 over 1 : tensor<6xf32>
    // expected-note @+2 {{a reduce-scatter sends 16 bytes, (n-1)/n of 24 with n = 3}}
    // expected-note @+1 {{an all-reduce over @across behind it sends 8 bytes, 2(n-1)/n of 8 with n = 2}}
    %s = fsdp.slice %c over @node dim 0 : tensor<6xf32> to tensor<2xf32>
    return %s, %loss : tensor<2xf32>, tensor<f32>
  }
}

// -----

// The whole gradient is wanted as well.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
          tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<6xf32> {fsdp.output = "whole", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %a = fsdp.all_reduce sum %m over @world : (tensor<6xf32>) -> tensor<6xf32>
    %s = fsdp.slice %a over @node dim 0 : tensor<6xf32> to tensor<2xf32>
    return %s, %loss, %a : tensor<2xf32>, tensor<f32>, tensor<6xf32>
  }
}

// -----

// A group of one rank sends nothing.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @self = #fsdp.classes<[6, 1] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
          tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %a = fsdp.all_reduce sum %m over @self : (tensor<6xf32>) -> tensor<6xf32>
    %b = fsdp.reduce_scatter sum %a over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %s = fsdp.all_reduce sum %b over @across : (tensor<2xf32>) -> tensor<2xf32>
    return %s, %loss : tensor<2xf32>, tensor<f32>
  }
}

// -----

// A reduce-scatter in the loop costs bytes and saves memory: only the shard is
// accumulated.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
          tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %g:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<2xf32>, tensor<f32>) {
      %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %x of "w" : tensor<6xf32>
      %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
      %next = arith.addf %acc, %s : tensor<2xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<2xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %g#0 over @across : (tensor<2xf32>) -> tensor<2xf32>
    %loss = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    return %r, %loss : tensor<2xf32>, tensor<f32>
  }
}

// -----

// What does not start from zero cannot be reduced behind the loop.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %old: tensor<2xf32> {fsdp.state = "momentum:w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>})
      -> (tensor<2xf32> {fsdp.updated_state = "momentum:w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
          tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %g:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %old, %l = %zero) -> (tensor<2xf32>, tensor<f32>) {
      %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %x of "w" : tensor<6xf32>
      %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
      %r = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
      %next = arith.addf %acc, %r : tensor<2xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<2xf32>, tensor<f32>
    }
    %loss = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    return %g#0, %loss : tensor<2xf32>, tensor<f32>
  }
}
