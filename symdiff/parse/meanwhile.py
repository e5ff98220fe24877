"""What is so while something is staged, and as before when that is over."""

from __future__ import annotations

from typing import Any


class meanwhile:  # noqa: N801 - it is used as a function is
    """Let attributes of an object have other values."""

    __slots__ = ("before", "owner", "values")

    def __init__(self, owner: object, **values: Any) -> None:
        self.owner, self.values = owner, values

    def __enter__(self) -> None:
        owner, values = self.owner, self.values
        self.before = {name: getattr(owner, name) for name in values}
        for name, value in values.items():
            setattr(owner, name, value)

    def __exit__(self, *_: object) -> None:
        for name, value in self.before.items():
            setattr(self.owner, name, value)


class pushed:  # noqa: N801 - it is used as a function is
    """Let a list have more items; what comes behind them is dropped with them."""

    __slots__ = ("depth", "items", "stack")

    def __init__(self, stack: list[Any], *items: Any) -> None:
        self.stack, self.items = stack, items

    def __enter__(self) -> None:
        self.depth = len(self.stack)
        self.stack.extend(self.items)

    def __exit__(self, *_: object) -> None:
        del self.stack[self.depth :]
