// SPDX-License-Identifier: Apache-2.0
// The whole of a small model: parameters stay whole and are cut where they are
// used, gradients are whole behind their markers, and reshards stand between.
// RUN: fsdp-opt %s --fsdp-partition --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --fsdp-partition --split-input-file --remarks-filter=fsdp -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// A second run finds everything done.
// RUN: fsdp-opt %s --fsdp-partition --split-input-file -o %t.once
// RUN: fsdp-opt %t.once --fsdp-partition --split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

// A global batch over @dp, columns over @tp. The gradient of what is split comes
// split; both are sums over @dp, of which the reshard behind the marker says so.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  // CHECK-LABEL: @batch
  // CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<4x4xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@dp}, {}]>}
  // CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4x6xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>}
  // CHECK-SAME: tensor<4x6xf32> {fsdp.grad = "w"
  // CHECK: %[[WL:.*]] = fsdp.reshard %[[W]] of [4, 6] from <[{}, {}]> to <[{}, {@tp}]> : tensor<4x6xf32> to tensor<4x3xf32>
  // CHECK: linalg.matmul ins(%[[X]], %[[WL]] : tensor<4x4xf32>, tensor<4x3xf32>) outs(%{{.*}} : tensor<4x3xf32>)
  // CHECK: %[[L:.*]] = linalg.reduce { arith.addf } ins(%{{.*}} : tensor<4x3xf32>) outs(%{{.*}} : tensor<f32>)
  // CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x3xf32>) outs(%{{.*}} : tensor<4x3xf32>)
  // CHECK: %[[GW:.*]] = fsdp.local_grad %{{.*}} of "w" : tensor<4x3xf32>
  // CHECK: %[[GWW:.*]] = fsdp.reshard %[[GW]] of [4, 6] from <[{}, {@tp}], partial = {@dp}> to <[{}, {}]>
  // CHECK: %[[GV:.*]] = fsdp.local_grad %{{.*}} of "v" : tensor<4xf32>
  // CHECK: %[[GVW:.*]] = fsdp.reshard %[[GV]] of [4] from <[{}], partial = {@dp}> to <[{}]>
  // CHECK: %[[LW:.*]] = fsdp.reshard %[[L]] of [] from <[], partial = {@dp, @tp}> to <[]>
  // CHECK: return %[[LW]], %[[GWW]], %[[GVW]]
  // REMARK: Remark="reshards tensor<f32> from {{.*}}<[], partial = {@dp, @tp}> to {{.*}}<[]>, at most {{[0-9]+}} bytes sent by a rank
  func.func @batch(%x: tensor<8x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@dp}, {}]>},
                   %w: tensor<4x6xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
                   %v: tensor<4xf32> {fsdp.param = "v", fsdp.sharding = #fsdp.sharding<[{}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4x6xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
          tensor<4xf32> {fsdp.grad = "v", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %z = arith.constant dense<0.0> : tensor<8x6xf32>
    %zs = arith.constant dense<0.0> : tensor<f32>
    %zw = arith.constant dense<0.0> : tensor<4x6xf32>
    %zv = arith.constant dense<0.0> : tensor<4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
    %l = linalg.reduce { arith.addf } ins(%y : tensor<8x6xf32>) outs(%zs : tensor<f32>) dimensions = [0, 1]
    %dy = math.exp %y : tensor<8x6xf32>
    %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
    %dw = linalg.matmul ins(%t, %dy : tensor<4x8xf32>, tensor<8x6xf32>) outs(%zw : tensor<4x6xf32>) -> tensor<4x6xf32>
    %gw = fsdp.local_grad %dw of "w" : tensor<4x6xf32>
    %dv = linalg.reduce { arith.addf } ins(%x : tensor<8x4xf32>) outs(%zv : tensor<4xf32>) dimensions = [0]
    %gv = fsdp.local_grad %dv of "v" : tensor<4xf32>
    return %l, %gw, %gv : tensor<f32>, tensor<4x6xf32>, tensor<4xf32>
  }
}

// -----

