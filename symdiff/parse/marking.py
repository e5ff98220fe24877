"""Marks on the user's names: values kept for a trace, hooks given from outside, frozen arguments.

A name and what it is bound to enter; what is bound instead leaves. Nothing is added to a program
that was staged without marks. A name in a function that is followed is ``"function.name"``, also
where a function calls itself as often as its data say: that is followed once, for all its calls.
Names in a ``checkpoint`` are names like others: where their values are kept, nothing is left to be
computed again. Functions with rules of their own, and those that are differentiated inside the
function, have no marks: the derivative does not go through what their names are bound to.
"""

from __future__ import annotations

import ast
import contextlib
import enum
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import field
from typing import Any, Literal

from symdiff.dataclass import dataclass
from symdiff.definitions.bunches import rebuilt
from symdiff.errors import SignatureError, UnknownNameError
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Value
from symdiff.ir.structure import Leaf, Structure, is_leaf
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.ops import recording
from symdiff.ops.effects import Named
from symdiff.ops.keys import Slot
from symdiff.ops.recording import Packing, keep, without_marks
from symdiff.parse.heap import is_writable, value_name
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.trees import Parts, flatten, parts_of
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Conflict,
    DictRef,
    ListRef,
    ObjectRef,
    Scope,
)
from symdiff.parse.views import stopped, with_other_derivative
from symdiff.source import SourceSpan

