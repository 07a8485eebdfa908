// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-form-contractions --split-input-file | FileCheck %s

// A transposed operand, and zeros that need not be written.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x8xf32>, %[[B:[a-z0-9]+]]: tensor<5x8xf32>
// CHECK: linalg.fill
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<4x5xf32>
// CHECK-NEXT: %{{.*}} = fsdp.contract ins(%[[A]], %[[B]] : tensor<4x8xf32>, tensor<5x8xf32>) outs(%[[E]] : tensor<4x5xf32>) [#[[MK:.*]], #[[NK:.*]], #[[MN:.*]]]
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x5xf32>
  %t = linalg.transpose ins(%b : tensor<5x8xf32>) outs(%e : tensor<8x5xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<4x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %0 = linalg.matmul ins(%a, %t : tensor<4x8xf32>, tensor<8x5xf32>) outs(%z : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// What is added to stays, and bf16 may be summed into f32.
// CHECK-LABEL: func.func @accumulates
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<4x5xf32>)
// CHECK: fsdp.contract ins({{.*}} : tensor<4x8xbf16>, tensor<8x5xbf16>) outs(%[[C]] : tensor<4x5xf32>) accumulate
func.func @accumulates(%a: tensor<4x8xbf16>, %b: tensor<8x5xbf16>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x5xbf16>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Attention: heads are slices of a transpose, batches are collapsed, and the
// result is transposed. All of it is read and written in place.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[QK:[a-z0-9]+]]: tensor<2x6x3x2x4xf32>
// CHECK-DAG: %[[Q:.*]] = tensor.extract_slice %[[QK]][0, 0, 0, 0, 0] [2, 6, 3, 1, 4]
// CHECK-DAG: %[[K:.*]] = tensor.extract_slice %[[QK]][0, 0, 0, 1, 0] [2, 6, 3, 1, 4]
// CHECK-NOT: linalg.transpose
// CHECK: fsdp.contract ins(%[[Q]], %[[K]] :
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @heads(%qk: tensor<2x6x3x2x4xf32>) -> tensor<6x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x3x6x4xf32>
  %t = linalg.transpose ins(%qk : tensor<2x6x3x2x4xf32>) outs(%e : tensor<2x2x3x6x4xf32>) permutation = [3, 0, 2, 1, 4]
  %q = tensor.extract_slice %t[0, 0, 0, 0, 0] [1, 2, 3, 6, 4] [1, 1, 1, 1, 1] : tensor<2x2x3x6x4xf32> to tensor<1x2x3x6x4xf32>
  %k = tensor.extract_slice %t[1, 0, 0, 0, 0] [1, 2, 3, 6, 4] [1, 1, 1, 1, 1] : tensor<2x2x3x6x4xf32> to tensor<1x2x3x6x4xf32>
  %qc = tensor.collapse_shape %q [[0, 1, 2], [3], [4]] : tensor<1x2x3x6x4xf32> into tensor<6x6x4xf32>
  %kc = tensor.collapse_shape %k [[0, 1, 2], [3], [4]] : tensor<1x2x3x6x4xf32> into tensor<6x6x4xf32>
  %ke = tensor.empty() : tensor<6x4x6xf32>
  %kt = linalg.transpose ins(%kc : tensor<6x6x4xf32>) outs(%ke : tensor<6x4x6xf32>) permutation = [0, 2, 1]
  %f = tensor.empty() : tensor<6x6x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %0 = linalg.batch_matmul ins(%qc, %kt : tensor<6x6x4xf32>, tensor<6x4x6xf32>) outs(%z : tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return %0 : tensor<6x6x6xf32>
}

// -----

// A result that is only read transposed is computed so.
// CHECK-LABEL: func.func @behind
// CHECK: %[[R:.*]] = fsdp.contract {{.*}} -> tensor<5x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @behind(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<4x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%z : tensor<4x5xf32>) -> tensor<4x5xf32>
  %e = tensor.empty() : tensor<5x4xf32>
  %t = linalg.transpose ins(%0 : tensor<4x5xf32>) outs(%e : tensor<5x4xf32>) permutation = [1, 0]
  return %t : tensor<5x4xf32>
}

// -----

// No library takes f64, and without columns a product is a reduction.
// CHECK-LABEL: func.func @others
// CHECK-NOT: fsdp.contract
// CHECK: return
func.func @others(%a: tensor<4x8xf64>, %b: tensor<8x5xf64>, %c: tensor<4x5xf64>, %m: tensor<4x8xf32>, %v: tensor<8xf32>, %r: tensor<4xf32>)
    -> (tensor<4x5xf64>, tensor<4xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf64>, tensor<8x5xf64>) outs(%c : tensor<4x5xf64>) -> tensor<4x5xf64>
  %1 = linalg.matvec ins(%m, %v : tensor<4x8xf32>, tensor<8xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x5xf64>, tensor<4xf32>
}
