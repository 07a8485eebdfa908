# SPDX-License-Identifier: Apache-2.0
"""Random ops with regions: loops that carry tensors, and branches."""

from random_graph import Value, filled, generic, identity, tensor
from random_ops import Body, broadcast_dims, op, pick
from random_sums import contract


def inner(graph, result, terms, shape):
    """Lines, for a region, of a function of (name, value) that broadcast to `shape`; it stays in [-1, 1]."""
    rng, body = graph.rng, Body(graph.rng)
    inputs = [(name, value.shape, "f32", broadcast_dims(rng, value, shape)) for name, value in terms]
    name, _ = body.expression([(f"%a{i}", value.amp) for i, (_, value) in enumerate(terms)])
    lines = body.lines + [f"%z = math.tanh {name} : f32", "linalg.yield %z : f32"]
    outputs = [(f"{result}_e", shape, "f32", identity(len(shape)))]
    kinds = ["parallel"] * len(shape)
    return [
        f"{result}_e = tensor.empty() : {tensor(shape)}",
        *generic(result, len(shape), kinds, inputs, outputs, lines),
    ]


def loop(count, carried, values, body, yields):
    """Lines of an scf.for that carries `carried` (names in the body) from `values` on."""
    types = ", ".join(value.type for _, value in values)
    starts = ", ".join(f"{name} = {start}" for name, (start, _) in zip(carried, values))
    result = "@r" if len(carried) == 1 else f"@r:{len(carried)}"
    return [
        "@r_0 = arith.constant 0 : index",
        "@r_1 = arith.constant 1 : index",
        f"@r_n = arith.constant {count} : index",
        f"{result} = scf.for %i = @r_0 to @r_n step @r_1 iter_args({starts}) -> ({types}) {{",
        *("  " + line for line in body),
        f"  scf.yield {', '.join(yields)} : {types}",
        "}",
    ]


@op(1)
def repeated(graph):
    """x = f(x, y), k times; with a product x @ w where there is a square w."""
    rng = graph.rng
    start = pick(graph, lambda v: v.shape)
    if start is None:
        return False
    shape = start.shape
    other = pick(graph, lambda v: len(v.shape) <= len(shape) and broadcast_dims(rng, v, shape) is not None)
    if broadcast_dims(rng, other, shape) is None:
        return False
    operands, body, last = [start, other], [], ("%x", start)
    if len(shape) == 2 and rng.random() < 0.7:
        square = (shape[1], shape[1])
        weight = pick(graph, lambda v: v.shape == square) or contract(graph, [pick(graph)], square)
        if weight:
            operands.append(weight)
            body += filled("%f", shape, 0.0)
            ins, out = f"ins(%x, @2 : {start.type}, {weight.type})", start.type
            body.append(f"%m = linalg.matmul {ins} outs(%f : {out}) -> {out}")
            last = ("%m", start)
    body += inner(graph, "%next", [last, ("@1", other)], shape)
    lines = loop(rng.randint(1, 3), ["%x"], [("@0", start)], body, ["%next"])
    return graph.add("for", lines, operands, (shape, "f32", max(start.amp, 1.0)))


@op(0.7)
def swapped(graph):
    """(x, y) = (y, f(x, y)), k times."""
    left = pick(graph, lambda v: v.shape)
    right = left and pick(graph, lambda v: v.shape == left.shape)
    if not right:
        return False
    body = inner(graph, "%next", [("%x", left), ("%y", right)], left.shape)
    lines = loop(graph.rng.randint(2, 3), ["%x", "%y"], [("@0", left), ("@1", right)], body, ["%y", "%next"])
    result = (left.shape, "f32", max(left.amp, right.amp, 1.0))
    return graph.add("swap", lines, [left, right], result, result)


@op(1)
def scan(graph):
    """A carried value meets one slice of a stack per iteration; what it is each time is stacked."""
    stack = pick(graph, lambda v: 2 <= len(v.shape) <= 3)
    if stack is None:
        return False
    count, shape = stack.shape[0], stack.shape[1:]
    start = pick(graph, lambda v: v.shape == shape) or contract(graph, [pick(graph)], shape)
    if not start:
        return False
    zeros, ones = ", ".join(["%i"] + ["0"] * len(shape)), ", ".join(["1"] * len(stack.shape))
    sizes = ", ".join(map(str, (1, *shape)))
    body = [f"%s = tensor.extract_slice @0[{zeros}] [{sizes}] [{ones}] : {stack.type} to {start.type}"]
    body += inner(graph, "%next", [("%x", start), ("%s", Value("", shape, "f32", stack.amp))], shape)
    body += [
        f"%rows = tensor.insert_slice %next into %acc[{zeros}] [{sizes}] [{ones}] : {start.type} into {stack.type}"
    ]
    lines = [f"@r_z = arith.constant dense<0.0> : {stack.type}"]
    lines += loop(count, ["%x", "%acc"], [("@1", start), ("@r_z", stack)], body, ["%next", "%rows"])
    return graph.add("scan", lines, [stack, start], (shape, "f32", 1.0), (stack.shape, "f32", 1.0))


@op(0.8)
def branch(graph):
    """scf.if on an element of a parameter: the same on all ranks that hold the same parameter."""
    rng = graph.rng
    parameter = rng.choice([a for a in graph.arguments if a.role == "param"])
    left = pick(graph)
    right = pick(graph, lambda v: v.shape == left.shape)
    places = ["@r_0"] * len(parameter.shape)
    lines = ["@r_0 = arith.constant 0 : index", "@r_z = arith.constant 0.0 : f32"]
    lines += [f"@r_x = tensor.extract @2[{', '.join(places)}] : {parameter.type}"]
    lines += [
        f"@r_p = arith.cmpf {rng.choice(['ogt', 'ole'])}, @r_x, @r_z : f32",
        f"@r = scf.if @r_p -> ({left.type}) {{",
    ]
    lines += ["  " + line for line in inner(graph, "%y", [("@0", left)], left.shape)]
    lines += [f"  scf.yield %y : {left.type}", "} else {"]
    if rng.random() < 0.5:
        lines += [f"  scf.yield @1 : {left.type}", "}"]
    else:
        lines += ["  " + line for line in inner(graph, "%y", [("@0", left), ("@1", right)], left.shape)]
        lines += [f"  scf.yield %y : {left.type}", "}"]
    return graph.add("if", lines, [left, right, parameter], (left.shape, "f32", max(left.amp, right.amp, 1.0)))
