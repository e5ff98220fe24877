"""Outer products that a loop adds up: their vectors are collected, and multiplied once behind it.

    for k in reversed(range(n)):               for k in reversed(range(n)):
        t = …                                      t = …
        W_bar += np.outer(t, h_tape[k])            t_rows[k] = t
                                               W_bar += t_rows.T @ np.array(h_tape)

A graph enters, and leaves with such sums behind their loops, where nothing else reads what is added
to. Rows of an array that stays are a part of it, those of a tape are there; a vector that is the
same in each turn is repeated. Products that are added to large parts of a matrix, ``A_bar[:, k:]``,
have zeros beside them, which ``product_of_parts`` keeps from what is not finite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building, copy_block, marked, substitute, with_block
from symdiff.ir.control import LoopView, holds_turns, loop
from symdiff.ir.graph import Block, Graph, Node, Value, uses, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType, Size, Type
from symdiff.ops import support
from symdiff.ops.arithmetic import add, negative, subtract
from symdiff.ops.creation import zeros
from symdiff.ops.declare import StageOperation, array_type, supporting_call
from symdiff.ops.facts import is_derived, is_length, made_by, shape_of
from symdiff.ops.index import index, index_add, index_of, index_set_of, key_of
from symdiff.ops.keys import Slice, actual_key
from symdiff.ops.list_arrays import list_from_tape, list_stack_of
from symdiff.ops.places import Place, places
from symdiff.ops.products import matmul, outer, swapped
from symdiff.ops.shape import broadcast_to, reshape
from symdiff.ops.sizes import constant_integer, dim_of, sizes_of
from symdiff.optimise.facts import is_zero, meet_as_one
from symdiff.optimise.parts import WHOLE, Part, parts_of


def _infer_parts(u: ArrayType, v: ArrayType, *, u_part: Part, v_part: Part) -> tuple[Type, ...]:
    return (ArrayType(u.dtype, (u.shape[1], v.shape[1])),)


_product_of_parts = StageOperation(
    "product_of_parts",
    _infer_parts,
    support.product_of_parts,
    cost="heavy",
    spelling=supporting_call(support.product_of_parts, u_part=WHOLE, v_part=WHOLE),
)


@dataclass(frozen=True, slots=True)
class _Term:
    """An outer product that is added, or subtracted, to all of a matrix or to a part of it."""

    product: Node
    sign: int
    write: Node | None  # what adds it to a part


@dataclass(frozen=True, slots=True)
class _Sum:
    """The outer products that turns add to a carry, and what adds them.

    ``is_all``: nothing else is added to it.
    """

    number: int
    terms: list[_Term]
    steps: list[Node]
    is_all: bool


def collect_products(graph: Graph) -> Graph:
    """The graph with sums of outer products behind their loops; itself where there are none."""
    if not any(node.op is outer and is_derived(node) for node in walk_nodes(graph.block)):
        return graph
    counts = uses(graph.block)
    if not any(_sums(LoopView(node), counts) for node in _loops(graph.block)):
        return graph
    block = copy_block(graph.block, {})
    counts = uses(block)
    new: dict[Value, Value] = {}
    for inner in walk_blocks(block):
        for node in [node for node in inner.nodes if node.op is loop]:
            _collect(inner, node, counts, new)
    _redirect(block, new)
    return with_block(graph, block)


def _loops(block: Block) -> Iterator[Node]:
    return (node for node in walk_nodes(block) if node.op is loop)


def _redirect(block: Block, new: dict[Value, Value]) -> None:
    """Let all readers of the keys read the values instead."""
    for value in new:
        while new[value] in new:
            new[value] = new[new[value]]
    substitute(block, new)


# What is added up ---------------------------------------------------------------------------------


def _sums(view: LoopView, counts: Mapping[Value, int]) -> list[_Sum]:
    """What is added up in carries of which turns read nothing."""
    own = {node for node in view.body.nodes if is_derived(node)}
    if not any(node.op is outer for node in own) or not _is_counted(view):
        return []
    inside = _values_in(view.body)
    found = []
    for number in range(view.carry_count):
        made = _sum(view, number, own, inside, counts)
        if made is not None and made.terms:
            found.append(made)
    return found


def _sum(
    view: LoopView, number: int, own: set[Node], inside: set[Value], counts: Mapping[Value, int]
) -> _Sum | None:
    """The products that are added to a carry; None where it is read, or more is done to it."""
    carry, value = view.carries[number], view.next_carries[number]
    terms: list[_Term] = []
    steps, others = [], 0
    while value is not carry:
        node = value.node
        if node is None or node not in own or not _is_matrix(value) or counts.get(value, 0) != 1:
            return None
        step = _step(node, own, counts)
        if step is None:
            return None
        value, added = step
        if added and all(_is_collectable(term, number, view, inside) for term in added):
            terms += added
            steps.append(node)
        elif node.op is index_add:
            others += 1
        else:
            return None
    return _Sum(number, terms, steps, not others) if counts.get(carry, 0) == 1 else None


def _step(
    node: Node, own: set[Node], counts: Mapping[Value, int]
) -> tuple[Value, list[_Term]] | None:
    """What a node adds to, and the products that it adds; None where it does anything else."""
    if node.op is index_add:
        products = _products(node.operands[1], 1, own, counts) or []
        return node.operands[0], [_Term(product, sign, node) for product, sign in products]
    if node.op not in (add, subtract):
        return None
    for base, other in ((0, 1), (1, 0)) if node.op is add else ((0, 1),):
        sign = -1 if node.op is subtract else 1
        found = _products(node.operands[other], sign, own, counts)
        if found is not None:
            return node.operands[base], [_Term(product, sign, None) for product, sign in found]
    return None


def _products(
    value: Value, sign: int, own: set[Node], counts: Mapping[Value, int]
) -> list[tuple[Node, int]] | None:
    """The outer products of which a value is a sum, with their signs."""
    found = []
    pending = [(value, sign)]
    while pending:
        value, sign = pending.pop()
        node = value.node
        if node is None or node not in own or counts.get(value, 0) != 1:
            return None
        if node.op is outer:
            found.append((node, sign))
        elif node.op in _SIGNS:
            signs = (sign * by for by in _SIGNS[node.op])
            pending += zip(node.operands, signs, strict=True)
        else:
            return None
    return found


_SIGNS = {add: (1, 1), subtract: (1, -1), negative: (-1,)}


def _is_matrix(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, ArrayType) and type_.kind == "array" and type_.rank == 2


def _is_collectable(term: _Term, number: int, view: LoopView, inside: set[Value]) -> bool:
    """Return whether products of this kind have the type of the carry, or of large parts of it.

    What is added to a cotangent has its lengths, whatever they are called.
    """
    node, carry, initial = term.product, view.carries[number], view.initial[number]
    types = [value.type for value in (carry, node.result, *node.operands)]
    if len({t.dtype for t in types if isinstance(t, ArrayType)}) > 1:
        return False
    if inside.isdisjoint(node.operands):
        return False
    is_added_to_cotangent = {node.result.role, carry.role} == {"cotangent"}
    if term.write is not None:
        return is_added_to_cotangent and parts_of(term.write, view) is not None
    if is_added_to_cotangent:
        return True
    dims = [dim for value in (initial, carry, node.result) for dim in shape_of(value)]
    if view.varying.intersection(dim.symbol for dim in dims if isinstance(dim, Size)):
        return False
    return meet_as_one(shape_of(node.result), shape_of(initial))


# What is put in its place -------------------------------------------------------------------------


@dataclass(slots=True)
class _Collector:
    """Collects vectors of the turns of a loop, which gets carries and tapes for them.

    ``before`` and ``behind`` take what stands before the loop and behind it.
    """

    view: LoopView
    inside: set[Value]
    before: Builder
    behind: Builder
    stored: dict[Value, Value]

    def product(self, term: _Term, initial: Value) -> Value:
        """The sum of the outer products of two vectors over all turns."""
        parts = None if term.write is None else parts_of(term.write, self.view)
        with building(self.behind):
            if parts is not None and parts != (WHOLE, WHOLE):
                u, v = (self.rows(term, initial, axis, parts[axis]) for axis in (0, 1))
                return _product_of_parts(u, v, u_part=parts[0], v_part=parts[1])
            columns = self._part(term.product.operands[0], 1)
            columns = swapped(self.rows(term, initial, 0)) if columns is None else columns
            made: Value = matmul(columns, self.rows(term, initial, 1))
        return made

    def rows(self, term: _Term, initial: Value, axis: int, part: Part = WHOLE) -> Value:
        """The values of a vector in all turns as the rows of a matrix, or as a part of each."""
        value = term.product.operands[axis]
        if part != WHOLE:
            return self._stored(value, initial, axis, term.write)
        if value not in self.inside:
            return self._repeated(value, initial, axis)
        columns = self._part(value, 1)
        rows = self._part(value, 0) if columns is None else swapped(columns)
        rows = self._of_tape(value, initial, axis) if rows is None else rows
        if rows is not None:
            return rows
        if value not in self.stored:
            self.stored[value] = self._stored(value, initial, axis)
        return self._of_length(self.stored[value], initial, axis)

    def _repeated(self, value: Value, initial: Value, axis: int) -> Value:
        """The same row in each turn: sums of the others alone may overflow."""
        count = self.view.count
        assert count is not None
        shape = (dim_of(count), *shape_of(value))
        rows = broadcast_to(value, count, *sizes_of(value), shape=shape)
        return self._of_length(rows, initial, axis)

    def _of_length(self, rows: Value, initial: Value, axis: int) -> Value:
        """Rows of the length of an axis, as they are if there are any."""
        count, dim = self.view.count, shape_of(initial)[axis]
        assert count is not None
        if self.view.has_turns or shape_of(rows)[1] == dim:
            return rows
        return reshape(rows, count, _lengths(initial)[axis], shape=(dim_of(count), dim))

    def _part(self, value: Value, axis: int) -> Value | None:
        """The rows of an array from outside of the loop, or columns, of which a vector is one."""
        node, view = value.node, self.view
        if node is None or node.op is not index or node.operands[0] in self.inside:
            return None
        base, (key, _) = node.operands[0], key_of(node)
        place = dict(places(node, view)).get(axis)
        if place is None or place.step != 1 or not _counts_from_zero(place):
            return None
        others = [entry for k, entry in enumerate(key) if k != axis]
        if len(shape_of(base)) != 2 or any(entry != Slice() for entry in others):
            return None
        count, first = view.count, place.offset
        assert count is not None
        if first == 0 and dim_of(count) == shape_of(base)[axis]:
            return base
        stop = count if first == 0 else add(count, first)
        return index_of(base, (*[slice(None)] * axis, slice(first or None, stop)))

    def _of_tape(self, value: Value, initial: Value, axis: int) -> Value | None:
        """The rows that a tape holds anyway; an empty one tells neither their length nor dtype."""
        tape = _tape_of(value, self.view)
        if tape is None or not (self.view.has_turns or array_type(value).dtype == np.float64):
            return None
        if value not in self.stored:
            self.stored[value] = list_stack_of(list_from_tape(tape))
        return self._of_length(self.stored[value], initial, axis)

    def _stored(self, value: Value, initial: Value, axis: int, write: Node | None = None) -> Value:
        """Rows that the turns store, or the parts of them that a write names: a new carry."""
        view, count = self.view, self.view.count
        assert count is not None
        with building(self.before):
            length, shape = _lengths(initial)[axis], (dim_of(count), shape_of(initial)[axis])
            first = zeros(count, length, shape=shape, dtype=array_type(value).dtype)
        name = "rows" if value.name is None else f"{value.name}_rows"
        role = "definition" if value.role == "primal" else value.role
        carry, store = Value(first.type, None, name, role), Builder()
        with building(store), marked(None, self.before.role):
            within = () if write is None else (actual_key(*key_of(write))[axis],)
            following = index_set_of(carry, value, (view.index, *within))
        _insert(store.nodes, view.body, value.node if write is None else write)
        return _with_carry(view, first, carry, following)


def _insert(nodes: list[Node], body: Block, behind: Node | None) -> None:
    """Put nodes behind another one of a body, or at its start."""
    at = 0 if behind is None else body.nodes.index(behind) + 1
    body.nodes[at:at] = nodes


def _counts_from_zero(place: Place) -> bool:
    start, _ = place.root
    return start is None or constant_integer(start) == 0


def _is_counted(view: LoopView) -> bool:
    """Return whether there are as many turns as the count says."""
    return view.count is not None and is_length(view.count) and view.condition is None


def _tape_of(value: Value, view: LoopView) -> Value | None:
    """A tape that has what a value is in each turn."""
    if value in view.elements and view.count is not None:
        read = view.xs[view.elements.index(value)]
        return read if holds_turns(read, view.count) else None
    return view.ys[view.pushed.index(value)] if value in view.pushed else None


def _with_carry(view: LoopView, initial: Value, carry: Value, following: Value) -> Value:
    """The final value of a new carry behind the others; the loop has no condition."""
    node, body, count = view.node, view.body, view.carry_count
    final = Value(initial.type, node, None, initial.role)
    start = int(view.bounded) + count
    node.operands = (*node.operands[:start], initial, *node.operands[start:])
    body.parameters = (*body.parameters[: 1 + count], carry, *body.parameters[1 + count :])
    body.results = (*body.results[:count], following, *body.results[count:])
    node.results = (*node.results[:count], final, *node.results[count:])
    node.attributes = {**node.attributes, "carries": count + 1}
    return final


def _collect(
    block: Block, node: Node, counts: Mapping[Value, int], new: dict[Value, Value]
) -> None:
    """Put behind a loop what its turns add up."""
    view = LoopView(node)
    collector = _Collector(view, _values_in(view.body), Builder(), Builder(), {})
    found = [
        (one, view.initial[one.number], view.finals[one.number]) for one in _sums(view, counts)
    ]
    for one, initial, final in found:
        for each in (collector.before, collector.behind):
            each.span, each.role = one.steps[0].span, final.role
        rest = Value(final.type, node, final.name, final.role)
        node.results = tuple(rest if value is final else value for value in node.results)
        new.update((step.result, step.operands[0]) for step in one.steps)
        new[final] = _added(initial if one.is_all else rest, initial, one.terms, collector)
        new[final].name = final.name
    at = block.nodes.index(node)
    block.nodes[at : at + 1] = [*collector.before.nodes, node, *collector.behind.nodes]


def _added(total: Value, initial: Value, terms: Sequence[_Term], collector: _Collector) -> Value:
    """A value with all products added to it."""
    made = None if is_zero(total) else total
    for term in terms:
        product = collector.product(term, initial)
        with building(collector.behind):
            if made is None:
                made = product if term.sign == 1 else negative(product)
            else:
                made = (add if term.sign == 1 else subtract)(made, product)
    assert made is not None
    return made


def _lengths(initial: Value) -> Sequence[Value | int]:
    made = made_by(initial, "zeros")
    return sizes_of(initial) if made is None else made.operands


def _values_in(body: Block) -> set[Value]:
    """The values that a turn defines."""
    return {*body.parameters, *(value for node in body.nodes for value in node.results)}
