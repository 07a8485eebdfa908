# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""B8 (what is emitted): a reduce-scatter within, then an all-reduce of the shard.

Never an all-reduce of the full gradient. The group across is derived from the
loss; one that is named is checked.
"""

import numpy as np
from cases import compiled, equal, linear, rejected, run

STEP = linear(w=[6, 2])
PLAN = """
world: {ranks: 6, ranks_per_node: 3}
loss: {mean: world}
units: [{match: "**", process_group: [node, local_rank_across_nodes]}]
"""
inputs = np.array([np.arange(12).reshape(6, 2) * 2 * (rank + 1) for rank in range(6)])
mean = 7 * np.arange(12).reshape(6, 2)

for plan in (PLAN, PLAN.replace("[node, local_rank_across_nodes]", "node")):
    results = run(STEP, plan, [np.ones((6, 2)), inputs])
    equal(results["grad w"], [mean[2 * (rank % 3) :][:2] for rank in range(6)])
    across = "local_rank_across_nodes" if "local" in plan else "replicas"
    sums = {f"all_reduce {across} f32": 1, "all_reduce world f32": 1}
    equal(results.sent(), {"all_gather node f32": 1, "reduce_scatter node f32": 1} | sums)
    # The all-reduce is of the shard, behind the reduce-scatter.
    text, _ = compiled(STEP, plan)
    scatter = text.index("fsdp.reduce_scatter")
    line = text[text.index(f"over @{across} ", scatter) :].splitlines()[0]
    equal("tensor<2x2xf32>" in line, True)

rejected(
    STEP,
    PLAN.replace("local_rank_across_nodes", "self"),
    "expected the replicate group of parameter 'w' to be #fsdp.classes<[3, 2] from [2, 3] T(1, 0)>",
    "but got @self",
)
