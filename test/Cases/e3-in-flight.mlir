// SPDX-License-Identifier: Apache-2.0
// E3: a gather is prefetched while a reduction runs on another stream, over a
// group with some of the same ranks. One device may begin with the gather and
// another with the reduction, and each waits for the other. Right: one stream
// for both, which orders them; or groups that meet in one rank at most. What
// happens on threads is `opposite-order` in test/Runtime.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  func.func @step(%w: memref<4xf32>, %full: memref<16xf32>, %g: memref<4xf32>, %sum: memref<4xf32>) {
    // expected-note @+1 {{in flight from here}}
    %gather = fsdp.start_all_gather ins(%w : memref<4xf32>) outs(%full : memref<16xf32>)
        {group = @node, dim = 0 : i64}
    // expected-error @+1 {{expected channel 0, or a wait in front, since ranks of @world meet again in @node, which is in flight, but got channel 1}}
    %reduce = fsdp.start_all_reduce ins(%g : memref<4xf32>) outs(%sum : memref<4xf32>)
        {group = @world, reduction = #fsdp<reduction sum>, channel = 1 : i64}
    fsdp.wait %reduce holding %g : memref<4xf32>
    fsdp.wait %gather holding %w : memref<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  func.func @step(%w: memref<4xf32>, %full: memref<16xf32>, %g: memref<4xf32>, %sum: memref<4xf32>) {
    %gather = fsdp.start_all_gather ins(%w : memref<4xf32>) outs(%full : memref<16xf32>)
        {group = @node, dim = 0 : i64}
    %reduce = fsdp.start_all_reduce ins(%g : memref<4xf32>) outs(%sum : memref<4xf32>)
        {group = @world, reduction = #fsdp<reduction sum>}
    fsdp.wait %reduce holding %g : memref<4xf32>
    fsdp.wait %gather holding %w : memref<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  func.func @step(%w: memref<4xf32>, %full: memref<16xf32>, %g: memref<4xf32>, %sum: memref<4xf32>) {
    %gather = fsdp.start_all_gather ins(%w : memref<4xf32>) outs(%full : memref<16xf32>)
        {group = @node, dim = 0 : i64}
    %reduce = fsdp.start_all_reduce ins(%g : memref<4xf32>) outs(%sum : memref<4xf32>)
        {group = @across, reduction = #fsdp<reduction sum>, channel = 1 : i64}
    fsdp.wait %reduce holding %g : memref<4xf32>
    fsdp.wait %gather holding %w : memref<4xf32>
    return
  }
}
