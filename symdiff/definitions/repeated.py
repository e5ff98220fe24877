"""``ufunc.at``: an operation at places of an array, one after the other where they repeat."""

import numpy as np

from symdiff.definitions.declare import defines


@defines(np.multiply.at)
def multiply_at(a, indices, b):
    """``a[indices] *= b``, as often as a place is named."""
    _apply_at(np.multiply, a, indices, b)


@defines(np.maximum.at)
def maximum_at(a, indices, b):
    """Raise the elements at places to at least ``b``."""
    _apply_at(np.maximum, a, indices, b)


@defines(np.minimum.at)
def minimum_at(a, indices, b):
    """Lower the elements at places to at most ``b``."""
    _apply_at(np.minimum, a, indices, b)


def _apply_at(function, a, indices, b):
    """What the key selects are places of the flat array, whatever it is made of."""
    key = np.asarray(indices) if isinstance(indices, list) else indices
    places = np.arange(a.size).reshape(a.shape)[key]
    others = np.broadcast_to(np.asarray(b), np.shape(places)).reshape(-1)
    places = np.reshape(places, -1)
    flat = a.flatten()
    for k in range(places.size):
        flat[places[k]] = function(flat[places[k]], others[k])
    a[...] = flat.reshape(a.shape)
