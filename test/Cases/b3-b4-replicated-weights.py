# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""B3, B4: a norm's weight is the same on all ranks of tp while what it scales is
split there, in the sequence (B3) or in heads (B4).

Each rank has the terms of its part of the sequence, or of its heads. The gradient
is their sum: one all-reduce that no plan asks for. Where nothing is split there
is none.
"""

import numpy as np
from cases import compiled, equal, run

# loss = sum_tha w_a x_tha, so that the gradient is the sum of x over t and h.
STEP = """
#x = affine_map<(a, t, h) -> (t, h, a)>
#w = affine_map<(a, t, h) -> (a)>
#none = affine_map<(a, t, h) -> ()>
func.func @step(%w: tensor<3xf32> {fsdp.param = "norm.w"}, %x: tensor<4x2x3xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<3xf32> {fsdp.grad = "norm.w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<3xf32>
  %loss = linalg.generic {indexing_maps = [#x, #w, #none], iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x3xf32>, tensor<3xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%xi: f32, %wi: f32, %sum: f32):
    %0 = arith.mulf %xi, %wi : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %dw = linalg.generic {indexing_maps = [#x, #w], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<4x2x3xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%xi: f32, %sum: f32):
    %0 = arith.addf %sum, %xi : f32
    linalg.yield %0 : f32
  } -> tensor<3xf32>
  return %loss, %dw : tensor<f32>, tensor<3xf32>
}
"""
X = np.arange(24).reshape(4, 2, 3)
GRAD = X.sum(axis=(0, 1)).tolist()

for where, summed in [("[[tp], [], []]", 2), ("[[], [tp], []]", 2), ("[[tp], [dp], []]", 2), ("[[], [], []]", 0)]:
    plan = f"""
world: {{ranks: 4}}
mesh: {{dp: 2, tp: 2}}
batch: {{global: []}}
process_group: self
shardings: [{{match: x, dims: {where}}}]
"""
    results = run(STEP, plan, [np.ones(3), X])
    equal(results["grad norm.w"], [GRAD] * 4)
    equal(results["loss"], [276] * 4)
    # The gradient's, behind its marker, and the loss's.
    text, _ = compiled(STEP, plan)
    equal(text.count("fsdp.all_reduce"), summed)
    equal(text[text.index("fsdp.local_grad") :].count("fsdp.all_reduce"), summed)

# Stored in pieces over the ranks that have the terms: the sum comes as pieces.
results = run(STEP, plan.replace("[[], [], []]", "[[tp], [], []]").replace("self", "tp"), [np.ones(3), X])
equal(results["grad norm.w"], [GRAD[:2], [GRAD[2], 0]] * 2)
equal(results.sent(), {"all_gather tp f32": 1, "all_reduce tp f32": 1, "reduce_scatter tp f32": 1})
