// SPDX-License-Identifier: Apache-2.0
// V3, A1, A4: the scale of what experts get is that of the loss, whatever the
// group in which an expert is stored or copied, and how many ranks sent tokens.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// V3: both ranks' tokens go to the expert of rank 0, loss = mean over ranks.
// The expert's own group has one rank; a scale of 1 gives 6 instead of 3.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @ep = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<1x1xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>},
      %x: tensor<2x1xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>},
      %gate: tensor<2x1xf32> {fsdp.input = "gate", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@ep]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1x1xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2x1xf32>
    %start = arith.constant dense<0.0> : tensor<1x1xf32>
    %tokens = fsdp.all_to_all %x over @ep split 0 concat 0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %h = linalg.matmul ins(%tokens, %w : tensor<2x1xf32>, tensor<1x1xf32>) outs(%none : tensor<2x1xf32>) -> tensor<2x1xf32>
    %y = fsdp.all_to_all %h over @ep split 0 concat 0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %y1 = tensor.collapse_shape %y [[0, 1]] : tensor<2x1xf32> into tensor<2xf32>
    %gate1 = tensor.collapse_shape %gate [[0, 1]] : tensor<2x1xf32> into tensor<2xf32>
    %own = linalg.dot ins(%y1, %gate1 : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dh = fsdp.all_to_all %gate over @ep split 0 concat 0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %tokens_te = tensor.empty() : tensor<1x2xf32>
    %tokens_t = linalg.transpose ins(%tokens : tensor<2x1xf32>) outs(%tokens_te : tensor<1x2xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%tokens_t, %dh : tensor<1x2xf32>, tensor<2x1xf32>) outs(%start : tensor<1x1xf32>) -> tensor<1x1xf32>
    // expected-error @+2 {{expected the gradient of 'experts.w' to be scaled by 1/2, but got 1}}
    // expected-note @+1 {{it is used here}}
    %m = fsdp.local_grad %dw of "experts.w" : tensor<1x1xf32>
    %sum = fsdp.all_reduce sum %own over @ep : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %m : tensor<f32>, tensor<1x1xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @ep = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<1x1xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>},
      %x: tensor<2x1xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>},
      %gate: tensor<2x1xf32> {fsdp.input = "gate", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@ep]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1x1xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2x1xf32>
    %start = arith.constant dense<0.0> : tensor<1x1xf32>
    %tokens = fsdp.all_to_all %x over @ep split 0 concat 0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %h = linalg.matmul ins(%tokens, %w : tensor<2x1xf32>, tensor<1x1xf32>) outs(%none : tensor<2x1xf32>) -> tensor<2x1xf32>
    %y = fsdp.all_to_all %h over @ep split 0 concat 0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %y1 = tensor.collapse_shape %y [[0, 1]] : tensor<2x1xf32> into tensor<2xf32>
    %gate1 = tensor.collapse_shape %gate [[0, 1]] : tensor<2x1xf32> into tensor<2xf32>
    %own = linalg.dot ins(%y1, %gate1 : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dh = fsdp.all_to_all %gate over @ep split 0 concat 0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %tokens_te = tensor.empty() : tensor<1x2xf32>
    %tokens_t = linalg.transpose ins(%tokens : tensor<2x1xf32>) outs(%tokens_te : tensor<1x2xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%tokens_t, %dh : tensor<1x2xf32>, tensor<2x1xf32>) outs(%start : tensor<1x1xf32>) -> tensor<1x1xf32>
    %m = fsdp.local_grad %dw of "experts.w" : tensor<1x1xf32>
    %g = fsdp.scale %m by 1 over 2 : tensor<1x1xf32>
    %sum = fsdp.all_reduce sum %own over @ep : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<1x1xf32>
  }
}

// -----

// A1: 4 experts, two copies of each. Divided by the number of copies, they
// come out ep = 4 times too large.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @edp = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<3xf32>
    %tokens = fsdp.all_to_all %x over @ep split 0 concat 0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %e = tensor.empty() : tensor<3xf32>
    %dw = linalg.reduce ins(%tokens : tensor<4x3xf32>) outs(%none : tensor<3xf32>) dimensions = [0]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %own = linalg.dot ins(%w, %dw : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %dw of "experts.w" : tensor<3xf32>
    %g = fsdp.all_reduce sum %m over @edp : (tensor<3xf32>) -> tensor<3xf32>
    // expected-error @+1 {{expected the gradient of 'experts.w' to be scaled by 1/8, but got 1/2}}
    %g2 = fsdp.scale %g by 1 over 2 : tensor<3xf32>
    %rate = linalg.broadcast ins(%lr : tensor<f32>) outs(%e : tensor<3xf32>) dimensions = [0]
    %change = arith.mulf %g2, %rate : tensor<3xf32>
    // expected-note @+1 {{it is used here}}
    %new = arith.subf %w, %change : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %new : tensor<f32>, tensor<3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @edp = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<3xf32>
    %tokens = fsdp.all_to_all %x over @ep split 0 concat 0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %e = tensor.empty() : tensor<3xf32>
    %dw = linalg.reduce ins(%tokens : tensor<4x3xf32>) outs(%none : tensor<3xf32>) dimensions = [0]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %own = linalg.dot ins(%w, %dw : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %dw of "experts.w" : tensor<3xf32>
    %g = fsdp.all_reduce sum %m over @edp : (tensor<3xf32>) -> tensor<3xf32>
    %g8 = fsdp.scale %g by 1 over 8 : tensor<3xf32>
    %rate = linalg.broadcast ins(%lr : tensor<f32>) outs(%e : tensor<3xf32>) dimensions = [0]
    %change = arith.mulf %g8, %rate : tensor<3xf32>
    %new = arith.subf %w, %change : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %new : tensor<f32>, tensor<3xf32>
  }
}

// -----

// A4: an expert that is declared the same on all ranks must be reduced over
// all of them, wherever it is stored.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.process_group @self = #fsdp.classes<[3, 1] from [3]>
  fsdp.unit @experts {shard = @self, reshard_after_forward = false}
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "experts.w", fsdp.unit = @experts, fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @world, or 'fsdp.reduce_scatter', is missing}}
    %m = fsdp.local_grad %x of "experts.w" : tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'experts.w' to be summed over @world before it is used, but got the terms of the ranks}}
    %g = fsdp.scale %m by 1 over 3 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.process_group @self = #fsdp.classes<[3, 1] from [3]>
  fsdp.unit @experts {shard = @self, reshard_after_forward = false}
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "experts.w", fsdp.unit = @experts, fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.w" : tensor<4xf32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g3 = fsdp.scale %g by 1 over 3 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %g3 : tensor<f32>, tensor<4xf32>
  }
}

// -----

// One that is declared to differ needs no collective, but still the scale.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.process_group @self = #fsdp.classes<[3, 1] from [3]>
  fsdp.unit @experts {shard = @self, reshard_after_forward = false}
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "experts.w", fsdp.unit = @experts,
          fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "experts.w", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.w" : tensor<4xf32>
    %g = fsdp.scale %m by 1 over 3 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}
