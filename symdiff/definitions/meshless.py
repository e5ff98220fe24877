"""Interpolation of ``scipy.interpolate`` between scattered points.

Polynomials by the basis of Lagrange, radial functions with a polynomial beside them, values of
the simplex or of the point that is nearest. The values are SciPy's.
"""

import inspect
import itertools

import numpy as np

from symdiff.definitions.declare import defines, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.scattered import root
from symdiff.definitions.staged import valued, without_derivative

# Polynomials --------------------------------------------------------------------------------------


def _weights(xi, order):
    """The weights of the barycentric formula, multiplied in an order as SciPy does."""
    scale = 4.0 / (np.max(xi) - np.min(xi))
    places = np.argsort(order)
    found = np.zeros(len(xi))
    for i in range(len(xi)):
        apart = scale * (xi[i] - xi[order])
        apart[places[i]] = 1.0
        product = np.prod(apart)
        if product == 0.0:
            raise ValueError("Interpolation points xi must be distinct.")
        found[i] = 1.0 / product
    return found


def _permutation(rng, n):
    return np.random.default_rng(rng).permutation(n)


def _barycentric(xi, yi, axis, weights, x):
    from scipy.interpolate import BarycentricInterpolator

    return np.asarray(BarycentricInterpolator(xi, yi, axis, wi=weights)(x))


def _basis(xi, x):
    """Lagrange's polynomials, one in a column, at points in a row."""
    same = np.eye(len(xi), dtype=bool)
    widths = np.where(same, 1.0, xi[:, None] - xi)
    ratios = np.where(same, 1.0, (x[:, None, None] - xi) / widths)
    return np.prod(ratios, axis=-1)


class Barycentric:
    """The polynomial through points; the order in which SciPy multiplies is drawn."""

    def __init__(self, xi, yi, axis, rng):
        self.xi, self.yi, self.axis = np.asarray(xi, dtype=np.float64), yi, axis
        if rng is None:
            order = np.random.permutation(len(self.xi))
        else:
            order = computed(np.arange(len(self.xi)), _permutation, rng, len(self.xi))
        self.weights = computed(1.0 * self.xi, _weights, self.xi, order)

    def __call__(self, x):
        points = np.asarray(x, dtype=float)
        values = np.moveaxis(np.asarray(self.yi), self.axis, 0)
        rest = values.shape[1:]
        flat = values.reshape(len(values), -1)
        made = _basis(self.xi, points.ravel()) @ flat
        made = made.reshape(points.shape + rest)
        first = tuple(range(points.ndim))
        made = np.moveaxis(made, first, tuple([self.axis + k for k in first]))
        given = self.xi, self.yi, self.axis, self.weights, x
        return valued(1.0 * made, computed(1.0 * made, _barycentric, *given))

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


def barycentric(xi, yi=None, axis=0, *, wi=None, rng=None):
    if yi is None or wi is not None or not (rng is None or isinstance(rng, int)):
        refuse("yi=None, wi= and a generator as rng=")
    return Barycentric(xi, yi, axis + np.ndim(yi) if axis < 0 else axis, rng)


def barycentric_interpolate(xi, yi, x, axis=0, *, der=0, rng=None):
    if not isinstance(der, int) or der != 0:
        refuse("der=")
    return barycentric(xi, yi, axis, rng=rng)(x)


# Objects made outside, by their weights -----------------------------------------------------------


def _by_weights(nodes, values, weights, x):
    """The barycentric formula (Berrut and Trefethen 2004, (4.2)), both sides of the fraction times
    the distance to the nearest node: so it is smooth there.
    """
    apart = x[:, None] - nodes
    nearest = np.argmin(np.abs(apart), axis=1)
    is_nearest = np.arange(len(nodes)) == nearest[:, None]
    here = apart[np.arange(len(x)), nearest]
    ratios = np.where(is_nearest, 1.0, here[:, None] / np.where(is_nearest, 1.0, apart))
    weighed = ratios * weights
    return (weighed @ values) / np.sum(weighed, axis=1)[:, None]


