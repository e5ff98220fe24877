"""``types.MappingProxyType``, which Python has in C: a class that is followed.

>>> from types import MappingProxyType
>>> import symdiff
>>> def f(x):
...     rates = {"a": x}
...     shown = MappingProxyType(rates)
...     rates["b"] = x * x
...     return sum(shown.values())
>>> symdiff.grad(f)(3.0)
7.0
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any


def _written(other: Any) -> Any:
    """The dict behind a view of one."""
    shown: Any = other
    return shown._mapping if isinstance(other, MappingProxyType) else other


class mappingproxy:  # noqa: N801  its name is shown in messages
    """A view of a dict, through which nothing is written."""

    __symdiff_class__ = MappingProxyType

    def __init__(self, mapping: Any) -> None:
        self._mapping = mapping

    def __getitem__(self, key: Any) -> Any:
        return self._mapping[key]

    def __setitem__(self, key: Any, content: Any) -> None:
        raise TypeError("'mappingproxy' object does not support item assignment")

    def __delitem__(self, key: Any) -> None:
        raise TypeError("'mappingproxy' object does not support item deletion")

    def __contains__(self, key: Any) -> bool:
        return key in self._mapping

    def __len__(self) -> int:
        return len(self._mapping)

    def __iter__(self) -> Any:
        return iter(self._mapping)

    def __reversed__(self) -> Any:
        return reversed(self._mapping)

    def __eq__(self, other: Any) -> Any:
        return self._mapping == _written(other)

    def __or__(self, other: Any) -> Any:
        return self._mapping | _written(other)

    def __ror__(self, other: Any) -> Any:
        return other | self._mapping

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the item of a key, or else the default."""
        return self._mapping.get(key, default)

    def keys(self) -> Any:
        """Return the keys of the dict."""
        return self._mapping.keys()

    def values(self) -> Any:
        """Return the values of the dict."""
        return self._mapping.values()

    def items(self) -> Any:
        """Return the items of the dict."""
        return self._mapping.items()

    def copy(self) -> Any:
        """Return a copy of the dict, which may be written."""
        return self._mapping.copy()
