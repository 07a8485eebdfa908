// SPDX-License-Identifier: Apache-2.0
// A section for each error of the parsers and verifiers in lib/IR; spellings
// and lists of process groups are in process-groups-invalid.mlir.
// RUN: fsdp-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// #fsdp.world, #fsdp.accumulate
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expected ranks and ranks_per_node to be positive, but got 0 and 1}}
"test.op"() {a = #fsdp.world<ranks = 0, ranks_per_node = 1>} : () -> ()

// -----

// expected-error @+1 {{expected ranks and ranks_per_node to be positive, but got 4 and -1}}
"test.op"() {a = #fsdp.world<ranks = 4, ranks_per_node = -1>} : () -> ()

// -----

// expected-error @+1 {{expected at most 2147483648 ranks, but got 2147483649}}
"test.op"() {a = #fsdp.world<ranks = 2147483649, ranks_per_node = 1>} : () -> ()

// -----

// expected-error @+1 {{expected at least one micro-batch, but got 0}}
"test.op"() {a = #fsdp.accumulate<steps = 0, reduce = mean>} : () -> ()

// -----

// expected-error @+1 {{expected 'mean' or 'sum', but got 'max'}}
"test.op"() {a = #fsdp.accumulate<steps = 2, reduce = max>} : () -> ()

// -----

// expected-error @+1 {{expected 'reduce'}}
"test.op"() {a = #fsdp.accumulate<steps = 2, by = mean>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// #fsdp.classes
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expected positive dims, but got 0}}
"test.op"() {a = #fsdp.classes<[1, 8] from [8, 0]>} : () -> ()

// -----

// expected-error @+1 {{expected positive dims, but got -2}}
"test.op"() {a = #fsdp.classes<[1, 8] from [-2, -4]>} : () -> ()

// -----

// expected-error @+1 {{expected at most 2147483648 ranks}}
"test.op"() {a = #fsdp.classes<[1, 8] from [2147483648, 2]>} : () -> ()

// -----

// The product overflows.
// expected-error @+1 {{expected at most 2147483648 ranks}}
"test.op"() {a = #fsdp.classes<[1, 8] from [4294967296, 4294967296, 4294967296]>} : () -> ()

// -----

// expected-error @+1 {{expected a permutation of the dims in T}}
"test.op"() {a = #fsdp.classes<[2, 4] from [2, 4] T(0, 0)>} : () -> ()

// -----

// expected-error @+1 {{expected a permutation of the dims in T}}
"test.op"() {a = #fsdp.classes<[2, 4] from [2, 4] T(0)>} : () -> ()

// -----

// expected-error @+1 {{expected a permutation of the dims in T}}
"test.op"() {a = #fsdp.classes<[2, 4] from [2, 4] T(0, 2)>} : () -> ()

// -----

// expected-error @+1 {{expected [classes, size] with a product of 8}}
"test.op"() {a = #fsdp.classes<[2, 2] from [8]>} : () -> ()

// -----

// expected-error @+1 {{expected [classes, size] with a product of 8}}
"test.op"() {a = #fsdp.classes<[8] from [8]>} : () -> ()

// -----

// expected-error @+1 {{expected [classes, size] with a product of 8}}
"test.op"() {a = #fsdp.classes<[-2, -4] from [8]>} : () -> ()

// -----

// The product overflows to that of the ranks.
// expected-error @+1 {{expected [classes, size] with a product of 8}}
"test.op"() {a = #fsdp.classes<[4294967296, 4294967304] from [8]>} : () -> ()

// -----

// expected-error @+1 {{expected the size to cut the dims evenly}}
"test.op"() {a = #fsdp.classes<[3, 4] from [6, 2] T(1, 0)>} : () -> ()

// -----

// expected-error @+1 {{expected classes of equal sizes}}
"test.op"() {a = #fsdp.classes<[[0, 1], [2]]>} : () -> ()

// -----

// expected-error @+1 {{expected either [classes, size] or a list of classes}}
"test.op"() {a = #fsdp.classes<[1, [0]]>} : () -> ()

// -----

// expected-error @+1 {{expected either [classes, size] or a list of classes}}
"test.op"() {a = #fsdp.classes<[[0], 1]>} : () -> ()

// -----

// expected-error @+1 {{expected every rank in exactly one class}}
"test.op"() {a = #fsdp.classes<[[0, 1], [1, 2]]>} : () -> ()

// -----

// expected-error @+1 {{expected every rank in exactly one class}}
"test.op"() {a = #fsdp.classes<[[0, 1], [2, 4]]>} : () -> ()

// -----

// expected-error @+1 {{expected every rank in exactly one class}}
"test.op"() {a = #fsdp.classes<[[]]>} : () -> ()

// -----

// expected-error @+1 {{expected 'from'}}
"test.op"() {a = #fsdp.classes<[2, 4]>} : () -> ()

// -----

// expected-error @+1 {{expected 'from'}}
"test.op"() {a = #fsdp.classes<[]>} : () -> ()

// -----

// expected-error @+1 {{integer value too large}}
"test.op"() {a = #fsdp.classes<[[99999999999999999999]]>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// #fsdp.sharding, #fsdp.loss, #fsdp.rule
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expected 'partial' or 'varying' once, but got 'replicated'}}
"test.op"() {a = #fsdp.sharding<[{}], replicated = {@a}>} : () -> ()

// -----

// expected-error @+1 {{expected 'partial' or 'varying' once, but got 'partial'}}
"test.op"() {a = #fsdp.sharding<[{}], partial = {@a}, partial = {@b}>} : () -> ()

// -----

// expected-error @+1 {{expected 'partial' or 'varying' once, but got 'varying'}}
"test.op"() {a = #fsdp.sharding<[{}], varying = {@a}, varying = {@b}>} : () -> ()

// -----

// expected-error @+1 {{expected '{'}}
"test.op"() {a = #fsdp.sharding<[@a]>} : () -> ()

// -----

// expected-error @+1 {{invalid kind of attribute specified}}
"test.op"() {a = #fsdp.sharding<[{@a::@b}]>} : () -> ()

// -----

// expected-error @+1 {{invalid kind of attribute specified}}
"test.op"() {a = #fsdp.sharding<[{"a"}]>} : () -> ()

// -----

// expected-error @+1 {{expected 'mean' or 'sum', but got 'max'}}
"test.op"() {a = #fsdp.loss<max = [@a]>} : () -> ()

// -----

// expected-error @+1 {{invalid kind of attribute specified}}
"test.op"() {a = #fsdp.loss<sum = [@a], divide_by = 3>} : () -> ()

// -----

// expected-error @+1 {{expected '->'}}
"test.op"() {a = #fsdp.rule<([a])>} : () -> ()

// -----

// expected-error @+1 {{expected valid keyword}}
"test.op"() {a = #fsdp.rule<([1]) -> [a]>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Attributes of the module and of ops
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expected 'fsdp.world' to be #fsdp.world, but got 8 : i64}}
module attributes {fsdp.world = 8} {}

// -----

// expected-error @+1 {{expected 'fsdp.accumulate' to be #fsdp.accumulate, but got 2 : i64}}
module attributes {fsdp.accumulate = 2} {}

// -----

// expected-error @+1 {{expected 'fsdp.stage' to be a string, but got 2 : i64}}
module attributes {fsdp.stage = 2} {}

// -----

// expected-error @+1 {{expected 'fsdp.buffers' to be a string, but got unit}}
module attributes {fsdp.buffers} {}

// -----

// expected-error @+1 {{expected 'fsdp.modules' to be a dictionary, but got "B"}}
module attributes {fsdp.modules = "B"} {}

// -----

// expected-error @+1 {{expected an attribute of the fsdp dialect that a module can have, but got 'fsdp.word'}}
module attributes {fsdp.word = 2} {}

// -----

// expected-error @+1 {{expected 'fsdp.stage' on a module only}}
"test.op"() {fsdp.stage = "imported"} : () -> ()

// -----

// expected-error @+1 {{expected one #fsdp.sharding per result in 'fsdp.sharding'}}
%0 = "test.op"() {fsdp.sharding = #fsdp.sharding<[]>} : () -> index

// -----

// expected-error @+1 {{expected one #fsdp.sharding per result in 'fsdp.sharding'}}
%0 = "test.op"() {fsdp.sharding = []} : () -> index

// -----

// expected-error @+1 {{expected one #fsdp.sharding per result in 'fsdp.sharding'}}
%0 = "test.op"() {fsdp.sharding = [1]} : () -> index

// -----

// expected-error @+1 {{expected one array of positive numbers per result in 'fsdp.blocks'}}
%0 = "test.op"() {fsdp.blocks = [array<i64: 0>]} : () -> index

// -----

// expected-error @+1 {{expected one array of positive numbers per result in 'fsdp.blocks'}}
%0 = "test.op"() {fsdp.blocks = []} : () -> index

// -----

// expected-error @+1 {{expected a sharding of 2 dimensions, but got one of 1}}
%0 = "test.op"() {fsdp.sharding = [#fsdp.sharding<[{}]>]} : () -> tensor<2x2xf32>

// -----

// What is no tensor has no dimensions.
// expected-error @+1 {{expected a sharding of 0 dimensions, but got one of 1}}
%0 = "test.op"() {fsdp.sharding = [#fsdp.sharding<[{}]>]} : () -> index

// -----

// An unranked tensor may have any; its groups are checked.
// expected-error @+1 {{expected @a to be a process group}}
%0 = "test.op"() {fsdp.sharding = [#fsdp.sharding<[{@a}]>]} : () -> tensor<*xf32>

// -----

%0 = "test.source"() : () -> tensor<2xf32>
// expected-error @+1 {{expected 'fsdp.rule' to be #fsdp.rule with one list per operand and result}}
%1 = "test.op"(%0) {fsdp.rule = 1} : (tensor<2xf32>) -> tensor<2xf32>

// -----

%0 = "test.source"() : () -> tensor<2xf32>
// expected-error @+1 {{expected 'fsdp.rule' to be #fsdp.rule with one list per operand and result}}
%1 = "test.op"(%0) {fsdp.rule = #fsdp.rule<() -> [a]>} : (tensor<2xf32>) -> tensor<2xf32>

// -----

%0 = "test.source"() : () -> tensor<2xf32>
// expected-error @+1 {{expected 'fsdp.rule' to be #fsdp.rule with one list per operand and result}}
%1 = "test.op"(%0) {fsdp.rule = #fsdp.rule<([a]) -> [a], [a]>} : (tensor<2xf32>) -> tensor<2xf32>

// -----

%0 = "test.source"() : () -> tensor<2xf32>
// expected-error @+1 {{expected 'fsdp.rule' to name one factor per dimension}}
%1 = "test.op"(%0) {fsdp.rule = #fsdp.rule<([]) -> [a]>} : (tensor<2xf32>) -> tensor<2xf32>

// -----

%0 = "test.source"() : () -> tensor<2xf32>
// expected-error @+1 {{expected 'fsdp.rule' to name one factor per dimension}}
%1 = "test.op"(%0) {fsdp.rule = #fsdp.rule<([a]) -> [a, b]>} : (tensor<2xf32>) -> tensor<2xf32>

// -----

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected a role that an argument can have, but got 'fsdp.grad'}}
  func.func private @f(%w: tensor<2xf32> {fsdp.grad = "w"})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected a role that an argument can have, but got 'fsdp.word'}}
  func.func private @f(%w: tensor<2xf32> {fsdp.word = "w"})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected a role that a result can have, but got 'fsdp.param'}}
  func.func private @f() -> (tensor<2xf32> {fsdp.param = "w"})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.param' to be a string, but got 1 : i64}}
  func.func private @f(%w: tensor<2xf32> {fsdp.param = 1})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.seed' to be a unit attribute, but got 1 : i64}}
  func.func private @f(%w: tensor<i64> {fsdp.seed = 1})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.batch_dim' to be an integer, but got unit}}
  func.func private @f(%w: tensor<2xf32> {fsdp.batch_dim})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.batch_dim' to be below the rank 1, but got 1 : i64}}
  func.func private @f(%w: tensor<2xf32> {fsdp.batch_dim = 1})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.batch_dim' to be below the rank 1, but got -1 : i64}}
  func.func private @f(%w: tensor<2xf32> {fsdp.batch_dim = -1})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.aliases' to be a list of strings, but got [1]}}
  func.func private @f(%w: tensor<2xf32> {fsdp.aliases = [1]})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.global_shape' to be an array of i64, but got [8]}}
  func.func private @f(%w: tensor<2xf32> {fsdp.global_shape = [8]})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.sharding' to be #fsdp.sharding, but got unit}}
  func.func private @f(%w: tensor<2xf32> {fsdp.sharding})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.unit' to be the symbol of a unit, but got "u"}}
  func.func private @f(%w: tensor<2xf32> {fsdp.unit = "u"})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected @g to be a unit}}
  func.func private @f(%w: tensor<2xf32> {fsdp.unit = @g})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected 'fsdp.loss' to be a unit attribute or #fsdp.loss, but got "mean"}}
  func.func private @f() -> (tensor<f32> {fsdp.loss = "mean"})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected @h of the loss to be a process group}}
  func.func private @f() -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@g, @h]>})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected one role for an argument, but got 'fsdp.buffer' and 'fsdp.param'}}
  func.func private @f(%w: tensor<2xf32> {fsdp.param = "w", fsdp.buffer = "w"})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected one role for a result, but got 'fsdp.grad' and 'fsdp.output'}}
  func.func private @f() -> (tensor<f32> {fsdp.grad = "w", fsdp.output = "x"})
}

// -----

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected a sharding of 1 dimensions, but got one of 2}}
  func.func private @f(%w: tensor<2xf32> {fsdp.sharding = #fsdp.sharding<[{}, {}]>})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected @h to be a process group}}
  func.func private @f(%w: tensor<2xf32> {fsdp.storage = #fsdp.sharding<[{@h}]>})
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected each axis once in a sharding, but got @g sharing ranks with an earlier group}}
  func.func private @f(%w: tensor<2xf32> {fsdp.sharding = #fsdp.sharding<[{@g}], varying = {@g}>})
}

// -----

// set4 with set2, nested.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @h = #fsdp.classes<[4, 2] from [8]>
  // expected-error @+1 {{expected each axis once in a sharding, but got @h sharing ranks with an earlier group}}
  func.func private @f(%w: tensor<2x2xf32> {fsdp.sharding = #fsdp.sharding<[{@g}, {@h}]>})
}

// -----

// set2 with set3.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @a = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @b = #fsdp.classes<[2, 3] from [6]>
  // expected-error @+1 {{expected compatible groups on one value, but got @a and @b}}
  func.func private @f(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@a}, {@b}]>})
}

// -----

// Classes that meet in at most one rank, and yet half the chunks are lost.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>} {
  fsdp.process_group @a = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @b = #fsdp.classes<[[1, 2], [3, 4], [5, 0]]>
  // expected-error @+1 {{expected compatible groups on one value, but got @a and @b}}
  func.func private @f(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@a}, {@b}]>})
}

// -----

// The joint classes are the world, and yet chunks are in the wrong order.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @a = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @b = #fsdp.classes<[[0, 2], [3, 1]]>
  // expected-error @+1 {{expected compatible groups on one value, but got @a and @b}}
  func.func private @f(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@a}, {@b}]>})
}

// -----

// The world in an order of its own.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @a = #fsdp.classes<[[1, 0, 2, 3]]>
  fsdp.process_group @b = #fsdp.classes<[2, 2] from [4]>
  // expected-error @+1 {{expected compatible groups on one value, but got @a and @b}}
  func.func private @f(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@a}, {@b}]>})
}

// -----

// Groups of different worlds.
module {
  fsdp.process_group @a = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @b = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected compatible groups on one value, but got @a and @b}}
  func.func private @f(%w: tensor<4x4xf32> {fsdp.sharding = #fsdp.sharding<[{@a}, {@b}]>})
}

// -----

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expected a spelling, a list of classes or #fsdp.classes, but got 4 : i64}}
fsdp.process_group @g = 4

// -----

func.func @f() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  fsdp.process_group @g = "node"
  return
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected reshard_after_forward to be true, false, "auto" or a positive size, but got}}
  fsdp.unit @u {shard = @g, reshard_after_forward = 0}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected reshard_after_forward to be true, false, "auto" or a positive size, but got}}
  fsdp.unit @u {shard = @g, reshard_after_forward = "yes"}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected reshard_after_forward to be true, false, "auto" or a positive size, but got}}
  fsdp.unit @u {shard = @g, reshard_after_forward = -1}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected reshard_after_forward to be true, false, "auto" or a positive size, but got}}
  fsdp.unit @u {shard = @g, reshard_after_forward = 18446744073709551616 : i128}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected a floating-point type to compute and reduce in, but got i32}}
  fsdp.unit @u {shard = @g, reshard_after_forward = true, param_dtype = i32}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected a floating-point type to compute and reduce in, but got i32}}
  fsdp.unit @u {shard = @g, reshard_after_forward = true, reduce_dtype = i32}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected a floating-point type to compute and reduce in, but got i32}}
  fsdp.unit @u {shard = @g, reshard_after_forward = true, output_dtype = i32}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @+1 {{expected @g to be a process group}}
  fsdp.unit @u {shard = @g, reshard_after_forward = true}
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // expected-error @+1 {{expected @u to be a process group}}
  fsdp.unit @u {shard = @g, replicate = @u, reshard_after_forward = true}
}

