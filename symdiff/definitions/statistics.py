"""Weighted means, covariances and correlations."""

import numpy as np

from symdiff.definitions.declare import defines
from symdiff.definitions.lines import axes_of


@defines(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The sum of products with the weights over the sum of these."""
    x = np.asarray(a)
    if weights is None:
        mean = np.mean(x, axis=axis, keepdims=keepdims)
        total = np.asarray(mean).dtype.type(x.size / np.size(mean))
    else:
        w = _along_axes(np.asarray(weights), x, axis)
        dtype = np.result_type(x.dtype, w.dtype)
        if x.dtype.kind in "biu":
            dtype = np.result_type(dtype, np.float64)
        total = np.sum(w, axis=axis, dtype=dtype, keepdims=keepdims)
        if np.any(total == 0.0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        products = np.multiply(x, w, dtype=dtype)
        mean = np.sum(products, axis=axis, keepdims=keepdims) / total
    if not returned:
        return mean
    return mean, total if np.shape(total) == np.shape(mean) else np.full(np.shape(mean), total)


def _along_axes(w, x, axis):
    """Weights of the shape of ``x``, or of its shape along the axes."""
    if w.shape == x.shape:
        return w
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = axes_of(x, axis)
    if w.shape != tuple(x.shape[k] for k in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    ordered = np.transpose(w, tuple(axes.index(k) for k in sorted(axes)))
    return ordered[tuple(slice(None) if k in axes else None for k in range(x.ndim))]


@defines(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Products of deviations from weighted means, over the degrees of freedom."""
    variables = _variables(m, y, rowvar, dtype)
    lost = _lost_freedom(bias, ddof)
    weights = _weights(variables, fweights, aweights)
    if weights is None:
        deviations = variables - np.mean(variables, axis=1)[:, None]
        products = np.dot(deviations, deviations.T.conj())
        freedom = variables.shape[1] - lost
    else:
        total = np.sum(weights)
        means = np.sum(variables * weights, axis=1) / total
        deviations = variables - means[:, None]
        products = np.dot(deviations, (deviations * weights).T.conj())
        freedom = total - lost * _share_of_one(weights, aweights, total)
    if freedom <= 0:
        freedom = 0.0
    products *= np.true_divide(1, freedom)
    return np.squeeze(products)


def _variables(m, y, rowvar, dtype):
    """A row for each variable, a column for each observation."""
    first = np.asarray(m)
    if dtype is None:
        dtype = np.result_type(first, np.float64)
        if y is not None:
            dtype = np.result_type(dtype, np.asarray(y))
    rows = np.array(first, ndmin=2, dtype=dtype)
    if not rowvar and first.ndim != 1:
        rows = rows.T
    if y is None:
        return rows
    others = np.array(y, ndmin=2, dtype=dtype)
    if not rowvar and others.shape[0] != 1:
        others = others.T
    return np.concatenate((rows, others), axis=0)


def _lost_freedom(bias, ddof):
    if ddof is None:
        return 1 if bias == 0 else 0
    if ddof != int(ddof):
        raise ValueError("ddof must be integer")
    return ddof


def _weights(variables, fweights, aweights):
    """The weight of each observation; None where all are alike."""
    counts = None if fweights is None else np.asarray(fweights, dtype=float)
    importance = None if aweights is None else np.asarray(aweights, dtype=float)
    for name, given in (("fweights", counts), ("aweights", importance)):
        if given is None:
            continue
        if given.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if given.shape[0] != variables.shape[1]:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if np.any(given < 0):
            raise ValueError(f"{name} cannot be negative")
    if counts is None:
        return importance
    if not np.all(counts == np.around(counts)):
        raise TypeError("fweights must be integer")
    return counts if importance is None else counts * importance


def _share_of_one(weights, aweights, total):
    """How much of ``total`` one observation has, in the mean over the observations."""
    return 1 if aweights is None else np.sum(weights * np.asarray(aweights)) / total


@defines(np.corrcoef)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Covariances over the standard deviations of both, within the unit square."""
    covariances = cov(x, y, rowvar, dtype=dtype)
    if covariances.ndim == 0:
        return covariances / covariances
    deviations = np.sqrt(np.diag(covariances).real)
    ratios = covariances / deviations[:, None] / deviations[None, :]
    if np.iscomplexobj(ratios):
        return np.clip(ratios.real, -1, 1) + 1j * np.clip(ratios.imag, -1, 1)
    return np.clip(ratios, -1, 1)
