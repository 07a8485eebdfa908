# SPDX-License-Identifier: Apache-2.0
"""The GPT step in PyTorch: eager or compiled by inductor (gradients only), or
by FSDP2 over gloo with AdamW, one process per rank under torchrun."""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import settings
import workload

SYSTEMS = ["eager", "inductor", "fsdp2", "fsdp2-no-reshard"]


class Layer(nn.Module):
    """Parameters below one prefix, under the names of the exported step."""

    def __init__(self, parameters, prefix=""):
        super().__init__()
        for name, value in parameters.items():
            leaf = name.removeprefix(prefix)
            if name.startswith(prefix) and "." not in leaf:
                self.register_parameter(leaf, nn.Parameter(torch.from_numpy(value)))

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], getattr(self, name + "_w"),
                            getattr(self, name + "_b"), settings.EPSILON)


class Block(Layer):
    """Attention with its softmax spelled out, and an MLP."""

    def __init__(self, parameters, prefix, length):
        super().__init__(parameters, prefix)
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.norm(x, "ln1") @ self.wqkv + self.bqkv
        q, k, v = (qkv.reshape(batch, length, -1, 3, settings.HEAD_SIZE)
                   .permute(3, 0, 2, 1, 4).unbind(0))
        scores = q @ k.transpose(-1, -2) * settings.HEAD_SIZE**-0.5
        weights = torch.softmax(scores.masked_fill(self.future, float("-inf")), -1)
        heads = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        x = x + heads @ self.wo + self.bo
        hidden = self.norm(x, "ln2") @ self.w1 + self.b1
        return x + F.gelu(hidden, approximate="tanh") @ self.w2 + self.b2


class Model(Layer):
    """Token and position embeddings, blocks, head, mean cross-entropy."""

    def __init__(self, parameters, length):
        super().__init__(parameters)
        self.h = nn.ModuleList(Block(parameters, f"h.{i}.", length)
                               for i in range(workload.count_blocks(parameters)))

    def forward(self, x, y):
        hidden = F.embedding(x, self.wte) + self.wpe
        for block in self.h:
            hidden = block(hidden)
        logits = self.norm(hidden, "lnf") @ self.head
        return F.cross_entropy(logits.flatten(0, 1), y.flatten())


class WireBytes(TorchDispatchMode):
    """Bytes that each rank sends if collectives are rings, as fsdp-run counts
    them. A collective that is not listed is an error."""

    FACTORS = {"_allgather_base_": 1, "_reduce_scatter_base_": 1, "allreduce_": 2}

    def __init__(self, ranks):
        super().__init__()
        self.ranks, self.total = ranks, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.namespace == "c10d":
            factor = self.FACTORS[function._schema.name.split("::")[1]]
            whole = max(sum(t.nbytes for t in tree_leaves(argument)
                            if isinstance(t, torch.Tensor)) for argument in args)
            self.total += factor * (self.ranks - 1) * whole // self.ranks
        return function(*args, **(kwargs or {}))


def describe_product(rows, width):
    """How fast torch's library is at the MLP's first product: step times differ
    for this alone where it favours another processor."""
    left, right = torch.rand(rows, width), torch.rand(width, 4 * width)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        left @ right
        times.append(time.perf_counter() - start)
    rate = 2 * left.numel() * 4 * width / min(times) / 1e9
    return f"a product {rows} x {width} x {4 * width} alone: {rate:.1f} GFLOP/s"


def run_unsharded(model, batch, options, base):
    """Forward and backward in one process."""
    function = model if options.system == "eager" else torch.compile(model, fullgraph=True)

    def step():
        loss = function(*batch)
        loss.backward()
        model.zero_grad()
        return loss.detach()

    times, losses, peak = workload.measure(step, options.steps)
    note = describe_product(batch[0].numel(), model.wpe.shape[1])
    workload.report(times, losses, peak - base, note=note)


def run_fsdp2(model, batch, options, base):
    """Forward, backward and AdamW on this rank's rows, a unit per block."""
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    for block in model.h:
        fully_shard(block, mesh=mesh, reshard_after_forward=options.system == "fsdp2")
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, **settings.ADAMW)
    rows = [value.chunk(ranks)[rank] for value in batch]

    def step():
        loss = model(*rows)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    times, losses, peak = workload.measure(step, options.steps, dist.barrier)
    with WireBytes(ranks) as wire:
        step()
    # A step takes as long as on its slowest rank; the rest are means.
    slowest = torch.tensor(times, dtype=torch.float64)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    sums = torch.tensor([*losses, peak - base, wire.total], dtype=torch.float64)
    dist.all_reduce(sums)
    *losses, resident, sent = (sums / ranks).tolist()
    if rank == 0:
        workload.report(slowest.tolist(), losses, resident, sent)
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # Threads of gloo sometimes abort on the ordinary way out.


def main():
    base = workload.memory("VmRSS")
    options = workload.parse_arguments(__doc__, SYSTEMS)
    torch.set_num_threads(options.threads)
    parameters, x, y = workload.load(options.sidecar)
    model = Model(parameters, x.shape[1])
    run = run_fsdp2 if "RANK" in os.environ else run_unsharded
    run(model, [torch.from_numpy(x), torch.from_numpy(y)], options, base)


if __name__ == "__main__":
    main()
