# SPDX-License-Identifier: Apache-2.0
"""The collectives of a sharded step: what they send, and which must not be there.

Reads what `fsdp-opt --fsdp-compile --mlir-print-op-generic` prints, also inside
regions, as values and the ops that make and use them.
"""

import itertools
import re
import sys
from collections import Counter, defaultdict
from math import prod

SIZES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "bf16": 2, "f16": 2, "i8": 1, "i1": 1}
KINDS = ("all_gather", "reduce_scatter", "all_reduce", "all_to_all", "permute", "broadcast")
KINDS = {"fsdp." + kind for kind in KINDS}
# Ops that hand on the elements of their operands.
COPIES = {"tensor." + name for name in ("expand_shape", "collapse_shape", "cast", "insert_slice", "extract_slice")}
COPIES |= {"linalg.transpose", "fsdp.local_grad", "fsdp.scale", "fsdp.scatter"}
PRODUCTS = {"linalg.matmul", "linalg.batch_matmul", "linalg.conv_2d_nchw_fchw"}


def split(text):
    """The entries of a list at its outermost commas."""
    depth, entries = 0, [""]
    for letter in text.replace("->", "=>"):
        depth += (letter in "<([{") - (letter in ")]}" or letter == ">" and not entries[-1].endswith("="))
        if letter == "," and not depth:
            entries.append("")
        else:
            entries[-1] += letter
    return [entry.strip() for entry in entries if entry.strip()]


def bytes_of(kind):
    """Bytes of a value of this type; 0 if it is no tensor."""
    found = re.match(r"tensor<((?:\d+x)*)(\w+)", kind)
    return prod(map(int, found[1].split("x")[:-1])) * SIZES[found[2]] if found else 0


def classes_of(text):
    """The classes of ranks that `#fsdp.classes<[2, 4] from [4, 2] T(1, 0)>` stands for."""
    (_, size), shape = (list(map(int, re.findall(r"\d+", part))) for part in re.findall(r"\[(.*?)\]", text)[:2])
    order = re.search(r"T\((.*?)\)", text)
    order = list(map(int, order[1].split(","))) if order else range(len(shape))
    places = itertools.product(*(range(shape[i]) for i in order))
    ranks = [sum(digit * prod(shape[i + 1 :]) for digit, i in zip(place, order)) for place in places]
    return [frozenset(ranks[i : i + size]) for i in range(0, len(ranks), size)]


class Op:
    """An op: values that it reads, also inside its regions, values that it makes, and how often it runs."""

    def __init__(self, name, text, operands, times):
        self.name, self.text, self.operands, self.times, self.inside = name, text, operands, times, times
        self.reads, self.results = list(operands), []
        self.operand_types, self.result_types = [], []
        group = re.search(r"group = @([\w.\-]+)", text)
        self.group = group and group[1]

    def __str__(self):
        return f"{self.name} over @{self.group} {', '.join(self.operand_types)} -> {', '.join(self.result_types)}"


class Parameter:
    """A parameter: its name, the groups of its compute placement, the bytes of the whole."""

    def __init__(self, kind, text):
        self.name = re.search(r'fsdp\.param = "([^"]+)"', text)[1]
        placement = re.search(r"fsdp\.sharding = #fsdp\.sharding<(.*?)>", text)
        self.groups = set(re.findall(r"@([\w.\-]+)", placement[1])) if placement else set()
        shape = re.search(r"fsdp\.global_shape = array<i64(?:: ([\d, ]*))?>", text)
        sizes = map(int, (shape[1] or "").replace(",", " ").split()) if shape else None
        self.bytes = prod(sizes) * SIZES[re.match(r"tensor<(?:\d+x)*(\w+)", kind)[1]] if shape else bytes_of(kind)


