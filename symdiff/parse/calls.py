"""Calls: what is called decides, never how it is spelled.

Library functions go to their lowerings; Python's builtins to ``builtin_functions``; user functions,
methods, lambdas and partials are followed into their source with names of their own; everything
else is an opaque call, kept in its place.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff import ops
from symdiff.errors import SymdiffError, UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.structure import Container, Leaf, is_leaf
from symdiff.ir.types import ListType
from symdiff.ops.declare import FUNCTIONS, METHODS, WRITES
from symdiff.parse.access import MUTATING_ARRAY_METHODS, adopt, get_attribute, object_attribute
from symdiff.parse.interpreter import MOST_INLINED, Frame, Interpreter, describe
from symdiff.parse.recursion import followed
from symdiff.parse.reflect import container
from symdiff.parse.scope import local_names
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    ArrayMethod,
    BoundMethod,
    Closure,
    Columns,
    Conflict,
    ConflictRead,
    Generator,
    ListRef,
    ObjectRef,
    Partial,
    Scope,
    now,
)
from symdiff.source import FunctionNode, FunctionSource, find_source

Keywords = dict[str, Abstract]
Handler = Callable[[Interpreter, Sequence[Abstract], Keywords], Abstract]

BUILTINS: dict[Any, Handler] = {}
METHODS_OF: dict[type, dict[str, Callable[..., Abstract]]] = {}


def builtin(*functions: Any) -> Callable[[Handler], Handler]:
    """Register what a call of these functions means."""

    def register(handler: Handler) -> Handler:
        for function in functions:
            BUILTINS[function] = handler
        return handler

    return register


# Dispatch -----------------------------------------------------------------------------------------


def call_value(
    interp: Interpreter, function: Abstract, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    """``function(*arguments, **keywords)``."""
    handler = _CALLABLES.get(type(function))
    if handler is not None:
        return handler(interp, function, list(arguments), keywords)
    known = _known(BUILTINS, function)
    if known is not None:
        return known(interp, arguments, keywords)
    lowering = _known(FUNCTIONS, function)
    if lowering is not None:
        return call_lowering(interp, lowering, arguments, keywords)
    written = _known(WRITES, function)
    if written is not None:
        return _call_writing(interp, written, arguments, keywords)
    return _call_other(interp, function, arguments, keywords)


def _known(table: dict[Any, Any], function: Any) -> Any:
    try:
        return table.get(function)
    except TypeError:  # not hashable
        return None


def _call_other(
    interp: Interpreter, function: Any, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    own = "__symdiff_called__" if isinstance(function, type) else "__symdiff_staged__"
    if hasattr(function, own):
        from symdiff.parse.transformed import Stager

        return getattr(function, own)(Stager(interp), list(arguments), keywords)
    if hasattr(function, "__symdiff_function__"):
        return call_value(interp, function.__symdiff_function__, arguments, keywords)
    if isinstance(function, types.FunctionType):
        return call_function(interp, function, arguments, keywords)
    if isinstance(function, types.MethodType):
        return call_value(interp, function.__func__, [function.__self__, *arguments], keywords)
    if isinstance(function, type):
        return call_class(interp, function, arguments, keywords)
    if isinstance(function, functools.partial):
        merged = {**function.keywords, **keywords}
        return call_value(interp, function.func, [*function.args, *arguments], merged)
    if isinstance(function, types.BuiltinFunctionType) and isinstance(
        getattr(function, "__self__", None), str | bytes
    ):
        return call_static(interp, function, arguments, keywords)
    from symdiff.parse.opaque import call_opaque

    return call_opaque(interp, function, arguments, keywords)


def call_static(
    interp: Interpreter, function: Any, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    """A pure function of static operands, run now."""
    from symdiff.parse.opaque import call_opaque
    from symdiff.parse.operators import is_staged

    plain = [plain_argument(interp, a) for a in arguments]
    if any(is_staged(a) for a in _flat(plain)):
        return call_opaque(interp, function, arguments, keywords)
    return function(*plain, **keywords)


def _flat(items: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for item in items:
        flat.extend(_flat(item) if isinstance(item, list | tuple) else [item])
    return flat


# Lowerings ----------------------------------------------------------------------------------------


def call_lowering(
    interp: Interpreter,
    lowering: Callable[..., Any],
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> Abstract:
    """A library function by its lowering; ``out=`` becomes a store."""
    keywords = dict(keywords)
    out = keywords.pop("out", None)
    arrays: dict[Value, Abstract] = {}
    plain = [plain_argument(interp, a, arrays) for a in arguments]
    named = {name: plain_argument(interp, a, arrays) for name, a in keywords.items()}
    try:
        result = lowering(*plain, **named)
    except TypeError as error:
        raise _not_callable_so(interp, error) from error
    if out is not None:
        return _store_out(interp, out, result)
    return adopt(interp, result, arrays)


def _not_callable_so(interp: Interpreter, error: TypeError) -> Exception:
    text = str(error)
    if "argument" in text and ("unexpected" in text or "missing" in text or "takes" in text):
        return UnsupportedCallError(
            f"symdiff does not take this form of the call: {text}", interp.span
        )
    return error


def _store_out(interp: Interpreter, out: Abstract, result: Any) -> Abstract:
    if isinstance(out, tuple):
        (out,) = out
    if not isinstance(out, Array):
        raise TypeError("return arrays must be of ArrayType")
    store_whole(interp, out, result)
    return out


def _call_writing(
    interp: Interpreter,
    lowering: Callable[..., Any],
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> None:
    """A library function that changes its first argument, an array."""
    target, *others = arguments
    if not isinstance(target, Array):
        raise TypeError(f"{describe(target)} is not an array to write to")
    plain = [plain_argument(interp, a) for a in others]
    named = {name: plain_argument(interp, a) for name, a in keywords.items()}
    interp.heap.write(target, lowering(interp.heap.read(target), *plain, **named))


def store_whole(interp: Interpreter, target: Array, value: Value) -> None:
    """``target[...] = value``."""
    base = interp.heap.read(target)
    interp.heap.write(target, ops.index_set_of(base, value, (Ellipsis,)))


def plain_argument(
    interp: Interpreter, value: Abstract, arrays: dict[Value, Abstract] | None = None
) -> Any:
    """An argument as lowerings take it: IR values, static values, lists and tuples of such."""
    if isinstance(value, Conflict):
        raise ConflictRead(value)
    if isinstance(value, Array):
        read = interp.heap.read(value)
        if arrays is not None:
            arrays.setdefault(read, value)
        return read
    if isinstance(value, ListRef):
        content = interp.content(value)
        if isinstance(content, Value):
            return content
        if isinstance(content, Columns):
            return stacked_columns(interp, content)
        items = [plain_argument(interp, item, arrays) for item in content]
        return [ops.list_stack_of(item) if _is_staged_list(item) else item for item in items]
    if isinstance(value, tuple):
        return tuple.__new__(type(value), [plain_argument(interp, v, arrays) for v in value])
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return slice(*(plain_argument(interp, p, arrays) for p in parts))
    if isinstance(value, Generator):
        from symdiff.parse.iteration import collect

        return plain_argument(interp, collect(interp, value), arrays)
    if type(value) in _LAZY:
        from symdiff.parse.iteration import collect

        return plain_argument(interp, collect(interp, value), arrays)
    return value


def stacked_columns(interp: Interpreter, content: Columns) -> Value:
    """A list of tuples of numbers as the array that NumPy makes of it: a row for each item."""
    flat = isinstance(content.structure, Container) and all(
        isinstance(part, Leaf) for part in content.structure.items
    )
    if not flat:
        raise UnsupportedCallError("an array from a list of nested items", interp.span)
    columns = [ops.list_stack_of(value) for value in content.values]
    result: Value = FUNCTIONS[np.stack](columns, axis=1)
    return result


def _is_staged_list(value: Any) -> bool:
    return isinstance(value, Value) and isinstance(value.type, ListType)


_LAZY: set[type] = set()


# Methods of arrays and numbers --------------------------------------------------------------------


def _call_array_method(
    interp: Interpreter, method: ArrayMethod, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    receiver, name = method.receiver, method.name
    table = METHODS_OF.get(type(receiver))
    if table is not None and name in table:
        return table[name](interp, receiver, *arguments, **keywords)
    if isinstance(receiver, Array) and name in MUTATING_ARRAY_METHODS:
        return METHODS_OF[Array][name](interp, receiver, *arguments, **keywords)
    if isinstance(receiver, tuple):
        return call_static(interp, getattr(receiver, name), arguments, keywords)
    if name in METHODS and (isinstance(receiver, Value | Array) or is_leaf(receiver)):
        if not isinstance(receiver, Value | Array | np.generic):
            return getattr(receiver, name)(*arguments, **keywords)
        return call_lowering(interp, METHODS[name], [receiver, *arguments], keywords)
    if is_leaf(receiver):
        return call_static(interp, getattr(receiver, name), arguments, keywords)
    raise UnsupportedCallError(
        f"symdiff does not know the method '{name}' of {describe(receiver)}", interp.span
    )


def call_method(
    interp: Interpreter, instance: ObjectRef, name: str, *arguments: Abstract
) -> Abstract:
    """A method of a user's object, by name."""
    method = object_attribute(interp, instance, name)
    return call_value(interp, method, arguments, {})


