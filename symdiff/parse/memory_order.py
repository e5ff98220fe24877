"""How the program's arrays lie in memory, as far as it is known when they are staged.

An IR value enters, the layout leaves that the array has in the user's program. Inputs lie as the
signature fixes it; where it does not, their paths are the causes of what is not known.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.control import LoopView, cond, in_arms, loop, undefined
from symdiff.ir.graph import Node, Value
from symdiff.ir.signature import LAYOUT, Path
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import FUNCTIONS, METHODS, array_type, static
from symdiff.ops.memory_order import keeps_order, layout_of_result, needs_operands, reshape_verdict
from symdiff.ops.strides import Layout, Product, is_packed, met
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Conflict, ConflictRead


def layout_of(interp: Interpreter, value: Value) -> Layout:
    """The layout of an array; found once."""
    found = interp.layouts
    pending, entered = [value], set[Value]()
    while pending:
        current = pending[-1]
        if current not in found:
            missing = [v for v in _sources(interp, current) if v not in found]
            if missing and current not in entered:
                entered.add(current)
                pending.extend(missing)
                continue
            found[current] = _made(interp, current)
        pending.pop()
    return found[value]


def laid_like(interp: Interpreter, value: Value, other: Value) -> Layout:
    """The layout of another array that lies as one does; its sizes may have other names."""
    layout, shape = layout_of(interp, value), array_type(value).shape
    if array_type(other).shape == shape:
        return layout
    packed = is_packed(layout, shape, "C", interp.products)
    return Layout.packed(array_type(other).shape) if packed else Layout.unknown(len(shape))


def layouts_wanted(interp: Interpreter, conflict: Conflict) -> tuple[Path, ...]:
    """The paths to fix so that it is known how the inputs behind a conflict lie in memory."""
    paths = {(*path, LAYOUT) for path in conflict.causes} - interp.static.keys()
    return tuple(sorted(paths, key=str))


def gives_view(interp: Interpreter, node: Node) -> bool | None:
    """Return whether a ``reshape`` gives a view, or ``contiguous`` its operand; None: it is not
    known.
    """
    base = node.operands[0]
    layout = layout_of(interp, base)
    if node.op.name == "reshape":
        return reshape_verdict(node, layout, interp.products)[0]
    return is_packed(layout, array_type(base).shape, node.attributes["order"], interp.products)


def memory_order(interp: Interpreter, value: Value) -> str | None:
    """Return whether an array fills its memory, by rows (``C``) or by columns (``F``).

    :raises ConflictRead: where that is not known, and may be fixed.
    """
    layout, shape = layout_of(interp, value), array_type(value).shape
    found = {order: is_packed(layout, shape, order, interp.products) for order in _ORDERS}
    for order, packed in found.items():
        if packed:
            return order
    if None in found.values():
        raise _not_known(interp, layout)
    return None


def fills_memory(interp: Interpreter, value: Value, order: Literal["C", "F"]) -> bool:
    """Return whether an array, which has elements, fills its memory in an order.

    :raises ConflictRead: where that is not known, and may be fixed.
    """
    layout = layout_of(interp, value)
    packed = is_packed(layout, array_type(value).shape, order, interp.products)
    if packed is None:
        raise _not_known(interp, layout)
    return packed


def with_known_order(
    interp: Interpreter,
    lowering: Callable[..., Any],
    arguments: list[Any],
    keywords: dict[str, Any],
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call, with the order that they mean: ``"c"`` is ``"C"``, and ``"K"`` or
    ``"A"`` what an array's memory says where elements are read in that order.

    :raises ValueError: of NumPy's, where an order is none.
    """
    if lowering not in _ORDERED:
        return arguments, keywords
    try:
        bound = inspect.signature(lowering).bind(*arguments, **keywords)
    except TypeError:  # the call itself says so
        return arguments, keywords
    given = static(bound.arguments.get("order"))
    if not isinstance(given, str):
        return arguments, keywords
    order = _letter(given, lowering)
    if (order == "A" and lowering not in _LIKE) or (order == "K" and lowering in _FLATTENING):
        array = next(iter(bound.arguments.values()))
        order = _order_meant(interp, array, order, lowering in _RESHAPING)
    bound.arguments["order"] = order
    return list(bound.args), bound.kwargs


