// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-verify-gradients | FileCheck %s --check-prefix=IR
// RUN: fsdp-opt %s --fsdp-verify="verdict json=%t.json" -o /dev/null 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: not fsdp-opt %s --fsdp-verify="json=%t.none/v.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE

// Silent, and nothing changes.
// IR-NOT: error
// IR: func.func @step
// CHECK: parameter  storage                        summed over  scale  where
// CHECK-NEXT: w          #fsdp.sharding<[{@world}]>     @world       1/2    {{.*}}verify-gradients.mlir:[[#@LINE+27]]
// CHECK-NEXT: every gradient is summed once, with its scale, assuming that
// CHECK-NEXT:   1 marked gradients are the derivatives of the rank's loss
// JSON: "parameter": "w"
// JSON: "storage": "#fsdp.sharding<[{@world}]>"
// JSON: "summed_over": "@world"
// JSON: "scale": "1/2"
// JSON: "assumptions": [
// FILE: error: cannot open output file

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  func.func @step(
      %v: tensor<2xf32> {fsdp.param = "v", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.global_shape = array<i64: 4>,
          fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>},
      %x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<2xf32> {fsdp.grad = "w", fsdp.global_shape = array<i64: 4>,
              fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %full = fsdp.all_gather %w over @world dim 0 : (tensor<2xf32>) -> tensor<4xf32>
    %wx = arith.mulf %full, %x : tensor<4xf32>
    %own = linalg.dot ins(%wx, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %g = fsdp.local_grad %wx of "w" : tensor<4xf32>
    %s = fsdp.reduce_scatter sum %g over @world dim 0 : (tensor<4xf32>) -> tensor<2xf32>
    %gw = fsdp.scale %s by 1 over 2 : tensor<2xf32>
    %sum = fsdp.all_reduce sum %own over @world : (tensor<f32>) -> tensor<f32>
    %loss = fsdp.scale %sum by 1 over 2 : tensor<f32>
    return %loss, %gw : tensor<f32>, tensor<2xf32>
  }
}
