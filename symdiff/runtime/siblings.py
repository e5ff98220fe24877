"""Values that structure is likely to depend on, since it depends on two others like them.

A function that reads ``table[9].group`` and ``table[78].group`` while it is compiled will read that
of other items as well. Each would be found by itself, and all be staged again for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import field, replace
from types import MemberDescriptorType
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Path, Signature

MOST = 1000  # values that are looked up
_KINDS = (bool, int, str)


@dataclass(slots=True)
class Likely:
    """The ``values`` that are fixed before structure was found to depend on them.

    Those that are not read are forgotten; all of them, where they do not help.
    """

    values: dict[Path, Any] = field(default_factory=dict)
    given_up: bool = False

    def ask(self, paths: Iterable[Path], before: Collection[Path]) -> None:
        """Look for values like those that are asked for, where that was so before."""
        for path in () if self.given_up else paths:
            self.values |= siblings(path, (*before, *self.values))

    def added(self, signature: Signature) -> Signature:
        """A signature that fixes them, too."""
        if not self.values:
            return signature
        return replace(signature, static=tuple((self.values | dict(signature.static)).items()))

    def kept(self, signature: Signature, read: Collection[Path]) -> Signature:
        """A signature that fixes those of them that were read."""
        self.values = {path: value for path, value in self.values.items() if path in read}
        return self.added(signature)

    def give_up(self) -> bool:
        """Do without them; False where there are none."""
        had = bool(self.values)
        self.values, self.given_up = {}, True
        return had


def siblings(path: Path, before: Iterable[Path]) -> dict[Path, Any]:
    """The values at paths that differ from a path in one key only, in which one before does."""
    variable, *keys = path
    if not isinstance(variable, FreeVariable):
        return {}
    places = {place for other in before if (place := _only_difference(path, other))}
    found: dict[Path, Any] = {}
    for place in places:
        for value, way in _beside(variable.read(), keys, place - 1):
            if len(found) < MOST:
                found[(variable, *way)] = value
    return found


def _only_difference(path: Path, other: Path) -> int | None:
    """The one place behind the first in which two paths differ."""
    if len(path) != len(other):
        return None
    places = [k for k, (one, two) in enumerate(zip(path, other, strict=True)) if one != two]
    return places[0] if len(places) == 1 and places[0] > 0 else None


def _beside(root: Any, keys: list[Any], place: int) -> Iterator[tuple[Any, list[Any]]]:
    """What stands where another key stands at a place, if it is of the same type, with its way."""
    known, own = _followed(root, keys)
    if not known or type(own) not in _KINDS:
        return
    _, holder = _followed(root, keys[:place])
    if type(holder) is dict:
        others: Iterable[Any] = list(holder)
    else:
        others = range(len(holder)) if type(holder) in (list, tuple) else ()
    for key in others:
        way = [*keys[:place], key, *keys[place + 1 :]]
        known, value = _followed(root, way)
        if known and type(value) is type(own):
            yield value, way


def _followed(value: Any, keys: Iterable[Any]) -> tuple[bool, Any]:
    """Whether something stands at the end of keys, and what; nothing of the user's is run."""
    for key in keys:
        if type(value) in (list, tuple):
            known, value = type(key) is int and key < len(value), value
        elif type(value) is dict:
            known = type(key) in _KINDS and key in value
        else:
            known = type(key) is str and _is_held(value, key)
            value = {key: getattr(value, key)} if known else value
        if not known:
            return False, None
        value = value[key]
    return True, value


def _is_held(value: Any, name: str) -> bool:
    """Return whether an object itself holds an attribute, which reading it runs nothing for."""
    kind: Any = type(value)
    if kind.__getattribute__ is not object.__getattribute__:
        return False
    of_class = next((vars(one)[name] for one in kind.__mro__ if name in vars(one)), None)
    if of_class is not None:
        return type(of_class) is MemberDescriptorType and hasattr(value, name)
    return name in getattr(value, "__dict__", {})
