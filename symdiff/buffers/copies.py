"""Copies as nodes: what ``ownership`` decided is put into the graph before anything is named."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy

import numpy as np

from symdiff.buffers.headers import index_elements, tape_get, turn_of
from symdiff.buffers.liveness import Liveness
from symdiff.buffers.lower import blocks_of, push, remove_unread
from symdiff.buffers.memory import Decisions, Sharing
from symdiff.buffers.order import carried_values, in_c_order, is_line
from symdiff.buffers.ownership import decide
from symdiff.errors import InternalError
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import (
    Attributes,
    Block,
    Graph,
    Node,
    Op,
    Role,
    Value,
    free_values,
    walk_nodes,
)
from symdiff.ir.types import ArrayType, ListType, Size, TapeType
from symdiff.ops.creation import full, ones
from symdiff.ops.declare import StageOperation, supporting_call, template
from symdiff.ops.index import index_set, is_whole
from symdiff.ops.partial import partial_values
from symdiff.ops.shape import broadcast_to, contiguous, copy
from symdiff.source import SourceSpan

list_copy = StageOperation("list_copy", lambda x: (x,), list, spelling=template("{0}.copy()"))
deep_copy = StageOperation("deep_copy", lambda x: (x,), spelling=supporting_call(deepcopy))

empty_like = StageOperation(
    "empty_like", lambda x: (x,), np.empty_like, spelling=template("np.empty_like({0})")
)


def _spell_copy_if_any(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    made = "np.array({0})" if node.attributes.get("order") == "K" else "{0}.copy()"
    return template(f"None if {{0}} is None else {made}")(node, operands)


copy_if_any = StageOperation(
    "copy_if_any",
    lambda x, *, order="C": (x,),
    spelling=_spell_copy_if_any,
    repeated=frozenset({0}),
)

_ROUNDS = 50


def with_copies(
    graph: Graph, writable: Iterable[Value], fresh: bool
) -> tuple[Liveness, Sharing, Decisions]:
    """Change a lowered graph: insert the copies that make all of its writes in place.

    Given are what then lives when, what shares memory, and what was decided.
    """
    decisions = Decisions()
    for _ in range(_ROUNDS):
        absent = frozenset(partial_values(graph.block, graph.partial, _handed_on))
        liveness = Liveness(graph.block)
        sharing = decide(graph, liveness, writable, fresh, decisions)
        if not _insert(graph.block, decisions, fresh, absent):
            break
        remove_unread(graph.block)
    else:
        raise InternalError("copies that were made did not make the writes possible")
    changed = fresh and _lay_out_results(graph.block, absent, decisions)
    if _choose_tapes(graph.block, decisions, absent) or changed:
        liveness = Liveness(graph.block)
        sharing = decide(graph, liveness, writable, False, decisions)
    return liveness, sharing, decisions


def _handed_on(node: Node) -> Iterator[tuple[Value, Value]]:
    """Pairs of values of which the second is the first, of ops that emission has."""
    if node.op is push:
        yield node.operands[0], node.attributes["tape"]
    elif node.op in (tape_get, copy_if_any):
        yield node.operands[0], node.result


def copy_of(
    value: Value, reader: Node | None, op: Op | None = None, absent: frozenset[Value] = frozenset()
) -> Node:
    """A node that copies ``value``, marked as what reads it."""
    chosen = op or (copy if isinstance(value.type, ArrayType) else list_copy)
    if value in absent and chosen is not deep_copy:
        chosen = copy_if_any
    own = value.node.span if value.node is not None and chosen is not contiguous else None
    span = reader.span if reader is not None else own
    role = _role_of_copy(value, reader)
    order = {"order": "C"} if chosen is contiguous else {}
    ordered = chosen in (copy, copy_if_any) and isinstance(value.type, ArrayType)
    if ordered and reader is not None and role == "primal":
        order = _order(value)
    node = _filled(value, span) if chosen is copy and role != "primal" else None
    node = node or Node(chosen, (value,), order, (), (), span)
    node.results = (Value(value.type, node, value.name, role),)
    return node


def _role_of_copy(value: Value, reader: Node | None) -> Role:
    """That of what a node makes of a value; a loop makes others of it than its first result."""
    if reader is None or not reader.results:
        return value.role
    if reader.op is loop:
        view = LoopView(reader)
        roles = dict(zip(view.initial, (carry.role for carry in view.carries), strict=True))
        return roles.get(value, reader.results[0].role)
    return reader.results[0].role


def _order(value: Value) -> Attributes:
    """The order in memory of a copy of what the user's function writes to itself: as that lies."""
    return {} if is_line(value.type) or in_c_order(value, {}) else {"order": "K"}


