"""Lengths that are multiples of others where their parts meet: ``gates[3 * n:]`` beside ``n``."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff
from symdiff.ir.types import Dim, Multiple, Size, times_and_more
from symdiff.ops.keys import slice_dim
from symdiff.ops.sizes import product_dim, quotient_dim, sum_dim

N, FOUR = Size("n"), Size("(4*n)")


# Lengths ------------------------------------------------------------------------------------------


def test_a_multiple_is_a_size_of_its_own() -> None:
    assert product_dim([2, FOUR]) == Size("(8*n)")
    assert Multiple.of(Size("(4*n)", 3)) == Multiple(4, "n", 3)
    assert Multiple.of(Size("(4*n*m)")) == Multiple(1, "(4*n*m)")
    assert Multiple.of(Size("(4*n+1)")) == Multiple(1, "(4*n+1)")
    assert times_and_more(Size("n", 1), 3, 2) == Size("(3*n)", 5)


def test_parts_of_a_multiple_have_lengths_in_the_same_terms() -> None:
    two = Size("(2*n)")
    cases: list[tuple[Dim | None, Dim | None, Dim]] = [
        (None, N, N),
        (N, two, N),
        (Size("(3*n)"), None, N),
        (two, Size("(3*n)", 1), Size("n", 1)),
        (N, -1, Size("(3*n)", -1)),
        (-3, None, 3),
        (None, Size("(5*n)"), FOUR),
        (FOUR, None, 0),
        (two, N, 0),
    ]
    for start, stop, length in cases:
        assert slice_dim(FOUR, start, stop, None) == length


def test_parts_of_which_the_size_decides_are_open() -> None:
    for whole, start, stop in (
        (FOUR, Size("m"), None),
        (Size("n", 1), Size("(2*n)", -3), None),
        (FOUR, Size("n", -3), None),
        (FOUR, None, Size("n", -3)),
        (FOUR, Size("m", open=True), None),
    ):
        found = slice_dim(whole, start, stop, None)
        assert isinstance(found, Size)
        assert found.open


def test_sums_and_quotients_of_multiples() -> None:
    assert sum_dim([N, N, N]) == Size("(3*n)")
    assert sum_dim([N, 2, FOUR]) == Size("(5*n)", 2)
    assert quotient_dim([FOUR], [4]) == N
    assert quotient_dim([FOUR, Size("m")], [N]) == Size("(4*m)")
    assert quotient_dim([Size("(6*n)")], [4]).open  # type: ignore[union-attr]


# Programs -----------------------------------------------------------------------------------------


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def stacked_gates(p: np.ndarray, q: np.ndarray) -> Any:
    n, state = q.shape[0], q
    for _ in range(3):
        gates = p * 0.5 + np.sin(p)
        state = sigmoid(gates[:n]) * state + sigmoid(gates[n : 2 * n]) * np.tanh(gates[2 * n :])
    return np.sum(state**2)


def split_gates(p: np.ndarray, q: np.ndarray) -> Any:
    state = q
    for _ in range(2):
        i, f = np.split(np.cos(p), 2)
        state = i * state + f * np.tanh(state)
    return np.sum(state**2)


def gates_by_ends(p: np.ndarray, q: np.ndarray) -> Any:
    n, state = q.shape[0], q
    for _ in range(2):
        i, f, g = np.cos(p[:n]), np.sin(p[n : 2 * n]), p[2 * n : 3 * n]
        state = i * state + f * np.tanh(state) * g
    return np.sum(state**2)


def halves(p: np.ndarray, q: np.ndarray) -> Any:
    n = len(p) // 2
    return np.sum(p[:n] * q**2) + np.sum(p[n : 2 * n] * np.sin(q))


def by_rows(p: np.ndarray, q: np.ndarray) -> Any:
    a, b, c = p.reshape(3, -1)
    return np.sum(a * q**2 + np.sin(b) * c * q)


def joined_parts(p: np.ndarray, q: np.ndarray) -> Any:
    z = np.concatenate((q, q**2, np.sin(q)))
    n = q.shape[0]
    return np.sum(z[n : 2 * n] * z[2 * n :]) + np.sum((z[:n] - p) ** 2)


def one_more_than_twice(p: np.ndarray, q: np.ndarray) -> Any:
    n = q.shape[0]
    return np.sum(p[n + 1 :] * q**2) + np.sum(np.sin(p[1 : n + 1]) * q)


def written_in_parts(p: np.ndarray, q: np.ndarray) -> Any:
    n, out = q.shape[0], p * 1.0
    for _ in range(2):
        out[n:] = q * out[:n] + np.sin(q)
    return np.sum(out**2)


CASES: list[tuple[Callable[..., Any], list[tuple[int, ...]]]] = [
    (stacked_gates, [(9, 3), (7, 3), (3, 1), (6, 2), (4, 1), (9, 3)]),
    (split_gates, [(6, 3), (2, 3), (6, 1), (4, 2), (2, 1)]),
    (gates_by_ends, [(9, 3), (12, 3), (6, 2), (3, 1), (9, 3), (11, 3), (4, 1)]),
    (halves, [(6, 3), (7, 3), (6, 1), (2, 1), (4, 2), (3, 3)]),
    (by_rows, [(9, 3), (6, 2), (9, 1), (3, 1), (3, 4)]),
    (joined_parts, [(3, 3), (1, 3), (4, 4), (3, 1), (1, 1)]),
    (one_more_than_twice, [(7, 3), (5, 2), (3, 1), (4, 1), (9, 4)]),
    (written_in_parts, [(6, 3), (4, 2), (2, 1), (8, 4)]),
]
BY_NAME = pytest.mark.parametrize(
    ("function", "shapes"), CASES, ids=lambda case: getattr(case, "__name__", "")
)


def _points(shapes: Sequence[Any]) -> list[np.ndarray]:
    numbers = np.random.default_rng(5)
    return [numbers.uniform(0.3, 1.2, shape) for shape in shapes]


def _step(function: Callable[..., Any], point: list[Any], along: list[Any]) -> Any:
    """The slope by the complex step."""
    moved = [x + 1e-30j * t for x, t in zip(point, along, strict=True)]
    return np.imag(function(*moved)) / 1e-30


@pytest.mark.parametrize("backwards", [False, True])
@BY_NAME
def test_gradients_are_right_whichever_lengths_came_first(
    function: Callable[..., Any], shapes: list[tuple[int, ...]], backwards: bool
) -> None:
    gradient, pair = symdiff.grad(function, argnums=(0, 1)), symdiff.differentiable(function)
    for lengths in shapes[::-1] if backwards else shapes:
        point, along = _points(lengths), [t - 0.7 for t in _points(lengths)]
        expected = _step(function, point, along)
        value, saved = pair.forward(*point)
        slope = symdiff.jvp(function, tuple(point), tuple(along))[1]
        for parts in (gradient(*point), pair.backward(saved)):
            assert [part.shape for part in parts] == [x.shape for x in point]
            total = sum(np.sum(part * t) for part, t in zip(parts, along, strict=True))
            np.testing.assert_allclose(total, expected, rtol=1e-12)
        assert value == function(*point)
        np.testing.assert_allclose(slope, expected, rtol=1e-12)


@BY_NAME
def test_second_derivatives_are_right(
    function: Callable[..., Any], shapes: list[tuple[int, ...]]
) -> None:
    for lengths in shapes[:3]:
        point, along = _points(lengths), [t - 0.7 for t in _points(lengths)]
        found = symdiff.hvp(function, argnums=(0, 1))(*point, tuple(along))
        total = sum(np.sum(part * t) for part, t in zip(found, along, strict=True))
        h = 1e-3
        slopes = [
            _step(function, [x + k * h * t for x, t in zip(point, along, strict=True)], along)
            for k in (-2, -1, 1, 2)
        ]
        expected = (slopes[0] - 8 * slopes[1] + 8 * slopes[2] - slopes[3]) / (12 * h)
        np.testing.assert_allclose(total, expected, rtol=1e-8, atol=1e-9)


@BY_NAME
def test_nothing_is_asked_at_run_time_where_lengths_fit(
    function: Callable[..., Any], shapes: list[tuple[int, ...]]
) -> None:
    gradient = symdiff.grad(function, argnums=(0, 1))
    assert "== 1" not in str(gradient.source(*_points(shapes[0])))


def test_one_program_serves_all_sizes_that_fit() -> None:
    def two_parts(p: np.ndarray, q: np.ndarray) -> Any:
        return np.sum(p[: len(q)] * p[len(q) :] * q)

    gradient = symdiff.grad(two_parts)
    for n in range(2, 40):
        gradient(*_points((2 * n, n)))
    (line,) = gradient.signatures()
    assert line == "two_parts_grad(p: float64[2*q.shape[0]], q: float64[q.shape[0]])"


def test_lengths_that_only_lie_within_others_are_not_rested_on() -> None:
    """The first few of any number: that these are twice as many is an accident."""

    def first_few(p: np.ndarray, q: np.ndarray) -> Any:
        return np.sum(p[: len(q)] * q**2)

    gradient = symdiff.grad(first_few)
    for length in (6, 7, 9, 12):
        gradient(*_points((length, 3)))
    assert len(gradient.signatures()) == 1


def test_parts_that_end_where_the_array_ends_fit_longer_arrays_too() -> None:
    def first_few(p: np.ndarray, q: np.ndarray) -> Any:
        return np.sum(p[: len(q)] * q**2)

    gradient = symdiff.grad(first_few)
    for more in (0, 3, 1, 0):
        p, q, rest = _points((3, 3, more))
        np.testing.assert_array_equal(gradient(np.append(p, rest), q), np.append(q**2, 0.0 * rest))
    assert len(gradient.signatures()) == 2


def test_lengths_that_do_not_broadcast_raise_what_numpy_does() -> None:
    gradient = symdiff.grad(stacked_gates)
    gradient(*_points((9, 3)))
    for lengths in ((10, 3), (8, 3), (11, 4), (2, 3)):
        with pytest.raises(ValueError, match="could not be broadcast"):
            stacked_gates(*_points(lengths))
        with pytest.raises(ValueError, match="could not be broadcast"):
            gradient(*_points(lengths))


def test_types_are_spelled_as_multiples() -> None:
    gradient = symdiff.grad(stacked_gates, argnums=(0, 1))
    source = str(gradient.source("float64[3*n]", "float64[n]"))
    assert "== 1" not in source
    assert source == str(gradient.source(*_points((9, 3))))


def test_a_module_says_which_lengths_belong_together(tmp_path: Path) -> None:
    path = tmp_path / "taken.py"
    symdiff.grad(stacked_gates, argnums=(0, 1)).export(path, *_points((9, 3)))
    gradient = runpy.run_path(str(path))["stacked_gates_grad"]
    point = _points((12, 4))
    expected = symdiff.grad(stacked_gates, argnums=(0, 1))(*point)
    for found, part in zip(gradient(*point), expected, strict=True):
        np.testing.assert_array_equal(found, part)
    with pytest.raises(TypeError, match=r"axis 0 of q must have length 4 \(n\), not 3"):
        gradient(*_points((12, 3)))
    with pytest.raises(TypeError, match=r"axis 0 of p must have length 9 \(3\*n\), not 10"):
        gradient(*_points((10, 3)))


def test_a_module_of_long_arrays_has_examples_that_fit(tmp_path: Path) -> None:
    path = tmp_path / "taken.py"
    symdiff.grad(stacked_gates).export(path, *_points((3000, 1000)))
    _check(path)
    symdiff.grad(stacked_gates).export(path, "float64[3*n]", "float64[n]")
    _check(path)


def _check(path: Path) -> None:
    """Let a module check itself."""
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(path), run_name="__main__")
    assert not left.value.code


GATES = np.linspace(0.2, 1.4, 9)


def of_a_global(q: np.ndarray) -> Any:
    return stacked_gates(GATES, q)


def test_a_global_is_a_multiple_of_an_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gradient = symdiff.grad(of_a_global)
    (q,) = _points((3,))
    assert "== 1" not in str(gradient.source(q))
    path = tmp_path / "taken.py"
    gradient.export(path, q)
    exported = runpy.run_path(str(path))["of_a_global_grad"]
    np.testing.assert_array_equal(exported(q), gradient(q))
    with pytest.raises(TypeError, match=r"q.shape\[0\] must be 3, not 2"):
        exported(q[1:])
    (line,) = gradient.signatures()
    assert "GATES.shape[0] == 3 * q.shape[0]" in line
    for length in (9, 7, 12):
        monkeypatch.setitem(globals(), "GATES", np.linspace(0.2, 1.4, length))
        for (x,) in (_points((3,)), _points((length // 3 if length % 3 == 0 else 3,))):
            if 3 * len(x) in (len(GATES), len(GATES) + 2):
                slope = _step(of_a_global, [x], [x - 0.7])
                np.testing.assert_allclose(gradient(x) @ (x - 0.7), slope, rtol=1e-12)


# A network of gates -------------------------------------------------------------------------------


def lstm(
    W: np.ndarray, b: np.ndarray, h: np.ndarray, c: np.ndarray, xs: np.ndarray, ys: np.ndarray
) -> Any:
    n, loss = h.shape[0], 0.0
    for t in range(xs.shape[0]):
        gates = W @ np.concatenate((xs[t], h)) + b
        kept, taken = sigmoid(gates[:n]), sigmoid(gates[n : 2 * n])
        c = kept * c + taken * np.tanh(gates[3 * n :])
        h = sigmoid(gates[2 * n : 3 * n]) * np.tanh(c)
        loss = loss + np.sum((h - ys[t]) ** 2)
    return loss


@pytest.mark.parametrize(
    ("n", "rows", "cells"), [(3, 12, 3), (3, 12, 1), (3, 10, 3), (2, 8, 2), (1, 4, 1)]
)
def test_gradients_of_a_network_of_gates(n: int, rows: int, cells: int) -> None:
    shapes = (rows, 2 + n), (rows,), (n,), (cells,), (4, 2), (4, max(n, cells))
    point, along = _points(shapes), [t - 0.7 for t in _points(shapes)]
    gradient = symdiff.grad(lstm, argnums=(0, 1, 2, 3, 4, 5))
    fitting = _points(((8, 4), (8,), (2,), (2,), (4, 2), (4, 2)))
    for given in (fitting, point, fitting):
        gradient(*given)
    total = sum(np.sum(part * t) for part, t in zip(gradient(*point), along, strict=True))
    np.testing.assert_allclose(total, _step(lstm, point, along), rtol=1e-12)
    slope = symdiff.jvp(lstm, tuple(point), tuple(along))[1]
    np.testing.assert_allclose(slope, total, rtol=1e-12)


def test_a_network_of_gates_asks_for_no_length() -> None:
    point = _points(((12, 5), (12,), (3,), (3,), (4, 2), (4, 3)))
    source = str(symdiff.grad(lstm, argnums=(0, 1, 2, 3)).source(*point))
    assert "== 1" not in source
    assert "keepdims" not in source


def test_a_batch_of_stacked_gates_is_right() -> None:
    point, along = _points(((5, 9), (3,))), [t - 0.7 for t in _points(((5, 9), (3,)))]

    def total(p: np.ndarray, q: np.ndarray) -> Any:
        return np.sum(symdiff.vmap(stacked_gates, in_axes=(0, None))(p, q))

    def by_rows_of(p: np.ndarray, q: np.ndarray) -> Any:
        return sum(stacked_gates(row, q) for row in p)

    found = symdiff.grad(total, argnums=(0, 1))(*point)
    slope = sum(np.sum(part * t) for part, t in zip(found, along, strict=True))
    np.testing.assert_allclose(slope, _step(by_rows_of, point, along), rtol=1e-12)
