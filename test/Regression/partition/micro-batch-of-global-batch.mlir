// SPDX-License-Identifier: Apache-2.0
// A slice in a loop follows its source, which comes in pieces.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %x0: tensor<8x8xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss}) {
    %loss_s = arith.constant 1.562500000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x0 : tensor<8x8xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- plan.yaml
world: {ranks: 8}
batch: "global"
accumulate: {"steps": 2}
