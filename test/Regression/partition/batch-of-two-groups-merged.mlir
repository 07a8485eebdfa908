// SPDX-License-Identifier: Apache-2.0
// A dimension split over two groups is merged behind another.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w0: tensor<12x8xf32> {fsdp.param = "m0.w"},
      %w1: tensor<5x12xf32> {fsdp.param = "m1.w"},
      %x0: tensor<5x4xf32> {fsdp.input = "x0", fsdp.batch_dim = 1 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<5x12xf32> {fsdp.grad = "m1.w"}) {
    %collapse1 = tensor.collapse_shape %x0 [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
    %max2_f_c = arith.constant -1.000000000e+30 : f32
    %max2_f_e = tensor.empty() : tensor<8xf32>
    %max2_f = linalg.fill ins(%max2_f_c : f32) outs(%max2_f_e : tensor<8xf32>) -> tensor<8xf32>
    %max2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
        ins(%w0 : tensor<12x8xf32>) outs(%max2_f : tensor<8xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.maximumf %a0, %o0 : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    %contract7_s = arith.constant 1.736111111e-02 : f32
    %contract7_f_c = arith.constant 0.000000000e+00 : f32
    %contract7_f_e = tensor.empty() : tensor<5x12xf32>
    %contract7_f = linalg.fill ins(%contract7_f_c : f32) outs(%contract7_f_e : tensor<5x12xf32>) -> tensor<5x12xf32>
    %contract7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d3, d0)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
        ins(%x0, %max2 : tensor<5x4xf32>, tensor<8xf32>) outs(%contract7_f : tensor<5x12xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o0: f32):
      %e0 = arith.mulf %a0, %a1 : f32
      %e1 = arith.mulf %e0, %contract7_s : f32
      %e2 = arith.addf %o0, %e1 : f32
      linalg.yield %e2 : f32
    } -> tensor<5x12xf32>
    %loss_s = arith.constant 5.000000000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%collapse1 : tensor<20xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %contract7 : tensor<f32>, tensor<5x12xf32>
  }
}

//--- plan.yaml
world: {ranks: 4}
process_groups: {"sp": "mod2"}
batch: "global"
shardings:
  - {"match": "m0.w", "dims": [[], ["sp"]]}
units:
  - {"match": "m0", "process_group": "self"}
