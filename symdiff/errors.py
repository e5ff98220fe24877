"""The errors symdiff raises: what is wrong, where, and what to write instead.

Every error has a ``message``, a ``span`` of the user's source (or None), and a ``hint`` (or None),
and shows them in this order. An error inside a called function also has a ``call_chain``. What
the user's own function raises is raised as it is when it is called; where types alone are compiled,
and nothing is run, a ``CertainError`` says so.

>>> from symdiff.source import SourceSpan
>>> span = SourceSpan("model.py", 12, 9, 12, 31, "    k = np.searchsorted(x, t)")
>>> caller = SourceSpan("model.py", 30, 5, 30, 14, "y = locate(x)")
>>> error = UnsupportedCallError("no rule for numpy.searchsorted", span, "give a rule")
>>> print(error.with_caller(caller))
model.py:12:9: no rule for numpy.searchsorted
    k = np.searchsorted(x, t)
        ^^^^^^^^^^^^^^^^^^^^^
  called from model.py:30:5
  give a rule
"""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from symdiff.source.spans import SourceSpan

__all__ = [
    "AliasingError",
    "AnomalyError",
    "ArrayChangedError",
    "CertainError",
    "GradientShapeError",
    "InternalError",
    "ReleasedError",
    "SignatureError",
    "SourceUnavailableError",
    "SymdiffError",
    "UnknownNameError",
    "UnsupportedCallError",
    "UnsupportedSyntaxError",
]

E = TypeVar("E", bound=BaseException)
_INDENT = "  "
_MOST_CALLERS_SHOWN = 8


class SymdiffError(Exception):
    """Whatever symdiff cannot do, with the place in the user's source and a way out.

    >>> print(SymdiffError("this cannot be done", hint="do that"))
    this cannot be done
      do that
    """

    message: str
    span: SourceSpan | None
    hint: str | None
    call_chain: tuple[SourceSpan, ...]
    is_limit: bool = False  # of what is followed in all: no path alone comes to it

    def __init__(
        self, message: str, span: SourceSpan | None = None, hint: str | None = None
    ) -> None:
        # Exactly these are ``args``, with which unpickling calls the class again; whatever is
        # set later travels in ``__dict__``.
        super().__init__(message, span, hint)
        self.message = message
        self.span = span
        self.hint = hint
        self.call_chain = ()

    def as_limit(self) -> Self:
        """This error, as that of a bound on all that is followed."""
        self.is_limit = True
        return self

    def with_span(self, span: SourceSpan) -> Self:
        """This error, placed at ``span`` if it had no place so far."""
        if self.span is None:
            self.span = span
        return self

    def with_caller(self, span: SourceSpan) -> Self:
        """This error, with the next outer call that led to it."""
        self.call_chain = (*self.call_chain, span)
        return self

    def __str__(self) -> str:
        return "\n".join(self._shown_lines())

    def _shown_lines(self) -> Iterator[str]:
        if tells_of_a_path(self.message):  # all of it
            yield self.message
            return
        yield f"{self.span.location}: {self.message}" if self.span else self.message
        if self.span and self.span.text.strip():
            yield self.span.excerpt
        yield from self._shown_callers()
        if self.hint:
            yield _indented(self.hint)

    def _shown_callers(self) -> Iterator[str]:
        for span in self.call_chain[:_MOST_CALLERS_SHOWN]:
            yield f"{_INDENT}called from {span.location}"
        hidden = len(self.call_chain) - _MOST_CALLERS_SHOWN
        if hidden > 0:
            yield f"{_INDENT}and {hidden} more calls"


class UnsupportedSyntaxError(SymdiffError):
    """A construct of Python that symdiff does not compile."""


class UnsupportedCallError(SymdiffError):
    """A call through which a derivative is needed, of something that has no rule."""


class AnomalyError(SymdiffError, ArithmeticError):
    """A NaN or an infinity in a backward sweep, and the line whose derivative gave it."""


class ArrayChangedError(SymdiffError):
    """An array that a forward sweep saved was changed before the backward sweep."""


class ReleasedError(SymdiffError):
    """What was saved for a backward sweep is not there any more."""


class SignatureError(SymdiffError, TypeError):
    """Arguments of types that cannot be differentiated, or that do not fit the function."""


class AliasingError(SymdiffError):
    """Arrays that overlap where the function writes, in a way that cannot be followed."""


class CertainError(SymdiffError):
    """What the function raises where it gets to a place, whatever the values of the types are.

    Its ``__cause__`` is that exception. A call of the function or of a derivative raises the
    exception itself. ``untaken``: what only a definition raises, should the function not.

    >>> print(CertainError.of(TypeError("'float' object is not iterable")))
    this raises TypeError at these types: 'float' object is not iterable
      give arguments of types that the function takes
    """

    untaken: str | None = None

    @classmethod
    def of(cls, error: BaseException, span: SourceSpan | None = None) -> Self:
        """The error that says that an exception of the function is certain."""
        name, what = type(error).__name__, str(error)
        message = f"this raises {name} at these types" + (f": {what}" if what else "")
        return cls(message, span, "give arguments of types that the function takes")


class SourceUnavailableError(SymdiffError):
    """A function whose source is not known, or is not what runs."""


class GradientShapeError(SymdiffError, TypeError):
    """A gradient of something that is not a scalar."""


class UnknownNameError(SymdiffError, KeyError):
    """A name asked for that the function does not have, or that stands for no value."""


