# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""E5: communicators are made up front, in one order, those not in use as well.

All ranks run one program, in which a collective names its group by the number
of its declaration. So the groups of a plan that no unit uses must be made too:
without them the numbers that follow would mean other groups. That a group
cannot be made once ranks have started is `wrong-groups` in test/Runtime; what
happens when ranks use overlapping groups in another order (E3) `opposite-order`.
"""

import re

import numpy as np
from cases import compiled, equal, linear, run

STEP = linear(a__w=[6], b__w=[6])
PLAN = """
world: {ranks: 6}
process_groups: {unused: set3, first: mod2, idle: mod3, second: set2}
loss: {mean: world}
units: [{match: b, process_group: second}, {match: a, process_group: first}]
"""
inputs = np.array([[6 * row * (rank + 1) for row in range(6)] for rank in range(6)])
mean = np.array([21 * row for row in range(6)])
results = run(STEP, PLAN, [np.zeros(6), np.zeros(6), inputs, inputs])
equal(results["grad a.w"], [mean[2 * (rank // 2) :][:2] for rank in range(6)])
equal(results["grad b.w"], [mean[3 * (rank % 2) :][:3] for rank in range(6)])
used = {f"{kind} {group}" for kind in ("all_gather", "reduce_scatter") for group in ("first", "second")}
equal(used <= {key.rsplit(" ", 1)[0] for key in results.sent()}, True)

text, _ = compiled(STEP, PLAN)
declared = re.findall(r"fsdp.process_group @(\w+)", text)
equal(declared[:4], ["unused", "first", "idle", "second"])
# Nothing that simplifies the step drops or moves one.
passes = "--fsdp-compile=config={config}", "--symbol-dce", "--canonicalize", "--cse"
equal(re.findall(r"fsdp.process_group @(\w+)", compiled(STEP, PLAN, *passes)[0]), declared)
