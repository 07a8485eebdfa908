# SPDX-License-Identifier: Apache-2.0
"""Writes training steps as exporters do, with their gradients, and runs them in numpy.

Every op is emitted as linalg and evaluated at once in float64, so that a step
can be checked: its gradients against differences of its loss.
"""

import string

import numpy as np


class Tensor:
    """A value of the step, with its SSA name and how gradients go back through it."""

    def __init__(self, name, value, dtype="f32", back=None):
        self.name, self.value, self.dtype = name, value, dtype
        self.back = back  # From the gradient to pairs of operand and its gradient.
        self.shape = value.shape

    @property
    def type(self):
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + f"{self.dtype}>"


def split(spec):
    """The dims of operands and result of a spec such as "bd,d->bd"."""
    operands, result = spec.split("->")
    return operands.split(","), result


# Scalar functions: the body, in numpy, and the gradients of the operands.
# {0} is the first operand, {o} the result; g is the gradient, y the result.
POINTS = {
    "add": ("{o} = arith.addf {0}, {1} : f32", np.add, lambda p, s, g, y, a, b: (g, g)),
    "sub": ("{o} = arith.subf {0}, {1} : f32", np.subtract, lambda p, s, g, y, a, b: (g, p.map("neg", g))),
    "mul": (
        "{o} = arith.mulf {0}, {1} : f32",
        np.multiply,
        lambda p, s, g, y, a, b: (p.times(s, g, b, 1), p.times(s, g, a, 0)),
    ),
    "neg": ("{o} = arith.negf {0} : f32", np.negative, lambda p, s, g, y, a: (p.map("neg", g),)),
    "exp": ("{o} = math.exp {0} : f32", np.exp, lambda p, s, g, y, a: (p.map("mul", g, y),)),
    "log": ("{o} = math.log {0} : f32", np.log, lambda p, s, g, y, a: (p.map("div", g, a),)),
    "div": ("{o} = arith.divf {0}, {1} : f32", np.divide, None),
    "rsqrt": ("{o} = math.rsqrt {0} : f32", lambda a: a**-0.5, lambda p, s, g, y, a: (p.map("rsqrt_back", g, y),)),
    "rsqrt_back": (
        "%a{n} = arith.mulf {1}, {1} : f32\n%b{n} = arith.mulf %a{n}, {1} : f32\n"
        "%c{n} = arith.mulf %b{n}, {half} : f32\n{o} = arith.mulf %c{n}, {0} : f32",
        lambda g, y: -0.5 * y**3 * g,
        None,
    ),
    "tanh": ("{o} = math.tanh {0} : f32", np.tanh, lambda p, s, g, y, a: (p.map("tanh_back", g, y),)),
    "tanh_back": (
        "%a{n} = arith.mulf {1}, {1} : f32\n%b{n} = arith.subf {one}, %a{n} : f32\n{o} = arith.mulf {0}, %b{n} : f32",
        lambda g, y: g * (1 - y * y),
        None,
    ),
    "equal": (
        "%a{n} = arith.cmpf oeq, {0}, {1} : f32\n{o} = arith.uitofp %a{n} : i1 to f32",
        lambda a, b: (a == b) * 1.0,
        None,
    ),
    "without": (
        "%a{n} = arith.subf {one}, {1} : f32\n{o} = arith.mulf {0}, %a{n} : f32",
        lambda a, b: a * (1 - b),
        None,
    ),
}


