"""What a function leaves behind: rebound globals and cells, attributes, containers, arrays.

Each write is an effect where it has to be seen: before an operation that may raise, and at the end
of the function, in the order of the first writes. A heap's ``written_back`` has a ``snapshot`` of
what was last written to each place. An arm of a branch and a turn of a loop start with nothing
pending: where they may raise, earlier writes stand before the branch or the loop (``settled``), and
their own writes at their ends at the latest. Where a place cannot be written before the end
(``NotInTime``), the function is staged again with the place in ``late``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import perform
from symdiff.ir.graph import Block, FreeVariable, Node, Value, walk_nodes
from symdiff.ir.signature import Path
from symdiff.ir.structure import is_leaf
from symdiff.ops.arrays import copy_in
from symdiff.ops.effects import enter_context, set_attribute, set_item, store
from symdiff.ops.facts import may_raise
from symdiff.ops.keys import Slot
from symdiff.parse.heap import Heap, is_array, is_callers, same
from symdiff.parse.interpreter import HOOKS, Interpreter
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.owners import (
    Owner,
    Writing,
    elements_set,
    owner_at,
    owner_of,
    owner_of_attribute,
    rebind,
    set_content,
    updated_in_place,
)
from symdiff.parse.snapshots import ANYTHING, Shown, agree, is_flat, item_of, snapshot
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    NotInTime,
    SomeEntries,
    Storage,
)

if TYPE_CHECKING:
    from symdiff.parse.join import Arm


def write_back(interp: Interpreter) -> None:
    """Append the effects that are due where the function ends, or an exception leaves it."""
    with _writing(interp):
        _leave_places(interp, in_time=False)


def write_in_time(interp: Interpreter) -> None:
    """Append the effects that are due before what may raise."""
    if not (interp.writing or interp.policy.all_late) and places(interp):
        with _writing(interp):
            _leave_places(interp, in_time=True)


def _writing(interp: Interpreter) -> AbstractContextManager[None]:
    """While places are written: no write raises, so none is attempted. The statement at hand is
    not staged again because of one, which would do what it has done once more.
    """
    return meanwhile(interp, writing=True, statement_values=None)


def before(interp: Interpreter, node: Node) -> None:
    """A node is about to be appended: what is written by then is left behind first."""
    if not node.blocks and (_is_seen(node) or (interp.strict and node.results)):
        write_in_time(interp)


HOOKS.before = before


def _is_seen(node: Node) -> bool:
    """Return whether a node may end the function, or let others see what it has written."""
    return may_raise(node) or (node.op.effect and (node.op.raises or node.op is enter_context))


def _leave_places(interp: Interpreter, in_time: bool) -> None:
    for key in places(interp):
        if in_time and is_late(interp, key):
            continue
        try:
            _leave(interp, key, in_time)
        except (UnsupportedCallError, ConflictRead):
            if in_time:
                raise NotInTime(place_id(interp, key)) from None
            raise


def _leave(interp: Interpreter, key: Any, in_time: bool) -> None:
    if isinstance(key, Storage):
        _leave_array(interp, key, in_time)
    elif key in interp.changed:
        _leave_container(interp, key, in_time)
    else:
        _leave_variable(interp, key, in_time)


def places(interp: Interpreter) -> list[Any]:
    """The keys of the caller's variables, attributes and containers that are written, and of the
    arrays that may be.
    """
    return [*interp.rebound, *interp.attributes, *interp.changed, *interp.outside]


def is_late(interp: Interpreter, key: Any) -> bool:
    """Return whether a place is written at the end only."""
    return interp.policy.all_late or (
        bool(interp.policy.written_late) and place_id(interp, key) in interp.policy.written_late
    )


def place_id(interp: Interpreter, key: Any) -> Any:
    """What a place is called in every staging of a function."""
    if isinstance(key, Storage):
        return interp.inputs[key.origin or 0].path
    owner, *name = key if isinstance(key, tuple) else (key,)
    if isinstance(owner, FreeVariable):
        return owner.kind, id(owner.owner), owner.name, *name
    return owner.path or id(owner.live), *name


def _leave_variable(interp: Interpreter, key: Any, in_time: bool) -> None:
    """Bind a variable or an attribute, if it is not what was written last."""
    found = interp.heap.get(key)
    if found is ABSENT or is_set_on_paths(found):
        return
    known = in_time or key in interp.heap.written_back
    if known and is_written_back(interp, interp.heap, key, found):
        return
    last, content = interp.heap.written_back.get(key, ABSENT), interp.content(key)
    now = snapshot(interp.heap, content)
    if updated_in_place(interp, owner_of(interp, key), last, now, content, in_time):
        _note(interp.heap, key, now)
    else:
        write_place(interp, key, content, in_time)


def _leave_container(interp: Interpreter, ref: Any, in_time: bool) -> None:
    """Write what a list or a dict holds that was not written yet."""
    found = interp.heap.get(ref)
    if found is ABSENT or (in_time and ref in interp.logs):
        return
    last = interp.heap.written_back.get(ref, ABSENT)
    if last is ABSENT:
        last = _items(interp, interp.heap, ref, interp.changed[ref])
    now = _items(interp, interp.heap, ref, found)
    if not agree(last, now):
        if isinstance(last, Conflict):  # what stands there now is not known
            raise ConflictRead(last)
        content = found if isinstance(found, SomeEntries) else interp.content(ref)
        Writing(interp, owner_at(interp, ref), last, now, in_time).all(ref, content)
    if interp.heap.written_back.get(ref) is not now:
        _note(interp.heap, ref, now)


def _leave_array(interp: Interpreter, storage: Storage, in_time: bool) -> None:
    """Write to a captured array what was not written yet."""
    assert storage.origin is not None
    target, final = interp.parameters[storage.origin], interp.heap.get(storage)
    last = interp.heap.written_back.get(storage, target)
    if final is last or final is ABSENT:
        return
    if isinstance(final, Conflict):
        raise ConflictRead(final)
    by_elements = in_time or last is not target
    if not (by_elements and elements_set(Owner(target), last, final)):
        store(target, final)
    _note(interp.heap, storage, final)


def all_is_written(interp: Interpreter) -> None:
    """Note that all that has been written up to here is left behind."""
    interp.heap.written_back = all_written_back(interp, interp.heap)


def is_written_back(interp: Interpreter, heap: Heap, key: Any, content: Abstract) -> bool:
    """Return whether what is found at a variable or an attribute of the user's has been written
    there, or is there as it was.
    """
    last = heap.written_back.get(key, ABSENT)
    if last is ABSENT:
        return stands_at(interp, key, content)
    return agree(last, snapshot(heap, content))


def _note(heap: Heap, key: Any, shown: Any) -> None:
    heap.written_back = {**heap.written_back, key: shown}


# Branches and loops -------------------------------------------------------------------------------


def all_written_back(interp: Interpreter, heap: Heap) -> Mapping[Any, Any]:
    """The snapshots where all that was written is left behind."""
    shown: dict[Any, Any] = {}
    for key in places(interp):
        found = heap.get(key)
        if found is ABSENT or is_late(interp, key):
            continue
        try:
            shown[key] = _shown(interp, heap, key, found)
        except ConflictRead:
            raise NotInTime(place_id(interp, key)) from None
    return {**heap.written_back, **shown} if shown else heap.written_back


def _shown(interp: Interpreter, heap: Heap, key: Any, found: Any) -> Any:
    if is_set_on_paths(found):
        return found
    return _items(interp, heap, key, found) if key in interp.changed else snapshot(heap, found)


def is_set_on_paths(content: Abstract) -> bool:
    """Return whether the content of a place differs between paths, each of which has set it."""
    return isinstance(content, Conflict) and content.written


def begin(interp: Interpreter) -> None:
    """A turn of a loop, or a graph of its own, begins: nothing is left to write."""
    all_is_written(interp)


def writes_outside(interp: Interpreter, around: Heap) -> bool:
    """Return whether places of the caller's have another content than in the heap ``around``."""
    heap = interp.heap
    variables = (*interp.rebound, *interp.attributes)
    changed = any(not same(around.get(key), heap.get(key)) for key in variables)
    return changed or any(map(is_callers, heap.written))


