# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""A4, A1, V3: experts in a unit on `self`, the loss a mean over the world.

The unit's group never decides what a value is. Not declared as varying, the
parameter is one that all ranks share: all-reduced, with a remark that says how
to declare it. Declared, nothing is sent and the scale is still 1/W, whatever
the degree of expert parallelism.
"""

import numpy as np
from cases import compiled, equal, linear, run

STEP = linear(expert__w=[2], dense__w=[4])
PLAN = """
world: {ranks: 4}
loss: {mean: world}
units: [{match: expert, process_group: self}]
"""
REMARK = "if they differ from rank to rank, say so with 'shardings: [{match: ..., varying: [group]}]'"
GRADIENTS = np.array([[4, 8], [12, 16], [20, 24], [32, 40]])
values = [[1, 1], np.zeros(4), GRADIENTS, np.zeros((4, 4))]
others = {"all_gather world f32": 1, "reduce_scatter world f32": 1, "all_reduce world f32": 1}

results = run(STEP, PLAN, values)
equal(results["grad expert.w"], [[17, 22]] * 4)
equal(results.sent(), others | {"all_reduce world f32": 2})
equal(compiled(STEP, PLAN)[1].count(REMARK), 1)

declared = PLAN + 'shardings: [{match: "expert.w", varying: [world]}]\n'
results = run(STEP, declared, values)
equal(results["grad expert.w"], [[1, 2], [3, 4], [5, 6], [8, 10]])
equal(results.sent(), others)
equal(compiled(STEP, declared)[1].count(REMARK), 0)

# Two ranks with the first expert, two with the second: only these are summed.
declared = PLAN + 'shardings: [{match: "expert.w", varying: [set2]}]\n'
results = run(STEP, declared, values)
equal(results["grad expert.w"], [[6, 8], [11, 14], [6, 8], [11, 14]])
equal(results.sent(), others | {"all_reduce replicas f32": 1})

# V3: tokens 2 and 4 all go to the expert on rank 0, so that its gradient there
# is 6 and elsewhere 0; the mean over two ranks is 3 for every group.
for experts, expected in [("[]", [[3], [3]]), ("[set1]", [[3], [3]]), ("[set2]", [[3], [0]])]:
    for group in ("self", "world"):
        if experts == "[set2]" and group == "world":
            continue  # Rejected, see V7.
        plan = f"world: {{ranks: 2}}\nloss: {{mean: world}}\ndefaults: {{process_group: {group}}}\n"
        if experts != "[]":
            plan += f"shardings: [{{match: w, varying: {experts}}}]\n"
        results = run(linear(w=[1]), plan, [[0], [[6], [0]]])
        shards = expected if group == "self" else [[3], [0]]
        equal(results["grad w"], shards)
