"""User functions: followed into their source, with names of their own.

A Python function, or a closure made by staged code, enters with abstract arguments; what it returns
leaves. Recursion on data is handed to ``recursion``.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from symdiff.definitions import WRAPPERS, is_definition
from symdiff.errors import (
    SourceUnavailableError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
)
from symdiff.ir.called import Activation
from symdiff.ir.graph import Value
from symdiff.parse.binding import bind_arguments
from symdiff.parse.blame import certain
from symdiff.parse.branches import ends_without_return, taken_from, unless_raised
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.gathering import Consume, first_element, from_list, gathered
from symdiff.parse.interpreter import HOOKS, MOST_INLINED, REFUSED, Consumer, Frame, Interpreter
from symdiff.parse.iteration import resumes, started
from symdiff.parse.lookups import is_plain, rests_on, static_on_class, variable_of
from symdiff.parse.marking import bound_arguments
from symdiff.parse.names import final_names
from symdiff.parse.opaque import call_opaque, is_message, is_pure_python, python_of, report
from symdiff.parse.recursion import followed
from symdiff.parse.scope import (
    cleans_up,
    local_names,
    name_content,
    read_free,
    read_often,
    read_once,
    uses_what_is_sent,
    yielding,
)
from symdiff.parse.templates import copied
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Arguments,
    Array,
    BoundMethod,
    CalleeLeft,
    Closure,
    ConflictRead,
    Exit,
    Generator,
    GeneratorBody,
    Keywords,
    NeverReturns,
    ObjectRef,
    Partial,
    Scope,
    Sees,
    now,
)
from symdiff.source import FunctionNode, FunctionSource, find_source, span_of
from symdiff.source.places import is_installed, is_standard
from symdiff.source.trees import goes_on_behind


def call_function(
    interp: Interpreter, function: types.FunctionType, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A Python function, followed into its source."""
    if is_message(function):
        return report(interp, function, arguments, keywords)
    if function.__code__ is _CONTEXT_MANAGER:
        (generator,) = function.__closure__ or ()
        return manager_of(interp, generator.cell_contents, arguments, keywords)
    if function.__code__ is _DECORATED:
        return interp.call(_inside_errstate(interp, function), arguments, keywords)
    if function.__code__ is _SINGLE_DISPATCH and arguments:
        return _dispatched(interp, function, arguments, keywords)
    if function.__code__ is _DISPATCH:
        return _registered_for(interp, function, arguments)
    if function.__code__ in WRAPPERS:
        return _wrapped(interp, function, arguments, keywords)
    if not is_pure_python(function):
        return call_of_library(interp, function, arguments, keywords)
    try:
        find_source(function)
    except SourceUnavailableError:
        if not _is_standard(function):
            raise
        return call_opaque(interp, function, arguments, keywords)
    return follow_source(interp, function, arguments, keywords)


