"""Derivatives of noncentral distribution functions, that generated code calls; plain NumPy.

Those of χ² and F are mixtures of central ones by Poisson's weights, that of t is one of normal
ones over the root of a χ² (Johnson, Kotz and Balakrishnan 1995, 29 to 31). What is mixed has its
derivatives by ``incomplete_values``; that of a mixture by the noncentrality mixes differences of
neighbours, each of which is a density: ``P(a + 1, x) - P(a, x) = -x P'(a, x) / a`` (DLMF 8.8.5),
and the same of the incomplete beta function in the logit (DLMF 8.17.20).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.ops.incomplete_values import (
    _FALL,
    _asymptotic,
    _floating,
    _from,
    _over_density,
    _polygamma,
    _stirling,
    incomplete_beta,
    incomplete_gamma,
)

# Mixtures by Poisson's weights --------------------------------------------------------------------


def noncentral_gamma(u: Any, a: Any, rate: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of the mean of ``P(a + k, exp(u))`` where ``k`` is Poisson's of mean ``rate``;
    its orders by ``u``, ``a`` and ``rate``.

    >>> noncentral_gamma(0.0, 1.0, 0.0, orders=(0, 1, 0))
    np.float64(-0.4317297106...)
    """
    dtype = _floating(u, a, rate)
    u, a, rate = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (u, a, rate)))

    def term(orders: tuple[int, ...], own: Any) -> Any:
        return incomplete_gamma(u, own, orders)

    good = np.isfinite(u) & (a > 0) & np.isfinite(a) & (rate >= 0) & np.isfinite(rate)
    with np.errstate(all="ignore"):
        far = (np.sqrt(np.abs(rate)) + np.sqrt(np.abs(a)) + 40.0) ** 2  # beyond, all are 0
        most = np.minimum(np.exp(np.where(good, u, 0.0)), far)
    made = _mixed(term, a, rate, most, good, orders)
    return np.where(good, made, np.nan).astype(dtype)[()]


def noncentral_beta(u: Any, a: Any, b: Any, rate: Any, orders: tuple[int, ...]) -> Any:
    """The same of ``I(a + k, b)`` at the number whose logit is ``u``; the orders by ``u``, ``a``,
    ``b`` and ``rate``.

    >>> noncentral_beta(0.0, 1.0, 1.0, 0.0, orders=(0, 1, 0, 0))
    np.float64(-0.3465735902...)
    """
    dtype = _floating(u, a, b, rate)
    u, a, b, rate = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (u, a, b, rate)))

    def term(orders: tuple[int, ...], own: Any) -> Any:
        return incomplete_beta(u, own, b, orders)

    good = np.isfinite(u) & (rate >= 0) & np.isfinite(rate)
    good &= (a > 0) & np.isfinite(a) & (b > 0) & np.isfinite(b)
    with np.errstate(all="ignore"):
        part = 1.0 / (1.0 + np.exp(-np.where(good, u, 0.0)))
        most = part * (a + b + 2.0 * rate + 20.0)  # which weighs the terms no less than they do
    made = _mixed(term, a, rate, np.where(good, most, 0.0), good, orders)
    return np.where(good, made, np.nan).astype(dtype)[()]


def _mixed(term: Any, a: Any, rate: Any, most: Any, good: Any, orders: tuple[int, ...]) -> Any:
    """The sum of the terms around the largest ones, which are at the weights' and where the
    terms bend them to, ``k (k + a) = rate * most``.
    """
    by_u, by_a, *others, by_rate = orders
    a, rate = np.where(good, a, 1.0), np.where(good, rate, 0.0)
    product = rate * most
    bent = 2.0 * product / (a + np.sqrt(a * a + 4.0 * product))
    spread = 9.0 * np.sqrt(np.maximum(bent, rate)) + 20.0
    first = np.floor(np.maximum(np.minimum(bent, rate) - spread, 0.0))
    last = np.maximum(bent, rate) + spread
    count = math.ceil(np.max(last - first, initial=0.0)) + 1
    number = first + np.arange(count + max(by_rate - 1, 0)).reshape((-1,) + (1,) * a.ndim)
    with np.errstate(all="ignore"):
        if by_rate:
            terms = _differences(term, a + number, (by_u, by_a, *others))
            terms = np.diff(terms, by_rate - 1, axis=0)
        else:
            terms = term((by_u, by_a, *others), a + number)
        number = number[:count]
        return np.sum(_poisson(number, rate) * terms, axis=0)


