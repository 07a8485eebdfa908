// SPDX-License-Identifier: Apache-2.0
// V5, B9, F4: micro-batches with hybrid sharding. Accumulate and then reduce
// across replicas, or reduce each; never add one to the other.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// V5: micro-batch 1 is unreduced across, micro-batch 2 is reduced.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %x1 = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    %x2 = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    %l1 = linalg.dot ins(%full, %x1 : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%full, %x2 : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m1 = fsdp.local_grad %x1 of "w" : tensor<4xf32>
    %m2 = fsdp.local_grad %x2 of "w" : tensor<4xf32>
    %s1 = fsdp.reduce_scatter sum %m1 over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %s2 = fsdp.reduce_scatter sum %m2 over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %r2 = fsdp.all_reduce sum %s2 over @across : (tensor<2xf32>) -> tensor<2xf32>
    // expected-error @+1 {{expected the gradient of 'w' to be summed over @across, but here it meets what is not}}
    %both = arith.addf %s1, %r2 : tensor<2xf32>
    // expected-note @+2 {{it is used here}}
    // expected-note @+1 {{synchronised last here}}
    %g = fsdp.scale %both by 1 over 4 : tensor<2xf32>
    %l = arith.addf %l1, %l2 : tensor<f32>
    %sum = fsdp.all_reduce sum %l over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Accumulated, then reduced.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %x1 = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    %x2 = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    %l1 = linalg.dot ins(%full, %x1 : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%full, %x2 : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m1 = fsdp.local_grad %x1 of "w" : tensor<4xf32>
    %m2 = fsdp.local_grad %x2 of "w" : tensor<4xf32>
    %s1 = fsdp.reduce_scatter sum %m1 over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %s2 = fsdp.reduce_scatter sum %m2 over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %both = arith.addf %s1, %s2 : tensor<2xf32>
    %r = fsdp.all_reduce sum %both over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<2xf32>
    %l = arith.addf %l1, %l2 : tensor<f32>
    %sum = fsdp.all_reduce sum %l over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Each reduced, then added: twice the bytes, the same numbers.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @node dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %x1 = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    %x2 = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    %l1 = linalg.dot ins(%full, %x1 : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%full, %x2 : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m1 = fsdp.local_grad %x1 of "w" : tensor<4xf32>
    %m2 = fsdp.local_grad %x2 of "w" : tensor<4xf32>
    %s1 = fsdp.reduce_scatter sum %m1 over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %s2 = fsdp.reduce_scatter sum %m2 over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    // expected-remark @+1 {{bytes lost: the gradient of 'w' is all-reduced over @across 2 times and then added: 2 times 8 bytes, 2(n-1)/n of 8 with n = 2}}
    %r1 = fsdp.all_reduce sum %s1 over @across : (tensor<2xf32>) -> tensor<2xf32>
    %r2 = fsdp.all_reduce sum %s2 over @across : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @+1 {{an all-reduce of what is added here sends 1/2 of that}}
    %both = arith.addf %r1, %r2 : tensor<2xf32>
    %g = fsdp.scale %both by 1 over 4 : tensor<2xf32>
    %l = arith.addf %l1, %l2 : tensor<f32>
    %sum = fsdp.all_reduce sum %l over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}

// -----

// B9 in a loop: the sum so far is reduced again with each micro-batch.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = mean>,
                   fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @evens = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @pairs = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@evens}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@evens}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %g:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<2xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
      %full = fsdp.all_gather %w over @evens dim 0 : (tensor<2xf32>) -> tensor<4xf32>
      %own = linalg.dot ins(%full, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %s = fsdp.reduce_scatter sum %m over @evens dim 0 : (tensor<4xf32>) -> tensor<2xf32>
      // expected-note @+1 {{here terms of a sum over @pairs meet what is none: the sum is not done}}
      %next = arith.addf %acc, %s : tensor<2xf32>
      // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @pairs, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
      %r = fsdp.all_reduce sum %next over @pairs : (tensor<2xf32>) -> tensor<2xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %r, %ln : tensor<2xf32>, tensor<f32>
    }
    %g12 = fsdp.scale %g#0 by 1 over 12 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 12 : tensor<f32>
    return %loss, %g12 : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = mean>,
                   fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @evens = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @pairs = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@evens}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@evens}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %g:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<2xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
      %full = fsdp.all_gather %w over @evens dim 0 : (tensor<2xf32>) -> tensor<4xf32>
      %own = linalg.dot ins(%full, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %s = fsdp.reduce_scatter sum %m over @evens dim 0 : (tensor<4xf32>) -> tensor<2xf32>
      %next = arith.addf %acc, %s : tensor<2xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<2xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %g#0 over @pairs : (tensor<2xf32>) -> tensor<2xf32>
    %g12 = fsdp.scale %r by 1 over 12 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 12 : tensor<f32>
    return %loss, %g12 : tensor<f32>, tensor<2xf32>
  }
}

