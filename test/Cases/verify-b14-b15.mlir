// SPDX-License-Identifier: Apache-2.0
// B14: a sum over ranks that starts from a bias on each. B15: a collective of
// the model that backward does not know.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// B14: the rows of the second weight are split, so the products are terms; each
// rank starts from the bias.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<2x4xf32> {fsdp.param = "fc2.weight",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %b: tensor<5x4xf32> {fsdp.param = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %x: tensor<5x2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 5, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %dy: tensor<5x4xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x4xf32> {fsdp.grad = "fc2.weight",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<5x4xf32> {fsdp.grad = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z24 = arith.constant dense<0.0> : tensor<2x4xf32>
    // expected-note @+1 {{the value comes from here}}
    %term = linalg.matmul ins(%x, %w : tensor<5x2xf32>, tensor<2x4xf32>) outs(%b : tensor<5x4xf32>) -> tensor<5x4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @tp, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %y = fsdp.all_reduce sum %term over @tp : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
    %loss = linalg.dot ins(%flat, %dflat : tensor<20xf32>, tensor<20xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %xte = tensor.empty() : tensor<2x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x2xf32>) outs(%xte : tensor<2x5xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%xt, %dy : tensor<2x5xf32>, tensor<5x4xf32>) outs(%z24 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %mw = fsdp.local_grad %dw of "fc2.weight" : tensor<2x4xf32>
    %mb = fsdp.local_grad %dy of "fc2.bias" : tensor<5x4xf32>
    return %loss, %mw, %mb : tensor<f32>, tensor<2x4xf32>, tensor<5x4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<2x4xf32> {fsdp.param = "fc2.weight",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %b: tensor<5x4xf32> {fsdp.param = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %x: tensor<5x2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 5, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %dy: tensor<5x4xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x4xf32> {fsdp.grad = "fc2.weight",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<5x4xf32> {fsdp.grad = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z24 = arith.constant dense<0.0> : tensor<2x4xf32>
    %z54 = arith.constant dense<0.0> : tensor<5x4xf32>
    %term = linalg.matmul ins(%x, %w : tensor<5x2xf32>, tensor<2x4xf32>) outs(%z54 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %all = fsdp.all_reduce sum %term over @tp : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %y = arith.addf %all, %b : tensor<5x4xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
    %loss = linalg.dot ins(%flat, %dflat : tensor<20xf32>, tensor<20xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %xte = tensor.empty() : tensor<2x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x2xf32>) outs(%xte : tensor<2x5xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%xt, %dy : tensor<2x5xf32>, tensor<5x4xf32>) outs(%z24 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %mw = fsdp.local_grad %dw of "fc2.weight" : tensor<2x4xf32>
    %mb = fsdp.local_grad %dy of "fc2.bias" : tensor<5x4xf32>
    return %loss, %mw, %mb : tensor<f32>, tensor<2x4xf32>, tensor<5x4xf32>
  }
}

// -----

// The bias of one rank only is right as well: it is counted once.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<2x4xf32> {fsdp.param = "fc2.weight",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %b: tensor<5x4xf32> {fsdp.param = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %x: tensor<5x2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 5, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %dy: tensor<5x4xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x4xf32> {fsdp.grad = "fc2.weight",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<5x4xf32> {fsdp.grad = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z24 = arith.constant dense<0.0> : tensor<2x4xf32>
    %z54 = arith.constant dense<0.0> : tensor<5x4xf32>
    %c0 = arith.constant 0 : index
    %i = fsdp.rank_index @tp
    %first = arith.cmpi eq, %i, %c0 : index
    %start = arith.select %first, %b, %z54 : tensor<5x4xf32>
    %term = linalg.matmul ins(%x, %w : tensor<5x2xf32>, tensor<2x4xf32>) outs(%start : tensor<5x4xf32>) -> tensor<5x4xf32>
    %y = fsdp.all_reduce sum %term over @tp : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
    %loss = linalg.dot ins(%flat, %dflat : tensor<20xf32>, tensor<20xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %xte = tensor.empty() : tensor<2x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x2xf32>) outs(%xte : tensor<2x5xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%xt, %dy : tensor<2x5xf32>, tensor<5x4xf32>) outs(%z24 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %mw = fsdp.local_grad %dw of "fc2.weight" : tensor<2x4xf32>
    %mb = fsdp.local_grad %dy of "fc2.bias" : tensor<5x4xf32>
    return %loss, %mw, %mb : tensor<f32>, tensor<2x4xf32>, tensor<5x4xf32>
  }
}

// -----

// B15: the router's load is summed over all ranks in forward. The exporter has
// detached the collective: backward goes on with the derivative of one rank.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  // expected-note @+1 {{the derivative of a sum over ranks is a sum over the same ranks}}
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %load = arith.mulf %x, %w : tensor<3xf32>
    // expected-error @+1 {{expected a counterpart over @world in backward of what joins values that differ on its ranks, but got none}}
    %all = fsdp.all_reduce sum %load over @world : (tensor<3xf32>) -> tensor<3xf32>
    %own = linalg.dot ins(%all, %load : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dload = arith.addf %all, %load : tensor<3xf32>
    %dw = arith.mulf %dload, %x : tensor<3xf32>
    %m = fsdp.local_grad %dw of "router.weight" : tensor<3xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<3xf32>) -> tensor<3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<3xf32>
  }
}

// -----

// With the sum that is its derivative.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %load = arith.mulf %x, %w : tensor<3xf32>
    %all = fsdp.all_reduce sum %load over @world : (tensor<3xf32>) -> tensor<3xf32>
    %own = linalg.dot ins(%all, %load : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dall = fsdp.all_reduce sum %load over @world : (tensor<3xf32>) -> tensor<3xf32>
    %dload = arith.addf %all, %dall : tensor<3xf32>
    %dw = arith.mulf %dload, %x : tensor<3xf32>
    %m = fsdp.local_grad %dw of "router.weight" : tensor<3xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<3xf32>) -> tensor<3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<3xf32>
  }
}

