# SPDX-License-Identifier: Apache-2.0
"""The small steps of the tests of parallelism, made by tape.py.

Usage: steps.py FOLDER   writes NAME.mlir and NAME.json (values of arguments)
       steps.py --check  compares each step's gradients with differences of its loss
"""

import json
import pathlib
import sys

import numpy as np
from tape import Tape

BATCH, TIME, DIM, HEADS, HIDDEN, VOCAB = 4, 8, 16, 4, 48, 40
GROUPS, EXPERTS, CAPACITY = 8, 8, 3


def linear(tape, module, x, rows, columns, bias=True):
    """torch.nn.Linear: the weight is (out, in)."""
    tape.module = module
    y = tape.einsum("btd,fd->btf", x, tape.param(module + ".weight", columns, rows, scale=0.5))
    return tape.point("btf,f->btf", "add", y, tape.param(module + ".bias", columns, scale=0.2)) if bias else y


def norm(tape, module, x):
    tape.module = module
    weight = tape.param(module + ".weight", DIM, scale=0.2, bias=1.0)
    bias = tape.param(module + ".bias", DIM, scale=0.2)
    centred = tape.point("btd,bt->btd", "sub", x, tape.scale(tape.sum("btd->bt", x), 1 / DIM))
    square = tape.scale(tape.sum("btd->bt", tape.map("mul", centred, centred)), 1 / DIM)
    normal = tape.point("btd,bt->btd", "mul", centred, tape.map("rsqrt", tape.shift(square, 1e-5)))
    return tape.point("btd,d->btd", "add", tape.point("btd,d->btd", "mul", normal, weight), bias)


def softmax(tape, x, dims):
    """Over the last dimension."""
    short = dims[:-1]
    shifted = tape.point(f"{dims},{short}->{dims}", "sub", x, tape.max(f"{dims}->{short}", x))
    powers = tape.map("exp", shifted)
    inverse = tape.map("exp", tape.map("neg", tape.map("log", tape.sum(f"{dims}->{short}", powers))))
    return tape.point(f"{dims},{short}->{dims}", "mul", powers, inverse)


def feed_forward(tape, module, x):
    y = linear(tape, module + ".fc1", norm(tape, module + ".ln", x), DIM, HIDDEN)
    tape.module = module
    y = linear(tape, module + ".fc2", tape.map("tanh", y), HIDDEN, DIM)
    tape.module = module
    return tape.map("add", x, y)


def attention(tape, module, x):
    size = DIM // HEADS
    y = norm(tape, module + ".ln", x)
    q, k, v = (linear(tape, f"{module}.{name}", y, DIM, DIM, bias=False) for name in "qkv")
    tape.module = module
    heads = [BATCH, TIME, HEADS, size]
    q, k, v = (tape.transpose(tape.reshape(part, [[0], [1], [2, 3]], heads), [0, 2, 1, 3]) for part in (q, k, v))
    scores = tape.causal(tape.scale(tape.einsum("bhtd,bhsd->bhts", q, k), size**-0.5))
    mixed = tape.transpose(tape.einsum("bhts,bhsd->bhtd", softmax(tape, scores, "bhts"), v), [0, 2, 1, 3])
    y = linear(tape, module + ".o", tape.reshape(mixed, [[0], [1], [2, 3]], [BATCH, TIME, DIM]), DIM, DIM)
    tape.module = module
    return tape.map("add", x, y)


def embedding(tape):
    tokens, table = tape.input("tokens", BATCH, TIME, mod=VOCAB), tape.param("embed.weight", VOCAB, DIM)
    tape.module = "embed"
    return table, tape.lookup(table, tokens)


def squares(tape, x):
    """The mean square of the difference from a target."""
    tape.module = "<root>"
    apart = tape.map("sub", x, tape.input("target", *x.shape))
    dims = "bgsm"[-len(x.shape) :]
    return tape.scale(tape.sum(f"{dims}->", tape.map("mul", apart, apart)), 1 / int(np.prod(x.shape)))


def cross_entropy(tape, x, weight):
    tape.module = "head"
    logits = tape.reshape(tape.einsum("btd,vd->btv", x, weight), [[0, 1], [2]], [BATCH * TIME, VOCAB])
    tape.module = "<root>"
    targets = tape.reshape(tape.input("targets", BATCH, TIME, mod=VOCAB), [[0, 1]], [BATCH * TIME])
    shifted = tape.point("nv,n->nv", "sub", logits, tape.max("nv->n", logits))
    sums = tape.map("log", tape.sum("nv->n", tape.map("exp", shifted)))
    losses = tape.map("sub", sums, tape.pick(shifted, targets))
    return tape.scale(tape.sum("n->", losses), 1 / (BATCH * TIME))


