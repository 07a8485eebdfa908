// SPDX-License-Identifier: Apache-2.0
// The phase of every op follows from the dataflow, seen through the loop over
// micro-batches: forward and backward go into it, the optimizer does not.
// RUN: fsdp-opt %s --fsdp-accumulate --split-input-file | FileCheck %s

module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>} {
  // CHECK-LABEL: @step
  // The decayed rate depends on no gradient and no input: the optimizer's, though
  // it stands first. The loop begins there.
  // CHECK: scf.for
  // Forward: loss, output, seed and buffer.
  // CHECK: math.tanh
  // CHECK: math.exp
  // CHECK: arith.addi
  // CHECK: math.cos
  // Backward.
  // CHECK: math.sin
  // CHECK: fsdp.local_grad
  // CHECK: scf.yield
  // CHECK-NEXT: }
  // Optimizer, its output with it.
  // CHECK: math.sqrt
  // CHECK: math.log
  // CHECK: math.absf
  func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %lr: tensor<4xf32> {fsdp.hyper = "lr"},
                  %b: tensor<4xf32> {fsdp.buffer = "b"}, %s: tensor<i64> {fsdp.seed},
                  %x: tensor<4xf32> {fsdp.input = "x"})
      -> (tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.output = "norm"},
          tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.output = "y"},
          tensor<i64> {fsdp.updated_seed}, tensor<4xf32> {fsdp.updated = "b"}) {
    %rate = math.sqrt %lr : tensor<4xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h = math.tanh %x : tensor<4xf32>
    %loss = linalg.reduce { arith.addf } ins(%h : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %y = math.exp %h : tensor<4xf32>
    %next = arith.addi %s, %s : tensor<i64>
    %b1 = math.cos %h : tensor<4xf32>
    %g = math.sin %h : tensor<4xf32>
    %m = fsdp.local_grad %g of "w" : tensor<4xf32>
    %l = math.log %m : tensor<4xf32>
    %norm = math.absf %l : tensor<4xf32>
    %d = arith.mulf %l, %rate : tensor<4xf32>
    return %d, %norm, %loss, %y, %next, %b1 : tensor<4xf32>, tensor<4xf32>,
        tensor<f32>, tensor<4xf32>, tensor<i64>, tensor<4xf32>
  }
}

// -----

// What an op's region captures is needed like an operand.
module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>} {
  // CHECK-LABEL: @capture
  // CHECK: scf.for
  // CHECK: %[[H:.*]] = math.tanh
  // CHECK: tensor.generate
  // CHECK: tensor.extract %[[H]]
  // CHECK: scf.yield
  // CHECK: return
  func.func @capture(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"})
      -> (tensor<4xf32> {fsdp.grad = "w"}) {
    %h = math.tanh %x : tensor<4xf32>
    %g = tensor.generate {
    ^bb0(%i: index):
      %0 = tensor.extract %h[%i] : tensor<4xf32>
      tensor.yield %0 : f32
    } : tensor<4xf32>
    %m = fsdp.local_grad %g of "w" : tensor<4xf32>
    return %m : tensor<4xf32>
  }
}
