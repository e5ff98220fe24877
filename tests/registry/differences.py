"""Derivatives of a function by values of it alone: what the walk compares with.

A result becomes one vector of its numbers. Differences are central, extrapolated by Ridders'
method, every element for itself, in long double where the function computes in that; else the first
of them is a complex step, where that is what differences say too. An error is estimated.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

Vector = Any
Along = Callable[[float, float], Vector]  # the function at x + t v + s u

LEVELS, STEP, TINY = 5, 0.014, 1e-30


class Estimate(NamedTuple):
    """A derivative and the estimated absolute error of each of its elements."""

    value: Vector
    error: Vector


def parts(tree: Any) -> Iterator[Any]:
    """The floats and complex numbers, and arrays of them, in order."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    if isinstance(tree, tuple | list):
        for item in tree:
            yield from parts(item)
    elif np.asarray(tree).dtype.kind in "fc":
        yield tree


def flat(tree: Any) -> Vector:
    """All parts in one vector."""
    found = [np.ravel(part) for part in parts(tree)]
    return np.concatenate(found) if found else np.zeros(0)


def largest(value: Vector, least: float = 1.0) -> float:
    """Of the magnitudes that are finite, at least ``least``."""
    return float(np.max(np.abs(value[np.isfinite(value)]), initial=least))


def derivative(
    function: Callable[..., Any],
    values: Sequence[Any],
    v: Sequence[Any],
    u: Sequence[Any],
    order: int,
    step: float,
    least: float = 1.0,
) -> Estimate:
    """The derivative of an order: along ``v`` once, along ``u`` beyond that.

    :param least: what the derivative is at least taken to be of.
    """
    long = _moving(function, values, v, u, np.longdouble)
    plain = long or _moving(function, values, v, u, np.float64)
    assert plain is not None
    rounding = _rounding(lambda t: plain(t, t), step)
    found = _extrapolated(_quotient(plain, order), step, rounding, order)
    numbers = (plain(0.0, 0.0), *values)  # of complex ones no complex step is taken
    if long is not None or any(np.asarray(number).dtype.kind == "c" for number in numbers):
        return found
    refined = _by_complex_step(function, values, v, u, order, step)
    if refined is None or not _agree(refined, found, least):
        return found
    return refined


def at_rest(function: Callable[..., Any], values: Sequence[Any], along: Sequence[Any]) -> Vector:
    """The function's own numbers, in the precision that differences are taken in."""
    for precision in (np.longdouble, np.float64):
        moving = _moving(function, values, along, along, precision)
        if moving is not None:
            break
    assert moving is not None
    return moving(0.0, 0.0)


def rounding(
    function: Callable[..., Any], values: Sequence[Any], u: Sequence[Any], step: float
) -> Vector:
    """What a function rounds in double precision near some values."""
    at = _moving(function, values, u, u, np.float64)
    assert at is not None
    return _rounding(lambda t: at(t, 0.0), step)


def _rounding(at: Callable[[float], Vector], step: float) -> Vector:
    """What a function rounds: fourth differences over steps far smaller than those of quotients
    are of nothing else (Moré and Wild 2011).
    """
    near = [at(1e-4 * step * k) for k in range(-3, 4)]
    if len({value.shape for value in near}) > 1:  # how many numbers there are depends on others
        return np.full(near[3].shape, np.inf)
    values = np.stack(near)
    scatter = np.max(np.abs(np.diff(values, 4, axis=0)), axis=0) / math.sqrt(math.comb(8, 4))
    rounding: Vector = np.fmax(float(np.finfo(values.dtype).eps) * np.abs(values[3]), scatter)
    return rounding


def _agree(refined: Estimate, found: Estimate, least: float) -> bool:
    scale = np.max(np.abs(found.value), initial=least)
    if not np.all(found.error <= 1e-4 * scale):
        return False
    return bool(np.all(np.abs(refined.value - found.value) <= 30 * found.error + 1e-11 * scale))


def _moved(value: Any, directions: Sequence[Any], steps: Sequence[Any], precision: Any) -> Any:
    """A value in another precision, moved; what has no direction stays as it is."""
    if directions[0] is None:
        return value
    start = np.asarray(value)
    complex_ = np.result_type(precision, np.complex64)
    wide = start.astype(complex_ if start.dtype.kind == "c" else precision)
    for direction, distance in zip(directions, steps, strict=True):
        wide = wide + np.asarray(direction).astype(wide.dtype) * distance
    return wide if isinstance(value, np.ndarray) else wide[()]


def _moving(
    function: Callable[..., Any],
    values: Sequence[Any],
    v: Sequence[Any],
    u: Sequence[Any],
    precision: Any,
) -> Along | None:
    """The function along two directions, or None where it does not compute in a precision."""

    def at(t: float, s: float) -> Vector:
        steps = (precision(t), precision(s))
        moved = [_moved(x, pair, steps, precision) for x, *pair in zip(values, v, u, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return flat(function(*moved))

    if precision is np.float64:
        return at
    try:
        found = at(0.0, 0.0)
    except Exception:  # a library that does not take it says so in its own way
        return None
    return at if found.dtype in (np.longdouble, np.clongdouble) else None


def _quotient(at: Along, order: int) -> Callable[[float], Vector]:
    """A central difference quotient, whose error is even in the step."""
    if order == 1:
        return lambda h: (at(h, 0) - at(-h, 0)) / (2 * h)
    if order == 2:
        return lambda h: (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h)

    def bent(h: float, t: float) -> Vector:
        return at(t, h) - 2 * at(t, 0) + at(t, -h)

    return lambda h: (bent(h, h) - bent(h, -h)) / (2 * h**3)


def _by_complex_step(
    function: Callable[..., Any],
    values: Sequence[Any],
    v: Sequence[Any],
    u: Sequence[Any],
    order: int,
    step: float,
) -> Estimate | None:
    """The first derivative by a complex step, differences of it beyond."""

    def slope(s: float) -> Vector:
        moved = [
            _moved(x, (w, along), (s, 1j * TINY), np.complex128)
            for x, along, w in zip(values, v, u, strict=True)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            found = flat(function(*moved))
        if found.dtype.kind != "c":
            raise TypeError("imaginary parts are dropped")
        return np.imag(found) / TINY

    try:
        first = slope(0.0)
    except Exception:
        return None
    if order == 1:
        return Estimate(first, np.zeros_like(first))
    rounding = _rounding(slope, step)
    if order == 2:
        return _extrapolated(lambda h: (slope(h) - slope(-h)) / (2 * h), step, rounding, 1)

    def bent(h: float) -> Vector:
        return (slope(h) - 2 * first + slope(-h)) / (h * h)

    return _extrapolated(bent, step, rounding, 2)


def _extrapolated(
    quotient: Callable[[float], Vector], step: float, rounding: Vector, power: int
) -> Estimate:
    """A quotient with an even expansion of its error, at step 0 (Ridders 1982).

    :param rounding: what is rounded of what is divided by this power of the step.
    """
    previous = [quotient(step)]
    best = Estimate(previous[0].copy(), np.full(previous[0].shape, np.inf))
    for level in range(1, LEVELS):
        row = [quotient(step / 2**level)]
        for order in range(1, level + 1):
            finer, coarser = row[order - 1], previous[order - 1]
            entry = finer + (finer - coarser) / (4.0**order - 1.0)
            error = np.maximum(np.abs(entry - finer), np.abs(entry - coarser))
            error = np.maximum(error, rounding / (step / 2**level) ** power)
            better = error < best.error
            best.value[better], best.error[better] = entry[better], error[better]
            row.append(entry)
        previous = row
    return best
