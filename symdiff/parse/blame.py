"""Whose fault an error is: the user's function's, or a limit of the compiler.

What the function itself would raise travels as that exception, marked with the ``CertainError``
that tells its place: where a branch is left by it, it becomes a statement of the program; where the
whole function is, ``stage`` raises the ``CertainError``. What only the compiler cannot do is
a ``SymdiffError`` with a place and a hint. In doubt Python is asked: the operation is done on small
samples of the operands' types.
"""

from __future__ import annotations

import contextlib
import functools
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from symdiff.errors import (
    OUTSIDE,
    CertainError,
    InternalError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
    fault,
    is_rejection,
    too_deep,
)
from symdiff.ir.graph import Value
from symdiff.ir.types import TEXT, ArrayType, Dim, ListType, Multiple, Type
from symdiff.ops.declare import NeedsStatic
from symdiff.parse import values
from symdiff.parse.dtype_answers import Question
from symdiff.parse.hidden_integers import floats_in, may_be_integer
from symdiff.parse.staged import StaticDemand
from symdiff.parse.values import (
    Abstract,
    Arguments,
    Array,
    ArrayMethod,
    Closure,
    ConflictRead,
    ControlFlow,
    DictRef,
    DictView,
    Generator,
    IteratorRef,
    Keywords,
    Lazy,
    ListRef,
    ObjectRef,
    Partial,
    Range,
    StagedText,
    StaticSet,
)

if TYPE_CHECKING:
    from symdiff.parse.interpreter import Interpreter
    from symdiff.source import SourceSpan

E = TypeVar("E", bound=BaseException)
CONTROL = (ControlFlow, NeedsStatic, StaticDemand, SymdiffError)
HINT = "compute it outside, or in a function marked symdiff.nondifferentiable"
LARGEST_SAMPLE = 100_000
_CLASS = re.compile(
    "tuple|" + "|".join(name for name, kind in vars(values).items() if isinstance(kind, type))
)


def users(error: E) -> E:
    """Mark an error as one that the user's function raises."""
    error.certain = CertainError.of(error)  # type: ignore[attr-defined]
    return error


@contextlib.contextmanager
def python_raises() -> Iterator[None]:
    """Mark what Python raises here, of values that are known now: the user's function does too."""
    try:
        yield
    except Exception as error:
        users(error)
        raise


def certain(error: BaseException) -> CertainError | None:
    """What is known of an error that the user's function raises; None for all others."""
    return getattr(error, "certain", None)


def is_users(error: BaseException) -> bool:
    """Return whether an error is one that the user's function raises."""
    return certain(error) is not None


def is_foreseen(error: BaseException) -> bool:
    """Return whether an error tells of the user's function or of a limit, not of a defect of
    symdiff's.
    """
    known = isinstance(error, CONTROL) and not isinstance(error, InternalError)
    return known or is_users(error)


