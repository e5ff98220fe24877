"""Special methods that a user's class defines, as Python and NumPy look for them.

Instances are objects, and tuples, lists and dicts of a class of the user's: where it has no method
of its own, they do what ``tuple``, ``list`` and ``dict`` do (``slots``).
"""

from __future__ import annotations

import dataclasses
import math
import operator
import sys
import types
from typing import Any

import numpy as np

from symdiff.definitions.declare import is_constant
from symdiff.errors import InternalError, UnsupportedCallError
from symdiff.ir.structure import is_dataclass
from symdiff.parse import lookups, subclassed
from symdiff.parse.blame import users
from symdiff.parse.identity import class_of, identical, not_followed
from symdiff.parse.interpreter import Interpreter, describe, negated
from symdiff.parse.values import Abstract, Arguments, Closure, DictRef, ListRef, ObjectRef

REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_NAMES = "add sub mul truediv floordiv mod matmul and or xor lshift rshift lt gt le ge eq ne"
_SIGNS = "+ - * / // % @ & | ^ << >> < > <= >= == !="
SIGNS = dict(zip(_NAMES.split(), _SIGNS.split(), strict=True))
SIGNS |= {"pow": "** or pow()", "divmod": "divmod()"}
_OPERATIONS = {name: getattr(operator, f"__{name}__", divmod) for name in SIGNS}
_MAKES_AN_ARRAY = ("__array__", "__array_interface__", "__array_struct__")


def has_method(interp: Interpreter, value: Abstract, name: str) -> bool:
    """Return whether a special method of a value is what the user's class says."""
    if isinstance(value, ObjectRef):
        return lookups.defines(interp, value.type, name)
    if isinstance(value, (ListRef, DictRef)):
        return value.own is not None and lookups.overrides(interp, value.type, name)
    if isinstance(value, type):
        return name not in _OF_CLASSES and _is_told_by_metaclass(interp, value, name)
    if isinstance(value, str) and name == "__call__" and type(value) is not str:
        return lookups.overrides(interp, type(value), name)
    if not isinstance(value, tuple) or type(value) is tuple:
        return is_constant(value) and lookups.defines(interp, type(value), name)
    found = lookups.static_on_class(type(value), name)
    is_method = isinstance(found, types.FunctionType | Closure)
    return is_method and lookups.defines(interp, type(value), name)


def _is_told_by_metaclass(interp: Interpreter, cls: type, name: str) -> bool:
    """Return whether a metaclass of the user's says what a class does: Python's own are known."""
    meta = type(cls)
    holder = lookups.holder_of(meta, name)
    if holder is None or holder.__module__.partition(".")[0] in sys.stdlib_module_names:
        return False
    found = holder.__dict__[name]
    return isinstance(found, types.FunctionType | Closure) and lookups.defines(interp, meta, name)


_OF_CLASSES = ("__call__", "__copy__", "__deepcopy__")  # which Python asks classes for otherwise


