"""What objects of libraries that wrap one array have of it."""

from typing import Any


class Wrapped:
    """An array, ``values``, and what a library tells of it."""

    values: Any
    __array_ufunc__ = None  # an array before it leaves the operation to it
    __hash__ = None  # type: ignore[assignment]

    @property
    def shape(self):
        return self.values.shape

    @property
    def ndim(self):
        return self.values.ndim

    @property
    def size(self):
        return self.values.size

    @property
    def dtype(self):
        return self.values.dtype
