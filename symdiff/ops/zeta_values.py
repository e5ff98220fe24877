"""Derivatives of zeta functions by the exponent, that generated code calls; plain NumPy.

Sums of Euler and Maclaurin (NIST Handbook, 25.11.43), in polynomials of what is added to the
exponent: lists of coefficients.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.ops.support import polygamma

_SUMMED = 20  # how many terms stand before the integral


def zeta_slope(s: Any, q: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of Hurwitz's ``zeta(s, q)``, of ``s`` above 1 and positive ``q``; its orders by
    both.

    >>> zeta_slope(2.0, 1.0, orders=(1, 0))
    np.float64(-0.937548...)
    """
    dtype = np.result_type(s, q)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    s, q = np.broadcast_arrays(np.asarray(s, np.float64), np.asarray(q, np.float64))
    inside = (s > 1) & (q > 0) & np.isfinite(s) & np.isfinite(q)
    with np.errstate(all="ignore"):
        made = _hurwitz(np.where(inside, s, 2.0), np.where(inside, q, 1.0), orders)
    return np.where(inside, made, np.nan).astype(dtype)[()]


def riemann_slope(s: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of Riemann's ``zeta(s)``.

    >>> riemann_slope(-3.0, orders=(1,))
    np.float64(0.005378576...)
    """
    dtype = np.asarray(s).dtype
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    s = np.asarray(s, np.float64)
    right = (s > -0.5) & (s != 1) & np.isfinite(s)
    with np.errstate(all="ignore"):
        made = _hurwitz(np.where(right, s, 2.0), np.ones(s.shape), (*orders, 0))
    made = np.where(right, made, np.nan)
    for place in np.ndindex(s.shape):
        if -170 < s[place] <= -0.5:
            made[place] = _reflected(float(s[place]), orders[0])
    return made.astype(dtype)[()]


def _hurwitz(s: Any, q: Any, orders: tuple[int, ...]) -> Any:
    """By ``q`` it is that of exponents above, times these with changed signs."""
    order, by_q = orders
    made = [np.zeros(s.shape)] * (order + 1)
    place = s + by_q
    far = q + _SUMMED
    for k in range(_SUMMED):
        made = _sum(made, _power(q + k, place, order))
    tail = _power(far, place, order)
    made = _sum(made, [0.5 * t for t in tail])
    inverse = [(-1.0) ** k / (place - 1.0) ** (k + 1) for k in range(order + 1)]
    made = _sum(made, [far * t for t in _product(tail, inverse)])
    rising = tail
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    for j, number in enumerate(bernoulli, 1):
        for k in range(max(2 * j - 3, 0), 2 * j - 1):
            rising = _product(rising, _linear(place + k, order))
        scale = number / math.factorial(2 * j) / far ** (2 * j - 1)
        made = _sum(made, [scale * t for t in rising])
    for k in range(by_q):
        made = _product(made, [-t for t in _linear(s + k, order)])
    return math.factorial(order) * made[order]


def _reflected(s: float, order: int) -> float:
    """``2 (2 π)**(s - 1) sin(π s / 2) Γ(1 - s) ζ(1 - s)`` (25.4.1)."""
    places = range(order + 1)
    power = _exponential([0.0, math.log(2.0 * math.pi)], order)
    sine = [
        math.sin(0.5 * math.pi * math.fmod(s + k, 4.0)) * (0.5 * math.pi) ** k / math.factorial(k)
        for k in places
    ]
    logs = [(-1.0) ** k * polygamma(1.0 - s, k - 1) / math.factorial(k) for k in places[1:]]
    gamma = _exponential([0.0, *logs], order)
    one = np.ones(())
    zeta = [
        (-1.0) ** k * _hurwitz(one * (1.0 - s), one, (k, 0)) / math.factorial(k) for k in places
    ]
    made = _product(_product(power, sine), _product(gamma, zeta))
    scale = 2.0 * math.exp((s - 1.0) * math.log(2.0 * math.pi) + math.lgamma(1.0 - s))
    return float(math.factorial(order) * scale * made[order])


# Polynomials --------------------------------------------------------------------------------------


def _power(x: Any, s: Any, order: int) -> list[Any]:
    """``x**-s``."""
    log = np.log(x)
    return [x**-s * (-log) ** k / math.factorial(k) for k in range(order + 1)]


def _linear(number: Any, order: int) -> list[Any]:
    return [number, 1.0, *[0.0] * (order - 1)][: order + 1]


def _sum(a: list[Any], b: list[Any]) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _product(a: list[Any], b: list[Any]) -> list[Any]:
    return [sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))]


def _exponential(a: list[Any], order: int) -> list[Any]:
    """Of a polynomial without a constant."""
    made: list[Any] = [1.0]
    for k in range(1, order + 1):
        terms = (j * a[j] * made[k - j] for j in range(1, min(k, len(a) - 1) + 1))
        made.append(sum(terms) / k)
    return made
