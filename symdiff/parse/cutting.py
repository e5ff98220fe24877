"""Values without their derivative: what ``stop_gradient`` gives, and what a function marked
``nondifferentiable`` returns.

Numbers and arrays are cut off, those in lists, tuples and dicts too: these are made anew, and
neither they nor the first ones may be written afterwards, nor told apart, since to Python they are
one. What has no derivative stays what it is. Of other things nothing can be cut off: where what
they hold may have a derivative that is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import constant
from symdiff.ir.graph import FreeVariable, Value
from symdiff.ir.types import carries_derivative
from symdiff.ops.effects import stop_gradient
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.python import is_abstract
from symdiff.parse.values import Abstract, Array, Conflict, DictRef, ListRef, ObjectRef
from symdiff.parse.views import stopped, with_other_derivative

Mapped = Callable[[Abstract, Callable[[Abstract], Abstract]], Abstract]


def cut(interp: Interpreter, value: Abstract, mapped: Mapped) -> Abstract:
    """The value without its derivative; ``mapped`` makes containers anew around other items."""
    if not may_carry(interp, value):
        return value
    if isinstance(value, Array):
        return with_other_derivative(interp, value, stopped(interp.heap.read(value)))
    if isinstance(value, Value):
        return stopped(value)
    if not _is_container(interp, value):
        raise UnsupportedCallError(
            f"{describe(value)} without its derivative",
            hint="cut the numbers and arrays in it: stop_gradient(object.attribute)",
        )
    made = mapped(value, lambda item: cut(interp, item, mapped))
    conflict = _relate(interp, value, made, "cut a copy: stop_gradient(list(items))")
    for one in (value, made):
        if isinstance(one, ListRef | DictRef):
            interp.heap.keep(one, conflict)
    return made


def cut_argument(interp: Interpreter, value: Abstract, mapped: Mapped) -> Abstract:
    """The value as a function is given it that is called without derivatives. Objects stay those
    that they are; a list or a dict that may carry a derivative is another one, so where the
    function writes to it, what the first one holds is not known any more.
    """
    if not may_carry(interp, value):
        return value
    if isinstance(value, Array | Value):
        return cut(interp, value, mapped)
    made = mapped(value, lambda item: cut_argument(interp, item, mapped))
    _relate(interp, value, made, "give the function a copy, and let it return what it makes")
    return made


def _relate(interp: Interpreter, value: Abstract, made: Abstract, hint: str) -> Conflict:
    """Note that to Python a list or a dict, and the one made of it, are one."""
    name = f"a {value.type.__name__}" if isinstance(value, ListRef | DictRef) else "a tuple"
    reason = f"{name} stands with its derivative, and without, but the two are one to Python"
    conflict = Conflict(name, reason, interp.span, True, hint=hint)
    if isinstance(value, ListRef | DictRef) and isinstance(made, ListRef | DictRef):
        for location in interp.heap.possible(value):
            interp.heap.relate(made, location, conflict)
    return conflict


def _is_container(interp: Interpreter, part: Abstract) -> bool:
    """Return whether a part is a list, a tuple or a dict of known items, and nothing besides."""
    if isinstance(part, tuple):
        return True
    is_plain = isinstance(part, ListRef | DictRef) and part.own is None
    return is_plain and isinstance(interp.content(part), tuple | dict)


def may_carry(interp: Interpreter, value: Abstract) -> bool:
    """Return whether something that a value holds may have a derivative."""
    pending, seen = [value], set()
    while pending:
        part = pending.pop()
        if isinstance(part, ListRef | DictRef | ObjectRef):
            if _is_argument(part):
                return True
            if part not in seen:
                seen.add(part)
                pending.extend(_held(interp, part))
        elif isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, slice):
            pending.extend((part.start, part.stop, part.step))
        elif _is_open(interp, part):
            return True
    return False


def _is_open(interp: Interpreter, part: Abstract) -> bool:
    """Return whether a number, an array or a list may have a derivative, or what is not known."""
    value = interp.heap.read(part) if isinstance(part, Array) else part
    if not isinstance(value, Value):
        return is_abstract(value)
    if not carries_derivative(value.type):
        return False
    value = _viewed(value)
    if value.node is not None:
        return value.node.op not in (constant, stop_gradient)
    free = (at for path, at in interp.parameters_at.items() if isinstance(path[0], FreeVariable))
    return not any(value is known for each in free for known in each)


def _viewed(value: Value) -> Value:
    """What a view is one of, in the end, up to where it is cut off, or has a derivative by
    something else: a solution is a view of what was found.
    """
    node = value.node
    while node is not None and node.op.view is not None and node.op is not stop_gradient:
        base = node.operands[node.op.view]
        if any(carries_derivative(v.type) for v in node.operands if v is not base):
            break
        value, node = base, base.node
    return value


def _is_argument(ref: ListRef | DictRef | ObjectRef) -> bool:
    """Return whether an object is one that is given, whose attributes may not be read yet."""
    given = ref.path is not None and not isinstance(ref.path[0], FreeVariable)
    return given and isinstance(ref, ObjectRef)


def _held(interp: Interpreter, ref: ListRef | DictRef | ObjectRef) -> list[Any]:
    if isinstance(ref, ObjectRef):
        return list(interp.heap.held(ref).values())
    content = interp.content(ref)
    held = [*content.values()] if isinstance(content, dict) else content
    items = list(held) if isinstance(held, tuple | list) else [held]
    return items if ref.own is None else [*items, ref.own]
