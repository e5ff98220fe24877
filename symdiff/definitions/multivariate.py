"""Distributions of several variables of ``scipy.stats``, by ``numpy.linalg``.

What a distribution does not take is refused: a singular covariance, an object in its place.
"""

import math
from typing import Any

import numpy as np

from symdiff.definitions.declare import is_one_row, may_be_one_row, refuse
from symdiff.definitions.law import special
from symdiff.definitions.orthants import normal_cdf, normal_logcdf
from symdiff.definitions.staged import without_derivative

LOG_2_PI = math.log(2.0 * math.pi)


def _squeezed(result):
    result = np.squeeze(result)
    return result[()] if result.ndim == 0 else result


# The normal distribution --------------------------------------------------------------------------


def _is_of_one(mean, cov):
    """Return whether there is one variable."""
    if mean is not None:
        return mean.ndim == 0 or is_one_row(mean)
    return cov.ndim < 2 or is_one_row(cov)


def _in_full(rows, mean, cov):
    """The covariance of all variables, also if there is one: that has no entries in one row."""
    count = cov.shape[0] if mean is None else mean.shape[0]
    if rows.ndim == 1 and rows.shape[0] != count:
        raise ValueError("x is longer than the mean: of one variable, give that as a number")
    if cov.ndim == 2:
        return cov
    return cov * np.eye(count)


def _may_be_of_one(mean, cov):
    """Return whether it is not known if there is one variable."""
    if mean is not None:
        return mean.ndim == 1 and may_be_one_row(mean)
    return cov.ndim == 2 and may_be_one_row(cov)


def normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    if allow_singular:
        return _singular_logpdf(x, mean, cov)
    mean = None if mean is None else np.asarray(mean)
    cov = np.asarray(1.0 if cov is None else cov, dtype=np.float64)
    rows = np.asarray(x, dtype=np.float64)
    if _may_be_of_one(mean, cov):
        cov = _in_full(rows, mean, cov)
    elif _is_of_one(mean, cov):
        return _of_one(rows, mean, cov)
    if rows.ndim == 0:
        raise ValueError("x has to have as many entries as there are variables")
    apart = rows if mean is None else rows - mean
    if cov.ndim < 2:
        found = np.sum(apart * apart / cov, axis=-1) + np.sum(np.log(cov + 0.0 * mean))
        return _squeezed(-0.5 * (mean.shape[0] * LOG_2_PI + found))
    factor = np.linalg.cholesky(cov)
    if apart.ndim == 1:
        scaled = np.linalg.solve(factor, apart)
        squares = np.sum(scaled * scaled)
    else:
        flat = np.reshape(apart, (-1, cov.shape[0]))
        scaled = np.linalg.solve(factor, flat.T)
        squares = np.reshape(np.sum(scaled * scaled, axis=0), apart.shape[:-1])
    found = squares + 2.0 * np.sum(np.log(np.diag(factor)))
    return _squeezed(-0.5 * (cov.shape[0] * LOG_2_PI + found))


def _of_one(x, mean, cov):
    """Of one variable: each entry of ``x`` is a place, or each row of more dimensions."""
    variance = np.reshape(cov, ())
    place = x if x.ndim < 2 else x[..., 0]
    apart = place if mean is None else place - np.reshape(mean, ())
    return _squeezed(-0.5 * (LOG_2_PI + np.log(variance) + apart * apart / variance))


def normal_pdf(x, mean=None, cov=1, allow_singular=False):
    return np.exp(normal_logpdf(x, mean, cov, allow_singular))


def _singular_logpdf(x, mean, cov):
    """Of a covariance that may leave directions without variance: by it, there is no derivative
    then; by the place and the mean there are those along the other directions.
    """
    rows = np.asarray(x, dtype=np.float64)
    cov = np.asarray(cov, dtype=np.float64)
    if cov.ndim != 2 or is_one_row(cov):
        refuse("allow_singular=True of one variable, and covariances that are no matrices")
    values, vectors = np.linalg.eigh(without_derivative(cov))
    least = 1e6 * np.finfo(np.float64).eps * np.max(np.abs(values))
    known = values > least
    if np.all(known):
        return normal_logpdf(rows, mean, cov)
    apart = rows if mean is None else rows - np.asarray(mean)
    along = apart @ vectors
    squares = np.sum(np.where(known, along**2 / np.where(known, values, 1.0), 0.0), axis=-1)
    across = np.sqrt(np.sum(np.where(known, 0.0, without_derivative(along)) ** 2, axis=-1))
    unknown = np.nan * np.sum(cov - without_derivative(cov))
    return _squeezed(np.where(across < 1e3 * least, unknown - 0.5 * squares, -np.inf))


