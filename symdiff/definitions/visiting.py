"""``np.nditer`` over one array, whose elements are seen, and written, one by one."""

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.memory import memory_order

_FLAGS = ("multi_index", "c_index", "f_index", "zerosize_ok", "refs_ok", "copy_if_overlap")


class Visit:
    """Where an iteration over an array stands: elements are views of it, without dimensions."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array, flags, order):
        self.array, self.flags, self.order = array, flags, order
        self.shape, self.size, self.ndim = array.shape, array.size, array.ndim
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
    def itersize(self):
        return self.size

    @property
    def nop(self):
        return 1

    @property
    def operands(self):
        return (self.array,)

    @property
    def finished(self):
        return self.iterindex >= self.size

    @property
    def value(self):
        return self.array[(*self._place(), ...)]

    def __getitem__(self, number):
        if number != 0:
            raise IndexError("Iterator operand index is out of bounds")
        return self.value

    def __setitem__(self, number, value):
        self[number][...] = value

    def __len__(self):
        return 1

    def __iter__(self):
        for k in range(self.iterindex, self.size):
            self.iterindex = k
            yield self.value
        self.iterindex = self.size

    def iternext(self):
        self.iterindex = self.iterindex + 1
        return self.iterindex < self.size

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
def nditer(op, flags=None, op_flags=None, *, order="K"):
    if isinstance(op, list | tuple):
        if len(op) != 1:
            refuse("more than one array (loop over them with zip)")
        op = op[0]
    given = () if flags is None else tuple(flags)
    for flag in given:
        if flag not in _FLAGS:
            refuse(f"the flag {flag!r}")
    array = np.asarray(op)
    if order not in ("C", "F", "K"):
        refuse(f"order={order!r}")
    if array.size == 0 and "zerosize_ok" not in given:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    if order == "K":
        order = memory_order(array)
        if order is None:
            refuse("an array that does not fill its memory (copy it before, or give order='C')")
    return Visit(_written(array, op_flags), given, order)


def _written(array, op_flags):
    """The array, of which what is only read is no place to write to."""
    own = [] if op_flags is None else list(op_flags)
    if own and not isinstance(own[0], str):
        own = list(own[0])
    for flag in own:
        if flag not in ("readonly", "readwrite"):
            refuse(f"the flag {flag!r} of the array")
    return array if "readwrite" in own else np.broadcast_to(array, array.shape)
