"""Searches that visit each thing once: what is reached, and what reaches each other.

>>> sorted(reached([1], lambda n: [2 * n, 3 * n] if n < 5 else []))
[1, 2, 3, 4, 6, 8, 9, 12]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reached(start: Iterable[T], following: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """The things at the start and all that steps from them lead to, in the order of discovery."""
    found = dict.fromkeys(start)
    pending = list(found)
    while pending:
        for thing in following(pending.pop()):
            if thing not in found:
                found[thing] = None
                pending.append(thing)
    return found


def components(following: Mapping[T, Iterable[T]]) -> list[list[T]]:
    """The things in groups of which all reach each other (Kosaraju's algorithm).

    >>> components({"a": ["b"], "b": ["a", "c"], "c": []})
    [['a', 'b'], ['c']]
    """
    before: dict[T, list[T]] = {thing: [] for thing in following}
    for thing, others in following.items():
        for other in others:
            before[other].append(thing)
    groups: list[list[T]] = []
    grouped: set[T] = set()

    def before_in_no_group(thing: T) -> Iterable[T]:
        return (other for other in before[thing] if other not in grouped)

    for thing in reversed(_finished(following)):
        if thing not in grouped:
            groups.append(list(reached([thing], before_in_no_group)))
            grouped.update(groups[-1])
    return groups


def _finished(following: Mapping[T, Iterable[T]]) -> list[T]:
    """The things in the order in which a search in depth has gone through all behind them."""
    order: list[T] = []
    found: set[T] = set()
    for start in following:
        if start in found:
            continue
        found.add(start)
        path = [(start, iter(following[start]))]
        while path:
            thing, others = path[-1]
            new = next((other for other in others if other not in found), None)
            if new is None:
                order.append(thing)
                path.pop()
            else:
                found.add(new)
                path.append((new, iter(following[new])))
    return order
