# SPDX-License-Identifier: Apache-2.0
"""Every training file with its compute partitioned, on 2 to 8 ranks.

Plans are made here: a global batch, tensor parallelism, both beside FSDP,
experts over ranks. Each run is compared with the unsharded step on data of its
own, and the collectives of each sharded step are held against rules. Where a
dimension does not divide, the error must name it and the group.

    parallel.py fsdp-run --opt=fsdp-opt           one run of each small file, every
                                                  plan compiled and checked
    parallel.py fsdp-run --opt=fsdp-opt --full    everything
"""

import re
import subprocess
import sys
from fnmatch import fnmatch
from typing import NamedTuple

from collectives import CHECKS, Step, bytes_of, wire_bytes
from harness import INPUTS, Lane, sidecar
from tolerances import FILES, LARGE, PARALLEL_F64, PARALLEL_LARGE, PARALLEL_RULES, VERIFY


class Split(NamedTuple):
    """How the weights of a file are split over `tp`, as Megatron does: columns, then rows."""

    attention: dict  # glob: dims
    mlp: dict
    heads: int = 0  # those that attention's reshapes make of a dimension: tp must divide them


def linear(*columns, rows):
    """torch's Linear, [out, in]."""
    return {name: "[[tp], []]" for name in columns} | {rows: "[[], [tp]]"}


def conv1d(column, rows):
    """[in, out]: Hugging Face's Conv1D, JAX and the peers' model."""
    return {column: "[[], [tp]]", rows: "[[tp], []]"}


# Fused q, k and v are three matrices one behind the other. A rank's chunk of their product is no set of heads, so that
# weight stays whole; heads are split behind it, by rows of the next one.
GPT = Split(
    {"transformer.h.*.attn.c_proj.weight": "[[], [tp]]"},
    linear("transformer.h.*.mlp.c_fc.weight", rows="transformer.h.*.mlp.c_proj.weight")
    | {"transformer.h.*.mlp.c_fc.bias": "[[tp]]"},
    heads=4,
)
GPT2 = Split(
    {"transformer.h.*.attn.c_proj.weight": "[[tp], []]"},
    conv1d("transformer.h.*.mlp.c_fc.weight", "transformer.h.*.mlp.c_proj.weight")
    | {"transformer.h.*.mlp.c_fc.bias": "[[tp]]"},
    heads=4,
)
LLAMA = Split(
    linear(*(f"model.layers.*.self_attn.{x}_proj.weight" for x in "qkv"), rows="model.layers.*.self_attn.o_proj.weight"),
    linear(*(f"model.layers.*.mlp.{x}_proj.weight" for x in ("gate", "up")), rows="model.layers.*.mlp.down_proj.weight"),
    heads=2,  # Of k and v; q has 4.
)
STACKED = GPT._replace(mlp={"transformer.h.*.ffn.w1": "[[], [], [tp]]", "transformer.h.*.ffn.w2": "[[], [tp], []]"})
MODULES = GPT._replace(
    mlp=linear("transformer.h.*.ffn.experts.*.w1.weight", rows="transformer.h.*.ffn.experts.*.w2.weight")
)
JAX = Split({"blocks.*.proj": "[[tp], []]"}, conv1d("blocks.*.up", "blocks.*.down"), heads=3)
PEER = Split({"h.*.wo": "[[tp], []]"}, conv1d("h.*.w1", "h.*.w2") | {"h.*.b1": "[[tp]]"}, heads=4)
RESNET = Split(
    {},
    {
        "layer?.conv1.weight": "[[tp], [], [], []]",
        "layer?.bn1.*": "[[tp]]",
        "layer?.conv2.weight": "[[], [tp], [], []]",
    },
)
SCAN = Split({}, {"layers.w": "[[], [], [tp]]", "layers.b": "[[], [tp]]", "out": "[[tp], []]"})

