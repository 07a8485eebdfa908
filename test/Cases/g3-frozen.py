# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""G3: a frozen and a trainable parameter in one unit.

Both are sharded and gathered; nothing is reduced, clipped, kept as a state or
updated for the frozen one.
"""

import re

import numpy as np
from cases import compiled, equal, linear, run

STEP = linear(m__frozen=[4], m__w=[4])
FROZEN = STEP.replace(', tensor<4xf32> {fsdp.grad = "m.frozen"}', "").replace("%l1, %x0, %x1", "%l1, %x1")
FROZEN = re.sub(r"(return .*): tensor<f32>, tensor<4xf32>, ", r"\1: tensor<f32>, ", FROZEN)
PLAN = """
world: {ranks: 4}
loss: {mean: world}
units: [{match: m}]
"""
x = np.array([[4 * rank + row for row in range(4)] for rank in range(4)])
values = [[1, 2, 3, 4], [1, 1, 1, 1], x, x * 4]
for step in (FROZEN, FROZEN.replace('"m.frozen"}', '"m.frozen", fsdp.frozen}')):
    results = run(step, PLAN, values)
    equal(results["grad m.w"], [[4 * (6 + row)] for row in range(4)])
    equal(
        results.sent(),
        {"all_gather world f32": 2, "reduce_scatter world f32": 1, "all_reduce world f32": 1},
    )
    equal(results["loss"], [sum((row + 1) * (6 + row) + 4 * (6 + row) for row in range(4))] * 4)
    clipped = PLAN + "optimizer: {name: momentum, lr: 1, momentum: 0.5, clip_norm: 1000}\n"
    results = run(step, clipped, values)
    equal(results["updated m.w"], [[1 - 4 * (6 + row)] for row in range(4)])
    equal(results["output grad_norm"], [np.float32(np.sqrt(16 * sum((6 + row) ** 2 for row in range(4))))] * 4)
    equal(re.findall(r'fsdp.updated\w* = "([^"]*)"', compiled(step, clipped)[0]), ["m.w", "momentum_buffer:m.w"])
# Trainable, it would be reduced.
equal(run(STEP, PLAN, values).sent()["reduce_scatter world f32"], 2)
