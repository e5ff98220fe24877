"""A graph evaluated on expressions: symbols for its inputs enter, SymPy expressions leave.

The counterpart of ``ir.evaluate``: each op by its meaning in SymPy, which is declared with it. A
number is an expression, an array is NumPy's array of expressions, a list or a tape a list of them.
Loops whose number of turns is known are unrolled, branches become ``Piecewise``. What is not known
here is refused with the user's line.

A graph that needs the value of an integer to go on asks for it by ``Needed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from symdiff.errors import InternalError, SymdiffError, UnsupportedCallError
from symdiff.ir.build import constant
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Value
from symdiff.ir.types import ArrayType, Type
from symdiff.ops.declare import EVALUATED, DeclaredOp, OfTruths, OnArrays
from symdiff.ops.effects import (
    assert_,
    enter_context,
    leave_context,
    never_returns,
    print_,
    set_attribute,
    set_item,
    store,
)
from symdiff.ops.meanings import number_of_truth, select
from symdiff.symbolic.numbers import exact, native

_MOST_NODES = 200_000
_MOST_OPERATIONS = 10_000
_MOST_IN_A_CONDITION = 50  # where it has branches: SymPy takes all combinations
_OUTSIDE: frozenset[DeclaredOp] = frozenset(
    {print_, assert_, store, set_attribute, set_item, enter_context, leave_context}
)


class Needed(Exception):  # noqa: N818 - a request, not an error: evaluation restarts with it known
    """Evaluation goes on only where these integers are known."""

    def __init__(self, symbols: frozenset[Any]) -> None:
        super().__init__(symbols)
        self.symbols = symbols


def expressions_of(
    graph: Graph, arguments: Sequence[Any], knowable: Iterable[Any] = ()
) -> list[Any]:
    """What the results of a graph are, as expressions, for expressions of its parameters.

    :param knowable: symbols of integers whose values may be asked for.
    :raises Needed: where one of them has to be known.
    :raises UnsupportedCallError: where something has no closed form; it shows the line.
    """
    return _Evaluation(frozenset(knowable)).graph(graph, arguments)


class _Evaluation:
    """One pass over a graph."""

    def __init__(self, knowable: frozenset[Any]) -> None:
        self.knowable = knowable
        self.known: dict[Value, Any] = {}
        self.nodes = 0
        self.sizes: dict[Any, int] = {}

    def graph(self, graph: Graph, arguments: Sequence[Any]) -> list[Any]:
        if never_returns(graph.block):
            raise UnsupportedCallError("a function that raises has no closed form", graph.span)
        return self.block(graph.block, arguments)

    def block(self, block: Block, arguments: Iterable[Any]) -> list[Any]:
        self.known.update(zip(block.parameters, arguments, strict=True))
        for node in block.nodes:
            self.nodes += 1
            if self.nodes > _MOST_NODES:
                raise _refused(node, f"more than {_MOST_NODES} operations have no closed form")
            results = self.results(node)
            self.refuse_huge(node, results)
            self.known.update(zip(node.results, results, strict=True))
        return [self.known[value] for value in block.results]

    def refuse_huge(self, node: Node, results: Sequence[Any]) -> None:
        """Refuse what nobody can read: shared parts count as often as they are written."""
        total = sum(self.size(entry) for result in results for entry in entries_in(result))
        if total > _MOST_OPERATIONS:
            raise _refused(
                node, f"a closed form of {total:.3g} operations is too long to be of use"
            )

    def size(self, expression: Any) -> int:
        """How many operations an expression has, written out."""
        sizes, pending = self.sizes, [expression]
        while pending:
            one = pending[-1]
            missing = () if one in sizes else [part for part in one.args if part not in sizes]
            if missing:
                pending.extend(missing)
                continue
            sizes[one] = min(1 + sum(sizes[part] for part in one.args), 10**30)
            pending.pop()
        return sizes[expression]

    def results(self, node: Node) -> Sequence[Any]:
        if node.op is constant:
            return [exact(node.attributes["value"])]
        if node.op is undefined:
            return [None]
        if node.op is cond:
            return self.branch(node)
        if node.op is loop:
            return self.loop(node)
        if node.op in CALLS:
            return self.called(node)
        return self.applied(node)

    def called(self, node: Node) -> Sequence[Any]:
        cell: GraphCell = node.attributes["callee"]
        if cell.graph is None:
            raise InternalError(f"graph {cell.name!r} was never filled", node.span)
        raise _refused(node, "a function that calls itself has no closed form")

    # Ops

    def applied(self, node: Node) -> Sequence[Any]:
        op = node.op
        if not isinstance(op, DeclaredOp):
            raise _refused(node, f"{op.name} has no closed form")
        if op.effect:
            if op in _OUTSIDE:
                return [None] * len(node.results)
            raise _refused(node, f"{_named(op)} has no closed form")
        operands = [self.known[value] for value in node.operands]
        try:
            result = self.meant(op, node, operands)
        except (Needed, SymdiffError):
            raise
        except Exception as error:  # a meaning may fail in any way on what it does not know
            numbers = [x for v, x in _paired(node, operands) if _is_integer(v.type)]
            symbols = _symbols(numbers) & self.knowable
            if symbols:
                raise Needed(symbols) from error
            raise _refused(node, f"{_named(op)} has no closed form here: {error}") from error
        if len(node.results) == 1:
            return [_typed(result, node.result.type)]
        return [_typed(one, v.type) for one, v in zip(result, node.results, strict=True)]

    def meant(self, op: DeclaredOp, node: Node, operands: list[Any]) -> Any:
        meaning = op.sympy
        if meaning is None:
            pairs = _paired(node, operands)
            return self.evaluated(op, node, [self.value(node, v, x) for v, x in pairs])
        if meaning is EVALUATED:
            pairs = _paired(node, operands)
            return self.evaluated(op, node, [_prepared(node, v, x) for v, x in pairs])
        if isinstance(meaning, OnArrays):
            return meaning.function(_sympy(), *operands, **node.attributes)
        return self.elementwise(meaning, node, operands)

    def elementwise(self, meaning: Any, node: Node, operands: list[Any]) -> Any:
        function, truths = _resolved(meaning, len(operands))
        given = [_truth(x) if k in truths else _number(x) for k, x in enumerate(operands)]
        attributes = {k: v for k, v in node.attributes.items() if k not in ("ufunc", "fractional")}

        def of(*entries: Any) -> Any:
            result = function(*entries, **attributes)
            if result is None:
                raise _refused(node, f"what {_named(node.op)} gives here is not known")
            return result

        return over_entries(of, *given)

    def evaluated(self, op: DeclaredOp, node: Node, operands: list[Any]) -> Any:
        """The op's own reference meaning, on arrays of expressions or on numbers."""
        if op.evaluate is None:
            raise _refused(node, f"{_named(op)} has no closed form")
        return op.evaluate(*operands, **node.attributes)

    def value(self, node: Node, value: Value, expression: Any) -> Any:
        """The number or the array that an operand is known to be; asks for it, or refuses."""
        if not isinstance(value.type, ArrayType):
            return expression
        known = native(expression, value.type)
        if known is not None:
            return known
        symbols = _symbols(expression) & self.knowable
        if symbols:
            raise Needed(symbols)
        shown = "" if value.name is None else f" of {value.name!r}"
        what = "this loop" if node.op is loop else _named(node.op)
        raise UnsupportedCallError(
            f"there is no closed form: {what} depends on the value{shown}",
            node.span,
            "give numbers, not types, for the integers that the structure depends on",
        )

    # Control

    def branch(self, node: Node) -> Sequence[Any]:
        predicate = _truth(self.known[node.operands[0]])
        sp = _sympy()
        if predicate in (sp.true, sp.false):
            return self.block(node.blocks[0 if predicate == sp.true else 1], ())
        if predicate.has(sp.Piecewise) and self.size(predicate) > _MOST_IN_A_CONDITION:
            raise _refused(node, "conditions upon conditions have no closed form of use")
        then, orelse = node.blocks
        if never_returns(then) or never_returns(orelse):  # it holds where the function returns
            return self.block(orelse if never_returns(then) else then, ())
        pairs = zip(self.block(then, ()), self.block(orelse, ()), strict=True)
        return [self.joined(node, predicate, a, b) for a, b in pairs]

    def joined(self, node: Node, predicate: Any, a: Any, b: Any) -> Any:
        """What is ``a`` where the predicate holds, else ``b``."""
        if a is None or b is None:
            return a if b is None else b
        if isinstance(a, list | tuple) or isinstance(b, list | tuple):
            if not isinstance(b, type(a)) or len(a) != len(b):
                raise _refused(node, "branches that differ in lengths have no closed form")
            return type(a)(self.joined(node, predicate, *pair) for pair in zip(a, b, strict=True))
        if np.shape(a) != np.shape(b):
            raise _refused(node, "branches that differ in shape have no closed form")
        sp = _sympy()
        if isinstance(a, sp.logic.boolalg.Boolean) and isinstance(b, sp.logic.boolalg.Boolean):
            return sp.ITE(predicate, a, b)
        a, b = _number(a), _number(b)
        return over_entries(lambda x, y: select(sp, predicate, x, y), a, b)

    def loop(self, node: Node) -> Sequence[Any]:
        view = LoopView(node)
        bound = view.count
        known = None if bound is None else self.value(node, bound, self.known[bound])
        count = None if known is None else max(int(known), 0)
        carries = [self.known[value] for value in view.initial]
        tapes = [self.known[value] for value in view.xs]
        pushed: list[list[Any]] = []
        turn = 0
        while turn != count and self.goes_on(node, view, turn, carries):
            index = count - 1 - turn if view.reverse and count is not None else turn
            elements = [tape[index] for tape in tapes]
            results = self.block(view.body, [exact(index), *carries, *elements])
            carries = results[: view.carry_count]
            pushed.append(results[view.carry_count :])
            turn += 1
        if view.reverse:
            pushed.reverse()
        ys = [[element[k] for element in pushed] for k in range(len(view.ys))]
        return [*carries, *ys, exact(turn)]

    def goes_on(self, node: Node, view: LoopView, turn: int, carries: list[Any]) -> bool:
        if view.condition is None:
            return True
        (predicate,) = self.block(view.condition, [exact(turn), *carries])
        predicate = _truth(predicate)
        sp = _sympy()
        if predicate in (sp.true, sp.false):
            return bool(predicate == sp.true)
        symbols = _symbols(predicate) & self.knowable
        if symbols:
            raise Needed(symbols)
        raise _refused(node, "a loop whose number of turns depends on data has no closed form")


