# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""G6: scalars, and parameters with fewer rows than there are ranks.

A scalar has nothing to split: every rank keeps it, and its gradient is
all-reduced. The rest is split by rows and padded (V2).
"""

import numpy as np
from cases import equal, linear, run

STEP = linear(s=[], one=[1], few=[3, 2])
PLAN = """
world: {ranks: 8, ranks_per_node: 4}
loss: {mean: world}
defaults: {sharding_strategy: %s}
optimizer: {name: momentum, lr: 1, momentum: 0.5, weight_decay: 0.5, clip_norm: 1000}
"""
s = np.array([8.0 * rank for rank in range(8)])  # mean 28
one = np.array([[4.0 * rank] for rank in range(8)])  # mean 14
few = np.array([[[2 * rank, 0], [0, 4], [8, 2 * rank]] for rank in range(8)])  # mean 7, 0, 0, 4, 8, 7
values = [2, [4], np.arange(6).reshape(3, 2), s, one, few]
norm = np.float32(np.sqrt(28**2 + 14**2 + 7**2 + 4**2 + 8**2 + 7**2))

for strategy, ranks in [("FULL_SHARD", 8), ("HYBRID_SHARD", 4), ("NO_SHARD", 1)]:
    results = run(STEP, PLAN % strategy, values)
    equal(results["updated s"], [2 - 28 - 1] * 8)
    index = [rank % ranks for rank in range(8)]
    few_updated = values[2] * 0.5 - few.mean(axis=0)
    whole = ranks == 1
    equal(results["updated one"], [[4 - 14 - 2] if i == 0 else [0] for i in index])
    equal(
        results["updated few"],
        [few_updated if whole else few_updated[i : i + 1] if i < 3 else np.zeros((1, 2)) for i in index],
    )
    equal(results["output grad_norm"], [norm] * 8)
