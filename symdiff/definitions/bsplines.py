"""B-splines of ``scipy.interpolate`` that are given by knots and coefficients, and their products.

A point's basis functions that are not zero are computed by the recurrence of Cox and de Boor (de
Boor 1978, chapter X), so that a value can be differentiated by the points, the coefficients and the
knots.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported


def _interval(t: Any, k: Any, points: Any) -> Any:
    """The number of the last knot that is not behind each point, inside the domain."""
    return np.clip(np.searchsorted(t, points, side="right") - 1, k, len(t) - k - 2)


def _basis(t: Any, k: Any, points: Any, at: Any, order: Any = 0) -> Any:
    """The basis functions ``at - k`` to ``at`` at each point, or their derivatives of an order.

    The last steps of the recurrence are those of derivatives, in SciPy's own order of rounding.
    """
    made = [np.ones(points.shape)]
    for degree in range(1, k + 1):
        further = [np.zeros(points.shape)]
        for j in range(degree):
            low, high = t[at + 1 + j - degree], t[at + 1 + j]
            if degree <= k - order:
                part = made[j] / (high - low)
                before, behind = part * (high - points), part * (points - low)
            else:
                behind = degree * made[j] / (high - low)
                before = -behind
            further[j] = further[j] + before
            further.append(behind)
        made = further
    return made


def _values(t: Any, c: Any, k: Any, order: Any, points: Any) -> Any:
    """The derivative of an order at points."""
    made = np.zeros(points.shape)
    if order > k:
        return made
    at = _interval(t, k, points)
    for j, weight in enumerate(_basis(t, k, points, at, order)):
        made = made + c[at - k + j] * weight
    return made


def _splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    if hasattr(tck, "antiderivative"):  # a BSpline
        if ext != 0:
            raise ValueError(f"Extrapolation mode {ext} is not supported by BSpline.")
        return tck(x, der, extrapolate=True)
    t, c, k = tck
    if not 0 <= der <= k:
        raise ValueError(f"0<=der={der}<=k={k} must hold")
    t, c = np.asarray(t), np.asarray(c)
    if c.ndim != 1:
        refuse("curves of several coordinates")
    points = np.asarray(x, dtype=float)
    first, last = t[k], t[len(t) - k - 1]
    inside = (points >= first) & (points <= last)
    if ext == 3:
        points = np.clip(points, first, last)
    elif ext == 2 and not np.all(inside):
        raise ValueError("Found x value not in the domain")
    made = _values(t, c, k, der, points.ravel())
    made = made.reshape(points.shape)
    return np.where(inside, made, 0.0) if ext == 1 else made


def _bisplev(x: Any, y: Any, tck: Any, dx: Any = 0, dy: Any = 0) -> Any:
    tx, ty, c, kx, ky = tck
    if dx != 0 or dy != 0:
        refuse("partial derivatives")
    tx, ty = np.asarray(tx), np.asarray(ty)
    table = np.asarray(c).reshape(len(tx) - kx - 1, len(ty) - ky - 1)
    columns, rows = _clipped(tx, kx, x), _clipped(ty, ky, y)
    at, across = _interval(tx, kx, columns), _interval(ty, ky, rows)
    weights = _basis(ty, ky, rows, across)
    made = np.zeros((len(columns), len(rows)))
    for i, one in enumerate(_basis(tx, kx, columns, at)):
        for j, other in enumerate(weights):
            found = table[(at - kx + i)[:, None], (across - ky + j)[None, :]]
            made = made + one[:, None] * other[None, :] * found
    if len(columns) > 1:
        return made
    return made[0] if len(rows) > 1 else made[0][0]


def _clipped(t: Any, k: Any, points: Any) -> Any:
    """Points as an array, those beyond the domain moved to its ends."""
    return np.clip(np.atleast_1d(np.asarray(points, dtype=float)), t[k], t[len(t) - k - 1])


def _called(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    """A spline that was made outside of the program."""
    if extrapolate is None:
        extrapolate = self.extrapolate
    t, c, k = self.t, self.c, self.k
    if c.ndim != 1:
        refuse("coefficients of more than one axis")
    points = np.asarray(x, dtype=float)
    first, last = t[k], t[len(t) - k - 1]
    if extrapolate == "periodic":
        points = first + (points - first) % (last - first)
    made = _values(t, c, k, nu, points.ravel())
    made = made.reshape(points.shape)
    if extrapolate:
        return made
    return np.where((points >= first) & (points <= last), made, np.nan)


def _knots(self: Any) -> Any:
    return self._t


def _coefficients(self: Any) -> Any:
    return self._c


@when_imported("scipy.interpolate")
def register(interpolate: ModuleType) -> None:
    """Say what the functions mean, whose own values are of another order of rounding."""
    defines(interpolate.splev, rounded=True)(_splev)
    defines(interpolate.bisplev, rounded=True)(_bisplev)
    defines(interpolate.BSpline.__call__, rounded=True)(_called)
    for name, getter in (("t", _knots), ("c", _coefficients)):
        found = getattr(interpolate.BSpline, name, None)
        if isinstance(found, property):  # not of older versions
            defines(found.fget)(getter)