# Expressions --------------------------------------------------------------------------------------


def over_entries(function: Callable[..., Any], *operands: Any) -> Any:
    """A function of expressions applied to each entry of arrays, which are broadcast."""
    if not any(isinstance(x, np.ndarray) for x in operands):
        return function(*operands)
    return np.frompyfunc(function, len(operands), 1)(*map(boxed, operands))


def entries_in(result: Any) -> Iterator[Any]:
    """The expressions in an array or in lists of such."""
    if isinstance(result, list | tuple):
        for item in result:
            yield from entries_in(item)
    elif isinstance(result, np.ndarray):
        yield from (entry for entry in result.flat if hasattr(entry, "args"))
    elif hasattr(result, "args"):
        yield result


def boxed(expression: Any) -> Any:
    """An expression as an array of rank 0; arrays as they are."""
    if isinstance(expression, np.ndarray):
        return expression
    array = np.empty((), dtype=object)
    array[()] = expression
    return array


def _sympy() -> Any:
    import sympy

    return sympy


def _paired(node: Node, operands: Sequence[Any]) -> Iterable[tuple[Value, Any]]:
    return zip(node.operands, operands, strict=True)


def _prepared(node: Node, value: Value, expression: Any) -> Any:
    """An operand of an op that moves entries: numbers where they are known to be integers."""
    if not isinstance(value.type, ArrayType):
        return expression
    if value.type.dtype.kind in "biu":
        known = native(expression, value.type)
        if known is not None:
            return known
    to = node.results[0].type
    if value.type.dtype.kind == "b" and not (isinstance(to, ArrayType) and to.dtype.kind == "b"):
        expression = _number(expression)
    return boxed(expression) if value.type.kind == "array" else expression


