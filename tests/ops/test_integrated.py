"""Integrals of Bessel's, Airy's and Struve's functions, and what has slopes in its own family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.definitions.calls import check

special = pytest.importorskip("scipy.special")

mp = mpmath.mp.clone()
mp.dps = 40

SLOPES: list[tuple[str, Callable[[Any], list[Any]], list[float]]] = [
    (
        "itairy",
        lambda x: [mp.airyai(x), mp.airybi(x), mp.airyai(-x), mp.airybi(-x)],
        [0.0, -1.3, 2.5],
    ),
    ("itj0y0", lambda x: [mp.besselj(0, x), mp.bessely(0, x)], [1e-3, 0.7, 6.0]),
    ("iti0k0", lambda x: [mp.besseli(0, x), mp.besselk(0, x)], [1e-3, 0.7, 3.0]),
    ("it2j0y0", lambda x: [(1 - mp.besselj(0, x)) / x, -mp.bessely(0, x) / x], [1e-3, 0.49, 6.0]),
    ("it2i0k0", lambda x: [(mp.besseli(0, x) - 1) / x, -mp.besselk(0, x) / x], [1e-3, 0.49, 3.0]),
    ("itstruve0", lambda x: [mp.struveh(0, x)], [0.0, 0.7, 6.0]),
    ("itmodstruve0", lambda x: [mp.struvel(0, x)], [0.0, 0.7, 3.0]),
    ("it2struve0", lambda x: [-mp.struveh(0, x) / x], [1e-6, 0.49, 6.0]),
]


@pytest.mark.parametrize(("name", "slopes", "points"), SLOPES, ids=[row[0] for row in SLOPES])
def test_integrals_to_order_two(name: str, slopes: Any, points: list[float]) -> None:
    ufunc, x = getattr(special, name), np.array(points)

    def function(x: Any) -> Any:
        found = ufunc(x)
        return np.stack(found) if isinstance(found, tuple) else found[None]

    def first(x: Any) -> Any:
        return sd.jvp(function, (x,), (np.ones(3),))[1]

    bends = [[mp.diff(lambda t, k=k: slopes(t)[k], p) for p in points] for k in range(ufunc.nout)]
    slope, bend = sd.jvp(first, (x,), (np.ones(3),))
    exact = [[slopes(mp.mpf(p))[k] for p in points] for k in range(ufunc.nout)]
    np.testing.assert_allclose(slope, np.array(exact, float), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(bend, np.array(bends, float), rtol=1e-9, atol=1e-9)
    value, pullback = sd.vjp(function, x)
    np.testing.assert_array_equal(value, function(x))
    np.testing.assert_allclose(pullback(np.ones(slope.shape))[0], slope.sum(axis=0), rtol=1e-12)


def test_at_zero() -> None:
    zero = np.zeros(1)
    for name, slope, bend in (("it2j0y0", 0.0, 0.25), ("it2i0k0", 0.0, 0.25)):
        inner = lambda x, name=name: getattr(special, name)(x)[0]  # noqa: E731
        first = lambda x, f=inner: sd.jvp(f, (x,), (np.ones(1),))[1]  # noqa: E731
        found = sd.jvp(first, (zero,), (np.ones(1),))
        np.testing.assert_allclose([found[0][0], found[1][0]], [slope, bend], atol=1e-15)
    assert sd.grad(special.it2struve0)(0.0) == pytest.approx(-2.0 / np.pi)


@pytest.mark.parametrize("x", [0.0, 0.3, 2.5])
def test_wrights_function_against_its_series(x: float) -> None:
    a, b = 0.7, 1.3
    series = mp.nsum(
        lambda k: mp.mpf(x) ** k / mp.factorial(k) / mp.gamma(a * (k + 1) + b), [0, 60]
    )
    slope = sd.grad(lambda x: special.wright_bessel(a, b, x))
    assert slope(x) == pytest.approx(float(series), rel=1e-12)
    bend = mp.nsum(lambda k: mp.mpf(x) ** k / mp.factorial(k) / mp.gamma(a * (k + 2) + b), [0, 60])
    assert sd.grad(slope)(x) == pytest.approx(float(bend), rel=1e-12)
    with pytest.raises(UnsupportedCallError, match="wright_bessel"):
        sd.grad(lambda a: special.wright_bessel(a, b, x + 1.0))(a)


def test_polynomials_of_bessels_function() -> None:
    def exact(a: Any) -> Any:
        return mp.quad(lambda t: t**1.5 * mp.besselj(2, 2 * a * t), [0, 1])

    slope = sd.grad(lambda a: special.besselpoly(a, 1.5, 2.0))
    assert slope(0.7) == pytest.approx(float(mp.diff(exact, 0.7)), rel=1e-12)
    assert sd.grad(slope)(0.7) == pytest.approx(float(mp.diff(exact, 0.7, 2)), rel=1e-10)
    with pytest.raises(UnsupportedCallError, match="besselpoly"):
        sd.grad(lambda nu: special.besselpoly(0.7, 1.0, nu))(2.0)


@pytest.mark.parametrize("shape", [-1.5, -0.2, 0.0, 0.5, 2.0, 3.5])
def test_tukeys_distribution(shape: float) -> None:
    p = np.array([0.02, 0.3, 0.9])
    x = np.array([float(_quantile(mp.mpf(q), mp.mpf(shape))) for q in p])
    share = mp.mpf

    def place(q: Any, s: Any) -> Any:
        return _quantile(share(q), share(s))

    by_p = np.array([float(1 / mp.diff(lambda q: place(q, shape), q)) for q in p])
    by_shape = np.array([-float(mp.diff(lambda s, q=q: place(q, s), shape)) for q in p]) * by_p
    value, pullback = sd.vjp(lambda x, s: special.tklmbda(x, s), x, shape)
    np.testing.assert_allclose(value, p, rtol=1e-9)
    given = [pullback(row) for row in np.eye(3)]
    np.testing.assert_allclose([g[0][k] for k, g in enumerate(given)], by_p, rtol=1e-8)
    np.testing.assert_allclose([g[1] for g in given], by_shape, rtol=1e-7, atol=1e-9)


def _quantile(p: Any, shape: Any) -> Any:
    if shape == 0:
        return mp.log(p) - mp.log(1 - p)
    return (mp.expm1(shape * mp.log(p)) - mp.expm1(shape * mp.log(1 - p))) / shape


def test_tukeys_distribution_outside_and_its_second_derivatives() -> None:
    outside = sd.vjp(special.tklmbda, np.array([-3.0, 2.0]), 0.5)[1](np.ones(2))
    np.testing.assert_array_equal(outside[0], 0.0)
    assert outside[1] == 0.0
    check(lambda x, s: special.tklmbda(x, s), np.array([0.3, -0.8]), 1.0, wrt=(0,), order=1)

    def density(s: Any) -> Any:
        p = mp.findroot(lambda p: _quantile(p, s) - mp.mpf("0.4"), 0.55)
        return 1 / (p ** (s - 1) + (1 - p) ** (s - 1))

    slope = lambda s: sd.grad(lambda x: special.tklmbda(x, s))(0.4)  # noqa: E731
    assert slope(1.7) == pytest.approx(float(density(mp.mpf(1.7))), rel=1e-9)
    assert sd.grad(slope)(1.7) == pytest.approx(float(mp.diff(density, 1.7)), rel=1e-7)
