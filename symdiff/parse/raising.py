"""Errors that the program raises where Python raises them; a path that raises ends there.

Inside a ``try`` it ends by the exit of that region. Outside all of them the program raises: what
was written before stays written, and is left behind first.
"""

from __future__ import annotations

import builtins
import copy
import functools
from collections.abc import Sequence
from typing import Any

from symdiff.definitions.declare import is_definition
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import equal
from symdiff.ops.attempts import error_number
from symdiff.ops.effects import Named, raise_
from symdiff.parse.blame import users
from symdiff.parse.exceptions import (
    CHANGED,
    changed_attributes,
    exception_of,
    given_to,
    is_exception,
    original,
)
from symdiff.parse.identity import is_unknown
from symdiff.parse.interpreter import ERROR, Interpreter
from symdiff.parse.lookups import MADE_HERE
from symdiff.parse.opaque import Template, call_opaque
from symdiff.parse.raised_values import classes_caught
from symdiff.parse.values import ABSENT, Abstract, ConflictRead, ObjectRef, StagedText
from symdiff.parse.writeback import write_back

_SIMPLE = (str, bytes, bool, int, float, complex, type(None), tuple)


def throw(interp: Interpreter, error: Abstract, kind: type[BaseException] | None = None) -> None:
    """Raise an exception: to the region around, or to the caller. ``kind``: its class, if known."""
    if interp.regions:
        if is_exception(error) or not _told_apart(interp, error, kind):
            _leave_region(interp, error, error.type if kind is None else kind)
    elif is_exception(error):
        cause = interp.heap.get((error, "__cause__"))
        if error.live is not None:  # one of outside
            _raise_instance(interp, error, cause)
            return
        before = original(interp, error)
        if before is not None:
            made = call_opaque(interp, copy.copy, (before,), {})
            _raise_instance(interp, made, cause, error)
            return
        arguments, keywords = given_to(interp, error)
        if keywords:
            made = call_opaque(interp, error.type, arguments, dict(keywords))
            _raise_instance(interp, made, cause, error)
        elif changed_attributes(interp, error):
            _require_class(error.type)
            _raise_instance(interp, error, cause)
        else:
            _raise_new(interp, error.type, arguments, cause)
    else:
        _raise_instance(interp, error)


def _leave_region(interp: Interpreter, error: Abstract, kind: type[BaseException]) -> None:
    """Leave the region around; on paths on which something else was raised in it, by that."""
    region = interp.regions[-1]
    made = is_exception(error)
    if made and _is_not_taken(interp, kind, _words(interp, error)):
        kind = _NOT_TAKEN
    number = region.number_of(kind, made, told_of(interp, error) if made else None)
    goes_on = number >= len(region.classes)  # no handler names its class: it is raised again

    def leave() -> None:
        interp.put((region.token, "number"), number)
        interp.put((region.token, number), error if made or region.keeps or goes_on else None)
        interp.leave(region.exit)

    before = interp.heap.get(region.exit)
    if isinstance(before, Value):
        interp.branch(before, lambda: interp.leave(region.exit), leave)
    elif before is not True:
        leave()


# Stands for the class of what a definition raises of what symdiff does not take: no handler of the
# user's is for that, not even one for all exceptions.
_NOT_TAKEN: Any = type("NotTaken", (), {})


def _is_not_taken(interp: Interpreter, kind: Any, arguments: Sequence[Any]) -> bool:
    """Return whether an exception that is raised here says what symdiff does not take."""
    first = arguments[0] if arguments else None
    says = isinstance(first, str) and first.startswith("symdiff takes ")
    return says or (kind is NotImplementedError and is_definition(interp.scope.globals))


def _words(interp: Interpreter, error: ObjectRef) -> Sequence[Any]:
    words = interp.heap.get((error, "args"))
    return words if isinstance(words, tuple) else ()


