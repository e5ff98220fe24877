"""What ``scipy.stats`` knows of a covariance: a factor of its inverse, and its determinant.

The factor is SciPy's, made of eigenvectors. Nothing that is asked of it depends on which ones these
are: its derivative is that of a triangular factor that is turned to it, and has no need of
eigenvalues that differ.
"""

from types import ModuleType

import numpy as np

from symdiff.definitions.declare import defines_inside
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.staged import valued, without_derivative


class Semidefinite:
    """A symmetric matrix without negative eigenvalues, and its pseudoinverse."""

    def __init__(self, M, cond, rcond, lower, check_finite, allow_singular):
        import scipy.linalg

        self._M = np.asarray(M)
        options = {"lower": lower, "check_finite": check_finite}
        values, vectors = scipy.linalg.eigh(without_derivative(self._M), **options)
        eps = _negligible(values, cond, rcond)
        if np.min(values) < -eps:
            raise ValueError("The input matrix must be symmetric positive semidefinite.")
        counts = values > eps
        if np.all(counts):
            self.U, self.log_pdet = _regular(self._M, values, vectors, lower)
        elif allow_singular:
            self.U, self.log_pdet = _singular(scipy.linalg.eigh(self._M, **options), eps)
        else:
            raise np.linalg.LinAlgError(
                "When `allow_singular is False`, the input matrix must be symmetric positive"
                " definite."
            )
        self.eps, self.V = 1e3 * eps, vectors[:, values <= eps]
        self.rank = int(np.sum(counts))

    def _support_mask(self, x):
        return np.linalg.norm(x @ self.V, axis=-1) < self.eps

    @property
    def pinv(self):
        return np.dot(self.U, self.U.T)


def semidefinite(M, cond=None, rcond=None, lower=True, check_finite=True, allow_singular=True):
    return Semidefinite(M, cond, rcond, lower, check_finite, allow_singular)


def _negligible(values, cond, rcond):
    cond = rcond if rcond is not None else cond
    if cond in (None, -1):
        kind = values.dtype.char.lower()
        cond = {"f": 1e3, "d": 1e6}[kind] * np.finfo(kind).eps
    return cond * np.max(np.abs(values))


def _singular(found, eps):
    """The factor and the logarithm by the eigenvalues that are not 0."""
    values, vectors = found
    counts = values > eps
    roots = np.sqrt(np.where(counts, 1.0 / np.where(counts, values, 1.0), 0.0))
    return np.multiply(vectors, roots), np.sum(np.log(values[counts]))


def _regular(matrix, values, vectors, lower):
    """Both by a triangular factor, with the values that they have."""
    triangular = np.linalg.cholesky(matrix if lower else matrix.T)
    factor = np.multiply(vectors, np.sqrt(1.0 / values))
    turn = without_derivative(triangular.T) @ factor
    exact = 2.0 * np.sum(np.log(np.diag(triangular)))
    return valued(np.linalg.inv(triangular).T @ turn, factor), valued(exact, np.sum(np.log(values)))


@when_imported("scipy.stats._multivariate")
def register(multivariate: ModuleType) -> None:
    """Say what is computed of covariances."""
    defines_inside(multivariate._PSD, semidefinite)
