// SPDX-License-Identifier: Apache-2.0
// B3, B4: weights that are equal on tp, applied to what is split over tp. Their
// gradients are terms of a sum over tp as well, which no key of a plan names.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

#rows = affine_map<(i, j) -> (i, j)>
#cols = affine_map<(i, j) -> (j)>

// B3: the weight of a layer norm, sequence parallel: each rank of tp has a part
// of the rows. Reduced over dp only.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}], varying = {@dp}>},
      %dy: tensor<3x4xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %xdy = arith.mulf %x, %dy : tensor<3x4xf32>
    %dw = linalg.generic {indexing_maps = [#rows, #cols], iterator_types = ["reduction", "parallel"]}
        ins(%xdy : tensor<3x4xf32>) outs(%none : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<4xf32>
    %term = linalg.dot ins(%w, %dw : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @tp, or 'fsdp.reduce_scatter', is missing}}
    %m = fsdp.local_grad %dw of "ln.weight" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @dp : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'ln.weight' to be summed over @tp before it is used, but got the terms of the ranks}}
    %g = fsdp.scale %r by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

#rows = affine_map<(i, j) -> (i, j)>
#cols = affine_map<(i, j) -> (j)>

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}], varying = {@dp}>},
      %dy: tensor<3x4xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "ln.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %xdy = arith.mulf %x, %dy : tensor<3x4xf32>
    %dw = linalg.generic {indexing_maps = [#rows, #cols], iterator_types = ["reduction", "parallel"]}
        ins(%xdy : tensor<3x4xf32>) outs(%none : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<4xf32>
    %term = linalg.dot ins(%w, %dw : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %dw of "ln.weight" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @dp : (tensor<4xf32>) -> tensor<4xf32>
    %r2 = fsdp.all_reduce sum %r over @tp : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r2 by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// B4: the weight of a norm per head, 6 heads over tp = 3, in the class of every
// second rank.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @tp = #fsdp.classes<[2, 3] from [3, 2] T(1, 0)>
  fsdp.process_group @dp = #fsdp.classes<[3, 2] from [6]>
  func.func @step(
      %wq: tensor<4x6xf32> {fsdp.param = "q.weight",
          fsdp.global_shape = array<i64: 4, 18>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %norm: tensor<3xf32> {fsdp.param = "q_norm.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<5x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@dp}>},
      %dy: tensor<5x2x3xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 5, 6, 3>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}, {}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4x6xf32> {fsdp.grad = "q.weight",
              fsdp.global_shape = array<i64: 4, 18>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
          tensor<3xf32> {fsdp.grad = "q_norm.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z56 = arith.constant dense<0.0> : tensor<5x6xf32>
    %z46 = arith.constant dense<0.0> : tensor<4x6xf32>
    %z3 = arith.constant dense<0.0> : tensor<3xf32>
    %e = tensor.empty() : tensor<5x2x3xf32>
    %qc = linalg.matmul ins(%x, %wq : tensor<5x4xf32>, tensor<4x6xf32>) outs(%z56 : tensor<5x6xf32>) -> tensor<5x6xf32>
    %q = tensor.expand_shape %qc [[0], [1, 2]] output_shape [5, 2, 3] : tensor<5x6xf32> into tensor<5x2x3xf32>
    %qdy = arith.mulf %q, %dy : tensor<5x2x3xf32>
    %dnorm = linalg.reduce ins(%qdy : tensor<5x2x3xf32>) outs(%z3 : tensor<3xf32>) dimensions = [0, 1]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %term = linalg.dot ins(%norm, %dnorm : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %normb = linalg.broadcast ins(%norm : tensor<3xf32>) outs(%e : tensor<5x2x3xf32>) dimensions = [0, 1]
    %dq = arith.mulf %dy, %normb : tensor<5x2x3xf32>
    %dqc = tensor.collapse_shape %dq [[0], [1, 2]] : tensor<5x2x3xf32> into tensor<5x6xf32>
    %xte = tensor.empty() : tensor<4x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x4xf32>) outs(%xte : tensor<4x5xf32>) permutation = [1, 0]
    %dwq = linalg.matmul ins(%xt, %dqc : tensor<4x5xf32>, tensor<5x6xf32>) outs(%z46 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %mq = fsdp.local_grad %dwq of "q.weight" : tensor<4x6xf32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @tp, or 'fsdp.reduce_scatter', is missing}}
    %mn = fsdp.local_grad %dnorm of "q_norm.weight" : tensor<3xf32>
    %rq = fsdp.all_reduce sum %mq over @dp : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %rn = fsdp.all_reduce sum %mn over @dp : (tensor<3xf32>) -> tensor<3xf32>
    %gq = fsdp.scale %rq by 1 over 2 : tensor<4x6xf32>
    // expected-error @+1 {{expected the gradient of 'q_norm.weight' to be summed over @tp before it is used, but got the terms of the ranks}}
    %gn = fsdp.scale %rn by 1 over 2 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %gq, %gn : tensor<f32>, tensor<4x6xf32>, tensor<3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @tp = #fsdp.classes<[2, 3] from [3, 2] T(1, 0)>
  fsdp.process_group @dp = #fsdp.classes<[3, 2] from [6]>
  func.func @step(
      %wq: tensor<4x6xf32> {fsdp.param = "q.weight",
          fsdp.global_shape = array<i64: 4, 18>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
      %norm: tensor<3xf32> {fsdp.param = "q_norm.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<5x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@dp}>},
      %dy: tensor<5x2x3xf32> {fsdp.input = "dy",
          fsdp.global_shape = array<i64: 5, 6, 3>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}, {}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4x6xf32> {fsdp.grad = "q.weight",
              fsdp.global_shape = array<i64: 4, 18>, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
          tensor<3xf32> {fsdp.grad = "q_norm.weight", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z56 = arith.constant dense<0.0> : tensor<5x6xf32>
    %z46 = arith.constant dense<0.0> : tensor<4x6xf32>
    %z3 = arith.constant dense<0.0> : tensor<3xf32>
    %e = tensor.empty() : tensor<5x2x3xf32>
    %qc = linalg.matmul ins(%x, %wq : tensor<5x4xf32>, tensor<4x6xf32>) outs(%z56 : tensor<5x6xf32>) -> tensor<5x6xf32>
    %q = tensor.expand_shape %qc [[0], [1, 2]] output_shape [5, 2, 3] : tensor<5x6xf32> into tensor<5x2x3xf32>
    %qdy = arith.mulf %q, %dy : tensor<5x2x3xf32>
    %dnorm = linalg.reduce ins(%qdy : tensor<5x2x3xf32>) outs(%z3 : tensor<3xf32>) dimensions = [0, 1]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %term = linalg.dot ins(%norm, %dnorm : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %normb = linalg.broadcast ins(%norm : tensor<3xf32>) outs(%e : tensor<5x2x3xf32>) dimensions = [0, 1]
    %dq = arith.mulf %dy, %normb : tensor<5x2x3xf32>
    %dqc = tensor.collapse_shape %dq [[0], [1, 2]] : tensor<5x2x3xf32> into tensor<5x6xf32>
    %xte = tensor.empty() : tensor<4x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x4xf32>) outs(%xte : tensor<4x5xf32>) permutation = [1, 0]
    %dwq = linalg.matmul ins(%xt, %dqc : tensor<4x5xf32>, tensor<5x6xf32>) outs(%z46 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %mq = fsdp.local_grad %dwq of "q.weight" : tensor<4x6xf32>
    %mn = fsdp.local_grad %dnorm of "q_norm.weight" : tensor<3xf32>
    %rq = fsdp.all_reduce sum %mq over @dp : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %rn = fsdp.all_reduce sum %mn over @world : (tensor<3xf32>) -> tensor<3xf32>
    %gq = fsdp.scale %rq by 1 over 2 : tensor<4x6xf32>
    %gn = fsdp.scale %rn by 1 over 2 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @dp : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %gq, %gn : tensor<f32>, tensor<4x6xf32>, tensor<3xf32>
  }
}
