"""Iterators of Python's that give all of what they are made of in its order, as generators.

They are gone over at one go, so that what raises inside ``try`` does so in a statement of its own,
and suspended at each ``yield`` where they are asked for more, as a generator of the user's is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

AS_GENERATORS: dict[Any, Any] = {}

__all__ = ["AS_GENERATORS", "spells"]


def spells(function: Any) -> Callable[[F], F]:
    """Register the generator function that says what an iterator of Python's does."""

    def register(written: F) -> F:
        AS_GENERATORS[function] = written
        return written

    return register


@spells(itertools.starmap)
def starmapped(function: Any, iterable: Any) -> Iterator[Any]:
    """``itertools.starmap``: what a function gives of the items of each element."""
    for items in iterable:
        yield function(*items)


@spells(itertools.chain)
def chained(*iterables: Any) -> Iterator[Any]:
    """``itertools.chain``: the elements of one after those of the other."""
    for iterable in iterables:
        yield from iterable


@spells(itertools.chain.from_iterable)
def flattened(iterables: Any) -> Iterator[Any]:
    """``itertools.chain.from_iterable``: the same, of what gives them one by one."""
    for iterable in iterables:
        yield from iterable
