// SPDX-License-Identifier: Apache-2.0
// Placements between which there is no way.
// RUN: fsdp-opt %s --fsdp-lower-reshards --split-input-file --verify-diagnostics

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  func.func @incompatible(%x: tensor<3xf32>) -> tensor<2xf32> {
    // expected-error @below {{expected compatible groups in source and target}}
    %0 = fsdp.reshard %x of [6] from <[{@two} ]> to <[{@three} ]> : tensor<3xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = "node"
  func.func @unresolved(%x: tensor<2xf32>) -> tensor<8xf32> {
    // expected-error @below {{expected resolved process groups, but got @node}}
    %0 = fsdp.reshard %x of [8] from <[{@node} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  func.func @no_number(%x: tensor<8xi1>, %y: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
    %0 = fsdp.reshard %x of [8] from <[{} ], partial = max {@node}> to <[{} ]> : tensor<8xi1> to tensor<8xi1>
    // expected-error @below {{expected a sum of numbers, but got 'tensor<8xi1>'}}
    %1 = fsdp.reshard %y of [8] from <[{} ], partial = {@node}> to <[{} ]> : tensor<8xi1> to tensor<8xi1>
    return %0, %1 : tensor<8xi1>, tensor<8xi1>
  }
}
