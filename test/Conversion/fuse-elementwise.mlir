// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-fuse-elementwise --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// One pass over the rows: the difference, its square and the sum.
// CHECK-LABEL: func.func @variance
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @variance(%x: tensor<64x32xf32>, %mean: tensor<64xf32>, %zeros: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<64x32xf32>, tensor<64xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<64x32xf32>
  %1 = linalg.mul ins(%0, %0 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<64x32xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Both readers scale again, but exp is computed once.
// CHECK-LABEL: func.func @readers
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK-NEXT: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[E]] :
// CHECK: linalg.generic {{.*}} ins(%[[E]] :
// CHECK-NOT: linalg.generic
func.func @readers(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %half : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  %1 = linalg.exp ins(%0 : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %half : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  return %2, %3 : tensor<64x32xf32>, tensor<64x32xf32>
}

// -----

// Products stay what they are.
// CHECK-LABEL: func.func @product
// CHECK: linalg.generic
// CHECK: fsdp.contract
// CHECK: linalg.generic
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @product(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.exp ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = fsdp.contract ins(%0, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) [#mk, #kn, #mn] -> tensor<4x5xf32>
  %2 = linalg.exp ins(%1 : tensor<4x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}
