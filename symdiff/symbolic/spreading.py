"""What functions made from expressions do where symbols turn out to be arrays: values that lack
some of the symbols are broadcast, or found to have the shape and dtype of all already.

>>> gathered(2, [[np.ones(2), 3.0]], np.ones(2), 3.0).tolist()
[[[1.0, 1.0], [3.0, 3.0]]]
>>> spread(2.0, np.zeros(3, np.float32))
array([2., 2., 2.], dtype=float32)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def gathered(axes: int, nested: list[Any], *symbols: Any) -> Any:
    """An array of values each of which has some of the symbols in it, and all have all.

    Values of one shape, if not numbers, have that of all symbols broadcast, and together their
    dtype: so they are only put together. ``axes``: how deep they are nested.
    """
    try:
        made = np.array(nested)
    except ValueError:  # values of several shapes
        return filled(axes, nested, *symbols)
    return made if made.ndim > axes else filled(axes, nested, *symbols)


def filled(axes: int, nested: list[Any], *symbols: Any) -> Any:
    """An array of values, each broadcast to the shape of all symbols; of the dtype of all."""
    lengths, flat = [len(nested)], nested
    for _ in range(axes - 1):
        lengths.append(len(flat[0]))
        flat = [item for items in flat for item in items]
    shape = np.broadcast_shapes(*map(np.shape, symbols))
    made = np.empty((len(flat), *shape), np.result_type(*flat, *symbols))
    for position, value in enumerate(flat):
        made[position] = value
    return made.reshape(*lengths, *shape)


def spread(value: Any, *lacking: Any) -> Any:
    """A value in the shape and dtype of itself and the symbols that it lacks.

    A number, where all are numbers; never one of the arrays that were given.
    """
    for symbol in lacking:
        if not _is_array_like(value, symbol):
            break
    else:
        return value
    shape = np.broadcast_shapes(np.shape(value), *map(np.shape, lacking))
    made = np.empty(shape, np.result_type(value, *lacking))
    made[...] = value
    return made if shape else made[()]


def _is_array_like(value: Any, symbol: Any) -> bool:
    """Return whether both are arrays of one shape and dtype."""
    if type(value) is not np.ndarray or type(symbol) is not np.ndarray:
        return False
    return bool(value.shape == symbol.shape and value.dtype == symbol.dtype)
