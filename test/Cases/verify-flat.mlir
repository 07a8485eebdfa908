// SPDX-License-Identifier: Apache-2.0
// Flat buckets: several gradients, or shards of parameters, in one tensor. Chunks
// of each must be those of the rank, so they lie in a row for each rank.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify

// A row for each rank, scattered by rows.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %ra = tensor.expand_shape %ca [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %rb = tensor.expand_shape %cb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %bk = tensor.concat dim(1) %ra, %rb : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<2x10xf32>
    %s2 = fsdp.reduce_scatter sum %bk over @node dim 0 : (tensor<2x10xf32>) -> tensor<1x10xf32>
    %s = tensor.collapse_shape %s2 [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// The same, scattered as one dimension.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %ra = tensor.expand_shape %ca [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %rb = tensor.expand_shape %cb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %bk = tensor.concat dim(1) %ra, %rb : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<2x10xf32>
    %b1 = tensor.collapse_shape %bk [[0, 1]] : tensor<2x10xf32> into tensor<20xf32>
    %s = fsdp.reduce_scatter sum %b1 over @node dim 0 : (tensor<20xf32>) -> tensor<10xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// Filled piece by piece, with padding behind.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %ra = tensor.expand_shape %ca [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %rb = tensor.expand_shape %cb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x12xf32>
    %bk0 = tensor.insert_slice %ra into %e[0, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<2x12xf32>
    %bk = tensor.insert_slice %rb into %bk0[0, 6] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x12xf32>
    %b1 = tensor.collapse_shape %bk [[0, 1]] : tensor<2x12xf32> into tensor<24xf32>
    %s = fsdp.reduce_scatter sum %b1 over @node dim 0 : (tensor<24xf32>) -> tensor<12xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<12xf32>) -> tensor<12xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<12xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<12xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<12xf32> to tensor<4xf32>
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// One gradient behind the other: the first rank gets most of the first one.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    // expected-note @+1 {{it is marked here}}
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    // expected-note @+1 {{it is marked here}}
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %b1 = tensor.concat dim(0) %ca, %cb : (tensor<12xf32>, tensor<8xf32>) -> tensor<20xf32>
    %s = fsdp.reduce_scatter sum %b1 over @node dim 0 : (tensor<20xf32>) -> tensor<10xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'a', but got what it is no part of}}
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    // expected-error @+1 {{expected the gradient of 'b', but got what it is no part of}}
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// Reshaped to a row for each rank behind the concat.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    // expected-note @+1 {{it is marked here}}
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    // expected-note @+1 {{it is marked here}}
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %b1 = tensor.concat dim(0) %ca, %cb : (tensor<12xf32>, tensor<8xf32>) -> tensor<20xf32>
    %b2 = tensor.expand_shape %b1 [[0, 1]] output_shape [2, 10] : tensor<20xf32> into tensor<2x10xf32>
    %s2 = fsdp.reduce_scatter sum %b2 over @node dim 0 : (tensor<2x10xf32>) -> tensor<1x10xf32>
    %s = tensor.collapse_shape %s2 [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'a', but got what it is no part of}}
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    // expected-error @+1 {{expected the gradient of 'b', but got what it is no part of}}
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// The pieces are taken out in another order.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    // expected-note @+2 {{it is marked here}}
    // expected-note @+1 {{which is marked here}}
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %ra = tensor.expand_shape %ca [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %rb = tensor.expand_shape %cb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %bk = tensor.concat dim(1) %ra, %rb : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<2x10xf32>
    %s2 = fsdp.reduce_scatter sum %bk over @node dim 0 : (tensor<2x10xf32>) -> tensor<1x10xf32>
    %s = tensor.collapse_shape %s2 [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<10xf32>
    %fga = tensor.extract_slice %q[4] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[0] [4] [1] : tensor<10xf32> to tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'a', but got what it is no part of}}
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    // expected-error @+1 {{expected the gradient of 'b', but got that of 'a'}}
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// Summed as a whole, each in one place.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %b1 = tensor.concat dim(0) %ca, %cb : (tensor<12xf32>, tensor<8xf32>) -> tensor<20xf32>
    %r = fsdp.all_reduce sum %b1 over @world : (tensor<20xf32>) -> tensor<20xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<20xf32>
    %fga = tensor.extract_slice %q[0] [12] [1] : tensor<20xf32> to tensor<12xf32>
    %fgb = tensor.extract_slice %q[12] [8] [1] : tensor<20xf32> to tensor<8xf32>
    %ea = tensor.expand_shape %fga [[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
    %eb = tensor.expand_shape %fgb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %ga = fsdp.slice %ea over @node dim 0 : tensor<4x3xf32> to tensor<2x3xf32>
    %gb = fsdp.slice %eb over @node dim 0 : tensor<2x4xf32> to tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// Cut to a chunk of the bucket before they are taken out.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    // expected-note @+1 {{it is marked here}}
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    // expected-note @+1 {{it is marked here}}
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %b1 = tensor.concat dim(0) %ca, %cb : (tensor<12xf32>, tensor<8xf32>) -> tensor<20xf32>
    %r = fsdp.all_reduce sum %b1 over @world : (tensor<20xf32>) -> tensor<20xf32>
    %q0 = fsdp.scale %r by 1 over 4 : tensor<20xf32>
    %q = fsdp.slice %q0 over @node dim 0 : tensor<20xf32> to tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    // expected-error @+1 {{expected the gradient of 'a', but got what it is no part of}}
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    // expected-error @+1 {{expected the gradient of 'b', but got what it is no part of}}
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// Scattered and gathered again, which is a sum for all, in whatever chunks.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %b1 = tensor.concat dim(0) %ca, %cb : (tensor<12xf32>, tensor<8xf32>) -> tensor<20xf32>
    %s = fsdp.reduce_scatter sum %b1 over @world dim 0 : (tensor<20xf32>) -> tensor<5xf32>
    %q0 = fsdp.scale %s by 1 over 4 : tensor<5xf32>
    %q = fsdp.all_gather %q0 over @world dim 0 : (tensor<5xf32>) -> tensor<20xf32>
    %fga = tensor.extract_slice %q[0] [12] [1] : tensor<20xf32> to tensor<12xf32>
    %fgb = tensor.extract_slice %q[12] [8] [1] : tensor<20xf32> to tensor<8xf32>
    %ea = tensor.expand_shape %fga [[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
    %eb = tensor.expand_shape %fgb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %ga = fsdp.slice %ea over @node dim 0 : tensor<4x3xf32> to tensor<2x3xf32>
    %gb = fsdp.slice %eb over @node dim 0 : tensor<2x4xf32> to tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// Two buckets are added, piece by piece.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %ra = tensor.expand_shape %ca [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %rb = tensor.expand_shape %cb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %bk = tensor.concat dim(1) %ra, %rb : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<2x10xf32>
    %bk2 = arith.addf %bk, %bk : tensor<2x10xf32>
    %s2 = fsdp.reduce_scatter sum %bk2 over @node dim 0 : (tensor<2x10xf32>) -> tensor<1x10xf32>
    %s = tensor.collapse_shape %s2 [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    %q = fsdp.scale %r by 1 over 8 : tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// They are counted twice.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<2x3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %b: tensor<1x4xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
      %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>},
      %y: tensor<2x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2x3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 4, 3>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>},
          tensor<1x4xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 2, 4>, fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %fa = fsdp.all_gather %a over @node dim 0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %fb = fsdp.all_gather %b over @node dim 0 : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %fac = tensor.collapse_shape %fa [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %yc = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %l1 = linalg.dot ins(%fac, %xc : tensor<12xf32>, tensor<12xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fbc, %yc : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<4x3xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<2x4xf32>
    %ca = tensor.collapse_shape %ma [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %cb = tensor.collapse_shape %mb [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %ra = tensor.expand_shape %ca [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %rb = tensor.expand_shape %cb [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    %bk = tensor.concat dim(1) %ra, %rb : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<2x10xf32>
    %bk2 = arith.addf %bk, %bk : tensor<2x10xf32>
    %s2 = fsdp.reduce_scatter sum %bk2 over @node dim 0 : (tensor<2x10xf32>) -> tensor<1x10xf32>
    %s = tensor.collapse_shape %s2 [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
    %r = fsdp.all_reduce sum %s over @across : (tensor<10xf32>) -> tensor<10xf32>
    // expected-error @+2 {{expected the gradient of 'a' to be scaled by 1/4, but got 1/2}}
    // expected-error @+1 {{expected the gradient of 'b' to be scaled by 1/4, but got 1/2}}
    %q = fsdp.scale %r by 1 over 4 : tensor<10xf32>
    %fga = tensor.extract_slice %q[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fgb = tensor.extract_slice %q[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    // expected-note @+1 {{it is used here}}
    %ga = tensor.expand_shape %fga [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    // expected-note @+1 {{it is used here}}
    %gb = tensor.expand_shape %fgb [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<2x3xf32>, tensor<1x4xf32>
  }
}

// -----

// Shards of two parameters are gathered in one tensor, and each is put together.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %b: tensor<2xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
          tensor<2xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %e = tensor.empty() : tensor<5xf32>
    %k0 = tensor.insert_slice %a into %e[0] [3] [1] : tensor<3xf32> into tensor<5xf32>
    %k = tensor.insert_slice %b into %k0[3] [2] [1] : tensor<2xf32> into tensor<5xf32>
    %all = fsdp.all_gather %k over @node dim 0 : (tensor<5xf32>) -> tensor<10xf32>
    %rows = tensor.expand_shape %all [[0, 1]] output_shape [2, 5] : tensor<10xf32> into tensor<2x5xf32>
    %ua = tensor.extract_slice %rows[0, 0] [2, 3] [1, 1] : tensor<2x5xf32> to tensor<2x3xf32>
    %ub = tensor.extract_slice %rows[0, 3] [2, 2] [1, 1] : tensor<2x5xf32> to tensor<2x2xf32>
    %fa = tensor.collapse_shape %ua [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %fb = tensor.collapse_shape %ub [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
    %l1 = linalg.dot ins(%fa, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fb, %y : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<6xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<4xf32>
    %sa = fsdp.reduce_scatter sum %ma over @node dim 0 : (tensor<6xf32>) -> tensor<3xf32>
    %sb = fsdp.reduce_scatter sum %mb over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %ra = fsdp.all_reduce sum %sa over @across : (tensor<3xf32>) -> tensor<3xf32>
    %rb = fsdp.all_reduce sum %sb over @across : (tensor<2xf32>) -> tensor<2xf32>
    %ga = fsdp.scale %ra by 1 over 4 : tensor<3xf32>
    %gb = fsdp.scale %rb by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<3xf32>, tensor<2xf32>
  }
}

// -----

// As if what the ranks have of the first one came first.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @step(
      %a: tensor<3xf32> {fsdp.param = "a",
          fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %b: tensor<2xf32> {fsdp.param = "b",
          fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %y: tensor<4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "a",
              fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>},
          tensor<2xf32> {fsdp.grad = "b",
              fsdp.global_shape = array<i64: 4>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@node}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %e = tensor.empty() : tensor<5xf32>
    // expected-note @+1 {{the value comes from here}}
    %k0 = tensor.insert_slice %a into %e[0] [3] [1] : tensor<3xf32> into tensor<5xf32>
    %k = tensor.insert_slice %b into %k0[3] [2] [1] : tensor<2xf32> into tensor<5xf32>
    // expected-error @+1 {{'fsdp.all_gather': expected the chunks on @node to be those of this dimension, in this order, but they are not}}
    %all = fsdp.all_gather %k over @node dim 0 : (tensor<5xf32>) -> tensor<10xf32>
    %fa = tensor.extract_slice %all[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
    %fb = tensor.extract_slice %all[6] [4] [1] : tensor<10xf32> to tensor<4xf32>
    %l1 = linalg.dot ins(%fa, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %l2 = linalg.dot ins(%fb, %y : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %own = arith.addf %l1, %l2 : tensor<f32>
    %ma = fsdp.local_grad %x of "a" : tensor<6xf32>
    %mb = fsdp.local_grad %y of "b" : tensor<4xf32>
    %sa = fsdp.reduce_scatter sum %ma over @node dim 0 : (tensor<6xf32>) -> tensor<3xf32>
    %sb = fsdp.reduce_scatter sum %mb over @node dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %ra = fsdp.all_reduce sum %sa over @across : (tensor<3xf32>) -> tensor<3xf32>
    %rb = fsdp.all_reduce sum %sb over @across : (tensor<2xf32>) -> tensor<2xf32>
    %ga = fsdp.scale %ra by 1 over 4 : tensor<3xf32>
    %gb = fsdp.scale %rb by 1 over 4 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<3xf32>, tensor<2xf32>
  }
}

// -----

// A bucket that is summed over micro-batches.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>,
                   fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %a: tensor<3xf32> {fsdp.param = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<3xf32> {fsdp.param = "b", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.grad = "b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<6xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ab = tensor.concat dim(0) %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    %all:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<6xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32>
      %xa = tensor.extract_slice %xi[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
      %xb = tensor.extract_slice %xi[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
      %own = linalg.dot ins(%ab, %xi : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      %ma = fsdp.local_grad %xa of "a" : tensor<3xf32>
      %mb = fsdp.local_grad %xb of "b" : tensor<3xf32>
      %both = tensor.concat dim(0) %ma, %mb : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      %next = arith.addf %acc, %both : tensor<6xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<6xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %all#0 over @world : (tensor<6xf32>) -> tensor<6xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<6xf32>
    %ga = tensor.extract_slice %q[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %gb = tensor.extract_slice %q[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %sum = fsdp.all_reduce sum %all#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// Of which only the last one's is left.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>,
                   fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %a: tensor<3xf32> {fsdp.param = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<3xf32> {fsdp.param = "b", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<2x6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.grad = "b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : tensor<6xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ab = tensor.concat dim(0) %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    %all:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %none, %l = %zero) -> (tensor<6xf32>, tensor<f32>) {
      %xi = tensor.extract_slice %x[%i, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32>
      %xa = tensor.extract_slice %xi[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
      %xb = tensor.extract_slice %xi[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
      %own = linalg.dot ins(%ab, %xi : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
      // expected-note @+1 {{which are marked here}}
      %ma = fsdp.local_grad %xa of "a" : tensor<3xf32>
      // expected-note @+1 {{which are marked here}}
      %mb = fsdp.local_grad %xb of "b" : tensor<3xf32>
      %both = tensor.concat dim(0) %ma, %mb : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      %next = fsdp.optimization_barrier %both : tensor<6xf32>
      %ln = arith.addf %l, %own : tensor<f32>
      scf.yield %next, %ln : tensor<6xf32>, tensor<f32>
    }
    %r = fsdp.all_reduce sum %all#0 over @world : (tensor<6xf32>) -> tensor<6xf32>
    %q = fsdp.scale %r by 1 over 4 : tensor<6xf32>
    // expected-error @+1 {{expected the sum of all iterations' gradients of 'a', but got the last one's}}
    %ga = tensor.extract_slice %q[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
    // expected-error @+1 {{expected the sum of all iterations' gradients of 'b', but got the last one's}}
    %gb = tensor.extract_slice %q[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %sum = fsdp.all_reduce sum %all#1 over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 4 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// Either branch has the same bucket.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %a: tensor<3xf32> {fsdp.param = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<3xf32> {fsdp.param = "b", fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %flag: tensor<i1> {fsdp.input = "flag", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.grad = "b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %ab = tensor.concat dim(0) %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%ab, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %xa = tensor.extract_slice %x[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %xb = tensor.extract_slice %x[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %ma = fsdp.local_grad %xa of "a" : tensor<3xf32>
    %mb = fsdp.local_grad %xb of "b" : tensor<3xf32>
    %is = tensor.extract %flag[] : tensor<i1>
    %both = scf.if %is -> (tensor<6xf32>) {
      %one = tensor.concat dim(0) %ma, %mb : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      scf.yield %one : tensor<6xf32>
    } else {
      %other = tensor.concat dim(0) %ma, %mb : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      scf.yield %other : tensor<6xf32>
    }
    %r = fsdp.all_reduce sum %both over @world : (tensor<6xf32>) -> tensor<6xf32>
    %q = fsdp.scale %r by 1 over 2 : tensor<6xf32>
    %ga = tensor.extract_slice %q[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %gb = tensor.extract_slice %q[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// In the other branch its pieces are in another order.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %a: tensor<3xf32> {fsdp.param = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
      %b: tensor<3xf32> {fsdp.param = "b", fsdp.sharding = #fsdp.sharding<[{}]>},
      // expected-note @+1 {{the value comes from here}}
      %x: tensor<6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>},
      %flag: tensor<i1> {fsdp.input = "flag", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<3xf32> {fsdp.grad = "a", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<3xf32> {fsdp.grad = "b", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %ab = tensor.concat dim(0) %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    %own = linalg.dot ins(%ab, %x : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %xa = tensor.extract_slice %x[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %xb = tensor.extract_slice %x[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %ma = fsdp.local_grad %xa of "a" : tensor<3xf32>
    %mb = fsdp.local_grad %xb of "b" : tensor<3xf32>
    %is = tensor.extract %flag[] : tensor<i1>
    %both = scf.if %is -> (tensor<6xf32>) {
      %one = tensor.concat dim(0) %ma, %mb : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      scf.yield %one : tensor<6xf32>
    } else {
      %other = tensor.concat dim(0) %mb, %ma : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      scf.yield %other : tensor<6xf32>
    }
    %r = fsdp.all_reduce sum %both over @world : (tensor<6xf32>) -> tensor<6xf32>
    // expected-error @+1 {{'fsdp.scale': expected a gradient, a loss or a buffer to be scaled, but got what was made of gradients}}
    %q = fsdp.scale %r by 1 over 2 : tensor<6xf32>
    %ga = tensor.extract_slice %q[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %gb = tensor.extract_slice %q[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %ga, %gb : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}
