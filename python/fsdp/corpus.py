# SPDX-License-Identifier: Apache-2.0
"""Files of the corpus: safetensors, and the JSON sidecars beside modules.

A safetensors file is eight bytes (the header's length, little-endian), a JSON
header, and the data. `argN` is an argument, `outN` the result to expect.
"""

import json
import math
import os

import numpy as np

from . import Error

# BF16 is not here: numpy has no such type.
_DTYPES = {
    "BOOL": np.dtype("?"),
    "I8": np.dtype("i1"),
    "F16": np.dtype("<f2"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
}
_MAX_HEADER = 100_000_000  # bytes; the reference implementation's limit


def read_safetensors(path):
    """Reads a safetensors file.

    Returns a dict from name to array, each of the shape in the file and of the
    matching numpy type, in host memory and writable. BF16 becomes float32,
    which holds every bfloat16 exactly, so that nothing but numpy is needed.

    Raises `Error` if the file cannot be read or is not well-formed.
    """
    contents = _read(path)
    size = int.from_bytes(contents[:8], "little")
    limit = min(max(len(contents) - 8, 0), _MAX_HEADER)
    if len(contents) < 8 or size > limit:
        raise Error(f"{path}: expected a header of at most {limit} bytes, but got {size}")
    header = _parse(contents[8 : 8 + size], path)
    header.pop("__metadata__", None)
    data = contents[8 + size :]

    tensors, ranges = {}, []
    for name, entry in header.items():
        tensors[name], begin, end = _tensor(path, name, entry, data)
        ranges.append((begin, end))
    position = 0
    for begin, end in sorted(ranges):
        if begin != position:
            raise Error(f"{path}: expected a tensor at byte {position}, but got one at {begin}")
        position = end
    if position != len(data):
        raise Error(f"{path}: expected {position} bytes of data, but got {len(data)}")
    return tensors


def write_safetensors(path, tensors, metadata=None):
    """Writes arrays to a safetensors file.

    `tensors` is a dict from name to array of any shape, of type bool, int8,
    int32, int64, float16, float32 or float64; `metadata` a dict from string to
    string. A bfloat16 tensor that `read_safetensors` widened is written as F32.

    Raises `Error` for another type or name, or if the file cannot be written.
    """
    names = {dtype: name for name, dtype in _DTYPES.items()}
    header = {"__metadata__": dict(metadata)} if metadata else {}
    chunks, begin = [], 0
    # Wide types first, so that all data are aligned.
    arrays = [(name, np.asarray(value)) for name, value in tensors.items()]
    for name, array in sorted(arrays, key=lambda item: -item[1].itemsize):
        dtype = names.get(array.dtype)
        if dtype is None or name == "__metadata__":
            raise Error(f"{path}: expected a tensor of type {', '.join(_DTYPES)}, but got {array.dtype} for {name!r}")
        chunks.append(array.tobytes())
        end = begin + len(chunks[-1])
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    try:
        with open(path, "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            file.writelines(chunks)
    except OSError as failure:
        raise Error(f"{path}: expected a writable file, but got {failure.strerror}") from None


def read_sidecar(path):
    """Reads a module's JSON sidecar, or a reference curve.

    Returns the object as a dict: `args` and `results` list attributes, `shape`
    and `dtype` in order; `fill` and `expected`, if there, say how to make the
    arguments and what numbers a step gives.

    Raises `Error` if the file cannot be read or is not a JSON object.
    """
    return _parse(_read(path), path)


def fill(entry, shape, dtype):
    """Makes one argument from its entry in a sidecar's `fill`.

    `shape` is a list of sizes, `dtype` a numpy type. Returns an array: for
    kind `hash`, u * scale + bias with u in [-0.5, 0.5) by a hash of the
    element's number; for `hash_int`, integers in [0, mod).

    Raises `Error` if the entry is not of that form.
    """
    try:
        k = int(entry["k"])
        index = np.arange(math.prod(shape), dtype=np.uint64)
        hashed = (index * np.uint64(2654435761) + np.uint64((k + 1) * 40503)) % np.uint64(1 << 32)
        if entry["kind"] == "hash":
            values = (hashed / 4294967296.0 - 0.5) * entry["scale"] + entry["bias"]
        elif entry["kind"] == "hash_int" and entry["mod"] > 0:
            values = (hashed >> np.uint64(8)) % np.uint64(entry["mod"])
        else:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise Error(f"expected kind hash with k, scale and bias or hash_int with k and mod, but got {entry}") from None
    return values.astype(dtype).reshape(shape)


def _read(path):
    """The contents of a file, in bytes."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as failure:
        raise Error(f"{os.fspath(path)}: expected a readable file, but got {failure.strerror}") from None


def _parse(text, path):
    """The JSON object that `text` (bytes) spells; no name may come twice."""

    def unique(pairs):
        names = dict(pairs)
        if len(names) != len(pairs):
            raise ValueError("a name twice")
        return names

    try:
        value = json.loads(text.decode(), object_pairs_hook=unique)
    except (ValueError, RecursionError) as failure:
        raise Error(f"{path}: expected JSON, but got {failure}") from None
    if not isinstance(value, dict):
        raise Error(f"{path}: expected a JSON object, but got {type(value).__name__}")
    return value


def _tensor(path, name, entry, data):
    """One tensor of a header: its array, and where it begins and ends."""

    def natural(value):
        return type(value) is int and value >= 0

    fields = entry if isinstance(entry, dict) else {}
    dtype, shape, offsets = (fields.get(key) for key in ("dtype", "shape", "data_offsets"))
    if dtype not in (*_DTYPES, "BF16"):
        raise Error(f"{path}: expected dtype {', '.join(_DTYPES)} or BF16 for {name!r}, but got {dtype}")
    if not isinstance(shape, list) or not all(map(natural, shape)):
        raise Error(f"{path}: expected sizes that are at least 0 as shape of {name!r}, but got {shape}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(natural, offsets)):
        raise Error(f"{path}: expected two offsets as data_offsets of {name!r}, but got {offsets}")
    begin, end = offsets
    size = math.prod(shape) * (2 if dtype == "BF16" else _DTYPES[dtype].itemsize)
    if end - begin != size or end > len(data):
        raise Error(f"{path}: expected {size} of {len(data)} bytes for {name!r}, but got {begin} to {end}")
    if dtype == "BF16":
        # A bfloat16 is the upper half of a float32.
        bits = np.frombuffer(data[begin:end], "<u2").astype("<u4") << 16
        return bits.view("<f4").reshape(shape), begin, end
    return np.frombuffer(data[begin:end], _DTYPES[dtype]).reshape(shape).copy(), begin, end
