# SPDX-License-Identifier: Apache-2.0
"""Random ops that move elements: transposes, reshapes, slices, concatenations, padding."""

from math import prod

from random_graph import number, tensor
from random_ops import op, pick, small
from random_sums import contract


@op(2)
def transpose(graph):
    """A random permutation of dims."""
    value = pick(graph, lambda v: len(v.shape) >= 2)
    if value is None:
        return False
    order = graph.rng.sample(range(len(value.shape)), len(value.shape))
    shape = [value.shape[i] for i in order]
    lines = [f"@r_e = tensor.empty() : {tensor(shape)}"]
    lines += [f"@r = linalg.transpose ins(@0 : {value.type}) outs(@r_e : {tensor(shape)}) permutation = {order}"]
    return graph.add("transpose", lines, [value], (shape, "f32", value.amp))


@op(1)
def broadcast(graph):
    """linalg.broadcast to one more dim."""
    rng = graph.rng
    value, extent = pick(graph), rng.choice(graph.sizes)
    at = rng.randint(0, len(value.shape))
    shape = [*value.shape[:at], extent, *value.shape[at:]]
    if not small(shape):
        return False
    lines = [f"@r_e = tensor.empty() : {tensor(shape)}"]
    lines += [f"@r = linalg.broadcast ins(@0 : {value.type}) outs(@r_e : {tensor(shape)}) dimensions = [{at}]"]
    return graph.add("broadcast", lines, [value], (shape, "f32", value.amp))


def groups_of(rng, rank, most):
    """Neighbouring dims, in groups of 1 to `most`."""
    groups, at = [], 0
    while at < rank:
        count = min(rng.randint(1, most), rank - at)
        groups.append(list(range(at, at + count)))
        at += count
    return groups


@op(2.5)
def expand(graph):
    """Splits dims into factors; adds dims of 1."""
    rng = graph.rng
    dtype = "i64" if rng.random() < 0.1 else "f32"
    value = pick(graph, lambda v: v.shape, dtype)
    if value is None:
        return False
    groups, shape = [], []
    for dim in value.shape:
        factors = [f for f in range(2, dim) if dim % f == 0]
        if factors and rng.random() < 0.6:
            first = rng.choice(factors)
            parts = [first, dim // first]
        else:
            parts = rng.choice([[dim], [dim], [1, dim], [dim, 1]])
        groups.append(list(range(len(shape), len(shape) + len(parts))))
        shape += parts
    if len(shape) > 5 or len(shape) == len(value.shape):
        return False
    lines = [f"@r = tensor.expand_shape @0 {groups} output_shape {shape} : {value.type} into {tensor(shape, dtype)}"]
    return graph.add("expand", lines, [value], (shape, dtype, value.amp, value.bound))


@op(2.5)
def collapse(graph):
    """Merges neighbouring dims."""
    dtype = "i64" if graph.rng.random() < 0.1 else "f32"
    value = pick(graph, lambda v: len(v.shape) >= 2, dtype)
    if value is None:
        return False
    groups = groups_of(graph.rng, len(value.shape), 3)
    shape = [prod(value.shape[i] for i in group) for group in groups]
    if len(shape) == len(value.shape):
        return False
    lines = [f"@r = tensor.collapse_shape @0 {groups} : {value.type} into {tensor(shape, dtype)}"]
    return graph.add("collapse", lines, [value], (shape, dtype, value.amp, value.bound))


@op(1.5)
def concat(graph):
    """Two or three values along a dim."""
    rng = graph.rng
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    dim = rng.randrange(len(value.shape))

    def rest(shape):
        return (*shape[:dim], 0, *shape[dim + 1 :])

    parts = [value]
    for _ in range(rng.randint(1, 2)):
        parts.append(pick(graph, lambda v: len(v.shape) > dim and rest(v.shape) == rest(value.shape)))
    rng.shuffle(parts)
    shape = list(value.shape)
    shape[dim] = sum(part.shape[dim] for part in parts)
    if not small(shape):
        return False
    names = ", ".join(f"@{i}" for i in range(len(parts)))
    lines = [f"@r = tensor.concat dim({dim}) {names} : ({', '.join(p.type for p in parts)}) -> {tensor(shape)}"]
    return graph.add("concat", lines, parts, (shape, "f32", max(part.amp for part in parts)))


def window(rng, shape):
    """Offsets, sizes and strides inside a shape; most dims stay whole."""
    offsets, sizes, strides = [], [], []
    for dim in shape:
        stride = rng.choice([1, 1, 2])
        size = rng.randint(1, max(1, (dim + stride - 1) // stride))
        if rng.random() < 0.5:
            stride, size = 1, dim
        elif rng.random() < 0.4 and dim % 2 == 0:
            stride, size = 1, dim // 2
        offsets.append(rng.randint(0, dim - ((size - 1) * stride + 1)))
        sizes.append(size)
        strides.append(stride)
    return offsets, sizes, strides


@op(2)
def slice_of(graph):
    """extract_slice: with strides, or dropping dims of 1."""
    rng = graph.rng
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    offsets, sizes, strides = window(rng, value.shape)
    if rng.random() < 0.2:
        dim = rng.randrange(len(sizes))
        offsets[dim], sizes[dim], strides[dim] = rng.randrange(value.shape[dim]), 1, 1
    shape = sizes if rng.random() < 0.5 else [size for size in sizes if size != 1]
    lines = [f"@r = tensor.extract_slice @0{offsets} {sizes} {strides} : {value.type} to {tensor(shape)}"]
    return graph.add("slice", lines, [value], (shape, "f32", value.amp))


@op(1.5)
def insert(graph):
    """insert_slice into a value or zeros, as the gradient of a slice does."""
    rng = graph.rng
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    offsets, sizes, strides = window(rng, value.shape)
    source = pick(graph, lambda v: list(v.shape) == sizes) or contract(graph, [pick(graph)], sizes)
    if not source:
        return False
    operands, lines, into = [source, value], [], "@1"
    if rng.random() < 0.4 or tuple(sizes) == value.shape:  # One that covers all reads no destination.
        operands, into = [source], "@r_z"
        lines.append(f"@r_z = arith.constant dense<0.0> : {value.type}")
    lines.append(
        f"@r = tensor.insert_slice @0 into {into}{offsets} {sizes} {strides} : {source.type} into {value.type}"
    )
    return graph.add("insert", lines, operands, (value.shape, "f32", max(source.amp, value.amp)))


@op(1.5)
def pad(graph):
    """tensor.pad with a constant."""
    rng = graph.rng
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    low = [rng.choice([0, 0, 1, 2]) for _ in value.shape]
    high = [rng.choice([0, 0, 1, 2]) for _ in value.shape]
    shape = [a + dim + b for a, dim, b in zip(low, value.shape, high)]
    if not small(shape):
        return False
    fill = rng.choice([0.0, 0.0, rng.uniform(-1, 1)])
    indices = ", ".join(f"%i{i}: index" for i in range(len(shape)))
    lines = [
        f"@r_c = arith.constant {number(fill)} : f32",
        f"@r = tensor.pad @0 low{low} high{high} {{",
        f"^bb0({indices}):",
    ]
    lines += ["  tensor.yield @r_c : f32", f"}} : {value.type} to {tensor(shape)}"]
    return graph.add("pad", lines, [value], (shape, "f32", max(value.amp, abs(fill))))


@op(0.5)
def barrier(graph):
    """The barrier that exporters fence recomputation with."""
    value = pick(graph)
    lines = [f"@r = fsdp.optimization_barrier @0 : {value.type}"]
    return graph.add("barrier", lines, [value], (value.shape, "f32", value.amp))
