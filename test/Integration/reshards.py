# SPDX-License-Identifier: Apache-2.0
"""Changes of placement, by running them.

Every case is one `fsdp.reshard`: a shape, a source and a target on groups made
of the digits of the rank number, or on listed groups. Many go into one step
that `fsdp-run` executes with other values on every rank; each rank's result
must be its chunk as numpy cuts it. The bytes that the lowered ops send are held
against the least of all sequences of moves, by a search of its own that leaves
nothing out.
"""

import heapq
import itertools
import json
import random
import re
import subprocess
import sys
from collections import Counter
from math import ceil, prod

import numpy as np
from fsdp.corpus import read_safetensors, write_safetensors
from harness import Lane

# Extents of the digits, major to minor.
WORLDS = [(2, 2), (2, 3), (3, 2), (2, 2, 2), (2, 4), (4, 2)]
# Even, uneven, fewer rows than ranks, no rows.
SHAPES = [(8, 8), (12, 24), (24, 24), (5, 6), (6, 7), (3, 9), (1, 8), (0, 4), (4, 6, 8), (8, 8, 8), (2, 5, 3)]
DTYPES = {"i32": np.int32, "i64": np.int64, "i8": np.int8, "i1": np.bool_, "f32": np.float32, "f64": np.float64}
BYTES = {"i1": 1, "i8": 1, "i32": 4, "i64": 8, "f32": 4, "f64": 8}


class World:
    """Digits of the rank number, named a, b, c, ..."""

    def __init__(self, extents):
        self.extents = dict(zip("abcde", extents))
        self.ranks = prod(extents)
        self.listed = {}

    def list_group(self, name, classes):
        """Adds a group that is written as its classes."""
        self.listed[name] = classes
        return self

    def digits(self, rank):
        """The digits of a rank by name."""
        found = {}
        for name in reversed(self.extents):
            rank, found[name] = divmod(rank, self.extents[name])
        return found

    def size(self, group):
        """How many ranks are in a class."""
        if group in self.listed:
            return len(self.listed[group][0])
        return prod(self.extents[axis] for axis in group)

    def index(self, group, rank):
        """The position of a rank in its class."""
        if group in self.listed:
            return next(members.index(rank) for members in self.listed[group] if rank in members)
        index = 0
        for axis in group:
            index = index * self.extents[axis] + self.digits(rank)[axis]
        return index

    def members(self, group, rank):
        """The class of a rank."""
        if group in self.listed:
            return next(members for members in self.listed[group] if rank in members)
        own = self.digits(rank)
        same = [r for r in range(self.ranks) if all(self.digits(r)[x] == own[x] for x in own if x not in group)]
        return sorted(same, key=lambda r: self.index(group, r))

    def declare(self, group):
        """The group in MLIR."""
        if group in self.listed:
            return f"  fsdp.process_group @{group} = {json.dumps(self.listed[group])}"
        names = list(self.extents)
        order = [names.index(x) for x in names if x not in group] + [names.index(x) for x in group]
        size = self.size(group)
        shape = ", ".join(str(extent) for extent in self.extents.values())
        transposed = ", ".join(map(str, order))
        classes = f"#fsdp.classes<[{self.ranks // size}, {size}] from [{shape}] T({transposed})>"
        return f"  fsdp.process_group @{group} = {classes}"


