// SPDX-License-Identifier: Apache-2.0
// E6: a group of which ranks 2 and 3 are no members, used by all ranks. Right:
// a class for them as well.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-resolve-groups --fsdp-verify-collectives

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group to cover the world, but got no class with rank 2, 3}}
  fsdp.process_group @part = [[0, 1]]
  func.func @step(%x: tensor<4xf32>) {
    %0 = fsdp.all_reduce sum %x over @part : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @part = [[0, 1], [2, 3]]
  func.func @step(%x: tensor<4xf32>) {
    %0 = fsdp.all_reduce sum %x over @part : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}
