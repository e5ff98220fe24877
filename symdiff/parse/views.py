"""Views: which of the program's arrays shares memory with an op's result, and how.

An op's result enters with the arrays that its operands were read from; an ``Array`` leaves that is
one of them, a view of one (storage and lenses), or new.
"""

from __future__ import annotations

from typing import Any

from symdiff import ops
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.ops.index import is_view
from symdiff.parse.interpreter import Interpreter, is_array
from symdiff.parse.values import Abstract, Array, Lens, ListRef


def adopt(interp: Interpreter, result: Any, arrays: dict[Value, Abstract]) -> Abstract:
    """What the program holds for an op's result: the array itself, a view of it, or a new array.

    ``arrays`` tells which of the program's arrays the operands were read from.
    """
    if isinstance(result, tuple | list):
        items = [adopt(interp, item, arrays) for item in result]
        if isinstance(result, list):
            made = ListRef()
            interp.put(made, tuple(items))
            return made
        return tuple.__new__(type(result), items)
    if not isinstance(result, Value):
        return result
    if interp.stopped:
        return interp.wrap(stopped(result))
    if not is_array(result.type):
        return result
    return _view(interp, result, arrays) or interp.wrap(result)


def stopped(value: Value) -> Value:
    """A value without derivative, inside ``no_grad``."""
    return ops.stop_gradient(value) if carries_derivative(value.type) else value


def _view(interp: Interpreter, result: Value, arrays: dict[Value, Abstract]) -> Array | None:
    lenses: list[Lens] = []
    values = [result]
    while values[-1] not in arrays:
        node = values[-1].node
        if node is None or node.op.view is None or not is_view(node):
            return None
        lenses.append(Lens.of(node))
        values.append(node.operands[0])
    source = arrays[values[-1]]
    if not isinstance(source, Array):
        return None
    for lens, shown, base in zip(lenses, values, values[1:], strict=False):
        interp.heap.remember(base, lens, shown)
    return Array(source.storage, (*source.lenses, *reversed(lenses)))


def store_whole(interp: Interpreter, target: Array, value: Value) -> None:
    """``target[...] = value``."""
    base = interp.heap.read(target)
    interp.heap.write(target, ops.index_set_of(base, value, (Ellipsis,)))


def require_room(kept: ArrayType, made: ArrayType) -> None:
    """NumPy's error where the output of a ufunc has fewer dimensions than its result."""
    if made.rank > kept.rank:
        raise ValueError(
            f"non-broadcastable output operand of {kept.rank} dimensions doesn't match the"
            f" broadcast shape of {made.rank} dimensions"
        )