class judged:  # noqa: N801 - it is used as a function is
    """Tell the errors of an operation apart: ``function(*arguments)`` is what Python would do."""

    __slots__ = ("arguments", "function", "interp", "keywords")

    def __init__(
        self,
        interp: Interpreter,
        function: Callable[..., Any],
        arguments: Arguments,
        keywords: Keywords | None = None,
    ) -> None:
        self.interp, self.function = interp, function
        self.arguments, self.keywords = arguments, keywords or {}

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, Exception):
            return
        other, cause = self._told_apart(error)
        told = error if other is None else other
        given = (*self.arguments, *self.keywords.values())
        if is_users(told):
            if any(may_be_integer(one, self.interp.begun) for one in given):
                alike = self._of_integers_too(told)
                if alike is not None:
                    raise alike from None
                message = f"a number that is an integer on some paths, a float on others: {told}"
                hint = "write int(...) or float(...): then it is one on all paths"
                raise UnsupportedSyntaxError(message, self.interp.span, hint) from None
            if self.interp.in_template:  # in another call it may be one
                self._ask_for_floats(given)
        if other is not None:
            raise other from cause

    def _of_integers_too(self, told: Exception) -> Exception | None:
        """The TypeError that is raised whichever of the numbers are integers, in words for both;
        None where that is not certain, or a handler may read the words.
        """
        interp = self.interp
        read = any(issubclass(TypeError, region.handled) for region in interp.regions)
        inner = self.keywords or any(isinstance(a, slice | tuple) for a in self.arguments)
        if read or inner or interp.in_template or type(told) is not TypeError:
            return None
        errors = []
        for integer in (True, False):
            given = [1 if integer and isinstance(a, Value) else a for a in self.arguments]
            errors.append(error_of(interp, self.function, tuple(given), {}))
        if not all(type(error) is TypeError for error in errors):
            return None
        words = [str(error).split() for error in errors]
        if len(words[0]) != len(words[1]):
            return None
        both = (a if a == b else f"{a} or {b}" for a, b in zip(*words, strict=True))
        return users(TypeError(" ".join(both)))

    def _ask_for_floats(self, given: Iterable[Any]) -> None:
        """Note that the error rests on which numbers are floats."""
        interp = self.interp
        if interp.span is not None:
            floats = [one for content in given for one in floats_in(content)]
            interp.classes_asked += [Question(one, interp.span, float) for one in floats]

    def _told_apart(self, error: Exception) -> tuple[Exception | None, Exception | None]:
        """What to raise instead of an error, and its cause: what the function raises is marked,
        what only the compiler cannot do is told as that. None where the error stays.
        """
        interp = self.interp
        kept = isinstance(error, CONTROL) or is_users(error) or isinstance(error, OUTSIDE)
        if kept and not isinstance(error, NeedsStatic):
            return None, None
        python = error_of(interp, self.function, self.arguments, self.keywords)
        if isinstance(error, NeedsStatic):  # a TypeError is one whatever the values are
            return (users(python) if isinstance(python, TypeError) else None), None
        given = (*self.arguments, *self.keywords.values())
        if python is not None and _tells_the_same(python, error):
            known = isinstance(python, TypeError) or all(_is_exact(interp, a) for a in given)
            return users(python if known or type(python) is not type(error) else error), None
        if python is not None and _is_pythons(error, python):
            if all(isinstance(a, _PLAIN) for a in given):
                return users(python), None
            what = f"raises {type(python).__name__} for such arguments: {python}"
            told = f"{name_of(self.function)} {what}"
            return UnsupportedCallError(told, hint=HINT), None
        return blamed(interp, error, name_of(self.function)), error


_PLAIN = (str, bytes, bool, int, float, complex, type(None))


def _tells_the_same(python: Exception, error: Exception) -> bool:
    """Return whether Python's error on samples is certain where something was found wrong here.

    A TypeError is, whatever the values are; another may come of the sample's sizes or values.
    """
    if not is_rejection(error):
        return isinstance(python, TypeError) and _is_pythons(error, python)
    alike = isinstance(python, type(error)) or isinstance(error, type(python))
    return isinstance(python, TypeError) or alike


def _is_pythons(error: Exception, python: Exception) -> bool:
    """Return whether an exception that is no rejection is Python's own of these arguments: it says
    the same, but for the names of classes.
    """
    said, wanted = str(error).split(), str(python).split()
    if type(error) is not type(python) or len(said) != len(wanted):
        return False
    return all(a == b or _CLASS.search(a) for a, b in zip(said, wanted, strict=True))


def blamed(interp: Interpreter, error: Exception, what: str | None = None) -> Exception:
    """An exception that the function does not raise, as an error that says where it came up.

    What an op rejects is a limit of the compiler's; what was not foreseen is a fault of it.
    """
    if isinstance(error, RecursionError):
        kind = _kind_within_itself(interp)
        return too_deep(interp.span) if kind is None else _within_itself(kind, interp.span)
    if not is_rejection(error):
        return fault(error, interp.span)
    reason = str(error) or type(error).__name__
    message = f"symdiff does not know this use of {what}: {reason}" if what else reason
    return UnsupportedCallError(message, interp.span, HINT)


