"""Piecewise polynomials of ``scipy.interpolate``: cubic splines, Hermite's, PCHIP, lines.

A spline is made by plain NumPy code from its knots and values, so that it can be differentiated by
both, and evaluated by its coefficients; one that was made outside of the program has its own.
"""

from typing import Any

import numpy as np

from symdiff.definitions.bsplines import Interpolant, spline_through
from symdiff.definitions.declare import DEFINITIONS, refuse
from symdiff.definitions.libraries import when_imported

# Polynomials on intervals -------------------------------------------------------------------------


class Piecewise:
    """Polynomials on intervals between breakpoints; the highest coefficients stand first."""

    def __init__(self, c, x, extrapolate, axis):
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis

    def __getattr__(self, name):
        refuse(f"the attribute {name} of piecewise polynomials")

    def __call__(self, x, nu=0, extrapolate=None):
        if extrapolate is None:
            extrapolate = self.extrapolate
        points = np.asarray(x, dtype=float)
        made = _values(self.c, self.x, points.ravel(), nu, extrapolate)
        made = made.reshape(points.shape + self.c.shape[2:])
        if self.axis == 0:
            return made
        first, count = tuple(range(points.ndim)), points.ndim
        return np.moveaxis(made, first, tuple(range(self.axis, self.axis + count)))

    def derivative(self, nu=1):
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            c = _derived(c)
        return Piecewise(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        if nu < 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            c = _integrated(c, self.x)
        kept = False if self.extrapolate == "periodic" else self.extrapolate
        return Piecewise(c, self.x, kept, self.axis)

    def integrate(self, a, b, extrapolate=None):
        if extrapolate is None:
            extrapolate = self.extrapolate
        if extrapolate == "periodic":
            refuse("extrapolate='periodic'")
        low, high = np.minimum(a, b), np.maximum(a, b)
        found = _between(self.c, self.x, low, high, extrapolate) * np.where(b < a, -1, 1)
        return np.asarray(found).reshape(self.c.shape[2:])


def _order(c):
    return c.shape[0]


def _values(c, x, points, nu, extrapolate):
    """The values, or derivatives of order ``nu``, at points in a row."""
    if nu < 0:
        raise ValueError("Order of derivative cannot be negative")
    if extrapolate == "periodic":
        points = x[0] + (points - x[0]) % (x[-1] - x[0])
    place = np.clip(np.searchsorted(x, points, side="right") - 1, 0, len(x) - 2)
    behind = (points - x[place]).reshape((-1,) + (1,) * (c.ndim - 2))
    total, power = np.zeros((len(points), *c.shape[2:]), c.dtype), np.ones_like(behind)
    for k in range(nu, _order(c)):
        factor = 1
        for j in range(nu):
            factor *= k - j
        total = total + c[_order(c) - 1 - k][place] * power * factor
        power = power * behind
    known = points == points
    if not extrapolate:
        known = known & (points >= x[0]) & (points <= x[-1])
    return np.where(known.reshape((-1,) + (1,) * (c.ndim - 2)), total, np.nan)


def _powers(c):
    """The exponent of each coefficient."""
    return np.arange(_order(c) - 1, -1, -1).reshape((-1,) + (1,) * (c.ndim - 1))


def _derived(c):
    if _order(c) == 1:
        return np.zeros_like(c)
    return (c * _powers(c))[:-1]


def _integrated(c, x):
    """The coefficients of the integral from the first breakpoint on."""
    higher = c / (_powers(c) + 1)
    steps = np.diff(x).reshape((-1,) + (1,) * (c.ndim - 2))
    terms, power = [], np.ones_like(steps)
    for k in range(_order(c)):
        power = power * steps
        terms.append(higher[_order(c) - 1 - k] * power)
    parts = np.stack(terms, axis=1)  # added in this order
    ends = np.cumsum(parts.reshape(-1, *c.shape[2:]), axis=0)[_order(c) - 1 :: _order(c)]
    starts = np.concatenate((np.zeros_like(ends[:1]), ends[:-1]))
    return np.concatenate((higher, starts[None]))


def _between(c, x, low, high, extrapolate):
    """The sum of the integrals over intervals, of the outer ones to where they are cut."""
    places = np.arange(len(x) - 1)
    first = np.clip(np.searchsorted(x, low, side="right") - 1, 0, len(x) - 2)
    last = np.clip(np.searchsorted(x, high, side="right") - 1, 0, len(x) - 2)
    starts = np.where(places == first, low, x[:-1]) - x[:-1]
    ends = np.where(places == last, high, x[1:]) - x[:-1]
    parts = _from_start(c, ends) - _from_start(c, starts)
    inside = ((places >= first) & (places <= last)).reshape((-1,) + (1,) * (c.ndim - 2))
    total = np.cumsum(np.where(inside, parts, 0.0), axis=0)[-1]
    if extrapolate:
        return total
    return np.where((low >= x[0]) & (high <= x[-1]), total, np.nan)


def _from_start(c, behind):
    """The integral over the beginning of each interval."""
    behind = behind.reshape((-1,) + (1,) * (c.ndim - 2))
    total, power = np.zeros(c.shape[1:], c.dtype), behind
    for k in range(_order(c)):
        total = total + c[_order(c) - 1 - k] * power * (1.0 / (k + 1))
        power = power * behind
    return total


# Interpolation ------------------------------------------------------------------------------------


def _prepared(x, y, axis):
    """Knots, their steps, values with the knots' axis first, steps that broadcast, and slopes."""
    knots, values = np.asarray(x, dtype=float), np.asarray(y)
    if knots.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    axis = axis % values.ndim
    values = np.moveaxis(values, axis, 0)
    values = values.astype(complex if np.iscomplexobj(values) else float)
    if not np.all(np.isfinite(knots)):
        raise ValueError("`x` must contain only finite values.")
    if not np.all(np.isfinite(values)):
        raise ValueError("`y` must contain only finite values.")
    if np.any(np.diff(knots) <= 0):
        raise ValueError("`x` must be strictly increasing sequence.")
    steps = np.diff(knots)
    wide = steps.reshape((-1,) + (1,) * (values.ndim - 1))
    return knots, steps, values, wide, np.diff(values, axis=0) / wide, axis


def _hermite(values, wide, slopes, given):
    """The coefficients of cubic polynomials with given slopes at the knots."""
    bend = (given[:-1] + given[1:] - 2 * slopes) / wide
    return np.stack((bend / wide, (slopes - given[:-1]) / wide - bend, given[:-1], values[:-1]))


def cubic_hermite_spline(x, y, dydx, axis=0, extrapolate=None):
    knots, _, values, wide, slopes, axis = _prepared(x, y, axis)
    given = np.moveaxis(np.asarray(dydx), axis, 0).astype(values.dtype)
    c = _hermite(values, wide, slopes, given)
    return Piecewise(c, knots, True if extrapolate is None else extrapolate, axis)


def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    knots, steps, values, wide, slopes, axis = _prepared(x, y, axis)
    if isinstance(bc_type, str) and bc_type == "periodic":
        given = _periodic_slopes(steps, values, wide, slopes)
        extrapolate = "periodic" if extrapolate is None else extrapolate
    else:
        start, end = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
        given = _slopes(knots, steps, values, wide, slopes, _condition(start), _condition(end))
    c = _hermite(values, wide, slopes, given)
    return Piecewise(c, knots, True if extrapolate is None else extrapolate, axis)


def _condition(kind):
    """What is asked at an end: the order of a derivative and its value; 3 is not-a-knot."""
    if isinstance(kind, str):
        if kind == "not-a-knot":
            return 3, 0.0
        if kind in ("clamped", "natural"):
            return (1 if kind == "clamped" else 2), 0.0
        raise ValueError(f"bc_type={kind} is not allowed.")
    order, value = kind
    if order not in (1, 2):
        raise ValueError("The specified derivative order must be 1 or 2.")
    return order, np.asarray(value)


def _slopes(knots, steps, values, wide, slopes, start, end):
    """The slopes at the knots that make the second derivative continuous."""
    from scipy.linalg import solve_banded

    if (start[0] == 3 or end[0] == 3) and len(knots) < 4:
        raise ValueError("symdiff takes not-a-knot splines of four knots or more")
    inner = 3 * (wide[1:] * slopes[:-1] + wide[:-1] * slopes[1:])
    first = _end_equation(start, knots[2:3] - knots[:1], steps, values, wide, slopes, 1.0)
    last = _end_equation(
        end, knots[-1:] - knots[-3:-2], steps[::-1], values[::-1], wide[::-1], slopes[::-1], -1.0
    )
    zero = np.zeros(1)
    diagonal = np.concatenate((first[0], 2 * (steps[:-1] + steps[1:]), last[0]))
    above = np.concatenate((zero, first[1], steps[:-1]))
    below = np.concatenate((steps[1:], last[1], zero))
    right = np.concatenate((first[2], inner, last[2]))
    flat = right.reshape(right.shape[0], -1)
    return solve_banded((1, 1), np.stack((above, diagonal, below)), flat).reshape(right.shape)


def _end_equation(condition, width, steps, values, wide, slopes, sign):
    """The equation of an end, which stands first in what is given: both entries, and its right
    side.
    """
    order, value = condition
    if order == 1:
        return np.ones(1), np.zeros(1), np.zeros_like(values[:1]) + value
    if order == 2:
        bend = 3 * (values[1:2] - values[:1]) * sign - 0.5 * sign * value * wide[:1] ** 2
        return 2 * steps[:1], steps[:1], bend
    broad = width.reshape((1,) * values.ndim)
    right = (wide[:1] + 2 * broad) * wide[1:2] * slopes[:1] + wide[:1] ** 2 * slopes[1:2]
    return steps[1:2], width, right / broad


def _periodic_slopes(steps, values, wide, slopes):
    if not np.allclose(values[0], values[-1], rtol=1e-15, atol=1e-15):
        raise ValueError(
            "The first and last `y` point along axis 0 must be identical (within machine"
            " precision) when bc_type='periodic'."
        )
    if len(steps) < 3:
        raise ValueError("symdiff takes periodic splines of four knots or more")
    from scipy.linalg import solve_banded

    zero = np.zeros(1)
    diagonal = np.concatenate((2 * (steps[-1:] + steps[:1]), 2 * (steps[:-2] + steps[1:-1])))
    above = np.concatenate((zero, steps[-1:], steps[:-3]))
    below = np.concatenate((steps[1:-1], zero))
    inner = 3 * (wide[1:] * slopes[:-1] + wide[:-1] * slopes[1:])
    first = 3 * (wide[:1] * slopes[-1:] + wide[-1:] * slopes[:1])
    last = 3 * (wide[-1] * slopes[-2] + wide[-2] * slopes[-1])
    right = np.concatenate((first, inner[:-1]))
    corner = np.concatenate((-steps[:1], np.zeros_like(steps[1:-2]), -steps[-3:-2]))
    corners = np.broadcast_to(corner.reshape((-1,) + (1,) * (right.ndim - 1)), right.shape)
    band = np.stack((above, diagonal, below))
    one = solve_banded((1, 1), band, right.reshape(len(right), -1)).reshape(right.shape)
    other = solve_banded((1, 1), band, corners.reshape(len(right), -1)).reshape(right.shape)
    end = (last - steps[-2] * one[0] - steps[-1] * one[-1]) / (
        2 * (steps[-1] + steps[-2]) + steps[-2] * other[0] + steps[-1] * other[-1]
    )
    found = one + end * other
    return np.concatenate((found, end[None], found[:1]))


def pchip_interpolator(x, y, axis=0, extrapolate=None):
    """Slopes of monotone interpolation (Fritsch and Butland 1984)."""
    knots, _, values, wide, slopes, axis = _prepared(x, y, axis)
    if np.iscomplexobj(values):
        refuse("complex values")
    if len(knots) < 3:
        raise ValueError("symdiff takes PCHIP interpolation of three knots or more")
    left, right = slopes[:-1], slopes[1:]
    turns = left * right <= 0
    one, other = 2 * wide[1:] + wide[:-1], wide[1:] + 2 * wide[:-1]
    mean = (one / np.where(turns, 1.0, left) + other / np.where(turns, 1.0, right)) / (one + other)
    inner = np.where(turns, 0.0, 1.0 / np.where(turns, 1.0, mean))
    first = _end_slope(wide[:1], wide[1:2], slopes[:1], slopes[1:2])
    last = _end_slope(wide[-1:], wide[-2:-1], slopes[-1:], slopes[-2:-1])
    c = _hermite(values, wide, slopes, np.concatenate((first, inner, last)))
    return Piecewise(c, knots, True if extrapolate is None else extrapolate, axis)


def akima(x, y, axis=0, *, method="akima", extrapolate=None):
    """Slopes that are means of those around, by how much these change (Akima 1970)."""
    if method not in ("akima", "makima"):
        raise NotImplementedError(f"`method`={method!r} is unsupported.")
    knots, _, values, wide, slopes, axis = _prepared(x, y, axis)
    if np.iscomplexobj(values):
        refuse("complex values")
    if len(knots) < 3:
        refuse("fewer than three knots")
    before = 2.0 * slopes[:1] - slopes[1:2]
    behind = 2.0 * slopes[-1:] - slopes[-2:-1]
    first, last = 2.0 * before - slopes[:1], 2.0 * behind - slopes[-1:]
    m = np.concatenate((first, before, slopes, behind, last))
    change = np.abs(np.diff(m, axis=0))
    if method == "makima":
        change = change + 0.5 * np.abs(m[1:] + m[:-1])
    left, right = change[:-2], change[2:]
    both = left + right
    bends = both > 1e-9 * np.max(both)
    mean = m[1:-2] + left / np.where(bends, both, 1.0) * (m[2:-1] - m[1:-2])
    given = np.where(bends, mean, 0.5 * (m[3:] + m[:-3]))
    c = _hermite(values, wide, slopes, given)
    return Piecewise(c, knots, False if extrapolate is None else extrapolate, axis)


def _end_slope(near, far, slope, other):
    """From three points, cut so that the shape is kept."""
    found = ((2 * near + far) * slope - near * other) / (near + far)
    wrong = np.sign(found) != np.sign(slope)
    steep = (np.sign(slope) != np.sign(other)) & (np.abs(found) > 3.0 * np.abs(slope))
    return np.where(wrong, 0.0, np.where(steep, 3.0 * slope, found))


def ppoly(c, x, extrapolate=None, axis=0):
    c = np.asarray(c)
    c = c.astype(complex if np.iscomplexobj(c) else float)
    if axis != 0:
        c = np.moveaxis(np.moveaxis(c, axis + 1, 0), axis + 1, 0)
    knots = _increasing(np.asarray(x, dtype=float))
    return Piecewise(c, knots, True if extrapolate is None else extrapolate, axis)


def _increasing(x):
    if x[0] > x[-1]:
        raise ValueError("symdiff takes breakpoints that increase")
    return x


# Lines --------------------------------------------------------------------------------------------


class Lines:
    """Lines between points, the axis of the points first in ``y``."""

    def __init__(self, x, y, axis, bounds_error, fill_value, kind):
        self.x, self.y, self.axis, self.kind = x, y, axis, kind
        self.bounds_error, self.fill_value = bounds_error, fill_value
        self.spline = None
        if isinstance(kind, int):
            t, c = spline_through(x, y, kind)
            self.spline = Interpolant(t, c, kind, 0)

    def __call__(self, x):
        points = np.asarray(x)
        if points.dtype.kind != "f":
            points = points.astype(float)
        made = self._inside(points.ravel())
        if self.fill_value is not None:
            made = self._filled(made, points.ravel())
        made = made.reshape(points.shape + self.y.shape[1:])
        first, count = tuple(range(points.ndim)), points.ndim
        return np.moveaxis(made, first, tuple(range(self.axis, self.axis + count)))

    def _inside(self, points):
        x, y = self.x, self.y
        if self.spline is not None:
            return self.spline(points)
        if self.kind != "linear":
            return y[np.clip(self._place(points), 0, len(x) - 1)]
        if self.fill_value is not None and y.ndim == 1 and x.dtype == y.dtype == np.float64:
            return np.interp(points, x, y)
        place = np.clip(np.searchsorted(x, points), 1, len(x) - 1)
        wide = (-1,) + (1,) * (y.ndim - 1)
        slope = (y[place] - y[place - 1]) / (x[place] - x[place - 1]).reshape(wide)
        return slope * (points - x[place - 1]).reshape(wide) + y[place - 1]

    def _place(self, points):
        """Which of the points each one takes its value from."""
        if self.kind == "next":
            return np.searchsorted(self.x, points)
        if self.kind in ("previous", "zero"):
            return np.searchsorted(self.x, points, side="right") - 1
        middles = self.x[1:] / 2.0 + self.x[:-1] / 2.0
        side: Any = "left" if self.kind == "nearest" else "right"
        return np.searchsorted(middles, points, side=side)

    def _filled(self, made, points):
        below, above = points < self.x[0], points > self.x[-1]
        if self.bounds_error and np.any(below | above):
            raise ValueError("A value in x_new is outside of the interpolation range")
        wide = (-1,) + (1,) * (self.y.ndim - 1)
        low, high = self.fill_value
        made = np.where(below.reshape(wide), np.asarray(low), made)
        return np.where(above.reshape(wide), np.asarray(high), made).astype(made.dtype)


_DEGREES = {0: "zero", "slinear": 1, "quadratic": 2, "cubic": 3}
_STEPS = ("linear", "nearest", "nearest-up", "next", "previous", "zero")


def interp1d(
    x,
    y,
    kind="linear",
    axis=-1,
    copy=True,
    bounds_error=None,
    fill_value=np.nan,
    assume_sorted=False,
):
    if kind in _DEGREES:
        kind = _DEGREES[kind]
    elif kind not in _STEPS and not isinstance(kind, int):
        refuse(f"kind={kind!r}")
    x, y = np.asarray(x), np.asarray(y)
    if x.ndim != 1:
        raise ValueError("the x array must have exactly one dimension.")
    if y.ndim == 0:
        raise ValueError("the y array must have at least one dimension.")
    axis = axis % y.ndim
    y = np.moveaxis(y, axis, 0)
    if not assume_sorted:
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    if y.dtype.kind in "biu":
        y = y.astype(float)
    if isinstance(fill_value, str):
        if bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        return Lines(x, y, axis, False, None, kind)
    both = fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)
    return Lines(x, y, axis, True if bounds_error is None else bounds_error, both, kind)


