"""Reads and writes of parts of arrays that meet: of the same part, of parts of parts, onto zeros.

What an adjoint makes of ``x[i] = v`` and of ``x[i]`` are zeros with one part set, cleared or added
to; here they become one write into the array they are added to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symdiff.ir.build import builder
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import add
from symdiff.ops.arrays import array
from symdiff.ops.casts import astype
from symdiff.ops.declare import array_type
from symdiff.ops.facts import made_by, shape_of
from symdiff.ops.index import (
    are_apart,
    index,
    index_add,
    index_set,
    is_distinct,
    is_same_part,
    is_whole,
    key_of,
)
from symdiff.ops.keys import Key, Slice, Slot, is_basic, renumbered
from symdiff.optimise.facts import is_zero
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import in_derivatives, is_exact_place, stays_zero

_LONGEST_CHAIN = 16
_MOST_ELEMENTS = 8  # that are written between the brackets of an array


def _fills(node: Node) -> bool:
    """Return whether what a write stores has the shape of the region."""
    return shape_of(node.operands[1]) == tuple(node.attributes["shape"])


# Reads


def whole_read(node: Node, rewriter: Rewriter) -> Value | None:
    return node.operands[0] if is_whole(node) else None


def read_of_written(node: Node, rewriter: Rewriter) -> Value | None:
    """What was stored in a place, where nothing else was written there meanwhile."""
    x = node.operands[0]
    for _ in range(_LONGEST_CHAIN):
        write = made_by(x, "index_set", "index_add")
        if write is None:
            return rewriter.zeros_for(node) if is_zero(x) else None
        if is_same_part(node, write):
            return _stored(write)
        if not are_apart(node, write):
            return None
        x = write.operands[0]
    return None


@reads("index_set")
def read_past_writes(node: Node, rewriter: Rewriter) -> Value | None:
    """An element, read from before writes of others were made: where all are read like that, nobody
    needs the writes.
    """
    x, *dynamic = node.operands
    if dynamic or shape_of(node.result) or not _is_element(node.attributes["key"]):
        return None
    first = x
    for _ in range(_LONGEST_CHAIN):
        write = made_by(x, "index_set")
        if write is None or not _is_element(write.attributes["key"]) or not are_apart(node, write):
            break
        if not rewriter.is_here(x):
            break
        x = write.operands[0]
    return None if x is first else apply(index, x, **node.attributes)


def _is_element(key: Key) -> bool:
    return all(isinstance(entry, int) for entry in key)


def _stored(write: Node) -> Value | None:
    """What the places of a write hold, where that is the value written."""
    if not is_distinct(*key_of(write), shape_of(write.operands[0])) or not _fills(write):
        return None
    if write.op is index_add and not _is_clear(write):
        return None
    return write.operands[1]


def read_of_number(node: Node, rewriter: Rewriter) -> Value | None:
    """An element of a number that was broadcast."""
    inner = made_by(node.operands[0], "broadcast_to")
    if inner is None or shape_of(inner.operands[0]):
        return None
    return inner.operands[0]


def element_of_number(node: Node, rewriter: Rewriter) -> Value | None:
    """``np.array(x)[()]`` of a number, which is the number as one of NumPy's."""
    made = made_by(node.operands[0], "copy", "reshape")
    if made is None or node.attributes["shape"] or not is_exact_place(node, rewriter):
        return None
    x, type_ = made.operands[0], array_type(made.operands[0])
    if type_.shape or type_.kind == "array":
        return None
    return x if type_.kind == "scalar" else apply(astype, x, dtype=type_.dtype)


def part_of_part(node: Node, rewriter: Rewriter) -> Value | None:
    """``x[1:-1][1:]`` as ``x[2:-1]``."""
    inner = made_by(node.operands[0], "index")
    key = None if inner is None else _composed(inner, node)
    if inner is None or key is None:
        return None
    return _index(inner.operands[0], key, node)


