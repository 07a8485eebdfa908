// SPDX-License-Identifier: Apache-2.0
// A slice of one row with a stride, of which a rank has one column.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w: tensor<4x2xf32> {fsdp.param = "m.w"},
      %x: tensor<2x4xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<2xf32> {fsdp.output = "row"},
          tensor<4x2xf32> {fsdp.output = "rows"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %row = tensor.extract_slice %w[2, 0] [1, 2] [2, 1] : tensor<4x2xf32> to tensor<2xf32>
    %cos = math.cos %row : tensor<2xf32>
    %sin = math.sin %w : tensor<4x2xf32>
    %rows = tensor.insert_slice %cos into %sin[1, 0] [1, 2] [2, 1] : tensor<2xf32> into tensor<4x2xf32>
    %loss = linalg.reduce { arith.addf } ins(%x : tensor<2x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    return %loss, %cos, %rows : tensor<f32>, tensor<2xf32>, tensor<4x2xf32>
  }
}

//--- plan.yaml
world: {ranks: 2}
process_groups: {"ep": "set2"}
batch: "global"
shardings:
  - {"match": "m.w", "dims": [[], ["ep"]]}
units:
  - {"match": "m", "process_group": "self"}
