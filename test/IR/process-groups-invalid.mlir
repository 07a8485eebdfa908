// SPDX-License-Identifier: Apache-2.0
// Spellings and lists that are no process group, each with its reason.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Spellings
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set0'; did you mean 'set1'?}}
  fsdp.process_group @g = "set0"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set'; did you mean 'set1'?}}
  fsdp.process_group @g = "set"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set-2'; did you mean 'set2'?}}
  fsdp.process_group @g = "set-2"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set4.0'; did you mean 'set4'?}}
  fsdp.process_group @g = "set4.0"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set 4'; did you mean 'set4'?}}
  fsdp.process_group @g = "set 4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'SET4'; did you mean 'set4'?}}
  fsdp.process_group @g = "SET4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'setset4'; did you mean 'set4'?}}
  fsdp.process_group @g = "setset4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'mod4o'; did you mean 'mod4'?}}
  fsdp.process_group @g = "mod4o"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'world '; did you mean 'world'?}}
  fsdp.process_group @g = "world "
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got '}}
  fsdp.process_group @g = ""
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'mod0'; did you mean 'mod1'?}}
  fsdp.process_group @g = "mod0"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set04'; did you mean 'set4'?}}
  fsdp.process_group @g = "set04"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got '+set4'; did you mean 'set4'?}}
  fsdp.process_group @g = "+set4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set+4'; did you mean 'set4'?}}
  fsdp.process_group @g = "set+4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'nodes'; did you mean 'node'?}}
  fsdp.process_group @g = "nodes"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'World'; did you mean 'world'?}}
  fsdp.process_group @g = "World"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'local_rank}}
  fsdp.process_group @g = "local_rank"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set99999999999999999999}}
  fsdp.process_group @g = "set99999999999999999999"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'set}}
  fsdp.process_group @g = "set\00"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group, but got 'sét4'; did you mean 'set4'?}}
  fsdp.process_group @g = "sét4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected the size of process group 'set3' to divide the number of ranks, but got 8 ranks}}
  fsdp.process_group @g = "set3"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected the size of process group 'set16' to divide the number of ranks, but got 8 ranks}}
  fsdp.process_group @g = "set16"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected the number of classes of process group 'mod3' to divide the number of ranks, but got 8 ranks}}
  fsdp.process_group @g = "mod3"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  // expected-error @+1 {{expected the size of process group 'set4' to divide the number of ranks, but got 6 ranks}}
  fsdp.process_group @g = "set4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  // expected-error @+1 {{expected the number of classes of process group 'mod4' to divide the number of ranks, but got 6 ranks}}
  fsdp.process_group @g = "mod4"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 12, ranks_per_node = 8>} {
  // expected-error @+1 {{expected ranks_per_node to divide ranks for process group 'node', but got 12 ranks in nodes of 8}}
  fsdp.process_group @g = "node"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 12, ranks_per_node = 8>} {
  // expected-error @+1 {{expected ranks_per_node to divide ranks for process group 'local_rank_across_nodes', but got 12 ranks in nodes of 8}}
  fsdp.process_group @g = "local_rank_across_nodes"
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 9223372036854775807>} {
  // expected-error @+1 {{expected ranks_per_node to divide ranks for process group 'node', but got 8 ranks in nodes of 9223372036854775807}}
  fsdp.process_group @g = "node"
}

// -----

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

// A duplicate.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected each rank once in a process group, but got rank 1 twice}}
  fsdp.process_group @g = [[0, 1], [1, 3]]
}

// -----

// An overlap.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  // expected-error @+1 {{expected each rank once in a process group, but got rank 2 twice}}
  fsdp.process_group @g = [[0, 1, 2], [2, 3, 4]]
}

// -----

// An omission: one list is no group.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group to cover the world, but got no class with rank 2}}
  fsdp.process_group @g = [[0, 1]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  // expected-error @+1 {{expected a process group to cover the world, but got no class with rank 1}}
  fsdp.process_group @g = [[0, 2], [3, 4]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group to cover the world, but got no class with rank 0}}
  fsdp.process_group @g = []
}

// -----

// As cheap as the list, not as the world.
module attributes {fsdp.world = #fsdp.world<ranks = 2147483648, ranks_per_node = 8>} {
  // expected-error @+1 {{expected a process group to cover the world, but got no class with rank 1}}
  fsdp.process_group @g = [[0]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected ranks of a process group to be in 0 to 3, but got rank 4}}
  fsdp.process_group @g = [[0, 1], [2, 4]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected ranks of a process group to be in 0 to 3, but got rank -1}}
  fsdp.process_group @g = [[0, 1], [2, -1]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected ranks of a process group to be in 0 to 3, but got rank 255}}
  fsdp.process_group @g = [[0, 1], [2, 255 : ui8]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected classes of a process group to have equal sizes, but got 1 ranks in the class of rank 3 after classes of 3}}
  fsdp.process_group @g = [[0, 1, 2], [3]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a non-empty list of ranks for each class of a process group}}
  fsdp.process_group @g = [[], []]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a non-empty list of ranks for each class of a process group}}
  fsdp.process_group @g = [0, 1, 2, 3]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a non-empty list of ranks for each class of a process group}}
  fsdp.process_group @g = [[0, 1], "rest"]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected ranks in a class of a process group to be integers}}
  fsdp.process_group @g = [["0", "1"], ["2", "3"]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected ranks in a class of a process group to be integers}}
  fsdp.process_group @g = [[0.0, 1.0], [2.0, 3.0]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected ranks in a class of a process group to be integers}}
  fsdp.process_group @g = [[false, true]]
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @+1 {{expected ranks in a class of a process group to be integers}}
  fsdp.process_group @g = [[18446744073709551616 : i128]]
}

// -----

//===----------------------------------------------------------------------===//
// Resolved groups
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected a process group of 8 ranks, but got one of 4}}
  fsdp.process_group @g = #fsdp.classes<[2, 2] from [4]>
}
