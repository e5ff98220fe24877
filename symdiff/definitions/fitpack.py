"""What ``scipy.interpolate`` makes of splines of FITPACK's: derivatives, integrals, fits at knots.

A spline is three things: knots, coefficients (behind which zeros stand) and a degree.
"""

from typing import Any

import numpy as np

from symdiff.definitions.bsplines import (
    Fitted,
    _through,
    basis_at,
    derived_spline,
    integrated_spline,
    interval_of,
    padded,
)
from symdiff.definitions.declare import defines, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued

# By knots and coefficients ------------------------------------------------------------------------


def _parts(tck):
    if hasattr(tck, "antiderivative"):
        refuse("a BSpline")
    t, c, k = tck
    t, c = np.asarray(t), np.asarray(c)
    if c.ndim != 1:
        refuse("curves of several coordinates")
    return t, padded(t, c), k


def _whole(tck):
    """The parts of a spline as they are given: SciPy counts on zeros behind the coefficients."""
    t, _, k = _parts(tck)
    return t, np.asarray(tck[1]), k


def splder(tck, n=1):
    if n < 0:
        return splantider(tck, -n)
    if hasattr(tck, "derivative"):
        return tck.derivative(n)
    t, c, k = _whole(tck)
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    for _ in range(n):
        t, c, k = derived_spline(t, c, k)
    return t, c, k


def splantider(tck, n=1):
    if n < 0:
        return splder(tck, -n)
    if hasattr(tck, "antiderivative"):
        return tck.antiderivative(n)
    t, c, k = _whole(tck)
    for _ in range(n):
        t, c, k = integrated_spline(t, c, k)
    return t, c, k


def splint(a, b, tck, full_output=0):
    if full_output:
        refuse("full_output=")
    if hasattr(tck, "integrate"):
        return tck.integrate(a, b, extrapolate=False)
    t, c, k = _parts(tck)
    ends = np.clip(np.stack((a, b)).astype(float), t[k], t[len(t) - k - 1])
    knots, sums, degree = integrated_spline(t, c, k)
    at = interval_of(knots, degree, ends)
    made = np.zeros(2)
    for j, weight in enumerate(basis_at(knots, degree, ends, at)):
        made = made + sums[at - degree + j] * weight
    exact = made[1] - made[0]
    return float(valued(exact, computed(exact, _integral, a, b, t, c, k)))


def _integral(a, b, t, c, k):
    from scipy.interpolate import splint as found

    return np.float64(found(a, b, (t, c, k)))


def spalde(x, tck):
    """All derivatives at places inside, the values first."""
    from scipy.interpolate import splev

    t, c, k = _parts(tck)
    if np.ndim(x) > 0:
        return [spalde(one, tck) for one in x]
    exact = np.stack([splev(x, (t, c, k), order) for order in range(k + 1)])
    return valued(exact, computed(exact, _derivatives, x, t, c, k))


def _derivatives(x, t, c, k):
    from scipy.interpolate import spalde as found

    return np.asarray(found(x, (t, c, k)))


def sproot(tck, mest=10):
    """Where a cubic spline is 0, which two of Newton's steps from there know to the third order."""
    from scipy.interpolate import splev

    t, c, k = tck
    if np.ndim(c) > 1:  # a curve
        return [sproot((t, one, k), mest) for one in c]
    if k != 3:
        raise ValueError("sproot works only for cubic (k=3) splines")
    t, c = np.asarray(t, dtype=float), padded(t, np.asarray(c, dtype=float))
    if len(t) < 8:
        raise TypeError(f"The number of knots {len(t)}>=8")
    count = int(computed(np.zeros(()), _count_of_roots, t, c, mest))
    found = computed(np.zeros(count), _roots, t, c, mest)
    x = 1.0 * found
    for _ in range(2):
        x = x - splev(x, (t, c, k)) / splev(x, (t, c, k), 1)
    return valued(x, found)


def _roots(t, c, mest):
    from scipy.interpolate import sproot as found

    return found((t, c, 3), mest)