SPLITS = {
    "A11_nanogpt_bf16": GPT,
    "A13_mlp_dropout": Split({}, linear("0.weight", rows="3.weight") | {"0.bias": "[[tp]]"}),
    "A1_nanogpt": GPT,
    "A1_nanogpt_24l": GPT._replace(heads=2),
    "A1_nanogpt_adamw": GPT._replace(heads=3),
    "A1_nanogpt_odd": GPT._replace(heads=3),
    "A1_nanogpt_perf": GPT._replace(heads=8),
    "A1_nanogpt_rawce": GPT,
    "A1_nanogpt_scf": GPT,
    "A2_hf_gpt2": GPT2,
    "A2_hf_gpt2_odd": GPT2._replace(heads=3),
    "A3_hf_llama": LLAMA,
    "A3_hf_llama_adamw": LLAMA,
    "A3_hf_llama_perf": LLAMA,
    "A4_moe_stacked": STACKED,
    "A4_moe_stacked_perf": STACKED._replace(heads=8),
    "A5_moe_modules": MODULES,
    "A6_resnet": RESNET,
    "A7_mlp_sgdm": Split({}, linear("layers.0.weight", rows="layers.1.weight") | {"layers.0.bias": "[[tp]]"}),
    "A8_jax_gpt_adam": JAX,
    "A8_jax_gpt_gatherce": JAX._replace(heads=4),
    "A8_jax_gpt_remat": JAX,
    "A9_jax_scan_mlp": SCAN,
    "P1_peer_medium": PEER._replace(heads=8),
    "P1_peer_tiny": PEER,
    "P1_peer_tiny_adamw": PEER,
    "P2_nanogpt_48l": GPT,
    "P2_nanogpt_96l": GPT,
}

ADAMW = "optimizer: {name: adamw, lr: 1.0e-3, weight_decay: 0.1, clip_norm: 1.0}\n"
# What a composed plan of a file has besides.
EXTRAS = {
    "A1_nanogpt": ADAMW,
    "A1_nanogpt_rawce": "optimizer: {name: sgd, lr: 0.1, clip_norm: 0.5}\n",
    "A2_hf_gpt2": "accumulate: {steps: 2}\n",
    "A3_hf_llama": "mp_policy: {param: bf16, reduce: f32}\n",
    "A4_moe_stacked": ADAMW,
    "A5_moe_modules": "optimizer: {name: momentum, lr: 0.05, momentum: 0.9, clip_norm: 1.0}\n",
    "A8_jax_gpt_gatherce": ADAMW + "accumulate: {steps: 2}\n",
}
DEEP = {"A1_nanogpt_24l"}  # As A1_nanogpt, 24 layers: one cell where the whole table is not asked for
HYBRID = {"A1_nanogpt", "P1_peer_tiny"}  # HSDP beside tp
PER_RANK = {"A2_hf_gpt2", "A3_hf_llama_adamw"}  # a batch of each rank of dp beside tp
# Experts over ep beside tp, and the unit that they are.
STACKED_EXPERTS = (
    {"transformer.h.*.ffn.w1": "[[ep], [], [tp]]", "transformer.h.*.ffn.w2": "[[ep], [tp], []]"},
    "transformer.h.*.ffn.w?",
)
EXPERTS = {
    "A4_moe_stacked": STACKED_EXPERTS,
    "A4_moe_stacked_perf": STACKED_EXPERTS,
    # Modules of their own cannot be dealt out: ep splits what is inside each further.
    "A5_moe_modules": (
        {
            "transformer.h.*.ffn.experts.*.w1.weight": "[[ep, tp], []]",
            "transformer.h.*.ffn.experts.*.w2.weight": "[[], [ep, tp]]",
        },
        "transformer.h.*.ffn.experts",
    ),
}


