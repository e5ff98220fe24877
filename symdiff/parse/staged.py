"""What the front end gives: a function's graph at a signature, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal

from symdiff.dataclass import dataclass
from symdiff.ir.called import Activation
from symdiff.ir.graph import FreeVariable, Graph, Node, Value
from symdiff.ir.signature import Path
from symdiff.source import SourceSpan


@dataclass(frozen=True, slots=True)
class Guard:
    """A fact about what stands at ``path`` from a variable, on which a staged graph rests.

    ``kind`` tells what is compared with ``expected``: ``"value"`` the object itself (or an equal
    number or string of the same type), ``"type"`` its class, ``"keys"`` the keys of a container
    (indices, dict keys), ``"specification"`` an ``ir.types.ArrayType`` (dtype, kind, rank, which
    dimensions are 1), ``"unset"`` the name of an attribute that the object itself does not have, so
    that its class's is found, ``"absent"`` that nothing is found at the path, ``"same"`` the path
    of the same object, ``"apart"`` paths of different objects, and paths of others that are none
    of them. Where a fact no longer holds the function is staged anew. ``variable`` is a
    ``FreeVariable``, or the name of the parameter whose object the path starts from.
    """

    variable: FreeVariable | str
    path: tuple[Any, ...]
    kind: Literal["value", "type", "keys", "specification", "unset", "absent", "same", "apart"]
    expected: Any


@dataclass(frozen=True, slots=True)
class Staged:
    """``graph.inputs`` number the leaves of the arguments that are used, then free variables.

    ``names`` maps the function's local names, and ``params[0]`` inside containers, to the value
    that each has last, or to words that say why there is none. ``closed`` are the names, marked as
    others were asked to be, that no cotangent goes through. ``made_in`` tells of the graph's nodes
    in which call of a function each was built. ``read`` are the paths of the values that the
    signature fixes, as far as the graph rests on them; ``fixed`` are the values that it rests on,
    too, which were found to be needed in its midst.
    """

    graph: Graph
    guards: tuple[Guard, ...]
    names: Mapping[str, Value | str] = field(default_factory=dict)
    closed: tuple[str, ...] = ()
    made_in: Mapping[Node, Activation] = field(default_factory=dict)
    read: frozenset[Path] = frozenset()
    fixed: Mapping[Path, Any] = field(default_factory=dict)


class FixedValues(dict[Path, Any]):
    """The values that a signature fixes, and the paths of those that were read."""

    def __init__(self, values: Iterable[tuple[Path, Any]] = ()) -> None:
        super().__init__(values)
        self.read: set[Path] = set()

    def __getitem__(self, path: Path) -> Any:
        self.read.add(path)
        return super().__getitem__(path)


class StaticDemand(Exception):  # noqa: N818 - a request, not an error
    """Structure depends on the values at these paths: stage again with them fixed.

    A path ends in an ``Aspect`` where that is wanted of what stands there. The first part of a path
    is a parameter's name, or a ``FreeVariable``. ``refusal``: what to raise where there are no
    values. ``recursion``: the function whose calls of itself they end. ``places``: where it has to
    be known what floats outside give when they are compared.
    """

    def __init__(
        self,
        paths: tuple[Path, ...],
        span: SourceSpan | None = None,
        places: frozenset[SourceSpan] = frozenset(),
    ) -> None:
        super().__init__(paths)
        self.paths, self.places = paths, places
        self.span = span  # of the expression that asked
        self.refusal: Exception | None = None
        self.recursion: Any = None
