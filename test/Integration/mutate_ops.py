# SPDX-License-Identifier: Apache-2.0
"""Mutants of a sharded step, made on its text: one change of one collective or scale each."""

from typing import Callable, NamedTuple

from mutate_text import Text, element, sizes, tensor

NARROWER = {"f64": "f32", "f32": "bf16"}


class Mutant(NamedTuple):
    """One change; `kind` and `how` say which, `apply` makes the text."""

    kind: str
    how: str
    line: int  # of the op, from 0
    apply: Callable[[], str]


class Program(Text):
    """A sharded step and its mutants."""

    def mutants(self):
        """All of them."""
        self.model = self.of_model()
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
                where = f"over @{op.parts['group']} dim {op.number('dim')}"
                lines.append(f"{head}fsdp.slice {value} {where} : {source} to {result}")
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
            twice = op.render("%mutant", op.results)
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
            operands = [f"%mutant{result[len(op.result) :]}" for result in op.results]
            second = op.render(chained.result, operands, middle, chained.outputs)
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
            what = "a reduction" if op.name == "all_reduce" else "pieces"
            how = f"{what} in another order" if ordered else "other ranks"
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
                first, second = op.render(operands=other.operands), other.render(operands=op.operands)
                lines = {op.index: [first], other.index: [second]}
                values = {value.split("#")[0] for value in op.operands + other.operands}
                how = "of two values of the model" if values <= self.model else "of two"
                yield Mutant("swap", how, op.index, lambda: self.edited(lines))
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
            own = op.parts["reduction"]
            other = {"sum": "max", "max": "sum"}[own]
            line = op.render(reduction=other)
            yield Mutant("reduction", f"{own} to {other}", op.index, lambda: self.replaced(op, [line]))
