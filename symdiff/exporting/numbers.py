"""Which numbers a function of a module takes where it was made for floats of Python.

A number is taken if the function's own derivative would be the same program for it: the program for
an int, or for a NumPy double, has the same text. An int that is differentiated by counts as a
float, as it does outside. Where the program for ints is another one, or that for doubles (a float
of Python does not widen an array in single precision, a double does), the module has both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
_MOST_APART = 4  # ints that may have programs of their own
_MOST_TRIED = 12  # floats that are tried one by one
_EXAMPLES: dict[type, Any] = {int: 3, np.float64: np.float64(0.75)}


@dataclass(frozen=True, slots=True)
class Program:
    """What computes a function; a function itself has a backward part too."""

    emitted: Emitted
    pair: pipeline.Pair | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """A program for numbers of a kind at all of ``paths``, the others being floats.

    ``some``: at one of them or more; the others are ``widened`` to that kind, or as they are.
    """

    kind: type
    paths: tuple[Path, ...]
    program: Program
    some: bool = False
    widened: bool = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """``floats``: the paths of all floats among the arguments. ``taken``: types of numbers beside
    floats that the program is for, by path. ``converted``: the paths whose ints become floats.
    ``variants``: other programs, in the order in which they are asked for.
    """

    floats: tuple[Path, ...] = ()
    taken: Mapping[Path, tuple[type, ...]] = field(default_factory=dict)
    converted: tuple[Path, ...] = ()
    variants: tuple[Variant, ...] = ()

    def others(self, path: Path, *more: type) -> tuple[type, ...]:
        """The types that are taken at a path beside floats, and more."""
        return tuple(dict.fromkeys((*self.taken.get(path, ()), *more)))


def floats_in(signature: Signature) -> tuple[Path, ...]:
    """The paths of the floats of Python among the arguments."""
    return tuple(
        path
        for name, specification in signature.parameters
        for path, leaf in leaves(specification, (name,))
        if leaf == FLOAT
    )


def program_of(asked: Exported, derived: pipeline.Derived, programs: Programs) -> Program:
    """The program of what is exported, added to ``programs``."""
    if asked.kind != "Function":
        return Program(programs.function(asked, derived))
    pair = programs.pair(asked, derived)
    return Program(pair.forward.emitted, pair)


def numbers_of(
    asked: Exported, derived: pipeline.Derived, own: Program, programs: Programs
) -> Numbers:
    """What a function takes; its programs for other numbers are added to ``programs``."""
    floats = floats_in(derived.signature)
    if not floats:
        return Numbers()
    trial = _Trial(asked, derived, own, programs)
    converted = tuple(path for path in floats if trial.counts_as_float(path))
    counted = [path for path in floats if path not in converted]
    ints, doubles = trial.taken(int, counted), trial.taken(np.float64, floats)
    taken = {
        path: tuple(k for k, known in ((int, ints), (np.float64, doubles)) if path in known)
        for path in floats
    }
    apart = [path for path in counted if path not in ints]
    variants = list(trial.of_ints(apart))
    if len(doubles) < len(floats):
        variants[:0] = trial.of_doubles(floats, _is_double(derived.graph))
    return Numbers(floats, taken, converted, tuple(variants))


def _is_double(graph: Graph) -> bool:
    """True if nothing is computed in another precision than double."""
    types = [v.type for node in all_nodes(graph) for v in node.results]
    types += [value.type for value in graph.block.parameters]
    arrays = [type_ for type_ in types if isinstance(type_, ArrayType)]
    return all(t.dtype in _DOUBLES for t in arrays if t.dtype.kind in "fc")


class _Trial:
    """Programs of a function at arguments with other numbers, each of them written once."""

    def __init__(
        self, asked: Exported, derived: pipeline.Derived, own: Program, programs: Programs
    ) -> None:
        self.asked, self.static, self.programs = asked, derived.signature.static, programs
        self.own = self._text(asked.arguments)
        self.known: list[tuple[Any, Program]] = [(self.own, own)]

    # Numbers for which the program is the same

    def taken(self, kind: type, paths: Sequence[Path]) -> list[Path]:
        """Paths at which numbers of a kind make no difference, alone or together."""
        if self._makes_none(kind, paths):
            return list(paths)
        if len(paths) > _MOST_TRIED:
            return []
        found = [path for path in paths if self._makes_none(kind, [path])]
        if len(found) < 2 or self._makes_none(kind, found):
            return found
        kept: list[Path] = []
        for path in sorted(found, key=len):  # arguments before what containers hold
            if self._makes_none(kind, [*kept, path]):
                kept.append(path)
        return kept

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

    # Programs for other numbers

    def of_doubles(self, paths: Sequence[Path], widened: bool) -> list[Variant]:
        """The program where all are doubles; with ``widened``, where some of them are."""
        program = self._program(np.float64, paths)
        some = widened and len(paths) > 1
        return [Variant(np.float64, tuple(paths), program, some, some)] if program else []

    def of_ints(self, paths: Sequence[Path]) -> list[Variant]:
        """Programs where ints are at all of these paths, or at one: those for more come first.

        One program that is for all and for each of them is taken to be for some as well.
        """
        if not paths:
            return []
        together = self._program(int, paths)
        if len(paths) == 1 or len(paths) > _MOST_APART:
            return [Variant(int, tuple(paths), together)] if together else []
        alone = [self._program(int, [path]) for path in paths]
        if together and all(program is together for program in alone):
            return [Variant(int, tuple(paths), together, some=True)]
        pairs = zip([tuple(paths), *((path,) for path in paths)], [together, *alone], strict=True)
        return [Variant(int, some, program) for some, program in pairs if program]

    def _program(self, kind: type, paths: Sequence[Path]) -> Program | None:
        """The program for numbers of a kind at these paths; None where there is none, or it holds
        for some values of them only.
        """
        arguments = self._with(kind, paths)
        text, derived = self._text(arguments), self._derived(arguments)
        if derived is None or derived.signature.static != self.static:
            return None
        for known, program in self.known:
            if known == text:
                return program
        program = program_of(self.asked, derived, self.programs)
        self.known.append((text, program))
        return program

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
        program_of(self.asked, derived, programs)
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
