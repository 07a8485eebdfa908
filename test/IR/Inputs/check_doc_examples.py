# SPDX-License-Identifier: Apache-2.0
"""Runs every ```mlir block of the documentation through fsdp-opt.

Blocks come from the descriptions in include/fsdp/IR/*.td, from docs/ and from
README.md. (Those of passes show IR before and after and are no whole modules,
so docs/Passes.md is left out.) A description that is put together from pieces,
`}] # common # [{`, counts as one text. A block that is a fragment on purpose starts with the line
`// fragment`.

Usage: check_doc_examples.py FSDP_OPT ROOT
"""

import pathlib
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^[ \t]*```mlir[^\n]*\n(.*?)^[ \t]*```", re.S | re.M)
# `code x = [{ ... }];` and strings that are joined by #.
JOINT = re.compile(r"\}\]\s*(?:#\s*\w+\s*)?#\s*\[\{")


def blocks(path):
    """Yields (line, text) for each block of a file."""
    text = path.read_text()
    if path.suffix == ".td":
        # Same number of lines, so that line numbers stay right.
        text = JOINT.sub(lambda m: "\n" * m[0].count("\n"), text)
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start()) + 2, textwrap.dedent(match[1])


def main(tool, root):
    root = pathlib.Path(root)
    files = sorted((root / "include" / "fsdp" / "IR").glob("*.td")) + sorted((root / "docs").rglob("*.md")) + [root / "README.md"]
    files.remove(root / "docs" / "Passes.md")
    count = failed = 0
    for path in files:
        for line, text in blocks(path) if path.exists() else ():
            if text.startswith("// fragment"):
                continue
            count += 1
            done = subprocess.run([tool, "--allow-unregistered-dialect", "-o", "/dev/null"], input=text, text=True, capture_output=True)
            if done.returncode:
                failed += 1
                print(f"{path.relative_to(root)}:{line}: expected a valid example, but got\n{done.stderr}")
    print(f"{count} examples, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
