// SPDX-License-Identifier: Apache-2.0
// What cannot be imported is named.
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-legalize-foreign --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected an op that can be imported, but got 'tm_tensor.sort'}}
  %0 = "tm_tensor.sort"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An op in the body of one that can be imported is met too.
func.func @nested(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>,
                  %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = "tm_tensor.scatter"(%u, %i, %d) <{dimension_map = array<i64: 0>}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{expected an op that can be imported, but got 'test.fold'}}
    %1 = "test.fold"(%a, %b) : (f32, f32) -> f32
    "tm_tensor.yield"(%1) : (f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4x1xi64>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

func.func @without_dimension_map(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>,
                                 %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{expected a scatter of static tensors with dimension_map and one body, but got 'tm_tensor.scatter' of another form}}
  %0 = "tm_tensor.scatter"(%u, %i, %d) ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4x1xi64>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

func.func @dynamic(%u: tensor<?x8xf32>, %i: tensor<?x1xi64>,
                   %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{expected a scatter of static tensors}}
  %0 = "iree_linalg_ext.scatter"(%u, %i, %d) <{dimension_map = array<i64: 0>}> ({
  ^bb0(%a: f32, %b: f32):
    "iree_linalg_ext.yield"(%a) : (f32) -> ()
  }) : (tensor<?x8xf32>, tensor<?x1xi64>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// What the rebuilt scatter's own verifier says is said of the exporter's.
func.func @of_no_type(%u: tensor<4x8xf32>, %i: tensor<4x1xf32>,
                      %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{expected integer indices of shape [N, k]}}
  %0 = "tm_tensor.scatter"(%u, %i, %d) <{dimension_map = array<i64: 0>}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