# Registering --------------------------------------------------------------------------------------


def _kept(self):
    """A piecewise polynomial that was made outside of the program."""
    return Piecewise(self.c, _increasing(self.x), self.extrapolate, self.axis)


def _coefficients(self):
    return self._c


def _breakpoints(self):
    return self._x


def _called(self, x, nu=0, extrapolate=None):
    return _kept(self)(x, nu, extrapolate)


def _derivative(self, nu=1):
    return _kept(self).derivative(nu)


def _antiderivative(self, nu=1):
    return _kept(self).antiderivative(nu)


def _integral(self, a, b, extrapolate=None):
    return _kept(self).integrate(a, b, extrapolate)


@when_imported("scipy.interpolate")
def register(interpolate):
    """Say what the classes and their methods mean."""
    made: dict[str, Any] = {
        "Akima1DInterpolator": akima,
        "CubicSpline": cubic_spline,
        "CubicHermiteSpline": cubic_hermite_spline,
        "PchipInterpolator": pchip_interpolator,
        "PPoly": ppoly,
        "interp1d": interp1d,
    }
    for name, definition in made.items():
        DEFINITIONS[getattr(interpolate, name)] = definition
    methods: dict[str, Any] = {
        "__call__": _called,
        "derivative": _derivative,
        "antiderivative": _antiderivative,
        "integrate": _integral,
    }
    for name, definition in methods.items():
        DEFINITIONS[getattr(interpolate.PPoly, name)] = definition
    getters: dict[str, Any] = {"c": _coefficients, "x": _breakpoints}
    for name, definition in getters.items():
        found = getattr(interpolate.PPoly, name)
        if isinstance(found, property):  # not of older versions
            DEFINITIONS[found.fget] = definition