def _filled(value: Value, span: SourceSpan | None) -> Node | None:
    """An array of one number, where what is copied is that number broadcast."""
    node, type_ = value.node, value.type
    if node is None or node.op is not broadcast_to or not isinstance(type_, ArrayType):
        return None
    number, *sizes = node.operands
    if not isinstance(number.type, ArrayType) or number.type.shape:
        return None
    attributes = {"shape": type_.shape, "dtype": type_.dtype}
    made_by = number.node
    if made_by is not None and made_by.op is constant and made_by.attributes["value"] == 1:
        return Node(ones, tuple(sizes), attributes, (), (), span)
    return Node(full, node.operands, attributes, (), (), span)


class _Insertion:
    """New nodes by where they go."""

    def __init__(self) -> None:
        self.before: dict[Node, list[Node]] = {}
        self.after: dict[Node, Node] = {}

    def into(self, block: Block) -> None:
        for inner in blocks_of(block):
            nodes: list[Node] = []
            for node in inner.nodes:
                nodes += self.before.get(node, [])
                nodes.append(node)
                if node in self.after:
                    nodes.append(self.after[node])
            inner.nodes[:] = nodes


def _insert(block: Block, decisions: Decisions, fresh: bool, absent: frozenset[Value]) -> bool:
    """Put the copies decided on into the block; whether there were any."""
    insertion = _Insertion()
    for owner, number in decisions.copied_operands:
        if isinstance(owner, Block):
            listed = isinstance(owner.results[number].type, ListType | TapeType)
            deep = fresh and owner is block and listed
            op = deep_copy if deep else None
            made = copy_of(owner.results[number], None, op, absent)
            owner.nodes.append(made)
            owner.results = _replaced(owner.results, number, made.result)
        else:
            leaves_nothing = number == 0 and owner.op is index_set and is_whole(owner)
            op = empty_like if leaves_nothing else None
            made = copy_of(owner.operands[number], owner, op, absent)
            insertion.before.setdefault(owner, []).append(made)
            owner.operands = _replaced(owner.operands, number, made.result)
    # Pushes into arrays copy by themselves.
    stored = [node for node in decisions.copied_pushes if not fits_array(node, absent)]
    for node in stored:
        insertion.before.setdefault(node, []).append(_copy_pushed(node, decisions, absent))
        del decisions.copied_pushes[node]
    changed = bool(decisions.copied_operands or stored or decisions.copied_views)
    insertion.into(block)
    _copy_views(block, decisions.copied_views, absent)
    decisions.copied_operands.clear()
    decisions.copied_views.clear()
    return changed


def _copy_views(block: Block, copied: Iterable[Value], absent: frozenset[Value]) -> None:
    insertion = _Insertion()
    views, lines = {}, {}
    read_otherwise = _read_otherwise(block)
    for value in copied:
        view = value.node
        assert view is not None
        made = insertion.after[view] = copy_of(value, view, None, absent)
        views[value] = made.result
        if is_line(value.type) and value in read_otherwise:
            again = Node(view.op, view.operands, view.attributes, (), (), view.span)
            again.results = (Value(value.type, again, None, value.role),)
            insertion.before.setdefault(view, []).append(again)
            lines[value] = again.result
    _redirect(block, views, lines)
    insertion.into(block)


# Products of lines, whose last bits depend on how far their elements lie apart.
_PRODUCTS = frozenset({"matmul", "dot", "vdot", "vecdot", "einsum"})


def _goes_by_distance(node: Node) -> bool:
    """Return whether the bits of what the user's function computes depend on how operands lie."""
    return node.op.name in _PRODUCTS and node.result.role == "primal"


