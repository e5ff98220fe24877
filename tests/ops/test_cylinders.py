"""Parabolic cylinder functions against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError

special = pytest.importorskip("scipy.special")

mp = mpmath.mp.clone()
mp.dps = 30


@pytest.mark.parametrize("x", [-1.3, 0.0, 0.7, 3.0])
@pytest.mark.parametrize(
    ("name", "order", "exact"),
    [("pbdv", 1.3, mp.pcfd), ("pbdv", -0.4, mp.pcfd), ("pbwa", 0.3, mp.pcfw)],
)
def test_weber_functions(name: str, order: float, exact: Any, x: float) -> None:
    orders = [float(mp.diff(lambda t: mp.re(exact(mp.mpf(order), t)), x, n)) for n in range(5)]
    _compare(lambda x: getattr(special, name)(order, x), x, orders, 1e-7)


@pytest.mark.parametrize("x", [-1.3, 0.4, 2.0])
def test_webers_v(x: float) -> None:
    exact = lambda t: mp.pcfv(-mp.mpf(1.3) - 0.5, t)  # noqa: E731
    orders = [float(mp.re(mp.diff(exact, x, n))) for n in range(5)]
    _compare(lambda x: special.pbvv(1.3, x), x, orders, 1e-7)


def _compare(function: Any, x: float, orders: list[float], within: float) -> None:
    """Both results to order two, in both modes."""
    for number in (0, 1):
        part = lambda x, k=number: function(x)[k]  # noqa: E731
        slope = sd.grad(part)
        found = [part(x), slope(x), sd.jvp(slope, (x,), (1.0,))[1]]
        found += [sd.jvp(part, (x,), (1.0,))[1], sd.grad(slope)(x)]
        n = number
        wanted = [orders[n], orders[n + 1], orders[n + 2], orders[n + 1], orders[n + 2]]
        np.testing.assert_allclose(found, wanted, rtol=within, atol=within)


def test_derivatives_by_orders_are_refused() -> None:
    for call in (
        lambda v: special.pbdv(v, 0.3)[0],
        lambda v: special.pbwa(v, 0.3)[1],
        lambda v: special.pbvv(v, 0.3)[0],
    ):
        with pytest.raises(UnsupportedCallError, match=r"scipy\.special"):
            sd.grad(call)(0.7)
