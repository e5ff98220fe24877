"""Exceptions that the program makes: objects with ``args``, made again where they are raised."""

from __future__ import annotations

import copy
import functools
import types
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedSyntaxError
from symdiff.parse.blame import users
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lookups import is_unchanging, static_on_class
from symdiff.parse.values import (
    ABSENT,
    CONTEXTS,
    Abstract,
    Arguments,
    Changed,
    Closure,
    Keywords,
    ObjectRef,
    PossiblyUnbound,
    Token,
)

# What a class of the user's was called with; each ``__init__`` of Python's own since, with what it
# was given; whether the program has set ``args`` since the class was called; what Python has
# raised, where it is not known what its class was called with; the exception that was handled
# where it was raised; the names of the attributes that the program has set since it was made.
_CALLED, _INITIALISED, _SET, _ORIGINAL, _CONTEXT, CHANGED = NOTES = (
    "__symdiff_called__",
    "__symdiff_initialised__",
    "__symdiff_set__",
    "__symdiff_original__",
    "__symdiff_context__",
    "__symdiff_changed__",
)
_NOT_KEPT = Token()  # the exception that is handled, where its handler does not name it
AROUND = Token()  # that which may be handled where a call stands, of all calls of a kind


@dataclass(frozen=True, eq=False, slots=True)
class _StandsFor:
    """In an exception of Python's own, what it is given and is not known while compiling."""

    content: Abstract


def as_python_makes_it(
    interp: Interpreter, kind: type[BaseException], arguments: Arguments, keywords: Keywords
) -> ObjectRef:
    """An exception whose class is given arguments and has no ``__init__`` written in Python."""
    made = exception_of(interp, kind, arguments)
    held = _held_by_python(interp, made, arguments, keywords)
    if keywords or len(held.args) != len(arguments):
        _give(interp, made, arguments, keywords)
        interp.put((made, "args"), _restored(held.args))
    return made


def called_with(
    interp: Interpreter, kind: type[BaseException], arguments: Arguments, keywords: Keywords
) -> ObjectRef:
    """The same of a class with an ``__init__`` written in Python, before that is called."""
    made = exception_of(interp, kind, arguments)
    _give(interp, made, arguments, keywords)
    interp.put((made, "args"), _restored(_held(interp, made).args))
    return made


def is_made(interp: Interpreter, error: ObjectRef) -> None:
    """Its ``__init__`` has returned; when the class is called again, that sets ``args`` again."""
    interp.put((error, _SET), ())
    interp.put((error, CHANGED), ())


def initialised(
    interp: Interpreter,
    error: ObjectRef,
    initialise: Any,
    arguments: Arguments,
    keywords: Keywords,
) -> None:
    """``initialise(error, *arguments, **keywords)``, where that is a class's of Python's own."""
    before = interp.content((error, _INITIALISED))
    step = (initialise, tuple(arguments), tuple(keywords.items()))
    interp.put((error, _INITIALISED), (*before, step))
    interp.put((error, "args"), _restored(_held(interp, error).args))


def set_arguments(interp: Interpreter, error: ObjectRef, arguments: Abstract) -> None:
    """``error.args = arguments``."""
    interp.put((error, "args"), interp.call(tuple, [arguments], {}))
    interp.put((error, _SET), ("args",))


def note_change(interp: Interpreter, error: ObjectRef, name: str) -> None:
    """Note that the program sets, or deletes, an attribute of an exception that it has made."""
    before = names_changed(interp, error)
    if name not in before and name != "__cause__":
        interp.put((error, CHANGED), (*before, name))


def names_changed(interp: Interpreter, error: ObjectRef) -> tuple[str, ...]:
    """The names of the attributes that the program has set since it made an exception."""
    names: tuple[str, ...] = interp.content((error, CHANGED))
    return names


def changed_attributes(interp: Interpreter, error: ObjectRef) -> dict[str, Abstract]:
    """What an exception holds beside what its class makes: its notes, for one."""
    changed = {name: interp.content((error, name)) for name in names_changed(interp, error)}
    for name, content in changed.items():
        if content is ABSENT or isinstance(content, PossiblyUnbound):
            raise UnsupportedSyntaxError(
                f"a {error.type.__name__} whose attribute '{name}' is deleted, or set on some"
                " paths only, is raised out of the function",
                hint="set it on all paths",
            )
    return changed


def hand_down(interp: Interpreter, error: ObjectRef, other: ObjectRef) -> None:
    """Let an exception that is made of another have its notes, cause and context."""
    for name in ("__cause__", _CONTEXT):
        if interp.heap.get((error, name)) is not ABSENT:
            interp.put((other, name), interp.content((error, name)))
    notes = changed_attributes(interp, error).get("__notes__")
    if notes is not None:
        interp.put((other, "__notes__"), interp.call(list, [notes], {}))
        interp.put((other, CHANGED), ("__notes__",))


def python_attribute(interp: Interpreter, error: ObjectRef, name: str) -> Abstract:
    """What a class of Python's own holds under a name: ``errno``, ``msg``, ``value``.

    ABSENT where that is not known while compiling.
    """
    return _restored(getattr(_held(interp, error), name))


def _held(interp: Interpreter, error: ObjectRef) -> BaseException:
    arguments, keywords = given_to(interp, error)
    return _held_by_python(interp, error, arguments, dict(keywords))


def _held_by_python(
    interp: Interpreter, error: ObjectRef, arguments: Arguments, keywords: Keywords
) -> BaseException:
    """What Python's own class, or base, makes of such arguments, and of those of ``__init__``."""
    own = _of_python(error.type)
    given = _stood_for(tuple(arguments)), _stood_for(dict(keywords))
    try:
        if not isinstance(static_on_class(error.type, "__init__"), types.FunctionType | Closure):
            return own(*given[0], **given[1])  # type: ignore[no-any-return]
        made: BaseException = own.__new__(_initialised_elsewhere(own), *given[0], **given[1])
        for initialise, positional, named in interp.content((error, _INITIALISED)):
            initialise(made, *_stood_for(positional), **_stood_for(dict(named)))
    except (TypeError, ValueError) as raised:
        raise users(raised) from None
    return made


