# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""F6, F2: common-subexpression elimination never merges a unit's two gathers.

Nor do canonicalization and the passes in between, when the gathers are still
equal reshards. The root unit reshards after forward like any other; where no
other parameter is used in between the second gather is elided, with a remark;
with `auto` the whole root is kept, as backward begins with it.
"""

import pathlib
import re

import numpy as np
from cases import compiled, equal, run

STEP = (pathlib.Path(__file__).parent / "Inputs" / "layers.mlir").read_text()
PLAN = """
world: {ranks: 4}
loss: {mean: world}
defaults: {mp_policy: {param: bf16}, reshard_after_forward: true}
units: [{match: "h.*", reshard_after_forward: false}]
"""
CLEAN = "--canonicalize", "--cse", "--canonicalize", "--cse"
SHARD = [
    f"--fsdp-{name}"
    for name in (
        "combine-results",
        "shard-storage",
        "partition-updates",
        "reshard-after-forward",
        "lower-norm",
        "lower-reshards",
    )
]


def gathers(plan, *passes):
    """How many gathers there are, and the remarks."""
    text, remarks = compiled(STEP, plan, *passes)
    return text.count("fsdp.all_gather"), remarks


# first 1, mid 2, head 1; the elided gather sends 6 bf16.
count, remarks = gathers(PLAN)
equal(count, 4)
equal(re.findall(r"the second gather is elided, (\d+) bytes", remarks), ["12"])
equal(gathers(PLAN, "--fsdp-compile=config={config}", *CLEAN)[0], 4)
between = [pass_ for name in SHARD for pass_ in (name, *CLEAN)]
equal(gathers(PLAN, "--fsdp-import", "--fsdp-annotate=config={config}", *between)[0], 4)
# Without it each is gathered once.
count, remarks = gathers(PLAN.replace("reshard_after_forward: true", "reshard_after_forward: false"))
equal((count, "elided" in remarks), (3, False))
AUTO = PLAN.replace("reshard_after_forward: true", "reshard_after_forward: auto")
count, remarks = gathers(AUTO)
equal(count, 3)
equal(re.findall(r"the second gather is elided, (\d+) bytes", remarks), ["12", "12"])

x = np.array([[4 * rank + row for row in range(6)] for rank in range(4)])
first, mid, head = np.arange(6) + 1, np.arange(6) + 2, 6 - np.arange(6)
mean = x.mean(axis=0)
gradients = [("h.0.w", mean * mid * head), ("mid.w", mean * first * head), ("head.w", mean * first * mid)]
for plan, count in (PLAN, 4), (AUTO, 3):
    results = run(STEP, plan, [first, mid, head, x])
    for name, gradient in gradients:
        equal(results[f"grad {name}"], [np.append(gradient, [0, 0])[2 * rank :][:2] for rank in range(4)])
    equal(results.sent()["all_gather world bf16"], count)
