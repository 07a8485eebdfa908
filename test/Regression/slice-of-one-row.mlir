// SPDX-License-Identifier: Apache-2.0
// A slice of one row with a stride, out of which one of two dims of one row is
// dropped.
// RUN: fsdp-run %s --ranks=1 --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of 1 rank, worst error

module {
  func.func @step(
      %w1: tensor<4x1xf32> {fsdp.param = "m1.w"}) -> (tensor<f32> {fsdp.loss}, tensor<1xf32> {fsdp.output = "o0"}) {
    %slice0 = tensor.extract_slice %w1[2, 0] [1, 1] [2, 1] : tensor<4x1xf32> to tensor<1xf32>
    %map1 = math.cos %slice0 : tensor<1xf32>
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.reduce { arith.addf } ins(%map1 : tensor<1xf32>) outs(%loss_z : tensor<f32>) dimensions = [0]
    return %loss, %map1 : tensor<f32>, tensor<1xf32>
  }
}
