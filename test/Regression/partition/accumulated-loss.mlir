// SPDX-License-Identifier: Apache-2.0
// What is added up from a constant has no leading dimension.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w1: tensor<8xf32> {fsdp.param = "m1.w"},
      %x0: tensor<2x8xf32> {fsdp.input = "x0", fsdp.batch_dim = 1 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<8xf32> {fsdp.grad = "m1.w"}) {
    %tanh1 = math.tanh %x0 : tensor<2x8xf32>
    %contract6_f_c = arith.constant 0.000000000e+00 : f32
    %contract6_f_e = tensor.empty() : tensor<8xf32>
    %contract6_f = linalg.fill ins(%contract6_f_c : f32) outs(%contract6_f_e : tensor<8xf32>) -> tensor<8xf32>
    %contract6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
        ins(%tanh1 : tensor<2x8xf32>) outs(%contract6_f : tensor<8xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.addf %o0, %a0 : f32
      linalg.yield %e0 : f32
    } -> tensor<8xf32>
    %loss_s = arith.constant 6.250000000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%tanh1 : tensor<2x8xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %contract6 : tensor<f32>, tensor<8xf32>
  }
}

//--- plan.yaml
world: {ranks: 8}
mesh: {"sp": 2, "tp": -1}
batch: "per_rank"
accumulate: {"steps": 2}
shardings:
  - {"match": "m1.w", "dims": [["sp"]]}
units:
  - {"match": "m1", "process_group": "tp"}
