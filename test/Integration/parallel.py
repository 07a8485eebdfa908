# SPDX-License-Identifier: Apache-2.0
"""Every training file with its compute partitioned, on 2 to 8 ranks.

Plans are those of parallel_plans.py: a global batch, tensor parallelism, both
beside FSDP, experts over ranks. Each run is compared with the unsharded step on
data of its own, and the collectives of each sharded step are held against
rules. Where a dimension does not divide, the error must name it and the group.

    parallel.py fsdp-run --opt=fsdp-opt           every plan of a small file compiled
                                                  and checked, one of each file run
    parallel.py fsdp-run --opt=fsdp-opt --full    everything
"""

import re
import subprocess
import sys
from fnmatch import fnmatch

from collectives import CHECKS, Step, bytes_of, wire_bytes
from harness import INPUTS, Lane, sidecar
from parallel_plans import BYTES, DEEP, EXPERT_CELLS, EXPERTS, SPLITS, Cell, batches, inputs_of, plan_of, wanted_error
from tolerances import FILES, LARGE, PARALLEL_F64, PARALLEL_LARGE, PARALLEL_RULES, VERIFY


def choose(full):
    """Cells to compile, and those of them to run."""
    cells = []
    for name in (name for name in SPLITS if name not in LARGE):
        cells += [Cell(name, "global", ranks) for ranks in (2, 4, 8)]
        cells += [Cell(name, "tp", size, size) for size in ((2, 3, 4) if SPLITS[name].heads == 3 else (2, 4))]
        cells += [Cell(name, "fsdp x tp", ranks) for ranks in (4, 8)]
        cells += [Cell(name, "fsdp x tp x ep", 8)] * (name in EXPERTS)
    cells += EXPERT_CELLS
    if full:
        cells += [Cell(name, *what) for name, (chosen, _) in PARALLEL_LARGE.items() for what in chosen]
        return cells, {cell for cell in cells if not wanted_error(cell)}
    cells = [cell for cell in cells if cell.name not in DEEP]
    run = {EXPERT_CELLS[0], EXPERT_CELLS[2]}
    for i, name in enumerate(dict.fromkeys(cell.name for cell in cells)):  # Another kind for each.
        good = [cell for cell in cells if cell.name == name and cell.kind != "ep" and not wanted_error(cell)]
        run.add(good[(i + 3) % len(good)])
    return cells, run


def compile_cell(lane, cell, plan):
    """The sharded step; None if it was not made, whether that is right or not."""
    command = [lane.options.opt, INPUTS / f"{cell.name}.mlir", f"--fsdp-compile=config={plan} ranks={cell.ranks}"]
    done = subprocess.run([*command, "--mlir-print-op-generic"], capture_output=True, text=True)
    error = next((line for line in done.stderr.splitlines() if "error:" in line), f"exit status {done.returncode}")
    wanted = wanted_error(cell)
    if wanted:
        lane.check(done.returncode == 1 and re.search(wanted, error), cell, f"expected {wanted}, but got {error[:300]}")
    elif lane.check(done.returncode == 0, cell, error[:300]):
        return Step(done.stdout)
    return None


def check_step(lane, cell, step):
    """What every sharded step must hold."""
    for rule in CHECKS:
        found, key = list(rule(step)), (cell.name, rule.__name__)
        if found:
            lane.needed.add(key)
        lane.check(not found or key in PARALLEL_RULES, cell, f"{len(found)} times: {(found or [''])[0]}")
    # That nothing was sharded would be right, too.
    for entry in inputs_of(cell.name):
        size, local = entry["shape"][0] // batches(cell), step.inputs[entry["fsdp.input"]]
        lane.check(re.match(rf"tensor<(?:2x)?{size}x", local), cell, f"expected a batch of {size}, but got {local}")
    if cell.kind == "ep":
        return check_experts(lane, cell, step)
    split = SPLITS[cell.name].mlp if cell.kind != "global" else {}
    for parameter in step.parameters.values():
        if any(fnmatch(parameter.name, glob) for glob in split):
            lane.check("tp" in parameter.groups, cell, f"expected '{parameter.name}' to be placed on tp")
    return None


def check_experts(lane, cell, step):
    """Two all-to-alls of a layer forward and two backward, and none where every rank has all experts."""
    forward = step.made_of([step.loss])
    moves = [set(op.results) <= forward for op in step.collectives if op.name == "fsdp.all_to_all"]
    layers = len([parameter for parameter in step.parameters.values() if fnmatch(parameter.name, "*.w1")])
    want = 2 * layers if cell.size > 1 else 0
    counts = moves.count(True), moves.count(False)
    lane.check(counts == (want, want), cell, f"expected {want} all-to-alls forward and backward, but got {counts}")


