"""Programs for functions that are made anew: a closure defined in each call, a lambda in a loop.

All that a program rests on beside its arguments' types are facts about what the function reads, and
its entry tests them at every call. So the program of one function runs another one of the same
code where the entry, made over the other's closure cells, finds that they hold:

    def fit(t):
        def loss(w):                     # compiled at the first call of ``fit``
            return np.sum((w * t) ** 2)
        return symdiff.grad(loss)(w0)

Kept is the program of a function whose only tie to what it was made in are its own cells: no other
closure is followed, nothing is written, and nothing that may go with the function is held. What is
kept refers to no cell, no content of one, and not to the function.
"""

from __future__ import annotations

import sys
import threading
import types
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.definitions import RULED, is_definition
from symdiff.definitions.declare import Place
from symdiff.emit import Emitted
from symdiff.ir.graph import FreeVariable, walk_nodes
from symdiff.ir.signature import Aspect, Path, Signature
from symdiff.pipeline import Derived, Program
from symdiff.runtime.entry import MISS, Target
from symdiff.runtime.facts import Facts
from symdiff.runtime.surroundings import ABSENT

Arguments = tuple[Any, ...]
Entry = Callable[..., Any]
Kind = Literal["cell", "function", "place", "code", "globals", "run", "observe", "held"]
_MOST = 8  # programs that are kept for one code
_LASTING = (
    *(bool, int, float, complex, str, bytes, np.generic, np.dtype, range, type(None)),
    *(types.ModuleType, types.CodeType, np.ufunc, Place),
)


@dataclass(frozen=True, slots=True)
class Primal:
    """The emitted function itself, which verification runs beside the user's.

    ``variables`` are those outside that are read or written.
    """

    function: Callable[..., Any]
    paths: tuple[Path, ...]
    emitted: Emitted
    variables: tuple[FreeVariable, ...]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program as a dispatcher takes it, and what is shown of it."""

    entry: Entry
    signature: Signature
    facts: Facts
    emitted: Emitted


@dataclass(frozen=True, slots=True)
class _Kept:
    """A program without its function; ``parts`` tell what each of the entry's cells holds."""

    code: weakref.ref[types.CodeType]
    asked: Any
    entry: types.CodeType
    space: dict[str, Any] | None  # the entry's globals, where they are not the function's
    parts: tuple[tuple[Kind, Any], ...]
    run: Callable[..., Any]
    primal: Primal | None
    compiled: tuple[Signature, Facts, Emitted]


class _Tied(Exception):  # noqa: N818 - a decision, not an error
    """A program refers to what goes with its function."""


