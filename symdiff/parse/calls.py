"""Calls: what is called decides, never how it is spelled.

Library functions go to their lowerings, Python's builtins to what is registered for them
(``builtin``); user functions, methods, lambdas and partials are followed into their source with
names of their own; everything else is an opaque call, kept in its place.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.definitions import DEFINITIONS, instances, python_version
from symdiff.definitions.declare import MADE, STACKED
from symdiff.definitions.libraries import meet, python_method
from symdiff.definitions.rounding import is_integer
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError, rejection
from symdiff.ir.compiled import python_behind
from symdiff.ir.graph import Value
from symdiff.ir.signature import Asked
from symdiff.ir.structure import declared, has_dict, is_leaf
from symdiff.ir.types import ArrayType
from symdiff.ops.arguments import applied, misplaced, places
from symdiff.ops.declare import FUNCTIONS, METHODS, WRITES, NeedsStatic, array_type
from symdiff.ops.joining import concatenate, stack
from symdiff.parse import run_time_texts as texts
from symdiff.parse import subclassed
from symdiff.parse.arguments import plain_argument, taken_arguments
from symdiff.parse.attributes import (
    MUTATING_ARRAY_METHODS,
    get_attribute,
    is_of_library,
    special_method,
)
from symdiff.parse.blame import judged, python_raises, users
from symdiff.parse.cases import of_each
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.classes import (
    call_class,
    initialise_dataclass,
    initialised_by,
    tuple_of_fields,
)
from symdiff.parse.compiled import call_compiled
from symdiff.parse.definitions import call_definition
from symdiff.parse.demand import can_be_known
from symdiff.parse.dtype_answers import note_answer, note_stored
from symdiff.parse.functions import (
    call_closure,
    call_function,
    call_of_library,
    is_callee,
    left_inside,
)
from symdiff.parse.identity import class_of, is_unknown, name_in_messages
from symdiff.parse.interpreter import HOOKS, Interpreter, describe
from symdiff.parse.items import unbuffered
from symdiff.parse.lookups import CACHED, has_hash, is_unchanging, ruled, variable_of
from symdiff.parse.memory_order import with_known_order
from symdiff.parse.opaque import (
    RESULTS,
    call_changing,
    call_opaque,
    is_library,
    library_name,
    python_of,
)
from symdiff.parse.operators import is_staged
from symdiff.parse.pure import computed
from symdiff.parse.python import in_python
from symdiff.parse.reflect import GENERIC_ALIAS, container, reflect
from symdiff.parse.special import CONVERSIONS, as_floats, converted, has_method
from symdiff.parse.spreading import columns, gathered, is_spread
from symdiff.parse.tables import TableMethod, ask
from symdiff.parse.texts import formatted, is_of_text, separated, settled
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Arguments,
    Array,
    ArrayMethod,
    BoundMethod,
    CalleeLeft,
    Closure,
    Conflict,
    DictRef,
    Keywords,
    ListRef,
    ObjectRef,
    Partial,
)
from symdiff.parse.views import adopt, require_room, store_whole

Handler = Callable[..., Abstract]  # of the interpreter and the arguments of a call

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
    interp: Interpreter, function: Abstract, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """``function(*arguments, **keywords)``."""
    if is_spread(arguments) and not _is_followed(function):
        if function is zip and len(arguments) == 1:
            return columns(interp, arguments[0].content)
        arguments = gathered(interp, function, arguments)
    handler = CALLABLES.get(type(function))
    if handler is not None:
        return handler(interp, function, list(arguments), keywords)
    if has_method(interp, function, "__call__"):
        return _call_object(interp, function, list(arguments), keywords)
    if _is_followed(function):
        return _call_python(interp, function, arguments, keywords)
    count, names = len(arguments), tuple(keywords)

    def called(*given: Abstract) -> Abstract:
        named = dict(zip(names, given[count:], strict=True))
        return _call_python(interp, function, given[:count], named)

    return of_each(interp, called, *arguments, *keywords.values())


def _is_of_python(function: Any, *modules: str) -> bool:
    """Return whether a function of these modules is that itself, and not what wraps one."""
    wraps = isinstance(function, types.FunctionType)
    return not wraps and getattr(function, "__module__", None) in modules


def _call_python(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A call of what the program has from elsewhere, by what is known of it."""
    if isinstance(function, np.ufunc) and len(arguments) > function.nin:
        keywords = {**keywords, "out": tuple(arguments[function.nin :])}
        arguments = arguments[: function.nin]
    if keywords and _is_of_python(function, "builtins"):
        arguments, keywords = _by_position(function, arguments, keywords)
    if _is_converted(function, arguments) and not keywords:
        return converted(interp, function, *arguments)
    if _is_of_python(function, "math"):
        arguments = as_floats(interp, function, arguments)
    meet()
    if _is_of_stacks(interp, function, arguments, keywords):
        from symdiff.definitions.stacks import over_stacks  # at the first use of one of them

        given = [function, *STACKED[function], tuple(arguments), interp.new_dict({**keywords})]
        return interp.call(over_stacks, given, {})
    result = _by_what_is_registered(interp, function, arguments, keywords)
    if result is not NotImplemented:
        return result
    return _call_other(interp, function, arguments, keywords)


