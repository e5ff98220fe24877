"""Making dataclasses without calling their ``__init__``."""

from __future__ import annotations

from typing import Any


def _rebuilt(kind: Any, names: tuple[str, ...], items: tuple[Any, ...]) -> Any:
    made = object.__new__(kind)  # a gradient is no argument of __init__
    for name, item in zip(names, items, strict=True):
        object.__setattr__(made, name, item)
    return made
