"""Values with lanes: their types, and the operands of an op as its batch rule is given them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, Dim, ListType, TapeType, Type
from symdiff.ops.batching import NoBatchRule
from symdiff.ops.declare import array_type
from symdiff.ops.shape import broadcast_to, copy, reshape, transpose
from symdiff.ops.sizes import sizes_of


class Unbatchable(Exception):  # noqa: N818 - a request, not an error: what is around runs once a lane
    """A value cannot have lanes: what it is in each differs by more than numbers."""


def type_with_lanes(type_: Type, dim: Dim) -> Type:
    """The type of what is a value of a type in each lane.

    :raises Unbatchable: of an object of which nothing is known.
    """
    if isinstance(type_, ArrayType):
        return ArrayType(type_.dtype, (dim, *type_.shape), "array")
    if isinstance(type_, ListType | TapeType):
        return replace(type_, element=type_with_lanes(type_.element, dim))
    raise Unbatchable(str(type_))


def with_lanes(x: Value, count: Value | int, dim: Dim, *, fresh: bool = False) -> Value:
    """An array or a number that is the same in each lane, with lanes."""
    shape = (dim, *array_type(x).shape)
    spread = broadcast_to(x, count, *sizes_of(x), shape=shape)
    return copy(spread) if fresh else spread


def moved(x: Value, axis: int, place: int = 0) -> Value:
    """``x`` with one axis at another place."""
    axes = [k for k in range(array_type(x).rank) if k != axis]
    axes.insert(place, axis)
    return x if axis == place else transpose(x, axes=tuple(axes))


@dataclass(frozen=True, slots=True)
class Operands:
    """The operands of a node: ``ops.batching.Lanes``."""

    count: Value | int
    dim: Dim
    has: tuple[bool, ...]
    types: tuple[ArrayType, ...]
    empty: bool = False

    def aligned(self, *operands: Value) -> list[Value]:
        rank = max((t.rank for t in self.types), default=0)
        found = []
        for x, type_, has in zip(operands, self.types, self.has, strict=True):
            missing = rank - type_.rank
            found.append(self.unit_axes(x, *range(1, missing + 1)) if has and missing else x)
        return found

    def whole(self, *operands: Value) -> list[Value]:
        pairs = zip(operands, self.has, strict=True)
        return [x if has else with_lanes(x, self.count, self.dim) for x, has in pairs]

    def moved(self, x: Value, axis: int, place: int = 0) -> Value:
        return moved(x, axis, place)

    def unit_axes(self, x: Value, *places: int) -> Value:
        sizes, shape = list(sizes_of(x)), list(array_type(x).shape)
        for place in sorted(places):
            sizes.insert(place, 1)
            shape.insert(place, 1)
        return reshape(x, *sizes, shape=tuple(shape))

    def without(self, x: Value, *places: int) -> Value:
        kept = [k for k in range(array_type(x).rank) if k not in places]
        sizes, shape = sizes_of(x), array_type(x).shape
        return reshape(x, *(sizes[k] for k in kept), shape=tuple(shape[k] for k in kept))

    def having(self, position: int) -> Operands:
        has = (one or k == position for k, one in enumerate(self.has))
        return replace(self, has=tuple(has))

    def only(self, *positions: int) -> None:
        if any(has and k not in positions for k, has in enumerate(self.has)):
            raise NoBatchRule


def require_arrays(types: Sequence[Type]) -> tuple[ArrayType, ...]:
    """The types, all of arrays or numbers.

    :raises NoBatchRule: where one is not.
    """
    arrays = tuple(t for t in types if isinstance(t, ArrayType))
    if len(arrays) != len(types):
        raise NoBatchRule
    return arrays
