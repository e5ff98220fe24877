"""``with``: ``symdiff.no_grad()``, ``np.errstate(...)``, and context managers of any class.

A manager made by ``contextlib.contextmanager`` is its generator, with the body in the place of the
``yield``. Any other is followed into its ``__enter__`` and ``__exit__``.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder, constant
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.ops.declare import static
from symdiff.ops.effects import (
    Named,
    enter_context,
    leave_context,
    stop_gradient,
)
from symdiff.parse.assignment import assign
from symdiff.parse.attributes import special_method
from symdiff.parse.blame import users
from symdiff.parse.calls import CALLABLES, builtin
from symdiff.parse.cases import for_each_case
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.identity import class_of, is_unknown
from symdiff.parse.interpreter import Interpreter, nothing
from symdiff.parse.iteration import consume, require_resumed
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.opaque import Template
from symdiff.parse.raising import throw
from symdiff.parse.recording import recorded
from symdiff.parse.resumption import caught_at
from symdiff.parse.truth import truth
from symdiff.parse.trying import finally_, guarded, region_of
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Arguments,
    BoundMethod,
    Closure,
    DictRef,
    Keywords,
    ListRef,
    ObjectRef,
    Suspended,
    Token,
)
from symdiff.parse.writeback import write_in_time
from symdiff.source import find_source


class NoGrad:
    """What ``symdiff.no_grad()`` gives inside staged code."""

    def staged_attribute(self, name: str) -> Abstract:
        """Its methods are not called by themselves."""
        raise _not_by_itself()


@dataclass(frozen=True, slots=True)
class Reporting:
    """A manager that says what is reported meanwhile, and how: warnings, how arrays are printed."""

    function: Any
    arguments: tuple[Abstract, ...]
    keywords: dict[str, Abstract]

    def staged_attribute(self, name: str) -> Abstract:
        """Its methods are not called by themselves."""
        raise _not_by_itself()


def _not_by_itself() -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        "a method of this context manager, or what enters it for a with statement",
        hint="write it in a with statement of its own",
    )


def _reporting(function: Any, name: str) -> None:
    @builtin(function)
    def made(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
        known = {key: static(value) for key, value in keywords.items()}
        return Reporting(Named(function, name), tuple(map(static, arguments)), known)


_reporting(np.errstate, "np.errstate")
_reporting(np.printoptions, "np.printoptions")
_reporting(warnings.catch_warnings, "catch_warnings")


def _decorating(
    interp: Interpreter, manager: Reporting, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """``@np.errstate(...)``: the function, called inside the manager."""
    from symdiff.definitions.in_python import inside  # at the first use of one of them

    given = interp.new_dict(dict(manager.keywords))
    return interp.call(inside, [manager.function.target, given, *arguments], keywords)


CALLABLES[Reporting] = _decorating


@contextlib.contextmanager
def without_derivatives(interp: Interpreter) -> Iterator[None]:
    """What is computed meanwhile has no derivative."""
    with meanwhile(builder(), after=_stopped), meanwhile(interp, stopped=interp.stopped + 1):
        yield


def _stopped(node: Node) -> Node:
    """The node, or one that cuts its result off.

    What is written into an array is cut off instead of the array; views are what they are views of.
    """
    with meanwhile(builder(), after=None):
        if node.op.name in _WRITES:
            _cut_written(node)
        elif _computes(node):
            return builder().emit(stop_gradient, (node.result,))
        return node


_WRITES = ("index_set", "index_add")


def _computes(node: Node) -> bool:
    if node.blocks or len(node.results) != 1 or node.op.view is not None:
        return False
    type_ = node.result.type
    if node.op in (constant, stop_gradient) or not isinstance(type_, ArrayType):
        return False
    return carries_derivative(type_)


def _cut_written(node: Node) -> None:
    base, value, *others = node.operands
    if carries_derivative(value.type):
        nodes = builder().nodes
        nodes.pop()
        node.operands = (base, stop_gradient(value), *others)
        nodes.append(node)


def entered(interp: Interpreter, items: list[ast.withitem], body: Callable[[], None]) -> None:
    """Stage a body inside context managers."""
    if not items:
        body()
        return
    item, *others = items
    manager = interp.evaluate(item.context_expr)

    def inner(value: Abstract) -> None:
        target = item.optional_vars
        if target is not None:
            for_each_case(interp, lambda: assign(interp, target, value), target)
        interp.unless_exited(go_on)

    def go_on() -> None:
        further = [other.context_expr for other in others]
        for_each_case(interp, lambda: entered(interp, others, body), *further)

    with interp.at(item.context_expr):
        if _is_recorded(interp, manager, item):
            recorded(interp, manager.keywords, inner)
            return
        if isinstance(manager, Reporting | NoGrad) and item.optional_vars is not None:
            raise _not_followed(interp)
        managed = functools.partial(_managed, expression=item.context_expr)
        handler = _MANAGERS.get(type(manager), managed)
        if _is_of_a_generator(manager):
            handler = _by_generator
        if _is_lock(manager):
            handler = _locked
        if handler is managed:
            _require_manager(interp, manager)
    handler(interp, manager, inner)


def _is_recorded(interp: Interpreter, manager: Abstract, item: ast.withitem) -> bool:
    """Return whether a block's warnings are kept, by it or by one around it."""
    if not isinstance(manager, Reporting) or manager.function.target is not warnings.catch_warnings:
        return False
    keeps = item.optional_vars is not None and manager.keywords.get("record") is True
    return keeps or interp.recorder is not None


