"""Arms of branches that cannot be followed: where one is taken, the refusal is raised there.

What is refused in an arm does not refuse the program: the numbers may never take it. A refusal that
has ended an attempt, with all that may resolve it tried, and has left an arm of a branch, is known
to the next attempt (``RetryPolicy.raised_in_arms``). There the arm does nothing but raise it, so
nothing of what the arm does is half done.

It stays a refusal of the program where the other arm does not go on either, where a handler or a
manager around may catch it, and inside the definition of a library's function, which is refused as
a whole.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from symdiff.errors import (
    AliasingError,
    SourceUnavailableError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
    taken_here,
)
from symdiff.ir.build import builder
from symdiff.ir.graph import Value
from symdiff.ops.declare import NeedsStatic
from symdiff.parse.exceptions import exception_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.raising import throw
from symdiff.parse.values import ConflictRead

if TYPE_CHECKING:
    from symdiff.parse.join import Arm


def refusal_key(interp: Interpreter, error: Exception) -> Hashable:
    """What tells a refusal from others, in every attempt; None of what no arm raises."""
    if isinstance(error, ConflictRead):
        return ConflictRead, error.conflict.span, error.conflict.reason
    if isinstance(error, NeedsStatic):
        return NeedsStatic, error.span or interp.span
    if isinstance(error, _REFUSALS) and not error.is_limit:
        return type(error), error.span or interp.span, error.message
    return None


_REFUSALS = (UnsupportedSyntaxError, UnsupportedCallError, AliasingError, SourceUnavailableError)


def note_refusal(interp: Interpreter, error: Exception, predicate: Value | None = None) -> None:
    """Note that an exception which may be a refusal leaves an arm, or a turn that may not be begun;
    by which predicates, the innermost first.
    """
    if interp.refusal is not error:
        interp.refusal, interp.refused_under = error, []
    if predicate is not None:
        interp.refused_under.append(predicate)


def raised_instead(interp: Interpreter, error: Exception, frames: int) -> SymdiffError | None:
    """The refusal that an arm raises which an error leaves; None where it has to leave it.

    ``frames``: how many there are around the arm.
    """
    known = interp.policy.raised_in_arms
    if not known or interp.is_caught or interp.frames[frames - 1].place is not None:
        return None
    refusal = known.get(refusal_key(interp, error))
    if refusal is None or any(region.may_catch(type(refusal)) for region in interp.regions):
        return None
    around = () if interp.in_template else reversed(interp.frames[1:frames])
    callers = [frame.called_from for frame in around if frame.called_from is not None]
    return taken_here(refusal, (*getattr(error, "call_chain", ()), *callers))


def raise_refusal(interp: Interpreter, refusal: SymdiffError) -> None:
    """Raise a refusal where the program runs: this path ends here."""
    with meanwhile(builder(), span=refusal.span or interp.span):
        throw(interp, exception_of(interp, type(refusal), (refusal.message,)))


def goes_on(interp: Interpreter, arm: Arm) -> bool:
    """Return whether a path goes on behind an arm: it raises nothing, or what may be caught."""
    if arm.refused is not None or not arm.reached:
        return False
    if not interp.regions or arm.heap.get(interp.regions[-1].exit) is not True:
        return True
    number = arm.heap.get((interp.regions[-1].token, "number"))
    kind = interp.regions[-1].kinds[number] if isinstance(number, int) else BaseException
    return any(region.may_catch(kind) for region in interp.regions)
