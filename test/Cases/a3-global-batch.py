# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""A3: a loss over the valid tokens of a global batch, of which ranks have unequal numbers.

The exported step divides the sum over all tokens by their count. Split over
ranks, both are summed before the division: the mean of the ranks' means would
be another number. With batches of their own, a sum with `divide_by` is that step.
"""

import numpy as np
from cases import equal, run


def step(counted):
    """loss = sum_bd v_b w_d x_bd, over sum_b v_b where `counted`; else that is an output."""
    division = "%loss = arith.divf %sum, %n : tensor<f32>" if counted else "%loss = arith.addf %sum, %zero : tensor<f32>"
    scale = "arith.divf %s, %k : f32" if counted else "arith.addf %s, %no : f32"
    return f"""
#x = affine_map<(d, b) -> (b, d)>
#w = affine_map<(d, b) -> (d)>
#v = affine_map<(d, b) -> (b)>
#none = affine_map<(d, b) -> ()>
#d = affine_map<(d) -> (d)>
#one = affine_map<(d) -> ()>
func.func @step(%w: tensor<2xf32> {{fsdp.param = "w"}}, %x: tensor<4x2xf32> {{fsdp.input = "x", fsdp.batch_dim = 0 : i64}},
                %v: tensor<4xf32> {{fsdp.input = "valid", fsdp.batch_dim = 0 : i64}})
    -> (tensor<f32> {{fsdp.loss}}, tensor<f32> {{fsdp.output = "tokens"}}, tensor<2xf32> {{fsdp.grad = "w"}}) {{
  %no = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<2xf32>
  %sum = linalg.generic {{indexing_maps = [#x, #w, #v, #none], iterator_types = ["reduction", "reduction"]}}
      ins(%x, %w, %v : tensor<4x2xf32>, tensor<2xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) {{
  ^bb0(%xi: f32, %wi: f32, %vi: f32, %s: f32):
    %0 = arith.mulf %xi, %wi : f32
    %1 = arith.mulf %0, %vi : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  }} -> tensor<f32>
  %n = linalg.reduce {{ arith.addf }} ins(%v : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  {division}
  %sums = linalg.generic {{indexing_maps = [#x, #v, #w], iterator_types = ["parallel", "reduction"]}}
      ins(%x, %v : tensor<4x2xf32>, tensor<4xf32>) outs(%zeros : tensor<2xf32>) {{
  ^bb0(%xi: f32, %vi: f32, %s: f32):
    %0 = arith.mulf %xi, %vi : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }} -> tensor<2xf32>
  %dw = linalg.generic {{indexing_maps = [#d, #one, #d], iterator_types = ["parallel"]}}
      ins(%sums, %n : tensor<2xf32>, tensor<f32>) outs(%zeros : tensor<2xf32>) {{
  ^bb0(%s: f32, %k: f32, %out: f32):
    %0 = {scale}
    linalg.yield %0 : f32
  }} -> tensor<2xf32>
  return %loss, %n, %dw : tensor<f32>, tensor<f32>, tensor<2xf32>
}}
"""


# Rank 0 has two valid tokens, rank 1 none, rank 2 and 3 one each.
X = np.array([[4, 8], [8, 4], [16, 4], [4, 0], [8, 8], [0, 4], [4, 4], [8, 16]])
VALID = np.array([1, 1, 0, 0, 1, 0, 0, 1])
GRAD = (X * VALID[:, None]).sum(axis=0) / VALID.sum()
PLAN = "world: {ranks: 4}\n"


def whole(text):
    """The same step with a batch of eight."""
    return text.replace("4x2xf32", "8x2xf32").replace("tensor<4xf32>", "tensor<8xf32>")


for group in ("self", "world"):
    results = run(whole(step(True)), f"{PLAN}batch: global\nprocess_group: {group}\n", [np.ones(2), X, VALID])
    equal(results["grad w"], [GRAD] * 4 if group == "self" else [GRAD[:1], GRAD[1:], [0], [0]])
    equal(results["loss"], [GRAD.sum()] * 4)
    equal(results["output tokens"], [4] * 4)

# Two of the eight tokens on each rank.
small = step(False).replace("4x2xf32", "2x2xf32").replace("tensor<4xf32>", "tensor<2xf32>")
divided = f"{PLAN}loss: {{sum: world, divide_by: tokens}}\nprocess_group: self\n"
results = run(small, divided, [np.ones(2), X.reshape(4, 2, 2), VALID.reshape(4, 2)])
equal(results["grad w"], [GRAD] * 4)
equal(results["loss"], [GRAD.sum()] * 4)