// -----

// Off the gradient's path: statistics that are put out only.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.output = "load", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %load = arith.mulf %x, %w : tensor<3xf32>
    %all = fsdp.all_reduce sum %load over @world : (tensor<3xf32>) -> tensor<3xf32>
    %own = linalg.dot ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "router.weight" : tensor<3xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<3xf32>) -> tensor<3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g, %all : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// B15 on tp: forward gathers what is split, backward goes on with the chunk of
// the derivative that this rank computed, a term.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "gate",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %v: tensor<2x6xf32> {fsdp.param = "fc",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %x: tensor<3xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %dy: tensor<2xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "gate",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z2 = arith.constant dense<0.0> : tensor<2xf32>
    %z6 = arith.constant dense<0.0> : tensor<6xf32>
    %h = arith.mulf %w, %x : tensor<3xf32>
    %all = fsdp.all_gather %h over @tp dim 0 : (tensor<3xf32>) -> tensor<6xf32>
    %y = linalg.matvec ins(%v, %all : tensor<2x6xf32>, tensor<6xf32>) outs(%z2 : tensor<2xf32>) -> tensor<2xf32>
    %term = linalg.dot ins(%y, %dy : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %dall = linalg.vecmat ins(%dy, %v : tensor<2xf32>, tensor<2x6xf32>) outs(%z6 : tensor<6xf32>) -> tensor<6xf32>
    // expected-error @+1 {{'fsdp.slice': expected a whole value on @tp, but got terms of a sum, of which the other ranks' would be lost}}
    %dh = fsdp.slice %dall over @tp dim 0 : tensor<6xf32> to tensor<3xf32>
    %dw = arith.mulf %dh, %x : tensor<3xf32>
    %m = fsdp.local_grad %dw of "gate" : tensor<3xf32>
    return %loss, %m : tensor<f32>, tensor<3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "gate",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %v: tensor<2x6xf32> {fsdp.param = "fc",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %x: tensor<3xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %dy: tensor<2xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "gate",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z2 = arith.constant dense<0.0> : tensor<2xf32>
    %z6 = arith.constant dense<0.0> : tensor<6xf32>
    %h = arith.mulf %w, %x : tensor<3xf32>
    %all = fsdp.all_gather %h over @tp dim 0 : (tensor<3xf32>) -> tensor<6xf32>
    %y = linalg.matvec ins(%v, %all : tensor<2x6xf32>, tensor<6xf32>) outs(%z2 : tensor<2xf32>) -> tensor<2xf32>
    %term = linalg.dot ins(%y, %dy : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %dall = linalg.vecmat ins(%dy, %v : tensor<2xf32>, tensor<2x6xf32>) outs(%z6 : tensor<6xf32>) -> tensor<6xf32>
    %dh = fsdp.reduce_scatter sum %dall over @tp dim 0 : (tensor<6xf32>) -> tensor<3xf32>
    %dw = arith.mulf %dh, %x : tensor<3xf32>
    %m = fsdp.local_grad %dw of "gate" : tensor<3xf32>
    return %loss, %m : tensor<f32>, tensor<3xf32>
  }
}
