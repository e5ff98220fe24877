"""The axes of a batch in arguments: trees of ints, and what stands at each.

A tree is as in JAX: an int for all below it, None for what has no axis for the batch, a container
for the items of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Union

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError
from symdiff.ir.signature import Fixed, Nested, Path, Specification, describe
from symdiff.ir.structure import Container, children, construct
from symdiff.ir.types import ArrayType, Dim
from symdiff.runtime.signature import TypeText, read_type, spelled


@dataclass(frozen=True, slots=True)
class Tree:
    """Axes of the entries of a container."""

    type: type
    keys: tuple[Any, ...]
    items: tuple[Axes, ...]


Axes = Union[int, None, Tree]  # noqa: UP007 - it names itself


def frozen_axes(axes: Any, name: str) -> Axes:
    """Axes as a user gives them, as plain data.

    :raises SignatureError: for what is no axis.
    """
    if axes is None or (isinstance(axes, int | np.integer) and not isinstance(axes, bool)):
        return None if axes is None else int(axes)
    found = children(axes)
    if found is None:
        raise SignatureError(
            f"{name} is an int, None, or a container of them, not {axes!r}",
            hint=f"{name}=(0, None): the first argument has an axis for the batch, the second none",
        )
    keys, items = found
    return Tree(type(axes), keys, tuple(frozen_axes(item, name) for item in items))


def entry(axes: Axes, key: Any, path: Path, name: str) -> Axes:
    """The axes of an item of a container."""
    if not isinstance(axes, Tree):
        return axes
    if key in axes.keys:
        return axes.items[axes.keys.index(key)]
    raise SignatureError(
        f"{name} has no entry for {spelled(path)}", hint="give one entry an item, or an int for all"
    )


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands somewhere in the arguments, and the axes below it."""

    path: Path
    value: Any
    axes: Axes

    def parts(self) -> list[Argument] | None:
        """The items of a container, with their axes; None of anything else."""
        found = None if isinstance(self.value, str) else children(self.value)
        if found is None:
            if isinstance(self.axes, Tree):
                raise SignatureError(
                    f"in_axes has a container for {spelled(self.path)}, which is none",
                    hint="give an int or None for it",
                )
            return None
        keys, items = found
        if isinstance(self.axes, Tree) and len(self.axes.keys) != len(keys):
            raise SignatureError(
                f"in_axes has {len(self.axes.keys)} entries for {spelled(self.path)}, which has"
                f" {len(keys)}",
                hint="give one entry an item, or an int for all",
            )
        return [
            Argument((*self.path, k), item, entry(self.axes, k, (*self.path, k), "in_axes"))
            for k, item in zip(keys, items, strict=True)
        ]

    def leaves(self) -> Iterator[Argument]:
        """What is no container in it."""
        parts = self.parts()
        if parts is None:
            yield self
        else:
            for part in parts:
                yield from part.leaves()

    @property
    def has_lanes(self) -> bool:
        return self.axes is not None and self.value is not None

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The shape of an array, or of the type of one.

        :raises SignatureError: where it has no axis for the batch.
        """
        value, shape = self.value, None
        if isinstance(value, TypeText):
            type_ = read_type(value)
            shape = type_.shape if type_ is not None and type_.kind == "array" else None
        elif isinstance(value, np.ndarray):
            shape = value.shape
        axis, name = self.axes, spelled(self.path)
        assert isinstance(axis, int)
        if shape is None:
            number = isinstance(value, bool | int | float | complex | np.generic | list)
            given = repr(value) if isinstance(value, str) else f"of type {type(value).__name__}"
            raise SignatureError(
                f"{name} has no axis {axis} for the batch: it is {given}",
                hint=f"pass an array, np.array({name}), or say None for it in in_axes"
                if number
                else "say None for it in in_axes",
            )
        if not -len(shape) <= axis < len(shape):
            raise SignatureError(
                f"{name} has no axis {axis} for the batch: its shape is {_shown(shape)}",
                hint="choose an axis of it in in_axes, or None",
            )
        return tuple(shape)

    @property
    def axis(self) -> int:
        """The axis of the batch, not negative."""
        assert isinstance(self.axes, int)
        return self.axes % len(self.shape)

    def lane(self) -> Any:
        """The value in the first lane: ones where there is none."""
        parts = self.parts()
        if parts is not None:
            return _rebuilt(self.value, self.value, [part.lane() for part in parts])
        if not self.has_lanes:
            return self.value
        shape, axis = self.shape, self.axis
        left = shape[:axis] + shape[axis + 1 :]
        if isinstance(self.value, TypeText):
            type_ = read_type(self.value)
            assert type_ is not None
            kind = "array" if left else "scalar"
            return TypeText(str(ArrayType(type_.dtype, left, kind)))  # type: ignore[arg-type]
        if not shape[axis]:
            lengths = [n for n in left if isinstance(n, int)]
            return np.ones(lengths, self.value.dtype)[()]
        return self.value[(slice(None),) * axis + (0,)]

    def merged(self, before: Any, after: Any) -> Any:
        """The value as it is after its lane was brought from ``before`` to ``after``."""
        if after is before:
            return self.value
        parts, new = self.parts(), children(after)
        if parts is not None and new is not None:
            lanes = (children(before) or ((), ()))[1]
            known = [p.merged(a, b) for p, a, b in zip(parts, lanes, new[1], strict=False)]
            return _rebuilt(after, self.value, [*known, *new[1][len(known) :]], new[0])
        if self.has_lanes and isinstance(self.value, np.ndarray):
            return self.value.astype(np.asarray(after).dtype)
        return self.value if self.has_lanes else after


def _shown(shape: Sequence[Dim]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _rebuilt(like: Any, before: Any, items: list[Any], keys: tuple[Any, ...] | None = None) -> Any:
    found = children(before)
    assert found is not None
    same = len(found[1]) == len(items) and type(like) is type(before)
    if same and all(a is b for a, b in zip(found[1], items, strict=True)):
        return before
    return construct(Container(type(like), found[0] if keys is None else keys, ()), items)


def lane_of(known: Specification, axes: Axes, path: Path) -> Specification:
    """What is known of a lane of what so much is known of."""
    if isinstance(known, Nested):
        pairs = zip(known.keys, known.items, strict=True)
        items = (lane_of(s, entry(axes, k, (*path, k), "in_axes"), (*path, k)) for k, s in pairs)
        return replace(known, items=tuple(items))
    if axes is None or known == Fixed(None, type(None)):
        return known
    rank = known.rank if isinstance(known, ArrayType) else 0
    if not isinstance(known, ArrayType) or not isinstance(axes, int) or not -rank <= axes < rank:
        raise SignatureError(
            f"{spelled(path)} has no axis {axes} for the batch: it is {describe(known)}",
            hint="choose an axis of it in in_axes, or None",
        )
    axis = axes % known.rank
    left = known.shape[:axis] + known.shape[axis + 1 :]
    return ArrayType(known.dtype, left, "array" if left else "scalar")
