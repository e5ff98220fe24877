"""How values nest: the containers around the numbers and arrays of an argument or a result.

>>> leaves, structure = flatten({"w": 1.0, "layers": [(2.0, 3.0)]})
>>> leaves
[1.0, 2.0, 3.0]
>>> unflatten(structure, [10.0, 20.0, 30.0])
{'w': 10.0, 'layers': [(20.0, 30.0)]}
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or an array, numbered in the order of the leaves."""

    index: int


@dataclass(frozen=True, slots=True)
class Static:
    """A value that is part of the structure: None, a string, a function, a dtype."""

    value: Any


@dataclass(frozen=True, slots=True)
class Container:
    """A tuple, list, dict, NamedTuple or dataclass; ``keys``: indices, dict keys, field names."""

    type: type
    keys: tuple[Any, ...]
    items: tuple[Structure, ...]


Structure = Leaf | Static | Container


def is_leaf(value: object) -> bool:
    return isinstance(value, bool | int | float | complex | np.ndarray | np.generic)


def children(value: object) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Keys and items of a container, or None where ``value`` is not one."""
    if isinstance(value, dict):
        return tuple(value), tuple(value.values())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        # A subclass may iterate in its own way, which would be to run the user's code.
        return tuple(value._fields), tuple(tuple.__iter__(value))
    if isinstance(value, list | tuple):
        return tuple(range(len(value))), tuple(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(f.name for f in dataclasses.fields(value))
        return names, tuple(getattr(value, name) for name in names)
    return None


def flatten(value: object, leaf: Callable[[object], bool] = is_leaf) -> tuple[list[Any], Structure]:
    """The leaves of a nested value, in order, and the structure around them."""
    leaves: list[Any] = []

    def visit(item: object) -> Structure:
        if leaf(item):
            leaves.append(item)
            return Leaf(len(leaves) - 1)
        parts = children(item)
        if parts is None:
            return Static(item)
        keys, items = parts
        return Container(type(item), keys, tuple(visit(child) for child in items))

    return leaves, visit(value)


def construct(container: Container, items: Sequence[Any]) -> Any:
    """A container of the given type around new items."""
    if issubclass(container.type, dict):
        return container.type(zip(container.keys, items, strict=True))
    if issubclass(container.type, tuple) and hasattr(container.type, "_fields"):
        return container.type(*items)
    if issubclass(container.type, list | tuple):
        return container.type(items)
    return _construct_dataclass(container, items)


def _construct_dataclass(container: Container, items: Sequence[Any]) -> Any:
    made: Any = object.__new__(
        container.type
    )  # a gradient is no argument of __init__ or __post_init__
    for name, item in zip(container.keys, items, strict=True):
        object.__setattr__(made, name, item)
    return made


def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """The nested value of a structure around new leaves."""
    if isinstance(structure, Leaf):
        return leaves[structure.index]
    if isinstance(structure, Static):
        return structure.value
    return construct(structure, [unflatten(item, leaves) for item in structure.items])


def leaf_paths(structure: Structure, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of keys to each leaf, in order."""
    if isinstance(structure, Leaf):
        yield prefix
    elif isinstance(structure, Container):
        for key, item in zip(structure.keys, structure.items, strict=True):
            yield from leaf_paths(item, (*prefix, key))
