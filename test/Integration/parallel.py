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
from typing import NamedTuple

from collectives import CHECKS, Step, wire_bytes
from harness import INPUTS, Lane, sidecar
from tolerances import FILES, LARGE, PARALLEL, VERIFY


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
    "A7_mlp_sgdm": Split({}, linear("layers.0.weight", rows="layers.2.weight") | {"layers.0.bias": "[[tp]]"}),
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
HYBRID = {"A1_nanogpt", "P1_peer_tiny"}  # HSDP beside tp
# Experts over ep beside tp, what belongs to them, and the unit that they are.
EXPERTS = {
    "A4_moe_stacked": (
        {"transformer.h.*.ffn.w1": "[[ep], [], [tp]]", "transformer.h.*.ffn.w2": "[[ep], [tp], []]"},
        "transformer.h.*.ffn.w?",
    ),
    # Modules of their own cannot be dealt out: ep splits what is inside each further.
    "A5_moe_modules": (
        {
            "transformer.h.*.ffn.experts.*.w1.weight": "[[ep, tp], []]",
            "transformer.h.*.ffn.experts.*.w2.weight": "[[], [ep, tp]]",
        },
        "transformer.h.*.ffn.experts",
    ),
}


class Cell(NamedTuple):
    """A file, a plan's kind and a number of ranks."""

    name: str
    kind: str  # global, tp, fsdp x tp, fsdp x tp x ep, ep
    ranks: int
    size: int = 1  # of tp, or of ep

    def __str__(self):
        return f"{self.name} N={self.ranks} {self.kind}" + f" {self.size}" * (self.kind in ("tp", "ep"))


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
        return f'{mesh}{units}  - match: "{experts}"\n    process_group: dp\n{shardings(entries)}optimizer: {{name: sgd, lr: 0.1, clip_norm: 1.0}}\n'
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
    return f"mesh: {{dp: -1, tp: 2}}\nbatch: {{global: [dp]}}\nprocess_group: dp\n{units}{shardings(entries)}{extra}"


def wanted_error(cell):
    """The error that a cell must end in, or None."""
    inputs = [entry for entry in sidecar(FILES[cell.name].same_as or cell.name)["args"] if "fsdp.input" in entry]
    if cell.kind == "global" and inputs[0]["shape"][0] % cell.ranks:
        return rf"expected dim 0 of input '{inputs[0]['fsdp.input']}' to divide evenly over @world\b"
    if cell.kind == "tp" and SPLITS[cell.name].heads % cell.size:
        return r"expected dim\w* \d+ .*\bevenly .*@tp\b"
    return None


def choose(full):
    """All cells, and those of them that run."""
    small = [name for name in SPLITS if name not in LARGE]
    cells = []
    for name in small:
        cells += [Cell(name, "global", ranks) for ranks in (2, 4, 8)]
        cells += [Cell(name, "tp", size, size) for size in ((2, 3, 4) if SPLITS[name].heads == 3 else (2, 4))]
        cells += [Cell(name, "fsdp x tp", ranks) for ranks in (4, 8)]
        cells += [Cell(name, "fsdp x tp x ep", 8)] * (name in EXPERTS)
    cells += [Cell("A4_moe_stacked", "ep", 8, size) for size in (1, 2, 4, 8)]
    if not full:
        return cells, []
    cells += []
    return cells, cells
