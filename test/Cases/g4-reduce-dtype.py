# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""G4: the dtype of a reduction holds for each leg of it and its accumulator.

2^24 + 1 is 2^24 in f32, wherever it is rounded: in the sum within a node, in
the accumulator, in the sum across. In f64 the mean is exact, and an f32.
"""

import numpy as np
from cases import equal, linear, run

STEP = linear(w=[2])
PLAN = """
world: {ranks: 4, ranks_per_node: 2}
loss: {mean: world}
defaults: {sharding_strategy: HYBRID_SHARD, mp_policy: {reduce: %s}}
"""
MICRO = "accumulate: {steps: 2, reduce: mean}\n"
big = 2.0**24
gradients = [[big, 1], [1, 4], [1, 4], [0, 3]]
values = [np.zeros(2), gradients]
legs = ["reduce_scatter node", "all_reduce local_rank_across_nodes"]


def dtypes(results):
    """The dtype of each leg."""
    return [key.rsplit(" ", 1)[1] for leg in legs for key in results.sent() if key.startswith(leg)]


for micro in ("", MICRO):
    results = run(STEP, PLAN % "f64" + micro, values)
    equal(results["grad w"], [[big / 4 + 0.5], [3]] * 2)
    equal(dtypes(results), ["f64", "f64"])
    results = run(STEP, PLAN % "f32" + micro, values)
    equal(results["grad w"], [[big / 4], [3]] * 2)
    equal(dtypes(results), ["f32", "f32"])
    # Narrower than the parameter: 257 is 256 in bf16, before anything is sent.
    results = run(STEP, PLAN % "bf16" + micro, [np.zeros(2), [[257, 4]] * 2 + [[256, 8], [0, 0]]])
    equal(results["grad w"], [[192], [4]] * 2)
    equal(dtypes(results), ["bf16", "bf16"])
