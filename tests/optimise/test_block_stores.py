"""Blocks that store what they compute in parts of an array: each element in the order as before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir import signature
from symdiff.ir.signature import LONG

N = LONG + 12_345
LINE = np.random.default_rng(1).normal(size=N)
PLANE = np.random.default_rng(2).normal(size=(370, 290))


@pytest.fixture(autouse=True)
def _blocks_of_smaller_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "LARGE", LONG)


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def three_points(x: Any) -> Any:
    d = x[2:] - 2.0 * x[1:-1] + x[:-2]
    return np.sum(np.sqrt(1.0 + d * d) * np.exp(-0.1 * d) * x[1:-1])


def downwards(x: Any) -> Any:
    a, b, c = x[5:], x[2:-3], x[:-5]
    return np.sum(np.sin(a) * np.cos(b) * np.exp(-c * c) + a * b * c)


def two_lines(x: Any) -> Any:
    """What is stored goes into two arrays, of which the second is added up of four parts."""
    y = np.cos(x) * x + 0.5 * x * x
    d, e = y[3:] - y[:-3], y[1:] * y[:-1]
    return np.sum(d * d * np.cos(d)) + np.sum(np.tanh(e) * e * e)


def variation(x: Any) -> Any:
    """Both axes: neighbours in a row are stored in the rows that they are in."""
    across, along = x[1:, 1:] - x[1:, :-1], x[1:, 1:] - x[:-1, 1:]
    return np.sum(np.sqrt(across * across + along * along + 1e-2))


def laplacian(x: Any) -> Any:
    inner = x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4.0 * x[1:-1, 1:-1]
    return np.sum(np.tanh(inner) * inner * np.exp(-0.1 * inner))


CALLS = [
    (rosenbrock, LINE),
    (three_points, LINE),
    (downwards, LINE),
    (two_lines, LINE),
    (variation, PLANE),
    (laplacian, PLANE),
]


def told(function: Any, like: Any) -> Any:
    """A program for types alone, which knows no lengths and takes arrays as they are."""
    source = sd.grad(function).source("float64[n]" if like.ndim == 1 else "float64[n,m]")
    assert "stop" not in source
    space: dict[str, Any] = {"np": np}
    exec(source, space)
    return next(f for name, f in space.items() if name.endswith("_grad"))


@pytest.mark.parametrize(("function", "x"), CALLS)
def test_gradients_have_the_bits_of_whole_arrays(function: Callable[..., Any], x: Any) -> None:
    gradient, whole = sd.grad(function), told(function, x)
    source = gradient.source(x)
    assert ("16384" if x.ndim == 1 else "32768") in source
    stored = source.split("for start in", 1)[1]
    assert "+ 1:stop + 1" in stored or "+ 2:stop + 2" in stored or "+ 5:stop + 5" in stored
    for part in (x, x[: len(x) - 7], -x[::-1].copy()):
        found, expected = gradient(part), whole(part)
        np.testing.assert_array_equal(found, expected)
        assert np.signbit(found).tobytes() == np.signbit(expected).tobytes()


@pytest.mark.parametrize(("function", "x"), CALLS)
def test_slopes(function: Callable[..., Any], x: Any) -> None:
    v = np.random.default_rng(4).normal(size=x.shape)
    value, slope = sd.value_and_grad(function)(x)
    assert value == function(x)

    def difference(h: float) -> float:
        return float(function(x + h * v) - function(x - h * v)) / (2 * h)

    expected = (4.0 * difference(1e-4) - difference(2e-4)) / 3.0
    assert np.sum(slope * v) == pytest.approx(expected, rel=1e-6)


def test_each_length_around_the_ends_of_blocks() -> None:
    """The last block has one row, none, or all of them."""
    gradient, whole = sd.grad(rosenbrock), told(rosenbrock, LINE)
    for k in (7 * 16384 - 1, 7 * 16384, 7 * 16384 + 1, 7 * 16384 + 2):
        x = np.resize(LINE, k)
        np.testing.assert_array_equal(gradient(x), whole(x))


def test_arrays_stored_in_are_read_nowhere_else() -> None:
    """What the user stores is seen by what he reads of it between."""

    def stepped(x: Any) -> Any:
        u = np.zeros(x.shape)
        u[1:] = np.sin(x[1:]) * x[:-1] + x[1:] * x[1:]
        middle = np.sum(u * u)
        u[:-1] += np.cos(x[:-1]) * x[1:] * middle * 1e-6 + x[:-1]
        return np.sum(u * u * x) + middle

    v = np.random.default_rng(4).normal(size=N)
    value, slope = sd.value_and_grad(stepped)(LINE)
    assert value == stepped(LINE)
    h = 1e-4
    ends = [stepped(LINE + k * v) for k in (h, -h, 2 * h, -2 * h)]
    expected = (4.0 * (ends[0] - ends[1]) / (2 * h) - (ends[2] - ends[3]) / (4 * h)) / 3.0
    assert slope @ v == pytest.approx(expected, rel=1e-6)


def test_second_order() -> None:
    v = np.random.default_rng(4).normal(size=N)
    found = sd.hvp(rosenbrock)(LINE, v)
    expected = np.zeros(N)
    head, tail, by_head, by_tail = LINE[:-1], LINE[1:], v[:-1], v[1:]
    expected[:-1] += (1200.0 * head**2 - 400.0 * tail + 2.0) * by_head - 400.0 * head * by_tail
    expected[1:] += 200.0 * by_tail - 400.0 * head * by_head
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)
