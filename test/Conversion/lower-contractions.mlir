// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-lower-contractions | FileCheck %s
// RUN: fsdp-opt %s --fsdp-lower-contractions --fsdp-convert-to-runtime | FileCheck %s --check-prefix=CALL

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>
#bmk = affine_map<(b, h, m, n, k) -> (b, m, h, k)>
#bnk = affine_map<(b, h, m, n, k) -> (b, n, h, k)>
#bmn = affine_map<(b, h, m, n, k) -> (b, h, m, n)>

// dtype and result, accumulate, m n k, strides of the left (m, k), the right
// (k, n) and the result, and the loops with their strides.
// CALL-DAG: fsdp_numbers_{{[0-9]+}}(dense<[2, 2, 0, 4, 5, 8, 8, 1, 1, 8, 5, 0, {{.*}}]>
// A result by columns is the transposed product.
// CALL-DAG: fsdp_numbers_{{[0-9]+}}(dense<[2, 2, 1, 5, 4, 8, 8, 1, 1, 8, 4, 0, {{.*}}]>
// Heads are read in place: 2 batches and 3 heads around 6 x 6 x 4.
// CALL-DAG: fsdp_numbers_{{[0-9]+}}(dense<[2, 2, 0, 6, 6, 4, 12, 1, 1, 12, 6, 2, 2, 3, 0, 0, 72, 4, 0, 0, 72, 4, 0, 0, 108, 36, 0, 0]>

// CHECK-LABEL: func.func @plain
// CHECK-NEXT: fsdp.contract
// CALL-LABEL: func.func @plain
// CALL: llvm.call @fsdp_gemm(
func.func @plain(%a: memref<4x8xf32>, %b: memref<5x8xf32>, %c: memref<4x5xf32>) {
  fsdp.contract ins(%a, %b : memref<4x8xf32>, memref<5x8xf32>) outs(%c : memref<4x5xf32>) [#mk, #nk, #mn]
  return
}

// CHECK-LABEL: func.func @columns
// CHECK-NEXT: fsdp.contract
func.func @columns(%a: memref<4x8xf32>, %b: memref<5x8xf32>, %c: memref<5x4xf32>) {
  fsdp.contract ins(%a, %b : memref<4x8xf32>, memref<5x8xf32>) outs(%c : memref<5x4xf32>) accumulate [#mk, #nk, #nm]
  return
}

// CHECK-LABEL: func.func @heads
// CHECK-NEXT: fsdp.contract
func.func @heads(%q: memref<2x6x3x4xf32>, %k: memref<2x6x3x4xf32>, %s: memref<2x3x6x6xf32>) {
  fsdp.contract ins(%q, %k : memref<2x6x3x4xf32>, memref<2x6x3x4xf32>) outs(%s : memref<2x3x6x6xf32>) [#bmk, #bnk, #bmn]
  return
}

// No dim of unit stride: loops, in the result's type.
// CHECK-LABEL: func.func @strided
// CHECK: linalg.fill ins(%{{.*}} : f32)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: fsdp.contract
func.func @strided(%a: memref<4x8xbf16, strided<[16, 2]>>, %b: memref<8x5xbf16>, %c: memref<4x5xf32>) {
  fsdp.contract ins(%a, %b : memref<4x8xbf16, strided<[16, 2]>>, memref<8x5xbf16>) outs(%c : memref<4x5xf32>) [#mk, #kn, #mn]
  return
}
