// SPDX-License-Identifier: Apache-2.0
// What varies is added to a constant that is no splat.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w0: tensor<6xf32> {fsdp.param = "m0.w"},
      %w2: tensor<6x2xf32> {fsdp.param = "m2.w"},
      %x0: tensor<2x6x4xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<6xf32> {fsdp.grad = "m0.w"}) {
    %contract0_f_c = arith.constant 0.000000000e+00 : f32
    %contract0_f_e = tensor.empty() : tensor<2x4x6xf32>
    %contract0_f = linalg.fill ins(%contract0_f_c : f32) outs(%contract0_f_e : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %contract0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0)>, affine_map<(d0, d1, d2) -> (d0, d2, d1)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%w2 : tensor<6x2xf32>) outs(%contract0_f : tensor<2x4x6xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.addf %o0, %a0 : f32
      linalg.yield %e0 : f32
    } -> tensor<2x4x6xf32>
    %batch_matmul1_f_c = arith.constant 0.000000000e+00 : f32
    %batch_matmul1_f_e = tensor.empty() : tensor<2x6x6xf32>
    %batch_matmul1_f = linalg.fill ins(%batch_matmul1_f_c : f32) outs(%batch_matmul1_f_e : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %batch_matmul1 = linalg.batch_matmul ins(%x0, %contract0 : tensor<2x6x4xf32>, tensor<2x4x6xf32>) outs(%batch_matmul1_f : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %const10 = arith.constant dense<[5.981159936e-01, 1.745142514e-01, -8.152419385e-01, -3.299225766e-01, -9.680462687e-01, -5.033624254e-01]> : tensor<6xf32>
    %contract11_s = arith.constant 8.333333333e-02 : f32
    %contract11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
        ins(%batch_matmul1 : tensor<2x6x6xf32>) outs(%const10 : tensor<6xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.mulf %a0, %contract11_s : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<6xf32>
    %loss_s = arith.constant 8.333333333e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%w2 : tensor<6x2xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %contract11 : tensor<f32>, tensor<6xf32>
  }
}

//--- plan.yaml
world: {ranks: 2}
process_groups: {"ep": "set2"}
batch: {"global": ["ep"]}
loss: {"mean": ["ep"]}
shardings:
  - {"match": "m2.w", "varying": ["ep"]}
units:
  - {"match": "m2", "sharding_strategy": "NO_SHARD"}
