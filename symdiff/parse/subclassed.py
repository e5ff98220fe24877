"""Numbers of subclasses of ``int``, ``float`` and ``complex``, in operators.

One that a function makes keeps the plain number that it is under ``real``, which a class has a
descriptor for, so that it is none of the object's own attributes.

What acts on such a number may be a method that its class inherits, or the other operand: Python's
``float`` takes any ``int`` or ``float`` as the number that it is, NumPy as an array of that number,
and neither asks the subclass for its ``__rmul__``.

>>> import symdiff
>>> class Metres(float):
...     unit = "m"
>>> height = Metres(3.0)
>>> @symdiff.differentiable
... def f(x):
...     return x * height if height.unit == "m" else x
>>> f.grad(2.0)
3.0
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ops.casts import python_complex, python_float, python_int
from symdiff.parse import lookups, native
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract, ObjectRef

TAKEN: dict[type, tuple[type, ...]] = {
    int: (int,),
    float: (int, float),
    complex: (int, float, complex),
}
_CONVERSIONS = ("__float__", "__int__", "__index__", "__complex__", "__array__")

Reader = Callable[[Abstract], Abstract]


def reader(interp: Interpreter, acting: Abstract, method: str, other: Abstract) -> Reader | None:
    """How an operator's method of a number takes both operands, where one is of a subclass.

    None where another method is to be asked, or none of the operands is of a subclass.
    """
    if not is_subclassed(acting) and not is_subclassed(other):
        return None
    own, others = class_of(interp, acting), class_of(interp, other)
    if issubclass(own, np.generic | np.ndarray) and not isinstance(acting, ObjectRef):
        return None if numpy_steps_back(others) else partial(as_numpy, interp)
    holder: Any = lookups.holder_of(own, method)
    if holder not in TAKEN or not issubclass(others, TAKEN[holder]):
        return None
    if is_subclassed(acting):
        lookups.on_class(interp, own, method)
    return partial(as_python, interp)


def inherits(value: Any, method: str) -> bool:
    """Return whether a number of a subclass has a method from ``int``, ``float`` or ``complex``."""
    return is_subclassed(value) and lookups.holder_of(value.type, method) in TAKEN


def asks_for_another_text(value: Any, method: str) -> bool:
    """Return whether a method of ``int``, ``float`` or ``complex`` may give what the class itself
    says: ``__str__`` asks for the number's ``__repr__``, ``__format__`` for its ``__str__``.
    """
    asks = method in ("__str__", "__format__")
    if asks and not inherits(value, "__repr__"):
        return True
    return method == "__format__" and lookups.holder_of(value.type, "__str__") is not object


def is_subclassed(value: Any) -> bool:
    """Return whether a value is a number of a class below Python's."""
    return isinstance(value, ObjectRef) and issubclass(value.type, (int, float, complex))


def numpy_steps_back(cls: type) -> bool:
    """Return whether NumPy leaves an operator to an operand of a class on its right."""
    if cls is np.ndarray or lookups.static_on_class(cls, "__array_ufunc__") is None:
        return True  # a table answers by itself
    priority: float = getattr(cls, "__array_priority__", 0.0)
    return priority > 0.0


def as_python(interp: Interpreter, value: Abstract) -> Abstract:
    """A number as Python's ``int``, ``float`` or ``complex``."""
    if isinstance(value, ObjectRef):
        return _number(interp, value)
    number: Value = interp.lift(value)
    type_: Any = number.type
    convert = {"c": python_complex, "f": python_float}
    return convert.get(type_.dtype.kind, python_int)(number)


def as_numpy(interp: Interpreter, value: Abstract) -> Abstract:
    """An operand as NumPy's operators take it: a number of a subclass has a dtype, as arrays do."""
    if not isinstance(value, ObjectRef):
        return value
    for name in _CONVERSIONS:
        if lookups.defines(interp, value.type, name) and not inherits(value, name):
            raise UnsupportedCallError(
                f"NumPy makes an array of a {value.type.__name__} by its {name}",
                hint="write the conversion: float(...) or int(...)",
            )
    number = _number(interp, value)
    if isinstance(number, Value):
        kind: Any = next(kind for kind in TAKEN if issubclass(value.type, kind))
        return interp.call(np.dtype(kind).type, [number], {})
    return np.asarray(number)[()]


def made(interp: Interpreter, cls: type, number: Abstract) -> ObjectRef:
    """An object of a subclass that is this number."""
    ref = ObjectRef(cls)
    interp.put((ref, "real"), number)
    return ref


def is_made(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a value is a number of a subclass that the function has made."""
    return is_subclassed(value) and value.live is None and value.path is None


def is_part(interp: Interpreter, ref: ObjectRef, name: str) -> bool:
    """Return whether an attribute is ``real`` or ``imag`` of such a number."""
    return is_made(interp, ref) and lookups.holder_of(ref.type, name) in TAKEN


def _number(interp: Interpreter, ref: ObjectRef) -> Any:
    """The number that an object of a subclass is, which nothing can change."""
    if is_made(interp, ref):
        return interp.content((ref, "real"))
    if ref.live is None or ref.path is None:
        raise native.not_followed(interp, ref.type, "value")
    interp.guard(ref.path, "value", ref.live)
    base: Any = next(number for number in TAKEN if issubclass(ref.type, number))
    return base.__pos__(ref.live)
