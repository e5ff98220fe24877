"""Calls of derivatives behind one test of the cotangent, without the masks that it stands for.

    x_bar = f_backward(saved, y_bar)        becomes        if y_bar != 0:
                                                               x_bar = f_backward(saved, y_bar)
                                                           else:
                                                               x_bar = 0.0

where every product of ``f_backward`` had a strong zero, as ``y`` may not have been selected. This
gives what the masks gave:

- Where ``y_bar`` is 0, so are all results. That is found in the graph itself: strong products with
  a zero, sums of zeros, branches whose arms are zeros.
- Where ``y_bar`` is not 0, or NaN, ``y`` was selected. A product that is ``seeded`` (see
  ``ops.strong``) has a cotangent that is zero by selection only if ``y_bar`` is: what else chooses
  within ``f`` leaves its masks. If it is zero since a factor is, or by underflow, the product is
  what it is where ``f`` itself is differentiated, with the cotangent 1.
- ``seeded`` tells of the cotangent of the graph that the product was made for. A graph may also
  have products that were made for another one, derivatives of which it computes again: those are
  not zero with its own cotangent, and stay.

A graph enters that is to be emitted: of a test no further derivative may be taken, as the one by
``y_bar`` where that happens to be 0 is not zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from symdiff.ir.build import Builder, building, constant, copy_block, remade, with_block
from symdiff.ir.called import called_by
from symdiff.ir.control import call, cond, emit_cond, undefined
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import choice, divide, multiply, not_equal, where
from symdiff.ops.creation import zero_of
from symdiff.ops.declare import array_type
from symdiff.ops.facts import is_derived, number_of
from symdiff.ops.strong import SEEDED, quiet_divide, strong_divide, strong_multiply

WORTH = 4  # masks that a test has to stand for, as it takes some lines itself
_STRONG = (strong_multiply, strong_divide, quiet_divide)
_KEEPS_ZEROS = frozenset({
    "add", "subtract", "negative", "astype", "copy", "python_float", "as_scalar", "real", "retype",
})  # fmt: skip


def with_tested_calls(graph: Graph) -> Graph:
    """The graph, and those that it calls, with tests; the graph itself where there are none."""
    tests = _Tests()
    if not any(map(tests.are_in, (graph, *called_by(graph)))):
        return graph
    return tests.made(graph)


class _Tests:
    """Copies of graphs with tests, each made once: ``plain`` ones have no masks for their own
    cotangent.
    """

    def __init__(self) -> None:
        self._masks: dict[int, int] = {}
        self._cells: dict[tuple[int, bool], GraphCell] = {}
        self._pending: list[tuple[GraphCell, Graph, bool]] = []

    def are_in(self, graph: Graph) -> bool:
        """Return whether a graph has calls that are to be tested."""
        return any(map(self._is_worth, walk_nodes(graph.block)))

    def made(self, graph: Graph) -> Graph:
        """The copy of a graph, and of those that it calls."""
        found = self._copy(graph, plain=False)
        while self._pending:
            cell, called, plain = self._pending.pop()
            cell.graph = self._copy(called, plain)
        return found

    def _copy(self, graph: Graph, plain: bool) -> Graph:
        block = copy_block(graph.block, {})
        zero = self._zero_with(seed, block) if plain and (seed := _seed(block)) else set[Value]()
        for inner in walk_blocks(block):
            inner.nodes = [one for node in inner.nodes for one in self._redone(node, zero)]
        return with_block(graph, block)

    def _redone(self, node: Node, zero: set[Value]) -> list[Node]:
        """What stands for a node where what is ``zero`` with the seed is not."""
        is_seeded = _is_seeded(node, zero)
        if node.op is call:
            tested = not is_seeded and self._is_worth(node)
            plain = (is_seeded or tested) and self._can(node)
            seed = _seed_given(node) if tested else None
            node.attributes = {**node.attributes, "callee": self._cell(node, plain)}
            return [node] if seed is None else _tested(node, seed)
        if is_seeded:
            _unmask(node)
        elif "callee" in node.attributes:
            node.attributes = {**node.attributes, "callee": self._cell(node, plain=False)}
        return [node]

    def _cell(self, node: Node, plain: bool) -> GraphCell:
        """The cell of the copy of a called graph."""
        given: GraphCell = node.attributes["callee"]
        if given.graph is None:
            return given
        key = (id(given.graph), plain)
        if key not in self._cells:
            self._cells[key] = GraphCell(given.name)
            self._pending.append((self._cells[key], given.graph, plain))
        return self._cells[key]

    # What calls are tested

    def _is_worth(self, node: Node) -> bool:
        return node.op is call and is_derived(node) and self._masks_of(node) >= WORTH

    def _can(self, node: Node) -> bool:
        return node.op is call and self._masks_of(node) > 0

    def _masks_of(self, node: Node) -> int:
        """How many masks of a called graph its one cotangent is for; none where not all of its
        results are zero with that.
        """
        graph: Graph | None = node.attributes["callee"].graph
        if graph is None:
            return 0
        if id(graph) not in self._masks:
            self._masks[id(graph)] = 0  # while it is asked for
            self._masks[id(graph)] = self._masks_in(graph)
        return self._masks[id(graph)]

    def _masks_in(self, graph: Graph) -> int:
        seed = _seed(graph.block)
        if seed is None or not all(map(_is_number, graph.block.results)):
            return 0
        zero = self._zero_with(seed, graph.block)
        if not zero.issuperset(graph.block.results):
            return 0
        return sum(_is_seeded(node, zero) for node in walk_nodes(graph.block))

    def _zero_with(self, seed: Value, block: Block) -> set[Value]:
        """What is zero where the seed is."""
        zero = {seed}
        for node in _arms_first(block):
            if node.op is cond:
                pairs = zip(node.results, *(arm.results for arm in node.blocks), strict=True)
                zero.update(given for given, *arms in pairs if zero.issuperset(arms))
            elif self._gives_zero(node, zero):
                zero.update(node.results)
        return zero

    def _gives_zero(self, node: Node, zero: set[Value]) -> bool:
        op, operands = node.op, node.operands
        if op is call:
            return self._can(node) and _seed_given(node) in zero
        if op in _STRONG:
            return operands[0] in zero
        if op is multiply:
            return any(a in zero and _is_finite(b) for a, b in (operands, operands[::-1]))
        if op in (where, choice):
            return zero.issuperset(operands[1:])
        if op.name in _KEEPS_ZEROS:
            return zero.issuperset(operands)
        return op is undefined or (op is constant and number_of(node.result) == 0)


def _seed(block: Block) -> Value | None:
    """The one cotangent that a graph is given, a number."""
    found = [value for value in block.parameters if value.role == "cotangent"]
    return found[0] if len(found) == 1 and _is_number(found[0]) else None


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind != "array"


def _is_finite(value: Value) -> bool:
    number = number_of(value)
    return isinstance(number, (int, float)) and math.isfinite(number)


def _arms_first(block: Block) -> Iterator[Node]:
    """The nodes of a block, and of branches in it, before these; loops are not looked into."""
    pending = [(node, False) for node in reversed(block.nodes)]
    while pending:
        node, done = pending.pop()
        if node.op is not cond or done:
            yield node
            continue
        pending.append((node, True))
        pending += [(inner, False) for arm in node.blocks for inner in reversed(arm.nodes)]


def _seed_given(node: Node) -> Value:
    """What a call gives as the one cotangent of its graph."""
    block: Block = node.attributes["callee"].graph.block
    seed = _seed(block)
    assert seed is not None
    return node.operands[block.parameters.index(seed)]


def _is_seeded(node: Node, zero: set[Value]) -> bool:
    """Return whether a node is a product or a call whose masks are those of a zero cotangent."""
    if SEEDED not in node.attributes:
        return False
    given = node.operands[:1] if node.op in _STRONG else node.operands
    return not zero.isdisjoint(given)


def _unmask(node: Node) -> None:
    plain = node.op is strong_multiply
    node.op, node.attributes = (multiply, {}) if plain else (divide, {"ufunc": True})


def _tested(node: Node, seed: Value) -> list[Node]:
    """A call where its cotangent, the ``seed``, is not zero, and zeros elsewhere."""
    results = node.results
    called = remade(node, node.operands)
    with building(Builder([], node.span)) as outer:
        outer.role = "cotangent"
        selected = not_equal(seed, 0)
        with building(Builder([])) as inner:
            zeros = tuple(inner.constant(zero_of(array_type(value))) for value in results)
        made = emit_cond(
            selected, Block((), [called], called.results), Block((), inner.nodes, zeros)
        )
    made.results = results
    for value in results:
        value.node = made
    return outer.nodes
