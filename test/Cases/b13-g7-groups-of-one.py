# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""B13, G7: over a group of one rank nothing is sent; all the rest stays.

Weights and gradients are such that each cast shows: 1 + 1/512 becomes 1 in
bf16, 257 becomes 256.
"""

from cases import equal, linear, run

STEP = linear(w=[2])
POLICY = "mp_policy: {param: bf16, reduce: bf16}"
WEIGHT = [1 + 1 / 512, 2]
GRADIENTS = [[257, 0], [256, 4], [256, 8], [256, 12]]  # sums 1024 (not 1025) and 24


def plan(ranks, per_node, group):
    """One unit with casts over a group, or over a pair."""
    return f"""
world: {{ranks: {ranks}, ranks_per_node: {per_node}}}
loss: {{mean: world}}
defaults: {{process_group: {group}, {POLICY}}}
"""


whole = [256, 6]
loss = (1025 + 2 * 24) / 4  # weights rounded, inputs not
across = {"all_reduce world bf16": 1, "all_reduce world f32": 1}
for per_node, group in [(4, "[self, world]"), (4, "[set1, mod1]"), (1, "[node, local_rank_across_nodes]"), (4, "self")]:
    results = run(STEP, plan(4, per_node, group), [WEIGHT, GRADIENTS])
    equal(results["grad w"], [whole] * 4)
    equal(results["loss"], [loss] * 4)
    name = next(iter(results.sent())).split()[1]
    equal(results.sent(), {key.replace("world", name): count for key, count in across.items()})

# The other way round: a replicate group of one rank.
results = run(STEP, plan(4, 4, "[world, self]"), [WEIGHT, GRADIENTS])
equal(results["grad w"], [[256], [6], [0], [0]])
equal(results["loss"], [loss] * 4)
equal(results.sent(), {"all_gather world bf16": 1, "reduce_scatter world bf16": 1, "all_reduce world f32": 1})

# One rank alone sends nothing, and casts.
results = run(STEP, plan(1, 1, "world"), [WEIGHT, [257, 3]])
equal(results["grad w"], [[256, 3]])
equal(results["loss"], [257 + 6])
equal(results.sent(), {})
# A sum of the loss has no scale, whatever the group.
results = run(STEP, plan(4, 4, "[self, world]").replace("mean", "sum"), [WEIGHT, GRADIENTS])
equal(results["grad w"], [[1024, 24]] * 4)
