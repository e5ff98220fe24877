"""What a run has computed and, after ``backward``, the gradients by it: a ``Trace``.

t = f.trace(x)        t["h"].value     t["h"][2].value     t.inputs["x"].grad
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from symdiff.errors import GradientShapeError, ReleasedError, SignatureError, UnknownNameError
from symdiff.ir.structure import Container, Either, Leaf, Structure, construct, unflatten
from symdiff.ops.recording import Packed, Record, derived, without_marks
from symdiff.runtime.saved import Saved
from symdiff.tracing.accumulation import accumulate
from symdiff.tracing.notes import Node, Notes, notes_of, summary

_MOST_SHOWN = 40


class Occurrence:
    """One value that a name got, with the gradient of the result by it.

    ``line`` is the line of the user's file that gave it; ``is_leaf``: it is an argument.
    """

    __slots__ = ("_gradients", "_kept", "is_leaf", "line", "name")

    def __init__(self, name: str, line: int, kept: Any, is_leaf: bool) -> None:
        self.name = name
        self.line = line
        self.is_leaf = is_leaf
        self._kept = kept
        self._gradients: dict[int, Any] = {}

    @property
    def value(self) -> Any:
        """The value, as it was then."""
        kept = self._kept
        return unflatten(kept.structure, kept.leaves) if isinstance(kept, Packed) else kept

    @property
    def grad(self) -> Any:
        """The gradient added up by ``backward``, structured like the value.

        It is what a change of the value at that point does to the result. Where several names hold
        one array, or views of it, what comes by way of the others from there on counts as well; not
        where only the run decides whether they share memory (``x.reshape(-1)``, ``a if c else b``).

        None where there is none: before ``backward``, where the result does not depend on the
        value or the value on no argument, and where the value is no float.
        """
        if not self._gradients:
            return None
        if not isinstance(self._kept, Packed):
            return self._gradients.get(0)
        leaves = [self._gradients.get(leaf) for leaf in range(len(self._kept.leaves))]
        return unflatten(derived(self._kept.structure), leaves)

    def _add(self, leaf: int, gradient: Any) -> None:
        self._gradients[leaf] = accumulate(self._gradients.get(leaf), gradient)

    def _zero(self) -> None:
        self._gradients = {}

    def __repr__(self) -> str:
        grad = "" if self.grad is None else f", grad {summary(self.grad)}"
        return f"<{self.name} of line {self.line}: {summary(self.value)}{grad}>"


class Traced:
    """All values that a name got, in order; ``value`` and ``grad`` are those of the last.

    ``t["h"][k]`` is the k-th, from 0 (in a loop: of the k-th turn); ``t["h"].at(line)`` those of a
    line.
    """

    __slots__ = ("_occurrences", "name")

    def __init__(self, name: str, occurrences: tuple[Occurrence, ...]) -> None:
        self.name = name
        self._occurrences = occurrences

    def __len__(self) -> int:
        return len(self._occurrences)

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self._occurrences)

    def __getitem__(self, number: int) -> Occurrence:
        try:
            return self._occurrences[number]
        except IndexError:
            raise IndexError(
                f"{self.name!r} got {len(self)} values, none is number {number}"
            ) from None

    def at(self, line: int) -> Traced:
        """The values that a line of the user's file gave."""
        found = tuple(one for one in self._occurrences if one.line == line)
        if not found:
            lines = ", ".join(str(n) for n in dict.fromkeys(one.line for one in self))
            raise UnknownNameError(
                f"{self.name!r} got no value in line {line}", hint=f"its lines are {lines}"
            )
        return Traced(self.name, found)

    @property
    def value(self) -> Any:
        """The last value."""
        return self[-1].value

    @property
    def grad(self) -> Any:
        """The gradient by the last value."""
        return self[-1].grad

    @property
    def line(self) -> int:
        """The line that gave the last value."""
        return self[-1].line

    @property
    def is_leaf(self) -> bool:
        """True if the last value is an argument."""
        return self[-1].is_leaf

    @property
    def values(self) -> list[Any]:
        """All values, in order."""
        return [one.value for one in self]

    @property
    def grads(self) -> list[Any]:
        """The gradients by all values, in order."""
        return [one.grad for one in self]

    def __repr__(self) -> str:
        if len(self) == 1:
            return repr(self[0])
        return f"<{self.name}: {len(self)} values, the last of line {self.line}>"


