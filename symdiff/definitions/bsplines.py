"""B-splines of ``scipy.interpolate`` that are given by knots and coefficients, and their products.

A point's basis functions that are not zero are computed by the recurrence of Cox and de Boor (de
Boor 1978, chapter X), so that a value can be differentiated by the points, the coefficients and the
knots.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, known_integer, refuse
from symdiff.definitions.libraries import when_imported


def interval_of(t, k, points):
    """The number of the last knot that is not behind each point, inside the domain."""
    return np.clip(np.searchsorted(t, points, side="right") - 1, k, len(t) - k - 2)


def basis_at(t, k, points, at, order=0):
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


def _values(t, c, k, order, points):
    """The derivative of an order at points."""
    wide = (-1,) + (1,) * (c.ndim - 1)
    made = np.zeros(points.shape + c.shape[1:])
    if order > k:
        return made
    at = interval_of(t, k, points)
    for j, weight in enumerate(basis_at(t, k, points, at, order)):
        made = made + c[at - k + j] * weight.reshape(wide)
    return made


# Through points -----------------------------------------------------------------------------------


class Fitted:
    """A spline of FITPACK's through points."""

    def __init__(self, tck, ext):
        self.tck, self.ext = tck, ext

    def __call__(self, x, nu=0, ext=None):
        from scipy.interpolate import splev

        ext = self.ext if ext is None else ext
        ext = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}.get(ext, ext)
        return splev(x, self.tck, nu, ext)

    def derivative(self, n=1):
        from scipy.interpolate import splder

        return Fitted(splder(self.tck, n), 1 if self.ext in (3, "const") else self.ext)

    def antiderivative(self, n=1):
        from scipy.interpolate import splantider

        return Fitted(splantider(self.tck, n), self.ext)

    def integral(self, a, b):
        from scipy.interpolate import splint

        return splint(a, b, self.tck)

    def derivatives(self, x):
        from scipy.interpolate import spalde

        return spalde(x, self.tck)

    def get_coeffs(self):
        t, c, k = self.tck
        return c[: len(t) - k - 1]

    def get_knots(self):
        t, _, k = self.tck
        return t[k : len(t) - k]

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


class Interpolant:
    """A spline of coefficients whose first axis is that of the knots."""

    def __init__(self, t, c, k, axis, extrapolate=True):
        self.t, self.c, self.k, self.axis, self.extrapolate = t, c, k, axis, extrapolate

    def __call__(self, x, nu=0, extrapolate=None):
        return _at(self, spline_at, x, nu, extrapolate)

    def derivative(self, nu=1):
        if nu < 0:
            return self.antiderivative(-nu)
        if nu > self.k:
            raise ValueError(
                f"Order of derivative (n = {nu}) must be <= order of spline (k = {self.k})"
            )
        t, c, k = self.t, padded(self.t, self.c), self.k
        for _ in range(nu):
            t, c, k = derived_spline(t, c, k)
        return Interpolant(t, c, k, self.axis, self.extrapolate)

    def antiderivative(self, nu=1):
        if nu < 0:
            return self.derivative(-nu)
        t, c, k = self.t, padded(self.t, self.c), self.k
        for _ in range(nu):
            t, c, k = integrated_spline(t, c, k)
        kept = False if self.extrapolate == "periodic" else self.extrapolate
        return Interpolant(t, c, k, self.axis, kept)

    def integrate(self, a, b, extrapolate=None):
        if extrapolate is None:
            extrapolate = self.extrapolate
        if extrapolate == "periodic":
            refuse("extrapolate='periodic'")
        return spline_integral(self.t, self.c, self.k, a, b, bool(extrapolate))

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


def _at(spline, values, x, nu, extrapolate):
    """A spline at places, its ``values`` inside the domain computed by a function of points."""
    if extrapolate is None:
        extrapolate = spline.extrapolate
    t, c, k = spline.t, spline.c, spline.k
    points = np.asarray(x, dtype=float)
    first, last = t[k], t[len(t) - k - 1]
    if extrapolate == "periodic":
        points = first + (points - first) % (last - first)
    made = values(t, c, k, nu, points.ravel()).reshape(points.shape + c.shape[1:])
    if not extrapolate:
        inside = (points >= first) & (points <= last)
        made = np.where(inside.reshape(points.shape + (1,) * (c.ndim - 1)), made, np.nan)
    if spline.axis == 0:
        return made
    places = tuple(range(points.ndim))
    return np.moveaxis(made, places, tuple(range(spline.axis, spline.axis + points.ndim)))


