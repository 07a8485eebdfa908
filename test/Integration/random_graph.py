# SPDX-License-Identifier: Apache-2.0
"""A step function as a graph that can be printed as MLIR and made smaller.

A node is text with holes: `@r` is its own name, `@0`, `@1`, ... are its
operands, which an `alias` may replace by values of the same type.
"""

import copy
import re
from math import prod


class Value:
    """A tensor: `amp` bounds |x| of a float, `bound` an integer, from above."""

    def __init__(self, name, shape, dtype="f32", amp=1.0, bound=0, node=None):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype
        self.amp, self.bound, self.node = amp, bound, node

    @property
    def type(self):
        """Its MLIR type."""
        return tensor(self.shape, self.dtype)


class Node:
    """One or a few ops with the values that they make."""

    def __init__(self, number, kind, lines, operands):
        self.number, self.kind, self.lines, self.operands = number, kind, lines, operands
        self.name = f"%{kind}{number}"


class Argument(Value):
    """An argument of the step: param, frozen, input or buffer."""

    def __init__(self, role, name, path, shape, dtype="f32", amp=1.0, bound=0, batch_dim=None):
        super().__init__(name, shape, dtype, amp, bound)
        self.role, self.path, self.batch_dim = role, path, batch_dim

    @property
    def attributes(self):
        """What the signature says about it."""
        batch = "" if self.batch_dim is None else f", fsdp.batch_dim = {self.batch_dim} : i64"
        frozen = "fsdp.frozen, " if self.role == "frozen" else ""
        role = "param" if self.role == "frozen" else self.role
        return f'{{{frozen}fsdp.{role} = "{self.path}"{batch}}}'

    def fill(self, number):
        """Its entry in the sidecar: numbers in [-1, 1), or [0, bound)."""
        seed = 7919 * (number + 1) ** 3 % 65521  # Far apart, since k only shifts the sequence.
        if self.dtype == "i64":
            return {"kind": "hash_int", "k": seed, "mod": self.bound}
        return {"kind": "hash", "k": seed, "scale": 2.0, "bias": 0.0}


class Graph:
    """A step: arguments, nodes, and what it returns."""

    def __init__(self, rng):
        self.rng, self.arguments, self.nodes, self.alias = rng, [], [], {}
        self.loss, self.grads, self.outputs, self.updates = None, {}, [], {}
        self.located = False  # every node is a module of its own, which a plan may name

    def argument(self, *settings, **more):
        """Adds an argument."""
        self.arguments.append(Argument(*settings, **more))
        return self.arguments[-1]

    def add(self, kind, lines, operands, *results):
        """Adds a node with results of (shape, dtype, amp[, bound]); returns its values."""
        node = Node(len(self.nodes), kind, "\n".join(lines), operands)
        self.nodes.append(node)
        names = [node.name] if len(results) == 1 else [f"{node.name}#{i}" for i in range(len(results))]
        node.results = [Value(name, *result, node=node) for name, result in zip(names, results)]
        return node.results

    def values(self):
        """All values, oldest first."""
        return self.arguments + [value for node in self.nodes for value in node.results]

    def resolve(self, value):
        """What stands in for `value`."""
        while value in self.alias:
            value = self.alias[value]
        return value

    def roots(self):
        """What is returned, the loss first."""
        return [self.resolve(v) for v in [self.loss, *self.grads.values(), *self.updates.values(), *self.outputs]]

    def needed(self, roots):
        """The nodes and arguments that `roots` depend on."""
        nodes, arguments, left = set(), set(), list(roots)
        while left:
            value = left.pop()
            if value.node is None:
                arguments.add(value)
            elif value.node not in nodes:
                nodes.add(value.node)
                left += [self.resolve(operand) for operand in value.node.operands]
        return nodes, arguments

    def live(self):
        """The nodes that are printed, in order."""
        return sorted(self.needed(self.roots())[0], key=lambda node: (node.kind != "splat", node.number))

    def reads(self, value):
        """The arguments that `value` depends on."""
        return self.needed([self.resolve(value)])[1]

    def copied(self):
        """A copy to change: nodes are shared, lists are not."""
        other = copy.copy(self)
        other.arguments, other.nodes, other.alias = list(self.arguments), list(self.nodes), dict(self.alias)
        other.grads, other.outputs, other.updates = dict(self.grads), list(self.outputs), dict(self.updates)
        return other

    def text(self):
        """The module."""
        results = ["tensor<f32> {fsdp.loss}"]
        for role, values in [("grad", self.grads), ("updated", self.updates)]:
            results += [f'{argument.type} {{fsdp.{role} = "{argument.path}"}}' for argument in values]
        results += [f'{value.type} {{fsdp.output = "o{i}"}}' for i, value in enumerate(self.outputs)]
        lines = ["module {", "  func.func @step("]
        lines.append(",\n".join(f"      {a.name}: {a.type} {a.attributes}" for a in self.arguments) + ")")
        lines.append("      -> (" + ",\n          ".join(results) + ") {")
        for node in self.live():
            names = [self.resolve(operand).name for operand in node.operands]
            text = re.sub(r"@(\d+)", lambda hole: names[int(hole[1])], node.lines).replace("@r", node.name)
            text += f' loc("a{node.number}"("fwd"))' * self.located
            lines += ["    " + line for line in text.split("\n")]
        roots = self.roots()
        scale = 1.0 / max(prod(roots[0].shape), 1)
        loss = mean("%loss", roots[0], scale) + ' loc("loss"("fwd"))' * self.located
        lines += ["    " + line for line in loss.split("\n")]
        types = ["tensor<f32>"] + [value.type for value in roots[1:]]
        lines.append(f"    return {', '.join(['%loss'] + [v.name for v in roots[1:]])} : {', '.join(types)}")
        return "\n".join(lines + ["  }", "}", ""])