# The normal distribution of matrices --------------------------------------------------------------


def _covariance_of(given, count):
    cov = np.asarray(given, dtype=np.float64)
    if cov.ndim == 2:
        return cov
    return cov * np.eye(count)


def matrix_normal_logpdf(X, mean=None, rowcov=1, colcov=1):
    x = np.asarray(X, dtype=np.float64)
    if x.ndim != 2:
        refuse("more than one matrix at once")
    if mean is None and (np.ndim(rowcov) != 2 or np.ndim(colcov) != 2):
        refuse("numbers or rows as covariances without mean=, of one row or column each")
    count, width = x.shape
    apart = x if mean is None else x - np.asarray(mean)
    rows, columns = _covariance_of(rowcov, count), _covariance_of(colcov, width)
    scaled = np.linalg.solve(np.linalg.cholesky(rows), apart)
    scaled = np.linalg.solve(np.linalg.cholesky(columns), scaled.T)
    logarithms = width * _log_determinant(rows) + count * _log_determinant(columns)
    return -0.5 * (count * width * LOG_2_PI + logarithms + np.sum(scaled * scaled))


def matrix_normal_pdf(X, mean=None, rowcov=1, colcov=1):
    return np.exp(matrix_normal_logpdf(X, mean, rowcov, colcov))


# Dirichlet's, and the multinomial distribution ----------------------------------------------------


def dirichlet_logpdf(x, alpha):
    return _in_dtype_of(_log_dirichlet(x, alpha), x, alpha)


def dirichlet_pdf(x, alpha):
    return _in_dtype_of(np.exp(_log_dirichlet(x, alpha)), x, alpha)


def _log_dirichlet(x, alpha):
    """In double precision: polygammas of small parameters overflow single precision."""
    x, alpha = np.asarray(x).astype(np.float64), np.asarray(alpha).astype(np.float64)
    if alpha.ndim != 1:
        raise ValueError("Parameter vector 'a' must be one dimensional")
    gammaln = special().gammaln
    constant = np.sum(gammaln(alpha)) - gammaln(np.sum(alpha))
    return _squeezed(np.sum(special().xlogy(alpha - 1.0, x.T).T, axis=0) - constant)


def _in_dtype_of(made, x, alpha):
    single = np.result_type(np.asarray(x), np.asarray(alpha)) == np.float32
    return made.astype(np.float32) if single else made


def multinomial_logpmf(x, n, p):
    x, n, p = np.asarray(x), np.asarray(n), _shares(np.asarray(p))
    gammaln = special().gammaln
    each = special().xlogy(x, p) - gammaln(x + 1.0)
    result = gammaln(n + 1.0) + np.sum(each, axis=-1)
    whole = np.all((x == np.floor(x)) & (x >= 0), axis=-1) & (np.sum(x, axis=-1) == n)
    valid = np.all((p >= 0.0) & (p <= 1.0), axis=-1) & (n >= 0)
    result = np.where(valid, np.where(whole, result, -np.inf), np.nan)
    return result[()] if result.ndim == 0 else result


def _adjusts():
    import scipy

    major, minor = (int(part) for part in scipy.__version__.split(".")[:2])
    return (major, minor) < (1, 18)


def _shares(p):
    """In rows that do not sum to 1 the last one is what the others leave; NaN since SciPy 1.18."""
    tolerance = 10.0 * np.finfo(np.result_type(p, np.float32)).eps
    p = p.astype(np.float64)
    left = 1.0 - np.sum(p[..., :-1], axis=-1) if _adjusts() else math.nan
    last = np.where(np.abs(1.0 - np.sum(p, axis=-1)) > tolerance, left, p[..., -1])
    return np.concatenate([p[..., :-1], last[..., None]], axis=-1)


def multinomial_pmf(x, n, p):
    return np.exp(multinomial_logpmf(x, n, p))


def normal_entropy(mean=None, cov=1):
    mean = None if mean is None else np.asarray(mean)
    cov = np.asarray(1.0 if cov is None else cov, dtype=np.float64)
    if _is_of_one(mean, cov):
        return 0.5 * (1.0 + LOG_2_PI + np.log(np.reshape(cov, ())))
    if cov.ndim == 2:
        return 0.5 * (cov.shape[0] * (1.0 + LOG_2_PI) + _log_determinant(cov))
    variances = cov if mean is None else cov + np.zeros(mean.shape)
    return 0.5 * np.sum(1.0 + LOG_2_PI + np.log(variances))


def _log_determinant(matrix):
    return 2.0 * np.sum(np.log(np.diag(np.linalg.cholesky(matrix))))


