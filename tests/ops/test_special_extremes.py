"""``scipy.special`` where closed forms cancel or overflow: first and second derivatives by mpmath.

The reference is a difference quotient in many digits, with a step that is small beside the number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd

special = pytest.importorskip("scipy.special")

mp = mpmath.mp.clone()
mp.dps = 400

Function = Callable[..., Any]


def _log_beta(a: Any, b: Any) -> Any:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def _scaled_i(v: Any) -> Function:
    return lambda x: mp.exp(-x) * mp.besseli(v, x)


def _scaled_k(v: Any) -> Function:
    """Basset's integral (DLMF 10.32.9) by the trapezoidal rule, here right to 400 digits."""

    def exact(x: Any) -> Any:
        last = mp.acosh(1 + 1000 / x)  # where the integrand is below 10 ** -400
        step = last / 500
        nodes = [k * step for k in range(1, 501)]
        ends = [mp.exp(-2 * x * mp.sinh(t / 2) ** 2) * mp.cosh(v * t) for t in nodes]
        return step * (mp.mpf(0.5) + mp.fsum(ends))

    return exact


def _scaled_hankel(v: Any) -> Function:
    return lambda x: mp.exp(-1j * x) * mp.hankel1(v, x)


def _log_inverse(z: Any, power: Any) -> Any:
    return mp.log1p(power * z) / power


def _pseudo_huber(d: Any, r: Any) -> Any:
    return d * (mp.sqrt(d * d + r * r) - d)


LARGE = [60.0, 1e4, 1e12]
ROWS: list[tuple[str, Function, Function, list[float]]] = [
    ("i0e", special.i0e, _scaled_i(0), [*LARGE, 1e100]),
    ("i1e", special.i1e, _scaled_i(1), [*LARGE, 1e100]),
    ("k0e", special.k0e, _scaled_k(0), [*LARGE, 1e100]),
    ("k1e", special.k1e, _scaled_k(1), [*LARGE, 1e100]),
    ("ive", lambda x: special.ive(2.5, x), _scaled_i(2.5), [80.0, 1e4, 1e8]),
    ("kve", lambda x: special.kve(3.2, x), _scaled_k(3.2), [80.0, 1e4, 1e8]),
    (
        "hankel1e",
        lambda x: np.real(special.hankel1e(0.3, x + 0j)),
        lambda x: mp.re(_scaled_hankel(0.3)(x)),
        [60.0, 1e4, 1e8],
    ),
    ("erfcx", special.erfcx, lambda x: mp.exp(x * x) * mp.erfc(x), [30.0, 1e5]),
    (
        "log_ndtr",
        special.log_ndtr,
        lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2),
        [-1e5, -300.0, -24.1, -23.9, -3.0, 0.0, 1e-9, 5.0, 30.0],
    ),
    (
        "ellipk",
        special.ellipk,
        mp.ellipk,
        [-1e140, -1e12, -3.0, -0.1, 0.4999, 0.5, 0.9, 1 - 1e-9, 1 - 1e-12],
    ),
    (
        "ellipkm1",
        special.ellipkm1,
        lambda p: mp.ellipk(1 - p),
        [1e-140, 1e-12, 1e-8, 1e-3, 0.6, 1.3, 1e12, 1e140],
    ),
    (
        "agm of a small number",
        lambda x: special.agm(x, 2.0),
        lambda x: mp.agm(x, 2),
        [1e-140, 1e-9, 1.9, 1e9, 1e140],
    ),
    (
        "beta by the first",
        lambda x: special.beta(x, 2e-7),
        lambda x: mp.exp(_log_beta(x, mp.mpf(2e-7))),
        [1e-8, 0.3, 4.0],
    ),
    (
        "betaln by the first",
        lambda x: special.betaln(x, 0.3),
        lambda x: _log_beta(x, mp.mpf(0.3)),
        [1e-150, 1e-9, 1.7, 1e6, 1e12],
    ),
    (
        "betaln by a small one",
        lambda x: special.betaln(1.7, x),
        lambda x: _log_beta(mp.mpf(1.7), x),
        [1e-150, 1e-9, 1e-3, 1e6, 1e12],
    ),
    (
        "poch",
        lambda x: special.poch(x, 0.3),
        lambda x: mp.rf(x, mp.mpf(0.3)),
        [1e-3, 1.7, 1e6],
    ),
    (
        "binom",
        lambda x: special.binom(x, 0.3),
        lambda x: mp.binomial(x, mp.mpf(0.3)),
        [1.7, 1e2, 1e4],
    ),
    (
        "rel_entr by the first, far apart",
        lambda x: special.rel_entr(x, 1e-300),
        lambda x: x * mp.log(x / mp.mpf(1e-300)),
        [1e-9, 1.0, 1e100],
    ),
    (
        "kl_div by the first, nearby",
        lambda x: special.kl_div(x, 1e100),
        lambda x: x * mp.log(x / mp.mpf(1e100)) - x + mp.mpf(1e100),
        [1e-300, 1e100 * (1 + 1e-3), 1e100 * (1 - 1e-4)],
    ),
    (
        "inv_boxcox by the argument",
        lambda x: special.inv_boxcox(x, 1e19),
        lambda x: mp.exp(_log_inverse(x, mp.mpf(1e19))),
        [1e-20, 1e-3, 2.0],
    ),
    (
        "inv_boxcox1p by the power",
        lambda x: special.inv_boxcox1p(0.7, x),
        lambda x: mp.expm1(_log_inverse(mp.mpf(0.7), x)),
        [1e-70, 1e-3, 30.0, 1e20, 1e140],
    ),
    (
        "pseudo_huber by delta",
        lambda x: special.pseudo_huber(x, 0.7),
        lambda x: _pseudo_huber(x, mp.mpf(0.7)),
        [1e-70, 1e-3, 0.6, 30.0],
    ),
    (
        "pseudo_huber",
        lambda x: special.pseudo_huber(0.7, x),
        lambda x: _pseudo_huber(mp.mpf(0.7), x),
        [1e-70, 1e-3, 0.6, 1e3, 1e140],
    ),
]


