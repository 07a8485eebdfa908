# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""B12: storage of a parameter that is split over tp, over ranks that hold other pieces.

A group that contains ranks of tp would mix the pieces, so it is rejected and the
complement is named. With that group the step runs, and a parameter that is the
same on all ranks of tp may be stored over all.
"""

import numpy as np
from cases import equal, linear, rejected, run

STEP = linear(split__w=[4], same__w=[4])


def plan(group):
    return f"""world: {{ranks: 4}}
mesh: {{dp: 2, tp: 2}}
shardings: [{{match: "split.w", dims: [[tp]]}}]
units:
- match: split
  process_group: {group}
"""


for group in ("world", "tp", "set2"):
    rejected(
        STEP,
        plan(group),
        "plan.yaml:6:18: error: ",
        "expected storage of parameter 'split.w' to be split over ranks that hold the same value, "
        f"but got @{'tp' if group == 'set2' else group}, along which it differs; use its complement @dp",
    )

weights = np.arange(4)
inputs = np.array([[4, 8, 12, 16]] * 4) * (np.arange(4) + 1)[:, None]
results = run(STEP, plan("dp") + "optimizer: {name: sgd, lr: 1}\n", [weights, weights, inputs, inputs])
update = weights - inputs.mean(axis=0)
# Ranks 0 and 2 compute with the first half, and store a row of it each.
equal(results["updated split.w"], [[update[0]], [update[2]], [update[1]], [update[3]]])
equal(results["updated same.w"], [[row] for row in update])
