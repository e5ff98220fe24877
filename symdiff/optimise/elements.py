"""Loops over single elements of arrays, on lists of Python's floats.

    for i in range(n - 1):               x_list = x.tolist()
        t = x[i + 1] - x[i] * x[i]       for i in range(n - 1):
        x_bar[i] += t                        t = x_list[i + 1] - x_list[i] * x_list[i]
                                             x_bar[i] += t
                                         x_bar = np.array(x_bar)

NumPy takes several times as long to read an element, and to compute with it, as Python does with a
float of its own (see ``floats``). A loop is taken where nothing but numbers and single elements of
vectors of float64 are computed with, and where it, or one in it, has as many turns as the vectors
are long: a list is made of all of an array.
"""

from __future__ import annotations

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building, copy_block, substitute, with_block
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Block, Graph, Node, Value, free_values, walk_blocks, walk_nodes
from symdiff.ir.types import BOOL, FLOAT, INT, ArrayType, Dim, ListType, Size, TapeType, Type
from symdiff.ops.arithmetic import divide, multiply
from symdiff.ops.casts import astype, python_float
from symdiff.ops.facts import made_by, number_of
from symdiff.ops.index import index, index_add, index_set, key_of
from symdiff.ops.keys import Slot
from symdiff.ops.list_arrays import list_stack, list_unstack
from symdiff.ops.lists import list_add, list_get, list_length, list_set
from symdiff.ops.partial import partial_values
from symdiff.ops.sizes import constant_integer, dim_of, lower_bound, size
from symdiff.optimise.bounds import Bounds
from symdiff.optimise.floats import (
    AS_THEY_ARE,
    SAME,
    Converter,
    NotFloats,
    float_type,
    is_function,
    of_own_value,
    python_number,
)

_FLOAT64 = np.dtype("float64")
_LIST = ListType(FLOAT)
_FEW = 64  # elements, which are made into a list whatever the loop does
_MOST_NODES = 200  # of a program that is written twice
_TOTAL = frozenset({"constant", "loop", "cond", "index", "index_set", "index_add", "undefined"})
_TOTAL |= {"add", "subtract", "multiply", "negative", "positive", "strong_multiply", "absolute"}
_TOTAL |= {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "size"}
_TOTAL |= {"two_sided_multiply", "tanh", "arctan", "arcsinh"} | SAME | AS_THEY_ARE
"""Ops that raise nothing on Python's floats, indices aside."""


@dataclass(frozen=True, slots=True)
class OnLists:
    """A graph with loops on lists, and whether something in them may raise what NumPy would not."""

    graph: Graph
    may_raise: bool


def on_lists(graph: Graph) -> OnLists | None:
    """The graph with its loops over elements on lists; None where there are none, or effects."""
    nodes = list(walk_nodes(graph.block))
    if graph.mutated or any(node.op.effect for node in nodes):
        return None
    if not any(map(_reads_element, nodes)) or not any(n.op is loop and _pays(n) for n in nodes):
        return None
    made = _put_on_lists(graph, by_numpy=True)
    if made is None or not made.may_raise:
        return made
    return _put_on_lists(graph, by_numpy=False) if len(nodes) <= _MOST_NODES else None


def _put_on_lists(graph: Graph, by_numpy: bool) -> OnLists | None:
    run = _Loops(with_block(graph, copy_block(graph.block, {})), by_numpy)
    run.block(run.graph.block)
    if not run.new or not run.tapes_stay_inside():
        return None
    substitute(run.graph.block, run.new)
    return OnLists(run.graph, run.may_raise)


def _reads_element(node: Node) -> bool:
    return node.op in (index, index_add, index_set) and _is_vector(node.operands[0].type)


def _is_vector(type_: Type) -> bool:
    """Return whether a type is an array of rank 1 of float64."""
    if not isinstance(type_, ArrayType) or type_.kind != "array" or type_.rank != 1:
        return False
    return bool(type_.dtype == _FLOAT64)


