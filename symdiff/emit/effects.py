"""Effects as statements: ``raise``, ``assert``, ``with np.errstate``, attributes and items set."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from symdiff.emit.expressions import as_target, assign, subscript
from symdiff.emit.regions import Leave, Release
from symdiff.emit.text import Line
from symdiff.ir.graph import Node

if TYPE_CHECKING:
    from symdiff.emit.statements import Statements


def raising(statements: Statements, node: Node) -> list[Line]:
    expressions, has_cause = statements.expressions, "cause" in node.attributes
    cause = expressions.template(node, "cause") if has_cause else None
    return [statements.line(node, ast.Raise(statements.expressions.node(node), cause))]


def asserting(statements: Statements, node: Node) -> list[Line]:
    predicate = statements.of(node.operands[0])
    message = None
    if node.attributes.get("message") is not None:
        message = statements.expressions.template(_templates(node), "message")
    return [statements.line(node, ast.Assert(predicate, message))]


def set_attribute(statements: Statements, node: Node) -> list[Line]:
    owner = statements.expressions.template(_templates(node), "owner")
    place = ast.Attribute(owner, node.attributes["name"], ast.Store())
    return [statements.line(node, assign(place, statements.of(node.operands[0])))]


def enter(statements: Statements, node: Node) -> list[Line]:
    manager = ast.withitem(statements.expressions.node(node), None)
    return [statements.line(node, ast.With([manager], []))]


def leave(statements: Statements, node: Node) -> list[Line]:
    (manager,) = node.operands
    is_lock = manager.node is not None and manager.node.attributes["function"] is None
    return [statements.line(node, Release() if is_lock else Leave())]


def set_item(statements: Statements, node: Node) -> list[Line]:
    owner, key = (statements.expressions.template(_templates(node), k) for k in ("owner", "key"))
    place = as_target(subscript(owner, key))
    return [statements.line(node, assign(place, statements.of(node.operands[0])))]


def _templates(node: Node) -> Node:
    """The node without its first operand: the templates of its attributes number the others."""
    return Node(node.op, node.operands[1:], node.attributes)