def _told_apart(interp: Interpreter, error: Abstract, kind: type[BaseException] | None) -> bool:
    """Raise an exception of an operation for each class that it may be of and a handler names;
    False where it is of one.
    """
    if not is_unknown(error):
        if kind is None:
            raise users(TypeError("exceptions must derive from BaseException"))
        return False
    raised = classes_caught(error) if kind is None else (kind,)
    named = [one for one in interp.regions[-1].classes if issubclass(one, raised)]
    classes = tuple(dict.fromkeys([*named, *raised]))
    if classes == (kind,):
        return False
    number = error_number(error, classes=classes)
    leave = functools.partial(_leave_region, interp, error)

    def among(first: int) -> None:
        if first == len(classes) - 1:
            leave(classes[first])
        else:
            found = equal(number, first)
            interp.branch(found, lambda: leave(classes[first]), lambda: among(first + 1))

    among(0)
    return True


def told_of(interp: Interpreter, error: ObjectRef) -> Any:
    """What an exception was made of: all that is known of it while the function is compiled."""
    if error.live is not None or original(interp, error) is not None:
        return None
    if issubclass(error.type, BaseExceptionGroup):
        return error  # its parts are handled by themselves
    try:
        arguments, keywords = given_to(interp, error)
    except ConflictRead:
        return None
    given = (*arguments, *(value for _, value in keywords))
    known = all(type(value) in _SIMPLE and not isinstance(value, tuple) for value in given)
    if not known:
        return tuple(map(type, arguments)), tuple((name, type(value)) for name, value in keywords)
    changed = interp.heap.get((error, CHANGED))
    return repr((arguments, keywords)), error if changed else None


def raise_with(
    interp: Interpreter, kind: type[BaseException], arguments: tuple[Abstract, ...]
) -> None:
    """``raise kind(*arguments)``."""
    if interp.regions:
        throw(interp, exception_of(interp, kind, arguments))
    else:
        _raise_new(interp, kind, arguments)


def raise_error(interp: Interpreter, error: Exception) -> None:
    """Raise at run time what Python raises of what is known while the function is compiled."""
    kind, arguments = type(error), error.args
    if not all(type(argument) in (*_SIMPLE, StagedText) for argument in arguments):
        # NumPy has errors of its own that hold their operands.
        kind = next(base for base in kind.__mro__ if _is_builtin(base))
        arguments = (str(error),)
    raise_with(interp, kind, arguments)


def _raise_new(
    interp: Interpreter,
    kind: type[BaseException],
    arguments: tuple[Abstract, ...],
    cause: Abstract = ABSENT,
) -> None:
    _require_class(kind)
    if kind is NotImplementedError and is_definition(interp.scope.globals):
        interp.untaken = str(arguments[0])
    write_back(interp)
    template = Template(interp)
    shown = tuple(template.of(a) for a in arguments)
    named: Any = kind if _is_builtin(kind) else Named(kind, kind.__name__)
    more: dict[str, Any] = {} if cause is ABSENT else {"cause": template.of(cause)}
    if _is_not_taken(interp, kind, arguments):
        more["taken"] = False
    raise_(*template.operands, exception=named, arguments=shown, **more)
    interp.leave(ERROR)


def _require_class(kind: type[BaseException]) -> None:
    if MADE_HERE in kind.__dict__:
        raise UnsupportedSyntaxError(
            f"a {kind.__name__}, whose class is defined in a function, is raised out of it",
            hint="define the class outside the function",
        )


def _raise_instance(
    interp: Interpreter,
    exception: Abstract,
    cause: Abstract = ABSENT,
    changed: ObjectRef | None = None,
) -> None:
    """``raise exception``; ``changed``: that with what the program has set of it since."""
    write_back(interp)
    template = Template(interp)
    raised = template.of(exception)
    if changed is not None:
        raised = template.with_changes(changed, raised)
    more = {} if cause is ABSENT else {"cause": template.of(cause)}
    raise_(*template.operands, exception=raised, arguments=None, **more)
    interp.leave(ERROR)


def _is_builtin(kind: type) -> bool:
    return getattr(builtins, kind.__name__, None) is kind
