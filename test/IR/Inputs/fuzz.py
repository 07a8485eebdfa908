# SPDX-License-Identifier: Apache-2.0
"""Feeds mutated IR to fsdp-opt: whatever it is given, it must not crash.

Sections of the given files, as they are and in generic form, are mutated at
random, token by token. A token is mostly replaced by one of its kind, a number
by a number, a symbol by a symbol, so that most mutants get past the parser.
Many mutants go through one process, split by `// -----`; where a process dies,
its mutants run alone to find the one at fault, which is printed.

Usage: fuzz.py FSDP_OPT SEED COUNT FILE...
"""

import collections
import random
import re
import subprocess
import sys

SPLIT = "\n// -----\n"
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|x(?=\d)|[%@#!^]?[A-Za-z_][\w.]*|%\d+|-?\d+|\s+|.', re.S)
NUMBERS = "0 1 2 3 4 7 8 16 255 2147483648 4294967296 9223372036854775807 18446744073709551616 -1 -9223372036854775808".split()
BATCH = 100


def kind_of(token):
    """What may stand in for a token: the same kind."""
    if token[0] in '%@#!^"':
        return token[0]
    if token.lstrip("-").isdigit():
        return "number"
    return "word" if token[0].isalpha() else "sign"


def mutate(tokens, words, rng):
    """A few random edits."""
    tokens = list(tokens)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        places = [i for i, token in enumerate(tokens) if not token.isspace()]
        if not places:
            break
        i, j = rng.choice(places), rng.choice(places)
        edit = rng.random()
        if edit < 0.75:
            while kind_of(tokens[i]) == "sign" and rng.random() < 0.9:
                i = rng.choice(places)
            kind = kind_of(tokens[i])
            tokens[i] = rng.choice(NUMBERS if kind == "number" else words[kind])
        elif edit < 0.8:
            del tokens[i]
        elif edit < 0.85:
            tokens.insert(i, tokens[i])
        elif edit < 0.9:
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif edit < 0.97:  # A whole line less or twice.
            begin = next((k for k in range(i, -1, -1) if "\n" in tokens[k]), 0)
            end = next((k for k in range(i + 1, len(tokens)) if "\n" in tokens[k]), len(tokens))
            tokens[begin:end] = tokens[begin:end] * rng.choice((0, 2))
        else:
            tokens[i] += chr(rng.randrange(32, 127))
    return "".join(tokens)


def run(tool, text):
    """The exit status and stderr of the tool on a text."""
    command = [tool, "--allow-unregistered-dialect", "--split-input-file", "--verify-roundtrip", "--canonicalize", "-o", "/dev/null"]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "time-out", ""
    return done.returncode, done.stderr.decode(errors="replace")


def main(tool, seed, count, *paths):
    rng = random.Random(int(seed))
    sections = []
    for path in paths:
        generic = subprocess.run([tool, path, "--allow-unregistered-dialect", "--split-input-file", "--mlir-print-op-generic"], text=True, capture_output=True).stdout
        with open(path) as file:
            for text in (file.read(), generic):
                text = re.sub(r"//(?! -----)[^\n]*", "", text)
                sections += [TOKEN.findall(section) for section in text.split("// -----") if section.strip()]
    words = collections.defaultdict(list)
    for token in sorted({t for s in sections for t in s if not t.isspace()}):
        words[kind_of(token)].append(token)
    left, bad = int(count), 0
    while left > 0:
        batch = [mutate(rng.choice(sections), words, rng) for _ in range(min(left, BATCH))]
        left -= len(batch)
        if run(tool, SPLIT.join(batch))[0] in (0, 1):
            continue
        for mutant in batch:
            status, stderr = run(tool, mutant)
            if status not in (0, 1):
                bad += 1
                print(f"exit status {status}:\n{mutant}\n{stderr[-6000:]}")
    print(f"{count} mutants, {bad} crashes")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
