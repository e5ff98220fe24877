"""What the user's own objects become: arguments by specification, free variables when read.

Numbers and arrays become inputs of the graph, read at each call; containers become abstract
containers of inputs; strings, functions, classes, modules and None are static, and guarded.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import re
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from symdiff.definitions import DEFINITIONS, OBJECTS
from symdiff.definitions.declare import INSTANCES, MADE, is_constant
from symdiff.definitions.libraries import meet
from symdiff.definitions.mappings import mappingproxy
from symdiff.errors import SignatureError, UnsupportedCallError
from symdiff.ir.attributes import is_object
from symdiff.ir.compiled import python_behind
from symdiff.ir.graph import FreeVariable, Input
from symdiff.ir.signature import (
    Aspect,
    Attribute,
    Fixed,
    Live,
    Nested,
    Path,
    PlainArray,
    Specification,
    refuse_subclass,
)
from symdiff.ir.structure import TABLES, children, declared, native_base
from symdiff.ir.types import GENERATOR, RANDOM_STATE, ArrayType, Dim, Size, Type, type_of_constant
from symdiff.ops.declare import FUNCTIONS
from symdiff.ops.draws import generators
from symdiff.parse import lookups
from symdiff.parse.heap import Heap
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.meanwhile import meanwhile, pushed
from symdiff.parse.values import (
    ABSENT,
    ALWAYS,
    Abstract,
    Array,
    BoundMethod,
    DictRef,
    ListRef,
    ObjectRef,
    Partial,
    StaticSet,
    Storage,
    Unread,
)
from symdiff.source.places import is_installed

Ref = TypeVar("Ref", ListRef, DictRef, ObjectRef)
Read = TypeVar("Read")
Items = TypeVar("Items", ListRef, DictRef)
MANY_INSIDE = 32  # lists and dicts in a table, whose items are read where they are asked for

# Arguments ----------------------------------------------------------------------------------------


def argument(interp: Interpreter, spec: Specification, path: Path) -> Abstract:
    """The abstract value of an argument, or of a part of one, at ``path``."""
    if path in interp.static:
        return interp.static[path]
    if isinstance(spec, Fixed):
        return spec.value
    if isinstance(spec, Live):
        if issubclass(spec.type, tuple(generators().values())):
            return _generator(interp, spec.example, path)
        if isinstance(spec.example, (*VALUES, set, types.MappingProxyType)):
            return reflect(interp, spec.example, path)
        interp.guard(path, "type", spec.type)
        return _remembered(interp, spec.example, _object(interp, spec.type, spec.example, path))
    if isinstance(spec, Nested):
        items = [
            argument(interp, item, (*path, key))
            for key, item in zip(spec.keys, spec.items, strict=True)
        ]
        if is_object(spec.type):  # whose arrays are written, whatever is differentiated by
            arrays = interp.by_path.items()
            held = (array for at, array in arrays if at[: len(path)] == path)
            interp.outside |= dict.fromkeys(array.storage for array in held)
        live = None if spec.example is None else spec.example()
        return container(interp, spec.type, spec.keys, items, path, live)
    return _input(interp, spec, path)


def _input(interp: Interpreter, type_: Type, path: Path) -> Abstract:
    if path in interp.same and interp.same[path] in interp.by_path:
        return interp.by_path[interp.same[path]]
    origin = "free" if isinstance(path[0], FreeVariable) else "argument"
    if isinstance(type_, ArrayType):
        type_ = dataclasses.replace(type_, shape=_fixed_shape(interp, type_.shape, path))
    input_ = Input(path, origin)  # type: ignore[arg-type]
    value = interp.add_input(input_, type_, input_name(path))
    if isinstance(type_, ArrayType) and type_.kind == "array":
        storage = Storage(value.name, interp.parameters.index(value), value)
        interp.put(storage, value)
        interp.by_path[path] = Array(storage)
        return interp.by_path[path]
    return value


def _fixed_shape(interp: Interpreter, shape: tuple[Dim, ...], path: Path) -> tuple[Dim, ...]:
    """A shape with the dimensions that are fixed, or known to be those of other arrays."""
    if not shape:  # a number: tables have many
        return shape
    equal = {
        fact[:-1]: size
        for fact, size in interp.static.items()
        if isinstance(fact[-1], Aspect) and fact[-1].kind == "equal"
    }
    ends = [(*path, Aspect("size", axis)) for axis in range(len(shape))]
    known = interp.static | equal
    return tuple(known.get(end, dim) for end, dim in zip(ends, shape, strict=True))


def input_name(path: Path) -> str:
    """A name for the input at a path: ``w``, ``params_0_1``, ``self_k`` → ``k``."""
    parts = [str(part) for part in path if not isinstance(part, PlainArray)]
    name = "_".join(parts[1:] if parts[0] == "self" and len(parts) > 1 else parts)
    return name if name.isidentifier() else re.sub(r"\W", "_", "x" + name)


def require_plain_items(kind: type) -> None:
    """Refuse a class of tuples whose items are not what they seem to be."""
    for name in ("__iter__", "__len__", "__getitem__"):
        if lookups.static_on_class(kind, name) is not getattr(tuple, name):
            raise UnsupportedCallError(
                f"a tuple with a {name} of its own: {kind.__name__}",
                hint="make it a dataclass, or a class with the items as attributes",
            )


def container(
    interp: Interpreter,
    kind: type,
    keys: tuple[Any, ...],
    items: list[Abstract],
    path: Path | None,
    live: Any = None,
) -> Abstract:
    """An abstract container of a given type around abstract items; ``live`` is the user's own."""
    if issubclass(kind, dict):
        mapping = _noted(interp, with_attributes(DictRef(path, kind), live))
        interp.put(mapping, dict(zip(keys, items, strict=True)))
        return mapping
    if issubclass(kind, list):
        sequence = _noted(interp, with_attributes(ListRef(path, type=kind), live))
        interp.put(sequence, tuple(items))
        return sequence
    if issubclass(kind, tuple):
        require_plain_items(kind)
        if hasattr(kind, "n_sequence_fields"):  # a struct sequence, which Python makes itself
            raise UnsupportedCallError(
                f"a value of type {kind.__name__} as an argument", hint="pass tuple(value)"
            )
        return tuple.__new__(kind, items)
    record = _object(interp, kind, live, path)
    for name, item in zip(keys, items, strict=True):
        interp.put((record, name), item)
    return record


