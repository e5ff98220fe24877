"""What is needed: marks spread from values that are wanted to what those read.

They go through loops and branches: a carry is needed where its final value or its value in a turn
is, a tape where it is read behind the loop. Values that are defined elsewhere may be wanted freely.
Linear in the size of what is searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Attributes, Node, Value


class Needed:
    """The values and the nodes, among some and all in their blocks, that are needed."""

    def __init__(self, nodes: list[Node]) -> None:
        self.values: set[Value] = set()
        self.nodes: set[Node] = set()
        self._pending: list[Value] = []
        self._owner: dict[Node, Node | None] = dict.fromkeys(nodes)
        self._parameter_of: dict[Value, tuple[Node, int]] = {}
        pending = [nodes]
        while pending:
            for node in pending.pop():
                for inner in node.blocks:
                    places = enumerate(inner.parameters)
                    self._parameter_of.update({v: (node, k) for k, v in places})
                    self._owner.update(dict.fromkeys(inner.nodes, node))
                    pending.append(inner.nodes)

    def need(self, values: Iterable[Value]) -> None:
        """Values are wanted, with what they read."""
        self._want(values)
        pending, owner = self._pending, self._owner
        while pending:
            value = pending.pop()
            node = value.node
            if node is None:
                if value in self._parameter_of:
                    self._spread_parameter(*self._parameter_of[value])
            elif node in owner:
                if node not in self.nodes:
                    self._happens(node)
                if node.blocks:
                    self._spread_result(node, node.results.index(value))

    def need_nodes(self, nodes: Iterable[Node]) -> None:
        """Nodes happen whatever of their results is read, with what they read."""
        for node in nodes:
            self._happens(node)
        self.need(())

    def _want(self, values: Iterable[Value]) -> None:
        wanted, pending = self.values, self._pending
        for value in values:
            if value not in wanted:
                wanted.add(value)
                pending.append(value)

    def _happens(self, node: Node | None) -> None:
        """A node happens: so do the loops and branches around it."""
        while node is not None and node not in self.nodes:
            self.nodes.add(node)
            if node.op is loop:
                view = LoopView(node)
                self._want(() if view.count is None else (view.count,))
                self._want(() if view.condition is None else view.condition.results)
            else:
                self._want(node.operands)
            node = self._owner.get(node)

    def _spread_parameter(self, node: Node, position: int) -> None:
        self._happens(node)
        view, carry = LoopView(node), position - 1
        if carry >= view.carry_count:
            self._want([view.xs[carry - view.carry_count]])
        elif carry >= 0:
            self._want([view.initial[carry], view.next_carries[carry]])

    def _spread_result(self, node: Node, position: int) -> None:
        if node.op is not loop:
            self._want([block.results[position] for block in node.blocks])
            return
        view = LoopView(node)
        if position < view.carry_count:
            self._want([view.initial[position]])
        if position < len(view.body.results):
            self._want([view.body.results[position]])

    def results(self, node: Node) -> list[int]:
        """Which results of a branch are needed."""
        return [k for k, value in enumerate(node.results) if value in self.values]

    def parts(self, view: LoopView) -> LoopParts:
        """What of a loop is needed."""
        inner = [view.carries]
        if view.condition is not None:
            inner.append(view.condition.parameters[1:])
        carries = [
            k
            for k, final in enumerate(view.finals)
            if final in self.values or any(values[k] in self.values for values in inner)
        ]
        elements = [k for k, value in enumerate(view.elements) if value in self.values]
        ys = [k for k, value in enumerate(view.ys) if value in self.values]
        return LoopParts(view, carries, elements, ys)


@dataclass(frozen=True, slots=True)
class LoopParts:
    """A loop with some of its carries, of the tapes that it reads, and of those that it writes."""

    view: LoopView
    carries: Sequence[int]
    elements: Sequence[int]
    ys: Sequence[int]

    @property
    def is_whole(self) -> bool:
        view = self.view
        given = len(self.carries), len(self.elements), len(self.ys)
        return given == (view.carry_count, len(view.xs), len(view.ys))

    @property
    def operands(self) -> tuple[Value, ...]:
        count = () if self.view.count is None else (self.view.count,)
        return (
            *count,
            *self._carried(self.view.initial),
            *(self.view.xs[k] for k in self.elements),
        )

    @property
    def parameters(self) -> tuple[Value, ...]:
        """Those of the body."""
        view = self.view
        read = (view.elements[k] for k in self.elements)
        return (view.index, *self._carried(view.carries), *read)

    @property
    def tested(self) -> tuple[Value, ...]:
        """The parameters of the condition, where there is one."""
        if self.view.condition is None:
            return ()
        index, *carries = self.view.condition.parameters
        return (index, *self._carried(carries))

    @property
    def given(self) -> tuple[Value, ...]:
        """The results of the body."""
        view = self.view
        return (*self._carried(view.next_carries), *(view.pushed[k] for k in self.ys))

    @property
    def results(self) -> tuple[Value, ...]:
        view = self.view
        return (*self._carried(view.finals), *(view.ys[k] for k in self.ys), view.turns)

    @property
    def attributes(self) -> Attributes:
        return {**self.view.node.attributes, "carries": len(self.carries)}

    def _carried(self, values: Sequence[Value]) -> list[Value]:
        return [values[k] for k in self.carries]