def settled(interp: Interpreter, nodes: Iterable[Node]) -> bool:
    """Write back before a branch or a loop that may raise; False where there is no need."""
    inside = walk_nodes(Block((), list(nodes)))
    if not places(interp) or not (interp.strict or any(map(_is_seen, inside))):
        return False
    write_in_time(interp)
    return True


def leave_in(interp: Interpreter, nodes: list[Node], heap: Heap) -> None:
    """Leave behind, at the end of an arm or a turn, what it has written."""
    with meanwhile(interp, heap=heap), building(Builder(nodes, interp.span)):
        write_in_time(interp)


def leave_in_arms(interp: Interpreter, arms: tuple[Arm, Arm]) -> bool:
    """Write back inside the arms what they have written, where that is due; whether it was."""
    reached = [arm for arm in arms if arm.reached]
    apart = len(reached) > 1 and _grow_apart(interp, *arms)
    if apart:
        write_in_time(interp)
    elif not settled(interp, [node for arm in arms for node in arm.nodes]):
        for arm in arms:
            arm.heap.written_back = interp.heap.written_back
        return False
    if not apart and all(arm.heap.written_back is arm.written_back for arm in reached):
        return False
    for arm in reached:
        leave_in(interp, arm.nodes, arm.heap)
    return True


def _grow_apart(interp: Interpreter, then: Arm, orelse: Arm) -> bool:
    """Return whether a container or an array of the caller's is changed in an arm: it is not
    written as a whole.

    One of numbers is in a template, whose callers write what it holds behind the branch; unless an
    attempt in which that was done was refused.
    """
    pairs = (
        (then.heap.get(ref), orelse.heap.get(ref))
        for ref in (*interp.changed, *interp.outside)
        if not is_late(interp, ref) and ref not in interp.logs
    )
    differing = [(one, other) for one, other in pairs if not same(one, other)]
    behind = interp.in_template and not interp.policy.in_arms
    apart = any(not (behind and _are_numbers(*pair)) for pair in differing)
    interp.policy.behind_arms |= bool(differing) and not apart
    return apart


