#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs TOOL on every bad plan of DIR: check_plans.py TOOL DIR.

The first lines of a plan say what must come out, as `# expect: 3:5: error: ...`
(LINE:COLUMN, then the start of the message); notes have lines of their own.
Everything expected must be there, with that one error only and exit code 1.
"""
import pathlib
import re
import subprocess
import sys


def read_expectations(plan):
    """The leading `# expect:` lines; plans may hold bytes that are no text."""
    text = plan.read_bytes().decode("utf-8", errors="replace")
    block = re.match(r"(?:# expect: .*\n)*", text)
    return re.findall(r"# expect: (.*)\n", block[0])


def check(tool, plan):
    """What is wrong with the tool's answer, or None."""
    expectations = read_expectations(plan)
    if not any(" error: " in line for line in expectations):
        return "no '# expect: LINE:COLUMN: error: ...' in the first line"
    run = subprocess.run([tool, f"--fsdp-annotate=config={plan}"],
                         input=b"module {}\n", capture_output=True, timeout=60)
    stderr = run.stderr.decode("utf-8", errors="replace")
    for line in expectations:
        if f"{plan.name}:{line}" not in stderr:
            return f"expected {line}\n{stderr}"
    if run.returncode != 1:
        return f"expected exit code 1, but got {run.returncode}\n{stderr}"
    if len(re.findall(r"^\S+:\d+:\d+: error: ", stderr, re.MULTILINE)) != 1:
        return f"expected one error\n{stderr}"
    return None


def main(tool, folder):
    plans = sorted(pathlib.Path(folder).glob("*.yaml"))
    problems = {plan: check(tool, plan) for plan in plans}
    bad = {plan: text for plan, text in problems.items() if text}
    for plan, text in bad.items():
        print(f"{plan}: {text}", file=sys.stderr)
    print(f"{len(plans) - len(bad)} of {len(plans)} bad plans are rejected "
          "as expected")
    return 1 if bad or not plans else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
