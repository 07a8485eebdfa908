// SPDX-License-Identifier: Apache-2.0
// Two layers, y = tanh(x * w0) * w1, one frozen scale, and their gradients. An
// assert, a helper, a barrier and a global seed are what exporters leave.
ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
func.func private @act(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = math.tanh %x : tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
func.func @step(%w0: tensor<6x4xf32> {fsdp.param = "h.0.w"},
                %w1: tensor<6x4xf32> {fsdp.param = "h.1.w"},
                %s: tensor<6x4xf32> {fsdp.param = "scale"},
                %ok: tensor<i1> {fsdp.input = "ok"},
                %x: tensor<6x4xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
    -> (tensor<f32> {fsdp.loss}, tensor<6x4xf32> {fsdp.grad = "h.0.w"},
        tensor<6x4xf32> {fsdp.grad = "h.1.w"}) {
  %all = tensor.extract %ok[] : tensor<i1>
  cf.assert %all, "bad input"
  %zero = arith.constant dense<0.0> : tensor<f32>
  %old = ml_program.global_load @seed : tensor<i64>
  %new = arith.addi %old, %old : tensor<i64>
  ml_program.global_store @seed = %new : tensor<i64>
  %xs = arith.mulf %x, %s : tensor<6x4xf32>
  %a = arith.mulf %xs, %w0 : tensor<6x4xf32>
  %h = call @act(%a) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %y = arith.mulf %h, %w1 : tensor<6x4xf32>
  %loss = linalg.reduce { arith.addf } ins(%y : tensor<6x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %again = "util.optimization_barrier"(%h) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %dh = math.exp %again : tensor<6x4xf32>
  %d = arith.mulf %dh, %w1 : tensor<6x4xf32>
  %g0 = arith.mulf %d, %w0 : tensor<6x4xf32>
  return %loss, %g0, %dh : tensor<f32>, tensor<6x4xf32>, tensor<6x4xf32>
}
