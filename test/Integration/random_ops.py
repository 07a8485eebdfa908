# SPDX-License-Identifier: Apache-2.0
"""Random ops for `random_graph.Graph`: each adds one, or a few, on values that fit it.

An op is `function(graph)`; it returns False where no value fits. Numbers stay
small: a value's `amp` is a bound, and what could grow is scaled in its body.
"""

from math import prod

from random_graph import filled, generic, identity, number, tensor

OPS = {}  # op: weight
MOST_ELEMENTS, MOST_DIMS, MOST_AMP = 600, 4, 4.0


def op(weight):
    """Registers an op."""

    def add(function):
        OPS[function] = weight
        return function

    return add


def pick(graph, fits=lambda value: True, dtype="f32"):
    """A value that fits, recent ones more often; or None."""
    values = [v for v in graph.values() if v.dtype == dtype and fits(v)]
    return values and graph.rng.choices(values, [i + 2 for i in range(len(values))])[0] or None


def small(shape):
    """True for a shape that does not cost much."""
    return len(shape) <= MOST_DIMS and prod(shape) <= MOST_ELEMENTS


class Body:
    """Scalar ops of a body."""

    def __init__(self, rng, prefix="%e"):
        self.rng, self.prefix, self.lines, self.count = rng, prefix, [], 0

    def emit(self, text, kind="f32"):
        """Adds an op; returns its name."""
        name = f"{self.prefix}{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text} : {kind}")
        return name

    def constant(self, value):
        """A constant."""
        return self.emit(f"arith.constant {number(value)}")

    def scaled(self, term):
        """The term, made small."""
        name, amp = term
        return term if amp <= MOST_AMP else (self.emit(f"arith.mulf {name}, {self.constant(1 / amp)}"), 1.0)

    def unary(self, term):
        """A function of one term."""
        name, amp = term
        kind = self.rng.randrange(9)
        if kind < 3:
            return self.emit(f"math.{['tanh', 'sin', 'cos'][kind]} {name}"), 1.0
        if kind == 3:
            return self.emit(f"arith.negf {name}"), amp
        if kind == 4:
            return self.emit(f"math.absf {name}"), amp
        if kind == 5:  # relu
            zero = self.constant(0.0)
            above = f"{self.prefix}p{self.count}"
            self.lines.append(f"{above} = arith.cmpf ogt, {name}, {zero} : f32")
            return self.emit(f"arith.select {above}, {name}, {zero}"), amp
        if kind == 6:  # sigmoid
            small_enough = self.emit(f"math.exp {self.emit(f'math.tanh {name}')}")
            return self.emit(
                f"arith.divf {small_enough}, {self.emit(f'arith.addf {small_enough}, {self.constant(1)}')}"
            ), 1.0
        if kind == 7:
            square = self.emit(f"arith.addf {self.emit(f'arith.mulf {name}, {name}')}, {self.constant(1)}")
            return self.emit(f"math.{self.rng.choice(['sqrt', 'rsqrt'])} {square}"), amp + 1
        factor = self.rng.uniform(-1.5, 1.5)
        return self.emit(f"arith.mulf {name}, {self.constant(factor)}"), amp * abs(factor) + 0.01

    def binary(self, left, right):
        """A function of two terms."""
        (a, b), (m, n) = left, right
        word = self.rng.choice(["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf"])
        name = self.emit(f"{word} {a}, {m}")
        return name, b * n if word == "arith.mulf" else b + n if word in ("arith.addf", "arith.subf") else max(b, n)

    def expression(self, terms):
        """A random function of all terms."""
        terms = [self.unary(term) if self.rng.random() < 0.4 else term for term in terms]
        self.rng.shuffle(terms)
        result = terms.pop()
        for term in terms:
            result = self.scaled(self.binary(result, self.scaled(term)))
        return self.scaled(result if self.rng.random() < 0.6 else self.unary(result))


def read(body, value, name):
    """A value's element as a float term of a body."""
    if value.dtype == "f32":
        return name, value.amp
    return body.emit(f"arith.sitofp {name}", "i64 to f32"), float(value.bound)


def broadcast_dims(rng, value, shape):
    """Which dims of `shape` a value's dims are, or None; dims of 1 may be read at 0."""
    chosen = []
    for extent in value.shape:
        free = [i for i, dim in enumerate(shape) if dim == extent and i not in chosen]
        same = [i for i in free if i == len(chosen)]
        if extent == 1 and (not free or rng.random() < 0.7):
            chosen.append("0")
        elif free:
            chosen.append(same[0] if same and rng.random() < 0.7 else rng.choice(free))
        else:
            return None
    return [dim if dim == "0" else f"d{dim}" for dim in chosen]


