"""``itertools.groupby`` of a list, whose keys may be known at run time only.

>>> import itertools
>>> import symdiff
>>> def f(x):
...     groups = itertools.groupby([x, 2.0 * x, 3.0 * x], key=lambda v: v > 2.5)
...     return sum(sum(group) ** 2 for _, group in groups)
>>> symdiff.grad(f)(1.0)
36.0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Groups:
    """What ``groupby`` has come to: the place of the next element and its key; the number of the
    present group, where that begins, and its key.
    """

    def __init__(self, items: Any, key: Any) -> None:
        self.items, self.key_of, self.number, self.place = items, key, 0, -1
        self.advance()

    def advance(self) -> None:
        """Go on to the next element."""
        self.place += 1
        self.is_over = self.place >= len(self.items)
        if not self.is_over:
            item = self.items[self.place]
            self.key = item if self.key_of is None else self.key_of(item)

    def begin(self) -> None:
        """Let a group begin with the next element."""
        self.number += 1
        self.first, self.present = self.place, self.key

    def goes_on(self) -> bool:
        """Return whether the next element is of the present group, as the first one always is."""
        return not self.is_over and (self.place == self.first or self.present == self.key)


def grouped_list(items: Any, key: Any) -> Iterator[Any]:
    """The groups; what is left of one is gone over before the next."""
    groups = Groups(items, key)
    while not groups.is_over:
        groups.begin()
        yield groups.present, group(groups, groups.number)
        while groups.goes_on():
            groups.advance()


def group(groups: Groups, number: int) -> Iterator[Any]:
    """The elements of a group, while it is the present one."""
    while groups.number == number and groups.goes_on():
        yield groups.items[groups.place]
        groups.advance()
