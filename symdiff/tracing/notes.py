"""What a trace says of a graph's nodes: values, shapes, norms of gradients, and warnings.

A trace and a graph's nodes enter, matched by name and line; notes leave, as drawings take them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from symdiff.ir.structure import children, flatten, is_leaf

if TYPE_CHECKING:
    from symdiff.tracing.trace import Traced

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


class Seen(NamedTuple):
    """A value, or a number or array in one, and the gradient by it."""

    value: Any
    grad: Any


def notes_of(names: Mapping[str, Traced], nodes: Iterable[Node]) -> Notes:
    """A note for each node whose name got a value at its line.

    Where a name got as many values there as there are nodes, each has its own, else all have the
    last, and how many there were. What is in a container has the name of its place (``p['w']``);
    names of functions that are called are told apart by their lines. ``"bad"`` marks a value or a
    gradient with NaN or infinity, ``"warning"`` a gradient that vanishes: its norm is below
    ``VANISHING`` times the largest.
    """
    norms = [norm(one.grad) for traced in names.values() for one in traced]
    largest = max((n for n in norms if np.isfinite(n)), default=0.0)
    values = _by_place(names)
    places: dict[tuple[str | None, int | None], list[Node]] = {}
    for node in nodes:
        places.setdefault((node.name, node.line), []).append(node)
    found: dict[str, tuple[list[str], Mark | None]] = {}
    for place, there in places.items():
        given = values.get(place, [])
        each = [[one] for one in given] if len(given) == len(there) else [given] * len(there)
        found |= {
            node.id: _note(own, largest) for node, own in zip(there, each, strict=True) if own
        }
    return found


def _by_place(names: Mapping[str, Traced]) -> dict[tuple[str | None, int | None], list[Seen]]:
    """What names got, by the name without its function, and the line; in order.

    Nothing where several functions have the name at a line of that number.
    """
    found: dict[tuple[str | None, int | None], dict[str, list[Seen]]] = {}
    for full, traced in names.items():
        for one in traced:
            for name, seen in _numbers(full.rpartition(".")[2], Seen(one.value, one.grad)):
                found.setdefault((name, one.line), {}).setdefault(full, []).append(seen)
    return {place: next(iter(by.values())) for place, by in found.items() if len(by) == 1}


def _numbers(name: str, seen: Seen) -> Iterator[tuple[str, Seen]]:
    """The value itself, or of a container what is in it, by place."""
    parts = None if is_leaf(seen.value) else children(seen.value)
    if parts is None:
        yield name, seen
        return
    inner = children(seen.grad)
    grads = [None] * len(parts[0]) if inner is None else inner[1]
    for key, item, grad in zip(*parts, grads, strict=True):
        is_item = isinstance(seen.value, dict) or not isinstance(key, str)
        yield from _numbers(f"{name}[{key!r}]" if is_item else f"{name}.{key}", Seen(item, grad))


def _note(given: list[Seen], largest: float) -> tuple[list[str], Mark | None]:
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
    """Return whether all floats in a value are finite."""
    return all(bool(np.all(np.isfinite(leaf))) for leaf in _floats(value))


def _floats(value: Any) -> Iterator[Any]:
    for leaf in flatten(value)[0]:
        if np.asarray(leaf).dtype.kind in "fc":
            yield leaf


def summary(value: Any) -> str:
    """A value in few characters: a number, or type, shape and norm of an array or a container."""
    if isinstance(value, np.ndarray) and value.ndim:
        sizes = ", ".join(map(str, value.shape))
        text = f"{value.dtype.name}[{sizes}]"
        if value.dtype.kind not in "fc":
            return text
        return text + (f", norm {norm(value):.4g}" if is_finite(value) else ", not finite")
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if not is_leaf(value) and children(value) is not None and any(True for _ in _floats(value)):
        name = type(value).__name__
        return f"{name}, norm {norm(value):.4g}" if is_finite(value) else f"{name}, not finite"
    text = str(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


_WIDEST = 32