class Step:
    """The ops of a module's one function, in order."""

    def __init__(self, text):
        self.ops, self.makers, self.users, self.carried = [], {}, defaultdict(list), defaultdict(list)
        self.scopes, self.open, self.constants, self.count = [{}], [], {}, itertools.count()
        groups = re.findall(r'sym_name = "([^"]+)", value = (#fsdp\.classes<.*?>)', text)
        self.groups = {name: classes_of(value) for name, value in groups}
        head, arguments, *body = text[text.index('"func.func"') :].splitlines()
        roles = split(re.search(r"arg_attrs = \[(.*?)\], function_type", head)[1])
        entries = [entry.split(": ", 1) for entry in split(arguments.strip()[5:-2])]
        values = [self._define(name) for name, _ in entries]
        self.arguments = set(values)
        facts = list(zip(values, (kind for _, kind in entries), roles))
        self.parameters = {value: Parameter(kind, role) for value, kind, role in facts if "fsdp.param" in role}
        inputs = ((re.search(r'fsdp\.input = "([^"]+)"', role), kind) for _, kind, role in facts)
        self.inputs = {name[1]: kind for name, kind in inputs if name}
        results = re.search(r"res_attrs = \[(.*)\]", head)
        self.result_roles = split(results[1]) if results else []
        for line in body:
            self._read(line.strip())
            if not self.scopes:
                break
        for op in self.ops:
            for value in set(op.operands):
                self.users[value].append(op)
        self.collectives = [op for op in self.ops if op.name in KINDS]

    def _define(self, name):
        self.scopes[-1][name] = value = next(self.count)
        return value

    def _find(self, text):
        names = re.findall(r"%\w+(?:#\d+)?", text)
        found = (next((scope[name] for scope in reversed(self.scopes) if name in scope), None) for name in names)
        return [value for value in found if value is not None]

    def _read(self, line):
        """One line: an op, the head of a block, or the end of a region."""
        if line.startswith("}"):
            self.scopes.pop()
            if line.startswith("}, {"):
                self.scopes.append({})
            elif self.open:
                self._finish(*self.open.pop(), line)
        elif line.startswith("^"):
            values = [self._define(name) for name in re.findall(r"(%\w+): ", line)]
            self.makers |= dict.fromkeys(values, self.open[-1][0])
            self.open[-1][0].block = values
        elif found := re.match(r'(?:((?:%[\w:]+(?:, )?)+) = )?"([\w.]+)"\((.*?)\)', line):
            op = Op(found[2], line, self._find(found[3]), self.open[-1][0].inside if self.open else 1)
            self.ops.append(op)
            if op.name == "scf.for":
                bounds = [self.constants.get(value) for value in op.operands[:3]]
                op.inside *= len(range(*bounds)) if None not in bounds else 1
            if op.name == "scf.yield" and self.open[-1][0].name == "scf.for":
                self.open[-1][0].yielded = op.operands
            if line.endswith("({"):
                self.open.append((op, found[1]))
                self.scopes.append({})
            else:
                self._finish(op, found[1], line)

    def _finish(self, op, names, line):
        """The results of an op, known behind its regions."""
        if self.open:
            self.open[-1][0].reads += op.reads
        types = re.search(r" : \((.*)\) -> (.*)$", line)
        if types:
            op.operand_types, op.result_types = split(types[1]), split(re.sub(r"^\((.*)\)$", r"\1", types[2]))
        for name, count in re.findall(r"(%\w+)(?::(\d+))?", names or ""):
            op.results += [self._define(f"{name}#{i}" if count else name) for i in range(int(count or 1))]
        self.makers |= dict.fromkeys(op.results, op)
        if op.name == "scf.for":
            for value, inside, behind in zip(op.yielded, op.block[1:], op.results):
                self.carried[value] += [inside, behind]
        number = re.search(r"value = (-?\d+) : (?:index|i\d+)", op.text)
        if op.name == "arith.constant" and number:
            self.constants[op.results[0]] = int(number[1])

    @property
    def loss(self):
        """The value that is returned as the loss."""
        returned = next(op for op in reversed(self.ops) if op.name == "func.return").operands
        return next(value for value, role in zip(returned, self.result_roles) if "fsdp.loss" in role)

    def share_ranks(self, a, b):
        """True if two ranks are together in a class of both groups."""
        return any(len(left & right) > 1 for left in self.groups[a] for right in self.groups[b])

    def made_of(self, values):
        """The values, and everything that they depend on."""
        left, found = list(values), set()
        while left:
            value = left.pop()
            if value not in found:
                found.add(value)
                left += self.makers[value].reads if value in self.makers else []
        return found

    def handed_on(self, values):
        """The values, and all that are copies of them in another form, also around loops."""
        left, found = list(values), set()
        while left:
            value = left.pop()
            if value not in found:
                found.add(value)
                left += self.carried[value]
                left += [result for op in self.users[value] if op.name in COPIES for result in op.results]
        return found


