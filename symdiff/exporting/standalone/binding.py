"""Arguments that Python does not bind: a vector after defaults, and primals that leave out some."""

from __future__ import annotations

from typing import Any


def _with_vector(function: str, arguments: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The arguments of a function, and after them a vector: the last positional one, or by name."""
    if name in kwargs:
        others = {key: value for key, value in kwargs.items() if key != name}
        return (*arguments(*args, **others), kwargs[name])
    if not args:
        raise TypeError(f"{function}() missing the vector, its last positional argument")
    return (*arguments(*args[:-1], **kwargs), args[-1])


def _completed(primals: Any, tangents: Any, count: int, defaults: Any = (), last: int = 0) -> Any:
    """Primals, and the defaults of those that are left out, whose tangents are None, as tuples.

    The last of them, a vector, stays the last.
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        return primals, tangents
    if len(tangents) < len(primals):
        raise TypeError(f"primals has {len(primals)} entries, but tangents {len(tangents)}")
    missing = count - len(primals)
    if missing > len(defaults) or len(tangents) > count:
        return tuple(primals), tuple(tangents)
    place, nones = len(primals) - last, (None,) * (count - len(tangents))
    primals = (*primals[:place], *defaults[len(defaults) - missing :], *primals[place:])
    place = len(tangents) - last
    return primals, (*tangents[:place], *nones, *tangents[place:])
