// SPDX-License-Identifier: Apache-2.0
// V7, V9, B12, C3: chunks of different tensors are not one tensor. Neither
// storage nor a broadcast may cross ranks on which a value differs.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// V7: ranks 0 and 1 hold [1, 2, 3, 4] and [10, 20, 30, 40]; sliced and gathered
// again they hold [1, 2, 30, 40].
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @ep = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      // expected-note @+1 {{it is placed here}}
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@ep]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{'fsdp.slice': expected ranks that hold the same parameter on @ep, but each holds another one}}
    %shard = fsdp.slice %w over @ep dim 0 : tensor<4xf32> to tensor<2xf32>
    %full = fsdp.all_gather %shard over @ep dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %g = fsdp.scale %m by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @ep : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @ep = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@ep]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %shard = fsdp.slice %w over @ep dim 0 : tensor<4xf32> to tensor<2xf32>
    %full = fsdp.all_gather %shard over @ep dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @ep : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @ep : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// B12: a parameter that varies on ep is stored in pieces over ep.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @ep = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @edp = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      // expected-error @+1 {{expected the storage of 'w' to be split where it is equal, but it differs on @ep; @edp would be right}}
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>, fsdp.storage = #fsdp.sharding<[{@ep}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>, fsdp.storage = #fsdp.sharding<[{@ep}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @ep dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @ep dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @edp : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Over the complement it is right.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @ep = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @edp = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>, fsdp.storage = #fsdp.sharding<[{@edp}], varying = {@ep}>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>, fsdp.storage = #fsdp.sharding<[{@edp}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @edp dim 0 : (tensor<3xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @edp dim 0 : (tensor<6xf32>) -> tensor<3xf32>
    %g = fsdp.scale %s by 1 over 6 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<3xf32>
  }
}

// -----

// B12: rows split over tp for compute are gathered over all ranks, as if the
// chunks of one rank of tp followed those of another.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{its storage is #fsdp.sharding<[{@tp, @dp}]>}}
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{@tp}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}]>},
      %x: tensor<4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{@tp}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{@tp}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected the shards of 'w' to be gathered over @dp, as they are stored, but got @world}}
    %all = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %full = fsdp.slice %all over @tp dim 0 : tensor<8xf32> to tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %term = fsdp.all_reduce sum %own over @tp : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @dp dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %term over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{@tp}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}]>},
      %x: tensor<4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{@tp}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{@tp}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @dp dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %term = fsdp.all_reduce sum %own over @tp : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @dp dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %term over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// V9: stored over [0, 1][2, 3], gathered over [0, 2][3, 1].
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @pairs = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @odd = #fsdp.classes<[[0, 2], [3, 1]]>
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      // expected-note @+1 {{its storage is #fsdp.sharding<[{@pairs}]>}}
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@pairs}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.output = "grad", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{expected the shards of 'w' to be gathered over @pairs, as they are stored, but got @odd}}
    %full = fsdp.all_gather %w over @odd dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @odd = #fsdp.classes<[[0, 2], [3, 1]]>
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@odd}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.output = "grad", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @odd dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// C3: the initial broadcast makes all experts the first one.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @ep = #fsdp.classes<[2, 3] from [3, 2] T(1, 0)>
  fsdp.process_group @edp = #fsdp.classes<[3, 2] from [6]>
  func.func @step(
      // expected-note @+1 {{it is placed here}}
      %w: tensor<4xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
          tensor<4xf32> {fsdp.updated = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{'fsdp.broadcast': expected ranks that hold the same parameter on @ep, but each holds another one}}
    %same = fsdp.broadcast %w over @world root 0 : (tensor<4xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%same, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @edp : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<4xf32>
    %new = arith.subf %same, %g : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %g, %new : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// C3, C4: over the ranks with copies of the same expert it is what makes
// replicas equal.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @ep = #fsdp.classes<[2, 3] from [3, 2] T(1, 0)>
  fsdp.process_group @edp = #fsdp.classes<[3, 2] from [6]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
          tensor<4xf32> {fsdp.updated = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %same = fsdp.broadcast %w over @edp root 0 : (tensor<4xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%same, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @edp : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<4xf32>
    %new = arith.subf %same, %g : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %g, %new : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// C4: replicas that may start from different values stay different; the
// gradients of different values are no gradient of one.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{it is placed here}}
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@across}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected ranks that hold the same parameter on @across, but each holds another one}}
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %new = arith.subf %w, %g : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %new : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A sum over a listed group, then over another whose ranks are those of a group
// of axes in another order: of the first, those axes know nothing.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 8>, fsdp.stage = "sharded"} {
  fsdp.process_group @a = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @ab = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @across = #fsdp.classes<[[0, 4], [5, 1], [6, 2], [3, 7]]>
  fsdp.process_group @far = #fsdp.classes<[[0, 5, 6, 3], [4, 1, 2, 7]]>
  func.func @listed(%x: tensor<16x8xi32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ab}>})
      -> (tensor<4x8xi32> {fsdp.output = "y", fsdp.global_shape = array<i64: 16, 8>, fsdp.sharding = #fsdp.sharding<[{@far}, {}]>}) {
    %0 = fsdp.reduce_scatter sum %x over @far dim 0 : (tensor<16x8xi32>) -> tensor<4x8xi32>
    %1 = fsdp.all_reduce sum %0 over @across : (tensor<4x8xi32>) -> tensor<4x8xi32>
    return %1 : tensor<4x8xi32>
  }
}
