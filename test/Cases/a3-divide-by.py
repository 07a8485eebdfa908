# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""A3: a loss over a count, where ranks and micro-batches count differently.

The loss is the sum of the losses over the sum of the counts; a mean of means
would be another number. Averaging micro-batches or adding them is the same,
since losses and counts are treated alike.
"""

from cases import equal, linear, run

PLAN = """
world: {ranks: 4}
loss: {sum: world, divide_by: tokens}
"""
WEIGHT = [1, 2, 3, 4]
INPUTS = [[4, 0, 8, 0], [0, 4, 0, 0], [0, 0, 0, 4], [4, 4, 0, 4]]  # sum 8, 8, 8, 8
COUNTS = [1, 2, 3, 2]  # sum 8


def counted(dtype, count):
    """A step that puts out `count`, of an input %c, as tokens."""
    step = linear(w=[4]).replace('"x:w"}', '"x:w"}, %c: tensor<f32> {fsdp.input = "c"}')
    step = step.replace("\n    -> (", f'\n    -> (tensor<{dtype}> {{fsdp.output = "tokens"}}, ')
    step = step.replace("return ", f"%n = {count}\nreturn %n, ")
    return step.replace(" : tensor<f32>, tensor<4xf32>\n}", f" : tensor<{dtype}>, tensor<f32>, tensor<4xf32>\n}}")


INTEGER = counted("i64", "arith.fptosi %c : tensor<f32> to tensor<i64>")
FLOAT = counted("f32", "arith.negf %c : tensor<f32>")
FIXED = counted("i32", "arith.constant dense<2> : tensor<i32>")

for step, counts, group in [(INTEGER, COUNTS, "world"), (FLOAT, [-n for n in COUNTS], "self")]:
    plan = PLAN + f"defaults: {{process_group: {group}}}\n"
    results = run(step, plan, [WEIGHT, INPUTS, counts])
    equal(results["grad w"], [[1, 1, 1, 1]] * 4 if group == "self" else [[1]] * 4)
    equal(results["loss"], [(28 + 8 + 16 + 28) / 8] * 4)
    equal(results["output tokens"], COUNTS)
    # The loss and its count; the gradient where it is not scattered.
    reduced = sum(count for what, count in results.sent().items() if what.startswith("all_reduce"))
    equal(reduced, 3 if group == "self" else 2)

# Two micro-batches that are alike: twice the sum over twice the count. A count
# that is the same for every batch is counted for each.
for how in ["mean", "sum"]:
    plan = PLAN + f"accumulate: {{steps: 2, reduce: {how}}}\n"
    for step, tokens in [(INTEGER, [[n, n] for n in COUNTS]), (FIXED, [2] * 4)]:
        results = run(step, plan, [WEIGHT, INPUTS, COUNTS])
        equal(results["grad w"], [[1]] * 4)
        equal(results["loss"], [80 / 8] * 4)
        equal(results["output tokens"], tokens)
