# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V7, B12: storage that would be split over ranks that hold different tensors.

Gathering such slices mixes the tensors ([1, 2, 3, 4] and [10, 20, 30, 40] over
two ranks give [1, 2, 30, 40]). It is rejected at annotate, and the error names
the group that is right; with that group the step runs.
"""

import numpy as np
from cases import equal, linear, rejected, run

STEP = linear(expert__w=[4], dense__w=[4])


def plan(ranks, varying, group):
    """The expert is varying on one group and stored over another."""
    return f"""world: {{ranks: {ranks}}}
process_groups: {{ep: {varying}, edp: mod2}}
shardings: [{{match: "expert.w", varying: [ep]}}]
units:
- match: expert
  process_group: {group}
"""


def expect(text, group, differs, complement):
    rejected(
        STEP,
        text,
        "plan.yaml:6:18: error: ",
        "expected storage of parameter 'expert.w' to be split over ranks that hold the same value, but got "
        f"@{group}, along which it differs; use its complement {complement}",
        "the parameter's placement is #fsdp.sharding<[{}], varying = {@" + differs + "}>",
    )


expect(plan(2, "set2", "set2"), "ep", "ep", "@edp")
expect(plan(4, "set2", "ep"), "ep", "ep", "@edp")
expect(plan(4, "set2", "world"), "world", "ep", "@edp")
expect(plan(8, "set4", "set2"), "set2", "ep", "#fsdp.classes<[4, 2] from [2, 4] T(1, 0)>")

# The corrected plan: each of two experts is split over the ranks that hold it.
weights = np.array([[1, 2, 3, 4], [10, 20, 30, 40]] * 2)
inputs = np.array([[rank + 1] * 4 for rank in range(4)]) * [4, 8, 12, 16]
update = "optimizer: {name: sgd, lr: 1}\n"
results = run(STEP, plan(4, "set2", "edp") + update, [weights, np.zeros(4), inputs, inputs])
# Ranks 0 and 2 hold the first expert, 1 and 3 the second; scale 1/4.
whole = [weights[0] - (1 + 3) * np.array([1, 2, 3, 4]), weights[1] - (2 + 4) * np.array([1, 2, 3, 4])]
equal(results["updated expert.w"], [whole[0][:2], whole[1][:2], whole[0][2:], whole[1][2:]])
equal(results["updated dense.w"], [[-10], [-20], [-30], [-40]])
