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

// So it is behind a barrier.
// CHECK-LABEL: func @behind_barrier
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X:.*]])
// CHECK: return %[[X]], %[[COPY]]
func.func @behind_barrier(%x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.output = "a"}, tensor<4xf32> {fsdp.output = "b"}) {
  %0 = fsdp.optimization_barrier %x : tensor<4xf32>
  return %x, %0 : tensor<4xf32>, tensor<4xf32>
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

// What a condition chooses is copied in its branches, unless all are new
// tensors; values that change places are copied before one is overwritten.
// CHECK-LABEL: func @copies
// CHECK: iter_args(%[[A:[a-z0-9]*]] = %{{.*}}, %[[B:[a-z0-9]*]] = %{{.*}}, %[[C:[a-z0-9]*]] = %{{.*}}, %[[D:[a-z0-9]*]] = %{{.*}})
// CHECK: %[[MIXED:.*]] = scf.if
// CHECK: %[[OLD:.*]] = bufferization.alloc_tensor() copy(%[[C]])
// CHECK: scf.yield %[[OLD]]
// CHECK: bufferization.alloc_tensor() copy
// CHECK: %[[NEW:.*]] = scf.if
// CHECK-NOT: copy
// CHECK: %[[B0:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK: %[[A0:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK: %[[A1:.*]] = bufferization.materialize_in_destination %[[B0]] in %[[A]]
// CHECK: %[[B1:.*]] = bufferization.materialize_in_destination %[[A0]] in %[[B]]
// CHECK: %[[C1:.*]] = bufferization.materialize_in_destination %[[MIXED]] in %[[C]]
// CHECK: %[[D1:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[D]]
// CHECK: scf.yield %[[A1]], %[[B1]], %[[C1]], %[[D1]]
func.func @copies(%x: tensor<4xf32>, %n: i32, %p: i1) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %e0 = tensor.empty() : tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4xf32>
  %0:4 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %x, %c = %x, %d = %x)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) : i32 {
    %mixed = scf.if %p -> (tensor<4xf32>) {
      scf.yield %c : tensor<4xf32>
    } else {
      %t = linalg.exp ins(%c : tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    }
    %new = scf.if %p -> (tensor<4xf32>) {
      %t = linalg.exp ins(%c : tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    } else {
      %t = linalg.exp ins(%d : tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    }
    scf.yield %b, %a, %mixed, %new : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}

// Both regions of a loop of this kind carry.
// CHECK-LABEL: func @while
// CHECK: scf.while (%[[A:.*]] = %{{.*}})
// CHECK: %[[T:.*]] = linalg.exp
// CHECK: %[[A1:.*]] = bufferization.materialize_in_destination %[[T]] in %[[A]]
// CHECK: scf.condition(%{{.*}}) %[[A1]]
// CHECK: ^bb0(%[[B:.*]]: tensor<4xf32>)
// CHECK: %[[U:.*]] = linalg.exp
// CHECK: %[[B1:.*]] = bufferization.materialize_in_destination %[[U]] in %[[B]]
// CHECK: scf.yield %[[B1]]
func.func @while(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %t = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.condition(%p) %t : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %t = linalg.exp ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
