"""Derivatives that generated code calls: by parameters of incomplete gamma and beta functions, of
the distributions of Kolmogorov and Smirnov and of an integral of Carlson's; plain NumPy.

In the logarithm of the gamma function's argument, and the logit of the beta function's, densities
are exponentials of ``Σ parameters * statistics - norm``. So a derivative by parameters multiplies
the density under the integral by a polynomial of the statistics and of polygammas (Moore 1982; Boik
and Robison-Cox 1998), and nothing cancels: the integral is taken from the argument to the end on
its own side of the mean, where the density only falls, by Fejér's first rule.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

_NODES = 64
_FALL = 40.0  # the logarithm of how small the integrand may become


def incomplete_gamma(u: Any, a: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of the regularised ``P(a, exp(u))``; its orders by ``u`` and ``a``.

    >>> incomplete_gamma(0.0, 1.0, orders=(0, 1))
    np.float64(-0.4317297106...)
    """
    dtype = np.result_type(u, a)
    u, a = np.broadcast_arrays(np.asarray(u, np.float64), np.asarray(a, np.float64))
    with np.errstate(all="ignore"):
        inside = np.isfinite(u) & (a > 0) & np.isfinite(a)
        x, given = np.where(inside, u, 0.0), np.where(inside, a, 1.0)
        made = _gamma(x, given, orders)
    flat = ((a > 0) & np.isinf(u)) | _at_zero(a, orders[1])
    return np.where(inside, made, np.where(flat, 0.0, np.nan)).astype(dtype)[()]


