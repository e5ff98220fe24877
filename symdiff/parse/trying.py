"""``try``: the body is a region with an exit of its own, by which leaves whatever is raised in it.

Three things raise in a region. What is certain while the function is compiled (a missing key, an
unknown attribute) and a ``raise`` statement end their path by the exit. An operation that may raise
what some handler names is attempted (``ops.attempts``): the exit is taken where that gave an
exception, and the operation itself stands on the paths where it did not. A region's exit is a
content of the heap, as ``break`` and ``return`` are; beside it stand the number of the class that
was raised and, for each class, the exception. So handlers are branches on these, and what they see
is the heap as it was when the exception was raised.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import CALLS
from symdiff.ir.graph import Block, GraphCell, Node, Value, walk_nodes
from symdiff.ir.types import BOOL, ArrayType
from symdiff.ops.arithmetic import bitwise_or, equal, greater_equal, less, negative
from symdiff.ops.attempts import (
    attempt_of,
    attempted,
    caught,
    error_number,
    is_error,
    spelled_class,
)
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.effects import assert_, enter_context, opaque_call, raise_
from symdiff.ops.facts import may_raise
from symdiff.ops.index import index, index_add, index_set, written_apart
from symdiff.ops.lists import list_length, list_pop
from symdiff.ops.raised import PLACES, classes_raised, only_reports, rule_of_failure
from symdiff.parse.blame import is_users, users
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.exceptions import note_context, raised_by_python
from symdiff.parse.groups import handle_by_parts, is_group, require_no_group, wrapped
from symdiff.parse.hidden_pythons import may_raise_as_pythons
from symdiff.parse.interpreter import HOOKS, Interpreter, Region, either
from symdiff.parse.large_integers import may_be_too_large
from symdiff.parse.meanwhile import pushed
from symdiff.parse.raising import throw
from symdiff.parse.refused_arms import of_program, refusal_in, refusal_of, unheeded
from symdiff.parse.scope import bind_name, forget_name, yields_in
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    ErrorNotKept,
    Failure,
    GoneOverAgain,
    Handled,
    NeverReturns,
    ObjectRef,
    Token,
)
from symdiff.parse.writeback import places
from symdiff.source.trees import parts_of

Action = Callable[[], None]
Alike = Callable[[type[BaseException]], object]
Classes = tuple[type[BaseException], ...]


# Statements ---------------------------------------------------------------------------------------


def stage_try(interp: Interpreter, node: ast.Try | ast.TryStar) -> None:
    """``try`` with all its clauses."""
    if node.finalbody:
        finally_(
            interp,
            lambda: _except(interp, node),
            lambda: interp.execute(node.finalbody),
            any(isinstance(n, _LEAVING) for one in node.finalbody for n in ast.walk(one)),
        )
    else:
        _except(interp, node)


_LEAVING = (ast.Return, ast.Break, ast.Continue)


def _except(interp: Interpreter, node: ast.Try | ast.TryStar) -> None:
    if not node.handlers:
        interp.execute(node.body)
        return
    if isinstance(node, ast.TryStar):
        _except_parts(interp, node)
        return
    kinds = [classes_of(interp, handler) for handler in node.handlers]
    keeps = any(map(_asks_for_error, node.handlers))
    with Checkpoint(interp, ErrorNotKept, when=lambda found: found.node is node):
        _handle(interp, node, kinds, keeps)
        return
    _handle(interp, node, kinds, True)


def _handle(interp: Interpreter, node: ast.Try, kinds: list[Classes | None], keeps: bool) -> None:
    """``try`` with handlers of these classes; ``keeps``: the exception, for the handlers."""

    def handler_for(raised: type[BaseException]) -> ast.ExceptHandler | None:
        return handler_of(node, kinds, raised)

    def handle(raised: type[BaseException], error: Abstract) -> bool:
        handler = handler_for(raised)
        if handler is None:
            return False
        _run_handler(interp, handler, Handled(error, raised, node, keeps))
        return True

    caught = tuple(kind for classes in kinds for kind in classes or (BaseException,))
    region = region_of(interp, caught, keeps)
    guarded(
        interp,
        region,
        lambda: interp.execute(node.body),
        handle,
        lambda: interp.go_on(node.orelse),
        None if keeps else handler_for,
    )


def _except_parts(interp: Interpreter, node: ast.TryStar) -> None:
    """``try`` whose handlers are ``except*``."""
    if yields_in(node):
        raise UnsupportedSyntaxError("a yield in a try with except*", hint="make a list instead")
    handlers = [(handler, _classes_of_parts(interp, handler)) for handler in node.handlers]
    keeps = any(handler.name is not None for handler in node.handlers)

    def in_region(handler: ast.ExceptHandler, part: ObjectRef, then: Callable[..., None]) -> None:
        def handle(raised: type[BaseException], error: Abstract) -> bool:
            then((error, raised))
            return True

        handled = Handled(part, part.type, node, True)
        region = region_of(interp, (Exception,), True, ())
        region.parts = True
        body = functools.partial(_run_handler, interp, handler, handled)
        guarded(interp, region, body, handle, then)

    def handle(raised: type[BaseException], error: Abstract) -> bool:
        if is_group(error) and error.live is None:
            handle_by_parts(interp, error, handlers, in_region, functools.partial(throw, interp))
            return True
        require_no_group(error, raised)
        for handler, classes in handlers:
            if issubclass(raised, classes):
                part = None if handler.name is None else wrapped(interp, error)
                _run_handler(interp, handler, Handled(part, ExceptionGroup, node, part is not None))
                return True
        return False

    caught = tuple(kind for _, classes in handlers for kind in classes)
    region = region_of(interp, caught, keeps)
    region.parts = True
    body, orelse = (functools.partial(interp.execute, part) for part in (node.body, node.orelse))
    guarded(interp, region, body, handle, orelse)


def _classes_of_parts(interp: Interpreter, handler: ast.ExceptHandler) -> Classes:
    classes = classes_of(interp, handler)
    again = any(isinstance(n, ast.Raise) and n.exc is None for n in parts_of(handler))
    if classes is None or any(issubclass(kind, BaseExceptionGroup) for kind in classes):
        raise UnsupportedSyntaxError("except* of what is no class of single exceptions")
    if again:
        raise UnsupportedSyntaxError(
            "raise alone, in a handler of except*",
            hint="raise an exception of your own; what no handler takes is raised again",
        )
    return classes


def handler_of(
    node: ast.Try, kinds: Sequence[Classes | None], raised: type[BaseException]
) -> ast.ExceptHandler | None:
    """The first handler of a ``try`` that catches a class; ``kinds``: those of each handler."""
    for handler, classes in zip(node.handlers, kinds, strict=True):
        if classes is None:
            message = "catching classes that do not inherit from BaseException is not allowed"
            raise users(TypeError(message))
        if issubclass(raised, classes):
            return handler
    return None


def classes_of(interp: Interpreter, handler: ast.ExceptHandler) -> Classes | None:
    """The classes that a handler names; None where it names anything else."""
    if handler.type is None:
        return (BaseException,)
    found = interp.evaluate(handler.type)
    classes = found if isinstance(found, tuple) else (found,)
    known = all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in classes)
    return classes if known else None


def _asks_for_error(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler names the exception, or raises it again."""
    nodes = (node for statement in handler.body for node in ast.walk(statement))
    return handler.name is not None or any(
        isinstance(node, ast.Raise) and node.exc is None for node in nodes
    )


