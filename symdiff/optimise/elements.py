"""Loops over single elements of arrays, on lists of Python's floats.

    for i in range(n - 1):               x_list = x.tolist()
        t = x[i + 1] - x[i] * x[i]       for i in range(n - 1):
        x_bar[i] += t                        t = x_list[i + 1] - x_list[i] * x_list[i]
                                             x_bar[i] += t
                                         x_bar = np.array(x_bar)

NumPy takes several times as long to read an element, and to compute with it, as Python does with a
float of its own (see ``floats``). A loop is taken where nothing but numbers and single elements of
arrays of float64 are computed with, and where lists of what it reaches take no more time than its
turns (see ``reaches``): of vectors that may be longer a part is made a list, and is put back.
Elements of matrices are read as floats, ``A.item(i, j)``, and written where they stand. Where
floats raise and NumPy's numbers do not, NumPy divides, or a second program takes over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building, copy_block, substitute, with_block
from symdiff.ir.control import LoopView, cond, emit_undefined, loop
from symdiff.ir.graph import Block, Graph, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.types import TapeType, Type
from symdiff.ops.facts import made_by
from symdiff.ops.partial import partial_values
from symdiff.optimise.bounds import Bounds
from symdiff.optimise.element_loops import Lists, OfElements, Surroundings
from symdiff.optimise.floats import NotFloats, of_own_value
from symdiff.optimise.reaches import Ends, ends_of_parts, lengths_reached_beyond, reads_element

_MOST_NODES = 200  # of a program that is written twice


@dataclass(frozen=True, slots=True)
class OnLists:
    """A graph with loops on lists, and whether something in them may raise what NumPy would not.

    ``loses``: a program whose floats may raise would have more on floats.
    """

    graph: Graph
    may_raise: bool
    loses: bool


def on_lists(graph: Graph) -> OnLists | None:
    """The graph with its loops over elements on lists; None where there are none, or effects."""
    nodes = list(walk_nodes(graph.block))
    if graph.mutated or any(node.op.effect for node in nodes):
        return None
    if not any(map(reads_element, nodes)) or not any(node.op is loop for node in nodes):
        return None
    made = _put_on_lists(graph, by_numpy=True)
    if made is None or not made.may_raise:
        return made
    guarded = _put_on_lists(graph, by_numpy=True, guarded=True)
    if len(nodes) > _MOST_NODES or (guarded is not None and not guarded.loses):
        return guarded
    return _put_on_lists(graph, by_numpy=False)


def _put_on_lists(graph: Graph, by_numpy: bool, guarded: bool = False) -> OnLists | None:
    run = _Loops(with_block(graph, copy_block(graph.block, {})), by_numpy, guarded)
    run.block(run.graph.block)
    if not run.new or not run.tapes_stay_inside():
        return None
    substitute(run.graph.block, run.new)
    return OnLists(run.graph, run.may_raise, run.loses)


class _Loops:
    """Puts loops on lists in the place of others, and tapes of Python's floats in those around."""

    def __init__(self, graph: Graph, by_numpy: bool, guarded: bool) -> None:
        self.graph = graph
        exact, bounds = of_own_value(graph), Bounds(walk_nodes(graph.block))
        partial = partial_values(graph.block, graph.partial)
        self.around = Surroundings(graph, by_numpy, guarded, exact, bounds, partial, {}, set())
        self.new, self.made = self.around.new, self.around.made
        self.retyped: set[Value] = set()
        self.may_raise = self.loses = False

    def block(self, block: Block) -> None:
        nodes: list[Node] = []
        lists: Lists = {}
        for node in block.nodes:
            ends = self.ends(node) if node.op is loop else None
            made = None if ends is None else self.loop(node, ends, lists)
            if made is None:
                self.within(node)
            nodes += made or [node]
        block.nodes = nodes

    def ends(self, node: Node) -> Ends | None:
        """Where the parts of vectors end that a loop needs; where nothing may raise, vectors of
        which it may reach beyond the end stay arrays.
        """
        bounds = self.around.bounds
        ends = ends_of_parts(node, bounds)
        if ends is None or not self.around.guarded:
            return ends
        beyond = dict.fromkeys(lengths_reached_beyond(node.blocks[0], bounds))
        self.loses = self.loses or bool(beyond)
        return {**ends, **beyond}

    def within(self, node: Node) -> None:
        """Put loops within a node on lists; tapes that it hands on have what they are given."""
        view = LoopView(node) if node.op is loop else None
        for given, element in () if view is None else zip(view.xs, view.elements, strict=True):
            if (tape := self.changed(given)) is not None:
                self.retype(element, tape.element)
        for inner in node.blocks:
            self.block(inner)
        for pushed, result in () if view is None else zip(view.pushed, view.ys, strict=True):
            if (tape := self.changed(pushed)) is not None:
                self.retype(result, TapeType(tape))
        if node.op is cond:
            for number, result in enumerate(node.results):
                self.of_arms(node, number, result)

    def of_arms(self, node: Node, number: int, result: Value) -> None:
        """Let a tape of one arm of a branch be what both result in: the other arm has none."""
        found = [self.changed(block.results[number]) for block in node.blocks]
        type_ = next((tape for tape in found if tape is not None), None)
        if type_ is None:
            return
        for block, tape in zip(node.blocks, found, strict=True):
            if tape is None and made_by(block.results[number], "undefined"):
                outer = Builder()
                with building(outer):
                    absent = emit_undefined(type_)
                block.nodes += outer.nodes
                results = block.results
                block.results = (*results[:number], absent, *results[number + 1 :])
                self.retyped.add(absent)
        self.retype(result, type_)

    def changed(self, value: Value) -> TapeType | None:
        """The type that a tape has now, where that is another one."""
        type_ = self.new.get(value, value).type
        is_changed = type_ != value.type or value in self.retyped
        return type_ if is_changed and isinstance(type_, TapeType) else None

    def retype(self, value: Value, type_: Type) -> None:
        value.type = type_
        self.retyped.add(value)

    def loop(self, node: Node, ends: Ends, lists: Lists) -> list[Node] | None:
        """The nodes in the place of a loop; None where it is not one of single elements."""
        converter = OfElements(self.around, ends, lists)
        outer = Builder()
        outer.span = node.span
        try:
            with building(outer):
                results = converter.loop(node)
        except NotFloats:
            self.loses = self.loses or converter.loses
            return None
        self.new.update(results)
        self.made.update(outer.nodes)
        self.may_raise = self.may_raise or converter.may_raise
        self.loses = self.loses or converter.loses
        lists.update(converter.lists)
        return outer.nodes

    def tapes_stay_inside(self) -> bool:
        """Return whether tapes of Python's floats are read by loops on them alone, or are handed
        on, turn by turn.
        """
        inside = {id(b) for node in self.made for b in node.blocks for b in (b, *walk_blocks(b))}
        changed = self.retyped | {old for old, new in self.new.items() if old.type != new.type}
        outside = [b for b in walk_blocks(self.graph.block) if id(b) not in inside]
        nodes = [node for block in outside for node in block.nodes if node not in self.made]
        passed = dict(pair for node in nodes for pair in _passed_on(node))
        for block in outside:
            for number, value in enumerate(block.results):
                if value in changed and passed.get((id(block), number)) not in self.retyped:
                    return False
        return all(changed.isdisjoint(_read_at_once(node)) for node in nodes)


def _passed_on(node: Node) -> Iterator[tuple[tuple[int, int], Value]]:
    """What the results of blocks become that hand on tapes: of a loop those of its turns."""
    if node.op is loop:
        view = LoopView(node)
        for number, tape in enumerate(view.ys, view.carry_count):
            yield (id(view.body), number), tape
    elif node.op is cond:
        for block in node.blocks:
            yield from (((id(block), k), result) for k, result in enumerate(node.results))


def _read_at_once(node: Node) -> Sequence[Value]:
    """What a node reads otherwise than turn by turn."""
    if node.op is not loop:
        return node.operands
    taken = LoopView(node).xs
    return [value for value in node.operands if value not in taken]
