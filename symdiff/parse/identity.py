"""What an abstract value is to ``isinstance``, ``type`` and ``is``: its class, and which object.

Of what a call without a rule gives, nothing is known: questions about it are refused, as no answer
would hold.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from symdiff.definitions import is_definition
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.signature import Aspect, Path
from symdiff.ir.structure import declared, is_leaf
from symdiff.ir.types import GENERATOR, RANDOM_STATE, TEXT, ArrayType, ListType, OpaqueType
from symdiff.ops import arithmetic
from symdiff.ops.draws import generators
from symdiff.parse.demand import obtainable
from symdiff.parse.dtype_answers import Question
from symdiff.parse.heap import constant, same
from symdiff.parse.hidden_complex import require_real
from symdiff.parse.holders import are_alike
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.raised_values import is_raised
from symdiff.parse.staged import StaticDemand
from symdiff.parse.values import (
    Abstract,
    Array,
    ArrayMethod,
    BoundMethod,
    Closure,
    ConflictRead,
    DictRef,
    DictView,
    Generator,
    Lazy,
    ListRef,
    ObjectRef,
    Partial,
    Range,
    StagedText,
    StaticSet,
    Storage,
)

Refs = ListRef | DictRef | ObjectRef

_CLASSES: dict[type, type] = {
    Array: np.ndarray,
    Range: range,
    StagedText: str,
    StaticSet: set,
    Closure: types.FunctionType,
    Partial: functools.partial,
    BoundMethod: types.MethodType,
    ArrayMethod: types.BuiltinMethodType,
    Generator: types.GeneratorType,
}
_SMALL = range(-5, 257)  # the ints that Python keeps one object of each for
_PYTHON: dict[str, type] = {"f": float, "i": int, "b": bool, "c": complex}


def class_of(interp: Interpreter, value: Abstract) -> type:
    """The class that an abstract value has at run time."""
    require_known(value)
    interp.heap.require_array(value)
    if isinstance(value, ListRef) and value.frozen:
        return tuple
    if isinstance(value, Refs):
        return value.type
    if isinstance(value, Value):
        return class_of_number(value)
    if isinstance(value, Lazy):
        return value.kind
    if isinstance(value, Array) and value.storage.subclass is not None:
        return _class_of_subclass(value, value.storage.subclass)
    if isinstance(value, DictView):
        return type(getattr({}, value.kind)())
    kind = type(value)
    if kind in _CLASSES:
        return _CLASSES[kind]
    if kind.__module__.startswith("symdiff.parse"):
        raise UnsupportedCallError(f"the class of {describe(value)}")
    return kind


def name_in_messages(cls: type) -> str:
    """What Python calls a class in its messages: those written in C tell their module."""
    written_in_c = not cls.__flags__ & _ON_HEAP and cls.__module__ != "builtins"
    return f"{cls.__module__}.{cls.__name__}" if written_in_c else cls.__name__


_ON_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def python_class(interp: Interpreter, value: Abstract) -> type:
    """The class that the program sees: Python's own where another one is followed for it."""
    cls = class_of(interp, value)
    shown: type = vars(cls).get("__symdiff_class__", cls)
    return shown


def not_followed(cls: type, name: str) -> Exception | None:
    """The refusal of a method that Python's class has and the one that is followed for it lacks."""
    shown, inherited = declared(cls, "__symdiff_class__"), getattr(object, name, None)
    if shown is None or getattr(shown, name, inherited) is inherited:
        return None
    return UnsupportedCallError(f"'{name}' of a {cls.__name__}")


def _class_of_subclass(value: Array, subclass: type) -> type:
    if value.lenses:
        message = f"the class of a view of a {subclass.__name__}"
        raise UnsupportedCallError(message, hint="make it an array outside: np.asarray(x)")
    return subclass


_GENERATORS = (GENERATOR, RANDOM_STATE)


def note_class_asked(interp: Interpreter, value: Abstract, classes: Any = None) -> None:
    """Note that what follows rests on the class by which a number is typed: on which one it is, or
    whether it is one of ``classes``.
    """
    if isinstance(value, Value) and interp.span is not None:
        is_ours = is_definition(interp.scope.globals)
        if not is_ours and _is_another_of_complex(classes):
            require_real(interp, value)
        interp.classes_asked.append(Question(value, interp.span, classes, is_ours))


def _is_another_of_complex(classes: Any) -> bool:
    """Return whether an answer for a float may be another one where that is complex."""
    if not isinstance(classes, type | tuple | types.UnionType):
        return True
    return issubclass(float, classes) is not issubclass(complex, classes)


def class_of_number(value: Value) -> type:
    """The class of what an IR value stands for."""
    type_ = value.type
    if type_ in _GENERATORS:
        return generators()[type_]
    if type_ == TEXT:
        return str
    if not isinstance(type_, ArrayType):
        return list if isinstance(type_, ListType) else object
    if type_.kind == "python":
        return _PYTHON[type_.dtype.kind]
    return np.ndarray if type_.kind == "array" else type_.dtype.type


