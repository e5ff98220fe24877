"""From arguments to a signature: example values, or types spelled as text, enter; specifications
leave.

A spelled type is ``"float"``, ``"int"``, ``"bool"``, ``"complex"`` (Python's), ``"float32"`` (a
NumPy scalar) or ``"float64[n,3]"`` (an array). Equal names of sizes mean equal sizes; a literal 1
means a dimension that is 1.

>>> print(describe(specify(with_types({"w": "float64[n,d]", "rate": 0.5}), ("p",))))
{'w': float64[n,d], 'rate': float}

In a call a text is a text, whatever it spells: only where types are described may it stand for one.
"""

from __future__ import annotations

import enum
import re
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.definitions.declare import is_constant
from symdiff.errors import AliasingError, SignatureError
from symdiff.ir.attributes import Parts, parts
from symdiff.ir.signature import (
    COMPARISONS,
    Asked,
    Aspect,
    Attribute,
    Fixed,
    Live,
    Nested,
    Path,
    PlainArray,
    Signature,
    Specification,
    describe,
    refuse_subclass,
)
from symdiff.ir.structure import TABLES, Container, children, construct, declared, native_base
from symdiff.ir.types import BY_NAME, PYTHON_TYPES, ArrayType, Dim, Size, times_and_more

__all__ = [
    "TypeText",
    "describe",
    "read_type",
    "signature_of",
    "specify",
    "spelled",
    "types_spelled",
    "with_types",
]

_TYPE = re.compile(r"\s*([a-z]+\d*)\s*(?:\[\s*(.*?)\s*\])?\s*")
_LIKE_A_TYPE = re.compile(r"\s*[a-z]+\d*\s*\[")
_DTYPE = re.compile(r"(float|int|uint|complex)\d+|bool")
_DIM = re.compile(r"(\d+)|(?:([1-9]\d*)\s*\*\s*)?([A-Za-z_]\w*)(?:\s*([+-])\s*(\d+))?")
_NUMERIC = "bifcu"


class TypeText(str):
    """A text that stands for a value of the type that it spells."""

    __slots__ = ()


def with_types(value: Any) -> Any:
    """The value with the texts in it that spell a type marked as such.

    :raises SignatureError: for a text that looks like an array's type and is none.
    """
    if isinstance(value, str):
        return _with_type(value)
    parts = children(value)
    if parts is None:
        return value
    keys, items = parts
    marked = [with_types(item) for item in items]
    if all(new is item for new, item in zip(marked, items, strict=True)):
        return value
    return construct(Container(type(value), keys, ()), marked)


def types_spelled(value: Any) -> list[str]:
    """The texts in a value that spell a type.

    >>> types_spelled(("float64[n]", {"mode": "fast", "k": "int"}))
    ['float64[n]', 'int']
    """
    if isinstance(value, str):
        return [] if read_type(value) is None else [value]
    parts = children(value)
    return [] if parts is None else [text for item in parts[1] for text in types_spelled(item)]


def _with_type(text: str) -> str:
    if read_type(text) is not None:
        return TypeText(text)
    if _LIKE_A_TYPE.match(text):
        raise SignatureError(
            f"{text!r} spells no type",
            hint="write float64[n,d], float32[n], int64[n], float or int",
        )
    return text


class Opening:
    """The objects that are specified by their attributes, as they are differentiated by.

    ``ids`` are theirs; ``met`` has the path of each that has been come by.
    """

    def __init__(self, ids: frozenset[int]) -> None:
        self.ids = ids
        self.met: dict[int, Path] = {}

    def parts(self, value: Any, path: Path) -> Parts | None:
        """The attributes of such an object; None of any other.

        :raises AliasingError: where it has been come by on another path.
        """
        if id(value) not in self.ids:
            return None
        before = self.met.setdefault(id(value), path)
        if before != path:
            raise AliasingError(
                f"{spelled(before)} and {spelled(path)} are one {type(value).__name__}: there is no"
                " derivative by each of them",
                hint="pass a copy of one of them, or ask for other arguments with argnums",
            )
        return parts(value)


def signature_of(
    names: Sequence[str], arguments: Sequence[Any], opened: frozenset[int] = frozenset()
) -> Signature:
    """The signature of these arguments, one for each parameter; ``opened`` are ids of objects that
    are specified by their attributes.
    """
    pairs, opening = zip(names, arguments, strict=True), Opening(opened)
    return Signature(tuple((name, specify(value, (name,), opening)) for name, value in pairs))


def specify(value: Any, path: Path, opening: Opening | None = None) -> Specification:
    """What is known at compile time of a value, which stands at ``path`` of the arguments."""
    known = PYTHON_TYPES.get(type(value))
    if known is not None:
        return known
    if type(value) is np.ndarray and value.dtype.kind in TABLES:
        return Live(type(value), value)
    if isinstance(value, np.ndarray):
        return _array(value, path)
    if isinstance(value, np.generic) and value.dtype.kind in _NUMERIC:
        return ArrayType(value.dtype, (), "scalar")
    if isinstance(value, TypeText):
        return read_type(value) or Fixed(value, str)
    if isinstance(value, str):
        return Fixed(value, str)
    if _is_fixed(value):
        return Fixed(value, type(value))
    found = children(value)
    if found is None and opening is not None:
        found = opening.parts(value, path)
    if found is None:
        return Live(type(value), value)
    keys, items = found
    pairs = zip(keys, items, strict=True)
    items_ = tuple(specify(item, (*path, key), opening) for key, item in pairs)
    return Nested(type(value), keys, items_, _example(value))


