// SPDX-License-Identifier: Apache-2.0
// Every attribute parses and prints; equal groups print equal.
// RUN: fsdp-opt %s --allow-unregistered-dialect | fsdp-opt --allow-unregistered-dialect | FileCheck %s

// CHECK: module @m attributes {
// CHECK-SAME: fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>
// CHECK-SAME: fsdp.buffers = "mean"
// CHECK-SAME: fsdp.modules = {a = "B"}
// CHECK-SAME: fsdp.stage = "annotated"
// CHECK-SAME: fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>
module @m attributes {
  fsdp.world = #fsdp.world<ranks_per_node = 4, ranks = 8>,
  fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>,
  fsdp.stage = "annotated", fsdp.modules = {a = "B"}, fsdp.buffers = "mean"} {
  fsdp.process_group @tp = "set2"
  fsdp.process_group @dp = "mod2"
  fsdp.unit @u {shard = @dp, reshard_after_forward = false}

  // CHECK: func.func @roles(
  // CHECK-SAME: fsdp.aliases = ["v"], fsdp.frozen, fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp, @dp}, {}]>, fsdp.unit = @u
  // CHECK-SAME: fsdp.buffer = "b", fsdp.global_shape = array<i64: 8>
  // CHECK-SAME: fsdp.batch_dim = 0 : i64, fsdp.input = "x"
  // CHECK-SAME: fsdp.state = "exp_avg:w"
  // CHECK-SAME: fsdp.hyper = "lr"
  // CHECK-SAME: fsdp.seed
  // CHECK-SAME: fsdp.loss = #fsdp.loss<mean = [@dp]>
  // CHECK-SAME: fsdp.grad = "w"
  // CHECK-SAME: fsdp.updated = "w"
  // CHECK-SAME: fsdp.updated_state = "exp_avg:w"
  // CHECK-SAME: fsdp.updated_seed
  // CHECK-SAME: fsdp.output = "logits"
  func.func @roles(
      %w: tensor<8x4xf32> {
        fsdp.param = "w", fsdp.frozen, fsdp.aliases = ["v"], fsdp.unit = @u,
        fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>,
        fsdp.storage = #fsdp.sharding<[{@tp, @dp}, {}]>},
      %b: tensor<8xf32> {fsdp.buffer = "b", fsdp.global_shape = array<i64: 8>},
      %x: tensor<8xf32> {fsdp.input = "x", fsdp.batch_dim = 0},
      %m: tensor<8x4xf32> {fsdp.state = "exp_avg:w"},
      %lr: tensor<f32> {fsdp.hyper = "lr"}, %seed: tensor<i64> {fsdp.seed})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>},
          tensor<8x4xf32> {fsdp.grad = "w"},
          tensor<8x4xf32> {fsdp.updated = "w"},
          tensor<8x4xf32> {fsdp.updated_state = "exp_avg:w"},
          tensor<i64> {fsdp.updated_seed},
          tensor<8xf32> {fsdp.output = "logits"}) {
    return %lr, %w, %w, %m, %seed, %x
        : tensor<f32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>,
          tensor<i64>, tensor<8xf32>
  }

  // CHECK: func.func private @unit_loss() -> (tensor<f32> {fsdp.loss})
  func.func private @unit_loss() -> (tensor<f32> {fsdp.loss})

  // CHECK: func.func @on_ops
  func.func @on_ops(%x: tensor<2x8xf32>, %y: tensor<*xf32>) {
    // CHECK: fsdp.rule = #fsdp.rule<([b, d], [e, f]) -> [b], [d]>
    %0:2 = "test.op"(%x, %x) {fsdp.rule = #fsdp.rule<([b, d], [e, f]) -> [b], [d]>}
        : (tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2xf32>, tensor<8xf32>)
    // CHECK: fsdp.rule = #fsdp.rule<() -> []>
    %1 = "test.op"() {fsdp.rule = #fsdp.rule<() -> []>} : () -> index
    // CHECK: fsdp.rule = #fsdp.rule<([anything]) -> []>
    %2 = "test.op"(%y) {fsdp.rule = #fsdp.rule<([anything]) -> []>} : (tensor<*xf32>) -> index
    // CHECK: fsdp.sharding = [#fsdp.sharding<[{@tp}]>, #fsdp.sharding<[]>]
    %3:2 = "test.op"() {fsdp.sharding = [#fsdp.sharding<[{@tp}]>, #fsdp.sharding<[]>]}
        : () -> (tensor<2xf32>, index)
    return
  }
}

// CHECK: shardings = [
// CHECK-SAME: #fsdp.sharding<[]>, #fsdp.sharding<[{}, {@a}, {@b, @c}]>,
// CHECK-SAME: #fsdp.sharding<[{}], partial = {@a}>,
// CHECK-SAME: #fsdp.sharding<[{}], partial = max {@a}, varying = {@b, @c}>,
// CHECK-SAME: #fsdp.sharding<[], partial = min {@a}>,
// CHECK-SAME: #fsdp.sharding<[], varying = {@a}>,
// CHECK-SAME: #fsdp.sharding<[]>]
"test.attributes"() {shardings = [
  #fsdp.sharding<[]>, #fsdp.sharding<[{}, {@a}, {@b, @c}]>,
  #fsdp.sharding<[{}], partial = sum {@a}>,
  #fsdp.sharding<[{}], varying = {@b, @c}, partial = max {@a}>,
  #fsdp.sharding<[], partial = min {@a}>,
  #fsdp.sharding<[], varying = {@a}, partial = {}>,
  // A sum of nothing is not a maximum of nothing less.
  #fsdp.sharding<[], partial = max {}>]} : () -> ()

// CHECK: losses = [#fsdp.loss<mean = [@a, @b]>, #fsdp.loss<sum = []>, #fsdp.loss<sum = [@a], divide_by = "tokens">]
"test.attributes"() {losses = [
  #fsdp.loss<mean = [@a, @b]>, #fsdp.loss<sum = []>,
  #fsdp.loss<sum = [@a], divide_by = "tokens">]} : () -> ()

// CHECK: others = [#fsdp.accumulate<steps = 3, reduce = sum>, #fsdp<reduction sum>, #fsdp<reduction max>, #fsdp<reduction min>, !fsdp.token]
"test.attributes"() {others = [
  #fsdp.accumulate<steps = 3, reduce = sum>, #fsdp<reduction sum>,
  #fsdp<reduction max>, #fsdp<reduction min>, !fsdp.token]} : () -> ()

// CHECK: kinds = [#fsdp<kind all_gather>, #fsdp<kind reduce_scatter>, #fsdp<kind all_reduce>, #fsdp<kind all_to_all>, #fsdp<kind broadcast>, #fsdp<kind permute>]
"test.attributes"() {kinds = [
  #fsdp<kind all_gather>, #fsdp<kind reduce_scatter>, #fsdp<kind all_reduce>,
  #fsdp<kind all_to_all>, #fsdp<kind broadcast>, #fsdp<kind permute>]} : () -> ()

// The canonical form of groups: one per group, however it is written.

// CHECK: everyone = [
// CHECK-SAME: #fsdp.classes<[1, 8] from [8]>, #fsdp.classes<[1, 8] from [8]>, #fsdp.classes<[1, 8] from [8]>, #fsdp.classes<[1, 8] from [8]>, #fsdp.classes<[1, 8] from [8]>]
"test.groups"() {everyone = [
  #fsdp.classes<[1, 8] from [8]>, #fsdp.classes<[1, 8] from [2, 4]>,
  #fsdp.classes<[1, 8] from [2, 2, 2] T(0, 1, 2)>,
  #fsdp.classes<[1, 8] from [1, 8] T(1, 0)>,
  #fsdp.classes<[[0, 1, 2, 3, 4, 5, 6, 7]]>]} : () -> ()

// CHECK: alone = [
// CHECK-SAME: #fsdp.classes<[8, 1] from [8]>, #fsdp.classes<[8, 1] from [8]>, #fsdp.classes<[8, 1] from [8]>, #fsdp.classes<[8, 1] from [8]>]
"test.groups"() {alone = [
  #fsdp.classes<[8, 1] from [8]>, #fsdp.classes<[8, 1] from [2, 4] T(1, 0)>,
  #fsdp.classes<[8, 1] from [8, 1]>,
  #fsdp.classes<[[7], [0], [1], [2], [3], [4], [5], [6]]>]} : () -> ()

// CHECK: one_rank = [#fsdp.classes<[1, 1] from [1]>, #fsdp.classes<[1, 1] from [1]>, #fsdp.classes<[1, 1] from [1]>]
"test.groups"() {one_rank = [
  #fsdp.classes<[1, 1] from [1]>, #fsdp.classes<[1, 1] from []>,
  #fsdp.classes<[[0]]>]} : () -> ()

// CHECK: set4 = [
// CHECK-SAME: #fsdp.classes<[2, 4] from [8]>, #fsdp.classes<[2, 4] from [8]>, #fsdp.classes<[2, 4] from [8]>, #fsdp.classes<[2, 4] from [8]>, #fsdp.classes<[2, 4] from [8]>]
"test.groups"() {set4 = [
  #fsdp.classes<[2, 4] from [8]>, #fsdp.classes<[2, 4] from [2, 4]>,
  #fsdp.classes<[2, 4] from [4, 2] T(0, 1)>,
  #fsdp.classes<[2, 4] from [2, 1, 4] T(1, 0, 2)>,
  #fsdp.classes<[[4, 5, 6, 7], [0, 1, 2, 3]]>]} : () -> ()

// A size that cuts across dims which continue one another.
// CHECK: across_dims = [#fsdp.classes<[2, 6] from [12]>, #fsdp.classes<[2, 6] from [12]>]
"test.groups"() {across_dims = [
  #fsdp.classes<[2, 6] from [12]>, #fsdp.classes<[2, 6] from [3, 4]>]} : () -> ()

// CHECK: mod4 = [
// CHECK-SAME: #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>, #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>, #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>, #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>]
"test.groups"() {mod4 = [
  #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>,
  #fsdp.classes<[4, 2] from [2, 2, 2] T(1, 2, 0)>,
  // Numbering the classes otherwise changes nothing.
  #fsdp.classes<[4, 2] from [2, 2, 2] T(2, 1, 0)>,
  #fsdp.classes<[[3, 7], [0, 4], [1, 5], [2, 6]]>]} : () -> ()

// In the middle, and two digits in either order: the order inside counts.
// CHECK: digits = [
// CHECK-SAME: #fsdp.classes<[4, 2] from [2, 2, 2] T(0, 2, 1)>,
// CHECK-SAME: #fsdp.classes<[2, 4] from [2, 2, 2] T(1, 0, 2)>, #fsdp.classes<[2, 4] from [2, 2, 2] T(1, 0, 2)>,
// CHECK-SAME: #fsdp.classes<[2, 4] from [2, 4] T(1, 0)>, #fsdp.classes<[2, 4] from [2, 4] T(1, 0)>,
// CHECK-SAME: #fsdp.classes<[1, 8] from [2, 4] T(1, 0)>]
"test.groups"() {digits = [
  #fsdp.classes<[4, 2] from [2, 2, 2] T(0, 2, 1)>,
  #fsdp.classes<[2, 4] from [2, 2, 2] T(1, 0, 2)>,
  #fsdp.classes<[[0, 1, 4, 5], [2, 3, 6, 7]]>,
  #fsdp.classes<[2, 4] from [2, 2, 2] T(1, 2, 0)>,
  #fsdp.classes<[[2, 6, 3, 7], [0, 4, 1, 5]]>,
  #fsdp.classes<[1, 8] from [2, 4] T(1, 0)>]} : () -> ()

// Lists without digits, in the order of their smallest ranks.
// CHECK: lists = [
// CHECK-SAME: #fsdp.classes<{{\[}}[5, 0], [1, 2], [3, 4]]>,
// CHECK-SAME: #fsdp.classes<{{\[}}[0, 2], [3, 1]]>,
// CHECK-SAME: #fsdp.classes<{{\[}}[1, 0]]>,
// CHECK-SAME: #fsdp.classes<{{\[}}[1, 0], [3, 2]]>]
"test.groups"() {lists = [
  #fsdp.classes<[[1, 2], [3, 4], [5, 0]]>, #fsdp.classes<[[3, 1], [0, 2]]>,
  #fsdp.classes<[[1, 0]]>, #fsdp.classes<[[3, 2], [1, 0]]>]} : () -> ()

// CHECK: large = [#fsdp.classes<[1, 2147483648] from [2147483648]>, #fsdp.classes<[6250, 16] from [16, 6250] T(1, 0)>]
"test.groups"() {large = [
  #fsdp.classes<[1, 2147483648] from [2147483648]>,
  #fsdp.classes<[6250, 16] from [16, 6250] T(1, 0)>]} : () -> ()
