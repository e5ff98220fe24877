"""The derivatives of what solvers find, by the equations that it fulfils.

``zero`` and ``zeros``: ``F(x, θ) = 0`` gives ``∂F/∂x dx = -∂F/∂θ dθ`` (the implicit function
theorem), of each number by itself or of a system; ``bottom`` and ``minimum`` the same of the
gradient.

``arrival``: where a state is carried by ``dy/dt = f(y, t, θ)`` from one time to another. Its
tangent is carried beside it, its cotangent back, each by the solver that carries the state, with
its tolerances, in one row with what they depend on and what is summed on the way.

``integral``: of ``f(x, θ)`` from one number to another, by Leibniz' rule: that of the derivative,
and ``f`` at the ends. Of several numbers it is one integral of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from symdiff.differentiate.activity import analyse
from symdiff.differentiate.calls import Calls
from symdiff.differentiate.cotangents import fitted
from symdiff.differentiate.forward import jvp
from symdiff.differentiate.reverse import vjp
from symdiff.differentiate.rows import rows_of, unit_of
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.graph import Block, Graph, GraphCell, Value
from symdiff.ir.structure import Leaf, tuple_of
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.ops import reduce, support
from symdiff.ops.creation import ones, zeros_of
from symdiff.ops.effects import Named
from symdiff.ops.index import index_of
from symdiff.ops.joining import concatenate
from symdiff.ops.keys import Slot
from symdiff.ops.linalg import solve
from symdiff.ops.products import matmul
from symdiff.ops.reduce import reshape_like
from symdiff.ops.rules import inlined
from symdiff.ops.shape import reshape, transpose
from symdiff.ops.sizes import dim_of, product, sizes_of
from symdiff.ops.solving import (
    ARRIVAL,
    EQUATIONS,
    SLOPES,
    Solver,
    shifted,
    solution_of,
    solver_call,
    time_first,
)


def _pushed(graph: Graph, given: Sequence[Value], tangents: Mapping[int, Value]) -> Value:
    """The tangent of what a graph computes, from tangents of some of its inputs."""
    wrt = sorted(tangents)
    made = jvp(graph, wrt, output=tuple_of(1, len(graph.block.results)))
    (result,) = inlined(made, _as_parameters(made, [*given, *(tangents[k] for k in wrt)]))
    return result


def _as_parameters(graph: Graph, given: Sequence[Value]) -> list[Value]:
    """Numbers as the graph takes them: NumPy's quotients, say, as Python's."""
    return [
        fitted(value, parameter) if _is_number(value) and _is_number(parameter) else value
        for value, parameter in zip(given, graph.block.parameters, strict=True)
    ]


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind != "array"


def _pulled(
    graph: Graph, given: Sequence[Value], wrt: Sequence[int], cotangent: Value
) -> dict[int, Value]:
    """The cotangents of some inputs of a graph, from that of what it computes."""
    made = vjp(graph, wrt, output=tuple_of(len(wrt), len(graph.block.results)))
    found = inlined(made, _as_parameters(made, [*given, cotangent]))
    return dict(zip(wrt, found, strict=True))


def _dependent(graph: Graph, numbers: Sequence[int]) -> list[int]:
    """The inputs on which what a graph computes depends, of those given."""
    parameters, results = graph.block.parameters, graph.block.results
    carrying = [k for k in numbers if carries_derivative(parameters[k].type)]
    active = {
        k: analyse(graph.block, [parameters[k]], results, Calls().dependencies).active
        for k in carrying
    }
    return [k for k in carrying if not active[k].isdisjoint(results)]


# Roots --------------------------------------------------------------------------------------------


def _slope(graph: Graph, y: Value, extras: Sequence[Value], rule: str) -> Value:
    """``∂F/∂x`` at the root: a number, or a matrix."""
    if rule == "zero":
        return _each(graph, y, extras)

    def column(seed: Value) -> list[Value]:
        return [_pushed(graph, [y, *extras], {0: seed})]

    (matrix,) = rows_of(y, [y], column, columns=True)
    return matrix


def _jacobian(graph: Graph, y: Value, extras: Sequence[Value]) -> Value:
    """The derivatives of a row of numbers by those of another one."""
    (like,) = inlined(graph, _as_parameters(graph, [y, *extras]))

    def column(seed: Value) -> list[Value]:
        return [_pushed(graph, [y, *extras], {0: seed})]

    (matrix,) = rows_of(y, [like], column, columns=True)
    return matrix


def _each(graph: Graph, y: Value, extras: Sequence[Value]) -> Value:
    """The derivative of each number that a function gives by the one in its place."""
    type_ = y.type
    one = unit_of(y)
    if isinstance(type_, ArrayType) and type_.shape:  # a tangent has the shape of its primal
        one = ones(*sizes_of(y), shape=type_.shape, dtype=type_.dtype)
    return _pushed(graph, [y, *extras], {0: one})


SLOPES["jacobian"], SLOPES["each"] = _jacobian, _each


def _pull_root(
    g: Value, y: Value, wanted: Sequence[int], *operands: Value, graph: Graph, rule: str, **_: Any
) -> Mapping[int, Value]:
    extras = operands[1:]
    numbers = _dependent(graph, wanted)
    if not numbers:
        return {}
    slope = _slope(graph, y, extras, rule)
    adjoint = g / slope if rule == "zero" else solve(transpose(slope, axes=(1, 0)), g)
    return _pulled(graph, [y, *extras], numbers, -adjoint)


def _push_root(
    given: Sequence[Value | None], y: Value, *operands: Value, graph: Graph, rule: str, **_: Any
) -> Value:
    extras = operands[1:]
    tangents = {k: t for k, t in enumerate(given) if k > 0 and t is not None}
    numbers = _dependent(graph, list(tangents))
    if not numbers:
        return zeros_of(y)
    change = _pushed(graph, [y, *extras], {k: tangents[k] for k in numbers})
    slope = _slope(graph, y, extras, rule)
    return -(change / slope) if rule == "zero" else -solve(slope, change)


for _rule in ("zeros", "zero"):
    EQUATIONS[_rule] = partial(_pull_root, rule=_rule), partial(_push_root, rule=_rule)


def _gradient(graph: Graph) -> Graph:
    """The derivative by the first parameter, which is zero at a minimum."""
    parameters = [Value(v.type, None, v.name) for v in graph.block.parameters]
    with building(Builder([], graph.span)) as made:
        found = _pulled(graph, parameters, [0], unit_of(graph.block.results[0]))
    block = Block(tuple(parameters), made.nodes, (found[0],))
    return Graph(f"{graph.name}_gradient", block, graph.inputs, Leaf(0), span=graph.span)


def _pull_minimum(*given: Any, graph: Graph, rule: str, **others: Any) -> Mapping[int, Value]:
    return _pull_root(*given, graph=_gradient(graph), rule=rule, **others)


def _push_minimum(*given: Any, graph: Graph, rule: str, **others: Any) -> Value:
    return _push_root(*given, graph=_gradient(graph), rule=rule, **others)


for _name, _rule in (("minimum", "zeros"), ("bottom", "zero")):
    EQUATIONS[_name] = partial(_pull_minimum, rule=_rule), partial(_push_minimum, rule=_rule)


# Differential equations ---------------------------------------------------------------------------


def _rows_as_one(parts: Sequence[Value]) -> Value:
    """Arrays and numbers, one after the other in one row of numbers."""
    rows = []
    for part in parts:
        count = product(sizes_of(part))
        rows.append(reshape(part, count, shape=(dim_of(count),)))
    return concatenate(*rows, axis=0)


def _parted(row: Value, likes: Sequence[Value]) -> list[Value]:
    """The parts of a row, each like one of ``likes``."""
    parts, start = [], builder().value(0)
    for like in likes:
        end = start + product(sizes_of(like))
        part = index_of(row, (slice(start, end),))
        parts.append(fitted(reshape_like(part, like), like))
        start = end
    return parts


def _computed(graph: Graph, likes: Sequence[Value], compute: Callable[..., Value]) -> Graph:
    """The graph of what is computed of values like others, in the place of a graph."""
    given = [Value(v.type, None, v.name) for v in likes]
    with building(Builder([], graph.span)) as made:
        result = compute(*given)
    return Graph.of_values(graph.name, given, made.nodes, [result], Leaf(0), graph.span)


def _augmented(
    graph: Graph, begun: Value, others: Sequence[Value], rate: Callable[..., Value]
) -> Graph:
    """The graph of ``rate(row, t, *others)`` over rows like ``begun``."""
    row = Value(begun.type, None, "row")
    return _computed(graph, (row, graph.block.parameters[1], *others), rate)


def _arrived(
    solver: Solver, graph: Graph, begun: Value, ends: tuple[Value, Value], others: Sequence[Value]
) -> Value:
    """Where a row is carried from one time to another, which is a solution again."""
    by_time = solver.function.name == "solve_ivp"
    called = time_first(graph) if by_time else graph
    told = () if by_time else (("full_output", True),)
    (value,) = solver_call(
        *ends,
        begun,
        *solver.settings,
        *others,
        callee=GraphCell(f"{graph.name}_augmented", called),
        extras=len(others),
        function=solver.function,
        arguments=((Slot(0), Slot(1)), Slot(2)) if by_time else (Slot(2), (Slot(0), Slot(1))),
        keywords=(*((name, shifted(option, 3)) for name, option in solver.keywords), *told),
        picked=ARRIVAL,
        types=(begun.type,),
    )
    return solution_of(value, begun, *ends, *others, graph=graph, rule="arrival", solver=solver)


def _rate_at(graph: Graph, state: Value, time: Value, extras: Sequence[Value]) -> Value:
    (rate,) = inlined(graph, [state, time, *extras])
    return rate


def _pull_arrival(
    g: Value, y: Value, wanted: Sequence[int], *operands: Value, graph: Graph, solver: Solver
) -> Mapping[int, Value]:
    """The adjoint ``λ`` runs back: ``dλ/dt = -λ ∂f/∂y``, and ``λ ∂f/∂θ`` is summed on the way
    (Chen et al. 2018, equations 4 and 5).
    """
    _, start, first, last, *extras = operands
    numbers = [k for k in _dependent(graph, range(2, 2 + len(extras))) if k + 2 in wanted]
    asked = [extras[k - 2] for k in numbers]
    found: dict[int, Value] = {}
    if 3 in wanted:
        found[3] = fitted(matmul(g, _rate_at(graph, y, last, extras)), last)
    if not numbers and 1 not in wanted and 2 not in wanted:
        return found

    def rate(row: Value, time: Value, *given: Value) -> Value:
        *own, like = given
        likes = (like, like, *(own[k - 2] for k in numbers))
        state, adjoint = _parted(row, likes)[:2]
        made = vjp(graph, [0, *numbers], output=tuple_of(2 + len(numbers)))
        change, *bars = inlined(made, [state, time, *own, adjoint])
        return _rows_as_one([change, *(-bar for bar in bars)])

    begun = _rows_as_one([y, g, *map(zeros_of, asked)])
    others = [*extras, start]
    augmented = _augmented(graph, begun, others, rate)
    end = _arrived(solver, augmented, begun, (last, first), others)
    _, adjoint, *bars = _parted(end, (start, start, *asked))
    found |= {k + 2: bar for k, bar in zip(numbers, bars, strict=True)}
    found[1] = adjoint
    if 2 in wanted:
        found[2] = fitted(-matmul(adjoint, _rate_at(graph, start, first, extras)), first)
    return found


def _push_arrival(
    given: Sequence[Value | None], y: Value, *operands: Value, graph: Graph, solver: Solver
) -> Value:
    """The sensitivity ``s`` runs beside: ``ds/dt = ∂f/∂y s + ∂f/∂θ dθ``."""
    _, start, first, last, *extras = operands
    tangents = {k: t for k, t in enumerate(given) if t is not None}
    numbers = [k for k in _dependent(graph, range(2, 2 + len(extras))) if k + 2 in tangents]
    changed = tangents.get(1)
    if 2 in tangents:
        later = _rate_at(graph, start, first, extras) * tangents[2]
        changed = -later if changed is None else changed - later
    total = None
    if changed is not None or numbers:
        moved = [tangents[k + 2] for k in numbers]

        def rate(row: Value, time: Value, *given: Value) -> Value:
            own, dots, like = given[: len(extras)], given[len(extras) : -1], given[-1]
            state, tangent = _parted(row, (like, like))
            made = jvp(graph, [0, *numbers], output=tuple_of(2))
            return _rows_as_one(inlined(made, [state, time, *own, tangent, *dots]))

        begun = _rows_as_one([start, zeros_of(start) if changed is None else changed])
        others = [*extras, *moved, start]
        augmented = _augmented(graph, begun, others, rate)
        end = _arrived(solver, augmented, begun, (first, last), others)
        total = _parted(end, (start, start))[1]
    if 3 in tangents:
        later = _rate_at(graph, y, last, extras) * tangents[3]
        total = later if total is None else total + later
    return zeros_of(y) if total is None else total


EQUATIONS["arrival"] = _pull_arrival, _push_arrival


# Integrals ----------------------------------------------------------------------------------------


def _integral(
    solver: Solver, graph: Graph, ends: tuple[Value, Value], extras: Sequence[Value]
) -> Value:
    """The integral of a graph, of a number or of an array, which is a solution again."""
    (type_,) = (value.type for value in graph.block.results)
    used = solver
    if isinstance(type_, ArrayType) and type_.shape:
        used = replace(solver, function=Named(support.quad_rows, "quad_rows"))
    (value,) = solver_call(
        *ends,
        *solver.settings,
        *extras,
        callee=GraphCell(f"{graph.name}_derived", graph),
        extras=len(extras),
        function=used.function,
        arguments=(Slot(0), Slot(1)),
        keywords=tuple((name, shifted(option, 2)) for name, option in solver.keywords),
        picked=(0,),
        types=(type_,),
    )
    return solution_of(value, *ends, *extras, graph=graph, rule="integral", solver=used)


def _pull_integral(
    g: Value, y: Value, wanted: Sequence[int], *operands: Value, graph: Graph, solver: Solver
) -> Mapping[int, Value]:
    _, first, last, *extras = operands
    found: dict[int, Value] = {}
    for place, end, sign in ((1, first, -1), (2, last, 1)):
        if place in wanted:
            (height,) = inlined(graph, [end, *extras])
            share = reduce.sum(g * height, axis=None, keepdims=False)
            found[place] = fitted(share if sign > 0 else -share, end)
    numbers = [k for k in _dependent(graph, range(1, 1 + len(extras))) if k + 2 in wanted]
    if not numbers:
        return found

    def integrand(x: Value, *given: Value) -> Value:
        *own, seed = given
        return _rows_as_one(list(_pulled(graph, [x, *own], numbers, seed).values()))

    others = [*extras, g]
    derived = _computed(graph, (graph.block.parameters[0], *others), integrand)
    row = _integral(solver, derived, (first, last), others)
    bars = _parted(row, [extras[k - 1] for k in numbers])
    return found | {k + 2: bar for k, bar in zip(numbers, bars, strict=True)}


def _push_integral(
    given: Sequence[Value | None], y: Value, *operands: Value, graph: Graph, solver: Solver
) -> Value:
    _, first, last, *extras = operands
    tangents = {k: t for k, t in enumerate(given) if t is not None}
    numbers = [k for k in _dependent(graph, range(1, 1 + len(extras))) if k + 2 in tangents]
    parts = []
    for place, end, sign in ((1, first, -1), (2, last, 1)):
        if place in tangents:
            (height,) = inlined(graph, [end, *extras])
            parts.append(height * tangents[place] if sign > 0 else -(height * tangents[place]))
    if numbers:

        def integrand(x: Value, *given: Value) -> Value:
            own, moved = given[: len(extras)], given[len(extras) :]
            return _pushed(graph, [x, *own], dict(zip(numbers, moved, strict=True)))

        others = [*extras, *(tangents[k + 2] for k in numbers)]
        made = _computed(graph, (graph.block.parameters[0], *others), integrand)
        parts.append(_integral(solver, made, (first, last), others))
    total = parts[0] if parts else zeros_of(y)
    for part in parts[1:]:
        total = total + part
    return total


EQUATIONS["integral"] = _pull_integral, _push_integral
