"""Keys of arrays: what stands between the brackets, and the shape of what that selects.

A key is a tuple of entries. Static entries stand as they are (``int``, ``None``, ``Ellipsis``,
``Slice``); what is staged is a dynamic operand that ``Slot(k)`` refers to.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import rejection
from symdiff.ir.build import constant_value, is_constant
from symdiff.ir.graph import Operand, Value
from symdiff.ir.types import (
    LEAST_SYMBOLIC,
    ArrayType,
    Dim,
    Multiple,
    Size,
    least,
    may_be_one,
    shifted,
)
from symdiff.ops.declare import array_type, broadcast_shapes, dotted, literal
from symdiff.ops.fitting import fitting_length
from symdiff.ops.sizes import dim_of


@dataclass(frozen=True, slots=True)
class Slot:
    """The ``number``-th dynamic operand of an index op."""

    number: int


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice whose parts are static, absent, or dynamic operands."""

    start: int | Slot | None = None
    stop: int | Slot | None = None
    step: int | Slot | None = None


Entry = Any  # int | Slot | Slice | None | Ellipsis
Key = tuple[Entry, ...]


# Keys ---------------------------------------------------------------------------------------------


def actual_key(key: Key, dynamic: Sequence[Any]) -> tuple[Any, ...]:
    """The key that NumPy gets, from the values of the dynamic operands."""

    def part(entry: Any) -> Any:
        return dynamic[entry.number] if isinstance(entry, Slot) else entry

    return tuple(
        slice(part(e.start), part(e.stop), part(e.step)) if isinstance(e, Slice) else part(e)
        for e in key
    )


def spell_key(key: Key, dynamic: Sequence[ast.expr]) -> ast.expr:
    """The key between brackets, from the expressions of the dynamic operands."""

    def part(entry: Any) -> ast.expr:
        return _bare(dynamic[entry.number]) if isinstance(entry, Slot) else literal(entry)

    def optional(entry: Any) -> ast.expr | None:
        return None if entry is None else part(entry)

    entries: list[ast.expr] = []
    for entry in key:
        if isinstance(entry, Slice):
            parts = (optional(p) for p in (entry.start, entry.stop, entry.step))
            entries.append(ast.Slice(*parts))
        elif entry is None:
            entries.append(dotted("np.newaxis"))
        else:
            entries.append(part(entry))
    return entries[0] if len(entries) == 1 else ast.Tuple(entries, ast.Load())


def spell_argument(key: Key, dynamic: Sequence[ast.expr]) -> ast.expr:
    """The key as an argument of a function: ``(slice(None), i)`` for ``[:, i]``."""
    return _SlicesAsCalls().visit(spell_key(key, dynamic))  # type: ignore[no-any-return]


