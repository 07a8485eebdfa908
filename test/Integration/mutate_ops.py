# SPDX-License-Identifier: Apache-2.0
"""Mutants of a sharded step, made on its text: one change of one collective or scale each.

The text is what fsdp-opt prints: an op a line, indented by its block, and no name used twice in nested blocks.
"""

import re
from typing import Callable, NamedTuple

NARROWER = {"f64": "f32", "f32": "bf16"}
COLLECTIVE = re.compile(
    r"(?P<indent> *)(?P<result>%\w+)(?::\d+)? = fsdp\.(?P<name>all_gather|reduce_scatter|all_reduce|all_to_all|broadcast"
    r"|permute) +(?:(?P<reduction>sum|max|min) )?(?P<operands>%[^ ]+(?:, %[^ ]+)*) over @(?P<group>[\w$.-]+)"
    r"(?P<rest>[^:]*) : \((?P<from>.*)\) -> (?P<to>.*)"
)
SCALE = re.compile(
    r"(?P<indent> *)(?P<result>%\w+) = fsdp\.scale (?P<operands>%[^ ]+) by (?P<by>-?\d+) over (?P<over>\d+)"
    r"(?P<rest>[^:]*) : (?P<from>.*)"
)
GROUP = re.compile(r" *fsdp\.process_group @(?P<name>[\w$.-]+) = #fsdp\.classes<(?P<classes>.*?)>")


class Mutant(NamedTuple):
    """One change; `kind` and `how` say which, `apply` makes the text."""

    kind: str
    how: str
    line: int  # of the op, from 0
    apply: Callable[[], str]


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
            return f"{head} = fsdp.scale {operands} by {p['by']} over {p['over']}{p['rest']} : {(inputs or self.inputs)[0]}"
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


