# SPDX-License-Identifier: Apache-2.0
"""Every command of docs/Checking.md gives what the page says.

    check_checking.py SOURCE
"""

import difflib
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs" / "Checking.md").read_text()
commands = re.findall(r"^```sh\n\$ (.*)\n((?:.*\n)*?)```$", page, re.M)
failed = not commands
for command, expected in commands:
    run = subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True)
    if run.stdout + run.stderr != expected:
        failed = True
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), (run.stdout + run.stderr).splitlines(True), "Checking.md", command))
print(f"{len(commands)} commands")
sys.exit(failed)
