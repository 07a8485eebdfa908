# SPDX-License-Identifier: Apache-2.0
"""Broken files end in an error, never in a crash.

Modules, plans, safetensors files and sidecars are truncated, and mutated by
byte, by token and by line. The tools must exit with 0 or 1, within a minute,
without a stack dump, and say at least one error where they exit with 1.

    mutate.py FSDP_OPT FSDP_RUN [--count N] [--seed S] [--keep DIR]
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parent / "Inputs"
CRASH = re.compile(r"Stack dump|PLEASE submit|Assertion .* failed|LLVM ERROR|terminate called|Sanitizer|UNREACHABLE")
TOKEN = re.compile(rb'"[^"\n]*"|[%@#!]?[A-Za-z_][\w.]*|-?\d+|\s+|.', re.S)
NUMBERS = [b"0", b"-1", b"1", b"3", b"65536", b"4294967296", b"9223372036854775807", b"18446744073709551616", b"1e400"]
LIMIT_SECONDS = 60
# What upstream's code does on some input and we cannot prevent: pattern on standard error -> reason.
UPSTREAM = {
    r"custom op parser 'linalg\.(transpose|broadcast)'[\s\0]*#0": "its parser reads a permutation that did not parse",
}


def mutate(data, rng):
    """One mutation, or a few, of a file's bytes."""
    if rng.random() < 0.1:
        return data[: rng.randrange(len(data) + 1)]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if not data:
            break
        at, way = rng.randrange(len(data)), rng.random()
        if way < 0.2:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif way < 0.3:
            data = data[:at] + data[at + rng.randrange(1, 64) :]
        elif way < 0.4:
            data = data[:at] + data[at : at + rng.randrange(1, 64)] + data[at:]
        elif way < 0.5:
            lines = data.splitlines(keepends=True)
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i : i + 1] = rng.choice(([], [lines[j]], [lines[i]] * 2))
            data = b"".join(lines)
        else:  # A token by another of the file, mostly of its kind.
            tokens = TOKEN.findall(data[: 1 << 16])
            places = [i for i, token in enumerate(tokens) if not token.isspace()]
            i = rng.choice(places)
            if re.fullmatch(rb"-?\d+", tokens[i]):
                tokens[i] = rng.choice(NUMBERS)
            else:
                kind = tokens[i][:1].isalnum()
                tokens[i] = rng.choice([tokens[k] for k in places if tokens[k][:1].isalnum() == kind])
            data = b"".join(tokens) + data[1 << 16 :]
    return data


def small_sidecar():
    """A sidecar with `fill`, for a module whose own has none."""
    arguments = json.loads((MODELS / "A7_mlp_sgdm.json").read_text())["args"]
    fill = [
        {"kind": "hash_int", "k": k, "mod": 10} if entry["dtype"] == "int64" else {"kind": "hash", "k": k, "scale": 1.0, "bias": 0.0}
        for k, entry in enumerate(arguments)
    ]
    return json.dumps({"fill": fill, "expected": {"loss": 2.5, "grad_norms": [1.0, 2.0]}}, indent=1).encode()


def subjects(tools):
    """What is mutated: name, bytes, extension, and the command for a mutant's path."""
    opt, run = tools
    rich, mlp = HERE / "Inputs" / "all-keys.yaml", MODELS / "A7_mlp_sgdm.mlir"

    def compiled(plan):
        return lambda path: [opt, path, f"--fsdp-compile=config={plan} ranks=4 ranks-per-node=2", "-o", "/dev/null"]

    for name in ("A12_onnx_mlp", "A7_mlp_sgdm", "A9_jax_scan_mlp", "A13_mlp_dropout"):
        plan = HERE / "Inputs" / "plain.yaml"
        yield "module", (MODELS / f"{name}.mlir").read_bytes(), ".mlir", compiled(plan)
    for _ in range(3):
        yield "plan", rich.read_bytes(), ".yaml", lambda path: [
            opt, MODELS / "A13_mlp_dropout.mlir", f"--fsdp-compile=config={path}", "-o", "/dev/null",
        ]  # fmt: skip
    yield "safetensors", (MODELS / "A7_mlp_sgdm.safetensors").read_bytes(), ".safetensors", lambda path: [
        run, mlp, f"--data={path}", "--ranks=2", "--quiet",
    ]  # fmt: skip
    yield "sidecar", small_sidecar(), ".json", lambda path: [run, mlp, f"--data={path}", "--ranks=2", "--quiet"]


def check(command):
    """What is wrong with how a command ends, or "", and its exit status."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"expected an end within {LIMIT_SECONDS} s", None
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1) or CRASH.search(said):
        if any(re.search(pattern, said) for pattern in UPSTREAM):
            return "", "upstream"
        return f"expected exit status 0 or 1, but got {done.returncode}: {said[:2000]}", done.returncode
    if done.returncode == 1 and not re.search(r"\berror: \S", said):
        return f"expected an error, but got {said[:300]!r}", 1
    return "", done.returncode


def main():
    """Runs the lane."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tools", nargs=2)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for mutants that failed")
    options = parser.parse_args()
    rng, known = random.Random(options.seed), list(subjects(options.tools))
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for kind, data, extension, command in known:  # As they are, they work.
            path = pathlib.Path(scratch) / f"whole{extension}"
            path.write_bytes(data)
            wrong, status = check(command(path))
            if wrong or status != 0:
                failures += 1
                print(f"FAIL {kind} as it is: expected exit status 0, but got {status} {wrong}")

        def run(item):
            number, (kind, _, extension, command), mutant = item
            path = pathlib.Path(scratch) / f"mutant{number}{extension}"
            path.write_bytes(mutant)
            wrong, status = check(command(path))
            if wrong and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / path.name).write_bytes(mutant)
            path.unlink()
            return number, kind, wrong, status

        picks = [known[i % len(known)] for i in range(options.count)]
        items = [(i, subject, mutate(subject[1], rng)) for i, subject in enumerate(picks)]
        for number, kind, wrong, status in pool.map(run, items):
            counts[kind, status] += 1
            if wrong:
                failures += 1
                print(f"FAIL mutant {number} of seed {options.seed}, {kind}: {wrong}")
    for (kind, status), count in sorted(counts.items(), key=str):
        print(f"{kind}: {count} with exit status {status}")
    accepted = sum(count for (_, status), count in counts.items() if status == 0)
    print(f"{options.count} mutants, {accepted} accepted, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