def _resolved(meaning: Any, operands: int) -> tuple[Callable[..., Any], frozenset[int]]:
    """The function of expressions, and which operands are truth values."""
    sp = _sympy()
    if isinstance(meaning, OfTruths):
        return lambda *xs, **more: meaning.function(sp, *xs, **more), meaning.positions
    if callable(meaning):
        return lambda *xs, **more: meaning(sp, *xs, **more), frozenset()
    function = getattr(sp, meaning)
    logical = isinstance(function, type) and issubclass(function, sp.logic.boolalg.BooleanFunction)
    return lambda *xs: function(*xs), frozenset(range(operands)) if logical else frozenset()


def _truth(x: Any) -> Any:
    """Truth values of numbers."""
    sp = _sympy()
    boolean = sp.logic.boolalg.Boolean
    return over_entries(
        lambda e: e if isinstance(e, boolean) and not isinstance(e, sp.Expr) else sp.Ne(e, 0), x
    )


def _number(x: Any) -> Any:
    """Numbers, 1 and 0 of truth values."""
    sp = _sympy()
    return over_entries(lambda e: number_of_truth(sp, e), x)


def _typed(result: Any, type_: Type) -> Any:
    """A result as the invariant wants it: expressions, truth values exactly of dtype bool."""
    if not isinstance(type_, ArrayType) or result is None:
        return exact(result) if isinstance(result, int) else result
    expression = exact(result)
    if isinstance(expression, np.ndarray) and expression.ndim == 0:
        expression = expression[()]
    return _truth(expression) if type_.dtype.kind == "b" else _number(expression)


def _symbols(expression: Any) -> frozenset[Any]:
    if isinstance(expression, np.ndarray | list | tuple):
        items = expression.flat if isinstance(expression, np.ndarray) else expression
        return frozenset().union(*(_symbols(item) for item in items))
    return frozenset(getattr(expression, "free_symbols", ()))


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and type_.dtype.kind in "biu"


def _named(op: Any) -> str:
    return str(op.name).rstrip("_")


def _refused(node: Node, message: str) -> UnsupportedCallError:
    return UnsupportedCallError(message, node.span)
