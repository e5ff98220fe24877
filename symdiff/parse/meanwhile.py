"""What is so while something is staged, and as before when that is over."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def meanwhile(owner: object, **values: Any) -> Iterator[None]:
    """Let attributes of an object have other values."""
    before = {name: getattr(owner, name) for name in values}
    for name, value in values.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)


@contextlib.contextmanager
def pushed(stack: list[Any], *items: Any) -> Iterator[None]:
    """Let a list have more items; what comes behind them is dropped with them."""
    depth = len(stack)
    stack.extend(items)
    try:
        yield
    finally:
        del stack[depth:]
