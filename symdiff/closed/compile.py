"""Expressions → a Python function: the text of plain NumPy code that computes them, loaded.

What leaves is an ordinary function with source, which symdiff follows as it follows a user's. The
text is emitted from a graph that the expressions' ops make, common parts once. Symbols may be
numbers or arrays, which are broadcast; an expression that lacks one of them gets zeros of the
shape and dtype of all added. Where that, or a branch, is written better for numbers alone, floats
have a text of their own before the general one.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symdiff.emit import Emitted, emit_source
from symdiff.emit.fallback import divided
from symdiff.errors import SignatureError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, Graph, Input, Operand, Value
from symdiff.ir.structure import Leaf
from symdiff.ir.types import ArrayType, Size
from symdiff.ops.creation import array_of
from symdiff.ops.declare import Operation, call
from symdiff.ops.elementary import add, choose, maximum, where
from symdiff.ops.index import index_of
from symdiff.ops.symbolic import values_of
from symdiff.runtime.load import load

_NUMBER = ArrayType(np.dtype("float64"), (), "scalar")
_DIGITS = 30  # of numbers before they are rounded, once

# Of a value whose rank is not known where the text is written, so no op of programs.
_zeros_like = Operation("zeros_like", lambda x: (x,), np.zeros_like, spelling=call("np.zeros_like"))


def function_of(expression: Any, args: Sequence[Any], name: str) -> Callable[..., Any]:
    """A function of ``args``, symbols and indexed bases, that computes an expression or a matrix.

    :raises SignatureError: for what is no expression, or has symbols that are not among ``args``.
    :raises UnsupportedCallError: for a function of SymPy that NumPy does not have.
    """
    asked = _Asked.of(expression, args)
    general = _emitted(asked, name, numbers=False)
    if not asked.differs:
        return load(general)
    return load(_joined(general, _emitted(asked, name, numbers=True), asked))


def _emitted(asked: _Asked, name: str, *, numbers: bool) -> Emitted:
    """The text; nothing is written in place, since shapes and dtypes are not known here."""
    emitted = emit_source(_graph(asked, name, numbers=numbers), name, fresh=False)
    lines = [_not_in_place(line) for line in emitted.text.splitlines()]
    return replace(emitted, text="\n".join(lines) + "\n")


_IN_PLACE = re.compile(r"( +\w+) ([-+*/]|\*\*)= (.*)")


def _not_in_place(line: str) -> str:
    match = _IN_PLACE.fullmatch(line)
    if match is None:
        return line
    name, operator, operand = match.groups()
    simple = operand.isidentifier()
    return f"{name} = {name.strip()} {operator} {operand if simple else f'({operand})'}"


@dataclass(frozen=True, slots=True)
class _Asked:
    """Expressions in order, the shape of their matrix (None of one alone), and the arguments."""

    expressions: tuple[Any, ...]
    shape: tuple[int, ...] | None
    args: tuple[Any, ...]

    @classmethod
    def of(cls, expression: Any, args: Sequence[Any]) -> _Asked:
        import sympy as sp

        if isinstance(expression, int | float | complex) and not isinstance(expression, bool):
            expression = (
                sp.Float(expression) if isinstance(expression, float) else +sp.S(expression)
            )
        if isinstance(expression, sp.MatrixExpr):
            expression = expression.as_explicit()
        shape = None
        expressions = [expression]
        if isinstance(expression, sp.MatrixBase | sp.NDimArray):
            shape = tuple(int(n) for n in expression.shape)
            expressions = list(sp.flatten(expression.tolist())) if shape else [expression[()]]
        asked = cls(tuple(expressions), shape, _checked_args(args))
        asked._check()
        return asked

    def _check(self) -> None:
        import sympy as sp

        for one in self.expressions:
            if not isinstance(one, sp.Expr | sp.logic.boolalg.Boolean):
                raise SignatureError(
                    f"not an expression of SymPy, but of type {type(one).__name__}",
                    hint="texts are not read: build the expression from sympy.symbols",
                )
        bases = {base for base in self.args if not base.is_Symbol}
        plain = {arg for arg in self.args if arg.is_Symbol}
        labels = {getattr(base, "label", None) for base in bases}
        for one in self.expressions:
            unknown = _symbols(one) - plain - labels
            missing = unknown | {entry.base for entry in _entries(one) if entry.base not in bases}
            if missing:
                names = ", ".join(sorted(map(str, missing)))
                raise SignatureError(f"{names}: in the expression, but not among the arguments")

    @property
    def symbols(self) -> list[Any]:
        return [arg for arg in self.args if arg.is_Symbol]

    def lacking(self, expression: Any) -> bool:
        """Whether there are symbols whose shape an expression does not have of itself."""
        return not _symbols(expression).issuperset(self.symbols)

    @property
    def differs(self) -> bool:
        """Whether numbers are computed better by a text of their own."""
        import sympy as sp

        return bool(self.symbols) and any(
            self.lacking(one) or one.has(sp.Piecewise) for one in self.expressions
        )


def _checked_args(args: Sequence[Any]) -> tuple[Any, ...]:
    import sympy as sp

    given = tuple(args) if isinstance(args, list | tuple) else (args,)
    for arg in given:
        if not isinstance(arg, sp.Symbol | sp.IndexedBase):
            raise SignatureError(
                f"an argument is a symbol or an IndexedBase, not of type {type(arg).__name__}",
                hint="from_sympy(x * y, [x, y]) with x, y = sympy.symbols('x y')",
            )
    if len(set(given)) != len(given):
        raise SignatureError("an argument is given twice")
    return given


def _entries(expression: Any) -> set[Any]:
    import sympy as sp

    found: set[Any] = expression.atoms(sp.Indexed)
    return found


def _symbols(expression: Any) -> set[Any]:
    """Symbols that are not the labels of indexed ones."""
    import sympy as sp

    found: set[Any] = expression.atoms(sp.Symbol)
    return found - {entry.base.label for entry in _entries(expression)}


# The graph ----------------------------------------------------------------------------------------


def _graph(asked: _Asked, name: str, *, numbers: bool) -> Graph:
    """The graph of the expressions; ``numbers``: the symbols are known to be numbers."""
    import sympy as sp

    nodes: list[Any] = []
    parameters = [_parameter(asked, arg) for arg in asked.args]
    given = dict(zip(asked.args, parameters, strict=True))
    expressions = [_with_numbers(one) for one in asked.expressions]
    shared, plain = sp.cse(expressions, symbols=sp.numbered_symbols("t", cls=sp.Dummy))
    with building(Builder(nodes)):
        known: dict[Any, Operand] = {a: value for a, value in given.items() if a.is_Symbol}
        for expression in expressions:
            for entry in sorted(_entries(expression) - known.keys(), key=str):
                places = tuple(int(place) for place in entry.indices)
                known[entry] = index_of(given[entry.base], places)
        select = choose if numbers else _of_dtype(asked, given)
        for symbol, part in shared:
            (known[symbol],) = values_of([part], known, select)
        results = values_of(plain, known, select)
        if not numbers:
            results = _of_full_shape(asked, results, given)
        result = results[0] if asked.shape is None else array_of(_nested(results, asked.shape))
    inputs = tuple(Input((_path(asked, k),)) for k in range(len(parameters)))
    return Graph(name, Block(tuple(parameters), nodes, (result,)), inputs, Leaf(0))


def _of_dtype(asked: _Asked, given: dict[Any, Value]) -> Callable[..., Any]:
    """``where``, of the shape and dtype of all symbols where some are read by the condition alone.

    Else it would be in double precision where it chooses between numbers.
    """
    symbols = {given[symbol] for symbol in asked.symbols}

    def select(condition: Value, then: Value, orelse: Value) -> Any:
        if symbols & _read(condition) - _read(then, orelse):
            then = add(then, _zeros(asked, given))
        return where(condition, then, orelse)

    return select


def _read(*values: Value) -> set[Value]:
    """The values with all that they are computed from."""
    found: set[Value] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            pending += [] if value.node is None else value.node.operands
    return found


def _zeros(asked: _Asked, given: dict[Any, Value]) -> Any:
    """Zeros of the shape and dtype of all symbols.

    ``maximum`` broadcasts and promotes as arithmetic does, and warns of nothing.
    """
    return _zeros_like(functools.reduce(maximum, (given[symbol] for symbol in asked.symbols)))


def _with_numbers(expression: Any) -> Any:
    """The expression with numbers that are no fractions as decimal ones, so that they combine."""
    import sympy as sp

    numbers = {
        one: one.evalf(_DIGITS)
        for one in expression.atoms(sp.NumberSymbol, sp.Pow, sp.Function)
        if one.is_number and one.is_real
    }
    return expression.xreplace(numbers)


def _path(asked: _Asked, position: int) -> str:
    """The name of an argument; those of one name are told apart."""
    names = [str(getattr(arg, "name", None) or arg) for arg in asked.args]
    name = names[position]
    return name if name not in names[:position] else f"{name}_{position}"


def _parameter(asked: _Asked, arg: Any) -> Value:
    if arg.is_Symbol:
        return Value(_NUMBER, name=str(arg))
    ranks = {len(e.indices) for one in asked.expressions for e in _entries(one) if e.base == arg}
    shape = tuple(Size(f"{arg}.{axis}", long=True) for axis in range(max(ranks, default=1)))
    return Value(ArrayType(np.dtype("float64"), shape), name=str(arg))


def _of_full_shape(asked: _Asked, results: list[Value], given: dict[Any, Value]) -> list[Value]:
    """Expressions that lack a symbol, with zeros of the shape and dtype of all added."""
    if not any(map(asked.lacking, asked.expressions)):
        return results
    zeros = _zeros(asked, given)
    pairs = zip(asked.expressions, results, strict=True)
    return [add(value, zeros) if asked.lacking(one) else value for one, value in pairs]


def _nested(values: Sequence[Value], shape: tuple[int, ...]) -> Any:
    if not shape:
        return values[0]
    step = len(values) // max(shape[0], 1)
    return [_nested(values[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


# The text -----------------------------------------------------------------------------------------


def _joined(general: Emitted, numbers: Emitted, asked: _Asked) -> Emitted:
    """The general text after that for floats, behind a test of the arguments."""
    head, body = divided(general.text)
    tested = [
        p.name for p, arg in zip(general.parameters, asked.args, strict=True) if arg.is_Symbol
    ]
    test = " and ".join(f"isinstance({name}, float)" for name in tested)
    own = textwrap.indent("\n".join(divided(numbers.text)[1]), "    ")
    text = "\n".join([*head, f"    if {test}:", own, *body]) + "\n"
    modules = {**general.modules, **numbers.modules}
    objects = {**general.objects, **numbers.objects}
    return Emitted(general.name, text, general.parameters, modules, objects)
