"""Batch rules: what an op is of operands that have a lane for each element of a batch.

A value has *lanes* where it differs over a batch; its first axis is then the batch's. A rule is
``(b, op, *operands, **attributes) -> result``, with lanes: ``b`` is the ``Lanes`` of the operands,
``op`` the op itself, of which several may share a rule. An op without a rule runs once a lane, in a
loop; so does one whose rule raises ``NoBatchRule`` for what it is given.
"""

from __future__ import annotations

from typing import Any, Protocol

from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, Dim


class NoBatchRule(Exception):  # noqa: N818 - a request, not an error: the op runs once a lane
    """An op has no batch rule for these operands."""


class Lanes(Protocol):
    """The batch and the operands of an op: which have lanes, and their types without them."""

    @property
    def count(self) -> Value | int: ...

    @property
    def dim(self) -> Dim: ...

    @property
    def has(self) -> tuple[bool, ...]: ...

    @property
    def types(self) -> tuple[ArrayType, ...]: ...

    @property
    def empty(self) -> bool:
        """True if there may be no lane at all."""
        ...

    def aligned(self, *operands: Value) -> list[Value]:
        """The operands with axes of length 1 behind the batch's, so that they broadcast."""
        ...

    def whole(self, *operands: Value) -> list[Value]:
        """The operands, each with lanes."""
        ...

    def moved(self, x: Value, axis: int, place: int = 0) -> Value:
        """``x`` with one axis at another place."""
        ...

    def unit_axes(self, x: Value, *places: int) -> Value:
        """``x`` with axes of length 1, which stand at these places of the result."""
        ...

    def without(self, x: Value, *places: int) -> Value:
        """``x`` without axes of length 1."""
        ...

    def having(self, position: int) -> Lanes:
        """The same, once an operand has been given lanes."""
        ...

    def only(self, *positions: int) -> None:
        """Require that no other operands have lanes."""
        ...


def pointwise(b: Lanes, op: Any, *operands: Value, **attributes: Any) -> Any:
    """The rule of an op that broadcasts, or that works on the last axes."""
    return op(*b.aligned(*operands), **attributes)


def stacked(b: Lanes, op: Any, *operands: Value, **attributes: Any) -> Any:
    """The rule of an op of stacks of matrices."""
    return op(*b.whole(*operands), **attributes)


def as_it_is(b: Lanes, op: Any, x: Value, *others: Value, **attributes: Any) -> Any:
    """The rule of an op that means nothing for what has lanes."""
    b.only(0)
    return x


def over_shifted_axes(b: Lanes, op: Any, x: Value, *, axis: Any = None, **attributes: Any) -> Any:
    """The rule of a reduction: over the same axes, which come one later."""
    axes = range(b.types[0].rank) if axis is None else axis
    return op(x, axis=tuple(k + 1 for k in axes), **attributes)


def along_axis(b: Lanes, op: Any, *operands: Value, axis: int, **attributes: Any) -> Any:
    """The rule of an op along an axis of all operands."""
    return op(*b.whole(*operands), axis=axis + 1, **attributes)


def of_first(b: Lanes, op: Any, x: Value, *others: Value, axis: int, **attributes: Any) -> Any:
    """The rule of an op along an axis of the first operand; the others tell how."""
    b.only(0)
    return op(x, *others, axis=axis + 1, **attributes)
