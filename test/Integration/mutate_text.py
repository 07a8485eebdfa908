# SPDX-License-Identifier: Apache-2.0
"""The text of a sharded step: its collectives and scales, and edits of them.

The text is what fsdp-opt prints: an op a line, indented by its block, and no name used twice in nested blocks.
"""

import re

COLLECTIVE = re.compile(
    r"(?P<indent> *)(?P<result>%\w+)(?::\d+)? = "
    r"fsdp\.(?P<name>all_gather|reduce_scatter|all_reduce|all_to_all|broadcast|permute) +"
    r"(?:(?P<reduction>sum|max|min) )?(?P<operands>%[^ ]+(?:, %[^ ]+)*) over @(?P<group>[\w$.-]+)"
    r"(?P<rest>.*?) : \((?P<from>.*)\) -> (?P<to>.*)"
)
SCALE = re.compile(
    r"(?P<indent> *)(?P<result>%\w+) = fsdp\.scale (?P<operands>%[^ ]+) by (?P<by>-?\d+) over (?P<over>\d+)"
    r"(?P<rest>.*?) : (?P<from>.*)"
)
GROUP = re.compile(r" *fsdp\.process_group @(?P<name>[\w$.-]+) = #fsdp\.classes<(?P<classes>.*?)>")


class Op:
    """A collective or a scale: where it is and its parts."""

    def __init__(self, index, match):
        self.index, self.text, self.parts = index, match.string, match.groupdict()
        self.indent, self.result = len(match["indent"]), match["result"]
        self.operands = match["operands"].split(", ")
        self.inputs = re.findall(r"tensor<[^>]*>", match["from"])
        self.outputs = re.findall(r"tensor<[^>]*>", self.parts.get("to") or match["from"])
        self.name = self.parts.get("name", "scale")

    @property
    def results(self):
        """What its users name."""
        count = len(self.outputs)
        return [self.result] if count == 1 else [f"{self.result}#{i}" for i in range(count)]

    @property
    def keeps_type(self):
        """True where it can stand in front of or behind itself."""
        return self.inputs == self.outputs

    def number(self, what):
        """A number of the op, such as its `dim`."""
        return int(re.search(rf"\b{what} (\d+)", self.parts["rest"])[1])

    def render(self, result=None, operands=None, inputs=None, outputs=None, **parts):
        """The op's line with some parts changed."""
        p = {**self.parts, **parts}
        result, operands = result or self.result, ", ".join(operands or self.operands)
        head = " " * self.indent + result
        if self.name == "scale":
            by = f"by {p['by']} over {p['over']}{p['rest']}"
            return f"{head} = fsdp.scale {operands} {by} : {(inputs or self.inputs)[0]}"
        inputs, outputs = ", ".join(inputs or self.inputs), outputs or self.outputs
        results = f"({', '.join(outputs)})" if len(outputs) > 1 else outputs[0]
        many, reduction = f":{len(outputs)}" * (len(outputs) > 1), f"{p['reduction']} " if p["reduction"] else ""
        rest = f" over @{p['group']}{p['rest']}"
        return f"{head}{many} = fsdp.{self.name} {reduction}{operands}{rest} : ({inputs}) -> {results}"


def uses(name):
    """Matches `name`, and not a longer one."""
    return re.compile(re.escape(name) + r"(?![\w#])")


def element(type_):
    """tensor<2x3xf32>: f32."""
    return re.search(r"(\w+)>$", type_.replace("x", " "))[1]


def sizes(type_):
    """tensor<2x3xf32>: [2, 3]."""
    return [int(size) for size in re.findall(r"\d+(?=x)", type_)]


