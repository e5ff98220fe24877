"""Texts made of numbers that are known at run time only, and what is asked of them.

What numbers are read from such a text have no derivative that is known: there are no rules, so that
a derivative which reaches them is an error, never zero. Integers and truth values carry none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from symdiff.ir.graph import Node
from symdiff.ir.types import BOOL, INT, TEXT, ListType, Type
from symdiff.ops.declare import EVALUATED, Operation
from symdiff.ops.effects import (
    Field,
    Made,
    Member,
    Text,
    called,
    fill,
    spell_template,
    spell_the_call,
)
from symdiff.ops.flops import nothing

RESULTS: dict[str, Type] = {  # of methods of a text
    **dict.fromkeys(("capitalize", "casefold", "center", "expandtabs", "ljust", "lower"), TEXT),
    **dict.fromkeys(("lstrip", "removeprefix", "removesuffix", "replace", "rjust"), TEXT),
    **dict.fromkeys(("rstrip", "strip", "swapcase", "title", "upper", "zfill"), TEXT),
    **dict.fromkeys(("__add__", "__getitem__", "__mul__", "__rmul__", "join"), TEXT),
    **dict.fromkeys(("endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit"), BOOL),
    **dict.fromkeys(("isidentifier", "islower", "isnumeric", "isprintable", "isspace"), BOOL),
    **dict.fromkeys(("istitle", "isupper", "startswith", "__contains__"), BOOL),
    **dict.fromkeys(("__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__"), BOOL),
    **dict.fromkeys(("count", "find", "index", "rfind", "rindex", "__len__"), INT),
    **dict.fromkeys(("rsplit", "split", "splitlines"), ListType(TEXT)),
}
_RAISING = (
    *("__getitem__", "center", "index", "ljust", "partition", "rindex", "rjust", "rpartition"),
    *("rsplit", "split"),
)


def _is_plain(node: Node) -> bool:
    """Return whether nothing in a text has a format that its value may not take."""
    made = node.attributes["made"]
    parts = made.parts if isinstance(made, Text) else ()
    fields = [part for part in parts if isinstance(part, Field)]
    return all(field.spec == "" for field in fields)


text_made = Operation(
    "text_made",
    lambda *operands, made: (TEXT,),
    lambda *operands, made: fill(made, operands),
    raises=True,
    harmless=_is_plain,
    spelling=lambda node, operands: spell_template(node.attributes["made"], operands),
    sympy=EVALUATED,
    flops=nothing,
    documentation='The text of numbers, ``f"{x:.3f} m"``.',
)

_COMPARED: dict[str, type[ast.cmpop]] = {
    "__eq__": ast.Eq,
    "__ge__": ast.GtE,
    "__gt__": ast.Gt,
    "__le__": ast.LtE,
    "__lt__": ast.Lt,
    "__ne__": ast.NotEq,
}
Spell = Callable[..., ast.expr]
_OPERATORS: dict[str, Spell] = {
    "__contains__": lambda text, item: ast.Compare(item, [ast.In()], [text]),
    "__getitem__": lambda text, key: ast.Subscript(text, key, ast.Load()),
    "__len__": lambda text: ast.Call(ast.Name("len", ast.Load()), [text], []),
    "__mul__": lambda text, times: ast.BinOp(text, ast.Mult(), times),
}


def _spell_call(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """The call of a method, or the operator that it is."""
    function = node.attributes["function"]
    if not isinstance(function, Member) or not function.name.startswith("__"):
        return spell_the_call(node, operands)
    text = spell_template(function.value, operands)
    others = [_spell_argument(one, operands) for one in node.attributes["arguments"]]
    if function.name in _COMPARED:
        return ast.Compare(text, [_COMPARED[function.name]()], others)
    return _OPERATORS[function.name](text, *others)


def _spell_argument(argument: Any, operands: Sequence[ast.expr]) -> ast.expr:
    if not (isinstance(argument, Made) and argument.by.target is slice):
        return spell_template(argument, operands)
    bounds = [None if one is None else spell_template(one, operands) for one in argument.items]
    return ast.Slice(*bounds)


def _never_raises(node: Node) -> bool:
    function = node.attributes["function"]
    return isinstance(function, Member) and function.name not in _RAISING


text_call = Operation(
    "text_call",
    lambda *operands, function, arguments, keywords=(), type: (type,),
    lambda *operands, function, **attributes: _called(operands, function, **attributes),
    raises=True,
    harmless=_never_raises,
    spelling=_spell_call,
    sympy=EVALUATED,
    flops=nothing,
    documentation="What a method of a text gives, ``text.rstrip(*arguments)``, or ``float(text)``.",
)


def of_text(node: Node) -> str | None:
    """What to do where a derivative reaches a number that is read from a text; else None."""
    if node.op not in (text_call, text_made):
        return None
    return (
        "a text stands between, which has no derivative: compute with the number that it tells,"
        " or with symdiff.stop_gradient(...) of it"
    )


def _called(operands: Sequence[Any], function: Any, type: Type, **attributes: Any) -> Any:
    return called(function, operands, **attributes)
