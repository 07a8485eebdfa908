// SPDX-License-Identifier: Apache-2.0
// A named op's maps follow from the types as exported.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w1: tensor<4xf32> {fsdp.param = "m1.w"},
      %x1: tensor<4x2x4xf32> {fsdp.input = "x1", fsdp.batch_dim = 2 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<4xf32> {fsdp.grad = "m1.w"},
          tensor<4x4xf32> {fsdp.output = "o0"}) {
    %if1_0 = arith.constant 0 : index
    %if1_z = arith.constant 0.0 : f32
    %if1_x = tensor.extract %w1[%if1_0] : tensor<4xf32>
    %if1_p = arith.cmpf ole, %if1_x, %if1_z : f32
    %if1 = scf.if %if1_p -> (tensor<4x2x4xf32>) {
      %y_e = tensor.empty() : tensor<4x2x4xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x1 : tensor<4x2x4xf32>) outs(%y_e : tensor<4x2x4xf32>) {
      ^bb0(%a0: f32, %o0: f32):
        %e0 = arith.constant -1.368426814e+00 : f32
        %e1 = arith.mulf %a0, %e0 : f32
        %z = math.tanh %e1 : f32
        linalg.yield %z : f32
      } -> tensor<4x2x4xf32>
      scf.yield %y : tensor<4x2x4xf32>
    } else {
      scf.yield %x1 : tensor<4x2x4xf32>
    }
    %sum2_f_c = arith.constant 0.000000000e+00 : f32
    %sum2_f_e = tensor.empty() : tensor<4x4xf32>
    %sum2_f = linalg.fill ins(%sum2_f_c : f32) outs(%sum2_f_e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %sum2 = linalg.reduce ins(%if1 : tensor<4x2x4xf32>) outs(%sum2_f : tensor<4x4xf32>) dimensions = [1]
      (%a0: f32, %o0: f32) {
        %t = arith.addf %a0, %o0 : f32
        linalg.yield %t : f32
      }
    %contract6_s = arith.constant 1.041666667e-01 : f32
    %contract6_f_c = arith.constant 0.000000000e+00 : f32
    %contract6_f_e = tensor.empty() : tensor<4xf32>
    %contract6_f = linalg.fill ins(%contract6_f_c : f32) outs(%contract6_f_e : tensor<4xf32>) -> tensor<4xf32>
    %contract6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
        ins(%if1 : tensor<4x2x4xf32>) outs(%contract6_f : tensor<4xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.mulf %a0, %contract6_s : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<4xf32>
    %loss_s = arith.constant 3.125000000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]}
        ins(%x1 : tensor<4x2x4xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %contract6, %sum2 : tensor<f32>, tensor<4xf32>, tensor<4x4xf32>
  }
}

//--- plan.yaml
world: {ranks: 4}
process_groups: {"sp": "set4"}
batch: {"per_rank": ["sp"]}
loss: {"mean": ["sp"]}
shardings:
  - {"match": "m1.w", "dims": [["sp"]]}
units:
  - {"match": "m1", "process_group": "self"}
