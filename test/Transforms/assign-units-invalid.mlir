// SPDX-License-Identifier: Apache-2.0
// Units that a model cannot have. Errors are at the place in the plan.
// RUN: split-file %s %t
// RUN: not fsdp-opt %t/world.mlir --fsdp-assign-units 2>&1 | FileCheck %s --check-prefix=WORLD
// WORLD: world.mlir:0:0: error: expected 'fsdp.world' before units are assigned

// RUN: not fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/class.yaml 2>&1 | FileCheck %s --check-prefix=CLASS
// CLASS: class.yaml:1:17: error: expected the class of a module, but got 'Blok'; did you mean 'Block'?

// RUN: not fsdp-opt %t/bare.mlir --fsdp-assign-units=config=%t/class.yaml 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: class.yaml:1:17: error: expected the class of a module, but got 'Blok'; the module has no 'fsdp.modules'

// RUN: not fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/match.yaml 2>&1 | FileCheck %s --check-prefix=MATCH
// MATCH: match.yaml:1:17: error: expected a pattern that matches a module or parameter, but got 'h.1'; did you mean 'h.0'?

// RUN: not fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/ignored.yaml 2>&1 | FileCheck %s --check-prefix=IGNORED
// IGNORED: ignored.yaml:1:20: error: expected a pattern that matches a module or parameter, but got 'h.0.v'; did you mean 'h.0.w'?

// RUN: not fsdp-opt %t/step.mlir --fsdp-assign-units=config=%t/group.yaml 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: group.yaml:1:37: error: expected a process group, but got 'nodes'; did you mean 'node'?

// HYBRID_SHARD needs whole nodes.
// RUN: not fsdp-opt %t/bare.mlir --fsdp-assign-units=config=%t/hybrid.yaml 2>&1 | FileCheck %s --check-prefix=HYBRID
// HYBRID: hybrid.yaml:1:1: error: expected ranks_per_node to divide ranks

//--- class.yaml
units: [{class: Blok}]
//--- match.yaml
units: [{match: h.1}]
//--- ignored.yaml
ignored: ["h.*.w", "h.0.v"]
//--- group.yaml
units: [{match: h.0, process_group: nodes}]
//--- hybrid.yaml
defaults: {sharding_strategy: HYBRID_SHARD}
//--- world.mlir
func.func @step(%w: tensor<4xf32> {fsdp.param = "h.0.w"}) {
  return
}
//--- step.mlir
module attributes {fsdp.modules = {h.0 = "Block"},
                   fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  func.func @step(%w: tensor<4xf32> {fsdp.param = "h.0.w"}) {
    return
  }
}
//--- bare.mlir
module attributes {fsdp.world = #fsdp.world<ranks = 12, ranks_per_node = 8>} {
  func.func @step(%w: tensor<4xf32> {fsdp.param = "h.0.w"}) {
    return
  }
}
