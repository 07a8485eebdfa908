# SPDX-License-Identifier: Apache-2.0
"""Changes of placement, by running them.

Every case is one `fsdp.reshard`: a shape, a source and a target on groups made
of the digits of the rank number, or on listed groups. Many go into one step
that `fsdp-run` executes with other values on every rank; each rank's result
must be its chunk as numpy cuts it. The bytes that the lowered ops send are held
against the least of all sequences of moves, by a search of its own that leaves
nothing out.
"""

import itertools
import json
import random
import re
import subprocess
import sys
from collections import Counter
from math import prod

import numpy as np
from fsdp.corpus import read_safetensors, write_safetensors
from harness import Lane
from least_bytes import least_bytes, wire
from placements import BYTES, DTYPES, WORLDS, Case, Placement, World, groups_of, listed_cases, module, random_case


def make_terms(rng, case):
    """What every rank has before, and the whole value of every rank."""
    world, source, integers = case.world, case.source, np.random.default_rng(rng.randrange(1 << 30))
    wholes, locals_ = [None] * world.ranks, [None] * world.ranks
    high = 2 if case.dtype == "i1" else 20

    def values():
        return integers.integers(0, high, case.shape).astype(DTYPES[case.dtype])

    base = rng.randrange(1 << 30)
    by_variant = {}
    for rank in range(world.ranks):
        key = tuple(world.index(group, rank) for group in source.varying)
        wholes[rank] = by_variant.setdefault(key, values())
    # Terms of one sum by the ranks that are equal but for the partial groups.
    for rank in range(world.ranks):
        if locals_[rank] is not None:
            continue
        sharers = [rank]
        for group in source.partial:
            sharers = [r for sharer in sharers for r in world.members(group, sharer)]
        whole = wholes[rank]
        # Replicas hold the same, so terms depend on the position only.
        seed = np.random.default_rng([base, *(world.index(g, rank) for g in source.varying)])
        terms = [seed.integers(0, high, case.shape).astype(whole.dtype) for _ in sharers]
        last = len(sharers) - 1
        if source.kind == "sum":
            terms[last] = whole - sum(terms[:last], np.zeros_like(whole)) if last else whole
        else:
            combine = np.minimum if source.kind == "max" else np.maximum
            terms = [combine(term, whole) for term in terms]
            terms[last] = whole
        for sharer, term in zip(sharers, terms):
            locals_[sharer] = source.cut(world, term, sharer)
    return locals_, wholes


def combine_terms(case, rank, results):
    """A rank's part once the sum that is left is done."""
    sharers = [rank]
    for group in case.target.partial:
        sharers = [r for sharer in sharers for r in case.world.members(group, sharer)]
    values = [results[sharer] for sharer in sharers]
    if case.target.kind == "sum":
        return sum(values[1:], values[0])
    return (np.maximum if case.target.kind == "max" else np.minimum).reduce(values)


def run_step(lane, name, world, groups, ops):
    """Runs ops with a value of its own on each rank: text with a hole, type before and behind, values by rank.

    Returns results by op and rank, or None.
    """
    everything = "".join(world.extents)
    arguments = [
        f'%x{i}: {before} {{fsdp.input = "x{i}", fsdp.sharding = #fsdp.sharding<['
        f"{', '.join(['{}'] * values[0].ndim)} ], varying = {{@{everything}}}>}}"
        for i, (_, before, _, values) in enumerate(ops)
    ]
    results = [f'{behind} {{fsdp.output = "y{i}"}}' for i, (_, _, behind, _) in enumerate(ops)]
    step = [f"  func.func @step({', '.join(arguments)}) -> ({', '.join(results)}) {{"]
    step += [f"    %y{i} = {text.replace('@x', f'%x{i}')}" for i, (text, *_) in enumerate(ops)]
    returned = ", ".join(f"%y{i}" for i in range(len(ops)))
    step += [f"    return {returned} : {', '.join(behind for _, _, behind, _ in ops)}", "  }"]
    model, data, out = (lane.path(f"{name}.{kind}") for kind in ("mlir", "in.safetensors", "out.safetensors"))
    model.write_text(module(world, groups, step))
    write_safetensors(data, {f"arg{i}": np.stack(values) for i, (*_, values) in enumerate(ops)})
    run = lane.run(model, f"--ranks={world.ranks}", f"--data={data}", f"--results={out}")
    if not lane.check(run.status == 0, name, run.err[:600]):
        return None
    got = read_safetensors(out)
    return [[got[f"rank{rank}.out{i}"] for rank in range(world.ranks)] for i in range(len(ops))]