// -----

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected @h to be a process group}}
    %0 = fsdp.all_gather %x over @h dim 0 : (tensor<8x4xf32>) -> tensor<32x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f() {
    // expected-error @+1 {{expected at least one operand}}
    "fsdp.all_reduce"() {group = @g, reduction = #fsdp<reduction sum>} : () -> ()
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected one result per operand, but got 2 for 1}}
    %0:2 = fsdp.all_gather %x over @g dim 0 : (tensor<8x4xf32>) -> (tensor<32x4xf32>, tensor<32x4xf32>)
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected one element type in all operands and results}}
    %0 = fsdp.all_gather %x over @g dim 0 : (tensor<8x4xf32>) -> tensor<32x4xbf16>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>, %y: tensor<2xf64>) {
    // expected-error @+1 {{expected one element type in all operands and results}}
    %0:2 = fsdp.all_gather %x, %y over @g dim 0 : (tensor<8x4xf32>, tensor<2xf64>) -> (tensor<32x4xf32>, tensor<8xf64>)
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected dim to be below the rank 2, but got 2}}
    %0 = fsdp.all_gather %x over @g dim 2 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected dim to be below the rank 2, but got -1}}
    %0 = fsdp.reduce_scatter sum %x over @g dim -1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<f32>) {
    // expected-error @+1 {{expected dim to be below the rank 0, but got 0}}
    %0 = fsdp.all_gather %x over @g dim 0 : (tensor<f32>) -> tensor<f32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected split_dim to be below the rank 2, but got 3}}
    %0 = fsdp.all_to_all %x over @g split 3 concat 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected concat_dim to be below the rank 2, but got 9223372036854775807}}
    %0 = fsdp.all_to_all %x over @g split 0 concat 9223372036854775807 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<6xf32>) {
    // expected-error @+1 {{expected dim 0 to divide by the size 4 of its group, but got 6}}
    %0 = fsdp.reduce_scatter sum %x over @g dim 0 : (tensor<6xf32>) -> tensor<2xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<6xf32>) {
    // expected-error @+1 {{expected dim 0 to divide by the size 4 of its group, but got 6}}
    %0 = fsdp.all_to_all %x over @g split 0 concat 0 : (tensor<6xf32>) -> tensor<6xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected root to be below the size 4 of its group, but got 4}}
    %0 = fsdp.broadcast %x over @g root 4 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected root to be below the size 4 of its group, but got -1}}
    %0 = fsdp.broadcast %x over @g root -1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected a result of shape [32, 4] over a group of 4, but got 'tensor<8x4xf32>'}}
    %0 = fsdp.all_gather %x over @g dim 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected a result of shape [2, 4] over a group of 4, but got 'tensor<8x4xf32>'}}
    %0 = fsdp.reduce_scatter sum %x over @g dim 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected a result of shape [2, 16] over a group of 4, but got 'tensor<8x4xf32>'}}
    %0 = fsdp.all_to_all %x over @g split 0 concat 1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected a result of shape [8, 4] over a group of 4, but got 'tensor<2x4xf32>'}}
    %0 = fsdp.all_reduce sum %x over @g : (tensor<8x4xf32>) -> tensor<2x4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @+1 {{expected a result of shape [8, 4] over a group of 4, but got 'tensor<2x4xf32>'}}
    %0 = fsdp.permute %x over @g shift 1 : (tensor<8x4xf32>) -> tensor<2x4xf32>
    return
  }
}

