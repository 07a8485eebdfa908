# SPDX-License-Identifier: Apache-2.0
"""The GPT step in JAX on the CPU: on one device (gradients only), or FSDP with
AdamW on as many devices as there are threads. The partitioner inserts the
collectives (gspmd), or the step has them written out (shard-map)."""
import math
import os
import re

import settings
import workload

SYSTEMS = ["one", "gspmd", "shard-map"]
OPTIONS = workload.parse_arguments(__doc__, SYSTEMS)
DEVICES = 1 if OPTIONS.system == "one" else OPTIONS.threads
# The pool of the client, and the flags that bound it, are read on import.
os.environ.update(
    JAX_PLATFORMS="cpu", NPROC=str(OPTIONS.threads),
    XLA_FLAGS=f"--xla_force_host_platform_device_count={DEVICES} "
    f"--xla_cpu_multi_thread_eigen={str(OPTIONS.threads > DEVICES).lower()}")

import jax  # noqa: E402
from jax import numpy as jnp  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

AXIS = "fsdp"
# Parameters in their first dimension, as on the other systems; batches in rows.
SPLIT, WHOLE = PartitionSpec(AXIS), PartitionSpec()
# Bytes that a rank of n sends if collectives are rings, per byte of result.
FACTORS = {
    "all-gather": lambda n: (n - 1) / n,
    "all-reduce": lambda n: 2 * (n - 1) / n,
    "reduce-scatter": lambda n: n - 1,
    "all-to-all": lambda n: (n - 1) / n,
    "collective-permute": lambda n: 1,
}


def norm(x, weight, bias):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + settings.EPSILON) * weight + bias


def run_block(x, get):
    """Attention with its softmax spelled out, and an MLP."""
    batch, length, width = x.shape
    qkv = norm(x, get("ln1_w"), get("ln1_b")) @ get("wqkv") + get("bqkv")
    q, k, v = qkv.reshape(batch, length, -1, 3, settings.HEAD_SIZE).transpose(3, 0, 2, 1, 4)
    scores = q @ k.swapaxes(-1, -2) * settings.HEAD_SIZE**-0.5
    past = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(past, scores, -jnp.inf), -1)
    heads = (weights @ v).swapaxes(1, 2).reshape(batch, length, width)
    x = x + heads @ get("wo") + get("bo")
    hidden = norm(x, get("ln2_w"), get("ln2_b")) @ get("w1") + get("b1")
    return x + jax.nn.gelu(hidden, approximate=True) @ get("w2") + get("b2")


def get_loss(parameters, x, y, use=lambda value: value, pin=lambda value: value):
    """Mean cross-entropy. `use` makes a parameter whole, `pin` says how
    activations are split."""
    def get(name):
        return use(parameters[name])

    hidden = pin(get("wte")[x] + get("wpe"))
    for i in range(workload.count_blocks(parameters)):
        hidden = pin(run_block(hidden, lambda leaf: get(f"h.{i}.{leaf}")))
    logits = norm(hidden, get("lnf_w"), get("lnf_b")) @ get("head")
    rows = jnp.take_along_axis(jax.nn.log_softmax(logits), y[..., None], -1)
    return -rows.mean()


def update(parameters, gradients, first, second, count):
    """AdamW as torch has it."""
    adamw = settings.ADAMW
    beta1, beta2 = adamw["betas"]
    count += 1
    first = jax.tree.map(lambda m, g: beta1 * m + (1 - beta1) * g, first, gradients)
    second = jax.tree.map(lambda v, g: beta2 * v + (1 - beta2) * g * g, second, gradients)

    def step(p, m, v):
        root = jnp.sqrt(v / (1 - beta2**count)) + adamw["eps"]
        return (p * (1 - adamw["lr"] * adamw["weight_decay"])
                - adamw["lr"] * (m / (1 - beta1**count)) / root)

    return jax.tree.map(step, parameters, first, second), first, second, count


def make_gradient(mesh):
    """Loss and gradients of all devices, as the system gets them."""
    if OPTIONS.system == "one":
        return jax.value_and_grad(get_loss)
    if OPTIONS.system == "gspmd":
        rows = NamedSharding(mesh, SPLIT)
        return jax.value_and_grad(lambda *arguments: get_loss(
            *arguments, pin=lambda h: jax.lax.with_sharding_constraint(h, rows)))

    def local(parameters, x, y):
        # The transpose of a gather is a reduce-scatter.
        loss, gradients = jax.value_and_grad(lambda *arguments: get_loss(
            *arguments, use=lambda p: jax.lax.all_gather(p, AXIS, tiled=True)))(parameters, x, y)
        return jax.lax.pmean(loss, AXIS), jax.tree.map(lambda g: g / DEVICES, gradients)

    return jax.shard_map(local, mesh=mesh, in_specs=(SPLIT, SPLIT, SPLIT),
                         out_specs=(WHOLE, SPLIT), check_vma=False)


def count_wire_bytes(program):
    """What the collectives of an optimized program send per device."""
    total = 0
    for result, kind in re.findall(r" = (.+?) ([a-z-]+?)(?:-start)?\(", program):
        if kind in FACTORS:
            size = sum(4 * math.prod(map(int, filter(None, dims.split(","))))
                       for dims in re.findall(r"[a-z]32\[([\d,]*)\]", result))
            total += FACTORS[kind](DEVICES) * size
    return total


def main():
    base = workload.memory("VmRSS")
    parameters, x, y = workload.load(OPTIONS.sidecar)
    mesh = Mesh(jax.devices(), (AXIS,))
    split, whole = NamedSharding(mesh, SPLIT), NamedSharding(mesh, WHOLE)
    gradient = make_gradient(mesh)
    batch = jax.device_put((x.astype("int32"), y.astype("int32")), split)
    state = jax.device_put(parameters, split)
    zeros = [jax.tree.map(jnp.zeros_like, state) for _ in range(2)]
    state = (state, *zeros, jax.device_put(jnp.float32(0), whole))
    places = (split, split, split, whole)

    def train(state, x, y):
        loss, gradients = gradient(state[0], x, y)
        return loss, update(state[0], gradients, *state[1:])

    if OPTIONS.system == "one":
        state, compiled = state[0], jax.jit(gradient)
    else:
        compiled = jax.jit(train, donate_argnums=0, in_shardings=(places, split, split),
                           out_shardings=(whole, places))
    compiled = compiled.lower(state, *batch).compile()

    def step():
        nonlocal state
        loss, result = jax.block_until_ready(compiled(state, *batch))
        if OPTIONS.system != "one":
            state = result
        return loss

    times, losses, peak = workload.measure(step, OPTIONS.steps)
    plan = compiled.memory_analysis()
    planned = (plan.argument_size_in_bytes + plan.output_size_in_bytes
               + plan.temp_size_in_bytes - plan.alias_size_in_bytes)
    workload.report(times, losses, (peak - base) / DEVICES,
                    count_wire_bytes(compiled.as_text()), planned)


if __name__ == "__main__":
    main()
