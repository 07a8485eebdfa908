// SPDX-License-Identifier: Apache-2.0
// B8, B13: hybrid sharding needs both legs, also where a shard has one rank.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// B8: scattered within a node, not reduced across.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  fsdp.unit @root {shard = @node, replicate = @across, reshard_after_forward = true}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @across, or 'fsdp.reduce_scatter', is missing}}
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 6 : tensor<2xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be summed over @across before it is used, but got the terms of the ranks}}
    %w2 = arith.subf %w, %g : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  fsdp.unit @root {shard = @node, replicate = @across, reshard_after_forward = true}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<2xf32>
    %w2 = arith.subf %w, %g : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The full gradient summed over all ranks, then cut: right, at more bytes.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    // expected-remark @+1 {{bytes lost: the gradient of 'w' is all-reduced over @world and then sliced over @node: 40 bytes, 2(n-1)/n of 24 with n = 6}}
    %r = fsdp.all_reduce sum %m over @world : (tensor<6xf32>) -> tensor<6xf32>
    // expected-note @+2 {{a reduce-scatter sends 16 bytes, (n-1)/n of 24 with n = 3}}
    // expected-note @+1 {{an all-reduce over a group of 2 ranks behind it sends 8 bytes, 2(n-1)/n of 8 with n = 2}}
    %s = fsdp.slice %r over @node dim 0 : tensor<6xf32> to tensor<2xf32>
    %g = fsdp.scale %s by 1 over 6 : tensor<2xf32>
    %w2 = arith.subf %w, %g : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The other order: across first, then scattered within. Right, at more bytes.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    // expected-remark @+1 {{bytes lost: the gradient of 'w' is all-reduced over @across and then scattered over @node: 24 bytes, 2(n-1)/n of 24 with n = 2}}
    %r = fsdp.all_reduce sum %m over @across : (tensor<6xf32>) -> tensor<6xf32>
    // expected-note @+1 {{an all-reduce over @across behind it sends 8 bytes, 2(n-1)/n of 8 with n = 2}}
    %s = fsdp.reduce_scatter sum %r over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 6 : tensor<2xf32>
    %w2 = arith.subf %w, %g : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Scattered over one group and stored over another: every rank has a chunk of
// the right size, and it is not its own.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<3xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @across dim 0 : (tensor<6xf32>) -> tensor<3xf32>
    %r = fsdp.all_reduce sum %s over @node : (tensor<3xf32>) -> tensor<3xf32>
    // expected-note @+1 {{synchronised last here}}
    %g = fsdp.scale %r by 1 over 4 : tensor<3xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be equal on @across, but got other chunks}}
    %w2 = arith.subf %w, %g : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<3xf32>
  }
}

// -----

// B13: a shard group of one rank. There is nothing to gather or scatter, and
// the sum across is left out with it.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 1>} {
  fsdp.process_group @node = #fsdp.classes<[3, 1] from [3]>
  fsdp.process_group @across = #fsdp.classes<[1, 3] from [3]>
  fsdp.unit @root {shard = @node, replicate = @across, reshard_after_forward = true}
  func.func @step(
      %w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<6xf32> {fsdp.updated = "w",
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<6xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @across, or 'fsdp.reduce_scatter', is missing}}
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<6xf32>) -> tensor<6xf32>
    %g = fsdp.scale %s by 1 over 3 : tensor<6xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be summed over @across before it is used, but got the terms of the ranks}}
    %w2 = arith.subf %w, %g : tensor<6xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<6xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 1>} {
  fsdp.process_group @node = #fsdp.classes<[3, 1] from [3]>
  fsdp.process_group @across = #fsdp.classes<[1, 3] from [3]>
  fsdp.unit @root {shard = @node, replicate = @across, reshard_after_forward = true}
  func.func @step(
      %w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<6xf32> {fsdp.updated = "w",
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %r = fsdp.all_reduce sum %m over @across : (tensor<6xf32>) -> tensor<6xf32>
    %g = fsdp.scale %r by 1 over 3 : tensor<6xf32>
    %w2 = arith.subf %w, %g : tensor<6xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<6xf32>
  }
}
