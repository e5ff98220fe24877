"""Types of IR values: what is known at compile time of a number, an array, a list or a tape.

An array type holds dtype, shape and *kind* (a Python scalar, a NumPy scalar or an array). A
dimension is a constant, or a symbolic size plus an offset: ``x[1:-1]`` and ``x[2:]`` are both ``n -
2``.

>>> import numpy as np
>>> print(ArrayType(np.dtype("float64"), (Size("n", -2), 3)))
float64[n-2,3]
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Literal

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError, rejection

Kind = Literal["python", "scalar", "array"]
LEAST_SYMBOLIC = 2  # lengths of arguments of 0 and 1 are constants of the signature


@dataclass(frozen=True, slots=True)
class Size:
    """A size that is not a constant: the value of ``symbol`` plus ``offset``.

    ``open`` sizes may differ from turn to turn of a loop, and be 1 at run time even at offset 0 (a
    computed size, a mask's count) if they are not known to be ``long``: at least 2. A size that
    comes from an argument is not open: it is long, since 0 and 1 are constants of the signature.

    ``sum``: how often each size of an argument is in an open one, and the number beside them, where
    it is their sum, or 0 where that is negative; the offset is not in it.
    """

    symbol: str
    offset: int = 0
    open: bool = False
    long: bool = False
    sum: tuple[tuple[tuple[str, int], ...], int] | None = field(
        default=None, compare=False, repr=False
    )

    def __str__(self) -> str:
        sign = f"{self.offset:+d}" if self.offset else ""
        mark = ("!" if self.long else "?") if self.open else ""
        return f"{mark}{self.symbol}{sign}"


Dim = int | Size


def may_be_one(dim: Dim) -> bool:
    """Return whether a dimension can turn out to be 1 at run time."""
    if isinstance(dim, int):
        return dim == 1
    if dim.open:
        return not dim.long or dim.offset < 0
    return dim.offset < 0 and Multiple.of(dim).least < LEAST_SYMBOLIC


def is_long(dim: Dim) -> bool:
    """Return whether a dimension is known to be at least 2."""
    return dim > 1 if isinstance(dim, int) else not may_be_one(dim)


def least(dim: Dim) -> int:
    """The smallest length that a dimension can turn out to be."""
    if isinstance(dim, int):
        return dim
    if not dim.open:
        return max(0, Multiple.of(dim).least)
    return max(0, dim.offset + (LEAST_SYMBOLIC if dim.long else 0))


def is_at_most(a: Dim, b: Dim) -> bool:
    """Return whether one length is known not to be more than another."""
    if isinstance(a, int):
        return a <= (b if isinstance(b, int) else _least_of(b))
    if isinstance(b, int):
        return False
    if a.symbol == b.symbol:
        return a.offset <= b.offset
    if a.open or b.open:
        return False
    first, second = Multiple.of(a), Multiple.of(b)
    if first.symbol != second.symbol or first.factor > second.factor:
        return False
    return first.least <= second.least


def _least_of(size: Size) -> int:
    """The smallest number that a size with its offset can be, below 0 too."""
    return size.offset if size.open else Multiple.of(size).least


def takes(head: Dim, end: Dim) -> bool:
    """Return whether a loop's value may have another dimension in a turn than in the one before."""
    return isinstance(head, Size) and head.open and (not head.long or is_long(end))


def varying(head: Type, end: Type) -> Iterator[str]:
    """The symbols of a loop's value in which the end of a turn differs from its beginning."""
    if isinstance(head, ListType) and isinstance(end, ListType):
        yield from varying(head.element, end.element)
    if isinstance(head, ArrayType) and isinstance(end, ArrayType):
        pairs = zip(head.shape, end.shape, strict=True)
        yield from (a.symbol for a, b in pairs if a != b and isinstance(a, Size))


def with_sizes_of(like: Type, type_: Type) -> Type:
    """The type of an array, whose lengths are known to be those of another array."""
    if isinstance(like, ArrayType) and isinstance(type_, ArrayType) and like.rank == type_.rank:
        return replace(type_, shape=like.shape)
    return type_


def with_own_sizes(type_: Type, number: int) -> Type:
    """The type of an array, or of a tape of arrays, whose open sizes are those of one value."""
    if isinstance(type_, TapeType):
        return replace(type_, element=with_own_sizes(type_.element, number))
    if not isinstance(type_, ArrayType):
        return type_
    return with_symbols(type_, {symbol: f"%{number}({symbol})" for symbol in open_symbols(type_)})


def with_open_sizes(type_: ArrayType) -> ArrayType:
    """The type of an array whose sizes, where they are not numbers, may be any."""
    dims = (replace(dim, open=True) if isinstance(dim, Size) else dim for dim in type_.shape)
    return replace(type_, shape=tuple(dims))


def open_symbols(type_: Type) -> Iterator[str]:
    """The symbols of the open sizes of an array, or of what a list or a tape holds."""
    while isinstance(type_, ListType | TapeType):
        type_ = type_.element
    if isinstance(type_, ArrayType):
        yield from (dim.symbol for dim in type_.shape if isinstance(dim, Size) and dim.open)


def with_symbols(type_: Type, renamed: Mapping[str, str]) -> Type:
    """The type with other symbols in its sizes."""
    if isinstance(type_, ListType | TapeType):
        return replace(type_, element=with_symbols(type_.element, renamed))
    if not isinstance(type_, ArrayType):
        return type_
    dims = (dim if isinstance(dim, int) else _with_symbol(dim, renamed) for dim in type_.shape)
    return replace(type_, shape=tuple(dims))


def _with_symbol(dim: Size, renamed: Mapping[str, str]) -> Size:
    known = Multiple.of(dim)
    if dim.symbol in renamed:  # of what has the new name, nothing is known
        return replace(dim, symbol=renamed[dim.symbol], sum=None)
    if known.symbol in renamed:
        return replace(dim, symbol=replace(known, symbol=renamed[known.symbol]).size.symbol)
    terms = () if dim.sum is None else dim.sum[0]
    return replace(dim, sum=None) if any(term in renamed for term, _ in terms) else dim


def shifted(dim: Dim, offset: int) -> Dim:
    """``dim + offset``."""
    if isinstance(dim, int):
        return dim + offset
    return replace(dim, offset=dim.offset + offset)


def times_and_more(dim: Dim, factor: int, by: int) -> Dim:
    """``factor * dim + by``, of a dimension of an argument."""
    if isinstance(dim, int):
        return factor * dim + by
    return shifted(dim, by) if factor == 1 else Multiple.of(dim).times(factor).plus(by).size


_MULTIPLE = re.compile(r"\((\d+)\*([^-+*/%?!(),:]+)\)")


@dataclass(frozen=True, slots=True)
class Multiple:
    """A size as ``factor`` times the one called ``symbol``, and ``offset`` more: ``4*n+1``."""

    factor: int
    symbol: str
    offset: int = 0

    @classmethod
    def of(cls, size: Size) -> Multiple:
        """A size in terms of the one that it is a multiple of; of itself where it is of none."""
        found = _MULTIPLE.fullmatch(size.symbol)
        factor, symbol = (int(found[1]), found[2]) if found else (1, size.symbol)
        return cls(factor, symbol, size.offset)

    @property
    def size(self) -> Size:
        """The size, which no argument is too short for."""
        one = self.factor == 1
        return Size(self.symbol if one else f"({self.factor}*{self.symbol})", self.offset)

    @property
    def least(self) -> int:
        """The smallest number that it can turn out to be: the size itself is at least 2."""
        return LEAST_SYMBOLIC * self.factor + self.offset

    def times(self, factor: int) -> Multiple:
        return Multiple(self.factor * factor, self.symbol, self.offset * factor)

    def plus(self, number: int) -> Multiple:
        return Multiple(self.factor, self.symbol, self.offset + number)

    def of_length(self, length: int) -> int:
        """What the size called ``symbol`` is, where this one is ``length``; 0 where it is none."""
        count, rest = divmod(length - self.offset, self.factor)
        return 0 if rest else count


def lengthened(dim: Dim, by: int) -> Dim:
    """A length plus a number. A length of ``n - 3`` is 0 for an ``n`` of 2, and 3 more is not 2."""
    if (
        isinstance(dim, int)
        or by <= 0
        or dim.offset >= 0
        or least(replace(dim, offset=0)) >= -dim.offset
    ):
        return shifted(dim, by)
    return Size(f"({dim})", by, open=True)


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A number or an array of numbers. Kinds other than ``array`` have rank 0."""

    dtype: np.dtype
    shape: tuple[Dim, ...] = ()
    kind: Kind = "array"

    def __post_init__(self) -> None:
        if self.kind == "scalar" and not self.dtype.isnative:  # those of NumPy always are
            object.__setattr__(self, "dtype", self.dtype.newbyteorder("="))
        if self.dtype.kind not in "bifcu":
            raise UnsupportedCallError(
                f"an array of dtype {self.dtype}", hint="use an array of numbers, or a list"
            )

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def weak(self) -> bool:
        """True if NumPy's promotion treats the value as a Python scalar (NEP 50)."""
        return self.kind == "python"

    @property
    def differentiable(self) -> bool:
        return self.dtype.kind in "fc"

    def __str__(self) -> str:
        name = _name_of(self.dtype)
        if self.kind == "python":
            return _PYTHON_NAMES.get(self.dtype.kind, name)
        return f"{name}[{','.join(map(str, self.shape))}]" if self.kind == "array" else name


_PYTHON_NAMES = {"f": "float", "i": "int", "b": "bool", "c": "complex"}


@functools.lru_cache(512)
def _name_of(dtype: np.dtype) -> str:
    """The name of a dtype, which NumPy puts together anew each time."""
    return dtype.name


@dataclass(frozen=True, slots=True)
class ListType:
    """A Python list of staged values of one type and of a length known at run time only."""

    element: Type

    def __str__(self) -> str:
        return f"list[{self.element}]"


@dataclass(frozen=True, slots=True)
class TapeType:
    """What a loop writes turn by turn for another loop to read: one element a turn."""

    element: Type

    def __str__(self) -> str:
        return f"tape[{self.element}]"


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A Python object that nothing is known about: results of opaque calls, packed residuals."""

    description: str = "object"

    def __str__(self) -> str:
        return f"opaque[{self.description}]"


Type = ArrayType | ListType | TapeType | OpaqueType

FLOAT = ArrayType(np.dtype("float64"), (), "python")
INT = ArrayType(np.dtype("int64"), (), "python")
BOOL = ArrayType(np.dtype("bool"), (), "python")
COMPLEX = ArrayType(np.dtype("complex128"), (), "python")
PYTHON_TYPES = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}
BY_NAME = {python_type.__name__: type_ for python_type, type_ in PYTHON_TYPES.items()}
OPAQUE = OpaqueType()
GENERATOR = OpaqueType("Generator")  # of random numbers, NumPy's
RANDOM_STATE = OpaqueType("RandomState")  # of them too, as it was before
TEXT = OpaqueType("text")  # made of numbers


def in_words(type_: Type) -> str:
    """The type in a message: sizes as the user spells them, ``?`` where they have no name.

    >>> print(in_words(ArrayType(np.dtype("float64"), (Size("x.0", -2), Size("m"), Size("%7")))))
    float64[x.shape[0]-2,m,?]
    """
    if isinstance(type_, ListType):
        return f"list[{in_words(type_.element)}]"
    if isinstance(type_, OpaqueType):
        return f"{'an' if type_.description == 'object' else 'a'} {type_.description}"
    if not isinstance(type_, ArrayType):
        return str(type_)
    return str(replace(type_, shape=tuple(map(with_spelled_name, type_.shape))))


def with_spelled_name(dim: Dim) -> Dim:
    """The dimension under the name that the user has for it."""
    if isinstance(dim, int):
        return dim
    known = Multiple.of(dim)
    if known.factor > 1:
        return replace(dim, symbol=f"{known.factor}*{with_spelled_name(Size(known.symbol))}")
    owner, _, axis = dim.symbol.rpartition(".")
    if axis.isdecimal() and owner.replace(".", "_").isidentifier():
        return Size(f"{owner}.shape[{axis}]", dim.offset)
    return Size(dim.symbol, dim.offset) if dim.symbol.isidentifier() else Size("?")


@functools.cache
def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of absolute values: of the same precision."""
    return np.empty(0, dtype).real.dtype


def carries_derivative(type_: Type) -> bool:
    """Return whether values of the type can have a cotangent: floats, complex numbers, lists of
    such.
    """
    if isinstance(type_, ArrayType):
        return type_.differentiable
    if isinstance(type_, ListType | TapeType):
        return carries_derivative(type_.element)
    return False


def type_of_constant(value: object) -> ArrayType:
    """The type of a Python number, NumPy scalar or array that is known at compile time."""
    if isinstance(value, np.ndarray):
        return ArrayType(value.dtype, tuple(int(n) for n in value.shape), "array")
    if isinstance(value, np.generic):
        return ArrayType(value.dtype, (), "scalar")
    for python_type, ir_type in PYTHON_TYPES.items():
        if isinstance(value, python_type):
            return ir_type
    raise rejection(TypeError, f"not a number or an array: {value!r}")
