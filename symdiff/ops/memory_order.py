"""How the results of NumPy's operations lie in memory.

A node and the layouts of its operands enter; the layout of its result leaves (``ops.strides``).
Results of ops that are not spoken of here may lie in any way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops.declare import array_type
from symdiff.ops.index import key_of
from symdiff.ops.keys import Slice, Slot, is_basic
from symdiff.ops.strides import Layout, Product, is_packed, kept_order, reshaped

Known = dict[Any, Product]
Rule = Callable[[Node, Sequence[Layout], Known], Layout]


def needs_operands(node: Node) -> tuple[Value, ...]:
    """The operands whose layouts decide."""
    if node.op.name == "laid_like":
        return node.operands[1:]
    if node.op.view is not None or node.op.order == "operand":
        return node.operands[:1]
    if _is_packed(node) or array_type(node.result).rank < 2:
        return ()
    return tuple(v for v in node.operands if isinstance(v.type, ArrayType) and v.type.rank > 1)


def layout_of_result(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    """The layout of an array that a node without blocks makes; ``layouts`` are those of
    ``needs_operands``.
    """
    type_ = array_type(node.result)
    rule = _VIEWS.get(node.op.name)
    if rule is not None:
        return rule(node, layouts, known)
    if node.op.order == "operand":
        return layouts[0]
    if _is_packed(node) or type_.rank < 2:
        return Layout.packed(type_.shape)
    return _made(node, layouts, known)


def keeps_order(node: Node) -> bool:
    """Return whether the result lies in memory in the order in which the operands do."""
    return node.op.order == "kept"


def _is_packed(node: Node) -> bool:
    """Return whether the result is a new array in C order; copies may keep another."""
    return node.op.order == "packed" and node.attributes.get("order") != "K"


def _made(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    """The layout of a new array of two or more axes."""
    shape, order = array_type(node.result).shape, node.op.order
    shapes = [array_type(value).shape for value in needs_operands(node)]
    operands = list(zip(shapes, layouts, strict=True))
    if order == "reduced":
        return kept_order([_reduced(node, *operands[0])], shape)
    if order in ("kept", "packed"):  # a copy that keeps the order
        return kept_order(operands, shape)
    if order == "as operand":
        return contiguous_as(*operands[0], shape, known)
    causes = frozenset[Any]().union(*(layout.causes for layout in layouts))
    if order == "packed as operands" and all(
        is_packed(layout, of, "C", known) for of, layout in operands
    ):
        return Layout.packed(shape)
    return Layout.unknown(len(shape), causes)


def contiguous_as(of: Sequence[Dim], layout: Layout, shape: Sequence[Dim], known: Known) -> Layout:
    """The layout of a new array in Fortran's order where an operand lies in that and not in C's,
    else in C's (``order='A'``).
    """
    in_c, in_fortran = (is_packed(layout, of, order, known) for order in ("C", "F"))
    axes = range(len(shape))
    if in_c or in_fortran is False:
        return Layout.packed(shape)
    if in_fortran and in_c is False:
        return Layout.packed(shape, axes[::-1])
    return Layout.unknown(len(shape), layout.causes)


def _reduced(node: Node, shape: Sequence[Dim], layout: Layout) -> tuple[Sequence[Dim], Layout]:
    """What is left of an operand of which some axes are summed."""
    axis = node.attributes.get("axis")
    gone = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    if node.attributes.get("keepdims"):
        return [1 if k in gone else dim for k, dim in enumerate(shape)], layout
    kept = [k for k in range(len(shape)) if k not in gone]
    return [shape[k] for k in kept], layout.along(kept)


# Views --------------------------------------------------------------------------------------------


def _index(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    key, dynamic = key_of(node)
    base = array_type(node.operands[0])
    if not is_basic(key, dynamic):
        return _gathered(node, layouts[0], known)
    axes: list[int | None] = []
    steps: list[int | None] = []
    axis = 0
    spoken = sum(entry is not None and entry is not Ellipsis for entry in key)
    whole = () if Ellipsis in key else (Ellipsis,)
    for entry in (*key, *whole):
        count = base.rank - spoken if entry is Ellipsis else 1
        if entry is None:
            axes.append(None)
            steps.append(1)
            continue
        if entry is Ellipsis or isinstance(entry, Slice):
            axes.extend(range(axis, axis + count))
            steps.extend([_step(entry)] * count)
        axis += count
    return layouts[0].along(axes).stepped(steps)


def _step(entry: Any) -> int | None:
    step = entry.step if isinstance(entry, Slice) else 1
    return None if isinstance(step, Slot) else 1 if step is None else step


def _gathered(node: Node, layout: Layout, known: Known) -> Layout:
    """The result of an index with an array: what that selects lies outermost in memory."""
    key, dynamic = key_of(node)
    shape = array_type(node.result).shape
    if len(shape) < 2:
        return Layout.packed(shape)
    arrays = [k for k, entry in enumerate(key) if isinstance(entry, int | Slot)]
    slot = key[arrays[0]]
    if len(arrays) > 1 or not isinstance(slot, Slot) or array_type(dynamic[slot.number]).rank != 1:
        return Layout.unknown(len(shape))
    base = array_type(node.operands[0])
    in_order = len(shape) == 2 or is_packed(layout, base.shape, "C", known)
    if not in_order or Ellipsis in key[: arrays[0]]:
        return Layout.unknown(len(shape), layout.causes)
    place = arrays[0]
    rest = [axis for axis in range(len(shape)) if axis != place]
    return Layout.packed(shape, [place, *rest])


def _transpose(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    return layouts[0].along(node.attributes["axes"])


def _reshape(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    return reshape_verdict(node, layouts[0], known)[1]


def reshape_verdict(node: Node, layout: Layout, known: Known) -> tuple[bool | None, Layout]:
    """Return whether a reshape gives a view (None where it is not known), and how the result
    lies.
    """
    shapes = array_type(node.operands[0]).shape, array_type(node.result).shape
    return reshaped(layout, *shapes, known)


def _contiguous(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    shape = array_type(node.result).shape
    axes = range(len(shape))
    return Layout.packed(shape, axes if node.attributes["order"] == "C" else axes[::-1])


def _diagonal(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    *others, _, _ = layouts[0].strides
    return Layout((*others, None))


def _part(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    pairs = array_type(node.operands[0]).dtype.kind == "c"
    return layouts[0].stepped([2 if pairs else 1] * len(layouts[0].strides))


def _pairs(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    """Complex numbers as pairs, or pairs as them: the last axis has no gaps, or NumPy raises."""
    base, shape = array_type(node.operands[0]).shape, array_type(node.result).shape
    if len(shape) == 1 or is_packed(layouts[0], base, "C", known):
        return Layout.packed(shape)
    return Layout.unknown(len(shape), layouts[0].causes)


def _broadcast(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    old, new = array_type(node.operands[0]).shape, array_type(node.result).shape
    missing = len(new) - len(old)
    pairs = zip(layouts[0].strides, old, new[missing:], strict=True)
    own = [
        stride if dim == wide else Product(0) if dim == 1 else None for stride, dim, wide in pairs
    ]
    return Layout((*(Product(0) for _ in range(missing)), *own), layouts[0].causes)


def _laid_like(node: Node, layouts: Sequence[Layout], known: Known) -> Layout:
    prototype = array_type(node.operands[1]).shape
    if node.attributes["order"] == "A":
        return contiguous_as(prototype, layouts[0], array_type(node.result).shape, known)
    return kept_order([(prototype, layouts[0])], array_type(node.result).shape)


_VIEWS: dict[str, Rule] = {
    "index": _index,
    "transpose": _transpose,
    "reshape": _reshape,
    "contiguous": _contiguous,
    "diagonal": _diagonal,
    "real": _part,
    "imag": _part,
    "broadcast_to": _broadcast,
    "view": _pairs,
    "laid_like": _laid_like,
}