def student_logpdf(x, loc=None, shape=1, df=1):
    """The multivariate law of Student (Kotz and Nadarajah 2004, eq. 1.1)."""
    shape, df = np.asarray(shape, dtype=np.float64), np.asarray(df, dtype=np.float64)
    rows = np.asarray(x, dtype=np.float64)
    if shape.ndim != 2 or rows.ndim == 0 or df.ndim:
        refuse("a shape that is no matrix, or one variable")
    apart = rows if loc is None else rows - np.asarray(loc)
    size, factor = shape.shape[0], np.linalg.cholesky(shape)
    scaled = np.linalg.solve(factor, np.reshape(apart, (-1, size)).T)
    squares = np.reshape(np.sum(scaled * scaled, axis=0), apart.shape[:-1])
    half = 0.5 * (df + size)
    found = special().gammaln(half) - special().gammaln(0.5 * df)
    found = found - 0.5 * size * np.log(df * math.pi) - np.sum(np.log(np.diag(factor)))
    return _squeezed(found - half * np.log1p(squares / df))


def student_pdf(x, loc=None, shape=1, df=1):
    return np.exp(student_logpdf(x, loc, shape, df))


# Of matrices --------------------------------------------------------------------------------------


def _square(x, df, scale):
    """The matrices, of one row where a number is given, of diagonals where a row is."""
    x, scale = np.asarray(x, dtype=np.float64), scale_matrix(scale)
    if np.ndim(df) or x.ndim > 2:
        refuse("several matrices")
    if x.ndim == 1 and is_one_row(scale):  # each is one
        return x, scale[0, 0], 1
    size = scale.shape[0]
    if x.ndim < 2:
        x = x * np.eye(size) if x.ndim == 0 else np.diag(x)
    return x, scale, size


def scale_matrix(scale):
    """What SciPy takes a number, a row or a matrix as."""
    scale = np.asarray(scale, dtype=np.float64)
    if scale.ndim == 0:
        return scale[None, None]
    return np.diag(scale) if scale.ndim == 1 else scale


def _logarithm_of(matrix):
    return np.log(matrix) if matrix.ndim < 2 else _log_determinant(matrix)


def _trace_of_ratio(below, above):
    """The trace of ``inv(below) @ above``."""
    if below.ndim < 2:
        return above / below
    return np.trace(np.linalg.solve(below, above))


def wishart_logpdf(x, df, scale):
    """Wishart's law (Muirhead 1982, theorem 3.2.1)."""
    x, scale, size = _square(x, df, scale)
    found = 0.5 * (df - size - 1.0) * _logarithm_of(x) - 0.5 * _trace_of_ratio(scale, x)
    constant = 0.5 * df * (size * math.log(2.0) + _logarithm_of(scale))
    return _squeezed(found - constant - special().multigammaln(0.5 * df, size))


def invwishart_logpdf(x, df, scale):
    """That of the inverses."""
    x, scale, size = _square(x, df, scale)
    found = -0.5 * (df + size + 1.0) * _logarithm_of(x) - 0.5 * _trace_of_ratio(x, scale)
    constant = 0.5 * df * (size * math.log(2.0) - _logarithm_of(scale))
    return _squeezed(found - constant - special().multigammaln(0.5 * df, size))


def wishart_pdf(x, df, scale):
    return np.exp(wishart_logpdf(x, df, scale))


def invwishart_pdf(x, df, scale):
    return np.exp(invwishart_logpdf(x, df, scale))


def wishart_mean(df, scale):
    return _squeezed(df * scale_matrix(scale))


def wishart_mode(df, scale):
    """The matrix of the greatest density; None where that has none."""
    scale = scale_matrix(scale)
    size = scale.shape[0]
    if df < size + 1:
        return None
    return _squeezed((df - size - 1) * scale)


def wishart_var(df, scale):
    scale = scale_matrix(scale)
    diagonal = np.diag(scale)
    return _squeezed((scale**2 + np.outer(diagonal, diagonal)) * df)


def wishart_entropy(df, scale):
    """The mean of the logarithm of the density, less its sign (Bishop 2006, B.82)."""
    scale = scale_matrix(scale)
    size = scale.shape[0]
    found = 0.5 * (size + 1) * (_log_determinant(scale) + size * math.log(2.0))
    psi = special().psi(0.5 * (df - np.arange(size)))
    found = found + special().multigammaln(0.5 * df, size) + 0.5 * df * size
    return found - 0.5 * (df - size - 1) * np.sum(psi)


def invwishart_mean(df, scale):
    """None where there is none."""
    scale = scale_matrix(scale)
    size = scale.shape[0]
    if df <= size + 1:
        return None
    return _squeezed(scale / (df - size - 1))


