"""Values as expressions: a name, a constant, or what a folded node computes."""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection, Mapping, Sequence
from types import EllipsisType
from typing import Any

import numpy as np

from symdiff.emit.namespace import Namespace
from symdiff.errors import InternalError
from symdiff.ir.build import constant
from symdiff.ir.control import undefined
from symdiff.ir.graph import GraphCell, Node, Value
from symdiff.ops.declare import DeclaredOp, dotted, literal
from symdiff.ops.effects import Field, Item, Made, Member, Named, Text, in_order, spell_template
from symdiff.ops.kinds import is_numpys_operator
from symdiff.source.trees import parts_of

MOST_WRITTEN = 32  # elements of a constant array that are written out


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


def truth(test: ast.expr) -> ast.expr:
    """``test`` for ``bool(test)``, where only its truth matters."""
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "bool":
        return truth(test.args[0])
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return negation(truth(test.operand))
    return test


def negation(test: ast.expr) -> ast.expr:
    """``not test`` where only its truth matters. ``not a < b`` is no ``a >= b``: there is NaN."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        opposite = ast.NotEq() if isinstance(test.ops[0], ast.Eq) else ast.Eq()
        return ast.Compare(test.left, [opposite], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def without_sign(tree: ast.expr) -> ast.expr | None:
    """``v`` of a ``-v``, ``2.0 * v`` of a ``-2.0 * v``; None where there is no sign."""
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return tree.operand
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        factor = without_sign(tree.left)
        return None if factor is None else ast.BinOp(factor, ast.Mult(), tree.right)
    if isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float)) and tree.value < 0:
        return ast.Constant(-tree.value)
    return None


def is_number(tree: ast.expr, number: int) -> bool:
    return isinstance(tree, ast.Constant) and tree.value == number


def range_of(start: ast.expr, stop: ast.expr, step: ast.expr) -> ast.expr:
    """``range(start, stop, step)`` without what it has by default."""
    if not is_number(step, 1):
        return call_of("range", start, stop, step)
    return call_of("range", stop) if is_number(start, 0) else call_of("range", start, stop)


def as_target(expression: ast.expr) -> ast.expr:
    """A name, subscript or tuple as what is assigned to."""
    copied: Any = type(expression)(**{f: getattr(expression, f) for f in expression._fields})
    copied.ctx = ast.Store()
    if isinstance(copied, ast.Tuple):
        copied.elts = [as_target(item) for item in copied.elts]
    return copied  # type: ignore[no-any-return]


class Expressions:
    """Expressions of values: ``names`` has those with a variable, ``folded`` those with none."""

    def __init__(
        self,
        names: Mapping[Value, str],
        folded: Collection[Value],
        namespace: Namespace,
        callees: Mapping[GraphCell, str] | None = None,
    ) -> None:
        self.names = names
        self.folded = folded
        self.namespace = namespace
        self.callees = callees or {}

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
        operands = [self.of(v) for v in node.operands]
        if op.name == "range_length":
            start, stop, step = operands
            if is_number(start, 0) and is_number(step, 1):
                return call_of("max", stop, ast.Constant(0))
            return call_of("len", range_of(start, stop, step))
        if not isinstance(op, DeclaredOp) or op.spelling is None:
            raise InternalError(f"op {op.name!r} has no spelling", node.span)
        return self.bound(op.spelling(self.spoken(node), operands), operands)

    def spoken(self, node: Node) -> Node:
        """The node with attributes as they are spelled: objects under the names bound to them."""
        attributes = node.attributes
        inner = attributes.get("attributes", attributes)  # of what is attempted
        if node.op.effect or isinstance(inner.get("function"), Named):
            attributes = {key: self.named(item) for key, item in attributes.items()}
        if isinstance(attributes.get("callee"), GraphCell):
            cell = attributes["callee"]
            attributes = {**attributes, "callee": GraphCell(self.callees[cell], cell.graph)}
        if attributes.get("ufunc") and _is_operator(node):
            attributes = {key: item for key, item in attributes.items() if key != "ufunc"}
        if attributes is node.attributes:
            return node
        return Node(node.op, node.operands, attributes, node.blocks, node.results, node.span)

    def named(self, template: Any) -> Any:
        """A template of an effect with its objects bound to names."""
        if isinstance(template, Named):
            if "." in template.name:  # of a library that is known by its own name
                return template
            return Named(template.target, self.namespace.bind(template.target, template.name))
        if isinstance(template, Member):
            return Member(self.named(template.value), template.name)
        if isinstance(template, Item):
            return Item(self.named(template.value), template.key)
        if isinstance(template, Made):
            return Made(self.named(template.by), self.named(template.items))
        if isinstance(template, Text):
            return Text(in_order([self.named(part) for part in template.parts]))
        if isinstance(template, Field):
            return Field(self.named(template.value), template.conversion, self.named(template.spec))
        if isinstance(template, (tuple, list)):
            return type(template)(self.named(item) for item in template)
        if isinstance(template, dict):
            return {key: self.named(item) for key, item in template.items()}
        return template

    def template(self, node: Node, key: str) -> ast.expr:
        """The expression of an effect's attribute that is a template."""
        spelled = spell_template(
            self.named(node.attributes[key]), [self.of(v) for v in node.operands]
        )
        return self.bound(spelled)

    def bound(self, tree: ast.expr, operands: Sequence[ast.expr] = ()) -> ast.expr:
        """The expression with objects that stand in it as constants bound to names; in its
        operands they are.
        """
        own = parts_of(tree, operands)
        if all(not isinstance(part, ast.Constant) or _is_literal(part) for part in own):
            return tree
        return _Binder(self.namespace).visit(tree)  # type: ignore[no-any-return]

    def constant(self, value: Any, hint: str | None = None) -> ast.expr:
        """A number as a literal; short lists of positions too; other objects by name."""
        if isinstance(value, np.ndarray) and _is_short(value):
            return ast.Call(dotted("np.array"), [literal(value.tolist())], [])
        if isinstance(value, np.ndarray) or _unspeakable(value):
            return name(self.namespace.bind(value, hint or "constant"))
        return literal(value)

    def static(self, value: Any, hint: str = "value") -> ast.expr:
        """Any object that structure holds: a literal where it has one, else by name."""
        if isinstance(value, np.str_ | np.bytes_):
            return ast.Call(dotted(f"np.{type(value).__name__}"), [ast.Constant(value.item())], [])
        if type(value) in (bool, str, bytes, type(None), EllipsisType):
            return ast.Constant(value)
        if type(value) in (int, float, complex) or isinstance(value, np.generic):
            return self.constant(value, hint)
        return name(self.namespace.bind(value, getattr(value, "__name__", hint)))


def _is_short(array: np.ndarray) -> bool:
    """Return whether an array is written out: positions and masks that stand between brackets."""
    return 0 < array.size <= MOST_WRITTEN and array.ndim > 0 and array.dtype in (np.int64, np.bool)


_LITERALS = (bool, int, float, complex, str, bytes, type(None), EllipsisType)


def _is_literal(tree: ast.Constant) -> bool:
    """Whether a constant has a spelling of its own."""
    return isinstance(tree.value, _LITERALS) and not isinstance(tree.value, enum.Enum)


class _Binder(ast.NodeTransformer):
    """Gives names to objects that a spelling put into ``ast.Constant``."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value: Any = node.value
        if _is_literal(node):
            return node
        return name(self.namespace.bind(value, getattr(value, "__name__", type(value).__name__)))


# NumPy's function and the operator differ on Python numbers alone; on arrays in ``**`` only.
_OPERATORS = frozenset({"add", "subtract", "multiply", "divide", "negative"})


def _is_operator(node: Node) -> bool:
    """Return whether the operator does what the ufunc does."""
    return node.op.name in _OPERATORS and is_numpys_operator(node.op, node.operands)


def _unspeakable(value: Any) -> bool:
    return isinstance(value, (np.longdouble, np.clongdouble))
