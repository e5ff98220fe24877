"""Distances between rows, of ``scipy.spatial.distance``."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines_inside, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


def _rows(x, name):
    x = np.asarray(x)
    if x.ndim != 2:
        raise ValueError(f"{name} must be a 2-dimensional array.")
    return x.astype(np.float64)


def _euclidean(a, b):
    return np.linalg.norm(a - b, axis=-1)


def _squared(a, b):
    return np.sum((a - b) ** 2, axis=-1)


def _cityblock(a, b):
    return np.sum(np.abs(a - b), axis=-1)


def _chebyshev(a, b):
    return np.max(np.abs(a - b), axis=-1)


def _cosine(a, b):
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return 1.0 - np.sum(a * b, axis=-1) / lengths


def _correlation(a, b):
    means = (np.mean(x, axis=-1, keepdims=True) for x in (a, b))
    return _cosine(*(x - mean for x, mean in zip((a, b), means, strict=True)))


def _canberra(a, b):
    sizes = np.abs(a) + np.abs(b)
    parts = np.abs(a - b) / np.where(sizes == 0, 1.0, sizes)
    return np.sum(np.where(sizes == 0, 0.0, parts), axis=-1)


def _braycurtis(a, b):
    return np.sum(np.abs(a - b), axis=-1) / np.sum(np.abs(a + b), axis=-1)


def _jensenshannon(a, b):
    from scipy.special import rel_entr

    p, q = (x / np.sum(x, axis=-1, keepdims=True) for x in (a, b))
    m = (p + q) / 2.0
    return np.sqrt((np.sum(rel_entr(p, m), axis=-1) + np.sum(rel_entr(q, m), axis=-1)) / 2.0)


_PLAIN: dict[str, Callable[..., Any]] = {
    "braycurtis": _braycurtis,
    "canberra": _canberra,
    "chebyshev": _chebyshev,
    "cityblock": _cityblock,
    "correlation": _correlation,
    "cosine": _cosine,
    "euclidean": _euclidean,
    "jensenshannon": _jensenshannon,
    "sqeuclidean": _squared,
}
_NEEDED = {"mahalanobis": ("VI",), "minkowski": ("p", "w"), "seuclidean": ("V",)}
_ALIASES = {
    **{"cos": "cosine", "manhattan": "cityblock", "cityblock": "cityblock", "l2": "euclidean"},
    **{"cblock": "cityblock", "cb": "cityblock", "c": "cityblock", "sqeuclid": "sqeuclidean"},
}


def _minkowski(a, b, p, w):
    if w is None:
        return np.linalg.norm(a - b, ord=p, axis=-1)
    sizes, w = np.abs(a - b), np.asarray(w, dtype=np.float64)
    if p == 1:
        return np.sum(w * sizes, axis=-1)
    if p == math.inf:
        return np.max(np.where(w != 0.0, sizes, 0.0), axis=-1)
    # Not by roots of the weights, which have no slope where one is 0.
    largest = without_derivative(np.max(sizes, axis=-1))
    unit = np.where(largest > 0.0, largest, 1.0)
    ratios = (a - b if p == 2 else sizes) / unit[..., None]
    total = np.sum(w * ratios**p, axis=-1)
    apart = total > 0.0
    return np.where(apart, unit * np.where(apart, total, 1.0) ** (1.0 / p), 0.0)


def _mahalanobis(a, b, inverse):
    apart = a - b
    return np.sqrt(np.sum(np.matmul(apart, inverse) * apart, axis=-1))


def _between(a, b, all_rows, metric, given):
    """The distances of rows that are broadcast together; what a metric needs of all rows."""
    needed = _NEEDED.get(metric, ()) if isinstance(metric, str) else ()
    for name, value in given.items():
        if value is not None and name not in needed:
            refuse(f"{name}= with the metric {metric!r}")
    made: Any
    if not isinstance(metric, str):
        made = refuse("a metric that is no name")
    elif metric in _PLAIN or metric in _ALIASES:
        made = _PLAIN[_ALIASES.get(metric, metric)](a, b)
    elif metric == "minkowski":
        made = _minkowski(a, b, 2 if given["p"] is None else given["p"], given["w"])
    elif metric == "seuclidean":
        spread = given["V"]
        spread = np.var(all_rows, axis=0, ddof=1) if spread is None else np.asarray(spread)
        made = np.linalg.norm((a - b) / np.sqrt(spread), axis=-1)
    elif metric == "mahalanobis":
        inverse = given["VI"]
        if inverse is None:
            inverse = np.linalg.inv(np.atleast_2d(np.cov(all_rows.T))).T
        made = _mahalanobis(a, b, np.asarray(inverse))
    else:
        made = refuse(f"the metric {metric!r}")
    return made


def cdist(XA, XB, metric="euclidean", *, p=None, w=None, V=None, VI=None):
    a, b = _rows(XA, "XA"), _rows(XB, "XB")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    both = np.concatenate((a, b))
    return _between(a[:, None, :], b[None, :, :], both, metric, {"p": p, "w": w, "V": V, "VI": VI})


def minkowski(u, v, p=2, w=None):
    """The distance of two vectors."""
    u, v = np.asarray(u), np.asarray(v)
    if u.ndim != 1 or v.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    if p <= 0:
        raise ValueError("p must be greater than 0")
    if w is not None:
        w = np.asarray(w, dtype=np.float64)
        if w.ndim != 1:
            raise ValueError("Input vector should be 1-D.")
        if np.any(w < 0.0):
            raise ValueError("Input weights should be all non-negative")
    return _minkowski(u, v, p, w)


def pdist(X, metric="euclidean", *, p=None, w=None, V=None, VI=None):
    x = _rows(X, "A")
    first, second = np.triu_indices(len(x), 1)
    return _between(x[first], x[second], x, metric, {"p": p, "w": w, "V": V, "VI": VI})


def squareform(X, force="no", checks=True):
    """Distances in a row as a symmetric matrix, or the other way round."""
    x = np.asarray(X)
    if x.ndim == 2:
        if force == "tomatrix":
            raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
        first, second = np.triu_indices(len(x), 1)
        return x[first, second]
    if force == "tovector" or x.ndim != 1:
        raise ValueError("Forcing 'tovector' but input X is not a square distance matrix.")
    count = int((1 + (1 + 8 * len(x)) ** 0.5) / 2)
    if count * (count - 1) != 2 * len(x):
        raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2.")
    first, second = np.triu_indices(count, 1)
    made = np.zeros((count, count), x.dtype)
    made[first, second] = x
    made[second, first] = x
    return made


def farthest(ar1, ar2, seed):
    """How far the point that is farthest from others is from the nearest; which both are."""
    value = computed(np.zeros(3), _farthest, ar1, ar2, seed)
    i, j = int(value[1]), int(value[2])
    return float(valued(np.linalg.norm(ar1[i] - ar2[j]), value[0])), i, j


def _farthest(ar1, ar2, seed):
    from scipy.spatial.distance import directed_hausdorff

    return np.asarray(directed_hausdorff(ar1, ar2, seed))


@when_imported("scipy.spatial.distance")
def register(distance):
    """Say what distances between all rows mean; those of two vectors are followed in
    Python.
    """
    registered(distance, cdist, minkowski, pdist, squareform, rounded=True)
    defines_inside(distance._hausdorff.directed_hausdorff, farthest)
