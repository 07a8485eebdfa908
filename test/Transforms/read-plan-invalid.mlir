// SPDX-License-Identifier: Apache-2.0
// Plans that are well formed but do not fit the model or the world, or ask for
// what this version does not have. Errors are at the place in the plan.
// RUN: split-file %s %t
// Sizes of a mesh that do not fit the world.
// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mesh.yaml 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: mesh.yaml:2:12: error: expected the sizes of a mesh to multiply to 8 ranks, but got 2 x 2

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mesh-rest.yaml 2>&1 | FileCheck %s --check-prefix=MESH-REST
// MESH-REST: mesh-rest.yaml:2:12: error: expected the sizes of a mesh to multiply to 8 ranks, but got 3 x -1

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mesh-view.yaml 2>&1 | FileCheck %s --check-prefix=MESH-VIEW
// MESH-VIEW: mesh-view.yaml:2:29: error: expected the sizes of a mesh to multiply to 8 ranks, but got 2 x 5 x -1

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mesh-twice.yaml 2>&1 | FileCheck %s --check-prefix=MESH-TWICE
// MESH-TWICE: mesh-twice.yaml:2:25: error: expected a name that is not taken, but got 'tp'

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mesh-group.yaml 2>&1 | FileCheck %s --check-prefix=MESH-GROUP
// MESH-GROUP: mesh-group.yaml:3:8: error: expected a name that is not taken, but got 'ep'

// Compute dims divide evenly; the other constraints of a placement hold too.
// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/uneven.yaml 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: uneven.yaml:2:13: error: expected dim 1 of parameter 'h.0.w' to divide evenly over @mod2, but got size 6 and 4 ranks

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/uneven-two.yaml 2>&1 | FileCheck %s --check-prefix=UNEVEN-TWO
// UNEVEN-TWO: uneven-two.yaml:3:13: error: expected dim 1 of input 'x' to divide evenly over @a, @b, but got size 4 and 8 ranks

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/rank.yaml 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: rank.yaml:2:13: error: parameter 'h.0.w': expected a sharding of 2 dimensions, but got one of 1

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/twice.yaml 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: twice.yaml:2:13: error: parameter 'h.0.w': expected each axis once in a sharding, but got @world sharing ranks with an earlier group

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/incompatible.yaml 2>&1 | FileCheck %s --check-prefix=INCOMPATIBLE
// INCOMPATIBLE: incompatible.yaml:2:13: error: parameter 'h.0.w': expected compatible groups on one value, but got @set2 and @set3

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/dims-group.yaml 2>&1 | FileCheck %s --check-prefix=DIMS-GROUP
// DIMS-GROUP: dims-group.yaml:2:42: error: expected the size of process group 'set3' to divide the number of ranks, but got 8 ranks

// The batch of one input.
// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/batch.yaml 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: batch.yaml:1:8: error: expected dim 0 of input 'x' to divide evenly over @world, but got size 8 and 16 ranks

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mixed.yaml 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: mixed.yaml:2:8: error: input 'x': expected each axis once in a sharding, but got @set2 sharing ranks with an earlier group

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/broken.yaml 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: broken.yaml:2:8: error: input 'x': expected compatible groups on one value, but got @set3 and @set2

// Names of inputs are known, too.
// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/input.yaml 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: input.yaml:2:21: error: expected a pattern that matches a parameter or input, but got 'xs'; did you mean 'x'?

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/checkpointing.yaml 2>&1 | FileCheck %s --check-prefix=CHECKPOINTING
// CHECKPOINTING: checkpointing.yaml:1:28: error: expected no 'activation_checkpointing': it needs the scheduler, which this version does not have

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/world.yaml 2>&1 | FileCheck %s --check-prefix=WORLD
// WORLD: world.yaml:1:1: error: expected 'world' in the plan, or the option 'ranks'

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan="config=%t/world.yaml ranks=-8" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: expected ranks and ranks_per_node to be positive, but got -8 and -8

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/taken.yaml 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: taken.yaml:2:18: error: expected a name that is not taken, but got 'step'
// TAKEN: step.mlir:1:1: note: it is declared here

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/group.yaml 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: group.yaml:2:22: error: expected the size of process group 'set3' to divide the number of ranks, but got 8 ranks

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/match.yaml 2>&1 | FileCheck %s --check-prefix=MATCH
// MATCH: match.yaml:3:13: error: expected a pattern that matches a parameter or input, but got 'h.2.w'; did you mean 'h.0.w'?

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/loss.yaml 2>&1 | FileCheck %s --check-prefix=LOSS
// LOSS: loss.yaml:2:14: error: expected the size of process group 'set3' to divide

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/glob.yaml 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: glob.yaml:2:11: error:
// GLOB-SAME{LITERAL}: invalid glob pattern, '[:', '[=' and '[[.' have no meaning here

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/nowhere.yaml 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot read plan '{{.*}}nowhere.yaml': No such file or directory

//--- step.mlir
func.func @step(%w: tensor<8x6xf32> {fsdp.param = "h.0.w"},
                %x: tensor<8x4xf32> {fsdp.input = "x", fsdp.batch_dim = 0},
                %l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}) {
  return %l : tensor<f32>
}
//--- mesh.yaml
world: {ranks: 8}
mesh: {dp: 2, tp: 2}
//--- mesh-rest.yaml
world: {ranks: 8}
mesh: {dp: 3, tp: -1}
//--- mesh-view.yaml
world: {ranks: 8}
mesh: [{dp: 4, tp: 2}, {pp: 2, ep: 5, edp: -1}]
//--- mesh-twice.yaml
world: {ranks: 8}
mesh: [{dp: 4, tp: 2}, {tp: 8}]
//--- mesh-group.yaml
world: {ranks: 8}
process_groups: {ep: set2}
mesh: {ep: 8}
//--- uneven.yaml
world: {ranks: 8}
shardings: [{match: "h.0.*", dims: [[set2], [mod2]]}]
//--- uneven-two.yaml
world: {ranks: 8}
process_groups: {a: set2, b: mod2}
shardings: [{match: x, dims: [[], [a, b]]}]
//--- rank.yaml
world: {ranks: 8}
shardings: [{match: "h.0.*", dims: [[set2]]}]
//--- twice.yaml
world: {ranks: 8}
shardings: [{match: "h.0.*", dims: [[set2], [world]]}]
//--- incompatible.yaml
world: {ranks: 6}
shardings: [{match: "h.0.*", dims: [[set2], [set3]]}]
//--- dims-group.yaml
world: {ranks: 8}
shardings: [{match: "h.0.*", dims: [[], [set3]]}]
//--- batch.yaml
batch: global
world: {ranks: 16}
//--- mixed.yaml
world: {ranks: 8}
batch: {per_rank: [set2], global: [set4]}
//--- broken.yaml
world: {ranks: 6}
batch: {per_rank: [set2], global: [set3]}
//--- input.yaml
world: {ranks: 8}
shardings: [{match: xs, dims: [[set2], []]}]
//--- checkpointing.yaml
activation_checkpointing: ["h.*"]
world: {ranks: 8}
//--- world.yaml
buffers: mean
//--- taken.yaml
world: {ranks: 8}
process_groups: {step: set2}
//--- group.yaml
world: {ranks: 8}
process_groups: {ep: set3}
//--- match.yaml
world: {ranks: 8}
shardings:
  - {match: h.2.w, varying: [set2]}
//--- loss.yaml
world: {ranks: 8}
loss: {mean: set3}
//--- glob.yaml
world: {ranks: 8}
ignored: ["h.[[:digit:]]"]
