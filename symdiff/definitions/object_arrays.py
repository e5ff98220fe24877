"""Arrays of dtype object that a function makes: items of any kind, read and written one by one."""

import numpy as np

from symdiff.definitions.declare import MADE, refuse


class ObjectArray:
    """The items in C order, and the shape, which is known."""

    __symdiff_class__ = np.ndarray
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, items, shape):
        self._items, self.shape = items, shape

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
        return len(self._items)

    @property
    def dtype(self):
        return _OBJECT

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if len(self.shape) != 1:
            refuse("going over the rows of an array of dtype object")
        return iter(self._items)

    def _place(self, key):
        """Where an item stands."""
        places = key if isinstance(key, tuple) else (key,)
        if len(places) != len(self.shape):
            refuse("a part of an array of dtype object")
        found = 0
        for place, length in zip(places, self.shape):  # noqa: B905
            if not isinstance(place, (int, np.integer)) or isinstance(place, bool):
                refuse("a part of an array of dtype object")
            if not -length <= place < length:
                raise IndexError("index is out of bounds")
            found = found * length + (place + length if place < 0 else place)
        return found

    def __getitem__(self, key):
        return self._items[self._place(key)]

    def __setitem__(self, key, value):
        if isinstance(key, slice) and key == slice(None):
            self._set_all(value)
        else:
            self._items[self._place(key)] = value

    def _set_all(self, values):
        """NumPy looks into a list as deep as the array has axes."""
        if len(self.shape) != 1 or not isinstance(values, (list, tuple)):
            refuse("what is written over an array of dtype object")
        if len(values) != len(self._items):
            refuse("other items than those of an array of dtype object")
        for k, value in enumerate(values):
            self._items[k] = value

    def tolist(self):
        return _nested(self._items, self.shape)

    def copy(self, order="C"):
        return ObjectArray(list(self._items), self.shape)


def _nested(items, shape):
    if len(shape) < 2:
        return list(items) if shape else items[0]
    size = len(items) // shape[0] if shape[0] else 0
    rows = [items[k * size : (k + 1) * size] for k in range(shape[0])]
    return [_nested(row, shape[1:]) for row in rows]


def _made_of(item):
    def made(shape, dtype=None, order="C"):
        sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        count = 1
        for size in sizes:
            count *= size
        return ObjectArray([item] * count, sizes)

    return made


_OBJECT = np.dtype(object)
_OF_ARRAYS = frozenset(dir(np.ndarray))

MADE.update({np.empty: _made_of(None), np.zeros: _made_of(0), np.ones: _made_of(1)})
