"""Which numbers a function of a module takes where it was made for floats of Python.

A number is taken if the function's own derivative would be the same program for it: the program for
an int, or for a NumPy double, has the same text. An int that is differentiated by counts as a
float, as it does outside. Where the program for doubles is another one (a float of Python does not
widen an array in single precision, a double does), the module has both; so it is with ints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from symdiff import pipeline
from symdiff.emit import Emitted
from symdiff.emit.namespace import Namespace
from symdiff.errors import InternalError, SymdiffError
from symdiff.exporting.programs import Programs
from symdiff.exporting.refusals import all_nodes
from symdiff.exporting.request import Exported
from symdiff.ir.graph import Graph
from symdiff.ir.signature import Path, Signature, leaves
from symdiff.ir.structure import Container, children, construct
from symdiff.ir.types import FLOAT, ArrayType
from symdiff.pipeline import Arguments
from symdiff.runtime.signature import TypeText

_DOUBLES = (np.dtype("float64"), np.dtype("complex128"))
_MOST_PROGRAMS = 3  # for ints
_EXAMPLES: dict[type, Any] = {int: 3, np.float64: np.float64(0.75)}


@dataclass(frozen=True, slots=True)
class Numbers:
    """``taken``: types of numbers beside floats that the program is for, by an argument's path.

    ``converted``: parameters whose ints become floats. ``floats``: all parameters that are floats.
    ``doubles``: the program where some of them are NumPy doubles; with ``mixed`` the others may be
    floats. ``ints``: programs where one of them is an int.
    """

    taken: Mapping[Path, tuple[type, ...]] = field(default_factory=dict)
    converted: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    doubles: Emitted | None = None
    mixed: bool = False
    ints: Mapping[str, Emitted] = field(default_factory=dict)


def numbers_of(asked: Exported, signature: Signature, graph: Graph, programs: Programs) -> Numbers:
    """What a function takes; its programs for other numbers are added to ``programs``."""
    paths = [
        path
        for name, specification in signature.parameters
        for path, leaf in leaves(specification, (name,))
        if leaf == FLOAT
    ]
    if not paths:
        return Numbers()
    trial = _Trial(asked)
    counted = [path for path in paths if trial.counts_as_float(path)]
    ints = trial.taken(int, [path for path in paths if path not in counted])
    doubles = trial.taken(np.float64, paths)
    taken = {
        path: tuple(k for k, known in ((int, ints), (np.float64, doubles)) if path in known)
        for path in paths
    }
    numbers = Numbers(
        taken,
        tuple(str(path[0]) for path in counted if len(path) == 1),
        tuple(str(path[0]) for path in paths if len(path) == 1),
    )
    if asked.kind == "Function":
        return numbers
    others = [path for path in paths if len(path) == 1 and path not in (*ints, *counted)]
    made = {str(p[0]): trial.program(int, [p], programs) for p in others[:_MOST_PROGRAMS]}
    numbers = replace(numbers, ints={name: one for name, one in made.items() if one is not None})
    if len(doubles) == len(paths) or len(numbers.floats) < len(paths):
        return numbers
    program = trial.program(np.float64, paths, programs)
    return replace(numbers, doubles=program, mixed=_is_double(graph))


def _is_double(graph: Graph) -> bool:
    """True if nothing is computed in another precision than double."""
    types = [v.type for node in all_nodes(graph) for v in node.results]
    types += [value.type for value in graph.block.parameters]
    arrays = [type_ for type_ in types if isinstance(type_, ArrayType)]
    return all(t.dtype in _DOUBLES for t in arrays if t.dtype.kind in "fc")


class _Trial:
    """Programs of a function at arguments with other numbers."""

    def __init__(self, asked: Exported) -> None:
        self.asked = asked
        self.own = self._text(asked.arguments)

    def taken(self, kind: type, paths: Sequence[Path]) -> list[Path]:
        """The paths at which numbers of a kind make no difference, alone or together."""
        if self._makes_none(kind, paths):
            return list(paths)
        found = [path for path in paths if self._makes_none(kind, [path])]
        return found if len(found) < 2 or self._makes_none(kind, found) else []

    def counts_as_float(self, path: Path) -> bool:
        """True if an int there becomes a float outside: what is differentiated by does."""
        value: Any = self.asked.chain.normalise(self._with(int, [path]))
        first, *rest = path
        value = value[self.asked.chain.parameters[-1].names.index(first)]
        for key in rest:
            keys, items = children(value) or ((), ())
            value = items[keys.index(key)]
        return type(value) is not int and value != "int"

    def _makes_none(self, kind: type, paths: Sequence[Path]) -> bool:
        return bool(paths) and self._text(self._with(kind, paths)) == self.own

    def program(self, kind: type, paths: Sequence[Path], programs: Programs) -> Emitted | None:
        """The program for numbers of a kind; None where there is none."""
        made = self._derived(self._with(kind, paths))
        return None if made is None else programs.function(self.asked, made)

    def _with(self, kind: type, paths: Sequence[Path]) -> Arguments:
        arguments, names = list(self.asked.arguments), self.asked.chain.parameters[-1].names
        for first, *rest in paths:
            place = names.index(first)
            arguments[place] = _replaced(arguments[place], tuple(rest), kind)
        return tuple(arguments)

    def _derived(self, arguments: Arguments) -> pipeline.Derived | None:
        chain = self.asked.chain
        try:
            return pipeline.derive(chain, chain.normalise(arguments))
        except InternalError:
            raise
        except SymdiffError:
            return None

    def _text(self, arguments: Arguments) -> Any:
        """All that tells programs apart."""
        derived = self._derived(arguments)
        if derived is None:
            return None
        programs = Programs(Namespace())
        if self.asked.kind == "Function":
            programs.pair(self.asked, derived)
        else:
            programs.function(self.asked, derived)
        texts = [(emitted.text, emitted.parameters) for emitted in programs.emitted]
        objects = sorted((name, _told(value)) for name, value in programs.names.objects.items())
        return texts, objects, derived.signature.static


def _told(value: Any) -> Any:
    """What is the same of equal objects."""
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), np.shape(value), value.tobytes()
    return id(value) if callable(value) else repr(value)


def _replaced(value: Any, path: Path, kind: type) -> Any:
    """The value with a number of another kind, or its type's name, at a path."""
    if not path:
        example: Any = _EXAMPLES[kind]
        return TypeText(kind.__name__) if isinstance(value, TypeText) else example
    keys, items = children(value) or ((), ())
    changed = [
        _replaced(item, path[1:], kind) if key == path[0] else item
        for key, item in zip(keys, items, strict=True)
    ]
    return construct(Container(type(value), keys, ()), changed)
