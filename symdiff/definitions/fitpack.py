"""What ``scipy.interpolate`` makes of splines of FITPACK's: derivatives, integrals, fits at knots.

A spline is three things: knots, coefficients (behind which zeros stand) and a degree.
"""

from typing import Any

import numpy as np

from symdiff.definitions.bsplines import (
    Fitted,
    basis_at,
    derived_spline,
    integrated_spline,
    interval_of,
    padded,
)
from symdiff.definitions.declare import defines, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.riccati import computed
from symdiff.definitions.solvers import valued

# By knots and coefficients ------------------------------------------------------------------------


def _parts(tck):
    if hasattr(tck, "antiderivative"):
        refuse("a BSpline (use its methods)")
    t, c, k = tck
    t, c = np.asarray(t), np.asarray(c)
    if c.ndim != 1:
        refuse("curves of several coordinates")
    return t, padded(t, c), k


def _whole(tck):
    """The parts of a spline behind whose coefficients stand the zeros that SciPy counts on."""
    t, c, k = _parts(tck)
    if len(tck[1]) != len(t):
        refuse("fewer coefficients than knots: SciPy takes zeros behind them for granted")
    return t, c, k


def splder(tck, n=1):
    if n < 0:
        return splantider(tck, -n)
    t, c, k = _whole(tck)
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    for _ in range(n):
        t, c, k = derived_spline(t, c, k)
    return t, c, k


def splantider(tck, n=1):
    if n < 0:
        return splder(tck, -n)
    t, c, k = _whole(tck)
    for _ in range(n):
        t, c, k = integrated_spline(t, c, k)
    return t, c, k


def splint(a, b, tck, full_output=0):
    if full_output:
        refuse("full_output=")
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
    functions: tuple[Any, ...] = (splder, splantider, splint, spalde, make_lsq_spline)
    registered(interpolate, *functions)
    defines(interpolate.LSQUnivariateSpline)(lsq_univariate_spline)
    for name in _METHODS:
        defines(getattr(interpolate.UnivariateSpline, name))(_of_object(name))
    surface = interpolate.BivariateSpline
    defines(surface.__call__)(_surface)
    defines(surface.ev)(_surface_at)
