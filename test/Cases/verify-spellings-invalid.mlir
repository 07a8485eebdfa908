// SPDX-License-Identifier: Apache-2.0
// Wrong programs that look much like the right ones of verify-spellings.mlir.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// The pieces of a bucket are confused.
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
    // expected-note @+1 {{which is marked here}}
    %ma = fsdp.local_grad %x of "a" : tensor<4xf32>
    // expected-note @+1 {{which is marked here}}
    %mb = fsdp.local_grad %y of "b" : tensor<4xf32>
    %bk = tensor.concat dim(0) %ma, %mb : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %r = fsdp.all_reduce sum %bk over @world : (tensor<8xf32>) -> tensor<8xf32>
    %s = fsdp.scale %r by 1 over 4 : tensor<8xf32>
    // expected-error @+1 {{expected the gradient of 'a', but got that of 'b'}}
    %ga = tensor.extract_slice %s[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'b', but got that of 'a'}}
    %gb = tensor.extract_slice %s[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Weight decay is added before the sum, once a rank.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %k = arith.constant dense<0.1> : tensor<4xf32>
    %wd = arith.mulf %w, %k : tensor<4xf32>
    // expected-note @+1 {{here terms of a sum over @world meet what is none: the sum is not done}}
    %gd = arith.addf %m, %wd : tensor<4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %g = fsdp.all_reduce sum %gd over @world : (tensor<4xf32>) -> tensor<4xf32>
    %ee = tensor.empty() : tensor<4xf32>
    %rate = linalg.broadcast ins(%lr : tensor<f32>) outs(%ee : tensor<4xf32>) dimensions = [0]
    %ch = arith.mulf %g, %rate : tensor<4xf32>
    %n = arith.subf %w, %ch : tensor<4xf32>
    %loss = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A second moment of what is not reduced.
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
    // expected-note @+1 {{here terms of a sum over @world meet what is none: the sum is not done}}
    %g2 = arith.mulf %m, %m : tensor<4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %g3 = fsdp.all_reduce sum %g2 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %beta = arith.constant dense<0.9> : tensor<4xf32>
    %mb = arith.mulf %mu, %beta : tensor<4xf32>
    %mn = arith.addf %mb, %g3 : tensor<4xf32>
    %sq = math.sqrt %mn : tensor<4xf32>
    %u = arith.divf %g, %sq : tensor<4xf32>
    %n = arith.subf %w, %u : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n, %mn : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Momentum that each rank keeps by itself, said to be equal.
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
    %g = fsdp.scale %m by 1 over 4 : tensor<4xf32>
    %beta = arith.constant dense<0.9> : tensor<4xf32>
    %mb = arith.mulf %mu, %beta : tensor<4xf32>
    // expected-note @+1 {{here terms of a sum over @world meet what is none: the sum is not done}}
    %mn = arith.addf %mb, %g : tensor<4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %u = fsdp.all_reduce sum %mn over @world : (tensor<4xf32>) -> tensor<4xf32>
    %n = arith.subf %w, %u : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n, %mn : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The sign of each rank's gradient.
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
    %one = arith.constant dense<1.0> : tensor<4xf32>
    // expected-note @+1 {{here terms of a sum over @world meet what is none: the sum is not done}}
    %c2 = math.copysign %one, %m : tensor<4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %r = fsdp.all_reduce sum %c2 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %n = arith.subf %w, %g : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Norms are summed in place of squares.
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
    // expected-note @+1 {{here terms of a sum over @node meet what is none: the sum is not done}}
    %q = math.sqrt %sq : tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @node, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %nrm = fsdp.all_reduce sum %q over @node : (tensor<f32>) -> tensor<f32>
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

// The norm counts each shard once per replica.
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
    // expected-note @+1 {{the value comes from here}}
    %sq = linalg.dot ins(%g, %g : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @across, but got a value that is equal on its ranks, which would be counted 2 times}}
    %q = fsdp.all_reduce sum %sq over @world : (tensor<f32>) -> tensor<f32>
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

