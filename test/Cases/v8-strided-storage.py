# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""V8: rows 0 to 5, split over tp = 2 and inside of that over shard = 2.

Within tp 0 the shards are [0, 1] and [2], within tp 1 [3, 4] and [5]; chunks of
the product, ceil(6 / 4) rows each, would be [0, 1], [2, 3], [4, 5], []. A plan
cannot split compute yet, so the cut and the gather are lowered from
`fsdp.reshard` and interpreted here, on every rank. The same storage with tp as
an axis along which the parameter varies does run.
"""

import re

import numpy as np
from cases import compiled, equal, linear, run

MODULE = """
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @shard = #fsdp.classes<[2, 2] from [4]>
  func.func @f(%x: tensor<6xf32>) -> (tensor<2xf32>, tensor<6xf32>) {
    %0 = fsdp.reshard %x of [6] from <[{}]> to <[{@tp, @shard}]> : tensor<6xf32> to tensor<2xf32>
    %1 = fsdp.reshard %0 of [6] from <[{@tp, @shard}]> to <[{}]> : tensor<2xf32> to tensor<6xf32>
    return %0, %1 : tensor<2xf32>, tensor<6xf32>
  }
}
"""
GROUPS = {"tp": [[0, 2], [1, 3]], "shard": [[0, 1], [2, 3]]}


def interpret(text, x):
    """The results of the lowered function on each of 4 ranks."""
    values = {"%x": [np.array(x)] * 4, "%arg0": [np.array(x)] * 4}
    for line in text.splitlines():
        rows = int(re.findall(r"tensor<(\d+)xf32>", line)[-1]) if "tensor<" in line else 0
        group = next((GROUPS[name] for name in GROUPS if f"over @{name} " in line), None)
        used = re.findall(r"%\w+", line)
        if "fsdp.slice" in line:
            source = values[used[1]]
            index = [next(c.index(rank) for c in group if rank in c) for rank in range(4)]
            values[used[0]] = [source[rank][rows * index[rank] :][:rows] for rank in range(4)]
        elif "fsdp.all_gather" in line:
            source = values[used[1]]
            members = [next(c for c in group if rank in c) for rank in range(4)]
            values[used[0]] = [np.concatenate([source[m] for m in members[rank]]) for rank in range(4)]
        elif "tensor.pad" in line:
            high = int(re.search(r"high\[(\d+)\]", line)[1])
            values[used[0]] = [np.pad(value, (0, high)) for value in values[used[1]]]
        elif "tensor.extract_slice" in line:
            values[used[0]] = [value[:rows] for value in values[used[1]]]
        elif "return" in line:
            return [values[name] for name in used]


text, _ = compiled(MODULE, "", "--fsdp-lower-reshards")
shards, whole = interpret(text, [10, 11, 12, 13, 14, 15])
equal(shards, [[10, 11], [12, 0], [13, 14], [15, 0]])
equal(whole, [[10, 11, 12, 13, 14, 15]] * 4)

# Ranks 0, 1 hold rows 0 to 2 and ranks 2, 3 hold rows 3 to 5, as varying.
plan = """
world: {ranks: 4}
process_groups: {tp: mod2, shard: set2}
loss: {mean: world}
shardings: [{match: w, varying: [tp]}]
defaults: {process_group: shard}
optimizer: {name: sgd, lr: 1}
"""
rows = np.array([[1, 2, 3]] * 2 + [[4, 5, 6]] * 2)
inputs = np.array([[rank * 4, 0, 4] for rank in range(4)])
results = run(linear(w=[3]), plan, [rows, inputs])
equal(results["updated w"], [[1 - 1, 2], [3 - 2, 0], [4 - 5, 5], [6 - 2, 0]])
