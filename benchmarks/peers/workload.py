# SPDX-License-Identifier: Apache-2.0
"""The step that all systems run, and how it is measured.

Parameters and batch come from the sidecar of the exported step, by the rule
that fsdp-run fills them with, so all systems start from the same values and
their losses can be compared.
"""
import argparse
import ctypes
import gc
import json
import math
import time

import numpy

# Steps that are run and not counted: the first ones compile and allocate.
WARM_UP = 2


def parse_arguments(description, systems):
    """The command line that peers have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("system", choices=systems)
    parser.add_argument("--sidecar", required=True, help="MODEL.json")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5)
    return parser.parse_args()


def fill(entry, shape):
    """The values of one argument by its entry in the sidecar's `fill`."""
    index = numpy.arange(math.prod(shape), dtype=numpy.uint64)
    mixed = index * numpy.uint64(2654435761) + numpy.uint64((entry["k"] + 1) * 40503)
    mixed &= numpy.uint64(0xFFFFFFFF)
    if entry["kind"] == "hash_int":
        values = (mixed >> numpy.uint64(8)) % numpy.uint64(entry["mod"])
        return values.astype(numpy.int64).reshape(shape)
    values = (mixed / 2.0**32 - 0.5) * entry["scale"] + entry["bias"]
    return values.astype(numpy.float32).reshape(shape)


def load(sidecar):
    """Parameters by name, tokens and labels."""
    with open(sidecar) as file:
        step = json.load(file)
    parameters, inputs = {}, {}
    for argument, entry in zip(step["args"], step["fill"]):
        values = fill(entry, argument["shape"])
        if "fsdp.param" in argument:
            parameters[argument["fsdp.param"]] = values
        else:
            inputs[argument["fsdp.input"]] = values
    return parameters, inputs["x"], inputs["y"]


def count_blocks(parameters):
    """How many blocks h.0, h.1, ... there are."""
    return len({name.split(".")[1] for name in parameters if name.startswith("h.")})


def memory(field):
    """VmRSS (resident now) or VmHWM (the most since the last reset) in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def measure(step, steps, prepare=lambda: None):
    """Runs `step` until it returns. Gives seconds of the counted steps, the
    losses of all, and the peak of resident bytes while the counted ones ran.
    What compiling needed and has given back does not count."""
    times, losses = [], []
    for i in range(WARM_UP + steps):
        if i == WARM_UP:
            gc.collect()
            ctypes.CDLL(None).malloc_trim(0)
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")  # VmHWM starts again from VmRSS.
        prepare()
        start = time.perf_counter()
        loss = step()
        times.append(time.perf_counter() - start)
        losses.append(float(loss))
    return times[WARM_UP:], losses, memory("VmHWM")


def report(times, losses, resident, wire=0, planned=None, note=""):
    """Prints what peers.py reads: milliseconds, losses, bytes per rank, and
    what else is to stand below the table."""
    print(json.dumps({"minimum": min(times) * 1e3,
                      "median": float(numpy.median(times)) * 1e3,
                      "losses": losses, "wire": wire, "planned": planned,
                      "resident": resident, "note": note}))
