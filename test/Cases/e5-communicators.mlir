// SPDX-License-Identifier: Apache-2.0
// E5: communicators are declared in the module and made in that order by all
// ranks before any runs; a program cannot make one where it comes to need it.
// Right: also what a range of ranks does not use stands there. What comes of it
// when it runs is e5-communicators.py.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  func.func @step(%x: tensor<4xf32>, %late: i1) {
    scf.if %late {
      // expected-error @+1 {{'fsdp.process_group' op expects parent op 'builtin.module'}}
      fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
    }
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @first(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 0, 1>} {
    %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    %1 = fsdp.all_reduce sum %0 over @across : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func @second(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 2, 3>} {
    %1 = fsdp.all_reduce sum %x over @across : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}
