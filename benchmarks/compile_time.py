#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""User time from an exported step to sharded IR, over depth and world size.

Each row runs `fsdp-opt MODEL --fsdp-compile` as a process of its own, so times
are cold and include parsing and printing. Minimum and median in seconds.

With `--partition` the rows have tensor parallelism over two ranks composed
with FSDP over the rest, and the time of partitioning alone stands beside: the
difference of two runs, with `--fsdp-partition` and without.

With `--verify` the rows also have the time without the static check
(`verify=false`), the check's share by these two, and its share by the passes'
own times in one process, of which a busy machine disturbs less. Runs alternate,
so that what slows one slows the other; on a busy machine take more of them.

With `--machine-code` each process goes on to an object file, of which kernels
are counted: the functions beside the entry.

    benchmarks/compile_time.py [--opt build/tools/fsdp-opt/fsdp-opt] [--runs 5]
                               [--only MODEL]
                               [--partition | --verify | --machine-code]
"""
import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = [  # model (deep_mlp: written by deep_mlp.py), layers, ranks, per node
    ("A1_nanogpt_24l", 24, 8, 4),
    ("P2_nanogpt_48l", 48, 8, 4),
    ("P2_nanogpt_96l", 96, 8, 4),
    ("P2_nanogpt_96l", 96, 100000, 8),
    ("deep_mlp", 128, 8, 4),
    ("deep_mlp", 512, 8, 4),
    ("deep_mlp", 512, 100000, 8),
]

PLAN = """mesh: {dp: -1, tp: 2}
batch: {per_rank: [dp]}
defaults: {process_group: dp}
shardings:
"""
SHARDINGS = {  # by parameters' names; the gpts' heads are found from these
    "deep_mlp": ['{match: "h.*.weight", dims: [[], [tp]]}'],
    "gpt": ['{match: "transformer.h.*.mlp.c_fc.weight", dims: [[tp], []]}',
            '{match: "transformer.h.*.mlp.c_proj.weight", dims: [[], [tp]]}',
            '{match: "transformer.h.*.attn.c_proj.weight", dims: [[], [tp]]}'],
}


def user_seconds(command):
    """User time of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def get_pass_share(command):
    """The share of the static check's passes in the time of one process."""
    text = subprocess.run([*command, "--mlir-timing"], check=True, text=True,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE).stderr
    checks = re.findall(r"([\d.]+) .*Verify(?:Collectives|Gradients)Pass", text)
    total = re.search(r"Total Execution Time: ([\d.]+)", text)[1]
    return sum(map(float, checks)) / float(total)


def count_kernels(path):
    """How many functions an object file shares with others of its kind."""
    return len(re.findall(r" W ", subprocess.run(
        ["nm", path], check=True, capture_output=True, text=True).stdout))


def get_model(name, layers, folder):
    """The path of an exported model, or of one written for this run."""
    if name != "deep_mlp":
        return ROOT / "test/Inputs" / f"{name}.mlir"
    path = pathlib.Path(folder) / f"{name}_{layers}.mlir"
    path.write_text(subprocess.run(
        [sys.executable, ROOT / "benchmarks/deep_mlp.py", str(layers)],
        check=True, capture_output=True, text=True).stdout)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--opt",
                        default=ROOT / "build/tools/fsdp-opt/fsdp-opt")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="a model's name")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--partition", action="store_true")
    which.add_argument("--verify", action="store_true")
    which.add_argument("--machine-code", action="store_true")
    arguments = parser.parse_args()
    print(f"{'model':<16} {'layers':>6} {'ranks':>7} {'min s':>7} {'median':>7}"
          + (f" {'partition min s':>16}" if arguments.partition else "")
          + (f" {'unchecked min s':>16} {'check':>6} {'passes':>6}"
             if arguments.verify else "")
          + (f" {'kernels':>7}" if arguments.machine_code else ""))
    with tempfile.TemporaryDirectory() as folder:
        for model, layers, ranks, per_node in CASES:
            if arguments.only not in (None, model):
                continue
            path = os.fspath(get_model(model, layers, folder))
            size = f"ranks={ranks} ranks-per-node={per_node}"
            commands = [[f"--fsdp-compile={size}"]]
            object_file = os.path.join(folder, "step.o")
            if arguments.machine_code:
                commands[0] += ["--fsdp-codegen", "--emit=object",
                                f"-o={object_file}"]
            if arguments.partition:
                plan = pathlib.Path(folder) / "plan.yaml"
                lines = SHARDINGS["deep_mlp" if model == "deep_mlp" else "gpt"]
                plan.write_text(PLAN + "".join(f"  - {x}\n" for x in lines))
                front = ["--fsdp-import",
                         f"--fsdp-annotate=config={plan} {size}"]
                commands = [front + ["--fsdp-partition"], front]
            if arguments.verify:
                commands.append([f"--fsdp-compile={size} verify=false"])
            times = [[user_seconds([os.fspath(arguments.opt), path, *command])
                      for command in commands] for _ in range(arguments.runs)]
            whole = [run[0] for run in times]
            line = (f"{model:<16} {layers:>6} {ranks:>7} {min(whole):>7.2f} "
                    f"{statistics.median(whole):>7.2f}")
            if arguments.partition:
                line += f" {min(whole) - min(run[1] for run in times):>16.2f}"
            if arguments.verify:
                without = min(run[1] for run in times)
                share = statistics.median(get_pass_share(
                    [os.fspath(arguments.opt), path, *commands[0]])
                    for _ in range(arguments.runs))
                line += (f" {without:>16.2f} {min(whole) / without - 1:>6.1%}"
                         f" {share:>6.1%}")
            if arguments.machine_code:
                line += f" {count_kernels(object_file):>7}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