def with_attributes(ref: Items, live: Any = None) -> Items:
    """A list or a dict with the attributes that one has whose class is written in Python."""
    if native_base(ref.type) is not ref.type:
        ref.own = ObjectRef(ref.type, live, ref.path, holder=ref)
    return ref


def _object(interp: Interpreter, kind: type, live: Any, path: Path | None) -> ObjectRef:
    return _noted(interp, ObjectRef(kind, live, path))


def _noted(interp: Interpreter, ref: Ref) -> Ref:
    """Note what stands at a path of the arguments, or from a variable."""
    if ref.path is not None:
        interp.given.append(ref)
    return ref


# Free variables -----------------------------------------------------------------------------------

VALUES = (  # that nothing changes, whose methods depend on nothing else
    datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal,
    np.datetime64, np.timedelta64, re.Pattern, re.Match,
)  # fmt: skip
GENERIC_ALIAS: type = type(typing.List[int])  # noqa: UP006 ``Class[item]`` of a class written in Python

STATIC_TYPES = (
    *VALUES,
    GENERIC_ALIAS,
    types.GenericAlias,
    types.UnionType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    type,
    str,
    bytes,
    type(None),
    type(Ellipsis),
    type(np._NoValue),
    type(NotImplemented),
    np.ufunc,
    type(np.sum),  # what NumPy wraps its Python functions in
    type(functools.cache(len)),
    np.dtype,
    np.finfo,
    np.iinfo,
    frozenset,
    range,
    slice,
)