def _count_of_roots(t, c, mest):
    return np.float64(len(_roots(t, c, mest)))


# Curves -------------------------------------------------------------------------------------------


def splprep(
    x, w=None, u=None, ub=None, ue=None, k=3, task=0, s=None, t=None, full_output=0, quiet=1
):
    """A curve through points, by the lengths of the way from one to the next."""
    if not isinstance(s, int | float) or s != 0:
        refuse("s= other than 0: the number of knots depends on the values")
    if ub is not None or ue is not None or task != 0 or t is not None or full_output:
        refuse("ub=, ue=, task=, t= and full_output=")
    points = np.stack([np.asarray(one, dtype=float) for one in x])
    if u is None:
        steps = points[:, 1:] - points[:, :-1]
        lengths = np.cumsum(np.sqrt(np.sum(steps * steps, axis=0)))
        places: Any = np.concatenate((np.zeros(1), lengths / lengths[-1]))
        given = valued(places, computed(places, _places_of, points))
    else:
        given = np.asarray(u, dtype=float)
    knots, c = _through(given, points.T, k)
    coefficients = valued(c.T, computed(c.T, _curve, points, given, k))
    knots = valued(knots, computed(knots, _knots_of_curve, points, given, k))
    return [knots, [coefficients[row] for row in range(len(x))], k], given


def _prepared(points, u, k):
    from scipy.interpolate import splprep as found

    return found(list(points), u=u, k=k, s=0)


def _places_of(points):
    return _prepared(points, None, 1)[1]


def _curve(points, u, k):
    return np.stack(_prepared(points, u, k)[0][1])


def _knots_of_curve(points, u, k):
    return _prepared(points, u, k)[0][0]


# Fits at knots that are given ---------------------------------------------------------------------


def _least(x, y, t, k, w):
    """The coefficients with the least squares of what is left, weighed."""
    rows, at = np.arange(len(x)), interval_of(t, k, x)
    table = np.zeros((len(x), len(t) - k - 1))
    for j, weight in enumerate(basis_at(t, k, x, at)):
        table[rows, at - k + j] = weight
    table = table * w[:, None]
    return np.linalg.solve(table.T @ table, table.T @ (w * y))


def lsq_univariate_spline(x, y, t, w=None, bbox=None, k=3, ext=0, check_finite=False):
    if bbox is not None:
        refuse("bbox=")
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    weights = np.ones(len(x)) if w is None else np.asarray(w, dtype=float)
    ends = np.ones(k + 1)
    knots = np.concatenate((x[0] * ends, np.asarray(t, dtype=float), x[-1] * ends))
    exact = padded(knots, _least(x, y, knots, k, weights))
    return Fitted((knots, valued(exact, computed(exact, _fit, x, y, t, w, k)), k), ext)


def _fit(x, y, t, w, k):
    from scipy.interpolate import LSQUnivariateSpline

    knots, c, _ = LSQUnivariateSpline(x, y, t, w, k=k)._eval_args
    return np.concatenate((c, np.zeros(len(knots) - len(c))))


def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="qr"):
    from scipy.interpolate import BSpline

    x, y, knots = (np.asarray(one, dtype=float) for one in (x, y, t))
    if y.ndim != 1 or method != "qr":
        refuse("values in more than one axis, and methods other than 'qr'")
    weights = np.ones(len(x)) if w is None else np.asarray(w, dtype=float)
    exact = _least(x, y, knots, k, weights)
    return BSpline(knots, valued(exact, computed(exact, _fit_at, x, y, knots, k, w)), k)


def _fit_at(x, y, t, k, w):
    from scipy.interpolate import make_lsq_spline as found

    return found(x, y, t, k, w).c


# Objects made outside -----------------------------------------------------------------------------


def _of_object(name):
    """A method of a spline that was made outside of the program."""

    def method(self, *args, **keywords):
        return getattr(Fitted(self._eval_args, self.ext), name)(*args, **keywords)

    return method


_METHODS = ("derivative", "antiderivative", "integral", "derivatives", "get_coeffs", "get_knots")


