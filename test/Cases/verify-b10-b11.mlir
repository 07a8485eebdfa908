// SPDX-License-Identifier: Apache-2.0
// B10, B11: experts are summed over the ranks that hold the same one, all of
// these, and no others.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// B10: 4 experts, each on ranks i and i + 4; nothing is reduced.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @edp = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  func.func @step(
      %router: tensor<3xf32> {fsdp.param = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %w: tensor<3xf32> {fsdp.param = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.updated = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h = arith.mulf %x, %router : tensor<3xf32>
    %own = linalg.dot ins(%h, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dr = arith.mulf %x, %w : tensor<3xf32>
    %mr = fsdp.local_grad %dr of "router.weight" : tensor<3xf32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @edp, or 'fsdp.reduce_scatter', is missing}}
    %mw = fsdp.local_grad %h of "experts.weight" : tensor<3xf32>
    %rr = fsdp.all_reduce sum %mr over @world : (tensor<3xf32>) -> tensor<3xf32>
    %gr = fsdp.scale %rr by 1 over 8 : tensor<3xf32>
    %gw = fsdp.scale %mw by 1 over 8 : tensor<3xf32>
    %r2 = arith.subf %router, %gr : tensor<3xf32>
    // expected-error @+1 {{expected the gradient of 'experts.weight' to be summed over @edp before it is used, but got the terms of the ranks}}
    %w2 = arith.subf %w, %gw : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %r2, %w2 : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @edp = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  func.func @step(
      %router: tensor<3xf32> {fsdp.param = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      %w: tensor<3xf32> {fsdp.param = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.updated = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h = arith.mulf %x, %router : tensor<3xf32>
    %own = linalg.dot ins(%h, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dr = arith.mulf %x, %w : tensor<3xf32>
    %mr = fsdp.local_grad %dr of "router.weight" : tensor<3xf32>
    %mw = fsdp.local_grad %h of "experts.weight" : tensor<3xf32>
    %rr = fsdp.all_reduce sum %mr over @world : (tensor<3xf32>) -> tensor<3xf32>
    %gr = fsdp.scale %rr by 1 over 8 : tensor<3xf32>
    %rw = fsdp.all_reduce sum %mw over @edp : (tensor<3xf32>) -> tensor<3xf32>
    %gw = fsdp.scale %rw by 1 over 8 : tensor<3xf32>
    %r2 = arith.subf %router, %gr : tensor<3xf32>
    %w2 = arith.subf %w, %gw : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %r2, %w2 : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// B11: in one bucket with the router, experts are summed over all ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @edp = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  func.func @step(
      %router: tensor<3xf32> {fsdp.param = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{it is placed here}}
      %w: tensor<3xf32> {fsdp.param = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "router.weight", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.updated = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h = arith.mulf %x, %router : tensor<3xf32>
    %own = linalg.dot ins(%h, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dr = arith.mulf %x, %w : tensor<3xf32>
    %mr = fsdp.local_grad %dr of "router.weight" : tensor<3xf32>
    %mw = fsdp.local_grad %h of "experts.weight" : tensor<3xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected ranks that hold the same parameter on @ep, but each holds another one}}
    %r:2 = fsdp.all_reduce sum %mr, %mw over @world : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %gr = fsdp.scale %r#0 by 1 over 8 : tensor<3xf32>
    %gw = fsdp.scale %r#1 by 1 over 8 : tensor<3xf32>
    %r2 = arith.subf %router, %gr : tensor<3xf32>
    %w2 = arith.subf %w, %gw : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %r2, %w2 : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// B11: reduced over the wrong one of two groups, whose classes have different
// experts. Sizes are equal, so shapes and bytes are as in the right program.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @ep = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @edp = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      // expected-note @+1 {{it is placed here}}
      %w: tensor<3xf32> {fsdp.param = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.weight" : tensor<3xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected ranks that hold the same parameter on @ep, but each holds another one}}
    %r = fsdp.all_reduce sum %m over @ep : (tensor<3xf32>) -> tensor<3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @ep = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @edp = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.weight" : tensor<3xf32>
    %r = fsdp.all_reduce sum %m over @edp : (tensor<3xf32>) -> tensor<3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<3xf32>
  }
}

// -----

// B11: the updated experts are broadcast to all ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @ep = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @edp = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      // expected-note @+1 {{it is placed here}}
      %w: tensor<3xf32> {fsdp.param = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.weight" : tensor<3xf32>
    %r = fsdp.all_reduce sum %m over @edp : (tensor<3xf32>) -> tensor<3xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<3xf32>
    %w2 = arith.subf %w, %g : tensor<3xf32>
    // expected-error @+1 {{'fsdp.broadcast': expected ranks that hold the same parameter on @ep, but each holds another one}}
    %w3 = fsdp.broadcast %w2 over @world root 0 : (tensor<3xf32>) -> tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %w3 : tensor<f32>, tensor<3xf32>
  }
}

// -----

// Over the ranks of one expert it changes nothing.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 6] from [6]>
  fsdp.process_group @ep = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @edp = #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>
  func.func @step(
      %w: tensor<3xf32> {fsdp.param = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>},
      %x: tensor<3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.updated = "experts.weight", fsdp.sharding = #fsdp.sharding<[{}], varying = {@ep}>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "experts.weight" : tensor<3xf32>
    %r = fsdp.all_reduce sum %m over @edp : (tensor<3xf32>) -> tensor<3xf32>
    %g = fsdp.scale %r by 1 over 6 : tensor<3xf32>
    %w2 = arith.subf %w, %g : tensor<3xf32>
    %w3 = fsdp.broadcast %w2 over @edp root 0 : (tensor<3xf32>) -> tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 6 : tensor<f32>
    return %loss, %w3 : tensor<f32>, tensor<3xf32>
  }
}

// -----

// B11: experts in one tensor, split by a dim, with an all-to-all there and back;
// their gradient is summed over all ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @ep = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @edp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2x3xf32> {fsdp.param = "experts",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{@ep}, {}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<4x2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "experts",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{@ep}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x4x3xf32>
    %tokens = fsdp.all_to_all %x over @ep split 0 concat 1 : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
    %wb = linalg.broadcast ins(%w : tensor<2x3xf32>) outs(%e : tensor<2x4x3xf32>) dimensions = [1]
    %h = arith.mulf %tokens, %wb : tensor<2x4x3xf32>
    %y = fsdp.all_to_all %h over @ep split 1 concat 0 : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
    %flat = tensor.collapse_shape %y [[0, 1, 2]] : tensor<4x2x3xf32> into tensor<24xf32>
    %xflat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<4x2x3xf32> into tensor<24xf32>
    %own = linalg.dot ins(%flat, %xflat : tensor<24xf32>, tensor<24xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dh = fsdp.all_to_all %x over @ep split 0 concat 1 : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
    %dwt = arith.mulf %tokens, %dh : tensor<2x4x3xf32>
    %dw = linalg.reduce ins(%dwt : tensor<2x4x3xf32>) outs(%none : tensor<2x3xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %m = fsdp.local_grad %dw of "experts" : tensor<2x3xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @ep, but got different chunks of one value}}
    %r = fsdp.all_reduce sum %m over @world : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2x3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @ep = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @edp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2x3xf32> {fsdp.param = "experts",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{@ep}, {}]>},
      %x: tensor<4x2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "experts",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{@ep}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x4x3xf32>
    %tokens = fsdp.all_to_all %x over @ep split 0 concat 1 : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
    %wb = linalg.broadcast ins(%w : tensor<2x3xf32>) outs(%e : tensor<2x4x3xf32>) dimensions = [1]
    %h = arith.mulf %tokens, %wb : tensor<2x4x3xf32>
    %y = fsdp.all_to_all %h over @ep split 1 concat 0 : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
    %flat = tensor.collapse_shape %y [[0, 1, 2]] : tensor<4x2x3xf32> into tensor<24xf32>
    %xflat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<4x2x3xf32> into tensor<24xf32>
    %own = linalg.dot ins(%flat, %xflat : tensor<24xf32>, tensor<24xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dh = fsdp.all_to_all %x over @ep split 0 concat 1 : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
    %dwt = arith.mulf %tokens, %dh : tensor<2x4x3xf32>
    %dw = linalg.reduce ins(%dwt : tensor<2x4x3xf32>) outs(%none : tensor<2x3xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    %m = fsdp.local_grad %dw of "experts" : tensor<2x3xf32>
    %r = fsdp.all_reduce sum %m over @edp : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2x3xf32>
  }
}
