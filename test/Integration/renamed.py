# SPDX-License-Identifier: Apache-2.0
"""Names mean nothing: a step with every function, parameter and location renamed.

The renamed text gives the same losses, errors and traffic, digit by digit. Even
the locations' phases are renamed, so that phases come from the slice rule.
"""

import json
import re

from harness import INPUTS, Lane
from tolerances import FILES, VERIFY

MODELS = ["A1_nanogpt", "A8_jax_gpt_gatherce"]
STRING = re.compile(r'"([^"\\]*)"')
ROLE = re.compile(r'fsdp\.(?:param|grad|input|state|buffer|updated|updated_state|aliases) = (?:"[^"]*"|\[[^\]]*\])')


def rename(name):
    """Another name with as many components; one and the same for the same name."""
    return ".".join("n" + part[::-1].swapcase() + "_" for part in name.split("."))


def rename_text(text):
    """The module with all names renamed. Inputs' names are data's, and stay."""

    def strings(match):
        return STRING.sub(lambda found: f'"{rename(found[1])}"', match[0])

    text = ROLE.sub(lambda found: found[0] if found[0].startswith("fsdp.input") else strings(found), text)
    text = re.sub(r'loc\("[^"]*"', strings, text)
    return re.sub(r"@(\w+)", r"@other_\1", text)


def run(lane, model, path, units):
    """What a run prints and sends."""
    report = lane.path(f"{path.stem}.json")
    text = f'world: {{ranks: 6, ranks_per_node: 3}}\nunits:\n  - match: "{units}"\n    process_group: node\n'
    plan = lane.plan(text + "optimizer: {name: momentum, lr: 0.1, momentum: 0.9, clip_norm: 1.0}\n")
    arguments = [f"--config={plan}", "--steps=2", "--verify", f"--traffic={report}", f"--tolerance={VERIFY['f32']}"]
    done = lane.run(path, *arguments)
    lane.check(done.status == 0, path.stem, done.error)
    traffic = json.loads(report.read_text()) if report.exists() else None
    return done.curve(), done.verified, done.compared, traffic


def main():
    """Runs the lane."""
    lane = Lane(__doc__)
    for model in MODELS:
        original = (INPUTS / f"{model}.mlir").read_text()
        renamed = rename_text(original)
        left = set(re.findall(r'"((?:transformer|blocks|lm_head|fwd|bwd|opt)[^"]*)"', renamed))
        lane.check(not left, model, f"expected every name renamed, but got {sorted(left)[:3]}")
        path = lane.path(f"{model}_renamed.mlir")
        path.write_text(renamed)
        data = INPUTS / f"{model}.safetensors"
        path.with_suffix(".safetensors").write_bytes(data.read_bytes())
        units = FILES[model].units
        want = run(lane, model, INPUTS / f"{model}.mlir", units)
        got = run(lane, model, path, ".".join("n*_" if part == "*" else rename(part) for part in units.split(".")))
        lane.check(want[0] and want[1] is not None, model, f"expected losses, but got {want}")
        lane.check(got == want, model, f"expected {want}, but got {got}")
        print(f"renamed: {model}: losses {got[0]}, worst error {got[1]}, {got[2]} results", flush=True)
    lane.finish(f"{len(MODELS)} renamed files")


if __name__ == "__main__":
    main()
