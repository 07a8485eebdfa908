// SPDX-License-Identifier: Apache-2.0
// What cannot be split where its operands are, and what a plan says that does
// not go together.
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-propagate --split-input-file --verify-diagnostics
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-partition --split-input-file --verify-diagnostics

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  func.func @no_rule(
      // expected-note @below {{the operand is here}}
      %x: tensor<8x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>})
      -> (tensor<8x4xf32> {fsdp.output = "y"}) {
    // expected-error @below {{expected a partitioning rule, since operand 0 is split in dimension 0 over @tp, but got none; give the op one as 'fsdp.rule'}}
    %y = "vendor.norm"(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %y : tensor<8x4xf32>
  }
}

// -----

// The corrected one.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  func.func @rule(%x: tensor<8x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>})
      -> (tensor<8x4xf32> {fsdp.output = "y"}) {
    %y = "vendor.norm"(%x) {fsdp.rule = #fsdp.rule<([b, d]) -> [b, d]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %y : tensor<8x4xf32>
  }
}

// -----

// Six columns are two heads of three, which four ranks have no equal parts of.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 4] from [4]>
  func.func @uneven(
      // expected-note @below {{the operand is here}}
      %x: tensor<8x12xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>})
      -> (tensor<8x2x6xf32> {fsdp.output = "y"}) {
    // expected-error @below {{expected dimension 1 of operand 0 to be divided evenly by the 4 ranks of @tp, but got 'tensor<8x12xf32>', whose pieces do not}}
    %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 6] : tensor<8x12xf32> into tensor<8x2x6xf32>
    return %y : tensor<8x2x6xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  // expected-note @below {{@two is declared here}}
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  // expected-note @below {{@three is declared here}}
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  // expected-error @below {{expected compatible groups in the placements of one step, but got @two and @three}}
  func.func @incompatible(%x: tensor<6x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@two}, {}]>},
                          %y: tensor<6x4xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{@three}, {}]>})
      -> (tensor<6x4xf32> {fsdp.output = "z"}) {
    %z = arith.addf %x, %y : tensor<6x4xf32>
    return %z : tensor<6x4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = "set2"
  // expected-error @below {{expected resolved process groups, but got @tp}}
  func.func @unresolved(%x: tensor<8x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>})
      -> (tensor<8x4xf32> {fsdp.output = "y"}) {
    return %x : tensor<8x4xf32>
  }
}
