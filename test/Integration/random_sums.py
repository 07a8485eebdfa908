# SPDX-License-Identifier: Apache-2.0
"""Random ops that add up: contractions, reductions, scatters, convolutions."""

from math import prod

from random_graph import filled, generic, identity, number, tensor
from random_ops import MOST_AMP, Body, op, pick, small, squash

LOWEST = -1.0e30  # what a maximum starts from


def match_dims(rng, shape, loops, fresh):
    """A loop for each dim: one of its extent that the value does not use yet, or a new one."""
    chosen = []
    for extent in shape:
        free = [i for i, loop in enumerate(loops) if loop == extent and i not in chosen]
        if free and rng.random() >= fresh:
            chosen.append(rng.choice(free))
        else:
            loops.append(extent)
            chosen.append(len(loops) - 1)
    return chosen


def contract(graph, values, target=None):
    """A product of values, summed over loops that `target`, or chance, does not keep."""
    rng = graph.rng
    loops = list(target or [])
    used = [match_dims(rng, value.shape, loops, 0.1) for value in values]
    if target is None:
        times = [sum(i in dims for dims in used) for i in range(len(loops))]
        kept = [i for i in range(len(loops)) if rng.random() < (0.4 if times[i] > 1 else 0.9)]
        while not small([loops[i] for i in kept]):
            kept.remove(max(kept, key=lambda i: loops[i]))
    else:
        kept = list(range(len(target)))
    if prod(loops) > 20000:
        return False
    rng.shuffle(kept) if target is None else None
    shape = [loops[i] for i in kept]
    place = list(range(len(loops)))
    rng.shuffle(place)  # loop i of the list is loop place[i] of the op
    order = sorted(range(len(loops)), key=lambda i: place[i])
    kinds = ["parallel" if i in kept else "reduction" for i in order]
    start = rng.random()
    init = pick(graph, lambda v: list(v.shape) == shape) if start < 0.15 else None
    zero = f"arith.constant dense<0.0> : {tensor(shape)}" if start < 0.3 else None
    amp = prod(value.amp for value in values) * prod(loops[i] for i in range(len(loops)) if i not in kept)
    scale = 1.0 if amp <= MOST_AMP else 1.0 / amp
    body = Body(rng)
    name = "%a0"
    for i in range(1, len(values)):
        name = body.emit(f"arith.mulf {name}, %a{i}")
    if scale != 1.0:
        name = body.emit(f"arith.mulf {name}, @r_s")
    name = body.emit(f"arith.addf %o0, {name}")
    lines = [f"@r_s = arith.constant {number(scale)} : f32"] * (scale != 1.0)
    if init:
        first = f"@{len(values)}"
    elif zero:
        first, lines = "@r_z", lines + [f"@r_z = {zero}"]
    else:
        first = "@r_f"
        lines += filled("@r_f", shape, 0.0)
    inputs = [
        (f"@{i}", value.shape, "f32", [f"d{place[dim]}" for dim in dims])
        for i, (value, dims) in enumerate(zip(values, used))
    ]
    output = (first, shape, "f32", [f"d{place[i]}" for i in kept])
    lines += generic("@r", len(loops), kinds, inputs, [output], body.lines + [f"linalg.yield {name} : f32"])
    amp = min(amp, MOST_AMP) + (init.amp if init else 0)
    return graph.add("contract", lines, values + [init] * bool(init), (shape, "f32", amp))[0]


@op(6)
def contraction(graph):
    """Two values, or a value and a parameter, with random maps."""
    left, right = pick(graph), pick(graph)
    return contract(graph, [left, right])


@op(2)
def named_contraction(graph):
    """linalg.matmul and its kin."""
    value = pick(graph, lambda v: 2 <= len(v.shape) <= 3)
    if value is None:
        return False
    *batch, m, k = value.shape
    n = graph.rng.choice(graph.sizes)
    other = pick(graph, lambda v: len(v.shape) == len(value.shape) and v.shape[:-1] == (*batch, k))
    other = other or contract(graph, [pick(graph)], [*batch, k, n])
    vector = not batch and pick(graph, lambda v: v.shape == (k,))
    if other is False or not small((*batch, m, other.shape[-1])):
        return False
    name, shape = ("batch_matmul" if batch else "matmul"), (*batch, m, other.shape[-1])
    if vector and graph.rng.random() < 0.5:
        name, shape, other = "matvec", (m,), vector
    lines = filled("@r_f", shape, 0.0)
    lines += [
        f"@r = linalg.{name} ins(@0, @1 : {value.type}, {other.type}) outs(@r_f : {tensor(shape)}) -> {tensor(shape)}"
    ]
    made = graph.add(name, lines, [value, other], (shape, "f32", k * value.amp * other.amp))[0]
    return made.amp <= MOST_AMP or squash(graph, made)