class _SlicesAsCalls(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return node  # within an index of the key, slices stay as they are

    def visit_Slice(self, node: ast.Slice) -> ast.expr:
        none = ast.Constant(None)
        parts = [node.lower or none, node.upper or none, *([node.step] if node.step else [])]
        bare = parts[1:] if parts[0] is none and len(parts) == 2 else parts
        return ast.Call(ast.Name("slice", ast.Load()), bare, [])


def _bare(entry: ast.expr) -> ast.expr:
    """``[0, 2]`` for ``np.array([0, 2])``: between brackets they mean the same."""
    made = isinstance(entry, ast.Call) and ast.unparse(entry.func) == "np.array"
    if isinstance(entry, ast.Call) and made and not entry.keywords:
        return entry.args[0] if isinstance(entry.args[0], ast.List) else entry
    return entry


def is_basic(key: Key, dynamic: Sequence[Value]) -> bool:
    """Return whether the key selects a view: no arrays in it, and no truths, which are masks."""
    kinds = (array_type(dynamic[entry.number]) for entry in key if isinstance(entry, Slot))
    return all(t.kind != "array" and t.dtype.kind != "b" for t in kinds)


# The shape of a region ----------------------------------------------------------------------------


def region_shape(x: ArrayType, key: Key, dynamic: Sequence[Value]) -> tuple[Dim, ...]:
    """The shape of ``x[key]``. Raises ``IndexError`` where there are too many indices."""
    return _Region(x, key, dynamic).shape()


def region_slices(x: ArrayType, key: Key, dynamic: Sequence[Value]) -> list[tuple[Dim, Slice, Dim]]:
    """The length of an axis, the slice of it, and how many elements that selects, for each."""
    region = _Region(x, key, dynamic)
    region.shape()
    return region.slices


class _Region:
    """One walk over a key: dimensions of the basic entries, and the group of advanced ones."""

    def __init__(self, x: ArrayType, key: Key, dynamic: Sequence[Value]) -> None:
        self.x, self.key, self.dynamic = x, key, dynamic
        self.dims: list[Dim] = []
        self.advanced: list[tuple[Dim, ...]] = []
        self.place = 0  # where the advanced dimensions go
        self.groups = 0  # runs of neighbouring advanced entries
        self.adjacent = False
        self.axis = 0
        self.slices: list[tuple[Dim, Slice, Dim]] = []

    def shape(self) -> tuple[Dim, ...]:
        free = self.x.rank - sum(self.consumed(entry) for entry in self.key)
        if free < 0:
            raise rejection(
                IndexError,
                f"too many indices for array: array is {self.x.rank}-dimensional, "
                f"but {self.x.rank - free} were indexed",
            )
        arrays = any(self.is_array(entry) for entry in self.key)
        for entry in self.key:
            self.visit(entry, free, arrays)
        if Ellipsis not in self.key:
            self.skip(free)
        group = broadcast_shapes(*self.advanced) if self.advanced else ()
        place = self.place if self.groups == 1 else 0
        return (*self.dims[:place], *group, *self.dims[place:])

    def is_array(self, entry: Entry) -> bool:
        if not isinstance(entry, Slot):
            return False
        type_ = array_type(self.dynamic[entry.number])
        return type_.rank > 0 or type_.dtype.kind == "b"

    def consumed(self, entry: Entry) -> int:
        """How many axes an entry speaks of."""
        if entry is None or entry is Ellipsis:
            return 0
        if isinstance(entry, Slot):
            type_ = array_type(self.dynamic[entry.number])
            return type_.rank if type_.dtype.kind == "b" else 1
        return 1

    def skip(self, axes: int) -> None:
        self.dims.extend(self.x.shape[self.axis : self.axis + axes])
        self.axis += axes

    def visit(self, entry: Entry, free: int, arrays: bool) -> None:
        if isinstance(entry, int | Slot):
            if arrays:
                self.join(entry)
            self.axis += self.consumed(entry)
            return
        self.adjacent = False
        if entry is None:
            self.dims.append(1)
        elif entry is Ellipsis:
            self.skip(free)
        else:
            self.dims.append(self.sliced(entry))
            self.axis += 1

    def join(self, entry: int | Slot) -> None:
        """An advanced entry: integers count as such beside arrays."""
        if not self.adjacent:
            self.groups += 1
            self.place = len(self.dims)
        self.adjacent = True
        self.advanced.append(() if isinstance(entry, int) else self.indices(entry))

    def indices(self, slot: Slot) -> tuple[Dim, ...]:
        value = self.dynamic[slot.number]
        type_ = array_type(value)
        if type_.dtype.kind != "b":
            return type_.shape
        known = known_array(value)
        if known is not None:
            return (int(np.count_nonzero(known)),)
        return (Size(f"count(%{value.number})", open=True),)

    def sliced(self, entry: Slice) -> Dim:
        start, stop, step = (self.bound(p) for p in (entry.start, entry.stop, entry.step))
        whole = self.x.shape[self.axis]
        made = slice_dim(whole, start, stop, step)
        if isinstance(made, Size) and made.open and step in (None, 1):
            fitting = fitting_length(whole, self.place_of(entry.start), self.place_of(entry.stop))
            made = made if fitting is None else fitting
        self.slices.append((whole, entry, made))
        return made

    def place_of(self, part: int | Slot | None) -> Operand | None:
        return self.dynamic[part.number] if isinstance(part, Slot) else part

    def bound(self, part: int | Slot | None) -> Dim | None:
        return dim_of(self.dynamic[part.number]) if isinstance(part, Slot) else part


def slice_dim(dim: Dim, start: Dim | None, stop: Dim | None, step: Dim | None) -> Dim:
    """How many elements ``start:stop:step`` selects of ``dim``."""
    if not isinstance(dim, int):
        return _symbolic_slice(dim, start, stop, step)
    if any(isinstance(part, Size) for part in (start, stop, step)):
        return _unknown_slice(dim, start, stop, step)
    return len(range(*slice(start, stop, step).indices(dim)))


def _symbolic_slice(dim: Size, start: Dim | None, stop: Dim | None, step: Dim | None) -> Dim:
    if step == -1:
        first, last = _end(dim, start, "end", -1), _end(dim, stop, "zero", -1)
        if first and last and (first[0], last[0]) == ("end", "zero") and first[1] < 0:
            return shifted(dim, first[1] - last[1])
    if step in (None, 1):
        low_end, high_end = _end(dim, start, "zero", 0), _end(dim, stop, "end", 0)
        found = _between(dim, low_end, high_end) if low_end and high_end else None
        found = _of_one_size(dim, start, stop) if found is None else found
        if found is not None or (low_end and high_end):
            return _unknown_slice(dim, start, stop, None) if found is None else found
    return _unknown_slice(dim, start, stop, step)


def _of_one_size(dim: Size, start: Dim | None, stop: Dim | None) -> Dim | None:
    """How many elements ``start:stop`` selects where all are multiples of one size and numbers;
    None where they are not, or where the size decides which is the least.
    """
    whole = Multiple.of(dim)
    if dim.open or whole.least < 0:
        return None
    low, high = _place(whole, 0 if start is None else start), _place(whole, stop)
    if low is None or high is None:
        return None
    factor, offset = high[0] - low[0], high[1] - low[1]
    if factor >= 0 and LEAST_SYMBOLIC * factor + offset >= 0:
        return Multiple(factor, whole.symbol, offset).size if factor else offset
    return 0 if factor <= 0 and LEAST_SYMBOLIC * factor + offset <= 0 else None


def _place(whole: Multiple, part: Dim | None) -> tuple[int, int] | None:
    """Where a bound is on an axis, as a factor of the axis's size and an offset."""
    end = whole.factor, whole.offset
    if part is None:
        return end
    if isinstance(part, int):
        place = (0, part) if part >= 0 else (end[0], end[1] + part)
    else:
        known = Multiple.of(part)
        if part.open or known.symbol != whole.symbol:
            return None
        place = known.factor, known.offset
    if place[0] < 0 or LEAST_SYMBOLIC * place[0] + place[1] < 0:
        return None
    factor, offset = end[0] - place[0], end[1] - place[1]
    if factor >= 0 and LEAST_SYMBOLIC * factor + offset >= 0:
        return place
    return end if factor <= 0 and LEAST_SYMBOLIC * factor + offset <= 0 else None


def _end(dim: Size, part: Dim | None, default: str, offset: int) -> tuple[str, int] | None:
    """A bound as a distance from 0 or from the end, or None where it is neither.

    One that is computed, as ``len(x) - 3``, is negative where there are fewer elements, and then
    counts from the end once more: that leaves as many as there would be only near the end.
    """
    if part is None:
        return default, offset
    if isinstance(part, int):
        return ("zero", part) if part >= 0 else ("end", part)
    beyond = dim.offset - part.offset
    if part.symbol == dim.symbol and 0 <= beyond <= max(least(dim), 2 + offset):
        return "end", -beyond
    return None


def _between(dim: Size, low: tuple[str, int], high: tuple[str, int]) -> Dim | None:
    if low[0] == "zero" and high[0] == "end":
        return shifted(dim, high[1] - low[1])
    if low[0] == high[0] and high[1] <= low[1]:
        return 0
    if low == ("zero", 0) or (high == ("end", 0) and low[0] == "end"):
        length = abs(high[1] - low[1])  # the first or last few, or all where there are fewer
        if length <= least(dim):
            return length
        return Size(f"min({length},{dim})", 0, open=length == 1 or may_be_one(dim))
    return None


def _unknown_slice(dim: Dim, start: Dim | None, stop: Dim | None, step: Dim | None) -> Size:
    parts = (str("" if part is None else part) for part in (start, stop, step))
    return Size(f"[{':'.join(parts)}]({dim})", open=True)


def renumbered(entry: Any, by: int) -> Any:
    """An entry of a key whose operands stand behind ``by`` others."""
    if isinstance(entry, Slot):
        return Slot(entry.number + by)
    if isinstance(entry, Slice):
        return Slice(*(renumbered(part, by) for part in (entry.start, entry.stop, entry.step)))
    return entry


def known_array(value: Value) -> np.ndarray | None:
    """The array that a value is known to be: a constant, or made of constants."""
    if value.node is None:
        return None
    if is_constant(value):
        return np.asarray(constant_value(value))
    if value.node.op.name != "array" or value.node.op.evaluate is None:
        return None
    if not all(map(is_constant, value.node.operands)):
        return None
    numbers = map(constant_value, value.node.operands)
    return np.asarray(value.node.op.evaluate(*numbers, **value.node.attributes))
