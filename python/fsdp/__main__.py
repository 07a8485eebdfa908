# SPDX-License-Identifier: Apache-2.0
"""The command line, `python -m fsdp COMMAND`. Exits with 1 on user errors."""

import argparse
import sys

from . import Error, curve


class _Parser(argparse.ArgumentParser):
    """Exits with 1, not 2, and one line."""

    def error(self, message):
        raise Error(message)


def _curve(args):
    """Draws a run's loss curve, and compares it with a reference."""
    run = curve.read_log(args.log)
    reference = None
    if args.reference:
        reference = curve.read_reference(args.reference, args.optimizer, run.steps[0])
        print(f"worst relative loss difference: {curve.worst_difference(run, reference):.3g}")
    curve.plot(run, args.output, reference)
    print(f"wrote {args.output}: {len(run.steps)} steps")


def main(argv=None):
    """Runs one command and returns the exit code."""
    parser = _Parser(prog="python -m fsdp", description="tools around fsdp-opt and fsdp-run")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    command = commands.add_parser("curve", help="draw the loss curve of a run")
    command.add_argument("log", metavar="RUN.log", help="what fsdp-run printed")
    command.add_argument("-o", "--output", metavar="PNG", default="curve.png", help="file to write (curve.png)")
    command.add_argument("--reference", metavar="NAME.curve.json", help="curve to compare with")
    command.add_argument("--optimizer", default="adamw", help="which curve of the reference (adamw)")
    command.set_defaults(run=_curve)
    try:
        args = parser.parse_args(argv)
        args.run(args)
    except Error as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
