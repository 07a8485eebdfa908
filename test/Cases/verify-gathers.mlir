// SPDX-License-Identifier: Apache-2.0
// Shards are gathered over the groups that they are stored over, and nothing
// comes from where it was not sent. Each right program has a wrong twin.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// Stored over tp and, within a chunk, over dp: gathered over dp, by whatever
// name, and then over tp.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @shard = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @alone = #fsdp.classes<[4, 1] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp, @alone}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp, @alone}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %half = fsdp.all_gather %w over @shard dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %full = fsdp.all_gather %half over @tp dim 0 : (tensor<4xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s1 = fsdp.reduce_scatter sum %m over @tp dim 0 : (tensor<8xf32>) -> tensor<4xf32>
    %s = fsdp.reduce_scatter sum %s1 over @dp dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{its storage is #fsdp.sharding<[{@tp, @dp}]>}}
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected the shards of 'w' to be gathered over @dp, as they are stored, but got @tp}}
    %half = fsdp.all_gather %w over @tp dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %full = fsdp.all_gather %half over @dp dim 0 : (tensor<4xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s1 = fsdp.reduce_scatter sum %m over @tp dim 0 : (tensor<8xf32>) -> tensor<4xf32>
    %s = fsdp.reduce_scatter sum %s1 over @dp dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Stored over all ranks: gathered among neighbours, then across.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %half = fsdp.all_gather %w over @tp dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %full = fsdp.all_gather %half over @dp dim 0 : (tensor<4xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{its storage is #fsdp.sharding<[{@world}]>}}
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected the shards of 'w' to be gathered over @world, as they are stored, but got @dp}}
    %half = fsdp.all_gather %w over @dp dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %full = fsdp.all_gather %half over @tp dim 0 : (tensor<4xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// A sum over the same ranks in another order is the same; a gather is not, nor
// is what is scattered.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @turned = #fsdp.classes<[[3, 2, 1, 0]]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @turned : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @turned = #fsdp.classes<[[3, 2, 1, 0]]>
  func.func @step(
      // expected-note @+1 {{its storage is #fsdp.sharding<[{@world}]>}}
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected the shards of 'w' to be gathered over @world, as they are stored, but got @turned}}
    %full = fsdp.all_gather %w over @turned dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @turned = #fsdp.classes<[[3, 2, 1, 0]]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @turned dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be split as it is stored on @world, but got other chunks}}
    // expected-note @+1 {{synchronised last here}}
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The same of two lists of ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @odd = #fsdp.classes<[[1, 0], [3, 2]]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @tp dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @tp dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @dp : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %node = fsdp.all_reduce sum %own over @odd : (tensor<f32>) -> tensor<f32>
    %sum = fsdp.all_reduce sum %node over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @odd = #fsdp.classes<[[1, 0], [3, 2]]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @tp dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @odd dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @dp : (tensor<2xf32>) -> tensor<2xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be split as it is stored on @tp, but got other chunks}}
    // expected-note @+1 {{synchronised last here}}
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %node = fsdp.all_reduce sum %own over @tp : (tensor<f32>) -> tensor<f32>
    %sum = fsdp.all_reduce sum %node over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Each dimension has its own groups.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2x2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@dp}, {@tp}]>},
      %x: tensor<4x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@dp}, {@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %half = fsdp.all_gather %w over @tp dim 1 : (tensor<2x2xf32>) -> tensor<2x4xf32>
    %full = fsdp.all_gather %half over @dp dim 0 : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %fc = tensor.collapse_shape %full [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    %own = linalg.dot ins(%fc, %xc : tensor<16xf32>, tensor<16xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4x4xf32>
    %s1 = fsdp.reduce_scatter sum %m over @dp dim 0 : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %s = fsdp.reduce_scatter sum %s1 over @tp dim 1 : (tensor<2x4xf32>) -> tensor<2x2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2x2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2x2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{its storage is #fsdp.sharding<[{@dp}, {@tp}]>}}
      %w: tensor<2x2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@dp}, {@tp}]>},
      %x: tensor<4x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@dp}, {@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected the shards of 'w' to be gathered over @tp along dimension 1, as they are stored, but got @tp along dimension 0}}
    %half = fsdp.all_gather %w over @tp dim 0 : (tensor<2x2xf32>) -> tensor<4x2xf32>
    %full = fsdp.all_gather %half over @dp dim 1 : (tensor<4x2xf32>) -> tensor<4x4xf32>
    %fc = tensor.collapse_shape %full [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    %own = linalg.dot ins(%fc, %xc : tensor<16xf32>, tensor<16xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4x4xf32>
    %s1 = fsdp.reduce_scatter sum %m over @dp dim 0 : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %s = fsdp.reduce_scatter sum %s1 over @tp dim 1 : (tensor<2x4xf32>) -> tensor<2x2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2x2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2x2xf32>
  }
}

