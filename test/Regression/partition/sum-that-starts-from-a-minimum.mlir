// SPDX-License-Identifier: Apache-2.0
// A sum that is split, and starts from a minimum whose terms ranks hold: one
// kind of terms does not become the other without being put together.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w: tensor<6x3xf32> {fsdp.param = "m.w"},
      %x: tensor<4x6xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss}) {
    %most = arith.constant dense<1.0e+30> : tensor<f32>
    %least = linalg.reduce { arith.minimumf } ins(%x : tensor<4x6xf32>) outs(%most : tensor<f32>) dimensions = [0, 1]
    %loss = linalg.reduce { arith.addf } ins(%w : tensor<6x3xf32>) outs(%least : tensor<f32>) dimensions = [0, 1]
    return %loss : tensor<f32>
  }
}

//--- plan.yaml
world: {ranks: 2}
mesh: {"tp": 2}
batch: {"global": ["tp"]}
shardings:
  - {"match": "m.w", "dims": [["tp"], []]}
units:
  - {"match": "m", "process_group": "self"}
