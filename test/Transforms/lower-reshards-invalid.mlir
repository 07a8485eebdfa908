// SPDX-License-Identifier: Apache-2.0
// Placements between which there is no way.
// RUN: fsdp-opt %s --fsdp-lower-reshards --split-input-file --verify-diagnostics

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  func.func @partial(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{expected a target that is partial only where the source is}}
    %0 = fsdp.reshard %x of [8] from <[{} ]> to <[{} ], partial = {@node}> : tensor<8xf32> to tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

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
