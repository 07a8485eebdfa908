// SPDX-License-Identifier: Apache-2.0
// Plans that are well formed but do not fit the model, or ask for what this
// version does not have. Errors are at the place in the plan.
// RUN: split-file %s %t
// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mesh.yaml 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: mesh.yaml:1:8: error: expected no 'mesh': it needs the partitioning of compute, which this version does not have

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/batch.yaml 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: batch.yaml:1:8: error: expected no global batch: it needs the partitioning of compute

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/mixed.yaml 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: mixed.yaml:2:8: error: expected no global batch

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/dims.yaml 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: dims.yaml:2:13: error: expected no 'dims' in 'shardings': it needs the partitioning of compute

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/activations.yaml 2>&1 | FileCheck %s --check-prefix=ACTIVATIONS
// ACTIVATIONS: activations.yaml:2:15: error: expected no 'activations': it needs the partitioning of compute

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/divide.yaml 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: divide.yaml:1:31: error: expected no 'divide_by': it needs the partitioning of compute

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/checkpointing.yaml 2>&1 | FileCheck %s --check-prefix=CHECKPOINTING
// CHECKPOINTING: checkpointing.yaml:1:28: error: expected no 'activation_checkpointing': it needs the scheduler

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
// MATCH: match.yaml:3:13: error: expected a pattern that matches a parameter, but got 'h.2.w'; did you mean 'h.0.w'?

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/loss.yaml 2>&1 | FileCheck %s --check-prefix=LOSS
// LOSS: loss.yaml:2:14: error: expected the size of process group 'set3' to divide

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/glob.yaml 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: glob.yaml:2:11: error:
// GLOB-SAME{LITERAL}: invalid glob pattern, '[:', '[=' and '[[.' have no meaning here

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/nowhere.yaml 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot read plan '{{.*}}nowhere.yaml': No such file or directory

//--- step.mlir
func.func @step(%w: tensor<8x4xf32> {fsdp.param = "h.0.w"},
                %l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}) {
  return %l : tensor<f32>
}
//--- mesh.yaml
mesh: {dp: 4, tp: 2}
//--- batch.yaml
batch: global
world: {ranks: 8}
//--- mixed.yaml
world: {ranks: 8}
batch: {per_rank: [set2], global: [mod2]}
//--- dims.yaml
world: {ranks: 8}
shardings: [{match: "h.*", dims: [[set2], []]}]
//--- activations.yaml
world: {ranks: 8}
activations: [{match: "h.*:out", dims: [[set2], []]}]
//--- divide.yaml
loss: {sum: world, divide_by: n}
world: {ranks: 8}
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
