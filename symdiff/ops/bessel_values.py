"""Derivatives by the order of Bessel functions, that generated code calls; plain NumPy.

All are integrals of ``exp(x sinh(w) - v w)``, or with ``cosh``, from one valley to another (NIST
Handbook, 10.9.17 and 10.32.12), so that each order of a derivative is a factor ``-w``. The path
leads over the saddle points, down along which nothing oscillates and nothing cancels (Watson 1944,
chapter 8); each part of it is integrated by tanh-sinh quadrature.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.ops.quadrature import integral

_SMALL = 8.0  # below it straight lines hardly oscillate
_FALL = 40.0  # the logarithm of how small the integrand may become
_BLOCK = 512  # how many places are integrated at a time


def bessel_j(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``jv(v, x)``; its orders by ``v`` and ``x``, a positive number.

    >>> bessel_j(0.5, np.pi, orders=(1, 0))
    np.float64(0.638392501...)
    """
    return _at_zero(_blockwise(_of_first_kind, v, x, orders), v, x, orders)


def bessel_y(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``yv(v, x)``; its orders by ``v`` and ``x``, a positive number.

    >>> bessel_y(0.5, np.pi, orders=(1, 0))
    np.float64(0.0101558659...)
    """
    return _blockwise(_of_second_kind, v, x, orders)


def bessel_i(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``iv(v, x)``; its orders by ``v`` and ``x``, a positive number.

    >>> bessel_i(0.0, 2.0, orders=(1, 0))
    np.float64(-0.113893872...)
    """
    made = _blockwise(_modified, v, x, orders, 0.0)
    made = np.where(np.asarray(x) == np.inf, np.nan, made).astype(made.dtype)
    return _at_zero(made, v, x, orders)


def bessel_ie(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``ive(v, x)``, as ``bessel_i`` gives them.

    >>> bessel_ie(0.0, 2.0, orders=(1, 0))
    np.float64(-0.015413859...)
    """
    return _at_zero(_blockwise(_modified, v, x, orders, -1.0), v, x, orders)


def bessel_k(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``kv(v, x)``; its orders by ``v`` and ``x``, a positive number.

    >>> bessel_k(1.5, 2.0, orders=(1, 0))
    np.float64(0.107563453...)
    """
    return _blockwise(_either_second, v, x, orders, 0.0)


def bessel_ke(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``kve(v, x)``, as ``bessel_k`` gives them.

    >>> bessel_ke(1.5, 2.0, orders=(1, 0))
    np.float64(0.7947923900...)
    """
    return _blockwise(_either_second, v, x, orders, 1.0)


def _blockwise(made_of: Any, v: Any, x: Any, orders: tuple[int, ...], *scale: float) -> Any:
    """What a function makes of positive numbers; 0 at infinity, and NaN of others."""
    dtype = np.result_type(v, x)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    v, x = np.broadcast_arrays(np.asarray(v, np.float64), np.asarray(x, np.float64))
    order, place = v.ravel(), x.ravel()
    made = np.where(np.isfinite(order) & (place == np.inf), 0.0, np.nan)
    (inside,) = np.nonzero((place > 0) & np.isfinite(place) & np.isfinite(order))
    with np.errstate(all="ignore"):
        for start in range(0, len(inside), _BLOCK):
            part = inside[start : start + _BLOCK]
            made[part] = made_of(order[part], place[part], orders, *scale)
    return made.reshape(x.shape).astype(dtype)[()]


def _at_zero(made: Any, v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of a function of the first kind: 0 at 0 where the order is large enough."""
    flat = (np.asarray(x) == 0) & (np.asarray(v) > orders[1])
    return np.where(flat, 0.0, made).astype(made.dtype)[()]


# Negative orders ----------------------------------------------------------------------------------


def _of_first_kind(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    return _turned(v, x, orders, 0)


def _of_second_kind(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    return _turned(v, x, orders, 1)


def _turned(v: Any, x: Any, orders: tuple[int, ...], kind: int) -> Any:
    """The function of a kind: of a negative order ``-u`` both are turned by ``u π``."""
    size, turned = np.abs(v), v < 0
    made = _hankel(size, x, orders)[kind]
    if np.any(turned):
        total: Any = 0.0
        for k in range(orders[0] + 1):
            first, second = _hankel(size, x, (orders[0] - k, orders[1]))
            if kind == 1:
                first, second = second, -first
            parts = _times(_turn(size, k), first) - _times(_turn(size, k + 3), second)
            total = total + math.comb(orders[0], k) * math.pi**k * parts
        made = np.where(turned, (-1.0) ** orders[0] * total, made)
    return made


def _turn(v: Any, quarters: int) -> Any:
    """``cos(π v + quarters π / 2)``, exact at its zeros."""
    halves = np.remainder(2.0 * v + quarters, 4.0)
    return np.where(halves % 2.0 == 1.0, 0.0, np.cos(0.5 * math.pi * halves))


def _times(factor: Any, value: Any) -> Any:
    return np.where(factor == 0, 0.0, factor * value)


# Of the first and the second kind -----------------------------------------------------------------


def _hankel(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """Both functions, of orders that are not negative: Hankel's, times ``1j π``, is the integral
    from the left end of the real line to the right end of the line at ``1j π``.
    """
    made = np.zeros((2, *v.shape))
    small, over = np.maximum(v, x) < _SMALL, v < x
    for chosen, parts in (
        (small, _straight),
        (over & ~small, _over),
        (~over & ~small, _under),
    ):
        if np.any(chosen):
            made[:, chosen] = parts(v[chosen], x[chosen], orders)
    return made


def _straight(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """On the real line to the saddle point, or to 0, up from there, and to the right."""
    sinh, cosh, alpha = _saddle(v, x)

    def up(y: Any, rest: Any) -> Any:
        w, grown = alpha + 1j * y, sinh * np.cos(y) + 1j * (cosh * np.sin(y))
        return 1j * _weight(w, grown, orders) * np.exp(x * (grown - sinh) - 1j * (v * y))

    def right(p: Any, rest: Any) -> Any:
        u, rise = alpha + p, 2.0 * np.cosh(alpha + 0.5 * p) * np.sinh(0.5 * p)
        fall = x * (2.0 * sinh + rise) + v * p
        return _weight(u + 1j * np.pi, -np.sinh(u), orders) * np.exp(-fall)

    reach = _reach(lambda p: x * (np.sinh(p) * cosh), np.log(4.0 * _FALL / (x * cosh) + 13.0))
    turn = np.exp(-1j * np.pi * v)
    return _joined(
        v, x, integral(up, np.full(v.shape, np.pi)) + turn * integral(right, reach), orders
    )


def _under(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """Where the order is larger: from the saddle point on the real line to the right, and up."""
    sinh, cosh, alpha = _saddle(v, x)

    def path(y: Any, rest: Any) -> tuple[Any, Any, Any, Any]:
        sine = np.sin(rest)
        q = _sine_less(y) / sine
        grown = np.sqrt(sinh * sinh + cosh * cosh * (q * (2.0 + q)))
        u = np.arcsinh(grown)
        step = 2.0 * np.arcsinh(0.5 * cosh * q / np.sinh(0.5 * (u + alpha)))
        saved = cosh * _sinh_less(step) + sinh * 2.0 * np.sinh(0.5 * step) ** 2
        fall = x * (grown * 2.0 * np.sin(0.5 * y) ** 2 - saved)
        slope = cosh * (2.0 * np.sin(0.5 * y) ** 2 - q * np.cos(y)) / (sine * grown)
        return u, grown * np.cos(y) + 1j * (cosh * (1.0 + q) * sine), slope, fall

    def heights(y: Any, rest: Any) -> Any:
        u, grown, slope, fall = path(y, rest)
        return _weight(u + 1j * y, grown, orders) * (slope + 1j) * np.exp(-fall)

    reach = _reach(lambda y: path(y, np.pi - y)[3], np.pi)
    return _joined(v, x, integral(heights, reach, np.pi - reach), orders)


def _saddle(v: Any, x: Any) -> tuple[Any, Any, Any]:
    """Hyperbolic sine and cosine of the saddle point on the real line, and it; 0 without one."""
    over = v < x
    sinh = np.where(over, 0.0, np.sqrt(np.maximum(v - x, 0.0) * (v + x)) / x)
    return sinh, np.where(over, 1.0, v / x), np.arcsinh(sinh)


def _joined(v: Any, x: Any, right: Any, orders: tuple[int, ...]) -> Any:
    """Both functions, by the integral to the right of the saddle point and that on the real line:
    what is there are the smaller and the larger exponential.
    """
    sinh, _, alpha = _saddle(v, x)
    level = v * alpha - x * sinh
    other = right / (1j * np.pi) * np.exp(-level)
    return np.stack([other.real, other.imag - np.exp(level) * (_real_line(v, x, orders) / np.pi)])


def _real_line(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """From the left to the saddle point, over the largest value, which is at its negative."""
    sinh, cosh, alpha = _saddle(v, x)
    slower = np.maximum(x - v, 0.0)

    def fall(p: Any) -> Any:
        return x * (sinh * 2.0 * np.sinh(0.5 * p) ** 2 - cosh * _sinh_less(p)) - slower * p

    def heights(p: Any) -> Any:
        return _weight(p - alpha, np.sinh(p - alpha), orders) * np.exp(-fall(p))

    left = _reach(lambda p: fall(-p), np.log(4.0 * _FALL / (x * cosh) + 13.0))
    right = np.minimum(2.0 * alpha, _reach(fall, 2.0 * alpha))
    return integral(lambda p, _: heights(-p), left) + integral(lambda p, _: heights(p), right)


def _over(v: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """Where the argument is larger: over the saddle point at ``1j * beta``."""
    sine, cosine = np.sqrt((x - v) * (x + v)) / x, v / x
    beta = np.arctan2(sine, cosine)
    phase = x * sine - v * beta
    near = phase < 10.0  # both saddle points
    turn = np.exp(1j * phase)
    right = _from_saddle(v, x, (sine, cosine, beta), 1.0, orders)
    made = right * turn
    if not np.all(near):
        left = _from_saddle(v, x, (sine, cosine, beta), -1.0, orders)
        made = made + np.where(near, 0.0, left * turn)
    if np.any(near):

        def up(y: Any, rest: Any) -> Any:
            factor = 1j * _weight(1j * y, 1j * np.sin(y), orders)
            return factor * np.exp(1j * (x * np.sin(y) - v * y))

        made = made + np.where(near, integral(up, beta) + _real_line(v, x, orders), 0.0)
    made = made / (1j * np.pi)
    return np.stack([made.real, made.imag])


def _from_saddle(
    v: Any, x: Any, saddle: tuple[Any, Any, Any], side: float, orders: tuple[int, ...]
) -> Any:
    """From it to the right and up, or from the left and up to it."""
    sine, cosine, beta = saddle
    length = beta if side < 0 else np.pi - beta

    def path(d: Any, rest: Any) -> tuple[Any, Any, Any, Any]:
        """The real part, the hyperbolic sine, the slope and the fall at a height from the saddle
        point, ``rest`` from the end.
        """
        d, own, along = side * d, np.sin(rest), -side * np.cos(rest)
        half = 2.0 * np.sin(0.5 * d) ** 2
        q = (half * sine + _sine_less(d) * cosine) / own
        sinh = side * np.sqrt(q * (2.0 + q))
        u = np.arcsinh(sinh)
        slope = (sine * np.sin(d) + cosine * half - q * along) / (own * sinh)
        fall = x * (cosine * (sinh * half - _sinh_less(u)) + sine * np.sin(d) * sinh)
        return u, sinh * along + 1j * ((1.0 + q) * own), slope, fall

    def heights(d: Any, rest: Any) -> Any:
        u, grown, slope, fall = path(d, rest)
        return _weight(u + 1j * (beta + side * d), grown, orders) * (slope + 1j) * np.exp(-fall)

    reach = _reach(lambda d: path(d, length - d)[3], length)
    return integral(heights, reach, length - reach)


# Modified -----------------------------------------------------------------------------------------


def _modified(v: Any, x: Any, orders: tuple[int, ...], scale: float) -> Any:
    """Of the first kind, times ``exp(scale * x)``: of a negative order ``-u``, that of the second
    kind is added, ``2 / π sin(u π)`` times.
    """
    size, turned = np.abs(v), v < 0
    plain = made = _first(size, x, orders, scale)
    if np.any(turned):
        for k in range(orders[0] + 1):
            ways = 2.0 * math.comb(orders[0], k) * math.pi ** (k - 1)
            second = _second(size, x, (orders[0] - k, orders[1]), scale)
            made = made + ways * _times(_turn(size, k + 3), second)
    return np.where(turned, (-1.0) ** orders[0] * made, plain)


def _either_second(v: Any, x: Any, orders: tuple[int, ...], scale: float) -> Any:
    return _second(np.abs(v), x, orders, scale) * np.where(v < 0, (-1.0) ** orders[0], 1.0)


def _first(v: Any, x: Any, orders: tuple[int, ...], scale: float) -> Any:
    """From the saddle point of the order above, as the path of order 0 has a corner."""
    rate = (v + 1.0) / x
    start, cosh = np.arcsinh(rate), np.hypot(rate, 1.0)
    level = x * 2.0 * np.sinh(0.5 * start) ** 2 - v * start

    def path(y: Any, rest: Any) -> tuple[Any, Any, Any, Any]:
        sine, half = np.sin(rest), 2.0 * np.sin(0.5 * y) ** 2
        q = _sine_less(y) / sine
        u = np.arcsinh(rate * (1.0 + q))
        grown = np.cosh(u)
        step = 2.0 * np.arcsinh(0.5 * rate * q / np.cosh(0.5 * (u + start)))
        saved = x * cosh * 2.0 * np.sinh(0.5 * step) ** 2 + v * _sinh_less(step) + np.sinh(step)
        slope = rate * (half - q * np.cos(y)) / (sine * grown)
        less = 2.0 * np.sinh(0.5 * u) ** 2 - grown * half + (1.0 + scale)
        return u, less + 1j * (rate * (1.0 + q) * sine), slope, x * grown * half - saved

    def heights(y: Any, rest: Any) -> Any:
        u, less, slope, fall = path(y, rest)
        return _weight(u + 1j * y, less, orders) * (slope + 1j) * np.exp(1j * y - fall)

    reach = _reach(lambda y: path(y, np.pi - y)[3], np.pi)
    made = integral(heights, reach, np.pi - reach).imag / np.pi
    return made * np.exp(level + x * (1.0 + scale))


def _second(v: Any, x: Any, orders: tuple[int, ...], scale: float) -> Any:
    """Of the second kind, times ``exp(scale * x)``: of ``exp(-x cosh(t)) cosh(v t)`` (10.32.9)."""
    top = np.arcsinh(v / x)  # where the integrand is largest
    cosh = np.hypot(v / x, 1.0)

    def fall(p: Any) -> Any:
        return x * cosh * 2.0 * np.sinh(0.5 * p) ** 2 + v * _sinh_less(p)

    def heights(p: Any) -> Any:
        t = top + p
        both = 1.0 + (-1.0) ** orders[0] * np.exp(-2.0 * v * t)
        factor = t ** orders[0] * (scale - np.cosh(t)) ** orders[1]
        return 0.5 * factor * both * np.exp(-fall(p))

    most = np.arccosh(1.0 + 2.0 * _FALL / (x * cosh))
    left = np.minimum(top, _reach(lambda p: fall(-p), np.maximum(top, 1e-300)))
    right = _reach(fall, most)
    made = integral(lambda p, _: heights(-p), left) + integral(lambda p, _: heights(p), right)
    return made * np.exp(x * (scale - cosh) + v * top)


# Along a path -------------------------------------------------------------------------------------


def _weight(w: Any, grown: Any, orders: tuple[int, ...]) -> Any:
    """What derivatives by the order and by the argument put before the exponential."""
    return (-w) ** orders[0] * grown ** orders[1]


def _reach(fall: Any, most: Any) -> Any:
    """How far it is to where the integrand is small, at most ``most``, a little too far."""
    low, high = most * 1e-9, most * 1.0
    for _ in range(12):
        middle = np.sqrt(low * high)
        beyond = fall(middle) > _FALL
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return high


def _sine_less(x: Any) -> Any:
    """``x - sin(x)``."""
    small = np.abs(x) < 1.0
    return np.where(small, _cubic(np.where(small, x, 0.0), -1.0), x - np.sin(x))


def _sinh_less(x: Any) -> Any:
    """``sinh(x) - x``."""
    small = np.abs(x) < 1.0
    return np.where(small, _cubic(np.where(small, x, 0.0), 1.0), np.sinh(x) - x)


def _cubic(x: Any, sign: float) -> Any:
    total: Any = 1.0
    for k in range(9, 1, -1):
        total = 1.0 + sign * x * x / (2 * k * (2 * k + 1)) * total
    return x**3 / 6.0 * total
