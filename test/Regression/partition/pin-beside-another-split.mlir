// SPDX-License-Identifier: Apache-2.0
// A pinned dimension has no room for a further group.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w0: tensor<2x2xf32> {fsdp.param = "m0.w"},
      %w1: tensor<2x4xf32> {fsdp.param = "m1.w"},
      %x0: tensor<8x2x4xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss},
          tensor<2x4xf32> {fsdp.grad = "m1.w"},
          tensor<2x4xf32> {fsdp.output = "o0"}) {
    %contract4_s = arith.constant 9.090909091e-02 : f32
    %contract4_f_c = arith.constant 0.000000000e+00 : f32
    %contract4_f_e = tensor.empty() : tensor<2x4xf32>
    %contract4_f = linalg.fill ins(%contract4_f_c : f32) outs(%contract4_f_e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %contract4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel"]}
        ins(%w0 : tensor<2x2xf32>) outs(%contract4_f : tensor<2x4xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.mulf %a0, %contract4_s : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<2x4xf32> loc("a4"("fwd"))
    %loss_s = arith.constant 1.562500000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]}
        ins(%x0 : tensor<8x2x4xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32> loc("loss"("fwd"))
    return %loss, %contract4, %contract4 : tensor<f32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
}

//--- plan.yaml
world: {ranks: 8}
process_groups: {"ep": "set2", "sp": "mod2"}
batch: {"global": []}
shardings:
  - {"match": "m1.w", "dims": [[], ["sp"]]}
activations:
  - {"match": "a4:out", "dims": [[], ["ep"]]}
units:
  - {"match": "m1", "sharding_strategy": "NO_SHARD"}
