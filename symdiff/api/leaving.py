"""What a function's graph leaves outside, and reads there: places for a memory of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from symdiff.differentiate.activity import Dependencies, Edge, depends_on, edges_of, leads_to
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import FreeVariable, Graph, Node, Value, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.signature import Path
from symdiff.ir.structure import leaf_numbers
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.ops.effects import Item, Member, Named, opaque_call, set_attribute, set_item
from symdiff.ops.index import index_set, is_view
from symdiff.ops.keys import Key, Slice, Slot
from symdiff.ops.shape import copy
from symdiff.runtime.memory import Left

_SETTERS = ("setattr", "setitem", "__setattr__", "__setitem__")


class Places(NamedTuple):
    """What a program leaves outside that depends on what is differentiated, and what it reads."""

    left: tuple[Left, ...]
    read: tuple[Path, ...]


def places(graph: Graph, differentiates: Callable[[Path], bool]) -> Places:
    """The places of a function's own graph.

    Read are those, of what is not differentiated, on which a result depends with a derivative.
    """
    asked: list[tuple[Path, Value]] = []
    others: list[tuple[Path, Value]] = []
    for given, value in zip(graph.inputs, graph.block.parameters, strict=True):
        if isinstance(value.type, ArrayType) and carries_derivative(value.type):
            by = given.origin == "argument" and differentiates(given.path)
            (asked if by else others).append((given.path, value))
    outside = [(path, value) for path, value in others if _is_outside(path)]
    writes = graph.mutated or any(node.op.effect for node in walk_nodes(graph.block))
    if not asked or not (outside or writes):
        return Places((), ())
    results = [graph.block.results[k] for k in leaf_numbers(graph.output)]
    edges = [e for e in edges_of(graph.block, Dependencies()) if not _is_overwritten(e)]
    varied = depends_on([value for _, value in asked], edges)
    useful = leads_to(results, edges) if outside else set()
    read = tuple(path for path, value in outside if value in useful)
    return Places(tuple(_left(graph, varied)), read)


def _is_overwritten(edge: Edge) -> bool:
    """Return whether nothing stays of an array in what it is set to."""
    node = edge.node
    whole = node.op is index_set and is_whole(node.attributes["key"])
    return whole and edge.source is node.operands[0] and edge.source is not node.operands[1]


def _is_outside(path: Path) -> bool:
    """Return whether a path is not an argument itself: the caller knows what that holds."""
    return len(path) > 1 or isinstance(path[0], FreeVariable)


def _left(graph: Graph, varied: set[Value]) -> Iterator[Left]:
    paths = {v: i.path for v, i in zip(graph.block.parameters, graph.inputs, strict=True)}
    for number, result in graph.mutated.items():
        given, value = graph.block.parameters[number], graph.block.results[result]
        asked = is_chosen(value, paths)
        if value in varied and _is_outside(paths[given]):
            of = "part" if not asked and is_part(value, given) else "all"
            yield Left(paths[given], of=of, always=not asked)
    for node in walk_nodes(graph.block):
        if node.op in (set_attribute, set_item, opaque_call) and not varied.isdisjoint(
            node.operands
        ):
            always = not is_chosen(node.operands[0], paths)
            yield from (replace(one, always=always) for one in _left_by(node, paths))


def is_chosen(value: Value, parameters: Mapping[Value, Path]) -> bool:
    """Return whether a value is a parameter where that, or another parameter, says so.

    ``if self._x != x: self._value = ...``: a memory that asks whether what it holds is right.
    """
    node = value.node
    if node is None or node.op is not cond:
        return False
    place = node.results.index(value)
    found = [arm.results[place] for arm in node.blocks]
    if any(is_chosen(one, parameters) for one in found):
        return True
    return any(map(_is_parameter, found)) and _reads_outside(node.operands[0], parameters)


def _is_parameter(value: Value) -> bool:
    """Return whether a value is a parameter, or a copy of one."""
    node = value.node
    return node is None or (node.op is copy and _is_parameter(node.operands[0]))


def _reads_outside(value: Value, parameters: Mapping[Value, Path]) -> bool:
    def operands(value: Value) -> Sequence[Value]:
        return () if value.node is None else value.node.operands

    found = reached([value], operands)
    return any(one in parameters and _is_outside(parameters[one]) for one in found)


def is_part(value: Value, given: Value) -> bool:
    """Return whether a value is an array with some elements set anew, the others as given."""
    node = value.node
    if node is None:
        return value is given
    if node.op is cond:
        place = node.results.index(value)
        return all(is_part(arm.results[place], given) for arm in node.blocks)
    if node.op is loop:
        view = LoopView(node)
        return value in view.finals and is_part(view.initial[view.finals.index(value)], given)
    if node.op is index_set and is_whole(node.attributes["key"]):
        return False
    chained = node.op is copy or node.op is index_set or (node.operands and is_view(node))
    return bool(chained) and is_part(node.operands[0], given)


def is_whole(key: Key) -> bool:
    """Return whether a key selects all elements."""
    return all(entry is Ellipsis or entry == Slice() for entry in key)


def _left_by(node: Node, paths: Mapping[Value, Path]) -> Iterator[Left]:
    """What an effect writes, where that stands at a path."""
    given = _setting(node)
    if given is None:
        return
    owner, key, of = given
    operands = node.operands[node.op is not opaque_call :]
    path = _path_of(owner, operands, paths)
    if path is not None and not _is_an_array(owner, operands):
        fixed = of == "one" and isinstance(key, str | int)
        yield Left(path, key if fixed else None, of if fixed or of == "last" else "all")


def _is_an_array(owner: Any, operands: Sequence[Value]) -> bool:
    """Return whether elements of an array are set, which the graph has as a result too."""
    if isinstance(owner, Named):
        return isinstance(owner.target, np.ndarray)
    return isinstance(owner, Slot) and isinstance(operands[owner.number].type, ArrayType)


def _setting(node: Node) -> tuple[Any, Any, str] | None:
    """The owner, the key and how much an effect sets."""
    attributes = node.attributes
    if node.op is not opaque_call:
        return attributes["owner"], attributes.get("name", attributes.get("key")), "one"
    function, given = attributes["function"], attributes["arguments"]
    if isinstance(function, Member):
        given, method = (function.value, *given), function.name
    elif isinstance(function, Named):
        method = getattr(function.target, "__name__", "")
    else:
        return None
    if method in _SETTERS and len(given) > 1:
        return given[0], given[1], "one"
    return (given[0], None, "last" if method == "append" else "all") if given else None


def _path_of(template: Any, operands: Sequence[Value], paths: Mapping[Value, Path]) -> Path | None:
    if isinstance(template, Slot):
        return paths.get(operands[template.number])
    if isinstance(template, Named):
        return (FreeVariable("object", template.target, template.name),)
    if isinstance(template, Member | Item):
        before = _path_of(template.value, operands, paths)
        key = template.name if isinstance(template, Member) else template.key
        return None if before is None else (*before, key)
    return None
