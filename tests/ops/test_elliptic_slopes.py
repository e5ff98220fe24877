"""Derivatives of incomplete elliptic integrals and Jacobi's functions by ``m``, against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.elliptic_values import ellipeinc_slope, ellipkinc_slope

special = pytest.importorskip("scipy.special")
mp = mpmath.mp.clone()
mp.dps = 40


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(
    ("phi", "m"),
    [
        *((1.0, 0.5), (np.pi / 2, 0.99), (1.5707, 0.9999), (4.0, 0.3), (-9.0, -3.0)),
        *((0.3, 5.0), (2.0, -1e4), (1e-5, 0.7), (0.0, 0.5)),
    ],
)
def test_derivatives_by_m(phi: float, m: float, order: int) -> None:
    for function, reference in ((ellipkinc_slope, mp.ellipf), (ellipeinc_slope, mp.ellipe)):
        expected = float(mp.diff(lambda t, of=reference: of(mp.mpf(phi), t), mp.mpf(m), order))
        found = function(phi, m, orders=(0, order))
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-300)


def test_where_there_is_no_integral() -> None:
    with np.errstate(all="raise"):
        found = ellipkinc_slope(np.array([1.5, np.nan, 2.0]), np.array([3.0, 0.5, 1.0]), (0, 2))
    assert np.all(np.isnan(found))
    assert ellipkinc_slope(np.zeros((0, 2)), 0.5, (0, 2)).shape == (0, 2)
    assert ellipkinc_slope(np.float32(1.0), np.float32(0.5), (0, 2)).dtype == np.float32


CALLS: dict[str, tuple[Any, Any]] = {
    "ellipkinc": (special.ellipkinc, mp.ellipf),
    "ellipeinc": (special.ellipeinc, mp.ellipe),
    "sn": (lambda u, m: special.ellipj(u, m)[0], lambda u, m: mp.ellipfun("sn", u, m=m)),
    "dn": (lambda u, m: special.ellipj(u, m)[2], lambda u, m: mp.ellipfun("dn", u, m=m)),
}


@pytest.mark.parametrize("name", CALLS)
def test_second_derivatives_of_both_modes(name: str) -> None:
    function, reference = CALLS[name]
    u, m = np.array([0.7, -2.1]), np.array([0.4, 0.8])

    def partials(i: int, j: int) -> Any:
        pairs = zip(u, m, strict=True)
        return [float(mp.diff(reference, (mp.mpf(a), mp.mpf(b)), (i, j))) for a, b in pairs]

    ones = np.ones(2)
    by_m = sd.grad(lambda u, m: np.sum(function(u, m)), argnums=1)
    np.testing.assert_allclose(by_m(u, m), partials(0, 1), rtol=1e-10)
    _, twice = sd.jvp(by_m, (u, m), (0 * ones, ones))
    np.testing.assert_allclose(twice, partials(0, 2), rtol=1e-9)
    _, mixed = sd.jvp(by_m, (u, m), (ones, 0 * ones))
    np.testing.assert_allclose(mixed, partials(1, 1), rtol=1e-9)
    in_reverse = sd.grad(lambda m: np.sum(by_m(u, m)))
    np.testing.assert_allclose(in_reverse(m), partials(0, 2), rtol=1e-9)
