// SPDX-License-Identifier: Apache-2.0
// G1, G3, G5, G6, G7: tied, frozen, unused and small parameters, groups of one.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// G1: embedding and head are one parameter, marked at each use. The head's
// gradient is added behind the sum.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<6xf32> {fsdp.param = "wte.weight", fsdp.aliases = ["lm_head.weight"],
          fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<6xf32> {fsdp.updated = "wte.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h = arith.mulf %w, %x : tensor<6xf32>
    %own = linalg.dot ins(%h, %w : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dembed = arith.mulf %x, %w : tensor<6xf32>
    %m1 = fsdp.local_grad %dembed of "wte.weight" : tensor<6xf32>
    %m2 = fsdp.local_grad %h of "wte.weight" : tensor<6xf32>
    %r = fsdp.all_reduce sum %m1 over @world : (tensor<6xf32>) -> tensor<6xf32>
    // expected-error @+1 {{expected the gradient of 'wte.weight' to be summed over @world, but here it meets what is not}}
    %both = arith.addf %r, %m2 : tensor<6xf32>
    // expected-note @+1 {{synchronised last here}}
    %g = fsdp.scale %both by 1 over 3 : tensor<6xf32>
    // expected-note @+1 {{it is used here}}
    %w2 = arith.subf %w, %g : tensor<6xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<6xf32>
  }
}

// -----

// The head's gradient is forgotten.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<6xf32> {fsdp.param = "wte.weight", fsdp.aliases = ["lm_head.weight"],
          fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<6xf32> {fsdp.updated = "wte.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h = arith.mulf %w, %x : tensor<6xf32>
    %own = linalg.dot ins(%h, %w : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dembed = arith.mulf %x, %w : tensor<6xf32>
    %m1 = fsdp.local_grad %dembed of "wte.weight" : tensor<6xf32>
    // expected-note @+1 {{this one is missing}}
    %m2 = fsdp.local_grad %h of "wte.weight" : tensor<6xf32>
    %r = fsdp.all_reduce sum %m1 over @world : (tensor<6xf32>) -> tensor<6xf32>
    %g = fsdp.scale %r by 1 over 3 : tensor<6xf32>
    // expected-error @+1 {{expected all gradients of 'wte.weight', but got 1 of 2}}
    %w2 = arith.subf %w, %g : tensor<6xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<6xf32>
  }
}

// -----

// Summed, reduced once.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<6xf32> {fsdp.param = "wte.weight", fsdp.aliases = ["lm_head.weight"],
          fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<6xf32> {fsdp.updated = "wte.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h = arith.mulf %w, %x : tensor<6xf32>
    %own = linalg.dot ins(%h, %w : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dembed = arith.mulf %x, %w : tensor<6xf32>
    %m1 = fsdp.local_grad %dembed of "wte.weight" : tensor<6xf32>
    %m2 = fsdp.local_grad %h of "wte.weight" : tensor<6xf32>
    %both = arith.addf %m1, %m2 : tensor<6xf32>
    %r = fsdp.all_reduce sum %both over @world : (tensor<6xf32>) -> tensor<6xf32>
    %g = fsdp.scale %r by 1 over 3 : tensor<6xf32>
    %w2 = arith.subf %w, %g : tensor<6xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<6xf32>
  }
}

// -----

