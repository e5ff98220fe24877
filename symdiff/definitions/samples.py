"""Integrals of ``scipy.integrate`` over samples, and by rules of fixed nodes."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued


def _along(y, x, axis):
    """The samples with their axis last, and the steps between them; None where all are one.

    Sums of whole numbers are SciPy's, which wrap, and of truths are truths.
    """
    y = np.asarray(y)
    if x is None:
        return np.moveaxis(y, axis, -1), None
    x = np.asarray(x)
    if x.ndim not in (1, y.ndim):
        raise ValueError("If given, shape of x must be 1-D or the same as y.")
    if x.shape[axis if x.ndim == y.ndim else 0] != y.shape[axis]:
        raise ValueError("If given, length of x along axis must be the same as y.")
    places = x if x.ndim == 1 else np.moveaxis(x, axis, -1)
    return np.moveaxis(y, axis, -1), places[..., 1:] - places[..., :-1]


def trapezoid(y, x=None, dx=1.0, axis=-1):
    lines, steps = _along(y, x, axis)
    parts = (lines[..., 1:] + lines[..., :-1]) / 2.0
    return np.sum((dx if steps is None else steps) * parts, axis=-1)


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    lines, steps = _along(y, x, axis)
    if lines.shape[-1] == 0:
        raise ValueError("At least one point is required along `axis`.")
    parts = (lines[..., 1:] + lines[..., :-1]) / 2.0
    made = np.cumsum((dx if steps is None else steps) * parts, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        made = np.concatenate((np.zeros_like(lines[..., :1]), made), axis=-1)
    return np.moveaxis(made, -1, axis)


def _quotient(n, d):
    """``n / d``, and 0 where two places are the same."""
    is_none = d == 0
    return np.where(is_none, 0.0, n / np.where(is_none, 1.0, d))


def simpson(y, x=None, *, dx=1.0, axis=-1):
    """Parabolas through three points each; of an even number the last step by one through the last
    three (Cartwright 2017, equation 8).
    """
    lines, steps = _along(y, x, axis)
    count = lines.shape[-1]
    if not isinstance(count, int):
        refuse("samples whose number is not known where it is compiled")
    if count == 2:
        return 0.5 * (dx if steps is None else steps[..., 0]) * (lines[..., 0] + lines[..., 1])
    odd = count - 1 + count % 2
    first, middle, last = lines[..., : odd - 2 : 2], lines[..., 1:odd:2], lines[..., 2:odd:2]
    if steps is None:
        made = np.sum(first + 4.0 * middle + last, axis=-1) * (dx / 3.0)
        weights: Any = (5.0 / 12.0 * dx, 2.0 / 3.0 * dx, dx / 12.0)
        if lines.ndim == 1 and odd < count:  # a number, which the double of the step widens
            weights = tuple(np.float64(weight) for weight in weights)
    else:
        steps = steps.astype(np.float64)
        h, k = steps[..., : odd - 2 : 2], steps[..., 1:odd:2]
        ratio, both = _quotient(h, k), h + k
        inner = first * (2.0 - _quotient(1.0, ratio)) + last * (2.0 - ratio)
        inner = inner + middle * (both * _quotient(both, h * k))
        made = np.sum(both / 6.0 * inner, axis=-1)
        h, k = steps[..., -2], steps[..., -1]
        weights = (
            _quotient(2 * k**2 + 3 * h * k, 6 * (k + h)),
            _quotient(k**2 + 3.0 * h * k, 6 * h),
            _quotient(k**3, 6 * h * (h + k)),
        )
    if odd == count:
        return made
    return (
        made
        + weights[0] * lines[..., -1]
        + weights[1] * lines[..., -2]
        - weights[2] * lines[..., -3]
    )


def romb(y, dx=1.0, axis=-1, show=False):
    """Romberg's rule, of ``2**k + 1`` samples."""
    rows = _refined(y, dx, axis)
    made = rows[-1][-1]
    if not show:
        return made
    _print_table(rows, show)
    return valued(made, computed(made, _romb, y, dx, axis))


def _romb(y, dx, axis):
    from scipy.integrate import romb as found

    return found(y, dx, axis)


def _print_table(rows, show):
    if np.ndim(rows[0][0]) > 0:
        print("*** Printing table only supported for integrals of a single data set.")
        return
    told = show if isinstance(show, (tuple, list)) else ()
    width, digits = told[1] if len(told) > 1 else 8, told[0] if len(told) > 0 else 5
    title = "Richardson Extrapolation Table for Romberg Integration"
    print(title, "=" * len(title), sep="\n")
    for row in rows:
        for number in row:
            print(f"%{width}.{digits}f" % number, end=" ")
        print()
    print("=" * len(title))


def _refined(y, dx, axis):
    """Sums of finer and finer steps, each extrapolated to steps of 0 by those before it."""
    lines, _ = _along(y, None, axis)
    steps = lines.shape[-1] - 1
    if not isinstance(steps, int):
        refuse("samples whose number is not known where it is compiled")
    if steps < 1 or steps & (steps - 1):
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    width = steps * dx
    row = [(lines[..., 0] + lines[..., -1]) / 2.0 * width]
    rows = [row]
    stride = steps
    while stride > 1:
        half = stride // 2
        between = width * np.sum(lines[..., half:-1:stride], axis=-1)
        further = [0.5 * (row[0] + between)]
        for j, before in enumerate(row):
            further.append(further[j] + (further[j] - before) / (4 ** (j + 1) - 1))
        row, stride, width = further, half, width / 2.0
        rows.append(row)
    return rows


def fixed_quad(func, a, b, args=(), n=5):
    """Gauss's rule of ``n`` nodes."""
    from scipy.special import roots_legendre

    nodes, weights = roots_legendre(n)
    y = (b - a) * (nodes + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(weights * func(y, *args), axis=-1), None


@when_imported("scipy.integrate")
def register(integrate):
    """Say what the functions mean, whose own sums are of another order."""
    registered(integrate, trapezoid, cumulative_trapezoid, simpson, romb, rounded=True)
    defines(integrate.fixed_quad)(fixed_quad)