def _differences(term: Any, own: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of what each term has less than the next, ``-f' / own``."""
    by_u, by_a, *others = orders
    total: Any = 0.0
    for m in range(by_a + 1):
        factor = math.comb(by_a, m) * math.factorial(m) * (-1.0 / own) ** m / own
        total = total - factor * term((by_u + 1, by_a - m, *others), own)
    return total


def _poisson(number: Any, rate: Any) -> Any:
    """The probability of a number: by what it is apart from the rate, of which digits are left
    (Loader 2000).
    """
    n = np.maximum(number, 1.0)
    apart = (rate - n) / n
    some = np.exp(n * (np.log1p(apart) - apart) - _stirling(n)) / np.sqrt(2.0 * np.pi * n)
    return np.where(number > 0, some, np.exp(-rate))


# Student's distribution ---------------------------------------------------------------------------


def noncentral_t(t: Any, nc: Any, df: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``nctdtr(df, nc, t)`` by ``t``, ``nc`` and ``df``, of order 1 at least.

    It is the mean of ``Φ(t s - nc)`` and its derivatives, where ``s`` is the root of a χ² over its
    degrees, times what the derivatives of the density by ``df`` are of it: by the trapezoidal rule
    in the logarithm of ``s``.

    >>> noncentral_t(0.0, 0.0, 2.0, orders=(0, 1, 0))
    np.float64(-0.398942280...)
    """
    dtype = _floating(t, nc, df)
    t, nc, df = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (t, nc, df)))
    good = np.isfinite(t) & np.isfinite(nc) & (df > 0.05) & np.isfinite(df)
    t, nc, df = np.where(good, t, 0.0), np.where(good, nc, 0.0), np.where(good, df, 1.0)
    made = (_t_density if orders[0] + orders[1] else _t_probability)(t, nc, df, orders)
    return np.where(good, made, np.nan).astype(dtype)[()]


def _t_density(t: Any, nc: Any, df: Any, orders: tuple[int, ...]) -> Any:
    """Of ``(-1)**j s**i He(t s - nc) φ(t s - nc)``, from the one maximum on."""
    i, j, by_df = orders
    top, steep, shape = _t_top(t, nc, df, i)
    spread = 1.0 / np.sqrt(steep + shape)
    tail = _FALL / shape + 9.0 * spread
    near = 1.0 - np.sqrt(2.0 * _FALL / np.maximum(steep, 4.0 * _FALL))
    left = np.where(steep > 4.0 * _FALL, np.minimum(tail, -np.log(near)), tail)
    u, step = _places(np.log(top) - left, left + 9.0 * spread, np.minimum(0.4 * spread, 0.1))
    s = np.exp(u)
    z = t * s - nc
    hermite, before = np.ones_like(z), np.zeros_like(z)
    for n in range(i + j - 1):
        hermite, before = z * hermite - n * before, hermite
    exponent = df * (u - 0.5 * np.expm1(2.0 * u)) - 0.5 * z * z - _stirling(0.5 * df)
    terms = s**i * hermite * np.exp(exponent) * _by_degrees(u, df, by_df)
    return (-1.0) ** (i - 1) * np.sum(terms, axis=0) * np.sqrt(df / 2.0) / np.pi * step


def _t_top(t: Any, nc: Any, df: Any, power: int) -> tuple[Any, Any, Any]:
    """Where the density times a power is largest, and how steep it is there."""
    shape, length, cross = df + power, np.hypot(np.sqrt(df), t), t * nc
    most = np.hypot(cross, 2.0 * np.sqrt(shape) * length) + np.abs(cross)
    top = np.where(cross > 0, most / length / (2.0 * length), 2.0 * shape / most)
    return top, (length * top) ** 2, shape


def _places(first: Any, length: Any, most: Any) -> tuple[Any, Any]:
    """Places of one number in all elements, and what they are apart."""
    count = math.ceil(np.max(length / most, initial=1.0)) + 1
    share = np.linspace(0.0, 1.0, count).reshape((-1,) + (1,) * np.ndim(length))
    return first + share * length, length / (count - 1)


def _t_probability(t: Any, nc: Any, df: Any, orders: tuple[int, ...]) -> Any:
    """Of the smaller of ``Φ(t s - nc)`` and what it leaves of 1, whose derivatives are opposite."""
    sign = np.where(t > nc, -1.0, 1.0)
    top = np.minimum(_t_top(t, nc, df, 0)[0], 1.0)
    fall = 2.0 * _FALL / df
    right = 0.5 * np.log1p(fall + 2.0 * np.sqrt(fall)) + 0.5
    first = np.log(top) - fall - np.sqrt(fall) - 0.5
    reach, size = np.abs(nc) + 40.0, np.abs(t)
    is_far = (sign * t < 0.0) & (size > reach)  # where Φ is 0 from reach / size on
    right = np.where(is_far, np.log(reach) - np.log(np.where(is_far, size, 1.0)), right)
    right = np.maximum(right, first + 1.0)
    steepest = np.maximum(np.where(is_far, reach, size), np.abs(nc))
    width = 1.0 / np.hypot(np.sqrt(2.0 * df + 4.0), steepest)
    u, step = _places(first, right - first, 0.4 * width)
    z = sign * (t * np.exp(u) - nc)
    exponent = df * (u - 0.5 * np.expm1(2.0 * u)) - _stirling(0.5 * df)
    terms = np.exp(exponent) * _normal(z) * _by_degrees(u, df, orders[2])
    return sign * np.sum(terms, axis=0) * np.sqrt(df / np.pi) * step


def _normal(z: Any) -> Any:
    """The normal distribution function."""
    below = np.vectorize(math.erfc, otypes=[np.float64])(-z * math.sqrt(0.5))
    return 0.5 * below


def _by_degrees(u: Any, df: Any, order: int) -> Any:
    """A derivative of the density of ``u = log(s)`` by ``df``, over the density."""

    def slope(which: tuple[int, ...]) -> Any:
        (n,) = which
        rest = 0.5**n * _log_less_psi(n - 1, 0.5 * df)
        return rest + (u - 0.5 * np.expm1(2.0 * u) if n == 1 else 0.0)

    return _over_density((order,), slope)


def _log_less_psi(n: int, a: Any) -> Any:
    """The ``n``-th derivative of ``log(a) - psi(a)``, of which psi's series has all digits."""
    top = _from(n)
    far, near = np.maximum(a, top), np.minimum(a, top)
    terms = _asymptotic(n)[1 if n else 0 :]
    series = -sum(number / far**power for number, power in terms)
    leading = np.log(near) if n == 0 else (-1.0) ** (n - 1) * math.factorial(n - 1) / near**n
    return np.where(a >= top, series, leading - _polygamma(n, near))