def is_unknown(value: Abstract) -> bool:
    """Return whether a value is what a call without a rule gave."""
    return (
        isinstance(value, Value)
        and isinstance(value.type, OpaqueType)
        and value.type not in (*_GENERATORS, TEXT)
    )


def require_known(*values: Abstract) -> None:
    """Refuse questions about what nothing is known of."""
    if any(map(is_unknown, values)):
        raise UnsupportedCallError(
            "this depends on the result of a call without a rule, whose type is not known",
            hint='say its type where it is made: symdiff.nondifferentiable(returns="float")',
        )


def identical(interp: Interpreter, a: Abstract, b: Abstract) -> bool | Value:
    """``a is b``."""
    if type(a) is type(b) is int:
        return _one_int(interp, a, b)
    if a is b:
        return True
    if isinstance(a, Array | Refs) and isinstance(b, Array | Refs):
        return _one_object(interp, a, b)
    if isinstance(a, Value | Array) or isinstance(b, Value | Array):
        return _staged(interp, a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        raise _not_told(interp, a, b)
    if are_alike(a, b):
        return _one_function(interp, a, b)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, ObjectRef) and one.type is type(other):  # an object of a library's
            raise _not_told(interp, a, b)
    return type(a) is type(b) and is_leaf(a) and same(a, b)


def _one_function(interp: Interpreter, a: Abstract, b: Abstract) -> bool:
    """Return whether functions, methods … that differ in what they hold, at most, are one."""
    if not (isinstance(a, Closure) and isinstance(b, Closure)):
        raise _not_told(interp, a, b)
    require_one_function(a)
    require_one_function(b)
    return False


def require_one_function(content: Abstract) -> None:
    """Refuse to ask which function it is where that differs between paths or turns."""
    if isinstance(content, Closure) and content.several is not None:
        raise ConflictRead(content.several)


def _one_object(interp: Interpreter, a: Array | Refs, b: Array | Refs) -> bool:
    """Return whether two arrays, lists, dicts or objects are one."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Array) and isinstance(b, Array):
        for array in (a, b):
            interp.heap.require_array(array)
        if a.lenses or b.lenses:  # two views of one array are two objects
            if a == b:
                raise _not_told(interp, a, b)
            return False
    one, other = _location(a), _location(b)
    if one is other:
        return True
    interp.heap.require_told_apart(one, other)
    if interp.value_keys.are_alike(one, other):
        raise _not_told(interp, a, b)
    return _found_as_one(interp, one, other)


def _location(value: Array | Refs) -> Any:
    return value.storage if isinstance(value, Array) else value


def _found_as_one(interp: Interpreter, one: Any, other: Any) -> bool:
    """Fix whether one object stands at two paths, and return it; what is local stands at none."""
    path, second = (_path_of(interp, found) for found in (one, other))
    if path is None or second is None:
        return False
    fact = (*path, Aspect("is", second))
    if fact not in interp.static:
        raise StaticDemand((fact,), interp.span)
    answer: bool = interp.static[fact]
    return answer


def _path_of(interp: Interpreter, found: Any) -> Path | None:
    if not isinstance(found, Storage):
        path: Path | None = found.path
        return path
    return None if found.origin is None else interp.inputs[found.origin].path


def _not_told(interp: Interpreter, a: Abstract, b: Abstract) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        f"whether {describe(a)} and {describe(b)} are one object", interp.span, "compare with =="
    )


def _staged(interp: Interpreter, a: Abstract, b: Abstract) -> bool | Value:
    if (a is None and is_raised(b)) or (b is None and is_raised(a)):
        return False
    require_known(a, b)
    numbers = [v for v in (a, b) if isinstance(v, Value) or is_leaf(v)]
    if len(numbers) < 2:
        return False
    first, second = (class_of(interp, v) for v in numbers)
    for number, other in ((numbers[0], second), (numbers[1], first)):
        note_class_asked(interp, number, other)
    if first is not second or issubclass(first, np.ndarray | list):
        return False
    if first is bool:
        return _equal(*numbers)
    if first is int:
        return _one_int(interp, *numbers)
    raise _not_told(interp, a, b)


def _one_int(interp: Interpreter, a: Abstract, b: Abstract) -> bool | Value:
    """Return whether two ints are one object: Python has small ones once. They are fixed where
    that can be.
    """
    staged = [number for number in (a, b) if isinstance(number, Value)]
    for number in staged:
        wanted = obtainable(interp, number)
        if wanted is not None:
            raise wanted
    known = [number for number in (a, b) if number not in staged]
    if len(known) == 2 and a != b:
        return False
    if not any(number in _SMALL for number in known):
        raise _not_told(interp, a, b)
    return _equal(a, b) if staged else True


def _equal(*numbers: Abstract) -> Value:
    staged = [v if isinstance(v, Value) else constant(v) for v in numbers]
    equal: Value = arithmetic.equal(*staged)
    return equal
