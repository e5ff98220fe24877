"""The outside of derivative graphs: structures of outputs, derived inputs, dropped results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Container as Contains
from itertools import zip_longest

from symdiff.errors import GradientShapeError
from symdiff.ir.build import Builder, building
from symdiff.ir.control import emit_cond, emit_undefined, loop
from symdiff.ir.graph import Block, Graph, Input, Value, uses
from symdiff.ir.structure import (
    Container,
    Either,
    Leaf,
    Static,
    Structure,
    has_cases,
    is_left_out,
    leaf_numbers,
    leaves_by_case,
    mapped,
    of_tuple,
)
from symdiff.ir.types import TapeType, carries_derivative


def tangent_structure(graph: Graph) -> Structure:
    """The structure of the tangent of what a graph returns, as ``forward.jvp`` numbers its
    leaves.
    """
    results = graph.block.results
    carrying = [k for k, value in enumerate(results) if carries_derivative(value.type)]
    places = {k: len(results) + place for place, k in enumerate(carrying)}
    return derived_from(graph.output, lambda k: Leaf(places[k]) if k in places else Static(None))


def derived_from(structure: Structure, leaf: Callable[[int], Structure]) -> Structure:
    """The structure of a derivative of what is structured so: None stands for what is no number."""
    if isinstance(structure, Leaf):
        return leaf(structure.index)
    if isinstance(structure, Either):
        arms = (derived_from(arm, leaf) for arm in (structure.then, structure.orelse))
        return Either(structure.predicate, *arms)
    if not isinstance(structure, Container):
        return structure if is_left_out(structure) else Static(None)
    items = tuple(derived_from(item, leaf) for item in structure.items)
    return Container(structure.type, structure.keys, items)


def require_one_structure(graph: Graph, what: str) -> None:
    """Refuse a derivative that has no place for what tells how the result is structured.

    :raises GradientShapeError: that names it.
    """
    if has_cases(graph.output):
        raise GradientShapeError(
            f"no {what} of {graph.name}: what it returns has another structure at other values",
            graph.span,
            "differentiate a part of it, or use symdiff.jvp or symdiff.vjp",
        )


def guard_cases(block: Block, output: Structure) -> set[int]:
    """Take each result that is returned in one of two structures only as undefined in the other: no
    cotangent comes from there. Gives their numbers.
    """
    found = dict(leaves_by_case(output))
    results = list(block.results)
    for number, decided in found.items():
        for predicate, wanted in reversed(decided):
            results[number] = _where_decided(block, results[predicate], wanted, results[number])
    block.results = tuple(results)
    return set(found)


def _where_decided(block: Block, predicate: Value, wanted: bool, value: Value) -> Value:
    """A value where a predicate is what is wanted, and undefined elsewhere."""
    with building(Builder()) as inner:
        missing = emit_undefined(value.type)
    arms = Block((), [], (value,)), Block((), inner.nodes, (missing,))
    with building(Builder(block.nodes)):
        guarded = emit_cond(predicate, *(arms if wanted else reversed(arms))).result
    guarded.name = value.name
    return guarded


def seeded_results(graph: Graph) -> tuple[int, ...]:
    """The numbers of the returned results that have a derivative, in the order of the inputs that
    are their cotangents.
    """
    results = graph.block.results
    numbers = sorted(set(leaf_numbers(graph.output)))
    return tuple(k for k in numbers if carries_derivative(results[k].type))


def trimmed(graph: Graph) -> Graph:
    """A graph without the results that its output does not name; its leaves are renumbered."""
    kept = list(dict.fromkeys(leaf_numbers(graph.output)))
    numbers = {old: Leaf(new) for new, old in enumerate(kept)}
    graph.output = mapped(graph.output, numbers.__getitem__)
    graph.block.results = tuple(graph.block.results[k] for k in kept)
    return graph


def without_unread(forward: Graph, backward: Graph, saved: int) -> tuple[Graph, Graph]:
    """The two parts of a derivative without the saved values that the second, optimised, reads not.

    ``saved`` counts the inputs of ``backward`` that are results of ``forward``.
    """
    read = uses(backward.block)
    inputs, parameters = backward.inputs, backward.block.parameters
    dropped = {k for k in range(saved) if parameters[k] not in read}
    if not dropped or not isinstance(forward.output, Container):
        return forward, backward
    kept = [k for k in range(len(inputs)) if k not in dropped]
    returned, given = forward.output.items
    assert isinstance(given, Container)
    items = [given.items[k] for k in kept if k < saved]
    output = of_tuple((returned, of_tuple(items)))
    first = Graph(
        forward.name, forward.block, forward.inputs, output, {}, forward.docstring, forward.span
    )
    block = backward.block
    block = Block(tuple(parameters[k] for k in kept), block.nodes, block.results)
    known = tuple(inputs[k] for k in kept)
    second = Graph(backward.name, block, known, backward.output, span=backward.span)
    return trimmed(first), second


def derived_inputs(
    values: Iterable[Value],
    kind: str,
    sources: Iterable[Value] = (),
    partial: Contains[Value] = (),
) -> tuple[Input, ...]:
    """Inputs of a derivative, named after their primal values, or after what ``sources`` are.

    ``partial`` has the sources that may be undefined.
    """
    suffixes = {"cotangent": "_bar", "tangent": "_dot", "saved": ""}
    taken: dict[str, int] = {}
    inputs = []
    for number, (value, source) in enumerate(zip_longest(values, sources)):
        unnamed = f"{kind}{number}" if source is None else _kind_of(source)
        suffix = suffixes["tangent" if value.role == "tangent" else kind]
        base = f"{value.name}{suffix}" if value.name else unnamed
        if isinstance(value.type, TapeType):
            base = f"{value.name}_tape" if value.name else "tape"
        taken[base] = taken.get(base, 0) + 1
        name = base if taken[base] == 1 else f"{base}{taken[base]}"
        inputs.append(Input((name,), "partial" if source in partial else "derived"))
    return tuple(inputs)


def _kind_of(value: Value) -> str:
    """What a value without a name is called: after what it is where that is plain."""
    node = value.node
    if node is None or node.op is loop:
        return "turns"
    return "size" if node.op.name.startswith("size") else "t"
