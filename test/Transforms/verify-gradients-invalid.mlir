// SPDX-License-Identifier: Apache-2.0
// What no case of test/Cases/verify-*.mlir shows.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-gradients

// A gather that says whose shards it joins, and joins others.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      // expected-note @+1 {{which is here}}
      %v: tensor<2xf32> {fsdp.param = "v", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w", fsdp.global_shape = array<i64: 4>,
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected shards of "w", but got those of 'v'}}
    %full = fsdp.all_gather %v over @world dim 0 {fsdp.param = "w"} : (tensor<2xf32>) -> tensor<4xf32>
    %wx = arith.mulf %full, %x : tensor<4xf32>
    %own = linalg.dot ins(%wx, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %g = fsdp.local_grad %wx of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %g over @world dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %gw = fsdp.scale %s by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %gw : tensor<f32>, tensor<2xf32>
  }
}

// -----

// A scale is synchronisation; a model that multiplies does arithmetic.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %v: tensor<2xf32> {fsdp.param = "v", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w", fsdp.global_shape = array<i64: 4>,
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected no scale in what the model computes}}
    %half = fsdp.scale %full by 1 over 2 : tensor<4xf32>
    // expected-note @+1 {{which goes on here}}
    %wx = arith.mulf %half, %x : tensor<4xf32>
    %own = linalg.dot ins(%wx, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %g = fsdp.local_grad %wx of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %g over @world dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %gw = fsdp.scale %s by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %gw : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Compute is partitioned: a shard may be padded and cut on its way to a
// collective, be cut further, or be what compute wants, which its placement
// says. It may not be used once padded.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.unit @u {shard = @dp, reshard_after_forward = true}
  // expected-note @+2 {{its storage is #fsdp.sharding<[{@dp}, {}]>}}
  func.func @partitioned(
      %w: tensor<4x3xf32> {fsdp.param = "w", fsdp.unit = @u, fsdp.global_shape = array<i64: 8, 3>,
        fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@dp}, {}]>},
      %v: tensor<4x3xf32> {fsdp.param = "v", fsdp.unit = @u, fsdp.global_shape = array<i64: 8, 3>,
        fsdp.sharding = #fsdp.sharding<[{@dp}, {}]>, fsdp.storage = #fsdp.sharding<[{@dp}, {}]>})
      -> (tensor<4x4xf32> {fsdp.output = "o", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<2x3xf32> {fsdp.output = "p", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x3xf32> {fsdp.output = "q", fsdp.sharding = #fsdp.sharding<[{}, {}]>}) {
    %zero = arith.constant 0.0 : f32
    %padded = tensor.pad %w low[0, 0] high[0, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<4x3xf32> to tensor<4x4xf32>
    %moved = fsdp.all_to_all %padded over @dp split 1 concat 0 : (tensor<4x4xf32>) -> tensor<8x2xf32>
    %cut = fsdp.slice %w over @tp dim 0 : tensor<4x3xf32> to tensor<2x3xf32>
    %p = arith.negf %cut : tensor<2x3xf32>
    %q = arith.negf %v : tensor<4x3xf32>
    // expected-error @below {{expected the full parameter 'w', gathered for unit @u, but got the shard that a rank stores}}
    %o = arith.negf %padded : tensor<4x4xf32>
    return %o, %p, %q : tensor<4x4xf32>, tensor<2x3xf32>, tensor<4x3xf32>
  }
}

// -----

// The ranks of a node, in another order than that of the chunks.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  fsdp.process_group @backwards = #fsdp.classes<[[2, 1, 0], [5, 4, 3]]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.global_shape = array<i64: 6>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w", fsdp.global_shape = array<i64: 6>,
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %wx = arith.mulf %full, %x : tensor<6xf32>
    %own = linalg.dot ins(%wx, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %g = fsdp.local_grad %wx of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %g over @backwards dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %a = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be split as it is stored on @node, but got other chunks}}
    // expected-note @+1 {{synchronised last here}}
    %gw = fsdp.scale %a by 1 over 6 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %gw : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Straight into a marker.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.global_shape = array<i64: 4>,
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{}]>}) {
    // expected-error @+1 {{expected no scale in what the model computes}}
    %half = fsdp.scale %x by 1 over 2 : tensor<4xf32>
    // expected-note @+1 {{which goes on here}}
    %g = fsdp.local_grad %half of "w" : tensor<4xf32>
    %s = fsdp.all_reduce sum %g over @world : (tensor<4xf32>) -> tensor<4xf32>
    %gw = fsdp.scale %s by 1 over 2 : tensor<4xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %gw : tensor<f32>, tensor<4xf32>
  }
}

// -----

// In a loop of the model.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.global_shape = array<i64: 4>,
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %wx = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<4xf32> {
      // expected-error @+1 {{expected no scale in what the model computes}}
      %half = fsdp.scale %y by 1 over 2 : tensor<4xf32>
      // expected-note @+1 {{which goes on here}}
      %next = arith.mulf %half, %w : tensor<4xf32>
      scf.yield %next : tensor<4xf32>
    }
    %g = fsdp.local_grad %wx of "w" : tensor<4xf32>
    %s = fsdp.all_reduce sum %g over @world : (tensor<4xf32>) -> tensor<4xf32>
    %gw = fsdp.scale %s by 1 over 2 : tensor<4xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %gw : tensor<f32>, tensor<4xf32>
  }
}
