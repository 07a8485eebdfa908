// RUN: fsdp-opt %s --fsdp-order-loops --convert-linalg-to-loops | FileCheck %s

// m, k, n: the innermost loop walks b and c by unit stride.
// CHECK-LABEL: func @matmul
// CHECK: scf.for %[[M:.*]] = %c0 to %c2
// CHECK: scf.for %[[K:.*]] = %c0 to %c3
// CHECK: scf.for %[[N:.*]] = %c0 to %c4
// CHECK: memref.load %{{.*}}[%[[M]], %[[K]]]
// CHECK: memref.load %{{.*}}[%[[K]], %[[N]]]
func.func @matmul(%a: memref<2x3xf32>, %b: memref<3x4xf32>,
                  %c: memref<2x4xf32>) {
  linalg.matmul ins(%a, %b : memref<2x3xf32>, memref<3x4xf32>)
      outs(%c : memref<2x4xf32>)
  return
}

// A row sum reads by unit stride as it is.
// CHECK-LABEL: func @row_sum
// CHECK: scf.for %[[I:.*]] = %c0 to %c2
// CHECK: scf.for %[[J:.*]] = %c0 to %c3
// CHECK: memref.load %{{.*}}[%[[I]], %[[J]]]
func.func @row_sum(%a: memref<2x3xf32>, %b: memref<2xf32>) {
  linalg.reduce {arith.addf} ins(%a : memref<2x3xf32>)
      outs(%b : memref<2xf32>) dimensions = [1]
  return
}
