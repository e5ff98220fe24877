"""Numbers inside containers in another type: the containers that were given stay as they are."""

from __future__ import annotations

import copy
from typing import Any


def _converted(value: Any, convert: Any, *paths: tuple[Any, ...]) -> Any:
    """A container with the numbers at these paths converted: a copy, where any of them changes."""
    for key, *rest in paths:
        by_name = isinstance(key, str) and not isinstance(value, dict)
        item = getattr(value, key) if by_name else value[key]
        made = _converted(item, convert, tuple(rest)) if rest else convert(item)
        if made is not item:
            value = _with_item(value, key, made)
    return value


def _with_item(value: Any, key: Any, item: Any) -> Any:
    """A copy of a container with another item."""
    if isinstance(value, tuple):
        names: Any = getattr(value, "_fields", ())
        place = names.index(key) if isinstance(key, str) else key
        return tuple.__new__(type(value), (*value[:place], item, *value[place + 1 :]))
    made = copy.copy(value)
    if isinstance(value, dict | list):
        made[key] = item
    else:
        object.__setattr__(made, key, item)
    return made