def _surface(self, x, y, dx=0, dy=0, grid=True):
    """Products of splines that were made outside of the program."""
    if not grid:
        return _surface_at(self, x, y, dx, dy)
    points, others = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if points.ndim > 1 or others.ndim > 1:
        refuse("arrays of more than one axis with grid=True")
    if points.size == 0 or others.size == 0:
        return np.zeros((points.size, others.size))
    rows, columns, table = _weights(self, np.atleast_1d(points), np.atleast_1d(others), dx, dy)
    return _told(self, np.asarray(rows @ table @ columns.T), x, y, dx, dy, True)


def _on_sphere(self, theta, phi, dtheta=0, dphi=0, grid=True):
    """A spline on a sphere that was made outside of the program."""
    theta = np.asarray(theta)
    if theta.size > 0 and (np.min(theta) < 0.0 or np.max(theta) > np.pi):
        raise ValueError("requested theta out of bounds.")
    return _surface(self, theta, phi, dtheta, dphi, grid)


def _on_whole_sphere(self, theta, phi, dtheta=0, dphi=0, grid=True):
    phi = np.asarray(phi)
    if phi.size > 0 and (np.min(phi) < 0.0 or np.max(phi) > 2.0 * np.pi):
        raise ValueError("requested phi out of bounds.")
    return _on_sphere(self, theta, phi, dtheta, dphi, grid)


def _on_sphere_at(self, theta, phi, dtheta=0, dphi=0):
    return self(theta, phi, dtheta, dphi, grid=False)


def _surface_at(self, xi, yi, dx=0, dy=0):
    x, y = np.broadcast_arrays(np.asarray(xi, dtype=float), np.asarray(yi, dtype=float))
    rows, columns, table = _weights(self, x.ravel(), y.ravel(), dx, dy)
    made = np.sum((rows @ table) * columns, axis=1).reshape(x.shape)
    return _told(self, made, xi, yi, dx, dy, False)


def _told(self, made, *asked):
    tck, degrees = self.tck, self.degrees
    return valued(1.0 * made, computed(made, _at, *tck, *degrees, *asked))


def _at(tx, ty, c, kx, ky, x, y, dx, dy, grid):
    from scipy.interpolate import BivariateSpline

    spline = BivariateSpline._from_tck((tx, ty, c, kx, ky))
    return np.asarray(spline(x, y, dx, dy, grid))


def _weights(self, x, y, dx, dy):
    tx, ty, c = self.tck
    kx, ky = self.degrees
    table = c.reshape(len(tx) - kx - 1, len(ty) - ky - 1)
    return _table(tx, kx, x, dx), _table(ty, ky, y, dy), table


def _table(t, k, x, order):
    """The values of all basis functions at points, which are moved into the domain."""
    points = np.clip(x, t[k], t[len(t) - k - 1])
    at, rows = interval_of(t, k, points), np.arange(len(points))
    table = np.zeros((len(points), len(t) - k - 1))
    for j, weight in enumerate(basis_at(t, k, points, at, order)):
        table[rows, at - k + j] = weight
    return table


@when_imported("scipy.interpolate")
def register(interpolate):
    """Say what the functions and the methods mean."""
    functions: tuple[Any, ...] = (
        splder,
        splantider,
        splint,
        spalde,
        sproot,
        splprep,
        make_lsq_spline,
    )
    registered(interpolate, *functions)
    defines(interpolate.LSQUnivariateSpline)(lsq_univariate_spline)
    for name in _METHODS:
        defines(getattr(interpolate.UnivariateSpline, name))(_of_object(name))
    surface = interpolate.BivariateSpline
    defines(surface.__call__)(_surface)
    defines(surface.ev)(_surface_at)
    for cls in (interpolate.SmoothSphereBivariateSpline, interpolate.LSQSphereBivariateSpline):
        defines(cls.__call__)(_on_whole_sphere)
    sphere = interpolate.RectSphereBivariateSpline
    defines(sphere.__call__)(_on_sphere)
    defines(sphere.ev)(_on_sphere_at)
