"""Statements, one function a node class; each tells whether it staged the rest of its block too."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import sys
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ops.effects import assert_
from symdiff.parse import lookups
from symdiff.parse.assignment import assign, updated
from symdiff.parse.attributes import delete_attribute, get_attribute, set_attribute
from symdiff.parse.blame import python_raises, users
from symdiff.parse.branches import stage_choice, stage_if
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.class_statements import stage_class
from symdiff.parse.contexts import entered
from symdiff.parse.exceptions import is_exception, note_context
from symdiff.parse.expressions import make_closure, test
from symdiff.parse.functions import left_inside
from symdiff.parse.interpreter import STATEMENTS, Interpreter
from symdiff.parse.items import delete_item, get_item, set_item
from symdiff.parse.iteration import for_each, is_unnumbered, iterated, run_over
from symdiff.parse.loops import run_inside, run_while
from symdiff.parse.moves import moves_in
from symdiff.parse.raising import raise_with, throw
from symdiff.parse.scope import bind_name, load_name, read_free, unbind_name
from symdiff.parse.selecting import at_each_place
from symdiff.parse.trees import contents_within
from symdiff.parse.trials import Turns
from symdiff.parse.trying import NotAttemptedError, stage_try
from symdiff.parse.values import (
    Abstract,
    Array,
    CalleeLeft,
    Conflict,
    ConflictRead,
    ErrorNotKept,
    Exit,
)

_MANY = 512  # loops that are written anew: they are staged turn by turn

Rest = Sequence[ast.stmt]
Handler = Callable[[Interpreter, Any], None]


def statement(*classes: type[ast.stmt]) -> Callable[[Handler], Handler]:
    """Register how statements of a class are staged."""

    def register(handler: Handler) -> Handler:
        def stage(interp: Interpreter, node: Any, rest: Rest) -> bool:
            followed = rest or interp.policy.unions
            if followed and isinstance(getattr(node, "value", None), ast.IfExp):
                return stage_choice(interp, node, rest, lambda: handler(interp, node))
            handler(interp, node)
            return False

        for node_class in classes:
            STATEMENTS[node_class] = stage
        return handler

    return register


@statement(ast.Pass, ast.Global, ast.Nonlocal)
def _nothing(interp: Interpreter, node: ast.stmt) -> None:
    return


@statement(ast.Expr)
def _expression(interp: Interpreter, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        interp.evaluate(node.value)


# Assignment ---------------------------------------------------------------------------------------


@statement(ast.Assign)
def _assign(interp: Interpreter, node: ast.Assign) -> None:
    value = interp.evaluate(node.value)
    *others, last = node.targets
    for target in others:
        assign(interp, target, value)
    _assign_last(interp, last, value)


def _assign_last(interp: Interpreter, target: ast.expr, value: Abstract) -> None:
    """``target = value``, at the end of a statement: a method that does it may raise."""
    try:
        assign(interp, target, value)
    except CalleeLeft as left:
        setters = ("__setitem__", "__setattr__", "__set__", getattr(target, "attr", None))
        if not isinstance(target, ast.Attribute | ast.Subscript) or left.method not in setters:
            raise left_inside(left) from None


@statement(ast.AnnAssign)
def _annotated(interp: Interpreter, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(interp, node.target, interp.evaluate(node.value))


@statement(ast.AugAssign)
def _augmented(interp: Interpreter, node: ast.AugAssign) -> None:
    target = node.target
    op = type(node.op)

    def updated_once(before: Abstract) -> Abstract:
        """The new value: an array has changed in place already where storing it raises."""
        value = interp.evaluate(node.value)
        return interp.step(target, lambda: updated(interp, op, before, value), "updated")

    if isinstance(target, ast.Name):
        before = interp.step(target, lambda: load_name(interp, target.id))
        bind_name(interp, target.id, updated_once(before))
    elif isinstance(target, ast.Attribute):
        owner = interp.evaluate(target.value)
        before = interp.step(target, lambda: get_attribute(interp, owner, target.attr))
        set_attribute(interp, owner, target.attr, updated_once(before))
    elif isinstance(target, ast.Subscript):
        container, key = interp.evaluate(target.value), interp.evaluate(target.slice)

        def update(key: Abstract) -> None:
            before = interp.step(target, lambda: get_item(interp, container, key))
            after = updated_once(before)
            if not (isinstance(before, Array) and after is before and before.lenses):
                set_item(interp, container, key, after)

        at_each_place(interp, container, key, update)


@statement(ast.Delete)
def _delete(interp: Interpreter, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            unbind_name(interp, target.id)
        elif isinstance(target, ast.Subscript):
            interp.step(target, functools.partial(_delete_item, interp, target))
        elif isinstance(target, ast.Attribute):
            with interp.at(target):
                interp.step(target, functools.partial(_delete_attribute, interp, target))
        else:
            with interp.at(target):
                raise UnsupportedSyntaxError("'del' of this", hint="write a 'del' for each of them")


def _delete_item(interp: Interpreter, target: ast.Subscript) -> None:
    container = interp.evaluate(target.value)
    delete_item(interp, container, interp.evaluate(target.slice))


def _delete_attribute(interp: Interpreter, target: ast.Attribute) -> None:
    delete_attribute(interp, interp.evaluate(target.value), target.attr)


# Control ------------------------------------------------------------------------------------------


STATEMENTS[ast.If] = stage_if


@statement(ast.Return)
def _return(interp: Interpreter, node: ast.Return) -> None:
    value = None if node.value is None else interp.evaluate(node.value)
    frame = interp.frame
    if len(interp.frames) == 1:
        interp.returned = interp.span
    check_known(interp, value)
    interp.put((frame.token, "value"), value)
    interp.leave(Exit(frame.token, "return"))


@statement(ast.Break)
def _break(interp: Interpreter, node: ast.Break) -> None:
    _leave_loop(interp, "break")


@statement(ast.Continue)
def _continue(interp: Interpreter, node: ast.Continue) -> None:
    _leave_loop(interp, "continue")


def check_known(interp: Interpreter, value: Abstract) -> None:
    """Where a value holds what differs between paths, let the paths be staged apart now.

    What is one of several may be part of what a call gives: it is told apart where it is read.
    """
    for part in contents_within(interp.heap, value):
        if isinstance(part, Conflict) and (part.cases is None or len(interp.frames) == 1):
            raise ConflictRead(part)


def _leave_loop(interp: Interpreter, kind: str) -> None:
    interp.leave(next(exit_ for exit_ in reversed(interp.frame.exits) if exit_.kind == kind))


@statement(ast.For)
def _for(interp: Interpreter, node: ast.For) -> None:
    items = interp.evaluate(node.iter)
    with interp.at(node.iter):
        items = iterated(interp, items)

    def turn(element: Abstract) -> None:
        assign(interp, node.target, element)
        interp.execute(node.body)

    if is_unnumbered(items):
        whole = _goes_to_the_end(interp, node)
        turns = run_inside(interp, lambda one: for_each(interp, items, one, whole), turn)
    else:
        turns = run_over(interp, items, turn, node.iter, moves_in(node))
    _else(interp, turns, node.orelse)


def _goes_to_the_end(interp: Interpreter, node: ast.For) -> bool:
    """Return whether a loop is left at its end only, whatever goes over what it gives."""
    consumer = interp.frame.consumer
    inside = (one for statement in node.body for one in ast.walk(statement))
    leaves = any(isinstance(one, ast.Break | ast.Continue | ast.Return) for one in inside)
    return not leaves and (consumer is None or consumer.whole)


@statement(ast.While)
def _while(interp: Interpreter, node: ast.While) -> None:
    def goes_on() -> bool | Value:
        with interp.at(node.test):
            return interp.test(node.test)

    tests_itself = isinstance(node.test, ast.Constant)  # then the test stands in the body
    with Checkpoint(interp, NotAttemptedError, when=lambda _: not tests_itself):
        turns = run_while(interp, goes_on, lambda: interp.execute(node.body), moves_in(node))
        _else(interp, turns, node.orelse)
        return
    interp.execute([_testing_itself(node)])


@functools.lru_cache(_MANY)
def _testing_itself(node: ast.While) -> ast.While:
    """``while True: if not test: break; …``, of which each statement can be left."""
    leave = ast.copy_location(ast.Break(), node.test)
    unless = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    test = ast.copy_location(ast.If(unless, [*node.orelse, leave], []), node.test)
    forever = ast.copy_location(ast.Constant(True), node.test)
    return ast.copy_location(ast.While(forever, [test, *node.body], []), node)


def _else(interp: Interpreter, turns: Turns, orelse: list[ast.stmt]) -> None:
    """The ``else`` of a loop: runs unless the loop was left by break."""
    broken = interp.close(turns.broken)
    if orelse:
        interp.where_not(broken, lambda: interp.go_on(orelse))


statement(ast.Try)(stage_try)
statement(ast.TryStar)(stage_try)


@statement(ast.With)
def _with(interp: Interpreter, node: ast.With) -> None:
    entered(interp, node.items, lambda: interp.execute(node.body))


# Effects ------------------------------------------------------------------------------------------


@statement(ast.Assert)
def _assert(interp: Interpreter, node: ast.Assert) -> None:
    condition = test(interp, node.test)

    def fail() -> None:
        given = () if node.msg is None else (interp.evaluate(node.msg),)
        raise_with(interp, AssertionError, given)

    plain = node.msg is None or isinstance(node.msg, ast.Constant)
    late = interp.policy.written_late or interp.regions
    if isinstance(condition, Value) and plain and not late:
        assert_(condition, message=node.msg.value if isinstance(node.msg, ast.Constant) else None)
    else:
        interp.where_not(condition, fail)


@statement(ast.Raise)
def _raise(interp: Interpreter, node: ast.Raise) -> None:
    if node.exc is None:
        if not interp.handled:
            raise users(RuntimeError("No active exception to reraise"))
        handled = interp.handled[-1]
        if not handled.kept:
            raise ErrorNotKept(handled.node)
        throw(interp, handled.error, handled.kind)
        return
    call = node.exc
    plain = node.cause is None and not interp.regions
    if plain and isinstance(call, ast.Call) and not call.keywords:
        made = interp.evaluate(call.func)
        if isinstance(made, type) and issubclass(made, BaseException):
            raise_with(interp, made, tuple(interp.evaluate(a) for a in call.args))
            return
    value = interp.evaluate(node.exc)
    if isinstance(value, type) and issubclass(value, BaseException):
        value = interp.call(value, [], {})
    if node.cause is not None and is_exception(value):
        interp.put((value, "__cause__"), interp.evaluate(node.cause))
    note_context(interp, value)
    throw(interp, value)


# Definitions --------------------------------------------------------------------------------------


@statement(ast.FunctionDef)
def _function(interp: Interpreter, node: ast.FunctionDef) -> None:
    value: Abstract = make_closure(interp, node)
    for decorator in reversed(node.decorator_list):
        value = interp.call(interp.evaluate(decorator), [value], {})
    bind_name(interp, node.name, value)


@statement(ast.ClassDef)
def _class(interp: Interpreter, node: ast.ClassDef) -> None:
    stage_class(interp, node)


if hasattr(ast, "TypeAlias"):  # from Python 3.12 on

    @statement(ast.TypeAlias)
    def _type_alias(interp: Interpreter, node: Any) -> None:
        """``type Name = ...``, whose value is for type checkers: nothing evaluates it."""
        made: Any = getattr(typing, "TypeAliasType")  # noqa: B009  which 3.11 has not
        bind_name(interp, node.name.id, made(node.name.id, Any))


@statement(ast.Import)
def _import(interp: Interpreter, node: ast.Import) -> None:
    for alias in node.names:
        module = _imported(alias.name)
        name = alias.asname or alias.name.split(".")[0]
        bind_name(interp, name, _as_content(interp, module if alias.asname else _imported(name)))


@statement(ast.ImportFrom)
def _import_from(interp: Interpreter, node: ast.ImportFrom) -> None:
    package = interp.scope.globals.get("__package__") or ""
    module = _imported("." * node.level + (node.module or ""), package)
    for alias in node.names:
        try:
            value = get_attribute(interp, _as_content(interp, module), alias.name)
        except AttributeError:
            value = _submodule(interp, module, alias.name)
        bind_name(interp, alias.asname or alias.name, value)


def _as_content(interp: Interpreter, module: Any) -> Abstract:
    """A module, or the object of a class that a package has put in its place."""
    if isinstance(module, types.ModuleType):
        return module
    return read_free(interp, lookups.variable_of(interp, module))


def _submodule(interp: Interpreter, package: types.ModuleType, name: str) -> Any:
    """``from package import name``, where that is a module that may not be loaded so far."""
    try:
        if hasattr(package, "__path__"):
            return _imported(f"{package.__name__}.{name}")
    except ModuleNotFoundError:
        pass
    owner, place = package.__name__, getattr(package, "__file__", None)
    told = f"cannot import name {name!r} from {owner!r} ({place or 'unknown location'})"
    raise users(ImportError(told, name=owner, path=place))


def _imported(name: str, package: str = "") -> Any:
    """A module that is loaded already, or a library's; importing others would run their code."""
    full = importlib.util.resolve_name(name, package) if name.startswith(".") else name
    if sys.modules.get(full) is not None:  # a script, too, which has no specification
        return sys.modules[full]
    with python_raises():
        if importlib.util.find_spec(full.split(".")[0]) is None:
            raise ModuleNotFoundError(f"No module named {full!r}", name=full)
    if full.split(".")[0] not in sys.stdlib_module_names | {
        "numpy",
        "scipy",
        "symdiff",
    }:
        raise UnsupportedSyntaxError(
            f"the import of {full} inside a function, for the first time",
            hint="import it at the top of the file",
        )
    with python_raises():
        return importlib.import_module(full)
