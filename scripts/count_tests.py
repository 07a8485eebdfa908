# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit reports and prints "N passed, N failed, N skipped".

A report that is missing counts as one failure: its run ended before it could
write. Exit status 1 if anything failed or nothing passed.

Usage: count_tests.py REPORT.xml...
"""

import os
import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """(passed, failed, skipped) of one report."""
    if not os.path.exists(path):
        print(f"{path}: expected a report, but got none")
        return 0, 1, 0
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed += 1
        elif "skipped" in kinds:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main(*paths):
    passed, failed, skipped = map(sum, zip(*map(count, paths)))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