def mlp(tape):
    """Two feed-forward half blocks behind a projection."""
    x = linear(tape, "first", tape.input("x", BATCH, TIME, DIM), DIM, DIM)
    return squares(tape, feed_forward(tape, "h.1", feed_forward(tape, "h.0", x)))


def attend(tape):
    """One attention half block behind a projection."""
    x = linear(tape, "first", tape.input("x", BATCH, TIME, DIM), DIM, DIM)
    return squares(tape, attention(tape, "h.0", x))


def gpt(tape):
    """One layer between an embedding and a head of its own."""
    _, x = embedding(tape)
    x = feed_forward(tape, "h.0.mlp", attention(tape, "h.0.attn", x))
    return cross_entropy(tape, norm(tape, "norm", x), tape.param("head.weight", VOCAB, DIM))


def tied(tape):
    """A feed-forward half block between an embedding and a head that share their weight."""
    table, x = embedding(tape)
    return cross_entropy(tape, norm(tape, "norm", feed_forward(tape, "h.0", x)), table)


def route(tape, module, x):
    """GShard's top 2: of each group the tokens' probabilities, and where they go
    (g, s, e, c); what finds an expert's buffer full is dropped."""
    logits = tape.einsum("gsm,me->gse", x, tape.param(module + ".gate", DIM, EXPERTS, scale=2.0))
    gates = softmax(tape, logits, "gse")
    first = tape.point("gse,gs->gse", "equal", gates, tape.max("gse->gs", gates))
    rest = tape.map("without", gates, first)
    second = tape.point("gse,gs->gse", "equal", rest, tape.max("gse->gs", rest))
    earlier, routes, taken = tape.lower(x.shape[1]), None, None
    for chosen in (first, second):
        before = tape.einsum("ts,gse->gte", earlier, chosen)
        if taken is not None:
            before = tape.point("gse,ge->gse", "add", before, taken)
        taken = tape.sum("gse->ge", chosen)
        place = tape.sum("gse->gs", tape.map("mul", before, chosen))
        slots = tape.point("gse,gsc->gsec", "mul", chosen, tape.slot(place, CAPACITY))
        routes = slots if routes is None else tape.map("add", routes, slots)
    return gates, routes


def moe(tape):
    """A mixture of experts in GShard's grouped form, the batch's groups first."""
    x = tape.input("x", GROUPS, TIME, DIM)
    tape.module = "first"
    x = tape.einsum("gsm,mn->gsn", x, tape.param("first.weight", DIM, DIM))
    tape.module = "moe"
    gates, routes = route(tape, "moe", x)
    combine = tape.point("gse,gsec->gsec", "mul", gates, routes)
    tape.module = "moe.experts"
    inputs = tape.einsum("gsec,gsm->egcm", routes, x)
    hidden = tape.map("tanh", tape.einsum("egcm,emh->egch", inputs, tape.param("moe.experts.w1", EXPERTS, DIM, HIDDEN)))
    outputs = tape.einsum("egch,ehm->egcm", hidden, tape.param("moe.experts.w2", EXPERTS, HIDDEN, DIM))
    tape.module = "moe"
    return squares(tape, tape.map("add", x, tape.einsum("gsec,egcm->gsm", combine, outputs)))


STEPS = {
    "mlp": (mlp, "torch"),
    "attention": (attend, "torch"),
    "gpt": (gpt, "torch"),
    "tied": (tied, "torch"),
    "moe": (moe, "generic"),
    "moe_torch": (moe, "torch"),
}


def write(folder):
    for name, (build, products) in STEPS.items():
        tape = Tape(products)
        text = tape.finish(build(tape))
        head = f"// SPDX-License-Identifier: Apache-2.0\n// {' '.join(build.__doc__.split())} Made by steps.py.\n"
        (folder / f"{name}.mlir").write_text(head + text)
        (folder / f"{name}.json").write_text(json.dumps({"fill": tape.fill}) + "\n")


class Nudged(Tape):
    """A tape on which one element of one parameter is a little larger."""

    def __init__(self, products, which, place, by):
        super().__init__(products)
        self.which, self.place, self.by = which, place, by

    def param(self, name, *shape, **values):
        tensor = super().param(name, *shape, **values)
        if name == self.which:
            tensor.value.flat[self.place] += self.by
        return tensor


def check(name):
    build, products = STEPS[name]
    tape = Tape(products)
    tape.finish(build(tape))
    random, worst = np.random.default_rng(1), 0
    for param, grad in tape.grads:
        for place in random.integers(0, grad.size, 3):
            high, low = (float(build(Nudged(products, param, place, by)).value) for by in (1e-5, -1e-5))
            worst = max(worst, abs((high - low) / 2e-5 - grad.flat[place]))
    print(f"{name}: {len(tape.grads)} gradients, {'right' if worst < 1e-8 else f'off by {worst}'}")


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        for each in STEPS:
            check(each)
    else:
        write(pathlib.Path(sys.argv[1]))