def run_cell(lane, cell, run):
    """One cell: None, or what its run says."""
    text = plan_of(cell)
    plan = lane.plan(text)
    step = compile_cell(lane, cell, plan)
    if step is None:
        return None
    check_step(lane, cell, step)
    if not run:
        return None
    dtype = "bf16" if "bf16" in text else FILES[cell.name].dtype
    exact = cell.name in PARALLEL_F64 or "adamw" in text
    limit = 1e-9 if exact else VERIFY[dtype]
    arguments = ["--verify=f64" if exact else "--verify", f"--tolerance={limit}"]
    done = lane.run(cell.name, f"--config={plan}", f"--ranks={cell.ranks}", *arguments)
    if not lane.check(done.status == 0 and done.verified is not None, cell, done.error):
        return None
    lane.check(done.verified <= limit, cell, f"expected exit status 1, error {done.verified}")
    results = cell.ranks * len(sidecar(FILES[cell.name].same_as or cell.name)["results"])
    lane.check(done.compared >= results, cell, f"expected {results} results, but got {done.compared}")
    print(f"{cell}: {done.verified:.1e} of {limit:.0e} in {done.seconds:.1f} s", file=sys.stderr, flush=True)
    return done


def check_bytes(lane, case):
    """What a step of the peers' model sends, in bytes of its parameters: at most what formula or peer says."""
    name, ranks, text, limit = case
    cell = Cell("P1_peer_tiny", name, ranks)
    step = compile_cell(lane, cell, lane.plan(text + 'units:\n  - match: "h.*"\n'))
    if step is None:
        return f"bytes: {name} on {ranks} ranks: not compiled"
    whole = sum(parameter.bytes for parameter in step.parameters.values())
    scalars = [op for op in step.collectives if op.name == "fsdp.all_reduce" and bytes_of(op.result_types[0]) == 4]
    sent = sum(wire_bytes(step).values()) - sum(wire_bytes(step, scalars).values())
    lane.check(len(scalars) <= 2, cell, f"expected two scalars, loss and count, but got {len(scalars)}")
    lane.check(sent <= limit * whole, cell, f"expected at most {limit} P to be sent, but got {sent / whole:.4f}")
    return f"bytes: {name} on {ranks} ranks: {sent / whole:.4f} P, at most {limit}"


def main():
    """Runs the lane."""
    options = {"full": {"action": "store_true"}, "only": {"default": "", "help": "cells that contain this"}}
    lane = Lane(__doc__, opt={"required": True, "help": "fsdp-opt"}, **options)
    lane.needed = set()
    training = {name for name, file in FILES.items() if file.kind == "train"}
    lane.check(training == set(SPLITS), "parallel_plans.py", f"expected all but {training ^ set(SPLITS)} to be right")
    lane.check(set(LARGE) == set(PARALLEL_LARGE), "tolerances.py", "expected PARALLEL_LARGE to have the files of LARGE")
    cells, run = choose(lane.options.full)
    cells = [cell for cell in cells if lane.options.only in str(cell)]
    runs = dict(zip(cells, lane.map(lambda cell: run_cell(lane, cell, cell in run), cells)))
    # The same numbers, wherever the experts are.
    numbers = [done.curve() + done.curve("grad_norm") for cell, done in runs.items() if cell.kind == "ep" and done]
    same = all(len(row) == 2 and abs(a - b) <= 1e-6 * abs(b) for row in numbers for a, b in zip(row, numbers[0]))
    lane.check(same, "experts", f"expected one loss and one norm for every size of ep, but got {numbers}")
    if not lane.options.only:
        print(*lane.map(lambda case: check_bytes(lane, case), BYTES), sep="\n")
        for key in PARALLEL_RULES.keys() - lane.needed:
            lane.fail("tolerances.py", f"expected {key} to be needed")
    for kind in dict.fromkeys(cell.kind for cell in cells):
        known = [done.verified for cell, done in runs.items() if cell.kind == kind and done]
        failed = sum(1 for cell in cells if cell.kind == kind and wanted_error(cell))
        print(f"{kind}: {len(known)} runs, worst {max(known, default=0):.1e}, {failed} that do not divide")
    lane.finish(f"{len(cells)} plans compiled, {len(run & set(cells))} of them run")


if __name__ == "__main__":
    main()
