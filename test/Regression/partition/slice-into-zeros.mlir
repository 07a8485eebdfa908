// SPDX-License-Identifier: Apache-2.0
// What varies is written into what does not.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w1: tensor<3x6x2xf32> {fsdp.param = "m1.w"},
      %x0: tensor<4x8xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64},
      %x1: tensor<4x6x3xf32> {fsdp.input = "x1", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<3x6x2xf32> {fsdp.grad = "m1.w"}) {
    %contract1_s = arith.constant 6.944444444e-02 : f32
    %contract1_f_c = arith.constant 0.000000000e+00 : f32
    %contract1_f_e = tensor.empty() : tensor<2x6x2xf32>
    %contract1_f = linalg.fill ins(%contract1_f_c : f32) outs(%contract1_f_e : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
    %contract1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>], iterator_types = ["parallel", "reduction", "reduction", "parallel", "parallel"]}
        ins(%x1 : tensor<4x6x3xf32>) outs(%contract1_f : tensor<2x6x2xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.mulf %a0, %contract1_s : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<2x6x2xf32>
    %insert2_z = arith.constant dense<0.0> : tensor<3x6x2xf32>
    %insert2 = tensor.insert_slice %contract1 into %insert2_z[1, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x2xf32> into tensor<3x6x2xf32>
    %loss_s = arith.constant 3.125000000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x0 : tensor<4x8xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %insert2 : tensor<f32>, tensor<3x6x2xf32>
  }
}

//--- plan.yaml
world: {ranks: 2}
process_groups: {"ep": "set2"}
batch: "per_rank"
shardings:
  - {"match": "m1.w", "dims": [[], [], ["ep"]]}
units:
  - {"match": "m1", "process_group": "self"}
