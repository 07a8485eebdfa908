// SPDX-License-Identifier: Apache-2.0
// A constant is the gradient of a parameter that varies.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w2: tensor<3x2xf32> {fsdp.param = "m2.w"},
      %w3: tensor<3x8xf32> {fsdp.param = "m3.w"})
      -> (tensor<f32> {fsdp.loss},
          tensor<3x2xf32> {fsdp.grad = "m2.w"}) {
    %splat11 = arith.constant dense<0.75> : tensor<3x2xf32>
    %loss_s = arith.constant 1.666666667e-01 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%w2 : tensor<3x2xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %splat11 : tensor<f32>, tensor<3x2xf32>
  }
}

//--- plan.yaml
world: {ranks: 8}
process_groups: {"dp": "mod4"}
batch: {"per_rank": []}
loss: {"mean": ["dp"]}
shardings:
  - {"match": "m3.w", "dims": [[], ["dp"]]}
  - {"match": "m2.w", "varying": ["dp"]}
units:
  - {"match": "m2", "sharding_strategy": "NO_SHARD"}
  - {"match": "m3", "process_group": "self"}
