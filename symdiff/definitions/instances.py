"""What Python keeps of an object in its ``__dict__``, as a class that is followed.

The names are those that the program writes out: an order of all is not known where paths differ.
"""

from __future__ import annotations

from typing import Any, NoReturn

from symdiff.definitions.declare import refuse


def has_attribute(instance: Any, name: str) -> bool:
    """Return whether an object itself has an attribute, not its class alone."""
    return name in vars(instance)


def attribute_of(instance: Any, name: str) -> Any:
    """What an object itself has under a name."""
    return vars(instance)[name]


def put_attribute(instance: Any, name: str, content: Any) -> None:
    """Give an object an attribute, whatever its class has under the name."""
    vars(instance)[name] = content


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

    def update(self, *others: Any, **more: Any) -> None:
        """Take the items of other dicts as attributes."""
        for other in others:
            for name, content in dict(other).items():
                put_attribute(self._instance, name, content)
        for name, content in more.items():
            put_attribute(self._instance, name, content)

    def __iter__(self) -> NoReturn:
        refuse("all attributes of an object, in order")

    def __len__(self) -> NoReturn:
        refuse("the number of an object's attributes")

    def keys(self) -> NoReturn:
        """Refuse: the order of all names may differ between paths."""
        refuse("all attributes of an object, in order")

    items = values = copy = keys
