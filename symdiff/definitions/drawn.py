"""Draws from the continuous distributions of ``scipy.stats``, and from some of several variables.

They are SciPy's, and move with the parameters so that their place in the distribution stays
(Figurnov, Mohamed and Mnih 2018): of a location and a scale by shifting and stretching, of shapes
by two of Newton's steps from where the draw lies, which have its derivatives up to the third.
Those of several variables are draws of NumPy's.
"""

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, defines, refuse
from symdiff.definitions.distributions import _parameters as parameters_of
from symdiff.definitions.law import CONTINUOUS
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.multivariate import _squeezed as squeezed
from symdiff.definitions.multivariate import scale_matrix
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


def _draw(name, args, kwds, size, seed):
    from scipy import stats

    found = getattr(stats, name).rvs(*args, **kwds, size=size, random_state=seed)
    return np.asarray(found, dtype=np.float64)


def _require_source(random_state):
    """Refuse what is not known to be a seed or what draws; None is NumPy's own generator."""
    known = (int, np.integer, np.random.Generator, np.random.RandomState)
    if random_state is not None and not isinstance(random_state, known):
        refuse("random_state= other than None, a whole number or a generator of NumPy's")


def _told(draws):
    """One number where there is but one."""
    return draws[()] if draws.ndim == 0 else draws


def _drawing(name, law):
    """The definition of draws, which are SciPy's; two of Newton's steps keep their places."""

    def draws(*args, size=None, random_state=None, **kwds):
        if len(args) == len(law.shapes) + 3:
            args, size = args[:-1], args[-1]
        _require_source(random_state)
        shapes, loc, scale, _ = parameters_of(law, args, kwds)
        places, widths = 0.0 if loc is None else loc, 1.0 if scale is None else scale
        like = places + 0.0 * widths
        for shape in shapes:
            like = like + 0.0 * shape
        if size is None and np.size(like) == 1:  # SciPy gives one number then
            size = ()
            shapes, places = [np.reshape(shape, ()) for shape in shapes], np.reshape(places, ())
            widths, like = np.reshape(widths, ()), np.reshape(like, ())
        like = np.broadcast_to(like, np.shape(like) if size is None else size)
        drawn = computed(1.0 * np.asarray(like), _draw, name, args, kwds, size, random_state)
        start = (drawn - without_derivative(places)) / without_derivative(widths)
        if len(shapes) == 0:
            return _told(valued(places + widths * start, drawn))
        share = law.below(start, *[without_derivative(shape) for shape in shapes])
        standard = start
        for _ in range(2):
            density = np.exp(law.log_density(standard, *shapes))
            standard = standard - (law.below(standard, *shapes) - share) / density
        return _told(valued(places + widths * standard, drawn))

    return draws


def _generator(random_state):
    """What draws, as SciPy takes it."""
    _require_source(random_state)
    if random_state is None:
        return np.random
    if isinstance(random_state, (int, np.integer)):
        return np.random.RandomState(random_state)
    return random_state


def normal_draws(mean=None, cov=1, size=1, random_state=None):
    cov = np.asarray(cov, dtype=np.float64)
    mean = np.zeros(len(cov) if cov.ndim > 1 else 1) if mean is None else np.asarray(mean)
    mean = np.atleast_1d(mean)
    if cov.ndim == 0:
        cov = cov * np.eye(len(mean))
    elif cov.ndim == 1:
        cov = np.diag(cov)
    return squeezed(_generator(random_state).multivariate_normal(mean, cov, size))


def dirichlet_draws(alpha, size=1, random_state=None):
    return _generator(random_state).dirichlet(np.asarray(alpha, dtype=np.float64), size)


def student_draws(loc=None, shape=1, df=1, size=1, random_state=None):
    """Normal draws over the root of a mean square (Hofert 2013, eq. 3)."""
    shape, draws = np.asarray(shape, dtype=np.float64), _generator(random_state)
    if shape.ndim != 2:
        refuse("a shape that is no matrix")
    squares = np.ones(size) if np.isinf(df) else draws.chisquare(df, size) / df
    noise = draws.multivariate_normal(np.zeros(len(shape)), shape, size)
    apart = noise / np.sqrt(squares)[..., None]
    return squeezed(np.zeros(len(shape)) + apart if loc is None else np.asarray(loc) + apart)


def wishart_draws(df, scale, size=1, random_state=None):
    """By the triangle of Bartlett (1933): normal draws below a diagonal of roots of χ²."""
    if not isinstance(size, int):
        refuse("a size that is no number, known where it is compiled")
    from scipy import linalg

    scale, draws = scale_matrix(scale), _generator(random_state)
    dim = scale.shape[0]
    below = np.reshape(draws.normal(size=size * (dim * (dim - 1) // 2)), (size, -1))
    roots = [draws.chisquare(df - (i + 1) + 1, size=size) ** 0.5 for i in range(dim)]
    factor, made = linalg.cholesky(scale, lower=True), []
    rows, columns = np.tril_indices(dim, k=-1)
    for k in range(size):
        triangle = np.zeros((dim, dim))
        triangle[rows, columns] = below[k]
        for i in range(dim):
            triangle[i, i] = roots[i][k]
        turned = np.dot(factor, triangle)
        made.append(np.dot(turned, turned.T))
    return squeezed(np.stack(made))


def matrix_normal_draws(mean=None, rowcov=1, colcov=1, size=1, random_state=None):
    """Normal draws between the factors of both covariances."""
    if not isinstance(size, int):
        refuse("a size that is no number, known where it is compiled")
    from scipy import linalg

    rows, columns = np.asarray(rowcov, dtype=np.float64), np.asarray(colcov, dtype=np.float64)
    if rows.ndim != 2 or columns.ndim != 2:
        refuse("covariances that are no matrices")
    places = np.zeros((rows.shape[0], columns.shape[0])) if mean is None else np.asarray(mean)
    first, second = linalg.cholesky(rows, lower=True), linalg.cholesky(columns, lower=True)
    noise = _generator(random_state).standard_normal(size=(columns.shape[0], size, rows.shape[0]))
    noise = np.transpose(noise, (1, 2, 0))
    out = places + np.einsum("jp,ipq,kq->ijk", first, noise, second, optimize=True)
    return out[0] if size == 1 else out


@when_imported("scipy.stats")
def register(stats):
    """Say what drawing means."""
    for name, law in CONTINUOUS.items():
        if hasattr(stats, name) and hasattr(law, "below"):
            DEFINITIONS[getattr(stats, name).rvs] = _drawing(name, law)
    defines(stats.multivariate_normal.rvs)(normal_draws)
    defines(stats.dirichlet.rvs)(dirichlet_draws)
    defines(stats.multivariate_t.rvs)(student_draws)
    defines(stats.wishart.rvs)(wishart_draws)
    defines(stats.matrix_normal.rvs)(matrix_normal_draws)