// -----

// A discardable attribute that is called like one of another collective.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = fsdp.all_reduce sum %x over @g {dim = "x", split_dim = 9} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// Started collectives
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<2xf32>, %d: tensor<8xf32>) {
    // expected-error @+1 {{expected a pending value for each destination tensor}}
    %t = fsdp.start_all_gather ins(%x : tensor<2xf32>) outs(%d : tensor<8xf32>) {group = @g, dim = 0 : i64}
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: memref<2xf32>, %d: memref<8xf32>) {
    // expected-error @+1 {{expected a pending value for each destination tensor}}
    %t, %p = fsdp.start_all_gather ins(%x : memref<2xf32>) outs(%d : memref<8xf32>) {group = @g, dim = 0 : i64} -> tensor<8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<2xf32>, %d: tensor<4xf32>) {
    // expected-error @+1 {{expected a result of shape [8] over a group of 4, but got 'tensor<4xf32>'}}
    %t, %p = fsdp.start_all_gather ins(%x : tensor<2xf32>) outs(%d : tensor<4xf32>) {group = @g, dim = 0 : i64} -> tensor<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<2xf32>) {
    // expected-error @+1 {{expected one result per operand, but got 0 for 1}}
    %t = "fsdp.start_all_gather"(%x) {group = @g, dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0>} : (tensor<2xf32>) -> !fsdp.token
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<2xf32>, %d: tensor<8xf32>) {
    // expected-error @+1 {{expected only fsdp.wait to use a pending value}}
    %t, %p = fsdp.start_all_gather ins(%x : tensor<2xf32>) outs(%d : tensor<8xf32>) {group = @g, dim = 0 : i64} -> tensor<8xf32>
    // expected-note @+1 {{used here}}
    "test.use"(%p) : (tensor<8xf32>) -> ()
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<2xf32>, %d: tensor<8xf32>) {
    // expected-note @+1 {{the token is from here}}
    %t, %p = fsdp.start_all_gather ins(%x : tensor<2xf32>) outs(%d : tensor<8xf32>) {group = @g, dim = 0 : i64} -> tensor<8xf32>
    %u, %q = fsdp.start_all_gather ins(%x : tensor<2xf32>) outs(%d : tensor<8xf32>) {group = @g, dim = 0 : i64} -> tensor<8xf32>
    // expected-error @+1 {{expected pending values of the token's start}}
    %0 = fsdp.wait %t, %q : tensor<8xf32>
    return
  }
}