def _are_numbers(*contents: Any) -> bool:
    """Return whether lists or dicts hold nothing but numbers, or an array is one of numbers."""
    pending = list(contents)
    while pending:
        part = pending.pop()
        if isinstance(part, tuple | dict):
            pending.extend(part.values() if isinstance(part, dict) else part)
        elif not (isinstance(part, Value) or is_leaf(part)):
            return False
    return True


def go_on_from(interp: Interpreter, base: Heap, left: bool) -> None:
    """Take up what is left behind where the arms of a branch, or the turns of a loop, have joined.

    ``written_back``: all is, inside them.
    """
    heap = interp.heap
    heap.written_back = base.written_back
    if left:
        heap.written_back = all_written_back(interp, heap)
    for key in (*interp.rebound, *interp.attributes):
        if is_set_on_paths(heap.get(key)):
            _note(heap, key, heap.get(key))


def _items(interp: Interpreter, heap: Heap, ref: ListRef | DictRef, content: Any) -> Any:
    """The snapshot of what a container of the caller's holds; what it has held is its caller's."""
    if not isinstance(content, tuple | dict):
        return content
    first = interp.changed[ref]
    known = interp.shown.get(ref)
    if known is not None and known.content is content and known.first is first:
        return known.snapshot
    pairs = list(content.items() if isinstance(content, dict) else enumerate(content))
    items = {
        key: snapshot(heap, item, ANYTHING if same(item_of(first, key), item) else None)
        for key, item in pairs
    }
    found: Any = items if isinstance(content, dict) else tuple(items.values())
    if is_flat(found):  # then it shows the same whatever else is changed
        interp.shown[ref] = Shown(first, content, found)
    return found


