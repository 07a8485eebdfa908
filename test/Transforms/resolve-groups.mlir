// SPDX-License-Identifier: Apache-2.0
// Spellings and lists become classes that keep their spelling; equal groups
// become the first of them, wherever they are named.
// RUN: fsdp-opt %s --fsdp-resolve-groups --split-input-file --verify-diagnostics | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // CHECK: fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]> spelled "node"
  fsdp.process_group @node = "node"
  // CHECK: fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)> spelled {{\[\[}}0, 4], [1, 5], [2, 6], [3, 7]]
  fsdp.process_group @across = [[0, 4], [1, 5], [2, 6], [3, 7]]
  // CHECK-NOT: @set
  fsdp.process_group @set = "set4"
  // The numbering of classes does not count, the order in a class does.
  // CHECK-NOT: @renumbered
  fsdp.process_group @renumbered = [[2, 6], [3, 7], [0, 4], [1, 5]]
  // CHECK: fsdp.process_group @swapped = #fsdp.classes<{{\[\[}}4, 0], [5, 1], [6, 2], [7, 3]]>
  fsdp.process_group @swapped = [[4, 0], [5, 1], [6, 2], [7, 3]]
  // CHECK: fsdp.process_group @resolved = #fsdp.classes<[4, 2] from [8]>{{$}}
  fsdp.process_group @resolved = #fsdp.classes<[4, 2] from [8]>
  // CHECK: fsdp.unit @h {replicate = @across, reshard_after_forward = true, shard = @node}
  fsdp.unit @h {shard = @set, replicate = @renumbered, reshard_after_forward = true}
  // CHECK: {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{@node}, {@across}]>, fsdp.unit = @h}
  // CHECK-SAME: {fsdp.loss = #fsdp.loss<mean = [@node, @swapped]>}
  func.func @step(%w: tensor<8x4xf32> {fsdp.param = "w", fsdp.unit = @h,
                      fsdp.sharding = #fsdp.sharding<[{@set}, {@renumbered} ]>},
                  %l: tensor<f32> {fsdp.param = "l"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@set, @swapped]>}) {
    // CHECK: fsdp.reshard %{{.*}} of [2] from <[{@node}]> to <[{}]>
    %0 = tensor.empty() : tensor<1xf32>
    %1 = fsdp.reshard %0 of [2] from <[{@set} ]> to <[{} ]>
        : tensor<1xf32> to tensor<2xf32>
    // CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @node
    %2 = fsdp.all_reduce sum %l over @set : (tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

// expected-error @below {{expected 'fsdp.world' on a module with process groups; set ranks in the plan or as an option}}
module {
  fsdp.process_group @node = "node"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  // expected-error @below {{expected the size of process group 'set4' to divide the number of ranks, but got 6 ranks}}
  fsdp.process_group @bad = "set4"
}
