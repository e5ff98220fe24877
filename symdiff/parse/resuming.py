"""Generators that are gone on with: suspended at a ``yield``, resumed by the next ``next``.

A generator function is staged where it is gone over, at one go. Where it is asked for more
afterwards, all is staged again, and it is suspended instead (``RetryPolicy.resumed``): what is left
of it is a stack of the blocks and loops around the ``yield``, a content of the heap like any other.
``resumption`` goes on with such a stack.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from symdiff.definitions import is_definition
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.parse.blame import is_users, users
from symdiff.parse.calls import METHODS_OF
from symdiff.parse.exceptions import is_exception
from symdiff.parse.interpreter import HOOKS, Frame, Interpreter
from symdiff.parse.iteration import at_end, is_held, require_resumed, require_unused
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.operators import binary
from symdiff.parse.raising import throw
from symdiff.parse.resumption import Raised, Resumption, cleans_up
from symdiff.parse.scope import names_in_order
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Generator,
    GeneratorBody,
    NeverReturns,
    Scope,
    Suspended,
    Token,
)

IN_CLEANUP = (Token(), "suspended inside try or with")  # in the heap: how many generators are


def resumed(
    interp: Interpreter, generator: Generator, sent: Abstract = None, raised: Raised | None = None
) -> Abstract:
    """The next element of a generator, which is suspended behind it; ABSENT at its end.

    ``raised``: an exception that is raised where it is suspended.
    """
    state, body = interp.content(generator), _body(generator)
    if not isinstance(state, Suspended):
        raise UnsupportedSyntaxError(
            "a generator that goes on where it is running, or was made on some paths",
            hint="make a list of it first: list(...)",
        )
    if not state.stack:
        if raised is not None:
            _raise(interp, raised)
        return ABSENT
    interp.put(generator, None)  # while it is running
    _count(interp, state.stack, -1)
    try:
        with _entered(interp, body):
            run = Resumption(interp, generator, [*state.stack], sent)
            item = run.to_the_next(raised)
    except Exception as error:
        if isinstance(error, NeverReturns) or is_users(error):
            interp.put(generator, body.suspended(()))
        raise
    interp.put(generator, body.suspended(tuple(run.stack)))
    _count(interp, run.stack, 1)
    return item


def _raise(interp: Interpreter, raised: Raised) -> None:
    throw(interp, raised.error, raised.kind)
    raise NeverReturns


def _count(interp: Interpreter, stack: Any, change: int) -> None:
    """Count the generators that have something left to do where they are dropped."""
    if any(map(cleans_up, stack)):
        held = interp.heap.get(IN_CLEANUP)
        count = binary(interp, ast.Add, 0 if held is ABSENT else held, change)
        interp.put(IN_CLEANUP, ABSENT if isinstance(count, int) and count == 0 else count)


def require_none_in_cleanup(interp: Interpreter) -> None:
    """Refuse where a generator is left that Python closes whenever nothing refers to it."""
    held = interp.heap.get(IN_CLEANUP)
    if isinstance(held, Value) or held is not ABSENT:
        raise UnsupportedSyntaxError(
            "a generator that is left where it stands inside try or with",
            hint="close it: generator.close(); or go over it to its end",
        )


def close_dropped(interp: Interpreter, scope: Scope, result: Abstract) -> None:
    """Close the generators to which only the names of a function refer, which returns."""
    node: Any = scope.node
    if interp.heap.get(IN_CLEANUP) is ABSENT or scope in interp.captured or node is None:
        return
    names = [name for name in names_in_order(node) if name in scope.locals]
    held = [interp.heap.get((scope, name)) for name in names]
    with meanwhile(scope, ended=True):
        for one in held:
            state = interp.heap.get(one) if isinstance(one, Generator) else None
            cleans = isinstance(state, Suspended) and any(map(cleans_up, state.stack))
            if cleans and result is not one and not is_held(interp, one):
                _close(interp, one)


def _body(generator: Generator) -> GeneratorBody:
    assert generator.body is not None
    return generator.body


@contextlib.contextmanager
def _entered(interp: Interpreter, body: GeneratorBody) -> Iterator[None]:
    """The frame of a generator, whose names are those that it was left with."""
    exits = [region.exit for region in interp.regions]
    caller = interp.frame
    place = caller.place or interp.span if is_definition(body.scope.globals) else None
    frame = Frame(body.scope, body.source, caller.place or interp.span, place, exits)
    frame.activation = caller.activation
    before, depth = interp.region_states(), len(interp.frames)
    interp.frames.append(frame)
    try:
        yield
        if interp.raises_here():
            raise NeverReturns
        if interp.may_have_raised(before):
            raise UnsupportedSyntaxError(
                "a generator that raises on some paths, gone on with inside try",
                hint="make a list of it first: list(...)",
            )
    finally:
        del interp.frames[depth:]


def _send(interp: Interpreter, generator: Generator, value: Abstract) -> Abstract:
    require_resumed(interp, generator)
    _require_function(interp, generator)
    if value is not None and _is_at_its_start(interp, generator):
        raise users(TypeError("can't send non-None value to a just-started generator"))
    item = resumed(interp, generator, value)
    if item is ABSENT:
        at_end(interp, generator)
    return item


def _is_at_its_start(interp: Interpreter, generator: Generator) -> bool:
    state = interp.content(generator)
    stack = state.stack if isinstance(state, Suspended) else ()
    return bool(stack) and stack[-1] == ("block", *_body(generator).node.body)


def _next(interp: Interpreter, generator: Generator) -> Abstract:
    return _send(interp, generator, None)


def _throw(
    interp: Interpreter,
    generator: Generator,
    kind: Abstract,
    value: Abstract = None,
    traceback: Abstract = None,
) -> Abstract:
    require_resumed(interp, generator)
    _require_function(interp, generator)
    item = resumed(interp, generator, raised=_raised_of(interp, kind, value))
    if item is ABSENT:
        at_end(interp, generator)
    return item


def _raised_of(interp: Interpreter, kind: Abstract, value: Abstract) -> Raised:
    """What ``throw`` raises: an exception, or one of a class that is given with its argument."""
    if is_exception(kind):
        if value is not None:
            raise users(TypeError("instance exception may not have a separate value"))
        return Raised(kind, kind.type)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        named = getattr(kind, "type", type(kind)).__name__
        raise users(
            TypeError(
                f"exceptions must be classes or instances deriving from BaseException, not {named}"
            )
        )
    if isinstance(value, Value) or is_exception(value):
        return Raised(value, value.type if is_exception(value) else kind)
    given = value if isinstance(value, tuple) else () if value is None else (value,)
    return Raised(interp.call(kind, list(given), {}), kind)


def _close(interp: Interpreter, generator: Generator) -> Abstract:
    from symdiff.definitions.generators import closed  # at the first use of it

    require_resumed(interp, generator)
    _require_function(interp, generator)
    state = interp.content(generator)
    if isinstance(state, Suspended) and any(e[0] == "from" or cleans_up(e) for e in state.stack):
        return interp.call(closed, [generator], {})
    if not isinstance(state, Suspended):
        resumed(interp, generator)
    interp.put(generator, _body(generator).suspended(()))
    return None


def _require_function(interp: Interpreter, generator: Generator) -> None:
    """Refuse what is no generator function's, or what has been collected."""
    if generator.body is None:
        raise UnsupportedSyntaxError(
            "a method of this generator", hint="use next(...), or make a list of it first"
        )
    require_unused(interp, generator)


HOOKS.resumed = resumed
HOOKS.close_dropped = close_dropped
METHODS_OF[Generator] = {"send": _send, "throw": _throw, "close": _close, "__next__": _next}
