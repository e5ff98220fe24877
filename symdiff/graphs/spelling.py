"""What computes a value, in one line: ``scores - ·``.

A value of the IR enters, with what to call others; text leaves. Constants are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.graphs.places import Places, Source
from symdiff.ir.build import constant
from symdiff.ir.control import cond, loop, undefined
from symdiff.ir.graph import GraphCell, Node, Value
from symdiff.ir.types import TapeType
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.defined import library_call
from symdiff.ops.foreign import foreign_call
from symdiff.ops.index import index_add, index_set, key_of
from symdiff.ops.keys import spell_key
from symdiff.ops.rules import custom_call

Called = Callable[[Value], str]

UNNAMED = "·"
_MOST_WRITTEN = 60  # characters


def spelled(value: Value, places: Places, called: Called) -> str:
    """How a value is computed: an expression, or in words what a loop makes of others.

    Text is '' for what nothing computes.
    """
    node, sources = value.node, places.sources(value)
    if node is None or node.op is loop:
        return _spelled_in_turns(value, sources, called)
    if node.op is cond:
        first, second, test = (_text(source.value, called) for source in sources)
        return shortened(f"{first} if {test} else {second}")
    return spelled_node(node, called)


def _spelled_in_turns(value: Value, sources: list[Source], called: Called) -> str:
    """What a loop gives, or hands to its blocks."""
    texts = [_text(source.value, called) for source in sources]
    if value.node is not None:
        return f"{texts[0]} of the last turn"
    kinds = [source.kind for source in sources]
    if kinds == ["control"]:
        return f"a number below {texts[0]}"
    if kinds == ["data"]:
        is_tape = isinstance(sources[0].value.type, TapeType)
        return f"an element of {texts[0]}" if is_tape else texts[0]
    return ", then ".join(texts)


def spelled_node(node: Node, called: Called) -> str:
    """The expression that a node computes, over what its operands are called."""
    if node.op in (index_set, index_add):
        return _spelled_write(node, called)
    operands = operands_of(node, called)
    if isinstance(node.op, DeclaredOp) and node.op.spelling is not None:
        text = written(node.op.spelling(node, operands))
        if not (operands and text.isidentifier() and text == _unparsed(operands[0])):
            return shortened(text)
    return shortened(f"{name_of(node)}({', '.join(map(_unparsed, operands))})")


def operands_of(node: Node, called: Called) -> list[ast.expr]:
    """What the operands of a node are called, constants as they are."""
    return [_operand(value, called) for value in node.operands]


def written(tree: ast.expr) -> str:
    """The text of what an op is spelled as."""
    return _unparsed(_Readable().visit(tree))


def name_of(node: Node) -> str:
    """The function of the user's or of a library that a node calls, or its op."""
    if node.op is custom_call:
        return str(node.attributes["name"])
    if node.op in (library_call, foreign_call):
        return str(node.attributes["function"].name).rpartition(".")[2]
    callee = node.attributes.get("callee")
    return callee.name if isinstance(callee, GraphCell) else node.op.name


def _unparsed(tree: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


def _text(value: Value, called: Called) -> str:
    return _unparsed(_operand(value, called))


def shortened(text: str, most: int = _MOST_WRITTEN) -> str:
    """Text cut off where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


class _Readable(ast.NodeTransformer):
    """Objects that a spelling put into the tree become their names."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value: Any = node.value
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            return ast.Constant(value.item()) if isinstance(value, np.generic) else node
        if value is Ellipsis:
            return node
        return ast.Name(str(getattr(value, "__qualname__", type(value).__qualname__)))


def _operand(value: Value, called: Called) -> ast.expr:
    node = value.node
    if node is not None and node.op is undefined:
        return ast.Name("nothing")
    if node is None or node.op is not constant:
        return ast.Name(called(value))
    number = node.attributes["value"]
    if isinstance(number, np.generic) or (isinstance(number, np.ndarray) and number.ndim == 0):
        number = number.item()
    if isinstance(number, bool | int | float | complex):
        return ast.Constant(number)
    return ast.Name(f"array{number.shape}" if isinstance(number, np.ndarray) else UNNAMED)


def _spelled_write(node: Node, called: Called) -> str:
    """``x with [1:-1] = v``, ``x with [i] += v``."""
    base, value = node.operands[:2]
    key, dynamic = key_of(node)
    place = spell_key(key, [_operand(operand, called) for operand in dynamic])
    target = _unparsed(ast.Subscript(ast.Name(""), place, ast.Load()))
    sign = "=" if node.op is index_set else "+="
    return shortened(f"{_text(base, called)} with {target} {sign} {_text(value, called)}")
