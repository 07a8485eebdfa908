// SPDX-License-Identifier: Apache-2.0
// Reshards move from above the optimizer's ops to below them, and cancel at the
// results: the optimizer runs on shards.
// RUN: fsdp-opt %s --fsdp-partition-updates --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --fsdp-partition-updates --split-input-file --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Elementwise, whatever the op; a scalar and a constant come along. Padding is
// zeroed where the op might have made something else of it, also by ops that
// are no linalg; a value that was only reduced and scaled has zeros there.
#map = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @elementwise
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<2xf32> {fsdp.param = "w"}, %[[G:[a-z0-9]*]]: tensor<2xf32> {fsdp.state = "g"}, %[[LR:[a-z0-9]*]]: tensor<f32>
  // CHECK-NOT: fsdp.reshard
  // CHECK: %[[S:.*]] = fsdp.scale %[[G]] by 1 over 2 : tensor<2xf32>
  // CHECK: %[[W1:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[S]], %[[LR]] : tensor<2xf32>, tensor<2xf32>, tensor<f32>) outs(%{{.*}} : tensor<2xf32>)
  // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK: %[[W2:.*]] = arith.addf %[[W1]], %[[ONE]] : tensor<2xf32>
  // Rows of this rank that are none of the 5.
  // CHECK: %[[RANK:.*]] = fsdp.rank_index @world
  // CHECK: %[[MASKED:.*]] = linalg.generic {{.*}} ins(%[[W2]] : tensor<2xf32>)
  // CHECK: %[[ROW:.*]] = linalg.index 0
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %[[ROW]], %{{.*}}
  // CHECK: arith.select %[[IN]], %{{.*}}, %{{.*}} : f32
  // CHECK-NOT: fsdp.reshard
  // CHECK: return %[[MASKED]], %[[S]]
  func.func @elementwise(%ws: tensor<2xf32> {fsdp.param = "w"}, %gs: tensor<2xf32> {fsdp.state = "g"},
                         %lr: tensor<f32> {fsdp.hyper = "lr"})
      -> (tensor<2xf32> {fsdp.updated = "w"}, tensor<2xf32> {fsdp.updated_state = "g"}) {
    %w = fsdp.reshard %ws of [5] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<5xf32>
    %g = fsdp.reshard %gs of [5] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<5xf32>
    %half = fsdp.scale %g by 1 over 2 : tensor<5xf32>
    %one = arith.constant dense<1.0> : tensor<5xf32>
    %init = tensor.empty() : tensor<5xf32>
    %w1 = linalg.generic {indexing_maps = [#map, #map, #scalar, #map], iterator_types = ["parallel"]}
        ins(%w, %half, %lr : tensor<5xf32>, tensor<5xf32>, tensor<f32>) outs(%init : tensor<5xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %0 = arith.mulf %b, %c : f32
      %1 = arith.subf %a, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<5xf32>
    %w2 = arith.addf %w1, %one : tensor<5xf32>
    %w3 = fsdp.reshard %w2 of [5] from <[{} ]> to <[{@world} ]> : tensor<5xf32> to tensor<2xf32>
    %g1 = fsdp.reshard %half of [5] from <[{} ]> to <[{@world} ]> : tensor<5xf32> to tensor<2xf32>
    return %w3, %g1 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// A reduction over the split dim is partial, and done without padding, in a
// named op, too. An index counts from this rank's offset. With two groups on a
// dim, chunks are nested.
#id = affine_map<(i) -> (i)>
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  // CHECK-LABEL: @reduction
  // CHECK: %[[TP:.*]] = fsdp.rank_index @tp
  // CHECK: %[[DP:.*]] = fsdp.rank_index @dp
  // CHECK: %[[DOT:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[W:.*]], %[[W]] : tensor<2xf32>, tensor<2xf32>)
  // CHECK: linalg.index 0
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
  // CHECK: fsdp.reshard %[[DOT]] of [] from <[], partial = {@tp, @dp}> to <[]>
  // CHECK: linalg.generic
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: arith.addi %[[I]], %{{.*}} : index
  // CHECK: return
  func.func @reduction(%ws: tensor<2xf32> {fsdp.param = "w"},
                       %old: tensor<f32> {fsdp.state = "dot"})
      -> (tensor<f32> {fsdp.updated_state = "dot"}, tensor<2xf32> {fsdp.updated = "w"}) {
    %w = fsdp.reshard %ws of [7] from <[{@tp, @dp} ]> to <[{} ]> : tensor<2xf32> to tensor<7xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %dot = linalg.dot ins(%w, %w : tensor<7xf32>, tensor<7xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %init = tensor.empty() : tensor<7xf32>
    %w1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%w : tensor<7xf32>) outs(%init : tensor<7xf32>) {
    ^bb0(%a: f32, %out: f32):
      %i = linalg.index 0 : index
      %0 = arith.index_cast %i : index to i64
      %1 = arith.sitofp %0 : i64 to f32
      %2 = arith.addf %a, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<7xf32>
    %w2 = fsdp.reshard %w1 of [7] from <[{} ]> to <[{@tp, @dp} ]> : tensor<7xf32> to tensor<2xf32>
    return %dot, %w2 : tensor<f32>, tensor<2xf32>
  }
}

// -----

// The norm takes shards as they are. What is not known to be cut runs on the
// whole, with a remark.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @norm
  // CHECK: %[[S:.*]] = fsdp.reshard %{{.*}} from <[{}], partial = {@world}>
  // CHECK: %[[FULL:.*]] = fsdp.reshard %[[S]]
  // CHECK: fsdp.global_norm %[[S]] {shardings = [#fsdp.sharding<[{@world}]>]}
  // CHECK: tensor.pad %[[FULL]]
  // CHECK: fsdp.reshard
  // CHECK: return
  // REMARK: [Analysis] whole
  // REMARK-SAME: 'tensor.pad' runs on whole tensors, which are gathered for it
  func.func @norm(%ws: tensor<2xf32> {fsdp.param = "w"})
      -> (tensor<f32> {fsdp.output = "norm"}, tensor<3xf32> {fsdp.output = "p"}) {
    %w = fsdp.reshard %ws of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %m = fsdp.local_grad %w of "w" : tensor<8xf32>
    %s = fsdp.reshard %m of [8] from <[{} ], partial = {@world}> to <[{@world} ]> : tensor<8xf32> to tensor<2xf32>
    %g = fsdp.reshard %s of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    %n = fsdp.global_norm %g {shardings = [#fsdp.sharding<[{} ]>]} : (tensor<8xf32>) -> tensor<f32>
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %g low[0] high[2] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<8xf32> to tensor<10xf32>
    %q = fsdp.reshard %p of [10] from <[{} ]> to <[{@world} ]> : tensor<10xf32> to tensor<3xf32>
    %r = arith.mulf %q, %q : tensor<3xf32>
    return %n, %r : tensor<f32>, tensor<3xf32>
  }
}

// -----

// What the norm gets whole is counted once, whatever the model does with the
// parameter; what varies is still counted on every rank.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  // CHECK-LABEL: @whole_norm
  // CHECK: fsdp.global_norm %{{.*}} {shardings = [#fsdp.sharding<[{}], varying = {@dp}>]}
  func.func @whole_norm(%w: tensor<8xf32> {fsdp.param = "w"}) -> (tensor<f32> {fsdp.output = "norm"}) {
    %m = fsdp.local_grad %w of "w" : tensor<8xf32>
    %n = fsdp.global_norm %m {shardings = [#fsdp.sharding<[{@tp}], varying = {@dp}>]} : (tensor<8xf32>) -> tensor<f32>
    return %n : tensor<f32>
  }
}
