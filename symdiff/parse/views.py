"""Views: which of the program's arrays shares memory with an op's result, and how.

An op's result enters with the arrays that its operands were read from; an ``Array`` leaves that is
one of them, a view of one (storage and lenses), or new. Where NumPy makes a view or a copy, as the
memory lies, ``parse.memory_order`` tells which; where it cannot, only a write asks for an answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.control import CALLS, cond, in_arms
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.ops.declare import FUNCTIONS, DeclaredOp
from symdiff.ops.defined import library_call
from symdiff.ops.effects import check_writeable, opaque_call, stop_gradient
from symdiff.ops.index import index_set_of, is_view
from symdiff.ops.shape import broadcast_to, contiguous, copy
from symdiff.ops.sizes import product, sizes_of
from symdiff.parse.heap import Location, is_array, is_callers, is_read_only, is_writable
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.memory_order import gives_view, layout_of
from symdiff.parse.values import Abstract, Array, Conflict, Lens, Storage


def adopt(interp: Interpreter, result: Any, arrays: dict[Value, Abstract]) -> Abstract:
    """What the program holds for an op's result: the array itself, a view of it, or a new array.

    ``arrays`` tells which of the program's arrays the operands were read from.
    """
    if isinstance(result, (tuple, list)):
        items = [adopt(interp, item, arrays) for item in result]
        if isinstance(result, list):
            return interp.new_list(tuple(items))
        return tuple.__new__(type(result), items)
    if not isinstance(result, Value):
        return result
    _require_arrays(interp, result, arrays)
    if not is_array(result.type):
        return stopped(result) if interp.stopped else result
    view = _view(interp, result, arrays)
    if interp.stopped and view is not None:
        return with_other_derivative(interp, view, stopped(result))
    return view or interp.heap.allocate(stopped(result) if interp.stopped else result)


def with_other_derivative(interp: Interpreter, array: Array, value: Value) -> Array:
    """An array in the memory of another one, of whose elements the derivatives differ.

    Where one of the two is written, the derivatives of the other are not known any more.
    """
    made = interp.heap.allocate(value)
    _note_shared(interp, array, made, in_the_memory_of(interp, array.storage))
    return made


def in_the_memory_of(interp: Interpreter, location: Location) -> Conflict:
    """What to say where something is written that lies elsewhere too, with other derivatives."""
    name = getattr(location, "name", None) or "x"
    reason = f"this is in the memory of '{name}' with other derivatives, and one of them is written"
    return Conflict(name, reason, interp.span, True, hint=f"copy it before: {name}.copy()")


def _require_arrays(interp: Interpreter, result: Value, arrays: dict[Value, Abstract]) -> None:
    """Refuse what gives an array for an array, and a view of it, where it may be a number."""
    node = result.node
    kept = node is not None and (node.op.view is not None or node.op is copy)
    for value in (result, *(node.operands[:1] if node is not None and kept else ())):
        interp.heap.require_array(arrays.get(value))


def stopped(value: Value) -> Value:
    """A value without derivative, inside ``no_grad``."""
    return stop_gradient(value) if carries_derivative(value.type) else value


def _view(interp: Interpreter, result: Value, arrays: dict[Value, Abstract]) -> Array | None:
    chain: list[Node] = []
    value, repeated = result, False
    while value not in arrays:
        node = value.node
        if node is None or node.op.view is None or not is_view(node):
            break
        chain.append(node)
        repeated = repeated or node.op is broadcast_to
        value = node.operands[0]
    held = arrays.get(value)
    if held is None and repeated:  # nobody else has that memory, but it cannot be written either
        held = interp.heap.allocate(value if is_array(value.type) else FUNCTIONS[np.array](value))
    if not isinstance(held, Array):
        return None
    for node in reversed(chain):
        shares = node.op.name not in MAY_COPY or gives_view(interp, node)
        if not shares:  # nobody else has the memory of what follows
            made = interp.heap.allocate(result)
            if shares is None:
                _relate(interp, held, made, node)
            return made
        if node.op is not contiguous:
            held = seen_through(interp, held, node)
    return held


MAY_COPY = frozenset({"reshape", "contiguous"})


def seen_through(interp: Interpreter, array: Array, node: Node, *, is_flat: bool = False) -> Array:
    """The view of an array that a node gives."""
    lens = Lens.of(node, is_flat=is_flat)
    interp.heap.views[interp.heap.read(array), lens] = node.result
    return Array(array.storage, (*array.lenses, lens))


def _relate(interp: Interpreter, array: Array, made: Array, node: Node) -> None:
    """Note what is a view or a copy by how memory lies: either is lost when the other is written.

    What the layout depends on is fixed then: of inputs, and sizes.
    """
    base = node.operands[0]
    name = array.storage.name or "x"
    whole = interp.heap.contents[array.storage]
    sizes = product((*sizes_of(whole), *sizes_of(base)))
    conflict = Conflict(
        name,
        f"how '{name}' lies in memory decides whether this is a view or a copy of it, and one of"
        " the two is written afterwards",
        interp.span,
        aliasing=True,
        predicate=sizes if isinstance(sizes, Value) else None,
        by_layout=True,
        causes=layout_of(interp, base).causes,
        hint=f"copy it before: {name}.copy()",
    )
    _note_shared(interp, array, made, conflict)


def note_in_memory(interp: Interpreter, array: Array, made: Array) -> None:
    """Note that an array lies in the memory of another one, in an order of its own."""
    name = array.storage.name or "x"
    reason = f"this is in the memory of '{name}', and one of the two is written afterwards"
    hint = f"copy it before: {name}.copy()"
    _note_shared(interp, array, made, Conflict(name, reason, interp.span, True, hint=hint))


def _note_shared(interp: Interpreter, array: Array, made: Array, conflict: Conflict) -> None:
    for location in interp.heap.possible(array.storage):
        interp.heap.relate(made.storage, location, conflict)


def is_writeable(interp: Interpreter, array: Array) -> bool | None:
    """Return whether an array can be written; None where only a run tells: what calls (of a
    library, too) or loops give, or the caller's once it was written. Before, the program asks, and
    takes none that cannot be.
    """
    heap = interp.heap
    places = [*heap.possible(array.storage)]
    given = {place: _given(interp, place) for place in places if is_callers(place)}
    changed = any(heap.contents.get(place, value) is not value for place, value in given.items())
    if changed or any(place in heap.frozen for place in places):
        return None
    made = _made(heap.levels(array)[0])
    if any(value not in given.values() and not _is_new(value) for value in made):
        return None
    if any(map(is_read_only, array.lenses)):
        return False
    if not all(map(is_writable, array.lenses)):
        return None
    for value in made:
        if value in given.values():
            check_writeable(value)
    return True


def _made(value: Value) -> list[Value]:
    """What an array is, or a view or a copy of, in each arm of the branches that give it."""
    found, pending = dict[Value, None](), [value]
    while pending:
        one = pending.pop()
        node = one.node
        if node is not None and node.op is cond:
            pending.extend(v for v in in_arms(one) if v not in found)
        elif node is not None and (node.op is contiguous or _is_written_through(node)):
            pending.append(node.operands[0])
        else:
            found[one] = None
    return list(found)


def _is_written_through(node: Node) -> bool:
    """Return whether a node gives a view that can be written where its operand can."""
    return is_view(node) and is_writable(Lens.of(node))


def _is_new(value: Value) -> bool:
    """Return whether an operation has made an array, in memory that nobody else has."""
    node = value.node
    if node is None or node.op.effect or node.blocks or is_view(node):
        return False
    return isinstance(node.op, DeclaredOp) and node.op not in (opaque_call, library_call, *CALLS)


def _given(interp: Interpreter, place: Location) -> Value | None:
    """The array that the program is given in a place, where that is known."""
    origin = place.origin if isinstance(place, Storage) else None
    if origin is None or origin >= len(interp.parameters):
        return None
    return interp.parameters[origin]


def store_whole(interp: Interpreter, target: Array, value: Value) -> None:
    """``target[...] = value``."""
    interp.heap.require_array(target)
    base = interp.heap.read(target)
    interp.heap.write(target, index_set_of(base, value, (Ellipsis,)))


def require_room(kept: ArrayType, made: ArrayType) -> None:
    """NumPy's error where the output of a ufunc has fewer dimensions than its result."""
    if made.rank > kept.rank:
        raise rejection(
            ValueError,
            f"non-broadcastable output operand of {kept.rank} dimensions doesn't match the"
            f" broadcast shape of {made.rank} dimensions",
        )