# User functions -----------------------------------------------------------------------------------


def call_function(
    interp: Interpreter,
    function: types.FunctionType,
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> Abstract:
    """A Python function, followed into its source."""
    from symdiff.parse.opaque import call_opaque, is_pure_python

    if not is_pure_python(function):
        return call_opaque(interp, function, arguments, keywords)
    source = find_source(function)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    locals_, globals_ = local_names(source.tree)
    scope = Scope(function.__name__, locals_, None, function.__globals__, cells, globals_)
    defaults = _live_defaults(interp, function)
    return run_function(interp, source.tree, source, scope, defaults, arguments, keywords)


Defaults = dict[str, Abstract]


def _live_defaults(interp: Interpreter, function: types.FunctionType) -> Defaults:
    from symdiff.parse.scope import reflect_everywhere

    variable = interp.free_variable("object", function, function.__name__)
    positional = inspect.getfullargspec(function).args
    values = dict(function.__kwdefaults__ or {})
    given = function.__defaults__ or ()
    values |= dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    found: Defaults = {}
    for name, value in values.items():
        key = (variable, f"default {name}")
        known = interp.content(key)
        if known is ABSENT:
            path = (variable, *_default_path(function, name))
            known = reflect_everywhere(interp, key, value, path)
        found[name] = known
    return found


def _default_path(function: types.FunctionType, name: str) -> tuple[Any, ...]:
    if name in (function.__kwdefaults__ or {}):
        return ("__kwdefaults__", name)
    positional = inspect.getfullargspec(function).args
    given = function.__defaults__ or ()
    return ("__defaults__", positional.index(name) - (len(positional) - len(given)))


def _call_closure(
    interp: Interpreter, closure: Closure, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    locals_, globals_ = local_names(closure.node)
    outer = closure.scope
    scope = Scope(closure.name, locals_, outer, outer.globals, {}, globals_)
    spec = closure.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given = closure.defaults
    defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    defaults |= closure.keyword_defaults
    return run_function(interp, closure.node, closure.source, scope, defaults, arguments, keywords)


def run_function(
    interp: Interpreter,
    node: FunctionNode,
    source: FunctionSource,
    scope: Scope,
    defaults: Defaults,
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> Abstract:
    """Stage a function's body in a scope of its own; gives what it returns."""
    if isinstance(node, ast.AsyncFunctionDef):
        raise UnsupportedCallError("symdiff does not compile 'async def'", interp.span)
    if len(interp.frames) > MOST_INLINED:
        raise UnsupportedCallError(
            f"'{scope.function}' calls itself to a depth of more than {MOST_INLINED}",
            interp.span,
            "a recursion on data needs a bound that is known at compile time; or use a loop",
        )
    bound = bind_arguments(interp, node, scope.function, defaults, arguments, keywords)
    key = (node, scope.parent)

    def run(bound: dict[str, Abstract]) -> Abstract:
        inner = replace(scope, serial=now())
        return _run_in_frame(interp, node, source, inner, bound)

    return followed(interp, key, node, bound, run)


def _run_in_frame(
    interp: Interpreter,
    node: FunctionNode,
    source: FunctionSource,
    scope: Scope,
    bound: dict[str, Abstract],
) -> Abstract:
    called_from = interp.span
    frame = Frame(scope, source, called_from)
    interp.frames.append(frame)
    try:
        for name, value in bound.items():
            interp.put((scope, name), value)
        return _run_body(interp, node, frame)
    except SymdiffError as error:
        if called_from is not None and error.span is not None:
            raise error.with_caller(called_from) from None
        raise
    finally:
        if interp.frames and interp.frames[-1] is frame:
            interp.frames.pop()


def _run_body(interp: Interpreter, node: FunctionNode, frame: Frame) -> Abstract:
    returned = (frame.token, "return")
    slot = (frame.token, "value")
    if isinstance(node, ast.Lambda):
        return interp.evaluate(node.body)
    frame.exits.append(returned)
    interp.put(returned, False)
    interp.execute(node.body)
    state = interp.content(returned)
    value = interp.content(slot)
    if isinstance(state, Value):
        value = _maybe_returned(interp, state, value)
    interp.heap.contents.pop(returned, None)
    interp.heap.contents.pop(slot, None)
    if isinstance(value, Conflict):
        raise ConflictRead(value)
    return None if state is False or value is ABSENT else value


def _maybe_returned(interp: Interpreter, state: Value, value: Abstract) -> Abstract:
    """A function of which some paths end without ``return``: those give None."""
    if value is ABSENT or value is None:
        return None
    from symdiff.parse.branches import ends_without_return

    return ends_without_return(interp, state, value)


# Binding arguments --------------------------------------------------------------------------------


def bind_arguments(
    interp: Interpreter,
    node: FunctionNode,
    name: str,
    defaults: Defaults,
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> dict[str, Abstract]:
    """Parameters to arguments, by Python's rules and with its messages."""
    spec = node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    bound: dict[str, Abstract] = dict(zip(positional, arguments, strict=False))
    extra = tuple(arguments[len(positional) :])
    if spec.vararg is not None:
        bound[spec.vararg.arg] = extra
    elif extra:
        raise TypeError(
            f"{name}() takes {len(positional)} positional arguments but {len(arguments)} were given"
        )
    rest = _bind_keywords(spec, name, bound, keywords)
    for parameter in (*positional, *(a.arg for a in spec.kwonlyargs)):
        if parameter not in bound:
            if parameter not in defaults:
                raise TypeError(f"{name}() missing a required argument: '{parameter}'")
            bound[parameter] = defaults[parameter]
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = container(interp, dict, tuple(rest), list(rest.values()), None)
    elif rest:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(rest))}'")
    return bound


def _bind_keywords(
    spec: ast.arguments, name: str, bound: dict[str, Abstract], keywords: Keywords
) -> Keywords:
    named = {a.arg for a in (*spec.args, *spec.kwonlyargs)}
    rest: Keywords = {}
    for key, value in keywords.items():
        if key not in named:
            rest[key] = value
        elif key in bound:
            raise TypeError(f"{name}() got multiple values for argument '{key}'")
        else:
            bound[key] = value
    return rest


# Classes and objects ------------------------------------------------------------------------------


def call_class(
    interp: Interpreter, cls: type, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    """Making an instance of a user's class: NamedTuples, dataclasses, classes with ``__init__``."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(cls, arguments, keywords)
    if issubclass(cls, BaseException) or cls.__module__ == "builtins":
        from symdiff.parse.opaque import call_opaque

        return call_opaque(interp, cls, arguments, keywords)
    made = ObjectRef(cls)
    initialise = inspect.getattr_static(cls, "__init__", None)
    if dataclasses.is_dataclass(cls) and _is_generated(cls):
        _dataclass(interp, made, cls, arguments, keywords)
    elif isinstance(initialise, types.FunctionType):
        call_value(interp, initialise, [made, *arguments], keywords)
    elif arguments or keywords:
        raise UnsupportedCallError(f"symdiff cannot make a {cls.__name__} here", interp.span)
    return made


def _is_generated(cls: type) -> bool:
    """Whether ``__init__`` was made by ``dataclasses``: its code stands in no file."""
    code = getattr(cls.__init__, "__code__", None)  # type: ignore[misc]
    return code is not None and code.co_filename.startswith("<")


def _named_tuple(cls: Any, arguments: Sequence[Abstract], keywords: Keywords) -> Abstract:
    names = cls._fields
    values = dict(zip(names, arguments, strict=False)) | keywords
    values = cls._field_defaults | values
    missing = [name for name in names if name not in values]
    if missing or len(values) != len(names) or len(arguments) > len(names):
        raise TypeError(f"{cls.__name__}() takes {names}")
    return tuple.__new__(cls, [values[name] for name in names])


def _dataclass(
    interp: Interpreter,
    made: ObjectRef,
    cls: Any,
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> None:
    fields = [f for f in dataclasses.fields(cls) if f.init]
    positional = [f.name for f in fields if not f.kw_only]
    values = dict(zip(positional, arguments, strict=False)) | keywords
    if len(arguments) > len(positional) or not set(values) <= {f.name for f in fields}:
        raise TypeError(f"{cls.__name__}() takes {[f.name for f in fields]}")
    for field in dataclasses.fields(cls):
        interp.put((made, field.name), _field_value(interp, cls, field, values))
    if hasattr(cls, "__post_init__"):
        call_method(interp, made, "__post_init__")


def _field_value(
    interp: Interpreter, cls: type, field: dataclasses.Field[Any], values: Keywords
) -> Abstract:
    if field.name in values:
        return values[field.name]
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return call_value(interp, field.default_factory, [], {})
    raise TypeError(f"{cls.__name__}() missing a required argument: '{field.name}'")


def _call_bound(
    interp: Interpreter, method: BoundMethod, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    return call_value(interp, method.function, [method.instance, *arguments], keywords)


def _call_partial(
    interp: Interpreter, partial: Partial, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    merged = {**dict(partial.keywords), **keywords}
    return call_value(interp, partial.function, [*partial.arguments, *arguments], merged)


def _call_object(
    interp: Interpreter, instance: ObjectRef, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    method = get_attribute(interp, instance, "__call__")
    return call_value(interp, method, arguments, keywords)


_CALLABLES: dict[type, Callable[[Interpreter, Any, list[Abstract], Keywords], Abstract]] = {
    ArrayMethod: _call_array_method,
    Closure: _call_closure,
    BoundMethod: _call_bound,
    Partial: _call_partial,
    ObjectRef: _call_object,
}


@builtin(object.__init__, object.__init_subclass__)
def _nothing(interp: Interpreter, arguments: Sequence[Abstract], keywords: Keywords) -> Abstract:
    return None
