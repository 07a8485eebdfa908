# SPDX-License-Identifier: Apache-2.0
"""Shows that the table would find a fault: plants one per kind and runs it.

A fault is one line of one source. The changed copy is compiled by the build
tree's own command and linked in front of the libraries into another fsdp-run;
sources and build tree stay as they are. For each, the table of one file must
fail, and without any it must pass.

    plant_faults.py BUILD
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODEL = "A7_mlp_sgdm"  # small, with an optimizer


class Fault(NamedTuple):
    """One line to change."""

    what: str
    source: str
    before: str
    after: str


FAULTS = [
    Fault(
        "two groups swapped",
        "tools/fsdp-run/Program.cpp",
        "{group.getSymName().str(), group.getClasses()});",
        "{group.getSymName().str(), group.getClasses()});\n"
        "  for (auto &a : program->groups)\n    for (auto &b : program->groups)\n"
        '      if (a.first == "node" && b.first == "local_rank_across_nodes")\n        std::swap(a.second, b.second);',
    ),
    Fault(
        "one collective dropped",
        "lib/Transforms/BuildMoves.cpp",
        "  case Move::AllReduce:\n",
        "  case Move::AllReduce:\n    if (type.getRank() == 2)\n      break;\n",
    ),
    Fault(
        "a scale changed",
        "lib/Transforms/Storage.cpp",
        "storage.denominator = lossGroup.getSize();",
        "storage.denominator = (lossGroup.getSize() + 1) / 2;",
    ),
    Fault(
        "a wrong index map in the rewriter",
        "lib/Analysis/LinalgRule.cpp",
        "dim ? int64_t(dim.getPosition())",
        "dim ? int64_t((dim.getPosition() + rule.operands.size()) % op.getNumLoops())",
    ),
]


def build(commands, fault, scratch, build_dir):
    """A fsdp-run with the fault."""
    source, folder = ROOT / fault.source, scratch / pathlib.Path(fault.source).stem
    folder.mkdir()
    text = source.read_text()
    if text.count(fault.before) != 1:
        raise SystemExit(f"expected {fault.before!r} once in {fault.source}, but got {text.count(fault.before)}")
    planted, made = folder / source.name, folder / f"{source.name}.o"
    planted.write_text(text.replace(fault.before, fault.after))
    compiles = [command for command in commands if re.search(rf"-c {re.escape(str(source))}\b", command)]
    links = [command for command in commands if re.search(r"-o \S*fsdp-run(?= )", command)]
    if len(compiles) != 1 or len(links) != 1:
        raise SystemExit(f"expected one command for {fault.source}, but got {len(compiles)} and {len(links)} to link")
    old = re.search(r"-o (\S+\.o)\b", compiles[0])[1]
    command = compiles[0].replace(old, str(made)).replace(f"-c {source}", f"-c {shlex.quote(str(planted))}")
    command += f" -iquote {shlex.quote(str(source.parent))}"
    subprocess.run(command, shell=True, check=True, cwd=build_dir)
    tool = folder / "fsdp-run"
    link = re.sub(r"-o \S*fsdp-run(?= )", f"-o {tool}", links[0])
    # In front of the libraries, the linker takes this one.
    link = link.replace(old, str(made)) if old in link else link.replace(f"-o {tool}", f"{made} -o {tool}")
    subprocess.run(link, shell=True, check=True, cwd=build_dir)
    return tool


def table(tool):
    """The table of one file: its exit status and failures."""
    command = [sys.executable, HERE / "table.py", tool, "--full", f"--only={MODEL}"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith(f"FAIL {MODEL}")]


def main(build_dir):
    """Plants each fault in turn."""
    build_dir = pathlib.Path(build_dir).resolve()
    listed = subprocess.run(
        ["ninja", "-C", build_dir, "-t", "commands", "tools/fsdp-run/fsdp-run"], capture_output=True, text=True, check=True
    )
    commands = listed.stdout.splitlines()
    status, failures = table(build_dir / "tools" / "fsdp-run" / "fsdp-run")
    print(f"no fault: {len(failures)} failures")
    found, wrong = 0, status != 0
    with tempfile.TemporaryDirectory() as scratch:
        for fault in FAULTS:
            status, failures = table(build(commands, fault, pathlib.Path(scratch), build_dir))
            print(f"{fault.what} ({fault.source}): {len(failures)} failures")
            for failure in failures[:2]:
                print(f"  {failure[:240]}")
            found += status == 1 and bool(failures)
    print(f"{found} of {len(FAULTS)} planted faults found")
    sys.exit(wrong or found < len(FAULTS))


if __name__ == "__main__":
    main(*sys.argv[1:])