// -----

// Each micro-batch reduced in the loop.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = mean>,
                   fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @evens = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @pairs = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@evens}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@evens}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    // expected-note @+1 {{an all-reduce of what is added here sends 1/3 of that}}
    %g:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<2xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
      %full = fsdp.all_gather %w over @evens dim 0 : (tensor<2xf32>) -> tensor<4xf32>
      %own = linalg.dot ins(%full, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %s = fsdp.reduce_scatter sum %m over @evens dim 0 : (tensor<4xf32>) -> tensor<2xf32>
      // expected-remark @+1 {{bytes lost: the gradient of 'w' is all-reduced over @pairs 3 times and then added: 3 times 8 bytes, 2(n-1)/n of 8 with n = 2}}
      %r = fsdp.all_reduce sum %s over @pairs : (tensor<2xf32>) -> tensor<2xf32>
      %next = arith.addf %acc, %r : tensor<2xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<2xf32>, tensor<f32>
    }
    %g12 = fsdp.scale %g#0 by 1 over 12 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 12 : tensor<f32>
    return %loss, %g12 : tensor<f32>, tensor<2xf32>
  }
}

// -----

// F4: the all-reduce stands behind the loop, but accumulation starts from what
// is equal on all ranks, which is then counted once per rank.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %old: tensor<4xf32> {fsdp.state = "momentum:w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated_state = "momentum:w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // expected-note @+1 {{the value comes from here}}
    %g:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %old, %l = %zero) -> (tensor<4xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
      %own = linalg.dot ins(%w, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %next = arith.addf %acc, %m : tensor<4xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<4xf32>, tensor<f32>
    }
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %r = fsdp.all_reduce sum %g#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %loss = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %r : tensor<f32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %old: tensor<4xf32> {fsdp.state = "momentum:w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.updated_state = "momentum:w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %g:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<4xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
      %own = linalg.dot ins(%w, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %next = arith.addf %acc, %m : tensor<4xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<4xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %g#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %new = arith.addf %old, %r : tensor<4xf32>
    %loss = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %new : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Accumulation that is not linear: each rank clips its own terms.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %limit = arith.constant dense<1.0> : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // expected-note @+1 {{the value comes from here}}
    %g:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<4xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
      %own = linalg.dot ins(%w, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %clipped = arith.minimumf %m, %limit : tensor<4xf32>
      %next = arith.addf %acc, %clipped : tensor<4xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<4xf32>, tensor<f32>
    }
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @world, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %r = fsdp.all_reduce sum %g#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %loss = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %r : tensor<f32>, tensor<4xf32>
  }
}

// -----

// A loop that keeps the last micro-batch's gradient.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>,
                   fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %g:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<4xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
      %own = linalg.dot ins(%w, %xi : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      // expected-note @+1 {{which are marked here}}
      %m = fsdp.local_grad %xi of "w" : tensor<4xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %m, %ln : tensor<4xf32>, tensor<f32>
    }
    // expected-error @+1 {{expected the sum of all iterations' gradients of 'w', but got the last one's}}
    %r = fsdp.all_reduce sum %g#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %loss = fsdp.all_reduce sum %g#1 over @world : (tensor<f32>) -> tensor<f32>
    return %loss, %r : tensor<f32>, tensor<4xf32>
  }
}