def has_operator(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> bool:
    """Return whether ``a op b`` is for special methods of the user's to tell."""
    if any(isinstance(x, ObjectRef) or is_constant(x) for x in (a, b)):
        return True
    if has_method(interp, a, f"__{name}__"):
        return True
    return has_method(interp, b, _reflected(name)) and not _is_numpy(interp, a)


def by_operator(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> Abstract:
    """``a op b`` by the special methods of the operands, in Python's order."""
    for instance, method, other in _in_order(interp, name, a, b):
        read = subclassed.reader(interp, instance, method, other)
        if read is not None:
            return interp.call(_OPERATIONS[name], [read(a), read(b)], {})
        if has_method(interp, instance, method) and not subclassed.inherits(instance, method):
            given = other if instance is a else _given_by_numpy(interp, other, instance)
            result = _asked(interp, instance, method, given)
            if result is not NotImplemented:
                return result
    if name not in ("eq", "ne"):
        raise _not_supported(interp, name, a, b)
    same = identical(interp, a, b)
    return same if name == "eq" else negated(same)


def _asked(interp: Interpreter, instance: Abstract, method: str, other: Abstract) -> Abstract:
    """What a method of an operator gives; those that every class inherits do not know."""
    if has_own_method(interp, instance, method):
        made = fields_compared(interp, class_of(interp, instance), method.strip("_"))
        known = made is None  # what dataclasses make compares objects of one class
        return interp.call_method(instance, method, other) if known else NotImplemented
    if method == "__ne__" and has_own_method(interp, instance, "__eq__"):
        cls = class_of(interp, instance).__name__
        raise UnsupportedCallError(
            f"'!=' of a {cls}, which has no __ne__, and of an object that has one",
            hint="write not (a == b)",
        )
    return NotImplemented


def has_own_method(interp: Interpreter, value: Abstract, name: str) -> bool:
    """Return whether the user's class has a special method other than what all classes inherit."""
    inherited = lookups.static_on_class(class_of(interp, value), name)
    return inherited is not object.__dict__.get(name) and has_method(interp, value, name)


def _not_supported(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> Exception:
    """What Python raises where no method says what to do."""
    for value, method in ((a, f"__{name}__"), (b, _reflected(name))):
        refusal = not_followed(class_of(interp, value), method)
        if refusal is not None and not has_own_method(interp, value, method):
            return refusal
    left, right = (class_of(interp, v).__name__ for v in (a, b))
    if name in REFLECTED:
        message = f"{SIGNS[name]!r} not supported between instances of {left!r} and {right!r}"
    else:
        message = f"unsupported operand type(s) for {SIGNS[name]}: {left!r} and {right!r}"
    return users(TypeError(message))


def _reflected(name: str) -> str:
    return f"__{REFLECTED.get(name, f'r{name}')}__"


def _in_order(
    interp: Interpreter, name: str, a: Abstract, b: Abstract
) -> list[tuple[Abstract, str, Abstract]]:
    """Which methods Python tries: a subclass's reflected method comes first."""
    order = [(a, f"__{name}__", b), (b, _reflected(name), a)]
    left, right = class_of(interp, a), class_of(interp, b)
    if left is right and name not in REFLECTED:
        return order[:1]
    if left is not right and issubclass(right, left):
        lookups.on_class(interp, right, _reflected(name))
        own, inherited = (lookups.holder_of(c, _reflected(name)) for c in (right, left))
        if own is not inherited or name in REFLECTED:
            order.reverse()
    return order


def _is_numpy(interp: Interpreter, value: Abstract) -> bool:
    return issubclass(class_of(interp, value), np.ndarray | np.generic)


def _given_by_numpy(interp: Interpreter, operand: Abstract, instance: Abstract) -> Abstract:
    """What a reflected method gets of a left operand: NumPy's numbers and arrays see to it first.

    They step back where the class of the other asks for it, by ``__array_ufunc__ = None`` or an
    ``__array_priority__``. Else a number comes as a Python number, an array item by item.
    """
    if not _is_numpy(interp, operand):
        return operand
    cls = class_of(interp, instance)
    if subclassed.numpy_steps_back(cls):
        return operand
    is_sequence = all(hasattr(cls, name) for name in ("__len__", "__getitem__"))
    is_array = is_sequence or any(hasattr(cls, name) for name in _MAKES_AN_ARRAY)
    if is_array or issubclass(class_of(interp, operand), np.ndarray):
        raise UnsupportedCallError(
            f"NumPy makes an array of this: {describe(operand)} before a {cls.__name__}",
            hint=f"write the {cls.__name__} first, or set __array_ufunc__ = None in its class",
        )
    return subclassed.as_python(interp, operand)


CONVERSIONS: dict[Any, tuple[str, ...]] = {  # which methods a function asks for, in Python's order
    float: ("__float__", "__index__"),
    int: ("__int__", "__index__", "__trunc__"),
    complex: ("__complex__", "__float__", "__index__"),
    operator.index: ("__index__",),
    round: ("__round__",),
    math.trunc: ("__trunc__",),
    math.floor: ("__floor__", "__float__"),
    math.ceil: ("__ceil__", "__float__"),
}


def converted(interp: Interpreter, function: Any, *arguments: Abstract) -> Abstract:
    """``float(object)``, ``round(object, 2)`` and the like, by the object's own method."""
    instance, *others = arguments
    cls = class_of(interp, instance)
    found = next((m for m in CONVERSIONS[function] if has_own_method(interp, instance, m)), None)
    if found is None:
        raise users(_not_converted(function, cls.__name__))
    result = interp.call_method(instance, found, *others)
    is_first = found == CONVERSIONS[function][0]
    if not is_first:
        return interp.call(function, [result], {})
    if not isinstance(function, type) or class_of(interp, result) is function:
        return result
    raise UnsupportedCallError(
        f"{cls.__name__}.{found} returns no {function.__name__}",
        hint=f"return {function.__name__}(...) there",
    )


_OF_INTEGERS = (math.comb, math.factorial, math.gcd, math.isqrt, math.lcm, math.perm)
_OF_ITEMS = (math.dist, math.fsum, math.prod, getattr(math, "sumprod", None))


def takes_all_items(function: Abstract) -> bool:
    """Return whether a function is one of ``math`` that goes over all items before it computes."""
    return any(function is one for one in _OF_ITEMS)


def as_floats(interp: Interpreter, function: Any, arguments: Arguments) -> Arguments:
    """The arguments of a function of ``math``, with the numbers that objects tell of themselves."""
    if function in _OF_ITEMS:
        return arguments
    kind = operator.index if function in _OF_INTEGERS else float
    return [
        converted(interp, kind, argument)
        if isinstance(argument, ObjectRef) and not subclassed.is_subclassed(argument)
        else argument
        for argument in arguments
    ]


def as_index(interp: Interpreter, key: Abstract) -> Abstract:
    """What stands between brackets, with the integer that an object's ``__index__`` tells."""
    if type(key) is tuple:
        return tuple(as_index(interp, part) for part in key)
    if isinstance(key, slice):
        return slice(*(as_index(interp, bound) for bound in (key.start, key.stop, key.step)))
    if subclassed.is_subclassed(key):
        return subclassed.as_python(interp, key)
    if not isinstance(key, ObjectRef):
        return key
    tells = has_own_method(interp, key, "__index__")
    return converted(interp, operator.index, key) if tells else key


def _not_converted(function: Any, name: str) -> TypeError:
    """What Python raises of an object of a class with this name and no methods."""
    try:
        function(type(name, (), {})())
    except TypeError as error:
        return error
    raise InternalError(f"{function} takes any object")


def fields_compared(interp: Interpreter, cls: type, name: str) -> list[str] | None:
    """The fields that a comparison made by ``dataclasses`` compares; None of another method."""
    holder = lookups.holder_of(cls, f"__{name}__")
    if holder is None or not is_dataclass(holder):
        return None
    code = getattr(holder.__dict__[f"__{name}__"], "__code__", None)
    if code is None or not code.co_filename.startswith("<"):
        return None
    lookups.on_class(interp, cls, f"__{name}__")
    return [field.name for field in dataclasses.fields(holder) if field.compare]
