// SPDX-License-Identifier: Apache-2.0
// Buffers go through micro-batches whatever updates them: a value of the batch,
// another buffer, a constant. An output that is one says what the last batch
// has; one that divides the loss is one number per batch.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet --steps=2 | FileCheck %s
// RUN: fsdp-opt %t/prog.mlir --fsdp-import --fsdp-annotate=config=%t/plan.yaml | FileCheck %s --check-prefix=PLACED
// Ranks differ in what their batches have made of it by then.
// PLACED: fsdp.output = "a", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>
// PLACED-SAME: fsdp.output = "c", fsdp.sharding = #fsdp.sharding<[{}]>
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64},
      %a: tensor<4xf32> {fsdp.buffer = "a"},
      %b: tensor<4xf32> {fsdp.buffer = "b"},
      %c: tensor<4xf32> {fsdp.buffer = "c"},
      %n: tensor<f32> {fsdp.buffer = "n"})
      -> (tensor<f32> {fsdp.loss},
          tensor<4xf32> {fsdp.updated = "a"},
          tensor<4xf32> {fsdp.updated = "b"},
          tensor<4xf32> {fsdp.updated = "c"},
          tensor<f32> {fsdp.updated = "n"},
          tensor<4xf32> {fsdp.output = "a"},
          tensor<4xf32> {fsdp.output = "b"},
          tensor<4xf32> {fsdp.output = "c"},
          tensor<f32> {fsdp.output = "n"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %half = arith.constant dense<0.5> : tensor<4xf32>
    %a1 = arith.addf %a, %x : tensor<4xf32>
    %bc = arith.mulf %b, %c : tensor<4xf32>
    %all = arith.addf %a1, %bc : tensor<4xf32>
    %loss = linalg.reduce { arith.addf } ins(%all : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %square = arith.mulf %x, %x : tensor<4xf32>
    %n1 = linalg.reduce { arith.addf } ins(%square : tensor<4xf32>) outs(%n : tensor<f32>) dimensions = [0]
    return %loss, %a1, %a, %half, %n1, %a, %b, %c, %n
        : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
          tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
}

//--- plan.yaml
world: {ranks: 2}
batch: "per_rank"
loss: {sum: world, divide_by: n}
accumulate: {steps: 3}
