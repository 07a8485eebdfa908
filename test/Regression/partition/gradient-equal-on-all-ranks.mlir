// SPDX-License-Identifier: Apache-2.0
// A gradient that is equal on the loss's ranks is whole on each.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w0: tensor<8x6xf32> {fsdp.param = "m0.w"},
      %w2: tensor<8x3xf32> {fsdp.param = "m2.w"},
      %x0: tensor<2x4xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<8x3xf32> {fsdp.grad = "m2.w"}) {
    %splat14 = arith.constant dense<0.75> : tensor<6x3xf32>
    %matmul9_f_c = arith.constant 0.000000000e+00 : f32
    %matmul9_f_e = tensor.empty() : tensor<8x3xf32>
    %matmul9_f = linalg.fill ins(%matmul9_f_c : f32) outs(%matmul9_f_e : tensor<8x3xf32>) -> tensor<8x3xf32>
    %matmul9 = linalg.matmul ins(%w0, %splat14 : tensor<8x6xf32>, tensor<6x3xf32>) outs(%matmul9_f : tensor<8x3xf32>) -> tensor<8x3xf32>
    %loss_s = arith.constant 1.250000000e-01 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x0 : tensor<2x4xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %matmul9 : tensor<f32>, tensor<8x3xf32>
  }
}

//--- plan.yaml
world: {ranks: 2}
mesh: {"sp": -1}
batch: {"per_rank": ["sp"]}
loss: {"mean": ["sp"]}
shardings:
  - {"match": "m0.w", "dims": [["sp"], []]}
units:
  - {"match": "m0", "sharding_strategy": "NO_SHARD"}
