"""Densities by Gaussian kernels, ``scipy.stats.gaussian_kde``: what it computes in C, and where.

All else of the class is followed in SciPy's own Python.
"""

import math

import numpy as np

from symdiff.definitions.declare import defines
from symdiff.definitions.libraries import when_imported


def _compute_covariance(self):
    """Scale the weighted covariance of the data, which is computed once, and its factor."""
    self.factor = self.covariance_factor()
    if not hasattr(self, "_data_cho_cov"):
        weights = self.weights
        total = np.sum(weights)
        apart = self.dataset - (self.dataset @ weights / total)[:, None]
        freedom = total - np.sum(weights * weights) / total
        self._data_covariance = (apart * weights) @ apart.T / freedom
        self._data_cho_cov = np.linalg.cholesky(self._data_covariance)
    self.covariance = self._data_covariance * self.factor**2
    self.cho_cov = self._data_cho_cov * self.factor
    self.log_det = 2 * np.sum(np.log(np.diag(self.cho_cov) * math.sqrt(2 * math.pi)))


def evaluate(self, points):
    """Sum the kernels at points."""
    energies, factor = _energies(self, points)
    norm = np.prod(np.diag(factor)) * (2 * math.pi) ** (self.d / 2)
    return np.exp(-energies) @ self.weights / norm


def logpdf(self, x):
    """Sum the kernels above the largest of them, whose logarithms may be far below 0."""
    energies, factor = _energies(self, x)
    least = np.min(energies, axis=1)
    total = np.exp(least[:, None] - energies) @ self.weights
    norm = np.sum(np.log(np.diag(factor))) + 0.5 * self.d * math.log(2 * math.pi)
    return np.log(total) - least - norm


def _energies(self, points):
    """Half the squared distances of points from the data, in the kernels' widths."""
    points = np.atleast_2d(np.asarray(points))
    d, m = points.shape
    if d != self.d:
        if d == 1 and m == self.d:  # one point
            points = np.reshape(points, (self.d, 1))
        else:
            raise ValueError(f"points have dimension {d}, dataset has dimension {self.d}")
    factor = self.cho_cov
    data, places = np.linalg.solve(factor, self.dataset), np.linalg.solve(factor, points)
    apart = places[:, :, None] - data[:, None, :]
    return np.sum(apart * apart, axis=0) / 2, factor


@when_imported("scipy.stats")
def register(stats):
    """Say what the methods mean."""
    for definition in (_compute_covariance, evaluate, logpdf):
        defines(getattr(stats.gaussian_kde, definition.__name__))(definition)
