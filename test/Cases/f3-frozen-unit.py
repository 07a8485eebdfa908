# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""F3: a frozen unit is gathered in backward only if used, and freed.

The unit in the middle is frozen. While the one in front of it is trained its
parameter is gathered again for backward, as that of any unit is; with both
frozen it is gathered once, and nothing reads it after forward.
"""

import pathlib

import numpy as np
from cases import equal, run

STEP = (pathlib.Path(__file__).parent / "Inputs" / "layers.mlir").read_text()
PLAN = """
world: {ranks: 4}
loss: {mean: world}
units: [{match: "h.*"}, {match: mid}]
"""


def freeze(step, name, gradient):
    """The step without this parameter's gradient."""
    step = step.replace(f' tensor<6xf32> {{fsdp.grad = "{name}"}},', "")
    returned = step[step.index("  return") :]
    fewer = returned.replace(f", {gradient}", "").replace("tensor<f32>, tensor<6xf32>", "tensor<f32>", 1)
    return step.replace(returned, fewer)


x = np.array([[4 * rank + row for row in range(6)] for rank in range(4)])
first, mid, head = np.arange(6) + 1, np.arange(6) + 2, 6 - np.arange(6)
mean = x.mean(axis=0)
one = freeze(STEP, "mid.w", "%dmid")
both = freeze(one, "h.0.w", "%dfirst")
for step, gathers, gradients in [
    (one, 4, {"h.0.w": mean * mid * head, "head.w": mean * first * mid}),
    (both, 3, {"head.w": mean * first * mid}),
]:
    results = run(step, PLAN, [first, mid, head, x])
    sent = results.sent()
    equal(sent["all_gather world f32"], gathers)
    equal(sent["reduce_scatter world f32"], len(gradients))
    for name, gradient in gradients.items():
        equal(results[f"grad {name}"], [np.append(gradient, [0, 0])[2 * rank :][:2] for rank in range(4)])
