"""Loops over blocks: which run over slices, and what they compute."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit.slices import slice_blocks
from symdiff.emit.text import Line, assembled, write
from symdiff.ops.support import blocks

BODY = "    y_part = x[start:stop]\n    z[:, start:stop] = y_part"


def line_of(tree: ast.stmt) -> Line:
    line = Line(tree)
    if isinstance(tree, ast.For):
        line.body, tree.body, line.kind = [line_of(one) for one in tree.body], [], "blocks"
    return line


def sliced(text: str) -> list[str]:
    lines = [line_of(tree) for tree in ast.parse(text).body]
    slice_blocks(lines, lambda hint: hint, lambda: "blocks")
    return list(write(lines).lines)


def loop(body: str = BODY, step: str = "256") -> str:
    return f"for start in range(0, n, {step}):\n    stop = start + {step}\n{body}"


def test_a_loop_over_blocks_runs_over_slices():
    inner = ["    y_part = x[part]", "    z[:, part] = y_part"]
    assert sliced(loop()) == ["for part in blocks(n, 256):", *inner]
    known = f"rows = k // m + 1\nz = np.empty(n)\n{loop(step='rows')}"
    assert sliced(known) == ["z = np.empty(n)", "for part in blocks(n, k // m + 1):", *inner]


def test_the_length_of_a_block_keeps_its_name_where_that_is_needed():
    for text in (
        f"rows = k\nk = 3\n{loop(step='rows')}",  # not the same any more
        f"rows = k\n{loop(step='rows')}\nw = rows",
        f"rows = {' + '.join(40 * ['k'])}\n{loop(step='rows')}",
    ):
        assert "for part in blocks(n, rows):" in sliced(text)
        assert any(line.startswith("rows = ") for line in sliced(text))


def test_a_loop_with_another_use_of_an_end_stays():
    for body in (f"{BODY}\n    w = start", f"{BODY}\n    w[start + 1:stop + 1] = 0"):
        assert sliced(loop(body)) == loop(body).split("\n")
    text = loop().replace("start + 256", "start + 255")
    assert sliced(text) == text.split("\n")


def test_loops_of_the_users_stay():
    (tree,) = ast.parse(loop()).body
    line = line_of(tree)
    line.kind = None
    slice_blocks([line], lambda hint: hint, lambda: "blocks")
    assert ast.unparse(assembled(line)) == loop()


@pytest.mark.parametrize("n", [0, 1, 4, 5, 8])
def test_blocks_are_all_places_once_and_in_order(n):
    places = np.arange(n)
    assert [k for part in blocks(n, 4) for k in places[part]] == list(range(n))


def test_a_gradient_over_blocks_is_right_and_is_exported(tmp_path):
    def loss(x, y):
        return np.sum(np.exp(np.sin(x) * y) * np.cos(x * y) + np.tanh(x - y))

    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 150_000))
    gradient = sd.grad(loss)
    assert "for part in blocks(x.shape[0], 16384):" in str(gradient.source(x, y))
    e, u = np.exp(np.sin(x) * y), x * y
    slope = y * np.cos(x) * e * np.cos(u) - y * np.sin(u) * e + 1.0 - np.tanh(x - y) ** 2
    np.testing.assert_allclose(gradient(x, y), slope, rtol=1e-12, atol=1e-12)
    path = tmp_path / "loss_grad.py"
    gradient.export(path, x, y)
    space: dict[str, object] = {"__name__": "loss_grad"}
    exec(path.read_text(), space)
    np.testing.assert_array_equal(space["loss_grad"](x, y), gradient(x, y))
