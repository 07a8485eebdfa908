// SPDX-License-Identifier: Apache-2.0
// Process groups as spellings, lists and resolved, in worlds of several shapes;
// axes_test.cpp compares their classes.
// RUN: fsdp-opt %s --split-input-file | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 16, ranks_per_node = 8>} {
  // CHECK: fsdp.process_group @world = "world"
  fsdp.process_group @world = "world"
  fsdp.process_group @self = "self"
  fsdp.process_group @node = "node"
  fsdp.process_group @across = "local_rank_across_nodes"
  fsdp.process_group @set4 = "set4"
  fsdp.process_group @set16 = "set16"
  fsdp.process_group @mod1 = "mod1"
  fsdp.process_group @mod16 = "mod16"
  // Each list is recognised as digits.
  // CHECK: @resolved_node = #fsdp.classes<[2, 8] from [16]> spelled "node"
  fsdp.process_group @resolved_node = #fsdp.classes<[[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]> spelled "node"
  // CHECK: @resolved_across = #fsdp.classes<[8, 2] from [2, 8] T(1, 0)>
  fsdp.process_group @resolved_across = #fsdp.classes<[[0, 8], [1, 9], [2, 10], [3, 11], [4, 12], [5, 13], [6, 14], [7, 15]]>
  // CHECK: @resolved_set4 = #fsdp.classes<[4, 4] from [16]>
  fsdp.process_group @resolved_set4 = #fsdp.classes<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]>
  // CHECK: @resolved_mod2 = #fsdp.classes<[2, 8] from [8, 2] T(1, 0)>
  fsdp.process_group @resolved_mod2 = #fsdp.classes<[[0, 2, 4, 6, 8, 10, 12, 14], [1, 3, 5, 7, 9, 11, 13, 15]]>
  // CHECK: @resolved_mod4 = #fsdp.classes<[4, 4] from [4, 4] T(1, 0)>
  fsdp.process_group @resolved_mod4 = #fsdp.classes<[[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]>

  // set4 and mod4 are independent; their product is the world.
  // CHECK: func.func private @independent
  func.func private @independent(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@resolved_set4}, {@resolved_mod4}]>})
  // So are digits of which one lies inside the other's stride.
  // CHECK: func.func private @nothing_left
  func.func private @nothing_left(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@resolved_node, @resolved_across}, {}]>})
}

// -----

// A node need not divide the world as long as no group asks for nodes.
// CHECK: #fsdp.world<ranks = 12, ranks_per_node = 8>
module attributes {fsdp.world = #fsdp.world<ranks = 12, ranks_per_node = 8>} {
  fsdp.process_group @g = "set4"
}

// -----

// Groups that go with no other may exist side by side; one value has one.
// CHECK-LABEL: func.func private @apart
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @set2 = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @set3 = #fsdp.classes<[2, 3] from [6]>
  fsdp.process_group @ring = #fsdp.classes<[[1, 2], [3, 4], [5, 0]]>
  fsdp.process_group @self = #fsdp.classes<[6, 1] from [6]>
  func.func private @apart(
      %a: tensor<4xf32> {fsdp.sharding = #fsdp.sharding<[{@set2}]>},
      %b: tensor<4xf32> {fsdp.sharding = #fsdp.sharding<[{@set3}]>},
      %c: tensor<4xf32> {fsdp.sharding = #fsdp.sharding<[{@ring, @self}]>})
}

// -----

// Ranks of any integer type, lists of any order.
// CHECK: fsdp.process_group @g = {{\[}}[0 : i8, 1], [2 : ui8, 3 : i128]]
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @g = [[0 : i8, 1], [2 : ui8, 3 : i128]]
}

// -----

// A large world costs no more than a small one.
// CHECK: ranks = 100000, ranks_per_node = 8
module attributes {fsdp.world = #fsdp.world<ranks = 100000, ranks_per_node = 8>} {
  fsdp.process_group @node = "node"
  fsdp.process_group @across = "local_rank_across_nodes"
  // CHECK: func.func private @large
  func.func private @large(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@node}, {@across}]>})
}
