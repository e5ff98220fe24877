"""Arms of branches that cannot be followed: where one is taken, the refusal is raised there.

What is refused in an arm does not refuse the program: the numbers may never take it. A refusal that
has ended an attempt, with all that may resolve it tried, and has left an arm of a branch, is known
to the next attempt (``RetryPolicy.raised_in_arms``). There the arm does nothing but raise it, so
nothing of what the arm does is half done.

It stays a refusal of the program where the other arm does not go on either, where a handler or a
manager around may catch it, or what is done last there may take its place, and inside the
definition of a library's function, which is refused as a whole.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from symdiff.errors import (
    AliasingError,
    SourceUnavailableError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
    taken_here,
    tells_of_a_path,
)
from symdiff.ir.build import builder
from symdiff.ir.called import called_by
from symdiff.ir.control import CALLS
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ops.declare import NeedsStatic
from symdiff.ops.effects import assert_, raise_
from symdiff.parse.exceptions import exception_of
from symdiff.parse.interpreter import Interpreter, Region
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.raising import throw
from symdiff.parse.values import ABSENT, ConflictRead, NeverReturns

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


# What leaves a ``try`` by a refusal ---------------------------------------------------------------


def raises_refusals(nodes: Iterable[Node]) -> bool:
    """Return whether one of the nodes, or of those in graphs that they call, raises a refusal."""
    for node in nodes:
        if _raises_refusal(node):
            return True
        graph = node.attributes["callee"].graph if node.op in CALLS else None
        for one in () if graph is None else (graph, *called_by(graph)):
            if any(map(_raises_refusal, walk_nodes(one.block))):
                return True
    return False


def _raises_refusal(node: Node) -> bool:
    given = node.attributes.get("arguments") if node.op is raise_ else None
    return bool(given) and tells_of_a_path(given[0])  # type: ignore[index]


def refusal_of(interp: Interpreter, kind: type[BaseException]) -> SymdiffError | None:
    """The refusal that an exception of a class is, should a program raise it; None of others."""
    if not issubclass(kind, SymdiffError):
        return None
    known = interp.policy.raised_in_arms.values()
    return next((one for one in reversed(known) if isinstance(one, kind)), None)


def refusal_in(interp: Interpreter, region: Region) -> SymdiffError | None:
    """The refusal by which a region may be left; None where it is by none."""
    for number, kind in enumerate(region.kinds):
        if interp.heap.get((region.token, number)) is not ABSENT:
            found = refusal_of(interp, kind)
            if found is not None:
                return found
    return None


@contextlib.contextmanager
def unheeded(interp: Interpreter, refusal: SymdiffError | None) -> Iterator[None]:
    """Stage what is done last where a refusal may be raised: it raises nothing else, and leaves
    nothing by itself. Otherwise the refusal is one of the program.
    """
    if refusal is None:
        yield
        return
    exits = (*interp.frame.exits, *(region.exit for region in interp.regions))
    before = {key: interp.heap.get(key) for key in exits}
    nodes = builder().nodes
    start = len(nodes)
    try:
        yield
    except NeverReturns:
        raise of_program(refusal) from None
    done = walk_nodes(Block((), nodes[start:]))
    if any(node.op in (raise_, assert_) for node in done) or any(
        interp.heap.get(key) is not held for key, held in before.items()
    ):
        raise of_program(refusal)


def of_program(refusal: SymdiffError) -> SymdiffError:
    """A refusal that no arm raises."""
    made: Any = copy.copy(refusal)
    return made.as_limit()  # type: ignore[no-any-return]
