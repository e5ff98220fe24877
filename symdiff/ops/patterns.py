"""Pattern rules: of what the elements of an op's results are made.

An array of *numbers* says where each of its elements comes from (``patterns.origins``): 0 stands
for what depends on nothing, and what only moves elements moves their numbers. A rule is
``(e, op, **attributes) -> numbers``, of an op's only result: ``e`` is the ``Elements`` of the
operands, ``op`` the op itself, of which several may share a rule. Elementwise ops have the rule
that their shapes tell. What has no rule, or one that raises ``NoPattern`` for what it is given,
depends in all its elements on all elements of its operands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from symdiff.dataclass import dataclass


class NoPattern(Exception):  # noqa: N818 - a request, not an error: the result is dense
    """An op has no pattern rule for these operands."""


@dataclass(frozen=True, slots=True)
class Items:
    """The rule of an op of lists that moves their items: it is evaluated on whatever they are.

    ``moved`` are the positions of lists and items, all by default; the values of other operands,
    which tell places, have to be known.
    """

    moved: frozenset[int] | None = None


class Elements(Protocol):
    """The numbers of an op's operands, and how numbers are made of others."""

    @property
    def ids(self) -> Sequence[Any]:
        """The numbers of each operand, all 0 where its values are known; of a list, a list of those
        of its items.
        """
        ...

    def is_known(self, position: int) -> bool:
        """Return whether the values of an operand are known."""
        ...

    def value(self, position: int) -> Any:
        """The values of an operand. Raises ``NoPattern`` where they are not known."""
        ...

    def known(self, start: int) -> list[Any]:
        """The values of the operands from a position on. Raises ``NoPattern`` where one is not
        known.
        """
        ...

    def united(self, *ids: np.ndarray) -> np.ndarray:
        """What depends on all elements in the same place."""
        ...

    def united_along(self, ids: np.ndarray) -> np.ndarray:
        """What depends on all elements along the last axis."""
        ...

    def gathered(self, ids: np.ndarray, places: np.ndarray, count: int) -> np.ndarray:
        """``count`` elements, the k-th of which depends on those whose place is k."""
        ...

    def running(self, ids: np.ndarray) -> np.ndarray:
        """What depends on the elements up to each place along the last axis."""
        ...


def pointwise(e: Elements, op: Any, **attributes: Any) -> np.ndarray:
    """The rule of an op that broadcasts."""
    return e.united(*e.ids)


def as_it_is(e: Elements, op: Any, **attributes: Any) -> np.ndarray:
    """The rule of an op whose elements are each of those of the first operand."""
    return e.ids[0]  # type: ignore[no-any-return]


def moved(e: Elements, op: Any, **attributes: Any) -> np.ndarray:
    """The rule of an op that moves the elements of its first operand, as the others tell."""
    return _numbers(op.evaluate(e.ids[0], *e.known(1), **attributes))


def joined(e: Elements, op: Any, **attributes: Any) -> np.ndarray:
    """The rule of an op that moves the elements of all operands."""
    return _numbers(op.evaluate(*e.ids, **attributes))


def over_axes(
    e: Elements, op: Any, *, axis: Any = None, keepdims: bool = False, **attributes: Any
) -> np.ndarray:
    """The rule of a reduction of one operand."""
    (ids,) = e.ids
    axes = range(ids.ndim) if axis is None else np.atleast_1d(axis) % max(ids.ndim, 1)
    gone = tuple(int(k) for k in axes)
    made = united_over(e, ids, gone)
    return np.expand_dims(made, gone) if keepdims else made


def united_over(e: Elements, ids: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """What depends on all elements over some axes."""
    kept = [k for k in range(ids.ndim) if k not in axes]
    shape = *(ids.shape[k] for k in kept), math.prod(ids.shape[k] for k in axes)
    return e.united_along(ids.transpose(*kept, *axes).reshape(shape))


def along_axis(e: Elements, op: Any, *, axis: int, **attributes: Any) -> np.ndarray:
    """The rule of an op that mixes the elements along an axis of its only operand."""
    if len(e.ids) > 1:
        raise NoPattern
    line = np.expand_dims(e.united_along(np.moveaxis(e.ids[0], axis, -1)), axis)
    return np.broadcast_to(line, e.ids[0].shape)


def running_along(e: Elements, op: Any, *, axis: int, **attributes: Any) -> np.ndarray:
    """The rule of an op whose elements depend on those before along an axis."""
    return np.moveaxis(e.running(np.moveaxis(e.ids[0], axis, -1)), -1, axis)


def product(e: Elements, op: Any, **attributes: Any) -> np.ndarray:
    """The rule of ``matmul``: a row of the first with a column of the second."""
    a, b = e.ids
    rows = e.united_along(a)
    columns = e.united_along(b if b.ndim == 1 else np.swapaxes(b, -1, -2))
    if a.ndim == 1 or b.ndim == 1:
        return e.united(rows, columns)
    return e.united(rows[..., :, None], columns[..., None, :])


def _numbers(made: Any) -> np.ndarray:
    """What has moved. Raises ``NoPattern`` where it was rounded to another type."""
    numbers = np.asarray(made)
    if numbers.dtype != np.int64:
        raise NoPattern
    return numbers
