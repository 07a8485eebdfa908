# SPDX-License-Identifier: Apache-2.0
"""Random steps with random groups and annotations equal the unsharded step.

Each program is a small graph (`random_ops.py` and its
kin) with a plan (`random_plan.py`), run on 2 to 8 ranks with
`--verify=f64`, in which the limit is tight and every rank has its own data.
Gradients are arbitrary values of a parameter's shape: what ranks do with them
does not depend on what they mean. A failure is kept as a program and a plan,
after all has been dropped that it does not need.

    random_programs.py fsdp-run --count 100 --seed 0 --keep DIR
    random_programs.py fsdp-run --seed 0 --only 17 --keep DIR    one program again
"""

import collections
import json
import pathlib
import random
import re
import subprocess
from math import prod

import harness
import random_control  # noqa: F401  (registers its ops)
import random_moves  # noqa: F401
from harness import Lane, Run
from random_graph import Graph
from random_ops import OPS, pick
from random_plan import random_plan
from random_shrink import shrink
from random_sums import contract
from tolerances import RANDOM_REJECTED, RANDOM_UNSUPPORTED

harness.LIMIT_SECONDS = 60
RUNS_TO_SHRINK = 250
ALIKE = 2  # failures of one kind that are made smaller


def random_arguments(graph, ranks):
    """Two to four parameters and one to three inputs whose dims mostly divide."""
    rng = graph.rng
    common = {2: [2, 4, 6, 8], 4: [4, 8, 12, 2], 6: [6, 12, 2, 3], 8: [8, 8, 4, 2]}[ranks]
    graph.sizes = rng.sample(common, 3) + rng.choice([[], [], [3], [5]])
    batch = rng.choice([size for size in (ranks, 2 * ranks) if size <= 12])
    for i in range(rng.randint(2, 4)):
        shape = [rng.choice(graph.sizes) for _ in range(rng.choice([1, 2, 2, 3]))]
        while prod(shape) > 256:
            shape.pop()
        role = "frozen" if i > 1 and rng.random() < 0.15 else "param"
        graph.argument(role, f"%w{i}", f"m{i}.w", shape, amp=1.5)
    for i in range(rng.choice([1, 1, 2])):
        shape = [rng.choice(graph.sizes) for _ in range(rng.choice([1, 1, 2, 3]))]
        while prod(shape) > 40:
            shape.pop()
        at = rng.choice([0, 0, 0, len(shape)])
        graph.argument("input", f"%x{i}", f"x{i}", [*shape[:at], batch, *shape[at:]], amp=1.2, batch_dim=at)
    if rng.random() < 0.4:
        bound = rng.choice([a.shape[0] for a in graph.arguments if a.role == "param"])
        graph.argument("input", "%tokens", "tokens", [batch] + [2] * rng.randrange(2), "i64", 1.0, bound, batch_dim=0)
    if rng.random() < 0.1:
        graph.argument("buffer", "%b0", "b", [rng.choice(graph.sizes)], amp=1.5)


def gradient(graph, shape, of_batch):
    """A value of this shape that reads the batch: a product, or the sum of all elements where one is too large."""
    value = pick(graph, of_batch)
    values = [value] + [pick(graph)] * graph.rng.randrange(2)
    return contract(graph, values, shape) or contract(graph, [contract(graph, [value], [])], shape)


def random_graph(rng, ranks):
    """A step."""
    graph = Graph(rng)
    random_arguments(graph, ranks)
    wanted = rng.randint(3, 15)
    for _ in range(200):
        if len(graph.nodes) >= wanted:
            break
        rng.choices(list(OPS), OPS.values())[0](graph)

    def of_batch(value):
        return any(argument.role == "input" for argument in graph.reads(value))

    graph.loss = pick(graph, of_batch)
    for argument in list(graph.arguments):
        if argument.role == "param":
            same = [v for v in graph.values() if v.shape == argument.shape and v.dtype == "f32" and v.node]
            used = rng.choice(same) if same and rng.random() < 0.4 else False
            graph.grads[argument] = used or gradient(graph, argument.shape, of_batch)
        elif argument.role == "buffer":
            graph.updates[argument] = gradient(graph, argument.shape, of_batch)
    made = [value for node in graph.nodes for value in node.results]
    graph.outputs = rng.sample(made, min(len(made), rng.randrange(4)))
    return graph