// -----

// Reshaped, and gathered in one bucket.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %fb = tensor.collapse_shape %b [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
    %both = tensor.concat dim(0) %fa, %fb : (tensor<6xf32>, tensor<4xf32>) -> tensor<10xf32>
    %row = tensor.expand_shape %both [[0, 1]] output_shape [1, 10] : tensor<10xf32> into tensor<1x10xf32>
    %rows = fsdp.all_gather %row over @tp dim 0 : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %ra = tensor.extract_slice %rows[0, 0] [2, 6] [1, 1] : tensor<2x10xf32> to tensor<2x6xf32>
    %rb = tensor.extract_slice %rows[0, 6] [2, 4] [1, 1] : tensor<2x10xf32> to tensor<2x4xf32>
    %fac = tensor.collapse_shape %ra [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %rb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %sa = fsdp.reduce_scatter sum %ma over @tp dim 0 : (tensor<4x3xf32>) -> tensor<2x3xf32>
    %sb = fsdp.reduce_scatter sum %mb over @tp dim 0 : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %ta = fsdp.all_reduce sum %sa over @dp : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %tb = fsdp.all_reduce sum %sb over @dp : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %ga = fsdp.scale %ta by 1 over 4 : tensor<2x3xf32>
    %gb = fsdp.scale %tb by 1 over 4 : tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{its storage is #fsdp.sharding<[{@tp}, {}]>}}
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %fb = tensor.collapse_shape %b [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
    %both = tensor.concat dim(0) %fa, %fb : (tensor<6xf32>, tensor<4xf32>) -> tensor<10xf32>
    %row = tensor.expand_shape %both [[0, 1]] output_shape [1, 10] : tensor<10xf32> into tensor<1x10xf32>
    // expected-error @+1 {{expected the shards of 'a' to be gathered over @tp, as they are stored, but got @dp}}
    %rows = fsdp.all_gather %row over @dp dim 0 : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %ra = tensor.extract_slice %rows[0, 0] [2, 6] [1, 1] : tensor<2x10xf32> to tensor<2x6xf32>
    %rb = tensor.extract_slice %rows[0, 6] [2, 4] [1, 1] : tensor<2x10xf32> to tensor<2x4xf32>
    %fac = tensor.collapse_shape %ra [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %rb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %sa = fsdp.reduce_scatter sum %ma over @tp dim 0 : (tensor<4x3xf32>) -> tensor<2x3xf32>
    %sb = fsdp.reduce_scatter sum %mb over @tp dim 0 : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %ta = fsdp.all_reduce sum %sa over @dp : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %tb = fsdp.all_reduce sum %sb over @dp : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %ga = fsdp.scale %ta by 1 over 4 : tensor<2x3xf32>
    %gb = fsdp.scale %tb by 1 over 4 : tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// A scale is synchronisation: the model's own is arithmetic.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %two = arith.constant dense<0.5> : tensor<8xf32>
    %part = arith.mulf %full, %two : tensor<8xf32>
    %own = linalg.dot ins(%part, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    // expected-error @+1 {{expected no scale in what the model computes}}
    %part = fsdp.scale %full by 1 over 2 : tensor<8xf32>
    // expected-note @+1 {{which goes on here}}
    %own = linalg.dot ins(%part, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The loss is the model's, and no norm of gradients.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<f32> {fsdp.output = "norm", fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    %gg = linalg.dot ins(%g, %g : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %norm = fsdp.all_reduce sum %gg over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %g, %norm : tensor<f32>, tensor<2xf32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<f32> {fsdp.output = "norm", fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%full, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    %gg = linalg.dot ins(%g, %g : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{expected the loss, but got what gradients make}}
    %norm = fsdp.all_reduce sum %gg over @world : (tensor<f32>) -> tensor<f32>
    return %norm, %g, %loss : tensor<f32>, tensor<2xf32>, tensor<f32>
  }
}

// -----

// What experts give comes back from where it was sent; its derivative goes the
// same way.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @ep = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @edp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %g: tensor<3xf32> {fsdp.param = "g", fsdp.sharding = #fsdp.sharding<[{}]>},
      %w: tensor<3xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "g", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<3xf32>
    %empty = tensor.empty() : tensor<2x3xf32>
    %gs = linalg.broadcast ins(%g : tensor<3xf32>) outs(%empty : tensor<2x3xf32>) dimensions = [0]
    %h = arith.mulf %x, %gs : tensor<2x3xf32>
    %sent = fsdp.all_to_all %h over @ep split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %ws = linalg.broadcast ins(%w : tensor<3xf32>) outs(%empty : tensor<2x3xf32>) dimensions = [0]
    %y = arith.mulf %sent, %ws : tensor<2x3xf32>
    %back = fsdp.all_to_all %y over @ep split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %bc = tensor.collapse_shape %back [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %own = linalg.dot ins(%bc, %bc : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dy = fsdp.all_to_all %back over @ep split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %dws = arith.mulf %dy, %sent : tensor<2x3xf32>
    %dw = linalg.reduce {arith.addf} ins(%dws : tensor<2x3xf32>) outs(%none : tensor<3xf32>) dimensions = [0]
    %dsent = arith.mulf %dy, %ws : tensor<2x3xf32>
    %dh = fsdp.all_to_all %dsent over @ep split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %dgs = arith.mulf %dh, %x : tensor<2x3xf32>
    %dg = linalg.reduce {arith.addf} ins(%dgs : tensor<2x3xf32>) outs(%none : tensor<3xf32>) dimensions = [0]
    %mw = fsdp.local_grad %dw of "experts.w" : tensor<3xf32>
    %mg = fsdp.local_grad %dg of "g" : tensor<3xf32>
    %rw = fsdp.all_reduce sum %mw over @edp : (tensor<3xf32>) -> tensor<3xf32>
    %rg = fsdp.all_reduce sum %mg over @world : (tensor<3xf32>) -> tensor<3xf32>
    %gw = fsdp.scale %rw by 1 over 4 : tensor<3xf32>
    %gg = fsdp.scale %rg by 1 over 4 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %gg, %gw : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @ep = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @edp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  // expected-note @+1 {{the derivative of a sum over ranks is a sum over the same ranks}}
  func.func @step(
      %g: tensor<3xf32> {fsdp.param = "g", fsdp.sharding = #fsdp.sharding<[{}]>},
      %w: tensor<3xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "g", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<3xf32>
    %empty = tensor.empty() : tensor<2x3xf32>
    %gs = linalg.broadcast ins(%g : tensor<3xf32>) outs(%empty : tensor<2x3xf32>) dimensions = [0]
    %h = arith.mulf %x, %gs : tensor<2x3xf32>
    %sent = fsdp.all_to_all %h over @ep split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %ws = linalg.broadcast ins(%w : tensor<3xf32>) outs(%empty : tensor<2x3xf32>) dimensions = [0]
    %y = arith.mulf %sent, %ws : tensor<2x3xf32>
    // expected-error @+1 {{expected a counterpart over @edp in backward of what joins values that differ on its ranks, but got none}}
    %back = fsdp.all_to_all %y over @edp split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %bc = tensor.collapse_shape %back [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %own = linalg.dot ins(%bc, %bc : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dy = fsdp.all_to_all %back over @ep split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %dws = arith.mulf %dy, %sent : tensor<2x3xf32>
    %dw = linalg.reduce {arith.addf} ins(%dws : tensor<2x3xf32>) outs(%none : tensor<3xf32>) dimensions = [0]
    %dsent = arith.mulf %dy, %ws : tensor<2x3xf32>
    %dh = fsdp.all_to_all %dsent over @ep split 0 concat 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %dgs = arith.mulf %dh, %x : tensor<2x3xf32>
    %dg = linalg.reduce {arith.addf} ins(%dgs : tensor<2x3xf32>) outs(%none : tensor<3xf32>) dimensions = [0]
    %mw = fsdp.local_grad %dw of "experts.w" : tensor<3xf32>
    %mg = fsdp.local_grad %dg of "g" : tensor<3xf32>
    %rw = fsdp.all_reduce sum %mw over @edp : (tensor<3xf32>) -> tensor<3xf32>
    %rg = fsdp.all_reduce sum %mg over @world : (tensor<3xf32>) -> tensor<3xf32>
    %gw = fsdp.scale %rw by 1 over 4 : tensor<3xf32>
    %gg = fsdp.scale %rg by 1 over 4 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %gg, %gw : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// A buffer becomes the mean of the ranks' ones.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %mean: tensor<4xf32> {fsdp.buffer = "bn.mean", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.updated = "bn.mean", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %moved = arith.addf %mean, %x : tensor<4xf32>
    %all = fsdp.all_reduce sum %moved over @world : (tensor<4xf32>) -> tensor<4xf32>
    %next = fsdp.scale %all by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g, %next : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %mean: tensor<4xf32> {fsdp.buffer = "bn.mean", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.updated = "bn.mean", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %moved = arith.addf %mean, %x : tensor<4xf32>
    %all = fsdp.all_reduce max %moved over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the updated buffer 'bn.mean' to be scaled behind a sum, but got max}}
    %next = fsdp.scale %all by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g, %next : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Of two buffers each becomes its own.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %a: tensor<4xf32> {fsdp.buffer = "bn.a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<4xf32> {fsdp.buffer = "bn.b", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.updated = "bn.a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.updated = "bn.b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %a1 = arith.addf %a, %x : tensor<4xf32>
    %b1 = arith.mulf %b, %x : tensor<4xf32>
    %a2 = fsdp.all_reduce sum %a1 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %b2 = fsdp.all_reduce sum %b1 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %a3 = fsdp.scale %a2 by 1 over 4 : tensor<4xf32>
    %b3 = fsdp.scale %b2 by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g, %a3, %b3 : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %a: tensor<4xf32> {fsdp.buffer = "bn.a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<4xf32> {fsdp.buffer = "bn.b", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.updated = "bn.a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.updated = "bn.b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %a1 = arith.addf %a, %x : tensor<4xf32>
    %b1 = arith.mulf %b, %x : tensor<4xf32>
    %a2 = fsdp.all_reduce sum %b1 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %b2 = fsdp.all_reduce sum %a1 over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the updated buffer 'bn.a', but got that of 'bn.b'}}
    %a3 = fsdp.scale %a2 by 1 over 4 : tensor<4xf32>
    // expected-error @+1 {{expected the updated buffer 'bn.b', but got that of 'bn.a'}}
    %b3 = fsdp.scale %b2 by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g, %a3, %b3 : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A count of the whole batch is summed before it is used; what differs without
// that is not taken for rows that are all the same.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<1xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<3xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 12>, fsdp.sharding = #fsdp.sharding<[{@world}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %ones = arith.constant dense<1.0> : tensor<3xf32>
    %row = tensor.empty() : tensor<3xf32>
    %empty = tensor.empty() : tensor<3x4xf32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<1xf32>) -> tensor<4xf32>
    %terms = linalg.dot ins(%x, %ones : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %count = fsdp.all_reduce sum %terms over @world : (tensor<f32>) -> tensor<f32>
    %counts = linalg.broadcast ins(%count : tensor<f32>) outs(%row : tensor<3xf32>) dimensions = [0]
    %xc = arith.mulf %x, %counts : tensor<3xf32>
    %rows = linalg.broadcast ins(%xc : tensor<3xf32>) outs(%empty : tensor<3x4xf32>) dimensions = [1]
    %dw = linalg.reduce {arith.addf} ins(%rows : tensor<3x4xf32>) outs(%none : tensor<4xf32>) dimensions = [0]
    %own = linalg.dot ins(%full, %dw : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %dw of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<4xf32>) -> tensor<1xf32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %s : tensor<f32>, tensor<1xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<1xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<3xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 12>, fsdp.sharding = #fsdp.sharding<[{@world}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %ones = arith.constant dense<1.0> : tensor<3xf32>
    %row = tensor.empty() : tensor<3xf32>
    %empty = tensor.empty() : tensor<3x4xf32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<1xf32>) -> tensor<4xf32>
    %terms = linalg.dot ins(%x, %ones : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %counts = linalg.broadcast ins(%terms : tensor<f32>) outs(%row : tensor<3xf32>) dimensions = [0]
    // expected-note @+1 {{here terms of a sum over @world meet what is none: the sum is not done}}
    %xc = arith.mulf %x, %counts : tensor<3xf32>
    %rows = linalg.broadcast ins(%xc : tensor<3xf32>) outs(%empty : tensor<3x4xf32>) dimensions = [1]
    %dw = linalg.reduce {arith.addf} ins(%rows : tensor<3x4xf32>) outs(%none : tensor<4xf32>) dimensions = [0]
    %own = linalg.dot ins(%full, %dw : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{gradient of 'w': expected a gradient that is equal or a sum on @world, as parameter and loss are equal there, but got one that differs: replicas would drift}}
    %m = fsdp.local_grad %dw of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<4xf32>) -> tensor<1xf32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %s : tensor<f32>, tensor<1xf32>
  }
}

// -----

// A chunk of one row may be read in several ways, which says nothing of what was
// summed over its ranks since.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<1x3xf32> {fsdp.param = "experts",
          fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<2x2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1x3xf32> {fsdp.grad = "experts",
              fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
          tensor<f32> {fsdp.output = "n", fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z13 = arith.constant dense<0.0> : tensor<1x3xf32>
    %e143 = tensor.empty() : tensor<1x4x3xf32>
    %t = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %wb = linalg.broadcast ins(%w : tensor<1x3xf32>) outs(%e143 : tensor<1x4x3xf32>) dimensions = [1]
    %y = arith.mulf %t, %wb : tensor<1x4x3xf32>
    %b = fsdp.all_to_all %y over @node split 1 concat 0 : (tensor<1x4x3xf32>) -> tensor<2x2x3xf32>
    %bf = tensor.collapse_shape %b [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %xf = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %own = linalg.dot ins(%bf, %xf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %db = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %dt = arith.mulf %t, %db : tensor<1x4x3xf32>
    %dw = linalg.reduce ins(%dt : tensor<1x4x3xf32>) outs(%z13 : tensor<1x3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m = fsdp.local_grad %dw of "experts" : tensor<1x3xf32>
    %r = fsdp.all_reduce sum %m over @across : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<1x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    %n = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %g, %n : tensor<f32>, tensor<1x3xf32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<1x3xf32> {fsdp.param = "experts",
          fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<2x2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1x3xf32> {fsdp.grad = "experts",
              fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
          tensor<f32> {fsdp.output = "n", fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z13 = arith.constant dense<0.0> : tensor<1x3xf32>
    %e143 = tensor.empty() : tensor<1x4x3xf32>
    %t = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %wb = linalg.broadcast ins(%w : tensor<1x3xf32>) outs(%e143 : tensor<1x4x3xf32>) dimensions = [1]
    %y = arith.mulf %t, %wb : tensor<1x4x3xf32>
    %b = fsdp.all_to_all %y over @node split 1 concat 0 : (tensor<1x4x3xf32>) -> tensor<2x2x3xf32>
    %bf = tensor.collapse_shape %b [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %xf = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %own = linalg.dot ins(%bf, %xf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %db = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %dt = arith.mulf %t, %db : tensor<1x4x3xf32>
    %dw = linalg.reduce ins(%dt : tensor<1x4x3xf32>) outs(%z13 : tensor<1x3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m = fsdp.local_grad %dw of "experts" : tensor<1x3xf32>
    %r = fsdp.all_reduce sum %m over @across : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<1x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    %n = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @node, but got a value that is equal on its ranks, which would be counted 2 times}}
    %twice = fsdp.all_reduce sum %n over @node : (tensor<f32>) -> tensor<f32>
    return %loss, %g, %twice : tensor<f32>, tensor<1x3xf32>, tensor<f32>
  }
}
