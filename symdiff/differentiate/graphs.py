"""The outside of derivative graphs: structures of outputs, derived inputs, dropped results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from symdiff.ir.graph import Graph, Input, Value
from symdiff.ir.structure import Container, Leaf, Structure


def tuple_of(count: int, first: int = 0) -> Structure:
    """The structure of a tuple of results."""
    return Container(tuple, tuple(range(count)), tuple(Leaf(first + k) for k in range(count)))


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
    """The same structure with other leaves."""
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


def derived_inputs(values: Iterable[Value], kind: str) -> tuple[Input, ...]:
    suffix = {"cotangent": "_bar", "tangent": "_dot", "saved": ""}[kind]
    taken: dict[str, int] = {}
    inputs = []
    for number, value in enumerate(values):
        base = f"{value.name or f'{kind}{number}'}{suffix if value.name else ''}"
        taken[base] = taken.get(base, 0) + 1
        name = base if taken[base] == 1 else f"{base}{taken[base]}"
        inputs.append(Input((name,), "derived"))
    return tuple(inputs)
