"""How far loops over elements reach into vectors: of which a list is worth its time, and how much.

    for i in range(len(y)):             every element of y, of x those before the length of y:
        total = total + x[i] * y[i]     x_list = x[:y.shape[0]].tolist()

A loop enters. What leaves tells of each length that is not known to be about the number of turns of
the loop, or of one in it, where a part ends that has all elements of such vectors that the turns
read or write. No place in them counts from behind: the last element of a part is another one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Block, Node, Value, free_values, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType, Dim, Size, Type, is_at_most
from symdiff.ops.declare import array_type
from symdiff.ops.facts import made_by
from symdiff.ops.index import index, index_add, index_set, key_of
from symdiff.ops.keys import Slot
from symdiff.ops.sizes import dim_of, without_offset
from symdiff.optimise.bounds import Bounds, Interval

_ACCESSES = (index, index_add, index_set)
_FLOAT64 = np.dtype("float64")
_FEW = 64  # elements, which are made into a list whatever the loop does


@dataclass(frozen=True, slots=True)
class End:
    """The place behind a part: ``base + offset``, and ``offset`` where there is no base."""

    base: Value | None
    offset: int


Ends = Mapping[Dim, End | None]


def is_of_floats(type_: Type) -> bool:
    """Return whether a type is an array of float64."""
    if not isinstance(type_, ArrayType) or type_.kind != "array":
        return False
    return bool(type_.rank and type_.dtype == _FLOAT64)


def is_vector(type_: Type) -> bool:
    """Return whether a type is such an array of rank 1."""
    return isinstance(type_, ArrayType) and type_.rank == 1 and is_of_floats(type_)


def reads_element(node: Node) -> bool:
    """Return whether a node reads or writes a place of an array of float64."""
    return node.op in _ACCESSES and is_of_floats(node.operands[0].type)


def ends_of_parts(node: Node, bounds: Bounds) -> Ends | None:
    """Where the parts end that a loop needs of vectors, by their lengths: of others it needs all.
    None for a length of which lists would take more time than the loop may save; None for a loop
    of few turns.
    """
    body = node.blocks[0]
    inner = [LoopView(n) for n in (node, *walk_nodes(body)) if n.op is loop]
    counts = [view.count for view in inner if view.count is not None and not view.condition]
    ends = [_end_of_range(count) for count in counts]
    read = [v for v in (*node.operands, *free_values(body)) if is_vector(v.type)]
    turns = [dim_of(end) for end in ends]
    lengths = dict.fromkeys(array_type(value).shape[0] for value in read)
    are_few = len(counts) == len(inner) and _are_few(turns)
    longer = [n for n in lengths if not any(_is_as_many(count, n) for count in turns)]
    if not longer:
        return {} if lengths or not are_few else None
    if are_few:
        return None
    places = _places(body, bounds)
    if not places.keys() <= lengths.keys() or not all(map(_keeps_lengths, inner)):
        return None
    within = _defined(body)
    outside = [without_offset(end) for end in ends if end not in within]
    exchanged = {length for view in inner for length in _exchanged(view)}
    return {
        n: None if n in exchanged else _as_end(_last(places.get(n, ())), bounds, outside)
        for n in longer
    }


def _end_of_range(count: Value) -> Value:
    """What tells about how many turns a count is: of a range the end that is not a known number,
    since it may run backwards.
    """
    made = made_by(count, "range_length")
    if made is None:
        return count
    start, stop, _ = made.operands
    return start if isinstance(dim_of(stop), int) else stop


def _are_few(turns: Sequence[Dim]) -> bool:
    """Return whether loops in each other have too few turns to make up for casts beside them."""
    return math.prod(abs(t) if isinstance(t, int) else _FEW for t in turns) < _FEW


def _is_as_many(turns: Dim, length: Dim) -> bool:
    if isinstance(length, int):
        return length <= _FEW or (isinstance(turns, int) and 4 * turns >= length)
    return isinstance(turns, Size) and turns.symbol == length.symbol


def _defined(body: Block) -> set[Value]:
    """What a body and the blocks in it define."""
    made = {value for node in walk_nodes(body) for value in node.results}
    return made.union(*(block.parameters for block in (body, *walk_blocks(body))))


def _keeps_lengths(view: LoopView) -> bool:
    """Return whether the vectors that a loop carries are as long throughout as they begin."""
    carried = zip(view.initial, view.carries, view.finals, strict=True)
    vectors = [types for values in carried if is_vector((types := [v.type for v in values])[0])]
    return all(types.count(types[0]) == len(types) for types in vectors)


def _exchanged(view: LoopView) -> Iterator[Dim]:
    """The lengths of vectors of which a loop's turns leave another one in their place, ``a, b = b,
    a``: what lies behind a part of one is not what lies behind that of the other.
    """
    for carry, following in zip(view.carries, view.next_carries, strict=True):
        if is_vector(carry.type) and _stored_into(following) is not carry:
            yield array_type(carry).shape[0]


def _stored_into(value: Value) -> Value | None:
    """The vector of which another one is, but for elements that are stored into it."""
    while (node := value.node) is not None:
        if node.op in (index_add, index_set):
            value = node.operands[0]
        elif node.op is loop:
            view = LoopView(node)
            value = dict(zip(view.finals, view.initial, strict=True))[value]
        elif node.op is cond:
            number = node.results.index(value)
            first, second = (_stored_into(block.results[number]) for block in node.blocks)
            return first if first is second else None
        else:
            break
    return value


# Places -------------------------------------------------------------------------------------------


def _places(body: Block, bounds: Bounds) -> Mapping[Dim, list[Interval]]:
    """Where a loop's body reads and writes elements of vectors, by their lengths."""
    found: dict[Dim, list[Interval]] = {}
    for node in walk_nodes(body):
        if node.op in _ACCESSES and is_vector(node.operands[0].type):
            found.setdefault(array_type(node.operands[0]).shape[0], []).append(_place(node, bounds))
    return found


def lengths_reached_beyond(body: Block, bounds: Bounds) -> Iterator[Dim]:
    """The lengths of vectors that a loop's body is not known to read and write within."""
    for length, places in _places(body, bounds).items():
        if not all(place.is_index_of(length) for place in places):
            yield length


def _place(node: Node, bounds: Bounds) -> Interval:
    key, dynamic = key_of(node)
    (entry, *more) = key
    place = dynamic[0] if isinstance(entry, Slot) else entry
    if more or not isinstance(place, int | Value):
        return Interval()
    return bounds.of(place) if isinstance(place, Value) else Interval(place, place)


def _last(places: Iterable[Interval]) -> Dim | None:
    """The last of some places; None where it is not known, or one may count from behind."""
    last: Dim = -1
    for place in places:
        if place.low is None or place.low < 0 or place.high is None:
            return None
        if is_at_most(last, place.high):
            last = place.high
        elif not is_at_most(place.high, last):
            return None
    return last


def _as_end(last: Dim | None, bounds: Bounds, ends: Iterable[Value]) -> End | None:
    """The place behind the last, told by one of the ends of ranges."""
    if last is None or isinstance(last, int):
        return None if last is None else End(None, last + 1)
    for value in ends:
        known = bounds.dim(value)
        if isinstance(known, Size) and known.symbol == last.symbol:
            return End(value, last.offset + 1 - known.offset)
    return None
