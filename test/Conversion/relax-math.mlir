// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-relax-math --canonicalize | FileCheck %s

#v = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>

// Only the sum over elements may be formed in any order.
// CHECK-LABEL: func.func @sum
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
func.func @sum(%x: memref<8xf32>, %r: memref<f32>) {
  linalg.generic {indexing_maps = [#v, #s], iterator_types = ["reduction"]} ins(%x : memref<8xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// What a value loses on the way through bf16 stays lost.
// CHECK-LABEL: func.func @rounds
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @rounds(%x: memref<8xf32>) {
  linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
  ^bb0(%o: f32):
    %0 = arith.truncf %o : f32 to bf16
    %1 = arith.extf %0 : bf16 to f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @functions
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK-NOT: math.erf
// CHECK-NOT: math.log
// What is computed in f64 stays.
// CHECK: math.exp %{{.*}} : f64
func.func @functions(%x: memref<8xf32>, %h: memref<8xbf16>, %d: memref<8xf64>) {
  linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
  ^bb0(%o: f32):
    %0 = math.exp %o : f32
    %1 = math.tanh %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.log %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%h : memref<8xbf16>) {
  ^bb0(%o: bf16):
    %0 = math.tanh %o : bf16
    linalg.yield %0 : bf16
  }
  linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%d : memref<8xf64>) {
  ^bb0(%o: f64):
    %0 = math.exp %o : f64
    linalg.yield %0 : f64
  }
  return
}

// There is no instruction from f64 to a half.
// CHECK-LABEL: func.func @narrows
// CHECK: %[[F:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.truncf %[[F]] : f32 to bf16
// CHECK: %[[G:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.truncf %[[G]] : f32 to f16
func.func @narrows(%x: f64) -> (bf16, f16) {
  %0 = arith.truncf %x : f64 to bf16
  %1 = arith.truncf %x : f64 to f16
  return %0, %1 : bf16, f16
}
