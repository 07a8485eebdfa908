// SPDX-License-Identifier: Apache-2.0
// Every argument and result gets a placement: replicated, or that of what it
// belongs to, or varying where it depends on what varies.
// RUN: fsdp-opt %s --fsdp-place-boundary --split-input-file | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.unit @dense {shard = @node, replicate = @across, reshard_after_forward = true}
  fsdp.unit @experts {shard = @across, reshard_after_forward = true}
  // CHECK-LABEL: @step
  // CHECK-SAME: fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {}]>
  // CHECK-SAME: fsdp.param = "e", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>
  // A state is placed as its parameter, if it has its shape or not.
  // CHECK-SAME: fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>, fsdp.state = "exp_avg:e"
  // CHECK-SAME: fsdp.sharding = #fsdp.sharding<[], varying = {@node}>, fsdp.state = "step:e"
  // CHECK-SAME: fsdp.sharding = #fsdp.sharding<[]>, fsdp.state = "count"
  // CHECK-SAME: fsdp.buffer = "mean", fsdp.sharding = #fsdp.sharding<[{}]>
  // CHECK-SAME: fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>
  // The loss is combined, so all ranks return the same.
  // CHECK-SAME: fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>
  // CHECK-SAME: fsdp.grad = "e", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>
  // CHECK-SAME: fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>, fsdp.updated_state = "exp_avg:e"
  // A buffer is combined too; outputs are each rank's own. One that depends on
  // what varies over overlapping groups varies over what holds them.
  // CHECK-SAME: fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.updated = "mean"
  // CHECK-SAME: fsdp.output = "y", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>
  // CHECK-SAME: fsdp.output = "e2", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>
  // Behind the marker a gradient is its parameter's, and a norm is everyone's.
  // CHECK-SAME: fsdp.output = "norm", fsdp.sharding = #fsdp.sharding<[]>
  func.func @step(%w: tensor<4x2xf32> {fsdp.param = "w", fsdp.unit = @dense},
                  %e: tensor<4xf32> {fsdp.param = "e", fsdp.unit = @experts,
                      fsdp.sharding = #fsdp.sharding<[{} ], varying = {@node}>},
                  %m: tensor<4xf32> {fsdp.state = "exp_avg:e"},
                  %n: tensor<i64> {fsdp.state = "step:e"},
                  %c: tensor<i64> {fsdp.state = "count"},
                  %b: tensor<4xf32> {fsdp.buffer = "mean"},
                  %x: tensor<4xf32> {fsdp.input = "x",
                      fsdp.sharding = #fsdp.sharding<[{} ], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>},
          tensor<4xf32> {fsdp.grad = "e"},
          tensor<4xf32> {fsdp.updated_state = "exp_avg:e"},
          tensor<4xf32> {fsdp.updated = "mean"},
          tensor<4xf32> {fsdp.output = "y"}, tensor<4xf32> {fsdp.output = "e2"},
          tensor<f32> {fsdp.output = "norm"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %y = arith.mulf %x, %e : tensor<4xf32>
    %e2 = arith.mulf %e, %e : tensor<4xf32>
    %loss = linalg.reduce { arith.addf } ins(%y : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %g = fsdp.local_grad %x of "e" : tensor<4xf32>
    %norm = fsdp.global_norm %g {shardings = [#fsdp.sharding<[{} ], varying = {@node}>]} : (tensor<4xf32>) -> tensor<f32>
    return %loss, %g, %g, %y, %y, %e2, %norm : tensor<f32>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
}

// -----

// A buffer that is left to each rank varies, and so does what reads it, from the
// second step on; and what a loop computes of something that varies does, from
// the second iteration on at the latest.
module attributes {fsdp.buffers = "local",
                   fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @loop
  // CHECK-SAME: -> (tensor<4xf32> {fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>, fsdp.updated = "mean"}
  // CHECK-SAME: fsdp.output = "late", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>
  // CHECK-SAME: fsdp.output = "equal", fsdp.sharding = #fsdp.sharding<[{}]>
  // CHECK-SAME: fsdp.output = "read", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>
  func.func @loop(%b: tensor<4xf32> {fsdp.buffer = "mean"},
                  %fixed: tensor<4xf32> {fsdp.buffer = "fixed"},
                  %x: tensor<4xf32> {fsdp.input = "x",
                      fsdp.sharding = #fsdp.sharding<[{} ], varying = {@world}>})
      -> (tensor<4xf32> {fsdp.updated = "mean"}, tensor<4xf32> {fsdp.output = "late"},
          tensor<4xf32> {fsdp.output = "equal"}, tensor<4xf32> {fsdp.output = "read"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %b, %q = %b, %r = %fixed)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %next = arith.addf %p, %x : tensor<4xf32>
      %twice = arith.addf %r, %r : tensor<4xf32>
      scf.yield %next, %p, %twice : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %read = arith.mulf %b, %b : tensor<4xf32>
    return %0#0, %0#1, %0#2, %read
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The loss of a global batch is combined over nothing. The gradients are summed
// over its ranks all the same, so they may be named as the replicate group. A
// state has the dims of its parameter; an output is placed with the model.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[4, 2] from [8]>
  fsdp.process_group @shard = #fsdp.classes<[4, 2] from [2, 2, 2] T(0, 2, 1)>
  fsdp.process_group @dp = #fsdp.classes<[2, 4] from [4, 2] T(1, 0)>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.unit @u {shard = @shard, replicate = @across, reshard_after_forward = true}
  // CHECK-LABEL: @global
  // CHECK-SAME: fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.state = "exp_avg:w"
  // CHECK-SAME: fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>
  // CHECK-SAME: fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>
  // CHECK-SAME: fsdp.output = "y", fsdp.sharding = #fsdp.sharding<[{}]>
  func.func @global(%w: tensor<4x2xf32> {fsdp.param = "w", fsdp.unit = @u,
                        fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                    %m: tensor<4x2xf32> {fsdp.state = "exp_avg:w"},
                    %x: tensor<4xf32> {fsdp.input = "x", fsdp.batch_dim = 0,
                        fsdp.sharding = #fsdp.sharding<[{@dp} ]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>},
          tensor<4x2xf32> {fsdp.grad = "w"}, tensor<4xf32> {fsdp.output = "y"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.reduce { arith.addf } ins(%x : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %g = fsdp.local_grad %w of "w" : tensor<4x2xf32>
    return %loss, %g, %x : tensor<f32>, tensor<4x2xf32>, tensor<4xf32>
  }
}

// -----

// What divides the loss is an output of one number per rank.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @divided
  // CHECK-SAME: fsdp.output = "tokens", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>
  func.func @divided(%n: tensor<f32> {fsdp.input = "n",
                         fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world], divide_by = "tokens">},
          tensor<f32> {fsdp.output = "tokens"}) {
    return %n, %n : tensor<f32>, tensor<f32>
  }
}