def write(folder, graph, plan):
    """Writes program, values and plan; returns the command's arguments behind the program."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prog.mlir").write_text(graph.text())
    fills = [argument.fill(i) for i, argument in enumerate(graph.arguments)]
    (folder / "prog.json").write_text(json.dumps({"fill": fills}))
    (folder / "plan.yaml").write_text(plan.text(graph))
    steps = ["--steps=2"] if plan.optimizer else []
    return [f"--config={folder / 'plan.yaml'}", f"--ranks={plan.ranks}", "--verify=f64", "--unchecked", "--timeout=10", *steps]


def kind_of(run):
    """`agree`, or what went wrong in words without names and numbers."""
    if run is None:
        return "timeout"
    if run.status == 0 and run.verified is not None:
        return "agree"
    if run.verified is not None:
        return "mismatch"
    if run.status < 0 or "PLEASE submit a bug report" in run.err:
        names = re.findall(
            r"Assertion `.*' failed|#\d+ \S+ (fsdp::[\w:]+)", run.err
        )  # The function that recurs, if one does.
        return f"crash {collections.Counter(names).most_common(1)[0][0] if names else run.status}"
    message = re.sub(r"^.*?error: (loc\(.*?\)\): )?", "", run.error)
    return re.sub(r"'[^']*'|\"[^\"]*\"|%\S+|@\w+|#fsdp\S*|<.*>|\d+", "_", message)[:160]


def try_one(lane, folder, graph, plan):
    """Runs one program; returns its kind and the run."""
    arguments = write(folder, graph, plan)
    try:
        run = Run(lane.options.tool, folder / "prog.mlir", *arguments, quiet=False)
    except subprocess.TimeoutExpired:
        run = None
    (folder / "log").write_text("" if run is None else f"{' '.join(run.command)}\n{run.out}{run.err}")
    return kind_of(run), run


class Report:
    """What came of the programs."""

    def __init__(self):
        self.kinds, self.worst, self.seconds, self.ops = collections.Counter(), 0.0, 0.0, collections.Counter()


def is_rejected(run, plan):
    """True for an error that an uneven dim must get, or one op may: it names dim and group."""
    named = rf"@?\b{plan.uneven}\b"
    if run is None or run.status != 1:
        return False
    if plan.uneven:
        return re.search(rf"error: .*expected .*\bdim.*{named}|error: .*expected .*{named}.*\bdim", run.err)
    ops = "|".join(map(re.escape, RANDOM_UNSUPPORTED))
    return re.search(rf"error: .*'({ops})' op expected dimension \d+ .* to be divided evenly by .* ranks of @", run.err)


def run_one(lane, report, index):
    """Program number `index`."""
    options = lane.options
    rng = random.Random(f"{options.seed}:{index}")
    ranks = rng.choice([2, 4, 4, 6, 8])
    graph = random_graph(rng, ranks)
    plan = random_plan(rng, graph, ranks, not options.per_rank)
    folder = pathlib.Path(options.keep or lane.path("kept")) / str(index)
    kind, run = try_one(lane, folder, graph, plan)
    if is_rejected(run, plan):
        kind = "rejected"
    elif plan.uneven:
        kind = f"expected an error for an uneven dim, but got: {kind}"
    with lane.lock:
        report.kinds[kind] += 1
        report.ops.update({node.kind for node in graph.live()})
        report.seconds += run.seconds if run else harness.LIMIT_SECONDS
        alike = report.kinds[kind]
        if kind == "agree":
            report.worst = max(report.worst, run.verified)
    if kind in ("agree", "rejected"):
        if options.only is None:
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
        return
    if alike <= ALIKE and not plan.uneven and kind != "timeout":
        smallest = shrink(graph, plan, lambda *smaller: try_one(lane, folder, *smaller)[0] == kind, RUNS_TO_SHRINK)
        try_one(lane, folder, *smallest)
    lane.fail(f"program {index} of seed {options.seed} ({folder.name})", kind)


def main():
    """Runs the lane."""
    settings = {"count": {"type": int, "default": 40}, "seed": {"type": int, "default": 0}, "keep": {}}
    settings["only"] = {"type": int, "help": "run this program alone"}
    settings["per_rank"] = {"action": "store_true", "help": "no op of the model is partitioned"}
    lane = Lane(__doc__, **settings)
    report = Report()
    only = lane.options.only
    indices = range(lane.options.count) if only is None else [only]
    lane.map(lambda index: run_one(lane, report, index), indices)
    rejected = report.kinds["rejected"]
    lane.check(rejected <= RANDOM_REJECTED * len(indices) + 1, "rejected", f"expected few, but got {rejected}")
    print(f"ops: {', '.join(f'{name} {count}' for name, count in report.ops.most_common())}")
    print(f"worst error {report.worst:.1e}, {report.seconds / len(indices):.2f} s each")
    for kind, count in report.kinds.most_common():
        print(f"{count:6} {kind}")
    lane.finish(f"{len(indices)} random programs, {report.kinds['agree']} agree, {rejected} rejected")


if __name__ == "__main__":
    main()
