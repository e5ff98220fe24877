"""Which exceptions a node may raise, its operands given.

"May raise" is said where it is not known that it cannot (``ops.facts``); a class stands for those
that inherit from it, too.
"""

from __future__ import annotations

from typing import Any

from symdiff.ir.control import CALLS
from symdiff.ir.graph import Node
from symdiff.ops.declare import DeclaredOp, Fails, fails_to_broadcast
from symdiff.ops.effects import Member, Named, opaque_call
from symdiff.ops.elementary import power
from symdiff.ops.facts import READS_AND_WRITES, is_python
from symdiff.ops.index import index
from symdiff.ops.lists import list_pop, list_set

PLACES: dict[Any, str] = {
    list_pop: "pop index out of range",
    list_set: "list assignment index out of range",
}
"""Ops that raise where a list has no item at a place, and the words of that."""


RAISED_BY_LIBRARIES = (ValueError, ArithmeticError, RuntimeError, IndexError)


def classes_raised(node: Node) -> tuple[type[BaseException], ...]:
    """The classes of what a node that may raise does; values of the wrong type are known
    beforehand.
    """
    if node.op in (opaque_call, *CALLS):
        return () if only_reports(node) else (BaseException,)
    rule = rule_of_failure(node)
    if rule is not None:
        return (rule.error,)
    if fails_to_broadcast(node) and not node.op.raises:
        return (ValueError,)
    if node.op is power and all(map(is_python, node.operands)):
        return (ArithmeticError,)
    if node.op in PLACES:
        return (IndexError,)
    if node.op.name in READS_AND_WRITES:
        return (IndexError,) if node.op is index else (IndexError, ValueError)
    return RAISED_BY_LIBRARIES


def rule_of_failure(node: Node) -> Fails | None:
    """What a node raises, and where; of arrays it is their shapes that do not broadcast."""
    rule = node.op.fails if isinstance(node.op, DeclaredOp) else None
    return None if fails_to_broadcast(node) else rule


def only_reports(node: Node) -> bool:
    """Return whether a call that is not followed only reports, or says what is reported."""
    function = node.attributes.get("function")
    if isinstance(function, Member):
        return function.name == "add_note"
    module = getattr(function.target, "__module__", None) if isinstance(function, Named) else None
    return module in ("warnings", "logging")
