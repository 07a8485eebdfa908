// RUN: fsdp-opt %s --fsdp-prepare-bufferization | FileCheck %s

// Roles go, and arguments may not be written. A second return is a copy.
// CHECK-LABEL: func @boundary
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {bufferization.writable = false}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK: return %[[X]], %[[COPY]]
func.func @boundary(%x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.output = "a"}, tensor<4xf32> {fsdp.output = "b"}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// Each use of a splat constant fills an empty tensor of its own.
// CHECK-LABEL: func @splat
// CHECK: %[[E0:.*]] = tensor.empty
// CHECK: %[[F0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E0]]
// CHECK: linalg.add {{.*}} outs(%[[F0]]
// CHECK: %[[E1:.*]] = tensor.empty
// CHECK: %[[F1:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E1]]
// CHECK: linalg.sub {{.*}} outs(%[[F1]]
func.func @splat(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>)
      outs(%zero : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.sub ins(%x, %x : tensor<4xf32>, tensor<4xf32>)
      outs(%zero : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What a loop carries is written to where it came from; what is computed there
// already is left alone.
// CHECK-LABEL: func @loop
// CHECK: iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[SUM:.*]] = linalg.add {{.*}} outs(%[[A]]
// CHECK: %[[NEXT:.*]] = linalg.transpose
// CHECK: %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[B]]
// CHECK: scf.yield %[[SUM]], %[[KEPT]]
func.func @loop(%x: tensor<4x4xf32>, %n: i32)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0:2 = scf.for %i = %zero to %n step %one
      iter_args(%a = %x, %b = %x) -> (tensor<4x4xf32>, tensor<4x4xf32>) : i32 {
    %sum = linalg.add ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>)
        outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
    %empty = tensor.empty() : tensor<4x4xf32>
    %next = linalg.transpose ins(%b : tensor<4x4xf32>)
        outs(%empty : tensor<4x4xf32>) permutation = [1, 0]
    scf.yield %sum, %next : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}