def padded(t, c):
    """Coefficients, and behind them zeros: as many as there are knots."""
    return np.concatenate((c, np.zeros((max(len(t) - len(c), 0), *c.shape[1:]))))


def derived_spline(t, c, k):
    """Knots, coefficients and degree of the derivative (de Boor 1978, chapter X, (15))."""
    steps = (t[k + 1 : -1] - t[1 : -k - 1]).reshape((-1,) + (1,) * (c.ndim - 1))
    if np.any(steps == 0):
        raise ValueError("The spline has internal repeated knots and is not differentiable")
    made = (c[1 : -1 - k] - c[: -2 - k]) * k / steps
    return t[1:-1], np.concatenate((made, np.zeros((k, *c.shape[1:])))), k - 1


def integrated_spline(t, c, k):
    """Knots, coefficients and degree of the antiderivative that is 0 at the first knot."""
    steps = (t[k + 1 :] - t[: -k - 1]).reshape((-1,) + (1,) * (c.ndim - 1))
    made = np.cumsum(c[: -k - 1] * steps, axis=0) / (k + 1)
    last = np.repeat(made[-1:], k + 2, axis=0)
    made = np.concatenate((np.zeros((1, *c.shape[1:])), made, last))
    return np.concatenate((t[:1], t, t[-1:])), made, k + 1


def bspline(t, c, k, extrapolate=True, axis=0):
    if not isinstance(k, int):
        refuse("a degree k that is not known where it is compiled")
    t, c = np.asarray(t, dtype=float), np.asarray(c)
    if np.iscomplexobj(c):
        refuse("complex coefficients")
    if c.ndim < 1:
        raise ValueError("Coefficients must be at least 1-dimensional.")
    c = np.moveaxis(c.astype(float), axis, 0)
    _check_knots(t, k)
    if len(c) < len(t) - k - 1:
        raise ValueError("Knots, coefficients and degree are inconsistent.")
    kept = extrapolate if extrapolate == "periodic" else bool(extrapolate)
    return Interpolant(t, c, k, axis % c.ndim, kept)


def basis_element(t, extrapolate=True):
    """The basis function of all knots, of which more stand one by one before and behind them."""
    inner = np.asarray(t, dtype=float)
    k = known_integer(inner.shape[0] - 2)
    ends = np.ones(k)
    knots = np.concatenate(((inner[0] - 1) * ends, inner, (inner[-1] + 1) * ends))
    return bspline(knots, 1.0 * (np.arange(3 * k + 2) == k), k, extrapolate)


def _check_knots(t, k):
    if k < 0:
        raise ValueError("Spline order cannot be negative.")
    if t.ndim != 1:
        raise ValueError("Knot vector must be one-dimensional.")
    if len(t) < 2 * k + 2:
        raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
    if np.any(np.diff(t) < 0):
        raise ValueError("Knots must be in a non-decreasing order.")
    if t[k] == t[len(t) - k - 1]:
        raise ValueError("Need at least two internal knots.")
    if not np.all(np.isfinite(t)):
        raise ValueError("Knots should not have nans or infs.")


def spline_integral(t, c, k, a, b, extrapolate):
    """SciPy's own integral of a spline: see ``_integral``."""
    from scipy.interpolate import BSpline

    return np.asarray(BSpline(t, c, k).integrate(a, b, extrapolate))


@defines(spline_integral, rounded=True)
def _integral(t, c, k, a, b, extrapolate):
    """The difference of the antiderivative."""
    ends = np.stack((a, b)).astype(float)
    if not extrapolate:
        ends = np.clip(ends, t[k], t[len(t) - k - 1])
    knots, sums, degree = integrated_spline(t, padded(t, c), k)
    made = _values(knots, sums, degree, 0, ends)
    return made[1] - made[0]


def spline_through(x, y, k):
    """SciPy's own knots and coefficients: see ``_through``."""
    from scipy.interpolate import make_interp_spline

    found = make_interp_spline(x, y, k=k)
    return found.t, found.c


