"""Binding targets, and updating what they hold in place."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedSyntaxError, rejection
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops.casts import astype
from symdiff.ops.index import index_set_of
from symdiff.parse.arguments import as_array
from symdiff.parse.attributes import set_attribute
from symdiff.parse.blame import judged
from symdiff.parse.cases import of_each, told_apart
from symdiff.parse.changing import CHANGING, SETS, require_changing
from symdiff.parse.dtype_answers import note_stored
from symdiff.parse.flat import set_flat
from symdiff.parse.identity import class_of, note_class_asked
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.items import note_write, set_item, unbuffered
from symdiff.parse.memory_order import lies_as
from symdiff.parse.methods import extend
from symdiff.parse.operators import BINARY, binary
from symdiff.parse.scope import bind_name
from symdiff.parse.special import has_method
from symdiff.parse.spreading import items_taken, require_enough, unpacked
from symdiff.parse.values import Abstract, Array, DictRef, ListRef, StaticSet
from symdiff.parse.views import require_room, stopped


def assign(interp: Interpreter, target: ast.expr, value: Abstract) -> None:
    """Bind a target: a name, an attribute, an item, or a pattern of such."""
    with interp.at(target):
        if isinstance(target, ast.Name):
            bind_name(interp, target.id, value)
        elif isinstance(target, ast.Attribute):
            owner = interp.evaluate(target.value)
            interp.step(target, lambda: set_attribute(interp, owner, target.attr, value))
        elif isinstance(target, ast.Subscript):
            container = interp.evaluate(target.value)
            if _is_flat(container) and _of_one_storage(container, value):
                raise unbuffered(interp, "a.flat[key] = values.copy()")
            key = interp.evaluate(target.slice)
            change = set_flat if _is_flat(container) else set_item
            interp.step(target, lambda: change(interp, container, key, value))
        elif isinstance(target, ast.Tuple | ast.List):
            of_each(interp, partial(_unpack, interp, target), value)
        else:
            raise UnsupportedSyntaxError("an assignment to this")


def _is_flat(container: Abstract) -> bool:
    return isinstance(container, Array) and container.is_flat


def _of_one_storage(a: Abstract, b: Abstract) -> bool:
    return isinstance(a, Array) and isinstance(b, Array) and a.storage is b.storage


def _unpack(interp: Interpreter, pattern: ast.Tuple | ast.List, value: Abstract) -> None:
    targets = pattern.elts
    starred = [k for k, target in enumerate(targets) if isinstance(target, ast.Starred)]
    before = starred[0] if starred else len(targets)
    after = len(targets) - before - 1 if starred else None
    items = interp.step(pattern, lambda: items_taken(interp, value, _take_apart))
    states = interp.region_states()
    require_enough(interp, items, before, after)

    def take() -> None:
        with interp.apart():  # there are enough
            first, middle, last = unpacked(interp, items, before, after)
        for target, item in zip(targets[:before], first, strict=True):
            assign(interp, target, item)
        if starred:
            assign(interp, targets[before].value, middle)  # type: ignore[attr-defined]
        for target, item in zip(targets[before + 1 :], last, strict=True):
            assign(interp, target, item)

    if interp.may_have_raised(states):
        interp.unless_exited(partial(told_apart, interp, take, take, (pattern,)))
    else:
        take()


def _take_apart(value: Any) -> None:
    _, _ = value


IN_PLACE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    op: getattr(operator, f"i{name}") for op, (name, *_) in BINARY.items()
}


def updated(
    interp: Interpreter, op: type[ast.operator], before: Abstract, operand: Abstract
) -> Abstract:
    """``before op= operand``: arrays and lists change in place, all else gives a new value."""
    if isinstance(before, Array):
        with judged(interp, IN_PLACE[op], (before, operand)):
            _update_array(interp, op, before, operand)
        return before
    if isinstance(before, StaticSet) and op in CHANGING:
        require_changing(interp, SETS)
    name = f"__i{BINARY[op][0]}__"
    if has_method(interp, before, name):
        changed = interp.call_method(before, name, operand)
        if changed is not NotImplemented:
            return changed
    if isinstance(before, ListRef) and not before.frozen and op in (ast.Add, ast.Mult):
        return _lengthened(interp, op, before, operand)
    if isinstance(before, DictRef) and op is ast.BitOr:
        interp.call_method(before, "update", operand)
        return before
    return binary(interp, op, before, operand)


def _lengthened(
    interp: Interpreter, op: type[ast.operator], items: ListRef, operand: Abstract
) -> Abstract:
    """``items += operand``, or ``*=``: the list itself changes.

    Python asks what can add itself to a list first, as NumPy's arrays can, unless the class is one
    derived from list.
    """
    if op is ast.Mult:
        made = binary(interp, op, items, operand)
        if isinstance(made, ListRef):
            note_write(interp, items)
            interp.put(items, interp.content(made))
        return items if isinstance(made, ListRef) else made
    if items.type is list and _is_numpys(interp, operand):
        return binary(interp, op, items, operand)
    if items.type is list and has_method(interp, operand, "__radd__"):
        total = interp.call_method(operand, "__radd__", items)
        if total is not NotImplemented:
            return total
    extend(interp, items, operand)
    return items


def _is_numpys(interp: Interpreter, operand: Abstract) -> bool:
    if not isinstance(operand, Array | Value | np.generic):
        return False
    note_class_asked(interp, operand, np.generic)
    return issubclass(class_of(interp, operand), np.ndarray | np.generic)


def _update_array(
    interp: Interpreter, op: type[ast.operator], array: Array, operand: Abstract
) -> None:
    interp.heap.require_array(array)
    before = interp.heap.read(array)
    name, _, staged = BINARY[op]
    result = staged(before, as_array(interp, operand))
    kept, made = before.type, result.type
    assert isinstance(kept, ArrayType)
    assert isinstance(made, ArrayType)
    require_room(kept, made)
    note_stored(interp, before, result)
    if made.dtype != kept.dtype:
        if not np.can_cast(made.dtype, kept.dtype, "same_kind"):
            raise rejection(
                TypeError,
                f"Cannot cast ufunc '{name}' output from {made.dtype!r} to {kept.dtype!r}"
                " with casting rule 'same_kind'",
            )
        result = astype(result, dtype=kept.dtype)
    if interp.stopped:
        result = stopped(result)
    whole = made.shape == kept.shape and made.kind == "array"
    if whole and lies_as(interp, result, before):
        interp.heap.write(array, result)
    else:
        new = index_set_of(before, result, (Ellipsis,))
        interp.heap.write(array, new)