def _polynomial_at(self, x):
    """A polynomial that was made outside of the program, at a row of points."""
    made = _by_weights(self.xi, self.yi, self.wi, x)
    return valued(made, computed(1.0 * made, _polynomial, self.xi, self.yi, self.wi, x, 1, False))


def _polynomial(xi, yi, wi, x, orders, all_lower):
    from scipy.interpolate import BarycentricInterpolator

    made = BarycentricInterpolator(xi, yi, wi=wi)
    return made._evaluate_derivatives(x, orders, all_lower)


def _slopes_of_polynomial(self, x, der=None, all_lower=True):
    """Derivatives of such a polynomial: each is the polynomial through its values at the nodes."""
    if not isinstance(der, int):
        refuse("der= that is not known where it is compiled")
    same = np.eye(len(self.xi), dtype=bool)
    apart = np.where(same, 1.0, self.xi[:, None] - self.xi)
    slopes = np.where(same, 0.0, self.wi / self.wi[:, None] / apart)
    slopes = slopes - np.diag(np.sum(slopes, axis=1))
    values, found = self.yi, []
    for _ in range(der):
        found.append(_by_weights(self.xi, values, self.wi, x))
        values = slopes @ values
    made = np.stack(found) if all_lower else found[-1]
    given = self.xi, self.yi, self.wi, x, der, all_lower
    return valued(1.0 * made, computed(1.0 * made, _polynomial, *given))


def _fraction_at(self, z):
    """A rational function that was made outside of the program."""
    places, values = np.asarray(z), self._support_values
    flat = values.reshape(len(values), -1)
    made = _by_weights(self._support_points, flat, self.weights, places.ravel())
    made = made.reshape(places.shape + values.shape[1:])
    made = np.moveaxis(made, 0, self._axis) if places.ndim > 0 else made
    given = self._support_points, values, self.weights, self._axis, places
    return valued(1.0 * made, computed(1.0 * made, _fraction, *given))


def _fraction(points, values, weights, axis, z):
    from scipy.interpolate import AAA

    made = AAA.__new__(AAA)
    made._support_points, made._support_values, made.weights = points, values, weights
    made._shape, made._axis = values.shape[1:], axis
    return made(z)


# Radial functions ---------------------------------------------------------------------------------


def _plate(square):
    """The curvature at 0, which is infinite, is that so near to it as numbers come."""
    return 0.5 * square * np.log(np.where(square > 0, square, 1e-300))


# Of squares of distances.
_KERNELS = {
    "linear": lambda square: -root(square),
    "thin_plate_spline": _plate,
    "cubic": lambda square: square * root(square),
    "quintic": lambda square: -square * square * root(square),
    "multiquadric": lambda square: -np.sqrt(square + 1.0),
    "inverse_multiquadric": lambda square: 1.0 / np.sqrt(square + 1.0),
    "inverse_quadratic": lambda square: 1.0 / (square + 1.0),
    "gaussian": lambda square: np.exp(-square),
}
_SCALE_FREE = ("linear", "thin_plate_spline", "cubic", "quintic")
# The least degrees of the polynomials (Fasshauer 2007, chapter 8).
_LEAST = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


def _of_distances(kernel, epsilon, a, b):
    apart = (a[:, None, :] - b) * epsilon
    return _KERNELS[kernel](np.sum(apart * apart, axis=-1))


def _monomials(x, degree):
    """The monomials up to a degree, one in a column."""
    columns = []
    for total in range(degree + 1):
        for chosen in itertools.combinations_with_replacement(range(x.shape[1]), total):
            column = np.ones(x.shape[0])
            for k in chosen:
                column = column * x[:, k]
            columns.append(column)
    return np.stack(columns, axis=1)