def _index(x: Value, key: tuple[Key, Sequence[Value]], node: Node) -> Value:
    shape = node.attributes["shape"]
    return apply(index, x, *key[1], key=key[0], shape=shape)


# Keys of parts of parts


def _composed(outer: Node, inner: Node) -> tuple[Key, tuple[Value, ...]] | None:
    """The key that selects of a base what ``inner`` selects of the part that ``outer`` selects."""
    first, dynamic = key_of(outer)
    if is_whole(inner):
        return first, tuple(dynamic)
    second, more = key_of(inner)
    if not is_basic(first, dynamic) or not is_basic(second, more):
        return None
    if not _has_only_places(first) or not _has_only_places(second):
        return None
    later = [renumbered(entry, len(dynamic)) for entry in second]
    key: list[Any] = []
    for entry in first:
        if not isinstance(entry, Slice) or not later:
            key.append(entry)
            continue
        together = _within(entry, later.pop(0))
        if together is None:
            return None
        key.append(together)
    return (*key, *later), (*dynamic, *more)


def _has_only_places(key: Key) -> bool:
    return all(isinstance(entry, int | Slot | Slice) for entry in key)


def _within(outer: Slice, inner: Any) -> Any:
    """An entry applied to what a slice selects, as one entry; None where that is not known."""
    if outer == Slice():
        return inner
    if inner == Slice():
        return outer
    margins = _margins(outer)
    if margins is None:
        return None
    low, high = margins
    if isinstance(inner, int):
        return low + inner if inner >= 0 else inner - high
    inside = _margins(inner) if isinstance(inner, Slice) else None
    if inside is None:
        return None
    low, high = low + inside[0], high + inside[1]
    return Slice(low or None, -high if high else None)


def _margins(entry: Slice) -> tuple[int, int] | None:
    """How much a slice leaves out at both ends, where it is written so: ``2:-1`` is (2, 1)."""
    start, stop = entry.start or 0, entry.stop
    if entry.step not in (None, 1) or not isinstance(start, int) or start < 0:
        return None
    if stop is None:
        return start, 0
    return (start, -stop) if isinstance(stop, int) and stop < 0 else None


# Writes


def own_part_stored(node: Node, rewriter: Rewriter) -> Value | None:
    """``x[i] = x[i]``."""
    x, v, *_ = node.operands
    read = made_by(v, "index")
    if read is None or read.operands[0] is not x or not is_same_part(read, node):
        return None
    return x


def stored_again(node: Node, rewriter: Rewriter) -> Value | None:
    """What stands in its places already."""
    x, v, *_ = node.operands
    base = x
    for _ in range(_LONGEST_CHAIN):
        write = made_by(base, "index_set", "index_add")
        if write is None:
            return None
        if is_same_part(node, write):
            return x if _stored(write) is v else None
        if not are_apart(node, write):
            return None
        base = write.operands[0]
    return None


def stored_twice(node: Node, rewriter: Rewriter) -> Value | None:
    """What is stored over something else in the same places."""
    x, v, *dynamic = node.operands
    before = made_by(x, "index_set")
    if before is None or not rewriter.takes(x) or not is_same_part(before, node):
        return None
    return apply(index_set, before.operands[0], v, *dynamic, **node.attributes)


def cleared_zeros(node: Node, rewriter: Rewriter) -> Value | None:
    x, v, *_ = node.operands
    return x if is_zero(x) and is_zero(v) else None


def whole_store(node: Node, rewriter: Rewriter) -> Value | None:
    """``x[:] = v``."""
    v = node.operands[1]
    if not is_whole(node):
        return None
    return rewriter.zeros_for(node) if is_zero(v) else v


def part_of_part_stored(node: Node, rewriter: Rewriter) -> Value | None:
    """``x[i][j] = v``, a part changed and stored back, as ``x[i, j] = v``."""
    x, v, *_ = node.operands
    inner = made_by(v, "index_set", "index_add")
    if inner is None or not rewriter.takes(v):
        return None
    read = made_by(inner.operands[0], "index")
    if read is None or read.operands[0] is not x or not is_same_part(read, node):
        return None
    return _write_within(node, inner)


