// SPDX-License-Identifier: Apache-2.0
// Where parameters, gradients, states and updates are kept, and the reshards on
// the borders.
// RUN: fsdp-opt %s --fsdp-shard-storage --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --fsdp-shard-storage --split-input-file --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Rows that do not divide are padded: 5 rows are 2 per rank of 4. The loss is a
// mean over 8 ranks, so the gradient is partial over all of them, ends as a
// shard of 4, and is scaled by 1/8.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.unit @u {shard = @node, reshard_after_forward = true}
  // CHECK-LABEL: @uneven
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<2x3xf32> {fsdp.global_shape = array<i64: 5, 3>, fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {}]>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>, fsdp.unit = @u}
  // CHECK-SAME: %[[M:[a-z0-9]*]]: tensor<2x3xf32> {fsdp.global_shape = array<i64: 5, 3>, {{[^%]*}}, fsdp.state = "exp_avg:w", fsdp.storage = #fsdp.sharding<[{@node}, {}]>}
  // A counter has another shape than its parameter, a scalar no dim to split,
  // and an input is not stored.
  // CHECK-SAME: %{{.*}}: tensor<i64> {fsdp.global_shape = array<i64>, fsdp.state = "step:w", fsdp.storage = #fsdp.sharding<[]>}
  // CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<f32> {fsdp.global_shape = array<i64>, fsdp.param = "s", {{[^%]*}}, fsdp.storage = #fsdp.sharding<[]>
  // CHECK-SAME: tensor<5x3xf32> {fsdp.global_shape = array<i64: 5, 3>, fsdp.input = "x", {{[^%]*}}, fsdp.storage = #fsdp.sharding<[{}, {}], varying = {@world}>}
  // CHECK-SAME: tensor<2x3xf32> {fsdp.global_shape = array<i64: 5, 3>, fsdp.storage = #fsdp.sharding<[{@node}, {}]>, fsdp.updated = "w"}
  // CHECK-SAME: tensor<2x3xf32> {{{[^%]*}}, fsdp.updated_state = "exp_avg:w"}
  // CHECK-SAME: tensor<f32> {fsdp.global_shape = array<i64>, fsdp.grad = "s"
  func.func @uneven(%w: tensor<5x3xf32> {fsdp.param = "w", fsdp.unit = @u,
                        fsdp.sharding = #fsdp.sharding<[{}, {} ]>},
                    %m: tensor<5x3xf32> {fsdp.state = "exp_avg:w",
                        fsdp.sharding = #fsdp.sharding<[{}, {} ]>},
                    %n: tensor<i64> {fsdp.state = "step:w"},
                    %s: tensor<f32> {fsdp.param = "s", fsdp.unit = @u,
                        fsdp.sharding = #fsdp.sharding<[]>},
                    %x: tensor<5x3xf32> {fsdp.input = "x",
                        fsdp.sharding = #fsdp.sharding<[{}, {} ], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>},
          tensor<5x3xf32> {fsdp.updated = "w"},
          tensor<5x3xf32> {fsdp.updated_state = "exp_avg:w"},
          tensor<f32> {fsdp.grad = "s"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // Forward and backward share a gather, which stands in front of the first
    // use.
    // CHECK: %[[FULL:.*]] = fsdp.reshard %[[W]] of [5, 3] from <[{@node}, {}]> to <[{}, {}]>{{.*}} : tensor<2x3xf32> to tensor<5x3xf32>
    // CHECK-NEXT: %[[Y:.*]] = arith.mulf %{{.*}}, %[[FULL]]
    %y = arith.mulf %x, %w : tensor<5x3xf32>
    // CHECK: %[[LOSS:.*]] = linalg.reduce
    %l = linalg.reduce { arith.addf } ins(%y : tensor<5x3xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    // CHECK: %[[L:.*]] = arith.mulf %[[LOSS]], %[[S]]
    %ls = arith.mulf %l, %s : tensor<f32>
    // CHECK: arith.mulf %[[Y]], %[[FULL]]
    %g = arith.mulf %y, %w : tensor<5x3xf32>
    // CHECK: %[[MARK:.*]] = fsdp.local_grad %{{.*}} of "w"
    // CHECK-NEXT: %[[SHARD:.*]] = fsdp.reshard %[[MARK]] of [5, 3] from <[{}, {}], partial = {@world}> to <[{@node}, {}]>{{.*}} : tensor<5x3xf32> to tensor<2x3xf32>
    // CHECK-NEXT: %[[SCALED:.*]] = fsdp.scale %[[SHARD]] by 1 over 8
    // CHECK-NEXT: %[[G:.*]] = fsdp.reshard %[[SCALED]] of [5, 3] from <[{@node}, {}]> to <[{}, {}]>
    %mg = fsdp.local_grad %g of "w" : tensor<5x3xf32>
    // CHECK: %[[MS:.*]] = fsdp.local_grad %[[LOSS]] of "s"
    // CHECK-NEXT: %[[SUM:.*]] = fsdp.reshard %[[MS]] of [] from <[], partial = {@world}> to <[]>
    // CHECK-NEXT: %[[GS:.*]] = fsdp.scale %[[SUM]] by 1 over 8
    %ms = fsdp.local_grad %l of "s" : tensor<f32>
    // The optimizer's own gathers: of the state and of the parameter.
    // CHECK: %[[MF:.*]] = fsdp.reshard %[[M]] {{.*}} from <[{@node}, {}]> to <[{}, {}]>
    // CHECK: %[[M1:.*]] = arith.addf %[[MF]], %[[G]]
    %m1 = arith.addf %m, %mg : tensor<5x3xf32>
    // CHECK: %[[WF:.*]] = fsdp.reshard %[[W]]
    // CHECK: %[[W1:.*]] = arith.subf %[[WF]], %[[M1]]
    %w1 = arith.subf %w, %m1 : tensor<5x3xf32>
    // CHECK: %[[W2:.*]] = fsdp.reshard %[[W1]] {{.*}} from <[{}, {}]> to <[{@node}, {}]>
    // CHECK: %[[M2:.*]] = fsdp.reshard %[[M1]]
    // CHECK: return %[[L]], %[[W2]], %[[M2]], %[[GS]]
    return %ls, %w1, %m1, %ms : tensor<f32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<f32>
  }
}

// -----

// Two groups on one dim: storage is minor to the compute sharding. HSDP: the
// unit's group takes part of the sum, its replicas the rest. A parameter that
// varies has its own gradient along what it varies over; the scale is the
// loss's for all of them.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @tp = #fsdp.classes<[4, 2] from [8]>
  fsdp.process_group @dp = #fsdp.classes<[2, 4] from [4, 2] T(1, 0)>
  fsdp.unit @u {shard = @dp, reshard_after_forward = true}
  fsdp.unit @whole {shard = @tp, reshard_after_forward = true}
  // CHECK-LABEL: @groups
  // CHECK-SAME: tensor<1x3xf32> {fsdp.global_shape = array<i64: 6, 3>, fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}, {}]>
  // CHECK-SAME: tensor<2xf32> {fsdp.global_shape = array<i64: 8>, fsdp.param = "e", fsdp.sharding = #fsdp.sharding<[{}], varying = {@tp}>, fsdp.storage = #fsdp.sharding<[{@dp}], varying = {@tp}>
  // CHECK-SAME: tensor<4xf32> {fsdp.global_shape = array<i64: 8>, fsdp.param = "h"
  func.func @groups(%w: tensor<6x3xf32> {fsdp.param = "w", fsdp.unit = @u,
                        fsdp.sharding = #fsdp.sharding<[{@tp}, {} ]>},
                    %e: tensor<8xf32> {fsdp.param = "e", fsdp.unit = @u,
                        fsdp.sharding = #fsdp.sharding<[{} ], varying = {@tp}>},
                    %h: tensor<8xf32> {fsdp.param = "h", fsdp.unit = @whole,
                        fsdp.sharding = #fsdp.sharding<[{} ]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>},
          tensor<8xf32> {fsdp.grad = "e"}, tensor<8xf32> {fsdp.grad = "h"}) {
    %l = arith.constant dense<1.0> : tensor<f32>
    // CHECK: fsdp.local_grad %{{.*}} of "e"
    // CHECK-NEXT: fsdp.reshard %{{.*}} from <[{}], partial = {@dp}, varying = {@tp}> to <[{@dp}], varying = {@tp}>
    // CHECK-NEXT: fsdp.scale %{{.*}} by 1 over 8
    %ge = arith.mulf %e, %e : tensor<8xf32>
    %me = fsdp.local_grad %ge of "e" : tensor<8xf32>
    // CHECK: fsdp.local_grad %{{.*}} of "h"
    // CHECK-NEXT: fsdp.reshard %{{.*}} from <[{}], partial = {@world}> to <[{@tp}]>
    // CHECK-NEXT: fsdp.scale %{{.*}} by 1 over 8
    %gh = arith.mulf %h, %h : tensor<8xf32>
    %mh = fsdp.local_grad %gh of "h" : tensor<8xf32>
    return %l, %me, %mh : tensor<f32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// param_dtype narrows the shard, so that fewer bytes are gathered; where it is
// wider there is nothing to gain. reduce_dtype holds for the reduction; f16 is
// scaled first, since its sum may overflow. A divide factor replaces the loss's
// scale, and a sum over the ranks has none.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @mixed {shard = @world, reshard_after_forward = true, param_dtype = bf16, reduce_dtype = f16}
  fsdp.unit @wide {shard = @world, reshard_after_forward = true, param_dtype = f32, reduce_dtype = f32}
  fsdp.unit @factor {shard = @world, reshard_after_forward = true, gradient_divide_factor = 0.5}
  // CHECK-LABEL: @dtypes
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<2xf32> {{{[^%]*}}fsdp.param = "w"
  // CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<2xbf16> {{{[^%]*}}fsdp.param = "v"
  func.func @dtypes(%w: tensor<8xf32> {fsdp.param = "w", fsdp.unit = @mixed},
                    %v: tensor<8xbf16> {fsdp.param = "v", fsdp.unit = @wide},
                    %f: tensor<8xf32> {fsdp.param = "f", fsdp.unit = @factor},
                    %z: tensor<8xf32> {fsdp.param = "z", fsdp.unit = @factor, fsdp.frozen})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>},
          tensor<8xf32> {fsdp.grad = "w"}, tensor<8xbf16> {fsdp.grad = "v"},
          tensor<8xf32> {fsdp.grad = "f"}) {
    %l = arith.constant dense<1.0> : tensor<f32>
    // CHECK: linalg.generic {{.*}} ins(%[[W]] : tensor<2xf32>)
    // CHECK: arith.truncf %{{.*}} : f32 to bf16
    // CHECK: fsdp.reshard %{{.*}} : tensor<2xbf16> to tensor<8xbf16>
    // CHECK: arith.extf %{{.*}} : bf16 to f32
    // CHECK: arith.mulf
    %gw = arith.mulf %w, %w : tensor<8xf32>
    // CHECK: %[[M:.*]] = fsdp.local_grad
    // CHECK: linalg.generic {{.*}} ins(%[[M]] : tensor<8xf32>)
    // CHECK: arith.truncf %{{.*}} : f32 to f16
    // CHECK: %[[S:.*]] = fsdp.scale %{{.*}} by 1 over 4 : tensor<8xf16>
    // CHECK: %[[R:.*]] = fsdp.reshard %[[S]] of [8] from <[{}], partial = {@world}> to <[{@world}]>{{.*}} : tensor<8xf16> to tensor<2xf16>
    // CHECK-NOT: fsdp.scale
    // CHECK: linalg.generic {{.*}} ins(%[[R]] : tensor<2xf16>)
    %mw = fsdp.local_grad %gw of "w" : tensor<8xf32>
    // CHECK: fsdp.reshard %[[V]] {{.*}} : tensor<2xbf16> to tensor<8xbf16>
    // CHECK-NEXT: arith.mulf
    %gv = arith.mulf %v, %v : tensor<8xbf16>
    // CHECK: fsdp.reshard %{{.*}} : tensor<8xf32> to tensor<2xf32>
    // CHECK-NEXT: fsdp.scale %{{.*}} by 1 over 4 : tensor<2xf32>
    %mv = fsdp.local_grad %gv of "v" : tensor<8xbf16>
    // The frozen parameter of the same unit is gathered but not reduced.
    // CHECK: fsdp.reshard %{{.*}} from <[{@world}]> to <[{}]>
    // CHECK: fsdp.reshard %{{.*}} from <[{@world}]> to <[{}]>
    // CHECK: arith.mulf
    %gf = arith.mulf %f, %z : tensor<8xf32>
    // CHECK: fsdp.local_grad %{{.*}} of "f"
    // CHECK: fsdp.scale %{{.*}} by 2 over 1
    // CHECK-NOT: partial
    // CHECK: return
    %mf = fsdp.local_grad %gf of "f" : tensor<8xf32>
    return %l, %mw, %mv, %mf : tensor<f32>, tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>
  }
}

// -----

// A loss that is summed has no scale. Groups of one rank store whole, yet the
// replicas' gradients are added. A parameter that is never used has a zero
// gradient, of which nothing is sent.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.process_group @self = #fsdp.classes<[4, 1] from [4]>
  fsdp.unit @u {shard = @self, reshard_after_forward = true}
  fsdp.unit @v {shard = @world, reshard_after_forward = true}
  // CHECK-LABEL: @sum
  // CHECK-SAME: (%{{.*}}: tensor<8xf32> {fsdp.global_shape = array<i64: 8>, fsdp.param = "w", {{[^%]*}}fsdp.storage = #fsdp.sharding<[{}]>
  // CHECK-SAME: %{{.*}}: tensor<2xf32> {{{[^%]*}}fsdp.param = "unused"
  // CHECK-NOT: to <[{}]>
  // CHECK: fsdp.local_grad %{{.*}} of "w"
  // CHECK-NEXT: %[[G:.*]] = fsdp.reshard %{{.*}} from <[{}], partial = {@world}> to <[{}]>
  // CHECK-NOT: fsdp.scale
  // CHECK: fsdp.local_grad %{{.*}} of "unused"
  // CHECK: arith.constant dense<0.000000e+00> : tensor<2xf32>
  // CHECK-NOT: partial
  // CHECK: return %{{.*}}, %[[G]], %
  // REMARK: [Analysis] unused
  // REMARK-SAME: parameter 'unused' is never used; its gradient is zero and nothing is sent
  func.func @sum(%w: tensor<8xf32> {fsdp.param = "w", fsdp.unit = @u},
                 %unused: tensor<8xf32> {fsdp.param = "unused", fsdp.unit = @v})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>},
          tensor<8xf32> {fsdp.grad = "w"}, tensor<8xf32> {fsdp.grad = "unused"}) {
    %l = arith.constant dense<1.0> : tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %g = arith.mulf %w, %w : tensor<8xf32>
    %mw = fsdp.local_grad %g of "w" : tensor<8xf32>
    %mu = fsdp.local_grad %zero of "unused" : tensor<8xf32>
    return %l, %mw, %mu : tensor<f32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// In a loop over micro-batches the parameter is gathered for each, its gradient
// reduced to the shard and accumulated there in reduce_dtype; what is left to be
// summed over replicas waits for the end. f16 is scaled once, in the loop.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.unit @u {shard = @node, reshard_after_forward = true, reduce_dtype = f32}
  fsdp.unit @half {shard = @node, reshard_after_forward = true, reduce_dtype = f16}
  // CHECK: fsdp.process_group @[[REST:.*]] = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  // CHECK-LABEL: @loop
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<2xbf16>
  // CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<2xf32>, tensor<2xf16>) {
  // CHECK: %[[FULL:.*]] = fsdp.reshard %[[W]] {{.*}} : tensor<2xbf16> to tensor<8xbf16>
  // CHECK: arith.mulf %[[FULL]], %[[FULL]]
  // CHECK: %[[M:.*]] = fsdp.local_grad %{{.*}} of "w"
  // CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[M]] : tensor<8xbf16>)
  // CHECK: %[[S:.*]] = fsdp.reshard %[[C]] of [8] from <[{}], partial = {@world}> to <[{@node}], partial = {@[[REST]]}> : tensor<8xf32> to tensor<2xf32>
  // CHECK-NEXT: %[[A1:.*]] = arith.addf %[[A]], %[[S]] : tensor<2xf32>
  // CHECK: fsdp.local_grad %{{.*}} of "v"
  // CHECK: %[[H:.*]] = fsdp.scale %{{.*}} by 1 over 8 : tensor<8xf16>
  // CHECK: %[[HS:.*]] = fsdp.reshard %[[H]] {{.*}} : tensor<8xf16> to tensor<2xf16>
  // CHECK-NEXT: %[[B1:.*]] = arith.addf %[[B]], %[[HS]] : tensor<2xf16>
  // CHECK: scf.yield %[[A1]], %[[B1]]
  // CHECK-NEXT: }
  // CHECK-DAG: %[[SUM:.*]] = fsdp.reshard %[[LOOP]]#0 of [8] from <[{@node}], partial = {@[[REST]]}> to <[{@node}]>{{.*}} : tensor<2xf32> to tensor<2xf32>
  // CHECK-DAG: fsdp.scale %[[SUM]] by 1 over 8
  // CHECK-DAG: %[[HSUM:.*]] = fsdp.reshard %[[LOOP]]#1 {{.*}} : tensor<2xf16> to tensor<2xf16>
  // CHECK-NOT: fsdp.scale %[[HSUM]]
  func.func @loop(%w: tensor<8xbf16> {fsdp.param = "w", fsdp.unit = @u},
                  %v: tensor<8xf16> {fsdp.param = "v", fsdp.unit = @half})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>},
          tensor<8xbf16> {fsdp.grad = "w"}, tensor<8xf16> {fsdp.grad = "v"}) {
    %l = arith.constant dense<1.0> : tensor<f32>
    %zw = arith.constant dense<0.0> : tensor<8xbf16>
    %zv = arith.constant dense<0.0> : tensor<8xf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %zw, %b = %zv) -> (tensor<8xbf16>, tensor<8xf16>) {
      %gw = arith.mulf %w, %w : tensor<8xbf16>
      %mw = fsdp.local_grad %gw of "w" : tensor<8xbf16>
      %aw = arith.addf %a, %mw : tensor<8xbf16>
      %gv = arith.mulf %v, %v : tensor<8xf16>
      %mv = fsdp.local_grad %gv of "v" : tensor<8xf16>
      %av = arith.addf %b, %mv : tensor<8xf16>
      scf.yield %aw, %av : tensor<8xbf16>, tensor<8xf16>
    }
    return %l, %0#0, %0#1 : tensor<f32>, tensor<8xbf16>, tensor<8xf16>
  }
}
