"""Numbers of one list, tuple or dict outside the function: one parameter, read by what is used.

``C_0, C_1, ..., C_9`` of a global ``C`` become ``C``, of which ``C[3]`` is read; a list or an array
of all of them is ``C`` itself or ``np.array(C)``. Where something in the program may change what is
in it meanwhile, each stays a parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.emit.expressions import subscript
from symdiff.emit.given import GIVE_EACH, always_given
from symdiff.emit.sinking import sink
from symdiff.emit.table_rows import read_rows
from symdiff.ir.build import copy_block, substitute
from symdiff.ir.called import called_by, with_called
from symdiff.ir.control import perform
from symdiff.ir.graph import (
    Block,
    FreeVariable,
    Graph,
    Input,
    Node,
    Value,
    walk_blocks,
    walk_nodes,
)
from symdiff.ir.signature import Path, step
from symdiff.ir.types import ArrayType, ListType, OpaqueType, Type
from symdiff.ops.declare import StageOperation, template
from symdiff.ops.effects import opaque_call, print_, raise_
from symdiff.ops.list_arrays import list_stack
from symdiff.ops.lists import list_get, list_length, list_new

_FEW = 2  # numbers that are parameters of their own
_CONTAINERS = (list, tuple, dict)
_NUMBERS = (bool, int, float, complex, np.number, np.bool)


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return reduce(subscript, map(_spell_key, node.attributes["keys"]), operands[0])


def _spell_key(key: Any) -> ast.expr:
    if not isinstance(key, slice):
        return ast.Constant(key)
    return ast.Slice(ast.Constant(key.start) if key.start else None, ast.Constant(key.stop))


# A number of what is outside, or several that follow one another; ``keys`` lead to it.
part = StageOperation("part", lambda whole, *, keys, type: (type,), spelling=_spell)

# A new list of all numbers of a list or a tuple outside.
items = StageOperation("items", lambda whole: (whole,), list, spelling=template("[*{0}]"))


@dataclass(frozen=True, slots=True, eq=False)
class _Whole:
    """A list, tuple or dict, and the numbers of the graph's inputs that are read of it."""

    path: Path
    content: Any
    numbers: list[int]

    @property
    def name(self) -> str:
        return Input(self.path, "free").name


@dataclass(frozen=True, slots=True)
class _Share:
    """What a graph reads of a whole: its parameters' numbers by the keys that lead to them."""

    whole: _Whole
    type: Type
    numbers: dict[Path, int]

    @property
    def first(self) -> int:
        return min(self.numbers.values())


def with_whole_containers(graph: Graph) -> Graph:
    """The graph, or a copy whose inputs of one list, tuple or dict of numbers are one input; so are
    what graphs that it calls are given of them.
    """
    wholes = [whole for whole in _found(graph) if len(whole.numbers) > _FEW]
    called = called_by(graph) if wholes else []
    if not wholes or graph in called or _may_change_outside((graph, *called)):
        return graph
    shares = _shares(graph, wholes, called)
    return with_called(graph, lambda one: _with_shares(one, shares))


def _shares(
    graph: Graph, wholes: Sequence[_Whole], called: Sequence[Graph]
) -> dict[int, list[_Share]]:
    """By the id of each graph, what it reads of each whole."""
    parameters, own = graph.block.parameters, []
    keys: dict[Value, tuple[_Share, Path]] = {}
    for whole in wholes:
        numbers = {graph.inputs[k].path[len(whole.path) :]: k for k in whole.numbers}
        share = _Share(whole, _type_of(whole.content, numbers, parameters), numbers)
        keys.update((parameters[k], (share, path)) for path, k in numbers.items())
        own.append(share)
    found = {id(graph): own}
    given = always_given(graph, keys)
    for one in called:
        read: dict[_Whole, _Share] = {}
        for k, value in enumerate(given[id(one)]):
            if value is not None:
                share, path = keys[value]
                part_read = _Share(share.whole, share.type, {})
                read.setdefault(share.whole, part_read).numbers.setdefault(path, k)
        found[id(one)] = [share for share in read.values() if len(share.numbers) > _FEW]
    return found


def _with_shares(graph: Graph, shares: dict[int, list[_Share]]) -> Graph:
    """A copy of a graph that is given wholes in the place of what it reads of them."""
    own = shares[id(graph)]
    if not own:
        return graph
    block = copy_block(graph.block, {})
    inputs, parameters = list(graph.inputs), list(block.parameters)
    reads: list[Node] = []
    wholes: dict[_Whole, Value] = {}
    for share in own:
        leaves = {keys: parameters[k] for keys, k in share.numbers.items()}
        first = share.first
        whole = wholes[share.whole] = Value(share.type, None, share.whole.name)
        parameters[first] = whole
        if inputs[first].origin == "free":
            inputs[first] = replace(inputs[first], path=share.whole.path)
        if len(leaves) == len(share.whole.content):
            _read_as_one(block, whole, leaves)
        reads += _read_as_parts(block, whole, leaves)
        read_rows(block, whole, share.whole.content, leaves, _readers(block), _READS)
        reads += [_part(whole, keys, leaf) for keys, leaf in leaves.items()]
    dropped = {k for share in own for k in share.numbers.values() if k != share.first}
    kept = [k for k in range(len(inputs)) if k not in dropped]
    _give_wholes(block, shares, wholes)
    sink(block, reads)
    return replace(
        graph,
        block=Block(tuple(parameters[k] for k in kept), block.nodes, block.results),
        inputs=tuple(inputs[k] for k in kept),
        mutated={kept.index(number): place for number, place in graph.mutated.items()},
    )


