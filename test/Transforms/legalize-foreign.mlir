// SPDX-License-Identifier: Apache-2.0
// Scatters and barriers of exporters become ours, asserts go; an op that says
// how it is partitioned stays as it is.
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-legalize-foreign | FileCheck %s

// CHECK-LABEL: @scatter
// CHECK: %[[R:.*]] = fsdp.scatter ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x1xi64>) outs(%{{.*}} : tensor<16x8xf32>) dims [0] {
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: fsdp.yield %[[SUM]] : f32
// CHECK: return %[[R]]
func.func @scatter(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>,
                   %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = "tm_tensor.scatter"(%u, %i, %d) <{dimension_map = array<i64: 0>,
      unique_indices = false}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %b, %a : f32
    "tm_tensor.yield"(%1) : (f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4x1xi64>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// IREE's may come without the dim of its only index, and with unique indices.
// CHECK-LABEL: @scatter_of_one_index
// CHECK: %[[I:.*]] = tensor.expand_shape %{{.*}} {{.*}} : tensor<4xi32> into tensor<4x1xi32>
// CHECK: fsdp.scatter ins(%{{.*}}, %[[I]] : {{.*}} dims [0] unique
// CHECK-NOT: iree_linalg_ext
func.func @scatter_of_one_index(%u: tensor<4x8xf32>, %i: tensor<4xi32>,
                                %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = "iree_linalg_ext.scatter"(%u, %i, %d) <{dimension_map = array<i64: 0>,
      unique_indices = true}> ({
  ^bb0(%a: f32, %b: f32):
    "iree_linalg_ext.yield"(%a) : (f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4xi32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: @barrier
// CHECK: %[[B:.*]]:2 = fsdp.optimization_barrier %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2xi64>
// CHECK: return %[[B]]#0, %[[B]]#1
func.func @barrier(%x: tensor<4xf32>, %y: tensor<2xi64>)
    -> (tensor<4xf32>, tensor<2xi64>) {
  %0:2 = "util.optimization_barrier"(%x, %y)
      : (tensor<4xf32>, tensor<2xi64>) -> (tensor<4xf32>, tensor<2xi64>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xi64>
}

// CHECK-LABEL: @assert
// CHECK-NOT: cf.assert
// CHECK: return
func.func @assert(%x: i1) {
  cf.assert %x, "index out of range"
  return
}

// CHECK-LABEL: @opaque
// CHECK: "test.attention"
func.func @opaque(%q: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = "test.attention"(%q) {fsdp.rule = #fsdp.rule<([b, d]) -> [b, d]>}
      : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
