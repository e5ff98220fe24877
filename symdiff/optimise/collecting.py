"""Outer products that a loop adds up: their vectors are collected, and multiplied once behind it.

    for k in reversed(range(n)):               for k in reversed(range(n)):
        t = …                                      t = …
        W_bar += np.outer(t, h_tape[k])            t_rows[k] = t
                                               W_bar += t_rows.T @ np.array(h_tape)

A graph enters, and leaves with such sums behind their loops, where nothing else reads what is added
to. Rows of an array that stays are a part of it, those of a tape are there; a vector that is the
same in each turn is repeated. Arms of branches store what they multiply in rows that stay
zero in turns that add nothing. Products that are added to large parts of a matrix,
``A_bar[:, k:]``, have zeros beside them, which ``product_of_parts`` keeps from what is not finite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building, copy_block, marked, substitute, with_block
from symdiff.ir.control import LoopView, cond, holds_turns, loop, with_carry
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
class _Choice:
    """Products of which a turn adds the one of the arm that a branch takes, if that has one."""

    branch: Node
    arms: tuple[_Term | _Choice | None, ...]


@dataclass(slots=True)
class _Sum:
    """The outer products that are added to a value, and what adds them.

    ``base`` is that value, read ``reads`` times; ``steps`` gives for each sum what it is without
    its products. ``is_all``: nothing else is added.
    """

    base: Value
    terms: list[_Term | _Choice]
    steps: dict[Value, Value]
    is_all: bool = True
    reads: int = 1


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


def _sums(view: LoopView, counts: Mapping[Value, int]) -> dict[int, _Sum]:
    """What is added up in carries of which turns read nothing, by their numbers."""
    if not any(node.op is outer for node in walk_nodes(view.body)) or not _is_counted(view):
        return {}
    finder = _Finder(view, _values_in(view.body), counts, {})
    found = {}
    for number, carry in enumerate(view.carries):
        made = finder.sum_of(view.next_carries[number], view.body, number)
        if made is not None and made.terms and made.base is carry:
            found[number] = made
    return found


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds what turns of a loop add to its carries."""

    view: LoopView
    inside: set[Value]
    counts: Mapping[Value, int]
    known: dict[int, set[Node]]  # the nodes of blocks

    def sum_of(self, value: Value, block: Block, number: int) -> _Sum | None:
        """What is added up in a block to what is from outside of it; None where that is read, or
        more is done to it.
        """
        own = self.known.get(id(block)) or self.known.setdefault(id(block), set(block.nodes))
        found = _Sum(value, [], {})
        while (node := found.base.node) in own and node is not None:
            if not (is_derived(node) and _is_matrix(found.base) and self._is_read_here(found)):
                return None
            if not (
                self._branch(found, node, number)
                if node.op is cond
                else self._step(found, node, own, number)
            ):
                return None
        return found if block is not self.view.body or self._is_read_here(found) else None

    def _is_read_here(self, found: _Sum) -> bool:
        """Return whether nothing else reads what is added to."""
        return self.counts.get(found.base, 0) == found.reads

    def _step(self, found: _Sum, node: Node, own: set[Node], number: int) -> bool:
        """Take what a node adds from a sum; False where it does anything else."""
        step = _step(node, own, self.counts)
        if step is None:
            return False
        base, added = step
        if added and all(_is_collectable(t, number, self.view, self.inside) for t in added):
            found.terms += added
            found.steps[node.result] = base
        elif node.op is index_add:
            found.is_all = False
        else:
            return False
        found.base, found.reads = base, 1
        return True

    def _branch(self, found: _Sum, node: Node, number: int) -> bool:
        """Take what the arms of a branch add to one value from a sum."""
        place = node.results.index(found.base)
        arms = [self.sum_of(block.results[place], block, number) for block in node.blocks]
        known = [arm for arm in arms if arm is not None]
        bases = {arm.base for arm in known}
        whole = all(arm.is_all and not any(map(_is_of_part, arm.terms)) for arm in known)
        if len(known) < len(arms) or len(bases) != 1 or not whole:
            return False
        for arm in known:
            found.steps |= arm.steps
        found.terms += [_Choice(node, terms) for terms in zip_longest(*(a.terms for a in known))]
        (base,) = bases
        found.steps[found.base] = base
        found.base, found.reads = base, sum(arm.reads for arm in known)
        return True


