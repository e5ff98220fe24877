"""Derivatives of Bessel functions by their order, against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.ops import bessel_values

special = pytest.importorskip("scipy.special")
mp = mpmath.mp.clone()
mp.dps = 40

VALUES = {
    "bessel_j": mp.besselj,
    "bessel_y": mp.bessely,
    "bessel_i": mp.besseli,
    "bessel_ie": lambda v, x: mp.exp(-x) * mp.besseli(v, x),
    "bessel_k": mp.besselk,
    "bessel_ke": lambda v, x: mp.exp(x) * mp.besselk(v, x),
}
ORDERS = ((1, 0), (2, 0), (1, 1), (3, 0))


def exact(function: Any, v: float, x: float, orders: tuple[int, int]) -> float:
    return float(mp.diff(function, (mp.mpf(v), mp.mpf(x)), orders))


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize(
    ("v", "x"),
    [
        *((0.0, 1.0), (0.3, 1e-3), (1.5, 1.5001), (7.9, 7.95), (2.5, 7.99)),  # straight lines
        *((10.0, 10.00000001), (10.0, 11.0), (3.2, 30.0), (50.0, 200.0)),  # the argument larger
        *((8.0, 8.0), (20.0, 0.1), (100.0, 50.0), (8.01, 8.0)),  # the order
        *((-0.3, 2.0), (-3.0, 2.0), (-12.5, 3.0), (-12.25, 30.0)),
    ],
)
def test_derivatives_by_order_and_argument(name: str, v: float, x: float) -> None:
    for orders in ORDERS:
        expected = exact(VALUES[name], v, x, orders)
        found = getattr(bessel_values, name)(v, x, orders=orders)
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-11 if v == 0 else 1e-300)


@pytest.mark.parametrize("name", VALUES)
def test_limits_and_what_has_none(name: str) -> None:
    function = getattr(bessel_values, name)
    given = [np.inf, -1.0, np.nan]
    with np.errstate(all="raise"):
        found = function(1.5, np.array(given), orders=(1, 0))
        np.testing.assert_equal(found, [np.nan if name == "bessel_i" else 0.0, np.nan, np.nan])
        assert np.isnan(function(np.nan, 1.0, orders=(1, 0)))
        assert function(np.zeros((0, 3)), 1.0, orders=(1, 0)).shape == (0, 3)
        assert function(np.float32(0.5), np.float32(2.0), orders=(1, 0)).dtype == np.float32
    at_zero = function(1.5, 0.0, orders=(1, 0))
    assert at_zero == 0.0 if name in ("bessel_j", "bessel_i", "bessel_ie") else np.isnan(at_zero)


FUNCTIONS = {
    "jv": mp.besselj,
    "yv": mp.bessely,
    "iv": mp.besseli,
    "kv": mp.besselk,
    "jve": mp.besselj,
    "yve": mp.bessely,
    "ive": VALUES["bessel_ie"],
    "kve": VALUES["bessel_ke"],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_to_order_two(name: str) -> None:
    function, reference = getattr(special, name), FUNCTIONS[name]
    v, x = np.array([0.4, -1.7, 12.0]), np.array([2.5, 0.9, 10.5])

    def total(v: Any, x: Any) -> Any:
        return np.sum(function(v, x))

    def partials(i: int, j: int) -> Any:
        return [exact(reference, *pair, (i, j)) for pair in zip(v, x, strict=True)]

    by_v, by_x = sd.grad(total, argnums=(0, 1))(v, x)
    np.testing.assert_allclose(by_v, partials(1, 0), rtol=1e-10)
    np.testing.assert_allclose(by_x, partials(0, 1), rtol=1e-10)
    ones = np.ones(3)
    _, tangent = sd.jvp(function, (v, x), (ones, ones))
    np.testing.assert_allclose(tangent, np.add(partials(1, 0), partials(0, 1)), rtol=1e-10)
    twice = sd.hvp(lambda v: total(v, x))(v, ones)
    np.testing.assert_allclose(twice, partials(2, 0), rtol=1e-10)
    _, mixed = sd.jvp(sd.grad(total), (v, x), (0 * ones, ones))
    np.testing.assert_allclose(mixed, partials(1, 1), rtol=1e-10)
    single = sd.grad(total)(v.astype("f4"), x.astype("f4"))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, by_v, rtol=1e-5)


@pytest.mark.parametrize("name", ["hankel1", "hankel2", "hankel1e", "hankel2e"])
def test_hankel_by_order(name: str) -> None:
    sign = 1 if "1" in name else -1
    v, x = 1.3, 4.2
    slope = exact(mp.besselj, v, x, (1, 0)) + 1j * sign * exact(mp.bessely, v, x, (1, 0))
    if name.endswith("e"):
        slope *= np.exp(-1j * sign * x)
    _, tangent = sd.jvp(getattr(special, name), (v, x), (1.0, 0.0))
    np.testing.assert_allclose(tangent, slope, rtol=1e-10)
    gradient = sd.grad(lambda v: np.abs(getattr(special, name)(v, x)) ** 2)(v)
    value = complex(getattr(special, name)(v, x))
    np.testing.assert_allclose(gradient, 2 * (value.conjugate() * slope).real, rtol=1e-9)


def test_complex_arguments_are_refused_by_the_order() -> None:
    for name in ("jv", "yv", "iv", "kv", "jve", "hankel1"):
        with pytest.raises(sd.UnsupportedCallError, match=f"{name} of complex numbers by 'v'"):
            sd.grad(lambda v, name=name: np.abs(getattr(special, name)(v, 2.0 + 1j)))(1.5)