class Placement:
    """Groups of each dim, and those over which a value is partial or varies."""

    def __init__(self, dims, partial=(), kind="sum", varying=()):
        self.dims, self.partial = tuple(map(tuple, dims)), tuple(partial)
        self.kind, self.varying = kind, tuple(varying)

    def groups(self):
        """All groups that it names."""
        return [group for dim in self.dims for group in dim] + [*self.partial, *self.varying]

    def __str__(self):
        braces = lambda groups: "{" + ", ".join(f"@{group}" for group in groups) + "}"
        text = "<[" + ", ".join(map(braces, self.dims)) + " ]"
        if self.partial:
            text += ", partial = " + (f"{self.kind} " if self.kind != "sum" else "") + braces(self.partial)
        if self.varying:
            text += ", varying = " + braces(self.varying)
        return text + ">"

    def shape(self, world, shape):
        """The shape of one rank's part."""
        return tuple(ceil(rows / prod(map(world.size, groups))) for rows, groups in zip(shape, self.dims))

    def cut(self, world, whole, rank):
        """One rank's part of a whole value: chunks of chunks, padded with zeros."""
        for dim, groups in enumerate(self.dims):
            for group in groups:
                size = world.size(group)
                rows = ceil(whole.shape[dim] / size)
                padding = [(0, 0)] * whole.ndim
                padding[dim] = (0, rows * size - whole.shape[dim])
                whole = np.pad(whole, padding)
                whole = np.split(whole, size, axis=dim)[world.index(group, rank)] if whole.size else whole.take(
                    range(rows), axis=dim
                )
        return whole


class Case:
    """One reshard."""

    def __init__(self, world, shape, dtype, source, target):
        self.world, self.shape, self.dtype = world, shape, dtype
        self.source, self.target = source, target

    def type(self, placement):
        """The local type."""
        return "tensor<" + "".join(f"{rows}x" for rows in placement.shape(self.world, self.shape)) + f"{self.dtype}>"

    def __str__(self):
        shape = ", ".join(map(str, self.shape))
        types = f"{self.type(self.source)} to {self.type(self.target)}"
        # The rule makes it an op that a model may have.
        factors = [f"d{i}" for i in range(2 * len(self.shape))]
        rule = f"([{', '.join(factors[: len(self.shape)])}]) -> [{', '.join(factors[len(self.shape) :])}]"
        return f"of [{shape}] from {self.source} to {self.target} {{fsdp.rule = #fsdp.rule<{rule}>}} : {types}"

    @property
    def name(self):
        """For messages."""
        extents = "x".join(str(extent) for extent in self.world.extents.values())
        return f"{extents} {list(self.shape)} {self.dtype} {self.source} -> {self.target}"


def random_placement(rng, world, rank, dtype, varying):
    """Any placement of a value of `rank` dims on the axes that do not vary."""
    dims, partial = [[] for _ in range(rank)], []
    axes = [axis for axis in world.extents if axis not in varying]
    rng.shuffle(axes)
    for axis in axes:
        where = rng.choice([*range(rank), "partial", "replicated", *range(rank)])
        if where == "partial":
            partial.append(axis)
        elif where != "replicated":
            # A group of its own, or with the one before.
            if dims[where] and rng.random() < 0.5:
                dims[where][-1] += axis
            else:
                dims[where].append(axis)
    if len(partial) > 1 and rng.random() < 0.5:
        partial = ["".join(partial)]
    kind = rng.choice(["max", "min"] if dtype == "i1" else ["sum", "sum", "max", "min"])
    return Placement(dims, partial, kind if partial else "sum", varying)


def random_case(rng, extents=None, dtype=None):
    """Any reshard. A value varies along one axis at times."""
    world, shape = World(extents or rng.choice(WORLDS)), rng.choice(SHAPES)
    dtype = dtype or rng.choice(["i32"] * 5 + list(DTYPES))
    varying = tuple(rng.sample(sorted(world.extents), int(rng.random() < 0.15)))
    source, target = (random_placement(rng, world, len(shape), dtype, varying) for _ in range(2))
    return Case(world, shape, dtype, source, target)