def rest_on_being_apart(interp: Interpreter) -> None:
    """What is written is no other list, dict or object that is read."""
    changed = [ref for ref in interp.changed if interp.heap.get(ref) is not ABSENT]
    written = [*changed, *(owner for owner, _ in interp.attributes)]
    paths: dict[Any, dict[Path, None]] = {}  # of what is written, by its class
    for ref in written:
        if getattr(ref, "path", None) is not None:
            paths.setdefault(_class_of(ref), {})[ref.path] = None
    for kind, mine in paths.items():
        given = dict.fromkeys(ref.path for ref in interp.given if _class_of(ref) == kind)
        others = tuple(path for path in given if path not in mine)
        if len(mine) + len(others) > 1:
            interp.guard(next(iter(mine)), "apart", (tuple(mine), others))


def _class_of(ref: Any) -> Any:
    return type(ref), getattr(ref, "type", None)


def is_place(interp: Interpreter, key: Any) -> bool:
    """Return whether a heap key is a variable or an attribute of the user's that is written."""
    return key in interp.attributes or key in interp.rebound


def stands_at(interp: Interpreter, key: Any, content: Abstract) -> bool:
    """Return whether what was found at a variable or an attribute of the user's is there as it
    was.
    """
    owner, *name = key if isinstance(key, tuple) else (key,)
    path = getattr(owner, "path", (owner,))
    if path is None:
        return False
    if isinstance(content, Array) and not content.lenses:
        content = interp.inputs[content.storage.origin] if content.storage.origin is not None else 0
    elif content in interp.parameters:
        content = interp.inputs[interp.parameters.index(content)]
    return getattr(content, "path", None) == (*path, *name)


def write_place(interp: Interpreter, key: Any, content: Abstract, in_time: bool = False) -> None:
    """Bind a variable of the user's, or an attribute of the user's own object, as of the line that
    does.
    """
    _note(interp.heap, key, snapshot(interp.heap, content))
    built_at = builder().span
    builder().span = interp.put_at.get(key) or built_at
    if isinstance(key, FreeVariable):
        with meanwhile(interp, statement_values=None):  # it does not raise: nothing is attempted
            rebind(interp, key, content, in_time)
    else:
        owner = owner_of_attribute(interp, key[0])
        set_content(interp, owner, set_attribute, content, in_time, name=key[1])
    builder().span = built_at


def read_from_copies(interp: Interpreter) -> None:
    """Let all but what writes it read a copy of a captured array that is written."""
    everything = Block((), interp.entry.nodes)
    nodes = list(walk_nodes(everything))
    stored = {node.operands[k] for node in nodes for k in stored_at(node)}
    written = [v for v in interp.parameters if v in stored and is_array(v.type)]
    start = Builder()
    with building(start):
        kept: dict[Value, Value] = {value: copy_in(value, "K") for value in written}
    for value, copied in kept.items():
        copied.name = value.name
    for node in nodes if kept else ():
        own = stored_at(node)
        pairs = enumerate(node.operands)
        node.operands = tuple([v if k in own else kept.get(v, v) for k, v in pairs])
        for block in node.blocks:
            block.results = tuple(kept.get(v, v) for v in block.results)
    interp.entry.nodes[:0] = start.nodes


def stored_at(node: Node) -> tuple[int, ...]:
    """The operands of a node that are arrays which it stores to, by their positions."""
    if node.op is store:
        return (0,)
    if node.op is set_item and node.attributes["owner"] == Slot(0):
        return (1,)
    if node.op is perform:
        count = len(node.operands)
        return tuple(range(count - node.attributes["callee"].stores, count))
    return ()