def incomplete_beta(u: Any, a: Any, b: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of the regularised ``I(a, b)`` at the number whose logit is ``u``; its orders by
    ``u``, ``a`` and ``b``.

    >>> incomplete_beta(0.0, 1.0, 1.0, orders=(0, 1, 0))
    np.float64(-0.3465735902...)
    """
    dtype = np.result_type(u, a, b)
    u, a, b = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (u, a, b)))
    with np.errstate(all="ignore"):
        known = (a > 0) & np.isfinite(a) & (b > 0) & np.isfinite(b)
        inside = np.isfinite(u) & known
        x, first, second = (np.where(inside, value, 1.0) for value in (u, a, b))
        made = _beta(x, first, second, orders)
        both = (a >= 0) & (b >= 0) & (a + b > 0)
    flat = (known & np.isinf(u)) | (both & (_at_zero(a, orders[1]) | _at_zero(b, orders[2])))
    return np.where(inside, made, np.where(flat, 0.0, np.nan)).astype(dtype)[()]


def _at_zero(parameter: Any, order: int) -> Any:
    """Where a parameter is 0 and stays there: the functions are 0 or 1 then."""
    return (parameter == 0) & (order == 0)


# Gamma --------------------------------------------------------------------------------------------


def _gamma(u: Any, a: Any, orders: tuple[int, ...]) -> Any:
    def density(a: Any) -> Any:
        ratio = np.exp(u) / a - 1.0
        near = a * _log1p_less(np.maximum(ratio, -0.5))
        exponent = np.where(ratio > -0.5, near, a * (u - np.log(a)) - np.exp(u) + a)
        return np.exp(exponent + 0.5 * np.log(a / (2 * np.pi)) - _stirling(a))

    def weight(u: Any, a: Any, orders: tuple[int, ...]) -> Any:
        return _over_density(orders, lambda which: _gamma_slope(which, u, a))

    if orders[0]:
        return density(a) * weight(u, a, (orders[0] - 1, orders[1]))
    x = np.exp(u)
    below = x <= np.maximum(a, 1.0)  # of small parameters the other side is long
    small = below & (a < 4.0)  # raised: P(a, x) - P(a + 1, x) = exp(a u - x) / gamma(a + 1)
    made = np.zeros(u.shape)
    for k in range(1, 5 if np.any(small) else 1):
        made = made + np.where(small, density(a + k) * weight(u, a + k, orders) / x, 0.0)
    own, sign = np.where(small, a + 4.0, a), np.where(below, -1.0, 1.0)

    def fallen(v: Any) -> Any:
        return x * np.expm1(sign * v) - own * sign * v

    def steep(v: Any) -> Any:
        return sign * (x * np.exp(sign * v) - own)

    far = np.where(below, (_FALL + x) / own, np.log1p(2 * _FALL / x) + 1.3)
    integral = _integral(fallen, steep, far, lambda v: weight(u + sign * v, own, orders))
    made = made - sign * density(own) * integral
    return made if any(orders) else np.where(below, made, 1.0 + made)


def _gamma_slope(which: tuple[int, ...], u: Any, a: Any) -> Any:
    """A derivative of the density's logarithm ``a u - exp(u) - log(gamma(a))``."""
    by_u, by_a = which
    if by_u == 0:
        return (u if by_a == 1 else 0.0) - _polygamma(by_a - 1, a)
    linear = 0.0
    if by_u == 1:
        linear = (a, 1.0, 0.0)[min(by_a, 2)]
    return linear - np.exp(u) if by_a == 0 else linear


# Beta ---------------------------------------------------------------------------------------------


def _beta(u: Any, a: Any, b: Any, orders: tuple[int, ...]) -> Any:
    def density(u: Any, a: Any, b: Any) -> Any:
        s, rest, exponent = _logistic(u), _logistic(-u), 0.0
        for own, other, part, left, sign in ((a, b, s, rest, -1.0), (b, a, rest, s, 1.0)):
            ratio = (part * other - left * own) / own
            near = np.log1p(np.clip(ratio, -0.5, 0.5))
            plain = -np.logaddexp(0.0, sign * u) - np.log(own / (a + b))
            exponent = exponent + own * np.where(np.abs(ratio) < 0.5, near, plain)
        norm = _stirling(a) + _stirling(b) - _stirling(a + b)
        return np.exp(exponent + 0.5 * np.log(a / (2 * np.pi) * (b / (a + b))) - norm)

    def weight(u: Any, a: Any, b: Any, total: Any, orders: tuple[int, ...]) -> Any:
        return _over_density(orders, lambda which: _beta_slope(which, u, a, b, total))

    if orders[0]:
        return density(u, a, b) * weight(u, a, b, a + b, (orders[0] - 1, *orders[1:]))
    turned = _logistic(u) * b > _logistic(-u) * a  # I(a, b) at x is 1 - I(b, a) at 1 - x
    u, a, b = np.where(turned, -u, u), np.where(turned, b, a), np.where(turned, a, b)
    s, small = _logistic(u), a < 4.0

    def either(of: Any) -> Any:
        """What parameters give in their places: all the same where the orders are."""
        made = of(orders)
        if orders[1] == orders[2] or not np.any(turned):
            return made
        return np.where(turned, of((0, orders[2], orders[1])), made)

    made = np.zeros(u.shape)
    for k in range(
        1, 5 if np.any(small) else 1
    ):  # I(a, b) - I(a + 1, b) = s**a (1 - s)**b / (a B(a, b))
        own, total = a + k, a + b + (k - 1)
        raised = density(u, own, b) / (s * total)
        first = either(lambda which, own=own, total=total: weight(u, own, b, total, which))
        made = made + np.where(small, raised * first, 0.0)
    own = np.where(small, a + 4.0, a)

    def fallen(v: Any) -> Any:  # in the form in which nothing cancels
        low = own * v + (own + b) * np.log1p(s * np.expm1(-v))
        grown = np.log1p(_logistic(-u) * np.expm1(np.minimum(v, 690.0)))
        return np.where(u < 0.0, low, (own + b) * grown - b * v)

    def steep(v: Any) -> Any:
        return own * _logistic(v - u) - b * _logistic(u - v)

    far = (_FALL + (own + b) * np.logaddexp(0.0, u)) / own
    integral = _integral(
        fallen, steep, far, lambda v: either(lambda which: weight(u - v, own, b, own + b, which))
    )
    made = made + density(u, own, b) * integral
    return np.where(turned, (1.0 if not any(orders) else 0.0) - made, made)


def _beta_slope(which: tuple[int, ...], u: Any, a: Any, b: Any, total: Any) -> Any:
    """A derivative of the density's logarithm ``a log(s) + b log(1 - s) - norm``, ``s`` the
    logistic function of ``u`` and ``total``, in the norm, ``a + b``, or less by 1.
    """
    by_u, by_a, by_b = which
    order, s, rest = by_a + by_b, _logistic(u), _logistic(-u)
    if by_u == 0:
        own, other, sign = (a, b, -1.0) if by_a else (b, a, 1.0)
        if by_a and by_b:
            return _polygamma(order - 1, total)
        fall = np.logaddexp(0.0, sign * u) if order == 1 else 0.0
        less = np.rint(a + b - total)
        return _polygamma_rise(order - 1, own, other - less, total) - fall
    if by_u == 1:
        return (a * rest - b * s, rest if by_a else -s, 0.0)[min(order, 2)]
    factor = (a + b, 1.0, 0.0)[min(order, 2)]
    powers = [1.0]  # of s in its derivatives over s (1 - s)
    for _ in range(by_u - 2):
        turned = [p - 2.0 * q for p, q in zip([*powers, 0.0], [0.0, *powers], strict=True)]
        first = [k * c for k, c in enumerate(powers)]
        moved = [p - q for p, q in zip([*first, 0.0], [0.0, *first], strict=True)]
        powers = [p + q for p, q in zip(turned, moved, strict=True)]
    return -factor * (s * rest) * sum(c * s**k for k, c in enumerate(powers))


# Kolmogorov and Smirnov ---------------------------------------------------------------------------


def kolmogorov_tail(x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``kolmogorov(x)``, of order 1 at least: by the series that falls faster, of
    ``(-1)**k exp(-2 k² x²)`` or of its Fourier transform (Feller 1948).

    >>> kolmogorov_tail(1.0, orders=(1,))
    np.float64(-1.071948558...)
    """
    dtype, order = _floating(x), orders[0]
    x = np.asarray(x, np.float64)
    left = np.clip(np.where(np.isnan(x), 1.0, x), 0.03, 0.8)[..., None]
    right = np.clip(np.where(np.isnan(x), 1.0, x), 0.8, 20.0)[..., None]
    k = np.arange(1.0, 8.0)
    square = ((2.0 * k - 1.0) * (np.pi / 2)) ** 2 / 2.0

    def slope(which: tuple[int, ...]) -> Any:
        (n,) = which
        falling = square * math.factorial(n + 1) * (-1.0 / left) ** n / left**2
        return math.factorial(n - 1) * (-1.0 / left) ** n - falling

    heights = -math.sqrt(2.0 * math.pi) / left * np.exp(-square / left**2)
    near = np.sum(heights * _over_density((order,), slope), axis=-1)
    u, hermite, before = 2.0 * k * right, np.ones_like(k * right), np.zeros_like(k * right)
    for n in range(order):
        hermite, before = u * hermite - n * before, hermite
    signs = -2.0 * (-1.0) ** k * (-2.0 * k) ** order
    far = np.sum(signs * hermite * np.exp(-0.5 * u * u), axis=-1)
    made = np.where(x < 0.8, near, far)
    made = np.where((x > 0.03) & (x < 20.0), made, np.where(np.isnan(x), np.nan, -0.0))
    return made.astype(dtype)[()]


def smirnov_tail(d: Any, n: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``smirnov(n, d)`` by ``d``, whose order is the first; where a term of its
    series begins, that without it.

    >>> smirnov_tail(0.25, 2, orders=(1, 0))
    np.float64(-1.5)
    """
    dtype = _floating(n, d)
    n, d = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(d, np.float64))
    made = np.full(n.shape, np.nan)
    for place in np.ndindex(n.shape):
        if np.isfinite(n[place]) and n[place] >= 1.0 and 0.0 <= d[place] <= 1.0:
            made[place] = _smirnov(int(n[place]), float(d[place]), orders[0])
    return made.astype(dtype)[()]


def _smirnov(n: int, d: float, order: int) -> Any:
    """Of ``Σ binom(n, j) d (d + j / n)**(j - 1) (1 - d - j / n)**(n - j)`` (Birnbaum and Tingey
    1951), of which the first term is ``(1 - d)**n``. Around a binomial distribution's largest term
    nothing cancels, and what is left of the coefficient is Stirling's.
    """
    first = (-1.0) ** order * math.perm(n, order) * (1.0 - d) ** max(n - order, 0)
    moved, j = n * d, np.arange(1.0, n)
    j = j[n - j - moved > 0]
    high, low, above = j + moved, n - j - moved, n - j
    ratio = np.maximum(-moved / above, -0.5)
    fall = np.where(low > 0.5 * above, np.log1p(ratio), np.log(low / above))
    rest = _stirling(np.float64(n)) - _stirling(j) - _stirling(above)
    exponent = j * np.log1p(moved / j) + above * fall + rest - np.log(high / n)
    heights = np.exp(exponent) * np.sqrt(n / (2.0 * np.pi * j * above))

    def slope(which: tuple[int, ...]) -> Any:
        (m,) = which
        up = (j - 1.0) * (-n / high) ** m
        return -math.factorial(m - 1) * (up + above * (n / low) ** m)

    weight = d * _over_density((order,), slope)
    if order:
        weight = weight + order * _over_density((order - 1,), slope)
    return first + np.sum(heights * weight)


# Carlson's integral of the second kind, symmetric -------------------------------------------------


def elliprg_slope(x: Any, y: Any, z: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``elliprg``, of order 1 at least in all.

    That by ``x`` is an eighth of the integral of ``t / ((t + x)**1.5 (t + y)**0.5 (t + z)**0.5)``,
    positive all over; in the logarithm of ``t`` it falls exponentially on both sides, and the
    trapezoidal rule is exact but for rounding.

    >>> elliprg_slope(1.0, 1.0, 1.0, orders=(1, 0, 0))
    np.float64(0.1666666666...)
    """
    dtype = _floating(x, y, z)
    given = np.stack(np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (x, y, z))))
    good = np.all((given >= 0) & np.isfinite(given), axis=0) & np.any(given > 0, axis=0)
    given = np.where(good, given, 1.0)
    top = np.max(given, axis=0)
    powers = [0.5 + n for n in orders]
    rate = 2.0 - sum(p * (v == 0) for p, v in zip(powers, given, strict=True))
    ends, given = rate <= 0, given / top
    with np.errstate(divide="ignore"):
        logs = np.log(given)
    least = np.min(np.where(np.isinf(logs), 0.0, logs), initial=0.0) - 76.0
    count = math.ceil((76.0 - least) / 0.4)
    u = np.linspace(least, 76.0, count).reshape((-1,) + (1,) * top.ndim)
    terms = (p * np.logaddexp(u, log) for p, log in zip(powers, logs, strict=True))
    total = np.sum(np.exp(np.where(ends, 0.0, 2.0 * u - sum(terms))), axis=0)
    total = np.where(ends, np.inf, total * ((76.0 - least) / (count - 1)))
    factor = -0.25 * (-1.0) ** sum(orders)
    for n in orders:
        factor *= math.prod(k + 0.5 for k in range(n))
    made = factor * total * top ** (0.5 - sum(orders))
    return np.where(good, made, np.nan).astype(dtype)[()]


# Several ------------------------------------------------------------------------------------------


def _integral(fallen: Any, steep: Any, far: Any, weight: Any) -> Any:
    """The integral of ``weight * exp(-fallen)`` from 0 to where that has fallen far enough, which
    Newton's method finds for the convex function from a place behind.
    """
    for _ in range(100):  # where the function grows exponentially, each takes off 1
        step = np.maximum(fallen(far) - _FALL, 0.0) / steep(far)
        far = far - step
        if not np.any(step > 1e-3 * far):
            break
    theta = (np.arange(_NODES) + 0.5) * np.pi / _NODES
    j = np.arange(1, _NODES // 2 + 1)
    parts = np.sum(np.cos(2.0 * np.outer(theta, j)) / (4.0 * j * j - 1.0), axis=1)
    column = (-1,) + (1,) * np.ndim(far)
    v = 0.5 * (1.0 + np.cos(theta)).reshape(column) * far
    weights = ((1.0 - 2.0 * parts) / _NODES).reshape(column) * far
    return np.sum(weights * np.exp(-fallen(v)) * weight(v), axis=0)


def _floating(*operands: Any) -> Any:
    dtype = np.result_type(*operands)
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def _over_density(orders: tuple[int, ...], slope: Any) -> Any:
    """A derivative of a density over the density, by those of its logarithm: the product rule."""
    slopes: dict[tuple[int, ...], Any] = {}
    found: dict[tuple[int, ...], Any] = {(0,) * len(orders): 1.0}
    for which in itertools.product(*(range(n + 1) for n in orders)):
        if which in found:
            continue
        place = max(k for k, n in enumerate(which) if n)
        rest = tuple(n - (k == place) for k, n in enumerate(which))
        total: Any = 0.0
        for taken in itertools.product(*(range(n + 1) for n in rest)):
            one = tuple(n + (k == place) for k, n in enumerate(taken))
            if one not in slopes:
                slopes[one] = slope(one)
            left = tuple(n - m for n, m in zip(rest, taken, strict=True))
            ways = math.prod(math.comb(n, m) for n, m in zip(rest, taken, strict=True))
            total = total + ways * slopes[one] * found[left]
        found[which] = total
    return found[orders]


def _polygamma(n: int, x: Any) -> Any:
    """The ``n``-th derivative of psi at positive numbers, by recurrence and the asymptotic series
    (Abramowitz and Stegun 1964, 6.4.6 and 6.4.11).
    """
    top = _from(n)
    far = np.where(x < top, x + top, x)
    made = np.log(far) if n == 0 else 0.0
    for number, power in _asymptotic(n):
        made = made + number / far**power
    steps = np.arange(top).reshape((-1,) + (1,) * np.ndim(x))
    powers = np.where(x < top, x + steps, np.inf) ** -(n + 1)
    return made + (-1.0) ** (n + 1) * math.factorial(n) * np.sum(powers, axis=0)


def _polygamma_rise(n: int, x: Any, rise: Any, end: Any) -> Any:
    """What polygamma grows from ``x`` to ``x + rise``, the ``end``, where that is little too."""
    far = np.maximum(x, _from(n))
    grown = np.log1p(np.maximum(rise / far, -0.5))
    made = grown if n == 0 else 0.0
    for number, power in _asymptotic(n):
        made = made + number * np.expm1(-power * grown) / far**power
    return np.where(x < far, _polygamma(n, end) - _polygamma(n, x), made)


def _from(n: int) -> int:
    """Where the asymptotic series of a polygamma is exact."""
    return 20 + n


def _asymptotic(n: int) -> list[tuple[float, int]]:
    """The factors and the negative exponents of that series, without psi's logarithm."""
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    sign = (-1.0) ** (n + 1)
    leading = [(sign * math.factorial(n - 1), n)] if n else []
    rest = [
        (sign * number * math.factorial(2 * k + n - 1) / math.factorial(2 * k), 2 * k + n)
        for k, number in enumerate(bernoulli, 1)
    ]
    return [*leading, (sign * 0.5 * math.factorial(n), n + 1), *rest]


def _stirling(x: Any) -> Any:
    """The logarithm of the gamma function without the leading terms of Stirling's series."""
    far, near = np.maximum(x, 20.0), np.minimum(x, 20.0)
    terms = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
    series = sum(c / far ** (2 * k + 1) for k, c in enumerate(terms))
    exact = np.vectorize(math.lgamma, otypes=[np.float64])(near)
    rest = exact - ((near - 0.5) * np.log(near) - near + 0.5 * np.log(2 * np.pi))
    return np.where(x < 20.0, rest, series)


def _log1p_less(x: Any) -> Any:
    """``log1p(x) - x``."""
    small = np.abs(x) < 0.1
    near = np.where(small, x, 0.0)
    series = sum((-1.0) ** (k + 1) * near**k / k for k in range(2, 18))
    return np.where(small, series, np.log1p(np.where(small, 0.0, x)) - x)


def _logistic(x: Any) -> Any:
    return np.exp(np.minimum(x, 0.0)) / (1.0 + np.exp(-np.abs(x)))
