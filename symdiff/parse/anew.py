"""A call that is staged again by itself, under a finer policy, where that may resolve its failure.

The whole program is staged again where a policy is refined. What one call alone has brought about
is refined for that call, and the attempt goes on: names are kept as unions, or items selected. What
else may help goes first: an input that tells, turns that are staged one by one. An attempt that has
refined its policy in its midst, and fails, is made again from the start before its failure counts.

An input that tells is fixed for all calls at once, too, where it is none of the arguments, and a
call has read it first: nothing that was staged before rests on it.
"""

from __future__ import annotations

from symdiff.errors import SymdiffError
from symdiff.ir.graph import FreeVariable, Value
from symdiff.ir.signature import Aspect, Path
from symdiff.ops.declare import NeedsStatic
from symdiff.parse.demand import demand, obtainable
from symdiff.parse.interpreter import Interpreter, ReadSoFar
from symdiff.parse.memory_order import layouts_wanted
from symdiff.parse.templates import forget_reading
from symdiff.parse.values import Conflict, ConflictRead
from symdiff.source import FunctionNode


def refined(
    interp: Interpreter, failure: Exception, node: FunctionNode, since: int, read: ReadSoFar
) -> bool:
    """Refine the policy so that a call of a function, begun at ``since``, may be staged again.

    ``read``: what had been read then. False where nothing is known that may resolve what has
    stopped it.
    """
    policy = interp.policy
    if interp.tentative or interp.sketching:
        return False
    if _asks_outcomes(interp, failure, since):
        done = True
    elif isinstance(failure, ConflictRead):
        done = _is_own(interp, failure.conflict, since) and policy.refine_for(failure.conflict)
    else:
        done = isinstance(failure, NeedsStatic) and (
            _fixes(interp, failure, read) or _selects(interp, failure, node)
        )
    policy.midway = policy.midway or done
    return done


def _asks_outcomes(interp: Interpreter, failure: Exception, since: int) -> bool:
    """Have what floats outside give known where they are compared, if that alone tells."""
    asked = failure.value if isinstance(failure, NeedsStatic) else None
    if isinstance(failure, ConflictRead) and failure.conflict.since >= since:
        asked = failure.conflict.predicate
    wanted = None if asked is None or interp.policy.present is None else obtainable(interp, asked)
    if wanted is None or wanted.paths or not wanted.places:
        return False
    interp.policy.compared |= wanted.places
    return True


def _fixes(interp: Interpreter, needed: NeedsStatic, before: ReadSoFar) -> bool:
    """Fix the values that a call has read first and that tell what is needed."""
    present, new = interp.policy.present, set(interp.parameters[before.inputs :])
    asks = new and before.written == interp.read_so_far().written
    wanted = obtainable(interp, needed.value) if asks else None
    if wanted is None or present is None or not interp.static.keys().isdisjoint(wanted.paths):
        return False
    read = [_read_at(interp, path) for path in wanted.paths]
    if not all(found and found <= new for found in read):
        return False
    fixed = {path: present(path) for path in wanted.paths}
    interp.policy.fixed.update(fixed)
    interp.static.update(fixed)
    forget_reading(interp, interp.forget_read(before))
    return True


def _read_at(interp: Interpreter, path: Path) -> set[Value]:
    """The inputs from outside of which something is wanted at a path."""
    holder = path[:-1] if isinstance(path[-1], Aspect) else path
    is_free = isinstance(path[0], FreeVariable)
    return set(interp.parameters_at.get(holder, ())) if is_free else set()


def _is_own(interp: Interpreter, conflict: Conflict, since: int) -> bool:
    """Return whether a call has made a conflict, and no input would tell between its paths."""
    policy = interp.policy
    if conflict.since < since or not policy.may_refine_for(conflict):
        return False
    if conflict.by_layout or layouts_wanted(interp, conflict):
        return False
    predicate = conflict.predicate
    return predicate is None or obtainable(interp, predicate) is None


def _selects(interp: Interpreter, needed: NeedsStatic, node: FunctionNode) -> bool:
    """Let the item that a function has asked for last be selected at run time."""
    policy = interp.policy
    new = [span for span in policy.asked if span not in policy.selecting]
    if not new or policy.asked[new[-1]] is not node:
        return False
    refusal = demand(interp, needed.value)
    if not isinstance(refusal, SymdiffError):
        return False
    return policy.select_more(refusal.span or needed.span, refusal.message)
