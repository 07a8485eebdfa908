// SPDX-License-Identifier: Apache-2.0
// G2: a shard where the model needs the full parameter. Types alone do not
// tell: a product of two shards is a product. The right program gathers, also
// through a cast; the optimizer may use shards.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-gradients

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @h.0 {shard = @world, reshard_after_forward = true}
  // expected-note @+2 {{its storage is #fsdp.sharding<[{@world}]>}}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "h.0.w", fsdp.unit = @h.0, fsdp.global_shape = array<i64: 8>,
        fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected the full parameter 'h.0.w', gathered for unit @h.0, but got the shard that a rank stores}}
    %0 = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %1 = fsdp.all_reduce sum %0 over @world : (tensor<f32>) -> tensor<f32>
    %2 = fsdp.scale %1 by 1 over 4 : tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @h.0 {shard = @world, reshard_after_forward = true}
  // expected-note @+2 {{its storage is #fsdp.sharding<[{@world}]>}}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "h.0.w", fsdp.unit = @h.0, fsdp.global_shape = array<i64: 8>,
        fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<2xf64> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f64> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f64>
    %e = tensor.empty() : tensor<2xf64>
    %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%w : tensor<2xf32>) outs(%e : tensor<2xf64>) {
    ^bb0(%a: f32, %o: f64):
      %c = arith.extf %a : f32 to f64
      linalg.yield %c : f64
    } -> tensor<2xf64>
    // expected-error @+1 {{expected the full parameter 'h.0.w'}}
    %0 = linalg.dot ins(%wide, %x : tensor<2xf64>, tensor<2xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
    %1 = fsdp.all_reduce sum %0 over @world : (tensor<f64>) -> tensor<f64>
    %2 = fsdp.scale %1 by 1 over 4 : tensor<f64>
    return %2 : tensor<f64>
  }
}

// -----

// The right program: gathered for forward and backward, updated as a shard.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @h.0 {shard = @world, reshard_after_forward = true}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "h.0.w", fsdp.unit = @h.0, fsdp.global_shape = array<i64: 8>,
        fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "h.0.w", fsdp.global_shape = array<i64: 8>,
            fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %e = tensor.empty() : tensor<2xf32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %0 = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %1 = fsdp.all_reduce sum %0 over @world : (tensor<f32>) -> tensor<f32>
    %2 = fsdp.scale %1 by 1 over 4 : tensor<f32>
    %m = fsdp.local_grad %x of "h.0.w" : tensor<8xf32>
    %3 = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %4 = fsdp.scale %3 by 1 over 4 : tensor<2xf32>
    %5 = linalg.sub ins(%w, %4 : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    return %2, %5 : tensor<f32>, tensor<2xf32>
  }
}
