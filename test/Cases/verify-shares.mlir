// SPDX-License-Identifier: Apache-2.0
// What is equal on all ranks may be part of a sum over them, if each adds its
// share or the result is divided. Signs of gradients that are subtracted.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// Each rank of tp adds its share of a bias to its term.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %ln: tensor<3x4xf32> {fsdp.param = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %a: tensor<4x3xf32> {fsdp.param = "fc1",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
      %b: tensor<3x4xf32> {fsdp.param = "fc2",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      %bias: tensor<4xf32> {fsdp.param = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>},
      %dy: tensor<3x4xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x4xf32> {fsdp.grad = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x3xf32> {fsdp.grad = "fc1",
              fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
          tensor<3x4xf32> {fsdp.grad = "fc2",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
          tensor<4xf32> {fsdp.grad = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z33 = arith.constant dense<0.0> : tensor<3x3xf32>
    %z34 = arith.constant dense<0.0> : tensor<3x4xf32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %bb = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e34 : tensor<3x4xf32>) dimensions = [0]
    %h = arith.addf %x, %ln : tensor<3x4xf32>
    %u = linalg.matmul ins(%h, %a : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %v = math.tanh %u : tensor<3x3xf32>
    %yt = linalg.matmul ins(%v, %b : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %half = arith.constant dense<0.5> : tensor<3x4xf32>
    %bh = arith.mulf %bb, %half : tensor<3x4xf32>
    %y = arith.addf %yt, %bh : tensor<3x4xf32>
    %yb = fsdp.all_reduce sum %y over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %yf = tensor.collapse_shape %yb [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %dyf = tensor.collapse_shape %dy [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %own = linalg.dot ins(%yf, %dyf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %vte = tensor.empty() : tensor<3x3xf32>
    %vt = linalg.transpose ins(%v : tensor<3x3xf32>) outs(%vte : tensor<3x3xf32>) permutation = [1, 0]
    %db = linalg.matmul ins(%vt, %dy : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %bte = tensor.empty() : tensor<4x3xf32>
    %bt = linalg.transpose ins(%b : tensor<3x4xf32>) outs(%bte : tensor<4x3xf32>) permutation = [1, 0]
    %dv = linalg.matmul ins(%dy, %bt : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %one = arith.constant dense<1.0> : tensor<3x3xf32>
    %v2 = arith.mulf %v, %v : tensor<3x3xf32>
    %sl = arith.subf %one, %v2 : tensor<3x3xf32>
    %du = arith.mulf %dv, %sl : tensor<3x3xf32>
    %hte = tensor.empty() : tensor<4x3xf32>
    %ht = linalg.transpose ins(%h : tensor<3x4xf32>) outs(%hte : tensor<4x3xf32>) permutation = [1, 0]
    %da = linalg.matmul ins(%ht, %du : tensor<4x3xf32>, tensor<3x3xf32>) outs(%z43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %ate = tensor.empty() : tensor<3x4xf32>
    %at = linalg.transpose ins(%a : tensor<4x3xf32>) outs(%ate : tensor<3x4xf32>) permutation = [1, 0]
    %dxt = linalg.matmul ins(%du, %at : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %dx = fsdp.all_reduce sum %dxt over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %dbias = linalg.reduce ins(%dy : tensor<3x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m0 = fsdp.local_grad %dx of "pos" : tensor<3x4xf32>
    %m1 = fsdp.local_grad %da of "fc1" : tensor<4x3xf32>
    %m2 = fsdp.local_grad %db of "fc2" : tensor<3x4xf32>
    %m3 = fsdp.local_grad %dbias of "fc2.bias" : tensor<4xf32>
    %r:4 = fsdp.all_reduce sum %m0, %m1, %m2, %m3 over @across : (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>)
    %g0 = fsdp.scale %r#0 by 1 over 2 : tensor<3x4xf32>
    %g1 = fsdp.scale %r#1 by 1 over 2 : tensor<4x3xf32>
    %g2 = fsdp.scale %r#2 by 1 over 2 : tensor<3x4xf32>
    %g3 = fsdp.scale %r#3 by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g0, %g1, %g2, %g3 : tensor<f32>, tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>
  }
}

// -----

// A share for more ranks than there are.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %ln: tensor<3x4xf32> {fsdp.param = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %a: tensor<4x3xf32> {fsdp.param = "fc1",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
      %b: tensor<3x4xf32> {fsdp.param = "fc2",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      %bias: tensor<4xf32> {fsdp.param = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>},
      %dy: tensor<3x4xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x4xf32> {fsdp.grad = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x3xf32> {fsdp.grad = "fc1",
              fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
          tensor<3x4xf32> {fsdp.grad = "fc2",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
          tensor<4xf32> {fsdp.grad = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z33 = arith.constant dense<0.0> : tensor<3x3xf32>
    %z34 = arith.constant dense<0.0> : tensor<3x4xf32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %bb = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e34 : tensor<3x4xf32>) dimensions = [0]
    %h = arith.addf %x, %ln : tensor<3x4xf32>
    %u = linalg.matmul ins(%h, %a : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %v = math.tanh %u : tensor<3x3xf32>
    %yt = linalg.matmul ins(%v, %b : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %half = arith.constant dense<0.25> : tensor<3x4xf32>
    %bh = arith.mulf %bb, %half : tensor<3x4xf32>
    // expected-note @+1 {{here terms of a sum over @node meet what is none: the sum is not done}}
    %y = arith.addf %yt, %bh : tensor<3x4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @node, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %yb = fsdp.all_reduce sum %y over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %yf = tensor.collapse_shape %yb [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %dyf = tensor.collapse_shape %dy [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %own = linalg.dot ins(%yf, %dyf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %vte = tensor.empty() : tensor<3x3xf32>
    %vt = linalg.transpose ins(%v : tensor<3x3xf32>) outs(%vte : tensor<3x3xf32>) permutation = [1, 0]
    %db = linalg.matmul ins(%vt, %dy : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %bte = tensor.empty() : tensor<4x3xf32>
    %bt = linalg.transpose ins(%b : tensor<3x4xf32>) outs(%bte : tensor<4x3xf32>) permutation = [1, 0]
    %dv = linalg.matmul ins(%dy, %bt : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %one = arith.constant dense<1.0> : tensor<3x3xf32>
    %v2 = arith.mulf %v, %v : tensor<3x3xf32>
    %sl = arith.subf %one, %v2 : tensor<3x3xf32>
    %du = arith.mulf %dv, %sl : tensor<3x3xf32>
    %hte = tensor.empty() : tensor<4x3xf32>
    %ht = linalg.transpose ins(%h : tensor<3x4xf32>) outs(%hte : tensor<4x3xf32>) permutation = [1, 0]
    %da = linalg.matmul ins(%ht, %du : tensor<4x3xf32>, tensor<3x3xf32>) outs(%z43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %ate = tensor.empty() : tensor<3x4xf32>
    %at = linalg.transpose ins(%a : tensor<4x3xf32>) outs(%ate : tensor<3x4xf32>) permutation = [1, 0]
    %dxt = linalg.matmul ins(%du, %at : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %dx = fsdp.all_reduce sum %dxt over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %dbias = linalg.reduce ins(%dy : tensor<3x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m0 = fsdp.local_grad %dx of "pos" : tensor<3x4xf32>
    %m1 = fsdp.local_grad %da of "fc1" : tensor<4x3xf32>
    %m2 = fsdp.local_grad %db of "fc2" : tensor<3x4xf32>
    %m3 = fsdp.local_grad %dbias of "fc2.bias" : tensor<4xf32>
    %r:4 = fsdp.all_reduce sum %m0, %m1, %m2, %m3 over @across : (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>)
    %g0 = fsdp.scale %r#0 by 1 over 2 : tensor<3x4xf32>
    %g1 = fsdp.scale %r#1 by 1 over 2 : tensor<4x3xf32>
    %g2 = fsdp.scale %r#2 by 1 over 2 : tensor<3x4xf32>
    %g3 = fsdp.scale %r#3 by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g0, %g1, %g2, %g3 : tensor<f32>, tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>
  }
}

// -----

// In one body.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %ln: tensor<3x4xf32> {fsdp.param = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %a: tensor<4x3xf32> {fsdp.param = "fc1",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
      %b: tensor<3x4xf32> {fsdp.param = "fc2",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      %bias: tensor<4xf32> {fsdp.param = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>},
      %dy: tensor<3x4xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x4xf32> {fsdp.grad = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x3xf32> {fsdp.grad = "fc1",
              fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
          tensor<3x4xf32> {fsdp.grad = "fc2",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
          tensor<4xf32> {fsdp.grad = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z33 = arith.constant dense<0.0> : tensor<3x3xf32>
    %z34 = arith.constant dense<0.0> : tensor<3x4xf32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %bb = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e34 : tensor<3x4xf32>) dimensions = [0]
    %h = arith.addf %x, %ln : tensor<3x4xf32>
    %u = linalg.matmul ins(%h, %a : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %v = math.tanh %u : tensor<3x3xf32>
    %yt = linalg.matmul ins(%v, %b : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%yt, %bias : tensor<3x4xf32>, tensor<4xf32>) outs(%e34 : tensor<3x4xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %k = arith.constant 0.5 : f32
      %h0 = arith.mulf %p1, %k : f32
      %h1 = arith.addf %p0, %h0 : f32
      linalg.yield %h1 : f32
    } -> tensor<3x4xf32>
    %yb = fsdp.all_reduce sum %y over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %yf = tensor.collapse_shape %yb [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %dyf = tensor.collapse_shape %dy [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %own = linalg.dot ins(%yf, %dyf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %vte = tensor.empty() : tensor<3x3xf32>
    %vt = linalg.transpose ins(%v : tensor<3x3xf32>) outs(%vte : tensor<3x3xf32>) permutation = [1, 0]
    %db = linalg.matmul ins(%vt, %dy : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %bte = tensor.empty() : tensor<4x3xf32>
    %bt = linalg.transpose ins(%b : tensor<3x4xf32>) outs(%bte : tensor<4x3xf32>) permutation = [1, 0]
    %dv = linalg.matmul ins(%dy, %bt : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %one = arith.constant dense<1.0> : tensor<3x3xf32>
    %v2 = arith.mulf %v, %v : tensor<3x3xf32>
    %sl = arith.subf %one, %v2 : tensor<3x3xf32>
    %du = arith.mulf %dv, %sl : tensor<3x3xf32>
    %hte = tensor.empty() : tensor<4x3xf32>
    %ht = linalg.transpose ins(%h : tensor<3x4xf32>) outs(%hte : tensor<4x3xf32>) permutation = [1, 0]
    %da = linalg.matmul ins(%ht, %du : tensor<4x3xf32>, tensor<3x3xf32>) outs(%z43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %ate = tensor.empty() : tensor<3x4xf32>
    %at = linalg.transpose ins(%a : tensor<4x3xf32>) outs(%ate : tensor<3x4xf32>) permutation = [1, 0]
    %dxt = linalg.matmul ins(%du, %at : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %dx = fsdp.all_reduce sum %dxt over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %dbias = linalg.reduce ins(%dy : tensor<3x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m0 = fsdp.local_grad %dx of "pos" : tensor<3x4xf32>
    %m1 = fsdp.local_grad %da of "fc1" : tensor<4x3xf32>
    %m2 = fsdp.local_grad %db of "fc2" : tensor<3x4xf32>
    %m3 = fsdp.local_grad %dbias of "fc2.bias" : tensor<4xf32>
    %r:4 = fsdp.all_reduce sum %m0, %m1, %m2, %m3 over @across : (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>)
    %g0 = fsdp.scale %r#0 by 1 over 2 : tensor<3x4xf32>
    %g1 = fsdp.scale %r#1 by 1 over 2 : tensor<4x3xf32>
    %g2 = fsdp.scale %r#2 by 1 over 2 : tensor<3x4xf32>
    %g3 = fsdp.scale %r#3 by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g0, %g1, %g2, %g3 : tensor<f32>, tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>
  }
}

// -----

// In one body, a share for more ranks than there are.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %ln: tensor<3x4xf32> {fsdp.param = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
      %a: tensor<4x3xf32> {fsdp.param = "fc1",
          fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
      %b: tensor<3x4xf32> {fsdp.param = "fc2",
          fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      %bias: tensor<4xf32> {fsdp.param = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<3x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>},
      %dy: tensor<3x4xf32> {fsdp.input = "dy", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@across]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3x4xf32> {fsdp.grad = "pos", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x3xf32> {fsdp.grad = "fc1",
              fsdp.global_shape = array<i64: 4, 6>, fsdp.sharding = #fsdp.sharding<[{}, {@node}]>},
          tensor<3x4xf32> {fsdp.grad = "fc2",
              fsdp.global_shape = array<i64: 6, 4>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
          tensor<4xf32> {fsdp.grad = "fc2.bias", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z33 = arith.constant dense<0.0> : tensor<3x3xf32>
    %z34 = arith.constant dense<0.0> : tensor<3x4xf32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %z4 = arith.constant dense<0.0> : tensor<4xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %bb = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e34 : tensor<3x4xf32>) dimensions = [0]
    %h = arith.addf %x, %ln : tensor<3x4xf32>
    %u = linalg.matmul ins(%h, %a : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %v = math.tanh %u : tensor<3x3xf32>
    %yt = linalg.matmul ins(%v, %b : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    // expected-note @+1 {{here terms of a sum over @node meet what is none: the sum is not done}}
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%yt, %bias : tensor<3x4xf32>, tensor<4xf32>) outs(%e34 : tensor<3x4xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %k = arith.constant 0.25 : f32
      %h0 = arith.mulf %p1, %k : f32
      %h1 = arith.addf %p0, %h0 : f32
      linalg.yield %h1 : f32
    } -> tensor<3x4xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @node, but got what is none: terms to which something equal was added, or to which something was done that is not linear}}
    %yb = fsdp.all_reduce sum %y over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %yf = tensor.collapse_shape %yb [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %dyf = tensor.collapse_shape %dy [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %own = linalg.dot ins(%yf, %dyf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %vte = tensor.empty() : tensor<3x3xf32>
    %vt = linalg.transpose ins(%v : tensor<3x3xf32>) outs(%vte : tensor<3x3xf32>) permutation = [1, 0]
    %db = linalg.matmul ins(%vt, %dy : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %bte = tensor.empty() : tensor<4x3xf32>
    %bt = linalg.transpose ins(%b : tensor<3x4xf32>) outs(%bte : tensor<4x3xf32>) permutation = [1, 0]
    %dv = linalg.matmul ins(%dy, %bt : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %one = arith.constant dense<1.0> : tensor<3x3xf32>
    %v2 = arith.mulf %v, %v : tensor<3x3xf32>
    %sl = arith.subf %one, %v2 : tensor<3x3xf32>
    %du = arith.mulf %dv, %sl : tensor<3x3xf32>
    %hte = tensor.empty() : tensor<4x3xf32>
    %ht = linalg.transpose ins(%h : tensor<3x4xf32>) outs(%hte : tensor<4x3xf32>) permutation = [1, 0]
    %da = linalg.matmul ins(%ht, %du : tensor<4x3xf32>, tensor<3x3xf32>) outs(%z43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %ate = tensor.empty() : tensor<3x4xf32>
    %at = linalg.transpose ins(%a : tensor<4x3xf32>) outs(%ate : tensor<3x4xf32>) permutation = [1, 0]
    %dxt = linalg.matmul ins(%du, %at : tensor<3x3xf32>, tensor<3x4xf32>) outs(%z34 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %dx = fsdp.all_reduce sum %dxt over @node : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %dbias = linalg.reduce ins(%dy : tensor<3x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m0 = fsdp.local_grad %dx of "pos" : tensor<3x4xf32>
    %m1 = fsdp.local_grad %da of "fc1" : tensor<4x3xf32>
    %m2 = fsdp.local_grad %db of "fc2" : tensor<3x4xf32>
    %m3 = fsdp.local_grad %dbias of "fc2.bias" : tensor<4xf32>
    %r:4 = fsdp.all_reduce sum %m0, %m1, %m2, %m3 over @across : (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>)
    %g0 = fsdp.scale %r#0 by 1 over 2 : tensor<3x4xf32>
    %g1 = fsdp.scale %r#1 by 1 over 2 : tensor<4x3xf32>
    %g2 = fsdp.scale %r#2 by 1 over 2 : tensor<3x4xf32>
    %g3 = fsdp.scale %r#3 by 1 over 2 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %own over @across : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %g0, %g1, %g2, %g3 : tensor<f32>, tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4xf32>
  }
}

// -----

// The squares of shards are counted once for each of two replicas, and halved.
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
    %q2 = fsdp.all_reduce sum %sq over @world : (tensor<f32>) -> tensor<f32>
    %q = fsdp.scale %q2 by 1 over 2 : tensor<f32>
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

// Divided by the ranks, not the replicas.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      // expected-note @+1 {{the value comes from here}}
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
    %q2 = fsdp.all_reduce sum %sq over @world : (tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{'fsdp.scale': expected a gradient, a loss or a buffer to be scaled, but got what was made of gradients}}
    %q = fsdp.scale %q2 by 1 over 4 : tensor<f32>
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

// Divided by a constant.
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
    %q2 = fsdp.all_reduce sum %sq over @world : (tensor<f32>) -> tensor<f32>
    %two = arith.constant dense<2.0> : tensor<f32>
    %q = arith.divf %q2, %two : tensor<f32>
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

// Divided by another one.
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
    %q2 = fsdp.all_reduce sum %sq over @world : (tensor<f32>) -> tensor<f32>
    %two = arith.constant dense<4.0> : tensor<f32>
    %q = arith.divf %q2, %two : tensor<f32>
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

// Gradients are subtracted, and the sign is changed behind the sum.
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
      %nx = arith.subf %acc, %m : tensor<4xf32>
      %ln = arith.addf %l, %o : tensor<f32>
      scf.yield %nx, %ln : tensor<4xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %L#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    %ng = fsdp.scale %r by 1 over 8 : tensor<4xf32>
    %g = arith.negf %ng : tensor<4xf32>
    %sum = fsdp.all_reduce sum %L#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// The sign is not changed.
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
      %nx = arith.subf %acc, %m : tensor<4xf32>
      %ln = arith.addf %l, %o : tensor<f32>
      scf.yield %nx, %ln : tensor<4xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %L#0 over @world : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+2 {{expected the gradient of 'w' to be scaled by 1/8, but got -1/8}}
    // expected-note @+1 {{it is used here}}
    %g = fsdp.scale %r by 1 over 8 : tensor<4xf32>
    %sum = fsdp.all_reduce sum %L#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 8 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// Experts that are split by a dim, one row each, are summed over all ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %w: tensor<1x3xf32> {fsdp.param = "experts",
          fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<2x2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1x3xf32> {fsdp.grad = "experts",
              fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z13 = arith.constant dense<0.0> : tensor<1x3xf32>
    %e143 = tensor.empty() : tensor<1x4x3xf32>
    %t = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %wb = linalg.broadcast ins(%w : tensor<1x3xf32>) outs(%e143 : tensor<1x4x3xf32>) dimensions = [1]
    %y = arith.mulf %t, %wb : tensor<1x4x3xf32>
    %b = fsdp.all_to_all %y over @node split 1 concat 0 : (tensor<1x4x3xf32>) -> tensor<2x2x3xf32>
    %bf = tensor.collapse_shape %b [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %xf = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %own = linalg.dot ins(%bf, %xf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %db = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %dt = arith.mulf %t, %db : tensor<1x4x3xf32>
    %dw = linalg.reduce ins(%dt : tensor<1x4x3xf32>) outs(%z13 : tensor<1x3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m = fsdp.local_grad %dw of "experts" : tensor<1x3xf32>
    // expected-error @+1 {{'fsdp.all_reduce': expected terms of a sum on @node, but got different chunks of one value}}
    %r = fsdp.all_reduce sum %m over @world : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<1x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<1x3xf32>
  }
}

// -----

// Over the ranks that hold the same one.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<1x3xf32> {fsdp.param = "experts",
          fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<2x2x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1x3xf32> {fsdp.grad = "experts",
              fsdp.global_shape = array<i64: 2, 3>, fsdp.sharding = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z13 = arith.constant dense<0.0> : tensor<1x3xf32>
    %e143 = tensor.empty() : tensor<1x4x3xf32>
    %t = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %wb = linalg.broadcast ins(%w : tensor<1x3xf32>) outs(%e143 : tensor<1x4x3xf32>) dimensions = [1]
    %y = arith.mulf %t, %wb : tensor<1x4x3xf32>
    %b = fsdp.all_to_all %y over @node split 1 concat 0 : (tensor<1x4x3xf32>) -> tensor<2x2x3xf32>
    %bf = tensor.collapse_shape %b [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %xf = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
    %own = linalg.dot ins(%bf, %xf : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %db = fsdp.all_to_all %x over @node split 0 concat 1 : (tensor<2x2x3xf32>) -> tensor<1x4x3xf32>
    %dt = arith.mulf %t, %db : tensor<1x4x3xf32>
    %dw = linalg.reduce ins(%dt : tensor<1x4x3xf32>) outs(%z13 : tensor<1x3xf32>) dimensions = [1]
      (%p: f32, %q: f32) {
        %pq = arith.addf %p, %q : f32
        linalg.yield %pq : f32
      }
    %m = fsdp.local_grad %dw of "experts" : tensor<1x3xf32>
    %r = fsdp.all_reduce sum %m over @across : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %g = fsdp.scale %r by 1 over 4 : tensor<1x3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<1x3xf32>
  }
}

// -----

// A parameter that is stored over all ranks is gathered over a node, and doubled.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      // expected-note @+1 {{the value comes from here}}
      %w: tensor<1xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %w over @node dim 0 : (tensor<1xf32>) -> tensor<2xf32>
    // expected-error @+1 {{'tensor.concat': expected a whole value on a group of 2 ranks, but got a chunk of one}}
    %f = tensor.concat dim(0) %fa, %fa : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<4xf32>) -> tensor<1xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<1xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<1xf32>
  }
}

// -----

// Over both, one after the other.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %w: tensor<1xf32> {fsdp.param = "w",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<1xf32> {fsdp.grad = "w",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %w over @node dim 0 : (tensor<1xf32>) -> tensor<2xf32>
    %f = fsdp.all_gather %fa over @across dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %own = linalg.dot ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %m over @world dim 0 : (tensor<4xf32>) -> tensor<1xf32>
    %g = fsdp.scale %s by 1 over 4 : tensor<1xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<1xf32>
  }
}
