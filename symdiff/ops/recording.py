"""Keeping values and cotangents by the user's names: what a trace consists of.

    kept = Record()                        record
    h = np.sin(x)
    h_at = kept.value("h", 3, h)           keep: a copy of the value, under a number of its own
    ...                                    tap: h itself, marked with that number
    kept_bar.gradient(h_at, h_bar)         tapped: the cotangent that reached it

A record is an object that a program makes and returns, so programs stay functions of their
arguments. The number of a value is what its cotangent is kept under: in which order, how often and
on which path the two were computed does not matter.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnknownNameError
from symdiff.ir.graph import Node, Value
from symdiff.ir.structure import Container, Leaf, Static, Structure, unflatten
from symdiff.ir.types import INT, OpaqueType, Type
from symdiff.ops.declare import Operation, supporting, template
from symdiff.ops.effects import effect, fill, spell_template

RECORD = OpaqueType("record")


def without_marks(name: str) -> UnknownNameError:
    """The error for a name in a function whose derivative goes around its names."""
    function = name.rpartition(".")[0]
    return UnknownNameError(
        f"no value or cotangent is kept of {name!r}: {function} has a rule of its own, or is"
        " differentiated inside the program",
        hint=f"name what {function} is given, and what it returns",
    )


@dataclass(slots=True)
class Kept:
    """One value that a name got, and the line that gave it."""

    name: str
    line: int
    value: Any


class Record:
    """Values in the order in which names got them, and cotangents by their numbers."""

    __slots__ = ("gradients", "values")

    def __init__(self) -> None:
        self.values: list[Kept] = []
        self.gradients: list[tuple[int, int, Any]] = []

    def value(self, name: str, line: int, value: Any) -> int:
        """Keep a copy of a value; gives its number."""
        self.values.append(Kept(name, line, copied(value)))
        return len(self.values) - 1

    def gradient(self, number: int, gradient: Any, leaf: int = 0) -> None:
        """Keep a copy of the cotangent of a value, or of the ``leaf``-th number or array in it."""
        self.gradients.append((number, leaf, copied(gradient)))

    def retained(self, names: tuple[str, ...]) -> dict[str, Any]:
        """The cotangent of the last value of each name, structured like it; None where none is."""
        last = {kept.name: number for number, kept in enumerate(self.values)}
        found = {(number, leaf): gradient for number, leaf, gradient in self.gradients}
        return {name: self._gradient_of(last.get(name), found) for name in names}

    def _gradient_of(self, number: int | None, found: dict[tuple[int, int], Any]) -> Any:
        if number is None:
            return None
        value = self.values[number].value
        if not isinstance(value, Packed):
            return found.get((number, 0))
        leaves = [found.get((number, leaf)) for leaf in range(len(value.leaves))]
        return unflatten(derived(value.structure), leaves)


def copied(value: Any) -> Any:
    """The value in memory of its own, as it is now."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        return [copied(item) for item in value]
    if isinstance(value, Packed):
        return Packed(value.structure, tuple(map(copied, value.leaves)))
    return value


@dataclass(frozen=True, slots=True)
class Packed:
    """A container taken apart: its structure, and the numbers and arrays in it."""

    structure: Any
    leaves: tuple[Any, ...]


def derived(structure: Structure) -> Structure:
    """The structure of gradients: None for what is neither a number nor an array."""
    if isinstance(structure, Container):
        return replace(structure, items=tuple(map(derived, structure.items)))
    return structure if isinstance(structure, Leaf) else Static(None)


@dataclass(frozen=True, slots=True)
class Packing:
    """Puts a container's numbers and arrays together with its structure."""

    structure: Any

    def __call__(self, *leaves: Any) -> Packed:
        return Packed(self.structure, leaves)


record = Operation(
    "record",
    lambda: (RECORD,),
    Record,
    effect=True,
    spelling=lambda node, operands: ast.Call(supporting(Record), [], []),
    documentation="A record in which nothing is kept so far.",
)


def _evaluate_keep(
    kept: Record, *operands: Any, name: str, line: int, template: Any, entry: bool = False
) -> int:
    return kept.value(name, line, _filled(template, operands))


def _filled(template: Any, operands: Sequence[Any]) -> Any:
    if isinstance(template, tuple):  # a call of a packing
        made, *leaves = template
        return fill(made, operands)(*(fill(leaf, operands) for leaf in leaves))
    return fill(template, operands)


def _spell_keep(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    kept, *values = operands
    name, line = node.attributes["name"], node.attributes["line"]
    template = node.attributes["template"]
    if isinstance(template, tuple):
        made, *leaves = (spell_template(part, values) for part in template)
        value: ast.expr = ast.Call(made, leaves, [])
    else:
        value = spell_template(template, values)
    method = ast.Attribute(kept, "value", ast.Load())
    return ast.Call(method, [ast.Constant(name), ast.Constant(line), value], [])


keep = Operation(
    "keep",
    lambda *operands, **attributes: (INT,),
    _evaluate_keep,
    effect=True,
    nondifferentiable=True,
    spelling=_spell_keep,
    documentation="Keeps what a name got in a record, as an argument at ``entry``; gives the"
    " number it is kept under.",
)


def _tap_vjp(g: Value, y: Value, x: Value, number: Value, **origin: Any) -> Value:
    tapped(g, number, **origin)
    return g


def _infer_same(x: Type, *numbers: Type, leaf: int, name: str, line: int) -> tuple[Type, ...]:
    return (x,)


tap = Operation(
    "tap",
    _infer_same,
    lambda x, number, **origin: x,
    cost="free",
    view=0,
    vjp={0: _tap_vjp},
    jvp={0: lambda t, y, x, number, **origin: t},
    nondifferentiable=frozenset({1}),
    spelling=lambda node, operands: operands[0],
    order="operand",
    documentation="The value itself, which ``name`` got at ``line``; its cotangent is kept"
    " under a number.",
)


def _evaluate_tapped(*operands: Any, leaf: int, name: str, line: int) -> None:
    g, number, *kept = operands
    for one in kept:
        one.gradient(number, g, leaf)


def _spell_tapped(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    g, number, kept = operands
    leaf = [ast.Constant(node.attributes["leaf"])] if node.attributes["leaf"] else []
    return ast.Call(ast.Attribute(kept, "gradient", ast.Load()), [number, g, *leaf], [])


tapped = effect(
    "tapped",
    _evaluate_tapped,
    "Keeps a cotangent; the record is its last operand, once that is known.",
    raises=False,
    spelling=_spell_tapped,
)


retained = Operation(
    "retained",
    lambda kept, *, names: (OpaqueType("dict"),),
    lambda kept, *, names: kept.retained(names),
    effect=True,
    nondifferentiable=True,
    spelling=template("{0}.retained({names})"),
    documentation="The cotangents of the last values of names, by name.",
)
