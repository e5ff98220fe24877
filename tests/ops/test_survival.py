"""Kolmogorov's and Smirnov's distributions, by their series in 60 digits; Carlson's ``elliprg``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

import symdiff as sd
from tests.definitions.calls import check

mp = mpmath.mp.clone()
mp.dps = 60


def _kolmogorov(x: Any) -> Any:
    return 2 * sum((-1) ** (k - 1) * mp.exp(-2 * k * k * x * x) for k in range(1, 80))


def _smirnov(n: int, d: Any) -> Any:
    j = range(int(mp.floor(n * (1 - d))) + 1)
    parts = (mp.mpf(k) / n for k in j)
    return sum(
        mp.binomial(n, k) * d * (d + p) ** (k - 1) * (1 - d - p) ** (n - k)
        for k, p in zip(j, parts, strict=True)
    )


def _slopes(exact: Callable[[Any], Any], at: float) -> list[float]:
    step = mp.mpf(10) ** -12
    return [float(mp.diff(exact, mp.mpf(at), order, h=step)) for order in (1, 2, 3)]


def _found(function: Callable[[Any], Any], at: float) -> list[float]:
    slope = sd.grad(function)
    return [slope(at), sd.jvp(slope, (at,), (1.0,))[1], sd.grad(sd.grad(slope))(at)]


@pytest.mark.parametrize("x", [0.2, 0.5, 0.79, 0.81, 1.0, 1.7, 5.0])
def test_kolmogorov(x: float) -> None:
    expected = _slopes(_kolmogorov, x)
    np.testing.assert_allclose(_found(special.kolmogorov, x), expected, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 37, 400])
@pytest.mark.parametrize("d", [0.0031, 0.0501, 0.234, 0.61, 0.9991])
def test_smirnov(n: int, d: float) -> None:
    expected = _slopes(functools.partial(_smirnov, n), d)
    found = _found(lambda x: special.smirnov(n, x), d)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize("p", [0.03, 0.4, 0.97])
def test_their_inverses(p: float) -> None:
    for there, back in (
        (special.kolmogorov, special.kolmogi),
        (lambda x: special.smirnov(7, x), lambda x: special.smirnovi(7, x)),
    ):
        both = _found(lambda p, there=there, back=back: there(back(p)), p)
        np.testing.assert_allclose(both, [1.0, 0.0, 0.0], atol=1e-9)


def test_ends() -> None:
    none = sd.grad(lambda x: np.sum(special.kolmogorov(x)))(np.array([-1.0, 0.0, 1e-9, 1e200]))
    assert np.array_equal(none, np.zeros(4))
    assert np.isnan(sd.grad(special.kolmogorov)(np.nan))
    d = np.array([0.0, 1.0])
    by_d = sd.grad(lambda d: np.sum(special.smirnov(1, d)))(d)
    assert np.array_equal(by_d, [-1.0, -1.0])
    assert sd.grad(lambda d: np.sum(special.smirnov(2, d)))(d).tolist() == [-1.0, 0.0]
    with np.errstate(divide="ignore"):
        assert sd.grad(special.kolmogi)(1.0) == -np.inf


def test_arrays_and_kinds() -> None:
    check(special.kolmogorov, np.array([[0.6, 1.1], [0.9, 1.4]])[:, ::-1])
    check(lambda d: special.smirnov(np.array([[3], [4]]), d), np.array([0.15, 0.4]))
    check(special.kolmogorov, np.zeros((0, 2)))
    single = np.array([0.4, 0.6], "f4")
    for function in (special.kolmogorov, lambda x: special.smirnov(5, x)):
        expected = sd.jvp(function, (single.astype(float),), (np.ones(2),))[1]
        tangent = sd.jvp(function, (single,), (np.ones(2, "f4"),))[1]
        assert tangent.dtype == function(single).dtype
        gradient = sd.grad(lambda x, f=function: np.sum(f(x)))(single)
        assert gradient.dtype == np.float32
        np.testing.assert_allclose([tangent, gradient], [expected] * 2, rtol=1e-5)


# Carlson's ----------------------------------------------------------------------------------------


def _g(v):
    return special.elliprg(v[0], v[1], v[2])


def _moved(place: int, function: Callable[..., Any]) -> Callable[..., Any]:
    def partial(*point: Any) -> Any:
        step = point[place] * mp.mpf(10) ** -9
        at = [[v + s * step * (k == place) for k, v in enumerate(point)] for s in (-2, -1, 1, 2)]
        far, near, after, behind = (function(*p) for p in at)
        return (far - 8 * near + 8 * after - behind) / (12 * step)

    return partial


@pytest.mark.parametrize(
    "point",
    [
        (0.7, 1.3, 2.1),
        (1.0, 1.0, 1.0),
        (1.0, 1.0 + 1e-7, 1.0 - 1e-6),
        (2.0, 2.0, 0.5),
        (1e-8, 3.0, 1e6),
        (1e-20, 1.0, 2.0),
        (3.0, 3.0, 1e-5),
    ],
)
def test_elliprg(point: Any) -> None:
    x, exact = np.array(point), tuple(map(mp.mpf, point))
    first = [float(_moved(k, mp.elliprg)(*exact)) for k in range(3)]
    np.testing.assert_allclose(sd.grad(_g)(x), first, rtol=1e-13)
    np.testing.assert_allclose(sd.jvp(_g, (x,), (x,))[1], x @ first, rtol=1e-13)
    second = [[float(_moved(j, _moved(k, mp.elliprg))(*exact)) for j in range(3)] for k in range(3)]
    np.testing.assert_allclose(sd.jacobian(sd.grad(_g))(x), second, rtol=1e-11)


def test_elliprg_where_arguments_are_0() -> None:
    expected = special.elliprf(0.0, 1.0, 2.0) / 4
    assert abs(sd.grad(_g)(np.array([0.0, 1.0, 2.0]))[0] - expected) < 1e-15
    slopes = sd.grad(_g)(np.array([0.0, 0.0, 2.0]))
    np.testing.assert_allclose(slopes, [np.inf, np.inf, np.sqrt(0.5) / 4])
    assert np.isnan(sd.grad(lambda x: special.elliprg(x, 0.0, 0.0))(-1.0))


def test_elliprg_of_arrays_and_kinds() -> None:
    x, y = np.array([[0.5, 2.0, 3.0]]), np.array([[1.0], [2.0]])
    check(lambda x, y: special.elliprg(x, y, 1.0), x, y, wrt=(0, 1))
    check(lambda y: special.elliprg(1, y, 2), y)
    single = np.array([0.4, 0.6], "f4")
    for function in (
        lambda x: special.elliprg(x, 1.0, 2.0),
        lambda x: special.elliprg(1.0, x, 2.0),
        lambda x: special.elliprg(1.0, 2.0, x),
    ):
        assert sd.jvp(function, (single,), (single,))[1].dtype == np.float32
        assert sd.grad(lambda x, f=function: np.sum(f(x)))(single).dtype == np.float32