def _derivatives(function: Function, x: float) -> tuple[Any, Any]:
    start, step = mp.mpf(x), (abs(mp.mpf(x)) or 1) * mp.mpf(10) ** -60
    below, here, above = (function(start + k * step) for k in (-1, 0, 1))
    return (above - below) / (2 * step), (above - 2 * here + below) / step**2


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.one_in(4)
def test_derivatives_where_closed_forms_cancel(row: Any) -> None:
    _, function, exact, points = row
    x = np.array(points)
    (_, first), (_, second) = sd.jvp(
        lambda x: sd.jvp(function, (x,), (np.ones_like(x),)), (x,), (np.ones_like(x),)
    )
    _, pullback = sd.vjp(function, x)
    back = pullback(np.ones_like(x))[0]
    for k, point in enumerate(points):
        slope, bend = _derivatives(exact, point)
        for found, expected, accuracy in (
            (first[k], slope, 1e-11),
            (back[k], slope, 1e-11),
            (second[k], bend, 1e-8),
        ):
            if 1e-300 < abs(expected) < 1e300:
                assert abs(found / expected - 1) < accuracy, (point, found, mp.nstr(expected, 17))
            else:
                assert np.isfinite(found) or abs(expected) >= 1e300


def test_the_pseudo_huber_loss_without_a_width() -> None:
    slopes = sd.grad(lambda d, r: np.sum(special.pseudo_huber(d, r)), (0, 1))
    d, r = np.zeros(3), np.array([0.0, 0.7, -2.0])
    assert np.array_equal(slopes(d, r), [np.abs(r), np.zeros(3)])
    _, bent = sd.jvp(lambda r: slopes(d, r)[1], (r,), (np.ones(3),))
    assert np.array_equal(bent, np.zeros(3))


def test_the_curvature_of_log_ndtr_along_large_numbers() -> None:
    x = np.array([-1e150, -1e20, 1e20, 1e150])
    along = np.abs(x)
    (_, slope), (_, bend) = sd.jvp(
        lambda x: sd.jvp(special.log_ndtr, (x,), (along,)), (x,), (along,)
    )
    expected = np.where(x < 0.0, x * x, 0.0)
    assert np.allclose(slope, expected, rtol=1e-14, atol=0.0)
    assert np.allclose(bend, -expected, rtol=1e-14, atol=0.0)