# The peers' model: what the rings' formulas say for gathering twice or once, and what XLA sends with tp (BASELINES).
SPLIT_PEER = "".join(f'  - {{match: "{glob}", dims: {dims}}}\n' for glob, dims in (PEER.attention | PEER.mlp).items())
KEPT = "reshard_after_forward: false\n"
BESIDE_TP = f"mesh: {{dp: -1, tp: 2}}\nbatch: {{global: [dp]}}\nprocess_group: dp\nshardings:\n{SPLIT_PEER}"
BYTES = [
    ("FSDP, gathered twice", 4, "batch: global\n", 2.25),
    ("FSDP, kept", 4, "batch: global\n" + KEPT, 1.5),
    ("FSDP, gathered twice", 8, "batch: global\n", 2.625),
    ("FSDP, kept", 8, "batch: global\n" + KEPT, 1.75),
    ("HSDP 2x4, kept", 8, "mesh: {copies: 2, shard: 4}\nbatch: global\nprocess_group: [shard, copies]\n" + KEPT, 1.75),
    ("FSDP x TP2, gathered twice", 4, BESIDE_TP, 2.082),
    ("FSDP x TP2, kept", 4, BESIDE_TP + KEPT, 2.082),
    ("FSDP x TP2, kept", 8, BESIDE_TP + KEPT, 1.799),
]


class Cell(NamedTuple):
    """A file, a plan's kind and a number of ranks."""

    name: str
    kind: str  # global, tp, fsdp x tp, fsdp x tp x ep, ep
    ranks: int
    size: int = 1  # of tp, or of ep

    def __str__(self):
        return f"{self.name} N={self.ranks} {self.kind}" + f" {self.size}" * (self.kind in ("tp", "ep"))


EXPERT_CELLS = [Cell("A4_moe_stacked", "ep", 8, size) for size in (1, 2, 4, 8)]


def shardings(entries):
    """The plan's `shardings` of these parameters."""
    return "shardings:\n" + "".join(f'  - {{match: "{glob}", dims: {dims}}}\n' for glob, dims in entries.items())


def plan_of(cell):
    """The plan of a cell."""
    file, split = FILES[cell.name], SPLITS[cell.name]
    units = f'units:\n  - match: "{file.units}"\n'
    if cell.kind == "global":
        return "batch: global\n" + units
    if cell.kind == "ep":
        entries, experts = EXPERTS[cell.name]
        entries = {glob: "[[ep], [], []]" for glob in entries}
        mesh = f"mesh: {{dp: -1, ep: {cell.size}}}\n"
        experts = f'  - match: "{experts}"\n    process_group: dp\n'
        return mesh + units + experts + shardings(entries) + "optimizer: {name: sgd, lr: 0.1, clip_norm: 1.0}\n"
    if cell.kind == "tp":
        text = "mesh: {tp: -1}\nbatch: {per_rank: []}\nprocess_group: self\n"
        return text + units + shardings(split.attention | split.mlp)
    # Attention whose heads do not divide is left whole.
    entries = (split.attention if split.heads % 2 == 0 else {}) | split.mlp
    extra = EXTRAS.get(cell.name, "")
    if cell.kind == "fsdp x tp x ep":
        entries, experts = split.attention | EXPERTS[cell.name][0], EXPERTS[cell.name][1]
        text = "mesh: [{dp: -1, ep: 2, tp: 2}, {fsdp: 4, rest: 2}]\nbatch: {global: [fsdp]}\nprocess_group: fsdp\n"
        return text + f'{units}  - match: "{experts}"\n    process_group: dp\n' + shardings(entries) + extra
    if cell.name in HYBRID and cell.ranks == 8:
        text = "mesh: {copies: 2, shard: 2, tp: 2}\nbatch: {global: [copies, shard]}\n"
        return text + f"process_group: [shard, copies]\n{units}{shardings(entries)}{extra}"
    batch = "per_rank" if cell.name in PER_RANK else "global"
    return f"mesh: {{dp: -1, tp: 2}}\nbatch: {{{batch}: [dp]}}\nprocess_group: dp\n{units}{shardings(entries)}{extra}"


def batches(cell):
    """By how many ranks the batch is split."""
    whole = {"tp", "ep"} | ({"fsdp x tp"} if cell.name in PER_RANK else set())
    return 1 if cell.kind in whole else cell.ranks if cell.kind == "global" else cell.ranks // 2


def inputs_of(name):
    """The inputs of a file."""
    return [entry for entry in sidecar(FILES[name].same_as or name)["args"] if "fsdp.input" in entry]


