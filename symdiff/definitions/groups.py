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
    """What ``groupby`` has come to: the place of the next element, its key, and the number of its
    group.
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


def grouped_list(items: Any, key: Any) -> Iterator[Any]:
    """The groups; what is left of one is gone over before the next."""
    groups = Groups(items, key)
    while not groups.is_over:
        groups.number += 1
        present = groups.key
        yield present, group(groups, groups.number, present)
        while not groups.is_over and groups.key == present:
            groups.advance()


def group(groups: Groups, number: int, key: Any) -> Iterator[Any]:
    """The elements of a group, while it is the present one."""
    while groups.number == number and not groups.is_over and groups.key == key:
        yield groups.items[groups.place]
        groups.advance()
