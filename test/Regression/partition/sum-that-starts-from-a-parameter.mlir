// SPDX-License-Identifier: Apache-2.0
// A split sum counts what it starts from once.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w0: tensor<4x4xf32> {fsdp.param = "m0.w"},
      %x0: tensor<8x8xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<4x4xf32> {fsdp.grad = "m0.w"}) {
    %contract11_s = arith.constant 1.302083333e-02 : f32
    %contract11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%x0 : tensor<8x8xf32>) outs(%w0 : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.mulf %a0, %contract11_s : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<4x4xf32>
    %loss_s = arith.constant 6.250000000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%w0 : tensor<4x4xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %contract11 : tensor<f32>, tensor<4x4xf32>
  }
}

//--- plan.yaml
world: {ranks: 8}
process_groups: {"sp": [[0, 4, 1, 5, 2, 6, 3, 7]]}
batch: {"global": ["sp"]}
