"""Functions that call a function of the user's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

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


@pytest.mark.parametrize(
    "function", [hat, two_sided, spreads, shifted, outer_squares, totals, grid]
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
