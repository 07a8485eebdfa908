# SPDX-License-Identifier: Apache-2.0
"""Tools around fsdp-opt and fsdp-run.

`fsdp.corpus` reads and writes the files that hold a step's arguments and
results; `fsdp.curve` reads and draws the loss curve that fsdp-run prints.
"""


class Error(Exception):
    """What the user can mend: a bad file or flag, a missing package.

    The message is one line, `expected X, but got Y`. The command line prints
    it without a traceback and exits with 1.
    """
