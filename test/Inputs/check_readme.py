# SPDX-License-Identifier: Apache-2.0
"""Checks that README.md shows what scripts/demo.sh prints, and the demo's plan.

Numbers that depend on the machine or on how a pass counts are not compared: SSA
names, digits of losses and errors, the size of the arena, and where the worst
error is. With --write, puts plan and output into README.md. Files that README.md
and docs/ name, in links and in code, must exist.

Usage: check_readme.py [--write] ROOT OUTPUT
"""

import difflib
import pathlib
import re
import sys

PLAN = re.compile(r"(?<=\[examples/nanogpt\.yaml\]\(examples/nanogpt\.yaml\):\n\n```yaml\n).*?(?=^```)", re.S | re.M)
OUTPUT = re.compile(r"(?<=test/docs-demo\.test compares\. -->\n```\n).*?(?=^```)", re.S | re.M)
MASKS = [
    (r"%\d+(?:#\d+)?", "%N"),
    (r"arena of a rank: \d+", "arena of a rank: N"),
    (r"worst error \S+ at .*? on rank \d+", "worst error N"),
    (r"(loss|grad_norm) \d+\.\d+", r"\1 N"),
]


def mask(text):
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text)
    return text.splitlines()

LINK = re.compile(r"\]\(([^)#:]+)\)")
PATH = re.compile(r"`((?:include|lib|tools|test|docs|scripts|examples|python)/[\w./-]*)`")


def missing_files(root):
    """Yields a line for each file that a page names and that is not there."""
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text = page.read_text()
        paths = [(page.parent, name) for name in LINK.findall(text)]
        paths += [(root, name) for name in PATH.findall(text)]
        for base, name in paths:
            if not (base / name).exists():
                yield f"{page.name}: expected a file that exists, but got '{name}'"


def main(*arguments):
    root, output = map(pathlib.Path, arguments[-2:])
    readme = (root / "README.md").read_text()
    lines = (root / "examples" / "nanogpt.yaml").read_text().splitlines(keepends=True)
    wanted = {
        PLAN: "".join(line for line in lines if "SPDX" not in line),
        OUTPUT: output.read_text().lstrip("\n"),
    }
    missing = list(missing_files(root))
    print("\n".join(missing))
    failed = bool(missing)
    for pattern, text in wanted.items():
        match = pattern.search(readme)
        if not match:
            sys.exit(f"README.md: expected a block after '{pattern.pattern[4:60]}'")
        if arguments[0] == "--write":
            readme = readme[: match.start()] + text + readme[match.end() :]
            continue
        difference = list(difflib.unified_diff(mask(match[0]), mask(text), "README.md", "demo.sh", lineterm="", n=0))
        print("\n".join(difference))
        failed |= bool(difference)
    if arguments[0] == "--write":
        (root / "README.md").write_text(readme)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