def _require_manager(interp: Interpreter, manager: Abstract) -> None:
    if is_unknown(manager):
        raise _not_followed(interp)
    cls = class_of(interp, manager)
    if any(not hasattr(cls, name) for name in ("__enter__", "__exit__")):
        message = f"'{cls.__name__}' object does not support the context manager protocol"
        raise users(TypeError(message))
    if not isinstance(manager, ListRef | DictRef | ObjectRef):
        raise _not_followed(interp)


def _not_followed(interp: Interpreter) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        "symdiff does not compile 'with' on this context manager",
        interp.span,
        "use np.errstate(...), symdiff.no_grad() or a class written in Python,"
        " or move the block outside",
    )


Inner = Callable[[Abstract], None]  # a body, given what the manager gives on entry


def _without_derivatives(interp: Interpreter, manager: NoGrad, inner: Inner) -> None:
    with without_derivatives(interp):
        inner(None)


def _with_reporting(interp: Interpreter, manager: Reporting, inner: Inner) -> None:
    entered = enter_context(
        function=manager.function,
        arguments=manager.arguments,
        keywords=tuple(manager.keywords.items()),
    )
    raises = not {"raise", "call"}.isdisjoint(manager.keywords.values())
    strict = manager.function.target is np.errstate and raises
    with meanwhile(interp, strict=interp.strict or strict):
        inner(None)
    leave_context(entered)


def _locked(interp: Interpreter, manager: ObjectRef, inner: Inner) -> None:
    """A lock of outside, which others wait for: what the body writes is written inside."""
    template = Template(interp)
    held = template.as_held(manager)
    entered = enter_context(*template.operands, function=None, arguments=(held,), keywords=())
    inner(True)
    write_in_time(interp)
    leave_context(entered)


def _is_lock(manager: Abstract) -> bool:
    return isinstance(manager, ObjectRef) and manager.live is not None and manager.type in _LOCKS


_LOCKS = (
    type(threading.Lock()),
    type(threading.RLock()),
    threading.Condition,
    threading.Semaphore,
    threading.BoundedSemaphore,
)


def _is_of_a_generator(manager: Abstract) -> bool:
    return isinstance(manager, ObjectRef) and _stands_for(manager) is _GENERATOR_MANAGER


_GENERATOR_MANAGER = contextlib._GeneratorContextManager


def _stands_for(manager: ObjectRef) -> Any:
    return vars(manager.type).get("__symdiff_class__")


def _by_generator(interp: Interpreter, manager: ObjectRef, inner: Inner) -> None:
    """Stage the generator, with the body in the place of its ``yield``.

    What the body raises is raised there. Where the body is left otherwise, the generator goes on,
    and what leaves the body leaves the statement afterwards.
    """
    token, frame, regions = Token(), interp.frame, len(interp.regions)
    exits = [exit_ for exit_ in frame.exits if exit_.kind != "raise"]

    def at_yield(value: Abstract) -> None:
        with interp.innermost(*(region.exit for region in interp.regions[regions:])):
            inner(value)
        for exit_ in exits:
            interp.put((token, exit_), interp.heap.get(exit_))
            interp.put(exit_, False)

    generator: Any = interp.content((manager, "gen"))
    consume(interp, generator)
    generator.run(at_yield, inside=True)

    def leave() -> None:
        for exit_ in exits:
            left = interp.heap.get((token, exit_))
            interp.put(exit_, False if left is ABSENT else left)

    interp.unless_exited(leave)
    for exit_ in exits:
        interp.heap.contents.pop((token, exit_), None)


def _managed(interp: Interpreter, manager: Abstract, inner: Inner, expression: ast.expr) -> None:
    """An object with ``__enter__`` and ``__exit__``, which may swallow what the body raises.

    Whether an ``ExitStack`` may depends on what the body adds to it: it is staged to find out.
    """
    leave = special_method(interp, manager, "__exit__")
    if not _is_stack(manager):
        _managed_after(interp, manager, expression, leave, inner, _swallowed(interp, leave))
        return
    with Checkpoint(interp, _MaySwallowError) as attempt:
        _managed_after(interp, manager, expression, leave, inner, ())
        return
    _managed_after(interp, manager, expression, leave, inner, attempt.failure.classes)


