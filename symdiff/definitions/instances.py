"""What Python keeps of an object in its ``__dict__``, as a class that is followed.

The order of all names is known of objects from outside that are given no others: paths may differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any


def remove_attribute(instance: Any, name: str) -> None:
    """Let an object not have an attribute of its own."""
    del vars(instance)[name]


def has_attribute(instance: Any, name: str) -> bool:
    """Return whether an object itself has an attribute, not its class alone."""
    return name in vars(instance)


def attribute_of(instance: Any, name: str) -> Any:
    """What an object itself has under a name."""
    return vars(instance)[name]


def put_attribute(instance: Any, name: str, content: Any) -> None:
    """Give an object an attribute, whatever its class has under the name."""
    vars(instance)[name] = content


def give_all(instance: Any, other: Any) -> None:
    """Give an object all attributes that another one has."""
    vars(instance).update(vars(other))


def add_note(error: Any, note: Any) -> None:
    """``error.add_note(note)``."""
    if not isinstance(note, str):
        raise TypeError(f"note must be a str, not '{type(note).__name__}'")
    if not hasattr(error, "__notes__"):
        error.__notes__ = []
    if not isinstance(error.__notes__, list):
        raise TypeError("Cannot add note: __notes__ is not a list")
    error.__notes__.append(note)


def is_of_instance(other: Any) -> bool:
    """Return whether a dict is what an object keeps its attributes in."""
    return isinstance(other, Attributes)


def count_of(instance: Any) -> int:
    """Return how many attributes an object itself has."""
    return len(vars(instance))


def names_of(instance: Any) -> tuple[str, ...]:
    """Return the names of all attributes that an object itself has."""
    return tuple(vars(instance))


def gone_on_with(iterator: Any) -> Iterator[Any]:
    """What ``__next__`` gives, time and again."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


def keep_alias(instance: Any, alias: Any) -> None:
    """Let an object keep the ``Class[item]`` that it was made by, where it takes attributes."""
    try:
        instance.__orig_class__ = alias
    except _LEFT_OUT:
        return


_LEFT_OUT = AttributeError if sys.version_info < (3, 12) else Exception  # what typing catches


class Attributes:
    """``vars(instance)``: its items are read, written and asked for by names that are known."""

    __symdiff_class__ = dict

    def __init__(self, instance: Any) -> None:
        self._instance = instance

    def __getitem__(self, name: str) -> Any:
        if not has_attribute(self._instance, name):
            raise KeyError(name)
        return attribute_of(self._instance, name)

    def __setitem__(self, name: str, content: Any) -> None:
        put_attribute(self._instance, name, content)

    def __contains__(self, name: str) -> bool:
        return has_attribute(self._instance, name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return an attribute, or else the default."""
        return attribute_of(self._instance, name) if name in self else default

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return an attribute, which becomes the default where there is none."""
        if name not in self:
            self[name] = default
        return self[name]

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        remove_attribute(self._instance, name)

    def pop(self, name: str, *default: Any) -> Any:
        """Return an attribute, which the object has no more, or else the default."""
        if default and name not in self:
            return default[0]
        found = self[name]
        del self[name]
        return found

    def update(self, *others: Any, **more: Any) -> None:
        """Take the items of other dicts as attributes."""
        for other in others:
            if is_of_instance(other):
                give_all(self._instance, other._instance)
                continue
            for name, content in dict(other).items():
                put_attribute(self._instance, name, content)
        for name, content in more.items():
            put_attribute(self._instance, name, content)

    def __iter__(self) -> Any:
        return iter(names_of(self._instance))

    def __len__(self) -> int:
        return count_of(self._instance)

    def keys(self) -> Any:
        """Return the names of all attributes."""
        return self.copy().keys()

    def values(self) -> Any:
        """Return what all attributes hold."""
        return self.copy().values()

    def items(self) -> Any:
        """Return all attributes with what they hold."""
        return self.copy().items()

    def copy(self) -> Any:
        """Return a dict of all attributes."""
        return {name: self[name] for name in names_of(self._instance)}


def initialise_namespace(self: Any, mapping: Any = (), /, **kwargs: Any) -> None:
    """``SimpleNamespace.__init__``: of a mapping from Python 3.13 on."""
    self.__dict__.update(dict(mapping), **kwargs)
