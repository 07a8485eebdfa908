# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V3, A1: the gradient of an expert is the mean over all ranks, whatever the
degree of expert parallelism.

Four experts in one parameter, whose first dimension is split over `ep` ranks.
All tokens go to expert 0, so its gradient is the mean of the tokens and that of
the others 0. A scale of 1/(size of the expert's own group) would be `ep` times
too large.
"""

import numpy as np
from cases import equal, linear, run

TOKENS = np.array([2, 4, 6, 8])  # Of mean 5.


def plan(ep, batch, group):
    return f"""
world: {{ranks: 4}}
mesh: {{edp: {4 // ep}, ep: {ep}}}
batch: {batch}
process_group: self
units: [{{match: experts, process_group: {group}}}]
shardings: [{{match: "experts.w", dims: [[ep], []]}}]
"""


def pieces(whole, ep, stored):
    """What each rank keeps of a tensor whose first dim is split over ep, then over edp."""
    parts = []
    for rank in range(4):
        mine = np.split(whole, ep)[rank % ep]
        parts.append(np.split(mine, 4 // ep)[rank // ep] if stored else mine)
    return parts


# Each rank with tokens of its own: (rank, expert, token).
routed = np.zeros((4, 4, 2))
routed[:, 0] = TOKENS[:, None]
grad = np.zeros((4, 2))
grad[0] = 5
for ep in (1, 2, 4):
    for group in ("self", "edp"):
        results = run(linear(experts__w=[4, 2]), plan(ep, "per_rank", group), [np.ones((4, 2)), routed])
        equal(results["grad experts.w"], pieces(grad, ep, group == "edp"))
        equal(results["loss"], [2 * 5] * 4)

# One batch of the four tokens over all ranks: (token, expert), the mean is the
# exported step's own.
GLOBAL = """
#tokens = affine_map<(e, d, t) -> (t, e)>
#expert = affine_map<(e, d, t) -> (e, d)>
#none = affine_map<(e, d, t) -> ()>
func.func @step(%w: tensor<4x2xf32> {fsdp.param = "experts.w"},
                %x: tensor<4x4xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
    -> (tensor<f32> {fsdp.loss}, tensor<4x2xf32> {fsdp.grad = "experts.w"}) {
  %quarter = arith.constant 0.25 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %loss = linalg.generic {indexing_maps = [#tokens, #expert, #none], iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%xi: f32, %wi: f32, %sum: f32):
    %0 = arith.mulf %xi, %wi : f32
    %1 = arith.mulf %0, %quarter : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  %dw = linalg.generic {indexing_maps = [#tokens, #expert], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%xi: f32, %sum: f32):
    %0 = arith.mulf %xi, %quarter : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x2xf32>
  return %loss, %dw : tensor<f32>, tensor<4x2xf32>
}
"""
for ep in (1, 2, 4):
    for group in ("self", "edp"):
        results = run(GLOBAL, plan(ep, "global", group), [np.ones((4, 2)), TOKENS[:, None] * np.eye(4)[0]])
        equal(results["grad experts.w"], pieces(grad, ep, group == "edp"))
        equal(results["loss"], [2 * 5] * 4)
