"""A compiled derivative as it is looked at: its texts, their graphs, what is known of its call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.emit import Emitted
from symdiff.inspection.source import Source
from symdiff.ir.graph import Graph
from symdiff.ir.record import Record
from symdiff.ir.signature import Signature, leaves
from symdiff.ir.types import ArrayType, Multiple, Size
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import TypeText, spelled


@dataclass(frozen=True, slots=True)
class Part:
    """One generated function and the graph that it was written from."""

    emitted: Emitted
    graph: Graph


@dataclass(frozen=True, slots=True)
class Built:
    """What was compiled for a call: ``parts`` are the joint program, or forward and backward.

    ``sizes`` holds the sizes and whole numbers that the example arguments show, by symbol or by the
    argument's name.
    """

    name: str
    function: Callable[..., Any]
    signature: Signature
    parts: tuple[Part, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    record: Record = field(default_factory=Record)

    @property
    def source(self) -> Source:
        """All texts, as one would write them into a file."""
        return Source.of((part.emitted for part in self.parts), self.function)


def known_sizes(signature: Signature, arguments: Sequence[Any]) -> dict[str, int]:
    """Sizes by their symbols, and integers by their names, as far as arguments are examples."""
    names = [name for name, _ in signature.parameters]
    found: dict[str, int] = {}
    for name, specification in signature.parameters:
        for path, kind in leaves(specification, (name,)):
            value = follow(path, names, arguments)
            if not isinstance(kind, ArrayType) or isinstance(value, TypeText):
                continue
            if kind.rank == 0 and kind.dtype.kind == "i":
                found[spelled(path)] = int(value)
            for dim, length in zip(kind.shape, np.shape(value), strict=True):
                if isinstance(dim, Size):
                    known = Multiple.of(dim)
                    found[known.symbol] = known.of_length(length)
    return found
