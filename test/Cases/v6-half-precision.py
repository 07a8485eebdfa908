# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V6: a mean over 8 ranks whose sum overflows f16 though the mean does not."""

import numpy as np
from cases import equal, linear, run

# One row overflows when summed, one does not and differs from rank to rank.
gradients = [[16000, 800 * rank] for rank in range(8)]
mean = [16000, 2800]
shards = [[value] for value in mean] + [[0]] * 6
pairs = [[mean[rank % 2]] for rank in range(8)]

for dtype in ("f16", "f32"):
    plan = f"world: {{ranks: 8, ranks_per_node: 2}}\nloss: {{mean: world}}\ndefaults: {{mp_policy: {{reduce: {dtype}}}"
    for strategy, wanted, kind in [
        ("FULL_SHARD", shards, "reduce_scatter world"),
        ("NO_SHARD", [mean] * 8, "all_reduce world"),
        ("HYBRID_SHARD", pairs, "reduce_scatter node"),
    ]:
        sharded = plan + f", sharding_strategy: {strategy}}}\n"
        results = run(linear(w=[2]), sharded, [np.zeros(2), gradients])
        equal(results["grad w"], wanted)
        equal(f"{kind} {dtype}" in results.sent(), True)
        # Each micro-batch is scaled in front of its own reduction.
        results = run(linear(w=[2]), sharded + "accumulate: {steps: 2, reduce: sum}\n", [np.zeros(2), gradients])
        equal(results["grad w"], [2 * np.array(part) for part in wanted])

# A step that is f16 throughout: the loss too.
plan = "world: {ranks: 8}\nloss: {mean: world}\n"
results = run(linear("f16", w=[2]), plan, [[1, 0], gradients], dtype=np.float16)
equal(results["grad w"], shards)
equal(results["loss"], [16000] * 8)
