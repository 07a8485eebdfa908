# SPDX-License-Identifier: Apache-2.0
"""Makes a failing program small: drops what the failure does not need, one thing after the other."""

from random_graph import tensor


def splat(graph, value):
    """A constant in place of a value."""
    number = "0.75" if value.dtype == "f32" else "1"
    dense = f"@r = arith.constant dense<{number}> : {tensor(value.shape, value.dtype)}"
    return graph.add("splat", [dense], [], (value.shape, value.dtype, 1.0, value.bound))[0]


def without_results(graph):
    """Copies that return or take less."""
    for key in ("outputs", "updates", "grads"):
        for item in list(getattr(graph, key)):
            other = graph.copied()
            getattr(other, key).remove(item) if key == "outputs" else getattr(other, key).pop(item)
            yield other
    _, arguments = graph.needed(graph.roots())
    for argument in graph.arguments:
        if argument not in arguments and argument not in graph.grads and argument not in graph.updates:
            other = graph.copied()
            other.arguments.remove(argument)
            yield other


def with_less(graph):
    """Copies in which the loss or a gradient is another value, that fewer nodes make."""

    def cost(value):
        return len(graph.needed([graph.resolve(value)])[0])

    for value in graph.values():
        if value.dtype == "f32" and cost(value) < cost(graph.loss):
            other = graph.copied()
            other.loss = value
            yield other
        for argument, gradient in graph.grads.items():
            if (value.shape, value.dtype) == (argument.shape, "f32") and cost(value) < cost(gradient):
                other = graph.copied()
                other.grads[argument] = value
                yield other


def without_nodes(graph):
    """Copies without one node: its values are other ones, or constants."""
    for node in reversed(graph.live()):
        if node.kind == "splat":
            continue
        known = [graph.resolve(operand) for operand in node.operands] + graph.arguments
        for takes_known in (True, False):
            other = graph.copied()
            for value in node.results:
                same = [v for v in known if v.type == value.type and v.bound <= value.bound]
                other.alias[value] = same[0] if takes_known and same else splat(other, value)
            yield other


def candidates(graph, plan):
    """Smaller programs and plans, the largest steps first."""
    graphs = [*without_results(graph), *with_less(graph), *without_nodes(graph)]
    return [(smaller, plan) for smaller in graphs] + [(graph, smaller) for smaller in plan.smaller()]


def shrink(graph, plan, fails, most):
    """The smallest program and plan found that still fail, after at most so many runs."""
    at, since = 0, 0  # where in the candidates, and how many since the last that failed
    for _ in range(most):
        found = candidates(graph, plan)
        if since >= len(found):
            break
        candidate = found[at % len(found)]
        if fails(*candidate):
            graph, plan = candidate
            since = 0
        else:
            at, since = at + 1, since + 1
    return graph, plan