@op(4)
def elementwise(graph):
    """A function of a value and what broadcasts to it, with one or two results."""
    rng = graph.rng
    main = pick(graph)
    shape = list(main.shape)
    if rng.random() < 0.1 and small(shape + [graph.sizes[0]]):  # A dim that no operand has.
        shape.insert(rng.randint(0, len(shape)), rng.choice(graph.sizes[:1]))
    values = [main]
    for _ in range(rng.randrange(3)):
        dtype = "i64" if rng.random() < 0.1 else "f32"
        other = pick(graph, lambda v: len(v.shape) <= len(shape) and broadcast_dims(rng, v, shape), dtype)
        values += [other] if other else []
    inputs, operands = [], []
    for value in values:
        dims = broadcast_dims(rng, value, shape)
        if dims is not None:
            inputs.append((f"@{len(operands)}", value.shape, value.dtype, dims))
            operands.append(value)
    if not operands:
        return False
    body = Body(rng)
    terms = [body.scaled(read(body, value, f"%a{i}")) for i, value in enumerate(operands)]
    results = [body.expression(terms) for _ in range(1 + (rng.random() < 0.15))]
    order = identity(len(shape))
    if rng.random() < 0.2:
        rng.shuffle(order)
    made = [shape[int(dim[1:])] for dim in order]
    count = len(results)
    outputs = [(f"@r_e{i}", made, "f32", order) for i in range(count)]
    lines = [f"@r_e{i} = tensor.empty() : {tensor(made)}" for i in range(count)]
    yields = ", ".join(name for name, _ in results) + " : " + ", ".join(["f32"] * count)
    name = "@r" if count == 1 else f"@r:{count}"
    kinds = ["parallel"] * len(shape)
    lines += generic(name, len(shape), kinds, inputs, outputs, body.lines + [f"linalg.yield {yields}"])
    return graph.add("map", lines, operands, *((made, "f32", amp) for _, amp in results))


@op(2)
def whole_tensor(graph):
    """arith and math on tensors, or a named linalg op."""
    rng = graph.rng
    left = pick(graph)
    right = pick(graph, lambda v: v.shape == left.shape)
    kind = rng.randrange(5)
    if kind == 0:
        return graph.add("tanh", [f"@r = math.tanh @0 : {left.type}"], [left], (left.shape, "f32", 1.0))
    if kind == 1:
        lines = [f"@r = arith.mulf @0, @1 : {left.type}"]
        made = graph.add("mul", lines, [left, right], (left.shape, "f32", left.amp * right.amp))[0]
        return made.amp <= MOST_AMP or squash(graph, made)
    if kind == 2:
        lines = [f"@r_c = arith.cmpf ogt, @0, @1 : {left.type}"]
        lines += [f"@r = arith.select @r_c, @0, @1 : {tensor(left.shape, 'i1')}, {left.type}"]
        return graph.add("greater", lines, [left, right], (left.shape, "f32", max(left.amp, right.amp)))
    if kind == 3:
        lines = [f"@r_e = tensor.empty() : {left.type}"]
        lines += [f"@r = linalg.add ins(@0, @1 : {left.type}, {left.type}) outs(@r_e : {left.type}) -> {left.type}"]
        return graph.add("add", lines, [left, right], (left.shape, "f32", left.amp + right.amp))
    lines = [f"@r_e = tensor.empty() : {left.type}"]
    lines += [f"@r = linalg.map ins(@0 : {left.type}) outs(@r_e : {left.type})"]
    lines += ["  (%x: f32, %init: f32) {", "    %y = math.sin %x : f32", "    linalg.yield %y : f32", "  }"]
    return graph.add("sin", lines, [left], (left.shape, "f32", 1.0))


def squash(graph, value):
    """tanh of a value that has become large."""
    return graph.add("tanh", [f"@r = math.tanh @0 : {value.type}"], [value], (value.shape, "f32", 1.0))


@op(1.5)
def mask(graph):
    """A value where one index is not below another, and a constant elsewhere."""
    value = pick(graph, lambda v: v.shape)
    if value is None:
        return False
    rank = len(value.shape)
    left, right = graph.rng.randrange(rank), graph.rng.randrange(rank)
    limit = graph.rng.randrange(value.shape[left])
    body = [f"%i = linalg.index {left} : index", f"%j = linalg.index {right} : index"]
    compare = "%i, %j" if left != right else "%i, %k"
    body += [f"%k = arith.constant {limit} : index", f"%g = arith.cmpi sge, {compare} : index"]
    body += [
        f"%c = arith.constant {number(-0.5)} : f32",
        "%v = arith.select %g, %a0, %c : f32",
        "linalg.yield %v : f32",
    ]
    dims = identity(rank)
    lines = [f"@r_e = tensor.empty() : {value.type}"]
    inputs, outputs = [("@0", value.shape, "f32", dims)], [("@r_e", value.shape, "f32", dims)]
    lines += generic("@r", rank, ["parallel"] * rank, inputs, outputs, body)
    return graph.add("mask", lines, [value], (value.shape, "f32", max(value.amp, 0.5)))


