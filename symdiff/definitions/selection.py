"""What is chosen, repeated and spaced by other functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse


@defines(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """Of each place the array that is chosen there."""
    dtype = np.result_type(*choices)
    parts = [np.asarray(choice, dtype=dtype) for choice in choices]
    numbers = np.asarray(a)
    if numbers.dtype == bool:
        numbers = numbers.astype(np.intp)
    arrays = np.broadcast_arrays(numbers, *parts)
    stacked = np.stack(arrays[1:])
    chosen, count = arrays[0], len(arrays) - 1
    if mode == "clip":
        chosen = np.clip(chosen, 0, count - 1)
    elif mode == "wrap":
        chosen = chosen % count
    elif np.any((chosen < 0) | (chosen >= count)):
        raise ValueError("invalid entry in choice array")
    return np.take_along_axis(stacked, chosen[None], axis=0)[0]


@defines(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    """The elements in a row, again and again."""
    row = np.ravel(a)
    shape = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    count = 1
    for length in shape:
        if length < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        count *= length
    if row.size == 0:
        return np.zeros(shape, row.dtype)
    return row[np.arange(count) % row.size].reshape(shape)


@defines(np.unstack)
def unstack(x: Any, /, *, axis: Any = 0) -> Any:
    """The parts along an axis."""
    if np.ndim(x) == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(np.moveaxis(x, axis, 0))


@defines(np.logspace)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    """Powers of a base, at equal distances of the exponents."""
    if np.ndim(base) > 0:
        refuse("an array as the base")
    powers = np.power(base, np.linspace(start, stop, num=num, endpoint=endpoint, axis=axis))
    return powers if dtype is None else powers.astype(dtype)


@defines(np.isin)
def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False) -> Any:
    """Whether each element is one of those asked for."""
    found = np.any(np.asarray(element)[..., None] == np.ravel(test_elements), axis=-1)
    return np.logical_not(found) if invert else found
