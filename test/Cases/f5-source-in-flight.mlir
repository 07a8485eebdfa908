// SPDX-License-Identifier: Apache-2.0
// F5: a shard is gathered for the next step while the optimizer updates it in
// place. Right: the update comes behind the wait. On tensors a wait that does
// not hold the source lets bufferization do the same.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func private @update(%g: memref<4xf32>, %w: memref<4xf32>) {
    linalg.sub ins(%w, %g : memref<4xf32>, memref<4xf32>) outs(%w : memref<4xf32>)
    return
  }
  func.func @step(%w: memref<4xf32>, %g: memref<4xf32>, %full: memref<16xf32>) {
    // expected-note @+1 {{in flight from here}}
    %t = fsdp.start_all_gather ins(%w : memref<4xf32>) outs(%full : memref<16xf32>) {group = @world, dim = 0 : i64}
    // expected-error @+1 {{'func.call' op expected no write to a source before the wait, but got one}}
    func.call @update(%g, %w) : (memref<4xf32>, memref<4xf32>) -> ()
    fsdp.wait %t holding %w : memref<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func private @update(%g: memref<4xf32>, %w: memref<4xf32>) {
    linalg.sub ins(%w, %g : memref<4xf32>, memref<4xf32>) outs(%w : memref<4xf32>)
    return
  }
  func.func @step(%w: memref<4xf32>, %g: memref<4xf32>, %full: memref<16xf32>) {
    %t = fsdp.start_all_gather ins(%w : memref<4xf32>) outs(%full : memref<16xf32>) {group = @world, dim = 0 : i64}
    fsdp.wait %t holding %w : memref<4xf32>
    func.call @update(%g, %w) : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(%w: tensor<4xf32>, %g: tensor<4xf32>, %d: tensor<16xf32>) -> (tensor<16xf32>, tensor<4xf32>) {
    // expected-error @+1 {{expected a wait that holds the sources of its start, but got one that holds others}}
    %t, %p = fsdp.start_all_gather ins(%w : tensor<4xf32>) outs(%d : tensor<16xf32>)
        {group = @world, dim = 0 : i64} -> tensor<16xf32>
    %new = linalg.sub ins(%w, %g : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{here}}
    %full = fsdp.wait %t, %p : tensor<16xf32>
    return %full, %new : tensor<16xf32>, tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(%w: tensor<4xf32>, %g: tensor<4xf32>, %d: tensor<16xf32>) -> (tensor<16xf32>, tensor<4xf32>) {
    %t, %p = fsdp.start_all_gather ins(%w : tensor<4xf32>) outs(%d : tensor<16xf32>)
        {group = @world, dim = 0 : i64} -> tensor<16xf32>
    %new = linalg.sub ins(%w, %g : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
    %full = fsdp.wait %t, %p : tensor<16xf32> holding %w : tensor<4xf32>
    return %full, %new : tensor<16xf32>, tensor<4xf32>
  }
}
