# SPDX-License-Identifier: Apache-2.0
"""Twenty steps of a plan's optimizer give the framework's loss curve.

Per `*.curve.json`, the settings of each optimizer there become a plan. With the
framework's batch on all ranks, losses and gradient norms must be those in the
file, on 1 rank and on 8 (HSDP of 2 x 4, and FULL_SHARD), for the steps before
the first that is too sensitive to rounding to tell. With a batch of its own on
each of 8 ranks, every result of every step is compared with the unsharded step,
in f64: AdamW makes noise of a gradient that is zero in exact arithmetic.

    curves.py fsdp-run           A1_nanogpt, and adamw of the others
    curves.py fsdp-run --full    everything
"""

import json

from harness import INPUTS, Lane
from tolerances import CURVE, FILES, SENSITIVE

PLACES = {
    "1 rank": (1, 1, "FULL_SHARD"),
    "8 ranks HSDP": (8, 4, "HYBRID_SHARD"),
    "8 ranks FULL_SHARD": (8, 4, "FULL_SHARD"),
}


def optimizer(name, settings):
    """The plan's optimizer for the framework's settings."""
    known = {"class", "lr", "foreach", "clip_grad_norm"}
    if name == "adamw":
        known |= {"betas", "eps", "weight_decay_ndim_ge_2", "weight_decay_other"}
        entries = {
            "name": "adamw",
            "betas": settings["betas"],
            "eps": settings["eps"],
            "weight_decay": settings["weight_decay_ndim_ge_2"],
            "no_decay_below_ndim": 2,
        }
        zero = ["weight_decay_other"]
    else:
        known |= {"momentum", "weight_decay", "dampening", "nesterov"}
        entries = {"name": "sgd"}
        if settings["momentum"]:
            entries = {"name": "momentum", "momentum": settings["momentum"]}
        zero = ["weight_decay", "dampening", "nesterov"]
    other = [key for key in settings if key not in known or key in zero and settings[key]]
    if other:
        raise ValueError(f"expected settings that a plan can say, but got {other}")
    entries["lr"] = settings["lr"]
    if settings["clip_grad_norm"]:
        entries["clip_norm"] = settings["clip_grad_norm"]
    return "optimizer: " + json.dumps(entries) + "\n"


def plan_of(lane, model, name, settings, strategy):
    """A plan with the optimizer, and a unit per block."""
    text = f'defaults: {{sharding_strategy: {strategy}}}\nunits:\n  - match: "{FILES[model].units}"\n'
    return lane.plan(text + optimizer(name, settings))


def run_curve(lane, case):
    """The framework's curve: the worst relative error."""
    model, name, curve, place = case
    ranks, of_node, strategy = PLACES[place]
    where = f"{model} {name} on {place}"
    run = lane.run(
        model,
        f"--config={plan_of(lane, model, name, curve['settings'], strategy)}",
        f"--ranks={ranks}",
        f"--ranks-per-node={of_node}",
        f"--steps={len(curve['losses'])}",
        f"--data={INPUTS / model}.safetensors",
    )
    lane.check(run.status == 0, where, run.error)
    steps = next((i for i, value in enumerate(curve["sensitivity"]) if value > SENSITIVE), len(curve["losses"]))
    worst = 0.0
    wanted = {"loss": curve["losses"]}
    if curve["settings"]["clip_grad_norm"]:  # Else no norm is computed.
        wanted["grad_norm"] = curve["grad_norms"]
    for what, want in wanted.items():
        got = run.curve(what)
        if not lane.check(len(got) == len(want), where, f"expected {len(want)} of {what}, but got {len(got)}"):
            continue
        errors = [abs(a - b) / abs(b) for a, b in zip(got[:steps], want)]
        worst = max(worst, *errors)
        at = errors.index(max(errors))
        lane.check(
            max(errors) <= CURVE, where, f"expected {what} {want[at]} at step {at + 1}, but got {got[at]}"
        )
    print(f"curve: {where}: {steps} of {len(curve['losses'])} steps, worst {worst:.1e}, {run.seconds:.1f} s", flush=True)
    return worst


def run_batches(lane, case):
    """A batch per rank and step, compared with the unsharded step."""
    model, name, curve, place = case
    ranks, of_node, strategy = PLACES[place]
    where = f"{model} {name} on {place}, different batches"
    steps = len(curve["losses"])
    run = lane.run(
        model,
        f"--config={plan_of(lane, model, name, curve['settings'], strategy)}",
        f"--ranks={ranks}",
        f"--ranks-per-node={of_node}",
        f"--steps={steps}",
        "--verify=f64",
    )
    if lane.check(run.status == 0 and run.verified is not None, where, run.error):
        losses = run.curve()
        lane.check(len(set(losses)) == steps, where, f"expected {steps} different losses, but got {losses}")
    worst = "-" if run.verified is None else f"{run.verified:.1e}"
    print(f"batches: {where}: {run.compared} results, worst {worst}, {run.seconds:.1f} s", flush=True)


def main():
    """Runs the lane."""
    lane = Lane(__doc__, full={"action": "store_true"})
    cases = []
    for path in sorted(INPUTS.glob("*.curve.json")):
        curves = json.loads(path.read_text())
        model = curves["model"]
        lane.check(set(curves["optimizers"]) == {"adamw", "sgd", "sgd_momentum"}, model, "expected three optimizers")
        for name, curve in curves["optimizers"].items():
            cases += [(model, name, curve, place) for place in PLACES]
    lane.check(len(cases) == 27, "curves", f"expected 27 cases, but got {len(cases)}")
    sharded = [case for case in cases if PLACES[case[3]][0] > 1]
    if not lane.options.full:
        cases = [case for case in cases if case[0] == "A1_nanogpt" or case[1] == "adamw" and case[3] == "8 ranks HSDP"]
        sharded = [case for case in sharded if case[0] == "A1_nanogpt" and case[3] == "8 ranks HSDP"]
    lane.map(lambda case: run_curve(lane, case), cases)
    lane.map(lambda case: run_batches(lane, case), sharded)
    lane.finish(f"{len(cases)} curves and {len(sharded)} runs with different batches")


if __name__ == "__main__":
    main()
