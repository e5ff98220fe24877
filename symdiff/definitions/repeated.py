"""``ufunc.at``: an operation at places of an array, one after the other where they repeat."""

import numpy as np

from symdiff.definitions.declare import defines


def _at(function):
    """The definition of the ``at`` method of a ufunc."""

    def at(a, indices, b):
        """What the key selects are places of the flat array, whatever it is made of."""
        key = np.asarray(indices) if isinstance(indices, list) else indices
        places = np.arange(a.size).reshape(a.shape)[key]
        others = np.broadcast_to(np.asarray(b), np.shape(places)).reshape(-1)
        places = np.reshape(places, -1)
        flat = a.flatten()
        for k in range(places.size):
            flat[places[k]] = function(flat[places[k]], others[k])
        a[...] = flat.reshape(a.shape)

    return at


for _function in (np.multiply, np.maximum, np.minimum):
    defines(_function.at)(_at(_function))
