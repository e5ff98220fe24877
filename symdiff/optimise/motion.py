"""Loop-invariant motion: what a turn computes from nothing of the loop is computed before it.

In programs with derivatives only; the user's own program stays as it was written. Moved is what is
pure and cannot raise, out of loops and never out of an arm of a branch; what reads a value that may
be undefined stays behind the test that guards it. What costs nothing (a
transpose, a length) moves only along with what reads it, or where it would be kept for each turn,
and an array that is made to be written
to stays: a table of numbers is only where something does.
"""

from __future__ import annotations

from collections.abc import Collection

from symdiff.ir.build import are_same, is_constant, remade, renewed, with_block
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Block, Graph, Node, Value, walk_nodes
from symdiff.ir.types import ListType
from symdiff.ops.arrays import array
from symdiff.ops.facts import is_derived, may_raise, number_of
from symdiff.ops.index import index_add, index_set
from symdiff.ops.partial import partial_values
from symdiff.optimise.facts import has_derivatives
from symdiff.optimise.rewriting import Sweep


def move_invariants(graph: Graph, own: bool = False) -> Graph:
    """The graph with invariant nodes before their loops; the graph itself where there are none.

    ``own``: nobody else has its nodes, and the new one is made of them.
    """
    if not has_derivatives(graph) or not any(node.blocks for node in graph.block.nodes):
        return graph
    if not any(node.op in (loop, array) for node in walk_nodes(graph.block)):
        return graph  # nothing moves out of branches
    written, partial = _written(graph.block), partial_values(graph.block, graph.partial)
    for sweep in [Sweep.LASTING] if own else [Sweep.TRIAL, Sweep.COPYING]:
        motion = _Motion(written, partial, sweep)
        block = motion.block(graph.block, floor=0)
        if not motion.moved:
            return graph
    return with_block(graph, block)