def _run_handler(interp: Interpreter, handler: ast.ExceptHandler, handled: Handled) -> None:
    with interp.at(handler), pushed(interp.handled, handled):
        if handler.name is not None:
            bind_name(interp, handler.name, handled.error)
        interp.execute(handler.body)
        if handler.name is not None:
            forget_name(interp, handler.name)


# Regions ------------------------------------------------------------------------------------------


def region_of(
    interp: Interpreter, classes: Classes, keeps: bool, handled: Classes | None = None
) -> Region:
    """A region whose handlers catch these classes, inside those that are open.

    What is raised again is told by its class around, so a class stands before those it inherits.
    ``handled``: those of them after which it may be that nothing is raised.
    """
    around = interp.regions[-1] if interp.regions else None
    known = [kind for kind in classes if spelled_class(kind) is not None]
    if around is not None:
        known += around.classes
    keeps = keeps or (around is not None and around.keeps)
    handled = classes if handled is None else handled
    parts = around is not None and around.parts
    return Region(Token(), _most_special_first(known), keeps, handled, parts)


def _most_special_first(classes: Sequence[type[BaseException]]) -> Classes:
    """Each class once, in this order where none of them inherits from another."""
    found: list[type[BaseException]] = []
    for kind in dict.fromkeys(classes):
        place = next((k for k, other in enumerate(found) if issubclass(kind, other)), len(found))
        found.insert(place, kind)
    return tuple(found)