def _is_of_stacks(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> bool:
    """Return whether a function is given more axes than its arguments have of their own."""
    cores, _ = _known(STACKED, function) or ((), list)
    for k, (name, axes) in enumerate(cores):
        given = arguments[k] if k < len(arguments) else keywords.get(name)
        if isinstance(given, Array):
            given = interp.heap.read(given)
        own = 2 if axes == "1|2" else axes
        type_ = given.type if isinstance(given, Value) else None
        if isinstance(type_, ArrayType) and type_.rank > own:
            return True
    return False


def _by_what_is_registered(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A call of what has a meaning of its own; ``NotImplemented`` of what has none."""
    handler = _known(BUILTINS, function)
    if handler is not None:
        _require_places(function, arguments, keywords)
        with judged(interp, python_meaning(function), arguments, keywords):
            result = applied(handler, interp, *arguments, **keywords)
        if result is not NotImplemented:
            return result
    own = _of_object(interp, function, arguments)
    if own is not None:
        return _call_defined(interp, function, own, arguments, keywords)
    iterates = _is_of_python(function, "math", "builtins")
    lowered = functools.partial(call_lowering, iterates=iterates)
    for table, call in ((FUNCTIONS, lowered), (WRITES, call_writing)):
        known = _known(table, function)
        if known is not None:
            taken = taken_arguments(interp, function, known, arguments, keywords, out=True)
            _require_places(function, arguments, keywords)
            with judged(interp, python_meaning(function), arguments, keywords):
                result = _unless_unknown(interp, function, call, known, taken)
            if result is not NotImplemented:
                return result
    definition = _known(DEFINITIONS, function) or _known(MADE, function)
    if definition is not None:
        return _call_defined(interp, function, definition, arguments, keywords)
    return _by_what_is_written(interp, function, arguments, keywords)


def _unless_unknown(
    interp: Interpreter, function: Any, call: Callable[..., Abstract], lowering: Any, taken: Any
) -> Abstract:
    """A call by its lowering; what that has to know, and is known at run time only, is left to the
    definition, where this is no call of that itself.
    """
    try:
        return call(interp, lowering, *taken)
    except NeedsStatic as needed:
        definition = _known(DEFINITIONS, function)
        if definition is None or can_be_known(interp, needed.value) or _is_in(interp, definition):
            raise
        return NotImplemented


def _is_in(interp: Interpreter, definition: types.FunctionType) -> bool:
    """Return whether the body of a definition is being followed."""
    scope = interp.frame.scope
    named = scope.function == definition.__name__
    return named and scope.globals is definition.__globals__


def _by_what_is_written(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A call of what Python has in C, by what is followed in its place."""
    written = python_version(function)
    if written is None:
        return NotImplemented
    try:
        return call_value(interp, written, arguments, keywords)
    except CalleeLeft as left:
        if not is_callee(written, left.callee):
            raise left_inside(left) from None
        raise CalleeLeft(left.value, function, left.span) from None


def _of_object(
    interp: Interpreter, function: Any, arguments: Arguments
) -> types.FunctionType | None:
    """What a function of NumPy's means for an object of a class of symdiff's that says it."""
    count = function.nin if isinstance(function, np.ufunc) else _MOST_OPERANDS
    operands = list(arguments[:count])
    if operands and isinstance(operands[0], tuple | ListRef):
        content = interp.content(operands[0]) if isinstance(operands[0], ListRef) else operands[0]
        operands += content if isinstance(content, tuple) else ()
    for operand in operands:
        if isinstance(operand, ObjectRef):
            told = declared(operand.type, "__symdiff_functions__")
            known: types.FunctionType | None = None if told is None else _known(told, function)
            if known is not None:
                return known
    return None


_MOST_OPERANDS = 3  # of what is no ufunc: where


def _require_places(function: Any, arguments: Arguments, keywords: Keywords) -> None:
    """Raise what Python does of arguments that the function has no parameters for, or too few."""
    error = misplaced(function, arguments, keywords)
    if error is not None:
        raise users(error)


def _is_converted(function: Abstract, arguments: Arguments) -> bool:
    """Return whether a call is ``float(object)`` or the like."""
    of_object = bool(arguments) and isinstance(arguments[0], ObjectRef)
    return of_object and _known(CONVERSIONS, function) is not None


def _is_followed(function: Abstract) -> bool:
    """Return whether a call binds its arguments to the parameters of a function of the user's."""
    handler = CALLABLES.get(type(function))
    return handler not in (None, _call_array_method) or isinstance(
        function, types.FunctionType | types.MethodType | functools.partial
    )


def python_meaning(function: Any) -> Callable[..., Any]:
    """What can be tried on samples in place of a call: the function, if it has no effect."""
    if function in (print, next, iter, setattr, map, filter):
        return lambda *arguments, **keywords: None
    found: Callable[..., Any] = function
    return found


def _by_position(
    function: Callable[..., Any], arguments: Arguments, keywords: Keywords
) -> tuple[Sequence[Abstract], Keywords]:
    """The arguments of a builtin, those that have a position there however they are given."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # of some types Python tells none
        return arguments, keywords
    try:
        bound = signature.bind(*arguments, **keywords)
    except TypeError as error:
        raise users(error) from None
    if any(signature.parameters[name].kind is _POSITIONAL for name in bound.kwargs):
        bound.apply_defaults()
    return bound.args, bound.kwargs


_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _known(table: dict[Any, Any], function: Any) -> Any:
    try:
        return table.get(function)
    except TypeError:  # not hashable
        return None


_DISPATCHING = type(np.concatenate)  # of NumPy's functions that ask their arguments' classes


def _is_method_of(function: Any, owner: Abstract) -> bool:
    """Return whether a function is a native method, called by its class: ``list.append(items,
    x)``.
    """
    special = isinstance(function, types.WrapperDescriptorType)
    return isinstance(function, types.MethodDescriptorType) or (
        special and not isinstance(owner, ObjectRef)
    )


def _require_instance(interp: Interpreter, function: Any, owner: Abstract) -> None:
    """Raise as Python does where a method of a class is called with a number or text of another."""
    known = isinstance(owner, Value | Array | int | float | complex | str | bytes | None)
    kind = class_of(interp, owner) if known and not is_unknown(owner) else function.__objclass__
    if not issubclass(kind, function.__objclass__):
        wanted = f"descriptor '{function.__name__}' for '{function.__objclass__.__name__}' objects"
        raise users(TypeError(f"{wanted} doesn't apply to a '{kind.__name__}' object"))


def _of_text(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A method of a known text, of what is known at run time only; ABSENT of all else."""
    if is_of_text(function, "format"):
        found = _of_what_is_known(interp, function, arguments, keywords)
        if found is ABSENT:
            return formatted(interp, function.__self__, arguments, keywords)
        return found
    name = getattr(function, "__name__", "")
    if is_of_text(function, name) and any(texts.are_at_run_time(interp, a) for a in arguments):
        return texts.asked(interp, function.__self__, name, arguments, keywords)
    if is_of_text(function, "join") and len(arguments) == 1 and not is_unknown(arguments[0]):
        joined = interp.call(tuple, arguments, {})
        if texts.are_at_run_time(interp, joined):
            return texts.asked(interp, function.__self__, name, [joined], {})
        return separated(interp, function.__self__, joined)
    return ABSENT


def _of_what_is_known(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What a pure function gives while compiling; ABSENT where it is none, or more is needed."""
    found = computed(interp, function, arguments, keywords)
    written = python_method(function) if found is ABSENT else None
    return found if written is None else call_value(interp, written, arguments, keywords)


def _call_other(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    own = "__symdiff_called__" if isinstance(function, type) else "__symdiff_staged__"
    staged = declared(function, own)
    if staged is not None:
        return staged(HOOKS.stager(interp), list(arguments), keywords)
    rule = ruled(interp, function)
    if rule is not None:
        return rule.__symdiff_staged__(HOOKS.stager(interp), list(arguments), keywords)
    graph = declared(function, "__symdiff_function__")
    if graph is not None:
        return call_value(interp, graph, arguments, keywords)
    found = _of_text(interp, function, arguments, keywords)
    if found is ABSENT:
        found = _of_what_is_known(interp, function, arguments, keywords)
    return _call_unruled(interp, function, arguments, keywords) if found is ABSENT else found


def _call_unruled(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What no rule and no declaration tells of: followed by its source, where it has one."""
    python = python_behind(function)
    if python is not None:
        return call_compiled(interp, function, python, arguments, keywords)
    if isinstance(function, types.FunctionType):
        return _call_python_function(interp, function, arguments, keywords)
    if isinstance(function, _DISPATCHING):
        return call_of_library(interp, function, arguments, keywords)
    handler = _MADE_IN_C.get(type(function))
    if handler is not None:
        return handler(interp, function, arguments, keywords)
    if _known(RESULTS, function) is not None:
        return call_opaque(interp, function, arguments, keywords)
    return _call_unknown(interp, function, arguments, keywords)


def _call_python_function(
    interp: Interpreter, function: types.FunctionType, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A function that is followed, or the ``__init__`` that a dataclass has been given, or the
    ``__new__`` of named tuples.
    """
    cls = initialised_by(function, arguments)
    if cls is not None:
        return initialise_dataclass(interp, arguments[0], cls, arguments[1:], keywords)
    made = tuple_of_fields(interp, function, arguments, keywords)
    return call_function(interp, function, arguments, keywords) if made is ABSENT else made


def _call_cached(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A function that remembers its results: what it would give again is followed, and objects
    that it is given are not changed from here on.

    Where that is refused, what a function of no arguments remembers is read, at each call anew.
    """
    for argument in (*arguments, *keywords.values()):
        if isinstance(argument, ObjectRef):
            interp.heap.keep(argument, Conflict("key", _REMEMBERED, interp.span))
    has_found = not arguments and not keywords and function.cache_info().currsize == 1
    if not has_found or inspect.signature(function).parameters:
        return call_value(interp, function.__wrapped__, arguments, keywords)
    with Checkpoint(interp, UnsupportedSyntaxError, UnsupportedCallError):
        return call_value(interp, function.__wrapped__, arguments, keywords)
    path = (variable_of(interp, function), Asked("__call__", ()))
    return reflect(interp, function(), path)


_REMEMBERED = "an attribute of an object is set that a function with lru_cache was given"


def _call_getter(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What ``operator`` has made outside of keys, names or a method's arguments, as made here."""
    maker: Any
    maker, given = function.__reduce__()
    named: dict[str, Any] = {}
    if isinstance(maker, functools.partial):
        maker, given, named = maker.func, (*maker.args, *given), maker.keywords
    if not all(
        isinstance(v, slice) or (is_unchanging(v) and has_hash(v))
        for v in (*given, *named.values())
    ):
        return call_opaque(interp, function, arguments, keywords)
    return call_value(interp, call_value(interp, maker, given, named), arguments, keywords)


_MADE_IN_C = {CACHED: _call_cached} | dict.fromkeys(
    (operator.itemgetter, operator.attrgetter, operator.methodcaller), _call_getter
)  # functions that are objects of these classes


def _call_unknown(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A method, a class, or what is not followed."""
    if isinstance(function, _NOT_CALLABLE) and not (is_unknown(function) or callable(function)):
        name = name_in_messages(class_of(interp, function))
        raise users(TypeError(f"'{name}' object is not callable"))
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodWrapperType) and function.__name__ == "__get__":
        return _gotten(interp, owner, *arguments)
    if isinstance(owner, types.FunctionType) and function.__name__ == "__call__":
        return call_value(interp, owner, arguments, keywords)
    if isinstance(function, types.MethodType | functools.partial) and not is_of_library(owner):
        whole = reflect(interp, function, (variable_of(interp, function),))
        return call_value(interp, whole, arguments, keywords)
    is_own = isinstance(function, types.MethodType) and function.__name__.startswith("_")
    if is_own and python_of(function) is not None:  # of an object of a library's
        return call_value(interp, function.__func__, [owner, *arguments], keywords)
    if arguments and _is_method_of(function, arguments[0]):
        _require_instance(interp, function, arguments[0])
        method = _native_method(interp, arguments[0], function.__name__)
        return call_value(interp, method, arguments[1:], keywords)
    if isinstance(function, type):
        return call_class(interp, function, arguments, keywords)
    of_constant = isinstance(owner, str | bytes | np.dtype)
    if isinstance(function, types.BuiltinFunctionType) and of_constant:
        return call_static(interp, function, arguments, keywords)
    _refuse_containers(interp, function, (*arguments, *keywords.values()))
    return call_changing(interp, function, arguments, keywords)


def _gotten(
    interp: Interpreter, found: Any, instance: Abstract, owner: Abstract = None
) -> Abstract:
    """``found.__get__(instance, owner)`` of what a class has under a name."""
    if isinstance(found, types.FunctionType):
        return found if instance is None else BoundMethod(found, instance)
    if isinstance(found, property) and instance is not None and found.fget is not None:
        return call_value(interp, found.fget, [instance], {})
    raise UnsupportedCallError(
        f"'__get__' of a {type(found).__name__}", hint="name the attribute: object.name"
    )


_NUMBERS = (int, float, complex, Value, Array)
_NOT_CALLABLE = (*_NUMBERS, str, bytes, tuple, type(None), ListRef, DictRef)


def _native_method(interp: Interpreter, owner: Abstract, name: str) -> Abstract:
    """A method that Python itself gives, not the one of that name in a class of the user's."""
    if isinstance(owner, ListRef | DictRef):
        return ArrayMethod(owner, name)
    return get_attribute(interp, owner, name)


def _refuse_containers(interp: Interpreter, function: Any, arguments: Arguments) -> None:
    """What is not followed, and of which nothing was said, might change a list or a dict."""
    given = [a for a in arguments if isinstance(a, ListRef | DictRef)]
    if given and not is_library(function):
        kind = class_of(interp, given[0]).__name__
        raise UnsupportedCallError(
            f"a {kind} is passed to {library_name(function)}, which may change it",
            hint="pass a tuple, or call it in a symdiff.nondifferentiable function",
        )


def call_static(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A pure function of static operands, run now."""
    plain = [plain_argument(interp, settled(interp, a)) for a in arguments]
    if any(is_staged(a) for a in _flat(plain)):
        return call_opaque(interp, function, arguments, keywords)
    result = in_python(function, *plain, **keywords)
    if isinstance(result, list):  # of a text's split: the program's own, which it may change
        return container(interp, list, tuple(range(len(result))), result, None)
    return result


def _flat(items: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for item in items:
        flat.extend(_flat(item) if isinstance(item, list | tuple) else [item])
    return flat


# Lowerings ----------------------------------------------------------------------------------------


def call_lowering(
    interp: Interpreter,
    lowering: Callable[..., Any],
    arguments: Arguments,
    keywords: Keywords,
    *,
    iterates: bool = False,
) -> Abstract:
    """A library function by its lowering; ``out=`` becomes a store.

    A lowering that gives ``NotImplemented`` leaves the call to the function's definition.
    ``iterates``: the function goes over what can be gone over once.
    """
    keywords = dict(keywords)
    out: Abstract = keywords.pop("out", None)
    arrays: dict[Value, Abstract] = {}
    given = [_items_of_sequence(interp, a) for a in arguments]
    plain = [plain_argument(interp, a, arrays, iterates=iterates) for a in given]
    named = {name: plain_argument(interp, a, arrays) for name, a in keywords.items()}
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(out, Array) and "kept" in _parameters(lowering):
        named["kept"] = interp.heap.read(out)
    plain, named = with_known_order(interp, lowering, plain, named)
    result = applied(lowering, *plain, **named)
    note_answer(interp, lowering, plain, named, result)
    if out is None or result is NotImplemented:
        return adopt(interp, result, arrays)
    if isinstance(result, Value) and result.node is not None and result.node.op in _UNBUFFERED:
        _refuse_own_parts(interp, out, arrays.values())
    if not isinstance(result, tuple):
        return _store_out(interp, out, result)
    pairs = zip(out, result, strict=True)
    return tuple(
        adopt(interp, r, arrays) if o is None else _store_out(interp, o, r) for o, r in pairs
    )


def _by_policy(
    interp: Interpreter,
    function: Any,
    definition: types.FunctionType,
    arguments: Arguments,
    keywords: Keywords,
) -> Abstract:
    """A function of SciPy's that is told what to do about NaN: where that is more than to let it
    through, what SciPy does is followed.
    """
    if keywords["nan_policy"] in ("omit", "raise"):
        return call_of_library(interp, function, arguments, keywords)
    return call_definition(interp, function, definition, arguments, keywords)


def _call_defined(
    interp: Interpreter,
    function: Any,
    definition: types.FunctionType,
    arguments: Arguments,
    keywords: Keywords,
) -> Abstract:
    """A library function by its definition; ``out=``, where it takes one, becomes a store."""
    if "out" not in _parameters(definition):
        if "nan_policy" in keywords and not _has_parameter(definition, "nan_policy"):
            return _by_policy(interp, function, definition, arguments, keywords)
        return call_definition(interp, function, definition, arguments, keywords)
    keywords, order = dict(keywords), places(function)
    out = keywords.pop("out", None)
    if "out" in order and len(arguments) > (place := order.index("out")):
        out, arguments = arguments[place], [*arguments[:place], None, *arguments[place + 1 :]]
    if out is None:
        return call_definition(interp, function, definition, arguments, keywords)
    try:
        result = call_definition(interp, function, definition, arguments, keywords)
    except CalleeLeft as left:  # what it gives is stored on the paths where it gives anything
        raise left_inside(left) from None
    with judged(interp, python_meaning(function), arguments, keywords):
        return _store_out(interp, out, plain_argument(interp, result))


def _items_of_sequence(interp: Interpreter, value: Abstract) -> Abstract:
    """The items of an object that NumPy takes for a sequence: it has a length and items."""
    if not isinstance(value, ObjectRef) or has_method(interp, value, "__array__"):
        return value
    is_sequence = all(has_method(interp, value, name) for name in ("__len__", "__getitem__"))
    return interp.collect(value) if is_sequence else value


_UNBUFFERED = (concatenate, stack)  # NumPy writes to ``out`` while it reads


def _refuse_own_parts(interp: Interpreter, out: Abstract, parts: Iterable[Abstract]) -> None:
    for part in parts:
        if isinstance(out, Array) and isinstance(part, Array) and part.storage is out.storage:
            raise unbuffered(interp, "a[...] = np.concatenate(parts)")


def _as_array(interp: Interpreter, result: Value) -> Abstract:
    """What ``out=...`` asks for: an array where it would be a scalar."""
    type_ = result.type
    if isinstance(type_, ArrayType) and not type_.shape:
        raise UnsupportedCallError("'out=...' for a scalar", hint="leave it out")
    return interp.wrap(result)


@functools.cache
def _parameters(lowering: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(lowering).parameters)


def _has_parameter(function: Callable[..., Any], name: str) -> bool:
    """Return whether a function has a keyword argument of a name, or takes any."""
    parameters = inspect.signature(function).parameters
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _store_out(interp: Interpreter, out: Abstract, result: Any) -> Abstract:
    if out is Ellipsis:
        return _as_array(interp, result)
    if not isinstance(out, Array):
        raise users(TypeError("return arrays must be of ArrayType"))
    before = interp.heap.read(out)
    kept, made = array_type(before), array_type(result)
    require_room(kept, made)
    note_stored(interp, before, result)
    if not np.can_cast(made.dtype, kept.dtype, "same_kind"):
        raise rejection(TypeError, f"Cannot cast output from {made.dtype!r} to {kept.dtype!r}")
    store_whole(interp, out, result)
    return out


def call_writing(
    interp: Interpreter, lowering: Callable[..., Any], arguments: Arguments, keywords: Keywords
) -> None:
    """A library function that changes its first argument, an array."""
    target, *others = arguments
    if not isinstance(target, Array):
        raise users(TypeError(f"{describe(target)} is not an array to write to"))
    plain = [plain_argument(interp, a) for a in others]
    named = {name: plain_argument(interp, a) for name, a in keywords.items()}
    new = applied(lowering, interp.heap.read(target), *plain, **named)
    interp.heap.write(target, new)


# Methods of arrays and numbers --------------------------------------------------------------------


def _call_array_method(
    interp: Interpreter, method: ArrayMethod, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    receiver, name = method.receiver, method.name

    def in_python(receiver: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(receiver, name)(*arguments, **keywords)

    in_python.__name__ = name
    if texts.is_text(receiver):
        return texts.asked(interp, receiver, name, arguments, keywords)
    with judged(interp, in_python, [receiver, *arguments], keywords):
        if name in _OF_ITEMS and isinstance(receiver, ListRef | DictRef | Array | tuple):
            return applied(interp.call, _OF_ITEMS[name], [receiver, *arguments], keywords)
        return _call_method_of(interp, receiver, name, arguments, keywords)


def _call_tuple_method(
    interp: Interpreter, receiver: Any, name: str, arguments: Arguments, keywords: Keywords
) -> Abstract:
    if name in ("_replace", "_asdict"):  # of a named tuple: they look at no value
        with python_raises():
            made = getattr(receiver, name)(*arguments, **keywords)
        return interp.new_dict(made) if name == "_asdict" else made
    return call_static(interp, getattr(receiver, name), arguments, keywords)


def _call_method_of(
    interp: Interpreter, receiver: Abstract, name: str, arguments: Arguments, keywords: Keywords
) -> Abstract:
    table = METHODS_OF.get(type(receiver))
    if table is not None and name in table:
        return applied(table[name], interp, receiver, *arguments, **keywords)
    if isinstance(receiver, Array) and name in MUTATING_ARRAY_METHODS:
        return applied(METHODS_OF[Array][name], interp, receiver, *arguments, **keywords)
    if isinstance(receiver, tuple) and name not in OPERATORS:
        return _call_tuple_method(interp, receiver, name, arguments, keywords)
    if name in METHODS and (isinstance(receiver, Value | Array) or is_leaf(receiver)):
        if not isinstance(receiver, Value | Array | np.generic):
            return call_static(interp, getattr(receiver, name), arguments, keywords)
        result = _call_lowered_method(interp, name, [receiver, *arguments], keywords)
        if result is not NotImplemented:
            return result
    if isinstance(receiver, Value | Array | np.generic) and hasattr(np.ndarray, name):
        result = _as_function(interp, name, [receiver, *arguments], keywords)
        if result is not NotImplemented:
            return result
    if is_leaf(receiver):
        return call_static(interp, getattr(receiver, name), arguments, keywords)
    return _call_operator(interp, receiver, name, arguments, keywords)


def _call_operator(
    interp: Interpreter, receiver: Abstract, name: str, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """``float.__mul__(x, y)`` and other special methods of a number's, as operators."""
    others = [
        subclassed.as_python(interp, each) if subclassed.is_subclassed(each) else each
        for each in arguments
    ]
    if not keywords and _takes(interp, receiver, name, others):
        if name in _REFLECTED:
            return interp.call(OPERATORS[_REFLECTED[name]], [*others, receiver], {})
        return interp.call(OPERATORS[name], [receiver, *others], {})
    if not keywords and name in _FUNCTIONS and hasattr(class_of(interp, receiver), name):
        return interp.call(_FUNCTIONS[name], [receiver, *others], {})
    raise UnsupportedCallError(f"symdiff does not know the method '{name}' of {describe(receiver)}")


def _takes(interp: Interpreter, receiver: Abstract, name: str, others: Arguments) -> bool:
    """Return whether a special method of one of Python's numbers does what its operator does: of
    what its class does not take it gives ``NotImplemented``.
    """
    own, classes = class_of(interp, receiver), [class_of(interp, other) for other in others]
    taken = subclassed.TAKEN.get(own, (own,))
    if issubclass(own, np.ndarray | np.generic):
        classes = [each for each in classes if not issubclass(each, _OF_NUMPY)]
    count = 1 if name in _OF_ONE else 2
    known = name in OPERATORS or name in _REFLECTED
    return known and len(others) + 1 == count and all(c in taken for c in classes)


_OF_NUMPY = (bool, int, float, complex, np.ndarray, np.generic)
_OF_ONE = ("__neg__", "__pos__", "__abs__", "__invert__")
_OF_ITEMS: dict[str, Callable[..., Any]] = {
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
    "__contains__": operator.contains,
    "__len__": len,
    "__iter__": iter,
    "__reversed__": reversed,
}
OPERATORS: dict[str, Callable[..., Any]] = {
    f"__{name}__": getattr(operator, f"__{name}__")
    for names in (
        "neg pos abs invert add sub mul truediv floordiv mod pow matmul and or xor lshift rshift",
        "lt le gt ge eq ne",
    )
    for name in names.split()
}
_REFLECTED = {
    f"__r{name}__": f"__{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or")
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {  # that give what a method of a number gives
    "__bool__": bool,
    "__float__": float,
    "__int__": int,
    "__complex__": complex,
    "__index__": operator.index,
    "__round__": round,
    "__trunc__": math.trunc,
    "__floor__": math.floor,
    "__ceil__": math.ceil,
    "__divmod__": divmod,
    "__repr__": repr,
    "__str__": str,
    "__format__": format,
    "is_integer": is_integer,
}


def _call_lowered_method(
    interp: Interpreter, name: str, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A method by the lowering of its name: where a function has the same one, by its signature."""
    lowering, function = METHODS[name], getattr(np, name, None)
    if function is None or FUNCTIONS.get(function) is not lowering:
        function = getattr(np.ndarray, name, None)
    if function is not None:
        arguments, keywords = taken_arguments(
            interp, function, lowering, arguments, keywords, out=True
        )
    return call_lowering(interp, lowering, arguments, keywords)


def _as_function(
    interp: Interpreter, name: str, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    """A method by the definition of the function of its name; else ``NotImplemented``."""
    function = getattr(np, name, None)
    definition = _known(DEFINITIONS, function)
    if definition is None:
        return NotImplemented
    return _call_defined(interp, function, definition, arguments, keywords)


# Callables of the front end -------


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
    interp: Interpreter, instance: Abstract, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    method = special_method(interp, instance, "__call__")
    if isinstance(method, types.MethodWrapperType):  # not written in Python
        method = method.__self__
    return call_value(interp, method, arguments, keywords)


def _call_alias(
    interp: Interpreter, alias: Any, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    """``Class[item](...)``: an object of the class, which keeps what it was made by."""
    if not isinstance(alias, types.GenericAlias) and not alias._inst:  # ``typing.List[float]``
        return _call_other(interp, alias, arguments, keywords)
    origin = alias.__origin__
    made = call_value(interp, origin, arguments, keywords)
    if has_dict(origin) and isinstance(made, ListRef | DictRef | ObjectRef):
        call_value(interp, instances.keep_alias, [made, alias], {})
    return made


CALLABLES: dict[type, Callable[[Interpreter, Any, list[Abstract], Keywords], Abstract]] = {
    ArrayMethod: _call_array_method,
    Closure: call_closure,
    BoundMethod: _call_bound,
    Partial: _call_partial,
    ObjectRef: _call_object,
    TableMethod: ask,
    types.GenericAlias: _call_alias,
    GENERIC_ALIAS: _call_alias,
}


@builtin(object.__init__, object.__init_subclass__)
def _nothing(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> None:
    return


HOOKS.call = call_value
