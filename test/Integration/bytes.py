# SPDX-License-Identifier: Apache-2.0
"""Bytes on the wire are what the ring formulas say, to the byte.

The count is the runtime's, of buffers that were passed to it. The formula is
computed here, from the plan and the parameters' shapes. With P the bytes of a
parameter padded to equal rows per rank, n ranks in its unit's group and r
replicas:

    all-gather       (n-1)/n * P in the dtype of parameters, once or twice
    reduce-scatter   (n-1)/n * P in the dtype of reductions
    across replicas  2 * (r-1)/r * P/n, the same dtype

Twice where reshard_after_forward holds and backward reads the parameter, unless
forward ends and backward begins with it (the head), so that it is kept: this is
found in the exported graph, and held against the gathers in the sharded IR. The
loss is listed apart.
"""

import json
import re
import subprocess
from collections import Counter
from math import ceil, prod

from graph import Graph
from harness import INPUTS, Lane, sidecar
from tolerances import FILES

SIZES = {"f32": 4, "bf16": 2}
# strategy, ranks, ranks of a node, dtypes of parameters and reductions, group of the repeated blocks if not the root's
CONFIGS = [
    ("FULL_SHARD", 8, 4, "f32", "f32", None),
    ("FULL_SHARD", 3, 3, "bf16", "f32", None),
    ("FULL_SHARD", 4, 2, "f32", "f32", "node"),
    ("SHARD_GRAD_OP", 6, 3, "f32", "f32", None),
    ("HYBRID_SHARD", 8, 4, "f32", "f32", None),
    ("HYBRID_SHARD", 6, 2, "bf16", "bf16", None),
    ("NO_SHARD", 4, 2, "f32", "f32", None),
]
MODELS = ["A1_nanogpt", "A1_nanogpt_odd", "A3_hf_llama"]


