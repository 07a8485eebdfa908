// SPDX-License-Identifier: Apache-2.0
// Backward gets a gather of its own, which nothing merges with the first.
// RUN: fsdp-opt %s --fsdp-reshard-after-forward --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --fsdp-reshard-after-forward --cse --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --fsdp-reshard-after-forward --cse --fsdp-lower-reshards --cse --split-input-file | FileCheck %s --check-prefix=LOWERED
// RUN: fsdp-opt %s --fsdp-reshard-after-forward --split-input-file --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The transpose that forward makes of the parameter is made again behind the
// second gather, which stands in front of backward's first use of the parameter;
// the narrowing of the shard is not repeated.
#map = affine_map<(i, j) -> (i, j)>
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  fsdp.unit @v {shard = @world, reshard_after_forward = false}
  // CHECK-LABEL: @again
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<1x4xf32>
  // CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<1x4xf32>)
  // CHECK: %[[F:.*]] = fsdp.reshard %[[N]] {{.*}} to <[{}, {}]> :
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[F]]
  // CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %[[T]]
  // CHECK: %[[V:.*]] = fsdp.reshard
  // CHECK: %[[Z:.*]] = arith.mulf %[[Y]], %[[V]]
  // CHECK: linalg.reduce
  // CHECK: %[[D:.*]] = arith.mulf %[[Z]], %[[V]]
  // CHECK-NOT: linalg.generic
  // CHECK: %[[F2:.*]] = fsdp.reshard %[[N]] {{.*}} to <[{}, {}]> {fsdp.phase = "backward"} :
  // CHECK: %[[T2:.*]] = linalg.transpose ins(%[[F2]]
  // CHECK: arith.mulf %[[D]], %[[T2]]
  // CHECK: arith.addf %{{.*}}, %[[F2]]
  // LOWERED-LABEL: @again
  // LOWERED-SAME: (%{{[a-z0-9]*}}: tensor<1x4xf32> {{[^%]*}}, %[[V:[a-z0-9]*]]:
  // LOWERED: fsdp.all_gather %[[N:[0-9]*]] over
  // LOWERED: fsdp.all_gather %[[V]] over
  // LOWERED: fsdp.all_gather %[[N]] over
  // LOWERED-NOT: fsdp.all_gather
  // LOWERED: return
  func.func @again(%ws: tensor<1x4xf32> {fsdp.param = "w", fsdp.unit = @u},
                   %vs: tensor<1x4xbf16> {fsdp.param = "v", fsdp.unit = @v},
                   %x: tensor<4x4xbf16> {fsdp.input = "x"})
      -> (tensor<4xbf16> {fsdp.loss}, tensor<4x4xbf16> {fsdp.output = "g"}) {
    %zero = arith.constant dense<0.0> : tensor<4xbf16>
    %e = tensor.empty() : tensor<1x4xbf16>
    %n = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%ws : tensor<1x4xf32>) outs(%e : tensor<1x4xbf16>) {
    ^bb0(%a: f32, %out: bf16):
      %0 = arith.truncf %a : f32 to bf16
      linalg.yield %0 : bf16
    } -> tensor<1x4xbf16>
    %w = fsdp.reshard %n of [4, 4] from <[{@world}, {} ]> to <[{}, {} ]> : tensor<1x4xbf16> to tensor<4x4xbf16>
    %init = tensor.empty() : tensor<4x4xbf16>
    %t = linalg.transpose ins(%w : tensor<4x4xbf16>) outs(%init : tensor<4x4xbf16>) permutation = [1, 0]
    %y = arith.mulf %x, %t : tensor<4x4xbf16>
    %v = fsdp.reshard %vs of [4, 4] from <[{@world}, {} ]> to <[{}, {} ]> : tensor<1x4xbf16> to tensor<4x4xbf16>
    %z = arith.mulf %y, %v : tensor<4x4xbf16>
    %l = linalg.reduce { arith.addf } ins(%z : tensor<4x4xbf16>) outs(%zero : tensor<4xbf16>) dimensions = [0]
    %d = arith.mulf %z, %v : tensor<4x4xbf16>
    %g = arith.mulf %d, %t : tensor<4x4xbf16>
    %h = arith.addf %g, %w : tensor<4x4xbf16>
    %m = fsdp.local_grad %h of "w" : tensor<4x4xbf16>
    return %l, %m : tensor<4xbf16>, tensor<4x4xbf16>
  }
}

