// SPDX-License-Identifier: Apache-2.0
// V6, G4: `reduce_dtype` holds for every leg of a gradient's reduction and for
// what accumulates it.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// The scatter is in f32, the sum across in f16: 8 times 16000 is too much.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.unit @root {shard = @node, reshard_after_forward = true, reduce_dtype = f32}
  func.func @step(
      %w: tensor<2xf16> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<8xf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %own: tensor<f32> {fsdp.input = "l", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf16> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %m = fsdp.local_grad %x of "w" : tensor<8xf16>
    %wide = arith.extf %m : tensor<8xf16> to tensor<8xf32>
    %s = fsdp.reduce_scatter sum %wide over @node dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %narrow = arith.truncf %s : tensor<2xf32> to tensor<2xf16>
    // expected-error @+1 {{expected the gradient of 'w' to be reduced in 'f32', but got 'f16'}}
    %r = fsdp.all_reduce sum %narrow over @across : (tensor<2xf16>) -> tensor<2xf16>
    %g = fsdp.scale %r by 1 over 8 : tensor<2xf16>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf16>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.unit @root {shard = @node, reshard_after_forward = true, reduce_dtype = f32}
  func.func @step(
      %w: tensor<2xf16> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<8xf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %own: tensor<f32> {fsdp.input = "l", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf16> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %m = fsdp.local_grad %x of "w" : tensor<8xf16>
    %wide = arith.extf %m : tensor<8xf16> to tensor<8xf32>
    %s = fsdp.reduce_scatter sum %wide over @node dim 0 : (tensor<8xf32>) -> tensor<2xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<2xf32>) -> tensor<2xf32>
    %g = fsdp.scale %r by 1 over 8 : tensor<2xf32>
    %narrow = arith.truncf %g : tensor<2xf32> to tensor<2xf16>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %narrow : tensor<f32>, tensor<2xf16>
  }
}

// -----

// V6: in f16 throughout, scaled before the sum.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true, reduce_dtype = f16}
  func.func @step(
      %w: tensor<1xf16> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<8xf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %own: tensor<f32> {fsdp.input = "l", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1xf16> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 8>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %m = fsdp.local_grad %x of "w" : tensor<8xf16>
    %g = fsdp.scale %m by 1 over 8 : tensor<8xf16>
    %s = fsdp.reduce_scatter sum %g over @world dim 0 : (tensor<8xf16>) -> tensor<1xf16>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %s : tensor<f32>, tensor<1xf16>
  }
}

// -----

// G4: the bucket was made in bf16 where f32 is asked for; casting behind the
// sum does not bring back what it has rounded.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true, param_dtype = bf16, reduce_dtype = f32}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %b: tensor<1xf32> {fsdp.param = "b", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 3>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<6xbf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<3xbf16> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %own: tensor<f32> {fsdp.input = "l", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<1xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 3>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %mw = fsdp.local_grad %x of "w" : tensor<6xbf16>
    %mb = fsdp.local_grad %y of "b" : tensor<3xbf16>
    // expected-error @+1 {{expected the gradient of 'w' to be reduced in 'f32', but got 'bf16'}}
    %s:2 = fsdp.reduce_scatter sum %mw, %mb over @world dim 0 : (tensor<6xbf16>, tensor<3xbf16>) -> (tensor<2xbf16>, tensor<1xbf16>)
    %sw = arith.extf %s#0 : tensor<2xbf16> to tensor<2xf32>
    %sb = arith.extf %s#1 : tensor<1xbf16> to tensor<1xf32>
    %gw = fsdp.scale %sw by 1 over 3 : tensor<2xf32>
    %gb = fsdp.scale %sb by 1 over 3 : tensor<1xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %gw, %gb : tensor<f32>, tensor<2xf32>, tensor<1xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true, param_dtype = bf16, reduce_dtype = f32}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %b: tensor<1xf32> {fsdp.param = "b", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 3>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<6xbf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<3xbf16> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %own: tensor<f32> {fsdp.input = "l", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<1xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 3>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %mw = fsdp.local_grad %x of "w" : tensor<6xbf16>
    %mb = fsdp.local_grad %y of "b" : tensor<3xbf16>
    %fw = arith.extf %mw : tensor<6xbf16> to tensor<6xf32>
    %fb = arith.extf %mb : tensor<3xbf16> to tensor<3xf32>
    %s:2 = fsdp.reduce_scatter sum %fw, %fb over @world dim 0 : (tensor<6xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<1xf32>)
    %gw = fsdp.scale %s#0 by 1 over 3 : tensor<2xf32>
    %gb = fsdp.scale %s#1 by 1 over 3 : tensor<1xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %gw, %gb : tensor<f32>, tensor<2xf32>, tensor<1xf32>
  }
}

// -----

// G4: the accumulator over micro-batches is bf16, and widened for the sum.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 4, reduce = mean>,
                   fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true, param_dtype = bf16, reduce_dtype = f32}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<4x4xbf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %own: tensor<f32> {fsdp.input = "l", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<2xf32> {fsdp.grad = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %none = arith.constant dense<0.0> : tensor<4xbf16>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %acc:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %none, %l = %zero) -> (tensor<4xbf16>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<4x4xbf16> to tensor<4xbf16>
      %m = fsdp.local_grad %xi of "w" : tensor<4xbf16>
      // expected-error @+1 {{expected gradients of 'w' to be added in 'f32', but got 'bf16'}}
      %n = arith.addf %a, %m : tensor<4xbf16>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %n, %ln : tensor<4xbf16>, tensor<f32>
    }
    %f = arith.extf %acc#0 : tensor<4xbf16> to tensor<4xf32>
    %s = fsdp.reduce_scatter sum %f over @world dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 8 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %acc#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %g, %loss : tensor<2xf32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 4, reduce = mean>,
                   fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true, param_dtype = bf16, reduce_dtype = f32}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<4x4xbf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %own: tensor<f32> {fsdp.input = "l", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<2xf32> {fsdp.grad = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>}) {
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %acc:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %none, %l = %zero) -> (tensor<4xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<4x4xbf16> to tensor<4xbf16>
      %m = fsdp.local_grad %xi of "w" : tensor<4xbf16>
      %f = arith.extf %m : tensor<4xbf16> to tensor<4xf32>
      %n = arith.addf %a, %f : tensor<4xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %n, %ln : tensor<4xf32>, tensor<f32>
    }
    %s = fsdp.reduce_scatter sum %acc#0 over @world dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %g = fsdp.scale %s by 1 over 8 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %acc#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %g, %loss : tensor<2xf32>, tensor<f32>
  }
}
