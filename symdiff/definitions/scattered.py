"""Interpolation of ``scipy.interpolate``: polynomials, radial functions, products of splines."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued


def _given_by(made, name, given, *asked):
    """What was made, with the values that an object of SciPy's gives."""
    return valued(1.0 * made, computed(1.0 * made, _asked, name, given, *asked))


def _asked(name, given, *asked):
    from scipy import interpolate

    return np.asarray(getattr(interpolate, name)(*given)(*asked))


# Polynomials --------------------------------------------------------------------------------------


def _divided(xi, yi):
    """Newton's divided differences (Stoer and Bulirsch 2002, 2.1.3), the first in a row of each."""
    column, found = yi, [yi[0]]
    for k in range(1, len(xi)):
        width = (xi[k:] - xi[:-k]).reshape((-1,) + (1,) * (yi.ndim - 1))
        if np.any(width == 0):
            raise ValueError("symdiff takes points that are all different")
        column = (column[1:] - column[:-1]) / width
        found.append(column[0])
    return found


def _through(xi, yi, x, axis):
    """The polynomial through points, the values along an axis of an array, at other points."""
    xi, x = np.asarray(xi, dtype=float), np.asarray(x, dtype=float)
    yi = np.moveaxis(np.asarray(yi), axis, 0)
    differences = _divided(xi, yi)
    rest = yi.ndim - 1
    at = x.reshape(x.shape + (1,) * rest)
    made = differences[-1] + 0.0 * at
    for k in range(len(differences) - 2, -1, -1):
        made = differences[k] + (at - xi[k]) * made
    if rest == 0:
        return made
    order = list(range(x.ndim, x.ndim + rest))
    order = [*order[:axis], *range(x.ndim), *order[axis:]]
    return np.transpose(made, order)


class Polynomial:
    """The polynomial through points."""

    def __init__(self, xi, yi, axis):
        self.xi, self.yi, self.axis = xi, yi, axis

    def __call__(self, x):
        made = _through(self.xi, self.yi, x, self.axis)
        return _given_by(made, "KroghInterpolator", (self.xi, self.yi, self.axis), x)

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


def _axis(yi, axis):
    """An axis, counted from the first on."""
    return axis + np.ndim(yi) if axis < 0 else axis


def krogh(xi, yi, axis=0):
    return Polynomial(xi, yi, _axis(yi, axis))


def krogh_interpolate(xi, yi, x, der=0, axis=0):
    if der != 0:
        refuse("der=")
    return _through(xi, yi, x, _axis(yi, axis))


def lagrange(x, w):
    """The polynomial through points, by its coefficients."""
    points = np.asarray(x, dtype=float)
    differences = _divided(points, np.asarray(w))
    made = np.poly1d(np.atleast_1d(differences[-1]))
    for k in range(len(differences) - 2, -1, -1):
        step = np.array([1.0, 0.0]) - np.array([0.0, 1.0]) * points[k]
        made = np.poly1d(np.polyadd(np.polymul(made.coeffs, step), np.atleast_1d(differences[k])))
    coefficients = computed(1.0 * made.coeffs, _lagrange, x, w)
    return np.poly1d(valued(1.0 * made.coeffs, coefficients))


def _lagrange(x, w):
    from scipy.interpolate import lagrange

    return lagrange(x, w).coeffs


# Radial functions ---------------------------------------------------------------------------------


def root(square):
    """Distances, of which the derivative at 0 is 0."""
    apart = square > 0
    return np.where(apart, np.sqrt(np.where(apart, square, 1.0)), 0.0)


def _plate(square):
    apart = square > 0
    near = np.where(apart, square, 1.0)
    return np.where(apart, 0.5 * near * np.log(near), 0.0)


# Of squares of distances, and of the square of epsilon.
_RADIAL = {
    "multiquadric": lambda square, scale: np.sqrt(square / scale + 1.0),
    "inverse": lambda square, scale: 1.0 / np.sqrt(square / scale + 1.0),
    "inverse_multiquadric": lambda square, scale: 1.0 / np.sqrt(square / scale + 1.0),
    "gaussian": lambda square, scale: np.exp(-square / scale),
    "linear": lambda square, scale: root(square),
    "cubic": lambda square, scale: square * root(square),
    "quintic": lambda square, scale: square * square * root(square),
    "thin_plate": lambda square, scale: _plate(square),
    "thin-plate": lambda square, scale: _plate(square),
}


def _squares(a, b):
    """The squares of the distances between columns."""
    apart = a[:, :, None] - b[:, None, :]
    return np.sum(apart * apart, axis=0)