class _Loops:
    """Puts loops on lists in the place of others; ``new`` maps what those gave.

    ``by_numpy``: elementary functions that raise on Python's floats stay NumPy's.
    """

    def __init__(self, graph: Graph, by_numpy: bool) -> None:
        self.graph = graph
        self.by_numpy = by_numpy
        self.exact = of_own_value(graph)
        self.bounds = Bounds(walk_nodes(graph.block))
        self.partial = partial_values(graph.block, graph.partial)
        self.new: dict[Value, Value] = {}
        self.made: set[Node] = set()
        self.may_raise = False

    def block(self, block: Block) -> None:
        nodes: list[Node] = []
        lists: dict[Value, Value] = {}  # of vectors, made in this block
        for node in block.nodes:
            made = self.loop(node, lists) if node.op is loop and _pays(node) else None
            if made is None:
                for inner in node.blocks:
                    self.block(inner)
            nodes += made or [node]
        block.nodes = nodes

    def loop(self, node: Node, lists: dict[Value, Value]) -> list[Node] | None:
        """The nodes in the place of a loop; None where it is not one of single elements."""
        converter = _OfElements(self, lists)
        outer = Builder()
        outer.span = node.span
        try:
            with building(outer):
                results = converter.loop(node)
        except NotFloats:
            return None
        self.new.update(results)
        self.made.update(outer.nodes)
        self.may_raise = self.may_raise or converter.may_raise
        lists.update(converter.lists)
        return outer.nodes

    def tapes_stay_inside(self) -> bool:
        """Return whether tapes of Python's floats are read by loops on them alone."""
        inside = {id(b) for node in self.made for b in node.blocks for b in (b, *walk_blocks(b))}
        changed = {old for old, new in self.new.items() if old.type != new.type}
        for block in walk_blocks(self.graph.block):
            if id(block) not in inside:
                read = [v for n in block.nodes if n not in self.made for v in n.operands]
                if not changed.isdisjoint((*read, *block.results)):
                    return False
        return True


def _pays(node: Node) -> bool:
    """Return whether a loop has as many turns as the vectors are long that it reads or changes."""
    inner = [LoopView(n) for n in (node, *walk_nodes(node.blocks[0])) if n.op is loop]
    if any(view.condition is not None or view.count is None for view in inner):
        return False
    turns = [_turns(view.count) for view in inner if view.count is not None]
    read = [v for v in (*node.operands, *free_values(node.blocks[0])) if _is_vector(v.type)]
    lengths = [v.type.shape[0] for v in read if isinstance(v.type, ArrayType)]
    return bool(lengths) and all(any(_is_as_many(t, n) for t in turns) for n in lengths)


def _turns(count: Value) -> Dim:
    """About how many turns a count tells: a range from 1 has those of its end."""
    made = made_by(count, "range_length")
    return dim_of(count if made is None else _further(made.operands[0], made.operands[1]))


def _further(start: Value, stop: Value) -> Value:
    """The end of a range that is not a known number: it may run backwards."""
    return start if isinstance(dim_of(stop), int) else stop


def _is_as_many(turns: Dim, length: Dim) -> bool:
    if isinstance(length, int):
        return length <= _FEW or (isinstance(turns, int) and 4 * turns >= length)
    return isinstance(turns, Size) and turns.symbol == length.symbol


