# SPDX-License-Identifier: Apache-2.0
"""How far compiled exp, tanh, erf and log are from the exact value, in units in the last place of f32.

Inputs are spread over all bit patterns of f32, which covers every exponent, and more densely over where the functions
bend. The exact value is libm's in f64. NaN, infinities, zeros and denormals are among the inputs.
"""

import array
import itertools
import json
import math
import random
import struct

import harness

# Densely: where results are neither saturated nor tiny.
RANGES = {"exp": (-104, 89), "tanh": (-10, 10), "erf": (-5, 5), "log": (0, 4)}
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 2.0**-126, 2.0**-149, -(2.0**-149), 3.4028234e38, -3.4028234e38]


def exact(name, x):
    """The function's value in f64, with the limits that Python calls errors."""
    if name == "exp":
        return math.exp(x) if x < 700 or math.isnan(x) else math.inf
    if name == "log" and not x > 0:
        return -math.inf if x == 0 else math.nan
    return getattr(math, name)(x)


def ulps(got, want):
    """The distance in units in the last place of `want`; infinite where one is NaN or infinite alone."""
    if math.isnan(got) or math.isnan(want):
        return 0 if math.isnan(got) and math.isnan(want) else math.inf
    if abs(want) >= 2.0**128 - 2.0**103:  # What rounds to infinity.
        want = math.copysign(math.inf, want)
    if got == want:
        return 0 if math.copysign(1, got) == math.copysign(1, want) else math.inf
    if math.isinf(got) or math.isinf(want):
        return math.inf
    exponent = math.frexp(want)[1] - 24 if want else -149
    return abs(got - want) / 2.0 ** max(exponent, -149)


def inputs(name, count):
    """`count` numbers, the same in every run."""
    source = random.Random(0)
    low, high = RANGES[name]
    spread = struct.unpack(f"{count // 2}f", struct.pack(f"{count // 2}I", *(source.getrandbits(32) for _ in range(count // 2))))
    dense = [source.uniform(low, high) for _ in range(count - count // 2 - len(SPECIAL))]
    return array.array("f", itertools.chain(SPECIAL, spread, dense))


def step(count):
    """A step that returns the four functions of as many inputs."""
    tensor = f"tensor<{count}xf32>"
    arguments = ", ".join(f'%{name}: {tensor} {{fsdp.input = "{name}"}}' for name in RANGES)
    body = "".join(f"  %y_{name} = math.{name} %{name} : {tensor}\n" for name in RANGES)
    results = ", ".join(f"%y_{name}" for name in RANGES)
    types = ", ".join([f'{tensor} {{fsdp.output = "y"}}'] * len(RANGES))
    return f"func.func @step({arguments}) -> ({types}) {{\n{body}  return {results} : {', '.join([tensor] * len(RANGES))}\n}}\n"


def write(path, arrays):
    """A safetensors file of f32 vectors."""
    size, header = 4 * len(arrays[0]), {}
    for i, _ in enumerate(arrays):
        header[f"arg{i}"] = {"dtype": "F32", "shape": [len(arrays[0])], "data_offsets": [i * size, (i + 1) * size]}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(a.tobytes() for a in arrays))


def read(path):
    """The results of rank 0, in order."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    for i in range(len(RANGES)):
        begin, end = header[f"rank0.out{i}"]["data_offsets"]
        yield array.array("f", data[8 + size + begin : 8 + size + end])


def main():
    """Runs the step once and compares."""
    lane = harness.Lane(__doc__, count={"type": int, "default": 50_000}, limit={"type": float, "default": 2.0})
    count = lane.options.count
    arguments = [inputs(name, count) for name in RANGES]
    model, data, results = lane.path("step.mlir"), lane.path("data.safetensors"), lane.path("results.safetensors")
    model.write_text(step(count))
    write(data, arguments)
    run = lane.run(model, f"--data={data}", f"--results={results}", "--steps=1")
    if lane.check(run.status == 0, "step", run.error):
        for name, xs, ys in zip(RANGES, arguments, read(results)):
            worst, where = max((ulps(y, exact(name, x)), x) for x, y in zip(xs, ys))
            print(f"{name}: at most {worst:.2f} ulp, at {where!r}")
            lane.check(worst <= lane.options.limit, name, f"expected at most {lane.options.limit} ulp, but got {worst} at {where!r}")
    lane.finish(f"{len(RANGES)} functions of {count} inputs")


if __name__ == "__main__":
    main()
