"""What calls leave in objects, containers and arrays outside, so that it is known when it is read.

A call may store what depends on its arguments, and a later one read it: a memory of results. To
the later call it is a constant, so the derivative through it is lost; it is told once for each
place and program.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import LostDerivativeWarning
from symdiff.ir.attributes import is_object
from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Path, PlainArray, step
from symdiff.ir.structure import native_base
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import spelled

Arguments = tuple[Any, ...]
Place = tuple[int, Any]  # an owner's id, with a name, a key or an index; an array's, with None
_MOST = 1024  # places that are remembered
_SAMPLE = 64  # elements of an array that are remembered
_DEEPEST = 4
_OWN = os.path.dirname(os.path.dirname(__file__))


@dataclass(frozen=True, slots=True)
class Left:
    """A place that a program writes: an item or attribute of what stands at ``owner``.

    Where ``of`` is ``"all"``, all that stands in it; ``"last"``, what was appended to it;
    ``"part"``, some elements of an array, which is not remembered: others are read, it may be.
    ``always`` is False where a path leaves the place as it was.
    """

    owner: Path
    key: Any = None
    of: str = "one"
    always: bool = True


@dataclass(frozen=True, slots=True)
class _Kept:
    """What stood at a place after a call; arrays and objects are not kept alive."""

    owner: Callable[[], Any]
    refers: Callable[[], Any]
    sample: bytes

    def is_there(self, value: Any) -> bool:
        is_same = self.owner() is not None and self.refers() is value
        return is_same and self.sample == _sample(value)


_kept: dict[Place, _Kept] = {}
_lock = threading.Lock()


def remember(left: Sequence[Left], names: Sequence[str], arguments: Arguments) -> None:
    """Remember what a call has left behind."""
    for one in left:
        try:
            owner = follow(one.owner, names, arguments)
            found = list(_left(one, owner))
        except (LookupError, AttributeError):
            continue
        with _lock:
            for holder, key, value in found:
                _kept.pop((id(holder), key), None)
                kept = _Kept(_reference(holder), _reference(value), _sample(value))
                _kept[id(holder), key] = kept
            for place in list(_kept)[: max(0, len(_kept) - _MOST)]:
                del _kept[place]


def _left(one: Left, owner: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The numbers and arrays that are left, each after its holder and its key there."""
    if one.of == "all":
        yield from _numbers(owner)
    elif one.of == "last":
        yield from _at(owner, len(owner) - 1, owner[-1])
    else:
        yield from _at(owner, one.key, step(owner, one.key))


def _at(owner: Any, key: Any, value: Any, depth: int = 0) -> Iterator[tuple[Any, Any, Any]]:
    if isinstance(value, float | complex | np.inexact | np.ndarray):
        yield owner, key, value
    if depth < _DEEPEST:
        yield from _numbers(value, depth + 1)


def _numbers(value: Any, depth: int = 0) -> Iterator[tuple[Any, Any, Any]]:
    """The numbers and arrays in a container or an object, with their holders and keys."""
    if isinstance(value, np.ndarray):
        yield value, None, value
    elif isinstance(value, dict):
        for key, item in dict.items(value):
            yield from _at(value, key, item, depth)
    elif isinstance(value, list | tuple):
        base: Any = native_base(type(value))
        for key, item in enumerate(base.__iter__(value)):
            yield from _at(value, key, item, depth)
    elif is_object(type(value)):
        for key, item in getattr(value, "__dict__", {}).items():
            yield from _at(value, key, item, depth)


def _reference(value: Any) -> Callable[[], Any]:
    """A weak reference, where there can be one; a number itself; True for other containers."""
    try:
        return weakref.ref(value)
    except TypeError:
        kept = value if isinstance(value, float | complex | np.inexact) else True
        return lambda: kept


def _sample(value: Any) -> bytes:
    """Some elements of an array, by which it is told whether another has been written since."""
    if not isinstance(value, np.ndarray) or value.dtype.hasobject:
        return b""
    return value.flat[:: max(1, value.size // _SAMPLE)].tobytes()


def was_left(path: Path, names: Sequence[str], arguments: Arguments) -> bool:
    """Return whether an earlier call has left what stands at a path now."""
    if isinstance(path[-1], PlainArray):
        path = path[:-1]
    try:
        value = follow(path, names, arguments)
        place = _place(path, names, arguments)
    except (LookupError, AttributeError):
        return False
    known = (_kept.get(place), _kept.get((id(value), None)))
    return any(one is not None and one.is_there(value) for one in known)


def _place(path: Path, names: Sequence[str], arguments: Arguments) -> Place:
    if len(path) > 1:
        return id(follow(path[:-1], names, arguments)), path[-1]
    variable = path[0]
    assert isinstance(variable, FreeVariable)
    return id(variable.owner), variable.name if variable.kind == "global" else "cell_contents"


def is_written(
    left: Sequence[Left], path: Path, names: Sequence[str], arguments: Arguments
) -> bool:
    """Return whether one of the places that are written on all paths is that at a path."""
    place, value = _place(path, names, arguments), follow(path, names, arguments)

    def is_it(one: Left) -> bool:
        try:
            owner = follow(one.owner, names, arguments)
        except (LookupError, AttributeError):  # it is there on some paths only
            return False
        inside = one.of != "one" and id(owner) == place[0]
        return owner is value or inside or (id(owner), one.key) == place

    return any(one.always and is_it(one) for one in left)


_told: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()


def tell(reader: Any, name: str, where: str, path: Path) -> None:
    """Warn, once for a function and a place, that what stands there is taken for a constant."""
    place, told = spelled(path), _told.setdefault(reader, set())
    if place in told:
        return
    told.add(place)
    warnings.warn(
        f"{where}: {name} reads {place}, which it or an earlier call computes from what is"
        " differentiated: as it stands it is a constant, and the derivative through it is lost."
        " Compute it in the call that reads it; if a constant is meant, store"
        " symdiff.stop_gradient(...) of it",
        LostDerivativeWarning,
        stacklevel=_outside(sys._getframe(1)),
    )


def _outside(frame: FrameType | None) -> int:
    """How many frames up the user's own code stands."""
    level = 2
    while frame is not None and (frame.f_code.co_filename.startswith((_OWN, "<symdiff"))):
        frame, level = frame.f_back, level + 1
    return level
