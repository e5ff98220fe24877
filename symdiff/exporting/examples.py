"""Example arguments for a signature: those given, of large ones a few elements; where types are
given as text, such as are drawn with a fixed seed.

What functions ask of arrays (positive or sorted numbers, positive definite matrices) holds as well
of a few of their elements, the same along axes of one length.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Fixed, Nested, Signature, Specification, leaves
from symdiff.ir.structure import Container, children, construct
from symdiff.ir.types import ArrayType, Dim, Multiple
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import TypeText

_MOST_NUMBERS = 2000
_MOST_WRITTEN = 64  # of the numbers of an array
_DRAWN_SIZE = 3
_DRAWN_COUNT = 3
_SHORTENED = (8, 5, 3, 2)  # lengths of what is left of long arrays: the first one that is enough
_MOST_BETWEEN = 3  # of lengths, so that ``n`` and ``n + 1`` stay so


class DrawnArray(np.ndarray):
    """An array that is large, and is written as how it was drawn."""

    @classmethod
    def like(cls, array: np.ndarray) -> DrawnArray:
        """Numbers in the shape and the dtype of an array."""
        drawn = _drawn(np.random.default_rng(0), array.dtype, array.shape)
        return np.asarray(drawn).astype(array.dtype).view(cls)

    @property
    def text(self) -> str:
        """The expression that draws it."""
        rng = "np.random.default_rng(0)"
        call = {"b": "random({}) < 0.5", "i": "integers(0, 2, {})", "u": "integers(0, 2, {})"}
        drawn = call.get(self.dtype.kind, "uniform(0.5, 1.5, {})").format(self.shape)
        return f"({rng}.{drawn}).astype({self.dtype.name!r})"


def example_arguments(signature: Signature, arguments: Sequence[Any]) -> list[Any]:
    """One argument a parameter: those given, fewer of large ones; drawn ones for texts.

    Where the structure of the program depends on values, sizes and numbers stay as they are.
    """
    as_text = any(map(_has_text, arguments))
    if sum(map(numbers_in, arguments)) <= _MOST_NUMBERS and not as_text:
        return list(arguments)
    fixed = {path[0] for path, _ in signature.static if not isinstance(path[0], FreeVariable)}
    if fixed and not as_text:
        return [with_drawn(value) for value in arguments]
    if not as_text:
        for length in _SHORTENED:
            shortened = _Shortened(arguments, length, _multiples(signature, arguments))
            examples = [shortened.value(value) for value in arguments]
            if sum(map(numbers_in, examples)) <= _MOST_NUMBERS:
                return examples
    drawn = _Drawn()
    return [drawn.value(spec, None) for _, spec in signature.parameters]


class _Shortened:
    """Arrays with elements left out evenly: equal lengths stay equal, multiples such, their order
    remains.

    Integers, which are often indices or counts, become small.
    """

    def __init__(
        self,
        arguments: Sequence[Any],
        shortest: int,
        multiples: Mapping[int, tuple[Multiple, int]],
    ) -> None:
        self.rng = np.random.default_rng(0)
        self.lengths = {0: 0}
        given = sorted({length for value in arguments for length in _lengths_in(value)})
        for before, length in itertools.pairwise([0, *given]):
            steps = min(length - before, _MOST_BETWEEN)
            is_short = length <= shortest
            reached = self.lengths.get(before, 0)
            self.lengths[length] = length if is_short else max(reached + steps, shortest)
            if length in multiples:
                known, size = multiples[length]
                self.lengths[length] = known.factor * self.lengths[size] + known.offset

    def value(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return min(value, _DRAWN_COUNT)
        parts = children(value)
        if parts is None:
            return value
        items = [self.value(item) for item in parts[1]]
        return construct(Container(type(value), parts[0], ()), items)

    def _array(self, array: np.ndarray) -> np.ndarray:
        shape = tuple(self.lengths[length] for length in array.shape)
        if shape == array.shape:
            return array
        if array.dtype.kind in "iu":
            return np.asarray(_drawn(self.rng, array.dtype, shape), array.dtype)
        pairs = zip(array.shape, shape, strict=True)
        places = [np.linspace(0, n - 1, kept).astype(int) for n, kept in pairs]
        shortened: np.ndarray = array[np.ix_(*places)]
        return shortened


def _multiples(signature: Signature, arguments: Sequence[Any]) -> dict[int, tuple[Multiple, int]]:
    """The lengths that are multiples of a shorter one, and that one."""
    names = [name for name, _ in signature.parameters]
    given = [leaf for name, kind in signature.parameters for leaf in leaves(kind, (name,))]
    found = {}
    for path, kind in given:
        if isinstance(kind, ArrayType) and kind.shape:
            lengths = np.shape(follow(path, names, arguments))
            for dim, length in zip(kind.shape, lengths, strict=True):
                known = None if isinstance(dim, int) else Multiple.of(dim)
                if known is not None and known.factor > 1:
                    found[length] = known, known.of_length(length)
    return found


def _lengths_in(value: Any) -> Iterator[int]:
    """How long the axes of the arrays in a value are."""
    if isinstance(value, np.ndarray):
        yield from (length for length in value.shape if length)
        return
    parts = children(value)
    for item in () if parts is None else parts[1]:
        yield from _lengths_in(item)


def with_drawn(value: Any) -> Any:
    """The value with its large arrays drawn."""
    if isinstance(value, np.ndarray) and value.size > _MOST_WRITTEN:
        return DrawnArray.like(value)
    parts = children(value)
    if parts is None:
        return value
    items = [with_drawn(item) for item in parts[1]]
    return construct(Container(type(value), parts[0], ()), items)


def _drawn(rng: np.random.Generator, dtype: np.dtype, shape: tuple[int, ...]) -> Any:
    """Numbers of a kind: single integers are often counts, those in arrays indices."""
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(0, 2, shape) if shape else np.int64(_DRAWN_COUNT)
    return rng.uniform(0.5, 1.5, shape)


def _has_text(value: Any) -> bool:
    parts = children(value)
    if parts is not None:
        return any(map(_has_text, parts[1]))
    return isinstance(value, TypeText)


class _Drawn:
    """Draws values; equal sizes get equal lengths, different ones different."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.sizes: dict[str, int] = {}

    def value(self, specification: Specification, default: Any) -> Any:
        if isinstance(specification, Nested):
            items = [self.value(item, None) for item in specification.items]
            return construct(Container(specification.type, specification.keys, ()), items)
        if isinstance(specification, Fixed):
            return specification.value
        if isinstance(specification, ArrayType):
            return self._number(specification)
        return default

    def _number(self, type_: ArrayType) -> Any:
        shape = tuple(map(self._length, type_.shape))
        drawn = _drawn(self.rng, type_.dtype, shape)
        if type_.kind == "array":
            return np.asarray(drawn, type_.dtype)
        scalar = type_.dtype.type(drawn)
        return scalar.item() if type_.kind == "python" else scalar

    def _length(self, dim: Dim) -> int:
        if isinstance(dim, int):
            return dim
        known = Multiple.of(dim)
        size = self.sizes.setdefault(known.symbol, _DRAWN_SIZE + len(self.sizes))
        return max(size * known.factor + known.offset, 0)


def numbers_in(value: Any) -> int:
    """How many numbers a value holds."""
    parts = children(value)
    return int(np.size(value)) if parts is None else sum(map(numbers_in, parts[1]))