def invwishart_mode(df, scale):
    scale = scale_matrix(scale)
    return _squeezed(scale / (df + scale.shape[0] + 1))


def matrix_normal_entropy(rowcov=1, colcov=1):
    rows, columns = np.asarray(rowcov), np.asarray(colcov)
    n, p = rows.shape[0], columns.shape[0]
    whole = 0.5 * n * p * (1.0 + LOG_2_PI)
    rows, columns = _covariance_of(rows, n), _covariance_of(columns, p)
    return whole + 0.5 * p * _log_determinant(rows) + 0.5 * n * _log_determinant(columns)


def multinomial_mean(n, p):
    return _if_any(np.asarray(n)[..., None] * _shares(np.asarray(p)), n, p, 1)


def multinomial_cov(n, p):
    n, shares = np.asarray(n), _shares(np.asarray(p))
    each = np.eye(shares.shape[-1]) * shares[..., None, :]
    found = each - shares[..., :, None] * shares[..., None, :]
    return _if_any(n[..., None, None] * found, n, p, 2)


def _if_any(found, n, p, dimensions):
    """NaN where there is no such law."""
    shares = _shares(np.asarray(p))
    is_one = np.all((shares >= 0.0) & (shares <= 1.0), axis=-1) & (np.asarray(n) >= 0)
    is_one = is_one[..., None] if dimensions == 1 else is_one[..., None, None]
    return np.where(is_one, found, np.nan)


# Dirichlet's law as a whole -----------------------------------------------------------------------


def _parameters(alpha):
    alpha = np.asarray(alpha).astype(np.float64)
    if alpha.ndim != 1:
        raise ValueError("Parameter vector 'a' must be one dimensional")
    return alpha, np.sum(alpha)


def dirichlet_mean(alpha):
    a, total = _parameters(alpha)
    return _in_dtype_of(_squeezed(a / total), alpha, alpha)


def dirichlet_var(alpha):
    a, total = _parameters(alpha)
    found = a / total * ((total - a) / total) / (total + 1.0)
    return _in_dtype_of(_squeezed(found), alpha, alpha)


def dirichlet_entropy(alpha):
    a, total = _parameters(alpha)
    psi, gammaln = special().psi, special().gammaln
    constant = np.sum(gammaln(a)) - gammaln(total)
    found = constant + (total - len(a)) * psi(total) - np.sum((a - 1.0) * psi(a))
    return _in_dtype_of(_squeezed(found), alpha, alpha)


# Those with parameters that were made outside of the program -------------------------------------


def _of_frozen(name, parameters):
    """The methods of a distribution with its parameters, by those of the one without."""

    def calling(method):
        def found(self, x):
            from scipy import stats

            return getattr(getattr(stats, name), method)(x, *parameters(self))

        return found

    return {method: calling(method) for method in ("logpdf", "pdf")}


FROZEN: dict[str, dict[str, Any]] = {
    "multivariate_normal": _of_frozen(
        "multivariate_normal", lambda self: (self.mean, self.cov_object._covariance)
    ),
    "dirichlet": _of_frozen("dirichlet", lambda self: (self.alpha,)),
}
MULTIVARIATE: dict[str, dict[str, Any]] = {
    "multivariate_normal": {
        "logpdf": normal_logpdf,
        "pdf": normal_pdf,
        "cdf": normal_cdf,
        "logcdf": normal_logcdf,
        "entropy": normal_entropy,
    },
    "matrix_normal": {
        "logpdf": matrix_normal_logpdf,
        "pdf": matrix_normal_pdf,
        "entropy": matrix_normal_entropy,
    },
    "dirichlet": {
        "logpdf": dirichlet_logpdf,
        "pdf": dirichlet_pdf,
        "mean": dirichlet_mean,
        "var": dirichlet_var,
        "entropy": dirichlet_entropy,
    },
    "multinomial": {
        "logpmf": multinomial_logpmf,
        "pmf": multinomial_pmf,
        "mean": multinomial_mean,
        "cov": multinomial_cov,
    },
    "multivariate_t": {"logpdf": student_logpdf, "pdf": student_pdf},
    "wishart": {
        "logpdf": wishart_logpdf,
        "pdf": wishart_pdf,
        "mean": wishart_mean,
        "mode": wishart_mode,
        "var": wishart_var,
        "entropy": wishart_entropy,
    },
    "invwishart": {
        "logpdf": invwishart_logpdf,
        "pdf": invwishart_pdf,
        "mean": invwishart_mean,
        "mode": invwishart_mode,
    },
}