class _OfElements(Converter):
    """Rebuilds a loop whose vectors are lists."""

    def __init__(self, loops: _Loops, lists: dict[Value, Value]) -> None:
        super().__init__(loops.graph, loops.exact, {})
        self.loops, self.lists = loops, dict(lists)
        self.may_raise = False

    def float_type(self, type_: Type) -> Type:
        return _LIST if _is_vector(type_) else float_type(type_)

    def loop(self, node: Node) -> dict[Value, Value]:
        """Build the loop between what makes its lists and what makes arrays of them again."""
        if node in self.exact and _may_leave_as_entered(node):
            raise NotFloats
        for value in dict.fromkeys((*node.operands, *_captured(node))):
            self.new[value] = self.brought_in(value)
        results = self.several(node)
        return {
            old: self.brought_out(old, made)
            for old, made in zip(node.results, results, strict=True)
        }

    def brought_in(self, value: Value) -> Value:
        known = self.loops.new.get(value, value)
        if known.type == self.float_type(value.type):
            return known
        if isinstance(value.type, TapeType):
            raise NotFloats  # of a loop that is not on lists
        if value in self.loops.partial:
            raise NotFloats  # what has no value yet is neither a list nor a number
        if _is_vector(value.type):
            return self.as_list(known, value)
        while (retyped := made_by(known, "retype")) is not None:
            known = retyped.operands[0]
        number, type_ = number_of(known), self.float_type(value.type)
        if number is not None:
            return self.constant(bool(number) if type_ == BOOL else float(number))
        made = python_number(known, type_)
        made.name, made.role = value.name, value.role
        return made

    def as_list(self, known: Value, value: Value) -> Value:
        """The elements of a vector; those of one that was a list before are that list."""
        stacked = made_by(known, "list_stack")
        if stacked is not None and stacked in self.loops.made:
            return stacked.operands[0]
        if value not in self.lists:
            made: Value = list_unstack(known, type=_LIST)
            made.name = value.name if value.role != "primal" else f"{value.name or 'values'}_list"
            made.role = value.role
            self.lists[value] = made
        return self.lists[value]

    def brought_out(self, old: Value, made: Value) -> Value:
        made.name, made.role = old.name, old.role
        type_ = old.type
        if made.type == type_ or not isinstance(type_, ArrayType):
            return made
        if made.type == _LIST:
            array: Value = list_stack(made, length=type_.shape[0], dtype=_FLOAT64)
        elif type_.dtype == _FLOAT64:
            array = astype(made, dtype=_FLOAT64)
        else:
            raise NotFloats
        array.name, array.role = old.name, old.role
        return array

    # Nodes ----------------------------------------------------------------------------------------

    def several(self, node: Node) -> tuple[Value, ...]:
        if node.op not in (loop, cond):
            raise NotFloats
        return super().several(node)

    def plain(self, node: Node) -> Value:
        if _reads_element(node):
            return self.element(node)
        if node.op is size and _is_vector(node.operands[0].type):
            length: Value = list_length(self.new[node.operands[0]])
            return length
        if any(_is_vector(v.type) for v in (*node.operands, *node.results)):
            raise NotFloats
        if not self.is_total(node):
            if self.loops.by_numpy and is_function(node.op):
                return self.function_by_numpy(node)
            self.may_raise = True
        return super().plain(node)

    def function_by_numpy(self, node: Node) -> Value:
        operands = [self.new[v] for v in node.operands]
        return python_float(self.apply(node, operands, **node.attributes))

    def element(self, node: Node) -> Value:
        """A read or a write of one element."""
        key, dynamic = key_of(node)
        if len(key) != 1 or node.attributes["shape"] != ():
            raise NotFloats
        (entry,) = key
        place = dynamic[0] if isinstance(entry, Slot) else entry
        if isinstance(place, Value):
            self.check(place, node)
            place = self.new[place]
        else:
            self.may_raise = True
            place = self.constant(place)
        items = self.new[node.operands[0]]
        if node.op is index:
            return list_get(items, place)
        value = self.new[node.operands[1]]
        number = number_of(value)
        if value.type != FLOAT:
            value = python_float(value) if number is None else self.constant(float(number))
        op = list_set if node.op is index_set else list_add
        return op(items, place, value)

    def check(self, place: Value, node: Node) -> None:
        """Note whether an index may lie beyond its vector."""
        if place.type != INT:
            raise NotFloats
        type_ = node.operands[0].type
        assert isinstance(type_, ArrayType)
        if not self.loops.bounds.of(place).is_index_of(type_.shape[0]):
            self.may_raise = True

    def is_total(self, node: Node) -> bool:
        """Return whether an op raises nothing on Python's floats."""
        if node.op is divide:
            return bool(number_of(node.operands[1]))
        return self.is_square(node) or node.op.name in _TOTAL

    def is_square(self, node: Node) -> bool:
        """Return whether a power may be a product, which overflows to inf; in the function's own
        value its last bits are those of the power.
        """
        is_second = node.op.name == "power" and number_of(node.operands[1]) == 2
        return is_second and node not in self.exact

    def power(self, node: Node, operands: list[Value]) -> Value:
        if self.is_square(node):
            return multiply(operands[0], operands[0])
        return super().power(node, operands)


def _may_leave_as_entered(node: Node) -> bool:
    """Return whether a number of Python's, which counts as one of NumPy's, may be a loop's result:
    no turn, or another branch, has computed with it.
    """
    nodes = [node, *walk_nodes(node.blocks[0])]
    chosen = [v for n in nodes if n.op is cond for v in n.results]
    loops = [LoopView(n) for n in nodes if n.op is loop]
    return any(map(_is_numpys, chosen)) or not all(map(_has_turns, loops))


def _is_numpys(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind == "scalar"


def _has_turns(view: LoopView) -> bool:
    """Return whether a loop is known to have a turn, or to have no number for its state."""
    if not any(map(_is_numpys, view.initial)):
        return True
    count = view.count
    made = None if count is None else made_by(count, "range_length")
    if made is None:
        return count is not None and (lower_bound(count) or 0) > 0
    start, stop, step = made.operands
    first, last = constant_integer(start), lower_bound(stop)
    is_forward = constant_integer(step) == 1
    return is_forward and first is not None and last is not None and last > first


def _captured(node: Node) -> list[Value]:
    return [value for block in node.blocks for value in free_values(block)]
