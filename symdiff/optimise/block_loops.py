"""The loop that computes a group of nodes block by block (``optimise.blocks``).

A group enters whose nodes compute by rows of one length, and what of it others need; a loop leaves
that goes over blocks of rows, whose final values are those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from symdiff.ir.build import Builder, builder, building, marked
from symdiff.ir.control import LoopView, emit_loop
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import INT, ArrayType, Dim, Size, least
from symdiff.ops.arithmetic import floor_divide, multiply
from symdiff.ops.creation import empty, int_minimum, range_element_of, range_length
from symdiff.ops.declare import array_type
from symdiff.ops.index import index, index_set
from symdiff.ops.keys import Slice, Slot
from symdiff.ops.sizes import size, sizes_of
from symdiff.optimise.block_choices import plain_operand, sign_of
from symdiff.optimise.block_stores import Stores, offset_of
from symdiff.optimise.by_rows import SHAPED, VIEWS, length_of, takes_rows

BLOCK = 16384
"""How many elements are computed at a time: those of several vectors fit in a cache of 1 MB."""
BLOCK_OF_ROWS = 32768
"""The same where an element is not a row: rows cost each op more."""

_PART = (Slice(Slot(0), Slot(1), None),)


class BlockLoop:
    """The loop that computes a group of nodes block by block, and stores of it elsewhere."""

    def __init__(self, group: Sequence[Node], stores: Stores) -> None:
        self.group, self.members, self.stores = group, set(group), stores
        self.length = length_of(group[0].result)
        self.given = self._given()
        self.lengths = self._lengths()
        self.known: dict[Dim, Value] = {}
        self.step: Value | int = BLOCK

    def _given(self) -> list[Value]:
        """What the group reads by rows and does not compute."""
        read: dict[Value, None] = {}
        for node in self.group:
            for number, value in enumerate(node.operands):
                if value.node not in self.members and takes_rows(node, number):
                    read[value] = None
        return list(read)

    def _lengths(self) -> dict[Dim, tuple[Value, int]]:
        """Where lengths stand before the loop: of what, and along which axis."""
        found: dict[Dim, tuple[Value, int]] = {}
        for value in (*self.given, *(v for node in self.group for v in node.operands)):
            if value.node not in self.members and isinstance(value.type, ArrayType):
                for axis, dim in enumerate(value.type.shape):
                    found.setdefault(dim, (value, axis))
        return found

    def can_be(self, results: Sequence[Value]) -> bool:
        """Return whether all lengths are known before the loop that it and its results take."""
        dims = {*self._widest(), *(dim for v in results for dim in array_type(v).shape)}
        known = all(isinstance(dim, int) or dim in self.lengths for dim in dims)
        return bool(self.given) and known

    def _widest(self) -> tuple[Dim, ...]:
        """The shape of the rows of which most elements are computed at a time."""
        shapes = [array_type(node.result).shape[1:] for node in self.group]
        return max(shapes, key=lambda shape: sum(dim != 1 for dim in shape))

    def size(self, dim: Dim) -> Value | int:
        """A length, before the loop."""
        if isinstance(dim, int):
            return dim
        if dim not in self.known:
            value, axis = self.lengths[dim]
            self.known[dim] = size(value, axis=axis)
        return self.known[dim]

    def _step(self) -> Value | int:
        """How many rows are computed at a time: at least one, also of rows without elements."""
        count: Value | int = 1
        for dim in self._widest():
            length = self.size(dim) if least(dim) else self.size(dim) + 1
            count = length if isinstance(count, int) and count == 1 else count * length
        if isinstance(count, int):
            return (BLOCK_OF_ROWS if count > 1 else BLOCK) // count or 1
        whole = floor_divide(BLOCK_OF_ROWS, count)
        with marked(name="rows"):
            return whole + 1

    def made(self, results: Sequence[Value]) -> LoopView:
        """The loop, whose final values are those of the results, and of what is stored."""
        assert self.length is not None
        self.count, self.step = self.size(self.length), self._step()
        chains = self.stores.chains
        start = [*map(self._empty, results), *(chain[0].operands[0] for chain in chains)]
        results = [*results, *(chain[-1].result for chain in chains)]
        turn = Value(INT)
        carries = [Value(value.type, None, value.name, value.role) for value in results]
        inner = Builder(span=self.group[0].span)
        with building(inner):
            following = self._turn(turn, dict(zip(results, carries, strict=True)))
        body = Block((turn, *carries), inner.nodes, tuple(following))
        turns, backwards = range_length(0, self.count, self.step), self.stores.backwards
        node = emit_loop(turns, start, (), body, reverse=backwards)
        node.attributes["blocks"] = not chains
        view = LoopView(node)
        for final, value in zip(view.finals, results, strict=True):
            final.name, final.role = value.name, value.role
        return view

    def _turn(self, turn: Value, carries: Mapping[Value, Value]) -> list[Value]:
        with marked(name="start"):
            first = range_element_of(0, self.step, turn)
        last = self._last(first)
        dim = Size(f"block(%{first.number})", open=True)
        parts: dict[Value, Value] = {}
        reads = Counter(v for node in self.group for v in node.operands)
        for value in self.given:
            name = value.name and reads[value] > 1 and f"{value.name}_part"
            with marked(None, value.role, name or None):  # what is read once is written there
                shape = (dim, *array_type(value).shape[1:])
                parts[value] = index(value, first, last, key=_PART, shape=shape)
        count = next(iter(parts.values()))
        for node in self.group:
            parts[node.result] = self._part(node, parts, dim, count)
        stored = {chain[-1].result: chain for chain in self.stores.chains}
        following = []
        for value, carry in carries.items():
            if value in stored:
                following.append(_stored(stored[value], carry, parts, first, last))
                continue
            part, store = parts[value], _named(value, index_set)
            following.append(store(carry, part, first, last, key=_PART, shape=_shape(part)))
        return following

    def _last(self, first: Value) -> Value:
        """Where a block ends: not behind the end of all, where it is stored in what is longer."""
        if not self.stores.chains:
            with marked(name="stop"):
                return first + self.step
        last = first + self.step
        with marked(name="stop"):
            return int_minimum(last, self.count)

    def _part(self, node: Node, parts: Mapping[Value, Value], dim: Size, count: Value) -> Value:
        """What a node computes, of some rows."""
        operands = [
            parts[value] if takes_rows(node, number) else value
            for number, value in enumerate(node.operands)
        ]
        attributes = node.attributes
        if node.op.name in VIEWS:
            attributes = attributes | {"shape": (dim, *attributes["shape"][1:])}
        if node.op.name in SHAPED:
            operands[1] = size(count, axis=0)
        op, plain = node.op, plain_operand(node)
        if plain is not None:
            with marked(node.span, node.result.role):
                operands = [operands[plain], sign_of(plain, operands[0])]
            op, attributes = multiply, {}
        with marked(node.span, node.result.role, node.result.name):
            return builder().emit(op, operands, attributes).result

    def _empty(self, value: Value) -> Value:
        type_ = array_type(value)
        like = next((v for v in self.given if array_type(v).shape == type_.shape), None)
        counts = [self.size(dim) for dim in type_.shape] if like is None else sizes_of(like)
        made: Value = _named(value, empty)(*counts, shape=type_.shape, dtype=type_.dtype)
        return made


def _stored(
    chain: Sequence[Node], carry: Value, parts: Mapping[Value, Value], first: Value, last: Value
) -> Value:
    """An array after some rows of each store were stored."""
    for node in chain:
        by, part = offset_of(node), parts[node.operands[1]]
        ends = (first + by, last + by) if by else (first, last)
        key = (*_PART, *node.attributes["key"][1:])
        with marked(node.span, node.result.role, node.result.name):
            attributes = {"key": key, "shape": _shape(part)}
            carry = builder().emit(node.op, (carry, part, *ends), attributes).result
    return carry


def _shape(value: Value) -> tuple[Dim, ...]:
    return array_type(value).shape


def _named(value: Value, op: Callable[..., Value]) -> Callable[..., Value]:
    """An op whose result has the name and the role of a value."""

    def made(*operands: Value, **attributes: object) -> Value:
        with marked(None, value.role, value.name):
            return op(*operands, **attributes)

    return made
