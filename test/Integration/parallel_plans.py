# SPDX-License-Identifier: Apache-2.0
"""The plans of parallel.py: for each file, which weights are split and how, and what else its plans say."""

from typing import NamedTuple

from harness import sidecar
from tolerances import FILES


class Split(NamedTuple):
    """How the weights of a file are split over `tp`, as Megatron does: columns, then rows."""

    attention: dict  # glob: dims
    mlp: dict
    heads: int = 0  # those that attention's reshapes make of a dimension: tp must divide them


def linear(columns, rows):
    """torch's Linear, [out, in]."""
    return {columns: "[[tp], []]", rows: "[[], [tp]]"}


def conv1d(columns, rows):
    """[in, out]: Hugging Face's Conv1D, JAX and the peers' model."""
    return {columns: "[[], [tp]]", rows: "[[tp], []]"}


# Fused q, k and v are three matrices one behind the other. A rank's chunk of their product is no set of heads, so that
# weight stays whole; heads are split behind it, by rows of the next one.
GPT = Split(
    {"transformer.h.*.attn.c_proj.weight": "[[], [tp]]"},
    linear("transformer.h.*.mlp.c_fc.weight", "transformer.h.*.mlp.c_proj.weight")
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
    linear("model.layers.*.self_attn.[qkv]_proj.weight", "model.layers.*.self_attn.o_proj.weight"),
    linear("model.layers.*.mlp.[gu]*_proj.weight", "model.layers.*.mlp.down_proj.weight"),
    heads=2,  # Of k and v; q has 4.
)
STACKED = GPT._replace(mlp={"transformer.h.*.ffn.w1": "[[], [], [tp]]", "transformer.h.*.ffn.w2": "[[], [tp], []]"})
MODULES = GPT._replace(
    mlp=linear("transformer.h.*.ffn.experts.*.w1.weight", "transformer.h.*.ffn.experts.*.w2.weight")
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
    "A13_mlp_dropout": Split({}, linear("0.weight", "3.weight") | {"0.bias": "[[tp]]"}),
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
    "A7_mlp_sgdm": Split({}, linear("layers.0.weight", "layers.1.weight") | {"layers.0.bias": "[[tp]]"}),
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
DEEP = {"A1_nanogpt_24l"}  # As A1_nanogpt, with 24 layers: in the whole table only
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