_kept: weakref.WeakKeyDictionary[types.CodeType, list[_Kept]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def keep(
    function: Any,
    asked: Any,
    compiled: Compiled,
    program: Program,
    target: Target,
    primal: Primal | None,
) -> None:
    """Keep a program for functions of the same code, if it may run them.

    ``asked`` is what else a function has to have in common with this one: see ``reused``.
    """
    if not _is_plain(function) or not _is_pure(program.derived):
        return
    try:
        made = _without_function(function, asked, compiled, program, target, primal)
    except _Tied:
        return
    with _lock:
        known = _kept.setdefault(function.__code__, [])
        known.append(made)
        del known[:-_MOST]


def reused(
    function: Any,
    asked: Any,
    arguments: Arguments,
    observed: Callable[[Primal], Callable[..., None]],
) -> Compiled | None:
    """The program of a function of the same code that fits this one and these arguments.

    Of an equal ``asked``: what is computed, and in which way. ``observed`` gives what compares the
    emitted function with this one.
    """
    if not _is_plain(function):
        return None
    with _lock:
        known = tuple(_kept.get(function.__code__, ()))
    for kept in reversed(known):
        if kept.code() is function.__code__ and kept.asked == (asked, _form(function)):
            if _entry(kept, function, _nothing, _nothing)(*arguments) is MISS:
                continue
            return _put_in(kept, function, observed)
    return None


def _nothing(*values: Any) -> None:
    """What is run to find out whether a call fits."""


def _is_plain(function: Any) -> bool:
    """Return whether a function is nothing but its code, its defaults and its cells."""
    return (
        type(function) is types.FunctionType
        and not function.__dict__
        and "__class__" not in function.__code__.co_freevars
        and not is_definition(function.__globals__)
    )


def _is_pure(derived: Derived) -> bool:
    """Return whether a program writes nothing, and asks for no default itself."""
    graphs = (derived.graph, derived.primal)
    effects = any(node.op.effect for graph in graphs for node in walk_nodes(graph.block))
    defaults = any(check.kind == "other" for check in derived.checks)
    return not effects and not derived.written and not defaults


def _form(function: types.FunctionType) -> tuple[Any, ...]:
    """What functions of one code have to have in common beside what entries test."""
    return (
        id(function.__globals__),
        function.__name__,
        function.__qualname__,
        len(function.__defaults__ or ()),
        tuple(function.__kwdefaults__ or ()),
    )


# Taking the function out -------------------------------------------------------------------------


def _without_function(
    function: types.FunctionType,
    asked: Any,
    compiled: Compiled,
    program: Program,
    target: Target,
    primal: Primal | None,
) -> _Kept:
    """A program with its function's cells, and the function itself, taken out."""
    entry = compiled.entry
    assert isinstance(entry, types.FunctionType)
    for text in (program.emitted, *([] if primal is None else [primal.emitted])):
        _require_lasting(tuple(text.objects.values()))
    cells = entry.__closure__ or ()
    parts = tuple(_part(cell, function, target) for cell in cells)
    own = entry.__globals__ is function.__globals__
    if not own and not _is_of_module(entry.__globals__):
        raise _Tied

    def out(variable: FreeVariable) -> FreeVariable:
        return _taken_out(variable, function)

    return _Kept(
        weakref.ref(function.__code__),
        (asked, _form(function)),
        entry.__code__,
        None if own else entry.__globals__,
        parts,
        target.function,
        None if primal is None else _moved_primal(primal, out),
        (
            _moved_signature(compiled.signature, out),
            compiled.facts,
            _moved_text(compiled.emitted, out),
        ),
    )


def _part(cell: Any, function: types.FunctionType, target: Target) -> tuple[Kind, Any]:
    """What a cell of the entry stands for."""
    number = _number_of(cell, function)
    if number is not None:
        return "cell", number
    value = cell.cell_contents
    if isinstance(value, weakref.ref) and value() is function:
        return "function", None
    if value is RULED.place(function):
        return "place", None
    if value is function.__code__:
        return "code", None
    if value is function.__globals__:
        return "globals", None
    if value is target.function:
        return "run", None
    if target.observe is not None and value is target.observe:
        return "observe", None
    if value is not target.explain:
        _require_lasting(value)
    return "held", types.CellType(value)


def _number_of(cell: Any, function: types.FunctionType) -> int | None:
    """Which of a function's cells this is, if it is one."""
    own = function.__closure__ or ()
    return next((number for number, other in enumerate(own) if other is cell), None)


def _taken_out(variable: FreeVariable, function: types.FunctionType) -> FreeVariable:
    """A variable with the number of a cell for the cell, and nothing for the function."""
    owner = variable.owner
    if variable.kind == "cell":
        number = _number_of(owner, function)
        if number is not None:
            return replace(variable, owner=number)
    elif variable.kind == "global":
        if owner is function.__globals__ or _is_of_module(owner):
            return replace(variable, owner=None) if owner is function.__globals__ else variable
    elif variable.kind == "weak" and owner() is function:
        return replace(variable, owner=None)
    elif variable.kind == "object":
        _require_lasting(owner)
        return variable
    raise _Tied


def _require_lasting(value: Any) -> None:
    """Refuse what may go with the function, or with what it was made in."""
    if not _lasts(value):
        raise _Tied


def _lasts(value: Any) -> bool:
    """Return whether a value is one that does not change, or that a module has."""
    if value is MISS or value is ABSENT or isinstance(value, _LASTING):
        return True
    if isinstance(value, tuple | frozenset | set):
        return all(map(_lasts, value))
    if getattr(value, "__closure__", None):
        return False
    return _is_importable(value)


def _is_importable(value: Any) -> bool:
    """Return whether a module has a value under the name that it says it has."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    names = getattr(value, "__qualname__", None)
    if module is None or not isinstance(names, str):
        return False
    found: Any = module
    for name in names.split("."):
        found = getattr(found, name, None)
    return found is value


def _is_of_module(namespace: dict[str, Any]) -> bool:
    module = sys.modules.get(namespace.get("__name__", ""))
    return not namespace or getattr(module, "__dict__", None) is namespace


# Putting another in ------------------------------------------------------------------------------


def _entry(
    kept: _Kept,
    function: types.FunctionType,
    run: Callable[..., Any],
    observe: Callable[..., Any],
) -> Entry:
    """The entry over another function's cells."""
    given: dict[Kind, Any] = {
        "function": weakref.ref(function),
        "place": RULED.place(function),
        "code": function.__code__,
        "globals": function.__globals__,
        "run": run,
        "observe": observe,
    }
    own = function.__closure__ or ()
    closure = tuple(
        own[held] if kind == "cell" else held if kind == "held" else types.CellType(given[kind])
        for kind, held in kept.parts
    )
    space = function.__globals__ if kept.space is None else kept.space
    return types.FunctionType(kept.entry, space, "enter", None, closure)


def _put_in(
    kept: _Kept,
    function: types.FunctionType,
    observed: Callable[[Primal], Callable[..., None]],
) -> Compiled:
    def own(variable: FreeVariable) -> FreeVariable:
        return _of(variable, function)

    observe = _nothing if kept.primal is None else observed(_moved_primal(kept.primal, own))
    signature, facts, emitted = kept.compiled
    return Compiled(
        _entry(kept, function, kept.run, observe),
        _moved_signature(signature, own),
        facts,
        _moved_text(emitted, own),
    )


def _of(variable: FreeVariable, function: types.FunctionType) -> FreeVariable:
    """A variable of this function."""
    if variable.kind == "cell":
        return replace(variable, owner=(function.__closure__ or ())[variable.owner])
    if variable.kind == "global" and variable.owner is None:
        return replace(variable, owner=function.__globals__)
    if variable.kind == "weak":
        return replace(variable, owner=weakref.ref(function))
    return variable


# Paths -------------------------------------------------------------------------------------------

_Move = Callable[[FreeVariable], FreeVariable]


def _moved(path: Path, move: _Move) -> Path:
    """A path from another variable, and what its end compares with likewise."""
    first, *rest = path
    if rest and isinstance(rest[-1], Aspect):
        rest[-1] = rest[-1].moved(lambda other: _moved(other, move))
    return (move(first) if isinstance(first, FreeVariable) else first, *rest)


def _moved_signature(signature: Signature, move: _Move) -> Signature:
    static = tuple((_moved(path, move), value) for path, value in signature.static)
    same = tuple((_moved(path, move), _moved(other, move)) for path, other in signature.same)
    return replace(signature, static=static, same=same)


def _moved_primal(primal: Primal, move: _Move) -> Primal:
    paths = tuple(_moved(path, move) for path in primal.paths)
    variables = tuple(map(move, primal.variables))
    return Primal(primal.function, paths, _moved_text(primal.emitted, move), variables)


def _moved_text(emitted: Emitted, move: _Move) -> Emitted:
    parameters = [replace(one, path=_moved(one.path, move)) for one in emitted.parameters]
    return replace(emitted, parameters=tuple(parameters))


__all__ = ["Compiled", "Primal", "keep", "reused"]
