// SPDX-License-Identifier: Apache-2.0
// Ways in which programs say what is right: no alarm on any of them.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// Divided by a constant in front of the sum.
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
    %c = arith.constant dense<4.0> : tensor<4xf32>
    %d = arith.divf %m, %c : tensor<4xf32>
    %g = fsdp.all_reduce sum %d over @world : (tensor<4xf32>) -> tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A factor for each of two sums, in between.
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
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %c = arith.constant dense<0.5> : tensor<4xf32>
    %d = arith.mulf %c, %m : tensor<4xf32>
    %r = fsdp.all_reduce sum %d over @node : (tensor<4xf32>) -> tensor<4xf32>
    %r2 = arith.mulf %r, %c : tensor<4xf32>
    %g = fsdp.all_reduce sum %r2 over @across : (tensor<4xf32>) -> tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A third, as bf16 has it.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.unit @u {shard = @world, reshard_after_forward = false, reduce_dtype = bf16}
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %b = arith.truncf %m : tensor<4xf32> to tensor<4xbf16>
    %c = arith.constant dense<0.333> : tensor<4xbf16>
    %bs = arith.mulf %b, %c : tensor<4xbf16>
    %r = fsdp.all_reduce sum %bs over @world : (tensor<4xbf16>) -> tensor<4xbf16>
    %g = arith.extf %r : tensor<4xbf16> to tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Scale and update in one body.
