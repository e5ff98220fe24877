"""Views of one array that differ in their indices only: one view, of which the indices differ.

``v[i]`` after a loop that bound ``i``, or after a branch with ``v[i]`` on one path and ``v[j]`` on
the other, is a part of ``v`` still: what joins, or is carried by the loop, are the indices.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.ir.build import remade
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops.index import index
from symdiff.ops.keys import Slot
from symdiff.parse.values import Abstract, Array, Lens


def indices(array: Array) -> tuple[Value, ...]:
    """The indices, known at run time, of the views on the way to an array."""
    return tuple(value for lens in array.lenses for value in lens.operands)


def is_indexed(content: Abstract) -> bool:
    """Return whether a content is a part of an array that integers known at run time select."""
    return isinstance(content, Array) and bool(indices(content)) and all(map(_at, content.lenses))


def _at(lens: Lens) -> bool:
    """Return whether all that is not known of a view before run time are integers that index it."""
    if not lens.operands:
        return True
    if lens.op is not index:
        return False
    slots = [entry for entry in lens.node.attributes["key"] if isinstance(entry, Slot)]
    return len(slots) == len(lens.operands) and all(map(_is_integer, lens.operands))


def _is_integer(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, ArrayType) and not type_.shape and type_.dtype.kind in "iu"


def alike_but_for_indices(a: Abstract, b: Abstract) -> bool:
    """Return whether two contents are such parts of one array, alike but for the indices."""
    if not (is_indexed(a) and is_indexed(b)):
        return False
    pairs = list(zip(a.lenses, b.lenses, strict=False))
    same = a.storage is b.storage and len(a.lenses) == len(b.lenses)
    return same and all(
        (x.op, x.attributes, len(x.operands)) == (y.op, y.attributes, len(y.operands))
        for x, y in pairs
    )


def at_indices(array: Array, values: Sequence[Value]) -> Array:
    """A part of an array, at other indices."""
    left = iter(values)
    lenses = []
    for lens in array.lenses:
        operands = lens.node.operands[0], *(next(left) for _ in lens.operands)
        node = remade(lens.node, operands)
        lenses.append(Lens.of(node) if lens.operands else lens)
    return Array(array.storage, tuple(lenses))