def run_cases(lane, number, cases):
    """One step of many reshards on all ranks, held against numpy."""
    made = [make_terms(random.Random(f"{number} {i}"), case) for i, case in enumerate(cases)]
    ops = [
        (f"fsdp.reshard @x {case}", case.type(case.source), case.type(case.target), parts)
        for case, (parts, _) in zip(cases, made)
    ]
    got = run_step(lane, number, cases[0].world, groups_of(cases), ops)
    for case, (_, wholes), parts in zip(cases, made, got or []):
        for rank, whole in enumerate(wholes):
            want, have = case.target.cut(case.world, whole, rank), combine_terms(case, rank, parts)
            if not lane.check(np.array_equal(have, want), case.name, f"rank {rank}: expected {want}, but got {have}"):
                break


def run_exchanges(lane):
    """All-to-alls from every dim to every dim, and permutes by every shift."""
    world, values = World((2, 4)), np.random.default_rng(0)
    ops, wants = [], []
    for group, dtype in (("a", "i32"), ("b", "i1"), ("ab", "f64")):
        size = world.size(group)
        classes = [world.members(group, rank) for rank in range(world.ranks)]
        own = [values.integers(0, 2, (8, 16, 8)).astype(DTYPES[dtype]) for _ in range(world.ranks)]
        for split, concat in itertools.product(range(3), repeat=2):
            shape = [8, 16, 8]
            shape[split] //= size
            shape[concat] *= size
            types = f"tensor<8x16x8x{dtype}>", f"tensor<{'x'.join(map(str, shape))}x{dtype}>"
            text = f"fsdp.all_to_all @x over @{group} split {split} concat {concat} : ({types[0]}) -> {types[1]}"
            ops.append((text, *types, own))
            wants.append(
                [
                    np.concatenate([np.split(own[r], size, split)[members.index(rank)] for r in members], concat)
                    for rank, members in enumerate(classes)
                ]
            )
        for shift in range(-1, size + 1):
            kind = f"tensor<8x16x8x{dtype}>"
            ops.append((f"fsdp.permute @x over @{group} shift {shift} : ({kind}) -> {kind}", kind, kind, own))
            wants.append(
                [own[members[(members.index(rank) - shift) % size]] for rank, members in enumerate(classes)]
            )
    got = run_step(lane, "exchanges", world, ["a", "b", "ab"], ops)
    for (text, *_), want, have in zip(ops, wants, got or []):
        lane.check(all(map(np.array_equal, want, have)), text, "expected what numpy moves")
    return len(ops)


def sent_by_function(text):
    """For each function, the collectives in it: kind, bytes."""
    sizes = {name: int(size) for name, size in re.findall(r"process_group @(\S+) = #fsdp.classes<\[\d+, (\d+)\]", text)}
    for name, table in re.findall(r"process_group @(\S+) = \[(\[.*?\])", text):
        sizes[name] = len(json.loads(table))
    for name, table in re.findall(r"process_group @(\S+) = #fsdp.classes<\[\[(.*?)\]", text):
        sizes[name] = table.count(",") + 1
    sent = {}
    for function, body in re.findall(r"func.func @(\w+)\((.*?)\n  }", text, re.DOTALL):
        sent[function] = ops = []
        pattern = r"fsdp\.(all_\w+|reduce_scatter|permute) .*?over @(\w+) .*?: (\(.*)"
        for kind, group, types in re.findall(pattern, body):
            payload = 0
            for shape, dtype in re.findall(r"tensor<((?:\d+x)*)(\w+)>", types):
                payload = max(payload, BYTES[dtype] * prod(map(int, shape.split("x")[:-1])))
            ops.append((kind, wire(kind, payload, sizes[group])))
    return sent


def lower(lane, world, cases):
    """The collectives of each case."""
    functions = []
    for i, case in enumerate(cases):
        functions += [
            f"  func.func @f{i}(%x: {case.type(case.source)}) -> {case.type(case.target)} {{",
            f"    %y = fsdp.reshard %x {case}",
            f"    return %y : {case.type(case.target)}",
            "  }",
        ]
    command = [lane.options.opt, "--fsdp-resolve-groups", "--fsdp-lower-reshards"]
    text = module(world, groups_of(cases), functions)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if not lane.check(done.returncode == 0, "lowering", done.stderr[:600]):
        return []
    sent = sent_by_function(done.stdout)
    return [sent[f"f{i}"] for i in range(len(cases))]


