// SPDX-License-Identifier: Apache-2.0
// What compute wants is what is stored, said with other groups.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w1: tensor<8xf32> {fsdp.param = "m1.w"},
      %w2: tensor<8xf32> {fsdp.param = "m2.w"},
      %x1: tensor<2x8x4xf32> {fsdp.input = "x1", fsdp.batch_dim = 2 : i64})
      -> (tensor<f32> {fsdp.loss}) {
    %for1_0 = arith.constant 0 : index
    %for1_1 = arith.constant 1 : index
    %for1_n = arith.constant 1 : index
    %for1 = scf.for %i = %for1_0 to %for1_n step %for1_1 iter_args(%x = %w2) -> (tensor<8xf32>) {
      %next_e = tensor.empty() : tensor<8xf32>
      %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%x, %w1 : tensor<8xf32>, tensor<8xf32>) outs(%next_e : tensor<8xf32>) {
      ^bb0(%a0: f32, %a1: f32, %o0: f32):
        %e0 = math.cos %a0 : f32
        %e1 = math.sin %a1 : f32
        %e2 = arith.addf %e1, %e0 : f32
        %z = math.tanh %e2 : f32
        linalg.yield %z : f32
      } -> tensor<8xf32>
      scf.yield %next : tensor<8xf32>
    }
    %loss_s = arith.constant 1.250000000e-01 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%for1 : tensor<8xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- plan.yaml
world: {ranks: 4}
process_groups: {"ep": [[0, 1], [2, 3]], "dp": "mod2"}
batch: "global"
shardings:
  - {"match": "m2.w", "dims": [["ep"]]}
  - {"match": "m1.w", "dims": [["dp"]]}
units:
  - {"match": "m1", "process_group": "ep"}
  - {"match": "m2", "process_group": "self"}