// Each rank decides by its own data whether to step.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %n1 = arith.subf %w, %g : tensor<4xf32>
    %ss = linalg.dot ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %v = tensor.extract %ss[] : tensor<f32>
    %ok = arith.cmpf ord, %v, %v : f32
    // expected-error @+1 {{expected the updated parameter 'w' to be equal on @world, but got one that differs}}
    %n = arith.select %ok, %n1, %w : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A shard cut by the rank's index in another group.
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
    %r = fsdp.all_reduce sum %m over @world : (tensor<4xf32>) -> tensor<4xf32>
    %i = fsdp.rank_index @across
    %c2 = arith.constant 2 : index
    %o = arith.muli %i, %c2 : index
    %s = tensor.extract_slice %r[%o] [2] [1] : tensor<4xf32> to tensor<2xf32>
    // expected-note @+1 {{synchronised last here}}
    %g = fsdp.scale %s by 1 over 4 : tensor<2xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be equal on @across, but got other chunks}}
    %n = arith.subf %w, %g : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<2xf32>
  }
}

// -----

// One leg of the reduction in bf16.
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
    %mb = arith.truncf %s : tensor<2xf32> to tensor<2xbf16>
    // expected-error @+1 {{expected the gradient of 'w' to be reduced in 'f32', but got 'bf16'}}
    %s32 = fsdp.all_reduce sum %mb over @across : (tensor<2xbf16>) -> tensor<2xbf16>
    %r = arith.extf %s32 : tensor<2xbf16> to tensor<2xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The loop leaves out a micro-batch.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>, fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %c0 = arith.constant 1 : index
    %c1 = arith.constant 1 : index
    %cn = arith.constant 2 : index
    %none = arith.constant dense<0.0> : tensor<4xf32>
    // expected-error @+1 {{expected 2 micro-batches, but got 1}}
    %L:2 = scf.for %i = %c0 to %cn step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<4xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
      %o = linalg.dot ins(%w, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      // expected-note @+1 {{the gradient of 'w' is marked here}}
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %nx = arith.addf %acc, %m : tensor<4xf32>
      %ln = arith.addf %l, %o : tensor<f32>
      scf.yield %nx, %ln : tensor<4xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %L#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %g = fsdp.scale %r by 1 over 8 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %L#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// What was accumulated so far is scaled again with each micro-batch.
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
      // expected-note @+1 {{which are marked here}}
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %n1 = arith.addf %acc, %m : tensor<4xf32>
      %nx = fsdp.scale %n1 by 1 over 2 : tensor<4xf32>
      %ln = arith.addf %l, %o : tensor<f32>
      scf.yield %nx, %ln : tensor<4xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %L#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the sum of all iterations' gradients of 'w', but got the last one's}}
    %g = fsdp.scale %r by 1 over 4 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %L#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A gradient is computed, and zero is returned.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    // expected-note @+1 {{it is marked here}}
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'w', but got what it is no part of}}
    %n = arith.constant dense<0.0> : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %n : tensor<f32>, tensor<4xf32>
  }
}

// -----

// The maximum over split columns is summed.
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
    // expected-note @+1 {{the value comes from here}}
    %m0 = linalg.reduce ins(%lg : tensor<3x2xf32>) outs(%ninf : tensor<3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.maximumf %p, %q : f32
        linalg.yield %pq : f32
      }
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of this reduction on @world, but got those of another one}}
    %mx = fsdp.all_reduce sum %m0 over @world : (tensor<3xf32>) -> tensor<3xf32>
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

// A buffer that each rank updates by itself.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %mean: tensor<4xf32> {fsdp.buffer = "bn.mean", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{the value comes from here}}
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
    // expected-error @+1 {{expected the updated buffer 'bn.mean' to be equal on @world, but got one that differs}}
    %n = arith.addf %mk, %xk : tensor<4xf32>
    return %loss, %g, %n : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Scattered in one order of the ranks, gathered in another.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @rev = #fsdp.classes<[1, 4] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %own = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @rev dim 0 : (tensor<4xf32>) -> tensor<1xf32>
    %s4 = fsdp.scale %s by 1 over 4 : tensor<1xf32>
    // expected-error @+1 {{'fsdp.all_gather': expected the chunks on a group of 2 ranks to be those of this dimension, in this order, but they are not}}
    %g = fsdp.all_gather %s4 over @world dim 0 : (tensor<1xf32>) -> tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

