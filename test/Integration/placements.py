# SPDX-License-Identifier: Apache-2.0
"""Placements on groups of ranks, as numpy cuts them and as MLIR writes them."""

import json
from math import ceil, prod

import numpy as np

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


def module(world, groups, functions):
    """A module of process groups and functions."""
    ranks = f"ranks = {world.ranks}, ranks_per_node = {world.ranks}"
    lines = [f"module attributes {{fsdp.world = #fsdp.world<{ranks}>}} {{"]
    lines += [world.declare(group) for group in sorted({*groups, "".join(world.extents)})] + functions + ["}"]
    return "\n".join(lines) + "\n"


def groups_of(cases):
    """The groups that cases name."""
    return {group for case in cases for side in (case.source, case.target) for group in side.groups()}
