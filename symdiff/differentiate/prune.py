"""Dead code in a derivative under construction: nodes that nothing reads go, in place.

A list of nodes and the values wanted of it enter; only what those need stays. Carries, tapes and
results of branches that nothing reads go as well. Values defined elsewhere may be read freely;
effects stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Block, Node, Value


def prune(nodes: list[Node], wanted: Iterable[Value]) -> None:
    """Drop from ``nodes`` what neither ``wanted`` nor an effect needs."""
    liveness = _Liveness(nodes)
    liveness.mark(wanted)
    liveness.sweep(nodes)


class _Liveness:
    def __init__(self, nodes: list[Node]) -> None:
        self.live: set[Value] = set()
        self.kept: set[Node] = set()
        self.parameters: dict[Value, tuple[LoopView, int]] = {}
        self.enclosing: dict[Node, Node | None] = {}
        self.stack: list[Value] = []
        self._learn(nodes)

    def _learn(self, nodes: list[Node]) -> None:
        pending: list[tuple[list[Node], Node | None]] = [(nodes, None)]
        while pending:
            inner, owner = pending.pop()
            for node in inner:
                self.enclosing[node] = owner
                pending.extend((block.nodes, node) for block in node.blocks)
                if node.op is loop:
                    self._learn_loop(LoopView(node))
                if node.op.effect:
                    self.keep(node)

    def _learn_loop(self, view: LoopView) -> None:
        for block in view.node.blocks:
            for number, parameter in enumerate(block.parameters):
                self.parameters[parameter] = (view, number - 1)

    def keep(self, node: Node | None) -> None:
        """A node that stays, with what it needs whichever of its results are read."""
        while node is not None and node not in self.kept:
            self.kept.add(node)
            if node.op is loop:
                view = LoopView(node)
                self.stack.extend(() if view.count is None else (view.count,))
                self.stack.extend(() if view.condition is None else view.condition.results)
            else:
                self.stack.extend(node.operands)
            node = self.enclosing.get(node)

    def mark(self, wanted: Iterable[Value]) -> None:
        self.stack.extend(wanted)
        while self.stack:
            value = self.stack.pop()
            if value in self.live:
                continue
            self.live.add(value)
            if value in self.parameters:
                self._mark_parameter(*self.parameters[value])
            elif value.node is not None and value.node in self.enclosing:
                self._mark_result(value, value.node)

    def _mark_parameter(self, view: LoopView, number: int) -> None:
        self.keep(view.node)
        if 0 <= number < view.carry_count:
            self._mark_carry(view, number)
        elif number >= view.carry_count:
            self.stack.append(view.xs[number - view.carry_count])

    def _mark_carry(self, view: LoopView, number: int) -> None:
        self.stack.append(view.initial[number])
        self.stack.append(view.next_carries[number])
        self.live.add(view.finals[number])

    def _mark_result(self, value: Value, node: Node) -> None:
        self.keep(node)
        if not node.blocks:
            return
        number = node.results.index(value)
        if node.op is not loop:
            self.stack.extend(block.results[number] for block in node.blocks)
            return
        view = LoopView(node)
        if number < view.carry_count:
            self._mark_carry(view, number)
        elif number < len(node.results) - 1:
            self.stack.append(view.body.results[number])

    def sweep(self, nodes: list[Node]) -> None:
        pending = [nodes]
        while pending:
            inner = pending.pop()
            inner[:] = [node for node in inner if node in self.kept]
            for node in inner:
                if node.op is loop:
                    _narrow_loop(LoopView(node), self.live)
                elif node.op is cond or node.blocks:
                    _narrow_arms(node, self.live)
                pending.extend(block.nodes for block in node.blocks)


def _narrow_loop(view: LoopView, live: set[Value]) -> None:
    """Drop carries, elements and tapes of a loop that are not live."""
    node, count = view.node, view.carry_count
    body = view.body
    carries = [k for k in range(count) if view.finals[k] in live or view.carries[k] in live]
    elements = [k for k, value in enumerate(view.elements) if value in live]
    tapes = [k for k, value in enumerate(view.ys) if value in live]
    chosen = _chooser(carries, count)
    operands = (*chosen(view.initial), *(view.xs[k] for k in elements))
    bound = () if view.count is None else (view.count,)
    parameters = (view.index, *chosen(view.carries), *(view.elements[k] for k in elements))
    results = (*chosen(view.next_carries), *(view.pushed[k] for k in tapes))
    outer = (*chosen(view.finals), *(view.ys[k] for k in tapes), view.turns)
    if view.condition is not None:
        condition = view.condition
        condition.parameters = (condition.parameters[0], *chosen(condition.parameters[1:]))
    body.parameters, body.results = parameters, results
    node.operands, node.results = (*bound, *operands), outer
    node.attributes = {**node.attributes, "carries": len(carries)}


def _chooser(kept: list[int], count: int) -> Callable[[tuple[Value, ...]], list[Value]]:
    return lambda values: [values[k] for k in kept] if len(kept) < count else list(values)


def _narrow_arms(node: Node, live: set[Value]) -> None:
    kept = [k for k, value in enumerate(node.results) if value in live]
    node.results = tuple(node.results[k] for k in kept)
    for block in node.blocks:
        narrow(block, kept)


def narrow(block: Block, kept: list[int]) -> None:
    """Keep only some results of a block."""
    block.results = tuple(block.results[k] for k in kept)