class Tape:
    """A step that is being written. `products` is how contractions are exported:
    "torch" as transposes, reshapes and (batch) products, "generic" as one op."""

    def __init__(self, products="torch", seed=0):
        self.products = products
        self.random = np.random.default_rng(seed)
        self.arguments, self.results, self.params, self.fill = [], [], [], []
        self.lines, self.constants, self.recorded = [], {}, []
        self.module, self.phase, self.count = "<root>", "fwd", 0

    # Boundary.

    def param(self, name, *shape, scale=1.0, bias=0.0):
        value = self.random.uniform(-0.5, 0.5, shape) * scale + bias
        tensor = Tensor(f"%arg{len(self.arguments)}", value)
        self.arguments.append(f'{tensor.name}: {tensor.type} {{fsdp.param = "{name}"}}')
        self.fill.append({"kind": "hash", "k": len(self.fill), "scale": scale, "bias": bias})
        self.params.append((name, tensor))
        return tensor

    def input(self, name, *shape, mod=None):
        value = self.random.integers(0, mod, shape) if mod else self.random.uniform(-1, 1, shape)
        tensor = Tensor(f"%arg{len(self.arguments)}", value, "i64" if mod else "f32")
        self.arguments.append(f'{tensor.name}: {tensor.type} {{fsdp.batch_dim = 0 : i64, fsdp.input = "{name}"}}')
        kind = {"kind": "hash_int", "mod": mod} if mod else {"kind": "hash", "scale": 2.0, "bias": 0.0}
        self.fill.append(kind | {"k": len(self.fill)})
        return tensor

    # Emission.

    def fresh(self, value, dtype="f32", back=None):
        self.count += 1
        tensor = Tensor(f"%{self.count}", value, dtype, back)
        if self.phase == "fwd":
            self.recorded.append((tensor, self.module))
        return tensor

    def emit(self, text):
        self.lines.append(f'{text.rstrip()} loc("{self.module}"("{self.phase}"))')

    def scalar(self, value):
        return self.constants.setdefault(f"{value:.8e}", f"%cst_{len(self.constants)}")

    def start(self, shape, value=None, dtype="f32"):
        """An empty tensor, or one full of a value."""
        empty = self.fresh(np.zeros(shape), dtype)
        self.emit(f"{empty.name} = tensor.empty() : {empty.type}")
        if value is None:
            return empty
        full = self.fresh(np.full(shape, value), dtype)
        ins = f"ins({self.scalar(value)} : f32) outs({empty.name} : {empty.type})"
        self.emit(f"{full.name} = linalg.fill {ins} -> {full.type}")
        return full

    def generic(self, spec, operands, into, body, value, dtype="f32", back=None):
        """One linalg.generic; dims that the result lacks are reduced."""
        dims, result = split(spec)
        dims = dims[: len(operands)]
        loops = result + "".join(sorted(set("".join(dims)) - set(result)))
        names = {letter: f"d{i}" for i, letter in enumerate(loops)}
        maps = [
            f"affine_map<({', '.join(names.values())}) -> ({', '.join(names[letter] for letter in part)})>"
            for part in [*dims, result]
        ]
        kinds = ", ".join('"parallel"' if letter in result else '"reduction"' for letter in loops)
        out = self.fresh(value, dtype, back)
        inner = [f"%in{self.count}_{i}" for i in range(len(operands))]
        last = f"%out{self.count}"
        header = ", ".join([f"{name}: {t.dtype}" for name, t in zip(inner, operands)] + [f"{last}: {dtype}"])
        ins = ""
        if operands:
            ins = f" ins({', '.join(t.name for t in operands)} : {', '.join(t.type for t in operands)})"
        numbers = {"zero": self.scalar(0.0), "one": self.scalar(1.0), "half": self.scalar(-0.5)}
        text = body.format(*inner, out=last, o=f"%r{self.count}", n=self.count, **numbers)
        self.lines.append(
            f"{out.name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}"
            f"{ins} outs({into.name} : {into.type}) {{\n    ^bb0({header}):"
        )
        for line in text.split("\n"):
            self.emit("  " + line)
        self.emit(f"  linalg.yield %r{self.count} : {dtype}")
        self.emit(f"}} -> {out.type}")
        return out

    # Ops.

    def point(self, spec, name, *operands):
        """A scalar function of operands that are repeated along the dims that they lack."""
        body, evaluate, gradient = POINTS[name]
        dims, result = split(spec)
        extent = {letter: size for dim, t in zip(dims, operands) for letter, size in zip(dim, t.shape)}
        shape = tuple(extent[letter] for letter in result)
        spread = [np.einsum(f"{dim},{result}->{result}", t.value, np.ones(shape)) for dim, t in zip(dims, operands)]
        into = self.start(shape)

        def back(grad):
            parts = gradient(self, spec, grad, out, *operands)
            return [
                (t, part if part.shape == t.shape else self.sum(f"{result}->{dim}", part))
                for dim, t, part in zip(dims, operands, parts)
            ]

        out = self.generic(spec, operands, into, body, evaluate(*spread), back=back if gradient else None)
        return out

    def map(self, name, *operands):
        """A scalar function of operands of one shape."""
        dims = string.ascii_lowercase[: len(operands[0].shape)]
        return self.point(",".join([dims] * len(operands)) + "->" + dims, name, *operands)

    def times(self, spec, grad, other, position):
        """A gradient times the operand at `position` of a product."""
        dims, result = split(spec)
        return self.point(f"{result},{dims[position]}->{result}", "mul", grad, other)

    def scale(self, a, number):
        dims = string.ascii_lowercase[: len(a.shape)]
        body = "{o} = arith.mulf {0}, " + self.scalar(number) + " : f32"
        back = lambda grad: [(a, self.scale(grad, number))]  # noqa: E731
        return self.generic(f"{dims}->{dims}", [a], self.start(a.shape), body, a.value * number, back=back)

    def shift(self, a, number):
        dims = string.ascii_lowercase[: len(a.shape)]
        body = "{o} = arith.addf {0}, " + self.scalar(number) + " : f32"
        back = lambda grad: [(a, grad)]  # noqa: E731
        return self.generic(f"{dims}->{dims}", [a], self.start(a.shape), body, a.value + number, back=back)

    def sum(self, spec, a):
        dims, result = split(spec)
        value = np.einsum(spec, a.value)

        def back(grad):
            spread = self.generic(
                f"{result}->{dims[0]}", [grad], self.start(a.shape), "{o} = arith.addf {0}, {zero} : f32",
                np.einsum(f"{result},{dims[0]}->{dims[0]}", grad.value, np.ones(a.shape))
            )  # fmt: skip
            return [(a, spread)]

        body = "{o} = arith.addf {0}, {out} : f32"
        return self.generic(spec, [a], self.start(value.shape, 0.0), body, value, back=back)

    def max(self, spec, a):
        """The largest, through which no gradient goes."""
        dims, result = split(spec)
        lost = tuple(i for i, letter in enumerate(dims[0]) if letter not in result)
        value = a.value.max(axis=lost)
        into = self.start(value.shape, -1.0e30)
        return self.generic(spec, [a], into, "{o} = arith.maximumf {0}, {out} : f32", value)

    def transpose(self, a, order):
        if list(order) == sorted(order):
            return a
        inverse = [int(i) for i in np.argsort(order)]
        back = lambda grad: [(a, self.transpose(grad, inverse))]  # noqa: E731
        value = a.value.transpose(order)
        into = self.start(value.shape, dtype=a.dtype)
        out = self.fresh(value, a.dtype, back)
        self.emit(
            f"{out.name} = linalg.transpose ins({a.name} : {a.type}) outs({into.name} : {into.type}) "
            f"permutation = {list(order)}"
        )
        return out

    def reshape(self, a, groups, shape):
        """Merges dims (groups of a's dims) or splits them (groups of the result's)."""
        shape = tuple(shape)
        if a.shape == shape:
            return a
        back = lambda grad: [(a, self.reshape(grad, groups, a.shape))]  # noqa: E731
        out = self.fresh(a.value.reshape(shape), a.dtype, back)
        if len(shape) < len(a.shape):
            self.emit(f"{out.name} = tensor.collapse_shape {a.name} {groups} : {a.type} into {out.type}")
        else:
            self.emit(
                f"{out.name} = tensor.expand_shape {a.name} {groups} output_shape {list(shape)} : "
                f"{a.type} into {out.type}"
            )
        return out

    def einsum(self, spec, a, b):
        dims, result = split(spec)
        value = np.einsum(spec, a.value, b.value)

        def back(grad):
            return [
                (a, self.einsum(f"{result},{dims[1]}->{dims[0]}", grad, b)),
                (b, self.einsum(f"{dims[0]},{result}->{dims[1]}", a, grad)),
            ]

        if self.products == "generic":
            body = "%m{n} = arith.mulf {0}, {1} : f32\n{o} = arith.addf %m{n}, {out} : f32"
            return self.generic(spec, [a, b], self.start(value.shape, 0.0), body, value, back=back)
        recorded, self.recorded = self.recorded, []
        out = self.product(dims, result, a, b)
        self.recorded = recorded
        out = Tensor(out.name, out.value, out.dtype, back)
        if self.phase == "fwd":
            self.recorded.append((out, self.module))
        return out

    def product(self, dims, result, a, b):
        """A contraction as torch does it: permute, flatten, multiply, and back."""
        left, right = dims
        batch = [x for x in result if x in left and x in right]
        rows = [x for x in left if x in result and x not in right]
        columns = [x for x in right if x in result and x not in left]
        inner = [x for x in left if x in right and x not in result]
        extent = dict(zip(left, a.shape)) | dict(zip(right, b.shape))

        def flat(tensor, have, *groups):
            order = [have.index(x) for group in groups for x in group]
            tensor = self.transpose(tensor, order)
            lists, at = [], 0
            for group in groups:
                lists.append(list(range(at, at + len(group))))
                at += len(group)
            sizes = [int(np.prod([extent[x] for x in group])) for group in groups]
            lists, sizes = zip(*[(part, size) for part, size in zip(lists, sizes) if part])
            return self.reshape(tensor, list(lists), sizes)

        groups = [[batch], []][not batch]
        x, y = flat(a, left, *groups, rows, inner), flat(b, right, *groups, inner, columns)
        name = "linalg.batch_matmul" if batch else "linalg.matmul"
        into = self.start(x.shape[:-1] + y.shape[-1:], 0.0)
        z = self.fresh(x.value @ y.value)
        ins = f"ins({x.name}, {y.name} : {x.type}, {y.type}) outs({into.name} : {into.type})"
        self.emit(f"{z.name} = {name} {ins} -> {z.type}")
        have = batch + rows + columns
        lists, at = [], 0
        for group in [*groups, rows, columns]:
            lists.append(list(range(at, at + len(group))))
            at += len(group)
        z = self.reshape(z, lists, [extent[x] for x in have])
        return self.transpose(z, [have.index(x) for x in result])

    # Ops that know positions.

    def causal(self, scores):
        """Attention scores (…, t, s) where s > t is masked."""
        rank = len(scores.shape)
        t, s = rank - 2, rank - 1
        dims = string.ascii_lowercase[:rank]
        keep = np.tril(np.ones(scores.shape[-2:], bool))
        body = (
            f"%t{{n}} = linalg.index {t} : index\n%s{{n}} = linalg.index {s} : index\n"
            "%a{n} = arith.cmpi ule, %s{n}, %t{n} : index\n{o} = arith.select %a{n}, {0}, "
        )

        def masked(a, number, back=None):
            text = body + self.scalar(number) + " : f32"
            value = np.where(keep, a.value, number)
            return self.generic(f"{dims}->{dims}", [a], self.start(a.shape), text, value, back=back)

        return masked(scores, -1.0e30, lambda grad: [(scores, masked(grad, 0.0))])

    def lower(self, size):
        """The matrix (t, s) of ones where s < t."""
        body = (
            "%t{n} = linalg.index 0 : index\n%s{n} = linalg.index 1 : index\n"
            "%a{n} = arith.cmpi ult, %s{n}, %t{n} : index\n{o} = arith.uitofp %a{n} : i1 to f32"
        )
        return self.generic("->ts", [], self.start((size, size)), body, np.tril(np.ones((size, size)), -1))

    def slot(self, place, count):
        """One-hot of a place along a new last dimension; none where it is too large."""
        dims = string.ascii_lowercase[: len(place.shape)]
        body = (
            f"%t{{n}} = linalg.index {len(dims)} : index\n%i{{n}} = arith.index_cast %t{{n}} : index to i64\n"
            "%f{n} = arith.sitofp %i{n} : i64 to f32\n"
            "%a{n} = arith.cmpf oeq, {0}, %f{n} : f32\n{o} = arith.uitofp %a{n} : i1 to f32"
        )
        value = (place.value[..., None] == np.arange(count)) * 1.0
        return self.generic(f"{dims}->{dims}z", [place], self.start(value.shape), body, value)

    def lookup(self, table, tokens):
        """Rows of a table (v, d) by tokens (b, t); its gradient is a scatter."""
        rows = int(np.prod(tokens.shape))
        into = self.start((*tokens.shape, table.shape[1]))
        body = (
            "%i{n} = arith.index_cast {0} : i64 to index\n%j{n} = linalg.index 2 : index\n"
            f"{{o}} = tensor.extract {table.name}[%i{{n}}, %j{{n}}] : {table.type}"
        )

        def back(grad):
            flat = self.reshape(grad, [[0, 1], [2]], (rows, table.shape[1]))
            updates = self.reshape(flat, [[0], [1, 2]], (rows, 1, table.shape[1]))
            at = self.reshape(self.reshape(tokens, [[0, 1]], (rows,)), [[0, 1]], (rows, 1))
            zero = self.start(table.shape, 0.0)
            value = np.zeros(table.shape)
            np.add.at(value, tokens.value.reshape(-1), flat.value)
            out = self.fresh(value)
            self.emit(
                f'{out.name} = "tm_tensor.scatter"({updates.name}, {at.name}, {zero.name}) '
                "<{dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({\n"
                f"    ^bb0(%u{self.count}: f32, %v{self.count}: f32):\n"
                f"      %w{self.count} = arith.addf %v{self.count}, %u{self.count} : f32\n"
                f'      "tm_tensor.yield"(%w{self.count}) : (f32) -> ()\n'
                f"    }}) : ({updates.type}, {at.type}, {zero.type}) -> {out.type}"
            )
            return [(table, out)]

        return self.generic("bt->btd", [tokens], into, body, table.value[tokens.value], back=back)

    def pick(self, rows, targets):
        """Of each row (n, v) the value that a target (n) names."""
        body = (
            "%i{n} = linalg.index 0 : index\n%j{n} = arith.index_cast {0} : i64 to index\n"
            f"{{o}} = tensor.extract {rows.name}[%i{{n}}, %j{{n}}] : {rows.type}"
        )
        value = rows.value[np.arange(len(targets.value)), targets.value]

        def back(grad):
            text = (
                "%v{n} = linalg.index 1 : index\n%i{n} = arith.index_cast %v{n} : index to i64\n"
                "%a{n} = arith.cmpi eq, %i{n}, {1} : i64\n{o} = arith.select %a{n}, {0}, {zero} : f32"
            )
            hot = np.where(np.arange(rows.shape[1]) == targets.value[:, None], grad.value[:, None], 0)
            return [(rows, self.generic("n,n->nv", [grad, targets], self.start(rows.shape), text, hot))]

        return self.generic("n->n", [targets], self.start(targets.shape), body, value, back=back)

    # The end.

    def finish(self, loss):
        """Writes the gradients of all parameters; returns the module."""
        self.phase, grads = "bwd", {}
        self.module = "<root>"
        one = self.fresh(np.ones(()))
        self.emit(f"{one.name} = arith.constant dense<1.0> : tensor<f32>")
        grads[loss.name] = one
        for tensor, module in reversed(self.recorded):
            if tensor.back is None or tensor.name not in grads:
                continue
            self.module = module
            for operand, part in tensor.back(grads[tensor.name]):
                known = grads.get(operand.name)
                grads[operand.name] = self.map("add", known, part) if known else part
        self.grads = [(name, grads[tensor.name].value) for name, tensor in self.params]
        values = [loss] + [grads[tensor.name] for _, tensor in self.params]
        results = [f"{loss.type} {{fsdp.loss}}"]
        results += [f'{tensor.type} {{fsdp.grad = "{name}"}}' for name, tensor in self.params]
        constants = [f"    {name} = arith.constant {text} : f32" for text, name in self.constants.items()]
        head = "module {\n  func.func @step(" + ",\n      ".join(self.arguments) + ")\n      -> ("
        head += ",\n          ".join(results) + ") {\n"
        body = "\n".join(constants + ["    " + line for line in self.lines])
        tail = f"\n    return {', '.join(t.name for t in values)} : {', '.join(t.type for t in values)}\n  }}\n}}\n"
        return head + body + tail
