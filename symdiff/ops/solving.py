"""Calls of solvers that call a graph back, and what their results are by the equations they solve.

``solver_call`` is the call: ``brentq(f, a, b, args=(k,))``, in which ``f`` is the graph in the cell
``callee``. Its own parameters come first, then what else it reads, which the solver hands on as
``args=``: the last ``extras`` operands. It has no derivative. ``where`` is the place of the call in
the user's file, where the solver says whether it has converged: if not, a warning does too.

``solution`` is the value that a solver has found; its derivative is by the equation that it fulfils
(``rule``), with the graph of which it was found. ``differentiate.solving`` has these rules, which
are made of solvers and solutions again, and so hold at every order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Attributes, Block, Graph, GraphCell, Node, Value
from symdiff.ir.types import Type
from symdiff.ops import support
from symdiff.ops.declare import EVALUATED, Operation, SeveralResults, literal, supporting
from symdiff.ops.effects import Keywords, Named, fill, spell_the_call
from symdiff.ops.flops import nothing
from symdiff.ops.keys import Slot

ARRIVAL = ("arrival",)  # what is picked of what solves a differential equation: the last state

# The call -----------------------------------------------------------------------------------------


def _infer_call(*operands: Type, types: tuple[Type, ...], **others: Any) -> tuple[Type, ...]:
    return types


def _evaluate_call(
    *operands: Any,
    callee: GraphCell,
    extras: int,
    function: Named,
    arguments: tuple[Any, ...],
    keywords: Keywords,
    picked: tuple[Any, ...],
    types: tuple[Type, ...],
    where: str | None = None,
) -> Any:
    from symdiff.ir.evaluate import evaluate_graph

    graph = callee.graph
    assert graph is not None

    def callback(*given: Any) -> Any:
        results = evaluate_graph(graph, given)
        return results if len(results) > 1 else results[0]

    given = {name: fill(value, operands) for name, value in keywords}
    if extras:
        given["args"] = tuple(operands[len(operands) - extras :])
    result = function.target(callback, *fill(arguments, operands), **given)
    if picked == ARRIVAL:
        return support.arrival(result)
    return support.picked(result, *picked) if picked else result


def _spell_call(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    attributes = node.attributes
    made = spell_the_call(node, operands)
    target = attributes["function"].target
    if target.__module__ == support.__name__:
        made.func = supporting(target)
    made.args.insert(0, ast.Name(attributes["callee"].name, ast.Load()))
    if attributes["extras"]:
        rest = list(operands[len(operands) - attributes["extras"] :])
        made.keywords.insert(0, ast.keyword("args", ast.Tuple(rest, ast.Load())))
    picked, where = attributes["picked"], attributes.get("where")
    if where is not None:
        extras = attributes["extras"]
        own = ast.Tuple(list(operands[len(operands) - extras :] if extras else ()), ast.Load())
        called = ast.Name(attributes["callee"].name, ast.Load())
        told = [made, called, own, literal(where), *map(literal, picked)]
        return ast.Call(supporting(support.converged), told, [])
    if picked == ARRIVAL:
        return ast.Call(supporting(support.arrival), [made], [])
    if len(picked) == 1:
        return _picked(made, picked[0])
    if not picked:
        return made
    return ast.Call(supporting(support.picked), [made, *map(literal, picked)], [])


def _picked(made: ast.expr, part: Any) -> ast.expr:
    if isinstance(part, str):
        return ast.Attribute(made, part, ast.Load())
    return ast.Subscript(made, literal(part), ast.Load())


solver_call = SeveralResults(
    "solver_call",
    _infer_call,
    _evaluate_call,
    raises=True,
    cost="heavy",
    varied=True,
    spelling=_spell_call,
    flops=nothing,
    documentation="A library function that calls a function back.",
)


def narrowed(node: Node, kept: Sequence[int]) -> Attributes:
    """The attributes of a call of a solver of which some results are read."""
    if len(kept) == len(node.results):
        return node.attributes
    names = "picked", "types"
    own = {name: tuple([node.attributes[name][k] for k in kept]) for name in names}
    return {**node.attributes, **own}


# What is solved -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Solver:
    """How the equation of a solution is solved: by which function, and with which options.

    ``Slot`` in an option stands for one of ``settings``, which are the last operands.
    """

    function: Named
    keywords: Keywords = ()
    settings: tuple[Value, ...] = ()


Pullback: TypeAlias = Callable[..., Mapping[int, Value]]
Tangent: TypeAlias = Callable[..., Value]
EQUATIONS: dict[str, tuple[Pullback, Tangent]] = {}  # rules by name, from ``differentiate``
SLOPES: dict[str, Callable[..., Value]] = {}  # derivatives of graphs by kind, from there too


def _pullback(
    g: Value,
    y: Value,
    wanted: Sequence[int],
    *operands: Value,
    rule: str,
    graph: Graph,
    solver: Solver | None,
    settings: int,
) -> Mapping[int, Value]:
    count = len(operands) - settings
    own = [k for k in wanted if k < count]
    used = _with(solver, operands[count:])
    return EQUATIONS[rule][0](g, y, own, *operands[:count], graph=graph, solver=used)


def _tangent(
    given: Sequence[Value | None],
    y: Value,
    *operands: Value,
    rule: str,
    graph: Graph,
    solver: Solver | None,
    settings: int,
) -> Value:
    count = len(operands) - settings
    used = _with(solver, operands[count:])
    return EQUATIONS[rule][1](given[:count], y, *operands[:count], graph=graph, solver=used)


def _with(solver: Solver | None, settings: tuple[Value, ...]) -> Solver | None:
    return None if solver is None else replace(solver, settings=settings)


solution = Operation(
    "solution",
    lambda value, *operands, **others: (value,),
    lambda value, *operands, **attributes: value,
    cost="free",
    view=0,
    nondifferentiable=frozenset({0}),
    pullback=_pullback,
    tangent=_tangent,
    spelling=lambda node, operands: operands[0],
    sympy=EVALUATED,
    documentation="What a solver has found; its derivative is by the equation that it solves.",
)


def time_first(graph: Graph) -> Graph:
    """The graph with its first two parameters, a state and a time, the other way round."""
    first, second, *rest = zip(graph.block.parameters, graph.inputs, strict=True)
    parameters, inputs = zip(second, first, *rest, strict=True)
    block = Block(parameters, graph.block.nodes, graph.block.results)
    return Graph(graph.name, block, inputs, graph.output, {}, graph.docstring, graph.span)


def shifted(template: Any, by: int) -> Any:
    """A template whose slots are of operands that stand ``by`` places later."""
    if isinstance(template, Slot):
        return Slot(template.number + by)
    if isinstance(template, tuple | list):
        return type(template)(shifted(item, by) for item in template)
    return template


def solution_of(
    value: Value, *operands: Value, graph: Graph, rule: str, solver: Solver | None = None
) -> Value:
    """``value`` with the derivatives of a solution."""
    settings = () if solver is None else solver.settings
    made: Value = solution(
        value,
        *operands,
        *settings,
        graph=graph,
        rule=rule,
        solver=None if solver is None else replace(solver, settings=()),
        settings=len(settings),
    )
    return made