class Trace(Mapping[str, Traced]):
    """One run of a function: its result, and every value that a name got. ``source`` is what ran.

    ``t["h"]`` is a ``Traced``; names of functions that it calls are ``t["layer.h"]``, also under
    ``checkpoint``, which saves nothing here: all values are kept. ``inputs`` are the arguments at
    entry, which are the leaves. An array that is changed in place is one more value of its name:
    after the statement, or the outermost loop around it.

    Not kept are names inside functions with a rule of their own (``custom_vjp``, ``custom_jvp``),
    as PyTorch's graph has no nodes for what ``autograd.Function.forward`` computes, and inside what
    the function differentiates itself: the sweep goes around them. ``t["rule.h"]`` says so.
    """

    def __init__(
        self,
        name: str,
        value: Any,
        record: Record,
        saved: Saved,
        leaves: int,
        source: str,
        closed: tuple[str, ...] = (),
    ) -> None:
        self.value = value
        self.source = source
        self._function = name
        self._closed = closed
        self._draw: Callable[[], Any] | None = None
        self._saved: Saved | None = saved
        self._occurrences = tuple(
            Occurrence(kept.name, kept.line, kept.value, number < leaves)
            for number, kept in enumerate(record.values)
        )
        found: dict[str, list[Occurrence]] = {}
        for one in self._occurrences:
            found.setdefault(one.name, []).append(one)
        self._names = {name: Traced(name, tuple(every)) for name, every in found.items()}

    def __getitem__(self, name: str) -> Traced:
        try:
            return self._names[name]
        except KeyError:
            if name in self._closed:
                raise without_marks(name) from None
            inner = [known for known in self._names if known.endswith(f".{name}")]
            known = ", ".join(self._names) or "none"
            hint = f"did you mean {inner[0]!r}?" if inner else f"its names are {known}"
            raise UnknownNameError(f"{self._function} gave {name!r} no value", hint=hint) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def inputs(self) -> dict[str, Occurrence]:
        """The arguments as they were at entry, by name."""
        return {one.name: one for one in self._occurrences if one.is_leaf}

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Every value, in the order in which they were computed."""
        return self._occurrences

    def drawn_by(self, graph: Callable[[], Any]) -> Self:
        """Let ``graph`` give the graph of the function when one is asked for."""
        self._draw = graph
        return self

    def backward(
        self, gradient: Any = None, *, output: Any = None, retain_graph: bool = False
    ) -> None:
        """Add the gradients by all values to their ``grad``.

        :param gradient: the cotangent of the result, structured like it, None inside for zeros; it
            may be left out where the result is a scalar.
        :param output: of several results the one to start from: a key of the container, or a tuple
            of keys; ``gradient`` is then that of this one.
        :param retain_graph: keep what was saved for the sweep, so that there can be another.
        :raises GradientShapeError: where the result is not a scalar and no gradient is given.
        :raises ReleasedError: where an earlier call has released what was saved.
        """
        saved = self._saved
        if saved is None:
            raise ReleasedError(
                f"what the trace of {self._function} saved was released by its first backward()",
                hint="call backward(retain_graph=True) before another sweep, or trace again",
            )
        if output is not None:
            path = output if isinstance(output, tuple) else (output,)
            gradient = _only(saved, saved.program.output, path, gradient, self._function)
        _, record = saved.program.run(saved, gradient)
        if not retain_graph:
            self._saved = None
        for number, leaf, found in record.gradients:
            self._occurrences[number]._add(leaf, found)

    def zero_grad(self) -> None:
        """Forget the gradients that were added up."""
        for one in self._occurrences:
            one._zero()

    def graph(self) -> Any:
        """The graph of the function, as ``f.graph`` gives it for the arguments."""
        if self._draw is None:
            raise SignatureError(f"there is no graph of {self._function} here: call f.graph(...)")
        return self._draw()

    def notes(self, nodes: Iterable[Node]) -> Notes:
        """What to write on the nodes of a graph, for ``graph.to_svg(notes=...)``.

        Values, shapes and norms of gradients; marked are NaN and infinities, and gradients that
        vanish beside the largest one.
        """
        return notes_of(self, nodes)

    def to_svg(self) -> str:
        """The graph drawn with values and norms of gradients on its nodes.

        :raises ModuleNotFoundError: where ``pygraphviz`` (extra ``draw``) is not installed.
        """
        graph = self.graph()
        drawing: str = graph.to_svg(notes=self.notes(graph))
        return drawing

    def to_dot(self) -> str:
        """The trace in Graphviz's language."""
        graph = self.graph()
        drawing: str = graph.to_dot(notes=self.notes(graph))
        return drawing

    def to_mermaid(self) -> str:
        """The trace as a Mermaid flowchart."""
        graph = self.graph()
        drawing: str = graph.to_mermaid(notes=self.notes(graph))
        return drawing

    def __repr__(self) -> str:
        return f"<trace of {self._function}: {len(self._occurrences)} values>"

    def __str__(self) -> str:
        """A table: a line for each value, in order."""
        rows = [("line", "name", "value", "grad")]
        for one in self._occurrences[:_MOST_SHOWN]:
            grad = "" if one.grad is None else summary(one.grad)
            rows.append((str(one.line), one.name, summary(one.value), grad))
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        lines = [
            "  ".join(
                [row[0].rjust(widths[0]), row[1].ljust(widths[1]), row[2].ljust(widths[2]), row[3]]
            ).rstrip()
            for row in rows
        ]
        left = len(self._occurrences) - _MOST_SHOWN
        return "\n".join(lines + ([f"… and {left} more"] if left > 0 else []))


def _only(
    saved: Saved, structure: Structure, path: tuple[Any, ...], gradient: Any, name: str
) -> Any:
    """The cotangent of a result of which one part alone counts."""
    if not path:
        if gradient is None and isinstance(structure, Leaf):
            return _one(saved.shapes[structure.index] or (), name)
        return gradient
    if isinstance(structure, Either):
        raise GradientShapeError(
            f"{name} returns another structure at other values: its parts have no names",
            hint="give the cotangent of the whole result: backward(gradient=...)",
        )
    if not isinstance(structure, Container) or path[0] not in structure.keys:
        keys = list(structure.keys) if isinstance(structure, Container) else "none"
        raise SignatureError(
            f"{name} returns nothing under {path[0]!r}", hint=f"the keys of its results are {keys}"
        )
    parts = [
        _only(saved, item, path[1:], gradient, name) if key == path[0] else None
        for key, item in zip(structure.keys, structure.items, strict=True)
    ]
    return construct(structure, parts)


def _one(shape: tuple[int, ...], name: str) -> Any:
    if any(n != 1 for n in shape):
        raise GradientShapeError(
            f"this result of {name} has the shape {shape}: it is not a scalar",
            hint="give its cotangent: backward(gradient=..., output=...)",
        )
    return np.ones(shape)