def wanted_error(cell):
    """The error that a cell must end in, or None."""
    first = inputs_of(cell.name)[0]
    if first["shape"][0] % batches(cell):
        group = "world" if cell.kind == "global" else "dp"
        return rf"error: expected dim 0 of input '{first['fsdp.input']}' to divide evenly over @{group}\b"
    if cell.kind == "tp" and SPLITS[cell.name].heads % cell.size:
        return r"error: .*expected dim\w* \d+ .*\bevenly .*@tp\b"
    return None


def choose(full):
    """Cells to compile, and those of them to run."""
    cells = []
    for name in (name for name in SPLITS if name not in LARGE):
        cells += [Cell(name, "global", ranks) for ranks in (2, 4, 8)]
        cells += [Cell(name, "tp", size, size) for size in ((2, 3, 4) if SPLITS[name].heads == 3 else (2, 4))]
        cells += [Cell(name, "fsdp x tp", ranks) for ranks in (4, 8)]
        cells += [Cell(name, "fsdp x tp x ep", 8)] * (name in EXPERTS)
    cells += EXPERT_CELLS
    if full:
        cells += [Cell(name, *what) for name, (chosen, _) in PARALLEL_LARGE.items() for what in chosen]
        return cells, {cell for cell in cells if not wanted_error(cell)}
    run = set(EXPERT_CELLS)
    for i, name in enumerate(name for name in SPLITS if name not in LARGE):  # Another kind for each.
        good = [cell for cell in cells if cell.name == name and cell.kind != "ep" and not wanted_error(cell)]
        run.add(good[(5 * i + 3) % len(good)])
    return [cell for cell in cells if cell.name not in DEEP or cell in run], run


def compile_cell(lane, cell, plan):
    """The sharded step; None if it was not made, whether that is right or not."""
    command = [lane.options.opt, INPUTS / f"{cell.name}.mlir", f"--fsdp-compile=config={plan} ranks={cell.ranks}"]
    done = subprocess.run([*command, "--mlir-print-op-generic"], capture_output=True, text=True)
    error = next((line for line in done.stderr.splitlines() if "error:" in line), f"exit status {done.returncode}")
    wanted = wanted_error(cell)
    if wanted:
        lane.check(done.returncode == 1 and re.search(wanted, error), cell, f"expected {wanted}, but got {error[:300]}")
    elif lane.check(done.returncode == 0, cell, error[:300]):
        return Step(done.stdout)
    return None


def check_step(lane, cell, step):
    """What every sharded step must hold."""
    for rule in CHECKS:
        found, key = list(rule(step)), (cell.name, rule.__name__)
        if found:
            lane.needed.add(key)
        lane.check(not found or key in PARALLEL_RULES, cell, f"{len(found)} times: {(found or [''])[0]}")
    # That nothing was sharded would be right, too.
    for entry in inputs_of(cell.name):
        size, local = entry["shape"][0] // batches(cell), step.inputs[entry["fsdp.input"]]
        lane.check(re.match(rf"tensor<(?:2x)?{size}x", local), cell, f"expected a batch of {size}, but got {local}")
    if cell.kind == "ep":
        return check_experts(lane, cell, step)
    split = SPLITS[cell.name].mlp if cell.kind != "global" else {}
    for parameter in step.parameters.values():
        if any(fnmatch(parameter.name, glob) for glob in split):
            lane.check("tp" in parameter.groups, cell, f"expected '{parameter.name}' to be placed on tp")
    return None


def check_experts(lane, cell, step):
    """Two all-to-alls of a layer forward and two backward, and none where every rank has all experts."""
    forward = step.made_of([step.loss])
    moves = [set(op.results) <= forward for op in step.collectives if op.name == "fsdp.all_to_all"]
    layers = len([parameter for parameter in step.parameters.values() if fnmatch(parameter.name, "*.w1")])
    want = 2 * layers if cell.size > 1 else 0
    counts = moves.count(True), moves.count(False)
    lane.check(counts == (want, want), cell, f"expected {want} all-to-alls forward and backward, but got {counts}")


