"""How loops go round: ranges recovered, tapes run over or read by index, turns not counted.

Works on a graph that is being lowered. A loop may get a *variable*: the element of the range it
runs over, kept in the attribute ``variable``; its body then has no node for it. Elements of tapes
stay parameters of the body where the loop can iterate over the tapes themselves; else ``tape_get``
nodes read them by index: by ``tape[i - 1]`` where the loop is over ``range(1, n)``.
"""

from __future__ import annotations

from typing import Any

from symdiff.buffers.turns import Turns
from symdiff.ir.build import constant, substitute
from symdiff.ir.control import LoopView
from symdiff.ir.graph import Block, Node, Value, uses
from symdiff.ir.types import TapeType, Type
from symdiff.ops.arithmetic import subtract
from symdiff.ops.declare import StageOperation, template


def _infer_tape_get(tape: Type, index: Type) -> tuple[Type, ...]:
    assert isinstance(tape, TapeType)
    return (tape.element,)


tape_get = StageOperation("tape_get", _infer_tape_get, spelling=template("{0}[{1}]"))

_UNNAMED = (None, "_")  # what an index is called that no program has a name for
_MOST_TAPES = 3  # that one ``zip`` in a header runs over
Bounds = tuple[Any, Any, Any]  # start, stop, step: values or ints


def recover_header(view: LoopView, new: dict[Value, Value], turns: Turns) -> None:
    """Give a loop its variable, drop what only its header needs; replaced values go to ``new``.

    ``turns`` tells which tapes the loop can run over.
    """
    node = view.node
    node.attributes = dict(node.attributes)
    count = view.count
    if count is not None and view.condition is None and is_length(count):
        new[view.turns] = count
    if count is not None:
        _recover_variable(view, new)
    if view.index.name in _UNNAMED:
        view.index.name = "k"
        _count_by_variable(view)
    _drop_unread(view)
    if view.xs and not _iterates(view, turns):
        index_elements(view)
    if view.xs and "variable" not in node.attributes:
        node.attributes["over_tapes"] = True


def reads_count(node: Node) -> bool:
    """Return whether the header of a bounded loop says how often it goes round."""
    return not node.attributes.get("over_tapes", False)


def _count_by_variable(view: LoopView) -> None:
    """Let who reads the index of a loop over ``range(1, n)`` read its variable less 1."""
    if view.condition is None and _reads_index(view):
        turn = _turn_by_variable(view)
        if turn is not None and not _is_by_value(view):
            substitute(view.body, {view.index: turn})


def _is_by_value(view: LoopView) -> bool:
    """Return whether where a range starts is known at run time only."""
    return isinstance(view.node.attributes["range"][0], Value)


def _drop_unread(view: LoopView) -> None:
    """Tapes whose elements nobody reads are not read."""
    if not view.xs:
        return
    read = uses(view.body)
    kept = [k for k, element in enumerate(view.elements) if element in read]
    start, first = len(view.node.operands) - len(view.xs), 1 + view.carry_count
    xs, elements = view.xs, view.elements
    view.node.operands = (*view.node.operands[:start], *(xs[k] for k in kept))
    view.body.parameters = (*view.body.parameters[:first], *(elements[k] for k in kept))


def is_length(value: Value) -> bool:
    """Return whether the value is never negative."""
    node = value.node
    if node is None:
        return False
    if node.op is constant:
        return bool(node.attributes["value"] >= 0)
    return node.op.name in ("range_length", "size", "tape_length", "list_length")


def _number(value: Any) -> Any:
    """The constant that a value is, or the value."""
    if isinstance(value, Value) and value.node is not None and value.node.op is constant:
        return value.node.attributes["value"]
    return value


def _recover_variable(view: LoopView, new: dict[Value, Value]) -> None:
    found: dict[tuple[Any, Any], Value] = {}
    kept = []
    elsewhere = _is_read_elsewhere(view)
    for node in view.body.nodes:
        step = _range_step(node, view.index)
        if node.op.name == "add" and node.result.name is None and elsewhere:
            step = None  # ``i + 1`` beside ``i``
        if step is None or range_bounds(view, *step) is None or (found and step not in found):
            kept.append(node)
        elif step in found:
            new[node.result] = found[step]
        else:
            found[step] = node.result
            node.result.node = None
    for step, value in found.items():
        view.node.attributes["variable"] = value
        view.node.attributes["range"] = range_bounds(view, *step)
    view.body.nodes[:] = kept


