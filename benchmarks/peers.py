#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints one table: the peers' GPT step here, in PyTorch, FSDP2 and JAX.

    benchmarks/peers.py [--models tiny medium] [--rounds 3] [--steps 5]
                        [--only REGEX] [--python DIR/bin/python3] [--json FILE]

Systems of one group have equal thread counts and take turns, each time in a
process of its own. benchmarks/README.md says what is counted.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "benchmarks/peers"
sys.path.insert(0, os.fspath(PEERS))
from workload import ADAMW, WARM_UP  # noqa: E402

RANKS = 4
PLAN = f"""world: {{ranks: {RANKS}}}
batch: global
units: [{{match: "h.*"}}]
optimizer: {{name: adamw, lr: {ADAMW["lr"]}, betas: {list(ADAMW["betas"])},
            eps: {ADAMW["eps"]}, weight_decay: {ADAMW["weight_decay"]}}}
reshard_after_forward: """
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "bf16": 2, "f16": 2, "i1": 1}
# Losses of the first steps must agree; later AdamW has blown up rounding.
COMPARED, TOLERANCE = 3, 1e-4

# One line of the table. `group` heads it, `needs` is a module that the peers'
# interpreter must have, and `run` measures one turn.
Row = collections.namedtuple("Row", "group system needs run")


class Failure(Exception):
    """A row that has no numbers, and why."""


def run_process(command, **environment):
    """Standard output of a command, and the most bytes that it had resident."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [os.fspath(part) for part in command], stdout=subprocess.PIPE, stderr=errors,
            text=True, env={**os.environ, **environment})
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            lines = errors.read().strip().splitlines() or ["no message"]
            raise Failure(f"failed: {lines[-1][:80]}")
    return output, usage.ru_maxrss * 1024


class Ours:
    """Runs of fsdp-run."""

    def __init__(self, build, steps, folder):
        self.run_tool = build / "tools/fsdp-run/fsdp-run"
        self.opt_tool = build / "tools/fsdp-opt/fsdp-opt"
        self.steps, self.folder = steps, pathlib.Path(folder)
        self.base = run_process([self.run_tool, "--version"])[1]

    def write_plan(self, reshard):
        """The path of the plan of a sharded row."""
        path = self.folder / f"reshard-{reshard}.yaml"
        path.write_text(PLAN + f"{reshard}\n")
        return path

    def count_boundary(self, model, plan):
        """Bytes of arguments and results of one rank."""
        options = f"config={plan}" if plan else "ranks=1"
        text, _ = run_process([self.opt_tool, model, f"--fsdp-compile={options}"])
        signature = next(line for line in text.splitlines() if "func.func @" in line)
        return sum(BYTES[dtype] * math.prod(map(int, filter(None, dims.split("x"))))
                   for dims, dtype in re.findall(r"tensor<((?:\d+x)*)(\w+)>", signature))

    def measure(self, model, threads, plan=None):
        """One turn, from the same values and batch as the peers'."""
        traffic = self.folder / "traffic.json"
        command = [self.run_tool, model, f"--data={model.with_suffix('.json')}", "--time",
                   f"--steps={self.steps + 1}", f"--traffic={traffic}",
                   f"--threads-per-rank={threads}"]
        output, resident = run_process(command + ([f"--config={plan}"] if plan else []))
        minimum, median = map(float, re.search(
            r"time of a step: minimum ([\d.]+) ms, median ([\d.]+) ms", output).groups())
        sent = json.loads(traffic.read_text())
        return {
            "minimum": minimum, "median": median,
            "losses": [float(loss) for loss in re.findall(r"loss (\S+)", output)],
            "wire": sum(entry["wire_bytes"] for entry in sent["traffic"]) / (self.steps + 1),
            "planned": sent["arena_bytes"] + self.count_boundary(model, plan),
            "resident": (resident - self.base) / sent["ranks"],
            "notes": re.findall(r"^products: .*", output, re.M)}


class Peers:
    """Runs of the scripts in peers/."""

    def __init__(self, python, steps):
        self.python, self.steps = python, steps
        self.missing = {name: not self.has(name) for name in ("torch", "jax")}

    def has(self, module):
        """True if the interpreter can import a module."""
        try:
            run_process([self.python, "-c", f"import {module}"])
        except (Failure, OSError):
            return False
        return True

    def measure(self, script, system, model, threads, launcher=()):
        """One turn; OpenMP has as many threads as the row."""
        omp = 1 if launcher else threads
        output, _ = run_process(
            [self.python, *launcher, PEERS / script, system, "--threads", str(threads),
             "--sidecar", model.with_suffix(".json"), "--steps", str(self.steps)],
            OMP_NUM_THREADS=str(omp), PYTHONDONTWRITEBYTECODE="1")
        return json.loads(output.splitlines()[-1])


def has_amx():
    """True if the machine multiplies bf16 matrices in hardware."""
    return "amx_bf16" in pathlib.Path("/proc/cpuinfo").read_text().split()


def measure_bf16(ours, model, threads):
    """One turn of the step with bf16 parameters."""
    if not has_amx():
        raise Failure("skipped: no AMX")
    if not model.exists():
        raise Failure(f"skipped: no {model.name}")
    return ours.measure(model, threads)


def get_rows(name, ours, peers):
    """All rows of one model. The first of each group is what others are held
    against."""
    model = ROOT / f"test/Inputs/P1_peer_{name}.mlir"
    narrow = model.with_name(f"P1_peer_{name}_bf16.mlir")
    for threads in (1, 2):
        group = f"{name}, unsharded, gradients only, {threads} thread" + "s" * (threads > 1)
        yield Row(group, "fsdp-opt", None, lambda n=threads: ours.measure(model, n))
        yield Row(group, "fsdp-opt bf16", None, lambda n=threads: measure_bf16(ours, narrow, n))
        for script, system, module in (("torch_step.py", "eager", "torch"),
                                       ("torch_step.py", "inductor", "torch"),
                                       ("jax_step.py", "one", "jax")):
            yield Row(group, f"{module} {system}".replace(" one", " 1 device"), module,
                      lambda n=threads, script=script, system=system:
                      peers.measure(script, system, model, n))
    group = f"{name}, FSDP with AdamW, {RANKS} ranks x 1 thread"
    for system, reshard in (("fsdp-opt", "true"), ("fsdp-opt, no reshard", "false")):
        yield Row(group, system, None,
                  lambda reshard=reshard: ours.measure(model, 1, ours.write_plan(reshard)))
    torchrun = ("-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={RANKS}")
    for label, system in (("FSDP2 gloo", "fsdp2"), ("FSDP2 gloo, no reshard", "fsdp2-no-reshard")):
        yield Row(group, label, "torch", lambda system=system:
                  peers.measure("torch_step.py", system, model, 1, torchrun))
    for label, system in (("jax GSPMD", "gspmd"), ("jax shard_map", "shard-map")):
        yield Row(group, label, "jax", lambda system=system:
                  peers.measure("jax_step.py", system, model, RANKS))