def _write_within(node: Node, inner: Node) -> Value | None:
    key = _composed(node, inner)
    if key is None:
        return None
    op = index_set if inner.op is index_set else index_add
    shape = inner.attributes["shape"]
    return apply(op, node.operands[0], inner.operands[1], *key[1], key=key[0], shape=shape)


def part_of_part_added(node: Node, rewriter: Rewriter) -> Value | None:
    """Zeros with parts added to, added to a part."""
    base, v, *_ = node.operands
    chain = _additions(v, rewriter) if _fills(node) else []
    keys = [_composed(node, inner) for inner in chain]
    if not chain or any(key is None for key in keys):
        return None
    for inner, key in zip(reversed(chain), reversed(keys), strict=True):
        if key is not None:
            more = {"key": key[0], "shape": inner.attributes["shape"]}
            base = apply(index_add, base, inner.operands[1], *key[1], **more)
    return base


def added_to_cleared(node: Node, rewriter: Rewriter) -> Value | None:
    """``x[i] = 0`` and then ``x[i] += v``, perhaps with something added to others, or to all,
    meanwhile.
    """
    _, v, *dynamic = node.operands
    between, cleared = _before_additions(node, rewriter)
    if cleared is None or cleared.op is not index_set or not is_zero(cleared.operands[1]):
        return None
    if not is_distinct(*key_of(node), shape_of(node.operands[0])):
        return None
    base = apply(index_set, cleared.operands[0], v, *dynamic, **node.attributes)
    return _with_additions(base, between)


def _before_additions(node: Node, rewriter: Rewriter) -> tuple[list[_Step], Node | None]:
    """The write of the same part that ``node`` follows, and what was added since, to others and to
    all, or stored elsewhere.
    """
    between: list[_Step] = []
    x = node.operands[0]
    for _ in range(_LONGEST_CHAIN):
        write = made_by(x, "index_set", "index_add", "add", "subtract")
        if write is None or not rewriter.takes(x):
            break
        is_place = write.op in (index_set, index_add)
        if is_place and is_same_part(write, node):
            return between, write
        if write.op is index_set and not are_apart(write, node):
            break
        base = 0 if is_place else _added_to(write)
        if base is None:
            break
        between.append((write, base))
        x = write.operands[base]
    return between, None


_Step = tuple[Node, int]
"""A node that adds to one of its operands or stores in it, and which one that is."""


def _added_to(node: Node) -> int | None:
    """The operand to which a sum or a difference adds another one, element by element."""
    for k in (0, 1) if node.op is add else (0,):
        x = node.operands[k]
        if x.type == node.result.type and made_by(x, "index_set", "index_add", "add", "subtract"):
            return k
    return None


def _with_additions(base: Value, steps: Iterable[_Step]) -> Value:
    """``base`` after the same steps, the last first in the list."""
    for step, k in reversed(list(steps)):
        operands = (*step.operands[:k], base, *step.operands[k + 1 :])
        base = builder().emit(step.op, operands, step.attributes).result
    return base


def added_twice(node: Node, rewriter: Rewriter) -> Value | None:
    """Two values that are added in the same places, added before."""
    _, v, *dynamic = node.operands
    between, before = _before_additions(node, rewriter)
    if before is None or before.op is not index_add:
        return None
    first = before.operands[1]
    same = first.type == v.type and array_type(v).dtype == array_type(node.result).dtype
    if not (_fills(before) and _fills(node) and same):
        return None
    together = add(first, v)
    base = apply(index_add, before.operands[0], together, *dynamic, **node.attributes)
    return _with_additions(base, between)


def zero_added(node: Node, rewriter: Rewriter) -> Value | None:
    return node.operands[0] if is_zero(node.operands[1]) else None


def whole_added(node: Node, rewriter: Rewriter) -> Value | None:
    """``x[:] += v``."""
    x, v, *_ = node.operands
    if not is_whole(node):
        return None
    return v if is_zero(x) else apply(add, x, v)


