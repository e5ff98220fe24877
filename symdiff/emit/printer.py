"""Syntax trees as text, by astor: the one place that knows it.

astor 0.8.1 is older than the Pythons that it runs on here. It reads classes of ``ast`` that Python
3.12 calls deprecated and 3.14 does not have (``ast.Str`` in f-strings, ``ast.Num`` where it is
imported), breaks long lines and long strings, and knows the f-strings of Python 3.8. So f-strings
are printed by Python itself, nothing is wrapped, and strings are what ``repr`` makes of them.

>>> print_statement(ast.parse("x[i] = (a + b) * f'{c:.3f}'"))
"x[i] = (a + b) * f'{c:.3f}'"
"""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Callable
from typing import Any

from symdiff.source.constants import written

INDENT = "    "


def print_statement(tree: ast.AST) -> str:
    """A statement's text, never wrapped: expressions are built short."""
    try:
        printer = _idle.pop()
    except IndexError:
        printer = _printer()(INDENT, False, _plain_string)
    printer.visit(tree)
    text = "".join(printer.result).strip("\n")
    printer.begin_anew()
    _idle.append(printer)
    return text


_visitors: dict[type[ast.AST], Callable[[Any, Any], None]] = {}  # by what they print

# Printers that print nothing at present: one refers to itself in many ways, and is not made for
# each statement.
_idle: list[Any] = []


def load_printer() -> None:
    """Load what prints, before a function is followed: it may read which modules are loaded, and
    its program rests on that.
    """
    _printer()


@functools.cache
def _printer() -> Callable[..., Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from astor.code_gen import SourceGenerator
        from astor.op_util import Precedence, get_op_precedence, get_op_symbol

    class Printer(SourceGenerator):  # type: ignore[misc]
        """A generator of sources that asks little of each name and of each piece of text."""

        def visit(self, node: ast.AST) -> None:
            visitor = _visitors.get(type(node))
            if visitor is None:
                visitor = _visitors[type(node)] = getattr(Printer, f"visit_{type(node).__name__}")
            visitor(self, node)

        def visit_Name(self, node: ast.Name) -> None:
            if self.new_lines:
                self.write(node.id)
            else:
                self.result.append(node.id)

        def visit_BinOp(self, node: ast.BinOp) -> None:
            own, around = get_op_precedence(node.op), getattr(node, "_pp", Precedence.highest)
            power = isinstance(node.op, ast.Pow)
            vars(node.left)["_pp"] = Precedence.Pow + 1 if power else own
            vars(node.right)["_pp"] = Precedence.PowRHS if power else own + 1
            self.write("(" if own < around else "")
            self.visit(node.left)
            self.result.append(get_op_symbol(node.op, " %s "))
            self.visit(node.right)
            self.result.append(")" if own < around else "")

        _handle_numeric_constant = _write_number

        def visit_Attribute(self, node: ast.Attribute) -> None:
            self.visit(node.value)
            self.result += (".", node.attr)

        def visit_JoinedStr(self, node: ast.JoinedStr, is_joined: bool = True) -> None:
            self.write(ast.unparse(node))

        def begin_anew(self) -> None:
            """Forget what was printed."""
            self.result.clear()
            self.indentation, self.new_lines, self.colinfo = 0, 0, (0, 0)

    return Printer


def _write_number(printer: Any, value: complex) -> None:
    if type(value) is int:
        printer.write(written(value))
    else:
        super(type(printer), printer)._handle_numeric_constant(value)


def _plain_string(text: str, *_: Any, **__: Any) -> str:
    return repr(text)
