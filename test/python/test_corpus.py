# SPDX-License-Identifier: Apache-2.0
"""Reading and writing of corpus files."""

import json
import pathlib
import random
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))

from fsdp import Error
from fsdp.corpus import fill, read_safetensors, read_sidecar, write_safetensors


def raw(path, header, data=b""):
    """Writes a file with the given header, a value or text."""
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def test_roundtrip(tmp_path):
    tensors = {
        "scalar": np.float32(1.5),
        "empty": np.zeros((0, 3), np.int64),
        "mask": np.array([True, False, True]),
        **{t: np.arange(6, dtype=t).reshape(2, 3).T for t in ("i1", "i4", "i8", "f2", "f4", "f8")},
    }
    write_safetensors(tmp_path / "x", tensors, {"step": "3"})
    back = read_safetensors(tmp_path / "x")
    assert back.keys() == tensors.keys()
    for name, value in tensors.items():
        assert back[name].dtype == value.dtype and back[name].shape == value.shape
        assert np.array_equal(back[name], value) and back[name].flags.writeable


def test_bf16_is_widened(tmp_path):
    data = np.array([0x3F80, 0xC020, 0x7F80], "<u2").tobytes()
    x = read_safetensors(raw(tmp_path / "x", {"x": entry("BF16", [3], 0, 6)}, data))["x"]
    assert x.dtype == np.float32 and x.tolist() == [1.0, -2.5, np.inf]


@pytest.mark.parametrize(
    "header, data, message",
    [
        ("[]", b"", "expected a JSON object, but got list"),
        ("{", b"", "expected JSON, but got"),
        ("[" * 100000, b"", "expected JSON, but got"),
        ('{"a": {}, "a": {}}', b"", "expected JSON, but got a name twice"),
        ({"a": 1}, b"", "expected dtype .* for 'a', but got None"),
        ({"a": entry("U8", [1], 0, 1)}, b"0", "expected dtype .*, but got U8"),
        ({"a": entry([], [1], 0, 1)}, b"0", "expected dtype"),
        ({"a": entry("I8", [-1], 0, 1)}, b"0", r"expected sizes .*, but got \[-1\]"),
        ({"a": entry("I8", [1], 0, 2)}, b"00", "expected 1 of 2 bytes for 'a', but got 0 to 2"),
        ({"a": entry("I8", [2], 0, 2)}, b"0", "expected 2 of 1 bytes for 'a', but got 0 to 2"),
        ({"a": entry("I8", [2], 0, 2), "b": entry("I8", [2], 1, 3)}, b"000", "expected a tensor at byte 2"),
        ({"a": entry("I8", [1], 0, 1)}, b"00", "expected 1 bytes of data, but got 2"),
    ],
)
def test_malformed(tmp_path, header, data, message):
    with pytest.raises(Error, match=message):
        read_safetensors(raw(tmp_path / "x", header, data))


def test_mutations_give_errors_only(tmp_path):
    write_safetensors(tmp_path / "x", {"a": np.ones((2, 3), "f4"), "b": np.zeros(4, "i8")})
    good = (tmp_path / "x").read_bytes()
    random.seed(0)
    for _ in range(2000):
        bad = bytearray(good[: random.choice([len(good), random.randrange(len(good))])])
        if bad:
            bad[random.randrange(len(bad))] = random.choice(b'0123456789-{}[]",:e.\xff')
        (tmp_path / "y").write_bytes(bad)
        try:
            read_safetensors(tmp_path / "y")
        except Error as failure:
            assert "but got" in str(failure) and "\n" not in str(failure)


def test_unreadable_and_unwritable(tmp_path):
    with pytest.raises(Error, match="expected a readable file, but got No such file"):
        read_safetensors(tmp_path / "none")
    with pytest.raises(Error, match="expected a writable file, but got No such file"):
        write_safetensors(tmp_path / "none" / "x", {})
    with pytest.raises(Error, match="expected a tensor of type .*, but got complex64 for 'c'"):
        write_safetensors(tmp_path / "x", {"c": np.zeros(1, "c8")})


def test_sidecar(tmp_path):
    (tmp_path / "x.json").write_text('{"args": []}')
    assert read_sidecar(tmp_path / "x.json") == {"args": []}


def test_fill():
    x = fill({"kind": "hash", "k": 2, "scale": 0.02, "bias": 1.0}, [2, 2], np.float32)
    want = [((i * 2654435761 + 3 * 40503) % 2**32 / 2**32 - 0.5) * 0.02 + 1 for i in range(4)]
    assert x.dtype == np.float32 and np.array_equal(x, np.float32(want).reshape(2, 2))
    y = fill({"kind": "hash_int", "k": 0, "mod": 7}, [5], np.int64)
    assert y.tolist() == [((i * 2654435761 + 40503) % 2**32 >> 8) % 7 for i in range(5)]
    with pytest.raises(Error, match="expected kind hash"):
        fill({"kind": "zero", "k": 0}, [1], np.float32)
