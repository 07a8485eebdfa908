# SPDX-License-Identifier: Apache-2.0
"""Writes docs/Dialect.md and docs/Passes.md from the descriptions in *.td.

Usage: generate_docs.py TBLGEN MLIR_INCLUDE ROOT OUT
"""

import pathlib
import subprocess
import sys

NOTE = "<!-- Made from include/fsdp by `ninja fsdp-docs`; edit the descriptions there. -->\n"
PASSES = """
# Passes

One by one they are options of `fsdp-opt`: `fsdp-opt step.mlir --fsdp-import --fsdp-read-plan=config=plan.yaml`. Which
of them make up a section, and why in that order, is written in `lib/Pipelines/Pipelines.cpp` and
`lib/Conversion/Pipeline.cpp`; [Architecture.md](Architecture.md) has the overview. IR here is cut out of a module, as
before and after.
"""
SECTIONS = {
    "Transforms": "From an exported step to a sharded one",
    "Conversion": "From a sharded step to the LLVM dialect",
}


def main(tblgen, mlir_include, root, out):
    include = pathlib.Path(root) / "include"

    def generate(file, *options):
        command = [tblgen, *options, "-I", mlir_include, "-I", include, include / "fsdp" / file]
        text = subprocess.run(command, check=True, text=True, capture_output=True).stdout
        # The first line is tablegen's own note.
        lines = [line.rstrip() for line in text.splitlines()[1:] if line != "[TOC]"]
        return "\n".join(lines).strip() + "\n"

    passes = NOTE + PASSES
    for name, title in SECTIONS.items():
        passes += f"\n## {title}\n\n" + generate(f"{name}/Passes.td", "-gen-pass-doc")
    dialect = NOTE + "\n" + generate("IR/Fsdp.td", "-gen-dialect-doc", "-dialect=fsdp")
    out = pathlib.Path(out)
    (out / "Passes.md").write_text(passes)
    (out / "Dialect.md").write_text(dialect)


if __name__ == "__main__":
    main(*sys.argv[1:])
