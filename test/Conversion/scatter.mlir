// RUN: fsdp-opt %s --fsdp-lower-scatter --canonicalize | FileCheck %s

// The update's dim lines up with the destination's last; the index moves the
// first.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[U:.*]]: memref<4x8xf32>, %[[I:.*]]: memref<4x1xi64>, %[[D:.*]]: memref<16x8xf32>)
// CHECK: scf.for %[[N:.*]] = %c0 to %c4
// CHECK: scf.for %[[W:.*]] = %c0 to %c8
// CHECK: %[[INDEX:.*]] = memref.load %[[I]][%[[N]], %c0]
// CHECK: %[[AT:.*]] = arith.index_cast %[[INDEX]] : i64 to index
// CHECK: %[[UPDATE:.*]] = memref.load %[[U]][%[[N]], %[[W]]]
// CHECK: %[[CURRENT:.*]] = memref.load %[[D]][%[[AT]], %[[W]]]
// CHECK: %[[SUM:.*]] = arith.addf %[[CURRENT]], %[[UPDATE]]
// CHECK: memref.store %[[SUM]], %[[D]][%[[AT]], %[[W]]]
func.func @rows(%u: memref<4x8xf32>, %i: memref<4x1xi64>,
                %d: memref<16x8xf32>) {
  fsdp.scatter ins(%u, %i : memref<4x8xf32>, memref<4x1xi64>)
      outs(%d : memref<16x8xf32>) dims [0] {
  ^bb0(%update: f32, %current: f32):
    %0 = arith.addf %current, %update : f32
    fsdp.yield %0 : f32
  }
  return
}

// An index in a dim that the update also walks is added to it.
// CHECK-LABEL: func @window
// CHECK: scf.for %[[N:.*]] = %c0 to %c4
// CHECK: scf.for %[[W:.*]] = %c0 to %c2
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %[[W]] : index
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[SUM]], %{{.*}}]
func.func @window(%u: memref<4x2x8xf32>, %i: memref<4x1xi32>,
                  %d: memref<16x8xf32>) {
  fsdp.scatter ins(%u, %i : memref<4x2x8xf32>, memref<4x1xi32>)
      outs(%d : memref<16x8xf32>) dims [0] {
  ^bb0(%update: f32, %current: f32):
    fsdp.yield %update : f32
  }
  return
}