def textbook():
    """Moves that need one collective, and what it sends."""
    world, shape = World((2, 4)), (16, 8)
    whole, part = 16 * 8 * 4, 16 * 8
    none = [[], []]
    return [
        (Placement([["b"], []]), Placement(none), [("all_gather", 3 * whole // 4)]),
        (Placement([["ab"], []]), Placement(none), [("all_gather", 7 * whole // 8)]),
        (Placement(none), Placement([["b"], ["a"]]), []),
        (Placement(none, ["b"]), Placement(none), [("all_reduce", 6 * whole // 4)]),
        (Placement(none, ["a", "b"]), Placement(none), [("all_reduce", 14 * whole // 8)]),
        (Placement(none, ["b"]), Placement([[], ["b"]]), [("reduce_scatter", 3 * whole // 4)]),
        (Placement([["b"], []]), Placement([[], ["b"]]), [("all_to_all", 3 * part // 4)]),
        (Placement([["a", "b"], []]), Placement([["a"], ["b"]]), [("all_to_all", 3 * part // 8)]),
        (Placement([["a", "b"], []]), Placement([["a"], []]), [("all_gather", 3 * whole // 8)]),
        (Placement([["b"], []]), Placement([["b"], ["a"]]), []),
        (Placement(none), Placement(none, ["b"]), []),
        (Placement([[], ["b"]]), Placement([["a"], []]), [("all_gather", 3 * whole // 8)]),
        (
            Placement(none, ["ab"]),
            Placement([["b"], []]),
            [("reduce_scatter", 3 * whole // 4), ("all_reduce", whole // 4)],
        ),
    ], [world, shape]


def check_textbook(lane):
    """Moves that need one collective get it."""
    rows, (world, shape) = textbook()
    cases = [Case(world, shape, "i32", source, target) for source, target, _ in rows]
    for case, (_, _, want), got in zip(cases, rows, lower(lane, world, cases)):
        lane.check(got == want, case.name, f"expected {want}, but got {got}")
        least = least_bytes(case)
        lane.check(sum(size for _, size in got) == least, case.name, f"expected {least} bytes, but got {got}")
    return len(rows)


def check_bytes(lane, cases):
    """Where all dims divide evenly the least bytes are sent; elsewhere padding may cost more. Prints both."""
    sent, least, worst, kinds = Counter(), Counter(), Counter(), Counter()
    for extents in WORLDS:
        own = [case for case in cases if tuple(case.world.extents.values()) == extents]
        for case, ops in zip(own, lower(lane, World(extents), own)):
            if case.source.partial and case.target.partial and case.source.kind != case.target.kind:
                continue  # Two changes.
            have, want = sum(size for _, size in ops), least_bytes(case)
            even = all(rows % case.world.ranks == 0 for rows in case.shape)
            what = "even" if even else "uneven"
            lane.check(have == want or not even, case.name, f"expected {want} bytes to be sent, but got {ops}")
            kinds.update(kind for kind, _ in ops)
            sent[what] += have
            least[what] += want
            worst[what] = max(worst[what], have / want if want else 1.0 if not have else float("inf"))
    print(" ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    for what in sorted(sent):
        print(f"{what}: sent {sent[what]} bytes, the least {least[what]}; worst ratio {worst[what]:.3f}")


def main():
    """Runs the lane."""
    lane = Lane(
        __doc__,
        opt={"required": True, "help": "fsdp-opt"},
        cases={"type": int, "default": 600, "help": "how many to run"},
        compared={"type": int, "default": 300, "help": "how many to hold against the least bytes"},
        seed={"type": int, "default": 0},
    )
    options = lane.options
    rng = random.Random(options.seed)
    programs = [listed_cases()]
    while sum(map(len, programs)) < options.cases + len(programs[0]):
        extents = WORLDS[len(programs) % len(WORLDS)]
        programs.append([random_case(rng, extents) for _ in range(40)])
    # More axes than may rest on their way.
    programs.append([random_case(rng, (2, 2, 2, 2, 2)) for _ in range(20)])
    lane.map(lambda item: run_cases(lane, *item), enumerate(programs))
    exchanges = run_exchanges(lane)
    known = check_textbook(lane)
    cases = [random_case(rng, dtype="i32") for _ in range(options.compared)]
    check_bytes(lane, cases)
    print(f"{exchanges} all-to-alls and permutes")
    lane.finish(f"{sum(map(len, programs))} reshards on all ranks, {known + len(cases)} held against the least bytes")


if __name__ == "__main__":
    sys.exit(main())
