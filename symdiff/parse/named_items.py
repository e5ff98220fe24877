"""Items of lists whose length is known at run time only, which differ in texts: ``("newton", k)``.

Structures of items enter, and what stands at their leaves. Where two of them differ in texts alone,
which are parts of the structure where they are the same in all items, one structure leaves in which
these are leaves.

>>> a = Container(tuple, (0, 1), (Static("newton"), Leaf(0)))
>>> b = Container(tuple, (0, 1), (Static("bisect"), Leaf(0)))
>>> both = with_texts_as_leaves(a, b)
>>> both.items
(Leaf(index=0), Leaf(index=1))
>>> leaves_in(both, b, [7])
['bisect', 7]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from symdiff.ir.structure import Container, Leaf, Static, Structure
from symdiff.parse.trees import same_structure


def with_texts_as_leaves(a: Structure, b: Structure) -> Structure | None:
    """The structure of both, with leaves where they differ in texts; None if they do in more."""
    return _both(a, b, itertools.count())


def _both(a: Structure, b: Structure, numbers: Iterator[int]) -> Structure | None:
    if isinstance(a, Container) and isinstance(b, Container):
        return _both_containers(a, b, numbers)
    if isinstance(a, Static) and same_structure(a, b):
        return a
    return Leaf(next(numbers)) if _may_be_leaf(a) and _may_be_leaf(b) else None


def _both_containers(a: Container, b: Container, numbers: Iterator[int]) -> Structure | None:
    if (a.type, a.keys) != (b.type, b.keys):
        return None
    items = [_both(x, y, numbers) for x, y in zip(a.items, b.items, strict=True)]
    known = tuple(item for item in items if item is not None)
    return Container(a.type, a.keys, known) if len(known) == len(items) else None


def _may_be_leaf(structure: Structure) -> bool:
    text = isinstance(structure, Static) and isinstance(structure.value, str)
    return text or isinstance(structure, Leaf)


def leaves_in(wide: Structure, own: Structure, leaves: Sequence[Any]) -> list[Any]:
    """What stands at the leaves of a wider structure, given what does at a structure's own."""
    if isinstance(wide, Container) and isinstance(own, Container):
        pairs = zip(wide.items, own.items, strict=True)
        return [leaf for pair in pairs for leaf in leaves_in(*pair, leaves)]
    if not isinstance(wide, Leaf):
        return []
    return [own.value if isinstance(own, Static) else leaves[own.index]]  # type: ignore[union-attr]
