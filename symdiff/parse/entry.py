"""From a function and a signature to its graph: the front end's entry."""

from __future__ import annotations

import types
from typing import Any

from symdiff.definitions.libraries import meet
from symdiff.errors import (
    AliasingError,
    CertainError,
    InternalError,
    SourceUnavailableError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
    told_by,
    too_deep,
)
from symdiff.ir.build import building
from symdiff.ir.called import called_by
from symdiff.ir.compiled import own_signature
from symdiff.ir.graph import Block, Graph, Value, walk_nodes
from symdiff.ir.signature import Signature
from symdiff.ir.structure import declared
from symdiff.ops.declare import NeedsStatic
from symdiff.ops.effects import raise_
from symdiff.parse.binding import spread_arguments
from symdiff.parse.blame import blamed, certain, is_foreseen
from symdiff.parse.changing import made_outside
from symdiff.parse.demand import decided_outside, demand, input_sizes, obtainable
from symdiff.parse.depth import room
from symdiff.parse.hidden_integers import require_no_hidden_numbers
from symdiff.parse.interpreter import (
    HOOKS,
    FollowedTooOftenError,
    Frame,
    Interpreter,
    placed,
)
from symdiff.parse.marking import Marks, begin, frozen, names_closed, require_found
from symdiff.parse.memory_order import layouts_wanted
from symdiff.parse.output import output_of, without_none
from symdiff.parse.policy import RetryPolicy
from symdiff.parse.reflect import argument
from symdiff.parse.refused_arms import refusal_key
from symdiff.parse.resuming import require_none_in_cleanup
from symdiff.parse.staged import FixedValues, Staged, StaticDemand
from symdiff.parse.values import (
    Abstract,
    Changed,
    Conflict,
    ConflictRead,
    GoneOverAgain,
    NeverReturns,
    NotInTime,
    Scope,
    Storage,
    Unnamed,
)
from symdiff.parse.writeback import read_from_copies, rest_on_being_apart, write_back
from symdiff.source import SourceSpan, find_source, span_of


def stage(
    function: Any,
    signature: Signature,
    marks: Marks | None,
    policy: RetryPolicy,
) -> Staged:
    """Stage a function at a signature, with marks on its names.

    The policy is refined by what is found.

    Raises ``StaticDemand`` where structure depends on a value that the signature does not fix,
    ``CalledOften`` where a function is found to call itself often, and a ``SymdiffError`` for what
    is outside the language; a ``CertainError`` for what the function itself raises, whatever the
    values are.
    """
    meet()
    with room():
        policy.changed |= policy.recursions.keyed
        return _staged_with_retries(function, signature, marks, policy)


def _staged_with_retries(
    function: Any, signature: Signature, marks: Marks | None, policy: RetryPolicy
) -> Staged:
    """The staged function, staged again with a finer policy where a conflict asks for it."""
    while True:
        policy.midway = False
        try:
            staged = _staged(function, signature, policy, marks)
            return _with_large_called(staged, function, signature, policy, marks)
        except (NotInTime, GoneOverAgain, Changed) as found:
            _take_up(policy, found, function)
        except ConflictRead as read:
            if not _may_resolve(policy, read.conflict):
                raise _failure(policy, read.conflict, function) from None
        except StaticDemand:
            if not policy.know_texts():
                raise
        except (UnsupportedSyntaxError, UnsupportedCallError, AliasingError) as error:
            if isinstance(error, FollowedTooOftenError):
                raise _refusal(policy, error, function) from None  # more would be too much, too
            if not _may_mend(policy, error):
                raise _refusal(policy, error, function) from told_by(error)


def _may_resolve(policy: RetryPolicy, conflict: Conflict) -> bool:
    """Take up what may resolve a conflict; False where there is nothing more."""
    refined = policy.refine_for(conflict) or policy.select_more(conflict.span, conflict.reason)
    return refined or policy.midway or policy.know_texts() or _follow_more(policy)


def _may_mend(policy: RetryPolicy, error: SymdiffError) -> bool:
    """Take up what may follow what was refused; False where there is nothing more."""
    if policy.know_texts() or policy.select_more(error.span, error.message):
        return True
    return policy.midway or _follow_more(policy)


def _follow_more(policy: RetryPolicy) -> bool:
    """Follow more calls in their places; False where all are that may be."""
    return policy.tell_known() or policy.follow_large()


def _with_large_called(
    staged: Staged, function: Any, signature: Signature, policy: RetryPolicy, marks: Marks | None
) -> Staged:
    """The function staged once more, where what is a graph of its own has been followed as well,
    or what is carried was known before; as it was, where that cannot be.
    """
    if policy.begin_carrying() or (policy.follows_large and policy.calls_large):
        try:
            return _staged(function, signature, policy, marks)
        except Exception as error:
            if not is_foreseen(error):
                raise
    return staged


