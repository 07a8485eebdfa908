// SPDX-License-Identifier: Apache-2.0
// A loop carries what varies and starts from what does not.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w3: tensor<8xf32> {fsdp.param = "m3.w"},
      %x0: tensor<8x8xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss}) {
    %for0_0 = arith.constant 0 : index
    %for0_1 = arith.constant 1 : index
    %for0_n = arith.constant 3 : index
    %for0 = scf.for %i = %for0_0 to %for0_n step %for0_1 iter_args(%x = %x0) -> (tensor<8x8xf32>) {
      %f_c = arith.constant 0.000000000e+00 : f32
      %f_e = tensor.empty() : tensor<8x8xf32>
      %f = linalg.fill ins(%f_c : f32) outs(%f_e : tensor<8x8xf32>) -> tensor<8x8xf32>
      %m = linalg.matmul ins(%x, %x0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
      %next_e = tensor.empty() : tensor<8x8xf32>
      %next = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
          ins(%m, %w3 : tensor<8x8xf32>, tensor<8xf32>) outs(%next_e : tensor<8x8xf32>) {
      ^bb0(%a0: f32, %a1: f32, %o0: f32):
        %e0 = arith.subf %a0, %a1 : f32
        %z = math.tanh %e0 : f32
        linalg.yield %z : f32
      } -> tensor<8x8xf32>
      scf.yield %next : tensor<8x8xf32>
    }
    %loss_s = arith.constant 1.562500000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%for0 : tensor<8x8xf32>) outs(%loss_z : tensor<f32>) {
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
mesh: {"sp": 4, "ep": -1}
batch: "global"
loss: {"mean": ["ep"]}
shardings:
  - {"match": "m3.w", "varying": ["ep"]}
units:
  - {"match": "m3", "process_group": "sp"}
