"""Derivatives of incomplete elliptic integrals by ``m``, that generated code calls; plain NumPy.

The ``j``-th of the integral of ``(1 - m sin²θ)**-p`` is that of ``sin²θ**j (1 - m sin²θ)**(-p-j)``,
``p (p + 1) …`` times (NIST Handbook, 19.2.4 and 19.2.5): of one sign, so that nothing cancels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.ops.quadrature import integral


def ellipkinc_slope(phi: Any, m: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``ellipkinc(phi, m)`` by ``m``, whose order is the last.

    >>> ellipkinc_slope(np.pi / 2, 0.0, orders=(0, 2))
    np.float64(0.4417864...)
    """
    return _slope(phi, m, 0.5, orders[1])


def ellipeinc_slope(phi: Any, m: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``ellipeinc(phi, m)`` by ``m``, whose order is the last.

    >>> ellipeinc_slope(np.pi / 2, 0.0, orders=(0, 2))
    np.float64(-0.1472621...)
    """
    return _slope(phi, m, -0.5, orders[1])


def _slope(phi: Any, m: Any, power: float, order: int) -> Any:
    """Within a quarter of a turn, and two quarters for each half turn."""
    dtype = np.result_type(phi, m)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    phi, m = np.broadcast_arrays(np.asarray(phi, np.float64), np.asarray(m, np.float64))
    with np.errstate(all="ignore"):
        turns = np.round(phi / np.pi)
        made = _quarter(np.abs(phi - np.pi * turns), np.cos(phi), m, power, order)
        made = np.sign(phi - np.pi * turns) * made
        if np.any(turns):
            whole = _quarter(np.full(phi.shape, np.pi / 2), np.zeros(phi.shape), m, power, order)
            made = made + np.where(turns, 2.0 * turns * whole, 0.0)
    scale = math.prod(power + k for k in range(order))
    return np.asarray(scale * made).astype(dtype)[()]


def _quarter(phi: Any, cosine: Any, m: Any, power: float, order: int) -> Any:
    """``1 - m sin²θ`` by what it is at ``phi``, where it may be small; NaN of what has no end."""
    least = (1.0 - m) + m * cosine * cosine

    def heights(theta: Any, rest: Any) -> Any:
        left = least + m * np.sin(rest) * np.sin(phi + theta)
        return np.sin(theta) ** (2 * order) * left ** -(power + order)

    made = integral(heights, phi)
    return np.where((least > 0) & np.isfinite(phi) & np.isfinite(m), made, np.nan)
