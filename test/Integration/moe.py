# SPDX-License-Identifier: Apache-2.0
"""Experts on process groups of their own, on 16 ranks in nodes of 8.

Where experts are the same on all ranks, any group may store them. Where they
are distinct along set4, only ranks that hold the same experts may share their
storage: self, set1, mod4 and local_rank_across_nodes do; for the others the
error names parameter, group, and the complement of set4 as the fix.

    moe.py fsdp-run           some groups, all rejections
    moe.py fsdp-run --full    every group in both ways, for both files
"""

import re

from harness import Lane
from tolerances import VERIFY

GROUPS = ["world", "self", "node", "local_rank_across_nodes", "set1", "set2", "set4", "mod2", "mod4"]
ALLOWED = {"self", "set1", "mod4", "local_rank_across_nodes"}  # if distinct along set4
# file: what is a unit, and which parameters are experts.
EXPERTS = {
    "A5_moe_modules": ("transformer.h.*.ffn.experts", "transformer.h.*.ffn.experts.**"),
    "A4_moe_stacked": ("transformer.h.*.ffn.w*", "transformer.h.*.ffn.w*"),
}
SUBSET = {
    "A5_moe_modules": {False: {"self", "set4", "mod2"}, True: {"self", "mod4"}},
    "A4_moe_stacked": {False: {"world", "node", "mod4"}, True: {"set1", "local_rank_across_nodes"}},
}
COMPLEMENT = r"@mod4\b|#fsdp\.classes<\[4, 4\] from \[4, 4\] T\(1, 0\)>"


def run_case(lane, case):
    """One group, with experts that are distinct or not."""
    model, distinct, group = case
    unit, parameters = EXPERTS[model]
    where = f"{model} experts on {group}" + (", distinct along set4" if distinct else "")
    text = "world: {ranks: 16, ranks_per_node: 8}\n"
    text += f'units:\n  - match: "transformer.h.*"\n  - match: "{unit}"\n    process_group: {group}\n'
    if distinct:
        text += f'shardings:\n  - {{match: "{parameters}", varying: [set4]}}\n'
    arguments = [f"--config={lane.plan(text)}", "--verify", f"--tolerance={VERIFY['f32']}"]
    run = lane.run(model, *arguments)
    if distinct and group not in ALLOWED:
        lane.check(run.status == 1, where, f"expected it to be rejected, but got {run.status}")
        lane.check(run.verified is None, where, "expected nothing to run")
        for what, pattern in [
            ("the plan's place", r"\.yaml:\d+:\d+: error: "),
            ("the parameter", r"parameter 'transformer\.h\.\d\.ffn\."),
            ("the group", rf"@{group}\b"),
            ("the complement", COMPLEMENT),
        ]:
            lane.check(re.search(pattern, run.error), where, f"expected {what} to be named, but got {run.error}")
        print(f"{where}: rejected", flush=True)
        return
    if lane.check(run.status == 0 and run.verified is not None, where, run.error):
        print(f"{where}: worst error {run.verified:.1e}, {run.seconds:.1f} s", flush=True)


def main():
    """Runs the lane."""
    lane = Lane(__doc__, full={"action": "store_true"})
    cases = [
        (model, distinct, group)
        for model in EXPERTS
        for distinct in (False, True)
        for group in GROUPS
        if lane.options.full or distinct and group not in ALLOWED or group in SUBSET[model][distinct]
    ]
    lane.map(lambda case: run_case(lane, case), cases)
    lane.finish(f"{len(cases)} of {2 * 2 * len(GROUPS)} configurations of experts")


if __name__ == "__main__":
    main()
