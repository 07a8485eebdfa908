# SPDX-License-Identifier: Apache-2.0
"""Mutants of our own sharded steps: what the static check says of each, and what happens when it runs.

A mutant is harmful if, with data that differ from rank to rank, any result of any rank differs from that of the step as
it was, or if it does not end. The check must reject every harmful mutant and accept every other one, the step itself
included; tolerances.py lists what is excused.

    mutations.py fsdp-run --opt=fsdp-opt            a seeded sample of small files
    mutations.py fsdp-run --opt=fsdp-opt --full     all of those, and 2,000 of the exported files
"""

import random
import re
import shlex
import shutil
import subprocess
import sys
from typing import NamedTuple

import numpy as np
from harness import HERE, Lane
from mutate_ops import Program
from mutate_text import sizes
from mutation_plans import NAMED, elsewhere
from tolerances import FILES, MUTATIONS, MUTATIONS_DOUBT, MUTATIONS_EXCUSED, MUTATIONS_SLOW

from fsdp import corpus

SAMPLE, ELSEWHERE = 60, 2000
COLUMNS = ["mutants", "not a program", "harmful", "caught", "missed", "harmless", "accepted", "false alarms", "excused"]
RUN_SECONDS = 20  # that a collective waits for a rank
NOISE = 1e-4  # Smaller results are held against this.
# What fsdp-run says of a module that the parser, or the stage's own rules, reject.
INVALID = r"error: (could not read|the step could not be compiled)"


class Outcome(NamedTuple):
    """What became of a mutant."""

    source: str
    kind: str
    how: str
    verdict: str  # a column
    why: str = ""


class Step:
    """A sharded step that the check accepts, and its results."""

    def __init__(self, lane, source):
        self.source, self.results = source, None
        model, self.path = HERE.parent / f"{source.model}.mlir", lane.path(re.sub(r"\W+", "-", source.name))
        plan = [f"--fsdp-annotate=config={lane.plan(source.plan)}", "--fsdp-shard"]
        passes = ["--fsdp-import", *["--fsdp-widen"] * source.wide, *plan] if source.plan else []
        done = subprocess.run([lane.options.opt, model, *passes], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"expected a sharded step, but got {done.stderr[:300]}")
        self.program = Program(done.stdout)
        same = FILES[model.stem].same_as if model.stem in FILES else ""
        self.data = self.find_data(model.with_stem(same or model.stem))
        self.mutants = list(self.program.mutants())

    def find_data(self, model):
        """A file of the model's own values in the step's dtypes, each moved a little: of a parameter that is all ones
        every piece is as good as another. None if values are generated."""
        values, sidecar = model.with_suffix(".safetensors"), model.with_suffix(".json")
        if not values.exists():
            return sidecar if sidecar.exists() and '"fill"' in sidecar.read_text() else None
        arrays = {name: value for name, value in corpus.read_safetensors(values).items() if name.startswith("arg")}
        draw = np.random.default_rng(0)
        signature = next(line for line in self.program.lines if " func.func " in line and "{fsdp." in line)
        types = dict(re.findall(r"%(arg\d+): (tensor<[^>]*>)", signature))
        for name, value in arrays.items():
            shape = tuple(sizes(types[name]))
            if len(shape) == value.ndim + 1:  # One for each micro-batch.
                value = np.broadcast_to(value, shape[:1] + value.shape)
            if value.dtype.kind == "f":
                low = -0.05 if np.min(value, initial=0) < 0 else 0.0  # A variance stays one.
                moved = value * draw.uniform(0.75, 1.25, value.shape) + draw.uniform(low, 0.05, value.shape)
                value = moved.astype(float if self.source.wide else value.dtype)
            arrays[name] = value
        self.path.mkdir()
        corpus.write_safetensors(self.path / "step.safetensors", arrays)
        return self.path / "step.safetensors"

    def run(self, lane, text, name):
        """The results of all ranks, or how the run ended."""
        folder = lane.path(f"{self.path.name} {name}")
        folder.mkdir()
        model, results = folder / "step.mlir", folder / "results.safetensors"
        model.write_text(text)
        if self.data:
            (folder / "step").with_suffix(self.data.suffix).symlink_to(self.data)
        # Twice, so that states are not zero; but in narrow dtypes a last bit would be a step's whole change.
        steps = 2 if self.source.wide else 1
        flags = ["--quiet", "--unoptimized", f"--steps={steps}", f"--timeout={RUN_SECONDS}", f"--results={results}"]
        command = [lane.options.tool, model, *flags]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=5 * RUN_SECONDS)
        except subprocess.TimeoutExpired:
            return model, f"error: expected an end, but got none in {5 * RUN_SECONDS} s"
        if done.returncode:
            return model, "\n".join(re.findall("error: .*", done.stderr)) or f"error: exit status {done.returncode}"
        return model, corpus.read_safetensors(results)

    def distance(self, got):
        """The largest error of a result, relative to all ranks' parts of it, and which. A gradient may be all noise."""
        worst, where, largest = 0.0, "", {}
        for name, want in self.results.items():
            out = name.split(".")[1]
            largest[out] = max(largest.get(out, NOISE), float(np.max(np.abs(want), initial=0)))
        for name, want in self.results.items():
            far = float(np.max(np.abs(np.asarray(got[name], float) - want), initial=0)) / largest[name.split(".")[1]]
            if not far <= worst:
                worst, where = far, name
        return worst, where


