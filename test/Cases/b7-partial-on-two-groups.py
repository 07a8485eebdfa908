# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""B7: a sum over two groups that becomes split over one of them.

It is reduced over both: inside it is reduce-scattered, and the pieces are
all-reduced across the other group, which a reduce-scatter alone would lose.
So is a sum that stays whole on one and goes nowhere on the other.
"""

import numpy as np
from cases import compiled, equal, run

# y_d = sum_bt x_btd; loss = sum_d y_d w_d: x is split in b over dp, t over tp.
STEP = """
#x = affine_map<(d, b, t) -> (b, t, d)>
#d3 = affine_map<(d, b, t) -> (d)>
#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<2x6x4xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.grad = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#x, #d3], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<2x6x4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%xi: f32, %sum: f32):
    %0 = arith.addf %sum, %xi : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32> loc("sum"("fwd"))
  %square = arith.mulf %y, %y : tensor<4xf32> loc("loss"("fwd"))
  %loss = linalg.generic {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"]}
      ins(%square, %w : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%yi: f32, %wi: f32, %sum: f32):
    %0 = arith.mulf %yi, %wi : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<f32> loc("loss"("fwd"))
  return %loss, %square : tensor<f32>, tensor<4xf32>
}
"""
X = np.arange(48).reshape(2, 6, 4) % 5
Y = X.sum(axis=(0, 1))

for pinned, kinds in [("[[tp]]", ["reduce_scatter", "all_reduce"]), ("[[dp]]", ["reduce_scatter", "all_reduce"]), ("[[]]", ["all_reduce"])]:
    plan = f"""
world: {{ranks: 6}}
mesh: {{dp: 2, tp: 3}}
batch: {{global: []}}
process_group: self
shardings: [{{match: x, dims: [[dp], [tp], []]}}]
activations: [{{match: "sum:out", dims: {pinned}}}]
"""
    if pinned == "[[tp]]":
        plan = plan.replace("ranks: 6", "ranks: 4").replace("tp: 3", "tp: 2")
    ranks = 4 if pinned == "[[tp]]" else 6
    results = run(STEP, plan, [np.ones(4), X])
    equal(results["loss"], [(Y**2).sum()] * ranks)
    equal(results["grad w"], [Y**2] * ranks)
    text, _ = compiled(STEP, plan)
    up_to = text[: text.index("arith.mulf")]
    equal([kind for kind in ("all_reduce", "reduce_scatter", "all_gather") if f"fsdp.{kind}" in up_to], sorted(kinds))
    equal([up_to.count(f"fsdp.{kind} ") for kind in sorted(kinds)], [1] * len(kinds))