@op(3)
def reduction(graph):
    """A sum, maximum or minimum over some dims, which may stay as dims of 1."""
    rng = graph.rng
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    rank = len(value.shape)
    over = sorted(rng.sample(range(rank), rng.choice([1, 1, min(2, rank), rank])))
    kind = rng.choice(["sum", "sum", "max", "min"])
    return reduce(graph, value, over, kind, rng.random() < 0.3)


def reduce(graph, value, over, kind, keep, scale=True):
    """The reduction of a value over the dims `over`."""
    rng, rank = graph.rng, len(value.shape)
    count = prod(value.shape[i] for i in over)
    combiner = {"sum": "arith.addf", "max": "arith.maximumf", "min": "arith.minimumf"}[kind]
    amp = value.amp * (count if kind == "sum" else 1)
    factor = 1 / amp if scale and amp > MOST_AMP else 1.0
    first = {"sum": 0.0, "max": LOWEST, "min": -LOWEST}[kind]
    shape = [1 if i in over else dim for i, dim in enumerate(value.shape) if keep or i not in over]
    results = ["0" if i in over else f"d{i}" for i in range(rank) if keep or i not in over]
    lines = filled("@r_f", shape, first)
    body = ["%s = arith.mulf %a0, @r_s : f32"] * (factor != 1.0)
    body += [f"%t = {combiner} {'%s' if body else '%a0'}, %o0 : f32", "linalg.yield %t : f32"]
    lines += [f"@r_s = arith.constant {number(factor)} : f32"] * (factor != 1.0)
    if factor == 1.0 and not keep and rng.random() < 0.4:
        lines += [f"@r = linalg.reduce ins(@0 : {value.type}) outs(@r_f : {tensor(shape)}) dimensions = {over}"]
        lines += ["  (%a0: f32, %o0: f32) {", *("    " + line for line in body), "  }"]
    else:
        kinds = ["reduction" if i in over else "parallel" for i in range(rank)]
        inputs = [("@0", value.shape, "f32", identity(rank))]
        lines += generic("@r", rank, kinds, inputs, [("@r_f", shape, "f32", results)], body)
    return graph.add(kind, lines, [value], (shape, "f32", amp * factor))[0]


@op(1.5)
def softmax(graph):
    """exp(x - max x) over its sum, along one dim; no scaling, so that it adds up to 1."""
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    rank = len(value.shape)
    dim = graph.rng.randrange(rank)
    dims, kept = identity(rank), [f"d{i}" for i in range(rank) if i != dim]

    def combine(left, right, name, amp):
        shape = [extent for i, extent in enumerate(value.shape) if i != dim]
        inputs = [("@0", value.shape, "f32", dims), ("@1", shape, "f32", kept)]
        if name == "exp":
            body = ["%d = arith.subf %a0, %a1 : f32", "%x = math.exp %d : f32", "linalg.yield %x : f32"]
        else:
            body = ["%x = arith.divf %a0, %a1 : f32", "linalg.yield %x : f32"]
        lines = [f"@r_e = tensor.empty() : {value.type}"]
        lines += generic("@r", rank, ["parallel"] * rank, inputs, [("@r_e", value.shape, "f32", dims)], body)
        return graph.add(name, lines, [left, right], (value.shape, "f32", amp))[0]

    power = combine(value, reduce(graph, value, [dim], "max", False), "exp", 1.0)
    return combine(power, reduce(graph, power, [dim], "sum", False, scale=False), "div", 1.0)


@op(1)
def argmax(graph):
    """The largest element along a dim, and where it is."""
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    rank = len(value.shape)
    dim = graph.rng.randrange(rank)
    shape = [extent for i, extent in enumerate(value.shape) if i != dim]
    kept = [f"d{i}" for i in range(rank) if i != dim]
    body = [f"%i = linalg.index {dim} : index", "%n = arith.index_cast %i : index to i64"]
    body += ["%g = arith.cmpf ogt, %a0, %o0 : f32", "%v = arith.select %g, %a0, %o0 : f32"]
    body += ["%w = arith.select %g, %n, %o1 : i64", "linalg.yield %v, %w : f32, i64"]
    lines = [f"@r_v = arith.constant dense<{number(LOWEST)}> : {tensor(shape)}"]
    lines += [f"@r_n = arith.constant dense<0> : {tensor(shape, 'i64')}"]
    kinds = ["reduction" if i == dim else "parallel" for i in range(rank)]
    outputs = [("@r_v", shape, "f32", kept), ("@r_n", shape, "i64", kept)]
    lines += generic("@r:2", rank, kinds, [("@0", value.shape, "f32", identity(rank))], outputs, body)
    return graph.add("argmax", lines, [value], (shape, "f32", value.amp), (shape, "i64", 0, value.shape[dim]))


