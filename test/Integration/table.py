# SPDX-License-Identifier: Apache-2.0
"""Every input file, on 1 to 8 ranks, by every sharding strategy.

Each run is compared with the unsharded step on each rank's own data, and what
was sent is checked against the strategy, so that none can pass by doing
something else. Each file's one-rank step is compared with the framework's
numbers, and one file on 8 ranks with one batch is too.

    table.py fsdp-run            a fixed subset: every file twice, every
                                 configuration at least once
    table.py fsdp-run --full     everything
"""

import json
import math
import sys

from harness import INPUTS, Lane, sidecar
from tolerances import EXCEPTIONS, FILES, FRAMEWORK, LARGE, VERIFY

STRATEGIES = ["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD"]
RANKS = {1: 1, 2: 2, 3: 3, 4: 2, 6: 3, 8: 4}  # ranks: of one node
CONFIGS = [(ranks, strategy) for ranks in RANKS for strategy in STRATEGIES]


def choose(full):
    """The cells of the table to run."""
    small = [name for name in FILES if name not in LARGE]
    if full:
        cells = [(name, config) for name in small for config in CONFIGS]
        return cells + [(name, config) for name, (configs, _) in LARGE.items() for config in configs]
    # Two of each file; 5 and 24 have no common divisor, so all come in turn.
    cells = [(name, CONFIGS[(5 * i + k) % len(CONFIGS)]) for i, name in enumerate(small) for k in (0, 14)]
    assert {config for _, config in cells} == set(CONFIGS)
    return cells


def wanted_kinds(kind, ranks, strategy):
    """(collective, group) pairs that a strategy must send for parameters, and those that it must not."""
    across = {("all_reduce", "local_rank_across_nodes")}
    group = "node" if strategy == "HYBRID_SHARD" and RANKS[ranks] < ranks else "world"
    gathers, scatters = {("all_gather", group)}, {("reduce_scatter", group)}
    if ranks == 1:
        return set(), gathers | scatters | across
    if strategy == "NO_SHARD":
        return ({("all_reduce", "world")} if kind == "train" else set()), gathers | scatters
    if kind == "infer":
        return gathers, scatters | across
    return gathers | scatters | (across if group == "node" else set()), set() if group == "node" else across


def run_cell(lane, cell):
    """One cell of the table: its worst error, or None."""
    name, (ranks, strategy) = cell
    file, where = FILES[name], f"{name} N={ranks} {strategy}"
    plan = lane.plan(f'defaults: {{sharding_strategy: {strategy}}}\nunits:\n  - match: "{file.units}"\n')
    traffic = lane.path(f"{where}.json")
    run = lane.run(
        name,
        f"--config={plan}",
        f"--ranks={ranks}",
        f"--ranks-per-node={RANKS[ranks]}",
        "--verify",
        f"--tolerance={VERIFY[file.dtype]}",
        f"--traffic={traffic}",
    )
    if not lane.check(run.status == 0 and run.verified is not None, where, run.error):
        return run.verified
    print(f"{where}: {run.verified:.1e} in {run.seconds:.1f} s", file=sys.stderr, flush=True)
    results = ranks * len(sidecar(file.same_as or name)["results"])
    lane.check(run.compared >= results, where, f"expected {results} results, but got {run.compared}")
    lane.check(run.verified <= VERIFY[file.dtype], where, f"expected exit status 1, error {run.verified}")
    sent = {(entry["kind"], entry["group"]) for entry in json.loads(traffic.read_text())["traffic"]}
    must, must_not = wanted_kinds(file.kind, ranks, strategy)
    lane.check(must <= sent, where, f"expected {must} to be sent, but got {sent}")
    lane.check(not must_not & sent, where, f"expected {must_not} not to be sent, but got {sent}")
    return run.verified


def run_framework(lane, case):
    """A step with the framework's own batch on all ranks: the worst error."""
    name, ranks, strategy = case
    file, where = FILES[name], f"{name} N={ranks} {strategy} against the framework"
    limit = FRAMEWORK[file.dtype]
    plan = lane.plan(f'defaults: {{sharding_strategy: {strategy}}}\nunits:\n  - match: "{file.units}"\n')
    kind = "json" if file.data == "sidecar" else "safetensors"
    run = lane.run(
        name,
        f"--config={plan}",
        f"--ranks={ranks}",
        f"--ranks-per-node={RANKS[ranks]}",
        f"--data={INPUTS / (file.same_as or name)}.{kind}",
        f"--tolerance={limit}",
    )
    error = run.expected
    if file.data == "sidecar":  # Its loss is all there is.
        want, got = sidecar(name)["expected"]["loss"], run.curve()
        error = abs(got[0] - want) / abs(want) if got else math.nan
    lane.check(run.status == 0, where, run.error)
    lane.check(error is not None and error <= limit, where, f"expected an error of at most {limit}, but got {error}")
    return error


def check_lists(lane):
    """Every file is in the table, and the table names no other."""
    files = {path.stem for path in INPUTS.glob("*.mlir")} - {name for name, what in EXCEPTIONS if what == "table"}
    lane.check(not files - set(FILES), "tolerances.py", f"expected every input file, but got none of {files - set(FILES)}")
    lane.check(not set(FILES) - files, "tolerances.py", f"expected input files, but got {set(FILES) - files}")
    for name, file in FILES.items():
        owner = file.same_as or name
        found = "safetensors" if (INPUTS / f"{owner}.safetensors").exists() else "generated"
        if found == "generated" and "fill" in sidecar(owner):
            found = "sidecar"
        lane.check(found == file.data, name, f"expected data {found}, but got {file.data}")
        lane.check(
            file.data != "generated" or (name, "framework") in EXCEPTIONS,
            name,
            "expected an exception for a file without the framework's numbers",
        )


def main():
    """Runs the lane."""
    lane = Lane(__doc__, full={"action": "store_true"}, only={"default": "", "help": "files of this prefix"})
    check_lists(lane)
    full, only = lane.options.full, lane.options.only
    cells = [cell for cell in choose(full) if cell[0].startswith(only)]
    errors = dict(zip(cells, lane.map(lambda cell: run_cell(lane, cell), cells)))
    names = [n for n in FILES if (n, "framework") not in EXCEPTIONS and (full or n not in LARGE) and n.startswith(only)]
    cases = [(name, 1, "FULL_SHARD") for name in names]
    cases += [("A1_nanogpt", 8, strategy) for strategy in STRATEGIES if "A1_nanogpt".startswith(only)]
    frameworks = lane.map(lambda case: run_framework(lane, case), cases)

    show = lambda error: "-" if error is None else f"{error:.1e}"
    for ranks, strategy in CONFIGS:
        row = {name: error for (name, config), error in errors.items() if config == (ranks, strategy)}
        known = [error for error in row.values() if error is not None]
        print(f"N={ranks} L={RANKS[ranks]} {strategy}: {len(row)} files, worst {show(max(known, default=None))}")
    print(f"{'file':22}" + "".join(f"{ranks}{strategy[:1]}{strategy[-1:]:6}" for ranks, strategy in CONFIGS))
    for name in dict.fromkeys(name for name, _ in cells):
        print(f"{name:22}" + "".join(f"{show(errors.get((name, config))):8}" for config in CONFIGS))
    for (name, ranks, strategy), error in zip(cases, frameworks):
        print(f"framework: {name} N={ranks} {strategy} {show(error)}")
    lane.finish(f"{len(cells)} cells of the table and {len(cases)} comparisons with the framework")


if __name__ == "__main__":
    main()
