"""Stacks of rows or columns: a loop that runs something from one unit vector after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdiff.ir.build import Builder, builder, building, marked
from symdiff.ir.control import LoopView, emit_loop
from symdiff.ir.graph import Block, Value
from symdiff.ir.types import INT, ArrayType
from symdiff.ops.creation import ones, zeros
from symdiff.ops.index import index_set_of
from symdiff.ops.reduce import reshape_like
from symdiff.ops.shape import reshape
from symdiff.ops.sizes import dim_of, product, sizes_of


def rows_of(
    over: Value, of: Sequence[Value], row: Callable[[Value], list[Value]], *, columns: bool = False
) -> list[Value]:
    """For each value a stack of rows, one an element of ``over``, of shape over + value; or of
    columns, of shape value + over.
    """
    if _rank(over) == 0:
        return row(unit_of(over))
    count = product(sizes_of(over))
    initial = [stack_of_zeros(count, value, columns) for value in of]
    stacks = _loop_of_rows(over, initial, row, columns)
    return [
        reshaped(stack, *((value, over) if columns else (over, value)), flat=over)
        for stack, value in zip(stacks, of, strict=True)
    ]


def _loop_of_rows(
    over: Value, initial: Sequence[Value], row: Callable[[Value], list[Value]], columns: bool
) -> tuple[Value, ...]:
    turn = Value(INT, None, "k")
    count = product(sizes_of(over))
    stacks = tuple(
        Value(v.type, None, "columns" if columns and _rank(v) > 1 else "rows") for v in initial
    )
    with building(Builder()) as body:
        with marked(role="cotangent"):
            flat = zeros(count, shape=(dim_of(count),), dtype=_array(over).dtype)
            seed = index_set_of(flat, 1.0, turn)
            flat.name = seed.name = "unit"
            seed = seed if _rank(over) == 1 else reshape_like(seed, over)
        made = row(seed)
        stored = [
            index_set_of(s, r, (*[slice(None)] * (_rank(s) - 1), turn) if columns else turn)
            for s, r in zip(stacks, made, strict=True)
        ]
    loop = emit_loop(
        builder().value(count), initial, (), Block((turn, *stacks), body.nodes, tuple(stored))
    )
    return LoopView(loop).finals


def stack_of_zeros(count: Value | int, row: Value, columns: bool) -> Value:
    """Zeros for as many rows, or columns, like ``row``."""
    type_, sizes = _array(row), sizes_of(row)
    sizes = (*sizes, count) if columns else (count, *sizes)
    shape = tuple(map(dim_of, sizes))
    return zeros(*sizes, shape=shape, dtype=type_.dtype)


def reshaped(stack: Value, first: Value, second: Value, *, flat: Value) -> Value:
    """Rows or columns, one for each element of ``flat``, in the shape first + second."""
    if _rank(flat) == 1:
        return stack
    shape = (*_array(first).shape, *_array(second).shape)
    sizes = (*sizes_of(first), *sizes_of(second))
    return reshape(stack, *sizes, shape=shape)


def _array(value: Value) -> ArrayType:
    assert isinstance(value.type, ArrayType)
    return value.type


def _rank(value: Value) -> int:
    return _array(value).rank


def unit_of(value: Value) -> Value:
    """The number 1 in the type of a value of rank 0."""
    type_ = _array(value)
    if type_.kind == "array":
        return ones(shape=(), dtype=type_.dtype)
    one = type_.dtype.type(1)
    return builder().constant(one.item() if type_.weak else one)
