# SPDX-License-Identifier: Apache-2.0
"""The rows of peers.py's table, and how one turn of each is measured."""
import collections
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

import settings

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RANKS = 4
PLAN = """world: {{ranks: {ranks}}}
batch: global
units: [{{match: "h.*"}}]
reshard_after_forward: {reshard}
optimizer: {optimizer}
"""
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "bf16": 2, "f16": 2, "i1": 1}

# A line of the table below the head `group`. `run` measures one turn and gives
# what workload.report says.
Row = collections.namedtuple("Row", "group system run")


class NoNumbers(Exception):
    """Why a row has none: it was skipped or has failed."""


def run_process(command, **environment):
    """Standard output of a command, and the most bytes it had resident."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            list(map(os.fspath, command)), stdout=subprocess.PIPE,
            stderr=errors, text=True, env={**os.environ, **environment})
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            lines = errors.read().strip().splitlines() or ["no message"]
            raise NoNumbers(f"failed: {lines[-1][:100]}")
    return output, usage.ru_maxrss * 1024


class Ours:
    """Runs of fsdp-run."""

    def __init__(self, build, steps, folder):
        self.run_tool = build / "tools/fsdp-run/fsdp-run"
        self.opt_tool = build / "tools/fsdp-opt/fsdp-opt"
        self.steps, self.folder = steps, pathlib.Path(folder)
        self.base = run_process([self.run_tool, "--version"])[1]

    @functools.cache
    def write_plan(self, reshard):
        """The path of a sharded row's plan."""
        path = self.folder / f"reshard-{reshard}.yaml"
        optimizer = json.dumps({"name": "adamw", **settings.ADAMW})
        path.write_text(PLAN.format(ranks=RANKS, reshard=reshard,
                                    optimizer=optimizer))
        return path

    @functools.cache
    def count_boundary(self, model, plan):
        """Bytes of one rank's arguments and results; updated values lie where
        the old ones were."""
        options = f"config={plan}" if plan else "ranks=1"
        text, _ = run_process([self.opt_tool, model, f"--fsdp-compile={options}"])
        step = next(x for x in text.splitlines() if "func.func @" in x)
        values = re.findall(r"tensor<((?:\d+x)*)(\w+)>(.*?)(?=tensor<|$)", step)
        return sum(BYTES[dtype] * math.prod(int(n) for n in dims.split("x") if n)
                   for dims, dtype, facts in values if "fsdp.updated" not in facts)

    def measure(self, model, threads, reshard=None):
        """One turn: unsharded, or by the plan with this `reshard`."""
        plan = reshard and self.write_plan(reshard)
        traffic = self.folder / "traffic.json"
        output, resident = run_process([
            self.run_tool, model, f"--data={model.with_suffix('.json')}",
            "--time", f"--steps={self.steps + 1}", f"--traffic={traffic}",
            f"--threads-per-rank={threads}",
            *([f"--config={plan}"] if plan else [])])
        minimum, median = re.search(
            r"step: minimum ([\d.]+) ms, median ([\d.]+) ms", output).groups()
        sent = json.loads(traffic.read_text())
        wire = sum(entry["wire_bytes"] for entry in sent["traffic"])
        return {
            "minimum": float(minimum), "median": float(median),
            "losses": [float(x) for x in re.findall(r"loss (\S+)", output)],
            "wire": wire / (self.steps + 1),
            "planned": sent["arena_bytes"] + self.count_boundary(model, plan),
            "resident": (resident - self.base) / sent["ranks"],
            "note": "".join(re.findall(r"^products: .*", output, re.M))}

    def measure_bf16(self, model, threads):
        """One turn of the step with bf16 parameters."""
        if "amx_bf16" not in pathlib.Path("/proc/cpuinfo").read_text().split():
            raise NoNumbers("skipped: no AMX")
        if not model.exists():
            raise NoNumbers(f"skipped: no {model.name} in test/Inputs")
        return self.measure(model, threads)


class Peers:
    """Runs of torch_step.py and jax_step.py."""

    def __init__(self, python, steps):
        self.python, self.steps = python, steps

    @functools.cache
    def has(self, module):
        """True if the interpreter can import a module."""
        try:
            run_process([self.python, "-c", f"import {module}"])
        except (NoNumbers, OSError):
            return False
        return True

    def measure(self, module, system, model, threads, launcher=()):
        """One turn. A launcher starts a process per rank."""
        if not self.has(module):
            raise NoNumbers(f"skipped: no {module}, which "
                            "scripts/setup_peers.sh installs")
        output, _ = run_process(
            [self.python, *launcher, ROOT / f"benchmarks/peers/{module}_step.py",
             system, f"--sidecar={model.with_suffix('.json')}",
             f"--threads={threads}", f"--steps={self.steps}"],
            OMP_NUM_THREADS=str(threads), PYTHONDONTWRITEBYTECODE="1")
        return json.loads(output.splitlines()[-1])


def get_rows(size, ours, peers):
    """All rows for one size of the model, a group after the other."""
    model = ROOT / f"test/Inputs/P1_peer_{size}.mlir"
    narrow = model.with_name(f"P1_peer_{size}_bf16.mlir")
    bind = functools.partial
    for threads in (1, 2):
        group = f"{size}, unsharded, gradients only, threads: {threads}"
        yield Row(group, "fsdp-opt", bind(ours.measure, model, threads))
        yield Row(group, "fsdp-opt, bf16",
                  bind(ours.measure_bf16, narrow, threads))
        for label, *which in (("torch eager", "torch", "eager"),
                              ("torch inductor", "torch", "inductor"),
                              ("jax, 1 device", "jax", "one")):
            yield Row(group, label,
                      bind(peers.measure, *which, model, threads))
    group = f"{size}, FSDP with AdamW, {RANKS} ranks of 1 thread"
    for label, reshard in (("fsdp-opt", "true"),
                           ("fsdp-opt, auto reshard", "auto"),
                           ("fsdp-opt, no reshard", "false")):
        yield Row(group, label, bind(ours.measure, model, 1, reshard))
    launcher = ("-m", "torch.distributed.run", "--standalone",
                f"--nproc-per-node={RANKS}")
    for label, system in (("FSDP2 over gloo", "fsdp2"),
                          ("FSDP2, no reshard", "fsdp2-no-reshard")):
        yield Row(group, label,
                  bind(peers.measure, "torch", system, model, 1, launcher))
    # Devices are threads of one process.
    for label, system in (("jax GSPMD", "gspmd"),
                          ("jax shard_map", "shard-map")):
        yield Row(group, label,
                  bind(peers.measure, "jax", system, model, RANKS))
