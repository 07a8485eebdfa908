# SPDX-License-Identifier: Apache-2.0
"""Random process groups and annotations for a `random_graph.Graph`, as a plan that can be made smaller."""

import copy
import itertools
import json
from math import prod

# Ways to write W as digits of the rank number, the most significant first.
DIGITS = {2: [[2]], 4: [[4], [2, 2]], 6: [[6], [2, 3], [3, 2]], 8: [[8], [2, 4], [4, 2], [2, 2, 2]]}

# Nodes of one value that import leaves as they are.
NOT_FOLDED = {"contract", "matmul", "batch_matmul", "conv", "sum", "max", "min", "exp", "div", "mask", "tanh", "sin"}


def classes_of(digits, chosen):
    """The classes of the group of the digits `chosen`, major to minor."""
    strides = [prod(digits[i + 1 :]) for i in range(len(digits))]
    rest = [i for i in range(len(digits)) if i not in chosen]

    def offsets(places):
        for at in itertools.product(*(range(digits[i]) for i in places)):
            yield sum(index * strides[i] for index, i in zip(at, places))

    return [[base + offset for offset in offsets(chosen)] for base in offsets(rest)]


def spell(rng, digits, chosen):
    """A spelling of the group."""
    classes = classes_of(digits, chosen)
    ranks, size = prod(digits), len(classes[0])
    forms = {
        f"set{size}": [list(range(i * size, (i + 1) * size)) for i in range(ranks // size)],
        f"mod{ranks // size}": [list(range(i, ranks, ranks // size)) for i in range(ranks // size)],
    }
    same = [name for name, form in forms.items() if form == classes]
    return rng.choice(same) if same and rng.random() < 0.7 else classes


class Plan:
    """Groups by name, and what is placed on them."""

    def __init__(self, ranks):
        self.ranks, self.groups, self.sizes, self.mesh = ranks, {}, {}, {}
        self.batch = {}  # "per_rank", "global", or groups of both
        self.dims, self.varying, self.activations, self.units = {}, {}, {}, {}
        self.steps, self.optimizer, self.buffers, self.uneven = 1, None, None, None

    def copied(self):
        """A copy to change."""
        return copy.deepcopy(self)

    def loss_groups(self, graph):
        """The groups that the loss varies over; None for the world."""
        if self.batch == "per_rank":
            return None
        read = graph.reads(graph.loss)
        groups = list(self.batch.get("per_rank", [])) if isinstance(self.batch, dict) else []
        groups = groups if any(a.role == "input" for a in read) else []
        for argument in read:
            groups += [g for g in self.varying.get(argument.path, []) if g not in groups]
        return sorted(groups)

    def text(self, graph):
        """The plan file."""
        used = {argument.path for argument in graph.arguments}
        live = {node.number: node for node in graph.live()}
        entries = {"process_groups": self.groups, "mesh": self.mesh, "batch": self.batch, "buffers": self.buffers}
        loss = self.loss_groups(graph)
        entries["loss"] = loss and {"mean": loss}
        entries["accumulate"] = self.steps > 1 and {"steps": self.steps}
        entries["optimizer"] = self.optimizer
        lines = [f"world: {{ranks: {self.ranks}}}"]
        lines += [f"{key}: {json.dumps(value)}" for key, value in entries.items() if value]
        shardings = [{"match": path, "dims": dims} for path, dims in self.dims.items() if path in used]
        shardings += [{"match": path, "varying": groups} for path, groups in self.varying.items() if path in used]
        activations = [{"match": f"a{i}:out", "dims": dims} for i, dims in self.activations.items() if i in live]
        units = [{"match": path.split(".")[0], **unit} for path, unit in self.units.items() if path in used]
        for key, values in [("shardings", shardings), ("activations", activations), ("units", units)]:
            if values:
                lines += [f"{key}:"] + [f"  - {json.dumps(value)}" for value in values]
        return "\n".join(lines) + "\n"

    def smaller(self):
        """Copies with one annotation less, the largest steps first."""
        whole = {
            "optimizer": None,
            "steps": 1,
            "buffers": None,
            "units": {},
            "activations": {},
            "varying": {},
            "dims": {},
        }
        steps = [(setattr, key, empty) for key, empty in whole.items() if getattr(self, key) != empty]
        other = self.copied()
        for action, key, empty in steps:
            action(other, key, copy.copy(empty))
            yield other
            other = self.copied()
        for key in ("units", "activations", "varying", "dims"):
            for path in getattr(self, key):
                del getattr(other, key)[path]
                yield other
                other = self.copied()
        lists = [("dims", path, at) for path, dims in self.dims.items() for at in range(len(dims))]
        lists += [("activations", node, at) for node, dims in self.activations.items() for at in range(len(dims))]
        for key, path, at in lists:
            for group in getattr(self, key)[path][at]:
                getattr(other, key)[path][at].remove(group)
                yield other
                other = self.copied()
        for path, unit in self.units.items():
            for key in unit:
                del other.units[path][key]
                yield other
                other = self.copied()
        if isinstance(self.batch, dict):
            for key, groups in self.batch.items():
                for group in groups:
                    other.batch[key].remove(group)
                    yield other
                    other = self.copied()
        for group in self.groups:
            del other.groups[group]
            yield other
            other = self.copied()


def random_groups(rng, plan):
    """Names for disjoint sets of the digits of the ranks, or for each digit by a mesh."""
    digits = rng.choice(DIGITS[plan.ranks])
    places = list(range(len(digits)))
    names = rng.sample(["dp", "tp", "ep", "sp"], 3)
    if rng.random() < 0.25:
        plan.sizes = dict(zip(names, digits))
        rest = rng.choice([None, *plan.sizes])
        plan.mesh = {name: -1 if name == rest else size for name, size in plan.sizes.items()}
        return
    rng.shuffle(places)
    while places:
        count = 1 if len(places) == 1 or rng.random() < 0.7 else 2
        chosen, places = places[:count], places[count:]
        name = names.pop()
        plan.groups[name] = spell(rng, digits, chosen)
        plan.sizes[name] = prod(digits[i] for i in chosen)


def random_dims(rng, plan, shape, groups):
    """Groups on dims that they divide."""
    dims, left = [[] for _ in shape], list(shape)
    for group in groups:
        fits = [i for i, extent in enumerate(left) if extent % plan.sizes[group] == 0]
        if fits:
            at = rng.choice(fits)
            dims[at].append(group)
            left[at] //= plan.sizes[group]
    return dims


def random_uneven(rng, plan, arguments):
    """Puts a group on a dim that it does not divide: the run must fail, and say so."""
    for argument in arguments:
        for group in plan.sizes:
            odd = [i for i, extent in enumerate(argument.shape) if extent % plan.sizes[group]]
            if odd and group not in plan.varying.get(argument.path, []):
                at = rng.choice(odd)
                plan.dims[argument.path] = [[group] if i == at else [] for i in range(len(argument.shape))]
                plan.uneven = group
                return


def random_unit(rng, plan, path):
    """A unit whose storage is split over ranks that hold the same parameter."""
    placed = {g for groups in plan.dims.get(path, []) for g in groups} | set(plan.varying.get(path, []))
    free = [group for group in plan.sizes if group not in placed] + ["self"]
    if not placed:
        free.append("world")
    unit = {"process_group": rng.choice(free)}
    if rng.random() < 0.4:
        unit["sharding_strategy"] = rng.choice(["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD"])
    return unit


def random_placements(rng, plan, graph, parameters):
    """The batch, and dims of parameters, inputs and activations."""
    if rng.random() < 0.85:
        plan.batch = rng.choice(["global", {}, {}, {}])
    if plan.batch == {}:
        roles = {group: rng.choice(["global", "global", "per_rank", "none"]) for group in plan.sizes}
        plan.batch = {word: [g for g, role in roles.items() if role == word] for word in ("global", "per_rank")}
        plan.batch = {word: groups for word, groups in plan.batch.items() if groups} or "global"
    for argument in rng.sample(parameters, rng.randint(1, len(parameters))):
        groups = [g for g in plan.sizes if g not in plan.varying.get(argument.path, [])]
        dims = random_dims(rng, plan, argument.shape, rng.sample(groups, min(len(groups), rng.choice([1, 1, 2]))))
        if any(dims):
            plan.dims[argument.path] = dims
    if isinstance(plan.batch, dict) and rng.random() < 0.2:
        argument = rng.choice([a for a in graph.arguments if a.role == "input"])
        free = [g for g in plan.sizes if g not in plan.batch.get("global", []) + plan.batch.get("per_rank", [])]
        dims = random_dims(rng, plan, argument.shape, free[:1])
        if any(dims):
            plan.dims[argument.path] = dims
    if rng.random() < 0.04:
        random_uneven(rng, plan, parameters)
    if rng.random() < 0.25 and plan.batch != "per_rank":
        forward = graph.needed([graph.loss, *graph.outputs])[0]
        read = [*graph.outputs, graph.loss, *(v for n in forward if n.kind in NOT_FOLDED for v in n.operands)]
        nodes = [n for n in graph.live() if n in forward and n.kind in NOT_FOLDED and n.results[0].shape]
        nodes = [n for n in nodes if n.results[0] in read]
        node = rng.choice(nodes or [None])
        free = sorted(set(plan.sizes) - set(sum(plan.varying.values(), [])))
        if isinstance(plan.batch, dict):
            free = [g for g in free if g not in plan.batch.get("per_rank", [])]
        dims = random_dims(rng, plan, node.results[0].shape, free[:1]) if node else []
        if any(dims):
            plan.activations[node.number] = dims
            graph.located = True


def random_plan(rng, graph, ranks, compute):
    """A plan for a graph. Without `compute`, no op of the model is partitioned: batches are per rank."""
    plan = Plan(ranks)
    plan.batch = "per_rank"
    random_groups(rng, plan)
    parameters = [a for a in graph.arguments if a.role in ("param", "frozen")]
    of_loss = sorted(graph.reads(graph.loss), key=graph.arguments.index)
    different = [a for a in of_loss if a in parameters]  # Else gradients would vary where the loss does not.
    if different and rng.random() < 0.35:
        plan.varying[rng.choice(different).path] = rng.sample(list(plan.sizes), 1)
    if compute:
        random_placements(rng, plan, graph, parameters)
    for argument in parameters:
        if argument.path in plan.dims or argument.path in plan.varying or rng.random() < 0.4:
            plan.units[argument.path] = random_unit(rng, plan, argument.path)
    plan.steps = 2 if rng.random() < 0.15 else 1
    if rng.random() < 0.2:
        plan.optimizer = {"name": "sgd", "lr": 0.1}
        if rng.random() < 0.4:
            plan.optimizer = {"name": "momentum", "lr": 0.1, "momentum": 0.9}
        if rng.random() < 0.4:
            plan.optimizer["clip_norm"] = 0.5
    if any(a.role == "buffer" for a in graph.arguments):
        plan.buffers = rng.choice(["mean", "local", "rank0"])
    return plan