// -----

// A unit that keeps its parameters has one gather, and so has one whose
// parameter backward does not use.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @u {shard = @world, reshard_after_forward = false}
  fsdp.unit @v {shard = @world, reshard_after_forward = true}
  // CHECK-LABEL: @kept
  // CHECK-COUNT-2: fsdp.reshard
  // CHECK-NOT: fsdp.reshard
  // CHECK: return
  // LOWERED-LABEL: @kept
  func.func @kept(%us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @u},
                  %vs: tensor<2xf32> {fsdp.param = "v", fsdp.unit = @v},
                  %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}) {
    %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %v = fsdp.reshard %vs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %y = arith.mulf %u, %x : tensor<8xf32>
    %z = arith.mulf %y, %v : tensor<8xf32>
    %d = math.exp %z : tensor<8xf32>
    %g = arith.mulf %d, %u : tensor<8xf32>
    %m = fsdp.local_grad %g of "u" : tensor<8xf32>
    return %z, %m : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// The last layer: backward begins where forward ends.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  // CHECK-LABEL: @elided
  // CHECK-COUNT-1: fsdp.reshard
  // CHECK-NOT: fsdp.reshard
  // CHECK: return
  // REMARK: [Analysis] elided
  // REMARK-SAME: no other parameter is used between the last forward and the first backward use; the second gather is elided, 32 bytes
  // LOWERED-LABEL: @elided
  func.func @elided(%us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @u},
                    %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}) {
    %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %y = arith.mulf %u, %x : tensor<8xf32>
    %g = arith.mulf %y, %u : tensor<8xf32>
    %m = fsdp.local_grad %g of "u" : tensor<8xf32>
    return %y, %m : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// The head: whatever is computed in between, of a parameter that backward does
// not use too, the next parameter that is needed is the head again. That in front
// of it is gathered twice.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  // CHECK-LABEL: @head
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<2xf32>
  // CHECK-SAME: %[[U:[a-z0-9]*]]: tensor<2xf32>
  // CHECK: fsdp.reshard %[[W]]
  // CHECK: %[[F:.*]] = fsdp.reshard %[[U]]
  // CHECK: arith.mulf %{{.*}}, %[[F]]
  // CHECK: %[[D:.*]] = math.exp
  // CHECK-NOT: fsdp.reshard
  // CHECK: arith.mulf %[[D]], %[[F]]
  // CHECK: %[[F2:.*]] = fsdp.reshard %[[W]] {{.*}} {fsdp.phase = "backward"}
  // CHECK: arith.mulf %{{.*}}, %[[F2]]
  // CHECK-NOT: fsdp.reshard
  // CHECK: return
  // REMARK: [Analysis] elided
  // REMARK-SAME: no other parameter is used between the last forward and the first backward use; the second gather is elided, 32 bytes
  // REMARK-NEXT: %u = fsdp.reshard
  // REMARK-NOT: elided
  // LOWERED-LABEL: @head
  func.func @head(%ws: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @u},
                  %us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @u},
                  %bs: tensor<2xf32> {fsdp.param = "b", fsdp.unit = @u},
                  %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}) {
    %w = fsdp.reshard %ws of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %y = arith.mulf %x, %w : tensor<8xf32>
    %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %z = arith.mulf %y, %u : tensor<8xf32>
    %b = fsdp.reshard %bs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %a = arith.addf %z, %b : tensor<8xf32>
    %d = math.exp %a : tensor<8xf32>
    %g = arith.mulf %d, %u : tensor<8xf32>
    %h = arith.mulf %g, %w : tensor<8xf32>
    %m = fsdp.local_grad %h of "w" : tensor<8xf32>
    return %a, %m : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// Backward begins with another parameter than forward ended with: both are freed,
// and gathered again in the order in which backward needs them.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  // CHECK-LABEL: @another
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<2xf32>
  // CHECK-SAME: %[[U:[a-z0-9]*]]: tensor<2xf32>
  // CHECK: fsdp.reshard %[[W]]
  // CHECK: fsdp.reshard %[[U]]
  // CHECK: math.exp
  // CHECK: %[[W2:.*]] = fsdp.reshard %[[W]] {{.*}} {fsdp.phase = "backward"}
  // CHECK: arith.mulf %{{.*}}, %[[W2]]
  // CHECK: %[[U2:.*]] = fsdp.reshard %[[U]] {{.*}} {fsdp.phase = "backward"}
  // CHECK: arith.mulf %{{.*}}, %[[U2]]
  // CHECK: return
  // LOWERED-LABEL: @another
  func.func @another(%ws: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @u},
                     %us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @u},
                     %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}) {
    %w = fsdp.reshard %ws of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %y = arith.mulf %x, %w : tensor<8xf32>
    %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %z = arith.mulf %y, %u : tensor<8xf32>
    %d = math.exp %z : tensor<8xf32>
    %g = arith.mulf %d, %w : tensor<8xf32>
    %h = arith.mulf %g, %u : tensor<8xf32>
    %m = fsdp.local_grad %h of "u" : tensor<8xf32>
    return %z, %m : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// What costs more than a copy is not made again: its result stays alive, as the
// remark says. The parameter itself is gathered again all the same.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  fsdp.unit @v {shard = @world, reshard_after_forward = false}
  // CHECK-LABEL: @costly
  // CHECK: %[[F:.*]] = fsdp.reshard
  // CHECK: %[[E:.*]] = math.exp %[[F]]
  // CHECK: arith.mulf %{{.*}}, %[[E]]
  // CHECK: %[[F2:.*]] = fsdp.reshard %{{.*}} {fsdp.phase = "backward"}
  // CHECK: arith.addf %{{.*}}, %[[F2]]
  // REMARK: [Analysis] kept
  // REMARK-SAME: 'math.exp' computes on a parameter alone and backward uses it; its 32 bytes stay alive
  // LOWERED-LABEL: @costly
  func.func @costly(%us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @u},
                    %vs: tensor<2xf32> {fsdp.param = "v", fsdp.unit = @v},
                    %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}) {
    %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %e = math.exp %u : tensor<8xf32>
    %y = arith.mulf %e, %x : tensor<8xf32>
    %v = fsdp.reshard %vs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %z = arith.mulf %y, %v : tensor<8xf32>
    %d = arith.mulf %z, %v : tensor<8xf32>
    %g = arith.mulf %d, %e : tensor<8xf32>
    %h = arith.addf %g, %u : tensor<8xf32>
    %m = fsdp.local_grad %h of "u" : tensor<8xf32>
    return %z, %m : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// An integer keeps a part of the parameter after forward, split over neighbours
// in the group, and gathers that. 5 rows over 8 ranks are 1 each, over 2 they
// are 3.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 8>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.unit @u {shard = @world, reshard_after_forward = 2 : i64}
  fsdp.unit @v {shard = @world, reshard_after_forward = 8 : i64}
  // CHECK: fsdp.process_group @[[PART:.*]] = #fsdp.classes<[4, 2] from [8]>
  // CHECK-LABEL: @integer
  // CHECK: %[[U:.*]] = fsdp.reshard %{{.*}} from <[{@world}]> to <[{}]> : tensor<1xf32> to tensor<5xf32>
  // CHECK: %[[V:.*]] = fsdp.reshard %{{.*}} from <[{@world}]> to <[{}]> : tensor<1xf32> to tensor<5xf32>
  // CHECK: arith.mulf %{{.*}}, %[[U]]
  // CHECK-NEXT: %[[KEPT:.*]] = fsdp.reshard %[[U]] of [5] from <[{}]> to <[{@[[PART]]}]> : tensor<5xf32> to tensor<3xf32>
  // CHECK: math.exp
  // CHECK: fsdp.reshard %[[KEPT]] of [5] from <[{@[[PART]]}]> to <[{}]> : tensor<3xf32> to tensor<5xf32>
  // The whole group again is a plain gather.
  // CHECK: fsdp.reshard %{{.*}} from <[{@world}]> to <[{}]> {fsdp.phase = "backward"} : tensor<1xf32> to tensor<5xf32>
  // LOWERED-LABEL: @integer
  // LOWERED: fsdp.all_gather %{{.*}} over @world
  // LOWERED: fsdp.all_gather %{{.*}} over @world
  // LOWERED: fsdp.slice
  // LOWERED: fsdp.all_gather %{{.*}} over @reshard dim 0 : (tensor<3xf32>) -> tensor<6xf32>
  // LOWERED: fsdp.all_gather %{{.*}} over @world
  func.func @integer(%us: tensor<1xf32> {fsdp.param = "u", fsdp.unit = @u},
                     %vs: tensor<1xf32> {fsdp.param = "v", fsdp.unit = @v},
                     %x: tensor<5xf32> {fsdp.input = "x"})
      -> (tensor<5xf32> {fsdp.output = "y"}, tensor<5xf32> {fsdp.output = "g"}) {
    %u = fsdp.reshard %us of [5] from <[{@world} ]> to <[{} ]> : tensor<1xf32> to tensor<5xf32>
    %v = fsdp.reshard %vs of [5] from <[{@world} ]> to <[{} ]> : tensor<1xf32> to tensor<5xf32>
    %y = arith.mulf %x, %u : tensor<5xf32>
    %z = arith.mulf %y, %v : tensor<5xf32>
    %d = math.exp %z : tensor<5xf32>
    %g = arith.mulf %d, %u : tensor<5xf32>
    %h = arith.mulf %g, %v : tensor<5xf32>
    %m = fsdp.local_grad %h of "u" : tensor<5xf32>
    return %z, %m : tensor<5xf32>, tensor<5xf32>
  }
}

