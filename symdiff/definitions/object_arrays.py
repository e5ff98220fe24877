"""Arrays of dtype object that a function makes: items of any kind, read and written one by one."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import MADE, refuse


class ObjectArray:
    """Items, the shape, which is known, and where in the items each of the array's stands, in C
    order: views share the items.
    """

    __symdiff_class__ = np.ndarray
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, items, shape, places=None):
        self._items, self.shape = items, shape
        self._places = list(range(len(items))) if places is None else places

    def __getattr__(self, name):
        if name in _OF_ARRAYS:
            refuse(f"the attribute {name} of an array of dtype object")
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")

    def _refused(self, *others):
        refuse("this operation of an array of dtype object")

    __array__ = __bool__ = __contains__ = __eq__ = __ne__ = __neg__ = __abs__ = _refused
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __pow__ = __rpow__ = _refused
    __truediv__ = __rtruediv__ = __matmul__ = __rmatmul__ = __lt__ = __gt__ = _refused
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __float__ = __le__ = __ge__ = _refused

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return len(self._places)

    @property
    def T(self):
        if len(self.shape) < 2:
            return self
        if len(self.shape) > 2:
            refuse("axes of an array of dtype object in another order")
        rows, columns = self.shape
        places = [self._places[i * columns + j] for j in range(columns) for i in range(rows)]
        return ObjectArray(self._items, (columns, rows), places)

    @property
    def dtype(self):
        return _OBJECT

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        for k in range(self.shape[0]):
            yield self[k]

    def _place(self, key):
        """Where an item stands."""
        places = key if isinstance(key, tuple) else (key,)
        if len(places) > len(self.shape):
            raise IndexError("too many indices for array")
        found = 0
        for place, length in zip(places, self.shape):  # noqa: B905
            if not isinstance(place, (int, np.integer)) or isinstance(place, bool):
                refuse("a part of an array of dtype object")
            if not -length <= place < length:
                raise IndexError("index is out of bounds")
            found = found * length + (place + length if place < 0 else place)
        return found, self.shape[len(places) :]

    def __getitem__(self, key):
        place, shape = self._place(key)
        if not shape:
            return self._items[self._places[place]]
        size = _size(shape)
        return ObjectArray(self._items, shape, self._places[place * size : (place + 1) * size])

    def __setitem__(self, key, value):
        if isinstance(key, slice) and key == slice(None):
            self._set_all(value)
        else:
            place, shape = self._place(key)
            if shape:
                refuse("what is written over a part of an array of dtype object")
            self._items[self._places[place]] = value

    def _set_all(self, values):
        """NumPy looks into a list as deep as the array has axes."""
        if len(self.shape) != 1 or not isinstance(values, (list, tuple)):
            refuse("what is written over an array of dtype object")
        if len(values) != len(self._places):
            refuse("other items than those of an array of dtype object")
        for place, value in zip(self._places, values):  # noqa: B905
            self._items[place] = value

    def _in_order(self):
        return [self._items[place] for place in self._places]

    def tolist(self):
        return _nested(self._in_order(), self.shape)

    def copy(self, order="C"):
        return ObjectArray(self._in_order(), self.shape)


def array_of_items(data):
    """``np.array`` of nested lists that hold None: of dtype object."""
    rows: list[Any] = [data]
    shape: tuple[int, ...] = ()
    while rows and all(isinstance(row, (list, tuple)) for row in rows):
        lengths = [len(row) for row in rows]
        if lengths != [lengths[0]] * len(lengths):
            refuse("an array of dtype object of lists that differ in length")
        shape = (*shape, lengths[0])
        rows = [item for row in rows for item in row]
    if any(isinstance(item, (list, tuple, np.ndarray)) for item in rows):
        refuse("an array of dtype object of items of which some have items")
    return ObjectArray(rows, shape)


def _size(shape):
    count = 1
    for length in shape:
        count *= length
    return count


def _nested(items, shape):
    if len(shape) < 2:
        return list(items) if shape else items[0]
    size = len(items) // shape[0] if shape[0] else 0
    rows = [items[k * size : (k + 1) * size] for k in range(shape[0])]
    return [_nested(row, shape[1:]) for row in rows]


def _made_of(item):
    def made(shape, dtype=None, order="C"):
        sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        return ObjectArray([item] * _size(sizes), sizes)

    return made


_OBJECT = np.dtype(object)
_OF_ARRAYS = frozenset(dir(np.ndarray))

MADE.update({np.empty: _made_of(None), np.zeros: _made_of(0), np.ones: _made_of(1)})
