# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V4, D1, D2: the norm counts every element of the wanted gradients once.

It is the same number on every rank, and that of the unsharded step. Gradients
are Pythagorean, so that anything counted twice or not at all shows.
"""

import numpy as np
from cases import equal, linear, run

CLIP = "optimizer: {name: sgd, lr: 1, clip_norm: %s}\n"


def clipped(gradient, norm, clip):
    """The update from zero weights, by the rule of clip_grad_norm_ in f32."""
    factor = np.float32(clip) / (np.float32(norm) + np.float32(1e-6))
    return -np.float32(gradient) * min(factor, np.float32(1))


# V4: shards of a dense gradient are 3 | 4; two experts, one per rank, have 0 | 12.
dense = [[1, 7], [5, 1]]
expert = [[0], [24]]
plan = """
world: {ranks: 2}
loss: {mean: world}
shardings: [{match: "expert.w", varying: [world]}]
units: [{match: expert, process_group: self}]
"""
step = linear(dense__w=[2], expert__w=[1])
values = [np.zeros(2), np.zeros((2, 1)), dense, expert]
results = run(step, plan + CLIP % 100, values)
equal(results["output grad_norm"], [13, 13])
equal(results["updated dense.w"], [[-3], [-4]])
equal(results["updated expert.w"], [[0], [-12]])
results = run(step, plan + CLIP % 6.5, values)
equal(results["output grad_norm"], [13, 13])
equal(results["updated dense.w"], [clipped([3], 13, 6.5), clipped([4], 13, 6.5)])
equal(results["updated expert.w"], [clipped([0], 13, 6.5), clipped([12], 13, 6.5)])

# D1: the unsharded step, with both experts in one tensor.
whole = run(
    linear(dense__w=[2], expert__w=[2]),
    "world: {ranks: 1}\n" + CLIP % 6.5,
    [np.zeros(2), np.zeros(2), np.mean(dense, axis=0), np.ravel(expert) / 2],
)
equal(whole["output grad_norm"], [13])
equal(whole["updated dense.w"][0], np.ravel(results["updated dense.w"]))
equal(whole["updated expert.w"][0], np.ravel(results["updated expert.w"]))

# V4: a replicated gradient (3, 4) on two ranks.
plan = "world: {ranks: 2}\nloss: {mean: world}\ndefaults: {sharding_strategy: NO_SHARD}\n"
results = run(linear(w=[2]), plan + CLIP % 100, [np.zeros(2), dense])
equal(results["output grad_norm"], [5, 5])

# D2: (3, 4) in HSDP, a scalar 12, an ignored 84, and an expert per node with 13 | 84:
# 3^2 + 4^2 + 12^2 = 13^2, 13^2 + 84^2 = 85^2, and 85^2 + 13^2 + 84^2 = 2 * 85^2.
plan = """
world: {ranks: 4, ranks_per_node: 2}
process_groups: {nodes: mod2}
loss: {mean: world}
defaults: {sharding_strategy: HYBRID_SHARD}
ignored: [free]
shardings: [{match: "expert.w", varying: [nodes]}]
units: [{match: expert, process_group: node}]
"""
step = linear(dense__w=[2], dense__s=[], free__w=[1], expert__w=[2])
inputs = [
    [[1, 7], [5, 1], [4, 3], [2, 5]],  # mean (3, 4)
    [10, 20, 8, 10],  # mean 12
    [[80], [90], [100], [66]],  # mean 84
    [[20, 0], [32, 0], [0, 200], [0, 136]],  # sums over a node times 1/4: (13, 0) | (0, 84)
]
values = [np.zeros(2), np.zeros(()), np.zeros(1), np.zeros(2)] + inputs
results = run(step, plan + CLIP % 1000, values)
equal(results["output grad_norm"], [np.float32(np.sqrt(2 * 85**2))] * 4)
equal(results["updated dense.w"], [[-3], [-4], [-3], [-4]])
equal(results["updated dense.s"], [-12] * 4)
equal(results["updated free.w"], [[-84]] * 4)
equal(results["updated expert.w"], [[-13], [0], [0], [-84]])
