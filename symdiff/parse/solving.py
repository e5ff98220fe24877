"""Solvers of libraries, which call a function of the user's: it is staged as a graph of its own.

Definitions ask for it (``definitions.solvers``). What the graph reads beside its own parameters,
the ``args=`` of the call and what the user's function captures, the solver hands on to it.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import builder
from symdiff.ir.called import with_nodes_called
from symdiff.ir.control import perform
from symdiff.ir.graph import Graph, GraphCell, Node, Value
from symdiff.ir.signature import Fixed, Signature
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import TEXT, ArrayType, OpaqueType, Size, Type, type_of_constant
from symdiff.ops.defined import valued as beside
from symdiff.ops.effects import Named, enter_context, leave_context, raise_
from symdiff.ops.solving import SLOPES, Solver, solution_of, solver_call, time_first
from symdiff.ops.strong import strong_multiply
from symdiff.parse.opaque import Template
from symdiff.parse.values import Abstract


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """A function of the user's that a solver calls: its graph, and what that reads beside."""

    graph: Graph
    extras: tuple[Value, ...]


def followed(
    stager: Any, callback: Abstract, own: Abstract, args: Abstract, count: int = 1
) -> Followed:
    """The graph of ``callback(*own, *args)``; ``own`` is given by the solver, of these types: a
    text has the sizes of an array of which only the solver knows how long it is (``"2,nodes"``).

    It gives an array or a number, or a tuple of ``count`` of them.
    """
    samples = list(stager.elements(own))
    given = {"args": tuple(map(stager.lifted, stager.elements(args)))}
    names = list(stager.parameters(callback).parameters)
    types = [(n, _sample(stager, v)) for n, v in zip(names, samples, strict=False)]
    signature = Signature((*types, ("args", stager.specification(given["args"]))))
    graph, captured = stager.graph(callback, signature)
    _require_numbers(stager, graph, count)
    rest = graph.inputs[len(samples) :]
    paths = [source.path for source in rest if source.origin == "argument"]
    return Followed(graph, (*stager.leaves(given, paths), *captured))


def _sample(stager: Any, value: Abstract) -> Any:
    if not isinstance(value, str):
        return stager.specification(stager.lifted(value))
    sizes = (int(size) if size.isdigit() else Size(size) for size in value.split(","))
    return ArrayType(np.dtype("float64"), tuple(sizes))


def _require_numbers(stager: Any, graph: Graph, count: int) -> None:
    """Refuse a function that does something else than to compute an array or a number."""
    nodes = with_nodes_called(graph.block.nodes)
    effects = [n for n in nodes if n.op.effect and not _is_harmless(n)]
    if effects:
        raise UnsupportedCallError(
            "a function with effects",
            effects[0].span,
            "let it only return what it computes",
        )
    values = (*graph.block.parameters, *graph.block.results)
    if any(isinstance(v.type, ArrayType) and v.type.dtype.kind == "c" for v in values):
        raise UnsupportedCallError("a function of complex numbers", stager.interp.span)
    if graph.mutated:
        raise UnsupportedCallError(
            "a function that writes to what it is given", stager.interp.span, "copy it first"
        )
    output = graph.output
    parts = output.items if isinstance(output, Container) and count > 1 else (output,)
    texts = any(isinstance(value.type, OpaqueType) for value in graph.block.results)
    if texts or parts != tuple(map(Leaf, range(count))):
        raise UnsupportedCallError(
            "a function that returns no number and no array", stager.interp.span
        )


def _is_harmless(node: Node) -> bool:
    """Return whether an effect raises, or only says what is reported, as ``np.errstate`` does; or
    is what a graph has that is called.
    """
    if node.op is perform:
        return True
    entered = node.operands[0].node if node.op is leave_context else node
    is_named = entered is not None and entered.attributes.get("function") is not None
    return node.op is raise_ or (is_named and node.op in (enter_context, leave_context))


