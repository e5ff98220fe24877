"""The outside of derivative graphs: structures of outputs, derived inputs, dropped results."""

from __future__ import annotations

from collections.abc import Container as Contains
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest

from symdiff.ir.control import loop
from symdiff.ir.graph import Block, Graph, Input, Value, uses
from symdiff.ir.structure import Container, Leaf, Structure
from symdiff.ir.types import TapeType


def pair_of(first: Structure, second: Structure) -> Structure:
    return Container(tuple, (0, 1), (first, second))


def leaves_of(structure: Structure) -> Iterable[int]:
    """The numbers of the leaves, in order."""
    stack = [structure]
    while stack:
        current = stack.pop()
        if isinstance(current, Leaf):
            yield current.index
        elif isinstance(current, Container):
            stack.extend(reversed(current.items))


def renumbered(structure: Structure, numbers: Mapping[int, Structure]) -> Structure:
    """A structure with other leaves."""
    if isinstance(structure, Leaf):
        return numbers[structure.index]
    if not isinstance(structure, Container):
        return structure
    return replace(structure, items=tuple(renumbered(item, numbers) for item in structure.items))


def trimmed(graph: Graph) -> Graph:
    """A graph without the results that its output does not name; its leaves are renumbered."""
    kept = list(dict.fromkeys(leaves_of(graph.output)))
    numbers = {old: Leaf(new) for new, old in enumerate(kept)}
    graph.output = renumbered(graph.output, numbers)
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
    items = tuple(given.items[k] for k in kept if k < saved)
    output = pair_of(returned, Container(tuple, tuple(range(len(items))), items))
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
    suffix = {"cotangent": "_bar", "tangent": "_dot", "saved": ""}[kind]
    taken: dict[str, int] = {}
    inputs = []
    for number, (value, source) in enumerate(zip_longest(values, sources)):
        unnamed = f"{kind}{number}" if source is None else _kind_of(source)
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
