// SPDX-License-Identifier: Apache-2.0
// B5, B6, B7: what is equal is summed, what is a term is cut, and of two sums
// one is done.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// B5: both ranks of tp compute the same gradient, and it is summed over them.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be scaled by 1/2, but got 1, since a value that is equal on ranks is summed over them}}
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @dp : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Disjoint terms are summed, which is right: each rank of tp has a half of the
// contraction. Reduced again it is wrong.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w1: tensor<3x4xf32> {fsdp.param = "fc1", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %w2: tensor<4x2xf32> {fsdp.param = "fc2",
          fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %x: tensor<5x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %dy: tensor<5x2xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 5, 4>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x4xf32> {fsdp.grad = "fc1", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x2xf32> {fsdp.grad = "fc2",
              fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z54 = arith.constant dense<0.0> : tensor<5x4xf32>
    %z52 = arith.constant dense<0.0> : tensor<5x2xf32>
    %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
    %z34 = arith.constant dense<0.0> : tensor<3x4xf32>
    %h = linalg.matmul ins(%x, %w1 : tensor<5x3xf32>, tensor<3x4xf32>) outs(%z54 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %y = linalg.matmul ins(%h, %w2 : tensor<5x4xf32>, tensor<4x2xf32>) outs(%z52 : tensor<5x2xf32>) -> tensor<5x2xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
    %term = linalg.dot ins(%flat, %dflat : tensor<10xf32>, tensor<10xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %w2te = tensor.empty() : tensor<2x4xf32>
    %w2t = linalg.transpose ins(%w2 : tensor<4x2xf32>) outs(%w2te : tensor<2x4xf32>) permutation = [1, 0]
    %dh = linalg.matmul ins(%dy, %w2t : tensor<5x2xf32>, tensor<2x4xf32>) outs(%z54 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %hte = tensor.empty() : tensor<4x5xf32>
    %ht = linalg.transpose ins(%h : tensor<5x4xf32>) outs(%hte : tensor<4x5xf32>) permutation = [1, 0]
    %xte = tensor.empty() : tensor<3x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%xte : tensor<3x5xf32>) permutation = [1, 0]
    %dw2 = linalg.matmul ins(%ht, %dy : tensor<4x5xf32>, tensor<5x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %dhs = fsdp.all_reduce sum %dh over @tp : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %dw1 = linalg.matmul ins(%xt, %dhs : tensor<3x5xf32>, tensor<5x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %m1 = fsdp.local_grad %dw1 of "fc1" : tensor<3x4xf32>
    %m2 = fsdp.local_grad %dw2 of "fc2" : tensor<4x2xf32>
    // expected-error @+2 {{expected the gradient of 'fc1' to be scaled by 1, but got 2, since a value that is equal on ranks is summed over them}}
    // expected-note @+1 {{it is used here}}
    %g1 = fsdp.all_reduce sum %m1 over @tp : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %loss, %g1, %m2 : tensor<f32>, tensor<3x4xf32>, tensor<4x2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w1: tensor<3x4xf32> {fsdp.param = "fc1", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %w2: tensor<4x2xf32> {fsdp.param = "fc2",
          fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %x: tensor<5x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %dy: tensor<5x2xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 5, 4>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x4xf32> {fsdp.grad = "fc1", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x2xf32> {fsdp.grad = "fc2",
              fsdp.global_shape = array<i64: 4, 4>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z54 = arith.constant dense<0.0> : tensor<5x4xf32>
    %z52 = arith.constant dense<0.0> : tensor<5x2xf32>
    %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
    %z34 = arith.constant dense<0.0> : tensor<3x4xf32>
    %h = linalg.matmul ins(%x, %w1 : tensor<5x3xf32>, tensor<3x4xf32>) outs(%z54 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %y = linalg.matmul ins(%h, %w2 : tensor<5x4xf32>, tensor<4x2xf32>) outs(%z52 : tensor<5x2xf32>) -> tensor<5x2xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
    %term = linalg.dot ins(%flat, %dflat : tensor<10xf32>, tensor<10xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %w2te = tensor.empty() : tensor<2x4xf32>
    %w2t = linalg.transpose ins(%w2 : tensor<4x2xf32>) outs(%w2te : tensor<2x4xf32>) permutation = [1, 0]
    %dh = linalg.matmul ins(%dy, %w2t : tensor<5x2xf32>, tensor<2x4xf32>) outs(%z54 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %hte = tensor.empty() : tensor<4x5xf32>
    %ht = linalg.transpose ins(%h : tensor<5x4xf32>) outs(%hte : tensor<4x5xf32>) permutation = [1, 0]
    %xte = tensor.empty() : tensor<3x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%xte : tensor<3x5xf32>) permutation = [1, 0]
    %dw2 = linalg.matmul ins(%ht, %dy : tensor<4x5xf32>, tensor<5x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %dw1 = linalg.matmul ins(%xt, %dh : tensor<3x5xf32>, tensor<5x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %m1 = fsdp.local_grad %dw1 of "fc1" : tensor<3x4xf32>
    %m2 = fsdp.local_grad %dw2 of "fc2" : tensor<4x2xf32>
    %g1 = fsdp.all_reduce sum %m1 over @tp : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %loss, %g1, %m2 : tensor<f32>, tensor<3x4xf32>, tensor<4x2xf32>
  }
}

// -----

// B6: forward gathers a sequence in front of a product whose columns are split;
// backward cuts the terms instead of scattering their sum.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %ln: tensor<2x4xf32> {fsdp.param = "position",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %w: tensor<4x2xf32> {fsdp.param = "fc",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %dy: tensor<6x2xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 6, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x4xf32> {fsdp.grad = "position",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<4x2xf32> {fsdp.grad = "fc",
              fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z62 = arith.constant dense<0.0> : tensor<6x2xf32>
    %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
    %z64 = arith.constant dense<0.0> : tensor<6x4xf32>
    %h = arith.addf %x, %ln : tensor<2x4xf32>
    %full = fsdp.all_gather %h over @tp dim 0 : (tensor<2x4xf32>) -> tensor<6x4xf32>
    %y = linalg.matmul ins(%full, %w : tensor<6x4xf32>, tensor<4x2xf32>) outs(%z62 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<6x2xf32> into tensor<12xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<6x2xf32> into tensor<12xf32>
    %term = linalg.dot ins(%flat, %dflat : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %fte = tensor.empty() : tensor<4x6xf32>
    %ft = linalg.transpose ins(%full : tensor<6x4xf32>) outs(%fte : tensor<4x6xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%ft, %dy : tensor<4x6xf32>, tensor<6x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %wte = tensor.empty() : tensor<2x4xf32>
    %wt = linalg.transpose ins(%w : tensor<4x2xf32>) outs(%wte : tensor<2x4xf32>) permutation = [1, 0]
    // expected-note @+1 {{the value comes from here}}
    %dfull = linalg.matmul ins(%dy, %wt : tensor<6x2xf32>, tensor<2x4xf32>) outs(%z64 : tensor<6x4xf32>) -> tensor<6x4xf32>
    // expected-error @+1 {{'fsdp.slice': expected a whole value on @tp, but got terms of a sum, of which the other ranks' would be lost}}
    %dh = fsdp.slice %dfull over @tp dim 0 : tensor<6x4xf32> to tensor<2x4xf32>
    %m = fsdp.local_grad %dh of "position" : tensor<2x4xf32>
    %mw = fsdp.local_grad %dw of "fc" : tensor<4x2xf32>
    return %loss, %m, %mw : tensor<f32>, tensor<2x4xf32>, tensor<4x2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %ln: tensor<2x4xf32> {fsdp.param = "position",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %w: tensor<4x2xf32> {fsdp.param = "fc",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
      %dy: tensor<6x2xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 6, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x4xf32> {fsdp.grad = "position",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<4x2xf32> {fsdp.grad = "fc",
              fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z62 = arith.constant dense<0.0> : tensor<6x2xf32>
    %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
    %z64 = arith.constant dense<0.0> : tensor<6x4xf32>
    %h = arith.addf %x, %ln : tensor<2x4xf32>
    %full = fsdp.all_gather %h over @tp dim 0 : (tensor<2x4xf32>) -> tensor<6x4xf32>
    %y = linalg.matmul ins(%full, %w : tensor<6x4xf32>, tensor<4x2xf32>) outs(%z62 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<6x2xf32> into tensor<12xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<6x2xf32> into tensor<12xf32>
    %term = linalg.dot ins(%flat, %dflat : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %fte = tensor.empty() : tensor<4x6xf32>
    %ft = linalg.transpose ins(%full : tensor<6x4xf32>) outs(%fte : tensor<4x6xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%ft, %dy : tensor<4x6xf32>, tensor<6x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %wte = tensor.empty() : tensor<2x4xf32>
    %wt = linalg.transpose ins(%w : tensor<4x2xf32>) outs(%wte : tensor<2x4xf32>) permutation = [1, 0]
    %dfull = linalg.matmul ins(%dy, %wt : tensor<6x2xf32>, tensor<2x4xf32>) outs(%z64 : tensor<6x4xf32>) -> tensor<6x4xf32>
    %dh = fsdp.reduce_scatter sum %dfull over @tp dim 0 : (tensor<6x4xf32>) -> tensor<2x4xf32>
    %m = fsdp.local_grad %dh of "position" : tensor<2x4xf32>
    %mw = fsdp.local_grad %dw of "fc" : tensor<4x2xf32>
    return %loss, %m, %mw : tensor<f32>, tensor<2x4xf32>, tensor<4x2xf32>
  }
}

// -----

// A slice of what is equal sends nothing and is right; so is a slice of a term
// along a dimension that the sum keeps, with the sum behind it.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @dp = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @tp dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %chunk = fsdp.slice %m over @tp dim 0 : tensor<6xf32> to tensor<2xf32>
    %r = fsdp.all_reduce sum %chunk over @dp : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// B7: a product over what is split on two groups is a sum over both. To rows
// that are split over one, it is scattered over that one; the other is lost.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @a = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @b = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2x3xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8, 3>, fsdp.sharding = #fsdp.sharding<[{@b, @a}, {}]>},
      %x: tensor<4x2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 4, 8>, fsdp.sharding = #fsdp.sharding<[{}, {@b, @a}]>},
      %dy: tensor<2x3xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{@a}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8, 3>, fsdp.sharding = #fsdp.sharding<[{@b, @a}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %z23 = arith.constant dense<0.0> : tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x3xf32>
    %y = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%z43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %rows = fsdp.reduce_scatter sum %y over @a dim 0 : (tensor<4x3xf32>) -> tensor<2x3xf32>
    // expected-note @+1 {{here terms of a sum over @b meet what is none: the sum is not done}}
    %h = linalg.tanh ins(%rows : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    %flat = tensor.collapse_shape %h [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %term = linalg.dot ins(%flat, %dflat : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @a : (tensor<f32>) -> tensor<f32>
    %one = arith.constant dense<1.0> : tensor<2x3xf32>
    %h2 = arith.mulf %h, %h : tensor<2x3xf32>
    %slope = arith.subf %one, %h2 : tensor<2x3xf32>
    %drows = arith.mulf %dy, %slope : tensor<2x3xf32>
    %dall = fsdp.all_gather %drows over @a dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %xte = tensor.empty() : tensor<2x4xf32>
    %xt = linalg.transpose ins(%x : tensor<4x2xf32>) outs(%xte : tensor<2x4xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%xt, %dall : tensor<2x4xf32>, tensor<4x3xf32>) outs(%z23 : tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error @+1 {{gradient of 'w': expected a gradient that is placed as its parameter on @b, but got one that differs in another way}}
    %m = fsdp.local_grad %dw of "w" : tensor<2x3xf32>
    return %loss, %m : tensor<f32>, tensor<2x3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @a = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @b = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2x3xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 8, 3>, fsdp.sharding = #fsdp.sharding<[{@b, @a}, {}]>},
      %x: tensor<4x2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 4, 8>, fsdp.sharding = #fsdp.sharding<[{}, {@b, @a}]>},
      %dy: tensor<2x3xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{@a}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8, 3>, fsdp.sharding = #fsdp.sharding<[{@b, @a}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %z23 = arith.constant dense<0.0> : tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x3xf32>
    %y = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%z43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %part = fsdp.reduce_scatter sum %y over @a dim 0 : (tensor<4x3xf32>) -> tensor<2x3xf32>
    %rows = fsdp.all_reduce sum %part over @b : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %h = linalg.tanh ins(%rows : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    %flat = tensor.collapse_shape %h [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %term = linalg.dot ins(%flat, %dflat : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @a : (tensor<f32>) -> tensor<f32>
    %one = arith.constant dense<1.0> : tensor<2x3xf32>
    %h2 = arith.mulf %h, %h : tensor<2x3xf32>
    %slope = arith.subf %one, %h2 : tensor<2x3xf32>
    %drows = arith.mulf %dy, %slope : tensor<2x3xf32>
    %dall = fsdp.all_gather %drows over @a dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %xte = tensor.empty() : tensor<2x4xf32>
    %xt = linalg.transpose ins(%x : tensor<4x2xf32>) outs(%xte : tensor<2x4xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%xt, %dall : tensor<2x4xf32>, tensor<4x3xf32>) outs(%z23 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %m = fsdp.local_grad %dw of "w" : tensor<2x3xf32>
    return %loss, %m : tensor<f32>, tensor<2x3xf32>
  }
}

// -----

// B7 of a gradient: stored in pieces over one of two groups of a batch.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @odds = #fsdp.classes<[2, 3] from [3, 2] T(1, 0)>
  fsdp.process_group @pairs = #fsdp.classes<[3, 2] from [6]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@odds}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@odds}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @odds dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @pairs, or 'fsdp.reduce_scatter', is missing}}
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be summed over @pairs before it is used, but got the terms of the ranks}}
    %g = fsdp.reduce_scatter sum %m over @odds dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @odds = #fsdp.classes<[2, 3] from [3, 2] T(1, 0)>
  fsdp.process_group @pairs = #fsdp.classes<[3, 2] from [6]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@odds}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@odds}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @odds dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @odds dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %g = fsdp.all_reduce sum %s over @pairs : (tensor<2xf32>) -> tensor<2xf32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}