#id = affine_map<(d) -> (d)>
#sc = affine_map<(d) -> ()>
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %go = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [#id, #id, #sc, #id], iterator_types = ["parallel"]} ins(%w, %r, %lr : tensor<4xf32>, tensor<4xf32>, tensor<f32>) outs(%go : tensor<4xf32>) {
    ^bb0(%ig0: f32, %ig1: f32, %ig2: f32, %og: f32):
      %q = arith.constant 0.25 : f32
      %p = arith.mulf %ig1, %q : f32
      %p2 = arith.mulf %p, %ig2 : f32
      %p3 = arith.subf %ig0, %p2 : f32
      linalg.yield %p3 : f32
    } -> tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A loss scale that is divided out.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %k = arith.constant dense<1024.0> : tensor<4xf32>
    %xs = arith.mulf %x, %k : tensor<4xf32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %xs of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g4 = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %c = arith.constant dense<1024.0> : tensor<4xf32>
    %g = arith.divf %g4, %c : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Multiplied by the learning rate, then summed.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %ee = tensor.empty() : tensor<4xf32>
    %rate = linalg.broadcast ins(%lr : tensor<f32>) outs(%ee : tensor<4xf32>) dimensions = [0]
    %ch = arith.mulf %m, %rate : tensor<4xf32>
    %r = fsdp.all_reduce sum %ch over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %n = arith.subf %w, %g : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// An average over all ranks of what is equal on some.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Scattered in two steps, gathered in one.
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
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @across dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %r = fsdp.reduce_scatter sum %s over @node dim 0 : (tensor<2xf32>) -> tensor<1xf32>
    %s4 = fsdp.scale %r by 1 over 4 : tensor<1xf32>
    %g = fsdp.all_gather %s4 over @world dim 0 : (tensor<1xf32>) -> tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A flat bucket of two gradients.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %a: tensor<4xf32> {fsdp.param = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<4xf32> {fsdp.param = "b", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.grad = "b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %l1 = linalg.dot ins(%a, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%b, %y : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<4xf32>
    %bk = tensor.concat dim(0) %ma, %mb : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %r = fsdp.all_reduce sum %bk over @world : (tensor<8xf32>) -> tensor<8xf32>
    %s = fsdp.scale %r by 1 over 4 : tensor<8xf32>
    %ga = tensor.extract_slice %s[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %gb = tensor.extract_slice %s[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The same, filled piece by piece.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %a: tensor<4xf32> {fsdp.param = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<4xf32> {fsdp.param = "b", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.grad = "b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %l1 = linalg.dot ins(%a, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%b, %y : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<4xf32>
    %e = tensor.empty() : tensor<8xf32>
    %b1 = tensor.insert_slice %ma into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %bk = tensor.insert_slice %mb into %b1[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %r = fsdp.all_reduce sum %bk over @world : (tensor<8xf32>) -> tensor<8xf32>
    %s = fsdp.scale %r by 1 over 4 : tensor<8xf32>
    %ga = tensor.extract_slice %s[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %gb = tensor.extract_slice %s[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Weight decay as part of the gradient.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %k = arith.constant dense<0.1> : tensor<4xf32>
    %wd = arith.mulf %w, %k : tensor<4xf32>
    %gd = arith.addf %g, %wd : tensor<4xf32>
    %ee = tensor.empty() : tensor<4xf32>
    %rate = linalg.broadcast ins(%lr : tensor<f32>) outs(%ee : tensor<4xf32>) dimensions = [0]
    %ch = arith.mulf %gd, %rate : tensor<4xf32>
    %n = arith.subf %w, %ch : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A second moment, of the reduced gradient.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %mu: tensor<4xf32> {fsdp.state = "momentum:w", fsdp.sharding = #fsdp.sharding<[{}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<4xf32> {fsdp.updated_state = "momentum:w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %g2 = arith.mulf %g, %g : tensor<4xf32>
    %beta = arith.constant dense<0.9> : tensor<4xf32>
    %mb = arith.mulf %mu, %beta : tensor<4xf32>
    %mn = arith.addf %mb, %g2 : tensor<4xf32>
    %sq = math.sqrt %mn : tensor<4xf32>
    %u = arith.divf %g, %sq : tensor<4xf32>
    %n = arith.subf %w, %u : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n, %mn : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Clipped by value.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %hi = arith.constant dense<1.0> : tensor<4xf32>
    %lo = arith.constant dense<-1.0> : tensor<4xf32>
    %c1 = arith.minimumf %g, %hi : tensor<4xf32>
    %c2 = arith.maximumf %c1, %lo : tensor<4xf32>
    %n = arith.subf %w, %c2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Clipped by the norm of shards that replicas share.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %f = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %sq = linalg.dot ins(%g, %g : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %q = fsdp.all_reduce sum %sq over @node : (tensor<f32>) -> tensor<f32>
    %nrm = math.sqrt %q : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %ra = arith.divf %one, %nrm : tensor<f32>
    %fa = arith.minimumf %ra, %one : tensor<f32>
    %ce = tensor.empty() : tensor<2xf32>
    %cl = linalg.broadcast ins(%fa : tensor<f32>) outs(%ce : tensor<2xf32>) dimensions = [0]
    %gc = arith.mulf %g, %cl : tensor<2xf32>
    %n = arith.subf %w, %gc : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<2xf32>
  }
}

// -----

// No step where the gradient is not a number, chosen by a select.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %n1 = arith.subf %w, %g : tensor<4xf32>
    %ss = linalg.dot ins(%g, %g : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %v = tensor.extract %ss[] : tensor<f32>
    %ok = arith.cmpf ord, %v, %v : f32
    %n = arith.select %ok, %n1, %w : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// No step, chosen by a branch.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %os = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %v = tensor.extract %os[] : tensor<f32>
    %f0 = arith.constant 0.0 : f32
    %pos = arith.cmpf ogt, %v, %f0 : f32
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %n1 = arith.subf %w, %g : tensor<4xf32>
    %n = scf.if %pos -> tensor<4xf32> {
      scf.yield %n1 : tensor<4xf32>
    } else {
      scf.yield %w : tensor<4xf32>
    }
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A shard cut by arithmetic on the rank's index.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %f = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %i = fsdp.rank_index @node
    %c2 = arith.constant 2 : index
    %o = arith.muli %i, %c2 : index
    %s = tensor.extract_slice %r[%o] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    %n = arith.subf %w, %g : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Gathered in bf16, cast on tensors.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.unit @u {shard = @node, reshard_after_forward = true, param_dtype = bf16, reduce_dtype = f32}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @u,
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %wb = arith.truncf %w : tensor<2xf32> to tensor<2xbf16>
    %fb = fsdp.all_gather %wb over @node dim 0 : (tensor<2xbf16>) -> tensor<4xbf16>
    %f = arith.extf %fb : tensor<4xbf16> to tensor<4xf32>
    %own = linalg.dot ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Micro-batches averaged in the loop, ranks behind it.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>, fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cn = arith.constant 2 : index
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %L:2 = scf.for %i = %c0 to %cn step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<4xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
      %o = linalg.dot ins(%w, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %ms = fsdp.scale %m by 1 over 2 : tensor<4xf32>
      %nx = arith.addf %acc, %ms : tensor<4xf32>
      %ln = arith.addf %l, %o : tensor<f32>
      scf.yield %nx, %ln : tensor<4xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %L#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %L#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A softmax over columns that are split.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4x2xf32> {fsdp.param = "head",
          fsdp.global_shape = array<i64: 4, 8>, fsdp.sharding = #fsdp.sharding<[{}, {@world}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %oh: tensor<3x2xf32> {fsdp.input = "onehot",
          fsdp.global_shape = array<i64: 3, 8>, fsdp.sharding = #fsdp.sharding<[{}, {@world}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4x2xf32> {fsdp.grad = "head",
              fsdp.global_shape = array<i64: 4, 8>, fsdp.sharding = #fsdp.sharding<[{}, {@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z32 = arith.constant dense<0.0> : tensor<3x2xf32>
    %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
    %z3 = arith.constant dense<0.0> : tensor<3xf32>
    %ninf = arith.constant dense<-1.0e30> : tensor<3xf32>
    %e32 = tensor.empty() : tensor<3x2xf32>
    %lg = linalg.matmul ins(%x, %w : tensor<3x4xf32>, tensor<4x2xf32>) outs(%z32 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %m0 = linalg.reduce ins(%lg : tensor<3x2xf32>) outs(%ninf : tensor<3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.maximumf %p, %q : f32
        linalg.yield %pq : f32
      }
    %mx = fsdp.all_reduce max %m0 over @world : (tensor<3xf32>) -> tensor<3xf32>
    %mxb = linalg.broadcast ins(%mx : tensor<3xf32>) outs(%e32 : tensor<3x2xf32>) dimensions = [1]
    %sh = arith.subf %lg, %mxb : tensor<3x2xf32>
    %ex = math.exp %sh : tensor<3x2xf32>
    %s0 = linalg.reduce ins(%ex : tensor<3x2xf32>) outs(%z3 : tensor<3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %se = fsdp.all_reduce sum %s0 over @world : (tensor<3xf32>) -> tensor<3xf32>
    %lo = arith.mulf %sh, %oh : tensor<3x2xf32>
    %t0 = linalg.reduce ins(%lo : tensor<3x2xf32>) outs(%z3 : tensor<3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %tg = fsdp.all_reduce sum %t0 over @world : (tensor<3xf32>) -> tensor<3xf32>
    %ls = math.log %se : tensor<3xf32>
    %nl = arith.subf %ls, %tg : tensor<3xf32>
    %ones = arith.constant dense<1.0> : tensor<3xf32>
    %loss = linalg.dot ins(%nl, %ones : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %seb = linalg.broadcast ins(%se : tensor<3xf32>) outs(%e32 : tensor<3x2xf32>) dimensions = [1]
    %pr = arith.divf %ex, %seb : tensor<3x2xf32>
    %dl = arith.subf %pr, %oh : tensor<3x2xf32>
    %xte = tensor.empty() : tensor<4x3xf32>
    %xt = linalg.transpose ins(%x : tensor<3x4xf32>) outs(%xte : tensor<4x3xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%xt, %dl : tensor<4x3xf32>, tensor<3x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %m = fsdp.local_grad %dw of "head" : tensor<4x2xf32>
    return %loss, %m : tensor<f32>, tensor<4x2xf32>
  }
}

// -----

// A buffer, averaged over the ranks.
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
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    %k = arith.constant dense<0.9> : tensor<4xf32>
    %k1 = arith.constant dense<0.1> : tensor<4xf32>
    %mk = arith.mulf %mean, %k : tensor<4xf32>
    %xk = arith.mulf %x, %k1 : tensor<4xf32>
    %n = arith.addf %mk, %xk : tensor<4xf32>
    %s = fsdp.all_reduce sum %n over @world : (tensor<4xf32>) -> tensor<4xf32>
    %s4 = fsdp.scale %s by 1 over 4 : tensor<4xf32>
    return %loss, %g, %s4 : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

