# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""G5: a parameter that no rank uses has a gradient of zeros, and costs nothing.

Also with micro-batches, and when an optimizer decays its weights.
"""

import numpy as np
from cases import compiled, equal, linear, run

# Its gradient is the constant that exporters write.
STEP = linear(w=[5], u=[5])
begin, end = STEP.index("%l1 ="), STEP.index("return")
STEP = STEP[:begin] + "%zeros = arith.constant dense<0.0> : tensor<5xf32>\n" + STEP[end:]
STEP = STEP.replace("return %l1, %x0, %x1", "return %l0, %x0, %zeros")
UNUSED = "parameter 'u' is never used; its gradient is zero and nothing is sent"
x = np.array([[4 * rank + row for row in range(5)] for rank in range(4)])
values = [np.ones(5), np.arange(5) + 1, x, x]
mean = [[6, 7], [8, 9], [10, 0], [0, 0]]

for strategy, rows in [("FULL_SHARD", 2), ("HYBRID_SHARD", 3), ("NO_SHARD", 5)]:
    for micro in ("", "accumulate: {steps: 2, reduce: mean}\n"):
        plan = f"world: {{ranks: 4, ranks_per_node: 2}}\nloss: {{mean: world}}\n{micro}"
        plan += f"defaults: {{sharding_strategy: {strategy}}}\n"
        results = run(STEP, plan, values)
        equal(results["grad u"], [[0] * rows] * 4)
        equal(compiled(STEP, plan)[1].count(UNUSED), 1)
        # What is sent is what a step without `u` sends.
        equal(results.sent(), run(linear(w=[5]), plan, [values[0], x]).sent())
plan = "world: {ranks: 4}\nloss: {mean: world}\noptimizer: {name: sgd, lr: 0.5, weight_decay: 0.5, clip_norm: 1000}\n"
results = run(STEP, plan, values)
equal(results["updated u"], [[0.75, 1.5], [2.25, 3], [3.75, 0], [0, 0]])
equal(results["output grad_norm"], [np.float32(np.sqrt(36 + 49 + 64 + 81 + 100))] * 4)
