"""Legendre's associated functions and spherical harmonics: by mpmath, and at the poles."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

import symdiff as sd
from tests.definitions.calls import check

mp = mpmath.mp.clone()
mp.dps = 80


def _legendre(m: int, n: int, x: Any) -> Any:
    """Of ``m >= 0``, by Rodrigues's formula."""
    parts = (
        (-1) ** k
        * mp.binomial(n, k)
        * mp.binomial(2 * n - 2 * k, n)
        * mp.ff(n - 2 * k, m)
        * mp.mpf(x) ** (n - 2 * k - m)
        for k in range(n // 2 + 1)
        if n - 2 * k >= m
    )
    return (-1) ** m * mp.sqrt(1 - x * x) ** m * sum(parts) / mp.mpf(2) ** n


@pytest.mark.parametrize(("m", "n"), [(0, 0), (0, 3), (1, 2), (2, 2), (3, 7), (5, 12), (0, 25)])
@pytest.mark.parametrize("x", [-0.99999, -0.6, 0.0, 0.4, 0.9999999])
def test_lpmv(m: int, n: int, x: float) -> None:
    orders = (0, 1, 2)
    exact = [
        mp.diff(lambda x: _legendre(m, n, x), mp.mpf(x), k, h=mp.mpf(10) ** -20) for k in orders
    ]
    expected = np.array([float(e) for e in exact])
    ratio = float(mp.factorial(n - m) / mp.factorial(n + m)) * (-1) ** m
    for order, scale in ((m, 1.0), (-m, ratio)):

        def function(x: Any, order: int = order) -> Any:
            return special.lpmv(order, n, x)

        slope = sd.grad(function)
        found = [function(x), slope(x), sd.jvp(slope, (x,), (1.0,))[1]]
        size = scale * max(*np.abs(expected[:2]), 1.0)
        np.testing.assert_allclose(found, scale * expected, rtol=1e-11, atol=1e-11 * abs(size))


def test_lpmv_at_the_ends_and_outside() -> None:
    ends = np.array([-1.0, 1.0])

    def slopes(m: int, n: int) -> Any:
        return sd.grad(lambda x: np.sum(special.lpmv(m, n, x)))(ends)

    np.testing.assert_allclose(slopes(0, 3), [6.0, 6.0])
    np.testing.assert_allclose(slopes(2, 2), [6.0, -6.0])
    np.testing.assert_allclose(slopes(2, -3), [6.0, -6.0])
    assert np.array_equal(slopes(4, 3), [0.0, 0.0])
    with np.errstate(divide="ignore"):
        assert np.array_equal(slopes(1, 1), [-np.inf, np.inf])
    assert np.isnan(sd.grad(lambda x: special.lpmv(-3, 2, x))(0.4))
    assert np.isnan(sd.grad(lambda x: special.lpmv(2, 3, x))(1.5))


def test_lpmv_of_arrays() -> None:
    x = np.array([[0.1, -0.5], [0.7, 0.3]])[:, ::-1]
    check(lambda x: special.lpmv(np.array([1, -2]), 3, x), x)
    check(lambda x: special.lpmv(1.0, 2.0, x), x)
    check(lambda x: special.lpmv(1, np.arange(4)[:, None], x[0]), x)
    check(lambda x: special.lpmv(1, 2, x), np.zeros((0, 2)))
    single = np.array([0.4, 0.6], "f4")
    made = sd.grad(lambda x: np.sum(special.lpmv(1, 2, x)))(single)
    assert made.dtype == np.float32
    np.testing.assert_allclose(
        made, [-3 * (1 - 2 * t * t) / np.sqrt(1 - t * t) for t in (0.4, 0.6)], 1e-5
    )


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 1), (2, -1), (3, 2), (5, -4), (9, 3), (2, 3)])
@pytest.mark.parametrize(("theta", "phi"), [(0.3, 0.4), (2.9, -1.2), (np.pi / 2, 3.0)])
@pytest.mark.one_in(4)
def test_spherical_harmonics(n: int, m: int, theta: float, phi: float) -> None:
    def exact(theta: Any, phi: Any) -> Any:
        size = abs(m)
        norm = mp.sqrt((2 * n + 1) / (4 * mp.pi) * mp.factorial(n - size) / mp.factorial(n + size))
        sign = (-1) ** size if m < 0 else 1
        return sign * norm * _legendre(size, n, mp.cos(theta)) * mp.expj(m * phi)

    def function(theta: Any, phi: Any) -> Any:
        return special.sph_harm_y(n, m, theta, phi)

    at, point = (theta, phi), (mp.mpf(theta), mp.mpf(phi))
    orders = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
    known = {
        k: complex(mp.diff(exact, point, k, h=mp.mpf(10) ** -20)) if abs(m) <= n else 0.0
        for k in orders
    }
    np.testing.assert_allclose(function(*at), known[0, 0], atol=1e-13)
    along = sd.jvp(function, at, (0.7, -0.3))[1]
    np.testing.assert_allclose(along, 0.7 * known[1, 0] - 0.3 * known[0, 1], atol=1e-12)
    for part in (np.real, np.imag):

        def one(theta: Any, phi: Any, part: Any = part) -> Any:
            return part(function(theta, phi))

        first = sd.grad(one, argnums=(0, 1))
        np.testing.assert_allclose(first(*at), [part(known[1, 0]), part(known[0, 1])], atol=1e-12)
        second = [
            sd.grad(lambda *a, k=k, first=first: first(*a)[k], argnums=(0, 1))(*at) for k in (0, 1)
        ]
        mixed = [[known[2, 0], known[1, 1]], [known[1, 1], known[0, 2]]]
        np.testing.assert_allclose(second, part(np.array(mixed)), atol=1e-11)


