"""Dead code: nodes, carries, tapes, results of branches and parts of what solvers find that nothing
needs are left out.

Needed are the graph's results and what must stay (effects, what may raise). From there marks spread
to what those read, through loops and branches: a carry is needed where its final value or its value
in a turn is. Then the graph is rebuilt from what is marked; nodes of which nothing is left out are
shared with the graph that was given. Linear in its size.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from symdiff.ir.build import are_same, remade, with_block
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Attributes, Block, Graph, Node, Value, walk_nodes
from symdiff.ir.needed import Needed
from symdiff.ir.types import Dim
from symdiff.ops.facts import must_stay, shape_of
from symdiff.ops.solving import narrowed, solver_call
from symdiff.optimise.bounds import Bounds


def eliminate_dead_code(graph: Graph, own: bool = False) -> Graph:
    """The graph without what is not needed; the graph itself where everything is.

    ``own``: nobody else has its values, and they become those of the new one.
    """
    every = list(walk_nodes(graph.block))
    needed = _needed(graph.block, every)
    if not _leaves_out(every, needed):
        return graph
    return with_block(graph, _Pruning(needed, own).whole(graph.block))


def _needed(block: Block, every: Sequence[Node]) -> Needed:
    """What the results of a whole graph need, and what must stay of every node in it."""

    @functools.cache
    def bounds() -> Bounds:
        return Bounds(every)

    def fits(value: Value, dim: Dim) -> bool:
        """Return whether an integer is known to be a place of an axis."""
        return shape_of(value) == () and bounds().of(value).is_index_of(dim)

    def reads_an_item(node: Node) -> bool:
        """Return whether a node reads an item that a list is known to have."""
        return node.op.name == "list_get" and bounds().has_item(node)

    needed = Needed(block.nodes)
    needed.need(block.results)
    needed.need_nodes(node for node in every if must_stay(node, fits) and not reads_an_item(node))
    return needed


def _leaves_out(every: Sequence[Node], needed: Needed) -> bool:
    """Return whether anything is not needed."""
    return len(every) > len(needed.nodes) or any(
        _leaves_out_parts(node, needed) for node in every if node.blocks or node.op is solver_call
    )


def _leaves_out_parts(node: Node, needed: Needed) -> bool:
    if node.op is solver_call:
        return len(_parts_found(node, needed)) < len(node.results)
    if node.op is cond:
        return len(needed.results(node)) < len(node.results)
    return not needed.parts(LoopView(node)).is_whole


def _parts_found(node: Node, needed: Needed) -> list[int]:
    """Which results of a solver are needed: one at least, as its call stays."""
    every = list(range(len(node.results)))
    if len(every) != len(node.attributes["picked"]):
        return every
    return needed.results(node) or every[:1]


class _Pruning:
    """Takes what is marked, and copies the loops and branches of which parts are left out, with all
    that reads those.
    """

    def __init__(self, needed: Needed, own: bool) -> None:
        self.needed, self.own = needed, own
        self.new: dict[Value, Value] = {}

    def whole(self, block: Block) -> Block:
        return self._block(block, block.parameters, block.results)

    def _block(self, block: Block, parameters: Sequence[Value], results: Sequence[Value]) -> Block:
        """A block with some of its parameters and results; itself where it stays as it is."""
        nodes = [self._node(node) for node in block.nodes if node in self.needed.nodes]
        made = Block(tuple(parameters), nodes, self._mapped(results))
        return block if are_same(made, block) else made

    def _mapped(self, values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple([self.new.get(value, value) for value in values])

    def _node(self, node: Node) -> Node:
        if node.op is loop:
            return self._loop(LoopView(node))
        if node.op is cond:
            return self._cond(node)
        if node.op is solver_call:
            return self._solver(node)
        return self._made(node, node.operands, (), node.results)

    def _made(
        self,
        node: Node,
        operands: Sequence[Value],
        blocks: tuple[Block, ...],
        results: Sequence[Value],
        attributes: Attributes | None = None,
    ) -> Node:
        read = self._mapped(operands)
        if read == node.operands and blocks == node.blocks and len(results) == len(node.results):
            return node
        made = remade(node, read, blocks, results, attributes)
        if self.own:
            made.results = tuple(results)
            for value in results:
                value.node = made
        else:
            self.new.update(zip(results, made.results, strict=True))
        return made

    def _cond(self, node: Node) -> Node:
        kept = self.needed.results(node)
        blocks = tuple(
            self._block(block, (), [block.results[k] for k in kept]) for block in node.blocks
        )
        return self._made(node, node.operands, blocks, [node.results[k] for k in kept])

    def _solver(self, node: Node) -> Node:
        kept = _parts_found(node, self.needed)
        results = [node.results[k] for k in kept]
        return self._made(node, node.operands, (), results, narrowed(node, kept))

    def _loop(self, view: LoopView) -> Node:
        kept = self.needed.parts(view)
        blocks = [self._block(view.body, kept.parameters, kept.given)]
        if view.condition is not None:
            blocks.append(self._block(view.condition, kept.tested, view.condition.results))
        return self._made(view.node, kept.operands, tuple(blocks), kept.results, kept.attributes)