// -----

// In a loop over micro-batches each has both gathers.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  fsdp.unit @v {shard = @world, reshard_after_forward = false}
  // CHECK-LABEL: @loop
  // CHECK-SAME: (%[[U:[a-z0-9]*]]: tensor<2xf32>
  // CHECK: scf.for
  // CHECK: fsdp.reshard %[[U]]
  // CHECK: math.exp
  // CHECK: fsdp.reshard %[[U]] {{.*}} {fsdp.phase = "backward"}
  // CHECK: fsdp.local_grad
  // CHECK: scf.yield
  // LOWERED-LABEL: @loop
  func.func @loop(%us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @u},
                  %vs: tensor<2xf32> {fsdp.param = "v", fsdp.unit = @v},
                  %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}) {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %zero, %b = %zero) -> (tensor<8xf32>, tensor<8xf32>) {
      %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
      %y = arith.mulf %x, %u : tensor<8xf32>
      %v = fsdp.reshard %vs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
      %z = arith.mulf %y, %v : tensor<8xf32>
      %l = arith.addf %a, %z : tensor<8xf32>
      %e = math.exp %z : tensor<8xf32>
      %d = arith.mulf %e, %v : tensor<8xf32>
      %g = arith.mulf %d, %u : tensor<8xf32>
      %m = fsdp.local_grad %g of "u" : tensor<8xf32>
      %sum = arith.addf %b, %m : tensor<8xf32>
      scf.yield %l, %sum : tensor<8xf32>, tensor<8xf32>
    }
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// Partitioned compute: the second gather is of the same placement, with the
// copies, which are local. Reshards of activations stay as they are.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.unit @u {shard = @dp, reshard_after_forward = true}
  fsdp.unit @v {shard = @dp, reshard_after_forward = false}
  // CHECK-LABEL: @local
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<2x4xf32>
  // CHECK: %[[F:.*]] = fsdp.reshard %[[W]] {{.*}} from <[{@tp, @dp}, {}]> to <[{@tp}, {}]> :
  // CHECK: linalg.transpose ins(%[[F]] : tensor<4x4xf32>)
  // CHECK: %[[L:.*]] = fsdp.reshard %{{.*}} partial = {@tp}
  // CHECK: %[[Z:.*]] = arith.mulf %[[L]], %[[V:.*]] :
  // CHECK: %[[D:.*]] = arith.mulf %[[Z]], %[[V]]
  // CHECK-NEXT: %[[F2:.*]] = fsdp.reshard %[[W]] {{.*}} from <[{@tp, @dp}, {}]> to <[{@tp}, {}]> {fsdp.phase = "backward"}
  // CHECK: %[[T2:.*]] = linalg.transpose ins(%[[F2]] : tensor<4x4xf32>)
  // CHECK: arith.mulf %[[D]], %[[T2]]
  // LOWERED-LABEL: @local
  // LOWERED-SAME: (%[[W:[a-z0-9]*]]:
  // LOWERED-COUNT-2: fsdp.all_gather %[[W]] over @dp dim 0 : (tensor<2x4xf32>) -> tensor<4x4xf32>
  func.func @local(%ws: tensor<2x4xf32> {fsdp.param = "w", fsdp.unit = @u},
                   %vs: tensor<2x4xf32> {fsdp.param = "v", fsdp.unit = @v},
                   %x: tensor<4x4xf32> {fsdp.input = "x"})
      -> (tensor<4x4xf32> {fsdp.output = "y"}, tensor<4x4xf32> {fsdp.output = "g"}) {
    %w = fsdp.reshard %ws of [8, 4] from <[{@tp, @dp}, {}]> to <[{@tp}, {}]> : tensor<2x4xf32> to tensor<4x4xf32>
    %init = tensor.empty() : tensor<4x4xf32>
    %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) permutation = [1, 0]
    %y = arith.mulf %x, %t : tensor<4x4xf32>
    %l = fsdp.reshard %y of [4, 4] from <[{}, {}], partial = {@tp}> to <[{}, {}]> : tensor<4x4xf32> to tensor<4x4xf32>
    %v = fsdp.reshard %vs of [4, 4] from <[{@dp}, {}]> to <[{}, {}]> : tensor<2x4xf32> to tensor<4x4xf32>
    %z = arith.mulf %l, %v : tensor<4x4xf32>
    %d = arith.mulf %z, %v : tensor<4x4xf32>
    %g = arith.mulf %d, %t : tensor<4x4xf32>
    %m = fsdp.local_grad %g of "w" : tensor<4x4xf32>
    return %z, %m : tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