class Program:
    """A sharded step by lines, and its mutants."""

    def __init__(self, text):
        self.lines = text.splitlines()
        found = [(i, COLLECTIVE.fullmatch(line) or SCALE.fullmatch(line)) for i, line in enumerate(self.lines)]
        self.ops = [Op(i, match) for i, match in found if match]
        expected = len(re.findall(r" = fsdp\.(?:all_|reduce_scatter|broadcast|permute|scale)", text))
        if len(self.ops) != expected:
            raise ValueError(f"expected {expected} collectives and scales on lines of their own, but got {len(self.ops)}")
        groups = [(i, GROUP.match(line)) for i, line in enumerate(self.lines)]
        self.groups = {match["name"]: iota(match["classes"]) for _, match in groups if match}
        self.last_group = max((i for i, match in groups if match), default=0)

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

    # The kinds. Each yields mutants of an op.

    def mutants(self):
        """All of them."""
        kinds = [self.deleted, self.duplicated, self.reordered, self.regrouped, self.rescaled, self.swapped]
        for op in self.ops:
            for kind in kinds + [self.narrowed, self.other_reduction]:
                yield from kind(op)

    def deleted(self, op):
        """Each rank goes on with what it has, in the right shape."""
        if op.name == "scale":
            return
        if op.keeps_type:
            yield Mutant("delete", "nothing", op.index, lambda: self.replaced(op, [], op.operands))
            return
        lines, values = [], []
        for i, (value, source, result) in enumerate(zip(op.operands, op.inputs, op.outputs)):
            values.append(f"%mutant{i}")
            head = f"{' ' * op.indent}%mutant{i} = "
            if op.name == "all_gather":
                lines += self.copies(head, op.number("dim"), value, source, result)
            elif op.name == "reduce_scatter":
                lines.append(f"{head}fsdp.slice {value} over @{op.parts['group']} dim {op.number('dim')} : {source} to {result}")
            else:
                lines += self.reshaped(head, value, source, result)
        how = {"all_gather": "copies", "reduce_scatter": "slice"}.get(op.name, "reshape")
        yield Mutant("delete", how, op.index, lambda: self.replaced(op, lines, values))

    @staticmethod
    def copies(head, dim, value, source, result):
        """Lines that repeat a value along a dimension."""
        shape = sizes(source)
        steps = range(0, sizes(result)[dim], shape[dim])
        names = [head.replace(" = ", f"_{i} = ") for i in range(len(steps))]
        yield f"{names[0]}tensor.empty() : {result}"
        for at, before, after in zip(steps, names, names[1:] + [head]):
            offsets = [at if i == dim else 0 for i in range(len(shape))]
            where = f"{offsets} {shape} {[1] * len(shape)}"
            yield f"{after}tensor.insert_slice {value} into {before.split()[0]}{where} : {source} into {result}"

    @staticmethod
    def reshaped(head, value, source, result):
        """Lines that give a value another shape of as many elements."""
        count, flat = 1, head.replace("%mutant", "%flat")
        for size in sizes(source):
            count *= size
        line, folded = tensor([count], element(source)), [str(dim) for dim in range(len(sizes(source)))]
        yield f"{flat}tensor.collapse_shape {value} [[{', '.join(folded)}]] : {source} into {line}"
        value, shape = flat.split()[0], ", ".join(map(str, sizes(result)))
        yield f"{head}tensor.expand_shape {value} [[{', '.join(folded)}]] output_shape [{shape}] : {line} into {result}"

    def duplicated(self, op):
        """Applied to its own result; and once more for nobody."""
        if op.name == "scale":
            return
        if op.keeps_type:
            twice = Op(op.index, COLLECTIVE.fullmatch(op.text)).render("%mutant", op.results)
            values = ["%mutant" + result[len(op.result) :] for result in op.results]
            yield Mutant("duplicate", "of its result", op.index, lambda: self.replaced(op, [op.text, twice], values))
        dead = op.render("%mutant")
        yield Mutant("duplicate", "for nobody", op.index, lambda: self.replaced(op, [dead, op.text]))

    def reordered(self, op):
        """Changes places with the next collective of the block; with an op that follows it in a chain."""
        end, users = self.block_end(op.index, op.indent), self.users(op)
        near = [other for other in self.ops if op.index < other.index < end and other.indent == op.indent]
        following = next((other for other in near if other.name != "scale"), None)
        if following and op.name != "scale":
            if not any(i <= following.index for i in users):
                change = {op.index: [], following.index: [following.text, op.text]}
                yield Mutant("reorder", "behind the next", op.index, lambda: self.edited(change))
            elif all(self.defined(value, op.index) for value in following.operands):
                moved = {op.index: [following.text, op.text], following.index: []}
                yield Mutant("reorder", "next in front", op.index, lambda: self.edited(moved))
        chained = next((other for other in near if [other.index] == users and other.operands == op.results), None)
        if chained and (op.keeps_type or chained.keeps_type) and op.name != "scale":
            middle = op.inputs if chained.keeps_type else chained.outputs
            first = chained.render("%mutant", op.operands, op.inputs, middle)
            second = op.render(chained.result, [f"%mutant{r[len(op.result):]}" for r in op.results], middle, chained.outputs)
            chain = {op.index: [], chained.index: [first, second]}
            yield Mutant("reorder", "within a chain", op.index, lambda: self.edited(chain))

    def regrouped(self, op):
        """Over another group: those declared, contiguous and strided ones, and its own with ranks in another order."""
        if op.name == "scale":
            return
        own = self.groups[op.parts["group"]]
        size, world = len(own[0]), len(own) * len(own[0])
        others = dict(self.groups)
        others.setdefault("mutant_near", [list(range(i, i + size)) for i in range(0, world, size)])
        others.setdefault("mutant_far", [list(range(i, world, world // size)) for i in range(world // size)])
        others["mutant_reversed"] = [row[::-1] for row in own]
        if size % 2 == 0 and size > 2:
            others["mutant_halves"] = [[rank for i in range(size // 2) for rank in row[i :: size // 2]] for row in own]
        seen = [own]
        for name, classes in others.items():
            if classes in seen or (op.name != "all_reduce" and len(classes[0]) != size):
                continue
            seen.append(classes)
            declared = [(name, classes)] if name not in self.groups else []
            line = op.render(group=name)
            ordered = sorted(map(sorted, classes)) == sorted(map(sorted, own))
            how = "ranks in another order" if ordered else "other ranks"
            yield Mutant(
                "regroup",
                how,
                op.index,
                lambda line=line, declared=declared: self.edited({op.index: [line]}, declared=declared),
            )

    def rescaled(self, op):
        """A scale removed, inverted, doubled; a collective with a scale behind it."""
        if op.name == "scale":
            yield Mutant("rescale", "removed", op.index, lambda: self.replaced(op, [], op.operands))
            for how, by, over in [
                ("inverted", op.parts["over"], op.parts["by"]),
                ("doubled", 2 * int(op.parts["by"]), op.parts["over"]),
            ]:
                line = op.render(by=by, over=over)
                yield Mutant("rescale", how, op.index, lambda line=line: self.replaced(op, [line]))
            return
        lines, values = [op.text], []
        for i, (value, type_) in enumerate(zip(op.results, op.outputs)):
            values.append(f"%mutant{i}")
            lines.append(f"{' ' * op.indent}%mutant{i} = fsdp.scale {value} by 1 over 2 : {type_}")
        yield Mutant("rescale", "halved", op.index, lambda: self.replaced(op, lines, values))

    def swapped(self, op):
        """Operands of one bucket exchanged; those of the next collective of the same kind and type."""
        for i, type_ in enumerate(op.inputs):
            for j in range(i + 1, len(op.inputs)):
                if op.inputs[j] == type_ and op.name != "scale":
                    order = list(op.operands)
                    order[i], order[j] = order[j], order[i]
                    line = op.render(operands=order)
                    yield Mutant("swap", "within a bucket", op.index, lambda line=line: self.replaced(op, [line]))
        end = self.block_end(op.index, op.indent)
        for other in self.ops:
            if not op.index < other.index < end or (other.name, other.indent) != (op.name, op.indent):
                continue
            if other.inputs != op.inputs or other.outputs != op.outputs or other.operands == op.operands:
                continue
            if other.name != "scale" and all(self.defined(value, op.index) for value in other.operands):
                lines = {op.index: [op.render(operands=other.operands)], other.index: [other.render(operands=op.operands)]}
                yield Mutant("swap", "of two", op.index, lambda: self.edited(lines))
                return

    def narrowed(self, op):
        """Sent in the next narrower type."""
        dtypes = {element(type_) for type_ in op.inputs}
        if op.name == "scale" or len(dtypes) > 1 or not dtypes <= NARROWER.keys():
            return
        wide = dtypes.pop()
        narrow, lines, values = NARROWER[wide], [], []
        swap = lambda types, dtype: [tensor(sizes(type_), dtype) for type_ in types]
        for i, (value, type_) in enumerate(zip(op.operands, op.inputs)):
            lines += self.cast(op.indent, f"%narrow{i}", value, type_, "truncf", narrow)
        sent = [f"%narrow{i}" for i in range(len(op.operands))]
        lines.append(op.render("%mutant", sent, swap(op.inputs, narrow), swap(op.outputs, narrow)))
        for i, (result, type_) in enumerate(zip(op.results, swap(op.outputs, narrow))):
            values.append(f"%wide{i}")
            lines += self.cast(op.indent, values[-1], "%mutant" + result[len(op.result) :], type_, "extf", wide)
        yield Mutant("dtype", f"{wide} to {narrow}", op.index, lambda: self.replaced(op, lines, values))

    @staticmethod
    def cast(indent, result, value, type_, kind, dtype):
        """Lines that cast a tensor."""
        pad, own, to = " " * indent, element(type_), tensor(sizes(type_), dtype)
        dims = ", ".join(f"d{i}" for i in range(len(sizes(type_))))
        maps, loops = f"affine_map<({dims}) -> ({dims})>", ", ".join(['"parallel"'] * len(sizes(type_)))
        yield f"{pad}{result}_empty = tensor.empty() : {to}"
        yield (
            f"{pad}{result} = linalg.generic {{indexing_maps = [{maps}, {maps}], iterator_types = [{loops}]}} "
            f"ins({value} : {type_}) outs({result}_empty : {to}) {{"
        )
        yield f"{pad}^bb0(%mutant_in: {own}, %mutant_out: {dtype}):"
        yield f"{pad}  %mutant_cast = arith.{kind} %mutant_in : {own} to {dtype}"
        yield f"{pad}  linalg.yield %mutant_cast : {dtype}"
        yield f"{pad}}} -> {to}"

    def other_reduction(self, op):
        """A sum becomes a maximum, a maximum a sum."""
        if op.parts.get("reduction") in ("sum", "max"):
            other = {"sum": "max", "max": "sum"}[op.parts["reduction"]]
            line = op.render(reduction=other)
            yield Mutant("reduction", f"{op.parts['reduction']} to {other}", op.index, lambda: self.replaced(op, [line]))