def _give_wholes(
    block: Block, shares: dict[int, list[_Share]], wholes: dict[_Whole, Value]
) -> None:
    """Let calls give wholes in the place of what the graphs that they call read of them."""
    for node in walk_nodes(block):
        called = shares.get(id(node.attributes["callee"].graph)) if node.op in GIVE_EACH else None
        if called:
            given: dict[int, Value | None] = dict(enumerate(node.operands))
            for share in called:
                given.update(dict.fromkeys(share.numbers.values()))
                given[share.first] = wholes[share.whole]
            node.operands = tuple([value for value in given.values() if value is not None])


def _found(graph: Graph) -> Iterable[_Whole]:
    """The lists, tuples and dicts of numbers alone that inputs from outside are read of."""
    found: dict[Path, _Whole] = {}
    for number, (source, value) in enumerate(
        zip(graph.inputs, graph.block.parameters, strict=True)
    ):
        if source.origin != "free" or not _is_number(value.type):
            continue
        place = _outermost(source.path)
        if place is not None:
            path, content = place
            found.setdefault(path, _Whole(path, content, [])).numbers.append(number)
    return found.values()


def _is_number(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and type_.kind != "array"


def _outermost(path: Path) -> tuple[Path, Any] | None:
    """The first list, tuple or dict on the way to an input, where it holds numbers alone."""
    variable, *steps = path
    assert isinstance(variable, FreeVariable)
    try:
        content = variable.read()
        for depth in range(len(steps)):
            if type(content) in _CONTAINERS:
                return (path[: depth + 1], content) if _holds_numbers(content) else None
            content = step(content, steps[depth])
    except (LookupError, AttributeError, TypeError, NameError, ValueError):
        pass
    return None


def _holds_numbers(content: Any) -> bool:
    if type(content) in _CONTAINERS:
        items = content.values() if isinstance(content, dict) else content
        keys = content if isinstance(content, dict) else ()
        return all(isinstance(k, str | int) for k in keys) and all(map(_holds_numbers, items))
    return isinstance(content, _NUMBERS)


def _may_change_outside(graphs: Iterable[Graph]) -> bool:
    """Return whether something in graphs may change what a list or a dict outside holds.

    What makes an error that is raised then may do so, but nothing is read after it.
    """
    for graph in graphs:
        effects = [node for node in walk_nodes(graph.block) if node.op.effect]
        calls = [node for node in effects if node.op is opaque_call]
        reading = _readers(graph.block) if calls else {}
        raised = {node for node in calls if reading.get(node.result) == {raise_}}
        if any(node.op not in _HARMLESS and node not in raised for node in effects):
            return True
    return False


_HARMLESS = (print_, raise_, perform)


def _type_of(content: Any, numbers: dict[Path, int], values: Sequence[Value]) -> Type:
    """That of a list, where a list or a tuple of numbers of one type is read."""
    kinds = list(dict.fromkeys(values[k].type for k in numbers.values()))
    places = {(k,) for k in range(len(content))}
    if isinstance(content, dict) or len(kinds) > 1 or set(numbers) != places:
        return OpaqueType(type(content).__name__)
    return ListType(kinds[0])


def _part(whole: Value, keys: Path, leaf: Value) -> Node:
    """The node of which a number is the result, which was an input."""
    leaf.node = Node(part, (whole,), {"keys": keys, "type": leaf.type}, (), (leaf,), None)
    return leaf.node


def _read_as_one(block: Block, whole: Value, leaves: dict[Path, Value]) -> None:
    """Let lists and arrays of all numbers be made of the list, or be the list itself."""
    if not isinstance(whole.type, ListType):
        return
    every = tuple(leaves[(k,)] for k in range(len(leaves)))
    reading = _readers(block)
    new = {}
    for node in walk_nodes(block):
        if node.operands != every:
            continue
        if node.op is list_new and reading.get(node.result, set()) <= _READS:
            new[node.result] = whole
        elif node.op is list_new:
            node.op, node.operands, node.attributes = items, (whole,), {}
        elif node.op.name == "array" and node.attributes["nested"] == (len(every),):
            node.op, node.operands = list_stack, (whole,)
            node.attributes = {"length": len(every), "dtype": node.attributes["dtype"]}
    substitute(block, new)


def _read_as_parts(block: Block, whole: Value, leaves: dict[Path, Value]) -> list[Node]:
    """Let lists of numbers that follow one another in a list or a tuple be parts of it."""
    places = {leaf: path[0] for path, leaf in leaves.items() if len(path) == 1}
    reading = _readers(block)
    new, made = {}, []
    for node in walk_nodes(block):
        found = [places.get(operand) for operand in node.operands]
        start = found[0] if found else None
        if node.op is not list_new or type(start) is not int or len(found) <= _FEW:
            continue
        stop = start + len(found)
        readers = reading.get(node.result)
        if found == list(range(start, stop)) and readers and readers <= _READS:
            keys, value = (slice(start, stop),), Value(node.result.type, None)
            attributes = {"keys": keys, "type": value.type}
            value.node = Node(part, (whole,), attributes, (), (value,), None)
            new[node.result] = value
            made.append(value.node)
    substitute(block, new)
    return made


_READS = frozenset((list_get, list_length, list_stack))


def _readers(block: Block) -> dict[Value, set[Any]]:
    """The ops that read each value; a block, where it results in it."""
    found: dict[Value, set[Any]] = {}
    for inner in walk_blocks(block):
        for value in inner.results:
            found.setdefault(value, set()).add(Block)
        for node in inner.nodes:
            for value in node.operands:
                found.setdefault(value, set()).add(node.op)
    return found