@op(1)
def iota(graph):
    """Indices, as floats or integers."""
    rng = graph.rng
    shape = [rng.choice(graph.sizes) for _ in range(rng.randint(1, 2))]
    dim = rng.randrange(len(shape))
    body = [f"%i = linalg.index {dim} : index", "%n = arith.index_cast %i : index to i64"]
    whole = rng.random() < 0.4
    dtype = "i64" if whole else "f32"
    if not whole:
        body += ["%f = arith.sitofp %n : i64 to f32", f"%c = arith.constant {number(1 / shape[dim])} : f32"]
        body += ["%x = arith.mulf %f, %c : f32"]
    body += [f"linalg.yield {'%n' if whole else '%x'} : {dtype}"]
    lines = [f"@r_e = tensor.empty() : {tensor(shape, dtype)}"]
    lines += generic(
        "@r", len(shape), ["parallel"] * len(shape), [], [("@r_e", shape, dtype, identity(len(shape)))], body
    )
    return graph.add("iota", lines, [], (shape, dtype, 1.0, shape[dim] if whole else 0))


@op(1)
def constant(graph):
    """A constant, a splat or a fill."""
    rng = graph.rng
    shape = [rng.choice(graph.sizes) for _ in range(rng.randint(1, 3))]
    if not small(shape):
        return False
    kind, type_ = rng.randrange(4), tensor(shape)
    value = number(rng.uniform(-1, 1))
    if kind == 0:
        lines = [f"@r = arith.constant dense<{value}> : {type_}"]
    elif kind == 1:
        lines = [f"@r_c = arith.constant {value} : f32", f"@r = tensor.splat @r_c : {type_}"]
    elif kind == 2:
        lines = filled("@r", shape, value)
    else:

        def nest(dims):
            inner = [nest(dims[1:]) for _ in range(dims[0])] if dims else []
            return f"[{', '.join(inner)}]" if dims else number(rng.uniform(-1, 1))

        lines = [f"@r = arith.constant dense<{nest(shape)}> : {type_}"]
    return graph.add("const", lines, [], (shape, "f32", 1.0))


@op(1)
def lookup(graph):
    """Rows of a table at integer indices."""
    table = pick(graph, lambda v: 1 <= len(v.shape) <= 3)
    index = table and pick(graph, lambda v: v.bound and v.bound <= table.shape[0] and len(v.shape) <= 2, "i64")
    if index is None or not table:
        return False
    shape = index.shape + table.shape[1:]
    if not small(shape):
        return False
    at = len(index.shape)
    body = ["%n = arith.index_cast %a0 : i64 to index"]
    places = [f"%i{i}" for i in range(at, len(shape))]
    body += [f"{name} = linalg.index {at + i} : index" for i, name in enumerate(places)]
    body += [f"%x = tensor.extract @1[{', '.join(['%n'] + places)}] : {table.type}", "linalg.yield %x : f32"]
    dims = identity(len(shape))
    lines = [f"@r_e = tensor.empty() : {tensor(shape)}"]
    inputs = [("@0", index.shape, "i64", dims[:at])]
    lines += generic("@r", len(shape), ["parallel"] * len(shape), inputs, [("@r_e", shape, "f32", dims)], body)
    return graph.add("lookup", lines, [index, table], (shape, "f32", table.amp))


@op(0.5)
def diagonal(graph):
    """x[i, i]."""
    value = pick(graph, lambda v: len(v.shape) >= 2 and v.shape[0] == v.shape[1])
    if value is None:
        return False
    rank = len(value.shape) - 1
    shape = value.shape[1:]
    lines = [f"@r_e = tensor.empty() : {tensor(shape)}"]
    inputs = [("@0", value.shape, "f32", ["d0", *identity(rank)])]
    body = ["%x = arith.negf %a0 : f32", "linalg.yield %x : f32"]
    lines += generic("@r", rank, ["parallel"] * rank, inputs, [("@r_e", shape, "f32", identity(rank))], body)
    return graph.add("diagonal", lines, [value], (shape, "f32", value.amp))
