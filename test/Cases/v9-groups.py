# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V9: groups that only look independent may not meet on one value.

Each pair of classes below meets in at most one rank, yet chunks would be lost
(W = 6) or come in the wrong order (W = 4). Different units may use them.
"""

import numpy as np
from cases import equal, linear, rejected, run

PAIRS = [
    (6, [[0, 1], [2, 3], [4, 5]], [[1, 2], [3, 4], [5, 0]]),
    (4, [[0, 1], [2, 3]], [[0, 2], [3, 1]]),
    (6, "set2", "set3"),
]


def attribute(spelling):
    """A group as an attribute: a word is quoted, a list is not."""
    return f'"{spelling}"' if isinstance(spelling, str) else spelling


STEP = linear(expert__w=[6], dense__w=[6])
for ranks, first, second in PAIRS:
    # In a plan: varying on one, stored over the other.
    plan = f"""
world: {{ranks: {ranks}}}
process_groups: {{a: {first}, b: {second}}}
shardings: [{{match: "expert.w", varying: [a]}}]
units: [{{match: expert, process_group: b}}]
"""
    rejected(STEP, plan, "expected compatible groups for parameter 'expert.w', but got @a and @b")
    # In attributes: split over both, along one dimension or two.
    for dims in ("[{@a, @b}, {}]", "[{@a}, {@b}]", "[{@a}, {}], varying = {@b}"):
        module = f"""
module attributes {{fsdp.world = #fsdp.world<ranks = {ranks}, ranks_per_node = {ranks}>}} {{
  fsdp.process_group @a = {attribute(first)}
  fsdp.process_group @b = {attribute(second)}
  func.func @step(%w: tensor<12x12xf32> {{fsdp.param = "w", fsdp.sharding = #fsdp.sharding<{dims}>}}) {{ return }}
}}
"""
        rejected(module, "{}", "expected compatible groups on one value, but got @a and @b")

# Two units, one group each.
plan = """
world: {ranks: 6}
loss: {mean: world}
units: [{match: expert, process_group: set2}, {match: dense, process_group: set3}]
"""
inputs = np.array([[6 * row * (rank + 1) for row in range(6)] for rank in range(6)])
results = run(STEP, plan, [np.ones(6), np.ones(6), inputs, inputs])
mean = [21 * row for row in range(6)]
equal(results["grad expert.w"], [mean[3 * (rank % 2) :][:3] for rank in range(6)])
equal(results["grad dense.w"], [mean[2 * (rank % 3) :][:2] for rank in range(6)])

# A list that is no digits of the rank number is a unit's group like any other.
plan = "world: {ranks: 6}\nloss: {mean: world}\ndefaults: {process_group: [[1, 2], [3, 4], [5, 0]]}\n"
results = run(STEP, plan, [np.ones(6), np.ones(6), inputs, inputs])
equal(results["grad dense.w"], [mean[3 * index :][:3] for index in (1, 0, 1, 0, 1, 0)])
