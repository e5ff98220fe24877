"""Numbers that are integers on some paths and floats on the others, where that makes a difference.

``v = 2 if c > 0.5 else c`` is typed as a float, and stays an integer at run time where it is one.
Arithmetic does not mind. An array that is made of it and of integers holds integers then, which
cut what is written into them; and its class is another one. Both are refused, once a function has
been staged. Where only a loop that has no turn leaves integers (``s = 0``, ``for …: s += x[k]``),
the program asks the array at run time. Lists count as numbers do: as long as no item is a float for
sure.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.control import LoopView, call, cond, loop
from symdiff.ir.graph import Block, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType, ListType, TapeType, Type
from symdiff.ops.arrays import array
from symdiff.ops.creation import full
from symdiff.ops.effects import check_floats
from symdiff.ops.index import index_add, index_set
from symdiff.ops.list_arrays import (
    list_from_tape,
    list_join,
    list_stack,
    list_to_tape,
    list_unstack,
)
from symdiff.ops.lists import (
    list_concatenate,
    list_filled,
    list_get,
    list_insert,
    list_new,
    list_pop,
    list_push,
    list_set,
    list_slice,
    list_slice_set,
    list_total,
    list_typed,
)
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
    if any(_is_cut(node, found) for node in walk_nodes(block)):
        _require_floats(block, found, _computed(block, hidden, has_turns=True))


def _require_floats(block: Block, found: Set[Value], certain: Set[Value]) -> None:
    """Refuse writes into arrays of integers; where only a loop without turns leaves one such, the
    program is to tell.

    :param certain: what holds integers on some path on which each loop has a turn.
    """
    for inner in walk_blocks(block):
        nodes = []
        for node in inner.nodes:
            if _is_cut(node, certain):
                message = (
                    "a write into an array that holds integers on some paths, floats on others"
                )
                raise UnsupportedSyntaxError(message, node.span, _HINT)
            if _is_cut(node, found):
                nodes.append(Node(check_floats, node.operands[:1], span=node.span))
            nodes.append(node)
        inner.nodes[:] = nodes


def may_be_integer(content: Any, begun: Mapping[Value, Sequence[Any]]) -> bool:
    """Return whether a number that is typed as a float is one of Python's integers on some path.

    ``begun``: what parameters of loops are before a turn and after one, as far as that is known.
    """
    pending, seen = [content], set()
    while pending:
        one = pending.pop()
        if isinstance(one, slice | tuple):
            pending += (one.start, one.stop, one.step) if isinstance(one, slice) else one
        if not isinstance(one, Value) or one in seen or not _is_inexact(one.type):
            continue
        seen.add(one)
        if any(_is_pythons_integer(part) for part in begun.get(one, ())):
            return True
        if one.node is not None and _hides(one.node):
            return True
        pending += begun.get(one, ()) if one.node is None else _sources(one, one.node)
    return False


def _is_pythons_integer(content: Any) -> bool:
    type_ = content.type if isinstance(content, Value) else None
    if isinstance(type_, ArrayType):
        return type_.weak and type_.dtype.kind in _INTEGERS
    return isinstance(content, int)


def _sources(value: Value, node: Node) -> Sequence[Value]:
    """What a number may be, or is computed of."""
    place = node.results.index(value)
    if node.op is cond:
        return [arm.results[place] for arm in node.blocks]
    if node.op is loop:
        view = LoopView(node)
        inside = place < view.carry_count
        return [view.initial[place], view.next_carries[place]] if inside else []
    return [] if node.blocks or not _gives_integers(node) else node.operands


def _is_cut(node: Node, found: Set[Value]) -> bool:
    if node.op not in (index_set, index_add):
        return False
    array, written, *_ = node.operands
    return array in found and written not in found and _is_inexact(written.type)


def _hides(node: Node) -> bool:
    """Return whether one of Python's integers is typed as a float."""
    if node.op not in (retype, list_typed):
        return False
    before = node.operands[0].type
    if isinstance(before, ListType):
        return not _is_inexact(before) and _is_inexact(node.result.type)
    weak = isinstance(before, ArrayType) and before.weak and before.dtype.kind in _INTEGERS
    return weak and _is_inexact(node.result.type)