def guarded(
    interp: Interpreter,
    region: Region,
    body: Action,
    handle: Callable[[type[BaseException], Abstract], bool],
    orelse: Action,
    alike: Alike | None = None,
) -> None:
    """Stage a body; where it raises, what handles that, and where it ends, ``orelse``.

    ``handle`` is given the class and the exception, and tells whether it has handled it; it does
    the same for all classes for which ``alike`` gives one thing, unless that is None.
    """
    run_in_region(interp, region, body)
    raised = interp.close(region.exit)
    interp.branch(raised, lambda: _dispatch(interp, region, handle, alike), orelse)
    forget(interp, region)


def run_in_region(interp: Interpreter, region: Region, body: Action) -> None:
    """Stage a body whose exceptions leave it by the region's exit, which the caller closes."""
    frames, regions = len(interp.frames), len(interp.regions)
    with interp.opened(region.exit):
        interp.regions.append(region)
        try:
            body()
        except NeverReturns:
            if interp.heap.get(region.exit) is not True:
                raise
            del interp.frames[frames:]
        except Exception as error:
            if not is_users(error):
                raise
            del interp.frames[frames:], interp.regions[regions + 1 :]
            made = raised_by_python(interp, error)
            note_context(interp, made)
            throw(interp, made)
        finally:
            del interp.regions[regions:]


def forget(interp: Interpreter, region: Region) -> None:
    """Drop what was noted of the exceptions of a region."""
    contents, token = interp.heap.contents, region.token
    for key in [key for key in contents if isinstance(key, tuple) and key[0] is token]:
        contents.pop(key)


def _dispatch(
    interp: Interpreter,
    region: Region,
    handle: Callable[[type[BaseException], Abstract], bool],
    alike: Alike | None = None,
) -> None:
    """Handle what was raised, once for each class that it may be of, or for those ``alike``."""
    number = interp.content((region.token, "number"))
    possible = [
        k for k in range(len(region.kinds)) if interp.heap.get((region.token, k)) is not ABSENT
    ]

    def of_kind(k: int) -> None:
        error = interp.content((region.token, k))
        refusal = refusal_of(interp, region.kinds[k])
        with unheeded(interp, refusal):
            handled = handle(region.kinds[k], error)
        if handled and refusal is not None:
            raise of_program(refusal)
        if not handled:
            throw(interp, error, region.kinds[k])

    def among(groups: Sequence[Sequence[int]]) -> None:
        (first, *more), *others = groups
        if not others:
            of_kind(first)
        else:
            found = functools.reduce(either, [equal(number, k) for k in more], equal(number, first))
            interp.branch(found, lambda: of_kind(first), lambda: among(others))

    if isinstance(number, Value):
        among(_groups(region, possible, alike))
    else:
        of_kind(number)


def _groups(region: Region, numbers: Sequence[int], alike: Alike | None) -> list[list[int]]:
    """The numbers of classes, those together that are handled alike."""
    groups: dict[object, list[int]] = {}
    for number in numbers:
        handler = None if alike is None else alike(region.kinds[number])
        groups.setdefault(number if handler is None else handler, []).append(number)
    return list(groups.values())


def finally_(
    interp: Interpreter, body: Action, last: Action, leaves: bool = False, raises: bool = True
) -> None:
    """Stage a body and what is done after it in any case, also where the body is left.

    Operations that raise are attempted only where the caller sees what is done then, as where that
    ``raises`` itself (which is not asked of a method), or where it ``leaves`` the statement by
    itself.
    """
    start = Checkpoint(interp)
    if leaves or _is_seen(interp, body, last, raises):
        start.roll_back()
        _finally(interp, region_of(interp, (Exception,), True, ()), body, last)


