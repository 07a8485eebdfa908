// SPDX-License-Identifier: Apache-2.0
// What a plan says becomes attributes: world, groups, loss, placements of inputs
// and parameters, micro-batches, buffers. What is written by hand stays.
// RUN: split-file %s %t
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/defaults.yaml | FileCheck %s --check-prefix=DEFAULTS
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/all.yaml | FileCheck %s --check-prefix=ALL
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan="config=%t/world.yaml ranks=16 ranks-per-node=4" | FileCheck %s --check-prefix=RANKS
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=ranks=4 | FileCheck %s --check-prefix=OPTION
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan | FileCheck %s --check-prefix=NOTHING
// RUN: fsdp-opt %t/hand.mlir --fsdp-read-plan=config=%t/defaults.yaml | FileCheck %s --check-prefix=HAND

// A per-rank batch, the mean of whose losses is wanted.
// DEFAULTS: module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 8>}
// DEFAULTS: fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]> spelled "world"
// DEFAULTS-NOT: fsdp.process_group
// DEFAULTS: fsdp.param = "h.w"}
// DEFAULTS-SAME: {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>}
// DEFAULTS-SAME: {fsdp.loss = #fsdp.loss<mean = [@world]>}

// ALL: module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>, fsdp.buffers = "rank0", fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>}
// ALL-DAG: fsdp.process_group @ep = #fsdp.classes<[4, 2] from [8]> spelled "set2"
// ALL-DAG: fsdp.process_group @odd = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)> spelled {{\[\[}}0, 4], [1, 5], [2, 6], [3, 7]]
// ALL-DAG: fsdp.process_group @world
// ALL: {fsdp.param = "h.w", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>}
// ALL-SAME: {fsdp.param = "b"}
// ALL-SAME: {fsdp.loss = #fsdp.loss<sum = [@world]>}

// RANKS: fsdp.world<ranks = 16, ranks_per_node = 4>
// OPTION: fsdp.world<ranks = 4, ranks_per_node = 4>
// OPTION: varying = {@world}

// Without a world there is nothing to say.
// NOTHING: module {
// NOTHING-NOT: fsdp.process_group
// NOTHING: {fsdp.input = "x"}

// HAND: fsdp.world<ranks = 8, ranks_per_node = 4>
// HAND: fsdp.process_group @node = "node"
// HAND: {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>}
// HAND-SAME: {fsdp.loss = #fsdp.loss<sum = [@node]>}

//--- defaults.yaml
units: []
world: {ranks: 8}

//--- world.yaml
world: {ranks: 8, ranks_per_node: 2}

//--- all.yaml
world: {ranks: 8, ranks_per_node: 4}
process_groups: {ep: set2, odd: [[0, 4], [1, 5], [2, 6], [3, 7]]}
batch: per_rank
loss: {sum: world}
accumulate: {steps: 2, reduce: sum}
buffers: rank0
shardings:
  - {match: "h.*", varying: [ep]}

//--- step.mlir
func.func @step(%w: tensor<8x4xf32> {fsdp.param = "h.w"},
                %b: tensor<f32> {fsdp.param = "b"},
                %x: tensor<8x4xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<8x4xf32> {fsdp.grad = "h.w"}) {
  return %b, %x : tensor<f32>, tensor<8x4xf32>
}

//--- hand.mlir
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @node = "node"
  func.func @step(%x: tensor<4xf32> {fsdp.input = "x",
                      fsdp.sharding = #fsdp.sharding<[{}], varying = {@node}>},
                  %y: tensor<f32> {fsdp.param = "y"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@node]>}) {
    return %y : tensor<f32>
  }
}
