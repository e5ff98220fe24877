"""Histograms: their weights and their edges carry derivatives, what is counted does not."""

import numpy as np

from symdiff.definitions.declare import defines, refuse


# Where the bins are alike NumPy finds them by a division, in blocks: to its bits.
@defines(np.histogram, rounded=True)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements, or what weights, lie between two edges and the next."""
    x, w = _elements(a, weights)
    edges = _edges(x, bins, range)
    counts = _counted(x, w, edges) if np.ndim(bins) == 0 else _summed_in_order(x, w, edges)
    if density:
        return counts / np.diff(edges).astype(float) / np.sum(counts), edges
    return counts, edges


@defines(np.histogram_bin_edges, rounded=True)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges alone."""
    x, _ = _elements(a, weights)
    return _edges(x, bins, range)


def _elements(a, weights):
    x = np.asarray(a)
    if x.dtype == bool:
        x = x.astype(np.uint8)
    if weights is None:
        return np.ravel(x), None
    w = np.asarray(weights)
    if w.shape != x.shape:
        raise ValueError("weights should have the same shape as a.")
    return np.ravel(x), np.ravel(w)


def _edges(x, bins, range):
    if isinstance(bins, str):
        refuse("a number of bins that the data choose")
    if np.ndim(bins) > 1:
        raise ValueError("`bins` must be 1d, when an array")
    if np.ndim(bins) == 1:
        edges = np.asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    first, last = _outer_edges(x, range)
    dtype = np.result_type(first, last, x)
    if dtype.kind in "iu":
        dtype = np.result_type(dtype, float)
    return np.linspace(first, last, bins + 1, dtype=dtype)


def _outer_edges(x, range):
    if range is not None:
        first, last = range
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
    elif x.dtype.kind in "iu":
        first, last = np.min(x), np.max(x)
    else:
        first, last = np.min(x, initial=np.inf), np.max(x, initial=-np.inf)
        nothing = first > last
        first, last = np.where(nothing, 0, first), np.where(nothing, 1, last)
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"range of [{first}, {last}] is not finite")
    alike = first == last
    if isinstance(alike, bool):
        return (first - 0.5, last + 0.5) if alike else (first, last)
    return np.where(alike, first - 0.5, first), np.where(alike, last + 0.5, last)


def _places(x, edges):
    """The bin of each element, the last one with its upper edge; one more of what is outside."""
    count = len(edges) - 1
    places = np.searchsorted(edges, x, side="right") - 1
    places = np.where(x == edges[-1], count - 1, places)
    return np.where((x >= edges[0]) & (x <= edges[-1]), places, count)


def _counted(x, w, edges):
    made = np.zeros(len(edges), np.intp if w is None else w.dtype)
    np.add.at(made, _places(x, edges), 1 if w is None else w)
    return made[:-1].copy()


def _summed_in_order(x, w, edges):
    """Differences of running sums over the elements in order."""
    order = np.argsort(x)
    ordered = x[order]
    left = np.searchsorted(ordered, edges[:-1], side="left")
    places = np.concatenate((left, np.searchsorted(ordered, edges[-1:], side="right")))
    if w is None:
        return np.diff(places)
    sums = np.concatenate((np.zeros(1, w.dtype), np.cumsum(w[order])))
    return np.diff(sums[places]).astype(w.dtype)


@defines(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """What lies in the boxes of a grid."""
    if isinstance(sample, (list, tuple)):
        dtype = np.result_type(*sample)
        columns = [np.asarray(part, dtype=dtype) for part in sample]
    else:
        points = np.asarray(sample)
        columns = [points[:, k] for k in _count(points.shape[1])]
    rank = len(columns)
    if isinstance(bins, (list, tuple)):
        if len(bins) != rank:
            raise ValueError(
                "The dimension of bins must be equal to the dimension of the sample x."
            )
        choices = [*bins]
    else:
        choices = [bins] * rank
    limits = [None] * rank if range is None else [*range]
    edges = [_edges(columns[k], choices[k], limits[k]) for k in _count(rank)]
    place, inside = 0, True
    for k in _count(rank):
        number = len(edges[k]) - 1
        found = _places(columns[k], edges[k])
        inside = inside & (found < number)
        place = place * number + found
    total = 1
    for part in edges:
        total *= len(part) - 1
    made = np.zeros(total + 1)
    np.add.at(made, np.where(inside, place, total), 1.0 if weights is None else weights)
    made = made[:-1].reshape([len(part) - 1 for part in edges])
    if density:
        whole = np.sum(made)
        for k in _count(rank):
            shape = [1] * rank
            shape[k] = len(edges[k]) - 1
            made = made / np.diff(edges[k]).reshape(shape)
        made = made / whole
    return made, edges


def _count(rank):
    """0, 1, ..., where ``range`` is another thing."""
    return tuple(range(rank))


@defines(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """What lies in the rectangles of a grid."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    both = bins
    if isinstance(bins, (list, tuple)) and len(bins) not in (1, 2):
        both = [np.asarray(bins), np.asarray(bins)]
    elif isinstance(bins, np.ndarray):
        both = [bins, bins]
    made, edges = histogramdd([x, y], both, range, density, weights)
    return made, edges[0], edges[1]
