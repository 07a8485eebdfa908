# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V1: what each spelling of a process group means, from a plan file on."""

import re

import numpy as np
from cases import compiled, equal, linear, rejected


def resolve(ranks, per_node, *spellings):
    """The classes of each spelling, written out from the resolved IR."""
    plan = f"world: {{ranks: {ranks}, ranks_per_node: {per_node}}}\nprocess_groups:\n"
    plan += "".join(f"  g{i}: {spelling}\n" for i, spelling in enumerate(spellings))
    passes = "--fsdp-read-plan=config={config}", "--fsdp-resolve-groups"
    text, _ = compiled(linear(w=[4]), plan, *passes)
    found = {}
    form = r"fsdp.process_group @(\w+) = #fsdp.classes<\[(\d+), (\d+)\] from \[([\d, ]+)\](?: T\(([\d, ]+)\))?>"
    for name, count, size, dims, order in re.findall(form, text):
        digits = np.arange(ranks).reshape([int(n) for n in dims.split(",")])
        order = [int(n) for n in order.split(",")] if order else list(range(digits.ndim))
        found[name] = digits.transpose(order).reshape(int(count), int(size)).tolist()
    # Equal groups are one group, under the first name.
    return [found.get(f"g{i}") for i in range(len(spellings))]


node, across, set4, mod2, mod4, single = resolve(
    16, 8, "node", "local_rank_across_nodes", "set4", "mod2", "mod4", "self"
)
equal(node, [list(range(8)), list(range(8, 16))])
equal(across, [[i, i + 8] for i in range(8)])
equal(set4, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]])
equal(mod2, [list(range(0, 16, 2)), list(range(1, 16, 2))])
equal(mod4, [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]])
equal(single, [[rank] for rank in range(16)])

equal(resolve(16, 8, "world", "set16", "mod1"), [[list(range(16))], None, None])
equal(resolve(16, 8, "null", "world"), [[list(range(16))], None])
equal(resolve(16, 8, "set1", "self", "mod16"), [[[rank] for rank in range(16)], None, None])
equal(resolve(16, 8, "node", "set8", "local_rank_across_nodes", "mod8"), [node, None, across, None])
equal(resolve(6, 3, "set3", "node"), [[[0, 1, 2], [3, 4, 5]], None])
equal(resolve(6, 3, "mod3", "local_rank_across_nodes"), [[[0, 3], [1, 4], [2, 5]], None])
# As a list, in another order of classes: the same group. Another order of ranks: another group.
equal(resolve(4, 4, "set2", "[[2, 3], [0, 1]]"), [[[0, 1], [2, 3]], None])
# A world whose last node is short is legal where no group asks for nodes.
equal(resolve(12, 8, "set4"), [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]])

near = {"set0": "set1", "set": "set1", "set-2": "set2", "set4.0": "set4", "set 4": "set4", "SET4": "set4"}
near |= {"setset4": "set4", "mod4o": "mod4", "world ": "world"}
cases = {f"'{word}'": (f"but got '{word}'", f"did you mean '{best}'") for word, best in near.items()}
# Reading the plan finds this one.
cases["''"] = ("expected", "but got ''")
cases |= {
    "[[0, 1, 2, 3], [4, 5, 5, 7]]": ("rank 5 twice",),
    "[[0, 1, 2, 3], [3, 4, 5, 6]]": ("rank 3 twice",),
    "[[0, 1, 2], [4, 5, 6]]": ("no class with rank 3",),
    "[[0, 1, 2, 3], [4, 5, 6, 8]]": ("in 0 to 7, but got rank 8",),
    "[[0, 1, 2, 3, 4], [5, 6, 7]]": ("equal sizes", "rank 5"),
    "set3": ("'set3' to divide the number of ranks, but got 8 ranks",),
}
for spelling, pieces in cases.items():
    plan = f"world: {{ranks: 8, ranks_per_node: 4}}\nprocess_groups:\n  g: {spelling}\n"
    rejected(linear(w=[4]), plan, "plan.yaml:3:6: error: ", *pieces)
for ranks, per_node, spelling in [(6, 3, "set4"), (6, 3, "mod4"), (12, 8, "node"), (12, 8, "local_rank_across_nodes")]:
    plan = f"world: {{ranks: {ranks}, ranks_per_node: {per_node}}}\nprocess_groups: {{g: {spelling}}}\n"
    rejected(linear(w=[4]), plan, "plan.yaml:2:21: error: ", f"'{spelling}'", f"{ranks} ranks")
