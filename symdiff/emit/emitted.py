"""What emission gives: source text, and what has to stand around it when it is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Origin
from symdiff.source import SourceSpan


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the emitted function and what the caller passes for it.

    ``origin`` is that of ``ir.graph.Input``. For an argument, the whole object that the user passes
    for ``path[0]``; for the others, the value of the one input with this path.
    """

    name: str
    origin: Origin
    path: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Emitted:
    """The text of one function (after the functions it calls), ready to be loaded.

    ``modules`` maps names used in the text to the modules they stand for, ``objects`` names to
    objects without a spelling (opaque functions, classes of results, constant arrays). ``lines``
    maps line numbers of the text, from 1, to the user's source that they compute or differentiate.
    """

    name: str
    text: str
    parameters: tuple[Parameter, ...]
    modules: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[int, SourceSpan] = field(default_factory=dict)