def _within_itself(kind: str, span: SourceSpan | None) -> UnsupportedCallError:
    """The refusal of what is to be done with all of a list or dict that is within itself."""
    message = f"a {kind} that holds itself cannot be gone through here"
    return UnsupportedCallError(message, span, f"keep the {kind} out of itself")


def _kind_within_itself(interp: Interpreter) -> str | None:
    """``list`` or ``dict``, where one is among its own items, or theirs."""
    known = [key for key in interp.heap.contents if isinstance(key, ListRef | DictRef)]
    inner = {ref: list(_held(interp.heap.contents[ref])) for ref in known}
    left = dict.fromkeys(known)
    while ends := [ref for ref in left if not any(held in left for held in inner[ref])]:
        for ref in ends:
            del left[ref]
    return next(("list" if isinstance(ref, ListRef) else "dict" for ref in left), None)


def _held(content: Any) -> Iterator[ListRef | DictRef]:
    """The lists and dicts among the items of a content, those in tuples too."""
    pending = [content]
    while pending:
        held = pending.pop()
        if isinstance(held, ListRef | DictRef):
            yield held
        elif isinstance(held, tuple | dict):
            pending += held.values() if isinstance(held, dict) else held


def name_of(function: Any) -> str:
    """A function or an operator in the words of a message."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", None) or type(function).__name__
    if module in ("_operator", "builtins", "") or module.startswith("symdiff"):
        return f"'{name.strip('_')}'"
    return f"{module}.{name}"


# Samples ------------------------------------------------------------------------------------------


_MADE_HERE = "__symdiff_made_here__"  # as ``lookups`` has it, which imports this


class NoSample(Exception):  # noqa: N818 - control flow of this module
    """A value of which no sample can be made."""


def error_of(
    interp: Interpreter, function: Callable[..., Any], arguments: Arguments, keywords: Keywords
) -> Exception | None:
    """What Python raises where a function is given samples of the arguments; None if nothing."""
    with contextlib.suppress(NoSample):
        return _raised(interp, function, arguments, keywords)
    return None


def succeeds(
    interp: Interpreter, function: Callable[..., Any], arguments: Arguments, keywords: Keywords
) -> bool:
    """Return whether a function takes samples of the arguments."""
    with contextlib.suppress(NoSample):
        return _raised(interp, function, arguments, keywords) is None
    return False


def _raised(
    interp: Interpreter, function: Callable[..., Any], arguments: Arguments, keywords: Keywords
) -> Exception | None:
    """What a function raises of samples of the arguments; None where it calls one of the user's.

    :raises NoSample: where there is no sample of an argument.
    """
    given = [sample(interp, argument) for argument in arguments]
    named = {name: sample(interp, value) for name, value in keywords.items()}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*given, **named)
    except NoSample:
        return None
    except Exception as error:
        return error
    return None


def on_samples(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function on small Python values of the types of the values that it is given."""

    def asked(*arguments: Any, **keywords: Any) -> Any:
        given, named = _sampled((arguments, keywords))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*given, **named)

    return asked


def _sampled(content: Any) -> Any:
    if isinstance(content, Value):
        return _of_type(content.type)
    if isinstance(content, dict):
        return {key: _sampled(one) for key, one in content.items()}
    if type(content) in (list, tuple):
        return type(content)(map(_sampled, content))
    return content


def sample(interp: Interpreter, value: Abstract) -> Any:
    """A small Python value of an abstract value's type."""
    if isinstance(value, Array):
        value = interp.heap.read(value)
    if isinstance(value, Value):
        return _of_type(value.type)
    if isinstance(value, ListRef | DictRef):
        content = interp.content(value)
        if isinstance(content, Value):
            return sample(interp, content)
        made = _of_container(interp, content)
        return list(made) if isinstance(content, tuple) else made
    if isinstance(value, tuple | dict | slice | Range):
        return _of_container(interp, value)
    if isinstance(value, StagedText):
        return "1"
    if isinstance(value, StaticSet):
        return set(value)
    if type(value) in _SAMPLES:
        return _SAMPLES[type(value)](interp, value)
    if type(value).__module__.startswith("symdiff") or hasattr(value, _MADE_HERE):
        raise NoSample  # Python cannot call the methods of a class that is made here
    return value


