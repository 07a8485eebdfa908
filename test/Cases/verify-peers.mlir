// SPDX-License-Identifier: Apache-2.0
// The programs on which other checkers fail (they pass what is wrong, or reject
// what is right), from plain IR: roles and placements at the boundary only,
// gradients marked nowhere.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// Right: what all the wrong ones below are compared with.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Wrong divisor: the size of a node.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be scaled by 1/4, but got 1/2}}
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Doubled averaging.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    %mean = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be scaled by 1/4, but got 1/16}}
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %mean by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Double reduction, with a divisor that makes up for it in one place only.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %once = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be scaled by 1/4, but got 1/2, since a value that is equal on ranks is summed over them}}
    %r = fsdp.all_reduce sum %once over @node : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A gradient that nothing reduces, and nothing annotates.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @world, or 'fsdp.reduce_scatter', is missing}}
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{expected the gradient of 'w' to be summed over @world before it is used, but got the terms of the ranks}}
    %g = fsdp.scale %x by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A maximum in place of a sum.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of this reduction on @across, but got those of another one}}
    %g = fsdp.all_reduce max %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Wrong group: of equal size, and half of the ranks are left out.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @across, or 'fsdp.reduce_scatter', is missing}}
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %r = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be summed over @across before it is used, but got the terms of the ranks}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Experts mixed: the parameter differs on the ranks of a node.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{it is placed here}}
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected ranks that hold the same parameter on @node, but each holds another one}}
    %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %r = fsdp.all_reduce sum %x over @across : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A right slice of a partial value: the pieces are summed behind it, over the
// ranks that it is a sum over.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %piece = fsdp.slice %x over @node dim 0 : tensor<4xf32> to tensor<2xf32>
    %r = fsdp.all_reduce sum %piece over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// A wrong one: the sum goes on over the ranks that have other pieces.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%full, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.slice': expected a whole value on @across, but got terms of a sum, of which the other ranks' would be lost}}
    %piece = fsdp.slice %x over @world dim 0 : tensor<4xf32> to tensor<1xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @across, but got different chunks of one value}}
    %r = fsdp.all_reduce sum %piece over @across : (tensor<1xf32>) -> tensor<1xf32>
    // expected-error @+1 {{'fsdp.all_gather': expected chunks of one value on @across, but got a value that is equal on its ranks}}
    %g1 = fsdp.all_gather %r over @across dim 0 : (tensor<1xf32>) -> tensor<2xf32>
    %g = fsdp.scale %g1 by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// A right reduction over the world: a sum over tp, where each rank has some rows,
// and a mean over dp. The divisor is the size of dp.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %dw = linalg.reduce ins(%x : tensor<3x4xf32>) outs(%none : tensor<4xf32>) dimensions = [0]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %term = linalg.dot ins(%w, %dw : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %r = fsdp.all_reduce sum %dw over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// With the size of the world.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %dw = linalg.reduce ins(%x : tensor<3x4xf32>) outs(%none : tensor<4xf32>) dimensions = [0]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %term = linalg.dot ins(%w, %dw : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %r = fsdp.all_reduce sum %dw over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+2 {{expected the gradient of 'ln.weight' to be scaled by 1/2, but got 1/4}}
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Presence: rank 0 takes no part.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @world
    %first = arith.cmpi eq, %i, %c0 : index
    // expected-note @+1 {{it is decided here}}
    %g = scf.if %first -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      // expected-error @+1 {{'fsdp.all_reduce' op expected the condition that it runs under to be equal on all ranks of @world, but got one that differs}}
      %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Order: two groups, in opposite order on rank 0 and on the others.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @world
    %first = arith.cmpi eq, %i, %c0 : index
    // expected-note @+1 {{it is decided here}}
    %g = scf.if %first -> tensor<4xf32> {
      // expected-error @+1 {{'fsdp.all_reduce' op expected the condition that it runs under to be equal on all ranks of @node, but got one that differs}}
      %q = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      %r = fsdp.all_reduce sum %q over @across : (tensor<4xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    } else {
      // expected-note @+1 {{here the branches have different collectives}}
      %q = fsdp.all_reduce sum %x over @across : (tensor<4xf32>) -> tensor<4xf32>
      %r = fsdp.all_reduce sum %q over @node : (tensor<4xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Shape: rank 0 sends half, twice.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @world
    %first = arith.cmpi eq, %i, %c0 : index
    // expected-note @+1 {{it is decided here}}
    %g = scf.if %first -> tensor<4xf32> {
      %h = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
      %h2 = tensor.extract_slice %x[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
      // expected-error @+1 {{'fsdp.all_reduce' op expected the condition that it runs under to be equal on all ranks of @world, but got one that differs}}
      %q = fsdp.all_reduce sum %h over @world : (tensor<2xf32>) -> tensor<2xf32>
      %q2 = fsdp.all_reduce sum %h2 over @world : (tensor<2xf32>) -> tensor<2xf32>
      %r = tensor.concat dim(0) %q, %q2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    } else {
      // expected-note @+1 {{here the branches have different collectives}}
      %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A sum on rank 0 and an average on the others: the same collectives, so nothing
// hangs, but what comes out differs.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{it is marked here}}
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %c0 = arith.constant 0 : index
    %i = fsdp.rank_index @world
    %first = arith.cmpi eq, %i, %c0 : index
    // expected-error @+1 {{expected the gradient of 'w', but got what it is no part of}}
    %g = scf.if %first -> tensor<4xf32> {
      %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %r : tensor<4xf32>
    } else {
      %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// The same on all ranks, in a branch that is equal everywhere.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %c = arith.constant true
    %g = scf.if %c -> tensor<4xf32> {
      %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    } else {
      %r = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      %s = fsdp.scale %r by 1 over 4 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}
