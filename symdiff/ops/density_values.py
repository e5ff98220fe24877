"""Densities of the gamma and the beta distribution that generated code calls, and their derivatives
of any order, at the ends of the interval too; NumPy and SciPy.

A derivative is a sum over how often ``x**p`` was differentiated, of ``p (p - 1) ... x**(p - k)``.
At an end, where powers may be infinite and factors 0, the first of those terms that is not 0 is the
limit. By parameters the terms are multiplied by polynomials of logarithms and polygammas.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.ops.incomplete_values import (
    _log1p_less,
    _over_density,
    _polygamma,
    _polygamma_rise,
    _stirling,
)

_FAR = 20.0  # a shape from where on the terms of the gamma density's logarithm cancel


def gamma_density(a: Any, x: Any, orders: tuple[int, ...] = (0, 0)) -> Any:
    """``x**(a - 1) * exp(-x) / gamma(a)``, or a derivative; its orders by ``a`` and ``x``.

    >>> gamma_density(2.0, 0.0, orders=(0, 1))
    np.float64(1.0)
    """
    dtype = np.result_type(a, x)
    a, x = np.asarray(a, np.float64), np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        made = _gamma_density(a, x, orders) if any(orders) else np.exp(_log_gamma_density(a, x))
        made = np.where(np.isposinf(x) & np.isfinite(a), 0.0, made)
        return np.where((a < 0) | (x < 0), np.nan, made).astype(dtype)[()]


def beta_density(a: Any, b: Any, x: Any, orders: tuple[int, ...] = (0, 0, 0)) -> Any:
    """``x**(a - 1) * (1 - x)**(b - 1) / beta(a, b)``, or a derivative; its orders by ``a``, ``b``
    and ``x``.

    >>> beta_density(2.0, 3.0, 0.0, orders=(0, 0, 1))
    np.float64(12.0)
    """
    dtype = np.result_type(a, b, x)
    a, b, x = (np.asarray(number, np.float64) for number in (a, b, x))
    with np.errstate(all="ignore"):
        if any(orders):
            by_a, by_b, by_x = orders
            near = _beta_density(a, b, np.minimum(x, 0.5), orders)
            far = _beta_density(b, a, np.minimum(1.0 - x, 0.5), (by_b, by_a, by_x))
            made = np.where(x > 0.5, (-1.0) ** by_x * far, near)
        else:
            made = np.exp(_log_beta_density(a, b, x))
        return np.where((a < 0) | (b < 0) | (x < 0) | (x > 1), np.nan, made).astype(dtype)[()]


# Their logarithms ---------------------------------------------------------------------------------


def _log_gamma_density(a: Any, x: Any) -> Any:
    from scipy import special

    usual = special.xlogy(a - 1.0, x) - x - special.gammaln(a)
    is_far = (a >= _FAR) & (x >= 0.5 * a)
    if not np.any(is_far):
        return usual
    shape, place = np.where(is_far, a, _FAR), np.where(is_far, x, _FAR)
    far = shape * _log1p_less((place - shape) / shape) + 0.5 * np.log(0.5 / math.pi * shape)
    return np.where(is_far, far - _stirling(shape) - np.log(place), usual)


def _log_beta_density(a: Any, b: Any, x: Any) -> Any:
    from scipy import special

    return special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b)


# Their derivatives --------------------------------------------------------------------------------


def _gamma_density(a: Any, x: Any, orders: tuple[int, ...]) -> Any:
    by_a, by_x = orders

    def weight(k: int, by_a: int, log: Any) -> Any:
        def slope(which: tuple[int, ...]) -> Any:
            return (log if which == (1,) else 0.0) - _polygamma(which[0] - 1, a)

        made = _leibniz(
            by_a, lambda n: _falling(k, n, a - 1.0), lambda n: _over_density((n,), slope)
        )
        return math.comb(by_x, k) * (-1.0) ** (by_x - k) * made

    return _summed(a - 1.0, x, (by_a, by_x), _log_gamma_density(a, x), _log_gamma(a), weight)


def _log_gamma(a: Any) -> Any:
    from scipy import special

    return special.gammaln(a)


def _beta_density(a: Any, b: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """The same where ``x`` is below a half, so that the end is 0."""
    by_a, by_b, by_x = orders
    rest = np.log1p(-x)

    def weight(k: int, by_a: int, log: Any) -> Any:
        def slope(which: tuple[int, ...]) -> Any:
            m, n = which
            if m and n:
                return _polygamma(m + n - 1, a + b)
            own, other, known = (a, b, log) if m else (b, a, rest)
            return (known if m + n == 1 else 0.0) + _polygamma_rise(m + n - 1, own, other, a + b)

        def by_second(m: int) -> Any:
            return _leibniz(
                by_b,
                lambda n: _falling(by_x - k, n, b - 1.0),
                lambda n: _over_density((m, n), slope),
            )

        made = _leibniz(by_a, lambda m: _falling(k, m, a - 1.0), by_second)
        return math.comb(by_x, k) * (-1.0) ** (by_x - k) * made * np.exp((k - by_x) * rest)

    norm = _log_beta(a, b)
    made = _summed(a - 1.0, x, (by_a, by_x), _log_beta_density(a, b, x), norm, weight)
    if not (by_a and by_b > 1 and by_x):
        return made
    # Where a factor of the leading term is 0, powers of log(1 - x) may have a limit of their own.
    return np.where((x == 0) & (a <= by_x) & (a == np.floor(a)), np.nan, made)


def _log_beta(a: Any, b: Any) -> Any:
    from scipy import special

    return special.betaln(a, b)


def _summed(
    power: Any,
    x: Any,
    orders: tuple[int, int],
    logarithm: Any,
    norm: Any,
    weight: Any,
) -> Any:
    """The derivative by the parameter of a power and by ``x``, not below 0, of a density of that
    logarithm: each power of ``x`` with its ``weight(k, order, log(x))``.
    """
    by_a, by_x = orders
    at_end = x == 0
    log = np.log(np.where(at_end, 1.0, x))
    made: Any = 0.0
    for k in range(by_x, -1, -1):  # once infinite, it stays so: what is below is smaller
        term = _strong(weight(k, by_a, log), np.exp(logarithm - k * log))
        made = np.where(np.isinf(made), made, made + term)
    if not np.any(at_end):
        return made
    return np.where(at_end, _limit(power, orders, weight) * np.exp(-norm), made)


def _limit(power: Any, orders: tuple[int, int], weight: Any) -> Any:
    """What the sum goes to at 0, where a power of ``x`` beats all logarithms."""
    by_a, by_x = orders
    found: Any = 0.0
    for k in range(by_x, -1, -1):
        left = power - k
        for n in range(by_a, -1, -1):  # of the logarithm
            infinite = (left < 0) | ((left == 0) & (n > 0))
            size = np.where(infinite, (-1.0) ** n * math.inf, np.where(left == 0, 1.0, 0.0))
            term = _strong(math.comb(by_a, n) * weight(k, by_a - n, 0.0), size)
            found = np.where(found == 0, term, found)
    return found


def _strong(weight: Any, size: Any) -> Any:
    """Their product, 0 where the weight is, whatever the size."""
    return np.where(weight == 0, 0.0, weight * size)


def _falling(k: int, order: int, p: Any) -> Any:
    """A derivative of ``p (p - 1) ... (p - k + 1)`` by ``p``."""
    found: list[Any] = [1.0 + 0.0 * p] + [0.0 * p] * order
    for step in range(k):
        found = [
            (p - step) * made + (n * found[n - 1] if n else 0.0) for n, made in enumerate(found)
        ]
    return found[order]


def _leibniz(order: int, first: Any, second: Any) -> Any:
    """A derivative of a product, by those of its factors."""
    return sum(math.comb(order, n) * first(n) * second(order - n) for n in range(order + 1))