def spline_at(t, c, k, order, points):
    """SciPy's own values of a spline: see ``_values``."""
    from scipy.interpolate import BSpline

    return BSpline(t, c, k)(points, order)


@defines(spline_through, rounded=True)
def _through(x, y, k):
    """Knots and coefficients of the spline of degree ``k`` through points: no knot stands at those
    next to the ends (de Boor 1978, chapter XIII).
    """
    if not isinstance(k, int):
        refuse("a degree k that is not known where it is compiled")
    if k < 0 or len(x) <= k:
        raise ValueError("symdiff takes more points than the degree of the spline")
    if np.any(np.diff(x) <= 0):
        raise ValueError("Expect x to not have duplicates or be unsorted.")
    if k == 0:
        return np.concatenate((x, x[-1:])), y
    half = (k + 1) // 2
    if k == 1:
        inner = x[1:-1]
    elif k % 2:
        inner = x[half : len(x) - half]
    else:
        inner = ((x[1:] + x[:-1]) / 2)[k // 2 : len(x) - 1 - k // 2]
    ends = np.ones(k + 1)
    t = np.concatenate((x[0] * ends, inner, x[-1] * ends))
    at = interval_of(t, k, x)
    table = np.zeros((len(x), len(x)))
    rows = np.arange(len(x))
    for j, weight in enumerate(basis_at(t, k, x, at)):
        table[rows, at - k + j] = weight
    c = np.linalg.solve(table, y.reshape(len(x), -1)).reshape(y.shape)
    return t, c


def _points(x, y, axis):
    x, y = np.asarray(x, dtype=float), np.asarray(y)
    if np.iscomplexobj(y):
        refuse("complex values")
    if x.ndim != 1 or x.shape[0] != y.shape[axis]:
        raise ValueError("x and y do not fit")
    return x, np.moveaxis(y.astype(float), axis, 0), axis % y.ndim


def make_interp_spline(x, y, k=3, bc_type=None, axis=0):
    if k > 1 and bc_type not in (None, "not-a-knot"):
        refuse(f"bc_type={bc_type!r} (use scipy.interpolate.CubicSpline)")
    x, y, axis = _points(x, y, axis)
    t, c = spline_through(x, y, k)
    return Interpolant(t, c, k, axis)


def interpolated_univariate_spline(x, y, bbox=(None, None), k=3, ext=0):
    if bbox[0] is not None or bbox[1] is not None:
        refuse("bbox=")
    from scipy.interpolate import splrep

    return Fitted(splrep(x, y, k=k, s=0), ext)


def univariate_spline(x, y, bbox=(None, None), k=3, s=None, ext=0):
    if not isinstance(s, int | float) or s != 0:
        refuse("s= other than 0: the number of knots depends on the values")
    return interpolated_univariate_spline(x, y, bbox, k, ext)


def _fitted(self, x, nu=0, ext=None):
    """A spline of FITPACK's that was made outside of the program."""
    t, c, k = self._eval_args
    return Fitted((t, c, k), self.ext)(x, nu, ext)


def make_splrep(x, y, *, k=3, s=0):
    if not isinstance(s, int | float) or s != 0:
        refuse("s= other than 0: the number of knots depends on the values")
    return make_interp_spline(x, y, k)


def make_splprep(x, *, u=None, k=3, s=0):
    if not isinstance(s, int | float) or s != 0:
        refuse("s= other than 0: the number of knots depends on the values")
    points = np.stack([np.asarray(one, dtype=float) for one in x], axis=1)
    if u is None:
        steps = np.sqrt(np.sum((points[1:] - points[:-1]) ** 2, axis=1))
        lengths = np.cumsum(steps)
        u = np.concatenate((np.zeros(1), lengths / lengths[-1]))
    u = np.asarray(u, dtype=float)
    return make_interp_spline(u, points.T, k, axis=1), u


def splrep(x, y, k=3, s=None, quiet=1):
    if s is not None and (not isinstance(s, int | float) or s != 0):
        refuse("s= other than 0: the number of knots depends on the values")
    x, y, _ = _points(x, y, 0)
    knots, c = _through(x, y, k)
    return knots, np.concatenate((c, np.zeros(k + 1))), k


defines(spline_at, rounded=True)(_values)

# By knots and coefficients ------------------------------------------------------------------------


def _splev(x, tck, der=0, ext=0):
    if hasattr(tck, "antiderivative"):  # a BSpline
        if ext != 0:
            raise ValueError(f"Extrapolation mode {ext} is not supported by BSpline.")
        return tck(x, der, extrapolate=True)
    t, c, k = tck
    if np.ndim(c) > 1:  # a curve
        from scipy.interpolate import splev

        return [splev(x, (t, one, k), der, ext) for one in c]
    if not 0 <= der <= k:
        raise ValueError(f"0<=der={der}<=k={k} must hold")
    t, c = np.asarray(t), np.asarray(c)
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


def _bisplev(x, y, tck, dx=0, dy=0):
    tx, ty, c, kx, ky = tck
    if not (0 <= dx < kx and 0 <= dy < ky):
        raise ValueError(f"0 <= dx = {dx} < kx = {kx} and 0 <= dy = {dy} < ky = {ky} must hold")
    tx, ty = np.asarray(tx), np.asarray(ty)
    table = np.asarray(c).reshape(len(tx) - kx - 1, len(ty) - ky - 1)
    columns, rows = _clipped(tx, kx, x), _clipped(ty, ky, y)
    at, across = interval_of(tx, kx, columns), interval_of(ty, ky, rows)
    weights = basis_at(ty, ky, rows, across, dy)
    made = np.zeros((len(columns), len(rows)))
    for i, one in enumerate(basis_at(tx, kx, columns, at, dx)):
        for j, other in enumerate(weights):
            found = table[(at - kx + i)[:, None], (across - ky + j)[None, :]]
            made = made + one[:, None] * other[None, :] * found
    if len(columns) > 1:
        return made
    return made[0] if len(rows) > 1 else made[0][0]


def _clipped(t, k, points):
    """Points as an array, those beyond the domain moved to its ends."""
    return np.clip(np.atleast_1d(np.asarray(points, dtype=float)), t[k], t[len(t) - k - 1])


def _called(self, x, nu=0, extrapolate=None):
    """A spline that was made outside of the program."""
    return _at(self, _values, x, nu, extrapolate)


def _kept(self):
    return Interpolant(self.t, self.c, self.k, self.axis, self.extrapolate)


def _derivative(self, nu=1):
    return _kept(self).derivative(nu)


def _antiderivative(self, nu=1):
    return _kept(self).antiderivative(nu)


def _integrate(self, a, b, extrapolate=None):
    return _kept(self).integrate(a, b, extrapolate)


def _basis_element_of(cls, t, extrapolate=True):
    return basis_element(t, extrapolate)


def _knots(self):
    return self._t


def _coefficients(self):
    return self._c


@when_imported("scipy.interpolate")
def register(interpolate):
    """Say what the functions mean, whose own values are of another order of rounding."""
    defines(interpolate.splev, rounded=True)(_splev)
    defines(interpolate.bisplev, rounded=True)(_bisplev)
    defines(interpolate.BSpline.__call__, rounded=True)(_called)
    defines(interpolate.BSpline.derivative)(_derivative)
    defines(interpolate.BSpline.antiderivative)(_antiderivative)
    defines(interpolate.BSpline.integrate)(_integrate)
    defines(interpolate.BSpline.basis_element.__func__)(_basis_element_of)
    for name, getter in (("t", _knots), ("c", _coefficients)):
        found = getattr(interpolate.BSpline, name, None)
        if isinstance(found, property):  # not of older versions
            defines(found.fget)(getter)
    defines(interpolate.UnivariateSpline.__call__, rounded=True)(_fitted)
    defines(interpolate.splrep, rounded=True)(splrep)
    made: dict[str, Any] = {
        "InterpolatedUnivariateSpline": interpolated_univariate_spline,
        "UnivariateSpline": univariate_spline,
        "make_interp_spline": make_interp_spline,
        "BSpline": bspline,
        "make_splrep": make_splrep,
        "make_splprep": make_splprep,
    }
    for name, definition in made.items():
        if hasattr(interpolate, name):
            defines(getattr(interpolate, name))(definition)
