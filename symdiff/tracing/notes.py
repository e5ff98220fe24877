"""What a trace says of a graph's nodes: values, shapes, norms of gradients, and warnings.

A trace and a graph's nodes enter, matched by name and line; notes leave, as drawings take them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from symdiff.ir.structure import flatten

if TYPE_CHECKING:
    from symdiff.tracing.trace import Occurrence, Traced

VANISHING = 1e-7  # times the largest norm of a gradient in the trace
Mark: TypeAlias = Literal["good", "warning", "bad"]
Notes: TypeAlias = Mapping[str, tuple[list[str], "Mark | None"]]


class Node(Protocol):
    """What is asked of a node."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def line(self) -> int | None: ...


def notes_of(names: Mapping[str, Traced], nodes: Iterable[Node]) -> Notes:
    """A note for each node whose name got a value at its line: the last one, and how many.

    ``"bad"`` marks a value or a gradient with NaN or infinity, ``"warning"`` a gradient that
    vanishes: its norm is below ``VANISHING`` times the largest.
    """
    norms = [norm(one.grad) for traced in names.values() for one in traced]
    largest = max((n for n in norms if np.isfinite(n)), default=0.0)
    found = {}
    for node in nodes:
        given = [one for one in names.get(node.name or "", ()) if one.line == node.line]
        if given:
            found[node.id] = _note(given, largest)
    return found


def _note(given: list[Occurrence], largest: float) -> tuple[list[str], Mark | None]:
    last = given[-1]
    lines = [summary(last.value)]
    if len(given) > 1:
        lines.append(f"the last of {len(given)} values")
    mark: Mark | None = None
    if any(one.grad is not None for one in given):
        size = norm(last.grad)
        lines.append(f"gradient: norm {size:.4g}")
        if all(norm(one.grad) <= VANISHING * largest for one in given):
            mark = "warning"
            lines.append("the gradient vanishes")
    if not all(is_finite(one.value) and is_finite(one.grad) for one in given):
        mark = "bad"
        lines.append("not finite")
    return lines, mark


def norm(value: Any) -> float:
    """The Euclidean norm of all floats in a value; NaN and infinities count."""
    with np.errstate(all="ignore"):
        squares = [float(np.sum(np.abs(leaf) ** 2)) for leaf in _floats(value)]
    return float(np.sqrt(sum(squares)))


def is_finite(value: Any) -> bool:
    """Whether all floats in a value are finite."""
    return all(bool(np.all(np.isfinite(leaf))) for leaf in _floats(value))


def _floats(value: Any) -> Iterator[Any]:
    for leaf in flatten(value)[0]:
        if np.asarray(leaf).dtype.kind in "fc":
            yield leaf


def summary(value: Any) -> str:
    """A value in few characters: a number, or type, shape and norm of an array."""
    if isinstance(value, np.ndarray) and value.ndim:
        sizes = ", ".join(map(str, value.shape))
        text = f"{value.dtype.name}[{sizes}]"
        if value.dtype.kind not in "fc":
            return text
        return text + (f", norm {norm(value):.4g}" if is_finite(value) else ", not finite")
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


_WIDEST = 32