def _take_up(
    policy: RetryPolicy, found: NotInTime | GoneOverAgain | Changed, function: Any
) -> None:
    """Follow more closely what was found; what is staged apart has a policy of its own."""
    if isinstance(found, NotInTime):
        if found.place in policy.written_late:
            raise found
        policy.written_late.add(found.place)
    elif isinstance(found, GoneOverAgain):
        if found.node in policy.resumed:
            raise placed(_gone_over_again(), place_of(function)) from None
        policy.resumed.add(found.node)
    else:
        if found.kind in policy.changed:
            raise placed(made_outside(found.kind), place_of(function)) from None
        policy.changed.add(found.kind)


def _gone_over_again() -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        "a generator that is gone on with in a function that is staged apart",
        hint="make a list of it first: list(...)",
    )


def _refusal(policy: RetryPolicy, error: SymdiffError, function: Any) -> Exception:
    """What to raise of the error that has stopped the last attempt.

    The request for what tells that its arm is not taken, if any.
    """
    refusal: Exception = error
    if policy.first is not None and (policy.instead is not None or _comes_of_cases(error)):
        refusal = _failure(policy, policy.first, function)
    if policy.without_arm is None:
        return refusal
    policy.without_arm.refusal = error if isinstance(refusal, StaticDemand) else refusal
    return policy.without_arm


def _comes_of_cases(error: SymdiffError) -> bool:
    """Return whether an error may come of following contents in cases alone."""
    return isinstance(error, AliasingError) or error.message == too_deep().message


def _failure(policy: RetryPolicy, conflict: Conflict, function: Any) -> Exception:
    """What to raise where nothing more can be done.

    The conflict that was found first, where the last one is of the same name or comes of it.
    """
    if policy.instead is not None:
        return policy.instead
    first = policy.first or conflict
    unnamed = isinstance(conflict.name, Unnamed)
    follows = conflict.name == first.name or unnamed or conflict.aliasing
    return placed(_conflict_error(first if follows else conflict), place_of(function))


def _staged(
    function: Any, signature: Signature, policy: RetryPolicy, marks: Marks | None
) -> Staged:
    """The staged function, in one attempt under a policy."""
    interp = Interpreter()
    interp.static = FixedValues((*signature.static, *policy.fixed.items()))
    interp.policy = policy
    policy.recursions.asked.clear()
    policy.follows_large, policy.left_arm, policy.outside = False, None, None
    policy.has_carried = False
    interp.function = function
    with building(interp.entry):
        try:
            if marks is not None:
                begin(interp, marks)
            staged = _stage(interp, function, signature)
            require_found(interp, staged.graph.name)
            return staged
        except SymdiffError as error:
            _note_arm(interp, error)
            told = _refusal_instead(policy, error)
            raise placed(told, place_of(function)) from told_by(told)
        except NeedsStatic as needed:
            _note_arm(interp, needed)
            interp.span = needed.span or place_of(function)
            policy.outside = decided_outside(interp, needed.value)
            raise _demanded(interp, needed) from None
        except ConflictRead as read:
            policy.left_arm = refusal_key(interp, read) if interp.refusal is read else None
            predicate = read.conflict.predicate
            policy.outside = None if predicate is None else decided_outside(interp, predicate)
            raise _decided_now(interp, read, function, policy) from None
        except StaticDemand as wanted:
            wanted.span = wanted.span or place_of(function)
            raise
        except Exception as error:
            known = certain(error)
            if known is None:
                raise
            told = _refusal_instead(policy, known)
            raise placed(told, place_of(function)) from (error if told is known else None)


def _refusal_instead(policy: RetryPolicy, error: SymdiffError) -> SymdiffError:
    """What to raise of an error: where paths that are not refused all raise what the function does,
    the refusal of the others, which may not.
    """
    refused = list(policy.raised_in_arms.values())
    return refused[-1] if refused and isinstance(error, CertainError) else error


def _note_arm(interp: Interpreter, error: Exception) -> None:
    """Note whether an error that ends an attempt has left an arm, and what tells of that."""
    policy = interp.policy
    policy.without_arm = _without_arm(interp, error)
    policy.left_arm = refusal_key(interp, error) if interp.refusal is error else None


def _without_arm(interp: Interpreter, error: Exception) -> StaticDemand | None:
    """The request for what tells whether the innermost arm is taken that an error has left."""
    if interp.refusal is not error:
        return None
    wanted = (obtainable(interp, predicate) for predicate in interp.refused_under)
    return next((found for found in wanted if found is not None), None)


def _demanded(interp: Interpreter, needed: NeedsStatic) -> Exception:
    wanted = demand(interp, needed.value)
    if isinstance(wanted, SymdiffError) and needed.hint is not None:
        wanted.hint = needed.hint
    return wanted


