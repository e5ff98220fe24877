"""Example arguments for a signature: those given, where they are small, else drawn with a fixed
seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Fixed, Nested, Signature, Specification
from symdiff.ir.structure import Container, children, construct
from symdiff.ir.types import ArrayType, Dim
from symdiff.runtime.signature import TypeText

_MOST_NUMBERS = 2000
_MOST_WRITTEN = 64  # of the numbers of an array
_DRAWN_SIZE = 3
_DRAWN_COUNT = 3


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
    """One argument a parameter: those given; where they are large, or given as text, drawn ones.

    Where the structure of the program depends on values, sizes and numbers stay as they are.
    """
    as_text = any(map(_has_text, arguments))
    if sum(map(_count, arguments)) <= _MOST_NUMBERS and not as_text:
        return list(arguments)
    fixed = {path[0] for path, _ in signature.static if not isinstance(path[0], FreeVariable)}
    if fixed and not as_text:
        return [_with_drawn(value) for value in arguments]
    drawn = _Drawn()
    return [drawn.value(spec, None) for _, spec in signature.parameters]


def _with_drawn(value: Any) -> Any:
    """The value with its large arrays drawn."""
    if isinstance(value, np.ndarray) and value.size > _MOST_WRITTEN:
        return DrawnArray.like(value)
    parts = children(value)
    if parts is None:
        return value
    items = [_with_drawn(item) for item in parts[1]]
    return construct(Container(type(value), parts[0], ()), items)


def _drawn(rng: np.random.Generator, dtype: np.dtype, shape: tuple[int, ...]) -> Any:
    """Numbers of a kind: single integers are often counts, those in arrays indices."""
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(0, 2, shape) if shape else np.int64(_DRAWN_COUNT)
    return rng.uniform(0.5, 1.5, shape)


def _count(value: Any) -> int:
    parts = children(value)
    return int(np.size(value)) if parts is None else sum(map(_count, parts[1]))


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
        known = self.sizes.setdefault(dim.symbol, _DRAWN_SIZE + len(self.sizes))
        return max(known + dim.offset, 0)
