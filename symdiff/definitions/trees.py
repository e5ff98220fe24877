"""Nearest neighbours by ``scipy.spatial.KDTree``: which they are has no derivative, how far they
are has that of the distance.
"""

import numpy as np

from symdiff.definitions.declare import defines, known_integer, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


class Tree:
    """Points that are asked for their neighbours."""

    def __init__(self, data, as_numpy, boxsize=None):
        self._as_numpy = as_numpy  # whether one place is a number of NumPy's
        self._box = boxsize
        self.data = np.asarray(data, dtype=np.float64)
        if self.data.ndim != 2:
            raise ValueError("data must be 2 dimensions")
        self.n, self.m = self.data.shape

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a tree")

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=np.inf, workers=1):
        """The distances of the nearest points, and which these are."""
        is_one = np.ndim(k) == 0 and known_integer(k) == 1
        count = known_integer(k if np.ndim(k) == 0 else len(k))
        points = np.asarray(x, dtype=np.float64)
        given = self.data, points, k, eps, p, distance_upper_bound, self._box
        found = computed(_likes(points, is_one, count), _asked, *given)
        value, which = found[0], found[1].astype(np.int64)
        inside = which < self.n  # it is behind the last one where there are too few
        near = self.data[np.where(inside, which, 0)]
        apart = (points if is_one else points[..., None, :]) - near
        if self._box is not None:
            box = without_derivative(np.asarray(self._box, dtype=np.float64))
            length = np.where(box > 0.0, box, 1.0)
            turns = np.where(box > 0.0, np.round(without_derivative(apart) / length), 0.0)
            apart = apart - np.asarray(self._box) * turns
        distance = np.linalg.norm(apart, ord=p, axis=-1)
        distance = valued(np.asarray(np.where(inside, distance, np.inf)), value)
        if distance.ndim == 0:
            return float(distance[()]), which[()] if self._as_numpy else int(which[()])
        return distance, which


def _likes(points, is_one, count):
    """Distances and places, of the shape in which a tree gives them."""
    row = points[..., 0] * 0.0
    row = row if is_one else row[..., None] + np.zeros(count)
    return np.stack((row, row))


def _asked(data, points, k, eps, p, bound, box):
    from scipy.spatial import KDTree

    found = KDTree(data, boxsize=box).query(points, k, eps, p, bound)
    return np.stack([np.asarray(part, dtype=float) for part in found])


def _making(as_numpy):
    def definition(
        data, leafsize=None, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None
    ):
        return Tree(data, as_numpy, boxsize)

    return definition


def _query_of(as_numpy):
    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=np.inf, workers=1):
        """Of a tree that was made outside of the program."""
        return Tree(self.data, as_numpy, self.boxsize).query(x, k, eps, p, distance_upper_bound)

    return query


@when_imported("scipy.spatial")
def register(spatial):
    """Say what a tree is."""
    defines(spatial.KDTree)(_making(True))
    defines(spatial.cKDTree)(_making(False))
    defines(spatial.KDTree.query)(_query_of(True))
    defines(spatial.cKDTree.query)(_query_of(False))
