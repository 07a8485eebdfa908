# SPDX-License-Identifier: Apache-2.0
"""What the case tests share: small steps with chosen numbers, run on W ranks.

A test is a script with the folder that it may write to as its argument. Numbers
are small integers, which f32 adds exactly, so results are compared for equality.
"""

import json
import pathlib
import re
import subprocess
import sys

import numpy as np

from fsdp import corpus

FOLDER = pathlib.Path(sys.argv[1])


def linear(dtype="f32", **shapes):
    """A step with the loss sum_i <p_i, x_i>: the gradient of p_i is the input x_i.

    So a test gives every rank the gradients that it wants. `shapes` is by name
    of parameter, with `__` for dots; arguments are all p_i, then all x_i.
    """
    types = ["tensor<" + "".join(f"{size}x" for size in shape) + f"{dtype}>" for shape in shapes.values()]
    names = [name.replace("__", ".") for name in shapes]
    arguments = [f'%p{i}: {t} {{fsdp.param = "{names[i]}"}}' for i, t in enumerate(types)]
    arguments += [f'%x{i}: {t} {{fsdp.input = "x:{names[i]}"}}' for i, t in enumerate(types)]
    results = [f"tensor<{dtype}> {{fsdp.loss}}"]
    results += [f'{t} {{fsdp.grad = "{names[i]}"}}' for i, t in enumerate(types)]
    body, loss = [f"%l = arith.constant dense<0.0> : tensor<{dtype}>"], "%l"
    for i, (t, shape) in enumerate(zip(types, shapes.values())):
        dims = ", ".join(f"d{d}" for d in range(len(shape)))
        kinds = ", ".join(['"reduction"'] * len(shape))
        whole, scalar = f"affine_map<({dims}) -> ({dims})>", f"affine_map<({dims}) -> ()>"
        body.append(f"""%l{i} = linalg.generic {{indexing_maps = [{whole}, {whole}, {scalar}], iterator_types = [{kinds}]}}
        ins(%p{i}, %x{i} : {t}, {t}) outs({loss} : tensor<{dtype}>) {{
      ^bb0(%p: {dtype}, %x: {dtype}, %sum: {dtype}):
        %0 = arith.mulf %p, %x : {dtype}
        %1 = arith.addf %sum, %0 : {dtype}
        linalg.yield %1 : {dtype}
      }} -> tensor<{dtype}>""")
        loss = f"%l{i}"
    values = ", ".join([loss] + [f"%x{i}" for i in range(len(types))])
    signature = ", ".join(arguments) + ")\n    -> (" + ", ".join(results)
    returned = values + " : " + ", ".join([f"tensor<{dtype}>"] + types)
    return f"func.func @step({signature}) {{\n" + "\n".join(body) + f"\nreturn {returned}\n}}\n"


def _write(step, plan):
    """Writes model and plan; returns their paths."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    model, config = FOLDER / "step.mlir", FOLDER / "plan.yaml"
    model.write_text(step)
    config.write_text(plan)
    return model, config


class Results:
    """What a run left: `results["updated w"][rank]` is what that rank stores."""

    def __init__(self, results, traffic):
        contents = results.read_bytes()
        names = json.loads(contents[8 : 8 + int.from_bytes(contents[:8], "little")])["__metadata__"]
        tensors = corpus.read_safetensors(results)
        self.traffic = json.loads(traffic.read_text())["traffic"]
        ranks = len(tensors) // len(names)
        self._results = {
            role.strip(): [tensors[f"rank{rank}.{out}"] for rank in range(ranks)] for out, role in names.items()
        }

    def __getitem__(self, role):
        return self._results[role]

    def sent(self):
        """How many tensors rank 0 sent (the loss among them), by "kind group dtype"."""
        return {f"{entry['kind']} {entry['group']} {entry['dtype']}": entry["buffers"] for entry in self.traffic}


def run(step, plan, values, *flags, dtype=np.float32):
    """Runs a step with `values` of its arguments, checked against the reference.

    A value has the argument's shape, or a leading dimension with one per rank.
    """
    model, config = _write(step, plan)
    data, results, traffic = FOLDER / "data.safetensors", FOLDER / "out.safetensors", FOLDER / "traffic.json"
    arrays = [np.asarray(value, dtype) for value in values]
    corpus.write_safetensors(data, {f"arg{i}": array for i, array in enumerate(arrays)})
    files = [f"--config={config}", f"--data={data}", f"--results={results}", f"--traffic={traffic}"]
    done = subprocess.run(["fsdp-run", model, *files, "--verify", "--quiet", *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"expected a run, but got\n{done.stdout}{done.stderr}")
    return Results(results, traffic)


def compiled(step, plan, *passes):
    """The sharded step as text (or what `passes` make of it), and the remarks."""
    model, config = _write(step, plan)
    passes = [text.format(config=config) for text in passes or ["--fsdp-compile=config={config}"]]
    done = subprocess.run(["fsdp-opt", model, *passes, "--remarks-filter=fsdp"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"expected a sharded step, but got\n{done.stderr}")
    return done.stdout, done.stderr


def rejected(step, plan, *pieces):
    """Checks that a plan gives one error, and that the error has all `pieces`."""
    model, config = _write(step, plan)
    done = subprocess.run(["fsdp-opt", model, f"--fsdp-annotate=config={config}"], capture_output=True, text=True)
    errors = re.findall(r"^.*error: .*$", done.stderr, re.M)
    if done.returncode != 1 or len(errors) != 1 or not all(piece in done.stderr for piece in pieces):
        sys.exit(f"expected one error with {pieces} for\n{plan}\nbut got {done.returncode}\n{done.stderr}")


def equal(got, want):
    """Exactly these numbers in this shape, for a list with one array per rank too."""

    def plain(value):
        listed = isinstance(value, (list, tuple))
        return [plain(part) for part in value] if listed else np.asarray(value).tolist()

    if not isinstance(got, dict):
        got, want = plain(got), plain(want)
    if got != want:
        sys.exit(f"expected {want}, but got {got}")
