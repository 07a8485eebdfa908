// SPDX-License-Identifier: Apache-2.0
// What leaves a module in forward gets the placement that the plan gives it.
// RUN: split-file %s %t
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/plan.yaml --fsdp-place-activations=config=%t/plan.yaml | FileCheck %s
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/below.yaml --fsdp-place-activations=config=%t/below.yaml | FileCheck %s --check-prefix=BELOW
// RUN: fsdp-opt %t/step.mlir --fsdp-read-plan=config=%t/none.yaml --fsdp-place-activations=config=%t/none.yaml | FileCheck %s --check-prefix=NONE
// RUN: fsdp-opt %S/../Inputs/A1_nanogpt.mlir --fsdp-import --fsdp-annotate=config=%t/gpt.yaml | FileCheck %s --check-prefix=GPT
// RUN: fsdp-opt %S/../Inputs/A8_jax_gpt_adam.mlir --fsdp-import --fsdp-annotate=config=%t/jax.yaml | FileCheck %s --check-prefix=JAX
// RUN: fsdp-opt %S/../Inputs/A1_nanogpt_scf.mlir --fsdp-import --fsdp-annotate=config=%t/scf.yaml | FileCheck %s --check-prefix=SCF

// Of h.0.ln only what forward uses elsewhere, not what only backward does; of
// h.1 the sum, though its caller flattens it, and of fc what is made of its
// flat product.
// CHECK: linalg.exp
// CHECK-SAME: {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {}]>]}
// CHECK: linalg.abs ins
// CHECK: tensor.collapse_shape
// CHECK-NOT: fsdp.sharding
// CHECK: linalg.negf ins
// CHECK: tensor.expand_shape
// CHECK-SAME: {fsdp.sharding = [#fsdp.sharding<[{}, {}, {@tp}]>]}
// CHECK: linalg.add
// CHECK-SAME: {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {}]>]}
// CHECK: tensor.collapse_shape
// CHECK-NOT: fsdp.sharding
// CHECK: return

// What is below a module belongs to it: of h.0 only what leaves all of it.
// BELOW-NOT: fsdp.sharding = [
// BELOW: tensor.expand_shape
// BELOW-SAME: {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {}]>]}
// BELOW-NOT: fsdp.sharding = [

// NONE-NOT: fsdp.sharding = [

// Four layer norms in two blocks, in front of the products that flatten; with
// micro-batches the placements go into the loop. Equal groups are one by then.
// GPT: scf.for
// GPT-COUNT-4: fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {@one}]>]
// GPT-NOT: fsdp.sharding = [

// JAX-COUNT-2: fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {}]>]
// JAX-NOT: fsdp.sharding = [

// SCF-COUNT-4: fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {}]>]
// SCF-NOT: fsdp.sharding = [

//--- plan.yaml
world: {ranks: 4}
process_groups: {tp: set2, dp: mod2}
batch: {per_rank: [dp]}
activations:
  - {match: "h.*.{ln,add}:out", dims: [[], [tp], []]}
  - {match: "h.0.fc:out", dims: [[], [], [tp]]}

//--- below.yaml
world: {ranks: 4}
process_groups: {tp: set2, dp: mod2}
batch: {per_rank: [dp]}
activations: [{match: "h.0:out", dims: [[], tp, []]}]

//--- none.yaml
world: {ranks: 4}

//--- gpt.yaml
world: {ranks: 8}
mesh: {one: 1, also: 1, dp: -1, tp: 2}
process_group: dp
batch: {per_rank: [dp]}
accumulate: {steps: 2}
activations: [{match: "transformer.h.*.ln_*:out", dims: [[], [tp], [also]]}]

//--- jax.yaml
world: {ranks: 8}
mesh: {dp: -1, tp: 2}
process_group: dp
batch: {per_rank: [dp]}
activations: [{match: "blocks.*.mlp:out", dims: [[], [tp], []]}]

//--- scf.yaml
world: {ranks: 8}
mesh: {dp: -1, tp: 2}
process_group: dp
batch: {per_rank: [dp]}
activations: [{match: "transformer.h.*.{attn,mlp}:out", dims: [[], [tp], []]}]

//--- step.mlir
func.func @step(%w: tensor<2x4x6xf32> {fsdp.param = "w"},
                %x: tensor<2x4x6xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<2x4x6xf32> {fsdp.grad = "w"}) {
  %empty = tensor.empty() : tensor<2x4x6xf32> loc("h.0.ln"("fwd"))
  %flat = tensor.empty() : tensor<8x6xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %ln = linalg.exp ins(%x : tensor<2x4x6xf32>) outs(%empty : tensor<2x4x6xf32>) -> tensor<2x4x6xf32> loc("h.0.ln"("fwd"))
  %saved = linalg.abs ins(%x : tensor<2x4x6xf32>) outs(%empty : tensor<2x4x6xf32>) -> tensor<2x4x6xf32> loc("h.0.ln"("fwd"))
  %in = tensor.collapse_shape %ln [[0, 1], [2]] : tensor<2x4x6xf32> into tensor<8x6xf32> loc("h.0.fc"("fwd"))
  %product = linalg.negf ins(%in : tensor<8x6xf32>) outs(%flat : tensor<8x6xf32>) -> tensor<8x6xf32> loc("h.0.fc"("fwd"))
  %fc = tensor.expand_shape %product [[0, 1], [2]] output_shape [2, 4, 6] : tensor<8x6xf32> into tensor<2x4x6xf32> loc("h.0"("fwd"))
  %sum = linalg.add ins(%fc, %x : tensor<2x4x6xf32>, tensor<2x4x6xf32>) outs(%empty : tensor<2x4x6xf32>) -> tensor<2x4x6xf32> loc("h.1.add"("fwd"))
  %out = tensor.collapse_shape %sum [[0, 1], [2]] : tensor<2x4x6xf32> into tensor<8x6xf32> loc("h.1.add"("fwd"))
  %loss = linalg.reduce { arith.addf } ins(%out : tensor<8x6xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]  loc("<root>"("fwd"))
  %back = linalg.mul ins(%saved, %w : tensor<2x4x6xf32>, tensor<2x4x6xf32>) outs(%empty : tensor<2x4x6xf32>) -> tensor<2x4x6xf32> loc("h.0.ln"("bwd"))
  %g = fsdp.local_grad %back of "w" : tensor<2x4x6xf32>
  return %loss, %g : tensor<f32>, tensor<2x4x6xf32>
}
