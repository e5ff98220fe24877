"""A function's graph for its user to look at: what is compiled enters, with the call; a
``ComputationGraph`` leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from symdiff.api.asking import AskedBy
from symdiff.api.transforms import Marked
from symdiff.api.wrt import with_inputs
from symdiff.graphs import ComputationGraph, Described
from symdiff.ir.graph import Block, FreeVariable, Graph, Input
from symdiff.ir.signature import Nested, Path, Signature, leaves
from symdiff.ir.types import ArrayType, ListType, Multiple, Size, carries_derivative
from symdiff.pipeline import Arguments, Chain, Derived
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import spelled


def viewed(chain: Chain, arguments: Arguments, derived: Derived) -> ComputationGraph:
    """The view of the function under a chain, for a normalised call of the outermost transform."""
    own = chain.levels(arguments)[0]
    graph = _with_all_arguments(derived.staged.graph, derived.inner)
    pairs = zip(graph.inputs, graph.block.parameters, strict=True)
    floats = {k: given.path for k, (given, v) in enumerate(pairs) if _is_float(given, v.type)}
    asked = AskedBy(chain, arguments, derived.inner)
    frozen = chain.marks.frozen if chain.marks is not None else ()
    wanted = frozenset(
        k for k, path in floats.items() if path[0] not in frozen and asked.differentiates(path)
    )
    sizes = dict(_sizes(graph, chain.parameters[0].names, own))
    described = Described(
        graph,
        _entry_names(graph.inputs, derived.inner),
        wanted,
        derived.graph,
        derived.staged.names,
        sizes,
        _derivative(derived, {asked.outermost(floats[k]) for k in wanted}, sizes, chain),
    )
    return ComputationGraph(described)


def _derivative(
    derived: Derived, wanted: set[Path], sizes: Mapping[str, int], chain: Chain
) -> Described | None:
    """The graph of the derivative, where the function is one."""
    if all(isinstance(transform, Marked) for transform in chain.transforms):
        return None
    graph = derived.graph
    numbers = frozenset(k for k, given in enumerate(graph.inputs) if given.path in wanted)
    entry = _entry_names(graph.inputs, derived.signature)
    return Described(graph, entry, numbers, graph, sizes=sizes)


def _is_float(given: Input, type_: object) -> bool:
    carries = isinstance(type_, ArrayType | ListType) and carries_derivative(type_)
    return given.origin == "argument" and carries


def _with_all_arguments(graph: Graph, signature: Signature) -> Graph:
    """The graph with inputs for arguments that it does not use, in the order of the parameters."""
    found = {p: kind for name, spec in signature.parameters for p, kind in leaves(spec, (name,))}
    numbers = {p: t for p, t in found.items() if isinstance(t, ArrayType | ListType)}
    same = dict(signature.same)
    graph = with_inputs(graph, {p: t for p, t in numbers.items() if p not in same})
    places = {path: place for place, path in enumerate(found)}
    order = sorted(
        range(len(graph.inputs)),
        key=lambda k: places.get(graph.inputs[k].path, len(places)),
    )
    parameters = tuple(graph.block.parameters[k] for k in order)
    return replace(
        graph,
        block=Block(parameters, graph.block.nodes, graph.block.results),
        inputs=tuple(graph.inputs[k] for k in order),
        mutated={order.index(k): place for k, place in graph.mutated.items()},
    )


def _entry_names(inputs: tuple[Input, ...], signature: Signature) -> tuple[str, ...]:
    """What each input is called; a variable outside that has an argument's name is told apart."""
    names: list[str] = []
    for given in inputs:
        first, *rest = given.path
        name = _spelled(given.path, signature)
        if name in names and isinstance(first, FreeVariable):
            name = spelled((f"{first.kind} {first.name}", *rest))
        while name in names:
            name += "'"
        names.append(name)
    return tuple(names)


def _spelled(path: Path, signature: Signature) -> str:
    """A path as Python spells it, where the arguments tell what is a dict: ``p['w']``, ``p.w``."""
    found: object = dict(signature.parameters).get(path[0])
    parts = [str(path[0])]
    for place, key in enumerate(path[1:], 1):
        if not isinstance(found, Nested):
            return spelled(("".join(parts), *path[place:]))
        is_item = issubclass(found.type, dict) or not isinstance(key, str)
        parts.append(f"[{key!r}]" if is_item else f".{key}")
        found = dict(zip(found.keys, found.items, strict=True)).get(key)
    return "".join(parts)


def _sizes(graph: Graph, names: tuple[str, ...], arguments: Arguments) -> Iterator[tuple[str, int]]:
    """The sizes that the arrays at hand have, by symbol."""
    for given, parameter in zip(graph.inputs, graph.block.parameters, strict=True):
        if not isinstance(parameter.type, ArrayType):
            continue
        value = follow(given.path, names, arguments)
        if isinstance(value, np.ndarray):
            for dim, size in zip(parameter.type.shape, value.shape, strict=True):
                if isinstance(dim, Size):
                    known = Multiple.of(dim)
                    yield known.symbol, known.of_length(size)