@op(1)
def scatter(graph):
    """Updates added to rows of a tensor at integer indices."""
    index = pick(graph, lambda v: v.bound and v.shape and prod(v.shape) <= 24, "i64")
    target = index and pick(graph, lambda v: v.shape and v.shape[0] >= index.bound)
    if not target:
        return False
    count = prod(index.shape)
    window = list(target.shape[1:])
    updates = pick(graph, lambda v: list(v.shape) == [count] + window) or contract(
        graph, [pick(graph)], [count] + window
    )
    if not updates:
        return False
    rank, flat = len(index.shape), tensor((count, 1), "i64")
    lines = []
    if rank == 1:
        lines += [f"@r_i = tensor.expand_shape @1 [[0, 1]] output_shape [{count}, 1] : {index.type} into {flat}"]
    else:
        groups, merged = [list(range(rank))], tensor((count,), "i64")
        lines += [f"@r_j = tensor.collapse_shape @1 {groups} : {index.type} into {merged}"]
        lines += [f"@r_i = tensor.expand_shape @r_j [[0, 1]] output_shape [{count}, 1] : {merged} into {flat}"]
    lines += [f"@r = fsdp.scatter ins(@0, @r_i : {updates.type}, {flat}) outs(@2 : {target.type}) dims [0] {{"]
    lines += [
        "^bb0(%u: f32, %c: f32):",
        "  %t = arith.addf %c, %u : f32",
        "  fsdp.yield %t : f32",
        f"}} -> {target.type}",
    ]
    amp = target.amp + count * updates.amp
    made = graph.add("scatter", lines, [updates, index, target], (target.shape, "f32", amp))[0]
    return amp <= MOST_AMP or squash(graph, made)


@op(1)
def convolution(graph):
    """A window that slides along one dim, or linalg.conv_2d_nchw_fchw."""
    rng = graph.rng
    stride = rng.choice([1, 1, 2])
    image = len(graph.nodes) % 3 == 0 and pick(graph, lambda v: len(v.shape) == 4 and min(v.shape[2:]) >= 2)
    if image:
        n, c, h, w = image.shape
        weight = contract(graph, [pick(graph)], [graph.sizes[0], c, 2, 2])
        shape = (n, graph.sizes[0], (h - 2) // stride + 1, (w - 2) // stride + 1)
        if not weight or not small(shape):
            return False
        window = f"{{dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>}}"
        value, amp = image, image.amp * weight.amp * c * 4
        ins = f"ins(@0, @1 : {value.type}, {weight.type})"
        lines = [f"@r = linalg.conv_2d_nchw_fchw {window} {ins} outs(@r_z : {tensor(shape)}) -> {tensor(shape)}"]
    else:  # (batch, length, channels) with (window, channels, features)
        value = pick(graph, lambda v: len(v.shape) == 3 and v.shape[1] >= 2)
        if value is None:
            return False
        n, length, c = value.shape
        window = rng.choice([w for w in (2, 3) if w <= length])
        features = rng.choice(graph.sizes)
        weight = contract(graph, [pick(graph)], [window, c, features])
        shape = (n, (length - window) // stride + 1, features)
        if not weight or not small(shape):
            return False
        amp = value.amp * weight.amp * window * c
        at = "d1 + d2" if stride == 1 else f"d1 * {stride} + d2"
        inputs = [("@0", value.shape, "f32", ["d0", at, "d3"]), ("@1", weight.shape, "f32", ["d2", "d3", "d4"])]
        kinds = ["parallel", "parallel", "reduction", "reduction", "parallel"]
        body = ["%m = arith.mulf %a0, %a1 : f32", "%s = arith.addf %o0, %m : f32", "linalg.yield %s : f32"]
        lines = generic("@r", 5, kinds, inputs, [("@r_z", shape, "f32", ["d0", "d1", "d4"])], body)
    lines = [f"@r_z = arith.constant dense<0.0> : {tensor(shape)}"] + lines
    made = graph.add("conv", lines, [value, weight], (shape, "f32", amp))[0]
    return amp <= MOST_AMP or squash(graph, made)
