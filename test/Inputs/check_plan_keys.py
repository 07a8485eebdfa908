# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/Plan.md and lib/Analysis/Plan{,Groups,Units}.cpp know the same keys.

Every key and word in a table of these must stand in the page, in code. Every
key in the first column of the page's tables must be in one of them.

Usage: check_plan_keys.py ROOT
"""

import pathlib
import re
import sys

# {"key", into(...)} and {"key", "why"}, dtypeKey("key", ...), lists of words.
KEY = re.compile(r'\{"(\w+)",|dtypeKey\("(\w+)"')
WORDS = re.compile(r'(?:readWord|readEnum<[^>]*>)\(\s*\w+,\s*\{([^}]*)\}')
CODE = re.compile(r"`([^`]*)`")


def main(root):
    root = pathlib.Path(root)
    files = ("Plan.cpp", "PlanGroups.cpp", "PlanUnits.cpp")
    source = "".join((root / "lib" / "Analysis" / name).read_text() for name in files)
    page = (root / "docs" / "Plan.md").read_text()
    known = {a or b for a, b in KEY.findall(source)}
    for words in WORDS.findall(source):
        known |= set(re.findall(r'"(\w+)"', words))
    shown = set()
    for code in CODE.findall(page):
        shown |= set(re.findall(r"\w+", code))
    documented = set(re.findall(r"^\| `(\w+)` \|", page, re.M)) - set(re.findall(r"^\| `(\w+)`(?:,| =)", page, re.M))
    missing = sorted(known - shown)
    unknown = sorted(documented - known)
    for key in missing:
        print(f"docs/Plan.md: expected key '{key}' of the plan")
    for key in unknown:
        print(f"docs/Plan.md: expected a key of the plan, but got '{key}'")
    print(f"{len(known)} keys and words, {len(missing)} missing, {len(unknown)} unknown")
    return bool(missing or unknown)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
