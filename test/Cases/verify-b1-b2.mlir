// SPDX-License-Identifier: Apache-2.0
// B1, B2: trainable, equal on all ranks, and its gradient is reduced nowhere.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// B1: a bias that was excluded from sharding, beside a weight that is sharded.
module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "fc.weight", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %b: tensor<6xf32> {fsdp.param = "fc.bias", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<6xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "fc.weight",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<6xf32> {fsdp.updated = "fc.bias", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %wx = arith.mulf %full, %x : tensor<6xf32>
    %h = arith.addf %wx, %b : tensor<6xf32>
    %own = linalg.dot ins(%h, %y : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dw = arith.mulf %x, %y : tensor<6xf32>
    %mw = fsdp.local_grad %dw of "fc.weight" : tensor<6xf32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @world, or 'fsdp.reduce_scatter', is missing}}
    %mb = fsdp.local_grad %y of "fc.bias" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %mw over @world dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %gw = fsdp.scale %s by 1 over 3 : tensor<2xf32>
    %e2 = tensor.empty() : tensor<2xf32>
    %e6 = tensor.empty() : tensor<6xf32>
    %lr2 = linalg.broadcast ins(%lr : tensor<f32>) outs(%e2 : tensor<2xf32>) dimensions = [0]
    %lr6 = linalg.broadcast ins(%lr : tensor<f32>) outs(%e6 : tensor<6xf32>) dimensions = [0]
    %cw = arith.mulf %gw, %lr2 : tensor<2xf32>
    %w2 = arith.subf %w, %cw : tensor<2xf32>
    %cb = arith.mulf %mb, %lr6 : tensor<6xf32>
    // expected-error @+1 {{expected the gradient of 'fc.bias' to be summed over @world before it is used, but got the terms of the ranks}}
    %b2 = arith.subf %b, %cb : tensor<6xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2, %b2 : tensor<f32>, tensor<2xf32>, tensor<6xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 3, ranks_per_node = 3>} {
  fsdp.process_group @world = #fsdp.classes<[1, 3] from [3]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "fc.weight", fsdp.unit = @root,
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %b: tensor<6xf32> {fsdp.param = "fc.bias", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<6xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.updated = "fc.weight",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
          tensor<6xf32> {fsdp.updated = "fc.bias", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<6xf32>
    %wx = arith.mulf %full, %x : tensor<6xf32>
    %h = arith.addf %wx, %b : tensor<6xf32>
    %own = linalg.dot ins(%h, %y : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %dw = arith.mulf %x, %y : tensor<6xf32>
    %mw = fsdp.local_grad %dw of "fc.weight" : tensor<6xf32>
    %mb = fsdp.local_grad %y of "fc.bias" : tensor<6xf32>
    %s = fsdp.reduce_scatter sum %mw over @world dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    %gw = fsdp.scale %s by 1 over 3 : tensor<2xf32>
    %e2 = tensor.empty() : tensor<2xf32>
    %e6 = tensor.empty() : tensor<6xf32>
    %lr2 = linalg.broadcast ins(%lr : tensor<f32>) outs(%e2 : tensor<2xf32>) dimensions = [0]
    %lr6 = linalg.broadcast ins(%lr : tensor<f32>) outs(%e6 : tensor<6xf32>) dimensions = [0]
    %cw = arith.mulf %gw, %lr2 : tensor<2xf32>
    %w2 = arith.subf %w, %cw : tensor<2xf32>
    %r = fsdp.all_reduce sum %mb over @world : (tensor<6xf32>) -> tensor<6xf32>
    %gb = fsdp.scale %r by 1 over 3 : tensor<6xf32>
    %cb = arith.mulf %gb, %lr6 : tensor<6xf32>
    %b2 = arith.subf %b, %cb : tensor<6xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 3 : tensor<f32>
    return %loss, %w2, %b2 : tensor<f32>, tensor<2xf32>, tensor<6xf32>
  }
}

// -----

// B2: an adapter x·A·B, added when the rest was wrapped already: A is reduced,
// B is not. The frozen base weight needs nothing.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %base: tensor<3x3xf32> {fsdp.param = "fc.weight", fsdp.frozen, fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %a: tensor<3x1xf32> {fsdp.param = "fc.adapter.a", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %b: tensor<1x3xf32> {fsdp.param = "fc.adapter.b", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %x: tensor<5x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %dy: tensor<5x3xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x1xf32> {fsdp.updated = "fc.adapter.a", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<1x3xf32> {fsdp.updated = "fc.adapter.b", fsdp.sharding = #fsdp.sharding<[{}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z53 = arith.constant dense<0.0> : tensor<5x3xf32>
    %z51 = arith.constant dense<0.0> : tensor<5x1xf32>
    %z31 = arith.constant dense<0.0> : tensor<3x1xf32>
    %z13 = arith.constant dense<0.0> : tensor<1x3xf32>
    %y0 = linalg.matmul ins(%x, %base : tensor<5x3xf32>, tensor<3x3xf32>) outs(%z53 : tensor<5x3xf32>) -> tensor<5x3xf32>
    %h = linalg.matmul ins(%x, %a : tensor<5x3xf32>, tensor<3x1xf32>) outs(%z51 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %y = linalg.matmul ins(%h, %b : tensor<5x1xf32>, tensor<1x3xf32>) outs(%y0 : tensor<5x3xf32>) -> tensor<5x3xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
    %own = linalg.dot ins(%flat, %dflat : tensor<15xf32>, tensor<15xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %bte = tensor.empty() : tensor<3x1xf32>
    %bt = linalg.transpose ins(%b : tensor<1x3xf32>) outs(%bte : tensor<3x1xf32>) permutation = [1, 0]
    %dh = linalg.matmul ins(%dy, %bt : tensor<5x3xf32>, tensor<3x1xf32>) outs(%z51 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %hte = tensor.empty() : tensor<1x5xf32>
    %ht = linalg.transpose ins(%h : tensor<5x1xf32>) outs(%hte : tensor<1x5xf32>) permutation = [1, 0]
    %xte = tensor.empty() : tensor<3x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%xte : tensor<3x5xf32>) permutation = [1, 0]
    %db = linalg.matmul ins(%ht, %dy : tensor<1x5xf32>, tensor<5x3xf32>) outs(%z13 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %da = linalg.matmul ins(%xt, %dh : tensor<3x5xf32>, tensor<5x1xf32>) outs(%z31 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %ma = fsdp.local_grad %da of "fc.adapter.a" : tensor<3x1xf32>
    // expected-note @+1 {{marked here; 'fsdp.all_reduce sum' over @world, or 'fsdp.reduce_scatter', is missing}}
    %mb = fsdp.local_grad %db of "fc.adapter.b" : tensor<1x3xf32>
    %ra = fsdp.all_reduce sum %ma over @world : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %ga = fsdp.scale %ra by 1 over 4 : tensor<3x1xf32>
    %a2 = arith.subf %a, %ga : tensor<3x1xf32>
    %gb = fsdp.scale %mb by 1 over 4 : tensor<1x3xf32>
    // expected-error @+1 {{expected the gradient of 'fc.adapter.b' to be summed over @world before it is used, but got the terms of the ranks}}
    %b2 = arith.subf %b, %gb : tensor<1x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %a2, %b2 : tensor<f32>, tensor<3x1xf32>, tensor<1x3xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(
      %base: tensor<3x3xf32> {fsdp.param = "fc.weight", fsdp.frozen, fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %a: tensor<3x1xf32> {fsdp.param = "fc.adapter.a", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %b: tensor<1x3xf32> {fsdp.param = "fc.adapter.b", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %x: tensor<5x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %dy: tensor<5x3xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x1xf32> {fsdp.updated = "fc.adapter.a", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<1x3xf32> {fsdp.updated = "fc.adapter.b", fsdp.sharding = #fsdp.sharding<[{}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z53 = arith.constant dense<0.0> : tensor<5x3xf32>
    %z51 = arith.constant dense<0.0> : tensor<5x1xf32>
    %z31 = arith.constant dense<0.0> : tensor<3x1xf32>
    %z13 = arith.constant dense<0.0> : tensor<1x3xf32>
    %y0 = linalg.matmul ins(%x, %base : tensor<5x3xf32>, tensor<3x3xf32>) outs(%z53 : tensor<5x3xf32>) -> tensor<5x3xf32>
    %h = linalg.matmul ins(%x, %a : tensor<5x3xf32>, tensor<3x1xf32>) outs(%z51 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %y = linalg.matmul ins(%h, %b : tensor<5x1xf32>, tensor<1x3xf32>) outs(%y0 : tensor<5x3xf32>) -> tensor<5x3xf32>
    %flat = tensor.collapse_shape %y [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
    %dflat = tensor.collapse_shape %dy [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
    %own = linalg.dot ins(%flat, %dflat : tensor<15xf32>, tensor<15xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %bte = tensor.empty() : tensor<3x1xf32>
    %bt = linalg.transpose ins(%b : tensor<1x3xf32>) outs(%bte : tensor<3x1xf32>) permutation = [1, 0]
    %dh = linalg.matmul ins(%dy, %bt : tensor<5x3xf32>, tensor<3x1xf32>) outs(%z51 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %hte = tensor.empty() : tensor<1x5xf32>
    %ht = linalg.transpose ins(%h : tensor<5x1xf32>) outs(%hte : tensor<1x5xf32>) permutation = [1, 0]
    %xte = tensor.empty() : tensor<3x5xf32>
    %xt = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%xte : tensor<3x5xf32>) permutation = [1, 0]
    %db = linalg.matmul ins(%ht, %dy : tensor<1x5xf32>, tensor<5x3xf32>) outs(%z13 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %da = linalg.matmul ins(%xt, %dh : tensor<3x5xf32>, tensor<5x1xf32>) outs(%z31 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %ma = fsdp.local_grad %da of "fc.adapter.a" : tensor<3x1xf32>
    %mb = fsdp.local_grad %db of "fc.adapter.b" : tensor<1x3xf32>
    %r:2 = fsdp.all_reduce sum %ma, %mb over @world : (tensor<3x1xf32>, tensor<1x3xf32>) -> (tensor<3x1xf32>, tensor<1x3xf32>)
    %ga = fsdp.scale %r#0 by 1 over 4 : tensor<3x1xf32>
    %a2 = arith.subf %a, %ga : tensor<3x1xf32>
    %gb = fsdp.scale %r#1 by 1 over 4 : tensor<1x3xf32>
    %b2 = arith.subf %b, %gb : tensor<1x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %a2, %b2 : tensor<f32>, tensor<3x1xf32>, tensor<1x3xf32>
  }
}
