#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints one table: the peers' GPT step here, in PyTorch, FSDP2 and JAX.

    benchmarks/peers.py [--sizes tiny medium] [--rounds 3] [--steps 5]
                        [--only REGEX] [--python DIR/bin/python3] [--json FILE]

The systems of a group have equal thread counts and take turns, each turn a
process of its own. benchmarks/README.md says what is counted.
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, os.fspath(ROOT / "benchmarks/peers"))
from systems import NoNumbers, Ours, Peers, get_rows  # noqa: E402

# So many first losses must agree; later on AdamW has blown up rounding.
COMPARED, TOLERANCE = 3, 1e-4
HEAD = (f"{'system':<22} {'min ms':>8} {'median':>8} {'of':>4} {'ratio':>6} "
        f"{'wire MB':>8} {'plan MB':>8} {'RSS MB':>8} {'loss 1':>9} {'loss 3':>9}")


def take_turns(rows, rounds):
    """What each row has measured, or why it has no numbers."""
    turns = {row.system: [] for row in rows}
    reasons = {}
    for turn, row in itertools.product(range(rounds), rows):
        if row.system in reasons:
            continue
        print(f"{row.group}: {row.system}, round {turn + 1} of {rounds}",
              file=sys.stderr, flush=True)
        try:
            turns[row.system].append(row.run())
        except NoNumbers as reason:
            reasons[row.system] = str(reason)
    return turns, reasons


def summarize(turns, steps):
    """One row's numbers of all rounds: the best and the middle of times, the
    most of bytes."""
    def get(key):
        return [turn[key] for turn in turns]

    return {**turns[-1], "minimum": min(get("minimum")),
            "median": statistics.median(get("median")),
            "steps": steps * len(turns), "wire": max(get("wire")),
            "resident": max(get("resident"))}


def show(system, numbers, first):
    """A line of the table, beside the group's first row."""
    planned = numbers["planned"]
    losses = numbers["losses"][0], numbers["losses"][COMPARED - 1]
    return (f"{system:<22} {numbers['minimum']:>8.1f} {numbers['median']:>8.1f} "
            f"{numbers['steps']:>4} {numbers['minimum'] / first['minimum']:>6.2f} "
            f"{numbers['wire'] / 1e6:>8.2f} "
            f"{f'{planned / 1e6:.1f}' if planned else '-':>8} "
            f"{numbers['resident'] / 1e6:>8.1f} {losses[0]:>9.5f} {losses[1]:>9.5f}")


def have_equal_losses(one, other):
    """True if two systems computed the same steps."""
    return all(abs(a - b) <= TOLERANCE * abs(a) for a, b in
               zip(one["losses"][:COMPARED], other["losses"][:COMPARED]))


def describe_machine():
    """The processor, how many there are, and how busy they are."""
    names = re.findall(r"model name\s*: (.*)",
                       pathlib.Path("/proc/cpuinfo").read_text())
    return (f"{names[0] if names else 'unknown processor'}, "
            f"{len(os.sched_getaffinity(0))} usable, load {os.getloadavg()[0]:.1f}")


def run_group(rows, arguments):
    """Prints a group. Returns its numbers, and what is wrong with them."""
    turns, reasons = take_turns(rows, arguments.rounds)
    print(f"\n{rows[0].group}\n{HEAD}")
    numbers, wrong, first = {}, [], None
    for row in rows:
        if row.system in reasons:
            print(f"{row.system:<22} {reasons[row.system]}")
            if reasons[row.system].startswith("failed"):
                wrong.append(f"{row.system} failed")
            continue
        own = numbers[row.system] = summarize(turns[row.system], arguments.steps)
        first = first or own
        print(show(row.system, own, first))
        if not have_equal_losses(first, own):
            wrong.append(f"{row.system} has other losses")
    for system, own in numbers.items():
        if own["note"]:
            print(f"{system}: {own['note']}")
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    return numbers, wrong


def main():
    """Reads the command line, measures and prints a group after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["tiny"],
                        choices=["tiny", "medium"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=5,
                        help="counted steps of a turn, at least 3")
    parser.add_argument("--only", default="",
                        help="a regex: rows 'GROUP: SYSTEM' that it finds")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--python", default=ROOT / "build/peers/bin/python3",
                        help="an interpreter that has torch and jax")
    parser.add_argument("--json", help="write all numbers to a file")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.steps < COMPARED:
        parser.error(f"expected at least 1 round of {COMPARED} steps, but got "
                     f"{arguments.rounds} of {arguments.steps}")
    if not (arguments.build / "tools/fsdp-run/fsdp-run").exists():
        parser.error(f"expected fsdp-run to be built in {arguments.build}, "
                     "but got nothing")
    peers = Peers(arguments.python, arguments.steps)
    numbers, wrong = {}, []
    print(describe_machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(arguments.build, arguments.steps, folder)
        rows = [row for size in arguments.sizes
                for row in get_rows(size, ours, peers)
                if re.search(arguments.only, f"{row.group}: {row.system}")]
        for name, group in itertools.groupby(rows, lambda row: row.group):
            numbers[name], faults = run_group(list(group), arguments)
            wrong += [f"{name}: {fault}" for fault in faults]
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(numbers, indent=1))
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