def reflect(interp: Interpreter, value: Any, path: Path) -> Abstract:
    """The abstract value of a live object at a path from a variable."""
    if path in interp.static:
        return interp.static[path]
    known = interp.live.get(id(value))
    if known is not None and _is_at_hand(interp, known):
        interp.guard(path, "same", known.path)
        _bring(interp, known)
        return known
    for test, handler in _REFLECTORS:
        if test(value):
            return _remembered(interp, value, handler(interp, value, path))
    interp.guard(path, "type", type(value))
    return _remembered(interp, value, _object(interp, type(value), value, path))


def everywhere(interp: Interpreter, read: Callable[[], Read], key: Any = None) -> Read:
    """What is read of what stands outside, which is there in every heap staged so far.

    It stands under a ``key``, if there is one.
    """
    with pushed(interp.outer_heaps, interp.heap), meanwhile(interp, heap=Heap()):
        content = read()
        found = interp.heap.contents
    if key is not None:
        found[key] = content
    for inner_key, inner in found.items():
        for handle in (inner_key, inner, *(inner_key if isinstance(inner_key, tuple) else ())):
            if hasattr(handle, "serial"):
                handle.serial = ALWAYS
    kept = interp.read_outside, *(heap.contents for heap in (interp.heap, *interp.outer_heaps))
    for contents in kept:
        for inner_key, inner in found.items():
            contents.setdefault(inner_key, inner)
    return content


def _is_at_hand(interp: Interpreter, ref: Any) -> bool:
    """Return whether what a list or a dict holds is known here, not only on a path that was given
    up.
    """
    if isinstance(ref, ListRef | DictRef) and ref.given is not None:
        return True
    heaps = (interp.heap, *interp.outer_heaps)
    if isinstance(ref, ObjectRef):  # the attributes of the user's own are looked up when asked for
        return ref.live is not None or any(heap.held(ref) for heap in heaps)
    return any(heap.get(ref) is not ABSENT for heap in heaps)


def _bring(interp: Interpreter, value: Abstract) -> None:
    """Let this heap hold what a list or a dict holds that was read in another one only: what it
    held when it was read first, since here it was not written.
    """
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
        key = part.storage if isinstance(part, Array) else part
        if not isinstance(key, Storage | ListRef | DictRef) or interp.heap.get(key) is not ABSENT:
            continue
        content = interp.read_outside.get(key, ABSENT)
        if content is ABSENT:
            heaps = interp.outer_heaps[::-1]
            content = next((heap.get(key) for heap in heaps if key in heap.contents), ABSENT)
        interp.heap.set(key, content)
        pending.extend(content.values() if isinstance(content, dict) else (content,))


def _remembered(interp: Interpreter, value: Any, found: Abstract) -> Abstract:
    """A list, a dict or an object is the same one wherever it is found."""
    if isinstance(found, ListRef | DictRef | ObjectRef):
        interp.live[id(value)] = found
    return found


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray) and type(value) not in (np.ndarray, np.memmap):
        return False
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "bifcu"
    return type(value) in (bool, int, float, complex)


def _number(interp: Interpreter, value: Any, path: Path) -> Abstract:
    if type(value) is np.memmap:
        interp.guard(path, "type", np.memmap)
        found = _number(interp, value.view(np.ndarray), (*path, PlainArray()))
        found.storage.subclass = np.memmap
        return found
    type_ = type_of_constant(value)
    if type_.kind == "array":
        owner = _owner_of_sizes(interp, path)
        shape = tuple(n if n < 2 else Size(f"{owner}.{k}") for k, n in enumerate(value.shape))
        type_ = dataclasses.replace(type_, shape=shape)
    interp.guard(path, "specification", type_)
    found = _input(interp, type_, path)
    if isinstance(found, Array):
        interp.outside[found.storage] = None
    return found


