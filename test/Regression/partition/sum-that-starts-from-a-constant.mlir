// SPDX-License-Identifier: Apache-2.0
// A split sum counts a constant that it starts from once.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
func.func @f(%w: tensor<4x6xf32> {fsdp.param = "w"}, %x: tensor<4x8xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
    -> (tensor<f32> {fsdp.loss}, tensor<8x6xf32> {fsdp.output = "o"}) {
  %c = arith.constant dense<0.75> : tensor<8x6xf32>
  %zs = arith.constant dense<0.0> : tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x8xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  %l = linalg.reduce { arith.addf } ins(%t : tensor<8x6xf32>) outs(%zs : tensor<f32>) dimensions = [0, 1]
  return %l, %t : tensor<f32>, tensor<8x6xf32>
}

//--- plan.yaml
world: {ranks: 4}
batch: global
shardings:
  - {match: w, dims: [[world], []]}
defaults: {process_group: self}