def _is_inexact(type_: Type) -> bool:
    """Return whether numbers, or the items of lists, are floats as far as is known."""
    while isinstance(type_, ListType | TapeType):
        type_ = type_.element
    return isinstance(type_, ArrayType) and type_.dtype.kind in "fc"


def _computed(block: Block, hidden: Sequence[Value], *, has_turns: bool = False) -> set[Value]:
    """What is an integer, or an array or a list of such, on paths on which these numbers are.

    What is taken out of a list of which some items are integers may be one of these.
    """
    made = [value for node in walk_nodes(block) if _may_be_empty(node) for value in node.results]
    empty = frozenset(reached(block, made, _same_length))
    found, before = set(hidden), 0
    while len(found) > before:
        before = len(found)
        kept = functools.partial(_kept, frozenset(found), empty)
        found = reached(block, found, kept, has_turns=has_turns)
        mixed = reached(block, found, _mixed, has_turns=has_turns)
        found |= {value for value in mixed if not _is_list(value) or _is_part(value.node)}
    return found


def _kept(found: Set[Value], empty: Set[Value], node: Node) -> Iterator[tuple[Value, Value]]:
    """The last float that a node computes with, and results that are integers where it is none."""
    if node.op in (cond, loop, call) or node.blocks:
        return
    inexact = _items_that_count(node)
    if not inexact or not any(_is_inexact(value.type) for value in node.results):
        return
    missing = {v for v in inexact if v not in found and not (v in empty and node.op in _JOINED)}
    if len(missing) < 2 and (node.op in _OF_NUMBERS or _gives_integers(node)):
        yield from itertools.product(missing or inexact, node.results)


def _items_that_count(node: Node) -> set[Value]:
    """The numbers on which it hangs whether all results are integers."""
    operands = node.operands[2:] if node.op is list_set else node.operands
    return {value for value in operands if _is_inexact(value.type)}


def _mixed(node: Node) -> Iterator[tuple[Value, Value]]:
    """Lists, and what is taken out of them, that have an item of an operand's."""
    if node.op in _OF_LISTS:
        yield from itertools.product(node.operands, node.results)


def _may_be_empty(node: Node) -> bool:
    return node.op in _MAY_BE_EMPTY or (node.op is list_new and not node.operands)


def _same_length(node: Node) -> Iterator[tuple[Value, Value]]:
    if node.op in (list_set, list_typed, list_concatenate, list_from_tape, list_to_tape):
        yield from itertools.product(node.operands, node.results)


def _is_list(value: Value) -> bool:
    return isinstance(value.type, ListType | TapeType)


def _is_part(node: Node | None) -> bool:
    return node is not None and node.op in (list_slice, list_pop)


_JOINED = (list_push, list_insert, list_concatenate, list_total)
_MAY_BE_EMPTY = (list_filled, list_slice, list_pop, list_unstack, list_from_tape)
_OF_LISTS = (
    list_new, list_filled, list_typed, list_set, list_get, list_push, list_insert, list_pop,
    list_concatenate, list_slice, list_slice_set, list_from_tape, list_to_tape,
)  # fmt: skip
_OF_NUMBERS = (
    retype,
    full,
    array,
    list_stack,
    list_join,
    *_OF_LISTS,
)  # they have the dtype of what they are given


def _gives_integers(node: Node) -> bool:
    types = [_as_integer(value.type) for value in node.operands]
    try:
        given = node.op.infer(*types, **node.attributes)
    except (TypeError, ValueError):
        return False
    return all(isinstance(t, ArrayType) and t.dtype.kind in _INTEGERS for t in given)


def _as_integer(type_: Type) -> Type:
    if isinstance(type_, ListType | TapeType):
        return replace(type_, element=_as_integer(type_.element))
    if not isinstance(type_, ArrayType) or not _is_inexact(type_):
        return type_
    return replace(type_, dtype=np.dtype(np.int64))
