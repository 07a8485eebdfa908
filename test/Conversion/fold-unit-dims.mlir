// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-fold-unit-dims | FileCheck %s

#ij = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: @drops
// CHECK-SAME: (%[[X:.*]]: tensor<1x8xf32>)
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[ROW]] : tensor<8xf32>)
func.func @drops(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %0 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// A convolution with stride 2 and one place for a window of 3 reads 3 of 4 rows:
// its loop over places stays, that over the batch goes.
// CHECK-LABEL: @window
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<3xf32>)
func.func @window(%x: tensor<1x4xf32>, %k: tensor<3xf32>) -> tensor<1x1xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, p, k) -> (n, p * 2 + k)>, affine_map<(n, p, k) -> (k)>, affine_map<(n, p, k) -> (n, p)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %k : tensor<1x4xf32>, tensor<3xf32>) outs(%zero : tensor<1x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
