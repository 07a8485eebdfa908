// SPDX-License-Identifier: Apache-2.0
// Forward and backward become the body of a loop over micro-batches. Gradients
// and the loss are added up, outputs stacked, buffers and seeds carried; the
// optimizer runs once behind.
// RUN: fsdp-opt %s --fsdp-accumulate --split-input-file --verify-diagnostics | FileCheck %s

module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = mean>} {
  // Inputs gain the leading dim, in type, placement and batch dim; the rest does
  // not.
  // CHECK-LABEL: @step
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<4xf32> {fsdp.param = "w"}
  // CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<4xf32> {fsdp.buffer = "mean"}
  // CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<i64> {fsdp.seed}
  // CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<3x2x4xf32> {fsdp.batch_dim = 1 : i64, fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}]>}
  // CHECK-SAME: tensor<f32> {fsdp.loss}
  // CHECK-SAME: tensor<3x2x4xf32> {fsdp.output = "y", fsdp.sharding = #fsdp.sharding<[{}, {}, {}]>}
  // CHECK-SAME: tensor<4xf32> {fsdp.output = "norm"
  func.func @step(%w: tensor<4xf32> {fsdp.param = "w"},
                  %b: tensor<4xf32> {fsdp.buffer = "mean"}, %s: tensor<i64> {fsdp.seed},
                  %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.updated = "w"},
          tensor<4xf32> {fsdp.updated = "mean"}, tensor<i64> {fsdp.updated_seed},
          tensor<2x4xf32> {fsdp.output = "y"}, tensor<4xf32> {fsdp.output = "norm"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %zeros = arith.constant dense<0.0> : tensor<4xf32>
    // CHECK: %[[LOOP:.*]]:5 = scf.for %[[I:.*]] = %c0{{.*}} to %c3{{.*}} step %c1{{.*}} iter_args(%[[G:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}, %[[BI:.*]] = %[[B]], %[[SI:.*]] = %[[S]], %[[YI:.*]] = %{{.*}}) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<i64>, tensor<3x2x4xf32>) {
    // CHECK: %[[XI:.*]] = tensor.extract_slice %[[X]][%[[I]], 0, 0] [1, 2, 4] [1, 1, 1] : tensor<3x2x4xf32> to tensor<2x4xf32>
    // CHECK: %[[Y:.*]] = arith.mulf %[[XI]], %[[XI]]
    %y = arith.mulf %x, %x : tensor<2x4xf32>
    // CHECK: %[[R:.*]] = linalg.reduce {{.*}} dimensions = [0]
    %r = linalg.reduce { arith.addf } ins(%y : tensor<2x4xf32>) outs(%zeros : tensor<4xf32>) dimensions = [0]
    // CHECK: %[[LOSS:.*]] = linalg.reduce
    %loss = linalg.reduce { arith.addf } ins(%r : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    // CHECK: %[[B1:.*]] = arith.addf %[[BI]], %[[R]]
    %b1 = arith.addf %b, %r : tensor<4xf32>
    // CHECK: %[[S1:.*]] = arith.addi %[[SI]], %[[SI]]
    %s1 = arith.addi %s, %s : tensor<i64>
    // CHECK: %[[DW:.*]] = arith.mulf %[[R]], %[[W]]
    %g = arith.mulf %r, %w : tensor<4xf32>
    // CHECK: %[[M:.*]] = fsdp.local_grad %[[DW]] of "w"
    %m = fsdp.local_grad %g of "w" : tensor<4xf32>
    // CHECK: %[[G1:.*]] = arith.addf %[[G]], %[[M]]
    // CHECK: %[[L1:.*]] = arith.addf %[[L]], %[[LOSS]]
    // CHECK: %[[Y1:.*]] = tensor.insert_slice %[[Y]] into %[[YI]][%[[I]], 0, 0] [1, 2, 4] [1, 1, 1]
    // CHECK: scf.yield %[[G1]], %[[L1]], %[[B1]], %[[S1]], %[[Y1]]
    // CHECK-NEXT: }
    // CHECK-DAG: %[[GM:.*]] = fsdp.scale %[[LOOP]]#0 by 1 over 3
    // CHECK-DAG: %[[LM:.*]] = fsdp.scale %[[LOOP]]#1 by 1 over 3
    // CHECK-NOT: fsdp.local_grad
    // CHECK: %[[W1:.*]] = arith.subf %[[W]], %[[GM]]
    %w1 = arith.subf %w, %m : tensor<4xf32>
    // CHECK: %[[N:.*]] = arith.mulf %[[GM]], %[[GM]]
    %n = arith.mulf %m, %m : tensor<4xf32>
    // CHECK: return %[[LM]], %[[W1]], %[[LOOP]]#2, %[[LOOP]]#3, %[[LOOP]]#4, %[[N]]
    return %loss, %w1, %b1, %s1, %y, %n : tensor<f32>, tensor<4xf32>,
        tensor<4xf32>, tensor<i64>, tensor<2x4xf32>, tensor<4xf32>
  }
}

// -----

// Added up instead of averaged; a gradient that is a result, at that.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>} {
  // CHECK-LABEL: @sum
  // CHECK: %[[LOOP:.*]] = scf.for
  // CHECK: fsdp.local_grad
  // CHECK-NOT: fsdp.scale
  // CHECK: return %[[LOOP]]
  func.func @sum(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"})
      -> (tensor<4xf32> {fsdp.grad = "w"}) {
    %g = arith.mulf %x, %w : tensor<4xf32>
    %m = fsdp.local_grad %g of "w" : tensor<4xf32>
    return %m : tensor<4xf32>
  }
}

// -----

// The loss is combined, and the same value as an output stacked.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>} {
  // CHECK-LABEL: @twice
  // CHECK-SAME: -> (tensor<f32> {fsdp.loss}, tensor<2xf32> {fsdp.output = "losses"
  // CHECK: %[[LOOP:.*]]:2 = scf.for
  // CHECK: %[[LOSS:.*]] = fsdp.scale %[[LOOP]]#0 by 1 over 2
  // CHECK: return %[[LOSS]], %[[LOOP]]#1
  func.func @twice(%x: tensor<f32> {fsdp.input = "x"})
      -> (tensor<f32> {fsdp.loss}, tensor<f32> {fsdp.output = "losses"}) {
    %loss = arith.mulf %x, %x : tensor<f32>
    return %loss, %loss : tensor<f32>, tensor<f32>
  }
}

// -----

// One micro-batch is no loop, and without a word on it neither.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 1, reduce = mean>} {
  // CHECK-LABEL: @one
  // CHECK-NOT: scf.for
  func.func @one(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"})
      -> (tensor<4xf32> {fsdp.grad = "w"}) {
    %m = fsdp.local_grad %x of "w" : tensor<4xf32>
    return %m : tensor<4xf32>
  }
}

// -----

// What the optimizer needs of a single micro-batch is not there behind the loop.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>} {
  func.func @cut(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"})
      -> (tensor<4xf32> {fsdp.updated = "w"}) {
    // expected-note @below {{this value is of one micro-batch}}
    %g = arith.mulf %x, %w : tensor<4xf32>
    %m = fsdp.local_grad %g of "w" : tensor<4xf32>
    // expected-error @below {{expected the optimizer to use gradients only where micro-batches are accumulated}}
    %d = arith.mulf %m, %g : tensor<4xf32>
    return %d : tensor<4xf32>
  }
}
