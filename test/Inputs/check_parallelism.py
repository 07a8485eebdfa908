# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the plans of docs/Parallelism.md and checks what it says of them.

A plan is a ```yaml block that starts with `# input: MODEL`. Behind it, up to the
next plan, may come
  * ```mlir blocks: their lines are in the sharded step, in this order; names of
    values do not count, and a line of dots stands for what is left out,
  * a table of collectives, | where | collective | group | number | bytes |: all
    that the step has, but for those of single numbers such as the loss,
  * `symbol = expression` in backticks, for the formulas of the table. A cell of
    bytes is `formula` = number: what a rank sends.
Bytes are counted in the sharded step. The small steps of Inputs/parallel also run,
compared with the unsharded ones, and send just that.

Usage: check_parallelism.py FSDP_OPT FSDP_RUN ROOT
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

KINDS = "all_gather|reduce_scatter|all_reduce|all_to_all|broadcast|permute"
PLAN = re.compile(r"^```yaml\n(# input: (\S+).*?)^```\n", re.S | re.M)
BLOCK = re.compile(r"^```mlir\n(.*?)^```\n", re.S | re.M)
SYMBOL = re.compile(r"`(\w+) = ([^`=]+)`")
ROW = re.compile(r"^\| (\S+) \| ([a-z-]+) \| `(\w+)` \| (\d+) \| `([^`]+)` = ([\d,]+) \|$", re.M)
COLLECTIVE = re.compile(
    rf"(%\w+)(?::\d+)? = fsdp\.({KINDS})\s+(?:\w+ +)?(%\w+) over @(\S+) .*?: "
    r"\(tensor<(.*?)>\) -> tensor<(.*?)>.*?(\"[fb]wd\"|$)",
    re.M,
)
# Ops through which a gradient or a weight is followed.
VIA = re.compile(r"(%\w+) = (?:fsdp\.\w+|tensor\.(?:expand_shape|collapse_shape|extract_slice)) +(?:sum +)?(%\w+)")
PIECES = {"all_gather": 1, "reduce_scatter": 1, "all_reduce": 2, "all_to_all": 1}


def count_bytes(shape):
    """The bytes of a tensor such as 4x8xf32."""
    *dims, dtype = shape.split("x")
    return math.prod(map(int, dims)) * int(re.sub(r"\D", "", dtype)) // 8


def read_step(text):
    """Of each collective (where, kind, group): how many there are, and the bytes that a rank sends."""
    sizes = {name: int(size) for name, size in re.findall(r"process_group @(\S+) = #fsdp.classes<\[\d+, (\d+)\]", text)}
    source = dict(VIA.findall(text)) | {name: operand for name, _, operand, *_ in COLLECTIVE.findall(text)}
    marked = set(re.findall(r"(%\w+) = fsdp\.local_grad", text))
    parameters = set(re.findall(r"(%\w+): tensor<[^>]*> \{[^}]*fsdp\.param", text))

    def where(name, phase):
        while name in source and name not in marked:
            name = source[name]
        if name in marked:
            return "gradients"
        return "weights" if name in parameters else {'"fwd"': "forward", '"bwd"': "backward"}[phase]

    number, sent, scalars = Counter(), Counter(), 0
    for _, kind, operand, group, before, after, phase in COLLECTIVE.findall(text):
        wire = PIECES[kind] * (sizes[group] - 1) * max(count_bytes(before), count_bytes(after)) // sizes[group]
        if before == after == "f32":
            scalars += wire
            continue
        key = where(operand, phase), kind.replace("_", "-"), group
        number[key] += 1
        sent[key] += wire
    return number, sent, scalars


def check_blocks(text, step):
    """Lines of the page's IR that are not in the step."""

    def normalize(line):
        return re.sub(r"\s+", " ", re.sub(r"%\w+", "%", line.strip()))

    lines = [normalize(line) for line in step.splitlines()]
    for block in BLOCK.findall(text):
        at = 0
        for line in map(normalize, block.splitlines()):
            if line.startswith("//") or not line.strip("."):
                continue
            if line not in lines[at:]:
                yield f"expected in the sharded step\n  {line}"
                break
            at = lines.index(line, at) + 1


def check_rows(text, number, sent):
    """Rows of the page's table that are not as the step, and what they lack."""
    symbols = {}
    for name, formula in SYMBOL.findall(text):
        symbols[name] = eval(formula, {}, symbols)  # The project's own page.
    rows = ROW.findall(text)
    for where, kind, group, count, formula, written in rows:
        key, told = (where, kind, group), int(written.replace(",", ""))
        if number.pop(key, 0) != int(count):
            yield f"expected another number of {key} than {count}"
        by_formula = eval(formula, {}, symbols)
        if not sent[key] == told == by_formula:
            yield f"expected {sent[key]} bytes of {key}, but the page has {told}, and its formula {by_formula}"
    for key, count in number.items() if rows else ():
        yield f"expected a row for {key}, of which the step has {count}, of {sent[key]} bytes"


def check(opt, run, root, text):
    """What is wrong with a plan and what is said of it."""
    plan = PLAN.match(text)
    model = root / plan[2]
    with tempfile.TemporaryDirectory() as folder:
        config, traffic = pathlib.Path(folder, "plan.yaml"), pathlib.Path(folder, "traffic.json")
        config.write_text(plan[1])
        command = [opt, model, "--allow-unregistered-dialect", f"--fsdp-compile=config={config}"]
        commands = [command, [*command, "--mlir-print-local-scope", "--mlir-print-debuginfo"]]
        if model.parent.name == "parallel":
            commands.append([run, model, f"--config={config}", "--verify=f64", "--quiet", f"--traffic={traffic}"])
        done = [subprocess.run(each, text=True, capture_output=True) for each in commands]
        for each in done:
            if each.returncode:
                return [each.stdout + each.stderr]
        number, sent, scalars = read_step(done[1].stdout)
        wrong = [*check_blocks(text, done[0].stdout), *check_rows(text, number, sent)]
        if traffic.exists() and ROW.search(text):
            wire = sum(entry["wire_bytes"] for entry in json.loads(traffic.read_text())["traffic"])
            counted = 2 * (sum(sent.values()) + scalars)  # Of f64.
            if counted != wire:
                wrong.append(f"expected {counted} bytes, but a run sent {wire}")
    return wrong


def main(opt, run, root):
    root, failed = pathlib.Path(root), 0
    page = (root / "docs" / "Parallelism.md").read_text()
    starts = [match.start() for match in PLAN.finditer(page)]
    for start, end in zip(starts, starts[1:] + [len(page)]):
        wrong = check(opt, run, root, page[start:end])
        failed += bool(wrong)
        for what in wrong:
            print(f"Parallelism.md:{page.count(chr(10), 0, start) + 1}: {what}")
    print(f"{len(starts)} plans, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