// -----

// A token and a value that come from nowhere are no pair.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%t: !fsdp.token, %p: tensor<8xf32>) {
    // expected-error @+1 {{expected pending values of the token's start}}
    %0 = fsdp.wait %t, %p : tensor<8xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Local ops
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f() {
    // expected-error @+1 {{expected @h to be a process group}}
    %0 = fsdp.rank_index @h
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected dim to be below the rank 1, but got 1}}
    %0 = fsdp.slice %x over @g dim 1 : tensor<5xf32> to tensor<2xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected dim to be below the rank 1, but got -1}}
    %0 = fsdp.slice %x over @g dim -1 : tensor<5xf32> to tensor<2xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected @h to be a process group}}
    %0 = fsdp.slice %x over @h dim 0 : tensor<5xf32> to tensor<2xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected a result of type 'tensor<2xf32>' over a group of 4, but got 'tensor<1xf32>'}}
    %0 = fsdp.slice %x over @g dim 0 : tensor<5xf32> to tensor<1xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected a positive denominator, but got 0}}
    %0 = fsdp.scale %x by 1 over 0 : tensor<5xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected a positive denominator, but got -1}}
    %0 = fsdp.scale %x by 1 over -1 : tensor<5xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xi32>) {
    // expected-error @+1 {{expected floating-point elements, but got 'tensor<5xi32>'}}
    %0 = fsdp.scale %x by 1 over 2 : tensor<5xi32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected one sharding per operand, but got 0 for 1}}
    %0 = fsdp.global_norm %x {shardings = []} : (tensor<5xf32>) -> tensor<f32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected a scalar result, but got 'tensor<1xf32>'}}
    %0 = fsdp.global_norm %x {shardings = [#fsdp.sharding<[{}]>]} : (tensor<5xf32>) -> tensor<1xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected shardings to be #fsdp.sharding, but got 1 : i64}}
    %0 = fsdp.global_norm %x {shardings = [1]} : (tensor<5xf32>) -> tensor<f32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected no partial operand: the norm of a sum is not the sum of norms}}
    %0 = fsdp.global_norm %x {shardings = [#fsdp.sharding<[{}], partial = {@g}>]} : (tensor<5xf32>) -> tensor<f32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected a sharding of 1 dimensions, but got one of 0}}
    %0 = fsdp.global_norm %x {shardings = [#fsdp.sharding<[]>]} : (tensor<5xf32>) -> tensor<f32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected a shape without negative dims, but got -5}}
    %0 = fsdp.reshard %x of [-5] from <[{}]> to <[{}]> : tensor<5xf32> to tensor<5xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected the value to vary over the same groups before and after}}
    %0 = fsdp.reshard %x of [5] from <[{}], varying = {@g}> to <[{}]> : tensor<5xf32> to tensor<5xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected one element type before and after}}
    %0 = fsdp.reshard %x of [5] from <[{}]> to <[{}]> : tensor<5xf32> to tensor<5xbf16>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected a sharding of 1 dimensions, but got one of 2}}
    %0 = fsdp.reshard %x of [5] from <[{}, {}]> to <[{}]> : tensor<5xf32> to tensor<5xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5xf32>) {
    // expected-error @+1 {{expected the operand to have the local shape [2], but got 'tensor<5xf32>'}}
    %0 = fsdp.reshard %x of [5] from <[{@g}]> to <[{}]> : tensor<5xf32> to tensor<5xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  func.func @f(%x: tensor<5x3xf32>) {
    // expected-error @+1 {{expected the result to have the local shape [2, 3], but got 'tensor<5x3xf32>'}}
    %0 = fsdp.reshard %x of [5, 3] from <[{}, {}]> to <[{@g}, {}]> : tensor<5x3xf32> to tensor<5x3xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected integer indices of shape [N, k], but got 'tensor<4xi64>'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xf32>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected integer indices of shape [N, k], but got 'tensor<4x1xf32>'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xf32>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<3x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected as many updates as indices, but got 'tensor<3x8xf32>' for 'tensor<4x1xi64>'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<3x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<f32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected as many updates as indices, but got 'tensor<f32>' for 'tensor<4x1xi64>'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<f32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x1x1x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected updates of at most the destination's rank and one, but got 'tensor<4x1x1x8xf32>' for 'tensor<16x8xf32>'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x1x1x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected one entry of dims per index, but got 2 for 1}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0, 1] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected dims to be below the destination's rank 2, but got 2}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [2] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected dims to be below the destination's rank 2, but got -1}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [-1] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x9xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected updates to fit the destination, but got 'tensor<4x9xf32>' for 'tensor<16x8xf32>'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x9xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf64>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected one element type in updates, destination and the body's two arguments}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf64>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected one element type in updates, destination and the body's two arguments}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected one element type in updates, destination and the body's two arguments}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f64):
      fsdp.yield %a : f32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected a result exactly on tensors}}
    fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      fsdp.yield %a : f32
    }
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected the body to yield an element of type 'f32'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
      %c = arith.constant 0 : i32
      fsdp.yield %c : i32
    } -> tensor<16x8xf32>
    return
  }
}

