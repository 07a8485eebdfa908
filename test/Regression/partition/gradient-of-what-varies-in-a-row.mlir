// SPDX-License-Identifier: Apache-2.0
// The gradient of what varies stays mapped, whatever is better for the row of ops
// in front of its marker.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#scalar = affine_map<(d0, d1) -> ()>
module {
  func.func @step(
      %w1: tensor<6xf32> {fsdp.param = "m1.w", fsdp.frozen},
      %w2: tensor<6x12xf32> {fsdp.param = "m2.w"},
      %x: tensor<6x12xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss}, tensor<6x12xf32> {fsdp.grad = "m2.w"}) {
    %e = tensor.empty() : tensor<6x12xf32>
    %y = arith.addf %w2, %x : tensor<6x12xf32>
    %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%y, %w1 : tensor<6x12xf32>, tensor<6xf32>) outs(%e : tensor<6x12xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.mulf %a, %b : f32
      linalg.yield %d : f32
    } -> tensor<6x12xf32>
    %g = math.sin %h : tensor<6x12xf32>
    %s = arith.constant 1.4e-02 : f32
    %z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction", "reduction"]}
        ins(%x : tensor<6x12xf32>) outs(%z : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %t = arith.mulf %a, %s : f32
      %u = arith.addf %o, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %g : tensor<f32>, tensor<6x12xf32>
  }
}

//--- plan.yaml
world: {ranks: 6}
process_groups: {"sp": "mod3", "ep": "set3"}
batch: {"global": [], "per_rank": ["sp"]}
loss: {"mean": ["sp"]}
shardings:
  - {"match": "m1.w", "dims": [["ep"]]}
  - {"match": "m2.w", "dims": [[], ["sp"]]}
  - {"match": "m2.w", "varying": ["ep"]}
units:
  - {"match": "m1", "sharding_strategy": "NO_SHARD"}
  - {"match": "m2", "process_group": "self"}
