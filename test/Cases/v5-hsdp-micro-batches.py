# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V5, B9 (accepted): HSDP on 2 x 2 ranks with two micro-batches that are summed.

Gradients of one element: 1, 2, 3, 4, then 10, 20, 30, 40: 27.5 on every rank.
All ranks and steps see the file's batch, so a buffer makes the second
micro-batch ten times the first. Reductions within a node are in the loop,
where they free the full gradient; the one across nodes waits for the last
micro-batch.
"""

from cases import compiled, equal, run

STEP = """
#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
#none = affine_map<() -> ()>
func.func @step(%w: tensor<2xf32> {fsdp.param = "w"}, %f: tensor<f32> {fsdp.buffer = "factor"},
                %x: tensor<2xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<2xf32> {fsdp.grad = "w"}, tensor<f32> {fsdp.updated = "factor"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %ten = arith.constant 10.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %e0 = tensor.empty() : tensor<f32>
  %dw = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel"]}
      ins(%x, %f : tensor<2xf32>, tensor<f32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %loss = linalg.dot ins(%w, %dw : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %next = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%f : tensor<f32>) outs(%e0 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %ten : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %loss, %dw, %next : tensor<f32>, tensor<2xf32>, tensor<f32>
}
"""
PLAN = """
world: {ranks: 4, ranks_per_node: 2}
loss: {mean: world}
accumulate: {steps: 2, reduce: sum}
defaults: {sharding_strategy: HYBRID_SHARD}
"""
VALUES = [[1, 0], 1, [[1, -2], [2, -4], [3, -6], [4, -8]]]

results = run(STEP, PLAN, VALUES)
equal(results["grad w"], [[27.5], [-55], [27.5], [-55]])
equal(results["loss"], [27.5] * 4)
equal(results["updated factor"], [100] * 4)
across = "local_rank_across_nodes"
equal(
    results.sent(),
    {
        "all_gather node f32": 2,
        "reduce_scatter node f32": 2,
        f"all_reduce {across} f32": 1,
        "all_reduce world f32": 1,
    },
)

text, _ = compiled(STEP, PLAN)
begin, end = text.index("scf.for"), text.index("scf.yield")
equal(["fsdp.reduce_scatter" in part for part in (text[:begin], text[begin:end], text[end:])], [False, True, False])
equal(["fsdp.all_reduce" in part for part in (text[:begin], text[begin:end], text[end:])], [False, False, True])

# The mean of micro-batches; and one group over all ranks.
results = run(STEP, PLAN.replace("sum", "mean"), VALUES)
equal(results["grad w"], [[13.75], [-27.5], [13.75], [-27.5]])
results = run(STEP, PLAN.replace("HYBRID_SHARD", "FULL_SHARD"), VALUES)
equal(results["grad w"], [[27.5], [-55], [0], [0]])
