"""Kelvin's and Riccati's functions, against mpmath and SciPy's own values."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

import symdiff as sd
from tests.definitions.calls import check

mp = mpmath.mp.clone()
mp.dps = 40


def _exact(function: Any, x: float) -> list[float]:
    return [float(mp.diff(function, mp.mpf(x), k)) for k in (0, 1, 2)]


def _found(function: Any, x: float) -> list[float]:
    slope = sd.grad(function)
    return [function(x), slope(x), sd.jvp(slope, (x,), (1.0,))[1]]


def _riccati(kind: str, k: int) -> Any:
    bessel = {"jn": mp.besselj, "yn": mp.bessely}[kind]
    return lambda x: mp.sqrt(mp.pi * x / 2) * bessel(k + mp.mpf(1) / 2, x)


@pytest.mark.parametrize("kind", ["jn", "yn"])
@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("x", [0.3, 1.7, 12.0])
def test_riccati_functions(kind: str, k: int, x: float) -> None:
    function = getattr(special, f"riccati_{kind}")
    exact = _riccati(kind, k)
    values = _found(lambda x: function(3, x)[0][k], x)
    np.testing.assert_allclose(values, _exact(exact, x), rtol=1e-10, atol=1e-12)
    slopes = _found(lambda x: function(3, x)[1][k], x)
    np.testing.assert_allclose(
        slopes, _exact(lambda x: mp.diff(exact, x), x), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("x", [0.0, 1e-40, -1.3, 0.01, 25.0])
def test_riccati_values_are_those_of_scipy(n: int, x: float) -> None:
    for function in (special.riccati_jn, special.riccati_yn):
        value, _ = sd.vjp(lambda x, f=function: f(n, x), x)
        for found, wanted in zip(value, function(n, x), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-300)


def test_riccati_at_zero_and_refusals() -> None:
    assert sd.grad(lambda x: special.riccati_jn(2, x)[0].sum())(0.0) == 1.0
    assert sd.grad(lambda x: special.riccati_jn(2, x)[1].sum())(0.0) == pytest.approx(2.0 / 3.0)
    with pytest.raises(ValueError, match="non-negative integer"):
        sd.grad(lambda x: special.riccati_jn(1.5, x)[0].sum())(1.0)


@pytest.mark.parametrize("function", [special.riccati_jn, special.riccati_yn])
def test_riccati_orders_that_are_floats(function: Any) -> None:
    check(lambda x, n: np.concatenate(function(n, x)), 1.3, np.float64(2.0))
    with pytest.raises(ValueError, match="non-negative integer"):
        sd.grad(lambda n, x: function(n, x)[0][0], argnums=1)(-1.0, 2.0)


def _kernel(x: Any, n: int, order: int) -> Any:
    """Dirichlet's kernel as a sum of cosines, or its derivative of an even order."""
    k = np.arange(1 - n, n, 2) / 2.0
    return np.sum((-1) ** (order // 2) * k**order * np.cos(np.multiply.outer(x, k)), axis=-1) / n


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_dirichlets_kernel_where_its_sines_are_zero(n: int) -> None:
    x = np.array([0.0, 1e-9, -1e-4, 2.0 * np.pi, 4.0 * np.pi + 1e-3, -6.0 * np.pi, 0.7, np.pi])

    def kernel(x: Any) -> Any:
        return special.diric(x, n)

    def slope(x: Any) -> Any:
        return sd.jvp(kernel, (x,), (np.ones(8),))[1]

    value, second = sd.jvp(slope, (x,), (np.ones(8),))
    k = np.arange(1 - n, n, 2) / 2.0
    exact = -np.sum(k * np.sin(np.multiply.outer(x, k)), axis=-1) / n
    np.testing.assert_allclose(value, exact, atol=1e-12 * n**2)
    np.testing.assert_allclose(second, _kernel(x, n, 2), atol=1e-11 * n**2)
    bends = sd.grad(lambda x: sd.vjp(kernel, x)[1](np.ones(8))[0].sum())(x)
    np.testing.assert_allclose(bends, _kernel(x, n, 2), atol=1e-11 * n**2)
    np.testing.assert_array_equal(sd.vjp(kernel, x)[0], special.diric(x, n))


def test_dirichlets_kernel_of_other_orders_and_dtypes() -> None:
    check(lambda x, n: special.diric(x[:, None], n)[:, 1:], np.array([0.3, 2.0]), np.arange(3))
    check(lambda x: special.diric(x, 4.0), 0.4)
    assert np.isnan(sd.vjp(special.diric, 0.4, 2.5)[0])
    single = sd.jvp(
        lambda x: special.diric(x, np.float32(3)), (np.float32([0, 1]),), (np.float32([1, 1]),)
    )[1]
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, [0.0, -2.0 / 3.0 * np.sin(1.0)], atol=1e-6)


@pytest.mark.parametrize("x", [0.4, 2.5, np.array([0.7, 3.0]), np.array([[6.0]]), np.zeros((0,))])
def test_kelvin(x: Any) -> None:
    for k in range(4):
        check(lambda x, k=k: special.kelvin(x)[k].real + 2.0 * special.kelvin(x)[k].imag, x)


def test_kelvin_against_mpmath() -> None:
    exact = _exact(lambda x: mp.ker(0, x), 1.3)
    np.testing.assert_allclose(_found(lambda x: special.kelvin(x)[1].real, 1.3), exact, rtol=1e-10)
    exact = _exact(lambda x: mp.diff(lambda t: mp.bei(0, t), x), 1.3)
    np.testing.assert_allclose(_found(lambda x: special.kelvin(x)[2].imag, 1.3), exact, rtol=1e-10)


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_ellipsoidal_harmonics_of_axes_one_long(shape: tuple[int, ...]) -> None:
    s = np.array([2.5, 3.0])

    def f(h2: Any, k2: Any) -> Any:
        return special.ellip_harm(h2, k2, 2, 2, s)

    h2, k2 = np.full(shape, 5.0), np.full(shape, 8.0)
    found = sd.jacobian(f, argnums=(0, 1))(h2, k2)
    wanted = sd.jacobian(f, argnums=(0, 1))(5.0, 8.0)
    assert f(h2, k2).shape + shape == found[0].shape
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.ravel(), other, rtol=1e-13)
    step = 1e-5
    slope = (f(5.0 + step, 8.0) - f(5.0 - step, 8.0)) / (2 * step)
    np.testing.assert_allclose(found[0].ravel(), slope, rtol=1e-7)


def test_numbers_of_bernoulli_and_euler_are_constants() -> None:
    def f(x: float, n: int) -> Any:
        """The first terms of ``x / (exp(x) - 1)`` by powers of ``x``."""
        numbers, total, power = special.bernoulli(n), 0.0, 1.0
        for k in range(n + 1):
            total = total + numbers[k] * power
            power = power * x / (k + 1)
        return total

    e = math.exp(0.1)
    assert sd.grad(f)(0.1, 12) == pytest.approx((e - 1 - 0.1 * e) / (e - 1) ** 2, rel=1e-12)
    assert sd.grad(lambda x: np.sum(special.euler(4) * x))(0.3) == pytest.approx(5.0, rel=1e-14)
    with pytest.raises(ValueError, match="non-negative integer"):
        sd.grad(lambda x: special.euler(-1)[0] * x)(0.3)