def _is_seen(interp: Interpreter, body: Action, last: Action, raises: bool) -> bool:
    """Stage the statement; whether what is done last is seen where an operation raises."""
    nodes = builder().nodes
    start = len(nodes)
    seen = False

    def watched() -> None:
        nonlocal seen
        if not any(map(_raises_in, walk_nodes(Block((), nodes[start:])))):
            last()
            return
        before, length = {key: interp.heap.get(key) for key in places(interp)}, len(nodes)
        last()
        done = walk_nodes(Block((), nodes[length:]))
        now = {key: interp.heap.get(key) for key in places(interp)}
        seen = any(node.op.effect or (raises and may_raise(node)) for node in done)
        seen = seen or before != now

    _finally(interp, region_of(interp, (), False), body, watched)
    return seen


def _raises_in(node: Node) -> bool:
    """Return whether a node may raise, or be followed by what does so as NumPy's settings are."""
    return may_raise(node) or node.op is enter_context


def _finally(interp: Interpreter, region: Region, body: Action, last: Action) -> None:
    run_in_region(interp, region, body)
    exits, value = interp.frame.exits, (interp.frame.token, "value")
    taken = {key: interp.heap.get(key) for key in (*exits, value)}
    for exit_ in exits:
        interp.put(exit_, False)
    with unheeded(interp, refusal_in(interp, region)):
        last()
    raised = interp.close(region.exit)

    def leave_as_before() -> None:
        for key, content in taken.items():
            interp.heap.set(key, content)
        interp.where(raised, lambda: _dispatch(interp, region, lambda kind, error: False))

    interp.unless_exited(leave_as_before)
    forget(interp, region)


# Operations that may raise ------------------------------------------------------------------------


def attempt(interp: Interpreter, node: Node) -> bool:
    """Leave the statement where an operation that is about to be staged may raise in a region.

    The statement is then staged again, on the paths where the attempt has not raised: gives whether
    the node is one that has its results already.
    """
    region = interp.regions[-1]
    if region.parts and node.op in (opaque_call, *CALLS) and not only_reports(node):
        raise UnsupportedSyntaxError(
            "a call that is not followed, inside a try with except*: it may raise a group",
            interp.span,
            "call it before",
        )
    if not (region.classes and may_raise_one(interp, node, region.classes)):
        return False
    known = interp.statement_values
    if known is None:  # of the handling itself
        return False
    if known.nodes is not builder().nodes or known.depth != len(interp.frames):
        raise NotAttemptedError(interp)
    place = known.current
    number = known.seen[place] = known.seen.get(place, -1) + 1
    results = known.attempted.get((place, number))
    if results is None:
        raise Failure(known, (place, number), node)
    if results:
        node.results = results
    return bool(results)


