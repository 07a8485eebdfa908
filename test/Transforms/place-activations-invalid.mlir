// SPDX-License-Identifier: Apache-2.0
// Activations that the model does not have, or not like that. Errors are at the
// place in the plan.
// RUN: split-file %s %t
// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/match.yaml --fsdp-place-activations=config=%t/match.yaml 2>&1 | FileCheck %s --check-prefix=MATCH
// MATCH: match.yaml:2:23: error: expected a pattern that matches a module of forward, but got 'h.2'; did you mean 'h.0'?

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/backward.yaml --fsdp-place-activations=config=%t/backward.yaml 2>&1 | FileCheck %s --check-prefix=BACKWARD
// BACKWARD: backward.yaml:2:23: error: expected a pattern that matches a module of forward, but got 'h.1'

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/rank.yaml --fsdp-place-activations=config=%t/rank.yaml 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: rank.yaml:2:15: error: expected an output of 3 dims of module 'h.0', but got ones of 2, 1{{$}}

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/nothing.yaml --fsdp-place-activations=config=%t/nothing.yaml 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: nothing.yaml:2:15: error: expected an output of 1 dims of module '', but got ones of 0

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/dead.yaml --fsdp-place-activations=config=%t/dead.yaml 2>&1 | FileCheck %s --check-prefix=DEAD
// DEAD: dead.yaml:2:15: error: expected an output of 1 dims of module 'h.0.only', but got none

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/uneven.yaml --fsdp-place-activations=config=%t/uneven.yaml 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: uneven.yaml:3:15: error: expected dim 0 of the output of module 'h.0' to divide evenly over @set8, but got size 4 and 8 ranks

// A value of each rank's own batch cannot be split over the same ranks.
// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/varying.yaml --fsdp-place-activations=config=%t/varying.yaml 2>&1 | FileCheck %s --check-prefix=VARYING
// VARYING: varying.yaml:2:15: error: the output of module 'h.0': expected each axis once in a sharding, but got @world sharing ranks with an earlier group

// RUN: not fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/group.yaml --fsdp-place-activations=config=%t/group.yaml 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: group.yaml:2:42: error: expected a process group, but got 'tpp'

//--- match.yaml
world: {ranks: 8}
activations: [{match: "h.2:out", dims: [[set2], []]}]
//--- backward.yaml
world: {ranks: 8}
activations: [{match: "h.1:out", dims: [[set2], []]}]
//--- rank.yaml
world: {ranks: 8}
activations: [{match: "h.0:out", dims: [[set2], [], []]}]
//--- nothing.yaml
world: {ranks: 8}
activations: [{match: ":out", dims: [[]]}]
//--- dead.yaml
world: {ranks: 8}
activations: [{match: "h.0.only:out", dims: [[]]}]
//--- uneven.yaml
world: {ranks: 16}
batch: {per_rank: []}
activations: [{match: "h.0:out", dims: [[set8], []]}]
//--- varying.yaml
world: {ranks: 8}
activations: [{match: "h.0:out", dims: [[set2], []]}]
//--- group.yaml
world: {ranks: 8}
activations: [{match: "h.0:out", dims: [[tpp], []]}]
//--- step.mlir
func.func @step(%w: tensor<4x6xf32> {fsdp.param = "w"},
                %x: tensor<4x6xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<4x6xf32> {fsdp.grad = "w"}) {
  %empty = tensor.empty() : tensor<4x6xf32>
  %row = arith.constant dense<0.0> : tensor<6xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.exp ins(%x : tensor<4x6xf32>) outs(%empty : tensor<4x6xf32>) -> tensor<4x6xf32> loc("h.0"("fwd"))
  %1 = arith.fptosi %0 : tensor<4x6xf32> to tensor<4x6xi32> loc("h.0.only"("fwd"))
  %2 = arith.sitofp %1 : tensor<4x6xi32> to tensor<4x6xf32> loc("h.0"("fwd"))
  %3 = linalg.reduce { arith.addf } ins(%2 : tensor<4x6xf32>) outs(%row : tensor<6xf32>) dimensions = [0]  loc("h.0"("fwd"))
  %4 = linalg.reduce { arith.addf } ins(%2 : tensor<4x6xf32>) outs(%row : tensor<6xf32>) dimensions = [0]  loc("<root>"("fwd"))
  %5 = linalg.add ins(%3, %4 : tensor<6xf32>, tensor<6xf32>) outs(%row : tensor<6xf32>) -> tensor<6xf32> loc("<root>"("fwd"))
  %loss = linalg.reduce { arith.addf } ins(%5 : tensor<6xf32>) outs(%zero : tensor<f32>) dimensions = [0]  loc("<root>"("fwd"))
  %back = linalg.exp ins(%w : tensor<4x6xf32>) outs(%empty : tensor<4x6xf32>) -> tensor<4x6xf32> loc("h.1"("bwd"))
  %g = fsdp.local_grad %back of "w" : tensor<4x6xf32>
  return %loss, %g : tensor<f32>, tensor<4x6xf32>
}