def _letter(order: str, lowering: Callable[..., Any]) -> str:
    """An order as NumPy has it in its documentation; its error where it takes no such."""
    letter = order.upper()
    if letter not in {"C", "F", "A", "K"}:
        raise rejection(ValueError, f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if letter in {"A", "K"} and lowering in _MAKING:
        raise rejection(ValueError, "only 'C' or 'F' order is permitted")
    if letter == "K" and lowering in _RESHAPING:
        raise rejection(ValueError, "order 'K' is not permitted for reshaping")
    return letter


def _order_meant(interp: Interpreter, array: Any, order: str, twice: bool) -> str:
    """The order that ``"A"`` or ``"K"`` means; ``twice``: elements are read and written in it.

    One that is read only may be either where the elements lie in a line.
    """
    if not isinstance(array, Value) or not isinstance(array.type, ArrayType):
        return "C"  # a list, of which an array is made
    if array.type.rank < 2:
        return "C"
    if twice and fills_memory(interp, array, "C"):
        return "C"
    return memory_order(interp, array) or ("C" if order == "A" else order)


_FLATTENING = frozenset((FUNCTIONS[np.ravel], METHODS["flatten"]))
_RESHAPING = frozenset((FUNCTIONS[np.reshape], METHODS["reshape"]))
_MAKING = frozenset(
    FUNCTIONS[made]
    for made in (
        np.zeros, np.ones, np.empty, np.full, np.eye, np.unravel_index, np.ravel_multi_index,
    )
)  # fmt: skip
_COPYING = frozenset((FUNCTIONS[np.copy], METHODS["copy"], METHODS["astype"], FUNCTIONS[np.array]))
_LIKE = frozenset(
    FUNCTIONS[like]
    for like in (np.asarray, np.zeros_like, np.ones_like, np.empty_like, np.full_like)
)
_ORDERED = _FLATTENING | _RESHAPING | _MAKING | _COPYING | _LIKE


def _not_known(interp: Interpreter, layout: Layout) -> ConflictRead:
    reason = "how this array lies in memory decides what is computed, and it is not known"
    hint = "copy it before: np.array(x, order='C')"
    causes = layout.causes
    return ConflictRead(
        Conflict("x", reason, interp.span, by_layout=True, causes=causes, hint=hint)
    )


_ORDERS: tuple[Literal["C", "F"], ...] = ("C", "F")


def lies_as(interp: Interpreter, value: Value, base: Value) -> bool:
    """Return whether a new array lies in memory as ``base``, of its shape, does, wherever that
    lies.
    """
    shape = array_type(base).shape
    pending, seen = [value], {base}
    while pending:
        current = pending.pop()
        if current in seen or _is_line(current):
            continue
        seen.add(current)
        node = current.node
        if node is None or not keeps_order(node) or array_type(current).shape != shape:
            break
        pending.extend(node.operands)
    else:
        return True
    layouts = [layout_of(interp, array).strides for array in (value, base)]
    return layouts[0] == layouts[1] and None not in layouts[0]


def _is_line(value: Value) -> bool:
    """Return whether all elements lie along one axis, or there is but one: no order but one."""
    type_ = value.type
    return not isinstance(type_, ArrayType) or sum(dim != 1 for dim in type_.shape) < 2


def _sources(interp: Interpreter, value: Value) -> tuple[Value, ...]:
    """The values whose layouts tell that of a value."""
    laid = interp.heap.laid.get(value)
    if laid is not None:
        return laid
    node = value.node
    if node is None:
        return ()
    if node.op is cond:
        return tuple(v for v in in_arms(value) if v.node is None or v.node.op is not undefined)
    if node.op is loop:
        view = LoopView(node)
        finals = view.finals
        return (view.carries[finals.index(value)],) if value in finals else ()
    return needs_operands(node) if _is_plain(node) else ()


def _is_plain(node: Node) -> bool:
    return len(node.results) == 1 and not node.blocks


def _made(interp: Interpreter, value: Value) -> Layout:
    rank, node = array_type(value).rank, value.node
    known = [
        interp.layouts.get(source, Layout.unknown(array_type(source).rank))
        for source in _sources(interp, value)
    ]
    if value in interp.heap.laid or (node is not None and node.op in (cond, loop)):
        return met(known) if known else Layout.unknown(rank)
    if node is None:
        return _input(interp, value)
    return (
        layout_of_result(node, known, interp.products) if _is_plain(node) else Layout.unknown(rank)
    )


def _input(interp: Interpreter, value: Value) -> Layout:
    """The layout of an input of the graph; of any other parameter nothing is known."""
    type_ = array_type(value)
    if value not in interp.parameters:
        return Layout.unknown(type_.rank)
    path = interp.inputs[interp.parameters.index(value)].path
    layout = interp.static.get((*path, LAYOUT))
    if layout is None:
        return Layout.unknown(type_.rank, frozenset({path}))
    if isinstance(layout, tuple):
        return Layout(tuple(_in_elements(stride, type_.dtype) for stride in layout))
    axes = range(type_.rank)
    return Layout.packed(type_.shape, axes if layout == "C" else axes[::-1])


def _in_elements(stride: int, dtype: np.dtype) -> Product | None:
    count, rest = divmod(stride, dtype.itemsize)
    return None if rest else Product(count)
