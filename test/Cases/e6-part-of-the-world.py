# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""E6: a group must say where every rank is; it never stands for the world."""

import numpy as np
from cases import equal, linear, rejected, run

STEP = linear(w=[4])
MISSING = "expected a process group to cover the world, but got no class with rank 2, 3"
rejected(STEP, "world: {ranks: 4}\nprocess_groups: {g: [[0, 1]]}\n", "plan.yaml:2:21: error: " + MISSING)
rejected(STEP, "world: {ranks: 4}\ndefaults: {process_group: [[0, 1]]}\n", "plan.yaml:2:27: error: " + MISSING)
module = """
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @g = [[0, 1]]
  func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}) { return }
}
"""
rejected(module, "{}", MISSING)

# With the ranks that were missing, alone or together.
inputs = [[4, 8, 12, 16], [8, 8, 8, 8], [0, 4, 0, 4], [4, 4, 4, 4]]
results = run(STEP, "world: {ranks: 4}\ndefaults: {process_group: [[0, 1], [2, 3]]}\n", [np.ones(4), inputs])
equal(results["grad w"], [[4, 6], [6, 8]] * 2)
