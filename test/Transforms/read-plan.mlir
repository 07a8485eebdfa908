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

// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/global.yaml | FileCheck %s --check-prefix=GLOBAL
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mixed.yaml | FileCheck %s --check-prefix=MIXED
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/explicit.yaml | FileCheck %s --check-prefix=EXPLICIT
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mesh.yaml | FileCheck %s --check-prefix=MESH
// RUN: fsdp-opt %t/step.mlir --fsdp-annotate=config=%t/units.yaml | FileCheck %s --check-prefix=UNITS
// RUN: fsdp-opt %t/step.mlir --fsdp-annotate=config=%t/accumulate.yaml | FileCheck %s --check-prefix=ACCUMULATE

// A per-rank batch, the mean of whose losses is wanted.
// DEFAULTS: module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 8>}
// DEFAULTS: fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]> spelled "world"
// DEFAULTS-NOT: fsdp.process_group
// DEFAULTS: {fsdp.aliases = ["head.w"], fsdp.param = "h.w"}
// DEFAULTS-SAME: fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@world}>}
// DEFAULTS-SAME: {fsdp.loss = #fsdp.loss<mean = [@world]>}

// ALL: module attributes {fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = sum>, fsdp.buffers = "rank0", fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>}
// ALL-DAG: fsdp.process_group @ep = #fsdp.classes<[4, 2] from [8]> spelled "set2"
// ALL-DAG: fsdp.process_group @odd = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)> spelled {{\[\[}}0, 4], [1, 5], [2, 6], [3, 7]]
// ALL-DAG: fsdp.process_group @world
// ALL: fsdp.param = "h.w", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@ep}>}
// ALL-SAME: {fsdp.param = "b"}
// ALL-SAME: {fsdp.loss = #fsdp.loss<sum = [@world]>}

// RANKS: fsdp.world<ranks = 16, ranks_per_node = 4>
// OPTION: fsdp.world<ranks = 4, ranks_per_node = 4>
// OPTION: varying = {@world}

// A global batch is split along its batch dim; what has none is replicated. The
// loss is that of the whole batch.
// GLOBAL: fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@world}, {}]>}
// GLOBAL-SAME: fsdp.input = "scale", fsdp.sharding = #fsdp.sharding<[]>}
// GLOBAL-SAME: {fsdp.loss = #fsdp.loss<mean = []>}

// Both: the loss is combined over what is per rank. Two entries on one
// parameter add up, and one that names an alias places the parameter.
// MIXED: fsdp.param = "h.w", fsdp.sharding = #fsdp.sharding<[{}, {@ep}], varying = {@tp}>}
// MIXED-SAME: fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@ep}, {}], varying = {@edp}>}
// MIXED-SAME: fsdp.input = "scale", fsdp.sharding = #fsdp.sharding<[], varying = {@edp}>}
// MIXED-SAME: {fsdp.loss = #fsdp.loss<sum = [@edp], divide_by = "tokens">}

// What an entry says about an input wins on the ranks of its groups; the batch
// has the rest of the world.
// EXPLICIT: fsdp.process_group @batch = #fsdp.classes<[2, 4] from [4, 2] T(1, 0)>
// EXPLICIT: fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@batch}, {@tp}]>}

// The last dimension of a mesh has neighbours, and -1 is what the others leave.
// Views are of the same ranks. A group may have one rank.
// MESH: fsdp.process_group @dp_replicate = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
// MESH: fsdp.process_group @dp_shard = #fsdp.classes<[4, 2] from [2, 2, 2] T(0, 2, 1)>
// MESH: fsdp.process_group @cp = #fsdp.classes<[8, 1] from [8]>
// MESH: fsdp.process_group @tp = #fsdp.classes<[4, 2] from [8]>
// MESH: fsdp.process_group @efsdp = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
// MESH: fsdp.process_group @ep = #fsdp.classes<[2, 4] from [8]>
// MESH: fsdp.param = "h.w", fsdp.sharding = #fsdp.sharding<[{@dp_replicate, @dp_shard}, {@tp}]>}
// MESH: {fsdp.loss = #fsdp.loss<mean = [@dp_replicate, @dp_shard]>}

// A dimension that went into an equal group is still known by its name.
// UNITS-NOT: fsdp.process_group @efsdp
// UNITS: fsdp.unit @root {{.*}}shard = @pairs

// ACCUMULATE: fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {@world}, {}]>}

// Without a world there is nothing to say.
// NOTHING: module {
// NOTHING-NOT: fsdp.process_group
// NOTHING: fsdp.input = "x"}

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

//--- global.yaml
world: {ranks: 4}
batch: global

//--- mixed.yaml
world: {ranks: 8}
process_groups: {ep: set2, edp: [[0, 4], [1, 5], [2, 6], [3, 7]], tp: [[0, 2], [1, 3], [4, 6], [5, 7]]}
batch: {per_rank: [edp], global: ep}
loss: {sum: edp, divide_by: tokens}
shardings:
  - {match: "head.*", dims: [[], [ep]]}
  - {match: "h.*", varying: tp}

//--- explicit.yaml
world: {ranks: 8}
process_groups: {tp: set2}
batch: global
shardings: [{match: x, dims: [[], [tp]]}]

//--- mesh.yaml
world: {ranks: 8}
mesh: [{dp_replicate: 2, dp_shard: -1, cp: 1, tp: 2}, {efsdp: -1, ep: 4}]
batch: {per_rank: [dp_replicate, dp_shard]}
shardings: [{match: "h.*", dims: [[dp_replicate, dp_shard], tp]}]

//--- units.yaml
world: {ranks: 8}
process_groups: {pairs: mod4}
mesh: {efsdp: -1, ep: 4}
process_group: efsdp

//--- accumulate.yaml
world: {ranks: 4}
batch: global
accumulate: {steps: 2}

//--- step.mlir
func.func @step(%w: tensor<8x4xf32> {fsdp.param = "h.w", fsdp.aliases = ["head.w"]},
                %b: tensor<f32> {fsdp.param = "b"},
                %x: tensor<8x4xf32> {fsdp.input = "x", fsdp.batch_dim = 0},
                %s: tensor<f32> {fsdp.input = "scale"})
    -> (tensor<f32> {fsdp.loss}, tensor<8x4xf32> {fsdp.grad = "h.w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%x : tensor<8x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %g = fsdp.local_grad %x of "h.w" : tensor<8x4xf32>
  return %loss, %g : tensor<f32>, tensor<8x4xf32>
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
