"""The keys of objects that are sorted by a ``<`` of their class.

Where ``__lt__`` does no more than compare one expression of both objects' numbers, the order that
it tells is that of those expressions: a sort by them makes the comparisons that Python makes.

    def __lt__(self, other):
        return self.cost < other.cost  # the key is ``cost``
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

from symdiff.ir.graph import Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import ArrayType
from symdiff.parse import lookups
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.operators import binary, unary
from symdiff.parse.special import fields_compared
from symdiff.parse.values import ABSENT, Abstract, Closure, ObjectRef
from symdiff.source import find_source

_KEPT = (
    *(ast.Tuple, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Name, ast.Constant),
    *(ast.expr_context, ast.operator, ast.USub, ast.UAdd),
)


def keys_of(interp: Interpreter, items: Sequence[Abstract]) -> list[Any] | None:
    """What the ``<`` of the one class of some objects compares of each; None where it does more."""
    objects = [item for item in items if isinstance(item, ObjectRef) and item.holder is None]
    classes = {item.type for item in objects}
    if len(objects) < max(len(items), 2) or len(classes) != 1:
        return None
    compared = _compared_by(interp, classes.pop())
    if compared is None:
        return None
    side, reverse = compared
    keys = [_key(interp, side, item) for item in objects]
    if any(key is ABSENT for key in keys):
        return None
    if not reverse:
        return keys
    return [unary(interp, ast.USub, key) for key in keys] if all(map(_has_negative, keys)) else None


def _compared_by(interp: Interpreter, cls: type) -> tuple[ast.expr, bool] | None:
    """The expression of an object that the ``<`` of its class compares, and whether by ``>``."""
    fields = fields_compared(interp, cls, "lt")
    if fields is None:
        return _compared(lookups.on_class(interp, cls, "__lt__"))
    own = ast.Name("self", ast.Load())
    return ast.Tuple([ast.Attribute(own, name, ast.Load()) for name in fields], ast.Load()), False


def _compared(method: Any) -> tuple[ast.expr, bool] | None:
    """The same of a ``__lt__`` that compares an expression of both; None of any other."""
    if isinstance(method, types.FunctionType):
        node: Any = find_source(method).tree
    else:
        node = method.node if isinstance(method, Closure) else None
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return None
    names = [argument.arg for argument in node.args.args]
    match node.body:
        case [ast.Return(ast.Compare(left, [ast.Lt() | ast.Gt() as op], [right]))]:
            pass
        case _:
            return None
    if len(names) != 2 or not all(isinstance(part, _KEPT) for part in ast.walk(left)):
        return None
    own, other = names
    reverse = isinstance(op, ast.Gt)
    if _named(left) == {other}:
        own, other, reverse = other, own, not reverse
    same = _named(left) == {own} and _spelled(left, own) == _spelled(right, other)
    return (left, reverse) if same else None


def _spelled(tree: ast.expr, name: str) -> str:
    """An expression with a mark in the place of a name."""
    marked = _Marked(name).visit(ast.parse(ast.unparse(tree), mode="eval"))
    return ast.dump(marked)


def _named(tree: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)}


class _Marked(ast.NodeTransformer):
    """Puts a mark in the place of a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(...) if node.id == self.name else node


def _key(interp: Interpreter, side: ast.expr, item: ObjectRef) -> Abstract:
    """What an expression of an object comes to; ABSENT where more than its numbers tell it."""
    match side:
        case ast.Tuple(parts):
            made = tuple(_key(interp, part, item) for part in parts)
            return ABSENT if any(part is ABSENT for part in made) else made
        case ast.Constant(value):
            return value if is_leaf(value) else ABSENT
        case ast.Attribute(ast.Name(), name):
            return _held(interp, item, name)
        case ast.UnaryOp(op, operand):
            value = _key(interp, operand, item)
            return unary(interp, type(op), value) if _is_number(value) else ABSENT
        case ast.BinOp(left, op, right):
            a, b = _key(interp, left, item), _key(interp, right, item)
            return binary(interp, type(op), a, b) if _is_number(a) and _is_number(b) else ABSENT
    return ABSENT


def _held(interp: Interpreter, item: ObjectRef, name: str) -> Abstract:
    """A number or a text that an object itself holds."""
    of_class = lookups.static_on_class(item.type, name)
    if lookups.is_data_descriptor(of_class) and not lookups.is_slot(of_class):
        return ABSENT
    own = () if item.live is None else lookups.own_attributes(item.live)
    if interp.heap.get((item, name)) is ABSENT and name not in own:
        return ABSENT
    value = interp.attribute(item, name)
    return value if _is_number(value) or type(value) is str else ABSENT


def _is_number(value: Abstract) -> bool:
    if isinstance(value, Value):
        return isinstance(value.type, ArrayType) and value.type.kind != "array"
    return is_leaf(value)


def _has_negative(key: Abstract) -> bool:
    """Return whether a key's negative is in the opposite order: not so of integers of few bits."""
    if isinstance(key, Value) and isinstance(key.type, ArrayType):
        return key.type.kind == "python" or key.type.dtype.kind == "f"
    return isinstance(key, int | float)
