// SPDX-License-Identifier: Apache-2.0
// The norm of a gradient that varies is summed over what it varies along, also where micro-batches are averaged in front of it.
// RUN: split-file %s %t
// RUN: fsdp-run %t/step.mlir --config=%t/plan.yaml --verify=f64 --quiet

//--- plan.yaml
world: {ranks: 4}
process_groups: {pair: set2, other: mod2}
accumulate: {steps: 2}
optimizer: {name: sgd, lr: 0.1, clip_norm: 0.5}
shardings: [{match: w, varying: other}]
process_group: pair

//--- step.mlir
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4x8xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
    -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.grad = "w"}) {
  %z = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  %g = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%w : tensor<4xf32>) dimensions = [1]
  return %loss, %g : tensor<f32>, tensor<4xf32>
}