def listed_cases():
    """Groups whose ranks stand in an order of their own."""
    rows = [[0, 1, 2, 3], [4, 5, 6, 7]]
    world = World((2, 4)).list_group("forward", [[1, 2, 3, 0], [5, 6, 7, 4]])
    world.list_group("uneven", [[1, 2, 3, 0], [4, 5, 6, 7]]).list_group("odd", [[0, 1, 3, 2], [4, 5, 7, 6]])
    world.list_group("far", [[0, 5, 6, 3], [4, 1, 2, 7]]).list_group("across", [[0, 4], [5, 1], [6, 2], [3, 7]])
    world.list_group("ring", [[3, 4, 5, 6, 7, 0, 1, 2]]).list_group("rows", rows)
    pairs = [
        ([["b"], []], [["forward"], []]),
        ([["forward"], []], [["b"], []]),
        ([["forward", "a"], []], [["b", "a"], []]),
        ([["a", "b"], []], [["a", "forward"], []]),
        ([["b"], ["a"]], [["forward"], ["a"]]),
        ([["b"], ["a"]], [["odd"], ["a"]]),
        ([["b"], []], [["uneven"], []]),
        ([["b"], []], [[], ["odd"]]),
        ([["far"], []], [[], []]),
        ([[], []], [["far"], []]),
        ([["far"], ["across"]], [["across", "far"], []]),
        ([["across"], ["far"]], [["across"], []]),
        ([["far"], []], [["ab"], []]),
        ([["ab"], []], [[], ["far"]]),
        ([["ab"], []], [["ring"], []]),
        ([["ring"], []], [["ab"], []]),
        ([["ring"], []], [[], ["ring"]]),
    ]
    cases = []
    for shape in ((16, 8), (9, 5)):
        for source, target in pairs:
            cases.append(Case(world, shape, "i32", Placement(source), Placement(target)))
        sums = Placement([[], []], ["ab"])
        cases.append(Case(world, shape, "i32", sums, Placement([["far"], []])))
        cases.append(Case(world, shape, "i32", sums, Placement([["across"], ["far"]])))
        cases.append(Case(world, shape, "i32", Placement([["far"], []], ["across"]), Placement([["ab"], []])))
    return cases


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


def module(world, groups, functions):
    """A module of process groups and functions."""
    lines = [f"module attributes {{fsdp.world = #fsdp.world<ranks = {world.ranks}, ranks_per_node = {world.ranks}>}} {{"]
    lines += [world.declare(group) for group in sorted({*groups, "".join(world.extents)})] + functions + ["}"]
    return "\n".join(lines) + "\n"


def groups_of(cases):
    """The groups that cases name."""
    return {group for case in cases for side in (case.source, case.target) for group in side.groups()}


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


# --- Bytes --------------------------------------------------------------------


def wire(kind, payload, size):
    """What one rank sends, by the ring formulas; `payload` is the larger side."""
    if kind == "permute":
        return payload
    return ceil((2 if kind == "all_reduce" else 1) * (size - 1) * payload / size)


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
        for kind, group, types in re.findall(r"fsdp\.(all_\w+|reduce_scatter|permute) .*?over @(\w+) .*?: (\(.*)", body):
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
    done = subprocess.run(command, input=module(world, groups_of(cases), functions), capture_output=True, text=True, check=False)
    if not lane.check(done.returncode == 0, "lowering", done.stderr[:600]):
        return []
    sent = sent_by_function(done.stdout)
    return [sent[f"f{i}"] for i in range(len(cases))]


def splits_of(case, placement):
    """For each dim, pairs of an axis and the padded rows that it splits."""
    dims = []
    for rows, groups in zip(case.shape, placement.dims):
        splits = []
        for group in groups:
            rows = ceil(rows / case.world.size(group))
            extent = rows * case.world.size(group)
            for axis in group:
                splits.append((axis, extent))
                extent //= case.world.extents[axis]
        dims.append(tuple(splits))
    return tuple(dims)


def join_axes(case):
    """The same case where neighbours that no group tells apart are one digit."""
    extents = dict(case.world.extents)
    groups = case.source.groups() + case.target.groups()
    sides = [case.source, case.target]
    for major, minor in reversed(list(zip(list(extents), list(extents)[1:]))):
        if not any({major, minor} & set(group.replace(major + minor, "")) for group in groups):
            extents[major] *= extents.pop(minor)
            drop = lambda names: tuple(name.replace(minor, "") for name in names)
            sides = [
                Placement(map(drop, side.dims), drop(side.partial), side.kind, drop(side.varying)) for side in sides
            ]
    world = World(())
    world.extents, world.ranks = extents, case.world.ranks
    return Case(world, case.shape, case.dtype, *sides)


