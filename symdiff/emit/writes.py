"""Writes as statements: their first result is the variable of the first operand."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from symdiff.emit.expressions import (
    as_target,
    assign,
    augment,
    method,
    name,
    subscript,
    target,
    without_sign,
)
from symdiff.emit.text import Line
from symdiff.emit.trees import same_tree
from symdiff.ir.graph import Node
from symdiff.ir.types import FLOAT, ArrayType, ListType
from symdiff.ops.declare import dotted, literal, supporting
from symdiff.ops.facts import shape_of
from symdiff.ops.index import index, is_distinct, is_whole, key_of
from symdiff.ops.keys import Slot, is_basic, spell_argument, spell_key
from symdiff.ops.support import add_at, add_rows

if TYPE_CHECKING:
    from symdiff.emit.statements import Statements

AUGMENTED = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def index_set(statements: Statements, node: Node) -> list[Line]:
    """``x[key] = v``; ``x += v`` of all its elements."""
    place, value = _place(statements, node), statements.of(node.operands[1])
    whole = statements.of(node.operands[0])
    if is_whole(node) and isinstance(whole, ast.Name):
        place = place if _update(statements, node, whole, value) is None else whole
    rest = _update(statements, node, place, value)
    if rest is None:
        return [statements.line(node, assign(as_target(place), value))]
    assert isinstance(value, ast.BinOp)
    return [statements.line(node, augment(as_target(place), value.op, rest))]


def _update(
    statements: Statements, node: Node, place: ast.expr, value: ast.expr
) -> ast.expr | None:
    """The ``v`` of ``x[key] = x[key] + v``, which is written ``x[key] += v``."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, AUGMENTED):
        return None
    if not _is_of_part(node):
        return None
    derived = statements.is_derived(node)
    rest = other_operand(value, place, derived)
    for read in _reads_of_part(statements, node) if rest is None else ():
        rest = rest or other_operand(value, name(read), derived)
    return rest


def _reads_of_part(statements: Statements, node: Node) -> list[str]:
    """Variables that hold the very elements that are about to be overwritten."""
    stored = node.operands[1].node
    operands = () if stored is None else stored.operands
    return [
        statements.plan.names[value]
        for value in operands
        if value in statements.plan.names and _reads_part(value.node, node)
    ]


def index_add(statements: Statements, node: Node) -> list[Line]:
    """``x[key] += v``, or ``np.add.at`` where a key may name a place twice, or what is faster."""
    key, dynamic = key_of(node)
    value = statements.of(node.operands[1])
    if not is_distinct(key, dynamic, shape_of(node.operands[0])) and not is_basic(key, dynamic):
        where = spell_argument(key, [statements.of(v) for v in dynamic])
        adding = _adding(node) if statements.is_derived(node) else None
        named = dotted("np.add.at") if adding is None else supporting(adding)
        function = statements.expressions.bound(named)
        add_at = ast.Call(function, [statements.of(node.operands[0]), where, value], [])
        return [statements.line(node, ast.Expr(add_at))]
    positive = without_sign(value)
    operator: ast.operator = ast.Add() if positive is None else ast.Sub()
    place = as_target(_place(statements, node))
    return [statements.line(node, augment(place, operator, positive or value))]


def _adding(node: Node) -> Callable[..., None] | None:
    """What adds faster to places that integers name than ``np.add.at``, which is fast at one array
    of places of a vector.
    """
    key, dynamic = key_of(node)
    x, *others = (v.type for v in (node.operands[0], *dynamic))
    if not isinstance(x, ArrayType) or x.rank < 2:
        return None
    if not all(isinstance(t, ArrayType) and t.dtype.kind in "iu" for t in others):
        return None
    return add_rows if len(key) == 1 and isinstance(key[0], Slot) else add_at


def _place(statements: Statements, node: Node) -> ast.expr:
    key, dynamic = key_of(node)
    return subscript(
        statements.of(node.operands[0]), spell_key(key, [statements.of(v) for v in dynamic])
    )


def list_push(statements: Statements, node: Node) -> list[Line]:
    base, value = map(statements.of, node.operands)
    return [statements.line(node, ast.Expr(method(base, "append", value)))]


def list_insert(statements: Statements, node: Node) -> list[Line]:
    base, place, value = map(statements.of, node.operands)
    return [statements.line(node, ast.Expr(method(base, "insert", place, value)))]


def list_pop(statements: Statements, node: Node) -> list[Line]:
    base, place = map(statements.of, node.operands)
    taken = method(base, "pop", *([] if same_tree(place, literal(-1)) else [place]))
    if not statements.plan.is_used(node.results[1]):
        return [statements.line(node, ast.Expr(taken))]
    return [statements.line(node, assign(target(statements.named(node.results[1])), taken))]


def list_set(statements: Statements, node: Node) -> list[Line]:
    base, place, value = map(statements.of, node.operands)
    return [statements.line(node, assign(as_target(subscript(base, place)), value))]


def list_slice_set(statements: Statements, node: Node) -> list[Line]:
    base, value, *parts = map(statements.of, node.operands)
    part = subscript(base, spell_key((node.attributes["key"],), parts))
    return [statements.line(node, assign(as_target(part), value))]


def list_add(statements: Statements, node: Node) -> list[Line]:
    """``x[i] = x[i] + v``: the element may be an array that is held elsewhere, too. Of Python's
    floats ``x[i] += v``.
    """
    base, place, value = map(statements.of, node.operands)
    item = subscript(base, place)
    if isinstance(node.operands[0].type, ListType) and node.operands[0].type.element == FLOAT:
        positive = without_sign(value)
        operator: ast.operator = ast.Add() if positive is None else ast.Sub()
        return [statements.line(node, augment(as_target(item), operator, positive or value))]
    return [statements.line(node, assign(as_target(item), ast.BinOp(item, ast.Add(), value)))]


def other_operand(sum_: ast.BinOp, operand: ast.expr, commutes: bool) -> ast.expr | None:
    """The operand beside the given first one; or second one, where their order may change.

    Which operand's NaN a sum keeps depends on their order: that of a primal statement stays.
    """
    if same_tree(sum_.left, operand):
        return sum_.right
    if commutes and isinstance(sum_.op, ast.Add | ast.Mult) and same_tree(sum_.right, operand):
        return sum_.left
    return None


def _is_of_part(write: Node) -> bool:
    """Return whether what is stored has the dtype and the shape of the elements it is stored in."""
    base, given = (value.type for value in write.operands[:2])
    if not isinstance(base, ArrayType) or not isinstance(given, ArrayType):
        return False
    return base.dtype == given.dtype and given.shape == tuple(write.attributes["shape"])


def _reads_part(read: Node | None, write: Node) -> bool:
    """Return whether a node reads of an array what another overwrites of the same version of it."""
    if read is None or read.op is not index or read.operands[0] is not write.operands[0]:
        return False
    return key_of(read) == key_of(write)
