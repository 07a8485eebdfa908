// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-record-boundary | FileCheck %s

// Groups, arguments and results of public functions, in order.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  // CHECK: func.func @step
  // CHECK-SAME: fsdp.arguments = [{name = "w", role = "param", type = tensor<4xf32>}, {name = "x", role = "input", type = tensor<2xi64>}]
  // CHECK-SAME: fsdp.groups = [{classes = #fsdp.classes<[2, 4] from [8]>, name = "node"}]
  // CHECK-SAME: fsdp.results = [{name = "", role = "loss", type = tensor<f32>}, {name = "w", role = "grad", type = tensor<4xf32>}]
  func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<2xi64> {fsdp.input = "x"})
      -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.grad = "w"}) {
    %l = arith.constant dense<0.0> : tensor<f32>
    return %l, %w : tensor<f32>, tensor<4xf32>
  }
  // CHECK: func.func private @helper(%{{.*}}: tensor<f32>) -> tensor<f32> {
  func.func private @helper(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}
