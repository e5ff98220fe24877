"""Carlson's elliptic integrals: derivatives by mpmath, where arguments are equal and far apart."""

from __future__ import annotations

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
POINTS = [
    (0.7, 1.3, 2.1, 0.4),
    (1.0, 1.0, 1.0, 1.0),
    (1.0, 1.0 + 1e-7, 1.0 - 1e-6, 1.0),
    (2.0, 2.0, 0.5, 0.5),
    (0.3, 0.3000001, 0.9, 0.3),
    (1e-8, 3.0, 1e6, 2.0),
    (1e-20, 1.0, 2.0, 1e-3),
    (3.0, 3.0, 1e-5, 1e4),
]


def _rc(v):
    return special.elliprc(v[0], v[1])


def _rf(v):
    return special.elliprf(v[0], v[1], v[2])


def _rd(v):
    return special.elliprd(v[0], v[1], v[2])


def _rj(v):
    return special.elliprj(v[0], v[1], v[2], v[3])


KINDS = [(_rc, mp.elliprc, 2), (_rf, mp.elliprf, 3), (_rd, mp.elliprd, 3), (_rj, mp.elliprj, 4)]


def _partial(function: Callable[..., Any], point: Any, *places: int) -> float:
    """A partial derivative of mpmath's function, first or second, by differences of 60 digits."""
    given = [mp.mpf(x) for x in point]
    if not places:
        return function(*given)
    place, rest = places[0], places[1:]
    step = given[place] * mp.mpf(10) ** -12
    moved = [[x + s * step * (k == place) for k, x in enumerate(given)] for s in (-2, -1, 1, 2)]
    far, near, after, behind = (_partial(function, p, *rest) for p in moved)
    return (far - 8 * near + 8 * after - behind) / (12 * step)


@pytest.mark.parametrize(("ours", "reference", "count"), KINDS)
@pytest.mark.parametrize("point", POINTS)
def test_first_derivatives(ours, reference, count, point):
    x = np.array(point[:count])
    value, slopes = sd.value_and_grad(ours)(x)
    assert value == ours(x)
    expected = [float(_partial(reference, x, k)) for k in range(count)]
    np.testing.assert_allclose(slopes, expected, rtol=1e-14)
    np.testing.assert_allclose(sd.jvp(ours, (x,), (x,))[1], x @ expected, rtol=1e-13)


@pytest.mark.parametrize(("ours", "reference", "count"), KINDS)
@pytest.mark.parametrize("point", POINTS[:5])
@pytest.mark.one_in(4)
def test_second_derivatives(ours, reference, count, point):
    x = np.array(point[:count])
    curvature = sd.jacobian(sd.grad(ours))(x)
    expected = [[float(_partial(reference, x, j, k)) for k in range(count)] for j in range(count)]
    np.testing.assert_allclose(curvature, expected, rtol=1e-13)


def test_the_principal_value_of_the_first():
    for x, y in ((0.7, -1.3), (2.0, -1e-3)):
        slopes = sd.grad(_rc)(np.array([x, y]))
        expected = [float(_partial(mp.elliprc, (x, y), k)) for k in (0, 1)]
        np.testing.assert_allclose(slopes, expected, rtol=1e-13)


def test_arrays_that_broadcast():
    x, y = np.array([[0.5, 2.0, 3.0]]), np.array([[1.0], [2.0]])
    check(lambda x, y: special.elliprf(x, y, 1.0), x, y, wrt=(0, 1))
    check(lambda x, y: special.elliprj(x, y, 1, y + 1.0), x, y, wrt=(0, 1), order=1)
    check(lambda y: special.elliprd(np.array([0.0, 1.0, 2.0]), y, 2.0), y)
    assert sd.grad(lambda x: np.sum(_rf([x, 1, 2])))(np.ones(2, "f4")).dtype == np.float32


@np.errstate(divide="ignore", invalid="ignore")
def test_where_an_integral_has_no_end():
    for ours, others in ((_rf, (1.0, 2.0)), (_rd, (1.0, 2.0)), (_rc, (1.0,))):
        assert sd.grad(lambda x, f=ours, o=others: f((x, *o)))(0.0) == -np.inf
    assert np.isnan(sd.grad(lambda x: _rf((0.0, x, 1.0)))(0.0))
    with pytest.raises(NotImplementedError, match="at p <= 0"):
        sd.grad(lambda p: _rj((1.0, 2.0, 3.0, p)))(-1.0)
    with pytest.raises(sd.UnsupportedCallError, match="complex arguments"):
        sd.grad(lambda x: _rf((1.0 + 1j * x, 2.0, 3.0)).real)(1.0)
