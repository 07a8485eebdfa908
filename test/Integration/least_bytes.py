# SPDX-License-Identifier: Apache-2.0
"""The fewest bytes that can change a placement, by a search that leaves nothing out."""

import heapq
import itertools
from math import ceil, prod

from placements import BYTES, Case, Placement, World


def wire(kind, payload, size):
    """What one rank sends, by the ring formulas; `payload` is the larger side."""
    if kind == "permute":
        return payload
    return ceil((2 if kind == "all_reduce" else 1) * (size - 1) * payload / size)


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


class Moves:
    """All moves between placements: (splits of each dim, axes over which it is a sum)."""

    def __init__(self, case):
        case = join_axes(case)
        self.extents, self.shape, self.width = case.world.extents, case.shape, BYTES[case.dtype]
        self.start, self.end = (
            (splits_of(case, side), frozenset("".join(side.partial))) for side in (case.source, case.target)
        )
        named = {axis for dims, _ in (self.start, self.end) for dim in dims for axis, _ in dim}
        self.movable = frozenset(named | (self.start[1] ^ self.end[1])) - (self.start[1] & self.end[1])
        self.is_sum = (case.source if case.source.partial else case.target).kind == "sum"

    def size(self, order):
        """How many ranks axes have together."""
        return prod(self.extents[axis] for axis in order)

    def rows(self, dims, dim):
        """The rows of one rank."""
        if not dims[dim]:
            return self.shape[dim]
        axis, extent = dims[dim][-1]
        return extent // self.extents[axis]

    def bytes(self, dims, instead=()):
        """The bytes of one rank, with another number of rows in one dim."""
        rows = [self.rows(dims, dim) for dim in range(len(dims))]
        for dim, extent in instead:
            rows[dim] = extent
        return prod(rows) * self.width

    def pushes(self, dims, dim, order):
        """All ways to split a dim further along one group: the padded rows, and the splits."""
        size, rows = self.size(order), self.rows(dims, dim)
        wanted = {extent for _, extent in self.end[0][dim][len(dims[dim]) :][:1]}
        for padded in {ceil(rows / size) * size} | {extent for extent in wanted if extent >= rows}:
            splits, extent = dims[dim], padded
            for axis in order:
                splits, extent = splits + ((axis, extent),), extent // self.extents[axis]
            if padded % size == 0:
                yield padded, dims[:dim] + (splits,) + dims[dim + 1 :]

    def sums(self, dims, partial):
        """Moves of sums, and to sums that are wanted."""
        for order in orders(partial - self.end[1]):
            yield wire("all_reduce", self.bytes(dims), self.size(order)), (dims, partial - set(order))
        free = self.movable - partial - {axis for dim in dims for axis, _ in dim}
        yield 0, (dims, partial | (free & self.end[1]))

    def splits(self, dims, partial, dim):
        """Moves that split a dim further."""
        free = self.movable - partial - {axis for splits in dims for axis, _ in splits}
        for order in orders(free):
            for _, to in self.pushes(dims, dim, order):
                yield 0, (to, partial)
        for order in orders(partial - self.end[1]):
            for padded, to in self.pushes(dims, dim, order):
                payload = self.bytes(dims, [(dim, padded)])
                yield wire("reduce_scatter", payload, self.size(order)), (to, partial - set(order))

    def gathers(self, dims, partial, dim):
        """Moves that end splits of a dim, here or by splitting another."""
        for count in range(1, len(dims[dim]) + 1):
            run = dims[dim][-count:]
            joined = all(b[1] == a[1] // self.extents[a[0]] for a, b in zip(run, run[1:]))
            order = [axis for axis, _ in run]
            if not joined or not self.movable.issuperset(order):
                return
            popped, size = dims[:dim] + (dims[dim][:-count],) + dims[dim + 1 :], self.size(order)
            yield wire("all_gather", self.bytes(dims) * size, size), (popped, partial)
            if self.is_sum and self.end[1].issuperset(order):
                yield 0, (popped, partial | set(order))
            for other in range(len(dims)):
                if other != dim:
                    for padded, to in self.pushes(popped, other, order):
                        yield wire("all_to_all", self.bytes(dims, [(other, padded)]), size), (to, partial)

    def all(self, state):
        """All moves: their bytes, and where they lead."""
        yield from self.sums(*state)
        for dim in range(len(self.shape)):
            yield from self.splits(*state, dim)
            yield from self.gathers(*state, dim)


def orders(axes):
    """All groups of these axes."""
    for count in range(1, len(axes) + 1):
        yield from itertools.permutations(sorted(axes), count)


def least_bytes(case):
    """The fewest bytes of any sequence of moves; any axis may go anywhere, padded where need be."""
    moves = Moves(case)
    best, queue, ticket = {moves.start: 0}, [(0, 0, moves.start)], itertools.count(1)
    while queue:
        cost, _, state = heapq.heappop(queue)
        if state == moves.end:
            return cost
        if cost > best[state]:
            continue
        for more, to in moves.all(state):
            if cost + more < best.get(to, cost + more + 1):
                best[to] = cost + more
                heapq.heappush(queue, (cost + more, next(ticket), to))
    raise ValueError("expected a way")