class ConvergenceWarning(RuntimeWarning):
    """A solver inside a differentiated function has not converged.

    It names the line of the call and the residual. The derivative is what the implicit function
    theorem gives at the point that the solver returned: that of the exact solution up to how far
    the point is from one, and of no meaning where there is none.
    """


class LostDerivativeWarning(RuntimeWarning):
    """A call reads what an earlier one has stored in an object, a container or an array outside.

    It is a constant there, as in Python, so a derivative through what was stored is lost. It is
    told once for a function and a place; what was stored as ``symdiff.stop_gradient(value)`` is
    meant so, and nothing is told.
    """


class InternalError(SymdiffError):
    """A bug in symdiff, with the program at which it showed.

    >>> print(InternalError("value used before it is defined", ir="%1 = sin %0"))
    value used before it is defined
      this is a bug in symdiff, not in your code: please report it with these lines
    %1 = sin %0
    """

    ir: str | None

    def __init__(
        self,
        message: str,
        span: SourceSpan | None = None,
        hint: str | None = None,
        ir: str | None = None,
    ) -> None:
        super().__init__(message, span, hint)
        self.ir = ir

    def _shown_lines(self) -> Iterator[str]:
        yield from super()._shown_lines()
        evidence = "these lines" if self.ir else "this traceback"
        yield _indented(
            f"this is a bug in symdiff, not in your code: please report it with {evidence}"
        )
        if self.ir:
            yield self.ir


_TAKEN = "symdiff has compiled the other paths: this one is taken at these numbers"


def taken_here(refusal: SymdiffError, chain: tuple[SourceSpan, ...]) -> SymdiffError:
    """A refusal as a program raises it where the path is taken that could not be compiled, which
    the calls of ``chain`` lead to: all that it tells is its message.

    >>> print(taken_here(UnsupportedSyntaxError("a yield here", hint="make a list"), ()))
    a yield here
      make a list
      symdiff has compiled the other paths: this one is taken at these numbers
    """
    kind: Any = next(one for one in type(refusal).__mro__ if one.__module__ == __name__)
    told = kind(refusal.message, refusal.span, refusal.hint)
    told.call_chain = chain
    return kind(f"{told}\n{_indented(_TAKEN)}", refusal.span)  # type: ignore[no-any-return]


def is_of_a_path(error: BaseException) -> bool:
    """Return whether a program says that a path was taken that could not be compiled."""
    return isinstance(error, SymdiffError) and tells_of_a_path(error.message)


def found_at(error: SymdiffError, place: SourceSpan) -> None:
    """Give an error of a path its place and hint, where it is this place that it tells of."""
    head, _, rest = error.message.partition(place.excerpt)
    if head.startswith(f"{place.location}: "):
        error.span, error.hint = place, textwrap.dedent(rest).strip()


def tells_of_a_path(message: object) -> bool:
    """Return whether a message is that of a refusal which a program raises."""
    return isinstance(message, str) and message.endswith(_TAKEN)


def fault(error: BaseException, span: SourceSpan | None = None) -> InternalError:
    """The error that tells of an exception that nothing in the compiler foresees.

    >>> print(fault(KeyError("slot")))
    KeyError: 'slot'
      this is a bug in symdiff, not in your code: please report it with this traceback
    """
    what = f"an assertion failed: {error}" if isinstance(error, AssertionError) else error
    name = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
    return InternalError(f"{name}{what}", span or vars(error).get("span"))


def too_deep(span: SourceSpan | None = None) -> UnsupportedCallError:
    """The refusal of what is nested too deeply to be gone through."""
    message = "calls and expressions are nested too deeply here to be followed"
    return UnsupportedCallError(message, span, "use a loop, or a smaller depth").as_limit()


OUTSIDE = (ImportError, MemoryError)  # of the machine, not of a program


@contextlib.contextmanager
def faults_told() -> Iterator[None]:
    """Let nothing out but what is foreseen: any other exception is a fault, and says so."""
    try:
        yield
    except (SymdiffError, *OUTSIDE):
        raise
    except RecursionError:
        raise too_deep() from None
    except Exception as error:
        raise fault(error) from error


def told_by(error: SymdiffError) -> BaseException | None:
    """What is shown as an error's cause: of a fault, where it arose; a refusal shows the user's
    lines itself.
    """
    return error.__cause__ if isinstance(error, InternalError) else None


# Rejections ---------------------------------------------------------------------------------------


def rejection(kind: Callable[..., E], *arguments: object) -> E:
    """What an op raises, in NumPy's or Python's words, where it does not take its operands.

    The front end turns it into the exception of the user's function, where that raises it too, or
    into a refusal. An exception without this mark is a fault of the compiler's.

    >>> is_rejection(rejection(ValueError, "axes don't match array"))
    True
    >>> is_rejection(ValueError("not enough values to unpack"))
    False
    """
    return _marked(kind(*arguments))


def is_rejection(error: BaseException) -> bool:
    """Return whether an exception was raised because operands do not fit, not by a fault."""
    return getattr(error, "rejection", False)


@contextlib.contextmanager
def rejecting() -> Iterator[None]:
    """Mark what NumPy or Python raises here, where they are given types or constants of the
    user's.
    """
    try:
        yield
    except Exception as error:
        _marked(error)
        raise


def _marked(error: E) -> E:
    error.rejection = True  # type: ignore[attr-defined]
    return error


def _indented(text: str) -> str:
    return "\n".join(_INDENT + line for line in text.splitlines())
