"""Sizes that are read where they are known: a number, an input's size, a length given before.

In programs with derivatives ``size(x, axis)`` of a value made late becomes the size of an input, so
that zeros of a cotangent do not wait for the value, and the value is not kept for its shape. The
lengths of ranges and the elements of ranges fold where they start at 0 and go on by 1.
"""

from __future__ import annotations

from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import FLOAT, ArrayType
from symdiff.ops.casts import python_float
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.facts import is_length, made_by, shape_of
from symdiff.ops.lists import list_filled, list_length
from symdiff.ops.sizes import constant_integer, size
from symdiff.optimise.facts import is_number
from symdiff.optimise.rewriting import OnDerivatives, Rewriter, Rules, apply


def canonical_size(node: Node, rewriter: Rewriter) -> Value | None:
    x = node.operands[0]
    if len(shape_of(x)) <= node.attributes["axis"]:
        return None
    dim = shape_of(x)[node.attributes["axis"]]
    if isinstance(dim, int):
        return rewriter.constant(dim)
    if rewriter.is_input(x) or not rewriter.has_derivatives:
        return None
    if rewriter.is_part_of_input(x):
        return None
    return rewriter.early_length(dim)


def size_of_operand(node: Node, rewriter: Rewriter) -> Value | None:
    """Of an elementwise result: as long as the operand it has the dimension from."""
    x, axis = node.operands[0], node.attributes["axis"]
    made = x.node
    if made is None or not isinstance(made.op, DeclaredOp) or not made.op.elementwise:
        return None
    if not rewriter.has_derivatives:
        return None
    for operand in made.operands:
        shape = shape_of(operand)
        if len(shape) == len(shape_of(x)) and shape[axis] == shape_of(x)[axis]:
            return rewriter.emit(size, (operand,), {"axis": axis}).result
    return None


def length_of_stack(node: Node, rewriter: Rewriter) -> Value | None:
    """``np.array(items).shape[0]`` as ``len(items)``."""
    stacked = made_by(node.operands[0], "list_stack")
    if stacked is None or node.attributes["axis"] != 0:
        return None
    return apply(list_length, stacked.operands[0])


def rows_of_number(node: Node, rewriter: Rewriter) -> Value | None:
    """``np.broadcast_to(x, n).tolist()`` of a number as ``[x] * n``."""
    spread = made_by(node.operands[0], "broadcast_to")
    type_ = node.attributes["type"]
    if spread is None or len(spread.operands) != 2 or type_.element != FLOAT:
        return None
    x, count = spread.operands
    if array_type(x).shape:
        return None
    number = x if array_type(x) == FLOAT else apply(python_float, x)
    return apply(list_filled, number, count, type=type_)


def element_of_uniform_list(node: Node, rewriter: Rewriter) -> Value | None:
    """An element of ``[x] * n``, or of what is left of it after some were taken away."""
    items = node.operands[0]
    filled = made_by(items, "list_filled")
    if filled is not None:
        return filled.operands[0]
    rewriter.asked = True
    return rewriter.uniform.get(items)


def length_of_grown_list(node: Node, rewriter: Rewriter) -> Value | None:
    """Of a list to which each turn of a loop adds one: how many turns there were."""
    items = node.operands[0]
    if items.node is None or items.node.op is not loop:
        return None
    view = LoopView(items.node)
    if items not in view.finals:
        return None
    k = view.finals.index(items)
    pushed = made_by(view.next_carries[k], "list_push")
    if pushed is None or pushed.operands[0] is not view.carries[k]:
        return None
    begun = made_by(view.initial[k], "list_new")
    if begun is None:
        return apply(list_length, view.initial[k]) + view.turns
    return view.turns + len(begun.operands) if begun.operands else view.turns


def length_of_range(node: Node, rewriter: Rewriter) -> Value | None:
    start, stop, step = node.operands
    counts = is_number(start, 0) and is_number(step, 1) and is_length(stop)
    return stop if counts else None


def element_of_range(node: Node, rewriter: Rewriter) -> Value | None:
    start, step, k = node.operands
    if constant_integer(step) != 1:
        return None
    return k if constant_integer(start) == 0 else k + start


def compared_with_itself(node: Node, rewriter: Rewriter) -> Value | None:
    """Of an integer of Python's, such as a length that is asked for twice."""
    x, y = node.operands
    type_ = x.type
    if x is not y or not isinstance(type_, ArrayType) or type_.kind != "python":
        return None
    return rewriter.constant(node.op.name in _OF_EQUALS) if type_.dtype.kind == "i" else None


_OF_EQUALS = ("equal", "less_equal", "greater_equal")

SIZES: Rules = {
    **dict.fromkeys((*_OF_EQUALS, "not_equal", "less", "greater"), (compared_with_itself,)),
    "size": (canonical_size, size_of_operand, length_of_stack),
    "list_unstack": (rows_of_number,),
    "list_get": (OnDerivatives(element_of_uniform_list),),
    "list_length": (OnDerivatives(length_of_grown_list),),
    "range_length": (length_of_range,),
    "range_element": (element_of_range,),
}
