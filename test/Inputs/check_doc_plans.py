# SPDX-License-Identifier: Apache-2.0
"""Compiles the plans of the documentation.

Every ```yaml block of README.md and docs/ is a plan that must be accepted; one
that is a fragment on purpose starts with `# fragment`. The model is that of a line
`# input: MODEL`, else a GPT where a plan names `transformer.…`, else
docs_step.mlir. In docs/Composer.md
every row `| ... | `PLAN` | VERDICT | ... |` of a table is a plan on 8 ranks in
nodes of 4, and the verdict what must become of it.

Usage: check_doc_plans.py FSDP_OPT ROOT
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.S | re.M)
ROW = re.compile(r"^\|.*?(?<!\\)\| (?P<plan>`[^`]*`|—) \| (?P<verdict>\w+) \|", re.M)
WORLD = "world: {ranks: 8, ranks_per_node: 4}\n"
INPUTS = pathlib.Path(__file__).parent


def run(tool, text):
    """What becomes of a plan: the verdict and what was said."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as plan:
        plan.write(text)
        plan.flush()
        named = re.match(r"# input: test/Inputs/(\S+)\n", text)
        model = INPUTS / (named[1] if named else "A1_nanogpt.mlir" if "transformer." in text else "docs_step.mlir")
        command = [tool, model, "--allow-unregistered-dialect", f"--fsdp-compile=config={plan.name}", "-o", "/dev/null"]
        done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode:
        return "error" if done.returncode == 1 else "crash", done.stderr
    for word in ("warning", "remark"):
        if re.search(rf"\.yaml:\d+:\d+: {word}: ", done.stderr):
            return word, done.stderr
    return "means", done.stderr


def main(tool, root):
    root = pathlib.Path(root)
    plans = rows = 0
    failed = []

    def check(place, text, wanted):
        got, said = run(tool, text)
        if got != wanted:
            failed.append(f"{place}: expected '{wanted}', but got '{got}'\n{text}{said}")

    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text = path.read_text()
        for match in BLOCK.finditer(text):
            if match[1].startswith("# fragment"):
                continue
            plans += 1
            check(f"{path.name}:{text.count(chr(10), 0, match.start()) + 1}", match[1], "means")
    text = (root / "docs" / "Composer.md").read_text()
    for match in ROW.finditer(text):
        place = f"Composer.md:{text.count(chr(10), 0, match.start()) + 1}"
        rows += 1
        if match["plan"] == "—":
            if match["verdict"] != "none":
                failed.append(f"{place}: expected 'none' without a plan, but got '{match['verdict']}'")
        else:
            check(place, WORLD + match["plan"].strip("`") + "\n", match["verdict"])
    print("\n".join(failed))
    print(f"{plans} plans and {rows} rows, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