class _Motion:
    """Rebuilds a graph; ``open`` are the lists of nodes of the blocks around, by level.

    On trial what is given back says nothing: it is only found whether anything moves.
    """

    def __init__(self, written: frozenset[Value], partial: set[Value], sweep: Sweep) -> None:
        self.on_trial, self.shares = sweep is Sweep.TRIAL, sweep is not Sweep.COPYING
        self.moved = False
        self.written = written
        self.partial = partial
        self.open: list[list[Node]] = []
        self.new: dict[Value, Value] = {}
        self.level: dict[Value, int] = {}  # of new values: that of the block they are made in
        self.could_be: dict[Value, tuple[Node, int]] = {}  # free ones, and where they could be made
        self.tables: dict[object, Value] = {}  # arrays of known numbers in the outermost block

    def block(self, block: Block, floor: int, kept: Collection[Value] = ()) -> Block:
        """A block rebuilt; ``floor`` is the lowest level that its nodes may move to, ``kept`` are
        results that a tape keeps.
        """
        level = len(self.open)
        parameters = block.parameters if self.shares else renewed(block.parameters)
        if not self.shares:
            self.new.update(zip(block.parameters, parameters, strict=True))
        self.level.update(dict.fromkeys(parameters, level))
        nodes: list[Node] = []
        self.open.append(nodes)
        for node in block.nodes:
            self._visit(node, level, floor)
            if self.on_trial and self.moved:
                break
        for value in kept:
            self._keep(value, level)
        self.open.pop()
        made = Block(parameters, nodes, tuple([self.new.get(v, v) for v in block.results]))
        return block if self.shares and are_same(made, block) else made

    def _keep(self, value: Value, level: int) -> None:
        """Make what a tape would keep before the loop, where it is the same in each turn."""
        here = self.new.get(value, value)
        if here not in self.could_be or is_constant(here):
            return
        _, target = self.could_be[here]
        if self.level[here] != level or target >= level:
            return
        self.moved = True
        if not self.on_trial:
            self.new[value] = self._along(here, target)

    def _visit(self, node: Node, level: int, floor: int) -> None:
        new = self.new
        operands = node.operands
        if not new.keys().isdisjoint(operands):
            operands = tuple([new.get(value, value) for value in operands])
        blocks: tuple[Block, ...] = ()
        table = _numbers_of(node) if self._is_table(node) else None
        if table is not None and table in self.tables:
            self.moved = True
            self.new[node.result] = self.tables[table]
            return
        if node.blocks:
            inner = level + 1 if node.op is cond else floor
            kept = LoopView(node).pushed if node.op is loop else ()
            blocks = tuple([self.block(block, inner, kept) for block in node.blocks])
        stays = blocks or not self.partial.isdisjoint(node.operands)
        target = level if stays else self._target(node, operands, level, floor)
        if target < level and node.op.cost != "free":
            self.moved = True
            if self.on_trial:
                return
            operands = tuple(self._along(value, target) for value in operands)
            made = self._make(node, operands, blocks, target)
            level = target
        else:
            made = self._make(node, operands, blocks, level)
        if table is not None and level == 0:
            self.tables[table] = made.result
        if target < level:
            self.could_be.update((value, (made, target)) for value in made.results)

    def _make(
        self, node: Node, operands: tuple[Value, ...], blocks: tuple[Block, ...], level: int
    ) -> Node:
        made = node
        if not self.shares or (operands, blocks) != (node.operands, node.blocks):
            made = remade(node, operands, blocks)
            self.new.update(zip(node.results, made.results, strict=True))
        for value in made.results:
            self.level[value] = level
        self.open[level].append(made)
        return made

    def _target(self, node: Node, operands: tuple[Value, ...], level: int, floor: int) -> int:
        """The outermost level at which a node can be made."""
        if level == floor or not (_is_movable(node) or self._is_table(node)):
            return level
        levels = (self.could_be[v][1] if v in self.could_be else self.level[v] for v in operands)
        return max(floor, *levels, 0)

    def _is_table(self, node: Node) -> bool:
        """Return whether a node makes an array of known numbers that nobody writes to."""
        if node.op is not array or node.result in self.written or may_raise(node):
            return False
        return all(number_of(value) is not None for value in node.operands)

    def _along(self, value: Value, target: int) -> Value:
        """A value at an outer level: free ones are made again there."""
        if self.level[value] <= target:
            return value
        node, _ = self.could_be[value]
        operands = tuple(self._along(operand, target) for operand in node.operands)
        made = remade(node, operands)
        self.open[target].append(made)
        self.level.update(dict.fromkeys(made.results, target))
        return made.results[node.results.index(value)]


def _numbers_of(node: Node) -> object:
    """What tables that are alike have in common."""
    numbers = (number_of(value) for value in node.operands)
    return repr(([(type(n), n) for n in numbers], sorted(node.attributes.items(), key=repr)))


def _written(block: Block) -> frozenset[Value]:
    """Values that writes, or turns of loops and arms that hand them on, make others of."""
    found = set(block.results)
    for node in walk_nodes(block):
        if node.op in (index_set, index_add):
            found.add(node.operands[0])
        elif node.blocks:
            found.update(node.operands)
            found.update(value for inner in node.blocks for value in inner.results)
    return frozenset(found)


def _is_movable(node: Node) -> bool:
    if node.op.effect or node.op.evaluate is None or node.op.fresh:
        return False
    if any(isinstance(value.type, ListType) for value in node.results):
        return False  # a new list each turn, to be changed
    if may_raise(node) and not (is_derived(node) and node.op.cost == "free"):
        return False
    return is_derived(node) or not _may_warn(node)


def _may_warn(node: Node) -> bool:
    """Return whether NumPy may warn of it: a loop of no turns does not."""
    if node.op.name == "divide" and number_of(node.operands[1]):
        return False
    singular = getattr(node.op, "singular", False)
    return bool(singular(node) if callable(singular) else singular)
