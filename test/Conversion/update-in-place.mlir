// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --split-input-file --fsdp-record-boundary --fsdp-update-in-place | FileCheck %s
// RUN: fsdp-opt %s --split-input-file --fsdp-record-boundary --fsdp-update-in-place --fsdp-prepare-bufferization --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --fsdp-drop-in-place-results | FileCheck %s --check-prefix=DROP

// Parameters, states and buffers, by name and type; a gradient is a result.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {fsdp.param = "w", step.in_place}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4xf32> {fsdp.state = "exp_avg:w", step.in_place}
// CHECK-SAME: tensor<4xf32> {fsdp.input = "x"})
// CHECK-SAME: {fsdp.updated = "w", step.result = 0 : i64}
// CHECK-SAME: {fsdp.grad = "w", step.result = 1 : i64}
// CHECK-SAME: {fsdp.updated_state = "exp_avg:w", step.result = 2 : i64}
// CHECK: %[[NW:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[W]]
// CHECK: %[[NM:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[M]]
// CHECK: return %[[NW]], %{{.*}}, %[[NM]]

// What is in place is not returned, and the caller knows where it is.
// DROP-LABEL: func.func @step
// DROP-SAME: %[[W:[a-z0-9]+]]: memref<4xf32>
// DROP-SAME: %[[M:[a-z0-9]+]]: memref<4xf32>
// DROP-SAME: %[[X:[a-z0-9]+]]: memref<4xf32>
// DROP-SAME: -> (memref<4xf32> {step.result = 1 : i64})
// DROP-SAME: fsdp.results = [{in_place = 0 : i64, name = "w", role = "updated"
// DROP-SAME: {name = "w", role = "grad"
// DROP-SAME: {in_place = 1 : i64, name = "exp_avg:w", role = "updated_state"
// DROP: linalg.generic {{.*}} ins(%[[W]], %[[M]], %[[X]] : {{.*}}) outs(%[[M]] :
// DROP: linalg.generic {{.*}} outs(%[[W]] :
#map = affine_map<(d0) -> (d0)>
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"},
                %m: tensor<4xf32> {fsdp.state = "exp_avg:w"},
                %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.grad = "w"},
        tensor<4xf32> {fsdp.updated_state = "exp_avg:w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %nm = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%w, %m, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %nw = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%w, %nm : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %nw, %g, %nm : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An old value that is still read: the new one is computed elsewhere, and
// copied at the end.
// DROP-LABEL: func.func @reads_old
// DROP-SAME: %[[W:[a-z0-9]+]]: memref<4xf32>
// DROP: %[[NEW:.*]] = memref.alloc()
// DROP: linalg.exp ins(%[[W]] : memref<4xf32>) outs(%[[NEW]] :
// DROP: linalg.generic {{.*}} ins(%[[W]], %[[NEW]] :
// DROP: memref.copy %[[NEW]], %[[W]]
#map1 = affine_map<(d0) -> (d0)>
#rev = affine_map<(d0) -> (3 - d0)>
func.func @reads_old(%w: tensor<4xf32> {fsdp.param = "w"})
    -> (tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.output = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  %new = linalg.exp ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]}
      ins(%w, %new : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %new, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

// Another type is another buffer, and so is what is returned as it came.
// CHECK-LABEL: func.func @other
// CHECK-NOT: materialize
// CHECK: return
func.func @other(%w: tensor<4xf32> {fsdp.param = "w"}, %v: tensor<4xf32> {fsdp.param = "v"})
    -> (tensor<2xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.updated = "v"}) {
  %0 = tensor.extract_slice %w[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0, %v : tensor<2xf32>, tensor<4xf32>
}

// -----

// What is returned of an old value, as it is, as a view, or computed upon, is
// copied before the new one is there, and so is an old value that is the new one
// of another.
// DROP-LABEL: func.func @returns_old
// DROP-SAME: %[[W:[a-z0-9]+]]: memref<4xf32>
// DROP-SAME: %[[V:[a-z0-9]+]]: memref<4xf32>
// DROP: linalg.generic {{.*}} outs(%[[SUM:.*]] :
// DROP-DAG: memref.copy %[[W]], %[[Y:.*]] :
// DROP-DAG: %[[PAIRS:.*]] = memref.expand_shape %[[W]]
// DROP-DAG: memref.copy %[[PAIRS]], %[[Z:.*]] :
// DROP-DAG: memref.copy %[[W]], %[[OLD:.*]] :
// DROP: memref.copy %{{.*}}, %[[W]]
// DROP: memref.copy %[[OLD]], %[[V]]
// DROP: return %[[Y]], %[[Z]], %{{.*}} :
#map2 = affine_map<(d0) -> (d0)>
func.func @returns_old(%w: tensor<4xf32> {fsdp.param = "w"}, %v: tensor<4xf32> {fsdp.state = "old:w"},
                       %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.updated_state = "old:w"},
        tensor<4xf32> {fsdp.output = "y"}, tensor<2x2xf32> {fsdp.output = "z"}, tensor<4xf32> {fsdp.output = "sum"}) {
  %sum = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%w : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]}
      ins(%w, %sum : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %z = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %new, %w, %w, %z, %sum : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
}
