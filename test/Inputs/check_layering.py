# SPDX-License-Identifier: Apache-2.0
"""Checks the direction of includes.

  IR <- Analysis <- Transforms, Conversion <- Target, Pipelines <- tools

A layer includes itself and what is before it; Transforms and Conversion do not
include each other. Runtime stands alone, without LLVM or MLIR; from it others
use the two headers that say what compiled code and tools call.

Usage: check_layering.py ROOT
"""

import pathlib
import re
import sys

# What each layer may include beside itself.
MAY = {
    "IR": set(),
    "Analysis": {"IR"},
    "Transforms": {"IR", "Analysis"},
    "Conversion": {"IR", "Analysis", "Runtime"},
    "Target": {"IR", "Analysis", "Conversion"},
    "Pipelines": {"IR", "Analysis", "Transforms", "Conversion"},
    "Runtime": set(),
    "tools": {"IR", "Analysis", "Transforms", "Conversion", "Target", "Pipelines", "Runtime", "InitAll.h"},
}
INCLUDE = re.compile(r'^\s*(?:#\s*include\s*[<"]|include\s+")([^>"]+)[>"]', re.M)


def layer_of(parts):
    """The layer that a path relative to the root belongs to."""
    if parts[0] == "tools":
        return "tools"
    if parts[:2] == ("include", "fsdp"):
        return "Pipelines" if parts[2] == "InitAll.h" else parts[2]
    return parts[1]


def main(root):
    root = pathlib.Path(root)
    failed = False
    sources = [p for top in ("include", "lib", "tools") for p in sorted((root / top).rglob("*")) if p.suffix in (".h", ".cpp", ".td", ".inc")]
    for path in sources:
        relative = path.relative_to(root)
        layer = layer_of(relative.parts)
        if layer not in MAY:
            print(f"{relative}: expected one of the layers {', '.join(MAY)}, but got {layer}")
            failed = True
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            name = match[1]
            line = text.count("\n", 0, match.start(1)) + 1
            parts = name.split("/")
            wrong = None
            if parts[0] == "fsdp":
                target = parts[1]
                own = {layer} | ({"InitAll.h"} if layer == "Pipelines" else set())
                if target not in MAY[layer] | own:
                    wrong = f"expected {layer} to include only {', '.join(sorted(MAY[layer] | {layer}))}"
            elif ".." in parts:
                wrong = "expected a path from include/ or beside the file"
            elif layer == "Runtime" and parts[0] in ("llvm", "llvm-c", "mlir", "mlir-c"):
                wrong = "expected Runtime to do without LLVM and MLIR"
            if wrong:
                print(f"{relative}:{line}: {wrong}, but got '{name}'")
                failed = True
    if not sources:
        sys.exit(f"expected sources under {root}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
