// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-narrow-intermediates --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#v = affine_map<(d0) -> (d0)>

// From f32 to f32: all of it is f32, constants included.
// CHECK-LABEL: func.func @variance
// CHECK: tensor.empty() : tensor<4x8xf32>
// CHECK-NOT: xf64
// CHECK-NOT: arith.extf
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: xf64
// CHECK: %[[N:.*]] = arith.constant 8.000000e+00 : f32
// CHECK: arith.divf %{{.*}}, %[[N]] : f32
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @variance(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 8.0 : f64
  %e = tensor.empty() : tensor<4x8xf64>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf64>) {
  ^bb0(%a: f32, %o: f64):
    %0 = arith.extf %a : f32 to f64
    linalg.yield %0 : f64
  } -> tensor<4x8xf64>
  %r = tensor.empty() : tensor<4xf64>
  %z = linalg.fill ins(%zero : f64) outs(%r : tensor<4xf64>) -> tensor<4xf64>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%w : tensor<4x8xf64>) outs(%z : tensor<4xf64>) {
  ^bb0(%a: f64, %o: f64):
    %0 = arith.addf %a, %o : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  %f = tensor.empty() : tensor<4xf32>
  %t = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf64>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f64, %o: f32):
    %0 = arith.divf %a, %n : f64
    %1 = arith.truncf %0 : f64 to f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

#v = affine_map<(d0) -> (d0)>

// What is returned in f64, and what was an integer, stays.
// CHECK-LABEL: func.func @returned
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.sitofp %{{.*}} : i64 to f64
func.func @returned(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf64>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf64>
  %w = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f32, %o: f64):
    %0 = arith.extf %a : f32 to f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  %d = tensor.empty() : tensor<4xf64>
  %n = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%i : tensor<4xi64>) outs(%d : tensor<4xf64>) {
  ^bb0(%a: i64, %o: f64):
    %0 = arith.sitofp %a : i64 to f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  %f = tensor.empty() : tensor<4xf32>
  %t = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%n : tensor<4xf64>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f64, %o: f32):
    %1 = arith.truncf %a : f64 to f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %w, %t : tensor<4xf64>, tensor<4xf32>
}

// -----

#s = affine_map<() -> ()>

// A single number costs nothing.
// CHECK-LABEL: func.func @number
// CHECK: math.powf %{{.*}}, %{{.*}} : f64
func.func @number(%x: tensor<f32>) -> tensor<f32> {
  %b = arith.constant 0.999 : f64
  %e = tensor.empty() : tensor<f64>
  %w = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f64>) {
  ^bb0(%a: f32, %o: f64):
    %0 = arith.extf %a : f32 to f64
    %1 = math.powf %b, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<f64>
  %f = tensor.empty() : tensor<f32>
  %t = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%w : tensor<f64>) outs(%f : tensor<f32>) {
  ^bb0(%a: f64, %o: f32):
    %1 = arith.truncf %a : f64 to f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %t : tensor<f32>
}

// -----

#v = affine_map<(d0) -> (d0)>

// A body that reads elements of a tensor is computed from it.
// CHECK-LABEL: func.func @captured
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: tensor.extract %{{.*}} : tensor<4xf64>
func.func @captured(%x: tensor<4xf32>) -> tensor<4xf64> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xf64>
  %w = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f32, %o: f64):
    %0 = arith.extf %a : f32 to f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  %r = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<4xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = arith.subi %c3, %i : index
    %0 = tensor.extract %w[%j] : tensor<4xf64>
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
}
