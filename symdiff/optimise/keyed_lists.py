"""Lists in which keys are looked for remember where their items stand, as a dict does.

    keys = []                                  keys = list_of_keys()
    for …:                                     for …:
        place = place_in(key, keys)                place = place_in(key, keys)
        keys.append(key)                           keys.append(key)

A graph enters, and leaves with such lists, if nothing but the function itself sees them and all
that is done with them is to add items and to take items away. Only numbers of one kind, or texts,
are equal just where a dict takes them for one key.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from symdiff.ir.build import copy_block, with_block
from symdiff.ir.control import LoopView, cond, in_arms, loop
from symdiff.ir.graph import Graph, Node, Value, walk_nodes
from symdiff.ir.types import TEXT, ArrayType, ListType, Type
from symdiff.ops.declare import StageOperation, supporting
from symdiff.ops.lists import (
    list_find,
    list_get,
    list_insert,
    list_length,
    list_new,
    list_pop,
    list_push,
)
from symdiff.ops.support import list_of_keys

keys_new = StageOperation(
    "keys_new",
    lambda *items, type: (type,),
    spelling=lambda node, items: ast.Call(supporting(list_of_keys), list(items), []),
)

_NEXT = (list_push, list_pop, list_insert)  # their results follow the list that they are given
_READS = (list_find, list_get, list_length)
_KINDS = (np.bool_, np.int64, np.float64)


def remember_places(graph: Graph) -> Graph:
    """Make lists in which keys are looked for remember where their items stand."""
    if not any(node.op is list_find for node in walk_nodes(graph.block)):
        return graph
    block = copy_block(graph.block, {})
    made = with_block(graph, block)
    finds = [node for node in walk_nodes(block) if node.op is list_find]
    families = _Families(made)
    found = False
    for find in filter(_are_of_one_kind, finds):
        columns = _columns(find)
        if all(map(families.is_own, columns)):
            for node in families.made(columns[0]):
                node.op, found = keys_new, True
    return made if found else graph


def _columns(find: Node) -> Sequence[Value]:
    return find.operands[find.attributes["count"] :]


def _are_of_one_kind(find: Node) -> bool:
    """Return whether the parts of a key are of the types that the columns hold."""
    columns = [column.type for column in _columns(find)]
    pairs = zip(find.operands, columns, strict=False)
    return all(
        isinstance(column, ListType) and _kind(key.type) == _kind(column.element) is not None
        for key, column in pairs
    )


def _kind(type_: Type) -> object:
    if type_ == TEXT:
        return TEXT
    if not isinstance(type_, ArrayType) or type_.kind == "array":
        return None
    return type_.dtype.type if type_.dtype.type in _KINDS else None


class _Families:
    """Which values are one list, as it is before and after what is done with it."""

    def __init__(self, graph: Graph) -> None:
        self.above: dict[Value, Value] = {}
        self.seen_outside: set[Value] = set()  # by others than the function itself
        self.sources: list[Node] = []
        self._let_out((*graph.block.parameters, *graph.block.results))
        for node in walk_nodes(graph.block):
            self._enter(node)
        self.outside = set(map(self.first, self.seen_outside))

    def first(self, value: Value) -> Value:
        """The value that stands for all of a list."""
        first = value
        while first in self.above:
            first = self.above[first]
        while value is not first:  # the next way is short
            self.above[value], value = first, self.above[value]
        return first

    def is_own(self, value: Value) -> bool:
        """Return whether nothing else sees a list."""
        return self.first(value) not in self.outside

    def made(self, value: Value) -> Iterator[Node]:
        """Where a list is made."""
        whole = self.first(value)
        return (node for node in self.sources if self.first(node.result) is whole)

    def _one(self, values: Iterable[Value]) -> None:
        first, *others = map(self.first, values)
        for other in others:
            if self.first(other) is not self.first(first):
                self.above[self.first(other)] = self.first(first)

    def _let_out(self, values: Iterable[Value]) -> None:
        self.seen_outside.update(v for v in values if isinstance(v.type, ListType))

    def _enter(self, node: Node) -> None:
        if node.op is loop:
            self._enter_loop(LoopView(node))
        elif node.op is cond:
            for result in node.results:
                self._one((result, *in_arms(result)))
        elif node.op in _NEXT:
            self._one((node.results[0], node.operands[0]))
            self._let_out((*node.results[1:], *node.operands[1:]))
        elif node.op is list_new:
            self.sources.append(node)
            self._let_out(node.operands)
        elif node.op not in _READS:
            self._let_out((*node.results, *node.operands))

    def _enter_loop(self, view: LoopView) -> None:
        tests = () if view.condition is None else view.condition.parameters[1:]
        parts = (view.initial, view.carries, view.next_carries, view.finals)
        for together in zip(*parts, *([tests] if tests else []), strict=True):
            self._one(together)
        self._let_out((*view.xs, *view.elements, *view.pushed, *view.ys))
