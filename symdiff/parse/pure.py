"""Functions of what is known, computed while a function is staged: ``leggauss(3)``.

They read nothing outside and give the same each time. What they give is the program's own: its
arrays, lists and dicts are new ones. Where an argument is known at run time only, they are called
as any other function is.
"""

from __future__ import annotations

import datetime
import decimal
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from symdiff.definitions.declare import PURE, is_constant
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.structure import native_base
from symdiff.parse.changing import new_set
from symdiff.parse.demand import can_be_fixed, known
from symdiff.parse.heap import constant
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.items import as_set
from symdiff.parse.python import in_python, is_abstract
from symdiff.parse.reflect import STATIC_TYPES, VALUES, container
from symdiff.parse.values import ABSENT, Abstract, Arguments, DictRef, Keywords, ListRef, StaticSet

_FUNCTIONS = frozenset(
    f"{module}.{name}"
    for module, names in {
        "_struct": "calcsize pack unpack",
        "ast": "literal_eval",
        "builtins": "float.fromhex float32.fromhex float64.fromhex int.from_bytes bytes.fromhex",
        "importlib": "import_module",
        "importlib.metadata": "entry_points version",
        "json": "loads dumps",
        "numpy": "frombuffer",
        "numpy.polynomial.chebyshev": "chebgauss chebpts1 chebpts2",
        "numpy.polynomial.hermite": "hermgauss",
        "numpy.polynomial.hermite_e": "hermegauss",
        "numpy.polynomial.laguerre": "laggauss",
        "numpy.polynomial.legendre": "leggauss",
        "posixpath": "basename dirname join normpath split splitext",
        "re": "_compile compile escape findall split sub subn",
        "shlex": "join quote split",
        "scipy.signal._filter_design": "_bessel_zeros",
        "scipy.constants._codata": "value unit precision",
        "symdiff.definitions.in_python": "order_of_set",
    }.items()
    for name in names.split()
)
_PREFIXES = ("scipy.special._orthogonal.roots_",)
_CLASSES = (
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
    *(decimal.Decimal, np.datetime64, np.timedelta64),
)
_MAKERS: dict[type, set[str]] = {  # class methods that ask for nothing but their arguments
    datetime.date: {"fromisoformat", "fromordinal", "fromisocalendar"},
    datetime.datetime: {"combine", "fromisoformat", "fromordinal", "fromisocalendar", "strptime"},
}


def computed(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What a pure function gives of known arguments; ``ABSENT`` of all others."""
    if not is_pure(function):
        return ABSENT
    owner = getattr(function, "__self__", None)
    if isinstance(owner, frozenset):  # of a dict it looks at the keys
        arguments = [tuple(interp.content(a)) if isinstance(a, DictRef) else a for a in arguments]
    if interp.recorder is not None and getattr(function, "__module__", None) == "re":
        raise UnsupportedCallError(
            "a pattern, which may warn when it is made, inside catch_warnings(record=True)",
            hint="make it outside of the block",
        )
    if isinstance(function, type):  # a date, of integers that are fixed for it
        arguments = [_fixed(interp, a) for a in arguments]
        keywords = {name: _fixed(interp, a) for name, a in keywords.items()}
    given = [python_value(interp, a) for a in arguments]
    named = {name: python_value(interp, a) for name, a in keywords.items()}
    if any(value is ABSENT for value in (*given, *named.values())):
        return ABSENT
    found = in_python(function, *given, **named)
    if isinstance(owner, StaticSet) and isinstance(found, frozenset):
        return new_set(interp, found)
    if isinstance(found, Iterator):
        return interp.call(iter, [abstract_of(interp, list(found))], {})
    return abstract_of(interp, found) if is_taken(found) else ABSENT


def _fixed(interp: Interpreter, value: Abstract) -> Abstract:
    """A number that a program can be compiled for; anything else as it is."""
    if not isinstance(value, Value) or not can_be_fixed(value):
        return value
    return known(interp, value, "dates are made of constants, or of int arguments")


def is_pure(function: Any) -> bool:
    """Return whether a function is one that may be called while another is staged."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.BuiltinFunctionType) and isinstance(owner, (*VALUES, frozenset)):
        return True
    if isinstance(owner, type) and function.__name__ in _MAKERS.get(owner, ()):
        return True
    if id(function) in PURE:
        return True
    if isinstance(function, type):
        return function in _CLASSES
    module = getattr(function, "__module__", None) or "builtins"
    name = f"{module}.{getattr(function, '__qualname__', '')}"
    return name in _FUNCTIONS or name.startswith(_PREFIXES)


def python_value(interp: Interpreter, value: Abstract) -> Any:
    """The Python value of an abstract one; ``ABSENT`` where it is known at run time only."""
    value = as_set(interp, value)
    if isinstance(value, tuple):
        items: Any = tuple(python_value(interp, item) for item in value)
        return ABSENT if ABSENT in items else tuple.__new__(type(value), items)
    if isinstance(value, ListRef | DictRef) and value.own is None:
        content = interp.content(value)
        if isinstance(content, tuple):
            items = [python_value(interp, item) for item in content]
            return ABSENT if ABSENT in items else items
        if isinstance(content, dict):
            known = {key: python_value(interp, item) for key, item in content.items()}
            return ABSENT if ABSENT in known.values() else known
    return ABSENT if is_abstract(value) else value


def abstract_of(interp: Interpreter, value: Any) -> Abstract:
    """The program's own value for one that was computed here."""
    if isinstance(value, np.ndarray):
        return interp.wrap(constant(value))
    in_c = hasattr(value, "n_sequence_fields") or native_base(type(value)) is not tuple
    if isinstance(value, tuple) and in_c:  # ``datetime.timetuple()``: of constants
        return value
    if isinstance(value, tuple):
        return tuple.__new__(type(value), [abstract_of(interp, item) for item in value])
    if isinstance(value, list | dict):
        keys = tuple(value) if isinstance(value, dict) else tuple(range(len(value)))
        items = value.values() if isinstance(value, dict) else value
        made = [abstract_of(interp, item) for item in items]
        return container(interp, type(value), keys, made, None)
    if isinstance(value, set):
        return new_set(interp, value)
    assert is_taken(value), value
    return value


def is_taken(found: Any) -> bool:
    """Return whether what was computed is one of the program's own values."""
    if isinstance(found, np.ndarray):
        return type(found) is np.ndarray
    if isinstance(found, tuple | list | dict | set):
        items = [*found, *found.values()] if isinstance(found, dict) else found
        return all(map(is_taken, items))
    return isinstance(found, _FOUND) or is_constant(found)


_FOUND = (*STATIC_TYPES, bool, int, float, complex, np.generic, np.ndarray, tuple, list, dict, set)
