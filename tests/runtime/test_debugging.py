"""A debugger and a plain interpreter, as users run them, show generated lines and the user's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MODEL = """\
import numpy as np
import symdiff as sd


def scaled(x, w):
    r = x @ w
    return np.sum(np.tanh(r))


gradient = sd.grad(scaled)
gradient(np.ones((3, 2)), np.ones(2))
"""
DEBUGGED = """
import pdb

debugger = pdb.Pdb(skip=["symdiff.api.*"])
debugger.run("gradient(x, w)", {"gradient": gradient, "x": np.ones((3, 2)), "w": np.ones(2)})
"""
FAILING = "\ngradient(np.ones((3, 2)), np.ones(4))\n"


def run(
    text: str, folder: Path, commands: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """A file run by a Python of its own, commands on its standard input."""
    path = folder / "model.py"
    path.write_text(text, encoding="utf-8")
    inherited = {k: v for k, v in os.environ.items() if k != "SYMDIFF_VERIFY"}
    return subprocess.run(
        [sys.executable, str(path)],
        input=commands,
        env={**inherited, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_pdb_steps_into_generated_code_and_through_it(tmp_path: Path):
    commands = (
        "step\nstep\nstep\nlist\nnext\nnext\nprint(r.shape)\nnext\nprint(tanh_r[0])\nwhere\nc\n"
    )
    session = run(MODEL + DEBUGGED, tmp_path, commands).stdout
    assert "<symdiff entry>(1)enter()" in session
    assert "(1)scaled_grad()\n-> def scaled_grad(x, w):" in session
    assert "5  \t    # line 7: return np.sum(np.tanh(r))" in session  # what ``list`` shows
    assert "(3)scaled_grad()\n-> r = x @ w" in session
    assert "(4)scaled_grad()\n-> tanh_r = np.tanh(r)" in session
    assert "\n(Pdb) (3,)\n" in session
    assert "(6)scaled_grad()\n-> r_bar = 1.0 - tanh_r * tanh_r" in session
    assert "\n(Pdb) 0.964027580075816" in session  # tanh 2, as bc says
    assert "-> result = dispatch.first(*args)" in session  # where it was called from


def test_breakpoints_are_taken_in_files_that_were_dumped(tmp_path: Path):
    folder = tmp_path / "dump"
    run(MODEL, tmp_path, SYMDIFF_DUMP=str(folder))
    (path,) = folder.iterdir()
    commands = f"break {path}:8\ncontinue\nprint(r_bar.shape)\nquit\n"
    session = run(MODEL + DEBUGGED, tmp_path, commands, SYMDIFF_DUMP=str(folder)).stdout
    assert f"Breakpoint 1 at {path}:8" in session
    assert f"> {path}(8)scaled_grad()\n-> return np.outer(r_bar, w)" in session
    assert "\n(Pdb) (3,)\n" in session


def test_an_uncaught_error_shows_the_generated_line_and_the_users(tmp_path: Path):
    failed = run(MODEL + FAILING, tmp_path)
    assert failed.returncode == 1
    lines = failed.stderr.splitlines()
    generated = next(k for k, line in enumerate(lines) if "<symdiff scaled_grad " in line)
    assert "line 3, in scaled_grad" in lines[generated]
    user = next(k for k, line in enumerate(lines) if line.endswith('model.py", line 6, in scaled'))
    assert generated < user
    assert lines[user + 1] == "    r = x @ w"
    assert lines[user + 2].strip() == "~~^~~"
    shown = (
        "r = x @ w"
        if sys.version_info >= (3, 13)
        else ("line 3 of the generated scaled_grad: r = x @ w")
    )
    assert any(shown == line.strip() for line in (*lines[generated:user], lines[-1]))


def test_post_mortem_stands_at_the_generated_line_below_the_users(tmp_path: Path):
    caught = f"try:\n    {FAILING.strip()}\nexcept ValueError:\n    pdb.post_mortem()\n"
    text = f"{MODEL}\nimport pdb\n{caught}"
    session = run(text, tmp_path, "where\nup\nprint(w.shape)\nquit\n").stdout
    assert "model.py(6)scaled()\n-> r = x @ w" in session
    assert "(3)scaled_grad()\n-> r = x @ w" in session
    assert "\n(Pdb) (4,)\n" in session


@pytest.mark.parametrize("call", ["x @ w", "x @ (w +\n        0.0)", "'ä', x @ w"])
def test_carets_stand_under_the_failing_expression(tmp_path: Path, call: str):
    text = MODEL.replace("    r = x @ w\n", f"    r = {call}\n").replace("np.tanh(r)", "r")
    if "ä" in call:
        text = text.replace("np.sum(r)", "np.sum(r[1])")
    failed = run(text + FAILING, tmp_path)
    lines = failed.stderr.splitlines()
    user = next(k for k, line in enumerate(lines) if 'model.py", line 6, in scaled' in line)
    first = call.split("\n")[0]
    start = lines[user + 1].index("x @")
    assert lines[user + 1].strip() == f"r = {first}"
    marks = lines[user + 2]
    assert marks[start] in "~^"
    assert marks[:start].strip() == ""