def _owner_of_sizes(interp: Interpreter, path: Path) -> str:
    """What the sizes of an array are named after. Variables of one name in several closures or
    modules, or of a name that the function has itself, are told apart.
    """
    start, *rest = path
    name = str(start)
    if isinstance(start, FreeVariable):
        own = bool(interp.frames) and name in interp.frames[0].scope.locals
        namesakes = interp.namesakes.setdefault(name, {})
        number = namesakes.setdefault(start, len(namesakes)) + own
        name += f"~{number + 1}" if number else ""
    return ".".join((name, *map(str, rest)))


def _flag(interp: Interpreter, value: bool, path: Path) -> Abstract:
    """A truth: a module's own is a fact, which says what is configured, or loaded already; so is
    what a package reads outside, as where its options are kept.
    """
    is_free, file = isinstance(path[0], FreeVariable), interp.span.file if interp.span else ""
    is_modules = is_free and path[0].kind == "global" and len(path) == 1
    is_fact = is_modules or (is_free and is_installed(file))
    return (_static if is_fact else _number)(interp, value, path)


def _generator(interp: Interpreter, value: Any, path: Path) -> Abstract:
    """NumPy's generator of random numbers: used in its place, its draws have types."""
    interp.guard(path, "type", type(value))
    origin: Any = "free" if isinstance(path[0], FreeVariable) else "argument"
    type_ = GENERATOR if isinstance(value, np.random.Generator) else RANDOM_STATE
    return interp.add_input(Input(path, origin), type_, input_name(path))


def _static(interp: Interpreter, value: Any, path: Path) -> Abstract:
    interp.guard(path, "value", value)
    return value


def _container(interp: Interpreter, value: Any, path: Path) -> Abstract:
    keys, items = children(value)  # type: ignore[misc]
    interp.guard(path, "type", type(value))
    if not issubclass(type(value), tuple) or not hasattr(value, "_fields"):
        interp.guard(path, "keys", keys)
    read = _later if sum(map(_is_plain, items)) >= MANY_INSIDE else reflect
    parts = [read(interp, item, (*path, key)) for key, item in zip(keys, items, strict=True)]
    made = container(interp, type(value), keys, parts, path, value)
    if isinstance(value, collections.defaultdict):
        factory = reflect(interp, value.default_factory, (*path, Attribute("default_factory")))
        interp.put((made, "default_factory"), factory)
    return made


def _is_plain(value: Any) -> bool:
    """Return whether a value is a list or a dict, of no other class, of numbers, texts and such."""
    if type(value) not in (list, dict):
        return False
    return all(
        type(item) in _PLAIN_ITEMS for item in (value.values() if type(value) is dict else value)
    )


_PLAIN_ITEMS = {bool, int, float, complex, str, type(None), list, dict}


def _later(interp: Interpreter, value: Any, path: Path) -> Abstract:
    """A list or a dict of the many in a table, which is read where its items are asked for."""
    if not _is_plain(value) or path in interp.static or id(value) in interp.live:
        return reflect(interp, value, path)
    interp.guard(path, "type", type(value))

    def read() -> Abstract:
        keys, items = children(value)  # type: ignore[misc]
        interp.guard(path, "keys", keys)
        paths = [(*path, key) for key in keys]
        parts = everywhere(
            interp, lambda: list(map(functools.partial(_later, interp), items, paths))
        )
        content = dict(zip(keys, parts, strict=True)) if type(value) is dict else tuple(parts)
        interp.read_outside[made] = content
        return content

    kind: Any = DictRef if type(value) is dict else ListRef
    made = _noted(interp, kind(path, serial=ALWAYS, given=Unread(read)))
    return _remembered(interp, value, made)


def _proxy(interp: Interpreter, value: Any, path: Path) -> Abstract:
    """What a dict holds that may be read only: as a dict that is nobody else's."""
    interp.guard(path, "type", type(value))
    interp.guard(path, "keys", tuple(value))
    parts = [reflect(interp, item, (*path, key)) for key, item in value.items()]
    shown = ObjectRef(mappingproxy)
    interp.put((shown, "_mapping"), container(interp, dict, tuple(value), parts, None))
    return shown