def run_cell(lane, cell, run):
    """One cell: None, or what its run says."""
    text = plan_of(cell)
    plan = lane.plan(text)
    step = compile_cell(lane, cell, plan)
    if step is None:
        return None
    check_step(lane, cell, step)
    if not run:
        return None
    dtype = "bf16" if "bf16" in text else FILES[cell.name].dtype
    exact = cell.name in PARALLEL_F64 or "adamw" in text
    limit = 1e-9 if exact else VERIFY[dtype]
    arguments = ["--verify=f64" if exact else "--verify", f"--tolerance={limit}"]
    done = lane.run(cell.name, f"--config={plan}", f"--ranks={cell.ranks}", *arguments)
    if not lane.check(done.status == 0 and done.verified is not None, cell, done.error):
        return None
    lane.check(done.verified <= limit, cell, f"expected exit status 1, error {done.verified}")
    results = cell.ranks * len(sidecar(FILES[cell.name].same_as or cell.name)["results"])
    lane.check(done.compared >= results, cell, f"expected {results} results, but got {done.compared}")
    print(f"{cell}: {done.verified:.1e} of {limit:.0e} in {done.seconds:.1f} s", file=sys.stderr, flush=True)
    return done


def check_bytes(lane, case):
    """Bytes that a step of the peers' model sends, in its parameters' bytes: at most what the formula or a peer says."""
    name, ranks, text, limit = case
    cell = Cell("P1_peer_tiny", name, ranks)
    step = compile_cell(lane, cell, lane.plan(text + 'units:\n  - match: "h.*"\n'))
    if step is None:
        return f"bytes: {name} on {ranks} ranks: not compiled"
    whole = sum(parameter.bytes for parameter in step.parameters.values())
    scalars = [op for op in step.collectives if op.name == "fsdp.all_reduce" and bytes_of(op.result_types[0]) == 4]
    sent = sum(wire_bytes(step).values()) - sum(wire_bytes(step, scalars).values())
    lane.check(len(scalars) <= 2, cell, f"expected the loss and its count to be reduced, but got {len(scalars)} scalars")
    lane.check(sent <= limit * whole, cell, f"expected at most {limit} P to be sent, but got {sent / whole:.4f}")
    return f"bytes: {name} on {ranks} ranks: {sent / whole:.4f} P, at most {limit}"


def main():
    """Runs the lane."""
    options = {"full": {"action": "store_true"}, "only": {"default": "", "help": "cells that contain this"}}
    lane = Lane(__doc__, opt={"required": True, "help": "fsdp-opt"}, **options)
    lane.needed = set()
    training = {name for name, file in FILES.items() if file.kind == "train"}
    lane.check(training == set(SPLITS), "parallel.py", f"expected each training file once, but {training ^ set(SPLITS)}")
    lane.check(set(LARGE) & training == set(PARALLEL_LARGE), "tolerances.py", "expected each large file in PARALLEL_LARGE")
    cells, run = choose(lane.options.full)
    cells = [cell for cell in cells if lane.options.only in str(cell)]
    runs = dict(zip(cells, lane.map(lambda cell: run_cell(lane, cell, cell in run), cells)))
    # The same numbers, wherever the experts are.
    numbers = [done.curve() + done.curve("grad_norm") for cell, done in runs.items() if cell.kind == "ep" and done]
    same = all(len(row) == 2 and abs(a - b) <= 1e-6 * abs(b) for row in numbers for a, b in zip(row, numbers[0]))
    lane.check(same, "experts", f"expected one loss and one norm for every size of ep, but got {numbers}")
    if not lane.options.only:
        print(*lane.map(lambda case: check_bytes(lane, case), BYTES), sep="\n")
        for key in PARALLEL_RULES.keys() - lane.needed:
            lane.fail("tolerances.py", f"expected {key} to be needed")
    for kind in dict.fromkeys(cell.kind for cell in cells):
        known = [done.verified for cell, done in runs.items() if cell.kind == kind and done]
        failed = sum(1 for cell in cells if cell.kind == kind and wanted_error(cell))
        print(f"{kind}: {len(known)} runs, worst {max(known, default=0):.1e}, {failed} that do not divide")
    lane.finish(f"{len(cells)} plans compiled, {len(run & set(cells))} of them run")


if __name__ == "__main__":
    main()