def _decided_now(
    interp: Interpreter, read: ConflictRead, function: Any, policy: RetryPolicy
) -> Exception:
    """A request to fix what decides between the paths, where that can be."""
    layouts = layouts_wanted(interp, read.conflict)
    if layouts:
        return StaticDemand(layouts, interp.span)
    if read.conflict.predicate is not None:
        wanted = obtainable(interp, read.conflict.predicate)
        if wanted is not None:
            wanted.span = read.conflict.span or wanted.span or place_of(function)
            if not read.conflict.by_count or read.conflict.name in interp.policy.unions:
                return wanted
            policy.instead = policy.instead or wanted
            return read
    sizes = input_sizes(interp) if read.conflict.by_layout else ()
    return StaticDemand(sizes, interp.span) if sizes else read


def _conflict_error(conflict: Conflict) -> SymdiffError:
    if conflict.aliasing:
        hint = conflict.hint or (
            f"write before the paths join, or to a copy: {conflict.name} = {conflict.name}.copy()"
        )
        return AliasingError(conflict.reason, conflict.span, hint)
    hint = conflict.hint or "give it one type and one structure on both paths"
    if conflict.hint is None and conflict.name in ("list", "dict"):  # which may have no name
        hint += ", or a name, in a statement of its own"
    return UnsupportedSyntaxError(conflict.reason, conflict.span, hint)


def _stage(interp: Interpreter, function: Any, signature: Signature) -> Staged:
    arguments, keywords = _arguments(interp, function, signature)
    if not isinstance(function, types.FunctionType):  # no source, whose names would be its frame's
        interp.frames.append(Frame(Scope("", frozenset(), None, {}), None, None))
    try:
        result = without_none(interp, HOOKS.call(interp, function, arguments, keywords))
    except NeverReturns:
        raise _never_returns(interp) from None
    require_none_in_cleanup(interp)
    try:
        output, results = output_of(interp, result, by_case=True)
    except RecursionError as error:
        raise blamed(interp, error) from None
    mutated = _mutated(interp, results)
    rest_on_being_apart(interp)
    write_back(interp)
    read_from_copies(interp)
    if not set(walk_nodes(Block((), interp.entry.nodes))).isdisjoint(interp.sketches):
        raise InternalError("the sketch of a loop is in the program", place_of(function))
    graph = Graph(
        getattr(function, "__name__", "function"),
        Block(tuple(interp.parameters), interp.entry.nodes, tuple(results)),
        tuple(interp.inputs),
        output,
        mutated,
        getattr(function, "__doc__", None),
        place_of(function),
    )
    require_no_hidden_numbers(graph.block, interp.classes_asked, interp.answers)
    made_in = {
        node: activation
        for one in (graph, *called_by(graph))
        for node in walk_nodes(one.block)
        if (activation := interp.made_in.get(node)) is not None
    }
    guards = tuple(interp.guards.values())
    read = frozenset(interp.static.read)
    fixed = dict(interp.policy.fixed)
    return Staged(graph, guards, interp.names, names_closed(interp), made_in, read, fixed)


def _never_returns(interp: Interpreter) -> CertainError:
    """What is certain of a function all whose paths end in an exception."""
    nodes = walk_nodes(Block((), interp.entry.nodes))
    raised = [node for node in nodes if node.op is raise_]
    span = raised[-1].span if raised else None
    message = "this raises an exception, whatever the values are"
    error = CertainError(message, span, "let a path return a value")
    if raised and raised[-1].attributes["arguments"] == (interp.untaken,):
        error.untaken = interp.untaken
    return error


def place_of(function: Any) -> SourceSpan | None:
    """Where a function is defined, the one inside of what is declared of it; None where its source
    is not known.
    """
    if not isinstance(function, types.FunctionType):
        inner = declared(function, "__wrapped__")
        return None if inner is None else place_of(inner)
    try:
        source = find_source(function)
    except SourceUnavailableError:  # it has a rule, and is not followed
        return None
    return span_of(source.tree, source)


def _arguments(
    interp: Interpreter, function: Any, signature: Signature
) -> tuple[list[Abstract], dict[str, Abstract]]:
    """The abstract arguments of a call, in the form of the function's parameters."""
    interp.same = dict(signature.same)
    values = {name: argument(interp, spec, (name,)) for name, spec in signature.parameters}
    values = frozen(interp, values)
    try:
        parameters = own_signature(function)
    except (ValueError, TypeError):  # a C function that does not tell its parameters
        return [item for value in values.values() for item in value], {}
    return spread_arguments(interp, parameters, values)


def _mutated(interp: Interpreter, results: list[Value]) -> dict[int, int]:
    """Input arrays that the function writes."""
    mutated: dict[int, int] = {}
    for key, final in interp.heap.contents.items():
        if isinstance(key, Storage) and key in interp.heap.written and key.origin is not None:
            mutated[key.origin] = len(results)
            results.append(final)
    return mutated
