# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""A2: a loss that is a mean over ranks already, and a plan that says it is to be one.

With a global batch the exported loss is that of all ranks; tensor-parallel ranks
all have the same loss. A mean over such groups would scale gradients twice, so
the groups must be exactly those along which the loss differs.
"""

import numpy as np
from cases import equal, linear, rejected, run

STEP = linear(w=[4]).replace('"x:w"}', '"x:w", fsdp.batch_dim = 0 : i64}')


def plan(batch, loss):
    return f"world: {{ranks: 4}}\nmesh: {{dp: 2, tp: 2}}\nbatch: {batch}\nloss: {loss}\nprocess_group: self\n"


for batch, loss in [("global", "{mean: world}"), ("{per_rank: [dp]}", "{mean: world}"), ("{per_rank: [dp]}", "{mean: [tp]}"),
                    ("{global: [dp]}", "{sum: [dp]}"), ("per_rank", "{mean: [dp]}")]:  # fmt: skip
    rejected(STEP, plan(batch, loss), "error: expected ", "loss")

# Each of these is right: the mean of what the ranks' losses are.
for batch, loss, inputs, grad in [
    ("global", "{mean: []}", [4, 8, 12, 16], [4, 8, 12, 16]),
    ("{per_rank: [dp]}", "{mean: [dp]}", [[4, 8, 12, 16]] * 2 + [[0, 0, 4, 4]] * 2, [2, 4, 8, 10]),
]:
    results = run(STEP, plan(batch, loss), [np.ones(4), inputs])
    equal(results["grad w"], [grad] * 4)
    equal(results["loss"], [sum(grad)] * 4)