def _function(*arguments: Any, **keywords: Any) -> Any:
    """What stands for a function of the user's, which is not called."""
    raise NoSample


def _generator() -> Iterator[Any]:
    return (_function() for _ in range(1))


def _iterator(interp: Interpreter, value: Any) -> Any:
    if isinstance(value, IteratorRef):
        return iter(sample(interp, value.of))
    if value.kind in (zip, map, filter, enumerate):
        given = (_function, _generator()) if value.kind in (map, filter) else (_generator(),)
        return value.kind(*given)
    raise NoSample


_OF_EVERY_CLASS = frozenset(
    ("__init__", "__module__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__slots__",
     "__firstlineno__", "__static_attributes__")
)  # fmt: skip


def _object(interp: Interpreter, value: ObjectRef) -> Any:
    """An object of a class of that name without methods, for one whose class has no special ones:
    what they do is the user's code.
    """
    names = {name for kind in value.type.__mro__[:-1] for name in vars(kind)}
    if any(name.startswith("__") for name in names - _OF_EVERY_CLASS):
        raise NoSample
    return type(value.type.__name__, (), {})()


_SAMPLES: dict[type, Callable[[Interpreter, Any], Any]] = {
    Closure: lambda interp, value: _function,
    Partial: lambda interp, value: functools.partial(_function),
    ArrayMethod: lambda interp, value: getattr(sample(interp, value.receiver), value.name),
    Generator: lambda interp, value: _generator(),
    Lazy: _iterator,
    IteratorRef: _iterator,
    DictView: lambda interp, value: getattr(sample(interp, value.of), value.kind)(),
    ObjectRef: _object,
}


def _of_container(interp: Interpreter, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple.__new__(type(value), [sample(interp, item) for item in value])
    if isinstance(value, dict):
        return {key: sample(interp, item) for key, item in value.items()}
    if isinstance(value, slice | Range):
        made = slice if isinstance(value, slice) else range
        return made(*(sample(interp, part) for part in (value.start, value.stop, value.step)))
    raise NoSample


def _of_type(type_: Type) -> Any:
    if isinstance(type_, ListType):
        return [_of_type(type_.element)] * 2
    if type_ == TEXT:
        return "1"
    if not isinstance(type_, ArrayType):
        raise NoSample
    if type_.kind == "python":
        return {"f": 1.0, "i": 1, "b": True, "c": 1j}[type_.dtype.kind]
    if type_.kind == "scalar":
        return type_.dtype.type(1)
    shape = tuple(map(_size, type_.shape))
    if math.prod(shape) > LARGEST_SAMPLE:
        raise NoSample
    made = np.ones(shape, type_.dtype)
    if len(shape) == 2 and shape[0] == shape[1]:  # not singular
        made = made + np.eye(shape[0], dtype=type_.dtype)
    return made.astype(type_.dtype)


def _size(dim: Dim) -> int:
    """A size for a dimension: equal symbols get equal ones."""
    if isinstance(dim, int):
        return dim
    known = Multiple.of(dim)
    return max((4 + sum(map(ord, known.symbol)) % 13) * known.factor + known.offset, 1)


def _is_exact(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a sample has the very sizes of the value, so that Python's message holds."""
    if isinstance(value, Array):
        value = interp.heap.read(value)
    if isinstance(value, Value) and isinstance(value.type, ArrayType):
        return all(isinstance(dim, int) for dim in value.type.shape)
    return not isinstance(value, Value | ListRef | DictRef | ConflictRead)