def tensor(shape, dtype):
    """The inverse of both."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


def iota(text):
    """The classes that `[C, S] from [...] T(...)` or a list spells."""
    if text.startswith("[["):
        return [[int(rank) for rank in row.split(",")] for row in re.findall(r"\[([\d, ]+)\]", text)]
    head, shape, *order = [[int(n) for n in re.findall(r"\d+", part)] for part in re.split(r"from|T", text)]
    order = order[0] if order else range(len(shape))
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    ranks = [0]
    for dim in order:
        ranks = [rank + i * strides[dim] for rank in ranks for i in range(shape[dim])]
    return [ranks[i : i + head[1]] for i in range(0, len(ranks), head[1])]


class Text:
    """A sharded step by lines."""

    def __init__(self, text):
        self.lines = text.splitlines()
        found = [(i, COLLECTIVE.fullmatch(line) or SCALE.fullmatch(line)) for i, line in enumerate(self.lines)]
        self.ops = [Op(i, match) for i, match in found if match]
        expected = len(re.findall(r" = fsdp\.(?:all_|reduce_scatter|broadcast|permute|scale)", text))
        if len(self.ops) != expected:
            raise ValueError(f"expected {expected} collectives and scales on their own lines, but got {len(self.ops)}")
        groups = [(i, GROUP.match(line)) for i, line in enumerate(self.lines)]
        self.groups = {match["name"]: iota(match["classes"]) for _, match in groups if match}
        self.last_group = max((i for i, match in groups if match), default=0)

    def of_model(self):
        """The values that are made of inputs, of no gradient and of no updated buffer: what the model itself computes."""
        signature = next(line for line in self.lines if " func.func " in line and "{fsdp." in line)
        made, marked, loops = set(re.findall(r"(%\w+): [^%]*?fsdp\.input = ", signature)), set(), []
        for value, name in re.findall(r'(%\w+): [^%]*?fsdp\.buffer = ("[^"]*")', signature):
            if f"fsdp.updated = {name}" in signature:
                marked.add(value)
        lines = iter(enumerate(self.lines))
        for i, line in lines:
            indent = len(line) - len(line.lstrip())
            head = re.match(r" *(%[^=]*) = ", line)
            results, used = set(re.findall(r"%\w+", head[1])) if head else set(), line
            if " linalg.generic " in line:  # Its body may use what stands in front of it.
                while not self.lines[i].startswith(" " * indent + "}"):
                    i, line = next(lines)
                    used += line
            used = set(re.findall(r"%\w+", used)) - results
            if loops and " scf.yield " in line:
                loops[-1][1].update(used)
            if line.endswith("{") and " scf." in line:
                loops.append((results, set(used), indent))
                results = set(used)
            elif loops and line == " " * loops[-1][2] + "}":
                results, used, _ = loops.pop()
            for found, begins in [(made, False), (marked, " fsdp.local_grad " in line)]:
                if begins or used & found:
                    found |= results
        return made - marked

    # Edits. Each is given lines by index and returns the whole text.

    def edited(self, replaced, renamed=(), declared=()):
        """The text with lines replaced (None: as it is), values renamed behind a line, and groups declared."""
        lines = [list(replaced[i]) if i in replaced else [line] for i, line in enumerate(self.lines)]
        for index, indent, old, new in renamed:
            pattern = uses(old)
            for i in range(index + 1, self.block_end(index, indent)):
                lines[i] = [pattern.sub(new, line) for line in lines[i]]
        lines[self.last_group] += [f"  fsdp.process_group @{name} = #fsdp.classes<{ranks}>" for name, ranks in declared]
        return "\n".join(line for group in lines for line in group) + "\n"

    def block_end(self, index, indent):
        """Where the block of a line ends."""
        for i in range(index, len(self.lines)):
            line = self.lines[i]
            if line.strip() and len(line) - len(line.lstrip()) < indent:
                return i
        return len(self.lines)

    def replaced(self, op, lines, values=None):
        """The op's line replaced, and users given `values` instead of its results."""
        renamed = [(op.index, op.indent, old, new) for old, new in zip(op.results, values or [])]
        return self.edited({op.index: lines}, renamed)

    def defined(self, value, index):
        """True where `value` is there before line `index` of its block."""
        name = re.escape(value.split("#")[0])
        define, bound = re.compile(rf" *(?:%\S+, )*{name}(?::\d+)?(?:, %\S+)* = "), re.compile(rf"{name}: | {name} = ")
        return any(define.match(line) or bound.search(line) for line in self.lines[:index])

    def users(self, op):
        """The lines that name a result of the op."""
        patterns = [re.compile(re.escape(op.result) + r"(?!\w)")]
        end = self.block_end(op.index, op.indent)
        return [i for i in range(op.index + 1, end) if any(pattern.search(self.lines[i]) for pattern in patterns)]
