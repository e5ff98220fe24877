"""Branches on whether a graph raises become ``try``, where their second arm does what it does.

    raised = attempted((ValueError,), lambda: f_tried(x))[0] is not None      try:
    if raised:                                                                    y = math.log(x)
        y = 0.0                                                      ─▶       except ValueError:
    else:                                                                         y = 0.0
        y = math.log(x)

Works on a graph that is emitted, before it is lowered. Such a branch has the classes as an
attribute, and a predicate that is not asked. Its second arm is run first, and may be left anywhere:
so it computes numbers only, and the first arm reads nothing. What else that did stands in a branch
right behind, on a result that tells whether something has raised; so does what the second arm has
behind the last operation that the graph is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdiff.ir.build import Builder, building, constant, copy_block, substitute, with_block
from symdiff.ir.control import ATTEMPTED, CALLS, cond, emit_cond, emit_undefined, is_fixed
from symdiff.ir.graph import (
    Block,
    Graph,
    GraphCell,
    Node,
    Value,
    free_values,
    uses,
    walk_blocks,
    walk_nodes,
)
from symdiff.ir.reach import reached
from symdiff.ir.types import ArrayType
from symdiff.ops.attempts import caught_in, is_error
from symdiff.ops.equal import frozen_attributes
from symdiff.ops.facts import may_raise

CLASSES = "classes"
TOLD = "told"  # where only the last result is read behind the first arm
_COMMUTES = ("add", "multiply")


def with_try_statements(graph: Graph) -> Graph:
    """The graph with ``try`` for branches; the graph itself where there are none."""
    if not any(node.op is caught_in for node in walk_nodes(graph.block)):
        return graph
    copied = copy_block(graph.block, {})
    read = uses(copied)
    new: dict[Value, Value] = {}
    for block in reversed(list(walk_blocks(copied))):  # inner ones first, which outer ones divide
        _recover_in(block, read, new)
    if not new:
        return graph
    substitute(copied, new)
    left_out = {one for predicate in new for one in _asking(predicate)}
    for block in walk_blocks(copied):
        block.nodes[:] = [node for node in block.nodes if node not in left_out]
    return with_block(graph, copied)


def _asking(predicate: Value) -> tuple[Node, Node]:
    """The attempt, and the question whether it has raised."""
    asked = predicate.node
    assert asked is not None
    attempt = asked.operands[0].node
    assert attempt is not None
    return attempt, asked


def _recover_in(block: Block, read: Mapping[Value, int], new: dict[Value, Value]) -> None:
    """Put ``try`` in the place of branches of a block; ``new`` are what tells how they ended."""
    places = {node: place for place, node in enumerate(block.nodes)}
    made: list[Node] = []
    for place, node in enumerate(block.nodes):
        attempt = _attempt_of(node, block.nodes, places, place)
        end = None
        if attempt is not None and read[attempt.result] == 1 and node.operands[0] not in new:
            end = _end_of(node.blocks[1].nodes, attempt)
        if attempt is None or end is None:
            made.append(node)
            continue
        predicate = node.operands[0]
        nodes, new[predicate] = _tried(node, end, attempt.attributes["classes"])
        made += nodes
    block.nodes[:] = made


# Which branches -----------------------------------------------------------------------------------


def _attempt_of(
    node: Node, nodes: Sequence[Node], places: dict[Node, int], place: int
) -> Node | None:
    """The attempt that a branch is on, if nothing before and in the branch reads how it ended."""
    if node.op is not cond:
        return None
    predicate = node.operands[0]
    asked = predicate.node
    if asked is None or asked.op is not is_error or asked not in places:
        return None
    attempt = asked.operands[0].node
    if attempt is None or attempt.op is not caught_in:
        return None
    between = [*nodes[places[asked] + 1 : place], *node.blocks[1].nodes]
    reads = uses(Block((), between, node.blocks[1].results))
    return None if reads.get(predicate) else attempt


def _end_of(nodes: Sequence[Node], attempt: Node) -> int | None:
    """How many nodes of an arm do what an attempted graph does; None if they cannot stand for it.

    All that raises in the graph has to be among them, and nothing else that raises. A call that is
    attempted as a whole, or its derivative, is what the graph does.
    """
    called = next((k for k, node in enumerate(nodes) if node.attributes.get(ATTEMPTED)), None)
    if called is not None:
        is_first = all(_is_of_numbers(node) and not _raises(node) for node in nodes[:called])
        return called + 1 if is_first else None
    graph = attempt.attributes["callee"].graph
    numbers = _Numbers(dict(zip(graph.block.parameters, attempt.operands, strict=True)))
    wanted = {numbers.of(node) for node in graph.block.nodes if _raises(node)}
    found: set[int] = set()
    end = 0
    for place, node in enumerate(nodes):
        if not _is_of_numbers(node):
            break
        if _raises(node):
            number = numbers.of(node)
            if number not in wanted:
                break
            found.add(number)
            end = place + 1
    return end if end and found == wanted else None


def _is_of_numbers(node: Node) -> bool:
    """Return whether a node, and each one in it, computes numbers and nothing else."""
    inner = [one for block in node.blocks for one in walk_nodes(block)]
    if node.op.effect or any(map(_raises, inner)):
        return False
    return all(not one.op.effect and all(map(_is_number, one.results)) for one in (node, *inner))


def _raises(node: Node) -> bool:
    """Return whether a node may raise. What a call of a derivative raises is not to be caught, too:
    of Python's floats it divides by zero where the function does not, to be computed by NumPy's.
    """
    if node.op not in CALLS:
        return may_raise(node)
    cells = reached([node.attributes["callee"]], _called_inside)
    return any(cell.graph is None for cell in cells) or any(
        one.op not in CALLS and (one.op.effect or may_raise(one))
        for cell in cells
        if cell.graph is not None
        for one in walk_nodes(cell.graph.block)
    )


def _called_inside(cell: GraphCell) -> list[GraphCell]:
    if cell.graph is None:
        return []
    return [one.attributes["callee"] for one in walk_nodes(cell.graph.block) if one.op in CALLS]


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind != "array"


class _Numbers:
    """One number for all nodes that compute the same; ``new`` stand for values that they read."""

    def __init__(self, new: dict[Value, Value]) -> None:
        self.new = new
        self.known: dict[Any, int] = {}
        self.found: dict[Value, int] = {}

    def of(self, node: Node) -> int:
        """The number of a node's first result."""
        pending = [self.new.get(node.results[0], node.results[0])]
        while pending:
            value = pending[-1]
            if value in self.found:
                pending.pop()
                continue
            operands = [self.new.get(one, one) for one in self._read_by(value)]
            left = [one for one in operands if one not in self.found]
            if left:
                pending += left
                continue
            self.found[value] = self.known.setdefault(self._key(value, operands), len(self.known))
            pending.pop()
        return self.found[self.new.get(node.results[0], node.results[0])]

    def _read_by(self, value: Value) -> Sequence[Value]:
        """What a value is computed of; nothing if it stands for itself."""
        node = value.node
        if node is None or node.blocks or node.op.effect or node.op.evaluate is None:
            return ()
        return node.operands if len(node.results) == 1 else ()

    def _key(self, value: Value, operands: Sequence[Value]) -> Any:
        node = value.node
        if node is None or (not operands and node.op is not constant):
            return value
        attributes = frozen_attributes(node.attributes)
        if attributes is None:
            return value
        numbers = [self.found[one] for one in operands]
        if node.op.name in _COMMUTES:
            numbers.sort()
        return node.op, attributes, value.type, tuple(numbers)


