"""Expressions → Python functions: the text of plain NumPy code that computes them, loaded.

The one is an ordinary function with source, which symdiff follows as it follows a user's. The
text is emitted from a graph that the expressions' ops make, common parts once. Symbols may be
numbers or arrays, which are broadcast; an expression that lacks one of them gets zeros of the
shape and dtype of all added. Where that, or a branch, is written better for numbers alone, floats
have a text of their own before the general one.

The other is only called, and need not be followed: it computes the same, but asks of arrays whether
anything has to be broadcast (``spreading``), and computes with Python's floats by ``math``.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symdiff.emit import Emitted, emit_source
from symdiff.emit.fallback import divided, tried_in
from symdiff.errors import SignatureError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, Graph, Input, Node, Operand, Value
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import FLOAT, ArrayType, Size
from symdiff.ops.arithmetic import add, choose, maximum, where
from symdiff.ops.arrays import array_of
from symdiff.ops.casts import astype
from symdiff.ops.creation import empty
from symdiff.ops.declare import StageOperation, call, supporting, supporting_call
from symdiff.ops.index import index_of, index_set_of
from symdiff.ops.symbolic import Select, values_of
from symdiff.optimise.dead_code import eliminate_dead_code
from symdiff.optimise.floats import on_floats
from symdiff.runtime.load import load
from symdiff.symbolic import spreading

Function = Callable[..., Any]
Form = Callable[["_Asked", list[Value], dict[Any, Value]], Value]  # what the results are put into
_NUMBER = ArrayType(np.dtype("float64"), (), "scalar")
_DIGITS = 30  # of numbers before they are rounded, once

# Of values whose rank is not known where the text is written, so no ops of programs.
_zeros_like = StageOperation(
    "zeros_like", lambda x: (x,), np.zeros_like, spelling=call("np.zeros_like")
)


def _spell_put_together(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    shape = node.attributes["shape"]
    items, symbols = operands[: math.prod(shape)], operands[math.prod(shape) :]
    nested = [ast.Constant(len(shape)), _list_of(_nested(items, shape))]
    return ast.Call(supporting(node.attributes["by"]), [*nested, *symbols], [])


def _list_of(nested: Any) -> ast.expr:
    return ast.List([*map(_list_of, nested)], ast.Load()) if isinstance(nested, list) else nested


_put_together = StageOperation(
    "put_together",
    lambda *values, shape, by: (values[0],),
    lambda *values, shape, by: by(len(shape), _nested(values, shape), *values[math.prod(shape) :]),
    spelling=_spell_put_together,
)
_spread = StageOperation(
    "spread",
    lambda value, *lacking: (value,),
    spreading.spread,
    spelling=supporting_call(spreading.spread),
)


def functions_of(expression: Any, args: Sequence[Any], name: str) -> tuple[Function, Function]:
    """Functions of ``args``, symbols and indexed bases, that compute an expression or a matrix.

    The first one is followed, the second one called.

    :raises SignatureError: for what is no expression, or has symbols that are not among ``args``.
    :raises UnsupportedCallError: for a function of SymPy that NumPy does not have.
    """
    asked = _Asked.of(expression, args)
    followed = _emitted(_graph(asked, name, _with_zeros), name)
    called = _emitted(_graph(asked, name, _looked_at), name) if asked.is_incomplete else followed
    by_math = _by_math(asked, name)
    if asked.differs:
        numbers = _emitted(_graph(asked, name, _as_they_are, choose), name)
        followed = _joined(followed, numbers, _instances(asked, numbers))
        if asked.shape is None or by_math is None:
            numbers = _emitted(_graph(asked, name, _item_by_item, choose), name)
            called = _joined(called, numbers, _instances(asked, numbers))
    if by_math is not None:
        test = _types(by_math) if asked.shape is None else _instances(asked, by_math)
        called = _joined(called, by_math, test, tried=True)
    function = load(followed)
    return function, function if called.text == followed.text else load(called)


def _emitted(graph: Graph, name: str) -> Emitted:
    """The text; nothing is written in place, since shapes and dtypes are not known here."""
    return emit_source(graph, name, fresh=False, augmented=False)


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
        """Return whether there are symbols whose shape an expression does not have of itself."""
        return not _symbols(expression).issuperset(self.symbols)

    @property
    def is_incomplete(self) -> bool:
        """True if there are expressions that lack symbols."""
        return any(map(self.lacking, self.expressions))

    @property
    def is_mixed(self) -> bool:
        """True if all symbols stand in some expression, and some in each."""
        found = [_symbols(one) if one.is_commutative else set() for one in self.expressions]
        return all(found) and set[Any]().union(*found).issuperset(self.symbols)

    @property
    def differs(self) -> bool:
        """True if numbers are computed better by a text of their own."""
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


def _graph(asked: _Asked, name: str, form: Form, select: Select | None = None) -> Graph:
    """The graph of the expressions, which are put into the form of what is returned.

    ``select`` writes branches; without, they may be of arrays.
    """
    nodes: list[Any] = []
    parameters = [_parameter(asked, arg, _NUMBER) for arg in asked.args]
    given = dict(zip(asked.args, parameters, strict=True))
    with building(Builder(nodes)):
        values = _values(asked, given, select or _of_dtype(asked, given))
        result = form(asked, values, given)
    return Graph(name, Block(tuple(parameters), nodes, (result,)), _inputs(asked), Leaf(0))


def _inputs(asked: _Asked) -> tuple[Input, ...]:
    return tuple(Input((_path(asked, k),)) for k in range(len(asked.args)))


def _values(asked: _Asked, given: dict[Any, Value], select: Select) -> list[Value]:
    """The values of the expressions, common parts once."""
    import sympy as sp

    expressions = [_with_numbers(one) for one in asked.expressions]
    shared, plain = sp.cse(expressions, symbols=sp.numbered_symbols("t", cls=sp.Dummy))
    known: dict[Any, Operand] = {a: value for a, value in given.items() if a.is_Symbol}
    for expression in expressions:
        for entry in sorted(_entries(expression) - known.keys(), key=str):
            places = tuple(int(place) for place in entry.indices)
            known[entry] = index_of(given[entry.base], places)
    for symbol, part in shared:
        (known[symbol],) = values_of([part], known, select)
    return values_of(plain, known, select)


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


def _parameter(asked: _Asked, arg: Any, number: ArrayType) -> Value:
    if arg.is_Symbol:
        return Value(number, name=str(arg))
    ranks = {len(e.indices) for one in asked.expressions for e in _entries(one) if e.base == arg}
    shape = tuple(Size(f"{arg}.{axis}", long=True) for axis in range(max(ranks, default=1)))
    return Value(ArrayType(np.dtype("float64"), shape), name=str(arg))


# The forms of what is returned --------------------------------------------------------------------


def _as_they_are(asked: _Asked, values: list[Value], given: dict[Any, Value]) -> Value:
    """The value, or an array of the values."""
    if asked.shape is None:
        return values[0]
    return array_of(_nested(values, asked.shape))


def _with_zeros(asked: _Asked, values: list[Value], given: dict[Any, Value]) -> Value:
    """What is returned, with zeros of the shape and dtype of all symbols added where some lack."""
    if asked.is_incomplete:
        zeros = _zeros(asked, given)
        pairs = zip(asked.expressions, values, strict=True)
        values = [add(value, zeros) if asked.lacking(one) else value for one, value in pairs]
    return _as_they_are(asked, values, given)


def _looked_at(asked: _Asked, values: list[Value], given: dict[Any, Value]) -> Value:
    """What is returned, by a function that looks at the shapes; it is fresh either way."""
    symbols = [given[symbol] for symbol in asked.symbols]
    if values[0] in symbols and asked.shape is None:
        return _with_zeros(asked, values, given)
    if asked.shape is None:
        (only,) = map(_symbols, asked.expressions)
        return _spread(values[0], *(given[one] for one in asked.symbols if one not in only))
    by = spreading.gathered if asked.is_mixed else spreading.filled
    return _put_together(*values, *symbols, shape=asked.shape, by=by)


def _item_by_item(asked: _Asked, values: list[Value], given: dict[Any, Value]) -> Value:
    """Numbers written into an array one by one: faster than lists of lists."""
    shape = asked.shape or ()
    if not values or any(value.type != FLOAT and value.type != _NUMBER for value in values):
        return _as_they_are(asked, values, given)
    if not shape:
        return values[0]
    made: Value = empty(*shape, shape=shape, dtype=_NUMBER.dtype)
    for place, value in zip(np.ndindex(*shape), values, strict=True):
        made = index_set_of(made, value, place)
    return made


def _nested(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return values[0]
    step = len(values) // max(shape[0], 1)
    return [_nested(values[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


# The text -----------------------------------------------------------------------------------------


def _by_math(asked: _Asked, name: str) -> Emitted | None:
    """The text for Python's floats, where ``math`` is faster than NumPy on them."""
    nodes: list[Any] = []
    parameters = tuple(_parameter(asked, arg, FLOAT) for arg in asked.args)
    given = dict(zip(asked.args, parameters, strict=True))
    with building(Builder(nodes)):
        values = _values(asked, given, choose)
    places = range(len(values))
    output = Container(tuple, tuple(places), tuple(map(Leaf, places)))
    whole = Graph(name, Block(parameters, nodes, tuple(values)), _inputs(asked), output)
    graph = on_floats(whole, own_value=False)
    if graph is None:
        return None
    with building(Builder(graph.block.nodes)):
        result = _item_by_item(asked, [*map(_unwrapped, graph.block.results)], {})
    block = Block(graph.block.parameters, graph.block.nodes, (result,))
    made = eliminate_dead_code(replace(graph, block=block, output=Leaf(0)))
    return _emitted(made, name)