ALL: Literal["all"] = "all"


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked: ``kept`` names, or all of them; ``hooks`` by name, in the order in which the
    sweep calls them; ``frozen`` arguments. ``hook`` is the mark that a hook is put with.
    """

    kept: tuple[str, ...] | Literal["all"] = ()
    hooks: tuple[tuple[str, Callable[..., Any]], ...] = ()
    frozen: tuple[str, ...] = ()
    hook: Callable[..., Any] | None = None

    def keeps(self, name: str) -> bool:
        """Return whether the values of a name are kept."""
        return self.kept == ALL or name in self.kept

    def wanted(self) -> tuple[str, ...]:
        """The names that have to be there."""
        return (*(self.kept if self.kept != ALL else ()), *(name for name, _ in self.hooks))


@dataclass(slots=True)
class Marking:
    """The marks of a function while it is staged."""

    marks: Marks
    record: Value | None = None
    suspended: int = 0  # how many graphs of their own are staged
    loops: int = 0  # around the statement at hand
    found: dict[str, None] = field(default_factory=dict)
    closed: dict[str, None] = field(default_factory=dict)  # names where nothing is marked
    same: dict[Value, Value] = field(default_factory=dict)  # marked, and what it was before
    last: dict[Any, Any] = field(default_factory=dict)  # what was kept last of a scope's name

    def around(self, interp: Interpreter, statement: ast.stmt) -> AbstractContextManager[None]:
        """While a statement is staged."""
        return _around(interp, self, statement)


def begin(interp: Interpreter, marks: Marks) -> None:
    """Mark what is staged from here on."""
    interp.marking = Marking(marks, recording.record() if marks.kept else None)
    if interp.marking.record is not None:
        interp.marking.record.name = "kept"


def require_found(interp: Interpreter, function: str) -> None:
    """Refuse marks on names that are bound nowhere.

    :raises UnknownNameError: with the names that there are.
    """
    marking = interp.marking
    if marking is None:
        return
    for name in marking.marks.wanted():
        if name in marking.found:
            continue
        if name in marking.closed:
            raise without_marks(name)
        known = ", ".join(marking.found) or "none"
        raise UnknownNameError(
            f"{function} binds no name {name!r} in this call", hint=f"its names are {known}"
        )


def names_closed(interp: Interpreter) -> tuple[str, ...]:
    """The names that have no marks, in functions with rules of their own."""
    marking = interp.marking
    return () if marking is None else tuple(n for n in marking.closed if n not in marking.found)


def names_found(interp: Interpreter) -> tuple[str, ...]:
    """The names that were bound so far."""
    return () if interp.marking is None else tuple(interp.marking.found)


def forget_names(interp: Interpreter, kept: tuple[str, ...]) -> None:
    """Forget the names of what was staged in vain, but for those found before."""
    if interp.marking is not None:
        interp.marking.found = dict.fromkeys(kept)


def _active(interp: Interpreter) -> Marking | None:
    marking = interp.marking
    return None if marking is None or marking.suspended else marking


def suspended(interp: Interpreter) -> AbstractContextManager[None]:
    """Leave alone what is staged meanwhile: a graph of its own."""
    marking = interp.marking
    if marking is None:
        return contextlib.nullcontext()
    return meanwhile(marking, suspended=marking.suspended + 1)


def full_name(interp: Interpreter, scope: Scope, name: str) -> str:
    """A name of a scope: with its function before it, unless that is the one that is staged."""
    first = next(frame for frame in interp.frames if frame.source is not None)
    if first.scope is scope and not interp.recursions:
        return name
    return f"{scope.function.rpartition('<locals>.')[2]}.{name}"


# Binding ------------------------------------------------------------------------------------------


def marked(
    interp: Interpreter,
    scope: Scope,
    name: str,
    content: Abstract,
    parameter_of: SourceSpan | None = None,
) -> Abstract:
    """What a name of a scope is bound to, in place of ``content``."""
    marking = interp.marking
    if marking is None or isinstance(content, Conflict):
        return content
    full = full_name(interp, scope, name)
    if marking.suspended:
        marking.closed[full] = None
        return content
    content = _marked_as(interp, marking, (full, name), content, parameter_of)
    if marking.record is not None:
        marking.last[scope, name] = _snapshot(interp, content)
    return content


def _marked_as(
    interp: Interpreter,
    marking: Marking,
    names: tuple[str, str],
    content: Abstract,
    parameter_of: SourceSpan | None,
) -> Abstract:
    """The content kept, and hooked: what is kept of its cotangent is what its hooks made of it."""
    full = names[0]
    marking.found[full] = None
    if marking.record is not None and marking.marks.keeps(full):
        content = _kept(interp, marking, names, content, parameter_of)
    for hooked, function in reversed(marking.marks.hooks):
        if hooked == full:
            content = _hooked(interp, full, content, function)
    return content


def bound_arguments(
    interp: Interpreter, bound: dict[str, Abstract], span: SourceSpan
) -> dict[str, Abstract]:
    """What the parameters of the present function are bound to."""
    scope = interp.scope
    return {name: marked(interp, scope, name, content, span) for name, content in bound.items()}


def entering(
    interp: Interpreter, bound: dict[str, Abstract], span: SourceSpan
) -> dict[str, Abstract]:
    """What the parameters of a function that calls itself on data are bound to by its first call,
    where nothing else calls it.
    """
    marking = _active(interp)
    if marking is None or any(frame.source is not None for frame in interp.frames):
        return bound
    return {k: _marked_as(interp, marking, (k, k), v, span) for k, v in bound.items()}


def frozen(interp: Interpreter, arguments: dict[str, Abstract]) -> dict[str, Abstract]:
    """The arguments of the function that is staged, of which some have no derivative."""
    names = interp.marking.marks.frozen if interp.marking is not None else ()
    return {k: _replaced(interp, v, stopped) if k in names else v for k, v in arguments.items()}


def _hooked(
    interp: Interpreter, name: str, content: Abstract, function: Callable[..., Any]
) -> Abstract:
    hook = interp.marking.marks.hook if interp.marking else None
    value = interp.lift(content) if isinstance(content, Value | Array) else None
    if hook is None or value is None or not _is_number(value):
        raise SignatureError(
            f"{name!r} is not a float or an array of floats here: no cotangent reaches it",
            hint="hook the numbers and arrays that it is computed from",
        )
    changed = interp.lift(interp.call(hook, [interp.wrap(value), function], {}))
    return _replaced(interp, content, lambda _: changed)


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and carries_derivative(value.type)


# Keeping ------------------------------------------------------------------------------------------


class _NoDataError(Exception):
    """A function, a module, an iterator: not kept."""


def _kept(
    interp: Interpreter,
    marking: Marking,
    names: tuple[str, str],
    content: Abstract,
    parameter_of: SourceSpan | None = None,
) -> Abstract:
    """The content with its cotangents kept, as its values are; ``names``: with its function, and
    without.
    """
    full, name = names
    assert marking.record is not None
    try:
        structure, leaves = _structure(interp, content)
    except _NoDataError:
        return content
    template: Any = Slot(0)
    if not isinstance(structure, Leaf):
        packing = Named(Packing(structure), f"{name}_structure")
        template = (packing, *(Slot(k) for k in range(len(leaves))))
    span = parameter_of or interp.span
    line = span.line if span is not None else 0
    number = keep(
        marking.record,
        *leaves,
        name=full,
        line=line,
        template=template,
        entry=parameter_of is not None and full == name,
    )
    number.name = f"{name}_at"
    count = iter(range(len(leaves)))

    def tap(value: Value) -> Value:
        leaf = next(count)
        if not carries_derivative(value.type):
            return value
        return value_name(recording.tap(value, number, leaf=leaf, name=full, line=line), name)

    return _replaced(interp, content, tap)


def _structure(interp: Interpreter, content: Abstract) -> tuple[Structure, list[Value]]:
    """The structure of a content, and the values of the numbers and arrays in it."""

    def is_number_or_array(part: Abstract) -> bool:
        held = interp.heap.get(part) if isinstance(part, ListRef) else part
        return isinstance(held, Value | Array)

    def parts(part: Abstract) -> Parts | None:
        known = is_leaf(part) or part is None or isinstance(part, str | bytes | enum.Enum)
        return None if known else _parts(interp, part)

    structure, leaves = flatten(content, is_number_or_array, parts)
    return structure, [_read(interp, leaf) for leaf in leaves]


def _read(interp: Interpreter, content: Abstract) -> Value:
    if isinstance(content, ListRef):
        content = interp.heap.get(content)
    if isinstance(content, Value):
        return content
    if interp.heap.is_either(content):
        raise _NoDataError
    return interp.heap.read(content)


def _parts(interp: Interpreter, content: Abstract) -> Parts:
    """A container whose items are known, taken apart."""
    parts = parts_of(interp.heap, content)
    if parts is None or ABSENT in parts.items:
        raise _NoDataError
    return parts


def _replaced(interp: Interpreter, content: Abstract, change: Callable[[Value], Value]) -> Abstract:
    """The content with each number and array in it changed, for all names that it has.

    ``change`` gives the same numbers with other derivatives: nothing is written.
    """
    heap = interp.heap
    if isinstance(content, Value):
        return _changed(interp, content, change)
    if isinstance(content, Array):
        return _replace_array(interp, content, change)
    if isinstance(content, tuple):
        return rebuilt(content, lambda part: _replaced(interp, part, change))
    if isinstance(content, ListRef) and isinstance(heap.get(content), Value):
        heap.set(content, _changed(interp, heap.get(content), change))
    elif isinstance(content, ListRef | DictRef | ObjectRef):
        _, keys, items = _parts(interp, content)
        new = tuple(_replaced(interp, item, change) for item in items)
        if any(a is not b for a, b in zip(new, items, strict=True)):
            by_key = dict(zip(keys, new, strict=True))
            heap.hold(content, new if isinstance(content, ListRef) else by_key)
    return content


def _changed(interp: Interpreter, value: Value, change: Callable[[Value], Value]) -> Value:
    changed = change(value)
    if changed is not value:
        interp.marking.same[changed] = value
    return changed


def _replace_array(interp: Interpreter, array: Array, change: Callable[[Value], Value]) -> Array:
    """An array with other derivatives; where it is a view, those of what it is a view of."""
    heap = interp.heap
    levels = heap.levels(array)
    new = change(levels[-1])
    if new is levels[-1]:
        return array
    if not all(map(is_writable, array.lenses)):
        return with_other_derivative(interp, array, new)
    for lens, base in zip(reversed(array.lenses), reversed(levels[:-1]), strict=True):
        new = lens.put(base, new)
    heap.laid.setdefault(new, (levels[0],))
    interp.marking.same[new] = levels[0]
    heap.contents[array.storage] = new
    return array


# Changes in place ---------------------------------------------------------------------------------

_LOOPS = (ast.For, ast.While)
_COMPOUND = (ast.If, ast.With, ast.Try, ast.TryStar)


@contextlib.contextmanager
def _around(interp: Interpreter, marking: Marking, statement: ast.stmt) -> Iterator[None]:
    """Keep what a statement changes in place: outside of loops, and of a loop when it ends."""
    inactive = _active(interp) is None or marking.record is None
    if inactive or isinstance(statement, _COMPOUND):
        yield
        return
    is_loop, frame = isinstance(statement, _LOOPS), interp.frame
    before = {} if marking.loops else _held(interp, marking)
    marking.loops += is_loop
    try:
        yield
    finally:
        marking.loops -= is_loop
    if not before or interp.frame is not frame or interp.exited() is True:
        return
    for name, (content, held) in before.items():
        now = interp.heap.get((interp.scope, name))
        same = now is content or (isinstance(now, Array) and now == content)
        place = interp.scope, name
        if same and _snapshot(interp, now) not in (held, marking.last.get(place)):
            names = full_name(interp, *place), name
            interp.heap.set(place, _kept(interp, marking, names, now))
            marking.last[place] = _snapshot(interp, interp.heap.get(place))


def _held(interp: Interpreter, marking: Marking) -> dict[str, tuple[Abstract, Any]]:
    """What the kept names of the present function hold that can be changed in place."""
    found = {}
    for name in sorted(interp.scope.locals):
        content = interp.heap.get((interp.scope, name))
        changes = isinstance(content, Array | ListRef | DictRef | ObjectRef | tuple)
        if changes and marking.marks.keeps(full_name(interp, interp.scope, name)):
            found[name] = content, _snapshot(interp, content)
    return found


def _snapshot(interp: Interpreter, content: Abstract) -> Any:
    """What a content holds now: equal where it is the same."""
    if isinstance(content, Value):
        return _unmarked(interp, content)
    if isinstance(content, Array):
        return _unmarked(interp, interp.heap.get(content.storage)), content.lenses
    if isinstance(content, ListRef) and not isinstance(interp.heap.get(content), tuple):
        return _unmarked(interp, interp.heap.get(content))
    try:
        _, keys, items = _parts(interp, content)
    except _NoDataError:
        return content if isinstance(content, int | float | str) else id(content)
    return keys, tuple(_snapshot(interp, item) for item in items)


def _unmarked(interp: Interpreter, value: Any) -> Any:
    """The value that marks were put on, also in all turns of a loop or both arms of a branch."""
    if not isinstance(value, Value):
        return id(value)
    same: dict[Value, Value] = interp.marking.same
    seen = [value]
    while (before := same.get(value) or _passed_on(interp, value)) not in (None, value):
        value = before
        seen.append(value)
    same.update(dict.fromkeys(seen, value))
    return value


def _passed_on(interp: Interpreter, value: Value) -> Value | None:
    """What a loop or a branch hands on as it was, but for marks."""
    node = value.node
    if node is None or node.op not in (loop, cond):
        return None
    number = node.results.index(value)
    if node.op is cond:
        first, second = (_unmarked(interp, block.results[number]) for block in node.blocks)
        return first if first is second and isinstance(first, Value) else None
    view = LoopView(node)
    if number >= view.carry_count:
        return None
    end = _unmarked(interp, view.next_carries[number])
    return view.initial[number] if end is view.carries[number] else None
