"""A search that visits each thing once.

>>> sorted(reached([1], lambda n: [2 * n, 3 * n] if n < 5 else []))
[1, 2, 3, 4, 6, 8, 9, 12]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
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