def manager_of(
    interp: Interpreter, function: Abstract, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """The context manager that ``contextlib.contextmanager`` makes of a generator function."""
    given = [function, tuple(arguments), interp.new_dict({**keywords})]
    return interp.call(contextlib._GeneratorContextManager, given, {})


def _wrapped(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What a decorator of a library's has made of a function."""
    given = [interp.new_dict(_held(function)), tuple(arguments), interp.new_dict({**keywords})]
    return interp.call(WRAPPERS[function.__code__], given, {})


def _held(function: Any) -> dict[str, Any]:
    """What the cells of a function hold, by their names."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells}


def _inside_errstate(interp: Interpreter, function: Any) -> Abstract:
    """What ``@np.errstate(...)`` has made of a function outside."""
    from symdiff.definitions.in_python import inside  # at the first use of one of them

    held = _held(function)
    slots = ((name, getattr(held["self"], f"_{name}")) for name in _ASKED)
    given = {name: value for name, value in slots if value is not getattr(_PLAIN, f"_{name}")}
    return interp.call(inside, [np.errstate, interp.new_dict(given), held["func"]], {})


def _dispatched(
    interp: Interpreter, function: types.FunctionType, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A ``functools.singledispatch`` function: what it has for the class of the first argument."""
    from symdiff.definitions.in_python import dispatched  # at the first use of one of them

    known = interp.call(dispatched, [function, arguments[0]], {})
    return interp.call(known, arguments, keywords)


def _registered_for(
    interp: Interpreter, function: types.FunctionType, arguments: Arguments
) -> Abstract:
    """``dispatch(cls)`` of such a function, whose registry its cell has."""
    from symdiff.definitions.in_python import registered_for  # at the first use of one of them

    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    variable = interp.free_variable("cell", cells["registry"], "registry")
    return interp.call(registered_for, [read_free(interp, variable), *arguments], {})


def call_of_library(
    interp: Interpreter, function: Any, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    """A function of NumPy's or SciPy's without a rule: where all that it does has rules, that."""
    python = python_of(function)
    if python is not None:
        kinds = UnsupportedSyntaxError, UnsupportedCallError, ConflictRead
        with Checkpoint(interp, *kinds, when=partial(_is_settled, interp)):
            return follow_source(interp, python, arguments, keywords)
    return call_opaque(interp, function, arguments, keywords)


def _is_settled(interp: Interpreter, failure: Exception) -> bool:
    """Return whether a library's function cannot be followed, however closely."""
    if not isinstance(failure, ConflictRead):
        return True
    settled = not interp.policy.may_refine_for(failure.conflict)
    if not settled:
        interp.policy.of_library = failure.conflict
    return settled


def follow_source(
    interp: Interpreter, function: types.FunctionType, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A Python function whose source is known."""
    source = find_source(function)
    known = not is_pure_python(function) or is_definition(function.__globals__)
    if not known:
        rests_on(interp, function, "__code__", function.__code__)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    locals_, globals_ = local_names(source.tree)
    scope = Scope(function.__qualname__, locals_, None, function.__globals__, cells, globals_)
    definition = is_definition(function.__globals__)
    defaults = _defaults(function) if definition else LiveDefaults(interp, function, known)
    try:
        return run_function(interp, source.tree, source, scope, defaults, arguments, keywords)
    except (UnsupportedSyntaxError, UnsupportedCallError) as refusal:
        if _is_standard(function) and refusal.span is not None and is_standard(refusal.span.file):
            refusal.hint = _OUTSIDE.format(function.__module__, function.__qualname__)
        raise


_single: Any = functools.singledispatch(iter)
_SINGLE_DISPATCH = _single.__code__  # of all functions that it makes
_DISPATCH = _single.dispatch.__code__
_CONTEXT_MANAGER = contextlib.contextmanager(iter).__code__  # of all functions that it makes
_PLAIN = np.errstate()
_ASKED = ("all", "divide", "over", "under", "invalid", "call")
_DECORATED = _PLAIN(iter).__code__  # of all functions that ``np.errstate`` decorates
_OUTSIDE = "call {}.{} outside, or in a function marked symdiff.nondifferentiable"


def _is_standard(function: types.FunctionType) -> bool:
    return (function.__module__ or "").split(".")[0] in sys.stdlib_module_names


def _defaults(function: types.FunctionType) -> Mapping[str, Abstract]:
    """The defaults of a definition, which stay what they are."""
    code, given = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[code.co_argcount - len(given) : code.co_argcount]
    return dict(zip(positional, given, strict=True)) | (function.__kwdefaults__ or {})


class LiveDefaults(Mapping[str, Abstract]):
    """The defaults of a function outside, read and rested on where an argument is missing.

    ``final``: those of a library's function stay what they are. Those of another package that is
    installed are options of a kind: what they are is known where it is compiled, and looked at
    before each call.
    """

    def __init__(
        self, interp: Interpreter, function: types.FunctionType, final: bool = False
    ) -> None:
        self._interp = interp
        self._final = final
        self._known = (bool, int, float) if is_installed(function.__code__.co_filename) else (bool,)
        self._function = function
        given, code = function.__defaults__ or (), function.__code__
        positional = code.co_varnames[: code.co_argcount]
        self._positional = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
        self._named: dict[str, Any] = function.__kwdefaults__ or {}

    def __iter__(self) -> Iterator[str]:
        return iter((*self._positional, *self._named))

    def __len__(self) -> int:
        return len(self._positional) + len(self._named)

    def __getitem__(self, name: str) -> Abstract:
        variable, given = variable_of(self._interp, self._function), self._function.__defaults__
        path: tuple[Any, ...] = (variable, "__kwdefaults__", name)
        if name in self._named:
            value = self._named[name]
        elif name not in self._positional:
            for kind in ("__defaults__", "__kwdefaults__"):
                rests_on(self._interp, self._function, kind, getattr(self._function, kind))
            raise KeyError(name)
        else:
            value = self._positional[name]
            path = (variable, "__defaults__", list(self._positional).index(name))
        if self._final and is_plain(value):
            return value
        if path[1] == "__defaults__":
            self._interp.guard(path[:-1], "keys", range(len(given or ())))
        if type(value) in self._known and value == value:  # branches are taken on options
            self._interp.guard(path, "value", value)
            return value
        return read_once(self._interp, (variable, f"default {name}"), value, path)


def call_closure(
    interp: Interpreter, closure: Closure, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    locals_, globals_ = local_names(closure.node)
    outer = closure.scope
    qualname = f"{outer.function}.<locals>.{closure.name}"
    scope = Scope(qualname, locals_, outer, outer.globals, {}, globals_)
    spec = closure.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given = closure.defaults
    defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    defaults |= closure.keyword_defaults
    return run_function(interp, closure.node, closure.source, scope, defaults, arguments, keywords)


def run_function(
    interp: Interpreter,
    node: FunctionNode,
    source: FunctionSource,
    scope: Scope,
    defaults: Mapping[str, Abstract],
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> Abstract:
    """Stage a function's body in a scope of its own; gives what it returns."""
    if isinstance(node, ast.AsyncFunctionDef):
        keyword, hint = REFUSED[type(node)]
        raise UnsupportedSyntaxError(
            f"symdiff does not compile '{keyword}'", span_of(node, source), hint
        )
    if len(interp.frames) > MOST_INLINED:
        raise _too_deep(interp, node, scope).as_limit()
    bound = bind_arguments(interp, node, scope.function, defaults, arguments, keywords)
    if not is_definition(scope.globals):
        _name_arguments(interp, bound, node)
    key = (node, scope.parent, id(scope.globals), *map(id, scope.cells.values()))
    if yielding(node) is not None:
        return _generator(interp, node, source, scope, bound, key)

    def run(bound: dict[str, Abstract]) -> Abstract:
        inner = replace(scope, serial=now(), node=node)
        return _run_in_frame(interp, node, source, inner, bound)

    def follow(bound: dict[str, Abstract]) -> Abstract:
        whole = is_definition(scope.globals)
        return followed(interp, key, span_of(node, source), bound, run, whole)

    before = interp.region_states()
    result = copied(interp, key, scope, bound, follow) if interp.frames else ABSENT
    if result is ABSENT:
        return follow(bound)
    if interp.may_have_raised(before):
        raise CalleeLeft(result, node, interp.frames[-1].place or interp.span)
    return result


def _generator(
    interp: Interpreter,
    node: FunctionNode,
    source: FunctionSource,
    scope: Scope,
    bound: dict[str, Abstract],
    key: Any,
) -> Generator:
    """What a generator function gives: its body is staged where its elements are gone over."""

    def go_over(bound: dict[str, Abstract], consume: Consume, *kinds: bool) -> Abstract:
        consumer = Consumer(consume, len(interp.frames), len(interp.regions), *kinds)
        inner = replace(scope, serial=now(), node=node)
        return _run_in_frame(interp, node, source, inner, bound, consumer)

    def run(consume: Consume, inside: bool = False) -> Abstract:
        return go_over(bound, consume, inside, False)

    def gather(bound: dict[str, Abstract]) -> Abstract:
        return gathered(interp, lambda consume: go_over(bound, consume, False, True))

    def whole(consume: Consume) -> Abstract:
        given = from_list(interp, (*key, "items"), scope, bound, gather, consume)
        return go_over(bound, consume, False, True) if given is ABSENT else given

    def first() -> Abstract:
        taken = partial(first_element, interp, go_over)
        return copied(interp, (*key, "first"), scope, bound, taken)

    made = Generator(run, whole=whole, first=first if _is_left_in_one_step(node) else None)
    made.sees = Sees(tuple(bound.values()), node, scope)
    started(interp, made)
    if isinstance(node, ast.FunctionDef):
        inner = replace(scope, serial=now(), node=node)
        made.body = GeneratorBody(node, source, inner)
        if resumes(interp, made):
            _suspend(interp, made, made.body, bound)
    return made


def _is_left_in_one_step(node: FunctionNode) -> bool:
    """Return whether a generator that is left at a ``yield`` does nothing there any more."""
    return not (cleans_up(node) or uses_what_is_sent(node))


def _suspend(
    interp: Interpreter, made: Generator, body: GeneratorBody, bound: dict[str, Abstract]
) -> None:
    """Suspend a generator before its first statement."""
    interp.capture(body.scope)
    for name, value in bound.items():
        interp.put((body.scope, name), value)
    interp.put(made, body.suspended((("block", *body.node.body),)))


def _too_deep(interp: Interpreter, node: FunctionNode, scope: Scope) -> UnsupportedCallError:
    if any(_is_one_function(frame.scope, node, scope) for frame in interp.frames):
        reason = interp.policy.recursions.followed.get(node)
        return UnsupportedCallError(
            f"'{scope.function}' calls itself to a depth of more than {MOST_INLINED}",
            interp.span,
            "use a loop" if reason is None else f"use a loop: it is {reason.message}",
        )
    return UnsupportedCallError(
        f"'{scope.function}' is called by a chain of more than {MOST_INLINED} functions",
        interp.span,
        "let some of them compute what the ones below them do, or call them in a loop",
    )


def _is_one_function(active: Scope, node: FunctionNode, scope: Scope) -> bool:
    """True for a call of the same function, not of another one made by the same definition."""
    return (
        active.node is node
        and active.parent is scope.parent
        and active.globals is scope.globals
        and active.cells.keys() == scope.cells.keys()
        and all(active.cells[name] is cell for name, cell in scope.cells.items())
    )


def left_inside(left: CalleeLeft) -> UnsupportedCallError:
    """The refusal of a function that raises on some paths where nobody can go on without it."""
    name = left.method or getattr(left.callee, "__name__", "a lambda")
    return UnsupportedCallError(
        f"{name}, which raises on some paths, is called here by another operation, inside try",
        left.span,
        "call it in a statement of its own, in a loop",
    )


def _unbound(function: Abstract) -> Abstract:
    """What a method or a partial calls."""
    while isinstance(function, BoundMethod | Partial | functools.partial | types.MethodType):
        own = {functools.partial: "func", types.MethodType: "__func__"}
        function = getattr(function, own.get(type(function), "function"))
    return function


def method_name(function: Abstract) -> str | None:
    """The name of a function that is written in Python; None of a lambda, and of others."""
    function = _unbound(function)
    if isinstance(function, Closure):
        return getattr(function.node, "name", None)
    return function.__name__ if isinstance(function, types.FunctionType) else None


def is_callee(function: Abstract, callee: Any) -> bool:
    """Return whether a call of a function gives what a callee gives: a syntax tree, or what is
    called itself.
    """
    function = _unbound(function)
    if isinstance(function, ObjectRef):
        function = static_on_class(function.type, "__call__")
    if isinstance(function, Closure):
        return function.node is callee
    if isinstance(function, types.FunctionType) and isinstance(callee, ast.AST):
        with contextlib.suppress(SourceUnavailableError):
            return find_source(function).tree is callee
    return function is callee


def _name_arguments(interp: Interpreter, bound: Mapping[str, Abstract], node: ast.AST) -> None:
    """Call what was computed for a call by the names of the function's parameters; what is read
    once stands in the expression that reads it.
    """
    for name in read_often(node):
        value = bound.get(name)
        if isinstance(value, Value) or (isinstance(value, Array) and not value.lenses):
            name_content(interp, value, name)


def _run_in_frame(
    interp: Interpreter,
    node: FunctionNode,
    source: FunctionSource,
    scope: Scope,
    bound: dict[str, Abstract],
    consumer: Consumer | None = None,
) -> Abstract:
    outer = interp.frames[-1].place if interp.frames else None
    called_from = outer or interp.span
    place = called_from if is_definition(scope.globals) else None
    exits = [region.exit for region in interp.regions] if consumer is None else interp.frame.exits
    frame = Frame(scope, source, called_from, place, [*exits], consumer=consumer)
    frame.activation = _activation(interp, node, source, frame, bound)
    interp.frames.append(frame)
    before = interp.region_states()
    try:
        for name, value in bound_arguments(interp, bound, span_of(node, source)).items():
            interp.put((scope, name), value)
        try:
            result = _run_body(interp, node, frame)
        except CalleeLeft as left:  # nobody here goes on with what it gave
            raise left_inside(left) from None
        if interp.raises_here():
            raise NeverReturns
        if not any(outer.source is not None for outer in interp.frames[:-1]):
            interp.names = final_names(interp.heap, scope)
        if consumer is None:
            HOOKS.close_dropped(interp, scope, result)
        interp.forget(scope)
        if consumer is None and interp.may_have_raised(before):
            raise CalleeLeft(result, node, called_from)
        return result
    except Exception as error:
        refusal = error if isinstance(error, SymdiffError) else certain(error)
        if place is None and called_from and refusal and refusal.span:
            refusal.with_caller(called_from)
        raise
    finally:
        scope.ended = True
        if interp.frames and interp.frames[-1] is frame:
            interp.frames.pop()


def _activation(
    interp: Interpreter,
    node: FunctionNode,
    source: FunctionSource,
    frame: Frame,
    bound: dict[str, Abstract],
) -> Activation | None:
    """The call that a frame is of; in a library function's definition that of the caller."""
    caller = interp.frames[-1].activation if interp.frames else None
    if frame.place is not None:
        return caller
    name = getattr(node, "name", "function")
    values = {name: interp.heap.read(v) if isinstance(v, Array) else v for name, v in bound.items()}
    arguments = {value: name for name, value in values.items() if isinstance(value, Value)}
    defined = span_of(node, source)
    return Activation(name, caller, node, arguments, frame.called_from, defined)


def _run_body(interp: Interpreter, node: FunctionNode, frame: Frame) -> Abstract:
    if isinstance(node, ast.Lambda):
        return interp.evaluate_arm(node.body)
    returned = Exit(frame.token, "return")
    with interp.opened(returned):
        interp.execute(node.body)
    state = unless_raised(interp, interp.close(returned))
    value = taken_from(interp, (frame.token, "value"))
    if isinstance(state, Value) and interp.regions and not goes_on_behind(node.body):
        state = True  # on the paths on which nothing has been raised
    if isinstance(state, Value) and value is not ABSENT and value is not None:
        with interp.at(node):  # some paths end without ``return``
            value = ends_without_return(interp, state, value)
    return None if state is False or value is ABSENT else value