@contextlib.contextmanager
def asked_once(key: Any, is_next: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Compute an element of an iterator, which is asked for by its number.

    Where that may raise, what goes over the iterator would ask for those before it again: they are
    gone over one after the other, from the start of the program on, each in a statement of its own.
    ``is_next``: whether the iterator has not gone on yet, and is asked for the same element again.
    """
    try:
        yield
    except (Failure, NotAttemptedError):
        if is_next():
            raise
        raise GoneOverAgain(key) from None


class NotAttemptedError(UnsupportedSyntaxError):
    """An operation that may raise in a region, and stands where no statement can be left."""

    def __init__(self, interp: Interpreter) -> None:
        super().__init__(
            "an operation that may raise inside try stands where it cannot be told apart",
            interp.span,
            "compute it in a statement of its own, before",
        )


def may_raise_one(interp: Interpreter, node: Node, classes: Classes) -> bool:
    """Return whether a node may raise an exception that one of the classes catches."""
    attempts = (caught, is_error, error_number)
    if (
        node.op in attempts
        or node.blocks
        or (node.op.effect and node.op not in (opaque_call, *CALLS))
    ):
        return False
    raises = may_raise(node) or may_raise_as_pythons(interp, node)
    raised = classes_raised(node) if raises else ()
    if may_be_too_large(interp, node):
        raised = (*raised, OverflowError)
    if interp.strict and _is_reported(node):
        raised = (*raised, FloatingPointError)
    return any(issubclass(a, b) or issubclass(b, a) for a in raised for b in classes)


def require_not_caught(
    interp: Interpreter, nodes: list[Node], what: str, hint: str, own: GraphCell | None = None
) -> None:
    """Refuse nodes that raise what the ``try`` around them catches: no exit leads out of them.

    ``own``: the graph that they are, which may be called there.
    """
    if not interp.regions:
        return
    classes = interp.regions[-1].classes
    for node in walk_nodes(Block((), nodes)):
        is_own = node.op in CALLS and node.attributes["callee"] is own
        if node.op in (raise_, assert_) or (not is_own and may_raise_one(interp, node, classes)):
            raise UnsupportedCallError(what, interp.span, hint)


def _is_reported(node: Node) -> bool:
    """Return whether NumPy may report a node's floating-point errors: of truths there are none."""
    if node.op.cost in ("free", "view") or node.op.view is not None:
        return False
    return not all(_is_of_truths(value) for value in (*node.operands, *node.results))


def _is_of_truths(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype == BOOL.dtype


def failed(interp: Interpreter, failure: Failure) -> None:
    """Take the region's exit on the paths where an operation raises."""
    region, node = interp.regions[-1], _probe(failure.node)
    op = node.op
    if op in PLACES:
        _leave_by_place(interp, node)
        failure.statement.attempted[failure.place] = ()
        return
    results: tuple[Value, ...] = ()
    if not isinstance(op, DeclaredOp) or op.spelling is None:
        raise NotAttemptedError(interp)
    rule = None if _raises_otherwise(interp, node, region.classes) else rule_of_failure(node)
    first = None if rule is None else _first_catching(region.classes, rule.error)
    if rule is not None and first is not None and not (region.keeps or interp.strict):
        _leave(interp, region, rule.where(*node.operands), first, None)
    else:
        asked = attempted if op is opaque_call else caught
        given = {**attempt_of(node), "classes": region.classes}
        made = builder().emit(asked, node.operands, given)
        error, *others = made.results
        results = tuple(others)
        one = len(region.classes) == 1
        number: int | Value = 0 if one else error_number(error, classes=region.classes)
        _leave(interp, region, is_error(error), number, error if region.keeps else None)
    failure.statement.attempted[failure.place] = results


def _raises_otherwise(interp: Interpreter, node: Node, classes: Classes) -> bool:
    """Return whether an op raises more than by its rule."""
    overflows = any(issubclass(OverflowError, kind) for kind in classes)
    return may_raise_as_pythons(interp, node) or (overflows and may_be_too_large(interp, node))


def _leave_by_place(interp: Interpreter, node: Node) -> None:
    """Raise Python's error where a list has no item at the place that is asked for."""
    items, place = node.operands[:2]
    count = list_length(items)
    outside = bitwise_or(greater_equal(place, count), less(place, negative(count)))

    def raise_(told: str) -> None:
        raise users(IndexError(told))

    def refuse() -> None:
        told = functools.partial(raise_, PLACES[node.op])
        if node.op is list_pop:
            interp.branch(equal(count, 0), lambda: raise_("pop from empty list"), told)
        else:
            told()

    interp.where(outside, refuse)


def _first_catching(classes: Classes, raised: type[BaseException]) -> int | None:
    return next((k for k, caught_ in enumerate(classes) if issubclass(raised, caught_)), None)


def _probe(node: Node) -> Node:
    """What raises as a node does, and can be done apart from it: a number's place is read."""
    if node.op not in (index_set, index_add):
        return node
    base, value, *places = node.operands
    is_number = array_type(value).rank == 0
    operands = (base, *places) if is_number else node.operands
    with building(Builder(span=node.span)) as apart:
        apart.emit(index if is_number else written_apart, operands, node.attributes)
    return apart.nodes[-1]


def _leave(
    interp: Interpreter, region: Region, taken: Value, number: int | Value, error: Value | None
) -> None:
    """End the paths on which ``taken`` holds by a region's exit."""
    numbers = range(len(region.classes)) if isinstance(number, Value) else (number,)

    def leave() -> None:
        interp.put((region.token, "number"), number)
        for k in numbers:
            interp.put((region.token, k), error)
        interp.leave(region.exit)

    interp.where(taken, leave)


HOOKS.attempt = attempt
HOOKS.failed = failed
