"""How arrays lie in memory: their strides, and what is read by other ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, known_integer, refuse
from symdiff.definitions.staged import staged


@staged
def memory_order(x: Any) -> str | None:
    """Return whether an array fills its memory, by rows (``C``) or by columns (``F``)."""
    return "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else None


@staged
def fills_memory(x: Any, order: str) -> bool:
    """Return whether an array, which has elements, fills its memory by rows, or by columns."""
    return bool(x.flags.c_contiguous if order == "C" else x.flags.f_contiguous)


@staged
def is_writeable(x: Any) -> bool | None:
    """Return whether an array can be written; None where only a run tells."""
    return bool(x.flags.writeable)


class Flags:
    """``x.flags``: whether an array is contiguous; what has no elements is in both orders."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array):
        self.array = array

    @property
    def c_contiguous(self):
        return fills_memory(self.array, "C") or self.array.size == 0

    @property
    def f_contiguous(self):
        return fills_memory(self.array, "F") or self.array.size == 0

    contiguous = c_contiguous

    @property
    def forc(self):
        return self.c_contiguous or self.f_contiguous

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def writeable(self):
        known = is_writeable(self.array)
        if known is None:
            refuse("whether an array is writeable")
        return known

    @writeable.setter
    def writeable(self, wanted):
        self.array.setflags(write=wanted)

    def __getitem__(self, name):
        if name not in _FLAGS:
            refuse(f"the flag {name!r} of an array")
        return getattr(self, _FLAGS[name])

    def __setitem__(self, name, wanted):
        if name not in ("W", "WRITEABLE"):
            refuse(f"the flag {name!r} of an array, which is set")
        self.writeable = wanted

    def __eq__(self, other):
        refuse("whether flags are those of another array")

    def __getattr__(self, name):
        refuse(f"the flag {name} of an array")


_FLAGS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "c_contiguous"),
    **dict.fromkeys(("F", "F_CONTIGUOUS"), "f_contiguous"),
    **{"FORC": "forc", "FNC": "fnc"},
}


def in_the_memory_of(x: Any, made: Any) -> Any:
    """Return what was made of an array, in which NumPy would see what is written to that."""
    return made


def _in_the_memory_staged(
    stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    stager.lies_in(*arguments)
    return arguments[1]


in_the_memory_of.__symdiff_staged__ = _in_the_memory_staged  # type: ignore[attr-defined]


def strides_of(x):
    """How many bytes it is from one element to the next along each axis."""
    order = _order(x)
    made, step = [], x.itemsize
    for length in x.shape if order == "F" else x.shape[::-1]:
        made.append(step)
        step = step * max(length, 1)
    return tuple(made) if order == "F" else tuple(made[::-1])


def _order(x):
    order = memory_order(x)
    if order is None:
        refuse("the strides of an array that does not fill its memory (copy it before)")
    return order


@defines(np.lib.stride_tricks.as_strided)
def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """What stands in the memory of the array: anything beyond it is refused when it is run."""
    x = np.asarray(x)
    shape = x.shape if shape is None else shape
    strides = strides_of(x) if strides is None else strides
    flat = (x if _order(x) == "C" else x.T).reshape(-1)
    places, last, count = np.zeros((), int), 0, 1
    for length, step in zip(shape, strides, strict=True):
        if step < 0 or step % x.itemsize != 0:
            raise NotImplementedError("as_strided with strides below 0, or between elements")
        places = places[..., None] + np.arange(length) * (step // x.itemsize)
        last, count = last + (length - 1) * (step // x.itemsize), count * length
    if count > 0 and last >= x.size:
        raise NotImplementedError("as_strided beyond the memory of the array")
    return in_the_memory_of(x, flat[places])


@defines(np.frombuffer)
def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """The memory of an array of the same type, from a place on; constant bytes as NumPy reads
    them.
    """
    if isinstance(buffer, bytes):
        return read_bytes(buffer, dtype, count, offset)
    if not isinstance(buffer, np.ndarray) or np.dtype(dtype) != buffer.dtype:
        refuse("what is no array, or of another dtype than that")
    order = memory_order(buffer)
    if order is None:
        refuse("an array of which it is not known that it fills its memory (copy it before)")
    if order == "F" and buffer.ndim > 1:
        raise ValueError("ndarray is not C-contiguous")
    first, rest = divmod(known_integer(offset), buffer.itemsize)
    if rest != 0:
        raise ValueError("buffer size must be a multiple of element size")
    if first < 0 or first > buffer.size:
        raise ValueError("offset must be non-negative and no greater than buffer length")
    if count >= 0 and count > buffer.size - first:
        raise ValueError("buffer is smaller than requested size")
    last = buffer.size if count < 0 else first + count
    return buffer.reshape(-1)[first:last]


@defines(np.from_dlpack)
def from_dlpack(x, /, *, device=None, copy=None):
    """An array of NumPy's own, which the protocol lets lie where it is."""
    if not isinstance(x, np.ndarray):
        refuse("what is no array of NumPy's")
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')
    return x.copy() if copy else x.view()


def read_bytes(*given: Any) -> Any:
    """What NumPy reads in bytes that are known."""
    return np.frombuffer(*given)


def _read_bytes_staged(stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    return stager.computed(np.frombuffer, arguments)


read_bytes.__symdiff_staged__ = _read_bytes_staged  # type: ignore[attr-defined]
