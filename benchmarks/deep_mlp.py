#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an MLP of any depth as an exported training step.

Forward, backward by hand, gradients as results: the form that exporters give.
For compile-time scaling beyond the depth of the exported models.

    benchmarks/deep_mlp.py LAYERS > deep.mlir
"""
import sys

WIDTH, BATCH = 16, 4
X, W, V = f"tensor<{BATCH}x{WIDTH}xf32>", f"tensor<{WIDTH}x{WIDTH}xf32>", "f32"
ID = "affine_map<(d0, d1) -> (d0, d1)>"


def elementwise(name, inputs, body, kind):
    """A linalg.generic over the batch; `body` uses %a, %b and sets %r."""
    names = ["%a", "%b"][:len(inputs)]
    maps = ", ".join([ID] * (len(inputs) + 1))
    arguments = ", ".join(f"{n}: f32" for n in names + ["%o"])
    types = ", ".join([X] * len(inputs))
    return (f"{name} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [\"parallel\", \"parallel\"]}} "
            f"ins({', '.join(inputs)} : {types}) outs(%ex : {X}) {{\n"
            f"^bb0({arguments}):\n{body}\nlinalg.yield %r : f32\n}} -> {X}"
            f" loc(\"{kind}\")")


def matmul(name, a, ta, b, tb, out, tout):
    return (f"{name} = linalg.matmul ins({a}, {b} : {ta}, {tb}) "
            f"outs({out} : {tout}) -> {tout}")


def main():
    layers = int(sys.argv[1])
    parameters = [f"%w{i}: {W} {{fsdp.param = \"h.{i}.weight\"}}"
                  for i in range(layers)]
    results = [f"{W} {{fsdp.grad = \"h.{i}.weight\"}}" for i in range(layers)]
    lines = [
        "module {",
        f"func.func @train_step({', '.join(parameters)}, %x0: {X} "
        f"{{fsdp.input = \"x\", fsdp.batch_dim = 0 : i64}}) -> (tensor<f32> "
        f"{{fsdp.loss}}, {', '.join(results)}) {{",
        "%z = arith.constant 0.0 : f32",
        f"%ex = tensor.empty() : {X}",
        f"%zx = linalg.fill ins(%z : f32) outs(%ex : {X}) -> {X}",
        f"%ew = tensor.empty() : {W}",
        f"%zw = linalg.fill ins(%z : f32) outs(%ew : {W}) -> {W}",
        "%es = tensor.empty() : tensor<f32>",
        "%zs = linalg.fill ins(%z : f32) outs(%es : tensor<f32>)"
        " -> tensor<f32>"]
    for i in range(layers):
        lines.append(matmul(f"%y{i}", f"%x{i}", X, f"%w{i}", W, "%zx", X))
        lines.append(elementwise(f"%x{i + 1}", [f"%y{i}"],
                                 "%r = math.tanh %a : f32", "fwd"))
    lines.append(
        f"%loss = linalg.generic {{indexing_maps = [{ID}, "
        f"affine_map<(d0, d1) -> ()>], iterator_types = [\"reduction\", "
        f"\"reduction\"]}} ins(%x{layers} : {X}) outs(%zs : tensor<f32>) {{\n"
        f"^bb0(%a: f32, %o: f32):\n%q = arith.mulf %a, %a : f32\n"
        f"%r = arith.addf %o, %q : f32\nlinalg.yield %r : f32\n}}"
        f" -> tensor<f32>")
    lines.append(elementwise(f"%g{layers}", [f"%x{layers}"],
                             "%r = arith.addf %a, %a : f32", "bwd"))
    for i in reversed(range(layers)):
        lines.append(elementwise(
            f"%t{i}", [f"%g{i + 1}", f"%x{i + 1}"],
            "%s = arith.mulf %b, %b : f32\n%c = arith.constant 1.0 : f32\n"
            "%d = arith.subf %c, %s : f32\n%r = arith.mulf %a, %d : f32",
            "bwd"))
        for name, source, shape, kind in (
                (f"%xt{i}", f"%x{i}", (BATCH, WIDTH), X),
                (f"%wt{i}", f"%w{i}", (WIDTH, WIDTH), W)):
            turned = f"tensor<{shape[1]}x{shape[0]}xf32>"
            lines.append(f"{name}e = tensor.empty() : {turned}")
            lines.append(f"{name} = linalg.transpose ins({source} : {kind}) "
                         f"outs({name}e : {turned}) permutation = [1, 0]")
        lines.append(matmul(f"%dw{i}", f"%xt{i}",
                            f"tensor<{WIDTH}x{BATCH}xf32>", f"%t{i}", X,
                            "%zw", W))
        lines.append(matmul(f"%g{i}", f"%t{i}", X, f"%wt{i}", W, "%zx", X))
    values = ", ".join(["%loss"] + [f"%dw{i}" for i in range(layers)])
    types = ", ".join(["tensor<f32>"] + [W] * layers)
    lines += [f"return {values} : {types}", "}", "}"]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