class Radial:
    """A sum of radial functions around the points."""

    def __init__(self, given, points, values, function, epsilon, smooth):
        self.given = given, function, epsilon, smooth
        self.points, self.function = points, function
        count = points.shape[1]
        if epsilon is None:
            edges = np.max(points, axis=1) - np.min(points, axis=1)
            wide = edges != 0
            kept = np.where(wide, edges, 1.0)
            epsilon = (np.prod(kept) / count) ** (1.0 / np.sum(wide))
        self.epsilon = epsilon
        matrix = _RADIAL[function](_squares(points, points), epsilon * epsilon)
        self.nodes = np.linalg.solve(matrix - np.eye(count) * smooth, values)

    def __call__(self, *args):
        places = [np.asarray(a, dtype=float) for a in args]
        columns = np.stack([place.ravel() for place in places])
        scale = self.epsilon * self.epsilon
        made = _RADIAL[self.function](_squares(columns, self.points), scale)
        found = (made @ self.nodes).reshape(places[0].shape)
        return valued(1.0 * found, computed(1.0 * found, _radial, *self.given, *args))

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


def _radial(given, function, epsilon, smooth, *asked):
    from scipy.interpolate import Rbf

    return Rbf(*given, function=function, epsilon=epsilon, smooth=smooth)(*asked)


def rbf(*args, function="multiquadric", epsilon=None, smooth=0.0, norm="euclidean", mode="1-D"):
    if norm != "euclidean" or mode != "1-D" or function not in _RADIAL:
        refuse("norm=, mode= and functions of one's own")
    points = np.stack([np.ravel(np.asarray(a, dtype=float)) for a in args[:-1]])
    return Radial(args, points, np.ravel(np.asarray(args[-1])), function, epsilon, smooth)


def _radial_made(self, *args):
    """A sum of radial functions that was made outside of the program."""
    if self.norm != "euclidean" or self.function not in _RADIAL:
        refuse("norm= and functions of one's own")
    places = [np.asarray(a, dtype=float) for a in args]
    columns = np.stack([place.ravel() for place in places])
    made = _RADIAL[self.function](_squares(columns, self.xi), self.epsilon * self.epsilon)
    found = (made @ self.nodes).reshape(places[0].shape + self.nodes.shape[1:])
    given = self.xi, self.nodes, self.epsilon, self.function, *args
    return valued(found, computed(1.0 * found, _radial_of, *given))


def _radial_of(xi, nodes, epsilon, function, *asked):
    from scipy.interpolate import Rbf

    made = Rbf.__new__(Rbf)
    made.xi, made.nodes, made.epsilon, made.function = xi, nodes, epsilon, function
    made.norm, made._target_dim = "euclidean", nodes.shape[1] if nodes.ndim > 1 else 1
    made._init_function(np.ones((1, 1)))
    return made(*asked)


# Products of splines ------------------------------------------------------------------------------


class Surface:
    """The product of splines through the values on a grid."""

    def __init__(self, x, y, z, kx, ky):
        self.x, self.y, self.z, self.kx, self.ky = x, y, z, kx, ky

    def _along(self, x, y, dx, dy):
        """The values at places along one axis, and along the other."""
        from scipy.interpolate import make_interp_spline

        rows = make_interp_spline(self.x, self.z, self.kx)
        inside = rows(np.clip(x, self.x[0], self.x[-1]), dx)
        columns = make_interp_spline(self.y, inside.T, self.ky)
        return columns(np.clip(y, self.y[0], self.y[-1]), dy).T

    def __call__(self, x, y, dx=0, dy=0, grid=True):
        if not grid:
            return self.ev(x, y, dx, dy)
        first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        made = self._along(np.atleast_1d(first), np.atleast_1d(second), dx, dy)
        return self._told(made, x, y, dx, dy, True)

    def _told(self, made, *asked):
        given = self.x, self.y, self.z, (None,) * 4, self.kx, self.ky
        return _given_by(made, "RectBivariateSpline", given, *asked)

    def ev(self, xi, yi, dx=0, dy=0):
        x, y = np.broadcast_arrays(np.asarray(xi, dtype=float), np.asarray(yi, dtype=float))
        found = np.diagonal(self._along(x.ravel(), y.ravel(), dx, dy))
        made = self._told(found.reshape(x.shape), xi, yi, dx, dy, False)
        return made[()] if made.ndim == 0 else made

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


def surface(x, y, z, bbox=None, kx=3, ky=3, s=0):
    if bbox is not None or s != 0:
        refuse("bbox= and s=")
    if kx % 2 == 0 or ky % 2 == 0:
        refuse("splines of an even degree")
    x, y, z = (np.asarray(one, dtype=float) for one in (x, y, z))
    return Surface(x, y, z, kx, ky)


@when_imported("scipy.interpolate")
def register(interpolate):
    """Say what the classes and functions mean."""
    classes: Any = (
        (interpolate.KroghInterpolator, krogh),
        (interpolate.RectBivariateSpline, surface),
        (interpolate.Rbf, rbf),
    )
    for cls, definition in classes:
        defines(cls)(definition)
    defines(interpolate.Rbf.__call__)(_radial_made)
    registered(interpolate, krogh_interpolate, rounded=True)
    registered(interpolate, lagrange)
