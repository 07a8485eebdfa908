# SPDX-License-Identifier: Apache-2.0
"""The one table of what is compared with what, and how closely.

Every `test/Inputs/*.mlir` is in FILES; `table.py` fails on one that is not.
What a file is excused from is in EXCEPTIONS or LARGE, each with its reason.
"""

from typing import NamedTuple

# Error of a tensor = max|a - b| / max(max|b|, 1e-6).
VERIFY = {"f32": 1e-5, "bf16": 2e-2}  # N ranks against the unsharded step
FRAMEWORK = {"f32": 1e-4, "bf16": 3e-2}  # against the framework's numbers
CURVE = 1e-4  # a loss or norm of a training curve, relative
SENSITIVE = 1e-6  # curves are compared before the first step that is this sensitive to rounding


class File(NamedTuple):
    """One input file."""

    kind: str  # train or infer
    data: str  # safetensors, sidecar (values by `fill`, loss by `expected`) or generated
    units: str  # glob of its repeated blocks
    dtype: str = "f32"
    same_as: str = ""  # the file whose sidecar and numbers it shares


FILES = {
    "A10_hf_llama_infer": File("infer", "safetensors", "model.layers.*"),
    "A11_nanogpt_bf16": File("train", "safetensors", "transformer.h.*", dtype="bf16"),
    "A12_onnx_gpt": File("infer", "safetensors", "transformer.h.*"),
    "A12_onnx_mlp": File("infer", "safetensors", "layers.*"),
    "A12_onnx_resnet": File("infer", "safetensors", "layer?"),
    "A13_mlp_dropout": File("train", "generated", "[03]"),
    "A1_nanogpt": File("train", "safetensors", "transformer.h.*"),
    "A1_nanogpt_24l": File("train", "safetensors", "transformer.h.*"),
    "A1_nanogpt_adamw": File("train", "safetensors", "transformer.h.*"),
    "A1_nanogpt_odd": File("train", "safetensors", "transformer.h.*"),
    "A1_nanogpt_perf": File("train", "sidecar", "transformer.h.*"),
    "A1_nanogpt_rawce": File("train", "safetensors", "transformer.h.*"),
    "A1_nanogpt_scf": File("train", "safetensors", "transformer.h.*", same_as="A1_nanogpt"),
    "A2_hf_gpt2": File("train", "safetensors", "transformer.h.*"),
    "A2_hf_gpt2_odd": File("train", "safetensors", "transformer.h.*"),
    "A3_hf_llama": File("train", "safetensors", "model.layers.*"),
    "A3_hf_llama_adamw": File("train", "safetensors", "model.layers.*"),
    "A3_hf_llama_perf": File("train", "sidecar", "model.layers.*"),
    "A4_moe_stacked": File("train", "safetensors", "transformer.h.*"),
    "A4_moe_stacked_perf": File("train", "sidecar", "transformer.h.*"),
    "A5_moe_modules": File("train", "safetensors", "transformer.h.*"),
    "A6_resnet": File("train", "safetensors", "layer?"),
    "A7_mlp_sgdm": File("train", "safetensors", "layers.*"),
    "A8_jax_gpt_adam": File("train", "safetensors", "blocks.*"),
    "A8_jax_gpt_gatherce": File("train", "safetensors", "blocks.*"),
    "A8_jax_gpt_remat": File("train", "safetensors", "blocks.*"),
    "A9_jax_scan_mlp": File("train", "safetensors", "layers"),
    "P1_peer_medium": File("train", "sidecar", "h.*"),
    "P1_peer_tiny": File("train", "sidecar", "h.*"),
    "P1_peer_tiny_adamw": File("train", "sidecar", "h.*"),
    "P2_nanogpt_48l": File("train", "sidecar", "transformer.h.*"),
    "P2_nanogpt_96l": File("train", "sidecar", "transformer.h.*"),
}

# (file, what it is excused from): why.
EXCEPTIONS = {
    ("docs_step", "table"): "the plans of the documents are tried on it; docs-plans.test does",
    ("A13_mlp_dropout", "framework"): "the framework's random numbers are not ours; the exporter kept no numbers",
}

