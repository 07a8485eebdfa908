# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V2: rows over ranks. Chunks of ceil(rows / ranks) rows, padded with zeros.

A rank with no rows takes part in every collective: each case has such ranks or
a short chunk, and hangs or differs if one stays away. After two steps of an
optimizer that decays weights the padding is still zero, and so it is behind an
update that the step brings along and that would make padding one.
"""

import numpy as np
from cases import equal, linear, run

OWN_UPDATE = """
#id = affine_map<(d0) -> (d0)>
func.func @step(%w: tensor<5xf32> {fsdp.param = "w"}, %x: tensor<5xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<5xf32> {fsdp.updated = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %loss = linalg.dot ins(%w, %x : tensor<5xf32>, tensor<5xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %dw = linalg.copy ins(%x : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32> loc("w"("bwd"))
  %next = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%w, %dw : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %0 = arith.subf %a, %g : f32
    %1 = arith.addf %0, %one : f32
    linalg.yield %1 : f32
  } -> tensor<5xf32> loc("w"("opt"))
  return %loss, %next : tensor<f32>, tensor<5xf32>
}
"""

for rows, ranks, counts in [
    (5, 4, [2, 2, 1, 0]),
    (6, 4, [2, 2, 2, 0]),
    (9, 4, [3, 3, 3, 0]),
    (20, 8, [3, 3, 3, 3, 3, 3, 2, 0]),
    (3, 8, [1, 1, 1, 0, 0, 0, 0, 0]),
]:
    weight = np.arange(2.0 * rows).reshape(rows, 2) + 1
    inputs = np.array([np.full((rows, 2), ranks * (rank + 1)) + ranks * weight for rank in range(ranks)])
    mean = inputs.mean(axis=0)
    plan = f"world: {{ranks: {ranks}}}\nloss: {{mean: world}}\n"

    def stored(whole):
        """One chunk per rank by the counts of the case."""
        chunks, start = [], 0
        for count in counts:
            chunk = np.zeros((max(counts), 2))
            chunk[:count] = whole[start : start + count]
            chunks.append(chunk)
            start += count
        assert start == rows
        return chunks

    results = run(linear(w=[rows, 2]), plan, [weight, inputs])
    equal(results["grad w"], stored(mean))

    # w -= 0.5 * (m + 0.5 * w), twice: with momentum 0 the state is that sum.
    plan += "optimizer: {name: momentum, momentum: 0.5, lr: 0.5, weight_decay: 0.5}\n"
    results = run(linear(w=[rows, 2]), plan, [weight, inputs], "--steps=2")
    state, updated = 0, weight
    for _ in range(2):
        state = 0.5 * state + mean + 0.5 * updated
        updated = updated - 0.5 * state
    equal(results["updated w"], stored(updated))
    equal(results["updated_state momentum_buffer:w"], stored(state))

inputs = [[4 * row * rank for row in range(5)] for rank in range(4)]
results = run(OWN_UPDATE, "world: {ranks: 4}\nloss: {mean: world}\n", [[1, 2, 3, 4, 5], inputs])
equal(results["updated w"], [[2 - 0, 3 - 6], [4 - 12, 5 - 18], [6 - 24, 0], [0, 0]])
