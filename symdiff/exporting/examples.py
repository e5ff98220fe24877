"""Example arguments for a signature: those given, where they are small, else drawn with a fixed
seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.signature import Fixed, Nested, Signature, Specification
from symdiff.ir.structure import Container, children, construct
from symdiff.ir.types import ArrayType, Dim
from symdiff.runtime.signature import TypeText

_MOST_NUMBERS = 2000
_DRAWN_SIZE = 3
_DRAWN_COUNT = 3


def example_arguments(signature: Signature, arguments: Sequence[Any]) -> list[Any]:
    """One argument a parameter; where some were given as text, or they are large, all are drawn.

    Not those with values on which the structure of the program depends.
    """
    drawn = _Drawn()
    if sum(map(_count, arguments)) <= _MOST_NUMBERS and not any(map(_has_text, arguments)):
        return list(arguments)
    fixed = {path[0] for path, _ in signature.static}
    pairs = zip(signature.parameters, arguments, strict=True)
    return [
        given if name in fixed and not _has_text(given) else drawn.value(spec, None)
        for (name, spec), given in pairs
    ]


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
        kind = type_.dtype.kind
        if kind == "b":
            drawn: Any = self.rng.random(shape) < 0.5
        elif kind in "iu":  # single ones are often counts: loops run; those in arrays are indices
            drawn = self.rng.integers(0, 2, shape) if shape else np.int64(_DRAWN_COUNT)
        else:
            drawn = self.rng.uniform(0.5, 1.5, shape)
        if type_.kind == "array":
            return np.asarray(drawn, type_.dtype)
        scalar = type_.dtype.type(drawn)
        return scalar.item() if type_.kind == "python" else scalar

    def _length(self, dim: Dim) -> int:
        if isinstance(dim, int):
            return dim
        known = self.sizes.setdefault(dim.symbol, _DRAWN_SIZE + len(self.sizes))
        return max(known + dim.offset, 0)
