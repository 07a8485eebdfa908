# SPDX-License-Identifier: Apache-2.0
"""Reads a step as `fsdp-opt --mlir-print-op-generic` prints it, op by op."""

import re

VALUE = re.compile(r"%[A-Za-z0-9_]+")


class Op:
    """An op of the step's body, with what its regions read."""

    def __init__(self, text):
        left, equal, right = text.partition(" = ")
        if not equal or not left.strip().startswith("%"):
            left, right = "", text
        self.results = VALUE.findall(left)
        self.name = re.search(r'"([\w.]+)"', right)[1]
        self.reads = VALUE.findall(right)
        self.text = text


class Graph:
    """The ops of the one function; `%argN` are its arguments."""

    def __init__(self, text):
        self.ops, self.makers = [], {}
        body = text[text.index('"func.func"') :].splitlines()[1:]
        self.arguments = set(VALUE.findall(body.pop(0)))
        block = []
        for line in body:
            if re.match(r"    [%\"]", line) and block:  # Indented as an op of the body.
                self._add(block)
                block = []
            if line.startswith("  })"):
                break
            block.append(line)
        self._add(block)
        self.returned = [value for value in VALUE.findall(self.ops[-1].text.split(" : ")[0])]

    def _add(self, lines):
        op = Op("\n".join(lines))
        self.ops.append(op)
        op.reads = [value for value in op.reads if value in self.makers or value in self.arguments]
        for result in op.results:
            self.makers[result] = op

    def ancestors(self, values):
        """All ops that values depend on."""
        found, left = set(), list(values)
        while left:
            op = self.makers.get(left.pop())
            if op and op not in found:
                found.add(op)
                left += op.reads
        return found

    def is_free(self, value):
        """True for constants and what is made of them alone."""
        op = self.makers.get(value)
        return bool(op) and all(self.is_free(read) for read in op.reads)

    def source(self, value, arguments, inside=None):
        """The argument that a value is a mere copy of: made by ops that read nothing else; or None."""
        while value not in arguments:
            op = self.makers.get(value)
            reads = [] if op is None else [read for read in op.reads if read in arguments or not self.is_free(read)]
            if len(set(reads)) != 1 or inside is not None and op not in inside:
                return None
            value = reads[0]
        return value