def tensor(shape, dtype="f32"):
    """A tensor type."""
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + dtype + ">"


def number(value):
    """A float as MLIR reads it."""
    return f"{float(value):.9e}"


def affine(loops, results):
    """An affine map."""
    dims = ", ".join(f"d{i}" for i in range(loops))
    return f"affine_map<({dims}) -> ({', '.join(map(str, results))})>"


def filled(name, shape, value):
    """Lines of a tensor that is `value` everywhere."""
    made = tensor(shape)
    lines = [f"{name}_c = arith.constant {number(value)} : f32", f"{name}_e = tensor.empty() : {made}"]
    return lines + [f"{name} = linalg.fill ins({name}_c : f32) outs({name}_e : {made}) -> {made}"]


def identity(rank):
    """The results of the identity map."""
    return [f"d{i}" for i in range(rank)]


def generic(result, loops, kinds, inputs, outputs, body):
    """Lines of a linalg.generic: inputs and outputs are (name, shape, dtype, map results); the body
    reads `%a0...` and `%o0...`, and its last line yields."""
    maps = ", ".join(affine(loops, value[3]) for value in inputs + outputs)
    names = [f"%a{i}: {value[2]}" for i, value in enumerate(inputs)]
    names += [f"%o{i}: {value[2]}" for i, value in enumerate(outputs)]

    def group(word, values):
        return f"{word}({', '.join(v[0] for v in values)} : {', '.join(tensor(v[1], v[2]) for v in values)})"

    ins = group("ins", inputs) + " " if inputs else ""
    types = ", ".join(tensor(value[1], value[2]) for value in outputs)
    iterators = ", ".join(f'"{kind}"' for kind in kinds)
    return [
        f"{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}",
        f"    {ins}{group('outs', outputs)} {{",
        f"^bb0({', '.join(names)}):",
        *("  " + line for line in body),
        f"}} -> {types if len(outputs) == 1 else f'({types})'}",
    ]


def mean(name, value, scale):
    """The loss: the mean of all elements."""
    rank = len(value.shape)
    body = [f"%t = arith.mulf %a0, {name}_s : f32", "%u = arith.addf %o0, %t : f32", "linalg.yield %u : f32"]
    lines = [f"{name}_s = arith.constant {number(scale)} : f32"]
    lines.append(f"{name}_z = arith.constant dense<0.0> : tensor<f32>")
    inputs = [(value.name, value.shape, "f32", identity(rank))]
    lines += generic(name, rank, ["reduction"] * rank, inputs, [(f"{name}_z", (), "f32", [])], body)
    return "\n".join(lines)