# What they become ---------------------------------------------------------------------------------


def _tried(
    node: Node, end: int, classes: tuple[type[BaseException], ...]
) -> tuple[list[Node], Value]:
    """A ``try`` in the place of a branch, and a branch behind it where more is done; and what tells
    whether something has raised.
    """
    then, orelse = node.blocks
    rest = orelse.nodes[end:]
    if all(map(is_fixed, then.results)) and not any(map(_has_to_wait, rest)):
        behind = None
        failed, made = then.results, orelse.results
        body = orelse.nodes
    else:
        behind = node
        body = orelse.nodes[:end]
        read = free_values(Block((), rest, orelse.results))
        own = {value for one in body for value in one.results}
        made = tuple([value for value in read if value in own])
    with building(Builder(span=node.span)) as outer:
        no = outer.constant(False)
        with building(Builder(span=node.span)) as first:
            if behind is not None:
                failed = tuple([emit_undefined(value.type) for value in made])
            told = first.constant(True)
        nodes = then.nodes if behind is None else []
        first_arm = Block((), [*nodes, *first.nodes], (*failed, told))
        with building(Builder(body, node.span)) as second:
            untold = second.constant(False)
        tried = emit_cond(no, first_arm, Block((), body, (*made, untold)))
    tried.attributes = {CLASSES: classes, TOLD: behind is not None}
    raised = tried.results[-1]
    raised.name, raised.role = "raised", "primal"
    if behind is None:
        for old in node.results:
            old.node = tried
        tried.results = (*node.results, raised)
        return outer.nodes, raised
    left = Block((), rest, orelse.results)
    for old, value in zip(made, tried.results, strict=False):
        value.name, value.role = old.name, old.role
    substitute(left, dict(zip(made, tried.results, strict=False)))
    behind.operands, behind.blocks = (raised,), (then, left)
    return [*outer.nodes, behind], raised


def _has_to_wait(node: Node) -> bool:
    """Return whether a node may not stand in a ``try`` that is not about it."""
    return _raises(node) or not _is_of_numbers(node)
