"""Distributions of ``scipy.stats`` far out, and of parameters far from 1: derivatives by mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd

stats = pytest.importorskip("scipy.stats")

mp = mpmath.mp.clone()
mp.dps = 400

Function = Callable[..., Any]


def _normal(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _exponnorm(x: Any, k: Any) -> Any:
    return mp.exp(1 / (2 * k * k) - x / k) * _normal(x - 1 / k) / k


def _student(x: Any, df: Any) -> Any:
    factor = mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2) - mp.log(df * mp.pi) / 2
    return factor - (df + 1) / 2 * mp.log1p(x * x / df)


SMALL = [1e-150, 1e-20, 0.3, 0.5, 0.9]
INVERSES: list[tuple[str, Function, Function]] = [
    ("cauchy.isf", lambda q: stats.cauchy.isf(q), lambda q: mp.cot(mp.pi * q)),
    ("cauchy.ppf", lambda q: stats.cauchy.ppf(q), lambda q: -mp.cot(mp.pi * q)),
    ("halfcauchy.isf", lambda q: stats.halfcauchy.isf(q), lambda q: mp.cot(mp.pi * q / 2)),
    (
        "laplace.isf",
        lambda q: stats.laplace.isf(q),
        lambda q: -mp.log(2 * q) if q < 0.5 else mp.log(2 * (1 - q)),
    ),
    ("rayleigh.isf", lambda q: stats.rayleigh.isf(q), lambda q: mp.sqrt(-2 * mp.log(q))),
    ("lomax.isf", lambda q: stats.lomax.isf(q, 1.5), lambda q: q ** (-1 / mp.mpf(1.5)) - 1),
    ("fisk.isf", lambda q: stats.fisk.isf(q, 1.5), lambda q: (1 / q - 1) ** (1 / mp.mpf(1.5))),
    ("powerlaw.isf", lambda q: stats.powerlaw.isf(q, 1.5), lambda q: (1 - q) ** (1 / mp.mpf(1.5))),
]
LAWS: list[tuple[str, Function, Function, list[float]]] = [
    (
        "exponnorm.logpdf",
        lambda x: stats.exponnorm.logpdf(x, 1e-4),
        lambda x: mp.log(_exponnorm(x, mp.mpf(1e-4))),
        [-30.0, 0.3, 5.0],
    ),
    (
        "exponnorm.logpdf by its rate",
        lambda k: stats.exponnorm.logpdf(0.7, k),
        lambda k: mp.log(_exponnorm(mp.mpf(0.7), k)),
        [0.03, 0.7, 1e6, 1e140],
    ),
    (
        "t.logpdf by its degrees of freedom",
        lambda df: stats.t.logpdf(0.7, df),
        lambda df: _student(mp.mpf(0.7), df),
        [0.01, 3.0, 1e3],
    ),
]


def _require(function: Function, exact: Function, points: list[float]) -> None:
    x = np.array(points)
    _, tangent = sd.jvp(function, (x,), (np.ones_like(x),))
    value, pullback = sd.vjp(function, x)
    cotangent = pullback(np.ones_like(value))[0]
    for k, point in enumerate(points):
        start, step = mp.mpf(point), mp.mpf(point) * mp.mpf(10) ** -60
        expected = (exact(start + step) - exact(start - step)) / (2 * step)
        for found in (tangent[k], cotangent[k]):
            assert abs(found - expected) <= 1e-9 * abs(expected), (point, found, expected)


@pytest.mark.parametrize("row", INVERSES, ids=[row[0] for row in INVERSES])
def test_inverses_far_out(row: Any) -> None:
    _, function, exact = row
    _require(function, exact, [0.7 if q == 0.5 else q for q in SMALL])


@pytest.mark.parametrize("row", LAWS, ids=[row[0] for row in LAWS])
def test_laws_of_extreme_parameters(row: Any) -> None:
    _require(*row[1:])
