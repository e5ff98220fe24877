"""Dead code: nodes, carries, tapes and results of branches that nothing needs are left out.

Needed are the graph's results and what must stay (effects, what may raise). From there marks spread
to what those read, through loops and branches: a carry is needed where its final value or its value
in a turn is. Then the graph is rebuilt from what is marked; nodes of which nothing is left out are
shared with the graph that was given. Linear in its size.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.ir.build import are_same, remade, with_block
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Attributes, Block, Graph, Node, Value, walk_nodes
from symdiff.ir.types import Dim
from symdiff.ops.facts import must_stay, shape_of
from symdiff.optimise.bounds import Bounds


def eliminate_dead_code(graph: Graph) -> Graph:
    """The graph without what is not needed; the graph itself where everything is."""
    needed = _Marking(graph.block).run()
    if not needed.leaves_out(graph.block):
        return graph
    return with_block(graph, _Pruning(needed).whole(graph.block))


class _Marking:
    """Marks values and nodes that are needed."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.values: set[Value] = set()
        self.nodes: set[Node] = set()
        self.pending: list[Value] = []
        self.owner: dict[Node, Node] = {}
        self.parameter_of: dict[Value, tuple[Node, int]] = {}
        self.bounds = Bounds(block)
        self._survey()

    def _survey(self) -> None:
        for node in walk_nodes(self.block):
            for inner in node.blocks:
                self.parameter_of.update((v, (node, k)) for k, v in enumerate(inner.parameters))
                self.owner.update((nested, node) for nested in inner.nodes)

    def run(self) -> _Marking:
        self.need(self.block.results)
        for node in walk_nodes(self.block):
            if must_stay(node, self.fits) and not self.bounds.is_item(node):
                self.need_node(node)
        while self.pending:
            self._spread(self.pending.pop())
        return self

    def fits(self, value: Value, dim: Dim) -> bool:
        """Return whether an integer is known to be a place of an axis."""
        return shape_of(value) == () and self.bounds.of(value).is_index_of(dim)

    def need(self, values: Sequence[Value]) -> None:
        for value in values:
            if value not in self.values:
                self.values.add(value)
                self.pending.append(value)

    def need_node(self, node: Node | None) -> None:
        """A node happens: so do the loops and branches around it."""
        while node is not None and node not in self.nodes:
            self.nodes.add(node)
            if node.op is loop:
                self._need_control(LoopView(node))
            else:
                self.need(node.operands)
            node = self.owner.get(node)

    def _need_control(self, view: LoopView) -> None:
        self.need([] if view.count is None else [view.count])
        self.need([] if view.condition is None else view.condition.results)

    def _spread(self, value: Value) -> None:
        node = value.node
        if node is None:
            self._spread_parameter(value)
            return
        self.need_node(node)
        if node.op is loop:
            self._spread_loop(LoopView(node), node.results.index(value))
        elif node.op is cond:
            k = node.results.index(value)
            self.need([block.results[k] for block in node.blocks])

    def _spread_parameter(self, value: Value) -> None:
        if value not in self.parameter_of:
            return
        node, position = self.parameter_of[value]
        self.need_node(node)
        view = LoopView(node)
        carry = position - 1
        if carry >= view.carry_count:
            self.need([view.xs[carry - view.carry_count]])
        elif carry >= 0:
            self.need([view.initial[carry], view.next_carries[carry]])

    def _spread_loop(self, view: LoopView, position: int) -> None:
        if position < view.carry_count:
            self.need([view.initial[position], view.next_carries[position]])
        elif position < len(view.body.results):
            self.need([view.body.results[position]])

    def leaves_out(self, block: Block) -> bool:
        """Return whether anything is not needed."""
        every = list(walk_nodes(block))
        return len(every) > len(self.nodes) or any(
            self._leaves_out_parts(node) for node in every if node.blocks
        )

    def _leaves_out_parts(self, node: Node) -> bool:
        if node.op is cond:
            return any(value not in self.values for value in node.results)
        view = LoopView(node)
        read = (*view.ys, *view.elements)
        return any(v not in self.values for v in read) or len(self.carries(view)) < view.carry_count

    def carries(self, view: LoopView) -> list[int]:
        """The carries of a loop that are needed."""
        inner = [view.carries]
        if view.condition is not None:
            inner.append(view.condition.parameters[1:])
        return [
            k
            for k, final in enumerate(view.finals)
            if final in self.values or any(values[k] in self.values for values in inner)
        ]


class _Pruning:
    """Takes what is marked, and copies the loops and branches of which parts are left out, with all
    that reads those.
    """

    def __init__(self, needed: _Marking) -> None:
        self.needed = needed
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
        self.new.update(zip(results, made.results, strict=True))
        return made

    def _cond(self, node: Node) -> Node:
        kept = [k for k, value in enumerate(node.results) if value in self.needed.values]
        blocks = tuple(
            self._block(block, (), [block.results[k] for k in kept]) for block in node.blocks
        )
        return self._made(node, node.operands, blocks, [node.results[k] for k in kept])

    def _loop(self, view: LoopView) -> Node:
        carries = self.needed.carries(view)
        elements = [k for k, v in enumerate(view.elements) if v in self.needed.values]
        ys = [k for k, v in enumerate(view.ys) if v in self.needed.values]
        results = [*(view.next_carries[k] for k in carries), *(view.pushed[k] for k in ys)]
        kept = [view.carries[k] for k in carries]
        read = [view.elements[k] for k in elements]
        blocks = [self._block(view.body, (view.index, *kept, *read), results)]
        if view.condition is not None:
            index, *values = view.condition.parameters
            parameters = (index, *(values[k] for k in carries))
            blocks.append(self._block(view.condition, parameters, view.condition.results))
        count = [] if view.count is None else [view.count]
        operands = [*count, *(view.initial[k] for k in carries), *(view.xs[k] for k in elements)]
        defined = [*(view.finals[k] for k in carries), *(view.ys[k] for k in ys), view.turns]
        attributes = {**view.node.attributes, "carries": len(carries)}
        return self._made(view.node, operands, tuple(blocks), defined, attributes)