def _is_read_elsewhere(view: LoopView) -> bool:
    """Return whether something reads the index itself, not an element of a range or a sum with
    it.
    """
    if view.index in view.body.results:
        return True
    nodes = list(view.body.nodes)
    while nodes:
        node = nodes.pop()
        if view.index in node.operands and _range_step(node, view.index) is None:
            return True
        for block in node.blocks:
            nodes += block.nodes
            if view.index in block.results:
                return True
    return False


def _range_step(node: Node, index: Value) -> tuple[Any, Any] | None:
    """``(start, step)`` where a node computes ``start + index * step``."""
    if node.op.name == "range_element" and node.operands[2] is index:
        return _number(node.operands[0]), _number(node.operands[1])
    if node.op.name == "add" and index in node.operands and not node.attributes:
        other = node.operands[0] if node.operands[1] is index else node.operands[1]
        start = _number(other)
        if other is not index and (isinstance(start, int) or _is_outside(start, node)):
            return start, 1
    return None


def _is_outside(value: Any, node: Node) -> bool:
    return isinstance(value, Value) and value.type == node.result.type


def range_bounds(view: LoopView, start: Any, step: Any) -> Bounds | None:
    """The range over which a loop runs if its variable starts and steps like this."""
    count = view.count
    length = _number(count)
    if isinstance(length, int) and isinstance(start, int) and isinstance(step, int):
        return start, start + length * step, step
    if not isinstance(count, Value) or count.node is None or count.node.op.name != "range_length":
        return None
    parts = tuple(_number(v) for v in count.node.operands)
    same = _equal(parts[0], start) and _equal(parts[2], step)
    return (parts[0], parts[1], parts[2]) if same else None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, Value) or isinstance(b, Value):
        return a is b
    return bool(a == b)


# Tapes


def _iterates(view: LoopView, turns: Turns) -> bool:
    """Return whether the loop can run over its tapes themselves: nobody else needs the index."""
    if view.count is None or view.condition is not None or (view.reverse and view.pushed):
        return False
    if len(view.xs) > _MOST_TAPES:
        return False
    return all(turns.are_held(tape, view.count) for tape in view.xs) and not _reads_index(view)


def _reads_index(view: LoopView) -> bool:
    return view.index in uses(view.body)


def index_elements(view: LoopView) -> None:
    """Turn elements that are parameters into nodes that read the tapes by index."""
    node, body = view.node, view.body
    node.attributes.pop("over_tapes", None)
    turn = turn_of(view)
    reads = []
    for element, tape in zip(view.elements, view.xs, strict=True):
        element.node = Node(tape_get, (tape, turn), {}, (), (element,), None)
        reads.append(element.node)
    count = len(reads)
    node.operands = node.operands[: len(node.operands) - count]
    body.parameters = body.parameters[: len(body.parameters) - count]
    place = 0 if turn.node is None else body.nodes.index(turn.node) + 1
    body.nodes[place:place] = reads


def turn_of(view: LoopView) -> Value:
    """The number of a turn in a body: the index, or the loop's variable less what that starts from
    where nobody reads the index.
    """
    if view.condition is not None or _reads_index(view):
        return view.index
    return _turn_by_variable(view) or view.index


def _turn_by_variable(view: LoopView) -> Value | None:
    """The variable of a loop less what it starts from; None where it goes by steps, or has none."""
    attributes = view.node.attributes
    if "variable" not in attributes:
        _add_variable(view)
    start, _, step = attributes.get("range", (None, None, None))
    if step != 1:
        return None
    if start == 0:
        return attributes["variable"]  # type: ignore[no-any-return]
    if "turn" not in attributes:
        attributes["turn"] = _less(attributes["variable"], start, view.body)
    return attributes["turn"]  # type: ignore[no-any-return]


def _add_variable(view: LoopView) -> None:
    """Let a loop over all of ``range(1, n)`` run over it, though nobody reads its elements."""
    length = None if view.count is None else view.count.node
    if length is None or length.op.name != "range_length":
        return
    start, stop, step = map(_number, length.operands)
    if isinstance(start, int) and start and step == 1:
        view.node.attributes["variable"] = Value(view.index.type, None, view.index.name)
        view.node.attributes["range"] = start, stop, step


def _less(value: Value, by: Any, body: Block) -> Value:
    """``value - by``, computed at the start of a body."""
    nodes = []
    if not isinstance(by, Value):
        nodes.append(Node(constant, (), {"value": by}, (), (), None))
        nodes[0].results = (Value(value.type, nodes[0]),)
        by = nodes[0].result
    nodes.append(Node(subtract, (value, by), {}, (), (), None))
    nodes[-1].results = (Value(value.type, nodes[-1]),)
    body.nodes[:0] = nodes
    return nodes[-1].result