def least_bytes(case):
    """The fewest bytes of any sequence of moves; any axis may go anywhere, padded where need be."""
    case = join_axes(case)
    extents = case.world.extents
    start = splits_of(case, case.source), frozenset("".join(case.source.partial))
    end = splits_of(case, case.target), frozenset("".join(case.target.partial))
    named = [frozenset(axis for dim in dims for axis, _ in dim) | partial for dims, partial in (start, end)]
    movable = (named[0] | named[1]) - (start[1] & end[1])
    is_sum = (case.source if case.source.partial else case.target).kind == "sum"
    rank = len(case.shape)

    def rows(dims, dim):
        return dims[dim][-1][1] // extents[dims[dim][-1][0]] if dims[dim] else case.shape[dim]

    def replace(dims, dim, splits):
        return dims[:dim] + (splits,) + dims[dim + 1 :]

    def pushes(dims, dim, order):
        """All ways to split a dim further along one group."""
        size = prod(extents[axis] for axis in order)
        natural = ceil(rows(dims, dim) / size) * size
        wanted = end[0][dim][len(dims[dim]) :][:1]
        for padded in {natural, *(extent for _, extent in wanted if extent >= natural and extent % size == 0)}:
            splits, extent = dims[dim], padded
            for axis in order:
                splits, extent = splits + ((axis, extent),), extent // extents[axis]
            yield padded, replace(dims, dim, splits)

    def moves(state):
        dims, partial = state
        local = [rows(dims, dim) for dim in range(rank)]
        elements = prod(local) * BYTES[case.dtype]
        split = frozenset(axis for dim in dims for axis, _ in dim)
        free, sums = movable - split - partial, partial - end[1]
        for count in range(1, len(sums) + 1):
            for order in itertools.permutations(sorted(sums), count):
                size = prod(extents[axis] for axis in order)
                yield wire("all_reduce", elements, size), (dims, partial - set(order))
        if free & end[1]:
            yield 0, (dims, partial | (free & end[1]))
        for dim in range(rank):
            share = elements // local[dim] if local[dim] else 0
            for axes, removed in ((free, frozenset()), (sums, sums)):
                for count in range(1, len(axes) + 1):
                    for order in itertools.permutations(sorted(axes), count):
                        size = prod(extents[axis] for axis in order)
                        for padded, to in pushes(dims, dim, order):
                            cost = wire("reduce_scatter", share * padded, size) if removed else 0
                            yield cost, (to, partial - (removed & set(order)))
            for count in range(1, len(dims[dim]) + 1):
                run = dims[dim][-count:]
                if any(b[1] != a[1] // extents[a[0]] for a, b in zip(run, run[1:])) or any(
                    axis not in movable for axis, _ in run
                ):
                    break
                order = [axis for axis, _ in run]
                size = prod(extents[axis] for axis in order)
                popped = replace(dims, dim, dims[dim][:-count])
                yield wire("all_gather", elements * size, size), (popped, partial)
                if is_sum and set(order) <= end[1]:
                    yield 0, (popped, partial | set(order))
                for other in range(rank):
                    if other != dim:
                        for padded, to in pushes(popped, other, order):
                            share_of = elements // local[other] if local[other] else 0
                            yield wire("all_to_all", share_of * padded, size), (to, partial)

    best, queue, ticket = {start: 0}, [(0, 0, start)], itertools.count(1)
    while queue:
        cost, _, state = heapq.heappop(queue)
        if state == end:
            return cost
        if cost > best[state]:
            continue
        for more, to in moves(state):
            if cost + more < best.get(to, cost + more + 1):
                best[to] = cost + more
                heapq.heappush(queue, (cost + more, next(ticket), to))
    raise ValueError("expected a way")


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