class Kernels:
    """A sum of radial functions around points, and a polynomial."""

    def __init__(self, y, d, smoothing, kernel, epsilon, degree):
        self.asked = y, d, smoothing, kernel, epsilon, degree
        self.points, values = np.asarray(y, dtype=np.float64), np.asarray(d)
        if self.points.ndim != 2:
            raise ValueError("`y` must be a 2-dimensional array.")
        if np.iscomplexobj(values):
            refuse("complex values")
        self.kernel, self.rest = kernel, values.shape[1:]
        self.epsilon = 1.0 if epsilon is None else epsilon
        self.degree = max(_LEAST.get(kernel, -1), 0) if degree is None else degree
        count = self.points.shape[0]
        # The polynomials are the same ones from whatever place and by whatever unit.
        fixed = without_derivative(self.points)
        low, high = np.min(fixed, axis=0), np.max(fixed, axis=0)
        self.shift, widths = 0.5 * (low + high), 0.5 * (high - low)
        self.scale = np.where(widths == 0, 1.0, widths)
        matrix = _of_distances(kernel, self.epsilon, self.points, self.points)
        matrix = matrix + np.eye(count) * smoothing
        right = np.reshape(values, (count, -1)).astype(np.float64)
        if self.degree >= 0:
            beside = self._beside(self.points)
            size = beside.shape[1]
            lower = np.concatenate((beside.T, np.zeros((size, size))), axis=1)
            matrix = np.concatenate((np.concatenate((matrix, beside), axis=1), lower))
            right = np.concatenate((right, np.zeros((size, right.shape[1]))))
        self.coefficients = np.linalg.solve(matrix, right)

    def _beside(self, x):
        return _monomials((x - self.shift) / self.scale, self.degree)

    def __call__(self, x):
        places = np.asarray(x, dtype=np.float64)
        if places.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        rows = _of_distances(self.kernel, self.epsilon, places, self.points)
        if self.degree >= 0:
            rows = np.concatenate((rows, self._beside(places)), axis=1)
        made = (rows @ self.coefficients).reshape((places.shape[0], *self.rest))
        return valued(1.0 * made, computed(1.0 * made, _by_kernels, *self.asked, x))

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


def _by_kernels(y, d, smoothing, kernel, epsilon, degree, x):
    from scipy.interpolate import RBFInterpolator

    made = RBFInterpolator(y, d, None, smoothing, kernel, epsilon, degree)
    return np.asarray(made(x))


def kernels(
    y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None
):
    kernel = kernel.lower()
    if neighbors is not None:
        refuse("neighbors=")
    if kernel not in _KERNELS:
        raise ValueError(f"`kernel` must be one of {set(_KERNELS)}.")
    if epsilon is None and kernel not in _SCALE_FREE:
        raise ValueError(
            f"`epsilon` must be specified if `kernel` is not one of {set(_SCALE_FREE)}."
        )
    if degree is not None and (degree < -1 or -1 < degree < _LEAST.get(kernel, -1)):
        refuse("a degree= that is below the least of the kernel")
    return Kernels(y, d, smoothing, kernel, epsilon, degree)


# Simplices and nearest points ---------------------------------------------------------------------


def _corners(points, places):
    """The corners of the simplex around each place; -1 where there is none."""
    from scipy.spatial import Delaunay

    mesh = Delaunay(points)
    found = mesh.find_simplex(places)
    return np.where(found[:, None] < 0, -1, mesh.simplices[found]).astype(np.int64)


def _nearest(points, places):
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(points).query(places)[1], dtype=np.int64)


def _on_grid(points, values, xi, method, fill_value):
    from scipy.interpolate import griddata

    return np.asarray(griddata(points, values, xi, method, fill_value))


def _together(points):
    """Points, one in a row of the last axis, of coordinates that stand apart or together."""
    if isinstance(points, tuple):
        return np.stack(np.broadcast_arrays(*[np.asarray(p, dtype=float) for p in points]), axis=-1)
    return np.asarray(points, dtype=float)


