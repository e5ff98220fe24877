"""Values as expressions: a name, a constant, or the expression of a node that is folded into its reader."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from symdiff.emit.namespace import Namespace
from symdiff.errors import InternalError
from symdiff.ir.build import constant
from symdiff.ir.control import undefined
from symdiff.ir.graph import Node, Value
from symdiff.ops.declare import Operation, literal


def name(identifier: str) -> ast.expr:
    return ast.Name(identifier, ast.Load())


def target(identifier: str) -> ast.expr:
    return ast.Name(identifier, ast.Store())


def call_of(function: str | ast.expr, *arguments: ast.expr) -> ast.expr:
    return ast.Call(name(function) if isinstance(function, str) else function, list(arguments), [])


def method(receiver: ast.expr, attribute: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(receiver, attribute, ast.Load()), list(arguments), [])


def subscript(base: ast.expr, key: ast.expr) -> ast.expr:
    return ast.Subscript(base, key, ast.Load())


def tuple_of(items: list[ast.expr]) -> ast.expr:
    return ast.Tuple(items, ast.Load())


def assign(to: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign([to], value, lineno=1)


def augment(to: ast.expr, operator: ast.operator, value: ast.expr) -> ast.stmt:
    """``to += value`` and the like."""
    return ast.AugAssign(to, operator, value)  # type: ignore[arg-type]


def is_number(tree: ast.expr, number: int) -> bool:
    return isinstance(tree, ast.Constant) and tree.value == number


def range_of(start: ast.expr, stop: ast.expr, step: ast.expr) -> ast.expr:
    """``range(start, stop, step)`` without what it has by default."""
    if not is_number(step, 1):
        return call_of("range", start, stop, step)
    return call_of("range", stop) if is_number(start, 0) else call_of("range", start, stop)


def same_tree(a: ast.expr, b: ast.expr) -> bool:
    return type(a) is type(b) and ast.dump(a) == ast.dump(b)


def as_target(expression: ast.expr) -> ast.expr:
    """A name, subscript or tuple as what is assigned to."""
    copied: Any = type(expression)(**{f: getattr(expression, f) for f in expression._fields})
    copied.ctx = ast.Store()
    if isinstance(copied, ast.Tuple):
        copied.elts = [as_target(item) for item in copied.elts]
    return copied  # type: ignore[no-any-return]


class Expressions:
    """Expressions of values. ``names`` are those of values that have a variable; ``folded`` have none."""

    def __init__(
        self, names: Mapping[Value, str], folded: Collection[Value], namespace: Namespace
    ) -> None:
        self.names = names
        self.folded = folded
        self.namespace = namespace

    def of(self, value: Value) -> ast.expr:
        """The expression that a reader of ``value`` writes. Folding keeps it shallow."""
        node = value.node
        if node is not None and node.op is constant:
            return self.constant(node.attributes["value"], value.name)
        if node is not None and node.op is undefined:
            return ast.Constant(None)
        if node is not None and value in self.folded:
            return self.node(node)
        return name(self.names[value])

    def names_in(self, value: Value) -> list[str]:
        """The variables that the expression of a value reads."""
        return [tree.id for tree in ast.walk(self.of(value)) if isinstance(tree, ast.Name)]

    def node(self, node: Node) -> ast.expr:
        """What a node computes, spelled by its op."""
        op = node.op
        if op.name == "range_length":
            return call_of("len", range_of(*(self.of(v) for v in node.operands)))
        if not isinstance(op, Operation) or op.spelling is None:
            raise InternalError(f"op {op.name!r} has no spelling", node.span)
        return self.bound(op.spelling(node, [self.of(v) for v in node.operands]))

    def bound(self, tree: ast.expr) -> ast.expr:
        """The expression with objects that stand in it as constants bound to names."""
        return _Binder(self.namespace).visit(tree)  # type: ignore[no-any-return]

    def constant(self, value: Any, hint: str | None = None) -> ast.expr:
        """A number as a literal; an array, or a number without a literal, by name."""
        if isinstance(value, np.ndarray) or _unspeakable(value):
            return name(self.namespace.bind(value, hint or "constant"))
        if isinstance(value, np.complexfloating):
            return ast.Call(literal(value.dtype), [_complex(complex(value))], [])
        if isinstance(value, complex):
            return _complex(value)
        return literal(value)

    def static(self, value: Any, hint: str = "value") -> ast.expr:
        """Any object that structure holds: a literal where it has one, else by name."""
        if value is None or value is Ellipsis or isinstance(value, bool | str | bytes):
            return ast.Constant(value)
        if isinstance(value, int | float | complex | np.generic):
            return self.constant(value, hint)
        return name(self.namespace.bind(value, getattr(value, "__name__", hint)))


class _Binder(ast.NodeTransformer):
    """Gives names to objects that a spelling put into ``ast.Constant``."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, bool | int | float | complex | str | bytes | None | type(...)):
            return node
        hint = getattr(node.value, "__name__", type(node.value).__name__)
        return name(self.namespace.bind(node.value, hint))


def _unspeakable(value: Any) -> bool:
    return isinstance(value, np.longdouble | np.clongdouble)


def _complex(value: complex) -> ast.expr:
    if str(value.real) == "0.0" and value.imag == value.imag and abs(value.imag) != float("inf"):
        if not str(value.imag).startswith("-"):
            return ast.Constant(value)
    return call_of("complex", literal(value.real), literal(value.imag))