def solver(
    stager: Any,
    function: str,
    callback: Followed,
    arguments: Abstract,
    keywords: Abstract,
    like: Abstract,
    picked: tuple[Any, ...] = (),
) -> Abstract:
    """The result of ``function(callback, *arguments, args=…, **keywords)``, of the types of
    ``like``, of which None stands for what the user's function gives.
    """
    target = _found(function)
    template = Template(stager.interp)
    given = tuple(map(template.of, stager.elements(arguments)))
    options = _options(stager, target, keywords)
    named = tuple((name, template.of(value)) for name, value in options.items())
    span = builder().span
    tells = function in TELLING or options.get("full_output") is True
    where = {"where": span.location.rpartition(":")[0]} if tells and span is not None else {}
    made = solver_call(
        *template.operands,
        *callback.extras,
        callee=GraphCell(callback.graph.name, callback.graph),
        extras=len(callback.extras),
        function=Named(target, target.__name__),
        arguments=given,
        keywords=named,
        picked=picked,
        types=_types(stager, callback, like),
        **where,
    )
    wrap = stager.interp.wrap
    return wrap(made[0]) if len(made) == 1 else tuple(map(wrap, made))


TELLING = frozenset(
    (
        *(f"scipy.optimize.{name}" for name in ("root", "root_scalar", "minimize")),
        "scipy.optimize.minimize_scalar",
        *(
            f"scipy.optimize.{name}"
            for name in ("differential_evolution", "dual_annealing", "shgo")
        ),
        *(f"symdiff.ops.support.{name}" for name in ("boundary_values", "minimized")),
    )
)  # whether they have converged; others do where they are asked for their full output


def _found(name: str) -> Any:
    """A function of a library that the program has imported, by its full name."""
    module, _, own = name.rpartition(".")
    return getattr(sys.modules[module], own)


def _options(stager: Any, function: Any, keywords: Abstract) -> dict[str, Abstract]:
    """Options by name, without those that are what they are by default: None, or as declared."""
    parts = stager.parts(keywords)
    assert parts is not None
    known = inspect.signature(function).parameters
    return {
        name: value
        for name, value in zip(parts[1], parts[2], strict=True)
        if not _is_default(value, known[name].default if name in known else None)
    }


def _is_default(value: Abstract, default: Any) -> bool:
    if value is None or isinstance(value, bool | str):
        return type(value) is type(default) and bool(value == default)
    return isinstance(value, int | float) and isinstance(default, int | float) and value == default


def _types(stager: Any, callback: Followed, like: Abstract) -> tuple[Type, ...]:
    """The types of parts; None stands for what the user's function gives, ``...`` for a text."""
    parts = like if isinstance(like, tuple) else (like,)
    own = {id(None): callback.graph.block.results[0].type, id(...): TEXT}
    return tuple(
        own[id(part)] if id(part) in own else _opened(stager.specification(stager.lifted(part)))
        for part in parts
    )


def _opened(specification: Any) -> Type:
    """The type, in which a size 0 stands for one that only the solver knows."""
    if isinstance(specification, Fixed):
        return type_of_constant(specification.value)
    type_: ArrayType = specification
    dims = (Size("times", open=True) if dim == 0 else dim for dim in type_.shape)
    return replace(type_, shape=tuple(dims))


def solution(
    stager: Any,
    rule: str,
    value: Abstract,
    callback: Followed,
    operands: Abstract = (),
    function: str | None = None,
    keywords: Abstract = None,
) -> Abstract:
    """The value, which a solver found, with the derivatives that the equation gives it."""
    interp = stager.interp
    found, *others = map(interp.lift, map(stager.lifted, (value, *stager.elements(operands))))
    used = None
    if function is not None:
        target = _found(function)
        template = Template(interp)
        options = _options(stager, target, keywords).items()
        named = tuple((name, template.of(option)) for name, option in options)
        used = Solver(Named(target, target.__name__), named, tuple(template.operands))
    graph = callback.graph
    if used is not None and used.function.name == "solve_ivp":  # rules take the state first
        graph = time_first(graph)
    made = solution_of(found, *others, *callback.extras, graph=graph, rule=rule, solver=used)
    return interp.wrap(made)


def slope(stager: Any, kind: str, callback: Followed, at: Abstract) -> Abstract:
    """The derivative of what a function gives, by the row of numbers that it is given."""
    interp = stager.interp
    point = interp.lift(stager.lifted(at))
    return interp.wrap(SLOPES[kind](callback.graph, point, callback.extras))


def valued(stager: Any, made: Abstract, value: Abstract) -> Abstract:
    """The value, with the derivative of what was made of its parts."""
    interp = stager.interp
    return interp.wrap(beside(interp.lift(made), interp.lift(value)))


def strong_product(stager: Any, value: Abstract, factor: Abstract) -> Abstract:
    """The product, 0 where the value is 0 whatever the factor is, as are derivatives by it."""
    interp = stager.interp
    return interp.wrap(strong_multiply(interp.lift(value), interp.lift(factor)))
