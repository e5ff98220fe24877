"""Functions that call a function of the user's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.7, -1.5]])


def hat(x, a):
    return np.piecewise(x, [x < 0, x > 1], [lambda t: a * t**2, np.sin, 0.25])


def two_sided(x, a):
    return np.piecewise(x, [x < 0, x >= 0], [lambda t, s: s * t, lambda t, s: np.exp(s * t)], a)


def spreads(x, a):
    return np.apply_along_axis(lambda line: np.sum(line**3) * a, 0, x)


def shifted(x, a):
    return np.apply_along_axis(lambda line, s: np.cumsum(line) * s, -1, x, s=a)


def outer_squares(x, a):
    return a * np.apply_along_axis(lambda line: np.outer(line, line), 0, x)


def totals(x, a):
    return a * np.apply_over_axes(np.sum, x**2, [0, 1])


def grid(x, a):
    return np.fromfunction(lambda i, j: np.sin(a * i + j), (2, 3)) * x


def for_each(x, a):
    one = np.vectorize(lambda t, s: t * s if t > s else math.exp(t))
    two = np.vectorize(lambda t, power=2: (t**power, 1), otypes=[float, int])
    squares, ones = two(x, power=3)
    first, second = one(x, 0.9 * a), one(x, x[:1] + 0.3) * ones
    return first + second, squares, one(a, 2.0), soft(0.9 * x, 2.0) * np.vectorize(soft)(a)


@np.vectorize
def soft(t, scale=1.0):
    """A loop until it is small."""
    while abs(t) > 1:
        t = t / 2
    return scale * t


def by_positions(x, a):
    total = 0.0
    for i, j in np.ndindex(*x.shape):
        total += x[i, j] ** 2 * (i + 2 * j)
    for place in np.ndindex(x.shape):
        total = total + np.sin(a * x[place])
    for (i, j), value in np.ndenumerate(x):
        total += value**3 * (j - i)
    return total, list(np.ndindex(2, 2))[3][0] * a


@pytest.mark.parametrize(
    "function",
    [for_each, by_positions, hat, two_sided, spreads, shifted, outer_squares, totals, grid],
)
def test_of_functions(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1))


def test_comments_name_the_call() -> None:
    def steps(x):
        return np.sum(np.apply_along_axis(lambda line: np.cumsum(line) * line[0], 1, x) ** 2)

    text = sd.differentiable(steps).grad.source(X)
    assert "for k in reversed(range(" in text
    assert "# callbacks.py" not in text
    assert "np.transpose" not in text


def test_vectorized_functions_are_as_numpy_has_them() -> None:
    def function(x, n):
        return np.vectorize(lambda t: 2 * t)(n) * x, np.vectorize(lambda t: t * t)(x)

    for x in (X, X.astype("float32"), np.array(0.5)):
        n = np.array([[1, 2, 3]])
        assert same(sd.vjp(function, x, n)[0], function(x, n))
    with pytest.raises(ValueError, match="size 0"):
        sd.vjp(lambda x: np.vectorize(np.sin)(x), np.zeros(0))
    with pytest.raises(sd.UnsupportedCallError, match="nothing to go over"):
        sd.vjp(lambda x: np.vectorize(np.sum, excluded={0})(x), X)


smoothed = np.vectorize(np.convolve, signature="(n),(m)->(k)")


def by_lines(x, a):
    parts = np.vectorize(lambda r, s, k: (r @ s, s * k), signature="(n),(n),()->(),(n)")
    inner, scaled = parts(x[:, np.newaxis], x, k=a)
    return smoothed(x, [1.0, a, 1.0]), inner, scaled, smoothed(x, x[0]).sum(axis=0)


def by_one_of_them(x, a):
    polynomial = np.vectorize(lambda t, c: np.polyval(c, t), excluded=["c"])
    first = np.vectorize(lambda c, t, k=2.0: c[0] * t * k, excluded={0, "k"})
    return polynomial(x, c=x[0] * a), first(x[1], x, k=a)


@pytest.mark.parametrize("function", [by_lines, by_one_of_them])
def test_vectorized_functions_of_lines_and_of_whole_arguments(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1))
    single = X.astype(np.float32)
    assert same(sd.vjp(function, single, 0.7)[0], function(single, 0.7))


@pytest.mark.parametrize(
    ("signature", "shapes"),
    [
        ("(n)->()", [()]),
        ("(n)->()", [(2,), (2,)]),
        ("(n),(n)->()", [(2,), (3,)]),
        ("(n)->(),()", [(3,)]),
        ("(n)->(k)", [(3,)]),
        ("(n)->()", [(0, 3)]),
    ],
)
def test_lines_that_do_not_fit_a_signature(signature: str, shapes: Any) -> None:
    def function(*arrays):
        total = np.vectorize(lambda *lines: np.sum(lines[0]), signature=signature)
        return np.sum(total(*arrays))

    arrays = [np.ones(shape) for shape in shapes]
    with pytest.raises((ValueError, TypeError)) as expected:
        function(*arrays)
    with pytest.raises(expected.type):
        sd.grad(function)(*arrays)


def test_a_ufunc_has_no_array_to_write_to_along_an_axis() -> None:
    check(lambda x, a: np.apply_along_axis(np.multiply, 0, x, a), X, 0.7, wrt=(0, 1))
    with pytest.raises(sd.UnsupportedCallError, match="an array to write to"):
        sd.vjp(lambda x, y: np.apply_along_axis(np.sin, 1, x, y), X, np.zeros(X.shape[1]))