def _between(points, values, places, fill_value):
    """The values' mean by the shares that the corners have in each place."""
    like = np.zeros((places.shape[0], places.shape[1] + 1), dtype=np.int64)
    corners = computed(like, _corners, points, places)
    inside = corners[:, 0] >= 0
    kept = np.where(inside[:, None], corners, 0)
    outer = np.concatenate((np.zeros((1, places.shape[1])), np.eye(places.shape[1])))
    around = np.where(inside[:, None, None], points[kept], outer)
    first = around[:, 0]
    edges = np.swapaxes(around[:, 1:] - first[:, None], 1, 2)
    shares = np.linalg.solve(edges, (places - first)[..., None])[..., 0]
    whole = np.concatenate((1.0 - np.sum(shares, axis=-1, keepdims=True), shares), axis=-1)
    made = np.sum(whole[..., None] * values[kept], axis=1)
    return np.where(inside[:, None], made, fill_value)


def griddata(points, values, xi, method="linear", fill_value=np.nan, rescale=False):
    if method not in ("linear", "nearest") or rescale:
        refuse(f"method={method!r} with rescale={rescale}")
    nodes, places, given = _together(points), _together(xi), np.asarray(values)
    if nodes.ndim != 2 or nodes.shape[1] == 1:
        refuse("points in one dimension (write scipy.interpolate.interp1d)")
    if np.iscomplexobj(given):
        refuse("complex values")
    rest = given.shape[1:]
    flat = np.reshape(given.astype(np.float64), (given.shape[0], -1))
    rows = np.reshape(places, (-1, nodes.shape[1]))
    if method == "nearest":
        chosen = computed(np.zeros(rows.shape[0], dtype=np.int64), _nearest, nodes, rows)
        made = flat[chosen]
    else:
        made = _between(nodes, flat, rows, fill_value)
    made = np.reshape(made, places.shape[:-1] + rest)
    told = computed(1.0 * made, _on_grid, points, values, xi, method, fill_value)
    return valued(1.0 * made, told)


class Between:
    """Values between scattered points, as ``griddata`` gives them."""

    def __init__(self, points, values, method, fill_value):
        self.points, self.values, self.method = points, values, method
        self.fill_value = fill_value

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what interpolates between scattered points")

    def __call__(self, *args):
        places = args if len(args) > 1 else args[0]
        found = griddata(self.points, self.values, places, self.method, self.fill_value)
        return found


def linear_nd_interpolator(points, values, fill_value=np.nan, rescale=False):
    if rescale:
        refuse("rescale=True")
    return Between(points, values, "linear", fill_value)


def nearest_nd_interpolator(x, y, rescale=False, tree_options=None):
    if rescale or tree_options is not None:
        refuse("rescale=True and tree_options=")
    return Between(x, y, "nearest", np.nan)


def _nearest_made(self, *args):
    """The value of the nearest of points that were given outside of the program."""
    if self.scale is not None:
        refuse("rescale=True")
    return Between(self.points, self.values, "nearest", np.nan)(*args)


@when_imported("scipy.interpolate")
def register(interpolate):
    """Say what the classes and functions mean."""
    defines(interpolate.LinearNDInterpolator)(linear_nd_interpolator)
    defines(interpolate.NearestNDInterpolator)(nearest_nd_interpolator)
    defines(interpolate.NearestNDInterpolator.__call__)(_nearest_made)
    cls = interpolate.BarycentricInterpolator
    if "rng" in inspect.signature(cls).parameters:  # as is told of this class above
        defines(cls)(barycentric)
        registered(interpolate, barycentric_interpolate)
    defines(cls._evaluate)(_polynomial_at)
    defines(cls._evaluate_derivatives)(_slopes_of_polynomial)
    fractions = getattr(interpolate, "AAA", None)
    if fractions is not None:  # of this version
        defines(fractions.__call__)(_fraction_at)
    defines(interpolate.RBFInterpolator)(kernels)
    registered(interpolate, griddata)
