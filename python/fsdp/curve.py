# SPDX-License-Identifier: Apache-2.0
"""The loss curve of a run: reading it from fsdp-run's output, drawing it.

fsdp-run prints a line `step K loss X grad_norm Y` per step. Losses and norms
are those of the step before its update, the norm that of the whole gradient
before clipping.
"""

import math
import re
from dataclasses import dataclass
from typing import List

from . import Error
from .corpus import read_sidecar

_LINE = re.compile(r"step (\d+) loss (\S+) grad_norm (\S+)")


@dataclass
class Curve:
    """A loss curve: three lists of equal length, one entry per step."""

    steps: List[int]
    losses: List[float]
    grad_norms: List[float]


def parse_log(text, path="the log"):
    """Reads the curve from fsdp-run's output; other lines are passed over.

    `path` is for messages. Raises `Error` if there is no step, or a line begins
    with `step` and a number but is not of the form that fsdp-run prints.
    """
    curve = Curve([], [], [])
    for number, line in enumerate(text.splitlines(), 1):
        if not re.match(r"step \d", line):
            continue
        match = _LINE.fullmatch(line.strip())
        try:
            step, loss, norm = match.groups()
            curve.losses.append(float(loss))
            curve.grad_norms.append(float(norm))
            curve.steps.append(int(step))
        except (AttributeError, ValueError):
            raise Error(f"{path}:{number}: expected 'step K loss X grad_norm Y', but got '{line.strip()}'") from None
    if not curve.steps:
        raise Error(f"{path}: expected lines 'step K loss X grad_norm Y', but got none")
    return curve


def read_log(path):
    """Reads the curve from a file with fsdp-run's output; see `parse_log`."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return parse_log(file.read(), path)
    except OSError as failure:
        raise Error(f"{path}: expected a readable file, but got {failure.strerror}") from None


def read_reference(path, optimizer, first_step=0):
    """Reads one optimizer's curve from a reference, NAME.curve.json.

    The reference's first entry is given the number `first_step`, to lay it over
    a run that counts from there. Raises `Error` if the file has no such curve.
    """
    optimizers = read_sidecar(path).get("optimizers")
    if not isinstance(optimizers, dict) or optimizer not in optimizers:
        known = ", ".join(optimizers) if isinstance(optimizers, dict) else "none"
        raise Error(f"{path}: expected one of the optimizers {known}, but got '{optimizer}'")
    try:
        losses = [float(x) for x in optimizers[optimizer]["losses"]]
        norms = [float(x) for x in optimizers[optimizer]["grad_norms"]]
    except (KeyError, TypeError, ValueError):
        losses, norms = [], []
    if not losses or len(losses) != len(norms):
        raise Error(f"{path}: expected losses and grad_norms of equal length, but got {len(losses)} and {len(norms)}")
    return Curve([first_step + i for i in range(len(losses))], losses, norms)


def worst_difference(curve, reference):
    """The largest |loss - wanted| / |wanted| over the steps that both have.

    NaN in either gives infinity. Raises `Error` if they have no step in common.
    """
    wanted = dict(zip(reference.steps, reference.losses))
    pairs = [(loss, wanted[step]) for step, loss in zip(curve.steps, curve.losses) if step in wanted]
    if not pairs:
        raise Error(
            f"expected a step from {reference.steps[0]} to {reference.steps[-1]}, "
            f"but got {curve.steps[0]} to {curve.steps[-1]}"
        )
    differences = [abs(loss - want) / max(abs(want), 1e-6) for loss, want in pairs]
    return max(math.inf if math.isnan(d) else d for d in differences)


def plot(curve, path, reference=None):
    """Draws loss and gradient norm over steps, two plots, to a PNG file.

    A reference is drawn dashed. Raises `Error` if matplotlib is not installed
    or the file cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise Error("expected matplotlib for plots (pip install matplotlib), but got no such package") from None
    figure = Figure(figsize=(10, 4), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, name in zip(figure.subplots(1, 2), ("losses", "grad_norms")):
        axes.plot(curve.steps, getattr(curve, name), marker=".", label="run")
        if reference:
            axes.plot(reference.steps, getattr(reference, name), "--", label="reference")
            axes.legend()
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("step")
        axes.set_ylabel({"losses": "loss", "grad_norms": "gradient norm"}[name])
    try:
        figure.savefig(path, format="png")
    except OSError as failure:
        raise Error(f"{path}: expected a writable file, but got {failure.strerror}") from None