// -----

// A body without any op.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @f(%u: tensor<4x8xf32>, %i: tensor<4x1xi64>, %d: tensor<16x8xf32>) {
    // expected-error @+1 {{expected the body to yield an element of type 'f32'}}
    %0 = fsdp.scatter ins(%u, %i : tensor<4x8xf32>, tensor<4x1xi64>) outs(%d : tensor<16x8xf32>) dims [0] {
    ^bb0(%a: f32, %b: f32):
    } -> tensor<16x8xf32>
    return
  }
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{expects parent op 'fsdp.scatter'}}
  fsdp.yield %x : f32
}

// -----

// A product on tensors returns one.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) {
  // expected-error @+1 {{expected a result exactly on tensors}}
  fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  return
}

// -----

// Two maps for three operands.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) {
  // expected-error @+1 {{expected one map for each operand, but got 2}}
  %0 = fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>] -> tensor<4x5xf32>
  return
}

// -----

// A sum of dims is no subscript.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) {
  // expected-error @+1 {{expected a map that permutes some of the 3 dims into 2 subscripts, but got affine_map<(d0, d1, d2) -> (d0 + d1, d2)>}}
  %0 = fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) [affine_map<(m, n, k) -> (m + n, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] -> tensor<4x5xf32>
  return
}

// -----

// A map for another rank.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) {
  // expected-error @+1 {{expected a map that permutes some of the 3 dims into 2 subscripts, but got affine_map<(d0, d1, d2) -> (d0)>}}
  %0 = fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) [affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] -> tensor<4x5xf32>
  return
}

// -----

// 8 columns meet 7 rows.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<7x5xf32>, %c: tensor<4x5xf32>) {
  // expected-error @+1 {{expected dim 2 to have one length, but got 8 and 7}}
  %0 = fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<7x5xf32>) outs(%c : tensor<4x5xf32>) [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] -> tensor<4x5xf32>
  return
}

// -----

// Integers.
func.func @f(%a: tensor<4x8xi32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) {
  // expected-error @+1 {{expected elements that are floats, but got}}
  %0 = fsdp.contract ins(%a, %b : tensor<4x8xi32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] -> tensor<4x5xf32>
  return
}

// -----

// A dim of one operand alone.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) {
  // expected-error @+1 {{expected every dim in two operands at least, but got dim 2 in 1}}
  %0 = fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) [affine_map<(m, n, k, j) -> (m, k)>, affine_map<(m, n, k, j) -> (j, n)>, affine_map<(m, n, k, j) -> (m, n)>] -> tensor<4x5xf32>
  return
}
