# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""B14: a product over a dimension that is split, which starts from a bias.

If every rank started from it, it would be counted |tp| times. The start becomes
a term of one rank only, and the sum over ranks has it once.
"""

import numpy as np
from cases import equal, run

# loss = sum (x w + b), with the product's accumulator starting from b.
STEP = """
func.func @step(%w: tensor<4x2xf32> {fsdp.param = "w"}, %b: tensor<3x2xf32> {fsdp.param = "b"},
                %x: tensor<3x4xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<3x2xf32> {fsdp.output = "y"}, tensor<4x2xf32> {fsdp.grad = "w"},
        tensor<3x2xf32> {fsdp.grad = "b"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %empty = tensor.empty() : tensor<4x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<3x4xf32>, tensor<4x2xf32>) outs(%b : tensor<3x2xf32>) -> tensor<3x2xf32>
  %loss = linalg.reduce { arith.addf } ins(%y : tensor<3x2xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %one = arith.constant dense<1.0> : tensor<3x2xf32>
  %t = linalg.transpose ins(%x : tensor<3x4xf32>) outs(%empty : tensor<4x3xf32>) permutation = [1, 0]
  %dw = linalg.matmul ins(%t, %one : tensor<4x3xf32>, tensor<3x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %loss, %y, %dw, %one : tensor<f32>, tensor<3x2xf32>, tensor<4x2xf32>, tensor<3x2xf32>
}
"""
X, W, B = np.arange(12).reshape(3, 4), np.arange(8).reshape(4, 2), np.array([[1, 2], [3, 4], [5, 6]])
Y = X @ W + B

for tp in (2, 4):
    plan = f"""
world: {{ranks: 4}}
mesh: {{dp: {4 // tp}, tp: {tp}}}
batch: {{global: []}}
process_group: self
shardings: [{{match: w, dims: [[tp], []]}}]
"""
    results = run(STEP, plan, [W, B, X])
    equal(results["loss"], [Y.sum()] * 4)
    equal(results["output y"], [Y] * 4)
    equal(results["grad b"], [np.ones((3, 2))] * 4)
    grad = np.split(X.T @ np.ones((3, 2)), tp)
    equal(results["grad w"], [grad[rank % tp] for rank in range(4)])
    equal(results.sent(), {"all_reduce tp f32": 2})  # The output, and the loss.
