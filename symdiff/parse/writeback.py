"""What a function leaves behind: rebound globals and cells, attributes, captured arrays.

Each is one effect at the function's end, in the order of the first writes.
"""

from __future__ import annotations

from typing import Any

from symdiff import ops
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, FreeVariable, Value, walk_nodes
from symdiff.ops.effects import Named
from symdiff.parse.heap import constant
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.opaque import Template
from symdiff.parse.staged_lists import is_staged_list
from symdiff.parse.values import ABSENT, Abstract, DictRef, ObjectRef, Storage


def write_back(interp: Interpreter) -> None:
    """Append the effects."""
    for variable in interp.rebound:
        _rebind(interp, variable)
    for owner, name in interp.attributes:
        live = owner.live if isinstance(owner, ObjectRef) else owner.owner
        if isinstance(owner, ObjectRef) and owner.path is not None:
            interp.guard(owner.path, "value", live)  # what is written is this very object
        content = interp.content((owner, name))
        if content is not ABSENT:
            _effect(interp, ops.set_attribute, content, owner=Named(live, "self"), name=name)
    for ref in interp.changed:
        if isinstance(ref.path[0], FreeVariable):
            _write_container(interp, ref)
    for storage in list(interp.heap.contents):
        if isinstance(storage, Storage) and storage in interp.heap.written:
            _write_array(interp, storage)


def _effect(interp: Interpreter, op: Any, content: Abstract, **attributes: Any) -> None:
    if isinstance(content, Value) or not _has_staged(interp, content):
        value = content if isinstance(content, Value) else constant(content)
        op(value, **attributes)
        return
    op(interp.lift(content), **attributes)


def _has_staged(interp: Interpreter, content: Abstract) -> bool:
    return bool(_operands(interp, content))


def _operands(interp: Interpreter, content: Abstract) -> list[Value]:
    template = Template(interp)
    template.of(content)
    return template.operands


def _rebind(interp: Interpreter, variable: FreeVariable) -> None:
    content = interp.content(variable)
    if content is ABSENT:
        return
    if variable.kind == "global":
        owner = Named(variable.owner, "module_globals")
        _effect(interp, ops.set_item, content, owner=owner, key=variable.name)
    else:
        owner = Named(variable.owner, f"{variable.name}_cell")
        _effect(interp, ops.set_attribute, content, owner=owner, name="cell_contents")


def live_object(path: tuple[Any, ...]) -> Any:
    """The user's own object at a path from a free variable."""
    value = path[0].read()
    for key in path[1:]:
        value = value[key] if isinstance(value, list | tuple | dict) else getattr(value, key)
    return value


def _write_container(interp: Interpreter, ref: Any) -> None:
    path: tuple[Any, ...] = ref.path
    live, content = live_object(path), interp.content(ref)
    interp.guard(path, "value", live)
    if content is ABSENT:  # changed in a staging that was given up
        return
    owner = Named(live, getattr(path[-1], "name", str(path[-1])))
    if isinstance(ref, DictRef):
        for key, item in content.items():
            if getattr(item, "path", None) == (*path, key):
                continue  # the container that has been there all along, written on its own
            _effect(interp, ops.set_item, item, owner=owner, key=key)
        return
    if is_staged_list(content):
        _replace_list(interp, live, owner.name, content)
        return
    for position, item in enumerate(content):
        if position < len(live):
            _effect(interp, ops.set_item, item, owner=owner, key=position)
        else:
            value = interp.lift(item)
            ops.opaque_call(
                value,
                function=Named(live.append, f"{owner.name}_append"),
                arguments=(ops.Slot(0),),
                keywords=(),
            )


def _replace_list(interp: Interpreter, live: Any, name: str, content: Any) -> None:
    """``live[:] = content``."""
    if not isinstance(content, Value):
        raise UnsupportedCallError(
            "a captured list gets items in a loop whose length is known at run time only", None
        )
    clear = Named(live.clear, f"{name}_clear")
    extend = Named(live.extend, f"{name}_extend")
    ops.opaque_call(function=clear, arguments=(), keywords=())
    ops.opaque_call(content, function=extend, arguments=(ops.Slot(0),), keywords=())


def _write_array(interp: Interpreter, storage: Storage) -> None:
    """A captured array that was written: its memory gets the final value."""
    if storage.origin is None or interp.inputs[storage.origin].origin != "free":
        return
    target, final = interp.parameters[storage.origin], interp.heap.contents[storage]
    _read_from_a_copy(interp, target)
    ops.store(target, final)


def _read_from_a_copy(interp: Interpreter, target: Value) -> None:
    """Let all that is built so far read a copy, which the final store does not change."""
    start = Builder()
    with building(start):
        kept: Value = ops.copy(target)
    kept.name = target.name
    nodes = interp.entry.nodes
    for node in walk_nodes(Block((), nodes)):
        node.operands = tuple(kept if v is target else v for v in node.operands)
        for block in node.blocks:
            block.results = tuple(kept if v is target else v for v in block.results)
    nodes[:0] = start.nodes
