"""Arrays as sets: what is there, once each and in order. What is equal stands for its first."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse


@defines(np.unique)
def unique(ar, return_index=False, return_inverse=False, return_counts=False, *, equal_nan=True):
    """The elements in order, each once."""
    x = np.asarray(ar)
    flat = np.ravel(x)
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    differs = ordered[1:] != ordered[:-1]
    if equal_nan and x.dtype.kind in "fc":
        differs = differs & ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    first = np.concatenate((np.ones(1, bool), differs))[: flat.size]
    found = ordered[first]
    if not (return_index or return_inverse or return_counts):
        return found
    more: Any = ()
    if return_index:
        more = (*more, order[first])
    if return_inverse:
        places = np.cumsum(first) - 1
        more = (*more, places[np.argsort(order, kind="stable")].reshape(x.shape))
    if return_counts:
        more = (*more, np.diff(np.concatenate((np.flatnonzero(first), np.array([flat.size])))))
    return (found, *more)


@defines(np.unique_values)
def unique_values(x):
    """The elements, each once, NaN as often as it is there."""
    if np.asarray(x).dtype.kind != "f":
        refuse("numbers that are no floats, whose order NumPy leaves open; use np.unique")
    return unique(x, equal_nan=False)


@defines(np.union1d)
def union1d(ar1, ar2):
    """What is in one or both."""
    return unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@defines(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    """What is in the first and not in the second."""
    kept = np.ravel(ar1) if assume_unique else unique(ar1)
    return kept[~np.isin(kept, ar2)]


@defines(np.intersect1d)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """What is in both, in order; and where it stands in each."""
    first, second = np.ravel(ar1), np.ravel(ar2)
    places: Any = ()
    if not assume_unique:
        first, place = unique(first, return_index=True)
        places = (place,)
        second, place = unique(second, return_index=True)
        places = (*places, place)
    both = np.concatenate((first, second))
    order = np.argsort(both, kind="stable")
    both = both[order]
    twice = both[1:] == both[:-1]
    found = both[:-1][twice]
    if not return_indices:
        return found
    in_first, in_second = order[:-1][twice], order[1:][twice] - first.size
    if not assume_unique:
        in_first, in_second = places[0][in_first], places[1][in_second]
    return found, in_first, in_second


@defines(np.setxor1d)
def setxor1d(ar1, ar2, assume_unique=False):
    """What is in one and not in both."""
    first = np.ravel(ar1) if assume_unique else unique(ar1)
    second = np.ravel(ar2) if assume_unique else unique(ar2)
    both = np.sort(np.concatenate((first, second)))
    edge = np.ones(1, bool)
    differs = np.concatenate((edge, both[1:] != both[:-1], edge))
    return both[(differs[1:] & differs[:-1])[: both.size]]


@defines(np.lexsort)
def lexsort(keys, axis=-1):
    """The order by the last key, then by the one before, and so on."""
    if not isinstance(keys, (tuple, list)):
        refuse("keys that are no tuple or list")
    order = np.argsort(keys[0], axis=axis, kind="stable")
    for key in keys[1:]:
        again = np.take_along_axis(np.asarray(key), order, axis)
        order = np.take_along_axis(order, np.argsort(again, axis=axis, kind="stable"), axis)
    return order