def _is_of_part(term: _Term | _Choice) -> bool:
    return isinstance(term, _Term) and term.write is not None


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
        if node is None or node not in own or counts.get(value, 0) != 1 or not is_derived(node):
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

    def product(self, term: _Term | _Choice, initial: Value) -> Value:
        """The sum of the outer products of two vectors over all turns."""
        if isinstance(term, _Choice):
            u, v = (self._rows_of(term, initial, axis) for axis in (0, 1))
            with building(self.behind):
                u, v = (self._of_length(rows, initial, axis) for axis, rows in enumerate((u, v)))
                chosen: Value = matmul(swapped(u), v)
            return chosen
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
        first, carry = self._empty(value, initial, axis)
        within = () if write is None else (actual_key(*key_of(write))[axis],)
        store = Builder()
        with building(store), marked(None, self.before.role):
            following = index_set_of(carry, value, (self.view.index, *within))
        _insert(store.nodes, self.view.body, value.node if write is None else write)
        return with_carry(self.view, first, carry, following)

    def _empty(self, value: Value, initial: Value, axis: int) -> tuple[Value, Value]:
        """Rows of zeros for a value in each turn, and the carry that has them."""
        count = self.view.count
        assert count is not None
        with building(self.before):
            length, shape = _lengths(initial)[axis], (dim_of(count), shape_of(initial)[axis])
            first = zeros(count, length, shape=shape, dtype=array_type(value).dtype)
        name = "rows" if value.name is None else f"{value.name}_rows"
        role = "definition" if value.role == "primal" else value.role
        return first, Value(first.type, None, name, role)

    # Of arms

    def _rows_of(self, choice: _Choice, initial: Value, axis: int) -> Value:
        """The rows that arms store, zeros in the turns that take another one."""
        first, carry = self._empty(_first_of(choice).product.operands[axis], initial, axis)
        following = self._stored_in(choice, carry, axis, self.view.body)
        return with_carry(self.view, first, carry, following)

    def _stored_in(
        self, term: _Term | _Choice | None, carry: Value, axis: int, block: Block
    ) -> Value:
        """The rows after a block of a turn, in which a term is."""
        if term is None:
            return carry
        if isinstance(term, _Term):
            value, store = term.product.operands[axis], Builder()
            with building(store), marked(None, self.before.role):
                signed = negative(value) if term.sign == -1 and axis == 0 else value
                following = index_set_of(carry, signed, (self.view.index,))
            _insert(store.nodes, block, value.node if value.node in block.nodes else None)
            return following
        for arm, inner in zip(term.arms, term.branch.blocks, strict=True):
            inner.results = (*inner.results, self._stored_in(arm, carry, axis, inner))
        result = Value(carry.type, term.branch, carry.name, carry.role)
        term.branch.results = (*term.branch.results, result)
        return result


def _first_of(choice: _Choice) -> _Term:
    """The term of the first arm that has one."""
    found = next(arm for arm in choice.arms if arm is not None)
    return found if isinstance(found, _Term) else _first_of(found)


def _sign_of(term: _Term | _Choice) -> int:
    """How a product is added; arms store theirs with the sign."""
    return term.sign if isinstance(term, _Term) else 1


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


def _collect(
    block: Block, node: Node, counts: Mapping[Value, int], new: dict[Value, Value]
) -> None:
    """Put behind a loop what its turns add up."""
    view = LoopView(node)
    collector = _Collector(view, _values_in(view.body), Builder(), Builder(), {})
    found = [(one, view.initial[k], view.finals[k]) for k, one in _sums(view, counts).items()]
    for one, initial, final in found:
        first = next(iter(one.steps)).node
        assert first is not None
        for each in (collector.before, collector.behind):
            each.span, each.role = first.span, final.role
        rest = Value(final.type, node, final.name, final.role)
        node.results = tuple(rest if value is final else value for value in node.results)
        new |= one.steps
        new[final] = _added(initial if one.is_all else rest, initial, one.terms, collector)
        new[final].name = final.name
    at = block.nodes.index(node)
    block.nodes[at : at + 1] = [*collector.before.nodes, node, *collector.behind.nodes]


def _added(
    total: Value, initial: Value, terms: Sequence[_Term | _Choice], collector: _Collector
) -> Value:
    """A value with all products added to it."""
    made = None if is_zero(total) else total
    for term in terms:
        product = collector.product(term, initial)
        with building(collector.behind):
            if made is None:
                made = product if _sign_of(term) == 1 else negative(product)
            else:
                made = (add if _sign_of(term) == 1 else subtract)(made, product)
    assert made is not None
    return made


def _lengths(initial: Value) -> Sequence[Value | int]:
    made = made_by(initial, "zeros")
    return sizes_of(initial) if made is None else made.operands


def _values_in(body: Block) -> set[Value]:
    """The values that a turn defines."""
    return {*body.parameters, *(value for node in walk_nodes(body) for value in node.results)}
