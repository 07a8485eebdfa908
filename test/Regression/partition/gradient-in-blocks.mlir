// SPDX-License-Identifier: Apache-2.0
// A gradient that is split in blocks is brought to plain pieces.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w2: tensor<2x8x3xf32> {fsdp.param = "m2.w"},
      %x0: tensor<3x4xf32> {fsdp.input = "x0", fsdp.batch_dim = 1 : i64},
      %x1: tensor<3x4xf32> {fsdp.input = "x1", fsdp.batch_dim = 1 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<2x8x3xf32> {fsdp.grad = "m2.w"}) {
    %concat3 = tensor.concat dim(1) %x1, %x0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
    %contract15_s = arith.constant 8.680555556e-02 : f32
    %contract15_f_c = arith.constant 0.000000000e+00 : f32
    %contract15_f_e = tensor.empty() : tensor<2x8x3xf32>
    %contract15_f = linalg.fill ins(%contract15_f_c : f32) outs(%contract15_f_e : tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
    %contract15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d0)>, affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>], iterator_types = ["reduction", "parallel", "parallel", "parallel"]}
        ins(%concat3, %concat3 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%contract15_f : tensor<2x8x3xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o0: f32):
      %e0 = arith.mulf %a0, %a1 : f32
      %e1 = arith.mulf %e0, %contract15_s : f32
      %e2 = arith.addf %o0, %e1 : f32
      linalg.yield %e2 : f32
    } -> tensor<2x8x3xf32>
    %loss_s = arith.constant 2.083333333e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]}
        ins(%w2 : tensor<2x8x3xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %contract15 : tensor<f32>, tensor<2x8x3xf32>
  }
}

//--- plan.yaml
world: {ranks: 4}
process_groups: {"ep": [[0, 2, 1, 3]]}
batch: "global"
shardings:
  - {"match": "m2.w", "dims": [[], ["ep"], []]}
units:
  - {"match": "m2", "process_group": "self"}
