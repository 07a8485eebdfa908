// SPDX-License-Identifier: Apache-2.0
// A buffer that ranks keep for themselves differs from the second step on, and
// so does a gradient that is made of nothing else.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet --steps=2 | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w: tensor<4xf32> {fsdp.param = "m.w"},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64},
      %b: tensor<4xf32> {fsdp.buffer = "b"})
      -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.grad = "m.w"}, tensor<4xf32> {fsdp.updated = "b"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %y = arith.mulf %w, %x : tensor<4xf32>
    %loss = linalg.reduce { arith.addf } ins(%y : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %g = arith.mulf %b, %b : tensor<4xf32>
    %b1 = arith.addf %b, %x : tensor<4xf32>
    return %loss, %g, %b1 : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

//--- plan.yaml
world: {ranks: 4}
process_groups: {"tp": "set2"}
batch: "per_rank"
buffers: "local"
shardings:
  - {"match": "m.w", "dims": [["tp"]]}
units:
  - {"match": "m", "process_group": "self"}
