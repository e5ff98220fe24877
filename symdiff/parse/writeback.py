"""What a function leaves behind: rebound globals and cells, attributes, captured arrays.

Each is one effect at the function's end, in the order of the first writes.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from symdiff import ops
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, FreeVariable, Value, walk_nodes
from symdiff.ir.structure import is_leaf
from symdiff.ops.effects import Named
from symdiff.parse.heap import constant, same
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.opaque import Template
from symdiff.parse.staged_lists import is_staged_list
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Conflict,
    DictRef,
    ListRef,
    ObjectRef,
    Storage,
)


def write_back(interp: Interpreter) -> None:
    """Append the effects."""
    for variable in interp.rebound:
        _rebind(interp, variable)
    for key in interp.attributes:
        found = interp.heap.get(key)
        if found is not ABSENT and not (isinstance(found, Conflict) and found.written):
            write_attribute(interp, key, interp.content(key))
    for ref in interp.changed:
        if isinstance(ref.path[0], FreeVariable):
            _write_container(interp, ref)
    for storage in list(interp.heap.contents):
        if isinstance(storage, Storage) and storage in interp.heap.written:
            _write_array(interp, storage)


def write_attribute(interp: Interpreter, key: tuple[Any, str], content: Abstract) -> None:
    """``object.name = content`` on the user's own object."""
    owner, name = key
    live = owner.live if isinstance(owner, ObjectRef) else owner.owner
    if isinstance(owner, ObjectRef) and owner.path is not None:
        interp.guard(owner.path, "value", live)  # what is written is this very object
    _effect(interp, ops.set_attribute, content, owner=Named(live, "self"), name=name)


def _effect(interp: Interpreter, op: Any, content: Abstract, **attributes: Any) -> None:
    if isinstance(content, Value | Array):
        op(interp.lift(content), **attributes)
    elif is_leaf(content):
        op(constant(content), **attributes)
    else:
        template = Template(interp)
        value = template.of(content)
        target = (attributes["owner"], attributes.get("name", attributes.get("key")))
        put = setattr if op is ops.set_attribute else operator.setitem
        function = Named(put, put.__name__)
        ops.opaque_call(
            *template.operands, function=function, arguments=(*target, value), keywords=()
        )


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
    before = interp.changed[ref]
    if isinstance(ref, DictRef):
        _write_dict(interp, ref, owner, before, content)
    elif is_staged_list(content):
        _replace_list(interp, live, owner.name, content)
    else:
        _write_list(interp, ref, owner, before, content)


def _is_unchanged(ref: Any, key: Any, before: Abstract, item: Abstract) -> bool:
    """Whether an item is what it was; a container that has been there is written on its own."""
    return same(before, item) or getattr(item, "path", None) == (*ref.path, key)


def _write_dict(
    interp: Interpreter, ref: DictRef, owner: Named, before: dict[Any, Any], content: Any
) -> None:
    for key in before:
        if key not in content:
            _call(owner, "pop", key)
    for key, item in content.items():
        if not _is_unchanged(ref, key, before.get(key, ABSENT), item):
            _effect(interp, ops.set_item, item, owner=owner, key=key)


def _write_list(
    interp: Interpreter, ref: ListRef, owner: Named, before: tuple[Any, ...], content: Any
) -> None:
    for _ in range(len(before) - len(content)):
        _call(owner, "pop")
    for position, item in enumerate(content):
        if position >= len(before):
            template = Template(interp)
            _call(owner, "append", template.of(item), operands=template.operands)
        elif not _is_unchanged(ref, position, before[position], item):
            _effect(interp, ops.set_item, item, owner=owner, key=position)


def _call(owner: Named, name: str, *arguments: Any, operands: Sequence[Value] = ()) -> None:
    """A method of the user's own list or dict."""
    method = Named(getattr(owner.target, name), f"{owner.name}_{name}")
    ops.opaque_call(*operands, function=method, arguments=arguments, keywords=())


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
