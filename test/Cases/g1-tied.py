# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""G1: a parameter that embedding and head share: one owner, one reduction.

loss = sum(w * (w * x)): as embedding w has the gradient w * x, as head w * x
too; what is reduced is their sum, once, in one unit or two.
"""

import re

import numpy as np
from cases import compiled, equal, run

STEP = """
func.func @step(%w: tensor<6xf32> {fsdp.param = "m.wte.weight", fsdp.aliases = ["m.lm_head.weight"]},
                %x: tensor<6xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<6xf32> {fsdp.grad = "m.wte.weight"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<6xf32>
  %h = linalg.mul ins(%w, %x : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %loss = linalg.dot ins(%w, %h : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %embedding = linalg.mul ins(%w, %x : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %dw = linalg.add ins(%embedding, %h : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %loss, %dw : tensor<f32>, tensor<6xf32>
}
"""
weight = np.arange(6) + 1
x = np.array([[4 * rank + 2 * row for row in range(6)] for rank in range(4)])
gradient = 2 * weight * x.mean(axis=0)
for units, owner in [
    ("[]", "root"),
    ('[{match: "m.wte"}, {match: "m.lm_head"}]', "root"),
    ('[{match: "m"}, {match: "m.wte"}, {match: "m.lm_head"}]', "m"),
    ('[{match: "m"}, {match: "m.lm_head"}]', "m"),
]:
    plan = f"world: {{ranks: 4}}\nloss: {{mean: world}}\nunits: {units}\n"
    results = run(STEP, plan, [weight, x])
    equal(results["grad m.wte.weight"], [np.append(gradient, [0, 0])[2 * rank :][:2] for rank in range(4)])
    equal(results.sent()["reduce_scatter world f32"], 1)
    text, _ = compiled(STEP, plan)
    equal(re.findall(r"fsdp.unit = @(\w+)", text), [owner])
    equal(re.findall(r"fsdp.unit @(\w+) ", text), [owner])

# An optimizer keeps one state for it and updates it once.
plan += "optimizer: {name: momentum, lr: 1, momentum: 0.5}\n"
results = run(STEP, plan, [weight, x])
updated = weight - gradient
equal(results["updated m.wte.weight"], [np.append(updated, [0, 0])[2 * rank :][:2] for rank in range(4)])
