// SPDX-License-Identifier: Apache-2.0
// What a pass says when it runs alone on what the passes before it rule out.
// RUN: split-file %s %t
// RUN: fsdp-opt %t/convert.mlir --fsdp-convert-to-runtime --split-input-file --verify-diagnostics
// RUN: fsdp-opt %t/bufferize.mlir --one-shot-bufferize=allow-unknown-ops --split-input-file --verify-diagnostics
// RUN: fsdp-opt %t/scatter.mlir --fsdp-lower-scatter --split-input-file --verify-diagnostics
// RUN: fsdp-opt %t/entry.mlir --fsdp-make-entry --split-input-file --verify-diagnostics
// RUN: fsdp-opt %t/arena.mlir --fsdp-plan-arena --split-input-file --verify-diagnostics
// RUN: fsdp-opt %t/calls.mlir --fsdp-prepare-bufferization --split-input-file --verify-diagnostics

//--- convert.mlir
// No dim of the left matrix has unit stride.
func.func @strides(%a: memref<4x8xf32, strided<[16, 2]>>, %b: memref<8x5xf32>, %c: memref<4x5xf32>) {
  // expected-error @below {{expected a product that the runtime takes: run one-shot-bufferize and fsdp-lower-contractions first}}
  fsdp.contract ins(%a, %b : memref<4x8xf32, strided<[16, 2]>>, memref<8x5xf32>) outs(%c : memref<4x5xf32>)
      [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  return
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func private @helper() -> index {
    // expected-error @below {{expected to be in a public function: inline calls first}}
    %0 = fsdp.rank_index @world
    return %0 : index
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @blocking(%x: tensor<2xf32>) -> tensor<8xf32> {
    // expected-error @below {{expected a started collective on buffers: run fsdp-make-async and one-shot-bufferize first}}
    %0 = fsdp.all_gather %x over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @element(%x: memref<2xi16>, %d: memref<8xi16>) {
    // expected-error @below {{expected elements that the runtime knows (f16, bf16, f32, f64, i1, i8, i32, i64), but got 'i16'}}
    %0 = fsdp.start_all_gather ins(%x : memref<2xi16>) outs(%d : memref<8xi16>) {group = @world, dim = 0 : i64}
    fsdp.wait %0 holding %x : memref<2xi16>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @no_number(%x: memref<2xi1>, %d: memref<2xi1>) {
    // expected-error @below {{expected a sum of numbers, but got 'i1'}}
    %0 = fsdp.start_all_reduce ins(%x : memref<2xi1>) outs(%d : memref<2xi1>) {group = @world, reduction = #fsdp<reduction sum>}
    fsdp.wait %0 holding %x : memref<2xi1>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @blocks(%x: memref<2x8xf32>, %d: memref<8x2xf32>) {
    // expected-error @below {{expected leading blocks (split_dim = 0, concat_dim = 0)}}
    %0 = fsdp.start_all_to_all ins(%x : memref<2x8xf32>) outs(%d : memref<8x2xf32>)
        {group = @world, split_dim = 1 : i64, concat_dim = 0 : i64}
    fsdp.wait %0 holding %x : memref<2x8xf32>
    return
  }
}

//--- bufferize.mlir
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @destination(%x: tensor<2xf32>, %m: memref<16xf32>) -> tensor<8xf32> {
    %sub = memref.subview %m[0] [8] [2] : memref<16xf32> to memref<8xf32, strided<[2]>>
    %d = bufferization.to_tensor %sub restrict writable : memref<8xf32, strided<[2]>> to tensor<8xf32>
    // expected-error @below {{expected a contiguous destination, but got 'memref<8xf32, strided<[2]>>'}}
    // expected-error @below {{failed to bufferize op}}
    %t, %p = fsdp.start_all_gather ins(%x : tensor<2xf32>) outs(%d : tensor<8xf32>) {group = @world, dim = 0 : i64} -> tensor<8xf32>
    %f = fsdp.wait %t, %p : tensor<8xf32> holding %x : tensor<2xf32>
    return %f : tensor<8xf32>
  }
}

//--- scatter.mlir
func.func @scatter(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{expected buffers here: run one-shot-bufferize first}}
  %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
  ^bb0(%a: f32, %b: f32):
    fsdp.yield %a : f32
  } -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

//--- entry.mlir
// expected-error @below {{expected a step that returns tensors only and has an arena}}
func.func @arena(%x: memref<4xf32>) attributes {fsdp.entry = array<i64: 1, 0>} {
  return
}

// -----

// expected-error @below {{expected static shapes and plain layouts, but got 'memref<?xf32>'}}
func.func @shape(%x: memref<?xf32>) attributes {fsdp.entry = array<i64: 1, 0>, fsdp.arena = 0 : i64} {
  return
}

//--- arena.mlir
func.func @dynamic(%n: index) {
  // expected-error @below {{expected a static shape and a plain layout}}
  %0 = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @token(%x: memref<2xf32>) {
    %d = memref.alloc() : memref<8xf32>
    %0 = fsdp.start_all_gather ins(%x : memref<2xf32>) outs(%d : memref<8xf32>) {group = @world, dim = 0 : i64}
    // expected-error @below {{expected only fsdp.wait to use a token}}
    %1 = builtin.unrealized_conversion_cast %0 : !fsdp.token to i64
    return
  }
}

//--- calls.mlir
func.func private @external(tensor<4xf32>) -> tensor<4xf32>

func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a callee that can be inlined: a private function that has a body and does not call itself}}
  %0 = call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