def _unwrapped(value: Value) -> Value:
    """The Python number of which NumPy's was made."""
    is_cast = value.node is not None and value.node.op is astype
    return value.node.operands[0] if is_cast and value.node is not None else value


def _instances(asked: _Asked, emitted: Emitted) -> str:
    """The test that all symbols are floats, NumPy's too."""
    pairs = zip(emitted.parameters, asked.args, strict=True)
    return " and ".join(f"isinstance({p.name}, float)" for p, arg in pairs if arg.is_Symbol)


def _types(emitted: Emitted) -> str:
    """The test that all arguments are Python's floats; of others, the first one ends it."""
    return " is ".join(["float", *(f"type({p.name})" for p in emitted.parameters)])


def _joined(general: Emitted, special: Emitted, test: str, *, tried: bool = False) -> Emitted:
    """The general text after a special one behind a test of the arguments.

    ``tried``: the general one also takes over where the special one raises.
    """
    head, body = divided(general.text)
    own = divided(special.text)[1]
    own = tried_in(own) if tried else own
    text = "\n".join([*head, f"    if {test}:", *(f"    {line}" for line in own), *body]) + "\n"
    modules = {**general.modules, **special.modules}
    objects = {**general.objects, **special.objects}
    return Emitted(general.name, text, general.parameters, modules, objects)
