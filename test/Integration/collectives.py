# SPDX-License-Identifier: Apache-2.0
"""The collectives of a sharded step: what they send, and which must not be there.

Reads what `fsdp-opt --fsdp-compile --mlir-print-op-generic` prints, with the
ops inside regions.
"""

import itertools
import re
from collections import Counter, defaultdict
from math import prod

SIZES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "bf16": 2, "f16": 2, "i8": 1, "i1": 1}
KINDS = ("all_gather", "reduce_scatter", "all_reduce", "all_to_all", "permute", "broadcast")
# Ops that give the value of their operand another form.
COPIES = {"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast", "linalg.transpose", "fsdp.slice"}
MATMULS = {"linalg.matmul", "linalg.batch_matmul", "linalg.matvec", "linalg.vecmat", "linalg.dot"}


def split(text):
    """The entries of a list of types or attributes, at its outermost commas."""
    depth, entries = 0, [""]
    for letter in re.sub("->", "=>", text):
        depth += (letter in "<([{") - (letter in ")]}" or letter == ">" and not entries[-1].endswith("="))
        if letter == "," and not depth:
            entries.append("")
        else:
            entries[-1] += letter
    return [entry.strip() for entry in entries if entry.strip()]


def bytes_of(kind):
    """Bytes of a value of this type; 0 of what is no tensor."""
    found = re.match(r"tensor<((?:\d+x)*)(\w+)", kind)
    return prod(int(size) for size in found[1].split("x")[:-1]) * SIZES.get(found[2], 8) if found else 0


def classes(text):
    """Classes of ranks that `#fsdp.classes<[2, 4] from [4, 2] T(1, 0)>` stands for."""
    (_, size), shape = (list(map(int, re.findall(r"\d+", part))) for part in re.findall(r"\[(.*?)\]", text)[:2])
    order = re.search(r"T\((.*?)\)", text)
    order = list(map(int, order[1].split(","))) if order else range(len(shape))
    strides = [prod(shape[i + 1 :]) for i in range(len(shape))]
    digits = itertools.product(*(range(shape[i]) for i in order))
    ranks = [sum(digit * strides[i] for digit, i in zip(place, order)) for place in digits]
    return [frozenset(ranks[i : i + size]) for i in range(0, len(ranks), size)]


class Op:
    """An op: its values by number, and its loop's trip count."""

    def __init__(self, name, text, reads, times):
        self.name, self.text, self.reads, self.results, self.times = name, text, reads, [], times
        self.operand_types, self.result_types = [], []

    @property
    def kind(self):
        """Which collective it is, or None."""
        kind = self.name.removeprefix("fsdp.")
        return kind if kind in KINDS and kind != self.name else None

    @property
    def group(self):
        """The name of its group, or None."""
        found = re.search(r"group = @([\w.\-]+)", self.text)
        return found and found[1]

    def __str__(self):
        types = f"{', '.join(self.operand_types)} -> {', '.join(self.result_types)}"
        return f"{self.name} over @{self.group} {types}"