// Experts over the ranks along which tokens vary: what varies becomes a leading
// dimension, and from there to the experts' is an all-to-all, once for forward
// and backward. A rank's experts have seen all tokens, so their gradients are
// whole; in the terms of a mean over @ep.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @ep = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @experts
  // CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<4x3x2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@ep}>}
  // CHECK: %[[S:.*]] = arith.mulf %[[X]], %[[X]] : tensor<4x3x2xf32>
  // CHECK: %[[STAR:.*]] = tensor.expand_shape %[[S]] {{.*}} into tensor<1x4x3x2xf32>
  // CHECK: %[[MOVED:.*]] = fsdp.reshard %[[STAR]] of [2, 4, 3, 2] from <[{@ep}, {}, {}, {}]> to <[{}, {@ep}, {}, {}]> : tensor<1x4x3x2xf32> to tensor<2x2x3x2xf32>
  // CHECK: %[[W:.*]] = fsdp.reshard %{{.*}} of [4, 2, 2] from <[{}, {}, {}]> to <[{@ep}, {}, {}]>
  // CHECK: linalg.generic {{.*}} ins(%[[MOVED]], %[[W]] : tensor<2x2x3x2xf32>, tensor<2x2x2xf32>)
  // CHECK-NOT: of [2, 4, 3, 2]
  // CHECK: linalg.reduce
  // CHECK: %[[G:.*]] = fsdp.local_grad %{{.*}} of "w" : tensor<2x2x2xf32>
  // CHECK: fsdp.reshard %[[G]] of [4, 2, 2] from <[{@ep}, {}, {}]> to <[{}, {}, {}]>
  func.func @experts(%x: tensor<4x3x2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@ep}>},
                     %w: tensor<4x2x2xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{@ep}, {}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@ep]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<4x2x2xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{@ep}, {}, {}]>}) {
    %z = arith.constant dense<0.0> : tensor<4x3x2xf32>
    %zs = arith.constant dense<0.0> : tensor<f32>
    %zw = arith.constant dense<0.0> : tensor<4x2x2xf32>
    %e = tensor.empty() : tensor<4x2x3xf32>
    %s = arith.mulf %x, %x : tensor<4x3x2xf32>
    %y = linalg.batch_matmul ins(%s, %w : tensor<4x3x2xf32>, tensor<4x2x2xf32>) outs(%z : tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
    %l = linalg.reduce { arith.addf } ins(%y : tensor<4x3x2xf32>) outs(%zs : tensor<f32>) dimensions = [0, 1, 2]
    %dy = math.exp %y : tensor<4x3x2xf32>
    %t = linalg.transpose ins(%s : tensor<4x3x2xf32>) outs(%e : tensor<4x2x3xf32>) permutation = [0, 2, 1]
    %d = linalg.batch_matmul ins(%t, %dy : tensor<4x2x3xf32>, tensor<4x3x2xf32>) outs(%zw : tensor<4x2x2xf32>) -> tensor<4x2x2xf32>
    %g = fsdp.local_grad %d of "w" : tensor<4x2x2xf32>
    return %l, %g : tensor<f32>, tensor<4x2x2xf32>
  }
}

// -----

// What a user wrote on an activation stays, also where less would be sent
// without. The op may come in another placement; uses see the pinned one.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @pinned
  // CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<8x4xf32>
  // CHECK-SAME: tensor<4x4xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.output = "1", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>}
  // CHECK: %[[A:.*]] = math.exp %{{.*}} : tensor<4x4xf32>
  // CHECK-NOT: fsdp.sharding
  // CHECK: %[[B:.*]] = arith.mulf %[[A]], %[[A]] : tensor<4x4xf32>
  // CHECK: return %{{.*}}, %[[B]]
  func.func @pinned(%x: tensor<8x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>}, tensor<8x4xf32> {fsdp.output = "1"}) {
    %zs = arith.constant dense<0.0> : tensor<f32>
    %a = math.exp %x {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]} : tensor<8x4xf32>
    %b = arith.mulf %a, %a : tensor<8x4xf32>
    %l = linalg.reduce { arith.addf } ins(%b : tensor<8x4xf32>) outs(%zs : tensor<f32>) dimensions = [0, 1]
    return %l, %b : tensor<f32>, tensor<8x4xf32>
  }
}

// -----

// Several axes at once: a dimension over two groups, major to minor; two dims.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  // CHECK-LABEL: @axes
  // CHECK-SAME: tensor<2x4xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@dp, @tp}, {}]>}
  // CHECK-SAME: tensor<4x2xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{@dp}, {@tp}]>}
  // CHECK: %[[MAJOR:.*]] = fsdp.rank_index @dp
  // CHECK: %[[MINOR:.*]] = fsdp.rank_index @tp
  // CHECK: %[[TIMES:.*]] = arith.muli %[[MAJOR]], %c2
  // CHECK: %[[CHUNK:.*]] = arith.addi %[[TIMES]], %[[MINOR]]
  // CHECK: %[[FIRST:.*]] = arith.muli %[[CHUNK]], %c2
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x4xf32>)
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: arith.addi %[[I]], %[[FIRST]]
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<4x2xf32>
  func.func @axes(%x: tensor<8x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@dp, @tp}, {}]>},
                  %y: tensor<8x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{@dp}, {@tp}]>})
      -> (tensor<8x4xf32> {fsdp.output = "0"}, tensor<8x4xf32> {fsdp.output = "1"}) {
    %e = tensor.empty() : tensor<8x4xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
    ^bb0(%p: f32, %out: f32):
      %i = linalg.index 0 : index
      %0 = arith.index_cast %i : index to i64
      %1 = arith.sitofp %0 : i64 to f32
      %2 = arith.addf %p, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<8x4xf32>
    %b = arith.mulf %y, %y : tensor<8x4xf32>
    return %a, %b : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
