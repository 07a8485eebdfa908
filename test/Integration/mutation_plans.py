# SPDX-License-Identifier: Apache-2.0
"""What mutations.py changes: small files with a plan of each kind, of which it takes all mutants, and others."""

from typing import NamedTuple

from parallel_plans import EXPERTS, SPLITS, Cell, plan_of, wanted_error
from table import RANKS, STRATEGIES
from tolerances import FILES, LARGE, MUTATIONS_SLOW


class Source(NamedTuple):
    """A model and its plan; `wide`: all in f64, so that rounding is far from any change."""

    name: str
    model: str  # below `test`, without .mlir
    plan: str  # Empty: the model is sharded as it is.
    wide: bool = True

    def __str__(self):
        return self.name


LAYERS, STEP, PARALLEL = "Cases/Inputs/layers", "Inputs/docs_step", "Inputs/parallel/"
MLP_SPLIT = """\
shardings:
  - {match: "h.*.fc1.weight", dims: [[tp], []]}
  - {match: "h.*.fc1.bias", dims: [[tp]]}
  - {match: "h.*.fc2.weight", dims: [[], [tp]]}
"""

NAMED = [
    Source(
        "fsdp",
        LAYERS,
        """\
world: {ranks: 4, ranks_per_node: 4}
process_groups: {pairs: set2}
units:
  - match: "h.*"
  - {match: "head", process_group: pairs}
optimizer: {name: adamw, lr: 1.0e-3, weight_decay: 0.1, clip_norm: 1.0}
""",
    ),
    Source(
        "hsdp",
        PARALLEL + "mlp",
        """\
world: {ranks: 4, ranks_per_node: 2}
defaults: {sharding_strategy: HYBRID_SHARD}
units: [{match: "h.*"}]
optimizer: {name: sgd, lr: 0.1}
""",
    ),
    # Sequence parallel between Megatron's products.
    Source(
        "tp: mlp",
        PARALLEL + "mlp",
        f"""\
world: {{ranks: 4}}
mesh: {{dp: 2, tp: 2}}
batch: {{per_rank: [dp]}}
process_group: dp
units: [{{match: "h.*"}}]
{MLP_SPLIT}activations:
  - {{match: "h.*.ln:out", dims: [[], [tp], []]}}
""",
    ),
    Source(
        "tp: attention, global batch",
        PARALLEL + "attention",
        """\
world: {ranks: 4}
mesh: {dp: 2, tp: 2}
batch: {global: [dp]}
process_group: dp
shardings:
  - {match: "h.*.{q,k,v}.weight", dims: [[tp], []]}
  - {match: "h.*.o.weight", dims: [[], [tp]]}
optimizer: {name: sgd, lr: 0.1, clip_norm: 1.0}
""",
    ),
    Source(
        "ep",
        PARALLEL + "moe",
        """\
world: {ranks: 4}
mesh: {edp: 2, ep: 2}
batch: per_rank
units:
  - match: "moe.experts"
    process_group: edp
shardings:
  - {match: "moe.experts.*", dims: [[ep], [], []]}
optimizer: {name: momentum, lr: 0.05, momentum: 0.9, clip_norm: 1.0}
""",
    ),
    Source(
        "accumulation",
        STEP,
        """\
world: {ranks: 4, ranks_per_node: 2}
accumulate: {steps: 2}
defaults: {sharding_strategy: HYBRID_SHARD}
optimizer: {name: adamw, lr: 1.0e-3, clip_norm: 1.0}
""",
    ),
    # In its own dtype: bf16 is made of f32.
    Source(
        "mixed precision",
        LAYERS,
        """\
world: {ranks: 4, ranks_per_node: 2}
mp_policy: {param: bf16, reduce: f32}
units: [{match: "h.*", sharding_strategy: HYBRID_SHARD}]
optimizer: {name: adamw, lr: 1.0e-3, clip_norm: 1.0}
""",
        wide=False,
    ),
    Source("buckets", "Integration/Inputs/mutations/buckets", ""),
]


def elsewhere():
    """Every small exported file by every strategy of table.py and by every kind of plan of parallel_plans.py."""
    small = [name for name in FILES if name not in LARGE and name not in MUTATIONS_SLOW]
    for i, name in enumerate(small):
        units = f'units:\n  - match: "{FILES[name].units}"\n'
        for ranks, strategy in [(ranks, strategy) for ranks in (2, 4, 6) for strategy in STRATEGIES]:
            world = f"world: {{ranks: {ranks}, ranks_per_node: {RANKS[ranks]}}}\n"
            plan = f"{world}defaults: {{sharding_strategy: {strategy}}}\n{units}"
            yield Source(f"{name} N={ranks} {strategy}", f"Inputs/{name}", plan)
        cells = [Cell(name, kind, 4, 2) for kind in ("global", "tp", "fsdp x tp")] * (name in SPLITS)
        cells += [Cell(name, "fsdp x tp x ep", 8)] * (name in EXPERTS)
        for cell in (cell for cell in cells if not wanted_error(cell)):
            ranks = 2 if cell.kind == "tp" else cell.ranks
            plan = f"world: {{ranks: {ranks}}}\n{plan_of(cell)}"
            yield Source(str(cell), f"Inputs/{name}", plan, wide="bf16" not in plan)
