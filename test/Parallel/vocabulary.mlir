// SPDX-License-Identifier: Apache-2.0
// Vocabulary-parallel embedding and loss, with weights of their own and tied. A
// rank looks up the tokens of its rows, and the logits stay in pieces: three
// reductions of one number per token, however large the vocabulary is.
// RUN: split-file %s %t
// RUN: fsdp-opt %S/../Inputs/parallel/gpt.mlir --allow-unregistered-dialect --fsdp-compile=config=%t/gpt.yaml | FileCheck %s --check-prefix=GPT --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/parallel/tied.mlir --allow-unregistered-dialect --fsdp-compile=config=%t/tied.yaml | FileCheck %s --check-prefix=TIED --implicit-check-not='fsdp.{{all_|reduce_|broadcast|permute}}'
// RUN: fsdp-run %S/../Inputs/parallel/gpt.mlir --config=%t/gpt.yaml --verify=f64 --quiet
// RUN: fsdp-run %S/../Inputs/parallel/tied.mlir --config=%t/tied.yaml --verify=f64 --quiet

// torch's cross-entropy, with its argmax, as one-hot and as a gather.
// RUN: fsdp-opt %S/../Inputs/A1_nanogpt.mlir --allow-unregistered-dialect --fsdp-compile=config=%t/torch.yaml | FileCheck %s --check-prefix=TORCH --implicit-check-not='fsdp.{{all_gather|all_to_all|reduce_|broadcast|permute}}'
// RUN: fsdp-opt %S/../Inputs/A1_nanogpt_rawce.mlir --allow-unregistered-dialect --fsdp-compile=config=%t/torch.yaml | FileCheck %s --check-prefix=TORCH --implicit-check-not='fsdp.{{all_gather|all_to_all|reduce_|broadcast|permute}}'
// RUN: fsdp-run %S/../Inputs/A1_nanogpt_rawce.mlir --config=%t/torch.yaml --verify=f64 --quiet

// Ten rows each; the sum of what the ranks found.
// GPT: tensor.extract %{{.*}} : tensor<10x16xf32>
// GPT: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// Attention and feed-forward.
// GPT-COUNT-2: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// The largest logit, the sum of powers, and the target's.
// GPT: linalg.matmul {{.*}} -> tensor<32x10xf32>
// GPT: fsdp.all_reduce{{ +}}max %{{.*}} over @tp : (tensor<32xf32>)
// GPT: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<32xf32>)
// GPT: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<32xf32>)
// Backward: none for the loss, one where the head's input splits, none at the
// embedding, of which each rank scatters its rows.
// GPT: fsdp.local_grad %{{.*}} of "head.weight" : tensor<10x16xf32>
// GPT: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// GPT-COUNT-2: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// GPT: fsdp.scatter {{.*}} outs(%{{.*}} : tensor<10x16xf32>)
// GPT: fsdp.local_grad %{{.*}} of "embed.weight" : tensor<10x16xf32>
// GPT: return

// TIED: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// TIED: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// TIED: fsdp.all_reduce{{ +}}max %{{.*}} over @tp : (tensor<32xf32>)
// TIED-COUNT-2: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<32xf32>)
// TIED-COUNT-2: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<4x8x16xf32>)
// Both uses' gradients are added before anything is stored.
// TIED: fsdp.scatter {{.*}} outs(%{{.*}} : tensor<10x16xf32>)
// TIED: arith.addf
// TIED: fsdp.local_grad %{{.*}} of "embed.weight" : tensor<10x16xf32>
// TIED: return

// TORCH: tensor.extract %{{.*}} : tensor<64x32xf32>
// TORCH: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<8x16x32xf32>)
// TORCH: linalg.matmul {{.*}} -> tensor<128x64xf32>
// TORCH: fsdp.all_reduce{{ +}}max %{{.*}} over @tp : (tensor<128xf32>)
// TORCH: fsdp.all_reduce{{ +}}sum %{{.*}} over @tp : (tensor<128x1xf32>)
// TORCH: fsdp.local_grad %{{.*}} of "transformer.wte.weight" : tensor<64x32xf32>
// TORCH: return

//--- gpt.yaml
world: {ranks: 4}
mesh: {tp: 4}
batch: {global: []}
process_group: self
shardings:
  - {match: "{embed,head}.weight", dims: [[tp], []]}
  - {match: "h.*.attn.{q,k,v}.weight", dims: [[tp], []]}
  - {match: "h.*.attn.o.weight", dims: [[], [tp]]}
  - {match: "h.*.mlp.fc1.weight", dims: [[tp], []]}
  - {match: "h.*.mlp.fc1.bias", dims: [[tp]]}
  - {match: "h.*.mlp.fc2.weight", dims: [[], [tp]]}

//--- tied.yaml
world: {ranks: 4}
mesh: {tp: 4}
batch: {global: []}
process_group: self
shardings:
  - {match: "embed.weight", dims: [[tp], []]}
  - {match: "h.*.fc1.weight", dims: [[tp], []]}
  - {match: "h.*.fc1.bias", dims: [[tp]]}
  - {match: "h.*.fc2.weight", dims: [[], [tp]]}

//--- torch.yaml
world: {ranks: 2}
mesh: {tp: 2}
batch: {global: []}
process_group: self
shardings:
  - {match: "transformer.wte.weight", dims: [[tp], []]}
