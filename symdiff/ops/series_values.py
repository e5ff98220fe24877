"""Derivatives of hypergeometric functions by their parameters, that generated code calls.

Each parameter stands in factors that are linear in it, so that a derivative by it goes along with
the series, in a polynomial of what is added to the parameters. Terms may cancel: they are summed
in as many decimal digits as that takes.
"""

from __future__ import annotations

import decimal
import itertools
import math
from typing import Any

import numpy as np

_DIGITS, _KEPT, _MOST = 50, 25, 20000  # digits at first, those that are to be left, and in all
_TERMS = 100000


# Hypergeometric functions -------------------------------------------------------------------------


def hypergeometric_0f1(b: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``hyp0f1(b, x)``; its orders by ``b`` and ``x``.

    >>> hypergeometric_0f1(1.0, 1.0, orders=(1, 0))
    np.float64(-1.429706...)
    """
    return _elementwise(lambda b, x: _confluent((), (b,), x, orders), b, x)


def hypergeometric_1f1(a: Any, b: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``hyp1f1(a, b, x)``; its orders by ``a``, ``b`` and ``x``.

    >>> hypergeometric_1f1(1.0, 1.0, 1.0, orders=(1, 0, 0))
    np.float64(2.165382...)
    """
    return _elementwise(lambda a, b, x: _confluent((a,), (b,), x, orders), a, b, x)


def hypergeometric_2f1(a: Any, b: Any, c: Any, x: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``hyp2f1(a, b, c, x)``, below 1; its orders by all of them.

    >>> hypergeometric_2f1(1.0, 1.0, 1.0, 0.5, orders=(1, 0, 0, 0))
    np.float64(1.38629...)
    """
    return _elementwise(lambda a, b, c, x: _gauss(a, b, c, x, orders), a, b, c, x)


def _elementwise(made_of: Any, *operands: Any) -> Any:
    dtype = np.result_type(*operands)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    given = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in operands))
    made = np.full(given[0].shape, np.nan)
    for place in np.ndindex(made.shape):
        numbers = [float(x[place]) for x in given]
        if all(map(math.isfinite, numbers)):
            made[place] = made_of(*map(decimal.Decimal, numbers))
    return made.astype(dtype)[()]


def _is_pole(b: decimal.Decimal) -> bool:
    return b <= 0 and b == b.to_integral_value()


def _in_digits(made_of: Any) -> float:
    """A sum, beside the largest that was added: again with more digits where too few are left."""
    digits = _DIGITS
    for _ in range(3):
        with decimal.localcontext() as context:
            context.prec, context.Emax, context.Emin = digits, decimal.MAX_EMAX, decimal.MIN_EMIN
            try:
                total, largest = made_of()
            except OverflowError:
                return math.nan
            lost = largest.adjusted() - total.adjusted() if total and largest else 0
        if digits - lost >= _KEPT or digits + lost > _MOST:
            break
        digits = lost + _DIGITS
    return float(total) if digits - lost >= _KEPT else math.nan


def _confluent(tops: Any, bottoms: Any, x: decimal.Decimal, orders: tuple[int, ...]) -> float:
    """Of negative arguments Kummer's function is ``exp(x)`` times that of ``b - a`` and ``-x``."""
    if any(map(_is_pole, bottoms)) or abs(x) > 10000:
        return math.nan
    *by, order = orders
    given = (*tops, *bottoms)

    def made() -> tuple[decimal.Decimal, decimal.Decimal]:
        above: list[Any] = [(a, {k: 1}) for k, a in enumerate(tops)]
        below: list[Any] = [(b, {k: 1}) for k, b in enumerate(bottoms, len(tops))]
        jet = _raised(_one(tuple(by)), above, below, order)
        above, below = ([(c + order, own) for c, own in part] for part in (above, below))
        place, factor = x, decimal.Decimal(1)
        if tops and x < 0:
            above, place, factor = [(given[1] - given[0], {0: -1, 1: 1})], -x, x.exp()
        total, largest = _series(jet, above, below, place)
        scale = factor * math.prod(map(math.factorial, by))
        return total[tuple(by)] * scale, largest * scale

    return _in_digits(made)


def _one(orders: tuple[int, ...]) -> Any:
    keys = itertools.product(*(range(n + 1) for n in orders))
    return {key: decimal.Decimal(int(not any(key))) for key in keys}


def _raised(jet: Any, above: Any, below: Any, order: int) -> Any:
    """What a derivative by the argument puts before the function of larger parameters."""
    for k in range(order):
        jet = _next(jet, above, below, k)
    return jet


def _next(jet: Any, above: Any, below: Any, k: int) -> Any:
    for number, own in above:
        jet = _times(jet, (number + k, own))
    for number, own in below:
        jet = _over(jet, (number + k, own))
    return jet


def _neighbours(jet: Any, key: tuple[int, ...], own: dict[int, int]) -> decimal.Decimal:
    """What the addends of a linear factor take from the coefficients below."""
    total = decimal.Decimal(0)
    for axis, sign in own.items():
        if key[axis]:
            total += sign * jet[(*key[:axis], key[axis] - 1, *key[axis + 1 :])]
    return total


def _times(jet: Any, factor: Any) -> Any:
    number, own = factor
    return {key: number * value + _neighbours(jet, key, own) for key, value in jet.items()}


def _over(jet: Any, factor: Any) -> Any:
    number, own = factor
    made: Any = {}
    for key, value in jet.items():  # in the order in which those below come first
        made[key] = (value - _neighbours(made, key, own)) / number
    return made


def _series(jet: Any, above: Any, below: Any, x: decimal.Decimal) -> tuple[Any, decimal.Decimal]:
    """The sum of the terms that begin with one, and the largest of them."""
    total = dict(jet)
    size = largest = _largest(jet)
    parameters = max((abs(number) for number, _ in (*above, *below)), default=decimal.Decimal(0))
    for k in range(_TERMS):
        jet = _next(jet, above, below, k)
        jet = {key: value * x / (k + 1) for key, value in jet.items()}
        total = {key: value + jet[key] for key, value in total.items()}
        before, size = size, _largest(jet)
        largest = max(largest, size)
        if k > 4 * parameters and 4 * size <= 3 * before and _is_small(size, largest):
            return total, largest
    raise OverflowError("the series is too long")


def _is_small(size: decimal.Decimal, largest: decimal.Decimal) -> bool:
    return size <= largest.scaleb(-decimal.getcontext().prec)


def _largest(jet: Any) -> Any:
    return max(map(abs, jet.values()))


def _gauss(
    a: decimal.Decimal,
    b: decimal.Decimal,
    c: decimal.Decimal,
    x: decimal.Decimal,
    orders: tuple[int, ...],
) -> float:
    """By the series up to a half; from there by those of the solution of its equation at places
    (NIST Handbook, 15.10.1), of which each is half as far from the next pole.
    """
    if _is_pole(c) or x >= 1:
        return math.nan
    *by, order = orders

    def made() -> tuple[decimal.Decimal, decimal.Decimal]:
        above: list[Any] = [(a, {0: 1}), (b, {1: 1})]
        below: list[Any] = [(c, {2: 1})]
        jet = _raised(_one(tuple(by)), above, below, order)
        above, below = ([(v + order, own) for v, own in part] for part in (above, below))
        place = max(min(x, decimal.Decimal("0.5")), decimal.Decimal("-0.5"))
        value, largest = _series(jet, above, below, place)
        if place != x:
            higher = [(v + 1, own) for v, own in above], [(v + 1, own) for v, own in below]
            slope, _ = _series(_raised(jet, above, below, 1), *higher, place)
            value, most = _continued(value, slope, [*above, *below], (place, x))
            largest = max(largest, most)
        scale = math.prod(map(math.factorial, by))
        return value[tuple(by)] * scale, largest * scale

    return _in_digits(made)


def _continued(
    value: Any, slope: Any, parameters: list[Any], way: tuple[decimal.Decimal, decimal.Decimal]
) -> tuple[Any, decimal.Decimal]:
    place, end = way
    largest, sign = decimal.Decimal(0), 1 if end > place else -1
    while place != end:
        left = (1 - place if sign > 0 else -place) / 2
        near = abs(end - place) <= left
        step = end - place if near else sign * left
        value, slope, most = _taylor(value, slope, parameters, place, step)
        place, largest = end if near else place + step, max(largest, most)
    return value, largest


def _taylor(
    value: Any, slope: Any, parameters: list[Any], place: decimal.Decimal, step: decimal.Decimal
) -> tuple[Any, Any, decimal.Decimal]:
    """Value and slope a step further, by ``x (1 - x) f'' + (c - (a + b + 1) x) f' = a b f``."""
    (a, _), (b, _), (c, _) = parameters
    curve = place * (1 - place)
    total, moved = dict(value), dict(slope)
    before, now = value, {key: v * step for key, v in slope.items()}  # coefficients times powers
    largest = max(_largest(value), _largest(slope))
    for k in range(_TERMS):
        total = {key: v + now[key] for key, v in total.items()}
        first = _times(_times(before, (a + k, {0: 1})), (b + k, {1: 1}))
        rate = k * (1 - 2 * place) + c - (a + b + 1) * place
        turned = {
            key: rate * v
            + _neighbours(now, key, {2: 1})
            - place * _neighbours(now, key, {0: 1, 1: 1})
            for key, v in now.items()
        }
        over = (k + 2) * curve
        after = {key: (first[key] * step / (k + 1) - turned[key]) * step / over for key in now}
        moved = {key: v + (k + 2) * after[key] / step for key, v in moved.items()}
        before, now = now, after
        size = max(_largest(now), _largest(before))
        largest = max(largest, size)
        if k > 4 * (abs(a) + abs(b) + abs(c)) and _is_small(size * k, largest):
            return total, moved, largest
    raise OverflowError("the series is too long")