class _MaySwallowError(Exception):
    """An ``ExitStack`` holds what may swallow an exception of these classes."""

    def __init__(self, classes: tuple[type, ...]) -> None:
        super().__init__(classes)
        self.classes = classes


def _is_stack(manager: Abstract) -> bool:
    return isinstance(manager, ObjectRef) and _stands_for(manager) is contextlib.ExitStack


def _swallowed_by_stack(interp: Interpreter, stack: Abstract) -> tuple[type, ...]:
    """The classes of what an ``ExitStack`` may swallow as it is now."""
    held: Any = interp.heap.get((stack, "_leaving"))
    if isinstance(held, ListRef):
        held = interp.heap.get(held)
    if not isinstance(held, tuple):
        return _OF_OPERATIONS
    found = [kind for leave in held for kind in _swallowed(interp, leave)]
    return tuple(dict.fromkeys(found))


def _managed_after(
    interp: Interpreter,
    manager: Abstract,
    expression: ast.expr,
    leave: Abstract,
    inner: Inner,
    classes: tuple[type, ...],
) -> None:
    """A manager's block, which may go on after exceptions of these classes."""
    enter = special_method(interp, manager, "__enter__")
    value = interp.step(expression, lambda: interp.call(enter, [], {}), "enter")
    ended = (Token(), "raised")

    def run() -> None:
        region = region_of(interp, classes, True)
        region.swallows = bool(classes)
        guarded(interp, region, body, handle, nothing)

    def body() -> None:
        inner(value)
        require_told()

    def require_told() -> None:
        told = classes or not _is_stack(manager)
        swallowed = () if told else _swallowed_by_stack(interp, manager)
        if swallowed:
            raise _MaySwallowError(swallowed)

    def handle(kind: type[BaseException], error: Abstract) -> bool:
        require_told()
        interp.put(ended, True)
        swallows = truth(interp, interp.call(leave, [kind, error, None], {}))
        if isinstance(swallows, Value):
            interp.where_not(swallows, lambda: throw(interp, error, kind))
        return swallows is not False

    def last() -> None:
        raised = interp.heap.get(ended)
        interp.where_not(raised, leave_unraised)

    def leave_unraised() -> None:
        interp.call(leave, [None, None, None], {})

    interp.put(ended, False)
    finally_(interp, run, last, raises=False)
    interp.heap.contents.pop(ended, None)


def _swallowed(interp: Interpreter, leave: Abstract) -> tuple[type, ...]:
    """The classes of the exceptions after which a block may go on that ``__exit__`` leaves."""
    manager: Any = leave.instance if isinstance(leave, BoundMethod) else None
    if isinstance(manager, ObjectRef) and manager.type is contextlib.suppress:
        classes: tuple[type, ...] = interp.content((manager, "_exceptions"))
        return classes
    if _is_of_a_generator(manager):
        return _caught_at_yield(interp, interp.content((manager, "gen")))
    return _OF_OPERATIONS if _may_swallow(leave) else ()


def _caught_at_yield(interp: Interpreter, generator: Any) -> tuple[type, ...]:
    """Those of operations that are caught around a ``yield``, where a generator is suspended."""
    require_resumed(interp, generator)
    state = interp.content(generator)
    if not isinstance(state, Suspended) or any(entry[0] == "with" for entry in state.stack):
        return _OF_OPERATIONS
    caught = [kind for kinds in caught_at(state.stack) for kind in kinds or ()]
    return tuple(
        kind
        for kind in _OF_OPERATIONS
        if any(issubclass(kind, other) or issubclass(other, kind) for other in caught)
    )


def _may_swallow(leave: Abstract) -> bool:
    """Return whether an ``__exit__`` returns anything but what is known to be false."""
    function = leave.function if isinstance(leave, BoundMethod) else leave
    if isinstance(function, types.FunctionType):
        tree: ast.AST = find_source(function).tree
    elif isinstance(function, Closure):
        tree = function.node
    else:
        return False
    if isinstance(tree, ast.Lambda):
        return True
    answers = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    return not all(a is None or (isinstance(a, ast.Constant) and not a.value) for a in answers)


_OF_OPERATIONS = (  # what operations on numbers and arrays raise: ``__exit__`` is told which
    ZeroDivisionError,
    OverflowError,
    FloatingPointError,
    np.linalg.LinAlgError,
    IndexError,
    ValueError,
)


_MANAGERS: dict[type, Callable[[Interpreter, Any, Inner], None]] = {
    NoGrad: _without_derivatives,
    Reporting: _with_reporting,
}