def _example(value: Any) -> weakref.ref[Any] | None:
    """What refers to a container of the user's class."""
    own = native_base(type(value)) is not type(value) and hasattr(value, "__dict__")
    return weakref.ref(value) if own and type(value).__weakrefoffset__ else None


def _is_fixed(value: Any) -> bool:
    if value is None or value is ... or value is np._NoValue:
        return True
    if isinstance(value, type | types.UnionType | enum.Enum | np.generic):
        return True
    if declared(type(value), "__symdiff_static__") or is_constant(value):
        return True
    if isinstance(value, bytes | range | slice | frozenset | np.dtype | np.ufunc):
        return True
    return callable(value) and not _has_state(value)


def _has_state(value: Any) -> bool:
    """Return whether a callable is an object of the user's rather than a function."""
    return type(value).__module__ not in ("builtins", "functools", "numpy")


def _array(value: np.ndarray, path: Path) -> ArrayType:
    name = spelled(path)
    if type(value) is not np.ndarray:
        refuse_subclass(name, value)
    if value.dtype.kind not in _NUMERIC:
        raise SignatureError(f"{name} is an array of {value.dtype}", hint="use an array of numbers")
    shape = tuple(n if n < 2 else Size(f"{name}.{axis}") for axis, n in enumerate(value.shape))
    return ArrayType(value.dtype, shape)


def layout_of(array: np.ndarray) -> str | tuple[int, ...]:
    """How an array lies in memory: "C", "F", or its strides in bytes."""
    if array.flags.c_contiguous:
        return "C"
    return "F" if array.flags.f_contiguous else array.strides


def filled(array: Any) -> int:
    """How many elements an array has if it fills its memory by rows, else 0."""
    return int(array.size) if array.flags.c_contiguous else 0


def laps_itself(array: Any) -> bool:
    """Return whether elements of an array that can be written may share memory; of a type, no."""
    if not isinstance(array, np.ndarray) or array.flags.forc or not array.flags.writeable:
        return False
    reach = array.itemsize
    steps = zip(map(abs, array.strides), array.shape, strict=True)
    for stride, length in sorted(step for step in steps if step[1] > 1):
        if stride < reach:
            return True
        reach += stride * (length - 1)
    return False


_SPELLED: dict[str, Callable[[str, Any], str]] = {
    "size": lambda text, axis: f"{text}.shape[{axis}]",
    "layout": lambda text, _: f"{text}.flags",
    "filled": lambda text, _: f"{text}.size",
    "is": lambda text, other: f"({text} is {spelled(other)})",
    "compared": lambda text, of: f"({text} {COMPARISONS[of[0]]} {_other(of[1])})",
    "equal": lambda text, other: (
        f"({text} == {_times(other[2])}{spelled(other[0])}{_plus(other[1])})"
    ),
}


def _other(other: Any) -> str:
    return spelled(other) if isinstance(other, tuple) else repr(other)


def _times(factor: int) -> str:
    return f"{factor} * " if factor != 1 else ""


def _plus(number: int) -> str:
    return f" {'-' if number < 0 else '+'} {abs(number)}" if number else ""


def spelled(path: Path) -> str:
    """A path as Python spells it: ``params[0]['w']``, ``self.scale``."""
    first, *rest = path
    parts = [str(first)]
    for key in rest:
        if isinstance(key, Aspect):
            parts = [_SPELLED[key.kind]("".join(parts), key.of)]
            continue
        if isinstance(key, PlainArray):
            parts = [f"np.asarray({''.join(parts)})"]
            continue
        if isinstance(key, Asked):
            parts = [key.spelled("".join(parts))]
            continue
        is_name = isinstance(key, Attribute) or (isinstance(key, str) and key.isidentifier())
        parts.append(f".{key}" if is_name else f"[{key!r}]")
    return "".join(parts)


# Types as text ------------------------------------------------------------------------------------


def read_type(text: str) -> ArrayType | None:
    """The type that a text spells, or None where it spells none.

    >>> print(read_type("float64[n, n+1, 3]"), read_type("float"), read_type("fast"))
    float64[n,n+1,3] float None
    """
    match = _TYPE.fullmatch(text)
    if match is None:
        return None
    name, dims = match.groups()
    if dims is None and name in BY_NAME:
        return BY_NAME[name]
    dtype = _numeric_dtype(name)
    if dtype is None:
        return None
    if dims is None:
        return ArrayType(dtype, (), "scalar")
    return ArrayType(dtype, tuple(map(_read_dim, dims.split(",") if dims else ())))


def _numeric_dtype(name: str) -> np.dtype | None:
    if not _DTYPE.fullmatch(name):  # "a" means something to NumPy too
        return None
    try:
        return np.dtype(name)
    except TypeError:
        return None


def _read_dim(text: str) -> Dim:
    match = _DIM.fullmatch(text.strip())
    if match is None:
        raise SignatureError(
            f"{text.strip()!r} is no size",
            hint="a size is a number, a name, or a multiple of a name and an offset: n-1, 4*n",
        )
    number, factor, symbol, sign, offset = match.groups()
    if number is not None:
        return int(number)
    return times_and_more(Size(symbol), int(factor or 1), int(f"{sign}{offset}") if sign else 0)
