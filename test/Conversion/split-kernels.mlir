// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-split-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

// Large kernels take a range; calls pass all of it.
// CHECK-LABEL: func.func @step
// CHECK: %[[B:.*]] = arith.constant 0 : index
// CHECK: %[[E:.*]] = arith.constant 256 : index
// CHECK: call @rows(%{{.*}}, %[[B]], %[[E]])
// CHECK: %[[E2:.*]] = arith.constant 128 : index
// CHECK: call @columns(%{{.*}}, %{{.*}}, %{{.*}}, %[[E2]])
// CHECK: call @small(%{{[a-z0-9]*}}) :
func.func @step(%x: memref<256x128xf32>, %s: memref<128xf32>, %y: memref<4x4xf32>) {
  call @rows(%x) : (memref<256x128xf32>) -> ()
  call @columns(%x, %s) : (memref<256x128xf32>, memref<128xf32>) -> ()
  call @small(%y) : (memref<4x4xf32>) -> ()
  return
}

// CHECK: func.func private @rows(%{{.*}}, %[[B:[a-z0-9]+]]: index, %[[E:[a-z0-9]+]]: index) attributes {fsdp.parallel = 256 : i64}
// CHECK: scf.for %{{.*}} = %[[B]] to %[[E]]
func.func private @rows(%x: memref<256x128xf32>) {
  linalg.exp ins(%x : memref<256x128xf32>) outs(%x : memref<256x128xf32>)
  return
}

// A sum over rows splits the columns: one thread forms each sum, in order.
// CHECK: func.func private @columns({{.*}}, %[[B:[a-z0-9]+]]: index, %[[E:[a-z0-9]+]]: index) attributes {fsdp.parallel = 128 : i64}
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %[[B]] to %[[E]]
func.func private @columns(%x: memref<256x128xf32>, %s: memref<128xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<256x128xf32>) outs(%s : memref<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK: func.func private @small(%{{.*}}: memref<4x4xf32>) {
// CHECK: linalg.exp
func.func private @small(%x: memref<4x4xf32>) {
  linalg.exp ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}
