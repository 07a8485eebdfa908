# SPDX-License-Identifier: Apache-2.0
"""Checks that every diagnostic in lib/ is expected by some test.

A diagnostic is the text between emitError, emitOpError or `error =` and the end
of the statement. Of its string literals the longest piece that holds no
placeholder must occur in a file under test/. Messages that no input reaches are
listed in a file, one "piece # reason" per line; an entry that is reached or
gone is an error too.

Usage: check_messages.py ROOT ALLOWED
"""

import pathlib
import re
import sys

STARTS = re.compile(r"\b(?:emitError|emitOpError)\s*\(|\berror\s*=(?!=)|\berror\s*\+=|\bcreateStringError\s*\(")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)\'|[;{}]', re.S)
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'", "0": "\0"}


def literals(text, start):
    """The string literals of a statement; those side by side are one."""
    found, end, depth = [], None, 0
    for token in TOKEN.finditer(text, start):
        if token[0] == ";" and depth <= 0:
            break
        if token[0] in "{}":
            depth += 1 if token[0] == "{" else -1
            if depth < 0:
                break
        elif token[1] is not None:
            value = re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), token[1])
            if end is not None and not text[end : token.start()].strip():
                found[-1] += value
            else:
                found.append(value)
            end = token.end()
    return found


def longest_piece(strings):
    """The longest run of fixed text: between placeholders and line ends."""
    pieces = [p.strip() for s in strings for p in re.split(r"\{\d[^}]*\}|\n", s)]
    return max(pieces, key=len, default="")


def messages(root):
    """Yields (place, piece) for each diagnostic of the library."""
    for path in sorted((root / "lib").rglob("*")):
        if path.suffix not in (".cpp", ".h"):
            continue
        text = path.read_text()
        for match in STARTS.finditer(text):
            piece = longest_piece(literals(text, match.end()))
            if len(piece) >= 4:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path.relative_to(root)}:{line}", piece


def main(root, allowed_path):
    root = pathlib.Path(root)
    own = pathlib.Path(__file__).parent
    tests = []
    for path in (root / "test").rglob("*"):
        if path.is_file() and path.suffix in (".mlir", ".test", ".cpp", ".py", ".yaml", ".txt") and path.parent != own:
            # What a test expects, not what it feeds in: the corpus is large.
            if path.parent == root / "test" / "Inputs":
                continue
            tests.append(path.read_text(errors="replace"))
    # A literal that a C++ test breaks over lines is one text.
    corpus = re.sub(r'"\s*\n\s*"', "", "\n".join(tests))

    allowed = {}
    for line in pathlib.Path(allowed_path).read_text().splitlines():
        if line and not line.startswith("#"):
            piece, _, reason = line.partition(" # ")
            if not reason:
                sys.exit(f"{allowed_path}: expected 'piece # reason', but got '{line}'")
            allowed[piece] = False

    failed = False
    for place, piece in messages(root):
        if piece in allowed:
            allowed[piece] = True
        elif piece not in corpus:
            print(f"{place}: expected a test for '{piece}'")
            failed = True
    for piece, used in allowed.items():
        if not used or piece in corpus:
            print(f"{allowed_path}: expected an untested message, but got '{piece}'")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
