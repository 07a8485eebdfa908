# SPDX-License-Identifier: Apache-2.0
"""A step allocates nothing: a thousand of them need no more memory than a few.

Runs a model on two ranks of two threads for 20 and for 1,000 steps, each in a process of its own, and compares the most
that was resident. What grows by a page for each step would be 4 MB apart.
"""

import os

from harness import HERE, Lane

FEW, MANY, MEBIBYTES = 20, 1000, 2


def get_peak(lane, model, steps):
    """The most MiB that were resident in a run of so many steps."""
    flags = [f"--steps={steps}", "--ranks=2", "--threads-per-rank=2", "--quiet"]
    command = [lane.options.tool, os.fspath(model), *flags]
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    lane.check(status == 0, model.stem, f"expected a run of {steps} steps, but got status {status}")
    return usage.ru_maxrss / 1024


def main():
    """Compares the peaks of a short and a long run."""
    lane = Lane(__doc__)
    model = HERE.parent / "Inputs/A1_nanogpt_adamw.mlir"
    few, many = (get_peak(lane, model, steps) for steps in (FEW, MANY))
    print(f"{few:.1f} MiB after {FEW} steps, {many:.1f} MiB after {MANY}")
    lane.check(many < few + MEBIBYTES, model.stem, f"expected at most {MEBIBYTES} MiB more, but got {many - few:.1f}")
    lane.finish("1 model")


if __name__ == "__main__":
    main()