# Files of realistic size: only these configurations, in the whole table only.
# The seconds are those of one run of one rank, compiling included; the
# reference runs every rank once more, one after the other.
PAIR = [(2, "FULL_SHARD"), (4, "HYBRID_SHARD")]
LARGE = {
    "A1_nanogpt_perf": (PAIR, "29.5 M parameters, 21 s"),
    "A3_hf_llama_perf": (PAIR, "19.5 M parameters, 14 s"),
    "A4_moe_stacked_perf": (PAIR, "10 M parameters, 5 s"),
    "P1_peer_medium": (PAIR[:1], "33.7 M parameters; 409 s for two ranks and the reference beside other work"),
    "P1_peer_tiny": (PAIR, "3.7 M parameters, 3 s"),
    "P1_peer_tiny_adamw": (PAIR, "3.7 M parameters and two states of each, 4 s"),
    "P2_nanogpt_48l": (PAIR, "48 layers, 7 s"),
    "P2_nanogpt_96l": (PAIR[:1], "96 layers, for compile time"),
}

# Of the random programs, at most this part may be rejected, all for a dim that does not divide.
RANDOM_REJECTED = 0.1
# But for these, which are told by name: the op, and why.
RANDOM_UNSUPPORTED = {
    "tensor.expand_shape": "of a split dim that becomes smaller ones, which do not divide by the ranks",
    "tensor.extract_slice": "of a split dim, of which a part remains that does not divide by the ranks",
}

# parallel.py: files that are compared in f64, since rounding alone is above VERIFY.
PARALLEL_F64 = {
    "A11_nanogpt_bf16": "sums in bf16, in another order: 2.5e-2",
    "A6_resnet": "statistics of the global batch: 1.7e-5",
}
# Files of realistic size: (kind, ranks) of their cells, in the whole table only, and their seconds.
PARALLEL_LARGE = {
    "A1_nanogpt_perf": ([("fsdp x tp", 4)], "29.5 M parameters, 101 s beside other work"),
    "A3_hf_llama_perf": ([("fsdp x tp", 4)], "19.5 M parameters, 73 s beside other work"),
    "A4_moe_stacked_perf": ([("fsdp x tp x ep", 8)], "10 M parameters, 28 s beside other work"),
    "P1_peer_medium": ([("global", 2)], "33.7 M parameters, 35 s"),
    "P1_peer_tiny": ([("global", 4), ("fsdp x tp", 8)], "3.7 M parameters, 6 s each"),
    "P1_peer_tiny_adamw": ([("fsdp x tp", 4)], "3.7 M parameters and two states of each, 8 s"),
    "P2_nanogpt_48l": ([("global", 4)], "48 layers, 14 s"),
    "P2_nanogpt_96l": ([("fsdp x tp", 4)], "96 layers, 31 s"),
}
# (file, rule of collectives.py that it is excused from): why.
PARALLEL_RULES = {
    (name, "activations_gathered"): "the gradients of q, k and v are inserted into one tensor, of which no "
    "chunk is a set of heads; the fused weight is whole on every rank, so that nothing smaller could be sent"
    for name in ("A8_jax_gpt_adam", "A8_jax_gpt_gatherce", "A8_jax_gpt_remat")
}

# mutations.py: a mutant changes numbers if a result is further from the step's own than this, in f64 and else.
MUTATIONS = {"f64": 1e-11, "f32": 1e-5}
# (kind, how) of mutants on which check and run may differ: why.
MUTATIONS_EXCUSED = {
    ("swap", "of two values of the model"): "above the markers placements are followed, values are not",
    ("delete", "reshape"): "an all-to-all left out between values that differ on each rank is another model of each rank",
}
# One may be missed where the verdict says that it is not all: docs/Checking.md, What is not shown.
MUTATIONS_DOUBT = "chunks of one row can be read in more than one way"
# Files that are not drawn from, since one run takes more than about a second: why.
MUTATIONS_SLOW = {"A1_nanogpt_24l": "A1_nanogpt with 24 layers, 2.5 s a run"}