// G3: a frozen and a trainable parameter in one unit. Nothing is asked of the
// frozen one, all of the other.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @h {shard = @world, reshard_after_forward = true}
  func.func @step(
      %f: tensor<2xf32> {fsdp.param = "h.frozen", fsdp.frozen, fsdp.unit = @h,
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %w: tensor<2xf32> {fsdp.param = "h.w", fsdp.unit = @h,
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "h.w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full:2 = fsdp.all_gather %f, %w over @world dim 0 : (tensor<2xf32>, tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %h = arith.mulf %full#0, %x : tensor<8xf32>
    %own = linalg.dot ins(%h, %full#1 : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %h of "h.w" : tensor<8xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %w2 = arith.subf %w, %g : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The gradient of one is used for the other.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @h {shard = @world, reshard_after_forward = true}
  func.func @step(
      %v: tensor<2xf32> {fsdp.param = "h.v", fsdp.unit = @h,
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %w: tensor<2xf32> {fsdp.param = "h.w", fsdp.unit = @h,
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "h.v",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<2xf32> {fsdp.updated = "h.w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full:2 = fsdp.all_gather %v, %w over @world dim 0 : (tensor<2xf32>, tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %h = arith.mulf %full#0, %x : tensor<8xf32>
    %own = linalg.dot ins(%h, %full#1 : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dv = arith.mulf %full#1, %x : tensor<8xf32>
    %mv = fsdp.local_grad %dv of "h.v" : tensor<8xf32>
    %mw = fsdp.local_grad %h of "h.w" : tensor<8xf32>
    %s:2 = fsdp.reduce_scatter sum %mv, %mw over @world dim 0 : (tensor<8xf32>, tensor<8xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %gv = fsdp.scale %s#0 by 1 over 4 : tensor<2xf32>
    %gw = fsdp.scale %s#1 by 1 over 4 : tensor<2xf32>
    // expected-error @+1 {{expected 'h.v' to be updated by its gradient, but got that of 'h.w'}}
    %v2 = arith.subf %v, %gw : tensor<2xf32>
    // expected-error @+1 {{expected 'h.w' to be updated by its gradient, but got that of 'h.v'}}
    %w2 = arith.subf %w, %gv : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %v2, %w2 : tensor<f32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// G5: a parameter that nothing uses has a gradient of zero, and no collective.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %u: tensor<2xf32> {fsdp.param = "unused",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %w: tensor<8xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "unused",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<8xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    %own = linalg.dot ins(%w, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<8xf32>) -> tensor<8xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<8xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %none, %g : tensor<f32>, tensor<2xf32>, tensor<8xf32>
  }
}

// -----

// G6: a single number is a parameter like any other.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<f32> {fsdp.param = "temperature", fsdp.sharding = #fsdp.sharding<[]>},
      %x: tensor<f32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.updated = "temperature", fsdp.sharding = #fsdp.sharding<[]>}) {
    %own = arith.mulf %w, %x : tensor<f32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @world, or 'fsdp.reduce_scatter', is missing}}
    %m = fsdp.local_grad %x of "temperature" : tensor<f32>
    %g = fsdp.scale %m by 1 over 3 : tensor<f32>
    // expected-error @+1 {{expected the gradient of 'temperature' to be summed over @world before it is used, but got the terms of the ranks}}
    %w2 = arith.subf %w, %g : tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<f32> {fsdp.param = "temperature", fsdp.sharding = #fsdp.sharding<[]>},
      %x: tensor<f32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.updated = "temperature", fsdp.sharding = #fsdp.sharding<[]>}) {
    %own = arith.mulf %w, %x : tensor<f32>
    %m = fsdp.local_grad %x of "temperature" : tensor<f32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<f32>) -> tensor<f32>
    %g = fsdp.scale %r by 1 over 3 : tensor<f32>
    %w2 = arith.subf %w, %g : tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<f32>
  }
}

// -----

// G6: 2 rows on 3 ranks are stored in chunks of one row; the last rank has
// padding, which is cut behind the gather and put back in front of the scatter.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<1x4xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@world}, {}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1x4xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@world}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %pad = arith.constant 0.0 : f32
    %all = fsdp.all_gather %w over @world dim 0 : (tensor<1x4xf32>) -> tensor<3x4xf32>
    %full = tensor.extract_slice %all[0, 0] [2, 4] [1, 1] : tensor<3x4xf32> to tensor<2x4xf32>
    %f = tensor.collapse_shape %full [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xf = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %own = linalg.dot ins(%f, %xf : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<2x4xf32>
    %padded = tensor.pad %m low[0, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %pad : f32
    } : tensor<2x4xf32> to tensor<3x4xf32>
    %s = fsdp.reduce_scatter sum %padded over @world dim 0 : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %g = fsdp.scale %s by 1 over 3 : tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<1x4xf32>
  }
}

// -----

// G7: over a group of one rank there is nothing to send, but the scale stays.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @self = #fsdp.classes<[4, 1] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w",
          fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>, fsdp.storage = #fsdp.sharding<[{@self}], varying = {@world}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w",
              fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>, fsdp.storage = #fsdp.sharding<[{@self}], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @self dim 0 : (tensor<4xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be scaled by 1/4, but got 1}}
    %s = fsdp.reduce_scatter sum %m over @self dim 0 : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{it is used here}}
    %w2 = arith.subf %w, %s : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @self = #fsdp.classes<[4, 1] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w",
          fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>, fsdp.storage = #fsdp.sharding<[{@self}], varying = {@world}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w",
              fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>, fsdp.storage = #fsdp.sharding<[{@self}], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @self dim 0 : (tensor<4xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @self dim 0 : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<4xf32>
    %w2 = arith.subf %w, %g : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %w2 : tensor<f32>, tensor<4xf32>
  }
}
