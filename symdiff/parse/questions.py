"""Builtins that ask what an object is or has, those that wrap functions, and what is refused."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import numbers
import operator
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from symdiff.definitions import instances, is_definition, signatures
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import greater_equal
from symdiff.ops.attempts import error_number, spelled_class
from symdiff.ops.declare import array_type
from symdiff.ops.effects import opaque_call
from symdiff.ops.index import index_add, index_set
from symdiff.parse import lookups
from symdiff.parse.attributes import (
    delete_attribute,
    get_attribute,
    set_attribute,
)
from symdiff.parse.binding import closure_signature
from symdiff.parse.blame import python_raises, users
from symdiff.parse.calls import CALLABLES, builtin
from symdiff.parse.catching import unless_raised
from symdiff.parse.copies import attributes_present
from symdiff.parse.functions import LiveDefaults
from symdiff.parse.identity import (
    class_of,
    is_unknown,
    note_class_asked,
    python_class,
    require_known,
)
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.items import get_item
from symdiff.parse.opaque import is_library
from symdiff.parse.scope import names_in_order
from symdiff.parse.special import has_method
from symdiff.parse.supers import Super, super_of
from symdiff.parse.texts import settled
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    BoundMethod,
    Closure,
    Conflict,
    IteratorRef,
    ListRef,
    ObjectRef,
    Partial,
    PossiblyUnbound,
)
from symdiff.parse.views import MAY_COPY


@builtin(isinstance)
def _isinstance(interp: Interpreter, value: Abstract, classes: Abstract) -> Abstract:
    raised = [one.kind for one in interp.handled if one.error is value and is_unknown(value)]
    if raised:
        return _is_raised_as(interp, value, raised[-1], classes)
    if isinstance(value, IteratorRef):
        return _of_all_iterators(value, classes)
    owner = python_class(interp, value)
    told = _by_metaclass(interp, "__instancecheck__", value, classes, owner)
    if told is not ABSENT:
        return told
    lookups.bases_stay(interp, owner)
    try:
        found = issubclass(owner, classes) or _is_stand_in(owner, classes)
        note_class_asked(interp, value, classes)
        return found
    except TypeError:
        with python_raises():
            isinstance(None, classes)
        raise


_GONE_OVER: tuple[Iterable[Any], ...] = ([], (), {}, set(), "", b"", range(0))
_ITERATORS = (*(type(iter(one)) for one in _GONE_OVER), zip, map)


def _of_all_iterators(iterator: IteratorRef, classes: Abstract) -> bool:
    """Whether what ``iter`` gives is of a class: the same of whatever it goes over."""
    with python_raises():
        answers = {issubclass(kind, classes) for kind in _ITERATORS}  # type: ignore[arg-type]
    if len(answers) > 1:
        raise UnsupportedCallError(f"the class of {describe(iterator)}")
    return answers.pop()


def _is_stand_in(owner: type, classes: Abstract) -> bool:
    """Refuse to tell whether what stands for an object of SciPy's is of a class of SciPy's."""
    among = classes if isinstance(classes, tuple) else (classes,)
    if is_definition({"__name__": owner.__module__}):
        for cls in among:
            if getattr(cls, "__module__", "").startswith("scipy."):
                message = f"isinstance by {cls.__name__} of what symdiff has in place of one"
                raise UnsupportedCallError(message, hint="ask outside of the function")
    return False


def _is_raised_as(
    interp: Interpreter, error: Value, kind: type[BaseException], classes: Abstract
) -> Abstract:
    """Return whether what an operation has raised, which is handled as of a kind, is of a class."""
    with python_raises():
        if issubclass(kind, classes):
            return True
    wanted = classes if isinstance(classes, tuple) else (classes,)
    if any(issubclass(cls, kind) and spelled_class(cls) is None for cls in wanted):
        require_known(error)
    asked = tuple(cls for cls in wanted if spelled_class(cls) is not None)
    return greater_equal(error_number(error, classes=asked), 0) if asked else False


@builtin(issubclass)
def _issubclass(interp: Interpreter, cls: Abstract, classes: Abstract) -> Abstract:
    if not isinstance(cls, type):
        raise users(TypeError("issubclass() arg 1 must be a class"))
    told = _by_metaclass(interp, "__subclasscheck__", cls, classes)
    if told is not ABSENT:
        return told
    lookups.bases_stay(interp, cls)
    with python_raises():
        return issubclass(cls, classes)


def _by_metaclass(
    interp: Interpreter, name: str, asked: Abstract, classes: Abstract, owner: Any = None
) -> Abstract:
    """What a metaclass of the user's answers; ``ABSENT`` where Python's own are asked."""
    among = classes if isinstance(classes, tuple) else (classes,)
    if classes is owner or not any(has_method(interp, cls, name) for cls in among):
        return ABSENT
    if len(among) > 1:
        raise UnsupportedCallError(
            f"several classes, of which one has a metaclass with {name}",
            hint="ask for each class by itself",
        )
    return truth(interp, interp.call_method(among[0], name, asked))


@builtin(type.__instancecheck__)
def _is_plain_instance(interp: Interpreter, cls: type, value: Abstract) -> bool:
    owner = python_class(interp, value)
    lookups.bases_stay(interp, owner)
    return type.__subclasscheck__(cls, owner)


@builtin(type.__subclasscheck__)
def _is_plain_subclass(interp: Interpreter, cls: type, other: type) -> bool:
    lookups.bases_stay(interp, other)
    return type.__subclasscheck__(cls, other)


@builtin(callable)
def _callable(interp: Interpreter, value: Abstract) -> Abstract:
    require_known(value)
    if isinstance(value, ObjectRef):
        return lookups.defines(interp, value.type, "__call__")
    return type(value) in CALLABLES or callable(value)


@builtin(np.isscalar)
def _isscalar(interp: Interpreter, element: Abstract) -> Abstract:
    return issubclass(class_of(interp, element), np.generic | numbers.Number | str | bytes)


@builtin(np.may_share_memory, np.shares_memory)
def _share_memory(interp: Interpreter, a: Abstract, b: Abstract) -> Abstract:
    """Whether arrays lie in one place: where that is known of any memory layout."""
    require_known(a, b)
    if any(isinstance(v, ListRef | tuple | int | float | Value) for v in (a, b)):
        return False  # NumPy makes an array of it
    if isinstance(a, Array) and isinstance(b, Array):
        if a.storage is b.storage and not (a.lenses or b.lenses):
            return interp.call(operator.gt, [interp.call(np.size, [a], {}), 0], {})
        kinds = [array_type(interp.lift(v)).dtype for v in (a, b)]
        if a.storage is not b.storage and kinds[0] != kinds[1]:
            return False
        if a.storage is not b.storage and (_is_made_here(interp, a) or _is_made_here(interp, b)):
            interp.heap.require_told_apart(a.storage, b.storage)
            return False
    raise UnsupportedCallError("whether arrays share memory, which is known at run time only")


def _is_made_here(interp: Interpreter, array: Array) -> bool:
    """Return whether an operation has made the memory of an array, which was not given to it.

    What a call without a rule returns may be what it was given.
    """
    storage, content = array.storage, interp.heap.contents.get(array.storage)
    if storage.origin is not None or storage.given is not None or storage in interp.outside:
        return False
    copied = False
    while isinstance(content, Value) and content.node is not None:
        op = content.node.op
        if op not in (index_set, index_add) and op.view is None and op.cost not in _OF_ITS_OPERAND:
            return op is not opaque_call and not content.node.blocks
        copied = copied or op.name in MAY_COPY  # where it gives no copy it makes no memory
        content = content.node.operands[0] if content.node.operands else None
    return copied


_OF_ITS_OPERAND = ("free", "view")  # what costs no more may be in the memory that it is given


@builtin(hasattr)
def _hasattr(interp: Interpreter, value: Abstract, name: Abstract) -> Abstract:
    return _attribute_or_absent(interp, value, name) is not ABSENT


def _attribute_or_absent(interp: Interpreter, value: Abstract, name: Abstract) -> Abstract:
    known = _attribute_name(interp, name)
    if hasattr(np.generic, known) and not hasattr(float, known):
        note_class_asked(interp, value, np.generic)
    return unless_raised(interp, AttributeError, lambda: get_attribute(interp, value, known))


def _attribute_name(interp: Interpreter, name: Abstract) -> str:
    known = settled(interp, name)
    if isinstance(known, str):
        return known
    cls = class_of(interp, known).__name__
    raise users(TypeError(f"attribute name must be string, not '{cls}'"))


@builtin(getattr)
def _getattr(interp: Interpreter, value: Abstract, name: Abstract, *default: Abstract) -> Abstract:
    if not default:
        return get_attribute(interp, value, _attribute_name(interp, name))
    found = _attribute_or_absent(interp, value, name)
    return default[0] if found is ABSENT else found


@builtin(setattr)
def _setattr(interp: Interpreter, value: Abstract, name: Abstract, content: Abstract) -> None:
    set_attribute(interp, value, _attribute_name(interp, name), content)


@builtin(delattr)
def _delattr(interp: Interpreter, value: Abstract, name: Abstract) -> None:
    delete_attribute(interp, value, _attribute_name(interp, name))


@builtin(inspect.signature)
def _signature(interp: Interpreter, function: Abstract) -> Abstract:
    """The parameters of a Python function, by their names."""
    inner = function.function if isinstance(function, BoundMethod) else function
    known = _parameters(interp, inner)
    if known is None:
        return NotImplemented
    defaults, parameters = known
    made = {}
    for each in list(parameters.values())[isinstance(function, BoundMethod) :]:
        default = defaults.get(each.name, each.default)
        made[each.name] = interp.call(signatures.Parameter, [each.name, each.kind, default], {})
    return interp.call(signatures.Signature, [interp.new_dict(made)], {})


def _parameters(
    interp: Interpreter, function: Abstract
) -> tuple[Mapping[str, Abstract], Mapping[str, inspect.Parameter]] | None:
    """The defaults that are to be read, and the parameters; None where they are not known."""
    if isinstance(function, Closure):
        decorated = interp.heap.get((function.own, "__wrapped__")) is not ABSENT
        return None if decorated else ({}, closure_signature(function).parameters)
    if not is_library(function):
        found = _unwrapped(interp, _python_function(interp, function))
        if found is None:
            return None
        return LiveDefaults(interp, found), inspect.signature(found).parameters
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # of some that are not written in Python
        return None
    defaults = [each.default for each in parameters.values()]
    plain = all(lookups.is_plain(each) or each is np._NoValue for each in defaults)
    return ({}, parameters) if plain else None


def _unwrapped(
    interp: Interpreter, function: types.FunctionType | None
) -> types.FunctionType | None:
    """What the function says that it wraps: the function whose parameters it shows."""
    known: list[Any] = []
    while function is not None and "__wrapped__" in function.__dict__:
        inner = function.__dict__["__wrapped__"]
        if "__signature__" in function.__dict__ or function in known:
            return None
        known.append(function)
        lookups.rests_on(interp, function, "__wrapped__", inner)
        function = _python_function(interp, inner)
    return None if function is None or "__signature__" in function.__dict__ else function


@builtin(inspect.getattr_static)
def _getattr_static(
    interp: Interpreter, value: Abstract, name: Abstract, *default: Abstract
) -> Abstract:
    """What an object, or else its class, has under a name, neither called nor bound."""
    known, cls = _attribute_name(interp, name), class_of(interp, value)
    if isinstance(value, type | types.ModuleType):
        return NotImplemented
    found = lookups.on_class(interp, cls, known)
    is_own = isinstance(value, ObjectRef) and (found is ABSENT or not hasattr(found, "__set__"))
    if is_own and interp.call(instances.has_attribute, [value, known], {}):
        return interp.call(instances.attribute_of, [value, known], {})
    if found is not ABSENT:
        return found
    if default:
        return default[0]
    raise users(AttributeError(known))


@builtin(inspect.getfullargspec)
def _getfullargspec(interp: Interpreter, function: Abstract) -> Abstract:
    found = _python_function(interp, function)
    if found is None:
        return NotImplemented
    names = inspect.getfullargspec(found)
    args, only_named = (interp.new_list(tuple(given)) for given in (names.args, names.kwonlyargs))
    given = [args, names.varargs, names.varkw, only_named]
    return interp.call(signatures.ArgumentNames, given, {})


def _python_function(interp: Interpreter, function: Abstract) -> types.FunctionType | None:
    """The Python function that is called, or None where it is none; the program rests on it."""
    found = function.function if isinstance(function, BoundMethod) else function
    if not isinstance(found, types.FunctionType):
        return None
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        lookups.rests_on(interp, found, name, getattr(found, name))
    return found


@builtin(locals)
def _locals(interp: Interpreter) -> Abstract:
    """The names that are bound here; before Python 3.13 it is one dict, which each call renews."""
    scope = interp.scope
    if scope.parent is not None or not isinstance(scope.node, ast.FunctionDef):
        _refuse("locals", _NAMES, interp)
    names = {name: interp.heap.get((scope, name)) for name in names_in_order(scope.node)}
    bound = {name: content for name, content in names.items() if content is not ABSENT}
    if any(isinstance(content, PossiblyUnbound | Conflict) for content in bound.values()):
        _refuse("locals", _NAMES, interp)
    known = interp.heap.get((scope, _LOCALS)) if sys.version_info < (3, 13) else ABSENT
    if known is ABSENT:
        known = interp.new_dict({})
        interp.put((scope, _LOCALS), known)
    before = {k: v for k, v in interp.content(known).items() if names.get(k) is not ABSENT}
    interp.put(known, before | bound)
    return known


@builtin(dir)
def _dir(interp: Interpreter, *value: Abstract) -> Abstract:
    """The names that an object and its class have, sorted."""
    if len(value) != 1 or not isinstance(value[0], ObjectRef):
        _refuse("dir", _NAMES, interp)
    if isinstance(lookups.static_on_class(value[0].type, "__dir__"), types.FunctionType):
        return interp.call(sorted, [interp.call_method(value[0], "__dir__")], {})
    lookups.bases_stay(interp, value[0].type)
    for cls in filter(lambda cls: not lookups.is_fixed(cls), value[0].type.__mro__):
        interp.guard((lookups.variable_of(interp, cls), "__dict__"), "keys", tuple(vars(cls)))
    names = {*dir(value[0].type), *attributes_present(interp, value[0])}
    return interp.new_list(tuple(sorted(names)))


_LOCALS = "locals()"
_NAMES = "write the names out"


def _refuse(
    name: str, hint: str, interp: Interpreter, /, *arguments: Abstract, **keywords: Abstract
) -> NoReturn:
    raise UnsupportedCallError(f"symdiff does not compile {name}()", hint=hint)


def _no_number(*_: Any) -> NoReturn:
    raise UnsupportedCallError(
        "the number that id() gives, which is another one in each process",
        hint="use it as a key, or compare it with == alone",
    )


class Identity:
    """What ``id`` gives: a key of dicts that is compared; a number or a text of it is refused, and
    so is that it is found among numbers, which ``id`` has given outside the program.
    """

    __slots__ = ("of",)
    __lt__ = __le__ = __gt__ = __ge__ = __abs__ = __divmod__ = __rdivmod__ = _no_number
    __pow__ = __rpow__ = __round__ = __trunc__ = __floor__ = __ceil__ = _no_number
    __int__ = __float__ = __index__ = __str__ = __repr__ = __format__ = _no_number

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Identity):
            return other.of is self.of
        return other == id(self.of) and _no_number()

    def __hash__(self) -> int:
        return hash(id(self.of))  # that of the number, which may be a key, too


@builtin(id)
def _id(interp: Interpreter, value: Abstract) -> Abstract:
    """``id``, of what there is as long as the program."""
    if not isinstance(value, _LASTING):
        _refuse("id", "compare with 'is'", interp)
    return Identity(value)


_LASTING = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, np.ufunc)

_REFUSED: dict[Callable[..., Any], str] = {
    exec: "write the statements out",
    eval: "write the expression out",
    compile: "write the code out",
    globals: _NAMES,
    vars: _NAMES,
    __import__: "import it at the top of the file",
    input: "make it an argument",
    breakpoint: "set it in the generated code, which pdb steps through",
    memoryview: "use an array",
    bytearray: "use an array",
}
for _refused, _hint in _REFUSED.items():
    builtin(_refused)(functools.partial(_refuse, _refused.__name__, _hint))


@builtin(super)
def _super(interp: Interpreter, *arguments: Abstract) -> Abstract:
    """``super(Class, instance)``; without arguments where it stands in a call of its own."""
    if not arguments:
        return super_of(interp)
    if len(arguments) == 1 or not isinstance(arguments[0], type):
        raise UnsupportedCallError(
            "super() without an instance", hint="name the base class: Base.method(self)"
        )
    owner, instance = arguments
    kind = instance if isinstance(instance, type) else class_of(interp, instance)
    if not issubclass(kind, owner):
        message = "super(type, obj): obj must be an instance or subtype of type"
        raise users(TypeError(message))
    return Super(owner, instance, interp)


# Functions of functions ---------------------------------------------------------------------------


@builtin(functools.partial)
def _partial(
    interp: Interpreter, function: Abstract, /, *arguments: Abstract, **keywords: Abstract
) -> Abstract:
    return Partial(function, arguments, tuple(keywords.items()))


@builtin(functools.wraps)
def _wraps(
    interp: Interpreter, wrapped: Abstract, *options: Abstract, **named: Abstract
) -> Abstract:
    return Partial(functools.update_wrapper, (), (("wrapped", wrapped),))


@builtin(functools.update_wrapper)
def _update_wrapper(
    interp: Interpreter,
    wrapper: Abstract,
    wrapped: Abstract,
    *options: Abstract,
    **named: Abstract,
) -> Abstract:
    of_object = isinstance(wrapper, ObjectRef) and wrapper.live is None and wrapper.path is None
    if not (of_object or isinstance(wrapper, Closure)) or not isinstance(
        wrapped, Closure | types.FunctionType
    ):
        raise UnsupportedCallError("functools.update_wrapper() of what is no function made here")
    if of_object:
        for name in (*_given_attributes(interp, wrapped), "__name__"):
            set_attribute(interp, wrapper, name, interp.attribute(wrapped, name))
        set_attribute(interp, wrapper, "__wrapped__", wrapped)
        return wrapper
    if wrapper.own is not None:
        for name in _given_attributes(interp, wrapped):
            set_attribute(interp, wrapper, name, interp.attribute(wrapped, name))
        set_attribute(interp, wrapper, "__wrapped__", wrapped)
    return dataclasses.replace(wrapper, known_as=interp.attribute(wrapped, "__name__"))


def _given_attributes(interp: Interpreter, function: Closure | types.FunctionType) -> list[str]:
    """The names of the attributes that a function was given."""
    if isinstance(function, types.FunctionType):
        return [name for name in vars(function) if name != "__wrapped__"]
    return [] if function.own is None else list(interp.heap.held(function.own))


@builtin(operator.itemgetter)
def _itemgetter(interp: Interpreter, *keys: Abstract) -> Abstract:
    return Partial(_take, (keys,), ())


def _take(keys: Any, value: Any, /) -> None:
    """What ``operator.itemgetter`` returns."""


@builtin(_take)
def _taken(interp: Interpreter, keys: tuple[Abstract, ...], value: Abstract) -> Abstract:
    items = tuple(get_item(interp, value, key) for key in keys)
    return items[0] if len(items) == 1 else items


@builtin(operator.attrgetter)
def _attrgetter(interp: Interpreter, *names: Abstract) -> Abstract:
    return Partial(_look_up, (names,), ())


def _look_up(names: Any, value: Any, /) -> None:
    """What ``operator.attrgetter`` returns."""


@builtin(_look_up)
def _looked_up(interp: Interpreter, names: tuple[str, ...], value: Abstract) -> Abstract:
    items = tuple(
        functools.reduce(lambda v, part: get_attribute(interp, v, part), name.split("."), value)
        for name in names
    )
    return items[0] if len(items) == 1 else items


# Paths --------------------------------------------------------------------------------------------


def _of_path(interp: Interpreter, path: Abstract, **keywords: Abstract) -> Abstract:
    """A function of a path: a number is none."""
    is_number = isinstance(path, Value) and isinstance(path.type, ArrayType)
    if is_number or isinstance(path, Array | int | float | complex):
        kind = class_of(interp, path).__name__
        raise users(TypeError(f"expected str, bytes or os.PathLike object, not {kind}"))
    return NotImplemented


for _name in ("basename", "dirname", "expanduser", "expandvars", "realpath", "split", "splitext"):
    builtin(getattr(os.path, _name))(_of_path)