@reads("index_add")
def sum_with_parts(node: Node, rewriter: Rewriter) -> Value | None:
    """``A`` plus zeros with parts added to: ``A`` with these parts added to."""
    a, b = node.operands
    for base, parts in ((a, b), (b, a)):
        chain = _additions(parts, rewriter)
        if chain and base.type == parts.type and array_type(base).kind == "array":
            return _with_additions(base, ((step, 0) for step in chain))
    return None


def _additions(value: Value, rewriter: Rewriter) -> list[Node]:
    """The writes that make a value of zeros, the last first; none where it is something else."""
    chain: list[Node] = []
    for _ in range(_LONGEST_CHAIN):
        if is_zero(value):
            return chain
        node = made_by(value, "index_add")
        if node is None or not rewriter.takes(value):
            return []
        chain.append(node)
        value = node.operands[0]
    return []


INDEXING: Rules = {
    "index": (
        element_of_number,
        *in_derivatives(
            stays_zero, whole_read, read_of_written, read_past_writes, read_of_number, part_of_part
        ),
    ),
    "index_set": (
        own_part_stored,
        part_of_part_stored,
        *in_derivatives(stored_again, stored_twice, cleared_zeros, whole_store),
    ),
    "index_add": in_derivatives(
        zero_added, added_to_cleared, added_twice, part_of_part_added, whole_added
    ),
    "add": in_derivatives(sum_with_parts),
}


def added_to_zeros(node: Node, rewriter: Rewriter) -> Value | None:
    """What is added to zeros, each place once, is what stands there."""
    x, v, *dynamic = node.operands
    if not _is_clear(node) or not is_distinct(*key_of(node), shape_of(node.operands[0])):
        return None
    return apply(index_set, x, v, *dynamic, **node.attributes)


def _is_clear(node: Node) -> bool:
    """Return whether a write is to places that hold zeros."""
    x = node.operands[0]
    for _ in range(_LONGEST_CHAIN):
        write = made_by(x, "index_set", "index_add")
        if write is None or not are_apart(node, write):
            return is_zero(x)
        x = write.operands[0]
    return False


@reads("index_set")
def elements_at_once(node: Node, rewriter: Rewriter) -> Value | None:
    """Zeros whose elements are all stored one by one, as ``np.array([a, b, c])``."""
    dims = shape_of(node.result)
    if len(dims) != 1 or not isinstance(dims[0], int) or not 1 < dims[0] <= _MOST_ELEMENTS:
        return None
    elements: dict[int, Value] = {}
    write: Node | None = node
    while write is not None and (write is node or rewriter.takes(write.result)):
        place = _place_of(write, dims[0])
        if place is None or not _is_exact(write.operands[1], node.result):
            return None
        elements.setdefault(place, write.operands[1])
        base = write.operands[0]
        write = made_by(base, "index_set", "index_add")
    if len(elements) < dims[0] or not is_zero(base):
        return None
    values = [elements[place] for place in range(dims[0])]
    return apply(array, *values, nested=dims, dtype=array_type(node.result).dtype)


def _place_of(write: Node, length: int) -> int | None:
    """Which element of a vector a write stores or, where that was zero, adds to."""
    key = write.attributes["key"]
    is_element = len(key) == 1 and len(write.operands) == 2 and isinstance(key[0], int)
    if not is_element or not (write.op is index_set or _is_clear(write)):
        return None
    return int(key[0]) % length


def _is_exact(value: Value, array_: Value) -> bool:
    """Return whether a value is a number of an array's dtype."""
    type_ = array_type(value)
    return not type_.shape and type_.kind != "array" and type_.dtype == array_type(array_).dtype


# Not among the others, which look for what is added to zeros.
FINISHING: Rules = {
    "index_add": in_derivatives(added_to_zeros, elements_at_once),
    "index_set": in_derivatives(elements_at_once),
}