def _partial(interp: Interpreter, value: Any, path: Path) -> Abstract:
    interp.guard(path, "value", value)
    interp.guard((*path, "args"), "keys", range(len(value.args)))
    interp.guard((*path, "keywords"), "keys", tuple(value.keywords))
    arguments = tuple(
        reflect(interp, item, (*path, "args", k)) for k, item in enumerate(value.args)
    )
    keywords = tuple(
        (name, reflect(interp, item, (*path, "keywords", name)))
        for name, item in value.keywords.items()
    )
    return Partial(reflect(interp, value.func, (*path, "func")), arguments, keywords)


def _method(interp: Interpreter, value: Any, path: Path) -> Abstract:
    interp.guard(path, "type", type(value))
    function = reflect(interp, value.__func__, (*path, "__func__"))
    return BoundMethod(function, reflect(interp, value.__self__, (*path, "__self__")))


def _set(interp: Interpreter, value: Any, path: Path) -> Abstract:
    interp.guard(path, "type", type(value))
    interp.guard(path, "keys", frozenset(value))
    return StaticSet(value)


def _is_static(value: Any) -> bool:
    if isinstance(value, STATIC_TYPES) or declared(type(value), "__symdiff_static__"):
        return True
    if is_constant(value) or python_behind(value) is not None:
        return True
    if isinstance(type(value).__hash__, types.FunctionType):
        return False  # the program's own, which is not run
    try:
        meet()
        if isinstance(value, types.MethodType):
            return value in DEFINITIONS or value in MADE
        return value in FUNCTIONS or value in OBJECTS
    except TypeError:  # not hashable
        return False


def is_array_of_objects(value: Any) -> bool:
    """Return whether this is an array of texts, times, or what is no number: a table."""
    return type(value) is np.ndarray and value.dtype.kind in TABLES


def _of_subclass(interp: Interpreter, value: Any, path: Path) -> Abstract:
    """An array of a class for which another one is followed; others are refused."""
    meet()
    if type(value) in INSTANCES:
        return _standing_for(interp, value, path)
    if type(value) is not np.ndarray:
        refuse_subclass(input_name(path), value, interp.span)
    raise SignatureError(
        f"{input_name(path)} is an array of {value.dtype}", hint="use arrays of numbers"
    )


def _standing_for(interp: Interpreter, value: Any, path: Path) -> ObjectRef:
    """An object of the class that is followed in place of an array's own."""
    interp.guard(path, "type", type(value))
    standing, attributes = INSTANCES[type(value)]
    shown = ObjectRef(standing)
    interp.put((shown, "is_fixed"), True)
    for name, steps in attributes.items():
        part: Any = value
        for step in steps:
            is_array = step is np.ndarray
            part = part.view(np.ndarray) if is_array else getattr(part, step, ABSENT)
        if part is not ABSENT:
            end = [PlainArray() if step is np.ndarray else step for step in steps]
            interp.put((shown, name), reflect(interp, part, (*path, *end)))
    return shown


_REFLECTORS: tuple[
    tuple[Callable[[Any], bool], Callable[[Interpreter, Any, Path], Abstract]], ...
] = (
    (lambda value: type(value) is bool, _flag),
    (_is_number, _number),
    (lambda value: isinstance(value, np.ndarray) and not is_array_of_objects(value), _of_subclass),
    (lambda value: isinstance(value, tuple(generators().values())), _generator),
    (_is_static, _static),
    (lambda value: isinstance(value, enum.Enum), _static),
    (lambda value: isinstance(value, functools.partial), _partial),
    (lambda value: isinstance(value, types.MethodType), _method),
    (lambda value: isinstance(value, types.MappingProxyType), _proxy),
    (lambda value: isinstance(value, set), _set),
    (lambda value: isinstance(value, list | tuple | dict), _container),
)
