"""User functions: followed into their source, with names of their own.

A Python function, or a closure made by staged code, enters with abstract arguments; what it returns
leaves. Recursion on data is handed to ``recursion``.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from symdiff.errors import (
    SourceUnavailableError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
)
from symdiff.ir.graph import Value
from symdiff.parse.binding import bind_arguments
from symdiff.parse.blame import certain
from symdiff.parse.branches import ends_without_return
from symdiff.parse.interpreter import MOST_INLINED, REFUSED, Frame, Interpreter
from symdiff.parse.opaque import call_opaque, is_pure_python
from symdiff.parse.recursion import followed
from symdiff.parse.scope import local_names, reflect_everywhere, yielding
from symdiff.parse.values import ABSENT, Abstract, Closure, Conflict, ConflictRead, Scope, now
from symdiff.source import FunctionNode, FunctionSource, find_source, span_of

Keywords = dict[str, Abstract]


def call_function(
    interp: Interpreter,
    function: types.FunctionType,
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> Abstract:
    """A Python function, followed into its source."""
    if not is_pure_python(function):
        return call_opaque(interp, function, arguments, keywords)
    try:
        source = find_source(function)
    except SourceUnavailableError:
        if (function.__module__ or "").split(".")[0] not in sys.stdlib_module_names:
            raise
        return call_opaque(interp, function, arguments, keywords)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    locals_, globals_ = local_names(source.tree)
    scope = Scope(function.__qualname__, locals_, None, function.__globals__, cells, globals_)
    defaults = _live_defaults(interp, function)
    return run_function(interp, source.tree, source, scope, defaults, arguments, keywords)


Defaults = dict[str, Abstract]


def _live_defaults(interp: Interpreter, function: types.FunctionType) -> Defaults:
    variable = interp.free_variable("object", function, function.__name__)
    positional = inspect.getfullargspec(function).args
    values = dict(function.__kwdefaults__ or {})
    given = function.__defaults__ or ()
    values |= dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    found: Defaults = {}
    for name, value in values.items():
        key = (variable, f"default {name}")
        known = interp.content(key)
        if known is ABSENT:
            path = (variable, *_default_path(function, name))
            known = reflect_everywhere(interp, key, value, path)
        found[name] = known
    return found


def _default_path(function: types.FunctionType, name: str) -> tuple[Any, ...]:
    if name in (function.__kwdefaults__ or {}):
        return ("__kwdefaults__", name)
    positional = inspect.getfullargspec(function).args
    given = function.__defaults__ or ()
    return ("__defaults__", positional.index(name) - (len(positional) - len(given)))


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
    defaults: Defaults,
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> Abstract:
    """Stage a function's body in a scope of its own; gives what it returns."""
    suspended = node if isinstance(node, ast.AsyncFunctionDef) else yielding(node)
    if suspended is not None:
        keyword, hint = REFUSED[type(suspended)]
        raise UnsupportedSyntaxError(
            f"symdiff does not compile '{keyword}'", span_of(suspended, source), hint
        )
    if len(interp.frames) > MOST_INLINED:
        raise UnsupportedCallError(
            f"'{scope.function}' calls itself to a depth of more than {MOST_INLINED}",
            interp.span,
            "a recursion on data needs a bound that is known at compile time; or use a loop",
        )
    bound = bind_arguments(interp, node, scope.function, defaults, arguments, keywords)
    key = (node, scope.parent)

    def run(bound: dict[str, Abstract]) -> Abstract:
        inner = replace(scope, serial=now())
        return _run_in_frame(interp, node, source, inner, bound)

    return followed(interp, key, node, bound, run)


def _run_in_frame(
    interp: Interpreter,
    node: FunctionNode,
    source: FunctionSource,
    scope: Scope,
    bound: dict[str, Abstract],
) -> Abstract:
    called_from = interp.span
    frame = Frame(scope, source, called_from)
    interp.frames.append(frame)
    try:
        for name, value in bound.items():
            interp.put((scope, name), value)
        result = _run_body(interp, node, frame)
        interp.forget(scope)
        return result
    except Exception as error:
        refusal = error if isinstance(error, SymdiffError) else certain(error)
        if refusal is not None and called_from is not None and refusal.span is not None:
            refusal.with_caller(called_from)
        raise
    finally:
        if interp.frames and interp.frames[-1] is frame:
            interp.frames.pop()


def _run_body(interp: Interpreter, node: FunctionNode, frame: Frame) -> Abstract:
    returned = (frame.token, "return")
    slot = (frame.token, "value")
    if isinstance(node, ast.Lambda):
        return interp.evaluate(node.body)
    frame.exits.append(returned)
    interp.put(returned, False)
    interp.execute(node.body)
    state = interp.content(returned)
    value = interp.content(slot)
    if isinstance(state, Value):
        with interp.at(node):
            value = _maybe_returned(interp, state, value)
    interp.heap.contents.pop(returned, None)
    interp.heap.contents.pop(slot, None)
    if isinstance(value, Conflict):
        raise ConflictRead(value)
    return None if state is False or value is ABSENT else value


def _maybe_returned(interp: Interpreter, state: Value, value: Abstract) -> Abstract:
    """A function of which some paths end without ``return``: those give None."""
    if value is ABSENT or value is None:
        return None
    return ends_without_return(interp, state, value)