def wire_bytes(step, ops=None):
    """What a rank sends around rings for these collectives, or all: (collective, group) -> bytes."""
    sent = Counter()
    for op in step.collectives if ops is None else ops:
        n = len(step.groups[op.group][0])
        share = (n - 1) / n * (2 if op.name == "fsdp.all_reduce" else 1)
        share = 1 if op.name in ("fsdp.permute", "fsdp.broadcast") else share
        sizes = (max(bytes_of(a), bytes_of(b)) for a, b in zip(op.operand_types, op.result_types))
        sent[op.name.removeprefix("fsdp."), op.group] += share * sum(sizes) * op.times
    return sent


def made_whole_and_sliced(step):
    """Collectives that make a value whole of which every use takes a rank's part along the same group."""
    for op in step.collectives:
        if op.name not in ("fsdp.all_reduce", "fsdp.all_gather"):
            continue
        users = {user for value in step.handed_on(op.results) for user in step.users[value]}
        users = [user for user in users if user.name not in COPIES | {"scf.for", "scf.yield"}]
        if users and all(user.name == "fsdp.slice" and step.share_ranks(user.group, op.group) for user in users):
            yield f"{op} is followed by {users[0]}"


def weights_gathered(step):
    """Collectives that undo a parameter's own compute placement."""
    for op in step.collectives:
        sources = step.made_of(op.operands) & step.arguments
        if op.name not in ("fsdp.all_gather", "fsdp.all_to_all") or not sources <= step.parameters.keys():
            continue
        for parameter in (step.parameters[source] for source in sources):
            if any(step.share_ranks(op.group, group) for group in parameter.groups):
                yield f"{op} gathers '{parameter.name}' along a group that it is placed on"


def activations_gathered(step):
    """Gathers of activations for a product whose weight is smaller, and whole along the group."""
    share = step.share_ranks
    for op in step.collectives:
        if op.name != "fsdp.all_gather" or step.made_of(op.operands) & step.arguments <= step.parameters.keys():
            continue
        size, whole = sum(map(bytes_of, op.result_types)), step.handed_on(op.results)
        for product in {user for value in whole for user in step.users[value] if user.name in PRODUCTS}:
            for value in set(product.operands[:2]) - whole:
                sources = step.made_of([value]) & step.arguments
                if not sources or not sources <= step.parameters.keys():
                    continue
                weights = [step.parameters[source] for source in sources]
                placed = any(share(op.group, group) for weight in weights for group in weight.groups)
                if sum(weight.bytes for weight in weights) < size and not placed:
                    names = ", ".join(weight.name for weight in weights)
                    yield f"{op} for a product with {names}, which is smaller and whole along the group"


CHECKS = [made_whole_and_sliced, weights_gathered, activations_gathered]


def main():
    """Prints what is wrong with a step on standard input."""
    step = Step(sys.stdin.read())
    for rule in CHECKS:
        for found in rule(step):
            print(f"{rule.__name__}: {found}")
    for (kind, group), size in sorted(wire_bytes(step).items()):
        print(f"{kind} over @{group}: {size:.0f} bytes")


if __name__ == "__main__":
    main()
