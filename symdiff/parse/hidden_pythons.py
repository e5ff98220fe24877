"""Numbers that may be Python's at run time, and are typed as NumPy's: of these operators may raise.

``y = 1.0 if c > 2 else np.exp(c)`` is typed as NumPy's, and ``1 / y`` raises only where it is not.
An operator gives Python's number where all its operands are Python's; branches and loops give what
one of their parts gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from symdiff.ir.control import CALLS, LoopView, cond, loop
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.facts import is_python
from symdiff.ops.kinds import is_operator
from symdiff.ops.retype import retype
from symdiff.parse.interpreter import Interpreter

Parts = tuple[Callable[[Iterable[bool]], bool], Sequence[Any]]


def may_raise_as_pythons(interp: Interpreter, node: Node) -> bool:
    """Return whether an operator that raises on Python's numbers may be given nothing else, though
    the types of its operands do not say so.
    """
    declared = isinstance(node.op, DeclaredOp) and node.op.raises_on_numbers
    if not declared or node.attributes.get("ufunc") or all(map(is_python, node.operands)):
        return False
    return all(may_be_pythons(interp, operand) for operand in node.operands)


def may_be_pythons(interp: Interpreter, number: Value) -> bool:
    """Return whether a number may be one of Python's."""
    known, pending = interp.pythons, [number]
    while pending:
        value = pending[-1]
        if value in known:
            pending.pop()
            continue
        join, parts = _parts(interp, value)
        unknown = [p for p in parts if isinstance(p, Value) and p not in known]
        if unknown:
            pending += unknown
            continue
        known[value] = join(known[p] if isinstance(p, Value) else _is_number(p) for p in parts)
    return known[number]


def _parts(interp: Interpreter, value: Value) -> Parts:
    """What decides about a number, and whether any of that is enough, or all is needed."""
    node = value.node
    if is_python(value):
        return any, (0.0,)
    if not isinstance(value.type, ArrayType) or value.type.kind == "array":
        return any, ()
    if node is None:
        return any, interp.begun.get(value, ())
    if node.op is retype or is_operator(node):
        return all, node.operands
    place = node.results.index(value)
    if node.op is cond:
        return any, [arm.results[place] for arm in node.blocks]
    if node.op is loop:
        view = LoopView(node)
        carried = place < view.carry_count
        return any, [view.initial[place], view.next_carries[place]] if carried else ()
    return any, (0.0,) if node.op in CALLS and node.attributes["callee"].hides else ()


def _is_number(content: Any) -> bool:
    return isinstance(content, int | float | complex)