def test_spherical_harmonics_at_the_poles() -> None:
    slope = sd.grad(lambda theta: np.real(special.sph_harm_y(1, 1, theta, 0.0)))
    expected = np.sqrt(3 / (8 * np.pi))
    np.testing.assert_allclose([slope(0.0), slope(np.pi)], [-expected, expected])


def test_spherical_harmonics_of_arrays() -> None:
    theta, phi = np.array([[0.4], [1.3]]), np.array([0.2, 0.9, 2.0])
    degrees = np.array([[2], [3]])

    def both(y: Any) -> Any:
        return np.real(y) + 2 * np.imag(y)

    check(lambda t, p: both(special.sph_harm_y(degrees, -2, t, p)), theta, phi, wrt=(0, 1))
    check(lambda t: both(special.sph_harm_y(np.arange(3), 1, t, 0.5)), theta)
    assert sd.grad(lambda t: np.sum(np.real(special.sph_harm_y(2, 1, t, t))))(
        np.ones(2, "f4")
    ).dtype == np.float32  # fmt: skip


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: special.lpmv(1, 2.5, x), "a degree v that is not a whole number"),
        (lambda x: special.lpmv(1, x + 1, x), "a degree v that is not a whole number"),
        (lambda x: special.sph_harm_y(2, 1, x, x, diff_n=1)[0].real, "differentiate the function"),
    ],
)
def test_what_is_not_known(function: Any, message: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=message):
        sd.grad(function)(0.4)


@pytest.mark.parametrize(("n", "p"), [(0, 1), (1, 2), (2, 5), (3, 2), (4, 8), (5, 11)])
def test_functions_of_lame(n, p):
    check(
        lambda h2, k2, s: special.ellip_harm(h2, k2, n, p, s, -1, -1),
        *(3.0, 7.0, np.array([-0.4, 2.0, 3.5])),
        wrt=(0, 1, 2),
        step=1e-3,
    )
    check(lambda s: special.ellip_harm(3, 7, n, p, s), 1.2, step=1e-3)


def test_functions_of_lame_of_no_order_are_refused():
    with pytest.raises(sd.UnsupportedCallError, match="order p"):
        sd.grad(lambda s: special.ellip_harm(3.0, 7.0, 2, 6, s))(1.2)