class Step:
    """The ops of a module's one function, with makers and users of every value."""

    def __init__(self, text):
        self.ops, self.makers, self.users = [], {}, defaultdict(list)
        self.names, self.count, self.constants = [{}], 0, {}
        self.groups = dict(re.findall(r'sym_name = "([^"]+)", value = (#fsdp\.classes<.*?>)', text))
        self.groups = {name: classes(value) for name, value in self.groups.items()}
        body = text[text.index('"func.func"') :].splitlines()
        self.arguments = split(re.search(r"arg_attrs = \[(.*?)\], function_type", body[0])[1])
        self.argument_types = re.findall(r"%arg\d+: ([^,)]*(?:<[^>]*>)?)", body[1])
        self.values = [self._define(name) for name in re.findall(r"%\w+", body[1])]
        self._read(body[2:])
        for op in self.ops:
            for read in set(op.reads):
                self.users[read].append(op)

    def _define(self, name):
        self.count += 1
        self.names[-1][name] = self.count
        return self.count

    def _values(self, text):
        found = (next((scope[n] for scope in reversed(self.names) if n in scope), None) for n in re.findall(r"%\w+", text))
        return [value for value in found if value]

    def _read(self, lines):
        """Ops in order. One with regions reads what they read, and its results are known behind them."""
        open_ops = []
        for line in (line.strip() for line in lines):
            if line.startswith(("})", "}, {")):
                self.names.pop()
                if line.startswith("}, {"):
                    self.names.append({})
                    continue
                if not open_ops:
                    return
                op, results = open_ops.pop()
                if open_ops:
                    open_ops[-1][0].reads += op.reads
                self._finish(op, results, line)
                continue
            if line.startswith("^"):
                for name in re.findall(r"(%\w+): ", line):  # What goes round a loop comes from its operands.
                    self.makers[self._define(name)] = open_ops[-1][0]
                continue
            found = re.match(r'(?:((?:%[\w#:]+(?:, )?)+) = )?"([\w.]+)"\((.*?)\)', line)
            if not found:
                continue
            times = open_ops[-1][0].inside if open_ops else 1
            op = Op(found[2], line, self._values(found[3]), times)
            op.inside = times * self._trips(op)
            self.ops.append(op)
            if open_ops:
                open_ops[-1][0].reads += op.reads
            if line.endswith("({"):
                open_ops.append((op, found[1]))
                self.names.append({})
            else:
                self._finish(op, found[1], line)

    def _trips(self, op):
        """How often the region of an op runs."""
        if op.name != "scf.for" or not all(value in self.constants for value in op.reads[:3]):
            return 1
        low, high, step = (self.constants[value] for value in op.reads[:3])
        return len(range(low, high, step))

    def _finish(self, op, results, line):
        kinds = re.search(r" : \((.*)\) -> (.*)$", line)
        if kinds:
            op.operand_types = split(kinds[1])
            op.result_types = split(kinds[2][1:-1] if kinds[2].startswith("(") else kinds[2])
        for name in re.findall(r"%\w+(?::\d+)?", results or ""):
            name, _, count = name.partition(":")
            op.results.append(self._define(name))  # Results of one op are one value here.
            self.makers[op.results[-1]] = op
        number = re.search(r"value = (-?\d+) : index", op.text)
        if op.name == "arith.constant" and number:
            self.constants[op.results[0]] = int(number[1])

    def collectives(self):
        """All collectives, in order."""
        return [op for op in self.ops if op.kind]

    def parameters(self):
        """Values of parameters: (name, compute placement, bytes of the whole)."""
        found = {}
        for value, kind, text in zip(self.values, self.argument_types, self.arguments):
            name = re.search(r'fsdp\.(?:param|frozen) = "([^"]+)"', text)
            if name:
                placement = re.search(r"fsdp\.sharding = #fsdp\.sharding<(.*?)>", text)
                shape = re.search(r"fsdp\.global_shape = array<i64(?:: ([\d, ]*))?>", text)
                size = SIZES[re.match(r"tensor<(?:\d+x)*(\w+)>", kind)[1]]
                sizes = [int(number) for number in (shape[1] or "").split(",") if number] if shape else None
                whole = prod(sizes) * size if shape else bytes_of(kind)
                found[value] = (name[1], placement[1] if placement else "", whole)
        return found

    def share_axis(self, a, b):
        """True if two ranks are together in a class of both groups."""
        return any(len(left & right) > 1 for left in self.groups[a] for right in self.groups[b])

    def depends_on(self, op, seen=None):
        """Everything that an op's operands are made of."""
        left, found = list(op.reads), set()
        while left:
            value = left.pop()
            if value not in found:
                found.add(value)
                maker = self.makers.get(value)
                left += maker.reads if maker else []
        return found

    def copies(self, value):
        """A value, and what is a copy of it in another form."""
        left, found = [value], []
        while left:
            value = left.pop()
            found.append(value)
            left += [result for op in self.users[value] if op.name in COPIES for result in op.results]
        return found


def wire_bytes(step):
    """What a rank sends around rings: (collective, group) -> bytes."""
    sent = Counter()
    for op in step.collectives():
        n = len(step.groups[op.group][0])
        for small, large in zip(op.operand_types, op.result_types):
            size = max(bytes_of(small), bytes_of(large))
            share = 1 if op.kind in ("permute", "broadcast") else (n - 1) / n * (1 + (op.kind == "all_reduce"))
            sent[op.kind, op.group] += share * size * op.times
    return sent


def reduced_then_sliced(step):
    """All-reduces of which a rank keeps a part along the same group: a reduce-scatter was right."""
    for op in step.collectives():
        if op.kind != "all_reduce":
            continue
        users = [user for value in op.results for copy in step.copies(value) for user in step.users[copy]]
        sliced = [user for user in users if user.name == "fsdp.slice" and step.share_axis(user.group, op.group)]
        if sliced:
            yield f"{op} is sliced by {sliced[0]}"


def weights_gathered(step):
    """Collectives that undo a parameter's own compute placement."""
    parameters = step.parameters()
    for op in step.collectives():
        if op.kind not in ("all_gather", "all_to_all"):
            continue
        found = {value for value in step.depends_on(op) if value in set(step.values)}
        if len(found) != 1 or not found <= parameters.keys():
            continue
        name, placement, _ = parameters[found.pop()]
        if any(step.share_axis(op.group, group) for group in re.findall(r"@([\w.\-]+)", placement)):
            yield f"{op} undoes the placement {placement} of {name}"


def activations_gathered(step):
    """Gathers of activations for a product whose weight is smaller and not split along that group."""
    parameters, arguments = step.parameters(), set(step.values)

    def weights(value):
        """Parameters that a value is made of alone."""
        op = step.makers.get(value)
        made_of = ({value} if op is None else step.depends_on(op)) & arguments
        return made_of if made_of <= parameters.keys() else set()

    for op in step.collectives():
        if op.kind != "all_gather" or step.depends_on(op) & arguments <= parameters.keys():
            continue
        size = sum(map(bytes_of, op.result_types))
        for copy in (copy for value in op.results for copy in step.copies(value)):
            for user in step.users[copy]:
                if user.name not in MATMULS:
                    continue
                for value in (weight for read in user.reads[:2] if read != copy for weight in weights(read)):
                    name, placement, whole = parameters[value]
                    split_along = re.findall(r"@([\w.\-]+)", placement)
                    if whole < size and not any(step.share_axis(op.group, group) for group in split_along):
                        yield f"{op} for {name} of {whole} bytes, which is whole along the group"


CHECKS = {
    "an all-reduce is followed by a slice": reduced_then_sliced,
    "a parameter is gathered along a group that its compute placement names": weights_gathered,
    "an activation is gathered where the weight is smaller": activations_gathered,
}
