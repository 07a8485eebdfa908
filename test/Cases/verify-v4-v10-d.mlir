// SPDX-License-Identifier: Apache-2.0
// V4, V10, D1-D3: the norm counts each element of each gradient once, and is
// the same number on every rank.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// D3, V4: each rank clips by the norm of what it has: 5 and 13.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<1xf32> {fsdp.param = "dense",
          fsdp.global_shape = array<i64: 2>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %v: tensor<1xf32> {fsdp.param = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<1xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1xf32> {fsdp.updated = "dense",
              fsdp.global_shape = array<i64: 2>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<1xf32> {fsdp.updated = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<1xf32>) -> tensor<2xf32>
    %l1 = linalg.dot ins(%full, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%v, %y : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %mw = fsdp.local_grad %x of "dense" : tensor<2xf32>
    %mv = fsdp.local_grad %y of "experts" : tensor<1xf32>
    %sw = fsdp.reduce_scatter sum %mw over @world dim 0 : (tensor<2xf32>) -> tensor<1xf32>
    // expected-note @+1 {{synchronised last here}}
    %gw = fsdp.scale %sw by 1 over 2 : tensor<1xf32>
    %gv = fsdp.scale %mv by 1 over 2 : tensor<1xf32>
    %nw = linalg.dot ins(%gw, %gw : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %nv = linalg.dot ins(%gv, %gv : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %squares = arith.addf %nw, %nv : tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %ratio = arith.divf %one, %norm : tensor<f32>
    %factor = arith.minimumf %ratio, %one : tensor<f32>
    %clip = tensor.expand_shape %factor [] output_shape [1] : tensor<f32> into tensor<1xf32>
    // expected-error @+1 {{expected the gradient of 'dense' to be summed over @world, but here it meets what is not}}
    %cw = arith.mulf %gw, %clip : tensor<1xf32>
    %cv = arith.mulf %gv, %clip : tensor<1xf32>
    // expected-note @+1 {{it is used here}}
    %w2 = arith.subf %w, %cw : tensor<1xf32>
    %v2 = arith.subf %v, %cv : tensor<1xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %w2, %v2 : tensor<f32>, tensor<1xf32>, tensor<1xf32>
  }
}

// -----

// V4, D1: chunks and experts are summed over the ranks together: 13.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<1xf32> {fsdp.param = "dense",
          fsdp.global_shape = array<i64: 2>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %v: tensor<1xf32> {fsdp.param = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<1xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1xf32> {fsdp.updated = "dense",
              fsdp.global_shape = array<i64: 2>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<1xf32> {fsdp.updated = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<1xf32>) -> tensor<2xf32>
    %l1 = linalg.dot ins(%full, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%v, %y : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %mw = fsdp.local_grad %x of "dense" : tensor<2xf32>
    %mv = fsdp.local_grad %y of "experts" : tensor<1xf32>
    %sw = fsdp.reduce_scatter sum %mw over @world dim 0 : (tensor<2xf32>) -> tensor<1xf32>
    %gw = fsdp.scale %sw by 1 over 2 : tensor<1xf32>
    %gv = fsdp.scale %mv by 1 over 2 : tensor<1xf32>
    %nw = linalg.dot ins(%gw, %gw : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %nv = linalg.dot ins(%gv, %gv : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %terms = arith.addf %nw, %nv : tensor<f32>
    %squares = fsdp.all_reduce sum %terms over @world : (tensor<f32>) -> tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %ratio = arith.divf %one, %norm : tensor<f32>
    %factor = arith.minimumf %ratio, %one : tensor<f32>
    %clip = tensor.expand_shape %factor [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %cw = arith.mulf %gw, %clip : tensor<1xf32>
    %cv = arith.mulf %gv, %clip : tensor<1xf32>
    %w2 = arith.subf %w, %cw : tensor<1xf32>
    %v2 = arith.subf %v, %cv : tensor<1xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %w2, %v2 : tensor<f32>, tensor<1xf32>, tensor<1xf32>
  }
}

// -----

// V10: a dense gradient that is equal on both ranks is added to what experts
// have before the sum: sqrt(194) instead of 13.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "dense", fsdp.sharding = #fsdp.sharding<[{}]>},
      %v: tensor<1xf32> {fsdp.param = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<1xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "dense", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<1xf32> {fsdp.grad = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %l1 = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%v, %y : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %mw = fsdp.local_grad %x of "dense" : tensor<2xf32>
    %mv = fsdp.local_grad %y of "experts" : tensor<1xf32>
    %sw = fsdp.all_reduce sum %mw over @world : (tensor<2xf32>) -> tensor<2xf32>
    %gw = fsdp.scale %sw by 1 over 2 : tensor<2xf32>
    %gv = fsdp.scale %mv by 1 over 2 : tensor<1xf32>
    %nw = linalg.dot ins(%gw, %gw : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %nv = linalg.dot ins(%gv, %gv : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{the value comes from here}}
    %terms = arith.addf %nw, %nv : tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %squares = fsdp.all_reduce sum %terms over @world : (tensor<f32>) -> tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %norm, %gw, %gv : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<1xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "dense", fsdp.sharding = #fsdp.sharding<[{}]>},
      %v: tensor<1xf32> {fsdp.param = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<1xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "dense", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<1xf32> {fsdp.grad = "experts", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %l1 = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%v, %y : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %mw = fsdp.local_grad %x of "dense" : tensor<2xf32>
    %mv = fsdp.local_grad %y of "experts" : tensor<1xf32>
    %sw = fsdp.all_reduce sum %mw over @world : (tensor<2xf32>) -> tensor<2xf32>
    %gw = fsdp.scale %sw by 1 over 2 : tensor<2xf32>
    %gv = fsdp.scale %mv by 1 over 2 : tensor<1xf32>
    %nw = linalg.dot ins(%gw, %gw : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %nv = linalg.dot ins(%gv, %gv : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %nvs = fsdp.all_reduce sum %nv over @world : (tensor<f32>) -> tensor<f32>
    %squares = arith.addf %nw, %nvs : tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %norm, %gw, %gv : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<1xf32>
  }
}

// -----

// D2: a gradient that is reduced already, (3, 4) on each of 2 ranks, is counted
// on both: 7.07 instead of 5.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<2xf32>
    %s = fsdp.all_reduce sum %m over @world : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 2 : tensor<2xf32>
    // expected-note @+1 {{the value comes from here}}
    %n = linalg.dot ins(%g, %g : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got a value that is equal on its ranks, which would be counted 2 times}}
    %squares = fsdp.all_reduce sum %n over @world : (tensor<f32>) -> tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %norm, %g : tensor<f32>, tensor<f32>, tensor<2xf32>
  }
}

// -----

// D2, hybrid sharding: the norm of the shards is summed over all ranks, which
// counts each shard once per replica.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<2xf32>
    // expected-note @+1 {{the value comes from here}}
    %n = linalg.dot ins(%g, %g : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @across, but got a value that is equal on its ranks, which would be counted 2 times}}
    %squares = fsdp.all_reduce sum %n over @world : (tensor<f32>) -> tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %norm, %g : tensor<f32>, tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @node = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @across = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%full, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %m over @node dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<2xf32>
    %n = linalg.dot ins(%g, %g : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %squares = fsdp.all_reduce sum %n over @node : (tensor<f32>) -> tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %norm, %g : tensor<f32>, tensor<f32>, tensor<2xf32>
  }
}

// -----

// D2, tensor parallel: a column of the weight is on one rank, the norm's weight
// on all. Added before the sum, the latter is counted tp times.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "fc",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %n: tensor<2xf32> {fsdp.param = "ln", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %y: tensor<2xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "fc",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>}, tensor<2xf32> {fsdp.grad = "ln", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %term = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l1 = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%n, %y : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = arith.addf %l1, %l2 : tensor<f32>
    %mw = fsdp.local_grad %x of "fc" : tensor<2xf32>
    %mn = fsdp.local_grad %y of "ln" : tensor<2xf32>
    %sw = linalg.dot ins(%mw, %mw : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %sn = linalg.dot ins(%mn, %mn : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{here terms of a sum over @tp meet what is none: the sum is not done}}
    %terms = arith.addf %sw, %sn : tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @tp, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %squares = fsdp.all_reduce sum %terms over @tp : (tensor<f32>) -> tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    return %loss, %norm, %mw, %mn : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "fc",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %n: tensor<2xf32> {fsdp.param = "ln", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2xf32> {fsdp.input = "x",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>},
      %y: tensor<2xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "fc",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{@tp}]>}, tensor<2xf32> {fsdp.grad = "ln", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %term = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l1 = fsdp.all_reduce sum %term over @tp : (tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%n, %y : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %loss = arith.addf %l1, %l2 : tensor<f32>
    %mw = fsdp.local_grad %x of "fc" : tensor<2xf32>
    %mn = fsdp.local_grad %y of "ln" : tensor<2xf32>
    %sw = linalg.dot ins(%mw, %mw : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %sn = linalg.dot ins(%mn, %mn : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %sws = fsdp.all_reduce sum %sw over @tp : (tensor<f32>) -> tensor<f32>
    %squares = arith.addf %sws, %sn : tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    return %loss, %norm, %mw, %mn : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// The norm of gradients that are not reduced yet is no norm of anything.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<f32> {fsdp.output = "grad_norm", fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<2xf32>
    // expected-note @+1 {{here terms of a sum over @world meet what is none: the sum is not done}}
    %n = linalg.dot ins(%m, %m : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %squares = fsdp.all_reduce sum %n over @world : (tensor<f32>) -> tensor<f32>
    %norm = math.sqrt %squares : tensor<f32>
    %s = fsdp.all_reduce sum %m over @world : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %norm, %g : tensor<f32>, tensor<f32>, tensor<2xf32>
  }
}
