"""Groups of exceptions that the program makes, and the handlers of ``except*``.

Each handler takes the part of a group that matches; what none takes is raised again, beside what
the handlers raise. An exception that is no group is handled by itself, in a group of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from symdiff.errors import UnsupportedSyntaxError
from symdiff.parse.blame import users
from symdiff.parse.exceptions import (
    exception_of,
    hand_down,
    is_exception,
)
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract, Keywords, ListRef, ObjectRef

Classes = tuple[type[BaseException], ...]
Part = ObjectRef | None
Raised = tuple[Abstract, type[BaseException]]


def group_of(
    interp: Interpreter,
    kind: type[BaseException],
    given: Sequence[Abstract],
    keywords: Keywords,
) -> ObjectRef:
    """``ExceptionGroup(message, exceptions)``."""
    if kind not in (ExceptionGroup, BaseExceptionGroup):
        raise UnsupportedSyntaxError(
            f"a {kind.__name__}, a class of groups of exceptions", hint="make an ExceptionGroup"
        )
    if keywords or len(given) != 2:
        told = f"BaseExceptionGroup.__new__() takes exactly 2 arguments ({len(given)} given)"
        raise users(TypeError(told))
    message, held = given
    items = interp.content(held) if isinstance(held, ListRef) else held
    known = isinstance(message, str) and isinstance(items, tuple) and len(items) > 0
    if not known or not all(map(_is_made_here, items)):
        raise UnsupportedSyntaxError(
            "a group of anything but exceptions that the function makes",
            hint="give a text, and a list of Exceptions that is known here",
        )
    return _made(interp, message, items)


def _is_made_here(error: Abstract) -> bool:
    return is_exception(error) and error.live is None and issubclass(error.type, Exception)


def _made(interp: Interpreter, message: str, items: tuple[Abstract, ...]) -> ObjectRef:
    made = exception_of(interp, ExceptionGroup, (message, interp.call(list, [items], {})))
    interp.put((made, "message"), message)
    interp.put((made, "exceptions"), items)
    return made


def wrapped(interp: Interpreter, error: Abstract) -> ObjectRef:
    """The group that a handler of ``except*`` is given of an exception that is none."""
    return _made(interp, "", (error,))


def is_group(error: Abstract) -> bool:
    """Return whether a content is a group that the program has made."""
    return is_exception(error) and issubclass(error.type, BaseExceptionGroup)


def require_no_group(error: Abstract, kind: type[BaseException]) -> None:
    """Refuse a group that the function has not made, where its parts are asked for."""
    if issubclass(kind, BaseExceptionGroup) or (is_group(error) and error.live is not None):
        raise UnsupportedSyntaxError(
            "except* where a group is raised that the function has not made",
            hint="make the group in the function",
        )


def split(interp: Interpreter, error: ObjectRef, classes: Classes) -> tuple[Part, Part]:
    """What of an exception is of one of the classes, and what is not."""
    if issubclass(error.type, classes):
        return error, None
    if not is_group(error):
        return None, error
    parts = [split(interp, _own(one), classes) for one in interp.content((error, "exceptions"))]
    taken = [one for one, _ in parts if one is not None]
    left = [other for _, other in parts if other is not None]
    return _derived(interp, error, taken), _derived(interp, error, left)


def _derived(interp: Interpreter, group: ObjectRef, items: list[ObjectRef]) -> Part:
    """A group of some of the exceptions of one, with its notes and causes."""
    if not items:
        return None
    message = interp.content((group, "message"))
    made = _made(interp, message, tuple(items))
    hand_down(interp, group, made)
    return made


def handle_by_parts(
    interp: Interpreter,
    error: ObjectRef,
    handlers: Sequence[tuple[ast.ExceptHandler, Classes]],
    run: Callable[[ast.ExceptHandler, ObjectRef, Callable[..., None]], None],
    raise_: Callable[[Abstract, type[BaseException]], None],
) -> None:
    """Let each handler take its part of a group.

    ``run`` stages a handler with its part, and what comes then, which is given what it has raised.
    ``raise_`` raises what is left; both tell an exception and its class.
    """

    def go_on(number: int, left: Part, raised: tuple[Raised, ...]) -> None:
        if left is None or number == len(handlers):
            _finish(interp, left, raised, raise_)
            return
        handler, classes = handlers[number]
        part, rest = split(interp, left, classes)
        if part is None:
            go_on(number + 1, left, raised)
            return

        def then(*more: Raised) -> None:
            go_on(number + 1, rest, (*raised, *more))

        run(handler, part, then)

    go_on(0, error, ())


def _own(found: Abstract) -> ObjectRef:
    if not is_exception(found) or found.live is not None:
        raise UnsupportedSyntaxError(
            "what an operation raises, in a group of exceptions",
            hint="test for what would fail beforehand, and raise an exception of your own",
        )
    return found  # type: ignore[no-any-return]


def _finish(
    interp: Interpreter,
    left: Part,
    raised: tuple[Raised, ...],
    raise_: Callable[[Abstract, type[BaseException]], None],
) -> None:
    items = raised if left is None else (*raised, (left, left.type))
    if len(items) > 1:
        raise_(_made(interp, "", tuple(error for error, _ in items)), ExceptionGroup)
    elif items:
        raise_(*items[0])
