"""Numbers that are integers on some paths and floats on the others, where that makes a difference.

``v = 2 if c > 0.5 else c`` is typed as a float, and stays an integer at run time where it is one.
Arithmetic does not mind. An array that is made of it and of integers holds integers then, which
cut what is written into them; and its class is another one. Both are refused, once a function has
been staged.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

import numpy as np

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.control import call, cond, loop
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType, Type
from symdiff.ops.arrays import array
from symdiff.ops.creation import full
from symdiff.ops.index import index_add, index_set
from symdiff.ops.partial import reached
from symdiff.ops.retype import retype
from symdiff.source import SourceSpan

_INTEGERS = "iub"
_HINT = "write 0.0 in place of 0, or float(...): then it is a float on all paths"


def require_no_hidden_integers(block: Block, asked: Sequence[tuple[Value, SourceSpan]]) -> None:
    """Refuse writes and questions whose answer is another one where a number is an integer.

    ``asked``: the numbers of which the program asks the class, and where.
    """
    hidden = [node.result for node in walk_nodes(block) if _hides(node)]
    if not hidden:
        return
    found = _computed(block, hidden)
    for value, span in asked:
        if value in found:
            message = "the class of a number that is an integer on some paths, a float on others"
            raise UnsupportedSyntaxError(message, span, _HINT)
    for node in walk_nodes(block):
        if node.op in (index_set, index_add) and _is_cut(node, found):
            message = "a write into an array that holds integers on some paths, floats on others"
            raise UnsupportedSyntaxError(message, node.span, _HINT)


def _is_cut(node: Node, found: set[Value]) -> bool:
    array, written, *_ = node.operands
    return array in found and written not in found and _is_inexact(written.type)


def _hides(node: Node) -> bool:
    """Return whether one of Python's integers is typed as a float."""
    if node.op is not retype:
        return False
    before = node.operands[0].type
    weak = isinstance(before, ArrayType) and before.weak and before.dtype.kind in _INTEGERS
    return weak and _is_inexact(node.result.type)


def _is_inexact(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and type_.dtype.kind in "fc"


def _computed(block: Block, hidden: Sequence[Value]) -> set[Value]:
    """What is an integer, or an array of such, on paths on which these numbers are integers."""
    found, before = set(hidden), 0
    while len(found) > before:
        before = len(found)
        found = reached(block, found, functools.partial(_kept, frozenset(found)))
    return found


def _kept(found: Set[Value], node: Node) -> Iterator[tuple[Value, Value]]:
    """The last float that a node computes with, and results that are integers where it is none."""
    if node.op in (cond, loop, call) or node.blocks:
        return
    inexact = {value for value in node.operands if _is_inexact(value.type)}
    if not inexact or not any(_is_inexact(value.type) for value in node.results):
        return
    last = [value for value in inexact if value not in found] or list(inexact)[:1]
    if len(last) == 1 and (node.op in _OF_NUMBERS or _gives_integers(node)):
        yield from ((last[0], result) for result in node.results)


_OF_NUMBERS = (retype, full, array)  # they have the dtype of what they are given


def _gives_integers(node: Node) -> bool:
    types = [_as_integer(value.type) for value in node.operands]
    try:
        given = node.op.infer(*types, **node.attributes)
    except (TypeError, ValueError):
        return False
    return all(isinstance(t, ArrayType) and t.dtype.kind in _INTEGERS for t in given)


def _as_integer(type_: Type) -> Type:
    if not isinstance(type_, ArrayType) or not _is_inexact(type_):
        return type_
    return replace(type_, dtype=np.dtype(np.int64))