def rejected(lane, model):
    """What the static check says: an error, or nothing."""
    done = subprocess.run([*shlex.split(lane.options.check), model, "-o", "/dev/null"], capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode not in (0, 1) or bool(done.returncode) != bool(errors):
        raise ValueError(f"expected a verdict of {model}, but got exit status {done.returncode}: {done.stderr[:300]}")
    return re.sub(r".*?error: ", "error: ", errors[0]) if errors else ""


def has_doubt(lane, model):
    """Whether the verdict on a step that is accepted says of a group that it may be wrong."""
    command = [lane.options.opt, "--fsdp-verify=verdict", model, "-o", "/dev/null"]
    return MUTATIONS_DOUBT in subprocess.run(command, capture_output=True, text=True).stderr


def load(lane, source):
    """A step, run and checked as it is; None where it has no mutants."""
    step = Step(lane, source)
    if not step.mutants:
        return None
    model, step.results = step.run(lane, "\n".join(step.program.lines) + "\n", "as it is")
    if not lane.check(isinstance(step.results, dict), source.name, f"expected a run, but got {step.results}"):
        return None
    error = rejected(lane, model)
    shutil.rmtree(model.parent)
    lane.check(not error, source.name, f"expected the step as it is to be accepted, but got {error}")
    return step


def judge(lane, case):
    """One mutant: what the run and the check say of it."""
    step, number = case
    mutant = step.mutants[number]
    text = mutant.apply()
    model, got = step.run(lane, text, number)
    head = (step.source.name, mutant.kind, mutant.how)
    if isinstance(got, str) and re.search(INVALID, got):
        return Outcome(*head, "not a program", got.splitlines()[0][:200])
    limit = MUTATIONS["f64" if step.source.wide else "f32"]
    if isinstance(got, str):
        lane.check("could not be lowered" not in got, head, f"expected a step that can be lowered, but got {got[:300]}")
        harmful, what = True, got.splitlines()[-1][:200]
    else:
        far, where = step.distance(got)
        harmful, what = not far <= limit, f"{far:.1e} at {where}"
    error = rejected(lane, model)
    verdict = ("caught" if error else "missed") if harmful else ("false alarms" if error else "accepted")
    excused = verdict in ("missed", "false alarms") and mutant[:2] in MUTATIONS_EXCUSED
    if verdict == "missed" and not excused:
        excused = has_doubt(lane, model)
        what += f"; {MUTATIONS_DOUBT}" * excused
    shutil.rmtree(model.parent)
    outcome = Outcome(*head, verdict, f"{what}; {error or 'accepted'}")
    if verdict in ("missed", "false alarms"):
        keep(lane, step, mutant, number, text, outcome)
    print(f"{outcome.source}: {mutant.kind}, {mutant.how}: {verdict}", file=sys.stderr, flush=True)
    return outcome._replace(verdict=f"{verdict}, excused") if excused else outcome


def keep(lane, step, mutant, number, text, outcome):
    """Leaves a mutant, and what was changed, in a folder for people."""
    if not lane.options.keep:
        return
    folder = lane.kept / outcome.verdict.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    before, after = step.program.lines, text.splitlines()
    changed = [f"- {line.strip()}" for line in before if line not in set(after)]
    changed += [f"+ {line.strip()}" for line in after if line not in set(before)]
    stem = re.sub(r"\W+", "-", f"{step.source.name} {mutant.kind} {mutant.how} {number}")
    notes = [f"{outcome.source}: {mutant.kind}, {mutant.how}, line {mutant.line + 1}: {outcome.why}", *changed]
    head = "".join(f"// {line}\n" for line in notes)
    (folder / f"{stem}.mlir").write_text(head + text)


def table(outcomes, key):
    """Rows by source or by kind, and one for all."""
    rows = {}
    for outcome in outcomes:
        for name in (key(outcome), "all"):
            rows.setdefault(name, []).append(outcome.verdict)
    rows["all"] = rows.pop("all", [])
    yield f"{'':34}" + "".join(f"{column:>15}" for column in COLUMNS)
    for name, verdicts in rows.items():
        plain = [verdict.split(",")[0] for verdict in verdicts]
        count = {column: plain.count(column) for column in COLUMNS}
        count["mutants"], count["excused"] = len(plain), sum("excused" in verdict for verdict in verdicts)
        count["harmful"] = count["caught"] + count["missed"]
        count["harmless"] = count["accepted"] + count["false alarms"]
        yield f"{name:34}" + "".join(f"{count[column]:15}" for column in COLUMNS)


def choose(steps, count, seed):
    """`count` different mutants: a step, a kind and a mutant of it are drawn, each evenly."""
    random_ = random.Random(seed)
    left = {step: {} for step in steps}
    for step, kinds in left.items():
        for number, mutant in enumerate(step.mutants):
            kinds.setdefault(mutant[:2], []).append(number)
    chosen = []
    while left and len(chosen) < count:
        step = random_.choice(list(left))
        kind = random_.choice(list(left[step]))
        numbers = left[step][kind]
        chosen.append((step, numbers.pop(random_.randrange(len(numbers)))))
        if not numbers:
            del left[step][kind]
        if not left[step]:
            del left[step]
    return chosen


def main():
    """Runs the lane."""
    options = {
        "full": {"action": "store_true"},
        "only": {"default": "", "help": "steps that contain this"},
        "check": {"default": "", "help": "the static check; by default the --fsdp-verify of --opt"},
        "elsewhere": {"type": int, "help": "how many to draw from the exported files; 2,000 with --full, else none"},
        "seed": {"type": int, "default": 0},
        "keep": {"default": "", "help": "a folder for missed ones and false alarms"},
    }
    lane = Lane(__doc__, opt={"required": True, "help": "fsdp-opt"}, **options)
    given = lane.options
    given.check = given.check or f"{given.opt} --fsdp-verify"
    lane.kept = HERE.__class__(given.keep)
    named = [source for source in NAMED if given.only in source.name]
    steps = [step for step in lane.map(lambda source: load(lane, source), named) if step]
    cases = [(step, number) for step in steps for number in range(len(step.mutants))]
    if not given.full:
        cases = choose(steps, SAMPLE, given.seed)
    count = ELSEWHERE * given.full if given.elsewhere is None else given.elsewhere
    if count:
        others = [source for source in elsewhere() if given.only in source.name]
        others = [step for step in lane.map(lambda source: load(lane, source), others) if step]
        cases += choose(others, count, given.seed)
        print(*(f"not drawn from: {name}, {why}" for name, why in MUTATIONS_SLOW.items()), sep="\n")
    outcomes = [outcome for outcome in lane.map(lambda case: judge(lane, case), cases) if outcome]
    names = {source.name for source in NAMED}
    print(*table(outcomes, lambda o: o.source if o.source in names else o.source.split()[0]), "", sep="\n")
    print(*table(outcomes, lambda o: f"{o.kind}: {o.how}"), sep="\n")
    for outcome in outcomes:
        if outcome.verdict in ("missed", "false alarms"):
            word = "rejected" if outcome.verdict == "missed" else "accepted"
            lane.fail(outcome.source, f"expected {outcome.kind}, {outcome.how} to be {word}: {outcome.why}")
    lane.check(len(outcomes) == len(cases), "mutations.py", f"expected {len(cases)} verdicts, but got {len(outcomes)}")
    verdicts = [outcome.verdict.split(",")[0] for outcome in outcomes]
    harmful = verdicts.count("caught") + verdicts.count("missed")
    missed, alarms = verdicts.count("missed"), verdicts.count("false alarms")
    lane.finish(f"{len(cases)} mutants, {harmful} harmful, {harmful - missed} caught, {alarms} false alarms")


if __name__ == "__main__":
    main()
