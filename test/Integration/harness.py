# SPDX-License-Identifier: Apache-2.0
"""What the integration lanes share: running `fsdp-run` and reading what it says."""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
INPUTS = HERE.parent / "Inputs"
PLANS = HERE / "plans"
LIMIT_SECONDS = 1200


class Run:
    """One run of `fsdp-run`: its exit status and what it printed."""

    def __init__(self, tool, model, *arguments, quiet=True):
        self.command = [tool, str(model), *map(str, arguments)] + ["--quiet"] * quiet
        begin = time.monotonic()
        done = subprocess.run(self.command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.seconds = time.monotonic() - begin

    def _worst(self, what):
        found = re.search(what + r".*?worst error ([0-9.e+-]+|nan|inf)", self.out)
        return float(found[1]) if found else None

    @property
    def verified(self):
        """The worst error against the unsharded step, or None."""
        return self._worst(r"verify: \d+ results of \d+ ranks?, ")

    @property
    def expected(self):
        """The worst error against the framework's numbers, or None."""
        return self._worst("expected: ")

    @property
    def compared(self):
        """How many results `--verify` compared, over all ranks."""
        found = re.search(r"verify: (\d+) results", self.out)
        return int(found[1]) if found else 0

    def curve(self, name="loss"):
        """The loss, or another number, of every step."""
        return [float(value) for value in re.findall(rf"^step .*\b{name} (\S+)", self.out, re.MULTILINE)]

    @property
    def error(self):
        """The first error line, or how else the run ended."""
        lines = [line for line in self.err.splitlines() if "error:" in line]
        return (lines or [f"exit status {self.status}"])[0][:300]


class Lane:
    """Checks, run side by side, with every failure kept."""

    def __init__(self, description, **options):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("tool", help="fsdp-run")
        parser.add_argument("-j", "--jobs", type=int, default=2)
        for name, settings in options.items():
            parser.add_argument("--" + name.replace("_", "-"), **settings)
        self.options = parser.parse_args()
        self.failures, self.lock = [], threading.Lock()
        self.scratch = tempfile.TemporaryDirectory()
        self.plans = 0

    def run(self, model, *arguments, **settings):
        """Runs a file of `test/Inputs`, or one given by its path."""
        path = model if isinstance(model, pathlib.Path) else INPUTS / f"{model}.mlir"
        return Run(self.options.tool, path, *arguments, **settings)

    def path(self, name):
        """A file in a folder that goes when the lane ends."""
        return pathlib.Path(self.scratch.name) / name

    def plan(self, text):
        """A plan file of this text."""
        with self.lock:
            self.plans += 1
            path = self.path(f"plan{self.plans}.yaml")
        path.write_text(text)
        return path

    def fail(self, where, why):
        """Keeps a failure; the lane goes on."""
        with self.lock:
            self.failures.append(f"FAIL {where}: {why}")

    def check(self, holds, where, why):
        """Keeps a failure unless `holds`."""
        if not holds:
            self.fail(where, why)
        return holds

    def map(self, function, items):
        """`function` of every item, side by side, in order."""
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            return list(pool.map(lambda item: self._guard(function, item), items))

    def _guard(self, function, item):
        try:
            return function(item)
        except Exception as failure:  # One broken check must not hide the others.
            self.fail(item, f"{type(failure).__name__}: {failure}")
            return None

    def finish(self, summary):
        """Prints what failed, then the summary, and exits."""
        for failure in self.failures:
            print(failure)
        print(f"{summary}, {len(self.failures)} failures")
        self.scratch.cleanup()
        sys.exit(1 if self.failures else 0)


def sidecar(name):
    """What the exporter noted beside a model."""
    return json.loads((INPUTS / f"{name}.json").read_text())
