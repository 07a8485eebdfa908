// SPDX-License-Identifier: Apache-2.0
// All sections at once are the sections one after the other; the options win
// over the plan.
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-compile=config=%S/Inputs/plan.yaml > %t.compile.mlir
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-import --fsdp-annotate=config=%S/Inputs/plan.yaml --fsdp-shard > %t.sections.mlir
// RUN: diff %t.compile.mlir %t.sections.mlir
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-compile="config=%S/Inputs/plan.yaml ranks=6 ranks-per-node=3" | FileCheck %s
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-compile="config=%S/Inputs/plan.yaml ranks=1 ranks-per-node=1" | FileCheck %s --check-prefix=ALONE
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-compile=config=%S/Inputs/plan.yaml --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-compile="config=%S/Inputs/plan.yaml ranks=9 ranks-per-node=4" 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: fsdp.stage = "sharded", fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 3>
// CHECK: fsdp.scale %{{.*}} by 1 over 6

// One rank: the same step without a collective.
// ALONE-NOT: fsdp.{{all_gather|reduce_scatter|all_reduce}}
// ALONE: linalg.reduce
// ALONE-NOT: fsdp.{{all_gather|reduce_scatter|all_reduce}}
// ALONE: return

// REMARK: compiled to stage 'sharded'; scheduling does not exist in this version

// ERROR: plan.yaml:2:1: error: expected ranks_per_node to divide ranks
