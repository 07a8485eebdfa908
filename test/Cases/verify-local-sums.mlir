// SPDX-License-Identifier: Apache-2.0
// Sums that each rank does itself, of what the others sent: an all-reduce, or a
// reduce-scatter, written by hand.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// The terms of all ranks, in rows that are added up.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %m1 = tensor.expand_shape %m [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %all = fsdp.all_gather %m1 over @world dim 0 : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %r = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// One behind the other, then in rows.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %all0 = fsdp.all_gather %m over @world dim 0 : (tensor<4xf32>) -> tensor<16xf32>
    %all = tensor.expand_shape %all0 [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %r = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Each rank's elements are added up.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    // expected-error @+1 {{'fsdp.all_gather': expected chunks of one value on @world, but got terms of a sum that is not done}}
    %all0 = fsdp.all_gather %m over @world dim 0 : (tensor<4xf32>) -> tensor<16xf32>
    %all = tensor.expand_shape %all0 [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    // expected-note @+1 {{the value comes from here}}
    %r = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+1 {{'fsdp.scale': expected a gradient, a loss or a buffer to be scaled, but got what was made of gradients}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Their maximum is taken.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %m1 = tensor.expand_shape %m [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    // expected-error @+1 {{'fsdp.all_gather': expected chunks of one value on @world, but got terms of a sum that is not done}}
    %all = fsdp.all_gather %m1 over @world dim 0 : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    // expected-note @+1 {{the value comes from here}}
    %r = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.maximumf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+1 {{'fsdp.scale': expected a gradient, a loss or a buffer to be scaled, but got what was made of gradients}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// The sum starts from something.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %m1 = tensor.expand_shape %m [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    // expected-error @+1 {{'fsdp.all_gather': expected chunks of one value on @world, but got terms of a sum that is not done}}
    %all = fsdp.all_gather %m1 over @world dim 0 : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %z4 = arith.constant dense<1.0> : tensor<4xf32>
    // expected-note @+1 {{the value comes from here}}
    %r = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+1 {{'fsdp.scale': expected a gradient, a loss or a buffer to be scaled, but got what was made of gradients}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Averaged once too often.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %m1 = tensor.expand_shape %m [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %all = fsdp.all_gather %m1 over @world dim 0 : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %r = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+2 {{expected the gradient of 'w' to be scaled by 1/4, but got 1/8}}
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 8 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Summed again, over the same ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %m1 = tensor.expand_shape %m [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %all = fsdp.all_gather %m1 over @world dim 0 : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %r0 = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+1 {{expected the gradient of 'w' to be scaled by 1/4, but got 1, since a value that is equal on ranks is summed over them}}
    %r = fsdp.all_reduce sum %r0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// What is summed already is the same in all rows.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %m0 = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{the value comes from here}}
    %m1 = tensor.expand_shape %m0 [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    // expected-error @+1 {{'fsdp.all_gather': expected chunks of one value on @world, but got a value that is equal on its ranks}}
    %all = fsdp.all_gather %m1 over @world dim 0 : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    // expected-note @+1 {{the value comes from here}}
    %r = linalg.reduce ins(%all : tensor<4x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+1 {{'fsdp.scale': expected a gradient, a loss or a buffer to be scaled, but got what was made of gradients}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Each rank adds up its chunk of all terms.
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
    %f = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%f, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %m2 = tensor.expand_shape %m [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
    %t2 = fsdp.all_to_all %m2 over @world split 0 concat 0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %z2 = arith.constant dense<0.0> : tensor<2xf32>
    %r = linalg.reduce ins(%t2 : tensor<4x2xf32>) outs(%z2 : tensor<2xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The same, with chunks one behind the other.
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
    %f = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%f, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %t = fsdp.all_to_all %m over @world split 0 concat 0 : (tensor<8xf32>) -> tensor<8xf32>
    %t2 = tensor.expand_shape %t [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
    %z2 = arith.constant dense<0.0> : tensor<2xf32>
    %r = linalg.reduce ins(%t2 : tensor<4x2xf32>) outs(%z2 : tensor<2xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// In rows that are no rank's chunk.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %f = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%f, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    // expected-error @+1 {{'fsdp.all_to_all': expected chunks of one value on @world, but got terms of a sum that is not done}}
    %t = fsdp.all_to_all %m over @world split 0 concat 0 : (tensor<8xf32>) -> tensor<8xf32>
    %t2 = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %z2 = arith.constant dense<0.0> : tensor<2xf32>
    %r = linalg.reduce ins(%t2 : tensor<2x4xf32>) outs(%z2 : tensor<2xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+1 {{'fsdp.scale': expected a gradient, a loss or a buffer to be scaled, but got what was made of gradients}}
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Averaged over the ranks of a node.
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
    %f = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%f, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %m2 = tensor.expand_shape %m [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
    %t2 = fsdp.all_to_all %m2 over @world split 0 concat 0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %z2 = arith.constant dense<0.0> : tensor<2xf32>
    %r = linalg.reduce ins(%t2 : tensor<4x2xf32>) outs(%z2 : tensor<2xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+2 {{expected the gradient of 'w' to be scaled by 1/4, but got 1/2}}
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// One rank's term in place of the sum.
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
    %f = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %own = linalg.dot ins(%f, %x : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %m = fsdp.local_grad %x of "w" : tensor<8xf32>
    %m2 = tensor.expand_shape %m [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
    // expected-error @+1 {{'fsdp.all_to_all': expected chunks of one value on @world, but got terms of a sum that is not done}}
    %t2 = fsdp.all_to_all %m2 over @world split 0 concat 0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %r = tensor.extract_slice %t2[0, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Of a bucket, then summed across.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %ra = tensor.expand_shape %ca [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %rb = tensor.expand_shape %cb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %bk = tensor.concat dim(1) %ra, %rb : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<2x10xf32>
    %t2 = fsdp.all_to_all %bk over @node split 0 concat 0 : (tensor<2x10xf32>) -> tensor<2x10xf32>
    %z10 = arith.constant dense<0.0> : tensor<10xf32>
    %s = linalg.reduce ins(%t2 : tensor<2x10xf32>) outs(%z10 : tensor<10xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}