@functools.cache
def _initialised_elsewhere(own: type[BaseException]) -> Any:
    """A class below one of Python's own, for which it is ``__init__`` that takes what is given."""
    return type(own.__name__, (own,), {"__init__": lambda *_, **__: None})


def _stood_for(content: Any) -> Any:
    if isinstance(content, tuple):
        return tuple(map(_stood_for, content))
    if isinstance(content, dict):
        return {name: _stood_for(item) for name, item in content.items()}
    return content if is_unchanging(content) else _StandsFor(content)


def _restored(held: Any) -> Abstract:
    if isinstance(held, tuple):
        return tuple(map(_restored, held))
    if isinstance(held, _StandsFor):
        return held.content
    return held if is_unchanging(held) else ABSENT


def exception_of(interp: Interpreter, kind: type[BaseException], arguments: Arguments) -> ObjectRef:
    """An exception of a class with these ``args``."""
    made = ObjectRef(kind)
    interp.put((made, "args"), tuple(arguments))
    interp.put((made, _INITIALISED), ())
    interp.put((made, _SET), ())
    interp.put((made, CHANGED), ())
    return made


def raised_by_python(interp: Interpreter, error: Exception) -> ObjectRef:
    """An exception that Python has raised of what is known, with the attributes it was given."""
    made = exception_of(interp, type(error), error.args)
    if isinstance(static_on_class(made.type, "__init__"), types.FunctionType):
        held = {name: value for name, value in vars(error).items() if name != "certain"}
        for name, value in held.items():
            if is_unchanging(value):
                interp.put((made, name), value)
        kept = copy.copy(error)
        vars(kept).pop("certain", None)
        interp.put((made, _ORIGINAL), kept)
    return made


def of_numpy(interp: Interpreter, error: ObjectRef) -> BaseException | None:
    """An exception of NumPy's that Python has raised, where the program has not changed it."""
    found = original(interp, error)
    if found is None or not type(found).__module__.startswith("numpy."):
        return None
    return None if names_changed(interp, error) else found


def as_python_holds(interp: Interpreter, error: ObjectRef) -> BaseException:
    """An exception of Python's own with all that it holds, which is known now."""
    if not all(map(is_unchanging, interp.content((error, "args")))):
        raise UnsupportedSyntaxError(
            f"the text of a {error.type.__name__} of values that are known at run time only",
            hint="make the text of its attributes",
        )
    return _held(interp, error)


def note_context(interp: Interpreter, error: Abstract) -> None:
    """Note what is handled where the program raises an exception, if it asks for that anywhere."""
    asked = CONTEXTS in interp.policy.changed
    if not asked or not is_exception(error) or error.live is not None:
        return
    handled = interp.handled[-1] if interp.handled else None
    if handled is None:
        interp.put((error, _CONTEXT), None)
    elif handled.error is not error:
        known = handled.kept or handled.error is AROUND
        interp.put((error, _CONTEXT), handled.error if known else _NOT_KEPT)


def settle_context(interp: Interpreter, error: ObjectRef) -> None:
    """Note what is handled where a call stands that has raised an exception, or made it."""
    if interp.heap.get((error, _CONTEXT)) is AROUND:
        note_context(interp, error)


def context_of(interp: Interpreter, error: ObjectRef) -> Abstract:
    """The ``__context__`` of an exception."""
    if CONTEXTS not in interp.policy.changed:
        raise Changed(CONTEXTS)
    context = interp.content((error, _CONTEXT))
    if context is _NOT_KEPT or context is AROUND:
        raise UnsupportedSyntaxError(
            "the '__context__' of an exception that is raised where the one before has no name",
            hint="name that one: except ... as error",
        )
    return None if context is ABSENT else context


def original(interp: Interpreter, error: ObjectRef) -> BaseException | None:
    """The exception to copy where it is not known what its class was called with."""
    found = interp.heap.get((error, _ORIGINAL))
    return found if isinstance(found, BaseException) else None


def _give(interp: Interpreter, error: ObjectRef, arguments: Arguments, keywords: Keywords) -> None:
    """Note what the class of an exception was called with."""
    interp.put((error, _CALLED), (tuple(arguments), tuple(keywords.items())))


def given_to(
    interp: Interpreter, error: ObjectRef
) -> tuple[tuple[Abstract, ...], tuple[tuple[str, Abstract], ...]]:
    """The arguments and keywords that make an exception again."""
    called = interp.heap.get((error, _CALLED)) is not ABSENT
    if interp.heap.get((error, _SET)) != () and (called or _has_fields(error.type)):
        raise UnsupportedSyntaxError(
            f"a {error.type.__name__} whose 'args' the program has set",
            hint="make a new one of these arguments",
        )
    if not called:
        return interp.content((error, "args")), ()
    arguments, keywords = interp.content((error, _CALLED))
    return arguments, keywords


def _has_fields(kind: type[BaseException]) -> bool:
    """Return whether Python's own class holds more than ``args``."""
    members = types.MemberDescriptorType
    return any(isinstance(found, members) for found in vars(_of_python(kind)).values())


def _of_python(kind: type[BaseException]) -> Any:
    return next(base for base in kind.__mro__ if base.__module__ == "builtins")


def is_exception(value: Abstract) -> bool:
    """Return whether a content is an exception that the program has made."""
    return isinstance(value, ObjectRef) and issubclass(value.type, BaseException)
