// SPDX-License-Identifier: Apache-2.0
// A2: a loss that is averaged already is averaged again. A3: a loss over a
// count of tokens, whose gradients are besides divided by the number of ranks.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// The model has taken the mean; what is summed is equal on all ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %six = arith.constant dense<6.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %all = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %mean = arith.divf %all, %six : tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g6 = fsdp.scale %g by 1 over 6 : tensor<4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got a value that is equal on its ranks, which would be counted 6 times}}
    %sum = fsdp.all_reduce sum %mean over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %g6 : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %six = arith.constant dense<6.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %all = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %mean = arith.divf %all, %six : tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g6 = fsdp.scale %g by 1 over 6 : tensor<4xf32>
    return %mean, %g6 : tensor<f32>, tensor<4xf32>
  }
}

// -----

// The gradients are averaged twice, the loss once.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g6 = fsdp.scale %g by 1 over 6 : tensor<4xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be scaled by 1/6, but got 1/36}}
    // expected-note @+1 {{it is used here}}
    %g36 = fsdp.scale %g6 by 1 over 6 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %g36 : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A global batch: the loss is replicated, and the mean over ranks is not taken.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %x: tensor<2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %term = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<2xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be scaled by 1, but got 1/3}}
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %m by 1 over 3 : tensor<2xf32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %x: tensor<2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %term = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<2xf32>
    return %loss, %m : tensor<f32>, tensor<2xf32>
  }
}

// -----

// A3: the sum over all tokens divides; a mean over ranks on top is one too many.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %n: tensor<f32> {fsdp.input = "n", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world], divide_by = "tokens">,
          fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<f32> {fsdp.output = "tokens", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %tokens = fsdp.all_reduce sum %n over @world : (tensor<f32>) -> tensor<f32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be scaled by 1, but got 1/4}}
    %g4 = fsdp.scale %g by 1 over 4 : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %divisor = linalg.broadcast ins(%tokens : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
    // expected-note @+1 {{it is used here}}
    %mean = arith.divf %g4, %divisor : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = arith.divf %sum, %tokens : tensor<f32>
    return %loss, %mean, %n : tensor<f32>, tensor<4xf32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %n: tensor<f32> {fsdp.input = "n", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world], divide_by = "tokens">,
          fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<f32> {fsdp.output = "tokens", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %tokens = fsdp.all_reduce sum %n over @world : (tensor<f32>) -> tensor<f32>
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %divisor = linalg.broadcast ins(%tokens : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
    %mean = arith.divf %g, %divisor : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = arith.divf %sum, %tokens : tensor<f32>
    return %loss, %mean, %n : tensor<f32>, tensor<4xf32>, tensor<f32>
  }
}

// -----

// Each rank divides by its own count, which weighs tokens by rank.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %n: tensor<f32> {fsdp.input = "n", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world], divide_by = "tokens">,
          fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<f32> {fsdp.output = "tokens", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    // expected-note @+1 {{synchronised last here}}
    %g = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %divisor = linalg.broadcast ins(%n : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
    // expected-error @+2 {{expected the gradient of 'w' to be summed over @world, but here it meets what is not}}
    // expected-note @+1 {{it is used here}}
    %mean = arith.divf %g, %divisor : tensor<4xf32>
    %tokens = fsdp.all_reduce sum %n over @world : (tensor<f32>) -> tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = arith.divf %sum, %tokens : tensor<f32>
    return %loss, %mean, %n : tensor<f32>, tensor<4xf32>, tensor<f32>
  }
}