def read_graph(lane, model, *arguments):
    """The step behind some passes, and the remarks on the way."""
    command = [lane.options.opt, INPUTS / f"{model}.mlir", *arguments, "--mlir-print-op-generic", "--remarks-filter=.*"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Graph(done.stdout), done.stderr


def parameters_of(model):
    """Parameters by argument."""
    arguments = sidecar(model)["args"]
    return {f"%arg{i}": entry for i, entry in enumerate(arguments) if "fsdp.param" in entry}


def read_twice(lane, model):
    """Arguments that forward and backward both read, and the head, from the exported graph.

    Backward is what gradients depend on and the loss does not. It reads a
    parameter also by way of what forward made of that parameter alone. The head
    is the one of them that forward reads last and backward first.
    """
    graph, _ = read_graph(lane, model, "--fsdp-import")
    results = sidecar(model)["results"]
    loss = [value for value, entry in zip(graph.returned, results) if "fsdp.loss" in entry]
    gradients = [value for value, entry in zip(graph.returned, results) if "fsdp.grad" in entry]
    forward = graph.ancestors(loss)
    backward = graph.ancestors(gradients) - forward
    arguments = parameters_of(model)

    def read_by(ops, inside):
        """The arguments that ops read, in program order; ops that make a copy of one do not count."""
        sources = {value: graph.source(value, arguments, inside) for op in ops for value in op.reads + op.results}
        uses = (op for op in graph.ops if op in ops and not any(sources[result] for result in op.results))
        return [sources[read] for op in uses for read in op.reads if sources[read]]

    first, second = read_by(forward, forward), read_by(backward, forward | backward)
    again = set(first) & set(second)
    ends = [argument for argument in first if argument in again][-1]
    begins = [argument for argument in second if argument in again][0]
    return again, ends if ends == begins else None


def gathers_in(lane, model, plan):
    """How often each argument is gathered in the sharded IR, and what remarks say of elided gathers."""
    graph, remarks = read_graph(lane, model, f"--fsdp-compile=config={plan}")
    arguments = parameters_of(model)
    counts = Counter()
    for op in graph.ops:
        if op.name == "fsdp.all_gather":
            counts[graph.source(op.reads[0], arguments)] += 1
    elided = [int(size) for size in re.findall(r"second gather is elided, (\d+) bytes", remarks)]
    return counts, elided


def formulas(model, config, twice):
    """What must be sent: (kind, group, dtype) -> [buffers, payload bytes, wire bytes]."""
    strategy, ranks, of_node, param, reduce, blocks = config
    sent = {}

    def add(kind, group, dtype, payload, wire):
        entry = sent.setdefault((kind, group, dtype), [0, 0, 0])
        for i, value in enumerate((1, payload, wire)):
            entry[i] += value

    glob = re.compile(re.escape(FILES[model].units).replace(r"\*", "[^.]*") + r"\.")
    for argument, entry in parameters_of(model).items():
        shape = entry["shape"]
        group = "node" if strategy == "HYBRID_SHARD" else "world"
        if blocks and glob.match(entry["fsdp.param"]):
            group = blocks
        n = 1 if strategy == "NO_SHARD" else of_node if group == "node" else ranks
        replicas = ranks // n
        elements = ceil(shape[0] / n) * n * prod(shape[1:])
        if n > 1:
            payload = elements * SIZES[param]
            for _ in range(2 if argument in twice else 1):
                add("all_gather", group, param, payload, payload * (n - 1) // n)
            payload = elements * SIZES[reduce]
            add("reduce_scatter", group, reduce, payload, payload * (n - 1) // n)
        if replicas > 1:
            payload = elements * SIZES[reduce] // n
            across = "world" if n == 1 else "local_rank_across_nodes"
            add("all_reduce", across, reduce, payload, ceil(2 * (replicas - 1) * payload / replicas))
    return sent


def run_case(lane, case):
    """One model and plan: what was sent, and what must be."""
    model, config, (again, head) = case
    strategy, ranks, of_node, param, reduce, blocks = config
    where = f"{model} {strategy} N={ranks} L={of_node} {param} {reduce}" + (f" blocks on {blocks}" if blocks else "")
    text = f"world: {{ranks: {ranks}, ranks_per_node: {of_node}}}\ndefaults:\n  sharding_strategy: {strategy}\n"
    if (param, reduce) != ("f32", "f32"):
        text += f"  mp_policy: {{param: {param}, reduce: {reduce}}}\n"
    text += f'units:\n  - match: "{FILES[model].units}"\n'
    if blocks:
        text += f"    process_group: {blocks}\nprocess_groups: {{across: local_rank_across_nodes}}\n"
    plan, report = lane.plan(text), lane.path(f"{where}.json")
    run = lane.run(model, f"--config={plan}", f"--traffic={report}")
    if not lane.check(run.status == 0, where, run.error):
        return
    sent = {}
    for entry in json.loads(report.read_text())["traffic"]:
        group = "local_rank_across_nodes" if entry["group"] == "across" else entry["group"]
        numbers = [entry["buffers"], entry["payload_bytes"], entry["wire_bytes"]]
        sent[entry["kind"], group, entry["dtype"]] = numbers
    # The loss, listed apart: one f32 over all ranks.
    loss = [1, 4, ceil(2 * (ranks - 1) * 4 / ranks)]
    apart = sent.get(("all_reduce", "world", "f32"), [0, 0, 0])
    rest = [a - b for a, b in zip(apart, loss)]
    lane.check(min(rest) >= 0, where, f"expected the loss to be sent, {loss}, but got {apart}")
    sent.pop(("all_reduce", "world", "f32"), None)
    if any(rest):
        sent["all_reduce", "world", "f32"] = rest
    reshards = strategy not in ("SHARD_GRAD_OP", "NO_SHARD")
    twice = again - {head} if reshards else set()
    want = formulas(model, config, twice)

    counts, elided = gathers_in(lane, model, plan)
    for argument, entry in parameters_of(model).items():
        times = 0 if strategy == "NO_SHARD" else 2 if argument in twice else 1
        lane.check(
            counts[argument] == times,
            where,
            f"expected {times} gathers of {entry['fsdp.param']}, but got {counts[argument]}",
        )
    kept = [prod(parameters_of(model)[head]["shape"]) * SIZES[param]] if head and reshards else []
    lane.check(elided == kept, where, f"expected remarks on elided gathers of {kept} bytes, but got {elided}")
    for key in sorted(want.keys() | sent.keys()):
        a, b = want.get(key, [0, 0, 0]), sent.get(key, [0, 0, 0])
        lane.check(a == b, where, f"expected {key} {a} (buffers, payload, wire), but got {b}")
        print(f"bytes: {where}: {' '.join(key)} {b[0]} buffers, formula {a[2]}, sent {b[2]}")
    print(f"bytes: {where}: apart: loss {loss[2]}", flush=True)


def main():
    """Runs the lane."""
    lane = Lane(__doc__, opt={"required": True, "help": "fsdp-opt"})
    read = {model: read_twice(lane, model) for model in MODELS}
    for model, (again, head) in read.items():
        parameters = {argument: entry["fsdp.param"] for argument, entry in parameters_of(model).items()}
        names = [parameters[argument] for argument in sorted(again)]
        print(f"{model}: backward reads {len(names)} of {len(parameters)} parameters, first {parameters.get(head)}")
        lane.check(0 < len(names) < len(parameters) or model == "A3_hf_llama", model, f"got {names}")
        lane.check(head is not None, model, "expected backward to begin with the parameter that forward ends with")
    cases = [(model, config, read[model]) for model in MODELS for config in CONFIGS]
    lane.map(lambda case: run_case(lane, case), cases)
    lane.finish(f"{len(cases)} runs, byte by byte")


if __name__ == "__main__":
    main()
