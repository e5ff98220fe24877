"""Statistics of the values in each bin, ``scipy.stats.binned_statistic``: SciPy finds in which bin
a place is, which has no derivative; statistics move with the values, edges with the outermost
places.
"""

from types import ModuleType

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued


def binned_statistic(x, values, statistic="mean", bins=10, range=None):
    """A statistic of each bin, NaN where that is empty and has none; the edges, and the bins."""
    from scipy.stats._binned_statistic import BinnedStatisticResult

    if not isinstance(statistic, str):
        refuse("a statistic that is no name")
    places, given = np.asarray(x), np.asarray(values)
    if places.ndim != 1 or given.ndim != 1:
        refuse("several rows of values (call it for each)")
    if given.dtype.kind == "c":
        refuse("complex values")
    if statistic != "count" and len(given) != len(places):
        raise AttributeError(
            "The number of `values` elements must match the length of each `sample` dimension."
        )
    edges = _edges(places, bins, range)
    like = np.zeros(len(places))
    number = computed(like, _numbers, places, bins, range).astype(np.int64)
    like = np.zeros(len(edges) - 1)
    found = computed(like, _told, places, given, statistic, bins, range)
    exact = _STATISTICS[statistic](given.astype(np.float64), number - 1, len(edges) - 1)
    return BinnedStatisticResult(valued(exact, found), edges, number)


def _edges(places, bins, range):
    """Of the type of the places, where these are floats."""
    kind = places.dtype if places.dtype.kind == "f" else np.float64
    if np.ndim(bins) > 0:
        return (1.0 * np.asarray(bins, dtype=np.float64)).astype(kind)
    if range is None:
        wide = places.astype(np.float64)
        low, high = np.min(wide), np.max(wide)
        alone = np.where(low == high, 0.5, 0.0)
        low, high = low - alone, high + alone
    else:
        low, high = _ends(range)
    exact = np.linspace(low, high, bins + 1).astype(kind)
    return valued(exact, computed(exact, _told_edges, places, bins, range))


def _ends(range):
    ends = np.ravel(np.asarray(range, dtype=np.float64))
    return ends[0], ends[1]


def _binned(places, values, statistic, bins, range):
    from scipy.stats import binned_statistic

    return binned_statistic(places, values, statistic, bins, range)


def _numbers(places, bins, range):
    return _binned(places, places, "count", bins, range).binnumber.astype(float)


def _told_edges(places, bins, range):
    return _binned(places, places, "count", bins, range).bin_edges


def _told(places, values, statistic, bins, range):
    return np.asarray(_binned(places, values, statistic, bins, range).statistic, dtype=float)


# Statistics ---------------------------------------------------------------------------------------


def _sums(values, bin_of, count):
    """The sum of each bin; what is in none of them does not count."""
    inside = np.logical_and(bin_of >= 0, bin_of < count)
    total = np.zeros(count)
    np.add.at(total, np.where(inside, bin_of, 0), np.where(inside, values, 0.0))
    return total


def _members(values, bin_of, count):
    return _sums(np.ones(len(values)), bin_of, count)


def _means(values, bin_of, count):
    members = _members(values, bin_of, count)
    total = _sums(values, bin_of, count) / np.maximum(members, 1.0)
    return np.where(members > 0.0, total, np.nan)


def _deviations(values, bin_of, count):
    members = _members(values, bin_of, count)
    means = _sums(values, bin_of, count) / np.maximum(members, 1.0)
    apart = values - means[np.clip(bin_of, 0, count - 1)]
    squares = _sums(apart**2, bin_of, count) / np.maximum(members, 1.0)
    positive = squares > 0.0
    roots = np.where(positive, np.sqrt(np.where(positive, squares, 1.0)), 0.0)
    return np.where(members > 0.0, roots, np.nan)


def _of_members(function):
    def statistic(values, bin_of, count):
        found = np.full(count, np.nan)
        for k in range(count):
            chosen = values[bin_of == k]
            if len(chosen) > 0:
                found[k] = function(chosen)
        return found

    return statistic


_STATISTICS = {
    "mean": _means,
    "std": _deviations,
    "sum": _sums,
    "count": _members,
    "median": _of_members(np.median),
    "min": _of_members(np.min),
    "max": _of_members(np.max),
}


@when_imported("scipy.stats._binned_statistic")
def register(binned: ModuleType) -> None:
    """Say what the statistics are."""
    defines(binned.binned_statistic)(binned_statistic)
