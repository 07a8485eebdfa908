# SPDX-License-Identifier: Apache-2.0
"""Reading, comparing and drawing of loss curves."""

import json
import math
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2] / "python"
sys.path.insert(0, str(ROOT))

from fsdp import Error, curve
from fsdp.__main__ import main

LOG = "ranks 8\nstep 1 loss 4.0 grad_norm 1.5\nstep 2 loss 3.0 grad_norm 1.25\ndone\n"


@pytest.fixture
def reference(tmp_path):
    path = tmp_path / "x.curve.json"
    adamw = {"losses": [4.0, 3.03, 2.0], "grad_norms": [1.5, 1.0, 0.5]}
    path.write_text(json.dumps({"optimizers": {"adamw": adamw, "broken": {}}}))
    return path


def test_parse():
    got = curve.parse_log(LOG)
    assert got == curve.Curve([1, 2], [4.0, 3.0], [1.5, 1.25])
    assert math.isnan(curve.parse_log("step 0 loss nan grad_norm inf").losses[0])


def test_parse_errors():
    with pytest.raises(Error, match="x:1: expected 'step K loss X grad_norm Y', but got 'step 1 loss a grad_norm 1'"):
        curve.parse_log("step 1 loss a grad_norm 1", "x")
    with pytest.raises(Error, match="x:2: expected .*, but got 'step 2 loss'"):
        curve.parse_log("\nstep 2 loss", "x")
    with pytest.raises(Error, match="but got none"):
        curve.parse_log("nothing here")


def test_reference(reference):
    want = curve.read_reference(reference, "adamw", first_step=1)
    assert want.steps == [1, 2, 3]
    assert curve.worst_difference(curve.parse_log(LOG), want) == pytest.approx(0.03 / 3.03)
    nan = curve.Curve([1], [math.nan], [0.0])
    assert curve.worst_difference(nan, want) == math.inf
    with pytest.raises(Error, match="expected a step from 1 to 3, but got 9 to 9"):
        curve.worst_difference(curve.Curve([9], [1.0], [1.0]), want)
    with pytest.raises(Error, match="expected one of the optimizers adamw, broken, but got 'sgd'"):
        curve.read_reference(reference, "sgd")
    with pytest.raises(Error, match="expected losses and grad_norms of equal length"):
        curve.read_reference(reference, "broken")


def test_plot(tmp_path, reference, capsys):
    pytest.importorskip("matplotlib")
    (tmp_path / "run.log").write_text(LOG)
    out = tmp_path / "curve.png"
    assert main(["curve", str(tmp_path / "run.log"), "-o", str(out), "--reference", str(reference)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    assert "worst relative loss difference: 0.0099" in capsys.readouterr().out


def test_no_matplotlib(tmp_path, monkeypatch, capsys):
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "run.log").write_text(LOG)
    assert main(["curve", str(tmp_path / "run.log"), "-o", str(tmp_path / "x.png")]) == 1
    assert capsys.readouterr().err.startswith("error: expected matplotlib for plots")


@pytest.mark.parametrize("args", [[], ["curve"], ["curve", "/none"], ["curves"], ["curve", "/none", "--bad"]])
def test_user_errors(args):
    command = [sys.executable, "-m", "fsdp", *args]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