// With auto the first two units that backward gathers are kept, whatever number of
// parameters they have: root with norm and head, and the last block. The unit that
// is never freed does not count, though it comes first.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @first {shard = @world, reshard_after_forward = "auto"}
  fsdp.unit @last {shard = @world, reshard_after_forward = "auto"}
  fsdp.unit @root {shard = @world, reshard_after_forward = "auto"}
  fsdp.unit @never {shard = @world, reshard_after_forward = false}
  // CHECK-LABEL: @auto
  // CHECK-SAME: (%[[FIRST:[a-z0-9]*]]: tensor<2xf32>
  // CHECK-COUNT-6: fsdp.reshard %{{.*}} from <[{@world}]> to <[{}]> :
  // CHECK-NOT: fsdp.reshard
  // CHECK: fsdp.reshard %[[FIRST]] {{.*}} {fsdp.phase = "backward"}
  // CHECK-NOT: fsdp.reshard
  // CHECK: return
  // REMARK: [Analysis] elided
  // REMARK-SAME: its unit is of the first two that backward gathers; the second gather is elided, 32 bytes
  // REMARK-NEXT: %u = fsdp.reshard
  // REMARK: [Analysis] elided
  // REMARK-SAME: its unit is of the first two that backward gathers; the second gather is elided, 32 bytes
  // REMARK-NEXT: %v = fsdp.reshard
  // REMARK: [Analysis] elided
  // REMARK-SAME: its unit is of the first two that backward gathers; the second gather is elided, 32 bytes
  // REMARK-NEXT: %n = fsdp.reshard
  // REMARK: [Analysis] elided
  // REMARK-SAME: its unit is of the first two that backward gathers; the second gather is elided, 32 bytes
  // REMARK-NEXT: %h = fsdp.reshard
  // LOWERED-LABEL: @auto
  func.func @auto(%fs: tensor<2xf32> {fsdp.param = "f", fsdp.unit = @first},
                  %us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @last},
                  %vs: tensor<2xf32> {fsdp.param = "v", fsdp.unit = @last},
                  %ns: tensor<2xf32> {fsdp.param = "n", fsdp.unit = @root},
                  %hs: tensor<2xf32> {fsdp.param = "h", fsdp.unit = @root},
                  %ks: tensor<2xf32> {fsdp.param = "k", fsdp.unit = @never},
                  %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}) {
    %f = fsdp.reshard %fs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %0 = arith.mulf %x, %f : tensor<8xf32>
    %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %1 = arith.mulf %0, %u : tensor<8xf32>
    %v = fsdp.reshard %vs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %2 = arith.mulf %1, %v : tensor<8xf32>
    %n = fsdp.reshard %ns of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %3 = arith.mulf %2, %n : tensor<8xf32>
    %h = fsdp.reshard %hs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %a = arith.mulf %3, %h : tensor<8xf32>
    %k = fsdp.reshard %ks of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %4 = arith.mulf %a, %k : tensor<8xf32>
    %b = arith.mulf %4, %k : tensor<8xf32>
    %5 = arith.mulf %b, %h : tensor<8xf32>
    %6 = arith.mulf %5, %n : tensor<8xf32>
    %7 = arith.mulf %6, %v : tensor<8xf32>
    %8 = arith.mulf %7, %u : tensor<8xf32>
    %9 = arith.mulf %8, %f : tensor<8xf32>
    %m = fsdp.local_grad %9 of "f" : tensor<8xf32>
    return %4, %m : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// An output that is computed late keeps the parameter that it reads, and nothing
// else of its unit, which is the third in backward.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @first {shard = @world, reshard_after_forward = "auto"}
  fsdp.unit @last {shard = @world, reshard_after_forward = "auto"}
  fsdp.unit @root {shard = @world, reshard_after_forward = "auto"}
  // CHECK-LABEL: @late
  // CHECK-SAME: (%[[F:[a-z0-9]*]]: tensor<2xf32>
  // CHECK-COUNT-4: fsdp.reshard %{{.*}} from <[{@world}]> to <[{}]> :
  // CHECK-NOT: fsdp.reshard
  // CHECK: fsdp.reshard %[[F]] {{.*}} {fsdp.phase = "backward"}
  // CHECK-NOT: fsdp.reshard
  // CHECK: return
  // LOWERED-LABEL: @late
  func.func @late(%fs: tensor<2xf32> {fsdp.param = "f", fsdp.unit = @first},
                  %gs: tensor<2xf32> {fsdp.param = "g", fsdp.unit = @first},
                  %us: tensor<2xf32> {fsdp.param = "u", fsdp.unit = @last},
                  %hs: tensor<2xf32> {fsdp.param = "h", fsdp.unit = @root},
                  %x: tensor<8xf32> {fsdp.input = "x"})
      -> (tensor<8xf32> {fsdp.output = "y"}, tensor<8xf32> {fsdp.output = "g"}, tensor<8xf32> {fsdp.output = "late"}) {
    %f = fsdp.reshard %fs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %0 = arith.mulf %x, %f : tensor<8xf32>
    %g = fsdp.reshard %gs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %1 = arith.mulf %0, %g : tensor<8xf32>
    %u = fsdp.reshard %us of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %2 = arith.mulf %1, %u : tensor<8xf32>
    %h = fsdp.reshard %hs of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %3 = arith.mulf %2, %h : tensor<8xf32>
    %4 = arith.mulf %3, %h : tensor<8xf32>
    %5 = arith.mulf %4, %u : tensor<8xf32>
    %6 = arith.mulf %5, %g : tensor<8xf32>
    %late = arith.addf %x, %g : tensor<8xf32>
    %7 = arith.mulf %6, %f : tensor<8xf32>
    %m = fsdp.local_grad %7 of "f" : tensor<8xf32>
    return %3, %m, %late : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