def _read_otherwise(block: Block) -> set[Value]:
    """What is read by others than those whose bits depend on how it lies."""
    found: set[Value] = set()
    for inner in blocks_of(block):
        found.update(inner.results)
        for node in inner.nodes:
            if not _goes_by_distance(node):
                found.update(node.operands)
    return found


def _redirect(block: Block, views: dict[Value, Value], lines: dict[Value, Value]) -> None:
    """Let readers of views read their copies, or the ``lines`` themselves where bits depend on it:
    the user's function has read them before it writes to what they are views of.
    """
    if not views:
        return
    either = {**views, **lines}
    for inner in blocks_of(block):
        inner.results = tuple(views.get(v, v) for v in inner.results)
        for node in inner.nodes:
            chosen = either if _goes_by_distance(node) else views
            node.operands = tuple(chosen.get(v, v) for v in node.operands)


def _replaced(values: tuple[Value, ...], number: int, value: Value) -> tuple[Value, ...]:
    return (*values[:number], value, *values[number + 1 :])


# Tapes


def fits_array(node: Node, absent: frozenset[Value]) -> bool:
    """Return whether what a push stores can lie in one array made before the loop."""
    element = node.operands[0].type
    if node.operands[0] in absent:
        return False
    if not isinstance(element, ArrayType) or element.kind != "array" or not element.shape:
        return False
    return not any(isinstance(dim, Size) and dim.open for dim in element.shape)


def _choose_tapes(block: Block, decisions: Decisions, absent: frozenset[Value]) -> bool:
    """Give each push into an array a value outside the loop of the element's shape, or a copy;
    return whether there are any.
    """
    pushes = [pair for pair in _pushes(block) if pair[0] in decisions.copied_pushes]
    likes = [_like(node, view, absent) for node, view in pushes]
    insertion = _Insertion()
    for (node, view), like in zip(pushes, likes, strict=True):
        if like is None:
            insertion.before[node] = [_copy_pushed(node, decisions, absent)]
            del decisions.copied_pushes[node]
        else:
            if view.xs:
                index_elements(view)
            node.attributes = {**node.attributes, "like": like}
            node.operands = (node.operands[0], turn_of(view))
    insertion.into(block)
    return bool(pushes)


def _copy_pushed(node: Node, decisions: Decisions, absent: frozenset[Value]) -> Node:
    """Let a push store a copy; of a list that is returned, down to its arrays."""
    value, *index = node.operands
    array = isinstance(value.type, ArrayType)
    deep = decisions.copied_pushes[node] and not array
    made = copy_of(value, node, deep_copy if deep else None, absent)
    node.operands = (made.result, *index)
    return made


def _pushes(block: Block) -> list[tuple[Node, LoopView]]:
    views = [LoopView(node) for node in walk_nodes(block) if node.op is loop]
    return [(node, view) for view in views for node in view.body.nodes if node.op is push]


def _like(node: Node, view: LoopView, absent: frozenset[Value]) -> Value | tuple[int, ...] | None:
    """A value from outside with the element's shape, or the shape itself where it is constant."""
    element = node.operands[0].type
    assert isinstance(element, ArrayType)
    if view.count is None or view.condition is not None:
        return None  # a loop that may end early would leave rows without values
    sizes = tuple(dim for dim in element.shape if isinstance(dim, int))
    if len(sizes) == element.rank:
        return sizes
    captured = [v for v in free_values(view.body) if isinstance(v.type, ArrayType)]
    for value in (*view.initial, *captured):
        known = isinstance(value.type, ArrayType) and value not in absent
        if known and value.type.shape == element.shape:  # type: ignore[union-attr]
            return value
    return None


# Results


def _lay_out_results(block: Block, absent: frozenset[Value], decisions: Decisions) -> bool:
    """Make results of two or more axes contiguous where the memory order of operands may show;
    return whether there are any.
    """
    if not any(isinstance(v.type, ArrayType) and v.type.rank > 1 for v in block.results):
        return False
    carried = carried_values(block)
    results = []
    for value in block.results:
        type_ = value.type
        wide = isinstance(type_, ArrayType) and type_.rank > 1 and value not in absent
        if wide and not is_line(type_) and not in_c_order(value, carried, decisions.accumulations):
            node = copy_of(value, None, contiguous)
            block.nodes.append(node)
            value = node.result
        results.append(value)
    block.results = tuple(results)
    return True
