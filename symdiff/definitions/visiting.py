"""``np.nditer`` and ``np.broadcast``: elements of arrays are seen, and written by the former, one
by one, or all in a row.
"""

import math
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.memory import memory_order
from symdiff.definitions.predicates import is_one

_FLAGS = (
    *("multi_index", "c_index", "f_index", "zerosize_ok", "refs_ok", "copy_if_overlap"),
    *("external_loop", "buffered", "delay_bufalloc", "growinner"),
)
_OF_ARRAYS = ("readonly", "readwrite", "writeonly", "allocate", "no_broadcast", "nbo", "aligned")
_BUFFER = 8192  # elements, NumPy's own


class Visit:
    """Where an iteration over arrays of one shape stands: elements are views, without dimensions.

    With ``external_loop`` all elements are seen at once, in a row.
    """

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, arrays, seen, flags, order):
        self.operands, self.seen, self.flags, self.order = arrays, seen, flags, order
        self.shape, self.itersize, self.ndim = seen[0].shape, seen[0].size, seen[0].ndim
        self.nop = len(arrays)
        self.in_a_row = "external_loop" in flags
        self.turns = min(self.itersize, 1) if self.in_a_row else self.itersize
        self.iterindex = 0

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a nditer")

    def _of_tracked(self, flag):
        if flag not in self.flags:
            raise ValueError(f"Iterator is not tracking {_TRACKED[flag]}")

    @property
    def multi_index(self):
        self._of_tracked("multi_index")
        return self._place()

    def _place(self):
        """The index of an element by the axes: in the order of C the last one is the fastest."""
        rest, found = self.iterindex, []
        axes = self.shape if self.order == "F" else self.shape[::-1]
        for length in axes:
            found.append(rest % length)
            rest = rest // length
        return tuple(found if self.order == "F" else found[::-1])

    @property
    def index(self):
        if "c_index" not in self.flags and "f_index" not in self.flags:
            raise ValueError("Iterator does not have an index")
        total, step = 0, 1
        pairs = list(zip(self._place(), self.shape, strict=True))
        for place, length in pairs if "f_index" in self.flags else pairs[::-1]:
            total = total + place * step
            step = step * length
        return total

    @property
    def finished(self):
        return self.iterindex >= self.turns

    def _elements(self):
        if self.in_a_row:
            turned = [one.T if self.order == "F" else one for one in self.seen]
            return tuple([one.reshape(-1) for one in turned])
        place = (*self._place(), ...)
        return tuple([one[place] for one in self.seen])

    @property
    def value(self):
        found = self._elements()
        return found[0] if self.nop == 1 else found

    def __getitem__(self, number):
        if not isinstance(number, slice) and not -self.nop <= number < self.nop:
            raise IndexError("Iterator operand index is out of bounds")
        return self._elements()[number]

    def __setitem__(self, number, value):
        if isinstance(number, slice):
            refuse("writing several arrays at once")
        self[number][...] = value

    def __len__(self):
        return self.nop

    def __iter__(self):
        for k in range(self.iterindex, self.turns):
            self.iterindex = k
            yield self.value
        self.iterindex = self.turns

    def iternext(self):
        self.iterindex = self.iterindex + 1
        return self.iterindex < self.turns

    def reset(self):
        self.iterindex = 0

    def close(self):
        """Nothing was buffered."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        """Nothing was buffered."""


_TRACKED = {"multi_index": "a multi-index"}


@defines(np.nditer)
def nditer(op, flags=None, op_flags=None, *, order="K", casting="safe", buffersize=0):
    ops = list(op) if isinstance(op, list | tuple) else [op]
    given = () if flags is None else tuple(flags)
    for flag in given:
        if flag not in _FLAGS:
            refuse(f"the flag {flag!r}")
    if order not in ("C", "F", "K"):
        refuse(f"order={order!r}")
    own = _flags_of(ops, op_flags)
    arrays = _arrays(ops, own)
    whole = arrays[0] if len(arrays) == 1 else np.broadcast_arrays(*arrays)[0]
    if whole.size == 0 and "zerosize_ok" not in given:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    order = _common_order(arrays) if order == "K" else order
    if "external_loop" in given:
        _require_one_row(arrays, whole, given, order, buffersize)
        written = [one for one, flags in zip(arrays, own, strict=True) if _is_written(flags)]
        _require_views(written, order)
    pairs = zip(arrays, own, strict=True)
    return Visit(tuple(arrays), [_seen(*pair, whole.shape) for pair in pairs], given, order)


def _flags_of(ops, op_flags):
    """The flags of each array."""
    if op_flags is None:
        return [("writeonly", "allocate") if one is None else ("readonly",) for one in ops]
    own = list(op_flags)
    if len(own) > 0 and not isinstance(own[0], str):
        own = [tuple(one) for one in own]
    else:
        own = [tuple(own) for _ in ops]
    for flag in [flag for one in own for flag in one]:
        if flag not in _OF_ARRAYS:
            refuse(f"the flag {flag!r} of the array")
    return own


def _arrays(ops, own):
    """The arrays, those made among them that are not given."""
    known = [np.asarray(one) for one in ops if one is not None]
    if len(known) == len(ops):
        return known
    if not known:
        raise ValueError("At least one iterator operand must be non-NULL")
    like = known[0] if len(known) == 1 else np.broadcast_arrays(*known)[0]
    dtype, rest = np.result_type(*known), iter(known)
    order: Any = "F" if like.ndim > 1 and _common_order(known) == "F" else "C"
    return [np.zeros(like.shape, dtype, order) if one is None else next(rest) for one in ops]


def _common_order(arrays):
    """The order in which the memory of arrays is gone through."""
    orders = [memory_order(one) for one in arrays if one.ndim > 1]
    if None in orders:
        refuse("an array that does not fill its memory (copy it before, or give order='C')")
    if "C" in orders and "F" in orders:
        refuse("arrays of several memory orders (give order='C')")
    return orders[0] if orders else "C"


def _require_one_row(arrays, whole, flags, order, buffersize):
    """Pass where NumPy gives all elements of the arrays in one row.

    :raises NotImplementedError: where it gives them in several.
    """
    if "buffered" in flags:
        if whole.size > (buffersize if buffersize > 0 else _BUFFER):
            raise NotImplementedError("more elements than are buffered at once")
        return
    for one in arrays:
        if len(arrays) > 1 and (one.ndim != whole.ndim or one.size != whole.size):
            raise NotImplementedError("external_loop over several shapes (give 'buffered' too)")
        if one.ndim > 1 and memory_order(one) != order:
            refuse("external_loop in another order than that of the memory")


def _require_views(written, order):
    """Pass where a row of the elements of each array that is written is a view of it."""
    for one in written:
        if one.ndim > 1 and memory_order(one) != order:
            refuse("external_loop that writes in another order than that of the memory")


def _is_written(flags):
    return "readwrite" in flags or "writeonly" in flags


def _seen(array, flags, shape):
    """What is seen of an array; what is only read is no place to write to."""
    if not _is_written(flags):
        return np.broadcast_to(array, shape)
    if array.shape != shape:
        raise ValueError("output operand requires a reduction, but reduction is not enabled")
    return array


class Broadcast:
    """Arrays that broadcast together: their common shape, and their elements side by side, which
    are gone over once, from wherever ``index`` stands.
    """

    __symdiff_class__ = np.broadcast
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *arrays):
        self._arrays = tuple([np.asarray(one) for one in arrays])
        self.shape = np.broadcast_shapes(*[one.shape for one in self._arrays])
        self.ndim = self.nd = len(self.shape)
        self.numiter = len(arrays)
        self.index = 0

    @property
    def size(self):
        return math.prod(self.shape)

    def __iter__(self):
        while self.index < self.size:
            yield self._gone_over()

    def __next__(self):
        if self.index >= self.size:
            raise StopIteration
        return self._gone_over()

    def _gone_over(self):
        rest, behind = self.index, []
        self.index = self.index + 1
        for length in self.shape[:0:-1]:
            behind.append(rest % length)
            rest = rest // length
        place = (rest, *behind[::-1]) if self.shape else ()
        return tuple([one[_place_in(one, place)] for one in self._arrays])

    def reset(self):
        self.index = 0

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a broadcast")


def _place_in(array, place):
    """Where an element of arrays that broadcast together stands in one of them."""
    own = place[len(place) - array.ndim :]
    pairs = zip(array.shape, own, strict=True)
    return tuple([0 if is_one(length) else k for length, k in pairs])


@defines(np.broadcast)
def broadcast(*arrays):
    return Broadcast(*arrays)
